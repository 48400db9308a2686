"""Group normalisation: GroupNorm, and GroupNormSilu."""

from math import prod

import numpy as np

from aclnn.op import (
    SHORT_FLOAT, Arguments, Array, Bad, Op, PlanBuilder, Planning, Relation, Series, T, aclFormat, demand, done, empty,
    format_name, listed, may_be_null, nulls, planned, positive, public_format, ranks, same_dtype, same_format,
    same_shape, shape,
)  # fmt: skip
from aclnn.ops.norm._family import FLOAT, constants, float_or, moments, or_constant

CHANNELS_LAST = (aclFormat.ACL_FORMAT_NHWC, aclFormat.ACL_FORMAT_HWCN, aclFormat.ACL_FORMAT_NDHWC)


def uneven(a: Arguments) -> Bad:
    return None if a["C"] % a["group"] == 0 else (a["C"], f"a multiple of group, {a['group']}")


def not_positive(a: Arguments) -> Bad:
    return (a["eps"], "a number above 0") if a["eps"] <= 0 else None


def other_sizes(a: Arguments) -> Bad:
    """Checks that self has N, C and HxW elements in its first, second and further dimensions."""
    shape, expected_shape = a.shape("self"), [a["N"], a["C"], a["HxW"]]
    return None if [*shape[:2], prod(shape[2:])] == expected_shape else (list(shape), f"N, C and HxW: {expected_shape}")


def channels_last(a: Arguments) -> Bad:
    storage_format = a["self"].storage_format
    return (
        (format_name(storage_format), "a format with the channels in dimension 1")
        if storage_format in CHANNELS_LAST
        else None
    )


def undefined(call: Op, builder: PlanBuilder) -> None:
    constants(Planning(call, builder), meanOut=0.0, rstdOut=np.nan)


@planned(
    "aclnnGroupNorm", nulls("self", "out", "meanOut", "rstdOut"),
    listed("self", among=SHORT_FLOAT, provenance="public"),
    *(same_dtype(name, as_="self") for name in ("gamma", "beta", "out", "meanOut", "rstdOut")),
    positive("group"), demand("{0} is a multiple of {1}", "C", "group", bad=uneven),
    demand("{0} is positive", "eps", bad=not_positive),
    ranks("self", least=2, most=8), same_shape("out", "self"),
    *(shape(name, "{0} has the shape (N, group)", lambda a: (a["N"], a["group"])) for name in ("meanOut", "rstdOut")),
    demand("{0} has the sizes N, C and HxW", "self", bad=other_sizes),
    *(shape(name, "{0} has the shape (C)", lambda a: (a["C"],)) for name in ("gamma", "beta")),
    same_format("out", "self"), public_format("self"),
    demand("{0} has its channels in dimension 1", "self", bad=channels_last, provenance="public"),
    empty("self", plan=undefined),
)  # fmt: skip
def group_norm(p: Planning) -> None:
    """out = (self - mean) * rstd * gamma + beta, with mean and rstd = 1 / sqrt(var + eps) over a group of channels. A
    null gamma is 1, a null beta 0."""
    group, channels = p["group"], p["C"] // p["group"]
    view = (p["N"], group, channels, p["HxW"])
    x = p.builder.reshape(p.read("self", FLOAT), view)
    affine = [or_constant(p, name, p["C"], value) for name, value in (("gamma", 1.0), ("beta", 0.0))]
    per_channel = [p.builder.reshape(vector, (1, group, channels, 1)) for vector in affine]
    per_group, dtype = (p["N"], group, 1, 1), p.dtype("self")
    results = [(view, dtype), (per_group, dtype), (per_group, dtype)]
    outputs = p.steps(grouped, [x, *per_channel], results, eps=p["eps"])
    for name, result in zip(("out", "meanOut", "rstdOut"), outputs, strict=True):
        p.store(name, p.builder.reshape(result, p.shape(name)))


def grouped(x: Array, gamma: Array, beta: Array, *, eps: float) -> tuple[Array, ...]:
    off, mean, rstd = moments(x, (2, 3), eps)
    return off * rstd * gamma + beta, mean, rstd


def sizes(a: Arguments) -> tuple[int, int]:
    """The first two dimensions of self: N, and C."""
    return a.shape("self")[0], a.shape("self")[1]


