"""NLLLoss2d and its gradient: NLLLoss of images, with the classes in the second dimension."""

from math import prod

import numpy as np

from aclnn.op import (
    SHORT_FLOAT, Arguments, Array, Bad, Planning, Shape, castable, demand, empty, in_parts, listed, loose_shape, nulls,
    one_element, planned, ranks, same_dtype, same_shape, shape,
)  # fmt: skip
from aclnn.ops.loss._family import REDUCTION_RULE, Reduction, empty_loss
from aclnn.ops.loss.likelihood import LABELS, checked_labels, in_columns, likelihood


def pixels(a: Arguments) -> Shape:
    batch, _, *sizes = a.shape("self")
    return (batch, *sizes)


def wrong_weight_count(a: Arguments) -> Bad:
    shape, expected_size = a.shape("weight"), a.shape("self")[1]
    return None if shape and prod(shape) == expected_size else (list(shape), f"{expected_size} elements")


WEIGHT = demand("{0} has an element for each class", "weight", bad=wrong_weight_count)
TARGET = shape("target", "{0} has a label for each pixel of self", pixels)


def loss_shape(a: Arguments) -> Shape:
    return a.shape("target") if a["reduction"] == Reduction.NONE else ()


def pixels_first(x: Array) -> Array:
    return np.moveaxis(x, 1, -1)


@planned(
    "aclnnNLLLoss2d", listed("self", among=SHORT_FLOAT, provenance="public"), same_dtype("weight", "self"),
    castable("self", "out"), castable("self", "totalWeightOut"), LABELS, REDUCTION_RULE, ranks("self", least=4, most=4),
    WEIGHT, ranks("target", least=3, most=3), TARGET,
    loose_shape("out", "{0} has the shape of target, or one element if it is reduced", loss_shape),
    one_element("totalWeightOut"), empty_loss("self", "target", "weight", outs=("out", "totalWeightOut")),
)  # fmt: skip
def nll_loss_2d(p: Planning) -> None:
    """out = -v * self[n, target[n, h, w], h, w], where v = weight[target[n, h, w]], or 0 if the target is ignoreIndex.
    Reduction 2 sums these; reduction 1 divides the sum by totalWeightOut = the sum of v. Without reduction
    totalWeightOut is not written."""
    x, weight, target = p.read("self"), p.read("weight"), checked_labels(p, p.shape("self")[1])
    loss, weights = p.steps(
        of_pixels, [x, target, weight], [(loss_shape(p), x.dtype), ((), x.dtype)], reduction=p["reduction"],
        ignored=p["ignoreIndex"],
    )  # fmt: skip
    p.store("out", p.builder.reshape(loss, p.shape("out")))
    if p["reduction"] != Reduction.NONE:
        p.store("totalWeightOut", p.builder.reshape(weights, p.shape("totalWeightOut")))


def of_pixels(x: Array, target: Array, weight: Array, *, reduction: int, ignored: int) -> tuple[Array, Array]:
    return likelihood(pixels_first(x), target, weight.reshape(-1), reduction=reduction, ignored=ignored)


def wrong_grad_shape(a: Arguments) -> Bad:
    shape = a.shape("gradOutput")
    if a["reduction"] == Reduction.NONE:
        return None if shape == a.shape("target") else (list(shape), list(a.shape("target")))
    return None if len(shape) < 2 and prod(shape) == 1 else (list(shape), "one element, at most one dimension")


@planned(
    "aclnnNLLLoss2dBackward", nulls("gradOutput", "self", "target", "weight", "out", "totalWeight"),
    listed("self", among=SHORT_FLOAT, provenance="public"),
    *(same_dtype(name, "self") for name in ("gradOutput", "weight", "out", "totalWeight")), LABELS,
    ranks("self", least=4, most=4), ranks("target", least=3, most=3),
    demand("{0} has the shape of target, or one element", "gradOutput", bad=wrong_grad_shape), TARGET, WEIGHT,
    same_shape("out", "self"), one_element("totalWeight"), REDUCTION_RULE, empty("self"),
)  # fmt: skip
def nll_loss_2d_backward(p: Planning) -> None:
    """out = -gradOutput * weight[c] in the class c = target[n, h, w], unless c is ignoreIndex; 0 elsewhere. If
    reduction is the mean, out is divided by totalWeight"""
    x = p["self"]
    inputs = [p.read("gradOutput"), checked_labels(p, x.shape[1]), p.read("weight"), p.read("totalWeight")]
    result = p.step(
        in_classes, inputs, x.shape, x.dtype, mean=p["reduction"] == Reduction.MEAN, ignored=p["ignoreIndex"]
    )
    p.store("out", result)


@in_parts(first=1, whole=[2, 3])
def in_classes(g: Array, target: Array, weight: Array, whole: Array, *, mean: bool, ignored: int) -> Array:
    share = g if g.ndim == target.ndim else g.reshape(())
    return np.moveaxis(in_columns(share, target, weight.reshape(-1), whole, mean=mean, ignored=ignored), -1, 1)
