"""Kernels of the user's: those of a machine, and those of the process, which hold for all machines."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from acl_runtime.process import process


class Kernels(dict[str, Callable[..., Any]]):
    """The kernels of the process, by operator."""

    def __setitem__(self, name: str, function: Callable[..., Any]) -> None:
        if not callable(function):
            raise TypeError(f"the kernel of {name} has to be a function, not {function!r}")
        super().__setitem__(name, function)


class MachineKernels(Kernels):
    """The kernels of one machine, by operator: `machine.kernels["aclnnFoo"] = function`."""

    def __init__(self) -> None:
        super().__init__()
        self.shared: Mapping[str, Callable[..., Any]] = process.own(Kernels)
        """kernels for all machines: `@aclnn.kernel("aclnnFoo")`"""
        self.missed = Counter[str]()
        """the calls that found no kernel and no formula, by operator"""
