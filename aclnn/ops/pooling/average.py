"""Average pooling in two dimensions, forward and backward."""

from collections.abc import Sequence

import numpy as np

from aclnn.op import (
    SHORT_FLOAT, Arguments, Array, Bad, Planning, Series, Shape, Windows, at_least, demand, empty, in_range, length,
    listed, planned, ranks, same_dtype, same_rank, same_shape, shape,
)  # fmt: skip
from aclnn.ops.matmul._family import WITH_FLOAT
from aclnn.ops.pooling._family import (
    Pool, T, channels_first, half_of_the_kernel, only_batch_empty, pool_from, pooled, windows_fit,
)  # fmt: skip
from aclnn.ops.pooling.sums import Divisor, average, average_back, outer

FORWARD = pool_from(2, "strides", "paddings", dilated=False)
BACKWARD = pool_from(2, dilated=False)


def divisors(a: Arguments, pool: Pool, sizes: Shape) -> Divisor:
    """The divisor of the sum of each window: divisorOverride if it is not 0, otherwise the number of elements of the
    window that are in the tensor, or with countIncludePad in the padded tensor."""
    override, ends = float(a["divisorOverride"]), [size + more for size, more in zip(sizes, pool.behind, strict=True)]

    def padded(windows: Sequence[Windows]) -> Array:
        return outer([np.minimum(own.taps, end - own.starts) for own, end in zip(windows, ends, strict=True)])

    def inside(windows: Sequence[Windows]) -> Array:
        return outer([np.maximum(own.sizes(), 1) for own in windows])

    if override:
        return lambda windows: override
    return padded if a["countIncludePad"] else inside


def on_the_cube(a: Arguments) -> bool:
    """True if the cube unit computes the average, as a convolution."""
    return a.soc.series in (Series.A2, Series.A3) and not a["ceilMode"] and a.shape("self")[-3] < 65536


def unknown_math(a: Arguments) -> Bad:
    value, floats = a["cubeMathType"], a.dtype("self") == T.ACL_FLOAT
    if floats and a.soc.series not in WITH_FLOAT and value not in (1, 2):
        return value, "1 or 2 for DT_FLOAT"
    if floats and on_the_cube(a) and value in (1, 3, 4):
        return value, "0 or 2 for DT_FLOAT"
    return None


def computed(a: Arguments) -> int:
    floats = a.dtype("self") == T.ACL_FLOAT
    old = a.soc.series not in WITH_FLOAT
    return T.ACL_FLOAT16 if floats and (old or (on_the_cube(a) and a["cubeMathType"] == 2)) else a.dtype("self")


@planned(
    "aclnnAvgPool2d", listed("self"), listed("out", like="self"), same_dtype("out", as_="self"),
    channels_first("self", "out"), at_least("kernelSize", 1), at_least("strides", 1), at_least("paddings", 0),
    ranks("self", "out"), same_rank("out", "self"), only_batch_empty(), length("kernelSize", 1, 2),
    length("paddings", 1, 2), length("strides", 0, 1, 2), half_of_the_kernel("paddings"),
    windows_fit(FORWARD, "kernelSize", "strides", "paddings", "ceilMode"),
    shape("out", "{0} has an element for each window", lambda a: pooled(a, FORWARD(a))),
    demand("{0} is a value that the product has for self", "cubeMathType", "self", bad=unknown_math), empty("self"),
)  # fmt: skip
def avg_pool_2d(p: Planning) -> None:
    """out = the sum of each window of self, divided by divisorOverride if it is not 0, otherwise by the number of
    elements of the window. countIncludePad: elements of the padding count."""
    x, pool = p.read("self", computed(p)), FORWARD(p)
    sizes = x.shape[-2:]
    p.store("out", p.step(average, [x], pooled(p, pool), x.dtype, windows=pool.windows(sizes),
                          divisor=divisors(p, pool, sizes)))  # fmt: skip


def stride_bad(a: Arguments) -> Bad:
    if a["stride"] is None:
        return None
    values = a["stride"].values
    return None if len(values) <= 2 and min(values, default=1) > 0 else (list(values), "at most 2 numbers above 0")


def small_divisor(a: Arguments) -> Bad:
    fits = a.soc.series in WITH_FLOAT or -255 <= a["divisorOverride"] <= 255
    return None if fits else (a["divisorOverride"], "[-255, 255]")


def forward_shape(a: Arguments) -> Shape:
    return pooled(a, BACKWARD(a))


@planned(
    "aclnnAvgPool2dBackward", listed("gradOutput", "self", "gradInput", among=SHORT_FLOAT),
    same_dtype("gradInput", as_="gradOutput"), channels_first("gradOutput", "self", "gradInput"),
    ranks("gradOutput", "self", "gradInput"), same_rank("gradOutput", "self"), length("kernelSize", 1, 2),
    at_least("kernelSize", 1), demand("{0} has at most two numbers above 0", "stride", bad=stride_bad),
    length("padding", 1, 2), at_least("padding", 0), half_of_the_kernel(), in_range("cubeMathType", 0, 3),
    same_shape("gradInput", as_="self"),
    demand("{0} lies in [-255, 255] before Atlas A2", "divisorOverride", bad=small_divisor),
    empty("gradOutput", "self", "gradInput"),
    shape("gradOutput", "{0} has an element for each window", forward_shape),
)  # fmt: skip
def avg_pool_2d_backward(p: Planning) -> None:
    """gradInput = the gradient of aclnnAvgPool2d: each window adds its gradOutput, divided by its divisor, to its
    elements"""
    grad, pool = p.read("gradOutput"), BACKWARD(p)
    sizes = p.shape("self")[-2:]
    p.store("gradInput", p.step(average_back, [grad], p.shape("self"), grad.dtype, windows=pool.windows(sizes),
                                divisor=divisors(p, pool, sizes), sizes=sizes))  # fmt: skip
