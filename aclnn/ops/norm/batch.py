"""Batch normalisation: BatchNorm and its gradient.

Dimension 1 has the channels. On Ascend 950 the last dimension has them if the storage format is NHWC or NDHWC. The
statistics of a channel are taken over all other dimensions.
"""

from math import prod

import numpy as np

from aclnn.op import (
    ACLNN_ERR_PARAM_NULLPTR, SHORT_FLOAT, Arguments, Array, Bad, Op, Operand, PlanBuilder, Planning, Relation, Series,
    Shape, aclDataType, aclFormat, demand, done, empty, format_name, listed, needed_if, only_on, planned, public_format,
    ranks, same_dtype, same_format, same_shape, shape, total, updates,
)  # fmt: skip
from aclnn.ops.norm._family import FLOAT, average, constants, flagged, float_or, if_flagged, or_constant, wants

T, F = aclDataType, aclFormat
NULL = ACLNN_ERR_PARAM_NULLPTR
LAST = (F.ACL_FORMAT_NHWC, F.ACL_FORMAT_NDHWC)
PER_CHANNEL = ("weight", "bias", "runningMean", "runningVar")
SAVES = ("saveMean", "saveInvstd")


def view(a: Arguments) -> Shape:
    """input as (outer, channels, inner)."""
    shape = a.shape("input")
    if a.soc.series is Series.A950 and a["input"].storage_format in LAST:
        return prod(shape[:-1]), shape[-1], 1
    return shape[0], shape[1], prod(shape[2:])


def channels(a: Arguments) -> Shape:
    return (view(a)[1],)


def five(a: Arguments) -> Bad:
    storage_format = a["input"].storage_format
    allowed = (F.ACL_FORMAT_NCDHW, *((F.ACL_FORMAT_NDHWC,) if a.soc.series is Series.A950 else ()))
    good = a.rank("input") != 5 or storage_format in allowed
    return None if good else (format_name(storage_format), " or ".join(map(format_name, allowed)))


def inverse(a: Arguments) -> bool:
    """True if saveInvstd is 1 / sqrt(var + eps). Before Ascend 950 saveInvstd is var."""
    return a.soc.series is Series.A950


def per_channel(*names: str) -> tuple[Relation, ...]:
    return tuple(shape(name, "{0} has one element for each channel", channels) for name in names)


def undefined(call: Op, builder: PlanBuilder) -> None:
    constants(Planning(call, builder), saveMean=0.0, saveInvstd=np.nan)


@planned(
    "aclnnBatchNorm", updates("runningMean", "runningVar"),
    needed_if("saveMean", "training"), needed_if("saveInvstd", "training"), empty("input", plan=undefined),
    listed("input", "output", *SAVES, *PER_CHANNEL, among=SHORT_FLOAT, provenance="public"),
    same_format("output", "input"), demand("{0} of five dimensions is NCDHW", "input", bad=five),
    public_format("input"), ranks("input", least=2, most=8), same_shape("output", "input"),
    *per_channel(*PER_CHANNEL, *SAVES),
)  # fmt: skip
def batch_norm(p: Planning) -> None:
    """output = (input - mean) / sqrt(var + eps) * weight + bias. In training mean and var are the statistics of input:
    saveMean and saveInvstd get them, and runningMean and runningVar move towards them by the share `momentum`.
    Otherwise mean and var are runningMean and runningVar. saveInvstd is var, on Ascend 950 1 / sqrt(var + eps)."""
    shape, count = view(p), view(p)[1]
    x = p.builder.reshape(p.read("input", FLOAT), shape)
    middle = (1, count, 1)
    by_name = {
        name: p.builder.reshape(or_constant(p, name, count, value), middle)
        for name, value in zip(PER_CHANNEL, (1.0, 0.0, 0.0, 1.0), strict=True)
    }
    affine = [by_name["weight"], by_name["bias"]]
    mean, var = by_name["runningMean"], by_name["runningVar"]
    if p["training"]:
        old = mean, var
        mean, var = p.steps(mean_and_variance, [x], [(middle, FLOAT)] * 2)
        saved = p.step(inverse_root, [var], middle, FLOAT, eps=p["eps"]) if inverse(p) else var
        elements = shape[0] * shape[2]
        move(p, "runningMean", old[0], mean, 1.0)
        move(p, "runningVar", old[1], var, elements / (elements - 1) if elements > 1 else np.nan)
        for name, result in zip(SAVES, (mean, saved), strict=True):
            p.store(name, p.builder.reshape(result, (count,)))
    result = p.step(scaled, [x, mean, var, *affine], shape, p.dtype("input"), eps=p["eps"])
    p.store("output", p.builder.reshape(result, p.shape("output")))


def move(p: Planning, name: str, old: Operand, batch_value: Operand, factor: float) -> None:
    """Plan the move of a running value towards the value of the batch."""
    if p.given(name):
        result = p.step(moved, [old, batch_value], old.shape, FLOAT, momentum=p["momentum"], factor=factor)
        p.store(name, p.builder.reshape(result, p.shape(name)))


def moved(old: Array, batch_value: Array, *, momentum: float, factor: float) -> Array:
    return old * np.float32(1 - momentum) + batch_value * np.float32(momentum * factor)


def mean_and_variance(x: Array) -> tuple[Array, Array]:
    mean = average(x, (0, 2))
    off = x - mean
    return mean, average(off * off, (0, 2))


