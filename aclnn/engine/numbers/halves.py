"""float16 to float32 and back by operations that numpy runs with SIMD. numpy's own conversion goes element by element,
and is slowest for subnormal numbers.
"""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

from acl_runtime.headers.dtypes import Array

Scratch: TypeAlias = "Callable[[str, tuple[int, ...], Any], Array]"
"""makes, or hands out, an array to work in: name, shape, data type"""
_EXPONENT: Final = np.uint32(0x7F80_0000)
_LEAST: Final = np.uint32(113 << 23)  # 2**-14, the least exponent of a normal float16
_MOST: Final = np.uint32(143 << 23)  # 2**16, the first that a float16 cannot hold
_MAGIC: Final = np.float32(12288)  # 1.5 * 2**13
_TO_HALF: Final = np.float32(2.0**-112)
_FROM_HALF: Final = np.float32(2.0**112)
_LARGE: Final = 65536.0
_KEPT: Final = np.int32(-0x7000_2000)  # 0x8FFFE000: sign, exponent and fraction of a float16, shifted
_INFINITE: Final = 0x7C00
_FINE: Final = np.float32(2.0**-13)
"""up to here the distance between two of float16 is the least, 2**-24"""
_PER_FINE: Final = np.float32(2.0**24)
SAMPLED: Final = 64
"""one number in so many is looked at, as a sample of all"""


def widen_half(half: Array, out: Array) -> None:
    """float16 to float32, exactly: the bits are moved to their places in a float32, and one exact product corrects the
    bias of the exponent. Both are contiguous."""
    largest = int(half.view(np.uint16).max(initial=0))
    negative = largest >= 0x8000
    if largest >= 0x8000 | _INFINITE or int(half.view(np.int16).max(initial=0)) >= _INFINITE:
        np.copyto(out, half)  # infinity or NaN, which the product would miss
        return
    bits = out.view(np.int32)
    np.copyto(bits, half.view(np.int16))
    np.left_shift(bits, 13, out=bits)
    if negative:
        np.bitwise_and(bits, _KEPT, out=bits)
    np.multiply(out, _FROM_HALF, out=out)


def narrow_to_half(values: Array, out: Array, scratch: Scratch, *, spare: bool = False) -> None:
    """float32 to float16, rounding half to even once; `values` are contiguous, and lost if they are `spare`."""
    low = scratch("low", values.shape, np.uint16)
    negative = scratch("negative", values.shape, np.bool_)
    sign = scratch("sign", values.shape, np.uint16)
    np.signbit(values, out=negative)
    np.copyto(sign, negative)
    np.multiply(sign, 0x8000, out=sign)
    if _nearly_all_small(values):
        _narrow_small(values, low, scratch)
    else:
        bits = scratch("bits", values.shape, np.uint32)
        rounded = values if spare else scratch("rounded", values.shape, np.float32)
        round_to_half(values, rounded, bits)
        np.clip(rounded, -_LARGE, _LARGE, out=rounded)  # 65536 becomes the exponent of infinity
        np.multiply(rounded, _TO_HALF, out=rounded)  # from the bias of float32 to that of float16; NaN stays NaN
        np.right_shift(rounded.view(np.uint32), 13, out=bits)
        np.copyto(low, bits, casting="unsafe")  # without the sign, which was in a higher bit
    np.bitwise_or(low, sign, out=out.view(np.uint16))


def _nearly_all_small(values: Array) -> bool:
    """Do nearly all have the least distance that two of float16 have? As many gradients do."""
    sample = np.abs(values.reshape(-1)[::SAMPLED])
    return int(np.count_nonzero(sample <= _FINE)) >= 0.99 * sample.size


def _narrow_small(values: Array, low: Array, scratch: Scratch) -> None:
    """Multiples of that distance are the integers that the bits of a float16 are; the few others by numpy."""
    scaled = scratch("rounded", values.shape, np.float32)
    small = scratch("negative", values.shape, np.bool_)
    np.abs(values, out=scaled)
    np.less_equal(scaled, _FINE, out=small)
    np.multiply(values, _PER_FINE, out=scaled)
    np.rint(scaled, out=scaled)
    whole = low.view(np.int16)
    np.copyto(whole, scaled, casting="unsafe")
    np.abs(whole, out=whole)
    if not small.all():
        others = np.nonzero(np.logical_not(small, out=small))
        low[others] = np.abs(values[others]).astype(np.float16).view(np.uint16)


def round_to_half(values: Array, out: Array, bits: Array) -> None:
    """float32 to the nearest that a float16 can hold, if it is not too large for one; `bits` is to work in.

    The addition of 1.5 * 2**(e + 13) pushes all but ten bits of the fraction out of a float32. So the FPU rounds half
    to even at the place where a float16 ends. e is at least -14: below that a float16 is subnormal.
    """
    np.bitwise_and(values.view(np.uint32), _EXPONENT, out=bits)
    np.clip(bits, _LEAST, _MOST, out=bits)
    magic = bits.view(np.float32)
    np.multiply(magic, _MAGIC, out=magic)
    np.add(values, magic, out=out)
    np.subtract(out, magic, out=out)
