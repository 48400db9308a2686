"""Group normalisation: GroupNorm."""

from math import prod

import numpy as np

from acl_runtime.headers.dtypes import Array, format_name
from acl_runtime.headers.enums import aclFormat
from aclnn.engine.arguments import Arguments
from aclnn.engine.declaration import Op
from aclnn.engine.operator import planned
from aclnn.engine.plan_builder import PlanBuilder
from aclnn.engine.planning import Planning
from aclnn.engine.words.common_types import SHORT_FLOAT
from aclnn.engine.words.shapes import ranks, same_shape, shape
from aclnn.engine.words.types import listed, same_dtype
from aclnn.engine.words.values import demand, empty, nulls, public_format, same_format
from aclnn.ops.norm._family import FLOAT, constants, moments, or_constant

Bad = tuple[object, object] | None
CHANNELS_LAST = (aclFormat.ACL_FORMAT_NHWC, aclFormat.ACL_FORMAT_HWCN, aclFormat.ACL_FORMAT_NDHWC)


def no_groups(a: Arguments) -> Bad:
    return None if a["group"] > 0 else (a["group"], "1 or more")


def uneven(a: Arguments) -> Bad:
    return None if a["C"] % a["group"] == 0 else (a["C"], f"a multiple of group, {a['group']}")


def not_positive(a: Arguments) -> Bad:
    return (a["eps"], "a number above 0") if a["eps"] <= 0 else None


def other_sizes(a: Arguments) -> Bad:
    """self has N, C and HxW elements in its first, second and further dimensions."""
    found, wanted = a.shape("self"), [a["N"], a["C"], a["HxW"]]
    return None if [*found[:2], prod(found[2:])] == wanted else (list(found), f"N, C and HxW: {wanted}")


def channels_last(a: Arguments) -> Bad:
    found = a["self"].storage_format
    return (format_name(found), "a format with the channels in dimension 1") if found in CHANNELS_LAST else None


def undefined(call: Op, builder: PlanBuilder) -> None:
    constants(Planning(call, builder), meanOut=0.0, rstdOut=np.nan)


@planned(
    "aclnnGroupNorm", nulls("self", "out", "meanOut", "rstdOut"),
    listed("self", among=SHORT_FLOAT, provenance="public"),
    *(same_dtype(name, as_="self") for name in ("gamma", "beta", "out", "meanOut", "rstdOut")),
    demand("{0} is positive", "group", bad=no_groups), demand("{0} is a multiple of {1}", "C", "group", bad=uneven),
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
    """out = (self - mean) * rstd * gamma + beta, where mean and rstd = 1 / sqrt(var + eps) are those of a group of
    channels. A null gamma is 1, a null beta 0."""
    group, each = p["group"], p["C"] // p["group"]
    view = (p["N"], group, each, p["HxW"])
    x = p.builder.reshape(p.read("self", FLOAT), view)
    affine = [or_constant(p, name, p["C"], value) for name, value in (("gamma", 1.0), ("beta", 0.0))]
    per_channel = [p.builder.reshape(vector, (1, group, each, 1)) for vector in affine]
    per_group, dtype = (p["N"], group, 1, 1), p.dtype("self")
    results = [(view, dtype), (per_group, dtype), (per_group, dtype)]
    found = p.steps(grouped, [x, *per_channel], results, eps=p["eps"])
    for name, result in zip(("out", "meanOut", "rstdOut"), found, strict=True):
        p.store(name, p.builder.reshape(result, p.shape(name)))


def grouped(x: Array, gamma: Array, beta: Array, *, eps: float) -> tuple[Array, ...]:
    off, mean, rstd = moments(x, (2, 3), eps)
    return off * rstd * gamma + beta, mean, rstd
