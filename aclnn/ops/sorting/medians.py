"""Kthvalue, Median, NanMedian: elements of a certain rank. For an even number of elements, the median is the lower of
the two in the middle."""

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Kernel, Op, Operator, PlanBuilder, Planning, Relation, Series, T, aclDataType,
    axes_with_elements, axis, demand, empty, in_parts, left, listed, loose_shape, planned, ranks, same_dtype,
)  # fmt: skip
from aclnn.ops.sorting._family import (
    COUNTED,
    POSITIONS,
    SORTABLE,
    left_of_self,
    length,
    no_lone_bf16,
    order_at,
    taken,
)

OUTS = ("valuesOut", "indicesOut")
ONE_ELEMENT = "{0} has one element"
OF_NOTHING = {T.ACL_INT64: -(2**63), T.ACL_INT32: -(2**31)}
"""the median of no elements: NaN, or in these data types the least number; in other integers 0"""


@in_parts("axis")
def kth(x: Array, *, axis: int, keepdims: bool, k: int) -> tuple[Array, Array]:
    """The k-th smallest element. k counts from 1."""
    return taken(x, order_at(x, axis, k - 1), axis, keepdims=keepdims)


@in_parts("axis")
def median(x: Array, *, axis: int, keepdims: bool, stop_at_nan: bool = True) -> tuple[Array, Array]:
    """The lower median, or the first NaN if there is one. Without `stop_at_nan`, NaN is the largest value."""
    places = order_at(x, axis, (x.shape[axis] - 1) // 2)
    if stop_at_nan:
        nans = np.isnan(x)
        places = np.where(nans.any(axis, keepdims=True), np.argmax(nans, axis, keepdims=True), places)
    return taken(x, places, axis, keepdims=keepdims)


@in_parts("axis")
def median_of_numbers(x: Array, *, axis: int, keepdims: bool) -> tuple[Array, Array]:
    """The lower median of the elements that are not NaN, or the first NaN if all are NaN."""
    numbers = x.shape[axis] - np.count_nonzero(np.isnan(x), axis, keepdims=True)
    places = order_at(x, axis, np.maximum(numbers - 1, 0) // 2)
    return taken(x, places, axis, keepdims=keepdims)


def along(p: Planning, kernel: Kernel, keepdims: str, **attributes: bool | int) -> None:
    """Plans values and positions over one dimension."""
    x, shape = p.one_dimension(p.read("self")), left(p, "self", "dim", keepdims)
    keeps_dims = p[keepdims] and bool(p.rank("self"))
    results = [(shape, x.dtype), (shape, T.ACL_INT64)]
    axis = p.axis("dim", "self")
    outputs = p.steps(kernel, [x], results, moves=True, axis=axis, keepdims=keeps_dims, **attributes)
    for out, result in zip(OUTS, outputs, strict=True):
        p.store(out, result)


def k_out_of_range(a: Arguments) -> Bad:
    size = length(a)
    most = 1 if size is None else size
    return None if 1 <= a["k"] <= most else (a["k"], f"1 to {most}, as many as self has along dim")


@planned(
    "aclnnKthvalue", axis("dim", of="self"),
    demand("{0} is a number of an element of {1} along dim", "k", "self", bad=k_out_of_range),
    listed("self", among=SORTABLE, provenance="public"), same_dtype("valuesOut", "self"), POSITIONS,
    ranks("self", least=0, most=8), empty("self"), *(left_of_self(out, "keepdim") for out in OUTS),
)  # fmt: skip
def kthvalue(p: Planning) -> None:
    """valuesOut = the k-th smallest elements along dim, from 1 on, and indicesOut = their positions. NaN counts as the
    largest value; equal elements are in the order of self."""
    if p.dtype("self") == T.ACL_BF16 and length(p) == 1 and p.soc.series is not Series.A950:
        raise p.builder.failed("Sort of one element in BFLOAT16 failed.")
    along(p, kth, "keepdim", k=p["k"])


def of_nothing(out: str, *, integers: bool) -> Relation:
    """Fills the median of no elements with NaN. `integers`: integer types get the number of OF_NOTHING."""

    def plan(call: Op, builder: PlanBuilder) -> None:
        p = Planning(call, builder)
        dtype = aclDataType(p.dtype(out))
        is_small = dtype in (T.ACL_INT8, T.ACL_INT16, T.ACL_UINT8)
        p.fill(out, 0 if is_small else OF_NOTHING.get(dtype, np.nan) if integers else np.nan)

    return empty("self", plan=plan)


def of_all(name: str, kernel: Kernel, out: str, doc: str, *nothing: Relation) -> Operator:
    """The median of all elements."""

    def plan(p: Planning) -> None:
        x = p.read("self")
        flat = p.builder.reshape(x, (p["self"].numel,))
        results = [((), x.dtype), ((), T.ACL_INT64)]
        p.store(out, p.steps(kernel, [flat], results, moves=True, axis=0, keepdims=False)[0])

    relations = (
        listed("self", out, among=COUNTED, provenance="public"), same_dtype(out, as_="self"),
        ranks("self", out, least=0, most=8), no_lone_bf16(), *nothing, loose_shape(out, ONE_ELEMENT, lambda a: ()),
    )  # fmt: skip
    return Operator((name,), relations, plan, doc, __name__)


median_of_all = of_all(
    "aclnnMedian", median, "valuesOut", "valuesOut = the lower median of all elements of self; NaN if one is NaN",
    empty("valuesOut"), of_nothing("valuesOut", integers=True),
)  # fmt: skip
nan_median_of_all = of_all(
    "aclnnNanMedian", median_of_numbers, "out", "out = the lower median of all elements of self that are not NaN",
    of_nothing("out", integers=False),
)  # fmt: skip


def wrong_rank(out: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        rank = a.rank("self")
        allowed = (rank, rank - 1) if rank else (0,)
        return None if a.rank(out) in allowed else (a.rank(out), " or ".join(map(str, allowed)))

    return demand("{0} has the rank of {1}, or one less", out, "self", bad=bad)


OF_A_DIMENSION = (
    listed("self", among=COUNTED, provenance="public"), same_dtype("valuesOut", as_="self"), POSITIONS,
    axis("dim", of="self"), ranks("self", least=0, most=8), *map(wrong_rank, OUTS), no_lone_bf16("dim"),
)  # fmt: skip
SHAPES = tuple(left_of_self(out, "keepDim") for out in OUTS)


@planned("aclnnMedianDim", *OF_A_DIMENSION, empty("self", *OUTS), *SHAPES)
def median_dim(p: Planning) -> None:
    """valuesOut = the lower medians along dim, indicesOut = their positions. If an element is NaN, the result is the
    first NaN; on Ascend 950 NaN counts as the largest value."""
    along(p, median, "keepDim", stop_at_nan=p.soc.series is not Series.A950)


@planned("aclnnNanMedianDim", *OF_A_DIMENSION, axes_with_elements("dim", of="self"), empty("self"), *SHAPES)
def nan_median_dim(p: Planning) -> None:
    """valuesOut = the lower medians along dim of the elements that are not NaN, indicesOut = their positions"""
    along(p, median_of_numbers, "keepDim")
