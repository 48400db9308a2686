"""Rows of paged caches: the slots of whole blocks, and blocks whose elements lie in groups of 32 bytes."""

from math import prod
from typing import Final

import numpy as np

from aclnn.op import Array
from aclnn.ops.attention._scores import numbers

BY_BLOCK: Final = ("PA_BLK_BSND", "PA_BLK_NZ")
"""modes of a cache with an index for each block of a sequence"""
IN_GROUPS: Final = ("PA_NZ", "PA_BLK_NZ")
"""modes with the elements of a row in groups of 32 bytes"""
GROUP: Final = 32
"""bytes of a group"""


def block_count(rows: int, size: int) -> int:
    """The number of blocks of `size` rows that a sequence needs."""
    return -(-rows // max(size, 1))


def slots_of_blocks(starts: Array, *, rows: int, size: int, unit: int = 1) -> Array:
    """The slots of the rows of sequences. `starts`: the slot of the first row of each block, or with a `unit` of the
    rows of a block the number of the block; below 0 for a block whose rows are skipped. `rows`: those of a sequence.
    `size`: those of a block"""
    row = numbers(slice(0, rows))
    first = starts.reshape(-1, block_count(rows, size))[:, row // max(size, 1)]
    return np.where(first < 0, -1, first * unit + row % max(size, 1)).reshape(-1)


def put_in_groups(lines: Array, slots: Array, out: Array) -> None:
    """Write rows to these slots of a cache (blocks, ..., elements). In a block, the groups with the first elements of
    all rows come first."""
    width, group = out.shape[-1], GROUP // out.itemsize
    size = prod(out.shape[1:-1])
    columns = numbers(slice(0, width))
    within = columns // group * size * group + columns % group + (slots % size * group)[:, None]
    out[((slots // size)[:, None], *np.unravel_index(within, out.shape[1:]))] = lines
