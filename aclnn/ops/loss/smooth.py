"""SmoothL1Loss and SoftMarginLoss, and the gradients of losses of two tensors that broadcast."""

import numpy as np

from aclnn.op import (
    SHORT_FLOAT, Arguments, Array, Bad, Planning, becomes, broadcast, computed_among, demand, empty, listed, one_of,
    planned, promoted, ranks, shape,
)  # fmt: skip
from aclnn.ops.loss._family import (
    REDUCTION_RULE,
    Reduction,
    broadcast_to,
    divisor,
    empty_loss,
    loss_shape,
    reduced_loss,
    scalar,
)

PAIR = ("self", "target")
EXACT = 1e-6
"""the least beta by which SmoothL1Loss divides"""


def negative_beta(a: Arguments) -> Bad:
    return None if a["beta"] >= 0 else (a["beta"], "0 or above")


BETA = demand("{0} is not negative", "beta", bad=negative_beta, provenance="public")


def gradient(p: Planning, kernel: object, g: str, out: str, **attributes: object) -> None:
    """Plan the gradient of a loss, in the promoted data type and the broadcast shape of self, target and `g`."""
    inputs = [p.read(name, p.computed()) for name in (g, *PAIR)]
    shape = broadcast_to(p, g, *PAIR) or ()
    result = p.step(kernel, inputs, shape, p.computed(), divisor=divisor(p, shape), **attributes)  # pyright: ignore[reportArgumentType]
    p.store(out, result)


@planned(
    "aclnnL1LossBackward", REDUCTION_RULE, promoted("gradOutput", *PAIR), becomes("gradInput"),
    computed_among(SHORT_FLOAT, "gradOutput", *PAIR), ranks("gradOutput", *PAIR, least=0, most=8),
    broadcast("gradOutput", *PAIR, into="gradInput"), empty("gradOutput", *PAIR),
)  # fmt: skip
def l1_loss_backward(p: Planning) -> None:
    """gradInput = gradOutput * the sign of (self - target); if reduction is the mean, divided by the number of
    elements. The sign of 0 and of NaN is 0."""
    gradient(p, of_sign, "gradOutput", "gradInput")


def of_sign(g: Array, x: Array, y: Array, *, divisor: float) -> Array:
    sign = np.where(x > y, np.float32(1), np.where(x < y, np.float32(-1), np.float32(0)))
    return g * sign / divisor


@planned(
    "aclnnSmoothL1Loss", listed(*PAIR, among=SHORT_FLOAT, provenance="public"), promoted(*PAIR), becomes("result"),
    REDUCTION_RULE, ranks(*PAIR, least=0, most=8), broadcast(*PAIR),
    shape("result", "{0} has the shape that self and target broadcast to if it is not reduced",
          lambda a: broadcast_to(a, *PAIR) if a["reduction"] == Reduction.NONE else None),
    BETA, empty_loss(*PAIR, outs=("result",)),
)  # fmt: skip
def smooth_l1_loss(p: Planning) -> None:
    """result = d^2 / (2 * beta) where d = |self - target| is below beta, else d - beta / 2; or the mean or the sum of
    these"""
    inputs = [p.read(name, p.computed()) for name in PAIR]
    shape = loss_shape(*PAIR)(p)
    loss = p.step(smooth_l1, inputs, shape, p.computed(), beta=np.float32(p["beta"]), reduction=p["reduction"])
    p.store("result", scalar(p, "result", loss))


def smooth_l1(x: Array, y: Array, *, beta: float, reduction: int) -> Array:
    distance = np.abs(x - y)
    factor = np.float32(0 if beta < EXACT else 0.5 / beta)
    half = np.float32(beta / 2)
    return reduced_loss(np.where(distance < beta, distance * distance * factor, distance - half), reduction)


@planned(
    "aclnnSmoothL1LossBackward", listed("gradOut", *PAIR, "gradInput", among=SHORT_FLOAT, provenance="public"),
    ranks("gradOut", *PAIR, least=0, most=8), REDUCTION_RULE, BETA, promoted("gradOut", *PAIR), becomes("gradInput"),
    broadcast("gradOut", *PAIR, into="gradInput"), empty("gradOut", *PAIR),
)  # fmt: skip
def smooth_l1_loss_backward(p: Planning) -> None:
    """gradInput = gradOut * d / beta where d = self - target lies in [-beta, beta], else gradOut * the sign of d; if
    reduction is the mean, divided by the number of elements. If beta and d are 0, gradInput is NaN."""
    gradient(p, of_smooth_l1, "gradOut", "gradInput", beta=np.float32(p["beta"]))


def of_smooth_l1(g: Array, x: Array, y: Array, *, beta: float, divisor: float) -> Array:
    d = x - y
    return np.where(d < -beta, -g, np.where(d > beta, g, g * (d / beta))) / divisor


@planned(
    "aclnnSoftMarginLoss", listed(*PAIR, "out", among=SHORT_FLOAT, provenance="public"), promoted(*PAIR),
    ranks(*PAIR, least=0, most=8), broadcast(*PAIR),
    shape("out", "{0} has the shape that self and target broadcast to, or no dimension if it is reduced",
          loss_shape(*PAIR)),
    empty_loss(*PAIR),
)  # fmt: skip
def soft_margin_loss(p: Planning) -> None:
    """out = log(1 + exp(-target * self)) if reduction is 0, the mean of these if it is 1, else their sum"""
    inputs = [p.read(name, p.computed()) for name in PAIR]
    p.store("out", p.step(soft_margin, inputs, loss_shape(*PAIR)(p), p.computed(), reduction=p["reduction"]))


def soft_margin(x: Array, t: Array, *, reduction: int) -> Array:
    z = t * x
    return reduced_loss(np.maximum(-z, 0) + np.log1p(np.exp(-np.abs(z))), reduction)


@planned(
    "aclnnSoftMarginLossBackward", listed("gradOutput", *PAIR, "out", among=SHORT_FLOAT, provenance="public"),
    one_of("reduction", 0, 1, 2, provenance="ours"), promoted("gradOutput", *PAIR),
    ranks("gradOutput", *PAIR, least=0, most=8),
    broadcast("gradOutput", *PAIR, into="out"), empty("gradOutput", *PAIR),
)  # fmt: skip
def soft_margin_loss_backward(p: Planning) -> None:
    """out = -target * gradOutput * z / (1 + z), where z = exp(-self * target); if reduction is the mean, divided by the
    number of elements. Where z overflows, out is NaN."""
    gradient(p, of_soft_margin, "gradOutput", "out")


def of_soft_margin(g: Array, x: Array, t: Array, *, divisor: float) -> Array:
    z = np.exp(-x * t)
    return -t * z / (1 + z) * g / divisor