def inverse_root(var: Array, *, eps: float) -> Array:
    return 1 / np.sqrt(var + np.float32(eps))


def scaled(x: Array, mean: Array, var: Array, weight: Array, bias: Array, *, eps: float) -> Array:
    return (x - mean) * (inverse_root(var, eps=eps) * weight) + bias


GRADS = ("gradInput", "gradWeight", "gradBias")
MASK = "outputMask"
VECTORS = ("weight", "runningMean", "runningVar", *SAVES)


def short(a: Arguments) -> Bad:
    return None if len(a[MASK].values) >= 3 else (f"{len(a[MASK].values)} flags", "3 flags")


def saved(name: str) -> Relation:
    def expected_shape(a: Arguments) -> Shape | None:
        return None if a.shape(name) == (0,) and not a["training"] else channels(a)

    return shape(name, "{0} has one element for each channel", expected_shape)


GRADIENT: tuple[Relation, ...] = (
    empty("gradOut", "input"),
    demand("{0} has three flags", MASK, bad=short, status=NULL, provenance="public"),
    flagged(MASK, *GRADS, status=NULL),
    listed("gradOut", "input", among=SHORT_FLOAT, provenance="public"), same_dtype("gradOut", as_="input"),
    *(if_flagged(MASK, i, listed(GRADS[i], among=SHORT_FLOAT, provenance="public")) for i in range(3)),
    listed(*VECTORS, among=SHORT_FLOAT, provenance="public"),
    only_on(Series.A950, *(float_or(name, "gradOut") for name in VECTORS),
            same_dtype("runningVar", as_="runningMean"), same_dtype("saveInvstd", as_="saveMean"),
            if_flagged(MASK, 0, same_dtype("gradInput", as_="gradOut"))),
    same_format("gradOut", "input"), if_flagged(MASK, 0, same_format("gradInput", "input")),
    public_format("input"),
    only_on(Series.A950, demand("{0} of five dimensions is NCDHW or NDHWC", "input", bad=five)),
    ranks("gradOut", "input", least=2, most=8), same_shape("gradOut", "input"),
    if_flagged(MASK, 0, same_shape("gradInput", "input")),
    *per_channel("weight", "runningMean", "runningVar"), only_on(Series.A950, *map(saved, SAVES)),
)  # fmt: skip
NO_GRADIENT = done("outputMask has no true flag", MASK, when=lambda a: not any(a[MASK].values))


@planned(
    "aclnnBatchNormBackward", *GRADIENT,
    *(only_on(Series.A950, if_flagged(MASK, i, *per_channel(GRADS[i]))) for i in (1, 2)), NO_GRADIENT,
)  # fmt: skip
def batch_norm_backward(p: Planning) -> None:
    """gradBias = the sum of gradOut, gradWeight = is * the sum of gradOut * (input - mean), with is = 1 / sqrt(var +
    eps). In training, gradInput = weight * is * (gradOut - gradBias / n - (input - mean) * is * gradWeight / n), with n
    elements in a channel; mean and var are saveMean and saveInvstd (on Ascend 950, is = saveInvstd). Otherwise
    gradInput = weight * is * gradOut; mean and var are runningMean and runningVar."""
    whole, count = view(p), view(p)[1]
    dy, x = (p.builder.reshape(p.read(name, FLOAT), whole) for name in ("gradOut", "input"))
    names = SAVES if p["training"] else ("runningMean", "runningVar")
    middle = (1, count, 1)
    mean, var, weight = (
        p.builder.reshape(or_constant(p, name, count, value), middle)
        for name, value in zip((*names, "weight"), (0.0, 1.0, 1.0), strict=True)
    )
    root = var if p["training"] and inverse(p) else p.step(inverse_root, [var], middle, FLOAT, eps=p["eps"])
    slopes = p.step(slope, [dy, x, mean, root], middle, FLOAT)
    sums = p.step(channel_sum, [dy], middle, FLOAT)
    if wants(p, MASK, 0):
        statistics = [slopes, sums] if p["training"] else []
        result = p.step(input_grad, [dy, x, mean, root, weight, *statistics], whole, FLOAT)
        p.store("gradInput", p.builder.reshape(result, p.shape("gradInput")))
    for flag, result in ((1, slopes), (2, sums)):
        if wants(p, MASK, flag):
            p.store(GRADS[flag], p.builder.reshape(result, (count,)))


@planned("aclnnFastBatchNormBackward", *GRADIENT, NO_GRADIENT)
def fast_batch_norm_backward(p: Planning) -> None:
    """Like aclnnBatchNormBackward. The first phase does not check the shapes of gradWeight and gradBias, so a copy to
    another shape fails."""
    assert batch_norm_backward.plan is not None
    batch_norm_backward.plan(p)


def slope(dy: Array, x: Array, mean: Array, root: Array) -> Array:
    return total(dy * (x - mean), (0, 2), keepdims=True) * root


def channel_sum(dy: Array) -> Array:
    return total(dy, (0, 2), keepdims=True)


def input_grad(
    dy: Array, x: Array, mean: Array, root: Array, weight: Array, slopes: Array | None = None, sums: Array | None = None
) -> Array:  # fmt: skip
    """The gradient of x. The factors of a channel are computed first."""
    scale = root * weight
    if slopes is None or sums is None:
        return dy * scale
    count = np.float32(x.shape[0] * x.shape[2])
    return (dy - sums / count - (x - mean) * (root * slopes / count)) * scale
