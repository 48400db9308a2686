"""Reading at positions: IndexSelect, GatherV2, GatherV3, Take, Gather, GatherNd."""

from collections.abc import Iterator, Sequence
from math import prod
from typing import cast

import numpy as np

from aclnn.op import (
    BOOL, COMPLEX, IEEE_FLOATS, INTEGERS, QUICK, Arguments, Array, Attributes, Bad, CutDims, Operand, Planning, Series,
    aclDataType, axis, by, demand, empty, except_on, in_parts, legal, listed, one_of, only_on, planned, public_format,
    ranks, repeatable, same_dtype, same_shape, shape, take_along, with_bf16, with_out,
)  # fmt: skip
from aclnn.ops.indexing._family import (
    Shape,
    apart,
    no_elements,
    one_rank,
    places_of,
    taken,
    watch,
    watch_rows,
)

GATHERED = with_bf16((*IEEE_FLOATS, *INTEGERS, *BOOL, *COMPLEX), {Series.A950: (aclDataType.ACL_UINT16,)})


def in_place_of(dim: int, shape: Shape, index_shape: Shape) -> Shape:
    """`shape`, with the sizes of `index_shape` in place of dimension `dim`."""
    return (*shape[:dim], *index_shape, *shape[dim + 1 :])


def at_dim(p: Planning, index: Operand, *, negative: bool = False) -> None:
    """Plan reads along dim, at the positions of index. `negative`: positions below 0 count from the end."""
    x, axis = p.one_dimension(p.read("self")), p.axis("dim", "self")
    watch(p, index, "index", x.shape[axis], negative=negative)
    p.store("out", p.step(taken, [x, index], in_place_of(axis, x.shape, index.shape), x.dtype, moves=True, axis=axis,
                          negative=negative))  # fmt: skip


def zero_dimensions(a: Arguments) -> Bad:
    bad = not a.rank("self") and a.rank("out")
    return (f"{a.rank('out')} dimensions", "none, as self has none") if bad else None


def selected(a: Arguments) -> Shape | None:
    if not (a["self"].numel and a["index"].numel and a.rank("self")):
        return None
    return in_place_of(a.axis("dim", "self"), a.shape("self"), (a["index"].numel,))


@planned(
    "aclnnIndexSelect", listed("self"), same_dtype("out", "self"), listed("index"),
    public_format("self", "index", "out"),
    demand("{0} has no dimensions if self has none", "out", "self", bad=zero_dimensions),
    ranks("self", "index", "out", least=0, most=8), axis("dim", "self"), ranks("index", least=0, most=1),
    shape("out", "{0} has the shape of self, with the number of positions at dim", selected), empty("self", "index"),
)  # fmt: skip
def index_select(p: Planning) -> None:
    """out = the slices of self along dim at the positions of index"""
    at_dim(p, p.one_dimension(p.read("index")))


def gathered(a: Arguments) -> Shape:
    return in_place_of(a.axis("dim", "self"), a.shape("self"), a.shape("index") or (1,)) if a.rank("self") else ()


@planned(
    "aclnnGatherV2", same_dtype("out", "self"), listed("self", among=GATHERED, provenance="public"), listed("index"),
    ranks("self", "index", least=0, most=8), axis("dim", "self"),
    shape("out", "{0} has the shape of self, with that of index at dim", gathered),
    empty("self", "index"),
)  # fmt: skip
def gather_v2(p: Planning) -> None:
    """out = the slices of self along dim at the positions of index, which may have several dimensions. Positions below
    0 count from the end."""
    at_dim(p, p.one_dimension(p.read("index")), negative=True)


def batch(a: Arguments) -> int:
    """The number of batch dimensions, counted from the front."""
    batch_dims = a["batchDims"]
    return batch_dims + a.rank("index") if batch_dims < 0 else batch_dims


def batched(a: Arguments) -> Shape:
    axis = a.axis("dim", "self")
    return in_place_of(axis, a.shape("self"), a.shape("index")[a["batchDims"] :]) if a.rank("self") else ()


def wrong_batch(a: Arguments) -> Bad:
    rank, value = a.rank("index"), a["batchDims"]
    fits = -rank <= value <= rank and batch(a) < max(a.rank("self"), 1) and batch(a) <= a.axis("dim", "self")
    return None if fits else (value, f"[{-rank}, {rank}], below the dimensions of self, and not above dim")


def other_batch(a: Arguments) -> Bad:
    sizes, expected_sizes = a.shape("index")[: batch(a)], a.shape("self")[: batch(a)]
    return None if sizes == expected_sizes else (list(a.shape("index")), f"{list(expected_sizes)} as first sizes")


@planned(
    "aclnnGatherV3", same_dtype("out", "self"), listed("self"), listed("index"),
    ranks("self", "index", least=0, most=8), axis("dim", "self"),
    shape("out", "{0} has the shape of self, with that of index at dim", batched),
    except_on(Series.A950, one_of("dim", 0), one_of("batchDims", 0), one_of("mode", 1)),
    only_on(
        Series.A950, demand("{0} is a number of dimensions of index", "batchDims", "index", "self", bad=wrong_batch),
        demand("{0} has the batch of self", "index", "self", bad=other_batch),
    ),
    empty("self", "index"),
)  # fmt: skip
def gather_v3(p: Planning) -> None:
    """out = the slices of self along dim at the positions of index. The first batchDims dimensions of self and of index
    are batch dimensions."""
    x, index, axis, first = p.one_dimension(p.read("self")), p.read("index"), p.axis("dim", "self"), batch(p)
    if not first:
        at_dim(p, index)
        return
    watch(p, index, "index", x.shape[axis])
    p.store("out", p.step(by_batch, [x, index], batched(p), x.dtype, moves=True, axis=axis, first=first))


