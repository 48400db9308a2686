"""Data types in arithmetic: widen to float32, compute, round once on the way out."""

from typing import Final, cast

import numpy as np

from acl_runtime.dtypes import Array

SMALL: Final = 256
"""below so many elements numpy's own conversion is quicker than ours"""
_HALF: Final = np.dtype(np.float16)
_EXPONENT: Final = np.uint32(0x7F80_0000)
_LEAST: Final = np.uint32(113 << 23)  # 2**-14, the least exponent of a normal float16
_MOST: Final = np.uint32(143 << 23)  # 2**16, the first that a float16 cannot hold
_MAGIC: Final = np.float32(12288)  # 1.5 * 2**13
_REBIAS: Final = np.float32(2.0**-112)


def widen(array: Array) -> Array:
    """float16, bfloat16 and the 8-bit floats as float32, exactly; every other type as it is."""
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


def to_half(values: Array) -> Array:
    """float32 to float16, as `astype` but without its cost of about 30 ns for each subnormal result.

    The addition of 1.5 * 2**(e + 13) pushes all but ten bits of the fraction out of a float32, which makes the FPU
    round half to even at the place where a float16 ends; e is at least -14, below which float16 is subnormal.
    """
    if values.size < SMALL:
        return values.astype(np.float32).astype(np.float16)
    x = np.array(values, np.float32)  # a copy: what follows works in place
    bits = x.view(np.uint32)
    sign = (bits >> np.uint32(16)).astype(np.uint16) & np.uint16(0x8000)
    magic = np.clip(bits & _EXPONENT, _LEAST, _MOST).view(np.float32)
    magic *= _MAGIC
    x += magic
    x -= magic
    np.clip(x, np.float32(-65536), np.float32(65536), out=x)  # 65536 becomes the exponent of infinity
    x *= _REBIAS  # from the bias of float32 to that of float16; NaN stays NaN
    half = (bits >> np.uint32(13)).astype(np.uint16)
    half |= sign
    return half.view(np.float16)
