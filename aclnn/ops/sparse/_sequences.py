"""The sequences of a call: the queries of each batch, and its keys. Kernels read lengths and block tables."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from aclnn.op import Array, Wording, out_of_range


@dataclass(frozen=True)
class Forms:
    """The layouts of queries and keys."""

    packed: bool = False
    """True if the queries of all batches lie one behind the other"""
    paged: bool = False
    """True if keys lie in blocks"""


@dataclass(frozen=True)
class Sequence:
    """One batch."""

    rows: tuple[int | slice, ...]
    """the index of its queries in a tensor of queries"""
    keys: tuple[int | slice, ...]
    """the index of its keys; in blocks: the numbers of blocks are in `blocks`"""
    row_count: int
    key_count: int
    blocks: Array | None = None

    def of_keys(self, x: Array) -> Array:
        """Its rows (keys, elements) of a tensor of keys with one head."""
        if self.blocks is None:
            return x[self.keys][:, 0]
        return x[self.blocks].reshape(-1, x.shape[-1])[: self.key_count]


def ends_of(lengths: Array | None, count: int, most: int, *, packed: bool) -> list[tuple[int, int]]:
    """First and last row of each batch. Lengths of packed batches are ends; others count from the start of the batch.
    Rows behind the tensor are cut."""
    if lengths is None:
        return [(0, most)] * count
    numbers = np.clip(lengths.astype(np.int64), 0, most).tolist()
    if not packed:
        return [(0, number) for number in numbers]
    return [(start, max(start, end)) for start, end in pairwise((0, *numbers))]


def sequences(
    q: Array, k: Array, others: dict[str, Array], forms: Forms
) -> Iterator[Sequence]:  # fmt: skip
    """The batches of a call. `others` has the optional tensors: "rows" and "keys", the lengths, and "table"."""
    own, keys, table = others.get("rows"), others.get("keys"), others.get("table")
    count = len(own) if forms.packed and own is not None else len(q)
    queries = ends_of(own, count, q.shape[0 if forms.packed else 1], packed=forms.packed)
    if forms.paged:
        assert table is not None
        ends = ends_of(keys, count, table.shape[1] * k.shape[1], packed=False)
    else:
        ends = ends_of(keys, count, k.shape[0 if forms.packed else 1], packed=forms.packed)
    for batch, ((start, stop), (first, last)) in enumerate(zip(queries, ends, strict=True)):
        rows, places = slice(start, stop), slice(first, last)
        blocks = None if table is None else blocks_of(table[batch], last, k)
        yield Sequence(
            (rows,) if forms.packed else (batch, rows), (places,) if forms.packed else (batch, places), stop - start,
            last - first, blocks,
        )  # fmt: skip


def blocks_of(table: Array, count: int, cache: Array) -> Array:
    """The numbers of the blocks that have the first `count` keys of a batch."""
    numbers = table[: -(-count // cache.shape[1])]
    check_blocks(numbers, len(cache))
    return numbers


def check_blocks(numbers: Array, count: int, index: str = "blockTable") -> None:
    """Check that there is a block with each number of the tensor `index`."""
    wrong = numbers[(numbers < 0) | (numbers >= count)]
    if wrong.size:
        raise out_of_range(
            index,
            Wording("{index} has the block {block}, legal values are {least} to {most}.", index=index, block=wrong[0],
                    least=0, most=count - 1),
        )  # fmt: skip
