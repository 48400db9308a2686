"""Data types in arithmetic: widen to float32, compute, round once on the way out."""

from typing import Final, cast

import numpy as np

from acl_runtime.dtypes import Array

SMALL: Final = 256
"""below so many elements numpy's own conversions are quicker than ours"""
TILE: Final = 1 << 14
"""elements of one step of a conversion: its temporaries stay in the cache"""
_HALF: Final = np.dtype(np.float16)
_EXPONENT: Final = np.uint32(0x7F80_0000)
_LEAST: Final = np.uint32(113 << 23)  # 2**-14, the least exponent of a normal float16
_MOST: Final = np.uint32(143 << 23)  # 2**16, the first that a float16 cannot hold
_MAGIC: Final = np.float32(12288)  # 1.5 * 2**13
_TO_HALF: Final = np.float32(2.0**-112)
_FROM_HALF: Final = np.float32(2.0**112)
_KEPT: Final = np.int32(-0x7000_2000)  # 0x8FFFE000: sign, exponent and fraction of a float16, shifted


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


def from_half(values: Array) -> Array:
    """float16 to float32 as `astype`, but without its cost for each subnormal: the bits are moved to their places in
    a float32, and one exact product corrects the bias of the exponent."""
    given: Array = np.ascontiguousarray(values).reshape(-1)
    wide: Array = np.empty(given.size, np.float32)
    for start in range(0, given.size, TILE):
        half, out = given[start : start + TILE], wide[start : start + TILE]
        if (half.view(np.uint16) & 0x7C00).max() == 0x7C00:  # infinity or NaN, which the product would miss
            out[...] = half
            continue
        bits = out.view(np.int32)
        bits[...] = half.view(np.int16)
        bits <<= 13
        bits &= _KEPT
        out *= _FROM_HALF
    return cast("Array", wide.reshape(values.shape))


def to_half(values: Array) -> Array:
    """float32 to float16 as `astype`, but without its cost for each subnormal result.

    The addition of 1.5 * 2**(e + 13) pushes all but ten bits of the fraction out of a float32, which makes the FPU
    round half to even at the place where a float16 ends; e is at least -14, below which float16 is subnormal.
    """
    if values.size < SMALL:
        return values.astype(np.float32).astype(np.float16)
    given: Array = np.ascontiguousarray(values).reshape(-1)
    narrow: Array = np.empty(given.size, np.uint16)
    room = min(given.size, TILE)
    buffers: list[Array] = [np.empty(room, dtype) for dtype in ("f4", "f4", "u4", "u2")]
    for start in range(0, given.size, TILE):
        out: Array = narrow[start : start + TILE]
        x, magic, shifted, sign = (buffer[: out.size] for buffer in buffers)
        bits, exponent = x.view(np.uint32), magic.view(np.uint32)
        x[...] = given[start : start + TILE]
        np.right_shift(bits, 16, out=shifted)
        sign[...] = shifted
        sign &= 0x8000
        np.bitwise_and(bits, _EXPONENT, out=exponent)
        np.clip(exponent, _LEAST, _MOST, out=exponent)
        magic *= _MAGIC
        x += magic
        x -= magic
        np.clip(x, np.float32(-65536), np.float32(65536), out=x)  # 65536 becomes the exponent of infinity
        x *= _TO_HALF  # from the bias of float32 to that of float16; NaN stays NaN
        np.right_shift(bits, 13, out=shifted)
        out[...] = shifted  # the low 16 bits
        out |= sign
    return cast("Array", narrow.view(np.float16).reshape(values.shape))
