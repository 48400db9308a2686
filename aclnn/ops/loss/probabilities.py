"""BinaryCrossEntropy, its gradient, and the gradients of BinaryCrossEntropyWithLogits."""

from math import nan

import numpy as np

from aclnn.op import (
    SHORT_FLOAT, Arguments, Array, Op, PlanBuilder, Planning, Relation, T, becomes, broadcast_into, computed_in, empty,
    listed, loose_shape, may_be_null, only_if, planned, ranks, same_dtype, same_format, same_shape,
)  # fmt: skip
from aclnn.ops.loss._family import REDUCTION_RULE, Reduction, divisor, reduced_loss

LEAST_LOGARITHM = -100
LEAST_VARIANCE = 1e-12
WEIGHTS = ("weightOptional", "posWeightOptional")


def plan_of_empty(call: Op, builder: PlanBuilder) -> None:
    p = Planning(call, builder)
    p.fill("out", nan if p["reduction"] == Reduction.MEAN else 0)


def shape_of_loss(a: Arguments) -> tuple[int, ...]:
    return a.shape("self") if a["reduction"] == Reduction.NONE else ()


@planned(
    "aclnnBinaryCrossEntropy", may_be_null("weight"),
    listed("self", "target", "out", "weight", among=SHORT_FLOAT, provenance="public"),
    *(same_dtype(name, "self") for name in ("target", "weight", "out")), same_shape("target", "self"), REDUCTION_RULE,
    empty("self", plan=plan_of_empty, left="a mean is NaN, all else is 0"), broadcast_into("weight", "self"),
    loose_shape("out", "{0} has the shape of self, or one element if it is reduced", shape_of_loss),
)  # fmt: skip
def binary_cross_entropy(p: Planning) -> None:
    """out = -weight * (t * log(x) + (1 - t) * log(1 - x)), or the mean or the sum of these; x is self, t is target. A
    logarithm below -100 is replaced by -100. A null weight is 1."""
    inputs = [p.read(name) for name in ("self", "target", "weight") if p.given(name)]
    loss = p.step(cross_entropy, inputs, shape_of_loss(p), p.dtype("self"), reduction=p["reduction"])
    p.store("out", p.builder.reshape(loss, p.shape("out")))


def cross_entropy(x: Array, t: Array, *weight: Array, reduction: int) -> Array:
    least = np.float32(LEAST_LOGARITHM)
    loss = (t - 1) * np.maximum(np.log(1 - x), least) - t * np.maximum(np.log(x), least)
    return reduced_loss(loss * weight[0] if weight else loss, reduction)


def of_all(*names: str) -> Relation:
    """Computes the gradient in the promoted data type of the given tensors among `names`."""
    return computed_in(lambda a: a.promoted(*(name for name in names if a.given(name))))


def gradient(p: Planning, kernel: object, dtype: int, out: str, *weights: str) -> None:
    """Plan the gradient in the shape of self. The kernel gets the given weights, and a flag for each weight."""
    present = [name for name in weights if p.given(name)]
    inputs = [p.read(name, dtype) for name in ("gradOutput", "self", "target", *present)]
    shape = p.shape("self")
    has = {"weighted": weights[0] in present} | ({"positive": weights[1] in present} if len(weights) > 1 else {})
    p.store(out, p.step(kernel, inputs, shape, dtype, divisor=divisor(p, shape), **has))  # pyright: ignore[reportArgumentType]


def has_elements(a: Arguments) -> bool:
    return a["self"].numel > 0


def in_shape_of_self(*names: str, same: tuple[str, ...]) -> Relation:
    return only_if(
        "self is not empty", has_elements,
        *(same_shape(name, "self") for name in same), *(broadcast_into(name, "self") for name in names),
    )  # fmt: skip


BCE = ("self", "gradOutput", "target", "weightOptional")


@planned(
    "aclnnBinaryCrossEntropyBackward", ranks("gradOutput", "self", "target", "weightOptional", "out", least=0, most=8),
    listed("self", "gradOutput", "target", "out", "weightOptional", among=SHORT_FLOAT, provenance="public"),
    same_format("target", "self"), same_format("weightOptional", "self"),
    in_shape_of_self("target", "weightOptional", "gradOutput", same=("out",)), REDUCTION_RULE, of_all(*BCE),
    becomes("out"), empty("self"),
)  # fmt: skip
def binary_cross_entropy_backward(p: Planning) -> None:
    """out = gradOutput * w * (self - target) / max((1 - self) * self, 1e-12), where w is weightOptional or 1; if
    reduction is the mean, divided by the number of elements of self"""
    gradient(p, of_probability, p.computed(), "out", "weightOptional")


def of_probability(g: Array, x: Array, t: Array, *weight: Array, divisor: float, weighted: bool) -> Array:
    share = g * weight[0] if weighted else g
    return share * (x - t) / np.maximum((1 - x) * x, np.float32(LEAST_VARIANCE)) / divisor


def logits(out: str) -> tuple[Relation, ...]:
    """The checks of the two gradients of logits."""
    every = ("gradOutput", "self", "target", *WEIGHTS)
    return (
        ranks(*every, out, least=0, most=8), listed(*every, out, among=SHORT_FLOAT, provenance="public"),
        same_dtype(out, "target"), same_format("target", "self"), same_format(out, "self"),
        in_shape_of_self("gradOutput", *WEIGHTS, same=("target", out)), REDUCTION_RULE, empty("self"), of_all(*every),
        becomes(out),
    )  # fmt: skip


@planned("aclnnBinaryCrossEntropyWithLogitsBackward", *logits("out"))
def binary_cross_entropy_with_logits_backward(p: Planning) -> None:
    """out = w * gradOutput * ((p * t + 1 - t) * sigmoid(self) - p * t), where t is target, w is weightOptional or 1, p
    is posWeightOptional or 1; if reduction is the mean, divided by the number of elements of self"""
    gradient(p, of_logits, p.computed(), "out", *WEIGHTS)


def of_logits(
    g: Array, x: Array, t: Array, *weights: Array, divisor: float, weighted: bool, positive: bool
) -> Array:  # fmt: skip
    sigmoid = 1 / (1 + np.exp(-x))
    positive_weight = weights[-1] * t if positive else t
    slope = (positive_weight + 1 - t) * sigmoid - positive_weight if positive else sigmoid - t
    return slope * (g * weights[0] if weighted else g) / divisor


@planned("aclnnBinaryCrossEntropyWithLogitsTargetBackward", *logits("gradTarget"))
def binary_cross_entropy_with_logits_target_backward(p: Planning) -> None:
    """gradTarget = w * gradOutput * (log(sigmoid(-self)) - p * log(sigmoid(self))), where w is weightOptional or 1, p
    is posWeightOptional or 1; if reduction is the mean, divided by the number of elements of self. All is computed in
    FLOAT."""
    gradient(p, of_targets, T.ACL_FLOAT, "gradTarget", *WEIGHTS)


def of_targets(
    g: Array, x: Array, t: Array, *weights: Array, divisor: float, weighted: bool, positive: bool
) -> Array:  # fmt: skip
    tail = np.log1p(np.exp(-np.abs(x)))
    rise = np.minimum(x, 0) - tail
    fall = np.minimum(-x, 0) - tail
    slope = fall - (weights[-1] * rise if positive else rise)
    return slope * (g * weights[0] if weighted else g) / divisor
