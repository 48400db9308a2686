"""The number `reduction`, the shapes of losses, and the results of empty inputs."""

from enum import IntEnum
from math import nan, prod
from typing import Any

import numpy as np

from aclnn.op import (
    Arguments, Array, Op, Operand, PlanBuilder, Planning, Relation, Shape, broadcast_shape, empty, one_of, total,
)  # fmt: skip


class Reduction(IntEnum):
    NONE = 0
    MEAN = 1
    SUM = 2


REDUCTION_RULE: Relation = one_of("reduction", 0, 1, 2)


def broadcast_to(a: Arguments, *names: str) -> Shape | None:
    return broadcast_shape(*(a.shape(name) for name in names))


def loss_shape(*names: str) -> Any:
    """The shape of the loss: that of the elements, or no dimensions if it is reduced."""

    def expected_shape(a: Arguments) -> Shape | None:
        return broadcast_to(a, *names) if a["reduction"] == Reduction.NONE else ()

    return expected_shape


def plan_of_empty(*outs: str) -> Any:
    """The plan for an empty input. With a reduction, the first output is NaN for the mean and 0 for the sum, and other
    outputs are 0. Without a reduction nothing is written."""

    def plan(call: Op, builder: PlanBuilder) -> None:
        p = Planning(call, builder)
        if p["reduction"] != Reduction.NONE:
            for out in outs:
                p.fill(out, nan if p["reduction"] == Reduction.MEAN and out == outs[0] else 0)

    return plan


def empty_loss(*names: str, outs: tuple[str, ...] = ("out",)) -> Relation:
    return empty(*names, plan=plan_of_empty(*outs), left="a mean is NaN, a sum is 0")


def divisor(p: Planning, shape: Shape) -> np.float32:
    """The divisor of the gradient: the number of elements for a mean, else 1."""
    return np.float32(prod(shape) if p["reduction"] == Reduction.MEAN else 1)


def scalar(p: Planning, out: str, loss: Operand) -> Operand:
    """The loss; a reduced one in the shape of an output of one element. An output of more elements fails in the
    plan."""
    if p["reduction"] == Reduction.NONE:
        return loss
    if p[out].numel != 1:
        raise p.builder.failed(f"{out} has {p[out].numel} elements, and the loss has one.")
    return p.builder.reshape(loss, p.shape(out))


def reduced_loss(loss: Array, reduction: int) -> Array:
    """The losses, their mean, or their sum."""
    if reduction == Reduction.NONE:
        return loss
    whole = total(loss, None)
    return whole / loss.dtype.type(loss.size) if reduction == Reduction.MEAN else whole
