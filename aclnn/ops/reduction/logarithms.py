"""Logarithms of sums: LogSumExp and ReduceLogSum."""

from typing import Literal

import numpy as np

from aclnn.op import (
    FLOAT_OR_HALF, SHORT_FLOAT, SHORT_FLOAT_OR_WHOLE, Array, DataTypes, Planning, Series, T, axes, empty, filling,
    listed, only_on, planned, public_format, ranks, reduction, total,
)  # fmt: skip
from aclnn.ops.reduction._family import over

ON_950 = DataTypes(FLOAT_OR_HALF, {Series.A950: (T.ACL_BF16,)})


def log_sum_exp(x: Array, *, axes: tuple[int, ...], keepdims: Literal[True]) -> Array:
    """log(sum(exp(x))). The largest element is subtracted first, so that no exponential is infinite."""
    top = np.max(x, axes, keepdims=True)
    top = np.where(np.abs(top) == np.inf, np.float32(0), top)
    return np.log(total(np.exp(x - top), axes, keepdims=True)) + top


def log_sum(x: Array, *, axes: tuple[int, ...], keepdims: bool) -> Array:
    return np.log(total(x, axes, keepdims=keepdims))


@planned(
    "aclnnLogSumExp", listed("self", among=SHORT_FLOAT_OR_WHOLE, provenance="public"),
    listed("out", among=SHORT_FLOAT), only_on(Series.A950, public_format("self")), axes("dim", of="self"),
    ranks("self", "out", least=0, most=8), reduction("out", "self", "dim", "keepDim", exact=True),
    empty("self", plan=filling("out", -np.inf)),
)  # fmt: skip
def logsumexp(p: Planning) -> None:
    """out = log(sum(exp(self))) over dim, in FLOAT; no dim means all dimensions"""
    x = p.read("self", T.ACL_FLOAT)
    sums = over(p, log_sum_exp, x, "dim", x.dtype, keepdims=True)
    p.store("out", p.builder.reshape(sums, p.shape("out")))


@planned(
    "aclnnReduceLogSum", listed("data", "reduce", among=ON_950), ranks("data", "reduce", least=0, most=8),
    axes("axes", of="data"), empty("data", plan=filling("reduce", 0)),
    reduction("reduce", "data", "axes", "keepDims", noop="noopWithEmptyAxes"),
)  # fmt: skip
def reduce_log_sum(p: Planning) -> None:
    """reduce = log(sum(data)) over axes. No axes means all dimensions. With noopWithEmptyAxes and no axes, reduce is
    data. The result is not cast."""
    x = p.read("data")
    if p["axes"].values or not p["noopWithEmptyAxes"]:
        x = over(p, log_sum, x, "axes", x.dtype, reference="data", keepdims=p["keepDims"])
    p.builder.view_copy(x, p["reduce"])
