"""Rounding: inputs are widened to float32, and results are rounded once into the bytes of the outputs.

Floats of 64 bits, complex numbers and integers are computed in their own type.
"""

from collections.abc import Callable
from typing import Any, Final, cast

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.numbers.halves import narrow_to_half, widen_half
from aclnn.engine.numbers.truncation import truncated

MIN_ELEMENTS: Final = 256
"""elements from which `halves` converts faster than numpy"""
TILE: Final = 1 << 14
"""elements that are converted together: the temporaries stay in the cache"""
_HALF: Final = np.dtype(np.float16)
_SINGLE: Final = np.dtype(np.float32)
_DOUBLE: Final = np.dtype(np.float64)
_sum: Final = cast("Callable[..., Array]", np.add.reduce)  # looked up once, as a lookup takes time


def widen(array: Array) -> Array:
    """Exact float32 of float16, bfloat16 and the 8-bit floats. Arrays of other types are returned unchanged."""
    if array.dtype == _HALF and array.size >= MIN_ELEMENTS:
        return from_half(array)
    if array.dtype.itemsize < 4 and array.dtype.kind in "fV":
        return array.astype(np.float32)
    return array


def store(values: Array, out: Array) -> None:
    """Put `values` into `out`, rounded half to even once.

    Values become bool by `!= 0`. A real type gets the real part of complex values. Integers keep their low bits. Floats
    become integers by `truncation`.
    """
    if values.dtype is out.dtype:  # no conversion and no rounding
        out[...] = values
        return
    kind, out_kind = values.dtype.kind, out.dtype.kind
    if out_kind == "b" and kind != "b":
        if any(values.strides) or not values.size:
            np.not_equal(values, 0, out=out)
            return
        values = np.not_equal(values[(0,) * values.ndim], 0)  # one value for all elements
    if kind == "c" and out_kind != "c":
        values = cast("Array", np.real(values))
        kind = "f"
    if out_kind in "iu" and kind in "fV":
        out[...] = truncated(values if values.dtype.itemsize > 2 else values.astype(_SINGLE), out.dtype)
    elif out_kind in "fV" and kind == "f" and values.dtype.itemsize > 2 and out.dtype.itemsize < 4:
        _store_narrow(values, out)
    elif out_kind == "V" and kind in "iu" and values.dtype.itemsize > 2:
        np.copyto(out, values.astype(_SINGLE), casting="unsafe")
    else:
        np.copyto(out, values, casting="unsafe")


def _store_narrow(values: Array, out: Array) -> None:
    """Put float32 or float64 into floats of 16 or fewer bits."""
    if values.dtype.itemsize > 4:
        values = _for_one_rounding(values)
    if out.dtype == _HALF:
        out[...] = to_half(values)
    else:
        np.copyto(out, values, casting="unsafe")


def narrowed(values: Array, dtype: np.dtype[Any]) -> Array:
    """Floats converted to a float type, rounded half to even once."""
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
    """float64 converted to float32, where an inexact number becomes its odd neighbour.

    An odd number is never halfway between two numbers with fewer bits. So a second rounding, to fewer bits, gives the
    same result as one rounding of the float64."""
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

    Floats of up to 32 bits have float64 partials and a float32 result. float64 gives float64. COMPLEX64 has complex128
    partials. Integers are exact and wrap in their own width. The sum of bool is int64. `dtype` selects another type of
    the result.
    """
    own = values.dtype
    if dtype is None and own == _SINGLE:
        # the method `sum` is slower: it calls two functions in Python
        return _sum(values, axis, _DOUBLE, None, keepdims).astype(_SINGLE)
    result_type = _default_sum_type(own) if dtype is None else dtype
    partial = _partial_type(own, result_type)
    if own.kind == "V" and own != partial:
        values = values.astype(_SINGLE)  # ml_dtypes lacks some sums with partials of another type
    sums = np.asarray(_sum(values, axis, partial, None, keepdims))
    if sums.dtype == result_type:
        return sums
    result = np.empty(sums.shape, result_type)
    store(sums, result)
    return result


def _default_sum_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type of a sum if the caller selects none."""
    if dtype.kind == "b":
        return np.dtype(np.int64)
    return _SINGLE if dtype.kind in "fV" and dtype.itemsize < 4 else dtype


def _partial_type(dtype: np.dtype[Any], result_type: np.dtype[Any]) -> np.dtype[Any]:
    """The type of the partials of a sum."""
    kinds = dtype.kind + result_type.kind
    if "c" in kinds:
        return np.dtype(np.complex128)
    if "f" in kinds or "V" in kinds:
        return _DOUBLE
    return np.dtype(np.int64) if result_type.kind == "b" else result_type


def from_half(values: Array) -> Array:
    """float16 converted to float32. For subnormal numbers this is faster than `astype`."""
    flat: Array = np.ascontiguousarray(values).reshape(-1)
    wide: Array = np.empty(flat.size, np.float32)
    for start in range(0, flat.size, TILE):
        widen_half(flat[start : start + TILE], wide[start : start + TILE])
    return cast("Array", wide.reshape(values.shape))


def to_half(values: Array) -> Array:
    """float32 converted to float16. For subnormal results this is faster than `astype`."""
    if values.size < MIN_ELEMENTS:
        return values.astype(np.float32).astype(np.float16)
    flat: Array = np.ascontiguousarray(values, np.float32).reshape(-1)
    narrow: Array = np.empty(flat.size, np.float16)
    temporaries: dict[str, Array] = {}

    def scratch(name: str, shape: tuple[int, ...], dtype: Any) -> Array:
        if name not in temporaries:
            temporaries[name] = np.empty(shape, dtype)
        return temporaries[name][: shape[0]]

    for start in range(0, flat.size, TILE):
        narrow_to_half(flat[start : start + TILE], narrow[start : start + TILE], scratch)
    return cast("Array", narrow.reshape(values.shape))
