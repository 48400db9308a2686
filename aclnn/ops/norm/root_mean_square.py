"""Normalisation by the root of the mean square: RmsNorm and its gradient, AddRmsNorm and InplaceAddRmsNorm."""

from math import prod

import numpy as np

from aclnn.op import (
    ACLNN_ERR_PARAM_NULLPTR, NEWER, PLAN, SHORT_FLOAT, TILING, Arguments, Array, Bad, Operand, Planning, Relation,
    Shape, T, demand, done, empty, generated, listed, not_negative, planned, ranks, same_dtype, same_shape, shape,
    total, type_rows, with_elements,
)  # fmt: skip
from aclnn.ops.norm._family import FLOAT, average, not_above, statistics, store_statistics, trailing


def pairs_of_types(a: Arguments) -> dict[int, tuple[int, ...]]:
    """The data types of gamma, by that of x: the same one, or FLOAT from A2 on."""
    wide = (T.ACL_FLOAT,) if a.soc.series in NEWER else ()
    return {T.ACL_FLOAT: (T.ACL_FLOAT,), **{each: (each, *wide) for each in (T.ACL_FLOAT16, T.ACL_BF16)}}


def rules(*types: Relation) -> tuple[Relation, ...]:
    """The checks of RmsNorm, with those of data types."""
    return (
        generated(), *types, same_dtype("yOut", as_="x"), listed("rstdOut", among=(T.ACL_FLOAT,)),
        done("yOut and rstdOut are empty", "yOut", "rstdOut",
             when=lambda a: a["yOut"].numel == a["rstdOut"].numel == 0),
        ranks("x", "gamma", least=1, most=8, status=TILING), not_above("gamma", "x", status=TILING),
        same_shape("yOut", "x", status=TILING), trailing("gamma", "x", status=TILING),
        with_elements("gamma", status=TILING), with_elements("x", status=TILING),
        statistics("rstdOut", "x", "gamma", status=TILING), not_negative("epsilon", status=TILING, provenance="public"),
    )  # fmt: skip


@planned(
    "aclnnRmsNorm",
    *rules(listed("x", "gamma", among=SHORT_FLOAT, provenance="public"), type_rows(("x", "gamma"), pairs_of_types)),
)
def rms_norm(p: Planning) -> None:
    """yOut = x * rstd * gamma, where rstd = 1 / sqrt(the mean of x^2 + epsilon) over the dimensions of gamma"""
    normalise(p, shift=0)


def normalise(p: Planning, *, shift: int) -> None:
    count = prod(p.shape("gamma"))
    lead = prod(p.shape("x")) // count
    x = p.builder.reshape(p.read("x"), (lead, count))
    gamma = p.builder.reshape(p.read("gamma"), (count,))
    results = [(x.shape, x.dtype), ((lead, 1), FLOAT)]
    y, rstd = p.steps(rms, [x, gamma], results, epsilon=p["epsilon"], shift=shift)
    p.store("yOut", p.builder.reshape(y, p.shape("yOut")))
    store_statistics(p, "rstdOut", rstd)


def rms(x: Array, gamma: Array, *, epsilon: float, shift: int) -> tuple[Array, Array]:
    rstd = inverse_rms(x, epsilon=epsilon)
    return x * rstd * (gamma + np.float32(shift) if shift else gamma), rstd


def inverse_rms(x: Array, *, epsilon: float) -> Array:
    """1 / sqrt(the mean of x^2 + epsilon) of each row."""
    return 1 / np.sqrt(average(x * x, 1) + np.float32(epsilon))


def without_sum(a: Arguments) -> Bad:
    return None if a.given("xOut") else ("a tensor", "null, as xOut is null")


def has_rstd(a: Arguments) -> bool:
    """True if both rstdOut and xOut are given. Without rstdOut, gamma has one row of the last dimension."""
    return a.given("rstdOut")


def gamma_shape(a: Arguments) -> Shape:
    whole = a.shape("x1")
    return whole[max(len(whole) - a.rank("gamma"), 0) :] if has_rstd(a) else (1, *whole[-1:])


