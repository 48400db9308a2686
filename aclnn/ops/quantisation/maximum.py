"""QuantMax: a tensor times a scale as floats of 8 bits, and the largest magnitude of the tensor."""

import numpy as np

from aclnn.op import (
    Arguments, Array, Planning, T, empty, lacks, listed, one_element, planned, ranks, same_dtype, same_shape, shape,
)  # fmt: skip
from aclnn.ops.quantisation._family import FLOATS_OF_8_BITS, grid, named_type, with_scales


def other_rounding(a: Arguments) -> bool:
    return a["roundMode"] != "rint" and a.dtype("y") != T.ACL_HIFLOAT8


@planned(
    "aclnnQuantMax", lacks("another roundMode than rint", other_rounding), listed("x", "scale", "amax"),
    listed("y", among=FLOATS_OF_8_BITS), same_dtype("amax", "x"), named_type("dstType", "y"),
    ranks("x", "scale", "amax"), one_element("scale"), same_shape("y", "x"),
    shape("amax", "{0} has one element", lambda a: (1,)), empty("x"),
)  # fmt: skip
def quant_max(p: Planning) -> None:
    """y = x * scale, rounded to the data type of y, and saturated; amax = max|x|"""
    x = p.read("x")
    dtype = p.dtype("y")
    p.store("y", p.step(with_scales, [x, p.read("scale")], x.shape, dtype, divides=False, **grid(dtype)))
    p.store("amax", p.step(largest, [x], (1,), x.dtype))


def largest(x: Array) -> Array:
    return np.abs(x).max().reshape(1)
