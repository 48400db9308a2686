"""Layer normalisation of a sum: AddLayerNorm, DeepNorm, and their gradients. They are generated operators."""

from math import prod

import numpy as np

from aclnn.op import (
    NEWER, SHORT_FLOAT, TILING, Arguments, Array, Bad, Operand, Planning, Relation, Shape, T, demand, done, generated,
    listed, planned, ranks, same_dtype, same_shape, shape, type_rows, with_elements,
)  # fmt: skip
from aclnn.ops.norm._family import FLOAT, not_above, trailing
from aclnn.ops.norm.layer import column_sums, input_grad, layers, weight_grad

F, H, B = T.ACL_FLOAT, T.ACL_FLOAT16, T.ACL_BF16


def pairs(a: Arguments) -> dict[int, tuple[int, ...]]:
    """The data types of x2, by that of x1: the same one, or from A2 on FLOAT with 16 bits."""
    return {F: (F, H, B), H: (H, F), B: (B, F)} if a.soc.series in NEWER else {F: (F,), H: (H,)}


def result(a: Arguments) -> int:
    """The data type of y and x: that of x1 and x2, or FLOAT if they differ."""
    return a.dtype("x1") if a.dtype("x1") == a.dtype("x2") else F


def of_result(name: str, *, wide: bool = False) -> Relation:
    """Checks that the data type is that of the sum. `wide`: FLOAT is also accepted, from A2 on."""

    def bad(a: Arguments) -> Bad:
        allowed = (result(a), F) if wide and a.soc.series in NEWER else (result(a),)
        return None if a.dtype(name) in allowed else (a.type_name(name), T(result(a)).name.replace("ACL_", "DT_"))

    words = "{0} has the data type of the sum, or FLOAT" if wide else "{0} has the data type of the sum"
    return demand(words, name, bad=bad)


def statistics(*names: str, reference: str) -> tuple[Relation, ...]:
    """Checks for the leading dimensions, then a 1 for each dimension of gamma."""

    def expected_shape(a: Arguments) -> Shape:
        return (*leading(a, reference), *(1,) * a.rank("gamma"))

    words = f"{{0}} has the leading dimensions of {reference}, then ones"
    return tuple(shape(name, words, expected_shape, status=TILING) for name in names)


def leading(a: Arguments, reference: str) -> Shape:
    return a.shape(reference)[: a.rank(reference) - a.rank("gamma")]


def bias_shape(a: Arguments) -> Bad:
    good = a.shape("biasOptional") in (a.shape("gamma"), a.shape("x1"))
    return None if good else (list(a.shape("biasOptional")), f"{list(a.shape('gamma'))} or {list(a.shape('x1'))}")


def nothing(*outs: str) -> Relation:
    return done("all outputs are empty", *outs, when=lambda a: all(a[name].numel == 0 for name in outs))


def all_in(reference: str, *names: str) -> tuple[Relation, ...]:
    return tuple(same_shape(name, reference, status=TILING) for name in names)


@planned(
    "aclnnAddLayerNorm", generated(), listed("x1", "x2", "gamma", "beta", among=SHORT_FLOAT, provenance="public"),
    type_rows(("x1", "x2"), pairs), of_result("gamma", wide=True), same_dtype("beta", as_="gamma"),
    of_result("biasOptional"), of_result("yOut"), of_result("xOut"), listed("meanOut", "rstdOut", among=(F,)),
    nothing("yOut", "meanOut", "rstdOut", "xOut"),
    ranks("x1", "gamma", least=1, most=8, status=TILING), not_above("gamma", "x1", status=TILING),
    *all_in("x1", "x2", "yOut", "xOut"), *all_in("gamma", "beta"), trailing("gamma", "x1", status=TILING),
    demand("{0} has the shape of {1} or {2}", "biasOptional", "gamma", "x1", bad=bias_shape, status=TILING),
    *statistics("meanOut", "rstdOut", reference="x1"), with_elements("x1", status=TILING),
)  # fmt: skip
def add_layer_norm(p: Planning) -> None:
    """x = x1 + x2 + biasOptional; yOut = (x - mean) * rstd * gamma + beta, with mean and rstd = 1 / sqrt(var + epsilon)
    over the dimensions of gamma. xOut = x if additionalOutput is true, otherwise xOut is not written."""
    count = prod(p.shape("gamma"))
    rows = (prod(leading(p, "x1")), count)
    terms = [p.builder.reshape(p.read(name, FLOAT), rows) for name in ("x1", "x2")]
    if p.given("biasOptional"):
        size = rows if p.shape("biasOptional") == p.shape("x1") else (count,)
        terms.append(p.builder.reshape(p.read("biasOptional", FLOAT), size))
    x = p.step(summed, terms, rows, FLOAT)
    normalise(p, x, rows, result(p))
    if p["additionalOutput"]:
        p.store("xOut", p.builder.reshape(p.builder.cast(x, result(p)), p.shape("x1")))