def too_many_dimensions(a: Arguments) -> Bad:
    wide = has_rstd(a) or a.rank("gamma") <= 2
    return None if wide else (list(a.shape("gamma")), "at most 2 dimensions without rstdOut")


def float_without_rstd(a: Arguments) -> Bad:
    narrow = has_rstd(a) or a.dtype("x1") != T.ACL_FLOAT
    return None if narrow else ("DT_FLOAT", "16 bits without rstdOut")


@planned(
    "aclnnAddRmsNorm",
    demand("{0} is null if xOut is null", "rstdOut", bad=without_sum, status=ACLNN_ERR_PARAM_NULLPTR),
    listed("x1", among=SHORT_FLOAT, provenance="public"),
    *(same_dtype(name, as_="x1") for name in ("x2", "gamma", "yOut", "xOut")), listed("rstdOut", among=(T.ACL_FLOAT,)),
    demand("{0} has 16 bits if rstdOut is null", "x1", bad=float_without_rstd, provenance="public"),
    ranks("x1", "x2", "gamma", "yOut", "rstdOut", "xOut", least=1, most=8),
    demand("{0} has at most 2 dimensions if rstdOut is null", "gamma", bad=too_many_dimensions),
    *(same_shape(name, "x1") for name in ("x2", "yOut", "xOut")),
    empty("x1", "gamma"),
    not_above("gamma", "x1", status=PLAN),
    shape("gamma", "{0} has the last dimensions of x1", gamma_shape, status=PLAN),
    statistics("rstdOut", "x1", "gamma", status=PLAN), not_negative("epsilon", status=PLAN, provenance="public"),
)  # fmt: skip
def add_rms_norm(p: Planning) -> None:
    """x = x1 + x2; yOut = x * rstd * gamma, where rstd = 1 / sqrt(the mean of x^2 + epsilon) over the dimensions of
    gamma. FLOAT16 is rounded after each step; a sum of BFLOAT16 is not rounded before it is used."""
    add_and_normalise(p, ("x1", "x2"), ("yOut", "xOut"))


