"""Variances and standard deviations: Var, VarCorrection, VarMean, Std, StdMeanCorrection.

With N elements and a correction c, var = sum((x - mean)^2) / max(0, N - c). Most of these functions have fixed results
if N is not greater than c: NaN for one element, and infinity for more.
"""

from math import prod

import numpy as np

from aclnn.op import (
    FLOAT_OR_HALF, SHORT_FLOAT, Arguments, Array, DataTypes, Op, PlanBuilder, Planning, Relation, Series, T, axes,
    empty, except_on, listed, nulls, planned, ranks, reduced, reduction, same_dtype, total,
)  # fmt: skip
from aclnn.ops.reduction.sums import averaged

ON_950 = DataTypes(FLOAT_OR_HALF, {Series.A950: (T.ACL_BF16,)})


def nan_if_empty(*outs: str) -> Relation:
    """Fills the outputs with NaN if self has no elements."""

    def plan(call: Op, builder: PlanBuilder) -> None:
        for out in outs:
            Planning(call, builder).fill(out, np.nan)

    return empty("self", plan=plan)


def checked(*outs: str, types: DataTypes = SHORT_FLOAT, all_unchecked: bool = False) -> tuple[Relation, ...]:
    """The checks of data types, dimensions and shapes. `all_unchecked`: shapes are not checked if all dimensions are
    reduced."""

    def no_dims(a: Arguments) -> bool:
        return all_unchecked and (a["dim"] is None or not a["dim"].values)

    return (
        listed("self", *outs, among=types, provenance="public"), axes("dim", of="self"),
        ranks("self", least=0, most=8),
        *(reduction(out, "self", "dim", "keepdim", exact=True, unless=no_dims) for out in outs), nan_if_empty(*outs),
    )  # fmt: skip


def squares(x: Array, mean: Array, *, axes: tuple[int, ...], keepdims: bool, divisor: int, root: bool) -> Array:
    """The sum of squared distances from the mean, divided by `divisor`. `root`: the root of the quotient."""
    off = x - mean
    quotient = total(off * off, axes, keepdims=keepdims) / np.float32(divisor)
    return np.sqrt(quotient) if root else quotient


def variance(p: Planning, out: str, correction: int, *, root: bool = False, fixed: bool, mean: str = "") -> None:
    """Plan the variance or its root, and the mean if it has an output. Before Ascend 950, the mean is rounded to the
    data type of self first. `fixed`: 2 elements or more, but no more than the correction, give infinity."""
    x, dims = p.one_dimension(p.read("self")), p.axes("dim", "self") or (0,)
    shape, count = reduced(x.shape, dims, keepdims=p["keepdim"]), prod(x.shape[axis] for axis in dims)
    exact = T.ACL_FLOAT if p.soc.series is Series.A950 else x.dtype
    middle = p.step(averaged, [x], reduced(x.shape, dims, keepdims=True), exact, axes=dims, keepdims=True)
    if mean:
        p.store(mean, p.builder.reshape(p.builder.cast(middle, x.dtype), shape))
    if fixed and correction > 1 and 1 < count <= correction:
        p.fill(out, np.inf)
        return
    divisor = max(0, count - correction)
    inputs = [x, middle]
    p.store(out, p.step(squares, inputs, shape, x.dtype, axes=dims, keepdims=p["keepdim"], divisor=divisor, root=root))


@planned("aclnnVar", *checked("out"))
def var(p: Planning) -> None:
    """out = the variance of self along dim; `unbiased`: the sum of squares is divided by N - 1"""
    variance(p, "out", int(p["unbiased"]), fixed=False)


@planned("aclnnVarCorrection", *checked("out"))
def var_correction(p: Planning) -> None:
    """out = the variance of self along dim; the sum of squares is divided by N - correction"""
    variance(p, "out", p["correction"], fixed=True)


@planned("aclnnVarMean", nulls("self", "meanOut", "varOut"), *checked("varOut", "meanOut", types=ON_950))
def var_mean(p: Planning) -> None:
    """varOut and meanOut = the variance and the mean of self along dim"""
    variance(p, "varOut", p["correction"], fixed=p.soc.series is not Series.A950, mean="meanOut")


@planned("aclnnStd", *checked("out", all_unchecked=True))
def std(p: Planning) -> None:
    """out = the standard deviation of self along dim"""
    variance(p, "out", p["correction"], root=True, fixed=True)


OUTS = ("stdOut", "meanOut")


@planned(
    "aclnnStdMeanCorrection", listed("self", *OUTS, among=SHORT_FLOAT, provenance="public"),
    *(except_on(Series.A950, same_dtype(out, as_="self")) for out in OUTS),
    *checked(*OUTS, all_unchecked=True)[1:],
)  # fmt: skip
def std_mean_correction(p: Planning) -> None:
    """stdOut and meanOut = the standard deviation and the mean of self along dim"""
    variance(p, "stdOut", p["correction"], root=True, fixed=p.soc.series is not Series.A950, mean="meanOut")
