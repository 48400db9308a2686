"""MseLoss and L1Loss: losses of squared and of absolute differences."""

import numpy as np

from aclnn.op import (
    FLOAT_OR_HALF, SHORT_FLOAT, Arguments, Array, Bad, Planning, Shape, T, becomes, broadcast, computed_among, demand,
    empty, is_float, is_integer, listed, planned, promoted, ranks, same_dtype, shape, total, with_bf16,
)  # fmt: skip
from aclnn.ops.loss._family import REDUCTION_RULE, Reduction, broadcast_to, empty_loss, loss_shape, reduced_loss

PAIR = ("self", "target")
RANKS = ranks(*PAIR, least=0, most=8)
SHAPES = (
    RANKS, broadcast(*PAIR),
    shape("out", "{0} has the shape that self and target broadcast to, or no dimension if it is reduced",
          loss_shape(*PAIR)),
    empty_loss(*PAIR),
)  # fmt: skip


def reduced(p: Planning, kernel: object) -> None:
    """Plan the loss of self and target in the data type that they promote to."""
    inputs = [p.read(name, p.computed()) for name in PAIR]
    shape = loss_shape(*PAIR)(p)
    p.store("out", p.step(kernel, inputs, shape, p.computed(), reduction=p["reduction"]))  # pyright: ignore[reportArgumentType]


def squares(x: Array, y: Array, *, reduction: int) -> Array:
    difference = x - y
    return reduced_loss(difference * difference, reduction)


def magnitudes(x: Array, y: Array, *, reduction: int) -> Array:
    return reduced_loss(np.abs(x - y), reduction)


@planned(
    "aclnnMseLoss", promoted(*PAIR), computed_among(SHORT_FLOAT, *PAIR),
    listed(*PAIR, "out", among=SHORT_FLOAT, provenance="public"), REDUCTION_RULE, *SHAPES,
)  # fmt: skip
def mse_loss(p: Planning) -> None:
    """out = (self - target)^2, or the mean or the sum of these"""
    reduced(p, squares)


def shape_along_rows(a: Arguments) -> Shape | None:
    """The shape of out. A reduction removes only the first dimension."""
    whole = broadcast_to(a, *PAIR)
    return whole if whole is None or a["reduction"] == Reduction.NONE else whole[1:]


@planned(
    "aclnnMseLossOut", promoted(*PAIR), computed_among(SHORT_FLOAT, *PAIR),
    listed(*PAIR, "out", among=SHORT_FLOAT, provenance="public"), REDUCTION_RULE, RANKS, broadcast(*PAIR),
    shape("out", "{0} has the shape that self and target broadcast to, without its first dimension if it is reduced",
          shape_along_rows),
    empty(*PAIR),
)  # fmt: skip
def mse_loss_out(p: Planning) -> None:
    """out = (self - target)^2, or the mean or the sum of these along the first dimension"""
    inputs = [p.read(name, p.computed()) for name in PAIR]
    p.store("out", p.step(squares_of_rows, inputs, shape_along_rows(p) or (), p.computed(), reduction=p["reduction"]))


def squares_of_rows(x: Array, y: Array, *, reduction: int) -> Array:
    square = squares(x, y, reduction=Reduction.NONE)
    if reduction == Reduction.NONE or not square.ndim:
        return square
    whole = total(square, 0)
    return whole / np.float32(square.shape[0]) if reduction == Reduction.MEAN else whole


def mismatched_l1_pair(a: Arguments) -> Bad:
    """Checks an integer self: without a reduction, target must be an integer too; for a mean, it must be a float."""
    first, second = (a.dtype(name) for name in PAIR)
    if a["reduction"] == Reduction.NONE and is_integer(first) and is_float(second):
        return a.type_name("self"), "a float, as target is one"
    if a["reduction"] == Reduction.MEAN and is_integer(first) and is_integer(second):
        return a.type_name("self"), "a float, or a target of floats"
    return None


@planned(
    "aclnnL1Loss", REDUCTION_RULE,
    demand("{0} is no integer where {1} or the mean needs a float", *PAIR, bad=mismatched_l1_pair),
    promoted(*PAIR), computed_among(with_bf16((*FLOAT_OR_HALF, T.ACL_INT64)), *PAIR), becomes("out"), *SHAPES,
)  # fmt: skip
def l1_loss(p: Planning) -> None:
    """out = |self - target|, or the mean or the sum of these"""
    reduced(p, magnitudes)


@planned(
    "aclnnMseLossBackward", same_dtype("gradOutput", "self"), same_dtype("target", "self"),
    listed("self", "out", among=SHORT_FLOAT, provenance="public"), REDUCTION_RULE,
    ranks("gradOutput", *PAIR, least=0, most=8), broadcast("gradOutput", *PAIR, into="out"),
    empty("gradOutput", *PAIR),
)  # fmt: skip
def mse_loss_backward(p: Planning) -> None:
    """out = 2 * (self - target) * gradOutput; if reduction is the mean, divided by the number of elements of self"""
    inputs = [p.read(name) for name in ("gradOutput", *PAIR)]
    divisor = p["self"].numel if p["reduction"] == Reduction.MEAN else 1
    shape = broadcast_to(p, "gradOutput", *PAIR) or ()
    p.store("out", p.step(twice, inputs, shape, inputs[0].dtype, divisor=np.float32(divisor)))


def twice(g: Array, x: Array, y: Array, *, divisor: float) -> Array:
    return (x - y) * (g * (2 / divisor))
