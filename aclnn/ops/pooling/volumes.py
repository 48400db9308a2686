"""Average pooling in three dimensions, forward and backward."""

from aclnn.op import (
    Arguments, Bad, Planning, at_least, demand, empty, length, listed, planned, public_format, ranks, same_dtype,
    same_format, same_rank, same_shape, shape,
)  # fmt: skip
from aclnn.ops.pooling._family import half_of_the_kernel, pool_from, pooled, spread
from aclnn.ops.pooling.average import divisors
from aclnn.ops.pooling.sums import average, average_back

POOL = pool_from(3, dilated=False)


def large_kernel(a: Arguments) -> Bad:
    kernel, sizes = spread(a["kernelSize"].values, 3), a.shape("self")[-3:]
    fits = all(k <= size for k, size in zip(kernel, sizes, strict=True))
    return None if fits else (list(kernel), f"at most {list(sizes)}, as self")


LENGTHS = (length("kernelSize", 1, 3), length("stride", 0, 1, 3), length("padding", 1, 3))
VALUES = (at_least("kernelSize", 1), at_least("stride", 1), at_least("padding", 0), half_of_the_kernel(dims=3))


@planned(
    "aclnnAvgPool3d", listed("self"), listed("out", like="self"), same_dtype("out", as_="self"),
    same_format("out", "self", storage=False), public_format("self"), ranks("self", "out"), same_rank("out", "self"),
    *LENGTHS, VALUES[0], demand("{0} is at most as long as self", "kernelSize", "self", bad=large_kernel), *VALUES[1:],
    shape("out", "{0} has an element for each window", lambda a: pooled(a, POOL(a))), empty("self"),
)  # fmt: skip
def avg_pool_3d(p: Planning) -> None:
    """out = the sum of each window of self, divided as in aclnnAvgPool2d"""
    x, pool = p.read("self"), POOL(p)
    sizes = x.shape[-3:]
    p.store("out", p.step(average, [x], p.shape("out"), x.dtype, windows=pool.windows(sizes),
                          divisor=divisors(p, pool, sizes)))  # fmt: skip


@planned(
    "aclnnAvgPool3dBackward", listed("gradOutput", "self", "output"), same_dtype("self", as_="gradOutput"),
    same_dtype("output", as_="gradOutput"), ranks("gradOutput", "self", "output"), same_rank("gradOutput", "self"),
    *LENGTHS, *VALUES, same_format("output", "gradOutput", storage=False), same_shape("output", as_="self"),
    empty("gradOutput"), shape("gradOutput", "{0} has an element for each window", lambda a: pooled(a, POOL(a))),
)  # fmt: skip
def avg_pool_3d_backward(p: Planning) -> None:
    """output = the gradient of aclnnAvgPool3d: each window adds its gradOutput, divided by its divisor, to its
    elements"""
    grad, pool = p.read("gradOutput"), POOL(p)
    sizes = p.shape("self")[-3:]
    p.store("output", p.step(average_back, [grad], p.shape("self"), grad.dtype, windows=pool.windows(sizes),
                             divisor=divisors(p, pool, sizes), sizes=sizes))  # fmt: skip
