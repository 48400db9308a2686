"""BinaryCrossEntropyWithLogits and SoftmaxCrossEntropyWithLogits."""

import numpy as np

from aclnn.op import (
    SHORT_FLOAT, Arguments, Array, Bad, Planning, T, demand, empty, less_largest, listed, planned, ranks, same_dtype,
    same_shape, shape, total,
)  # fmt: skip
from aclnn.ops.loss._family import REDUCTION_RULE, Reduction, broadcast_to, empty_loss, reduced_loss, scalar

WEIGHTS = ("weightOptional", "posWeightOptional")


def given_weights(a: Arguments) -> list[str]:
    return [name for name in WEIGHTS if a.given(name)]


def no_broadcast(name: str) -> object:
    def bad(a: Arguments) -> Bad:
        if not a.given(name) or broadcast_to(a, name, "target") is not None:
            return None
        return list(a.shape(name)), f"a shape that broadcasts with {list(a.shape('target'))}"

    return bad


def shape_of_losses(a: Arguments) -> tuple[int, ...] | None:
    """The shape of out without a reduction: target and weights broadcast. None for a reduced loss, which has any
    shape."""
    return broadcast_to(a, "target", *given_weights(a)) if a["reduction"] == Reduction.NONE else None


@planned(
    "aclnnBinaryCrossEntropyWithLogits",
    listed("self", "target", "out", among=SHORT_FLOAT, provenance="public"), same_dtype("target", "out"),
    REDUCTION_RULE, ranks("self", "target", *WEIGHTS, "out", least=0, most=8), same_shape("self", "target"),
    empty_loss("self", "target"),
    *(demand("{0} broadcasts with {1}", name, "target", bad=no_broadcast(name)) for name in WEIGHTS),  # pyright: ignore[reportArgumentType]
    shape("out", "{0} has the shape of the losses if they are not reduced", shape_of_losses),
)  # fmt: skip
def binary_cross_entropy_with_logits(p: Planning) -> None:
    """out = w * ((1 - t) * x - (1 + (p - 1) * t) * (min(x, 0) - log(1 + exp(-|x|)))), or the mean or the sum of these;
    x is self, t is target, w is weightOptional or 1, p is posWeightOptional or 1. Losses of 16-bit floats are FLOAT
    until they are reduced."""
    dtype = p.promoted("self", "target") or T.ACL_FLOAT
    weights = given_weights(p)
    inputs = [p.read(name, dtype) for name in ("self", "target", *weights)]
    shape = broadcast_to(p, "target", *weights) or ()
    result_shape = shape if p["reduction"] == Reduction.NONE else ()
    loss = p.step(
        with_logits, inputs, result_shape, T.ACL_FLOAT, reduction=p["reduction"], weighted=WEIGHTS[0] in weights,
        positive=WEIGHTS[1] in weights,
    )  # fmt: skip
    p.store("out", scalar(p, "out", loss))


def with_logits(
    x: Array, t: Array, *weights: Array, reduction: int, weighted: bool, positive: bool
) -> Array:  # fmt: skip
    of_sigmoid = np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))
    if positive:
        of_sigmoid = of_sigmoid * (1 + (weights[-1] - 1) * t)
    loss = (1 - t) * x - of_sigmoid
    return reduced_loss(loss * weights[0] if weighted else loss, reduction)


def other_shape(a: Arguments) -> Bad:
    expected_shape, shape = a.shape("features"), a.shape("labels")
    return None if shape == expected_shape else (list(shape), list(expected_shape))


@planned(
    "aclnnSoftmaxCrossEntropyWithLogits",
    listed("features", "labels", "loss", "backprop", among=SHORT_FLOAT, provenance="public"),
    same_dtype("labels", "features"), same_dtype("loss", "features"), same_dtype("backprop", "features"),
    ranks("features", "labels", least=2, most=2), empty("features", "labels"),
    demand("{0} has the shape of {1}", "labels", "features", bad=other_shape, provenance="ours"),
    shape("loss", "{0} has an element for each row", lambda a: a.shape("features")[:1]),
    shape("backprop", "{0} has the shape of features", lambda a: a.shape("features")),
)  # fmt: skip
def softmax_cross_entropy_with_logits(p: Planning) -> None:
    """loss = -the sum of labels * log_softmax(features) in each row; backprop = softmax(features) - labels"""
    x, t = p.read("features"), p.read("labels")
    loss, backprop = p.steps(of_rows, [x, t], [(x.shape[:1], x.dtype), (x.shape, x.dtype)])
    p.store("loss", loss)
    p.store("backprop", backprop)


def of_rows(x: Array, t: Array) -> tuple[Array, Array]:
    shifted = less_largest(x, axis=1)
    powers = np.exp(shifted)
    whole = total(powers, 1, keepdims=True)
    return total(t * (np.log(whole) - shifted), 1), powers / whole - t
