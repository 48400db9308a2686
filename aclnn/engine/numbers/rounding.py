"""Data types in arithmetic: widen to float32, compute, round once on the way out.

Floats of 64 bits, complex numbers and integers are computed as they are.
"""

from collections.abc import Callable
from typing import Any, Final, cast

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.numbers.halves import narrow_to_half, widen_half
from aclnn.engine.numbers.truncation import truncated

SMALL: Final = 256
"""below so many elements numpy's own conversions are quicker than ours"""
TILE: Final = 1 << 14
"""elements of one step of a conversion: its temporaries stay in the cache"""
_HALF: Final = np.dtype(np.float16)
_SINGLE: Final = np.dtype(np.float32)
_DOUBLE: Final = np.dtype(np.float64)
_sum: Final = cast("Callable[..., Array]", np.add.reduce)  # (looked up once: a tenth of what a tiny sum takes)


def widen(array: Array) -> Array:
    """float16, bfloat16 and the 8-bit floats as float32, exactly; every other type as it is."""
    if array.dtype == _HALF and array.size >= SMALL:
        return from_half(array)
    if array.dtype.itemsize < 4 and array.dtype.kind in "fV":
        return array.astype(np.float32)
    return array


def store(values: Array, out: Array) -> None:
    """Put `values` into `out`, rounding half to even once; to bool by `!= 0`, to a real type the real part.

    Integers keep their low bits; floats become integers by `truncation`.
    """
    if values.dtype is out.dtype:  # nothing of what follows is needed
        out[...] = values
        return
    kind, kept = values.dtype.kind, out.dtype.kind
    if kept == "b" and kind != "b":
        if any(values.strides) or not values.size:
            np.not_equal(values, 0, out=out)
            return
        values = np.not_equal(values[(0,) * values.ndim], 0)  # one value for all elements
    if kind == "c" and kept != "c":
        values = cast("Array", np.real(values))
        kind = "f"
    if kept in "iu" and kind in "fV":
        out[...] = truncated(values if values.dtype.itemsize > 2 else values.astype(_SINGLE), out.dtype)
    elif kept in "fV" and kind == "f" and values.dtype.itemsize > 2 and out.dtype.itemsize < 4:
        _store_narrow(values, out)
    elif kept == "V" and kind in "iu" and values.dtype.itemsize > 2:
        np.copyto(out, values.astype(_SINGLE), casting="unsafe")
    else:
        np.copyto(out, values, casting="unsafe")


def _store_narrow(values: Array, out: Array) -> None:
    """float32 or float64 into a float of 16 or fewer bits."""
    if values.dtype.itemsize > 4:
        values = _for_one_rounding(values)
    if out.dtype == _HALF:
        out[...] = to_half(values)
    else:
        np.copyto(out, values, casting="unsafe")


def narrowed(values: Array, dtype: np.dtype[Any]) -> Array:
    """Floats as a float type, rounding half to even once."""
    if values.dtype == dtype:
        return values
    if dtype.itemsize < 4:
        if values.dtype == _DOUBLE:
            values = _for_one_rounding(values)
        if dtype == _HALF and values.dtype == _SINGLE:
            return to_half(values)
        if values.dtype != _SINGLE:
            values = values.astype(_SINGLE)
    return values.astype(dtype)


def _for_one_rounding(values: Array) -> Array:
    """float64 to float32, where an inexact number becomes its odd neighbour. A second rounding, to fewer bits, then
    gives what one rounding of the float64 gives: an odd number is never halfway between two of these."""
    near = values.astype(_SINGLE)
    bits = np.atleast_1d(near).view(np.uint32)
    size, rounded = np.abs(np.atleast_1d(values)), np.abs(np.atleast_1d(near)).astype(_DOUBLE)
    even = bits & 1 == 0
    np.add(bits, 1, out=bits, where=even & (rounded < size))
    np.subtract(bits, 1, out=bits, where=even & (rounded > size))
    return cast("Array", bits.view(_SINGLE).reshape(values.shape))


def total(
    values: Array, axis: int | tuple[int, ...] | None, *, keepdims: bool = False, dtype: np.dtype[Any] | None = None
) -> Array:
    """The sum over dimensions, rounded once.

    Floats of up to 32 bits have float64 partials and give float32; float64 gives float64; COMPLEX64 has complex128
    partials. Integers are exact and wrap in their own width; bool counts, as int64. `dtype` asks for another result.
    """
    own = values.dtype
    if dtype is None and own == _SINGLE:
        # the method `sum` does the same by way of two functions in Python
        return _sum(values, axis, _DOUBLE, None, keepdims).astype(_SINGLE)
    asked = _result_of_sum(own) if dtype is None else dtype
    partial = _partial(own, asked)
    if own.kind == "V" and own != partial:
        values = values.astype(_SINGLE)  # ml_dtypes has no sum with another type for each of its own
    sums = np.asarray(_sum(values, axis, partial, None, keepdims))
    if sums.dtype == asked:
        return sums
    result = np.empty(sums.shape, asked)
    store(sums, result)
    return result


def _result_of_sum(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type of a sum that nobody asks another type of."""
    if dtype.kind == "b":
        return np.dtype(np.int64)
    return _SINGLE if dtype.kind in "fV" and dtype.itemsize < 4 else dtype


def _partial(dtype: np.dtype[Any], asked: np.dtype[Any]) -> np.dtype[Any]:
    """The type in which a sum is made."""
    kinds = dtype.kind + asked.kind
    if "c" in kinds:
        return np.dtype(np.complex128)
    if "f" in kinds or "V" in kinds:
        return _DOUBLE
    return np.dtype(np.int64) if asked.kind == "b" else asked


def from_half(values: Array) -> Array:
    """float16 to float32 as `astype`, but without its cost for each subnormal."""
    given: Array = np.ascontiguousarray(values).reshape(-1)
    wide: Array = np.empty(given.size, np.float32)
    for start in range(0, given.size, TILE):
        widen_half(given[start : start + TILE], wide[start : start + TILE])
    return cast("Array", wide.reshape(values.shape))


def to_half(values: Array) -> Array:
    """float32 to float16 as `astype`, but without its cost for each subnormal result."""
    if values.size < SMALL:
        return values.astype(np.float32).astype(np.float16)
    given: Array = np.ascontiguousarray(values, np.float32).reshape(-1)
    narrow: Array = np.empty(given.size, np.float16)
    rooms: dict[str, Array] = {}

    def room(name: str, shape: tuple[int, ...], dtype: Any) -> Array:
        if name not in rooms:
            rooms[name] = np.empty(shape, dtype)
        return rooms[name][: shape[0]]

    for start in range(0, given.size, TILE):
        narrow_to_half(given[start : start + TILE], narrow[start : start + TILE], room)
    return cast("Array", narrow.reshape(values.shape))
