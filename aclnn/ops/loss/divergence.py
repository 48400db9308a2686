"""KlDiv and its gradients, and the gradient of Logit."""

from math import nan

import numpy as np

from aclnn.op import (
    SHORT_FLOAT, Arguments, Array, Bad, Op, PlanBuilder, Planning, Shape, T, becomes, broadcast, castable, demand,
    empty, generated, listed, loose_shape, may_be_in_place, one_of, planned, promoted, public_format, ranks, same_dtype,
    same_shape, total,
)  # fmt: skip
from aclnn.ops.loss._family import Reduction, broadcast_to, reduced_loss

BATCH_MEAN = 3
PAIR = ("self", "target")


def loss_shape(a: Arguments) -> Shape | None:
    return broadcast_to(a, *PAIR) if a["reduction"] == Reduction.NONE else ()


def plan_of_empty(call: Op, builder: PlanBuilder) -> None:
    p = Planning(call, builder)
    no_rows = p.rank("self") > 0 and p.shape("self")[0] == 0
    if p["reduction"] != Reduction.NONE:
        mean = p["reduction"] == Reduction.MEAN or (p["reduction"] == BATCH_MEAN and no_rows)
        p.fill("out", nan if mean else 0)


@planned(
    "aclnnKlDiv", listed(*PAIR, "out", among=SHORT_FLOAT, provenance="public"), promoted(*PAIR), becomes("out"),
    ranks(*PAIR, "out", least=0, most=8), one_of("reduction", 0, 1, 2, BATCH_MEAN),
    empty(*PAIR, plan=plan_of_empty, left="a mean is NaN, a sum is 0"), broadcast(*PAIR),
    loose_shape("out", "{0} has the shape that self and target broadcast to, or one element if it is reduced",
                loss_shape),
)  # fmt: skip
def kl_div(p: Planning) -> None:
    """out = target * (log(target) - self), or 0 where target is 0. If logTarget is true, out = exp(target) * (target -
    self). Reduction 1 takes the mean of these losses, 2 the sum, 3 the sum divided by the first dimension of self"""
    inputs = [p.read(name, p.computed()) for name in PAIR]
    rows = p.shape("self")[0] if p["reduction"] == BATCH_MEAN and p.rank("self") else 1
    shape = loss_shape(p) or ()
    loss = p.step(
        divergence, inputs, shape, p.computed(), reduction=p["reduction"], rows=np.float32(rows), logs=p["logTarget"]
    )
    p.store("out", p.builder.reshape(loss, p.shape("out")))


def divergence(x: Array, t: Array, *, reduction: int, rows: float, logs: bool) -> Array:
    plain = 0 if logs else np.log(np.where(t == 0, np.float32(1), t))
    return reduced_loss(np.exp(t) * (t - x) if logs else t * (plain - x), reduction) / rows


def grad_not_broadcast(a: Arguments) -> Bad:
    """Checks that gradOutput broadcasts to the shape of the losses."""
    expected_shape, grad_shape = broadcast_to(a, *PAIR), a.shape("gradOutput")
    if expected_shape is None or broadcast_to(a, "gradOutput", *PAIR) == expected_shape:
        return None
    return list(grad_shape), f"a shape that broadcasts to {list(expected_shape)}"


SHAPES = (
    broadcast(*PAIR),
    demand("{0} broadcasts to the shape of the losses", "gradOutput", *PAIR, bad=grad_not_broadcast),
)  # fmt: skip


def gradient(p: Planning, kernel: object, dtype: int, reference: str, out: str) -> None:
    """Plan the gradient of one tensor, summed over the dimensions in which the tensor was broadcast."""
    names = ("gradOutput", *PAIR)
    loss_sizes = broadcast_to(p, *names) or ()
    divisor = 1
    if p["reduction"] == Reduction.MEAN:
        divisor = int(np.prod(loss_sizes))
    elif p["reduction"] == BATCH_MEAN:
        divisor = loss_sizes[0] if loss_sizes else 1
    inputs = [p.read(name, dtype) for name in names]
    shape = p.shape(reference)
    share = p.step(kernel, inputs, loss_sizes, dtype, divisor=np.float32(divisor), logs=p["logTarget"])  # pyright: ignore[reportArgumentType]
    if shape != loss_sizes:
        added = len(loss_sizes) - len(shape)
        padded = (1,) * added + shape
        axes = tuple(axis for axis, size in enumerate(padded) if size != loss_sizes[axis] or axis < added)
        share = p.builder.reshape(p.step(summed, [share], padded, dtype, axes=axes), shape)
    p.store(out, share)


