"""Reads and writes at positions, sorting and searching, by name."""

from collections.abc import Callable
from typing import Final

from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.handle_table import Tensor
from aclnn.by_name.call import Named
from aclnn.by_name.row import Plan, Required, row
from aclnn.by_name.uses import copy, described, uses

T = aclDataType


def gather(n: Named) -> None:
    """aclnnGatherV2"""
    x, y, axis = n["x"], n["y"], n.integer("axis")
    if n["batch_dims"]:
        raise n.refused("this emulator computes GatherV2 only with batch_dims 0")
    n.aclnn("aclnnGatherV2", x, axis, n["indices"], y)


def scatter_update(n: Named) -> None:
    """aclnnInplaceIndexCopy along the first dimension"""
    var, indices, updates = n["var"], n["indices"], n["updates"]
    copy(n, var, n["out"])
    rows = n.viewed(indices, (indices.numel,))
    source = n.viewed(updates, (indices.numel, *var.shape[1:]))
    n.aclnn("aclnnInplaceIndexCopy", n["out"], 0, rows, source)


def scatter_nd_update(n: Named) -> None:
    """aclnnScatterNdUpdate of a copy"""
    copy(n, n["var"], n["out"])
    n.aclnn("aclnnScatterNdUpdate", n["out"], n["indices"], n["updates"])


def scatter_add(n: Named) -> None:
    """aclnnIndexPutImpl, which adds to a copy, or to zeros for ScatterNd"""
    indices, names = n["indices"], n.arguments.tensors
    updates, out = n["x" if "shape" in names else "updates"], n["y"]
    if "shape" in names:
        n.aclnn("aclnnInplaceZero", out)
    else:
        copy(n, n["var" if "var" in names else "x"], out)
    rows, depth = indices.shape[:-1], indices.shape[-1]
    if depth > len(out.shape):
        raise n.refused(f"indices have {depth} numbers each, and y has {len(out.shape)} dimensions")
    columns = [n.viewed(indices, rows, indices.strides[:-1], i) for i in range(depth)]
    n.aclnn("aclnnIndexPutImpl", out, [_dense(n, column) for column in columns], updates, True, False)


def _dense(n: Named, x: Tensor) -> Tensor:
    result = n.like(x, T.ACL_INT64)
    n.aclnn("aclnnCast", x, T.ACL_INT64, result)
    return result


def segment_sum(n: Named) -> None:
    """aclnnIndexAdd to zeros"""
    ids, x, y = n["segment_ids"], n["x"], n["y"]
    zeros, rest = n.like(y), x.shape[len(ids.shape) :]
    n.aclnn("aclnnInplaceZero", zeros)
    flat = n.viewed(x, (ids.numel, *rest))
    n.aclnn("aclnnIndexAdd", zeros, 0, n.viewed(ids, (ids.numel,)), flat, 1, y)


def masked_scatter(n: Named) -> None:
    """aclnnInplaceMaskedScatter of a copy"""
    copy(n, n["x"], n["y"])
    n.aclnn("aclnnInplaceMaskedScatter", n["y"], n["mask"], n["updates"])


def unique(n: Named) -> None:
    """aclnnUnique2. The run decides the shape"""
    n.aclnn("aclnnUnique2", n["x"], n["sorted"], n["return_inverse"], n["return_counts"], n["y1"], n["y2"], n["y3"])


def unique_consecutive(n: Named) -> None:
    """aclnnUniqueConsecutive. The run decides the shape"""
    n.aclnn("aclnnUniqueConsecutive", n["x"], n["return_idx"], n["return_counts"], n["axis"], n["y"], n["idx"],
            n["count"])  # fmt: skip


def index(n: Named) -> None:
    """aclnnIndex; indexed_sizes has 1 for each dimension with an index tensor"""
    n.aclnn("aclnnIndex", n["x"], _index_tensors(n), n["y"])


def index_put(n: Named) -> None:
    """aclnnIndexPutImpl of a copy; indexed_sizes has 1 for each dimension with an index tensor"""
    copy(n, n["x"], n["out"])
    n.aclnn("aclnnIndexPutImpl", n["out"], _index_tensors(n), n["value"], n["accumulate"], False)


def _index_tensors(n: Named) -> list[Tensor]:
    """An index tensor for each dimension. An index tensor without elements selects all of its dimension."""
    rest = iter(n["indices"])
    indices: list[Tensor] = []
    for size in n.ints("indexed_sizes"):
        index = next(rest, None) if size else n.temporary((0,), T.ACL_INT64)
        if index is None:
            raise n.refused("indexed_sizes names more dimensions than there are index tensors")
        indices.append(index)
    return indices or list(n["indices"])


def one_hot(n: Named) -> None:
    """aclnnOneHot"""
    depth = n.integer("depth")
    on, off = (n.viewed(n[name], (1,)) for name in ("on_value", "off_value"))
    n.aclnn("aclnnOneHot", n["x"], depth, on, off, n["axis"], n["y"])


def arange(n: Named) -> None:
    """aclnnArange"""
    start, limit, delta = (n.number(name) for name in ("start", "limit", "delta"))
    if n["is_closed"]:
        limit += delta / 2 if isinstance(delta, float) else (1 if delta > 0 else -1)
    y = n["y"]
    n.aclnn("aclnnArange", *(n.scalar(each, y) for each in (start, limit, delta)), y)