def normalise(p: Planning, x: Operand, rows: tuple[int, int], dtype: int) -> None:
    affine = [p.builder.reshape(p.read(name, FLOAT), rows[1:]) for name in ("gamma", "beta")]
    column = ((rows[0], 1), FLOAT)
    results = p.steps(layers, [x, *affine], [(rows, dtype), column, column], eps=p["epsilon"])
    for name, result in zip(("yOut", "meanOut", "rstdOut"), results, strict=True):
        p.store(name, p.builder.reshape(result, p.shape(name)))


def summed(x1: Array, x2: Array, bias: Array | None = None) -> Array:
    return x1 + x2 if bias is None else x1 + x2 + bias


@planned(
    "aclnnDeepNorm", generated(),
    listed("x", "gx", "beta", "gamma", "yOut", among=SHORT_FLOAT, provenance="public"),
    *(same_dtype(name, as_="x") for name in ("gx", "beta", "gamma", "yOut")),
    listed("meanOut", "rstdOut", among=(F,)), nothing("meanOut", "rstdOut", "yOut"),
    ranks("x", least=2, most=8, status=TILING), ranks("gamma", least=1, most=7, status=TILING),
    demand("{0} has fewer dimensions than {1}", "gamma", "x", status=TILING,
           bad=lambda a: None if a.rank("gamma") < a.rank("x") else (list(a.shape("gamma")), "fewer dimensions")),
    *all_in("x", "gx", "yOut"), trailing("gamma", "x", status=TILING), *all_in("gamma", "beta"),
    *statistics("meanOut", "rstdOut", reference="x"), with_elements("x", status=TILING),
)  # fmt: skip
def deep_norm(p: Planning) -> None:
    """s = alpha * x + gx; yOut = (s - mean) * rstd * gamma + beta, with mean and rstd = 1 / sqrt(var + epsilon) over
    the dimensions of gamma"""
    rows = (prod(leading(p, "x")), prod(p.shape("gamma")))
    inputs = [p.builder.reshape(p.read(name, FLOAT), rows) for name in ("x", "gx")]
    normalise(p, p.step(deep_sum, inputs, rows, FLOAT, alpha=p["alpha"]), rows, p.dtype("x"))


def deep_sum(x: Array, gx: Array, *, alpha: float) -> Array:
    return x * np.float32(alpha) + gx


def grads(p: Planning, x: Operand, rows: tuple[int, int], outs: tuple[str, str]) -> Operand:
    """The gradient of the sum x in FLOAT. The gradients of gamma and beta are stored in `outs`."""
    dy = p.builder.reshape(p.read("dy", FLOAT), rows)
    mean, rstd = (p.builder.reshape(p.read(name), (rows[0], 1)) for name in ("mean", "rstd"))
    gamma = p.builder.reshape(p.read("gamma", FLOAT), rows[1:])
    for name, kernel, inputs in zip(outs, (weight_grad, column_sums), ([dy, x, mean, rstd], [dy]), strict=True):
        p.store(name, p.builder.reshape(p.step(kernel, inputs, rows[1:], FLOAT), p.shape("gamma")))
    return p.step(input_grad, [dy, x, mean, rstd, gamma], rows, FLOAT)


