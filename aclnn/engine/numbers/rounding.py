"""Data types in arithmetic: widen to float32, compute, round once on the way out."""

from collections.abc import Callable
from typing import Any, Final, cast

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.numbers.halves import narrow_to_half, widen_half

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
    """Put `values` into `out`, rounding half to even once; to an integer toward zero, to bool by `!= 0`."""
    if values.dtype.kind == "c" and out.dtype.kind != "c":
        values = cast("Array", np.real(values))
    if out.dtype == _HALF and values.dtype.kind == "f" and values.dtype.itemsize > 2:
        out[...] = to_half(values)
    elif out.dtype.kind == "V" and values.dtype.itemsize > 4:
        np.copyto(out, values.astype(np.float32), casting="unsafe")
    else:
        np.copyto(out, values, casting="unsafe")


def total(values: Array, axis: int | tuple[int, ...], *, keepdims: bool = False) -> Array:
    """The sum over dimensions, with float64 partials, rounded once to float32."""
    # the method `sum` does the same by way of two functions in Python
    sums = _sum(values, axis, _DOUBLE, None, keepdims)
    return sums.astype(_SINGLE)


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
