"""Sort, Argsort, Topk: values in order along a dimension, and their positions."""

from collections.abc import Sequence

import numpy as np

from aclnn.op import (
    ACLNN_ERR_PARAM_NULLPTR, Arguments, Array, Bad, DataTypes, Planning, Series, T, apart_from, axis, demand,
    dtype_name, empty, except_on, in_memory, in_order, in_parts, is_long, listed, loose_shape, order, planned,
    public_format, ranks, row_slices, same_dtype, same_shape,
)  # fmt: skip
from aclnn.ops.sorting._family import INT64, POSITIONS, RANKED, SORTABLE, as_half, at, length, no_lone_bf16, rows_of

COMMON_TYPES = (
    T.ACL_FLOAT16, T.ACL_FLOAT, T.ACL_BF16, T.ACL_UINT8, T.ACL_INT8, T.ACL_INT16, T.ACL_INT32, T.ACL_INT64, T.ACL_BOOL,
)  # fmt: skip
OUTS = ("valuesOut", "indicesOut")
ON_950 = {Series.A950: (*COMMON_TYPES, T.ACL_UINT16, T.ACL_UINT32, T.ACL_UINT64)}
SORTED_TYPES = DataTypes(COMMON_TYPES, on=ON_950)
SORTED = DataTypes((*COMMON_TYPES, T.ACL_DOUBLE), on=ON_950)


def copied(a: Arguments) -> Bad:
    """Checks the data type of a dimension of size 1: "Axis length 1: values copied (type must match)"."""
    if length(a) != 1 or a.dtype("self") == a.dtype("valuesOut"):
        return None
    return a.type_name("valuesOut"), f"{a.type_name('self')}, as self, where dim has the size 1"


@planned(
    "aclnnSort", listed("self", among=SORTED_TYPES), listed("valuesOut", among=SORTED),
    listed("indicesOut", among=(T.ACL_INT64,)), axis("dim", "self"), same_shape("valuesOut", "self"),
    same_shape("indicesOut", "self"), empty("self"),
    demand(
        "{0} has the data type of self if dim has the size 1", "valuesOut", "self", bad=copied,
        status=ACLNN_ERR_PARAM_NULLPTR, provenance="public",
    ),
)  # fmt: skip
def sort(p: Planning) -> None:
    """valuesOut = self sorted along dim, indicesOut = the positions that the values had. NaN counts as the largest
    value. Equal values keep their order, even if `stable` is false or `descending` is true."""
    x, dtype = p.read("self"), p.dtype("self")
    if dtype == T.ACL_BF16 and not p.soc.bfloat16:
        raise p.builder.failed(f"Sort has no kernel for {dtype_name(dtype)}.")
    x = as_half(p, x, when=(length(p) or 1) > 1)
    results = [(x.shape, x.dtype), (x.shape, T.ACL_INT64)]
    axis = p.axis("dim", "self")
    kernel = ordered_rows if is_long(length(p) or 1) else ordered
    values, indices = p.steps(kernel, [x], results, moves=True, axis=axis, descending=p["descending"])
    p.store("valuesOut", values)
    p.store("indicesOut", indices)


@in_parts("axis")
def ordered(self: Array, *, axis: int, descending: bool) -> tuple[Array, Array]:
    """Values and positions. Values are copied bit for bit."""
    if not self.ndim:
        return self, np.zeros((), np.int64)
    places = order(self, axis, descending=descending)
    return at(self, places, axis), places


@in_memory
def ordered_rows(self: Array, *, out: Sequence[Array], axis: int, descending: bool) -> None:
    """Values and positions of long rows. Outputs that are shorter than a row get the first values."""
    x = apart_from(out, self)
    places_of_rows(x, out=out[1], axis=axis, descending=descending)
    for row, values, places in rows_of(axis, x, *out):
        for part in row_slices(len(values)):
            values[part] = row[places[part]]


@in_parts("axis")
def places(self: Array, *, axis: int, descending: bool) -> Array:
    return order(self, axis, descending=descending)


@in_memory
def places_of_rows(self: Array, *, out: Array, axis: int, descending: bool) -> None:
    """Positions of long rows."""
    for row, places in rows_of(axis, apart_from([out], self), out):
        for part, numbers in in_order(row, descending=descending):
            if part.start < len(places):
                places[part] = numbers[: len(places) - part.start]


def too_long(a: Arguments) -> Bad:
    size = length(a) or 0
    return (f"{size} elements", "at most 2147483647 elements") if size >= 1 << 31 else None


@planned(
    "aclnnArgsort", axis("dim", "self"), demand("{0} has less than 2^31 elements along dim", "self", bad=too_long),
    except_on(Series.A950, no_lone_bf16("dim")), listed("self", among=SORTABLE, provenance="public"),
    listed("out", among=INT64), public_format("self", "out"), ranks("self", "out", least=0, most=8),
    same_shape("out", "self"), empty("self"),
)  # fmt: skip
def argsort(p: Planning) -> None:
    """out = the positions of the values of self in order along dim, like indicesOut of aclnnSort"""
    x = p.one_dimension(as_half(p, p.read("self"), when=(length(p) or 1) > 1))
    axis = p.axis("dim", "self")
    kernel = places_of_rows if is_long(length(p) or 1) else places
    p.store("out", p.step(kernel, [x], x.shape, T.ACL_INT64, moves=True, axis=axis, descending=p["descending"]))


def too_many(a: Arguments) -> Bad:
    size = length(a)
    most = 1 if size is None else size
    return None if 0 <= a["k"] <= most else (a["k"], f"0 to {most}, as many as self has along dim")


def best(a: Arguments) -> tuple[int, ...]:
    """The shape of k elements along dim."""
    shape, axis = a.shape("self") or (1,), a.axis("dim", "self")
    return (*shape[:axis], a["k"], *shape[axis + 1 :])


@in_parts("axis")
def first_of(self: Array, *, axis: int, k: int, descending: bool) -> tuple[Array, Array]:
    """The first k values in order, and their positions."""
    places = order(self, axis, descending=descending, first=k)
    return at(self, places, axis), places


@planned(
    "aclnnTopk", axis("dim", "self"), demand("{0} is a number of elements of {1} along dim", "k", "self", bad=too_many),
    listed("self", among=RANKED, provenance="public"), same_dtype("valuesOut", "self"), POSITIONS,
    ranks("self", "valuesOut", "indicesOut", least=0, most=8), empty("self", "valuesOut", "indicesOut"),
    *(loose_shape(out, "{0} has the shape of self, with k elements along dim", best) for out in OUTS),
)  # fmt: skip
def topk(p: Planning) -> None:
    """valuesOut = the k largest elements of self along dim, the smallest if `largest` is false; indicesOut = their
    positions. The largest or smallest one comes first, even if `sorted` is false. NaN counts as the largest value."""
    x = p.one_dimension(p.read("self"))
    x = as_half(p, x, when=p["self"].numel <= 32768 or p["k"] >= 8)
    flags = {"axis": p.axis("dim", "self"), "descending": p["largest"]}
    results = [(best(p), x.dtype), (best(p), T.ACL_INT64)]
    if is_long(length(p) or 1):
        values, indices = p.steps(ordered_rows, [x], results, moves=True, **flags)
    else:
        values, indices = p.steps(first_of, [x], results, moves=True, k=p["k"], **flags)
    p.store("valuesOut", values)
    p.store("indicesOut", indices)
