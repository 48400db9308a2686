"""Positions of the largest and smallest elements: ArgMax, ArgMin, MaxDim, MinDim. Of equal elements the first one
counts, and NaN counts as the largest and as the smallest."""

import numpy as np

from aclnn.op import (
    ACLNN_ERR_PARAM_NULLPTR, BF16, BOOL, CASTABLE, CASTABLE_950, FLOAT_OR_HALF, IEEE_FLOATS, INTEGERS, NEWER, Arguments,
    Array, Bad, DataTypes, Kernel, Operator, Planning, Series, T, axes_with_elements, axis, demand, dtype_name, empty,
    in_parts, keys, left, listed, planned, public_format, ranks, same_dtype,
)  # fmt: skip
from aclnn.ops.sorting._family import left_of_self, taken

LARGEST = DataTypes(
    (*IEEE_FLOATS, *INTEGERS),
    dict.fromkeys((Series.A2, Series.A3, Series.A200I_500_A2), BF16) | {Series.A950: (*BF16, T.ACL_UINT16)},
)
SMALLEST = DataTypes((*IEEE_FLOATS, *INTEGERS), dict.fromkeys((*NEWER, Series.A200I_500_A2), BF16))
EXTREME_TYPES = DataTypes(
    (*FLOAT_OR_HALF, T.ACL_INT64, *BOOL),
    dict.fromkeys((Series.A2, Series.A3), BF16) | {Series.A950: (*BF16, T.ACL_INT32)},
)
IN_FLOAT = (Series.INFERENCE, Series.A200I_500_A2)
"""devices on which MaxDim and MinDim compute INT64 in FLOAT"""


@in_parts("axis")
def first_largest(x: Array, *, axis: int, keepdims: bool) -> Array:
    return np.argmax(keys(x), axis, keepdims=keepdims)


@in_parts("axis")
def first_smallest(x: Array, *, axis: int, keepdims: bool) -> Array:
    return np.argmin(keys(x), axis, keepdims=keepdims)


@in_parts("axis")
def largest(x: Array, *, axis: int, keepdims: bool) -> tuple[Array, Array]:
    return taken(x, first_largest(x, axis=axis, keepdims=True), axis, keepdims=keepdims)


@in_parts("axis")
def smallest(x: Array, *, axis: int, keepdims: bool) -> tuple[Array, Array]:
    return taken(x, first_smallest(x, axis=axis, keepdims=True), axis, keepdims=keepdims)


def place(p: Planning, kernel: Kernel) -> None:
    x = p.one_dimension(p.read("self"))
    shape, axis = left(p, "self", "dim", "keepdim"), p.axis("dim", "self")
    keeps_dims = p["keepdim"] and bool(p.rank("self"))
    p.store("out", p.step(kernel, [x], shape, T.ACL_INT64, moves=True, axis=axis, keepdims=keeps_dims))


@planned(
    "aclnnArgMax", listed("self", among=LARGEST, provenance="public"), ranks("self", "out", least=0, most=8),
    axis("dim", of="self"), empty("self", "out"), left_of_self("out", "keepdim"),
)  # fmt: skip
def argmax(p: Planning) -> None:
    """out = the position of the largest element along dim"""
    place(p, first_largest)


@planned(
    "aclnnArgMin", axis("dim", of="self"), listed("self", among=SMALLEST, provenance="public"), listed("out"),
    public_format("self", "out"), ranks("self", "out", least=0, most=8), axes_with_elements("dim", of="self"),
    empty("self"), left_of_self("out", "keepdim"),
)  # fmt: skip
def argmin(p: Planning) -> None:
    """out = the position of the smallest element along dim"""
    place(p, first_smallest)


def uncastable_indices(a: Arguments) -> Bad:
    castable = CASTABLE_950 if a.soc.series is Series.A950 else CASTABLE
    dtype = a.dtype("indices")
    return None if dtype in castable else (dtype_name(dtype), "a data type that integers can be cast to")


def along(name: str, kernel: Kernel, doc: str) -> Operator:
    """An operator that returns values and positions over one dimension."""

    def plan(p: Planning) -> None:
        x = p.one_dimension(p.read("self"))
        if x.dtype == T.ACL_INT64 and p.soc.series in IN_FLOAT:
            x = p.builder.cast(x, T.ACL_FLOAT)
        shape, axis = left(p, "self", "dim", "keepdim"), p.axis("dim", "self")
        keeps_dims = p["keepdim"] and bool(p.rank("self"))
        results = [(shape, x.dtype), (shape, T.ACL_INT64)]
        values, indices = p.steps(kernel, [x], results, moves=True, axis=axis, keepdims=keeps_dims)
        p.store("out", values)
        p.store("indices", indices)

    relations = (
        listed("self", among=EXTREME_TYPES), same_dtype("out", as_="self"),
        ranks("self", "out", "indices", least=0, most=8), axis("dim", of="self"), empty("self"),
        demand(
            "integers can be cast to {0}", "indices", bad=uncastable_indices, status=ACLNN_ERR_PARAM_NULLPTR,
            provenance="public",
        ),
        left_of_self("indices", "keepdim"), left_of_self("out", "keepdim"),
    )  # fmt: skip
    return Operator((name,), relations, plan, doc, __name__)


max_dim = along("aclnnMaxDim", largest, "out = the largest elements along dim, indices = their positions")
min_dim = along("aclnnMinDim", smallest, "out = the smallest elements along dim, indices = their positions")
