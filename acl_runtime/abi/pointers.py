"""Pointers that the host program passes: outputs to write through, addresses of memory, arrays to read."""

# pyright: reportPrivateUsage=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false
# (much of ctypes has no types: arrays, pointers, what byref returns)

import ctypes
from collections.abc import Sequence
from ctypes import addressof
from typing import Any, Final, Generic, TypeVar, cast

import numpy as np

from acl_runtime.headers.dtypes import Array

T = TypeVar("T")
BYREF = type(ctypes.byref(ctypes.c_int()))
FUNCTION = type(ctypes.CFUNCTYPE(None)()).__mro__[1]
POINTER = type(ctypes.pointer(ctypes.c_int())).__mro__[1]


class Out(Generic[T]):
    """`T *` for an output. All writes to the caller's variables are made by this class."""

    __slots__ = ("_target", "null", "recorded", "stored")

    def __init__(self, target: Any) -> None:
        self._target = target
        self.null = target is None
        self.recorded = 0 if target is None else addressof(target)
        """the address, for `machine.calls`"""
        self.stored: T | None = None
        """the value that was written, for `machine.calls`"""

    @property
    def held(self) -> Any:
        """The present value of the caller's variable; None for a null pointer."""
        return None if self._target is None else self._target.value

    def store(self, value: T) -> None:
        """Write through the pointer."""
        self._target.value = self.stored = value

    def store_array(self, values: Sequence[int], element: Any, *, freed: bool = False) -> object:
        """Make the caller's pointer point to a new array of `values`, and return the array, which the caller must keep
        alive. `freed`: True if a program in C frees the array with free, not with delete[]."""
        array = (element * max(len(values), 1))(*values)
        self.store_address(ctypes.addressof(array))
        return array

    def store_address(self, address: int) -> None:
        """Make the caller's pointer, of any type, point to this address."""
        ctypes.c_void_p.from_buffer(self._target).value = address


class OutOfC(Out[T]):
    """An `Out` for a caller in C, "who frees it [an array] with C++ delete[]", or with free."""

    __slots__ = ()

    def store_array(self, values: Sequence[int], element: Any, *, freed: bool = False) -> object:
        array = (element * max(len(values), 1))(*values)
        memory = _new_array(ctypes.sizeof(array), "malloc" if freed else "_Znam")
        ctypes.memmove(memory, array, ctypes.sizeof(array))
        self.store_address(memory)
        return None


def _new_array(size: int, function: str) -> int:
    """Memory from `operator new[]` (`_Znam`), which the program may have replaced, or from malloc. In a program without
    that operator, always from malloc."""
    program = ctypes.CDLL(None)
    new: Any = getattr(program, function, None) or program.malloc
    new.restype, new.argtypes = ctypes.c_size_t, [ctypes.c_size_t]
    return int(new(size))


class Address:
    """`void *`: an address of a device or of the host, and the host object at it, if there is one."""

    __slots__ = ("owner", "recorded", "safe", "size", "value")

    def __init__(self, value: int, size: int | None = None, owner: object = None, *, safe: bool = True) -> None:
        self.safe = safe and size is not None
        """True if the `size` bytes can be accessed directly, as the object keeps them alive"""
        self.value = self.recorded = value
        self.size = size
        """bytes of the host object, None if unknown"""
        self.owner = owner
        """the host object, which this reference keeps alive"""


class HeldText(str):
    """A `const char *` result that an object keeps alive, in C as long as the object keeps its texts."""

    raw: bytes
    """the bytes to which the pointer in C points"""

    def __new__(cls, text: str, texts: dict[str, bytes]) -> "HeldText":
        held = super().__new__(cls, text)
        held.raw = texts.setdefault(text, text.encode(errors="surrogateescape"))
        return held


NULL: Final = Address(0)


def same_function(first: Any, second: Any) -> bool:
    """True if both are the same function in C. ctypes functions are compared by address, others by `==`."""
    if isinstance(first, FUNCTION) and isinstance(second, FUNCTION):
        return ctypes.cast(first, ctypes.c_void_p).value == ctypes.cast(second, ctypes.c_void_p).value
    return bool(first == second)


def target_of(value: Any) -> Any:
    """The ctypes object behind byref(x), pointer(x) or an array; None if `value` is none of these."""
    if type(value) is BYREF:
        return cast("Any", value)._obj
    if isinstance(value, POINTER):
        return value.contents if value else None
    return None


def address_of(value: Any, *, target: bool) -> Address:
    """The address of any argument for a `void *`. `target`: True if the memory will be written. The text of a TypeError
    completes "expected ..."."""
    if value is None:
        return NULL
    if type(value) is ctypes.c_void_p:  # the most frequent type first
        return Address(value.value or 0)
    if isinstance(value, int | np.integer):
        return Address(int(value) & 0xFFFF_FFFF_FFFF_FFFF)
    if isinstance(value, ctypes.c_void_p):
        return Address(value.value or 0)
    if isinstance(value, np.ndarray):
        return _array_address(value, target)
    if type(value) is BYREF:
        obj = cast("Any", value)._obj
        size = ctypes.sizeof(obj) if obj._b_needsfree_ else None
        start = ctypes.cast(value, ctypes.c_void_p).value or 0
        if size is not None:
            size = max(0, size - (start - ctypes.addressof(obj)))
        return Address(start, size, obj)
    if isinstance(value, POINTER):
        return _pointed(value)
    if isinstance(value, ctypes.c_char_p) and target:
        raise TypeError("memory that can be written; c_char_p points to bytes")
    if isinstance(value, (ctypes.c_char_p, FUNCTION)):
        return Address(ctypes.cast(value, ctypes.c_void_p).value or 0, None, value)
    if isinstance(value, ctypes.Array | ctypes.Structure | ctypes.Union | ctypes._SimpleCData):
        return Address(ctypes.addressof(value), ctypes.sizeof(value), value, safe=_owns_memory(value))
    if isinstance(value, str):
        raise TypeError("an address or a buffer; encode the text: b'...'")
    return _buffer_address(value, target)


