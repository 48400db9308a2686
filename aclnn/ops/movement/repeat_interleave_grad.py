"""The gradient of RepeatInterleave, which only Ascend 950 has. The order of the checks is ours."""

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Planning, Shape, aclDataType, axis, demand, empty, listed, planned, ranks, runs,
    same_dtype, shape,
)  # fmt: skip


def no_repeats(a: Arguments) -> Bad:
    return None if a["repeats"].numel else (list(a.shape("repeats")), "at least one number")


def gradient_shape(a: Arguments) -> Shape:
    whole, axis = a.shape("yGrad"), a.axis("axis", "yGrad")
    return (*whole[:axis], a["repeats"].numel, *whole[axis + 1 :])


@planned(
    "aclnnRepeatInterleaveGrad", listed("yGrad", "repeats"), same_dtype("out", as_="yGrad"),
    ranks("yGrad", least=1, most=8), ranks("repeats", least=1, most=1), axis("axis", of="yGrad"),
    demand("{0} has numbers", "repeats", bad=no_repeats, status=TILING),
    shape("out", "{0} has the dimensions of yGrad, and axis is as long as repeats", gradient_shape), empty("yGrad"),
)  # fmt: skip
def repeat_interleave_grad(p: Planning) -> None:
    """out = the sums of yGrad along axis: of the first repeats[0] slices, of the next repeats[1], and so on"""
    x, repeats, axis = p.read("yGrad", aclDataType.ACL_FLOAT), p.read("repeats"), p.axis("axis", "yGrad")
    p.store("out", p.step(of_runs, [x, repeats], gradient_shape(p), x.dtype, axis=axis))


def of_runs(x: Array, repeats: Array, *, axis: int) -> Array:
    """The sum of each run of slices. A run ends at the last slice at the latest; a negative number is 0."""
    run = runs(repeats, x.shape[axis])
    slices = np.moveaxis(x, axis, 0)
    sums = np.zeros((len(repeats), *slices.shape[1:]), np.float64)
    np.add.at(sums, run, slices[: len(run)])
    return np.moveaxis(sums, 0, axis).astype(np.float32)