def no_rows(a: Arguments) -> Bad:
    shape = a.shape("self")
    refused = a.soc.series is not Series.A950 and 0 in shape[:2]
    return (list(shape), "first two dimensions with elements") if refused else None


def channels_uneven(a: Arguments) -> Bad:
    count = sizes(a)[1]
    return None if count % a["group"] == 0 else (f"{count} channels", f"a multiple of group, {a['group']}")


def statistics_type(a: Arguments) -> int:
    """The data type of the statistics: that of self, on Ascend 950 that of gamma or beta if one is given."""
    dtypes = [a.dtype(name) for name in ("gamma", "beta") if a.given(name)]
    return dtypes[0] if dtypes and a.soc.series is Series.A950 else a.dtype("self")


def other_type(name: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        expected_dtype = T(statistics_type(a))
        return (
            None if a.dtype(name) == expected_dtype else (a.type_name(name), expected_dtype.name.replace("ACL_", "DT_"))
        )

    return demand("{0} has the data type of self; on Ascend 950, that of gamma", name, bad=bad, provenance="public")


SILU = (
    nulls("self", "out", "meanOut", "rstdOut"), may_be_null("gamma", "beta"),
    listed("self", "gamma", "beta", among=SHORT_FLOAT, provenance="public"), same_dtype("beta", as_="gamma"),
    *(float_or(name, "self", provenance="document") for name in ("gamma", "beta")), same_dtype("out", as_="self"),
    other_type("meanOut"), other_type("rstdOut"),
    ranks("self", least=2, most=8), same_shape("out", "self"),
    *(shape(name, "{0} has the shape (N, group)", lambda a: (sizes(a)[0], a["group"]))
      for name in ("meanOut", "rstdOut")),
    *(shape(name, "{0} has the shape (C)", lambda a: (sizes(a)[1],)) for name in ("gamma", "beta")),
    positive("group"),
    demand("{0} has elements in its first two dimensions (not on Ascend 950)", "self", bad=no_rows),
    demand("{0} is positive", "eps", bad=not_positive),
    demand("{0} has a multiple of {1} channels", "self", "group", bad=channels_uneven),
    done("self has no rows", "self", when=lambda a: sizes(a)[0] == 0), empty("self", plan=undefined),
)  # fmt: skip


@planned("aclnnGroupNormSilu", *SILU)
def group_norm_silu(p: Planning) -> None:
    """out = silu(y) = y / (1 + exp(-y)), where y = (self - mean) * rstd * gamma + beta, with mean and rstd = 1 /
    sqrt(var + eps) over a group of channels. A null gamma is 1, a null beta 0."""
    normalise(p, activate=True)


@planned("aclnnGroupNormSiluV2", *SILU)
def group_norm_silu_v2(p: Planning) -> None:
    """Like aclnnGroupNormSilu. If activateSilu is false, out = y."""
    normalise(p, activate=p["activateSilu"])


def normalise(p: Planning, *, activate: bool) -> None:
    (rows, count), group = sizes(p), p["group"]
    view = (rows, group, count // group, prod(p.shape("self")[2:]))
    x = p.builder.reshape(p.read("self", FLOAT), view)
    affine = [or_constant(p, name, count, value) for name, value in (("gamma", 1.0), ("beta", 0.0))]
    per_channel = [p.builder.reshape(vector, (1, group, count // group, 1)) for vector in affine]
    results = [(view, p.dtype("self")), *[((rows, group, 1, 1), statistics_type(p))] * 2]
    outputs = p.steps(activated, [x, *per_channel], results, eps=p["eps"], scale=1.0 if activate else None)
    for name, result in zip(("out", "meanOut", "rstdOut"), outputs, strict=True):
        p.store(name, p.builder.reshape(result, p.shape(name)))


def activated(x: Array, gamma: Array, beta: Array, *, eps: float, scale: float | None) -> tuple[Array, ...]:
    """The normalised groups y, or with a scale y * sigmoid(scale * y), and the statistics."""
    y, mean, rstd = grouped(x, gamma, beta, eps=eps)
    return (y if scale is None else y / (1 + np.exp(y * np.float32(-scale)))), mean, rstd
