"""Shared by the random functions: the stream of words, uniform numbers, seeds on the device, masks."""

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any, Final

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Operand, Planning, Relation, Series, T, aclDataType, array_dtype, blocks, demand, store,
)  # fmt: skip


BITS: Final = {T.ACL_FLOAT: 23, T.ACL_FLOAT16: 10, T.ACL_BF16: 7}
"""the bits of a uniform number: as many as the mantissa of the data type has"""
BLOCK: Final = 1 << 15
"""words that are generated at a time, few enough to stay in the cache"""
DSA: Final = (Series.A2, Series.A3)
"""the devices with a unit for random numbers"""
TOLERANCE: Final = 2.0**-52
Formula = Callable[[Array], Array]
"""function from words to the same number of results"""


# seed and offset


def source(p: Planning) -> tuple[list[Operand], dict[str, Any]]:
    """The tensors of seed and offset, if the function has them, and the attributes of the kernel."""
    if p.has("seedTensor"):
        return [p.read("seedTensor"), p.read("offsetTensor")], {"offset": p["offset"]}
    return [], {"seed": p["seed"], "offset": p["offset"]}


def start(tensors: Sequence[Array], seed: int, offset: int) -> tuple[int, int]:
    """Seed and offset as numbers."""
    if not tensors:
        return seed, offset
    tensor_seed, tensor_offset = map(_first, tensors)
    return tensor_seed, offset + tensor_offset


# words


def rows_of_words(
    start: tuple[int, int], count: int, *, per_counter: int = 4, high: bool = False
) -> Iterator[tuple[slice, Array]]:  # fmt: skip
    """Blocks of rows of four words for `count` results, each with the slice of its results. A row makes `per_counter`
    results. `high`: the high half of the counter numbers the rows, and the low half is the offset."""
    seed, offset = start
    rows, step = -(-count // per_counter), BLOCK // 4
    for row in range(0, rows, step):
        counters = np.arange(row, min(row + step, rows), dtype=np.uint64)
        halves = (offset, counters) if high else (counters, offset)
        place = slice(row * per_counter, min((row + counters.size) * per_counter, count))
        yield place, blocks(seed, *halves, counters.size)


def each_block(
    start: tuple[int, int], out: Array, formula: Formula, *, per_counter: int = 4, high: bool = False
) -> Array:  # fmt: skip
    """Fill a dense array, in flat order, with the results of a formula on the rows of a stream. A row has four words,
    and the formula makes `per_counter` results from it."""
    flat = out.reshape(-1)
    for place, rows in rows_of_words(start, flat.size, per_counter=per_counter, high=high):
        part = flat[place]
        store(formula(rows).reshape(-1)[: part.size], part)
    return out


def _first(tensor: Array) -> int:
    """The first number of a tensor of any data type; 0 if there is none, or it is not finite."""
    first: Array = np.real(tensor.reshape(-1)[:1])
    return int(first[0]) if np.isfinite(first).any() else 0


def each_word(start: tuple[int, int], out: Array, formula: Formula) -> Array:
    """Fill a dense array with the results of a formula on the first words of a stream."""
    return each_block(start, out, lambda rows: formula(rows.reshape(-1)))


def uniform(words: Array, dtype: int) -> Array:
    """Numbers in [0, 1) with the bits of a data type, as float32."""
    bits = BITS[aclDataType(dtype)]
    return (words & np.uint32((1 << bits) - 1)).astype(np.float32) * np.float32(2.0**-bits)


def wide_uniform(words: Array) -> Array:
    """Numbers in (0, 1] from all 32 bits, as float32. Ascend 950 uses them for masks and Bernoulli numbers."""
    return words.astype(np.float32) * np.float32(2.0**-32) + np.float32(2.0**-33)


def in_type(value: float, dtype: int) -> float:
    """A number, rounded to a data type."""
    return float(np.asarray(value, np.float64).astype(array_dtype(dtype)))


# masks


def near(value: float, target: float) -> bool:
    return abs(value - target) <= TOLERANCE


def probability(name: str) -> Relation:
    """Checks that an attribute is a probability. NaN passes."""

    def bad(a: Arguments) -> Bad:
        return (a[name], "[0, 1]") if a[name] < 0 or a[name] > 1 else None

    return demand("{0} lies in [0, 1]", name, bad=bad)


def mask_bytes(count: int) -> int:
    """The bytes of a mask for `count` elements."""
    return -(-count // 128) * 16


def mask_for(mask: str, reference: str, *, more: bool = False) -> Relation:
    """Checks that a mask has the bytes for the elements of a tensor or shape. `more`: it may also have more bytes."""

    def bad(a: Arguments) -> Bad:
        count, elements = (
            a[mask].numel,
            a[reference].numel if hasattr(a[reference], "numel") else prod(a[reference].values),
        )
        expected_bytes = mask_bytes(elements)
        right = count >= expected_bytes if more else count == expected_bytes
        return None if right else (f"{count} bytes", f"{'at least ' if more else ''}{expected_bytes} bytes")

    least = "at least " if more else ""
    return demand(
        f"{{0}} has {least}a bit for each element of {reference}, in blocks of 16 bytes", mask, reference, bad=bad
    )


def mask(*tensors: Array, seed: int = 0, offset: int, prob: float, bits: int, dtype: int | None) -> Array:
    """Bytes whose bits are 1 with the probability 1 - prob. `dtype`: the data type of the uniform numbers, which keep
    an element if they reach prob. None: the comparison of Ascend 950."""
    drop, keep = np.float32(prob), np.float32(1 - prob)

    def mask_of(words: Array) -> Array:
        return wide_uniform(words) < keep if dtype is None else uniform(words, dtype) >= drop

    return np.packbits(each_word(start(tensors, seed, offset), np.empty(bits, np.bool_), mask_of), bitorder="little")