def summed(x: Array, *, axes: tuple[int, ...]) -> Array:
    return total(x, axes, keepdims=True)


@planned(
    "aclnnKlDivBackward", castable("self", "out"),
    listed("gradOutput", *PAIR, "out", among=SHORT_FLOAT, provenance="public"),
    ranks("gradOutput", *PAIR, "out", least=0, most=8), *SHAPES, same_shape("out", "self"), empty("gradOutput", *PAIR),
)  # fmt: skip
def kl_div_backward(p: Planning) -> None:
    """out = -gradOutput * target. If logTarget is true, out = -gradOutput * exp(target). out is summed over the
    dimensions in which self was broadcast. Reduction 1 divides it by the number of losses, reduction 3 by the size of
    their first dimension. Three FLOAT16 tensors are computed in FLOAT16, all others in FLOAT."""
    halves = all(p.dtype(name) == T.ACL_FLOAT16 for name in ("gradOutput", *PAIR))
    gradient(p, input_gradient, T.ACL_FLOAT16 if halves else T.ACL_FLOAT, "self", "out")


def input_gradient(g: Array, x: Array, t: Array, *, divisor: float, logs: bool) -> Array:
    grad = -g * (np.exp(t) if logs else t) / divisor
    return grad if grad.shape == np.broadcast_shapes(grad.shape, x.shape) else grad + np.zeros_like(x)


@planned(
    "aclnnKlDivTargetBackward", listed("gradOutput", *PAIR), same_dtype("gradTarget", "target"),
    ranks("gradOutput", *PAIR, "gradTarget", least=0, most=8), *SHAPES,
    same_shape("gradTarget", "target"), public_format("gradOutput", *PAIR, "gradTarget"), empty("gradOutput", *PAIR),
)  # fmt: skip
def kl_div_target_backward(p: Planning) -> None:
    """gradTarget = gradOutput * (log(target) + 1 - self), or NaN where target is 0. If logTarget is true, gradTarget =
    gradOutput * exp(target) * (target + 1 - self). gradTarget is summed over the dimensions in which target was
    broadcast, and divided as in aclnnKlDivBackward. It is computed in FLOAT."""
    gradient(p, target_gradient, T.ACL_FLOAT, "target", "gradTarget")


def target_gradient(g: Array, x: Array, t: Array, *, divisor: float, logs: bool) -> Array:
    share = g / divisor
    return share * np.exp(t) * (t - x + 1) if logs else share * np.log(t) - share * x + share * t / t


@planned(
    "aclnnLogitGrad", generated(), listed("x", "dy", "out"), same_dtype("dy", "x"), same_dtype("out", "x"),
    ranks("x", "dy", "out", least=0, most=8), same_shape("dy", "x"), same_shape("out", "x"), empty("x"),
    may_be_in_place(),
)  # fmt: skip
def logit_grad(p: Planning) -> None:
    """out = dy / (x * (1 - x)) for x in [eps, 1 - eps], else 0. If eps is negative: for x in [0, 1], else NaN."""
    x, dy = p.read("x"), p.read("dy")
    p.store("out", p.step(logit_gradient, [x, dy], x.shape, x.dtype, eps=p["eps"]))


def logit_gradient(x: Array, dy: Array, *, eps: float) -> Array:
    low, high = (np.float32(limit) for limit in ((0, 1) if eps < 0 else (eps, 1 - eps)))
    return np.where((x < low) | (x > high), np.float32(nan if eps < 0 else 0), dy / (x * (1 - x)))
