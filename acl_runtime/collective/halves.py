"""Reductions of elements of 16 bits: they are computed in FLOAT and rounded once.

The compiled evaluator of the operators computes large ones, if it is installed. It leaves blocks with results that are
infinite or no number. All others are computed by numpy, which converts such elements one at a time; that takes many
times as long as a copy. So blocks are converted with operations on the bits, which numpy does for many elements at
once. A block with elements that these operations do not cover (infinite, not a number, or a FLOAT16 of 32768 and more)
is converted by numpy. All three give the same bits.

**FLOAT16.** The bits of an element, shifted into the places of a FLOAT, are the element divided by `SCALE`, also for
one with fewer bits than others. Sums and comparisons are computed with these. A sum of such numbers and a number whose
last bit is worth one of the result is rounded to the bits of the result, to even.
"""

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Final, Protocol, cast

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.streams.compute_threads import Scratch, Workers

ENGINE: Final = "aclnn.engine.fast.native.reductions"
"""the module of the compiled evaluator, which is imported by name when a large reduction first needs it"""
LARGE: Final = 1 << 16
"""elements from which the compiled evaluator computes them: few programs with fewer need its import"""
BLOCK: Final = 1 << 18
"""elements that are converted at once: with fewer, two cores wait for each other's calls of numpy"""
SMALL: Final = 1 << 10
"""fewer elements than these are converted by numpy, whose calls are fewer"""
SCALE: Final = 2.0**112
"""the ratio of a FLOAT16 to the FLOAT with its bits"""
SCALED: Final = 112 << 23
"""the exponent of `SCALE`, in the bits of a FLOAT"""
ONE: Final = 1 << 23
"""one in the exponent of a FLOAT"""
INFINITE: Final = 0x7C00
"""the bits of an infinite FLOAT16 without its sign"""
SIGN: Final = 0x8000
LOST: Final = 13
"""the bits of the mantissa that a FLOAT has and a FLOAT16 has not"""


class Engine(Protocol):
    """The function of the compiled evaluator."""

    def reduced(self, name: str, arrays: Sequence[Array], results: Sequence[Array], threads: int) -> list[slice] | None:
        """Reduce arrays by the ufunc of this name to each of the results. Returns the parts that are left; None if
        nothing was done."""
        ...


def reduce_halves(
    function: Callable[..., Any], arrays: Sequence[Array], results: Sequence[Array], workers: Workers
) -> None:
    """Reduce arrays of any type with 16 bits to each of the results, on several cores."""
    target, *others = results
    left = None
    if len(target) >= LARGE:
        left = cast("Engine", import_module(ENGINE)).reduced(function.__name__, arrays, results, workers.threads)
    if left is None:
        _reduce_by_numpy(function, arrays, results, workers)
        return
    for part in left:
        _reduce_in_float(function, [array[part] for array in arrays], target[part])
        for other in others:
            other[part] = target[part]


