"""The gradient of group normalisation."""

from math import prod

from aclnn.op import (
    ACLNN_ERR_PARAM_INVALID, SHORT_FLOAT, Arguments, Array, Bad, Op, PlanBuilder, Planning, Relation, Series, Shape, T,
    demand, empty, listed, null_status, planned, positive, ranks, same_dtype, same_shape, shape, total,
)  # fmt: skip
from aclnn.ops.norm._family import (
    FLOAT,
    flagged,
    has_flags,
    if_flagged,
    or_constant,
    slope_of_normalised,
    wants,
)
from aclnn.ops.norm.group import uneven

MASK = "outputMask"
GRADS = ("gradInput", "gradGammaOut", "gradBetaOut")


def wide_mean(a: Arguments) -> Bad:
    wide = (T.ACL_FLOAT,) if a.soc.series is Series.A950 else ()
    good = a.dtype("mean") in (a.dtype("gradOut"), *wide)
    return None if good else (a.type_name("mean"), f"{a.type_name('gradOut')}, or on Ascend 950 DT_FLOAT")


def too_many(a: Arguments) -> Bad:
    """Checks that the kernel of A2 and A3 has room for the channels."""
    limited = a.soc.series in (Series.A2, Series.A3)
    good = not limited or (a["C"] <= 240000 and a["C"] // a["group"] <= 8000)
    return None if good else (a["C"], "at most 240000, and at most 8000 in a group")


def elements(name: str, words: str, *sizes: str) -> Relation:
    """Checks that the number of elements of a tensor is the product of `sizes`."""

    def bad(a: Arguments) -> Bad:
        expected_count = prod(a[size] for size in sizes)
        return None if a[name].numel == expected_count else (list(a.shape(name)), f"{expected_count} elements, {words}")

    return demand(f"{{0}} has {words} elements", name, bad=bad)


def scale_shape(a: Arguments) -> Shape:
    return a.shape("gamma") if a.given("gamma") else (a["C"],)


def nothing_left(call: Op, builder: PlanBuilder) -> None:
    """Plan a call without elements. Ascend 950 fills the gradients of gamma and beta with 0; others write nothing."""
    p = Planning(call, builder)
    for flag, name in enumerate(GRADS[1:], 1):
        if p.soc.series is Series.A950 and wants(p, MASK, flag):
            p.fill(name, 0.0)


@planned(
    "aclnnGroupNormBackward", null_status(ACLNN_ERR_PARAM_INVALID, MASK),
    has_flags(MASK, 3), flagged(MASK, *GRADS, status=ACLNN_ERR_PARAM_INVALID),
    listed("gradOut", among=SHORT_FLOAT, provenance="public"), same_dtype("input", as_="gradOut"),
    demand("{0} has the data type of {1}, or on Ascend 950 FLOAT", "mean", "gradOut", bad=wide_mean),
    same_dtype("rstd", as_="mean"), same_dtype("gamma", as_="mean"),
    *(if_flagged(MASK, i, same_dtype(name, as_=like))
      for i, (name, like) in enumerate(zip(GRADS, ("gradOut", "mean", "mean"), strict=True))),
    positive("group"), demand("{0} is a multiple of {1}", "C", "group", bad=uneven),
    demand("A2 and A3 have room for {0} channels", "C", bad=too_many, provenance="public"),
    ranks("gradOut", least=0, most=8),
    elements("gradOut", "N * C * HxW", "N", "C", "HxW"), elements("input", "N * C * HxW", "N", "C", "HxW"),
    elements("mean", "N * group", "N", "group"), elements("rstd", "N * group", "N", "group"),
    elements("gamma", "C", "C"),
    if_flagged(MASK, 0, same_shape("gradInput", "input")),
    *(if_flagged(MASK, i, shape(GRADS[i], "{0} has the shape of gamma, or (C)", scale_shape)) for i in (1, 2)),
    empty("gradOut", "input", plan=nothing_left),
)  # fmt: skip
def group_norm_backward(p: Planning) -> None:
    """gradInput = (g - the mean of g - h * the mean of g * h) * rstd, with h = (input - mean) * rstd and g = gradOut *
    gamma; a mean is over a group of channels. gradGammaOut = the sums of gradOut * h by channel, gradBetaOut = the sums
    of gradOut. A null gamma is 1."""
    group, channels = p["group"], p["C"] // p["group"]
    whole, per_group = (p["N"], group, channels, p["HxW"]), (p["N"], group, 1, 1)
    dy, x = (p.builder.reshape(p.read(name, FLOAT), whole) for name in ("gradOut", "input"))
    statistics = [p.builder.reshape(p.read(name, FLOAT), per_group) for name in ("mean", "rstd")]
    if wants(p, MASK, 0):
        gamma = p.builder.reshape(or_constant(p, "gamma", p["C"], 1.0), (1, group, channels, 1))
        result = p.step(input_grad, [dy, x, *statistics, gamma], whole, p.dtype("gradOut"))
        p.store("gradInput", p.builder.reshape(result, p.shape("input")))
    for flag, kernel, inputs in ((1, slopes, [dy, x, *statistics]), (2, sums, [dy])):
        if wants(p, MASK, flag):
            result = p.step(kernel, inputs, (1, group, channels, 1), FLOAT)
            p.store(GRADS[flag], p.builder.reshape(result, p.shape(GRADS[flag])))


def input_grad(dy: Array, x: Array, mean: Array, rstd: Array, gamma: Array) -> Array:
    return slope_of_normalised(dy * gamma, (x - mean) * rstd, rstd, (2, 3))


def slopes(dy: Array, x: Array, mean: Array, rstd: Array) -> Array:
    return total(dy * ((x - mean) * rstd), (0, 3), keepdims=True)


def sums(dy: Array) -> Array:
    return total(dy, (0, 3), keepdims=True)