def by_batch(x: Array, index: Array, *, axis: int, first: int) -> Array:
    good = legal(index, x.shape[axis])
    rows = prod(x.shape[:first])
    flat = x.reshape(rows, prod(x.shape[first:axis]), x.shape[axis], prod(x.shape[axis + 1 :]))
    places = (index if good is None else np.where(good, index, 0)).reshape(rows, -1)
    rows_of_batch = np.swapaxes(cast("Array", flat[np.arange(rows)[:, None], :, places]), 1, 2)
    if good is not None:
        rows_of_batch = np.where(good.reshape(rows, 1, -1, 1), rows_of_batch, np.zeros((), x.dtype))
    return rows_of_batch.reshape(*x.shape[:axis], *index.shape[first:], *x.shape[axis + 1 :])


def nothing_to_take(a: Arguments) -> Bad:
    bad = a["index"].numel and not a["self"].numel
    return (list(a.shape("self")), "elements to take") if bad else None


@planned(
    "aclnnTake", listed("self"), same_dtype("out", "self"), listed("index"), ranks("index", least=0, most=8),
    same_shape("out", "index"),
    demand("{0} has elements if index has elements", "self", "index", bad=nothing_to_take),
    public_format("self", "index", "out"), empty("self", "index"),
)  # fmt: skip
def take(p: Planning) -> None:
    """out = the elements of self at the positions of index, counted in row-major order. Positions below 0 count from
    the end."""
    x, index = p.read("self"), p.read("index")
    count = p["self"].numel
    row = p.builder.reshape(x, (count,))
    watch(p, index, "index", count, negative=True)
    p.store("out", p.step(taken, [row, index], index.shape, x.dtype, moves=True, axis=0, negative=True))


def too_large_index(a: Arguments) -> Bad:
    """Checks that index is not larger than self outside of dim, and that self is not empty along dim."""
    if not a["index"].numel:
        return None
    axis = a.axis("dim", "self")
    self_shape, index_shape = a.shape("self") or (1,), a.shape("index") or (1,)
    fits = self_shape[axis] and all(
        count <= size for i, (count, size) in enumerate(zip(index_shape, self_shape, strict=True)) if i != axis
    )
    return None if fits else (list(index_shape), f"no more than {list(self_shape)} outside of dimension {axis}")


@planned(
    "aclnnGather", listed("self"), listed("index", unless=no_elements), same_dtype("out", "self"),
    one_rank("index", "self"), ranks("self", "out", least=0, most=8), same_shape("out", "index"),
    axis("dim", "self"), demand("{0} is no larger than self outside of dim", "index", "self", bad=too_large_index),
    empty("index", "self"),
)  # fmt: skip
def gather(p: Planning) -> None:
    """out = for each element of index, the element of self at the same coordinates, except that the coordinate along
    dim is the value of index"""
    x, index, axis = p.one_dimension(p.read("self")), p.one_dimension(p.read("index")), p.axis("dim", "self")
    watch(p, index, "index", x.shape[axis], negative=True)
    p.store("out", p.step(gathered_along, [x, index], index.shape, x.dtype, moves=True, axis=axis))


@repeatable
@with_out
@in_parts("axis", alike=True, times=QUICK)
def gathered_along(x: Array, index: Array, *, axis: int, out: Array | None = None) -> Array:
    return take_along(apart(x, out), apart(index, out), axis, negative=True, out=out)


def positions(a: Arguments) -> Bad:
    size, most = a.shape("indices")[-1], a.rank("self")
    return None if 1 <= size <= most else (f"{size} numbers", f"1 to {most} for a position in self")


def gathered_nd(a: Arguments) -> Shape:
    *front, count = a.shape("indices")
    return (*front, *a.shape("self")[count:])


@planned(
    "aclnnGatherNd", same_dtype("out", "self"), listed("self"), listed("indices"),
    ranks("self", "indices", least=1, most=8),
    demand("{0} has positions in its last dimension", "indices", "self", bad=positions),
    shape("out", "{0} has the shape of indices without the last size, then the last sizes of self", gathered_nd),
    empty("self", "indices"),
)  # fmt: skip
def gather_nd(p: Planning) -> None:
    """out = the parts of self at positions; each row of indices is a position. Negative numbers count from the end if
    negativeIndexSupport is true."""
    x, indices, negative = p.read("self"), p.read("indices"), p["negativeIndexSupport"]
    sizes = x.shape[: indices.shape[-1]]
    watch_rows(p, indices, "indices", sizes, negative=negative)
    flat = p.builder.reshape(x, (prod(sizes), *x.shape[len(sizes) :]))
    result = p.step(taken_rows, [flat, indices], gathered_nd(p), x.dtype, moves=True, sizes=sizes, negative=negative)
    p.store("out", result)


def of_rows(inputs: Sequence[Shape], outputs: Sequence[Shape], attributes: Attributes) -> Iterator[CutDims]:
    """The dimensions along which a step is cut into parts: those of the positions, without the dimension of a row."""
    for dim in range(len(inputs[1]) - 1):
        yield None, dim, dim


@with_out
@by(of_rows, times=QUICK, looked_up=[0])
def taken_rows(x: Array, rows: Array, *, sizes: Shape, negative: bool, out: Array | None = None) -> Array:
    return taken(x, places_of(rows, sizes, negative=negative), axis=0, out=out)
