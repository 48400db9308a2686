"""Callbacks of the host program that run inside aclInit and inside aclFinalize."""

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
    """A registered function, with its type and its argument."""

    type: int
    function: Callable[..., Any]
    user_data: Any

    def calls(self, function: Callable[..., Any]) -> bool:
        """True if this callback has this function."""
        return same_function(self.function, function)

    @property
    def native(self) -> bool:
        """True if the function is a ctypes function, which takes a text as bytes."""
        return isinstance(self.function, FUNCTION)


class Callbacks:
    """The callbacks for one occasion (initialise or finalise), in the order of registration."""

    def __init__(self) -> None:
        self._all: list[Callback] = []

    def add(self, callback: Callback) -> bool:
        """Add a callback; False for a second callback of a type: "Every type except OTHER takes one callback"."""
        if callback.type != OTHER and any(other.type == callback.type for other in self._all):
            return False
        self._all.append(callback)
        return True

    def remove(self, type: int, function: Callable[..., Any]) -> bool:
        """Remove the first callback of this type and function; False if there is none."""
        for callback in self._all:
            if callback.type == type and callback.calls(function):
                self._all.remove(callback)
                return True
        return False

    def in_turn(self, *, op_executor: bool) -> Iterator[Callback]:
        """Yield the callbacks "in the order model, operator executor [...], media, other". Callbacks that an earlier
        callback adds or removes do not run. `op_executor`: True if callbacks of the type operator executor run."""
        now = list(self._all)
        for type in (MODEL, OP_EXECUTOR, MEDIA, OTHER):
            if type != OP_EXECUTOR or op_executor:
                for callback in now:
                    if callback.type == type and callback in self._all:
                        yield callback
