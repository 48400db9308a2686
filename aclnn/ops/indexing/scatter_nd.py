"""ScatterNd, ScatterNdUpdate and TfScatterAdd, whose positions are rows of indices, and InplaceScatterUpdate."""

from math import prod
from typing import cast

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Operand, Planning, apart_from, demand, empty, in_memory, legal, listed, nulls, planned,
    ranks, row_slices, same_dtype, same_rank, same_shape, write_into,
)  # fmt: skip
from aclnn.ops.indexing._family import Shape, of_type, places_of, summed, watch, watch_rows


def depth(a: Arguments) -> int:
    """The number of dimensions that a row of positions covers."""
    return a.shape("indices")[-1] if a.rank("indices") else 1


def updates_rank(a: Arguments) -> Bad:
    rank, expected_rank = a.rank("updates"), a.rank("data") + a.rank("indices") - depth(a) - 1
    return None if rank == expected_rank else (f"{rank} dimensions", f"{expected_rank}")


def too_deep(a: Arguments) -> Bad:
    return None if depth(a) <= a.rank("data") else (f"{depth(a)} numbers in a row", f"{a.rank('data')} or fewer")


def nd_shape(a: Arguments, target: str) -> Shape | None:
    """The shape of updates if each row of indices is a position; None if such a row is too long for the target."""
    count = depth(a)
    return (*a.shape("indices")[:-1], *a.shape(target)[count:]) if 1 <= count <= a.rank(target) else None


def updates_shape(a: Arguments) -> Bad:
    shape, expected_shape = a.shape("updates"), nd_shape(a, "data")
    return None if shape == expected_shape else (list(shape), list(expected_shape or ()))


def scatter_rows(p: Planning, target: str, out: str, *, adds: bool = False) -> None:
    x, rows, updates = p.read(target), p.read("indices"), p.read("updates")
    if nd_shape(p, target) != updates.shape:
        raise p.builder.failed(f"{p.op.c_name()}: updates {list(updates.shape)} does not fit indices and {target}.")
    sizes = x.shape[: depth(p)]
    watch_rows(p, rows, "indices", sizes)
    scatter_places(p, x, rows, updates, out, sizes=sizes, adds=adds)


def scatter_places(
    p: Planning, x: Operand, rows: Operand, updates: Operand, out: str, *, sizes: Shape, adds: bool
) -> None:  # fmt: skip
    x = summed(p, x) if adds else x
    p.store(out, p.step(scattered, [x, rows, updates], x.shape, x.dtype, moves=not adds, sizes=sizes, adds=adds))


@in_memory
def scattered(x: Array, rows: Array, updates: Array, *, out: Array, sizes: Shape, adds: bool) -> None:
    """Write the updates in their order, a part at a time."""
    rows, updates = apart_from([out], rows), apart_from([out], updates)
    out[...] = x
    flat = out.reshape(prod(sizes), prod(x.shape[len(sizes) :]))
    rows = rows.reshape(-1, rows.shape[-1])
    terms = updates.reshape(len(rows), flat.shape[1])
    for part in row_slices(len(rows), flat.shape[1]):
        write_into(flat, places_of(rows[part], sizes), of_type(terms[part], out), adds=adds)


@planned(
    "aclnnScatterNd", listed("data"), listed("indices"), same_dtype("updates", "data"), same_dtype("out", "data"),
    ranks("data", "indices", "updates", least=1, most=8), same_shape("out", "data"),
    demand("{0} has the dimensions of indices and of a part of data", "updates", "data", "indices", bad=updates_rank),
    demand("a row of {0} is a position in data", "indices", "data", bad=too_deep),
    demand("{0} has a part of data for each row of indices", "updates", "data", "indices", bad=updates_shape),
    empty("data", "indices", "updates"),
)  # fmt: skip
def scatter_nd(p: Planning) -> None:
    """out = data with updates at positions; each row of indices is a position"""
    scatter_rows(p, "data", "out")


@planned(
    "aclnnScatterNdUpdate", listed("varRef"), listed("indices"), same_dtype("updates", "varRef"),
    empty("varRef", "indices", "updates"),
)  # fmt: skip
def scatter_nd_update(p: Planning) -> None:
    """varRef at positions = updates; each row of indices is a position. Shapes that do not fit cannot be planned."""
    if not p.rank("indices"):
        raise p.builder.failed("aclnnScatterNdUpdate: indices has no dimensions.")
    scatter_rows(p, "varRef", "varRef")