def _reduce_by_numpy(
    function: Callable[..., Any], arrays: Sequence[Array], results: Sequence[Array], workers: Workers
) -> None:
    """Reduce blocks by operations on bits, where these give the same results."""
    target, *others = results
    by_bits = _reduce_float16 if target.dtype == np.float16 else _reduce_bfloat16

    def job(index: int, scratch: Scratch) -> None:
        block = slice(index * BLOCK, (index + 1) * BLOCK)
        inputs, output = [array[block] for array in arrays], target[block]
        if len(output) < SMALL or not by_bits(function, inputs, output, scratch):
            _reduce_in_float(function, inputs, output)
        for other in others:
            other[block] = output

    workers.each(-(-len(target) // BLOCK), job)


def _reduce_in_float(function: Callable[..., Any], arrays: Sequence[Array], result: Array) -> None:
    total = arrays[0].astype(np.float32)
    for array in arrays[1:]:
        function(total, array.astype(np.float32), out=total)
    result[...] = total.astype(result.dtype)


def _reduce_bfloat16(function: Callable[..., Any], arrays: Sequence[Array], target: Array, scratch: Scratch) -> bool:
    """Reduce a block: the bits of a BFLOAT16 are the upper half of a FLOAT. False, with the target as it was, if a
    result is no number."""
    total, other = (scratch(name, (len(target),), np.float32) for name in ("total", "other"))
    for index, array in enumerate(arrays):
        bits = (other if index else total).view(np.uint32)
        np.copyto(bits, array.view(np.uint16))
        np.left_shift(bits, 16, out=bits)
        if index:
            function(total, other, out=total)
    if np.isnan(total.max()):
        return False
    bits, odd = total.view(np.uint32), other.view(np.uint32)
    np.right_shift(bits, 16, out=odd)
    np.bitwise_and(odd, 1, out=odd)
    np.add(odd, 0x7FFF, out=odd)  # just below one half of the last bit; one half for an odd number
    np.add(bits, odd, out=bits)
    np.right_shift(bits, 16, out=bits)
    np.copyto(target.view(np.uint16), bits, casting="unsafe")
    return True


def _reduce_float16(function: Callable[..., Any], arrays: Sequence[Array], target: Array, scratch: Scratch) -> bool:
    """Reduce a block. False, with the target as it was, if an element is infinite or no number, or a result is 32768 or
    greater."""
    total, other = (scratch(name, (len(target),), np.float32) for name in ("total", "other"))
    scaled = function is np.multiply  # else a product has too few bits
    for index, array in enumerate(arrays):
        if not _widen(array, other if index else total, scaled=scaled):
            return False
        if index:
            function(total, other, out=total)
    return _narrow(total, target, other, scratch("rounded", (len(target),), np.float32), scaled=scaled)


def _widen(halves: Array, result: Array, *, scaled: bool) -> bool:
    """Convert FLOAT16 to FLOAT. False if one is infinite or no number. `scaled`: True if the results are the numbers,
    not the numbers divided by `SCALE`."""
    if halves.view(np.int16).max() >= INFINITE or halves.view(np.uint16).max() >= SIGN + INFINITE:
        return False
    bits = result.view(np.int32)
    np.copyto(bits, halves.view(np.int16))  # with copies of the sign, of which one stays
    np.left_shift(bits, LOST, out=bits)
    np.bitwise_and(bits, ~0x70000000, out=bits)
    if scaled:
        np.multiply(result, SCALE, out=result)
    return True


def _narrow(values: Array, target: Array, coarse: Array, rounded: Array, *, scaled: bool) -> bool:
    """Convert FLOAT to FLOAT16, rounded to even. False if a result is 32768 or greater. `coarse`, `rounded`: memory for
    as many elements."""
    signs, exponents, bits = (array.view(np.int32) for array in (values, coarse, rounded))
    np.bitwise_and(signs, 0x7F800000, out=exponents)
    np.maximum(exponents, _least(BLOCK, scaled)[: len(values)], out=exponents)
    if exponents.max() >= 30 * ONE + SCALED * scaled:
        return False
    np.add(exponents, LOST * ONE, out=exponents)
    np.bitwise_and(signs, 0x7FFFFFFF, out=bits)
    np.add(rounded, coarse, out=rounded)
    np.subtract(rounded, coarse, out=rounded)
    if scaled:
        np.multiply(rounded, 1 / SCALE, out=rounded)
    np.right_shift(bits, LOST, out=bits)
    np.right_shift(signs, 16, out=signs)
    np.bitwise_and(signs, SIGN, out=signs)
    np.bitwise_or(bits, signs, out=bits)
    np.copyto(target.view(np.int16), bits, casting="unsafe")
    return True


@cache
def _least(count: int, scaled: bool) -> Array:
    """The exponent of the least FLOAT16 with all bits, for each of `count` elements. numpy compares two arrays many
    times faster than an array and a number."""
    return np.full(count, ONE + SCALED * scaled, np.int32)