def nonzero(n: Named) -> None:
    """aclnnNonzero; with transpose aclnnNonzeroV2. The run decides the shape"""
    n.aclnn("aclnnNonzeroV2" if n["transpose"] else "aclnnNonzero", n["x"], n["y"])


def masked_select(n: Named) -> None:
    """aclnnMaskedSelect. The run decides the shape"""
    n.aclnn("aclnnMaskedSelect", n["x"], n["mask"], n["y"])


def places(function: str) -> Plan:
    """The plan of aclnnArgMax or aclnnArgMin."""

    def plan(n: Named) -> None:
        x, y = n["x"], n["y"]
        axis = n.integer("dimension")
        keep = len(y.shape) == len(x.shape)
        result = n.like(y, T.ACL_INT64)
        n.aclnn(function, x, axis, keep, result)
        n.aclnn("aclnnCast", result, y.dtype, y)

    return described(plan, function)


def topk(n: Named) -> None:
    """aclnnTopk, with indices in INT32"""
    k = n.integer("k")
    _with_positions(n, n["indices"], lambda at: n.aclnn(
        "aclnnTopk", n["x"], k, n["dim"], n["largest"], n["sorted"], n["values"], at
    ))  # fmt: skip


def sort(n: Named) -> None:
    """aclnnSort, with indices in INT32"""
    _with_positions(n, n["y2"], lambda at: n.aclnn(
        "aclnnSort", n["x"], n["stable"], n["axis"], n["descending"], n["y1"], at
    ))  # fmt: skip


def _with_positions(n: Named, out: Tensor, compute: Callable[[Tensor], None]) -> None:
    """Plan a function with positions in INT64, and cast them to the data type of `out`."""
    positions = n.like(out, T.ACL_INT64)
    compute(positions)
    n.aclnn("aclnnCast", positions, out.dtype, out)


GATHER: Final = {"batch_dims": 0, "is_preprocessed": False, "negative_index_support": False}
ROWS: Final = (
    row("GatherV2", "x, indices, axis -> y", gather, **GATHER),
    row("GatherV2D", "x, indices -> y", gather, axis=Required(0), **GATHER),
    row("ScatterUpdate", "var, indices, updates -> out", scatter_update, use_locking=False),
    row("ScatterNdUpdate", "var, indices, updates -> out", scatter_nd_update, use_locking=False),
    row("ScatterNd", "indices, x, shape -> y", scatter_add),
    row("ScatterNdAdd", "var, indices, updates -> y", scatter_add, use_locking=False),
    row("TensorScatterAdd", "x, indices, updates -> y", scatter_add),
    row("TensorScatterUpdate", "var, indices, updates -> out", scatter_nd_update),
    row("UnsortedSegmentSum", "x, segment_ids, num_segments -> y", segment_sum),
    row("MaskedScatter", "x, mask, updates -> y", masked_scatter),
    row(
        "UniqueWithCountsAndSorting", "x -> y1, y2, y3", unique, return_inverse=False, return_counts=False, sorted=True
    ),
    row(
        "UniqueConsecutive",
        "x -> y, idx, count",
        unique_consecutive,
        return_idx=False,
        return_counts=False,
        axis=1000,
        out_idx=int(T.ACL_INT64),
    ),
    row(
        "EmbeddingDenseGrad",
        "grad, indices -> y",
        uses("aclnnEmbeddingDenseBackward", "grad", "indices", "num_weights", "padding_idx", "scale_grad_by_freq", "y"),
        num_weights=Required(0),
        padding_idx=-1,
        scale_grad_by_freq=False,
    ),
    row("Index", "x, indexed_sizes, indexed_strides, indices* -> y", index),
    row("IndexPutV2", "x, value, indexed_sizes, indexed_strides, indices* -> out", index_put, accumulate=False),
    row("OneHot", "x, depth, on_value, off_value -> y", one_hot, axis=-1),
    row("OneHotD", "x, on_value, off_value -> y", one_hot, depth=Required(0), axis=-1),
    row("Range", "start, limit, delta -> y", arange, is_closed=False),
    row("NonZero", "x -> y", nonzero, transpose=False, dtype=int(T.ACL_INT64)),
    row("MaskedSelect", "x, mask -> y", masked_select),
    row("ArgMaxV2", "x, dimension -> y", places("aclnnArgMax"), dtype=int(T.ACL_INT64)),
    row("ArgMaxD", "x -> y", places("aclnnArgMax"), dimension=Required(0), dtype=int(T.ACL_INT64)),
    row("ArgMin", "x, dimension -> y", places("aclnnArgMin"), dtype=int(T.ACL_INT64)),
    row("ArgMinD", "x -> y", places("aclnnArgMin"), dimension=Required(0), dtype=int(T.ACL_INT64)),
    row("TopKV2", "x, k -> values, indices", topk, sorted=True, dim=-1, largest=True, indices_dtype=int(T.ACL_INT32)),
    row("TopK", "x, k -> values, indices", topk, sorted=True, dim=-1, largest=True, indices_dtype=int(T.ACL_INT32)),
    row("Sort", "x -> y1, y2", sort, axis=-1, descending=False, stable=False),
)  # fmt: skip
