"""Group normalisation with swish, and its gradient: generated operators."""

from math import prod

import numpy as np

from aclnn.op import (
    SHORT_FLOAT, TILING, Arguments, Array, Bad, Planning, Shape, T, demand, done, generated, listed, planned, ranks,
    same_dtype, same_shape, shape, total, type_rows, with_elements,
)  # fmt: skip
from aclnn.ops.activation._family import sigmoid
from aclnn.ops.norm._family import FLOAT, slope_of_normalised
from aclnn.ops.norm.group import activated

ROWS: dict[int, tuple[int, ...]] = {
    T.ACL_FLOAT: (T.ACL_FLOAT,),
    T.ACL_FLOAT16: (T.ACL_FLOAT16, T.ACL_FLOAT),
    T.ACL_BF16: (T.ACL_BF16, T.ACL_FLOAT),
}  # fmt: skip


def uneven(a: Arguments) -> Bad:
    count, groups = a.shape("x")[1], a["numGroups"]
    good = groups > 0 and count % groups == 0
    return None if good else (groups, f"a positive number that divides the {count} channels")


def channels(a: Arguments) -> Shape:
    return a.shape("x")[1:2]


def per_group(a: Arguments) -> Shape:
    return a.shape("x")[0], a["numGroups"]


DIVIDES = demand("{0} is positive and divides the channels of {1}", "numGroups", "x", bad=uneven, status=TILING,
                 broken="{0} is not positive, or does not divide the channels of {1}")  # fmt: skip


def view(a: Arguments) -> tuple[int, int, int, int]:
    """x as (N, groups, channels of a group, inner)."""
    shape, groups = a.shape("x"), a["numGroups"]
    return shape[0], groups, shape[1] // groups, prod(shape[2:])


@planned(
    "aclnnGroupNormSwish", generated(),
    listed("x", "gamma", among=SHORT_FLOAT, provenance="public"), type_rows(("x", "gamma"), ROWS),
    same_dtype("beta", as_="gamma"), same_dtype("yOut", as_="x"), same_dtype("meanOut", as_="gamma"),
    same_dtype("rstdOut", as_="gamma"),
    done("all outputs are empty", "yOut", "meanOut", "rstdOut",
         when=lambda a: a["yOut"].numel == a["meanOut"].numel == a["rstdOut"].numel == 0),
    ranks("x", least=2, most=8, status=TILING), ranks("gamma", "beta", least=1, most=1, status=TILING),
    *(shape(name, "{0} has one element for each channel", channels, status=TILING) for name in ("gamma", "beta")),
    DIVIDES, same_shape("yOut", "x", status=TILING),
    *(shape(name, "{0} has the shape (N, numGroups)", per_group, status=TILING) for name in ("meanOut", "rstdOut")),
    with_elements("x", status=TILING),
)  # fmt: skip
def group_norm_swish(p: Planning) -> None:
    """yOut = y / (1 + exp(-swishScale * y)), or y if activateSwish is false, where y = (x - mean) * rstd * gamma +
    beta, with mean and rstd = 1 / sqrt(var + eps) over a group of channels"""
    rows, groups, per_group, _ = whole = view(p)
    x = p.builder.reshape(p.read("x", FLOAT), whole)
    affine = [p.builder.reshape(p.read(name, FLOAT), (1, groups, per_group, 1)) for name in ("gamma", "beta")]
    results = [(whole, p.dtype("x")), *[((rows, groups, 1, 1), p.dtype("gamma"))] * 2]
    scale = p["swishScale"] if p["activateSwish"] else None
    outputs = p.steps(activated, [x, *affine], results, eps=p["eps"], scale=scale)
    for name, result in zip(("yOut", "meanOut", "rstdOut"), outputs, strict=True):
        p.store(name, p.builder.reshape(result, p.shape(name)))


OF_TYPE_OF_DY = ("mean", "rstd", "x", "gamma", "beta", "dxOut", "dgammaOut", "dbetaOut")


@planned(
    "aclnnGroupNormSwishGrad", generated(), listed("dy", among=SHORT_FLOAT, provenance="public"),
    *(same_dtype(name, as_="dy") for name in OF_TYPE_OF_DY),
    done("all outputs are empty", "dxOut", "dgammaOut", "dbetaOut",
         when=lambda a: a["dxOut"].numel == a["dgammaOut"].numel == a["dbetaOut"].numel == 0),
    ranks("x", least=2, most=8, status=TILING), same_shape("dy", "x", status=TILING), with_elements("x", status=TILING),
    DIVIDES,
    *(shape(name, "{0} has the shape (N, numGroups)", per_group, status=TILING) for name in ("mean", "rstd")),
    *(shape(name, "{0} has one element for each channel", channels, status=TILING)
      for name in ("gamma", "beta", "dgammaOut", "dbetaOut")),
    same_shape("dxOut", "x", status=TILING),
)  # fmt: skip
def group_norm_swish_grad(p: Planning) -> None:
    """dxOut = (g - the mean of g - h * the mean of g * h) * rstd, with h = (x - mean) * rstd and g = dz * gamma; a mean
    is over a group of channels. dbetaOut = the sums of dz by channel, dgammaOut = the sums of dz * h. dz = dy * s * (1
    + swishScale * z * (1 - s)), with z = h * gamma + beta and s = sigmoid(swishScale * z)"""
    rows, groups, per_group, _ = whole = view(p)
    dy, x = (p.builder.reshape(p.read(name, FLOAT), whole) for name in ("dy", "x"))
    statistics = [p.builder.reshape(p.read(name, FLOAT), (rows, groups, 1, 1)) for name in ("mean", "rstd")]
    affine = [p.builder.reshape(p.read(name, FLOAT), (1, groups, per_group, 1)) for name in ("gamma", "beta")]
    inputs = [dy, x, *statistics, *affine]
    dx = p.step(input_grad, inputs, whole, p.dtype("x"), scale=p["swishScale"])
    p.store("dxOut", p.builder.reshape(dx, p.shape("x")))
    for flag, name, kernel in (("dgammaIsRequire", "dgammaOut", slopes), ("dbetaIsRequire", "dbetaOut", sums)):
        if p[flag]:
            result = p.step(kernel, inputs, (1, groups, per_group, 1), FLOAT, scale=p["swishScale"])
            p.store(name, p.builder.reshape(result, p.shape(name)))


def before_swish(
    dy: Array, x: Array, mean: Array, rstd: Array, gamma: Array, beta: Array, scale: float
) -> tuple[Array, Array]:  # fmt: skip
    """h, and the gradient dz of the input of swish."""
    h = (x - mean) * rstd
    scaled = (h * gamma + beta) * np.float32(scale)
    s = sigmoid(scaled)
    return h, dy * s * (1 + scaled * (1 - s))


def input_grad(
    dy: Array, x: Array, mean: Array, rstd: Array, gamma: Array, beta: Array, *, scale: float
) -> Array:  # fmt: skip
    h, dz = before_swish(dy, x, mean, rstd, gamma, beta, scale)
    return slope_of_normalised(dz * gamma, h, rstd, (2, 3))


def slopes(dy: Array, x: Array, mean: Array, rstd: Array, gamma: Array, beta: Array, *, scale: float) -> Array:
    h, dz = before_swish(dy, x, mean, rstd, gamma, beta, scale)
    return total(dz * h, (0, 3), keepdims=True)


def sums(dy: Array, x: Array, mean: Array, rstd: Array, gamma: Array, beta: Array, *, scale: float) -> Array:
    return total(before_swish(dy, x, mean, rstd, gamma, beta, scale)[1], (0, 3), keepdims=True)