def by_first(a: Arguments) -> bool:
    """True if updates has a slice of varRef for each element of indices."""
    return a.shape("updates") == a.shape("indices") + a.shape("varRef")[1:] and a.shape("varRef")[:1] != (0,)


def wrong_updates(a: Arguments) -> Bad:
    if by_first(a) or a.shape("updates") == nd_shape(a, "varRef"):
        return None
    return list(a.shape("updates")), "a slice of varRef for each element or each row of indices"


@planned(
    "aclnnTfScatterAdd", listed("varRef"), listed("indices"), same_dtype("updates", "varRef"),
    ranks("varRef", "indices", "updates", least=1, most=8),
    demand("{0} fits indices and varRef", "updates", "indices", "varRef", bad=wrong_updates),
    empty("varRef", "indices", "updates"),
)  # fmt: skip
def tf_scatter_add(p: Planning) -> None:
    """updates is added to slices of varRef. Each row of indices is a position in several dimensions; if the shapes do
    not fit that, each element of indices is a position in the first dimension."""
    if nd_shape(p, "varRef") == p.shape("updates"):
        scatter_rows(p, "varRef", "varRef", adds=True)
        return
    x, index, updates = p.read("varRef"), p.read("indices"), p.read("updates")
    watch(p, index, "indices", x.shape[0])
    rows = p.builder.reshape(index, (*index.shape, 1))
    scatter_places(p, x, rows, updates, "varRef", sizes=x.shape[:1], adds=True)


def empty_tensor(a: Arguments) -> Bad:
    bad = next((name for name in ("data", "indices", "updates") if not a[name].numel), None)
    return None if bad is None else (f"{bad} {list(a.shape(bad))}", "elements in each tensor")


def several_updates(a: Arguments) -> Bad:
    bad = not a.rank("indices") and a.shape("updates")[:1] != (1,)
    return (list(a.shape("updates")), "one row, as indices has no dimensions") if bad else None


@planned(
    "aclnnInplaceScatterUpdate", nulls("data", "indices", "updates"), listed("data"), listed("indices"),
    same_dtype("updates", "data"), demand("{0}, indices and updates are not empty", "data", "indices", "updates",
                                          bad=empty_tensor),
    same_rank("updates", "data"),
    demand("{0} has one row if indices has no dimensions", "updates", "indices", bad=several_updates),
    ranks("indices", least=0, most=2),
)  # fmt: skip
def scatter_update(p: Planning) -> None:
    """data = data with each row of updates in a row of data, from an offset along axis on. indices has the offset of
    each row, or pairs of a row of data and an offset"""
    x, index, updates = p.read("data"), p.one_dimension(p.read("indices")), p.read("updates")
    rank, pairs = len(x.shape), len(index.shape) == 2
    axis, rows = p["axis"] % rank if rank else 0, index.shape[0]
    fits = rank > 1 and axis and updates.shape[0] <= rows and (not pairs or index.shape[1] == 2)
    fits = fits and updates.shape[axis] <= x.shape[axis] and (pairs or rows <= x.shape[0])
    fits = fits and all(count == size for i, (count, size) in enumerate(zip(updates.shape, x.shape, strict=True))
                        if i not in (0, axis))  # fmt: skip
    if not fits:
        raise p.builder.failed("aclnnInplaceScatterUpdate: data, indices, updates and axis do not fit each other.")
    if pairs:
        watch_rows(p, index, "indices", (x.shape[0], x.shape[axis] - updates.shape[axis] + 1))
    else:
        watch(p, index, "indices", x.shape[axis] - updates.shape[axis] + 1)
    p.store("data", p.step(placed, [x, index, updates], x.shape, x.dtype, moves=True, axis=axis))


def placed(x: Array, index: Array, updates: Array, *, axis: int) -> Array:
    out, count = np.array(x), updates.shape[axis]
    rows = index[:, 0] if index.ndim == 2 else np.arange(len(index))
    offsets = index[:, -1] if index.ndim == 2 else index
    keep = np.ones(rows.shape, np.bool_)
    for good in (legal(rows, x.shape[0]), legal(offsets, x.shape[axis] - count + 1)):
        keep &= True if good is None else good
    places = cast("Array", offsets[keep][:, None] + np.arange(count))
    np.moveaxis(out, axis, 1)[rows[keep][:, None], places] = np.moveaxis(updates[keep], axis, 1)
    return out
