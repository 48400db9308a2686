"""Norms of vectors: Norm and LinalgVectorNorm."""

from collections.abc import Mapping, Sequence

import numpy as np

from aclnn.op import (
    SHORT_FLOAT, Planning, Relation, Series, T, axes, empty, except_on, filling, listed, only_on, planned, promoted,
    ranks, real_type, reduction, same_dtype, type_rows,
)  # fmt: skip
from aclnn.ops.reduction._family import over, p_norm

A950 = Series.A950
INFINITE_ORDER = 2.0**31
"""the magnitude of 2147483647 and -2147483648 as FLOAT: before Ascend 950, these orders mean infinity and -infinity"""
PAIRS: Mapping[int, Sequence[int]] = {
    T.ACL_FLOAT: (T.ACL_FLOAT,), T.ACL_FLOAT16: (T.ACL_FLOAT16, T.ACL_FLOAT), T.ACL_BF16: (T.ACL_BF16, T.ACL_FLOAT),
}  # fmt: skip
"""the data types of out on Ascend 950, by the data type of self"""


def shape_rules(dims: str, keepdims: str) -> tuple[Relation, ...]:
    return (
        axes(dims, of="self"), ranks("self", "out", least=0, most=8),
        reduction("out", "self", dims, keepdims, exact=True), empty("self", plan=filling("out", 0)),
    )  # fmt: skip


def plan_norm(p: Planning, order: str, dims: str, keepdims: str) -> None:
    """Plans the norm as one step, in FLOAT."""
    power = float(p.number(order, T.ACL_FLOAT))
    if p.soc.series is not A950 and abs(power) == INFINITE_ORDER:
        power = float(np.copysign(np.inf, power))
    x = p.read("self", T.ACL_FLOAT)
    p.store("out", over(p, p_norm, x, dims, T.ACL_FLOAT, keepdims=p[keepdims], power=power))


@planned(
    "aclnnNorm", only_on(A950, listed("self", "out", among=SHORT_FLOAT)), except_on(A950, promoted("self", "out")),
    *shape_rules("dim", "keepdim"),
)  # fmt: skip
def norm(p: Planning) -> None:
    """out = (sum |self|^p)^(1/p) over dim, where p is pScalar. p of 0 counts nonzero elements, infinity takes the
    largest |self|, and -infinity the smallest. No dim means all dimensions"""
    plan_norm(p, "pScalar", "dim", "keepdim")


@planned(
    "aclnnLinalgVectorNorm", same_dtype("out", as_="dtype"), real_type("self"), real_type("out"),
    only_on(A950, type_rows(("self", "out"), PAIRS)), except_on(A950, promoted("self", "out")),
    *shape_rules("dims", "keepDims"),
)  # fmt: skip
def linalg_vector_norm(p: Planning) -> None:
    """out = (sum |self|^ord)^(1/ord) over dims, like aclnnNorm"""
    plan_norm(p, "ord", "dims", "keepDims")
