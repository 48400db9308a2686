"""Kernels of the user's: those of a machine, and those of the process, which hold for all machines."""

import sys
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

from acl_runtime.abi.declarations import function_of
from acl_runtime.process import process

OPERATORS: Final = "aclnn"
"""the package of the operators, and how their names begin"""


class Kernels(dict[str, Callable[..., Any]]):
    """The kernels of the process, by operator or device kernel."""

    def __setitem__(self, name: str, function: Callable[..., Any]) -> None:
        if not callable(function):
            raise TypeError(f"the kernel of {name} has to be a function, not {function!r}")
        if name.startswith(OPERATORS) and OPERATORS in sys.modules:
            function_of(name)  # ValueError if there is none
        super().__setitem__(name, function)


class MachineKernels(Kernels):
    """The kernels of one machine: `machine.kernels["aclnnFoo"] = function`. A name with `aclnn` is an operator, any
    other one a device kernel."""

    def __init__(self) -> None:
        super().__init__()
        self.shared: Mapping[str, Callable[..., Any]] = process.own(Kernels)
        """kernels for all machines: `@aclnn.kernel("aclnnFoo")`"""
        self.missed = Counter[str]()
        """the calls that found no kernel and no formula, by operator"""

    def standing_in(self, name: str) -> Callable[..., Any] | None:
        """The function that stands in for a device kernel; None if there is none."""
        return self.get(name) or self.shared.get(name)