def _owns_memory(value: Any) -> bool:
    """True if a ctypes object or its parent object owns the memory. An object from `from_address` does not."""
    while value._b_base_ is not None:
        value = value._b_base_
    return bool(value._b_needsfree_ or value._objects)


def _pointed(pointer: Any) -> Address:
    """The address in a ctypes pointer, with the size of x if the pointer is a plain pointer(x)."""
    start = ctypes.cast(pointer, ctypes.c_void_p).value or 0
    target: Any = (pointer._objects or {}).get("1")
    safe = target is not None and ctypes.addressof(target) == start and target._b_needsfree_
    return Address(start, ctypes.sizeof(cast("Any", target)) if safe else None, pointer)


def _array_address(array: Array, target: bool) -> Address:
    if array.dtype.hasobject:
        raise TypeError("an array of numbers; this one holds Python objects")
    if not array.flags.c_contiguous:
        raise TypeError("a C-contiguous array; pass np.ascontiguousarray(x), or a copy to be filled")
    start, readonly = array.__array_interface__["data"]
    if target and readonly:
        raise TypeError("memory that can be written; this array is read-only")
    return Address(start, array.nbytes, array)


def _buffer_address(value: Any, target: bool) -> Address:
    try:
        view = memoryview(value)
    except TypeError:
        fix = "; a list has no address: np.array(x, np.float32) has" if isinstance(value, list | tuple) else ""
        raise TypeError(f"None, an int, c_void_p, byref(x), pointer(x) or an object with a buffer{fix}") from None
    if target and view.readonly:
        raise TypeError(f"memory that can be written; {type(value).__name__} is read-only")
    if not view.c_contiguous:
        raise TypeError("a C-contiguous buffer")
    if view.nbytes == 0:
        return Address(id(value), 0, value)  # not null, and without bytes that may be accessed
    return Address(np.frombuffer(view, np.uint8).__array_interface__["data"][0], view.nbytes, view)


_INT64: Final = np.dtype(np.int64)
_UINT64: Final = np.dtype(np.uint64)


class Values:
    """`const T *` with its count in another parameter."""

    __slots__ = ("_values", "address", "dtype")

    def __init__(self, values: Sequence[Any] | None, address: int = 0, dtype: "np.dtype[Any]" = _INT64) -> None:
        self._values = values
        self.address = address
        """the address of a bare pointer, whose number of values is unknown"""
        self.dtype = dtype

    @property
    def null(self) -> bool:
        return self._values is None and not self.address

    @property
    def recorded(self) -> "int | tuple[Any, ...]":
        return self.address if self._values is None else tuple(self._values)

    @property
    def length(self) -> int | None:
        """The number of values; None for a bare pointer."""
        return None if self._values is None else len(self._values)

    def take(self, count: int) -> tuple[Any, ...]:
        """The first `count` values. The caller has checked that there are enough."""
        return tuple(() if self._values is None else self._values[:count])

    def of_memory(self, raw: bytes) -> tuple[Any, ...]:
        """The values at a bare pointer, from the bytes of its memory."""
        return tuple(np.frombuffer(raw, self.dtype).tolist())


class Addresses(Values):
    """`void **` with its count in another parameter; each element is an Address."""

    @property
    def recorded(self) -> "int | tuple[Any, ...]":
        return self.address if self._values is None else tuple(value.value for value in self._values)

    def of_memory(self, raw: bytes) -> tuple[Any, ...]:
        return tuple(map(Address, super().of_memory(raw)))


class Texts(Values):
    """`const char **` with its count in another parameter; each element is a text, or None."""

    def of_memory(self, raw: bytes) -> tuple[Any, ...]:
        addresses = super().of_memory(raw)
        return tuple(
            ctypes.string_at(address).decode(errors="surrogateescape") if address else None for address in addresses
        )


class Arrays(Values):
    """`const T *const *` with counts in another parameter; each element is a Values."""

    __slots__ = ("_inner",)

    def __init__(
        self,
        values: Sequence[Values] | None,
        address: int = 0,
        dtype: "np.dtype[Any]" = _UINT64,
        inner: "np.dtype[Any] | None" = None,
    ) -> None:
        super().__init__(values, address, dtype)
        self._inner = inner

    @property
    def recorded(self) -> "int | tuple[Any, ...]":
        return self.address if self._values is None else tuple(value.recorded for value in self._values)

    def of_memory(self, raw: bytes) -> tuple[Any, ...]:
        return tuple(Values(None, inner_address, self._inner or _INT64) for inner_address in super().of_memory(raw))


class Given:
    """A callback or its user data, unchanged."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    @property
    def recorded(self) -> object:
        """The value for `machine.calls`: a number or a text itself, the name or type of any other object."""
        if self.value is None or isinstance(self.value, int | float | str | bytes):
            return self.value
        return getattr(self.value, "__name__", None) or type(self.value).__name__
