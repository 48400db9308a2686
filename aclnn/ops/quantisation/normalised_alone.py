"""RmsNormQuant and RmsNormDynamicQuant: a tensor that is normalised, shifted and quantised."""

from math import prod

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Operand, Planning, Relation, Shape, T, demand, in_parts, listed, may_be_null,
    needed_if, not_negative, one_of, only_if, planned, ranks, refused_by_kernel, same_dtype, same_shape, shape,
    with_elements,
)  # fmt: skip
from aclnn.ops.norm.root_mean_square import inverse_rms
from aclnn.ops.quantisation._family import (
    by_rows,
    grid,
    held_in,
    on_grid,
    packed_shape,
    store_quantised,
    with_scales,
)  # fmt: skip
from aclnn.ops.quantisation.normalised import scaled


def columns(a: Arguments) -> Shape:
    return a.shape("x")[-1:]


def rows(a: Arguments) -> Shape:
    return prod(a.shape("x")[:-1]), a.shape("x")[-1]


def lead(a: Arguments) -> Shape:
    return a.shape("x")[:-1]


def other_columns(name: str) -> Relation:
    """Checks that a tensor has the last dimension of x; an INT32 output has an eighth of it."""

    def bad(a: Arguments) -> Bad:
        own, dtype = a.shape(name)[-1], a.dtype(name)
        count = own * 8 if dtype == T.ACL_INT32 else own
        return None if count == a.shape("x")[-1] else (own, f"{packed_shape(columns(a), dtype)[0]}, by those of x")

    return demand("{0} has the last dimension of x, as INT32 an eighth of it", name, bad=bad)


