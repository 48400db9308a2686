"""Reductions of elements of 16 bits: they are computed in FLOAT and rounded once.

numpy converts FLOAT16 one element at a time, which takes many times as long as a copy. So blocks are converted with
operations on the bits, which numpy does for many elements at once. A block with elements that these operations do not
cover (infinite, not a number, or so small that a result has fewer bits) is converted by numpy.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.streams.compute_threads import Scratch

BLOCK: Final = 1 << 17
"""elements that are converted at once"""
SMALL: Final = 1 << 10
"""fewer elements than these are converted by numpy, whose calls are fewer"""
INFINITE: Final = 0x7C00
"""the least bits, without the sign, of an infinite FLOAT16"""
OVERFLOWS: Final = 0x477FF000
"""the bits of 65520, the least FLOAT that rounds to an infinite FLOAT16"""
NORMAL: Final = 0x38800000
"""the bits of 2 ** -14, the least FLOAT whose FLOAT16 has all bits"""
ZERO: Final = 0x38000000
"""the bits of 2 ** -15; it stands for zero, whose exponent becomes 0 as well"""
ROUND: Final = (0xFFF - 0x38000000) & 0xFFFFFFFF
"""just below one half of the last bit, and the correction of the exponent"""
SCALE: Final = 2.0**112
"""the ratio of a FLOAT to the FLOAT with the bits of the FLOAT16 in place"""


def reduce_halves(
    function: Callable[..., Any],
    arrays: Sequence[Array],
    results: Sequence[Array],
    run_jobs: Callable[[int, Callable[[int, Scratch], None]], None],
) -> None:
    """Reduce arrays of any type with 16 bits to each of the results, the blocks on several cores."""
    target, *others = results

    def job(index: int, scratch: Scratch) -> None:
        block = slice(index * BLOCK, (index + 1) * BLOCK)
        inputs, output = [array[block] for array in arrays], target[block]
        by_bits = target.dtype == np.float16 and len(output) >= SMALL
        if not (by_bits and _reduce_bits(function, inputs, output, scratch)):
            _reduce_in_float(function, inputs, output)
        for other in others:
            other[block] = output

    run_jobs(-(-len(target) // BLOCK), job)


def _reduce_in_float(function: Callable[..., Any], arrays: Sequence[Array], result: Array) -> None:
    total = arrays[0].astype(np.float32)
    for array in arrays[1:]:
        function(total, array.astype(np.float32), out=total)
    result[...] = total.astype(result.dtype)


def _reduce_bits(function: Callable[..., Any], arrays: Sequence[Array], target: Array, scratch: Scratch) -> bool:
    """Reduce a block by operations on its bits. False, with the target as it was, if they do not cover its elements."""
    count = len(target)
    total, other = (scratch(name, (count,), np.float32) for name in ("total", "other"))
    for index, array in enumerate(arrays):
        if not _widen(array, other if index else total, scratch):
            return False
        if index:
            function(total, other, out=total)
    return _narrow(total, target, other.view(np.uint32), scratch)


def _widen(halves: Array, result: Array, scratch: Scratch) -> bool:
    """Convert FLOAT16 to FLOAT: shift the bits into place, then correct the exponent. False if one is infinite or no
    number."""
    magnitudes = scratch("magnitudes", (len(halves),), np.uint16)
    np.bitwise_and(halves.view(np.uint16), 0x7FFF, out=magnitudes)
    if magnitudes.max() >= INFINITE:
        return False
    bits = result.view(np.int32)
    np.copyto(bits, halves.view(np.int16))  # with copies of the sign, of which one stays
    np.left_shift(bits, 13, out=bits)
    np.bitwise_and(bits, ~0x70000000, out=bits)
    np.multiply(result, SCALE, out=result)
    return True


def _narrow(values: Array, target: Array, bits: Array, scratch: Scratch) -> bool:
    """Convert FLOAT to FLOAT16: round to even, and correct the exponent. False if a result is infinite, no number, or
    has fewer bits than others. `bits`: memory for as many elements."""
    np.bitwise_and(values.view(np.uint32), 0x7FFFFFFF, out=bits)
    odd = scratch("odd", (len(values),), np.uint32)
    least = bits.min()
    if bits.max() >= OVERFLOWS or 0 < least < NORMAL:
        return False
    if least == 0:
        np.subtract(bits, 1, out=odd)  # zero becomes the greatest number
        if odd.min() < NORMAL - 1:
            return False
        np.maximum(bits, ZERO, out=bits)
    np.right_shift(bits, 13, out=odd)
    np.bitwise_and(odd, 1, out=odd)
    np.add(bits, odd, out=bits)
    np.add(bits, ROUND, out=bits)
    np.right_shift(bits, 13, out=bits)
    np.right_shift(values.view(np.uint32), 16, out=odd)
    np.bitwise_and(odd, 0x8000, out=odd)  # the sign
    np.bitwise_or(bits, odd, out=bits)
    np.copyto(target.view(np.uint16), bits, casting="unsafe")
    return True
