"""Layer normalisation: LayerNorm, its variants and its gradient, over the last dimensions of a tensor."""

from math import prod

import numpy as np

from aclnn.op import (
    ACLNN_ERR_INNER_NULLPTR, ACLNN_ERR_PARAM_NULLPTR, SHORT_FLOAT, UP_TO_32_BITS, Arguments, Array, Bad, DataTypes, Op,
    PlanBuilder, Planning, Relation, Series, Shape, T, aclDataType, demand, done, empty, listed, only_on, planned,
    ranks, same_dtype, same_shape, shape, total,
)  # fmt: skip
from aclnn.ops.norm._family import (
    FLOAT,
    constants,
    flagged,
    float_or,
    has_flags,
    moments,
    or_constant,
    slope_of_normalised,
    wants,
)

NULL = ACLNN_ERR_PARAM_NULLPTR
AFFINE = ("weightOptional", "biasOptional")
STATISTICS = ("meanOutOptional", "rstdOutOptional")


def sizes(a: Arguments) -> Shape:
    return a["normalizedShape"].values


def rows(a: Arguments) -> Shape:
    """The leading dimensions, which are not normalised."""
    return a.shape("input")[: a.rank("input") - len(sizes(a))]


def wrong_size_count(a: Arguments) -> Bad:
    return None if 1 <= len(sizes(a)) <= 8 else (list(sizes(a)), "1 to 8 dimensions")


def too_long(a: Arguments) -> Bad:
    return None if a.rank("input") >= len(sizes(a)) else (list(a.shape("input")), f"{len(sizes(a))} dimensions or more")


def other_sizes(a: Arguments) -> Bad:
    input_sizes = a.shape("input")[-len(sizes(a)) :]
    return None if input_sizes == sizes(a) else (list(input_sizes), list(sizes(a)))


def normalised(*affine: str, trailing: bool = True) -> tuple[Relation, ...]:
    """Checks that the last dimensions of input have the sizes in normalizedShape."""
    last = demand("{0} ends with the sizes of {1}", "input", "normalizedShape", bad=other_sizes)
    return (
        ranks("input", least=0, most=8),
        demand("{0} has 1 to 8 sizes", "normalizedShape", bad=wrong_size_count),
        demand("{0} has as many dimensions as {1} has sizes, or more", "input", "normalizedShape", bad=too_long),
        *([last] if trailing else []),
        *(shape(name, "{0} has the sizes of normalizedShape", sizes) for name in affine),
    )


def statistics_shape(a: Arguments) -> Shape:
    return (*rows(a), *(1,) * len(sizes(a)))


def unless_empty(name: str) -> Relation:
    def expected_shape(a: Arguments) -> Shape | None:
        return statistics_shape(a) if a[name].numel else None

    return shape(name, "{0} has the leading dimensions of input, then ones", expected_shape)


def undefined(call: Op, builder: PlanBuilder) -> None:
    constants(Planning(call, builder), meanOutOptional=0.0, rstdOutOptional=np.nan)


def exact(p: Planning, count: int) -> bool:
    """True if the statistics are FLOAT until they are stored. Otherwise they are rounded to the data type of weight."""
    input_dtype, weight = p.dtype("input"), p.dtype("weightOptional" if p.given("weightOptional") else "input")
    if p.soc.series in (Series.A2, Series.A3):
        wide = input_dtype == weight == T.ACL_BF16 and count in (1024, 4096)
        return wide or (count < 64 and count % (8 if input_dtype == T.ACL_FLOAT else 16) != 0)
    return p.soc.series is Series.A950 or (input_dtype == T.ACL_FLOAT16 and count in (20, 40))


def layers_contract(types: DataTypes | tuple[aclDataType, ...], *more: Relation) -> tuple[Relation, ...]:
    """The demands of LayerNorm and its variants. `more`: further demands."""
    return (
        listed("input", among=types, provenance="public"),
        *(each for name in AFFINE
          for each in (listed(name, among=types, provenance="public"), float_or(name, "input"))),
        same_dtype("biasOptional", as_="weightOptional"),
        listed("out", *STATISTICS, among=types, provenance="public"),
        *normalised(*AFFINE), same_shape("out", "input"), *more,
    )  # fmt: skip


NO_ROWS = done("the leading dimensions of input are empty", "input", "normalizedShape", when=lambda a: 0 in rows(a))
ON_950 = only_on(Series.A950, *map(unless_empty, STATISTICS))
NO_COLUMNS = empty("input", plan=undefined)


def wrong_mode(a: Arguments) -> Bad:
    """Checks implMode. Mode 2 needs FLOAT16 for all inputs."""
    dtypes = a.dtypes("input", *AFFINE)
    if a["implMode"] == 2 and set(dtypes) != {T.ACL_FLOAT16}:
        return 2, "2 only for FLOAT16"
    return None if a["implMode"] in (0, 1, 2) else (a["implMode"], "0, 1 or 2")


def in_float(a: Arguments) -> Bad:
    return None if a.dtype("input") == T.ACL_FLOAT16 else (a.type_name("input"), "DT_FLOAT16")


NO_FLOAT = only_on(
    Series.A200I_500_A2,
    demand("{0} is FLOAT16", "input", bad=in_float, status=ACLNN_ERR_INNER_NULLPTR, provenance="public"),
)
"""observed on a device: there is no kernel for FLOAT"""


@planned("aclnnLayerNorm", *layers_contract(SHORT_FLOAT, ON_950), NO_ROWS, NO_COLUMNS, NO_FLOAT)
def layer_norm(p: Planning) -> None:
    """out = (input - mean) * rstd * weight + bias, with mean and rstd = 1 / sqrt(var + eps) over the last dimensions,
    whose sizes are normalizedShape. A null weight is 1, a null bias 0."""
    normalise(p)


