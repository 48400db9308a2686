"""The value that an operator reads from an aclScalar, which has the bytes of its own data type.

The conversion is that of C, with exceptions. A complex number read as a real one is 0. A float read as BOOL is true if
its magnitude is at least epsilon, the distance between 1 and the next float. A BOOL is a signed byte. C does not define
the conversion of a float out of range to an integer; here `truncated` converts it.
"""

from functools import lru_cache
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from acl_runtime.headers.dtype_names import dtype_name
from acl_runtime.headers.dtypes import Array, numpy_dtype
from acl_runtime.headers.enums import aclDataType
from aclnn.engine.numbers.casting import array_dtype
from aclnn.engine.numbers.rounding import narrowed, widen
from aclnn.engine.numbers.truncation import truncated

_UNREADABLE: Final = (aclDataType.ACL_COMPLEX32, aclDataType.ACL_INT4)


class StoredScalar(Protocol):
    """The bytes and the data type of an aclScalar."""

    @property
    def value(self) -> bytes: ...
    @property
    def dtype(self) -> int: ...


def scalar_as(scalar: StoredScalar, data_type: int) -> Any:
    """The value as a numpy scalar of this data type. Raises TypeError where the library has no conversion."""
    if data_type in _UNREADABLE or scalar.dtype in _UNREADABLE:
        raise TypeError(f"an aclScalar of {dtype_name(scalar.dtype)} cannot be read as {dtype_name(data_type)}")
    dtype = array_dtype(data_type)
    stored = _stored(scalar)
    with np.errstate(all="ignore"):
        if stored.dtype.kind == "c":
            return (stored if dtype.kind == "c" else np.zeros(1)).astype(dtype)[0]
        if dtype.kind == "b":
            return _as_bool(stored)
        if stored.dtype.kind in "fV":
            stored = widen(stored)
        if dtype == np.uint16:
            return _as_integer(stored, np.dtype(np.int16)).astype(np.uint16)[0]
        if dtype.kind in "iu":
            return _as_integer(stored, dtype)[0]
        if dtype.kind == "c" or dtype.itemsize >= 4:
            return stored.astype(dtype)[0]
        if dtype == np.float16:
            return _as_half(stored)[0]
        return narrowed(stored.astype(np.float32), dtype)[0]


class Arguments(Protocol):
    """The values of a call, by the numbers of their parameters. They are a sequence, or are made when asked for."""

    def __getitem__(self, place: int, /) -> Any: ...


class PassedScalar(NamedTuple):
    """A placeholder in a plan for the value of an aclScalar, as an attribute of a step. Each launch fills in the value
    of its call, in the type that kernels get: 16-bit floats are float32."""

    place: int
    """number of the parameter"""
    member: int | None
    """number of the scalar in an aclScalarList"""
    dtype: int

    def of(self, arguments: Arguments) -> Any:
        """The value in a call with these arguments."""
        value = arguments[self.place]
        return self.read(value if self.member is None else value[self.member])

    def read(self, scalar: StoredScalar) -> Any:
        """The value of this scalar. Raises TypeError where the library has no conversion."""
        return _read(scalar.value, scalar.dtype, self.dtype)


class OneScalar(NamedTuple):
    """A `StoredScalar` of its own."""

    value: bytes
    dtype: int


@lru_cache(maxsize=1024)
def _read(value: bytes, stored_type: int, data_type: int) -> Any:
    """A cache, as an optimiser reads the same few scalars for each of its tensors."""
    return widen(np.asarray(scalar_as(OneScalar(value, stored_type), data_type)))[()]


def _stored(scalar: StoredScalar) -> Array:
    """An array of one element with the value in its own type. The byte of a BOOL is a signed number."""
    if scalar.dtype == aclDataType.ACL_BOOL:
        return np.frombuffer(scalar.value, np.int8)[:1]
    dtype = numpy_dtype(scalar.dtype) or array_dtype(scalar.dtype)
    return np.frombuffer(scalar.value, dtype)[:1]


def _as_bool(stored: Array) -> Any:
    """True for an integer other than 0, and for a float of at least epsilon: of float64 for a DOUBLE, else of
    float32."""
    if stored.dtype.kind in "iu":
        return np.bool_(stored[0] != 0)
    epsilon = np.finfo(np.float64 if stored.dtype == np.float64 else np.float32).eps
    return np.bool_(np.abs(widen(stored)[0]) >= epsilon)


def _as_integer(stored: Array, dtype: np.dtype[Any]) -> Array:
    """The value as an integer. Floats are truncated, integers wrap."""
    return stored.astype(dtype) if stored.dtype.kind in "iu" else truncated(stored, dtype)


def _as_half(stored: Array) -> Array:
    """The value as float16, rounded once. An INT64 or UINT64 beyond 32 bits becomes infinite."""
    return narrowed(stored.astype(np.float64), np.dtype(np.float16))
