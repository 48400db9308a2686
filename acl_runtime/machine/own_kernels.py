"""Kernels that the user has defined, for one machine or for all machines of the process."""

import sys
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

from acl_runtime.abi.declarations import function_of
from acl_runtime.process import process

OPERATORS: Final = "aclnn"
"""the package of the operators, and the prefix of their names"""


class Kernels(dict[str, Callable[..., Any]]):
    """The kernels of the process, by operator or device kernel."""

    def __setitem__(self, name: str, function: Callable[..., Any]) -> None:
        if not callable(function):
            raise TypeError(f"the kernel of {name} has to be a function, not {function!r}")
        if name.startswith(OPERATORS) and OPERATORS in sys.modules:
            function_of(name)  # ValueError if there is none
        super().__setitem__(name, function)
        process.change_conditions()


class MachineKernels(Kernels):
    """The kernels of one machine: `machine.kernels["aclnnFoo"] = function`. A name that begins with `aclnn` is an
    operator, any other name a device kernel."""

    def __init__(self) -> None:
        super().__init__()
        self.shared: Mapping[str, Callable[..., Any]] = process.own(Kernels)
        """the kernels for all machines: `@aclnn.kernel("aclnnFoo")`"""
        self.missed = Counter[str]()
        """the number of calls without a kernel and a formula, by operator"""

    def standing_in(self, name: str) -> Callable[..., Any] | None:
        """The function that replaces a device kernel; None if there is none."""
        return self.get(name) or self.shared.get(name)