def add_and_normalise(
    p: Planning, inputs: tuple[str, str], outs: tuple[str, str], *, once: bool = False
) -> tuple[Operand, Operand]:  # fmt: skip
    """Plans x and y, as rows, and returns y and x. `once`: a product of BFLOAT16 is rounded after gamma only."""
    dtype, count = p.dtype(inputs[0]), prod(p.shape("gamma"))
    rows = (prod(p.shape(inputs[0])) // count, count)
    wide = FLOAT if dtype == T.ACL_BF16 else dtype
    operands = [p.builder.reshape(p.read(name), rows) for name in inputs]
    x = p.step(np.add, operands, rows, wide)
    gamma = p.builder.reshape(p.read("gamma"), (count,))
    rstd = p.step(inverse_rms, [x], (rows[0], 1), FLOAT, epsilon=p["epsilon"])
    scaled = p.step(np.multiply, [x, rstd], rows, wide if once else dtype)
    results = (p.step(np.multiply, [scaled, gamma], rows, dtype), p.builder.cast(x, dtype))
    store_statistics(p, "rstdOut", rstd)
    for name, result in zip(outs, results, strict=True):
        if p.given(name):
            p.store(name, p.builder.reshape(result, p.shape(name)))
    return results


@planned(
    "aclnnInplaceAddRmsNorm", generated(), listed("x1Ref", among=SHORT_FLOAT, provenance="public"),
    same_dtype("x2Ref", as_="x1Ref"), same_dtype("gamma", as_="x1Ref"), listed("rstdOut", among=(T.ACL_FLOAT,)),
    done("x1Ref and rstdOut are empty", "x1Ref", "rstdOut", when=lambda a: a["x1Ref"].numel == a["rstdOut"].numel == 0),
    ranks("x1Ref", "gamma", least=1, most=8, status=TILING), same_shape("x2Ref", "x1Ref", status=TILING),
    not_above("gamma", "x1Ref", status=TILING), trailing("gamma", "x1Ref", status=TILING),
    with_elements("gamma", status=TILING), with_elements("x1Ref", status=TILING),
    statistics("rstdOut", "x1Ref", "gamma", status=TILING),
    not_negative("epsilon", status=TILING, provenance="public"),
)  # fmt: skip
def inplace_add_rms_norm(p: Planning) -> None:
    """x2Ref becomes x = x1Ref + x2Ref, and x1Ref becomes x * rstd * gamma, as in aclnnAddRmsNorm"""
    add_and_normalise(p, ("x1Ref", "x2Ref"), ("x1Ref", "x2Ref"))


def leading(a: Arguments) -> Bad:
    """Checks that rstd has the leading dimensions of x, then a 1 for each dimension of gamma. A shorter rstd has only
    leading dimensions, and may omit the last ones of size 1."""
    whole, shape, kept_dims = a.shape("x"), a.shape("rstd"), a.rank("x") - a.rank("gamma")
    short = shape == whole[: len(shape)] and set(whole[len(shape) : kept_dims]) <= {1} and len(shape) <= kept_dims
    good = short or shape == (*whole[:kept_dims], *(1,) * a.rank("gamma"))
    return None if good else (list(shape), f"{list(whole[:kept_dims])}, and ones")


def no_columns(a: Arguments) -> Bad:
    return (list(a.shape("x")), "a last dimension with elements") if a.shape("x")[-1] == 0 else None


@planned(
    "aclnnRmsNormGrad", generated(), listed("x", "gamma", among=SHORT_FLOAT, provenance="public"),
    type_rows(("x", "gamma"), pairs_of_types), same_dtype("dy", as_="x"), same_dtype("dxOut", as_="x"),
    listed("rstd", "dgammaOut", among=(T.ACL_FLOAT,)),
    done("dxOut and dgammaOut are empty", "dxOut", "dgammaOut",
         when=lambda a: a["dxOut"].numel == a["dgammaOut"].numel == 0),
    ranks("x", "gamma", least=1, most=8, status=TILING), same_shape("dy", "x", status=TILING),
    same_shape("dxOut", "x", status=TILING), demand("{0} has columns", "x", bad=no_columns, status=TILING),
    not_above("gamma", "x", status=TILING), trailing("gamma", "x", status=TILING),
    same_shape("dgammaOut", "gamma", status=TILING),
    demand("{0} has the dimensions of {1} before those of {2}", "rstd", "x", "gamma", bad=leading, status=TILING),
)  # fmt: skip
def rms_norm_grad(p: Planning) -> None:
    """dxOut = (g - h * the mean of g * h) * rstd, with h = x * rstd and g = dy * gamma; the mean is over the dimensions
    of gamma. dgammaOut = the sum of dy * h over the other dimensions"""
    count = prod(p.shape("gamma"))
    lead = prod(p.shape("x")) // count
    dy, x = (p.builder.reshape(p.read(name, FLOAT), (lead, count)) for name in ("dy", "x"))
    rstd = p.builder.reshape(p.read("rstd"), (lead, 1))
    gamma = p.builder.reshape(p.read("gamma", FLOAT), (count,))
    dx = p.step(input_grad, [dy, x, rstd, gamma], (lead, count), p.dtype("x"))
    p.store("dxOut", p.builder.reshape(dx, p.shape("x")))
    slopes = p.step(gamma_grad, [dy, x, rstd], (count,), FLOAT)
    p.store("dgammaOut", p.builder.reshape(slopes, p.shape("gamma")))


def input_grad(dy: Array, x: Array, rstd: Array, gamma: Array) -> Array:
    h, g = x * rstd, dy * gamma
    return (g - h * average(g * h, 1)) * rstd


def gamma_grad(dy: Array, x: Array, rstd: Array) -> Array:
    return total(dy * (x * rstd), 0)
