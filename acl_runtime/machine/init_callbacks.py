"""Callbacks of the host program that run when the process initialises and when it finalises."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from acl_runtime.abi.pointers import FUNCTION, same_function
from acl_runtime.headers.enums import aclRegisterCallbackType

MODEL: Final = aclRegisterCallbackType.ACL_REG_TYPE_ACL_MODEL
OP_EXECUTOR: Final = aclRegisterCallbackType.ACL_REG_TYPE_ACL_OP_EXECUTOR
MEDIA: Final = aclRegisterCallbackType.ACL_REG_TYPE_ACL_DVPP
OTHER: Final = aclRegisterCallbackType.ACL_REG_TYPE_OTHER


@dataclass(eq=False)
class Callback:
    """A function, for whom it is, and what it gets back."""

    type: int
    function: Callable[..., Any]
    user_data: Any

    def calls(self, function: Callable[..., Any]) -> bool:
        """Is it this function?"""
        return same_function(self.function, function)

    @property
    def native(self) -> bool:
        """Is it a ctypes function, which takes a text as bytes?"""
        return isinstance(self.function, FUNCTION)


class Callbacks:
    """Those for one occasion, in the order of registration."""

    def __init__(self) -> None:
        self._all: list[Callback] = []

    def add(self, callback: Callback) -> bool:
        """ "Every type except OTHER takes one callback": False for a second one."""
        if callback.type != OTHER and any(each.type == callback.type for each in self._all):
            return False
        self._all.append(callback)
        return True

    def remove(self, type: int, function: Callable[..., Any]) -> bool:
        """Take the first such pair away; False if it is not there."""
        for callback in self._all:
            if callback.type == type and callback.calls(function):
                self._all.remove(callback)
                return True
        return False

    def in_turn(self, *, op_executor: bool) -> Iterator[Callback]:
        """ "In the order model, operator executor [...], media, other". One that an earlier one takes away is left
        out; one that an earlier one adds is not among them."""
        now = list(self._all)
        for type in (MODEL, OP_EXECUTOR, MEDIA, OTHER):
            if type != OP_EXECUTOR or op_executor:
                for callback in now:
                    if callback.type == type and callback in self._all:
                        yield callback
