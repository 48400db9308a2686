"""Softmax and LogSoftmax."""

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.numbers.rounding import total
from aclnn.engine.operator import planned
from aclnn.engine.plan import Kernel
from aclnn.engine.planning import Planning
from aclnn.engine.words.shapes import axis, ranks, same_shape
from aclnn.engine.words.types import castable, listed
from aclnn.engine.words.values import empty

SHAPES = (ranks("self", least=0, most=8), same_shape("out", "self"))


def along(p: Planning, kernel: Kernel, dtype: int) -> None:
    """One step along the dimension `dim`, in a data type. A 0-d tensor counts as 1-d."""
    x = p.one_dimension(p.read("self", dtype))
    p.store("out", p.step(kernel, [x], x.shape, dtype, axis=p.axis("dim", of="self")))


def exponentials(x: Array, *, axis: int) -> Array:
    """Of the differences to the largest element, divided by their sum."""
    e = np.exp(x - np.max(x, axis, keepdims=True))
    return e / total(e, axis, keepdims=True)


def log_exponentials(x: Array, *, axis: int) -> Array:
    """The logarithms of these."""
    x = x - np.max(x, axis, keepdims=True)
    return x - np.log(total(np.exp(x), axis, keepdims=True))


@planned("aclnnSoftmax", empty("self"), listed("self", "out"), axis("dim", of="self"), *SHAPES)
def softmax(p: Planning) -> None:
    """out = exp(self - max) / the sum of these, along dim, in the data type of self"""
    along(p, exponentials, p.dtype("self"))


@planned(
    "aclnnLogSoftmax", axis("dim", of="self"), listed("self", "out"), castable("self", to="out"), *SHAPES, empty("self")
)
def log_softmax(p: Planning) -> None:
    """out = self - max - log(the sum of exp(self - max)), along dim, in the data type of out"""
    along(p, log_exponentials, p.dtype("out"))