@planned(
    "aclnnLayerNormWithImplMode",
    *layers_contract(
        SHORT_FLOAT, ON_950, demand("{0} is 0, 1, or 2 with FLOAT16", "implMode", bad=wrong_mode, provenance="public"),
    ),
    NO_ROWS, NO_COLUMNS,
)  # fmt: skip
def layer_norm_with_impl_mode(p: Planning) -> None:
    """Like aclnnLayerNorm. implMode has no effect: a device is less precise in the modes 1 and 2."""
    normalise(p)


@planned("aclnnFastLayerNorm", *layers_contract(UP_TO_32_BITS), NO_COLUMNS)
def fast_layer_norm(p: Planning) -> None:
    """Like aclnnLayerNorm. out has the data type of input."""
    if p.dtype("out") != p.dtype("input"):
        raise p.builder.failed(f"ViewCopy from {p.type_name('input')} to {p.type_name('out')} of out failed.")
    normalise(p)


def normalise(p: Planning) -> None:
    lead, count = prod(rows(p)), prod(sizes(p))
    x = p.builder.reshape(p.read("input", FLOAT), (lead, count))
    weight, bias = or_constant(p, "weightOptional", count, 1.0), or_constant(p, "biasOptional", count, 0.0)
    statistics_dtype = FLOAT if exact(p, count) else p.dtype("weightOptional" if p.given("weightOptional") else "input")
    results = [((lead, count), p.dtype("input")), ((lead, 1), statistics_dtype), ((lead, 1), statistics_dtype)]
    out, *statistics = p.steps(layers, [x, weight, bias], results, eps=p["eps"])
    p.store("out", p.builder.reshape(out, p.shape("input")))
    for name, result in zip(STATISTICS, statistics, strict=True):
        p.store(name, p.builder.reshape(result, statistics_shape(p)))


def layers(x: Array, weight: Array, bias: Array, *, eps: float) -> tuple[Array, ...]:
    """The normalised rows, and their statistics."""
    off, mean, rstd = moments(x, 1, eps)
    return off * rstd * weight + bias, mean, rstd


GRADS = ("gradInputOut", "gradWeightOut", "gradBiasOut")


def per_row(a: Arguments) -> Bad:
    return None if a["mean"].numel == prod(rows(a)) else (list(a.shape("mean")), f"{prod(rows(a))} elements")


def per_column(name: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        return None if a[name].numel == prod(sizes(a)) else (list(a.shape(name)), f"{prod(sizes(a))} elements")

    return demand("{0} has an element for each place in normalizedShape", name, bad=bad)


def nothing_left(call: Op, builder: PlanBuilder) -> None:
    p = Planning(call, builder)
    for flag, name in enumerate(GRADS[1:], 1):
        if wants(p, "outputMask", flag):
            p.fill(name, 0.0)


@planned(
    "aclnnLayerNormBackward",
    has_flags("outputMask", 3), flagged("outputMask", *GRADS, status=NULL),
    listed("gradOut", "input", "mean", "rstd", among=UP_TO_32_BITS, provenance="public"),
    same_dtype("gradOut", as_="input"),
    listed("weightOptional", among=UP_TO_32_BITS, provenance="public"), float_or("weightOptional", "input"),
    listed("biasOptional", *GRADS, among=UP_TO_32_BITS, provenance="public"),
    *normalised(*AFFINE), same_shape("gradOut", "input"), same_shape("mean", "rstd"),
    demand("{0} has an element for each row of input", "mean", bad=per_row),
    same_shape("gradInputOut", "input"), per_column("gradWeightOut"), per_column("gradBiasOut"),
    done("outputMask has no true flag", "outputMask", when=lambda a: not any(a["outputMask"].values)),
    done("normalizedShape is empty", "normalizedShape", when=lambda a: 0 in sizes(a)),
    empty("input", plan=nothing_left),
)  # fmt: skip
def layer_norm_backward(p: Planning) -> None:
    """gradInput = (g - the mean of g - h * the mean of g * h) * rstd, with h = (input - mean) * rstd and g = gradOut *
    weight; gradWeight = the sum of gradOut * h over the leading dimensions, gradBias = the sum of gradOut."""
    lead, count = prod(rows(p)), prod(sizes(p))
    dy, x = (p.builder.reshape(p.read(name, FLOAT), (lead, count)) for name in ("gradOut", "input"))
    mean, rstd = (p.builder.reshape(p.read(name, FLOAT), (lead, 1)) for name in ("mean", "rstd"))
    if wants(p, "outputMask", 0):
        weight = or_constant(p, "weightOptional", count, 1.0)
        result = p.step(input_grad, [dy, x, mean, rstd, weight], (lead, count), p.dtype("input"))
        p.store("gradInputOut", p.builder.reshape(result, p.shape("input")))
    for flag, kernel, inputs in ((1, weight_grad, [dy, x, mean, rstd]), (2, column_sums, [dy])):
        if wants(p, "outputMask", flag):
            result = p.step(kernel, inputs, (count,), FLOAT)
            p.store(GRADS[flag], p.builder.reshape(result, p.shape(GRADS[flag])))


def input_grad(dy: Array, x: Array, mean: Array, rstd: Array, weight: Array) -> Array:
    return slope_of_normalised(dy * weight, (x - mean) * rstd, rstd, 1)


def weight_grad(dy: Array, x: Array, mean: Array, rstd: Array) -> Array:
    return total(dy * ((x - mean) * rstd), 0)


def column_sums(dy: Array) -> Array:
    return total(dy, 0)