@planned(
    "aclnnAddLayerNormGrad", generated(), listed("dy", among=SHORT_FLOAT, provenance="public"),
    *(same_dtype(name, as_="dy") for name in ("x1", "x2", "gamma", "dsumOptional", "dxOut")),
    listed("rstd", "mean", "dgammaOut", "dbetaOut", among=(F,)), nothing("dxOut", "dgammaOut", "dbetaOut"),
    ranks("dy", "gamma", least=1, most=8, status=TILING), not_above("gamma", "dy", status=TILING),
    *all_in("dy", "x1", "x2", "dsumOptional", "dxOut"), trailing("gamma", "dy", status=TILING),
    *all_in("gamma", "dgammaOut", "dbetaOut"), *statistics("rstd", "mean", reference="dy"),
    with_elements("dy", status=TILING),
)  # fmt: skip
def add_layer_norm_grad(p: Planning) -> None:
    """dxOut = (g - the mean of g - h * the mean of g * h) * rstd + dsumOptional, with h = (x1 + x2 - mean) * rstd and g
    = dy * gamma; dgammaOut = the sum of dy * h over the leading dimensions, dbetaOut = the sum of dy"""
    rows = (prod(leading(p, "dy")), prod(p.shape("gamma")))
    terms = [p.builder.reshape(p.read(name, FLOAT), rows) for name in ("x1", "x2")]
    dx = grads(p, p.step(summed, terms, rows, FLOAT), rows, ("dgammaOut", "dbetaOut"))
    if p.given("dsumOptional"):
        dx = p.step(summed, [dx, p.builder.reshape(p.read("dsumOptional", FLOAT), rows)], rows, FLOAT)
    p.store("dxOut", p.builder.reshape(dx, p.shape("dy")))


@planned(
    "aclnnDeepNormGrad", generated(), listed("dy", among=SHORT_FLOAT, provenance="public"),
    *(same_dtype(name, as_="dy") for name in ("x", "gx", "gamma", "dxOut", "dgxOut")),
    listed("mean", "rstd", "dbetaOut", "dgammaOut", among=(F,)), nothing("dxOut", "dgxOut", "dbetaOut", "dgammaOut"),
    ranks("x", least=2, most=8, status=TILING), ranks("gamma", least=1, most=7, status=TILING),
    demand("{0} has fewer dimensions than {1}", "gamma", "x", status=TILING,
           bad=lambda a: None if a.rank("gamma") < a.rank("x") else (list(a.shape("gamma")), "fewer dimensions")),
    *all_in("x", "dy", "gx", "dxOut", "dgxOut"), trailing("gamma", "x", status=TILING),
    *all_in("gamma", "dbetaOut", "dgammaOut"), *statistics("mean", "rstd", reference="x"),
    with_elements("x", status=TILING),
)  # fmt: skip
def deep_norm_grad(p: Planning) -> None:
    """dgxOut = (g - the mean of g - h * the mean of g * h) * rstd, with h = (alpha * x + gx - mean) * rstd and g = dy *
    gamma; dxOut = alpha * dgxOut, dbetaOut = the sum of dy over the leading dimensions, dgammaOut = the sum of dy *
    h"""
    rows = (prod(leading(p, "x")), prod(p.shape("gamma")))
    inputs = [p.builder.reshape(p.read(name, FLOAT), rows) for name in ("x", "gx")]
    x = p.step(deep_sum, inputs, rows, FLOAT, alpha=p["alpha"])
    dgx = grads(p, x, rows, ("dgammaOut", "dbetaOut"))
    dx = p.step(scaled, [dgx], rows, FLOAT, alpha=p["alpha"])
    for name, result in (("dxOut", dx), ("dgxOut", dgx)):
        p.store(name, p.builder.reshape(result, p.shape("x")))


def scaled(dgx: Array, *, alpha: float) -> Array:
    return dgx * np.float32(alpha)
