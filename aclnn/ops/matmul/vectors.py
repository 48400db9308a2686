"""Dot: the product of two vectors."""

from acl_runtime.headers.dtypes import Array
from aclnn.engine.numbers.rounding import total
from aclnn.engine.operator import planned
from aclnn.engine.planning import Planning
from aclnn.engine.words.shapes import ranks, same_shape
from aclnn.engine.words.types import listed, same_dtype


def dot(self: Array, tensor: Array) -> Array:
    """The sum of the products of two vectors. Integers keep their low bits."""
    return total(self * tensor, None)


@planned(
    "aclnnDot", same_dtype("tensor", "self"), same_dtype("out", "self"), listed("self", "tensor", "out"),
    ranks("self", "tensor"), same_shape("self", "tensor"), ranks("out"),
)  # fmt: skip
def dot_product(p: Planning) -> None:
    """out = the sum of self * tensor"""
    x = p.read("self")
    p.store("out", p.step(dot, [x, p.read("tensor")], (), x.dtype))
