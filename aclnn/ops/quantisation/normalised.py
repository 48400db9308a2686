"""AddRmsNormQuant and AddRmsNormDynamicQuant: the sum of two tensors, normalised and quantised, once or twice."""

from math import prod
from typing import Final

import numpy as np

from aclnn.op import (
    PLAN, TILING, Arguments, Array, Operand, Planning, Relation, Shape, T, empty, in_parts, listed, only_if, planned,
    ranks, same_dtype, same_shape, shape,
)  # fmt: skip
from aclnn.ops.norm._family import not_above, trailing
from aclnn.ops.norm.root_mean_square import inverse_rms
from aclnn.ops.quantisation._family import by_rows, grid, with_scales

ADDED: Final = (
    listed("x1"), *(same_dtype(name, "x1") for name in ("x2", "gamma", "xOut")),
)  # fmt: skip
SCALES, ZEROS = ("scales1", "scales2Optional"), ("zeroPoints1Optional", "zeroPoints2Optional")
SMOOTH, OUTPUTS = ("smoothScale1Optional", "smoothScale2Optional"), ("y1Out", "y2Out")


def twice(a: Arguments) -> bool:
    """True if the sum is quantised a second time."""
    return a.given("scales2Optional")


def like_gamma(*names: str) -> list[Relation]:
    return [same_shape(name, "gamma", status=TILING) for name in names]


def rows(p: Planning) -> Shape:
    """The number of rows of x1, and the number of elements of gamma, which a row has."""
    count = prod(p.shape("gamma"))
    return prod(p.shape("x1")) // count, count


def normalised(p: Planning) -> tuple[Operand, Operand]:
    """The sum, and the sum divided by the root of its mean square and multiplied by gamma, both in FLOAT."""
    sizes = rows(p)
    inputs = [p.builder.reshape(p.read(name), sizes) for name in ("x1", "x2")]
    x = p.step(np.add, inputs, sizes, T.ACL_FLOAT)
    gamma = p.builder.reshape(p.read("gamma"), (sizes[1],))
    return x, p.step(scaled, [x, gamma], sizes, T.ACL_FLOAT, epsilon=p["epsilon"])


def store(p: Planning, name: str, result: Operand) -> None:
    p.store(name, p.builder.reshape(result, p.shape(name)))


@in_parts([-1])
def scaled(x: Array, gamma: Array, *, epsilon: float) -> Array:
    return x * inverse_rms(x, epsilon=epsilon) * gamma


# static scales


@planned(
    "aclnnAddRmsNormQuant", *ADDED, listed(*SCALES, *ZEROS), same_dtype(SCALES[1], SCALES[0]),
    same_dtype(ZEROS[1], ZEROS[0]), listed(*OUTPUTS), same_dtype("y2Out", "y1Out"),
    ranks("x1", "x2", "gamma", *SCALES, *ZEROS, *OUTPUTS, "xOut", least=1, most=8), empty("x1", "gamma", "y2Out"),
    same_shape("x2", "x1", status=TILING), not_above("gamma", "x1", status=TILING),
    trailing("gamma", "x1", status=TILING), *like_gamma(*SCALES, *ZEROS), same_shape("y1Out", "x1", status=TILING),
    only_if("scales2Optional is given", twice, same_shape("y2Out", "x1", status=TILING)),
    same_shape("xOut", "x1", status=TILING),
)  # fmt: skip
def add_rms_norm_quant(p: Planning) -> None:
    """xOut = x1 + x2; r = xOut / sqrt(the mean of its squares + epsilon) * gamma, over the dimensions of gamma; y1Out =
    r / scales1 + zeroPoints1, rounded half to even, and saturated; with divMode false, r * scales1. y2Out is the same
    for scales2 and zeroPoints2, if these are given."""
    x, norm = normalised(p)
    for scales, zeros, out in zip(SCALES, ZEROS, OUTPUTS, strict=True):
        if p.given(scales):
            inputs = [p.builder.reshape(p.read(name), norm.shape[1:]) for name in (scales, zeros) if p.given(name)]
            attributes = grid(p.dtype(out))
            store(p, out, p.step(with_scales, [norm, *inputs], norm.shape, p.dtype(out), divides=p["divMode"],
                                 **attributes))  # fmt: skip
    store(p, "xOut", p.builder.cast(x, p.dtype("xOut")))


# dynamic scales


def lead(a: Arguments) -> Shape:
    return a.shape("x1")[:-1]


@planned(
    "aclnnAddRmsNormDynamicQuant", *ADDED, *(same_dtype(name, "gamma") for name in SMOOTH), listed(*OUTPUTS),
    same_dtype("y2Out", "y1Out"), listed("scale1Out", "scale2Out"), empty("x1", "gamma", "y2Out"),
    ranks("x1", least=1, most=8, status=TILING), same_shape("x2", "x1", status=TILING),
    shape("gamma", "{0} has an element for each of the last dimension of x1", lambda a: a.shape("x1")[-1:],
          status=TILING),
    *like_gamma(*SMOOTH), *(same_shape(name, "x1", status=PLAN) for name in (*OUTPUTS, "xOut")),
    *(shape(name, "{0} has an element for each row of x1", lead, status=PLAN) for name in ("scale1Out", "scale2Out")),
)  # fmt: skip
def add_rms_norm_dynamic_quant(p: Planning) -> None:
    """xOut = x1 + x2; r = xOut / sqrt(the mean of its squares + epsilon) * gamma; z = r * smoothScale1; scale1Out =
    max|z| / M of each row, and y1Out = z / scale1Out, rounded half to even; M is the greatest number of the data type.
    y2Out and scale2Out are the same for smoothScale2, and are not written if smoothScale2 is null."""
    x, norm = normalised(p)
    for smooth, out, scale in zip(SMOOTH, OUTPUTS, ("scale1Out", "scale2Out"), strict=True):
        if p.given(smooth) or out == "y1Out":
            inputs = [p.read(smooth)] if p.given(smooth) else []
            results = [(norm.shape, p.dtype(out)), ((norm.shape[0], 1), T.ACL_FLOAT)]
            y, statistics = p.steps(by_rows, [norm, *inputs], results, **grid(p.dtype(out)))
            store(p, out, y)
            store(p, scale, statistics)
    store(p, "xOut", p.builder.cast(x, p.dtype("xOut")))
