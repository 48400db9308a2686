"""The handles a port keeps: 8-byte values as in C, null until a creator fills them.

They compare and hash by value, null equals `None` and `0` and is false, and the repr tells kind, ordinal and, for
tensors, data type and shape (asked of the current machine, which knows what a number stands for).
"""

import operator
from ctypes import c_void_p

from acl_runtime.process import process


class Handle(c_void_p):
    """An opaque handle."""

    __array_ufunc__ = None  # a comparison with a numpy number asks __eq__ below

    def __eq__(self, other: object) -> bool:
        if other is None:
            return not self.value
        if isinstance(other, c_void_p):
            return (self.value or 0) == (other.value or 0)
        try:
            return (self.value or 0) == operator.index(other)  # type: ignore[arg-type]
        except TypeError:
            return False

    def __hash__(self) -> int:
        return hash(self.value or 0)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __repr__(self) -> str:
        if not self.value:
            return f"{type(self).__name__}(null)"
        known = process.describe_handle(self.value) if process.describe_handle is not None else ""
        return f"<{known}>" if known else f"<{type(self).__name__} {self.value:#x}, unknown to this machine>"


class RuntimeHandle(Handle):
    """`typedef void *` in C: the compiler takes any of them for any other, the runtime answers 107017."""


class aclrtStream(RuntimeHandle):
    """A stream: tasks in it run one after the other. Null means the default stream of the current context."""


class aclrtContext(RuntimeHandle):
    """A context: what a thread works in, on one device."""


class aclrtEvent(RuntimeHandle):
    """An event: a mark in a stream that others can wait for."""


class MetaHandle(Handle):
    """A pointer to a struct of its own in C: another kind is refused by the compiler."""


class aclTensor(MetaHandle):
    """View (shape, strides, offset) of device memory, with data type and format."""


class aclScalar(MetaHandle):
    """One value with its data type."""


class aclIntArray(MetaHandle):
    """An array of int64_t."""


class aclFloatArray(MetaHandle):
    """An array of float."""


class aclBoolArray(MetaHandle):
    """An array of bool."""


class aclTensorList(MetaHandle):
    """Several tensors; destroying the list destroys them."""


class aclScalarList(MetaHandle):
    """Several scalars; destroying the list destroys them."""


class aclOpExecutor(MetaHandle):
    """The plan of one operator call, made by the first phase and used up by the second."""


class aclDataBuffer(MetaHandle):
    """A pair of an address and a size, which it does not own."""


class aclrtExceptionInfo(MetaHandle):
    """What failed on the device, told to an exception callback and valid inside it only."""


class aclrtStreamConfigHandle(MetaHandle):
    """Options of a stream to be created."""
