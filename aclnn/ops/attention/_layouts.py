"""Layouts: the order of the dimensions batch B, sequence S, head N and size D. H is one dimension of N * D elements; T
is one dimension for the sequences of all batches. Every tensor becomes a view (B, N, S, D)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Final

from aclnn.op import Operand, Shape


RANKS: Final = {"BSH": 3, "SBH": 3, "BSND": 4, "BNSD": 4, "NBSD": 4, "TND": 3, "NTD": 3}
"""the layouts, and their numbers of dimensions"""
PACKED: Final = ("TND", "NTD")
PLACES: Final = {"BSND": (0, 2, 1, 3), "BNSD": (0, 1, 2, 3), "NBSD": (1, 0, 2, 3), "TND": (1, 0, 2), "NTD": (0, 1, 2)}
"""indices of the dimensions B, N, S, D, or of N, T, D, by layout"""
PADDED: Final = ("BSH", "SBH", "BSND", "BNSD")
"""layouts in which all batches have the same number of rows"""
TND: Final = ("TND",)


@dataclass(frozen=True)
class HeadSizes:
    """The sizes of a tensor of queries, keys or values. A packed tensor has one batch with all sequences."""

    batches: int
    heads: int
    rows: int
    size: int


def sizes(shape: Shape, layout: str, heads: int) -> HeadSizes:
    """The sizes of a shape. `heads`: the number of heads, for a layout without a dimension for them."""
    if layout in PACKED:
        return HeadSizes(1, *(shape[place] for place in PLACES[layout]))
    if layout in PLACES:
        return HeadSizes(*(shape[place] for place in PLACES[layout]))
    batches, rows = shape[:2] if layout == "BSH" else shape[1::-1]
    return HeadSizes(batches, heads, rows, shape[2] // max(heads, 1))


def shape_of(head_sizes: HeadSizes, layout: str) -> Shape:
    """The shape of a tensor with the sizes `head_sizes` in a layout."""
    if layout in PACKED:
        return (
            (head_sizes.rows, head_sizes.heads, head_sizes.size)
            if layout == "TND"
            else (head_sizes.heads, head_sizes.rows, head_sizes.size)
        )
    if layout in PLACES:
        sizes = head_sizes.batches, head_sizes.heads, head_sizes.rows, head_sizes.size
        return tuple(sizes[PLACES[layout].index(i)] for i in range(4))
    lead = (head_sizes.batches, head_sizes.rows) if layout == "BSH" else (head_sizes.rows, head_sizes.batches)
    return (*lead, head_sizes.heads * head_sizes.size)


def by_heads(x: Operand, layout: str, heads: int) -> Operand:
    """The view (B, N, S, D) of a dense tensor."""
    head_sizes = sizes(x.shape, layout, heads)
    if layout in PACKED:
        strides = (0, *(x.strides[place] for place in PLACES[layout]))
    elif layout in PLACES:
        strides = tuple(x.strides[place] for place in PLACES[layout])
    else:
        of_batch, of_row = x.strides[:2] if layout == "BSH" else x.strides[1::-1]
        strides = (of_batch, head_sizes.size, of_row, 1)
    return replace(x, shape=(head_sizes.batches, head_sizes.heads, head_sizes.rows, head_sizes.size), strides=strides)


def spread(x: Operand, sizes: Sequence[int]) -> Operand:
    """A view of a tensor with the shape `sizes`. Dimensions are added in front, dimensions of size 1 are broadcast, and
    larger ones are cut."""
    shape = (*(1,) * (len(sizes) - len(x.shape)), *x.shape)
    strides = (*(0,) * (len(sizes) - len(x.shape)), *x.strides)
    spread = tuple(0 if own == 1 else stride for own, stride in zip(shape, strides, strict=True))
    return replace(x, shape=tuple(sizes), strides=spread)


def same_place(x: Operand, shape: Shape) -> Operand:
    """The elements of a dense tensor in another shape."""
    strides = tuple(prod(shape[axis + 1 :]) for axis in range(len(shape)))
    return replace(x, shape=shape, strides=strides)


def statistics(x: Operand, packed: bool) -> Operand:
    """The view (B, N, S, n) of the statistics of rows, which are (T, N, n) if packed."""
    if not packed:
        return x
    count, heads, size = x.shape
    return replace(x, shape=(1, heads, count, size), strides=(0, size, heads * size, 1))
