"""Softmax, LogSoftmax and the gradient of LogSoftmax."""

import numpy as np

from aclnn.op import (
    SHORT_FLOAT, Arguments, Array, Kernel, Planning, Series, axis, castable, done, empty, listed, log_softmax_along,
    nulls, planned, ranks, same_dtype, same_shape, softmax_along, total,
)  # fmt: skip


SHAPES = (ranks("self", least=0, most=8), same_shape("out", "self"))


def along(p: Planning, kernel: Kernel, dtype: int) -> None:
    """Plan one step along the dimension `dim`, computed in `dtype`. A 0-d tensor counts as 1-d."""
    x = p.one_dimension(p.read("self", dtype))
    p.store("out", p.step(kernel, [x], x.shape, dtype, axis=p.axis("dim", of="self")))


@planned("aclnnSoftmax", empty("self"), listed("self", "out"), axis("dim", of="self"), *SHAPES)
def softmax(p: Planning) -> None:
    """out = exp(self - max) / the sum of exp(self - max), along dim, in the data type of self"""
    along(p, softmax_along, p.dtype("self"))


@planned(
    "aclnnLogSoftmax", axis("dim", of="self"), listed("self", "out"), castable("self", to="out"), *SHAPES, empty("self")
)
def log_softmax(p: Planning) -> None:
    """out = self - max - log(the sum of exp(self - max)), along dim, in the data type of out"""
    along(p, log_softmax_along, p.dtype("out"))


def empty_before_950(a: Arguments) -> bool:
    return a.soc.series is not Series.A950 and 0 in (a["gradOutput"].numel, a["output"].numel)


@planned(
    "aclnnLogSoftmaxBackward", nulls("output", "gradOutput", "out"),
    done("gradOutput or output is empty, not on Ascend 950", "gradOutput", "output", when=empty_before_950),
    listed("gradOutput", "output", among=SHORT_FLOAT, provenance="public"), same_dtype("output", "gradOutput"),
    ranks("gradOutput", "output", least=0, most=8), same_shape("output", "gradOutput"),
    same_shape("out", "gradOutput"), axis("dim", of="gradOutput"), empty("gradOutput", "output"),
)  # fmt: skip
def log_softmax_backward(p: Planning) -> None:
    """out = gradOutput - exp(output) * the sum of gradOutput along dim; output is the result of aclnnLogSoftmax"""
    g, y = (p.one_dimension(p.read(name)) for name in ("gradOutput", "output"))
    result = p.step(log_softmax_grad, [g, y], g.shape, g.dtype, axis=p.axis("dim", of="gradOutput"))
    p.store("out", result if p.rank("out") else p.builder.reshape(result, ()))


def log_softmax_grad(g: Array, y: Array, *, axis: int) -> Array:
    return g - np.exp(y) * total(g, axis, keepdims=True)
