"""Conversions between float16 and float32 by operations that numpy runs with SIMD. numpy's own conversion goes element
by element, and is slowest for subnormal numbers.
"""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

from acl_runtime.headers.dtypes import Array

Scratch: TypeAlias = "Callable[[str, tuple[int, ...], Any], Array]"
"""function from name, shape and data type to an array for temporaries"""
_EXPONENT: Final = np.uint32(0x7F80_0000)
_MIN_EXPONENT: Final = np.uint32(113 << 23)  # 2**-14, the least exponent of a normal float16
_MAX_EXPONENT: Final = np.uint32(143 << 23)  # 2**16, the first exponent that a float16 cannot hold
_MAGIC: Final = np.float32(12288)  # 1.5 * 2**13
_TO_HALF: Final = np.float32(2.0**-112)
_FROM_HALF: Final = np.float32(2.0**112)
_BEYOND_HALF: Final = 65536.0  # its exponent becomes that of infinity
_HALF_MASK: Final = np.int32(-0x7000_2000)  # 0x8FFFE000: sign, exponent and fraction of a float16, shifted
_INFINITE: Final = 0x7C00
_MAX_SMALL: Final = np.float32(2.0**-13)
"""the largest small number: neighbours in float16 up to here have the least distance, 2**-24"""
_PER_DISTANCE: Final = np.float32(2.0**24)
SAMPLE_STEP: Final = 64
"""distance of the numbers that are in a sample"""


def widen_half(half: Array, out: Array) -> None:
    """Convert float16 to float32. Both arrays are contiguous.

    The bits are moved to their places in a float32, and one exact product corrects the bias of the exponent."""
    largest = int(half.view(np.uint16).max(initial=0))
    negative = largest >= 0x8000
    if largest >= 0x8000 | _INFINITE or int(half.view(np.int16).max(initial=0)) >= _INFINITE:
        np.copyto(out, half)  # the product would be wrong for infinity and NaN
        return
    bits = out.view(np.int32)
    np.copyto(bits, half.view(np.int16))
    np.left_shift(bits, 13, out=bits)
    if negative:
        np.bitwise_and(bits, _HALF_MASK, out=bits)
    np.multiply(out, _FROM_HALF, out=out)


def narrow_to_half(values: Array, out: Array, scratch: Scratch, *, spare: bool = False) -> None:
    """Convert float32 to float16, rounded half to even once. `values` is contiguous. With `spare` its memory is used
    for temporaries."""
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
        np.clip(rounded, -_BEYOND_HALF, _BEYOND_HALF, out=rounded)
        np.multiply(rounded, _TO_HALF, out=rounded)  # from the bias of float32 to that of float16; NaN stays NaN
        np.right_shift(rounded.view(np.uint32), 13, out=bits)
        np.copyto(low, bits, casting="unsafe")  # drops the sign, which is a higher bit
    np.bitwise_or(low, sign, out=out.view(np.uint16))


def _nearly_all_small(values: Array) -> bool:
    """True if nearly all numbers of a sample are small, as in many gradients."""
    sample = np.abs(values.reshape(-1)[::SAMPLE_STEP])
    return int(np.count_nonzero(sample <= _MAX_SMALL)) >= 0.99 * sample.size


def _narrow_small(values: Array, low: Array, scratch: Scratch) -> None:
    """Convert numbers that are nearly all small. The bits of a small float16 are the number divided by the least
    distance. numpy converts the few large ones."""
    scaled = scratch("rounded", values.shape, np.float32)
    small = scratch("negative", values.shape, np.bool_)
    np.abs(values, out=scaled)
    np.less_equal(scaled, _MAX_SMALL, out=small)
    np.multiply(values, _PER_DISTANCE, out=scaled)
    np.rint(scaled, out=scaled)
    multiples = low.view(np.int16)
    np.copyto(multiples, scaled, casting="unsafe")
    np.abs(multiples, out=multiples)
    if not small.all():
        others = np.nonzero(np.logical_not(small, out=small))
        low[others] = np.abs(values[others]).astype(np.float16).view(np.uint16)


def round_to_half(values: Array, out: Array, bits: Array) -> None:
    """Round float32 to the precision of float16, for numbers in its range. `bits` is for temporaries.

    e is the exponent of the number, or -14 for a subnormal float16. The addition of 1.5 * 2**(e + 13) pushes all but
    ten bits of the fraction out of a float32. So the FPU rounds half to even at the last bit of a float16.
    """
    np.bitwise_and(values.view(np.uint32), _EXPONENT, out=bits)
    np.clip(bits, _MIN_EXPONENT, _MAX_EXPONENT, out=bits)
    magic = bits.view(np.float32)
    np.multiply(magic, _MAGIC, out=magic)
    np.add(values, magic, out=out)
    np.subtract(out, magic, out=out)