def one_row(name: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        return None if a[name].numel == a.shape("x")[-1] else (list(a.shape(name)), f"{a.shape('x')[-1]} elements")

    return demand("{0} has one row", name, bad=bad)


def one_or_all(name: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        allowed = (1, a.shape("x")[-1])
        return None if a[name].numel in allowed else (list(a.shape(name)), f"{allowed[0]} or {allowed[1]} elements")

    return demand("{0} has one element, or one for each column", name, bad=bad)


def normal(p: Planning) -> Operand:
    """The rows of x, normalised and times gamma, in FLOAT."""
    x = p.builder.reshape(p.read("x"), rows(p))
    return p.step(scaled, [x, vector(p, "gamma")], rows(p), T.ACL_FLOAT, epsilon=p["epsilon"])


def vector(p: Planning, name: str) -> Operand:
    return p.builder.reshape(p.read(name), (p[name].numel,))


def as_whole(p: Planning, result: Operand) -> Operand:
    return p.builder.reshape(result, p.shape("x"))


@planned(
    "aclnnRmsNormQuant", listed("x", "gamma", "beta", "scale", "offset", "y"),
    *(same_dtype(name, "x") for name in ("gamma", "beta", "scale")), ranks("x", "y", "gamma", "beta"),
    *map(other_columns, ("gamma", "y")), same_shape("beta", "gamma"), same_shape("offset", "scale"),
    refused_by_kernel(
        with_elements("x"), one_row("gamma"), one_or_all("scale"),
        shape("y", "{0} has the shape of x", lambda a: packed_shape(a.shape("x"), a.dtype("y"))),
    ),
)  # fmt: skip
def rms_norm_quant(p: Planning) -> None:
    """y = (x / sqrt(the mean of its squares + epsilon) * gamma + beta) * (1 / scale) + offset, over the last dimension;
    rounded to FLOAT16, then half to even to an integer, and saturated. An INT32 of y has eight INT4."""
    inputs = [normal(p), *(vector(p, name) for name in ("beta", "scale", "offset"))]
    attributes = grid(held_in(p.dtype("y")))
    y = p.step(through_half, inputs, rows(p), held_in(p.dtype("y")), **attributes)
    store_quantised(p, "y", as_whole(p, y))


@in_parts([-1])
def through_half(
    norm: Array, beta: Array, scale: Array, offset: Array, *, rounding: str, limits: tuple[float, float]
) -> Array:  # fmt: skip
    values = (norm + beta) * np.reciprocal(scale) + offset.astype(np.float32)
    return on_grid(values.astype(np.float16).astype(np.float32), rounding=rounding, limits=limits)


SMOOTH, BETA = "smoothScalesOptional", "betaOptional"


@planned(
    "aclnnRmsNormDynamicQuant", listed("x", "yOut", "scaleOut"),
    *(same_dtype(name, "x") for name in ("gamma", SMOOTH, BETA)),
    ranks("x", "gamma", status=TILING), with_elements("x", status=TILING),
    shape("gamma", "{0} has an element for each column of x", columns, status=TILING),
    *(same_shape(name, "gamma", status=TILING) for name in (SMOOTH, BETA)), one_of("dstType", 2, status=TILING),
    same_shape("yOut", "x", status=TILING), shape("scaleOut", "{0} has an element for each row of x", lead,
                                                  status=TILING),
    not_negative("epsilon", status=TILING, provenance="ours"),
)  # fmt: skip
def rms_norm_dynamic_quant(p: Planning) -> None:
    """n = x / sqrt(the mean of its squares + epsilon) * gamma + beta, over the last dimension; z = n * smoothScales;
    scaleOut = max|z| / 127 of each row; yOut = z / scaleOut, rounded half to even"""
    norm = normal(p)
    if p.given(BETA):
        norm = p.step(np.add, [norm, vector(p, BETA)], norm.shape, T.ACL_FLOAT)
    smooth = [vector(p, SMOOTH)] if p.given(SMOOTH) else []
    results = [(norm.shape, T.ACL_INT8), ((norm.shape[0], 1), T.ACL_FLOAT)]
    y, scale = p.steps(by_rows, [norm, *smooth], results, **grid(T.ACL_INT8))
    p.store("yOut", as_whole(p, y))
    p.store("scaleOut", p.builder.reshape(scale, lead(p)))


def wants_rstd(a: Arguments) -> bool:
    return a["outputRstd"]


def wrong_rstd(a: Arguments) -> Bad:
    return (
        None if a["rstd"].numel == rows(a)[0] else (list(a.shape("rstd")), f"{rows(a)[0]} elements, one for each row")
    )


ALL = ("x", "gamma", "scale", "offset", "beta", "y")


@planned(
    "aclnnRmsNormQuantV3", may_be_null("rstd", "offset", "beta"), needed_if("rstd", "outputRstd"),
    ranks("gamma", "beta", "scale"),
    refused_by_kernel(
        listed(*ALL), *(same_dtype(name, "x") for name in ("gamma", "beta")), ranks("x", "y"), with_elements("x"),
        *map(one_row, ("gamma", "beta")), one_or_all("scale"), same_shape("offset", "scale"),
        shape("y", "{0} has the shape of x", lambda a: packed_shape(a.shape("x"), a.dtype("y"))),
        only_if("rstd is asked for", wants_rstd, demand("{0} has an element for each row of {1}", "rstd", "x",
                                                        bad=wrong_rstd)),
    ),
)  # fmt: skip
def rms_norm_quant_v3(p: Planning) -> None:
    """n = x * rstd * gamma + beta, with rstd = 1 / sqrt(the mean of x^2 + epsilon) over the last dimension; y = n /
    scale + offset, or with divMode false n * scale + offset, rounded half to even, and saturated. An INT32 of y has
    eight INT4. rstd is written if outputRstd is true."""
    norm = normal(p)
    if p.given("beta"):
        norm = p.step(np.add, [norm, vector(p, "beta")], norm.shape, T.ACL_FLOAT)
    dtype, scales = held_in(p.dtype("y")), [vector(p, name) for name in ("scale", "offset") if p.given(name)]
    y = p.step(with_scales, [norm, *scales], norm.shape, dtype, divides=p["divMode"], **grid(dtype))
    store_quantised(p, "y", as_whole(p, y))
    if wants_rstd(p) and p.given("rstd"):
        x = p.builder.reshape(p.read("x"), rows(p))
        rstd = p.step(inverse_rms, [x], (rows(p)[0], 1), T.ACL_FLOAT, epsilon=p["epsilon"])
        p.store("rstd", p.builder.reshape(rstd, p.shape("rstd")))
