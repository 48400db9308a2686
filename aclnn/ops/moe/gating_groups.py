"""Gating with groups of experts: the best groups of each token, and in them the best experts; or experts of a table."""

from typing import Any, Final, cast

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Planning, Shape, T, check_range, demand, in_parts, in_range, listed, one_of, only_if, order,
    planned, ranks, refused_by_kernel, same_dtype, same_shape, shape, softmax_along, take, take_along, total,
)  # fmt: skip
from aclnn.ops.activation._family import sigmoid

MOST_EXPERTS, BLOCK = 2048, 32
"""the largest number of experts, and the multiple to which the size of a group is rounded up"""
SOFTMAX, SIGMOID = 0, 1
"""the values of normType"""
LARGEST, TWO_LARGEST = 0, 1
"""the values of groupSelectMode"""


def too_many(a: Arguments) -> Bad:
    count = a.shape("x")[1]
    return None if count <= MOST_EXPERTS else (f"{count} experts", f"at most {MOST_EXPERTS}")


def wrong_groups(a: Arguments) -> Bad:
    groups, count = a["groupCount"], a.shape("x")[1]
    if groups < 1 or count % groups:
        return groups, f"a divisor of {count}, the number of experts"
    per_group = count // groups
    if a["groupSelectMode"] == TWO_LARGEST and per_group < 2:
        return groups, "groups of 2 experts or more"
    padded = -(-per_group // BLOCK) * BLOCK * groups
    return (
        None
        if padded <= MOST_EXPERTS
        else (groups, f"at most {MOST_EXPERTS} experts, when groups are rounded up to {BLOCK}")
    )


def wrong_kept(a: Arguments) -> Bad:
    return None if 1 <= a["kGroup"] <= a["groupCount"] else (a["kGroup"], f"1 to {a['groupCount']}")


def wrong_k(a: Arguments) -> Bad:
    most = a.shape("x")[1] // a["groupCount"] * a["kGroup"]
    return None if 1 <= a["k"] <= most else (a["k"], f"1 to {most}, as the groups have experts")


def chosen(a: Arguments) -> Shape:
    return a.shape("x")[0], a["k"]


X, BIAS, IDS, TABLE, PLACES, NORMED = (
    "x",
    "biasOptional",
    "inputIdsOptional",
    "tid2eidOptional",
    "expertIdxOut",
    "outOut",
)
MOST_LISTED = 64
"""the limit of k if a table has the experts of each token"""


def by_table(a: Arguments) -> bool:
    """True if a table has the experts of each token."""
    return a.has(TABLE) and a.given(TABLE) and a.given(IDS)


def wrong_kept_by_table(a: Arguments) -> Bad:
    good = a["kGroup"] == a["groupCount"] or a["groupCount"] == a.shape(X)[1]
    return None if good else (a["kGroup"], f"{a['groupCount']}, all groups, or groups of one expert")


TYPES: Final = (listed(X), same_dtype(BIAS, X), same_dtype("yOut", X), listed(PLACES, NORMED))
GROUPS: Final = (
    ranks(X, least=2, most=2), shape(BIAS, "{0} has an element for each expert", lambda a: a.shape(X)[1:]),
    demand("{0} has no more than 2048 experts", X, bad=too_many),
    one_of("groupSelectMode", LARGEST, TWO_LARGEST),
    demand("{0} divides the experts into groups", "groupCount", X, bad=wrong_groups),
    demand("{0} is a number of groups", "kGroup", "groupCount", bad=wrong_kept),
    demand("{0} is at most the number of experts of these groups", "k", X, bad=wrong_k),
    one_of("renorm", 0, 1), one_of("normType", SOFTMAX, SIGMOID),
    *(shape(each, "{0} has k elements for each token", chosen) for each in ("yOut", PLACES)), same_shape(NORMED, X),
)  # fmt: skip
HASHED: Final = only_if(
    "a table has the experts", by_table, ranks(TABLE, least=2, most=2),
    shape(TABLE, "{0} has a column for each of the k experts", lambda a: (a.shape(TABLE)[0], a["k"])),
    shape(IDS, "{0} has an element for each token", lambda a: a.shape(X)[:1]), in_range("k", 1, MOST_LISTED),
    demand("{0} are all groups, or groups have one expert", "kGroup", "groupCount", bad=wrong_kept_by_table),
)  # fmt: skip


@planned("aclnnMoeGatingTopK", *TYPES, refused_by_kernel(*GROUPS))
def moe_gating_top_k(p: Planning) -> None:
    """s = softmax(x), or sigmoid(x) if normType is 1. The experts form groupCount groups. The score of a group is its
    largest s + bias, or with groupSelectMode 1 the sum of its two largest. The kGroup groups with the largest scores
    stay. expertIdxOut = the k best experts of these groups, in descending order. yOut = their s * routedScalingFactor,
    with sigmoid or with renorm 1 divided by (their sum + eps). outOut = s, if outFlag is true"""
    gate(p)


@planned("aclnnMoeGatingTopKV2", *TYPES, listed(IDS, TABLE), refused_by_kernel(*GROUPS, HASHED))
def moe_gating_top_k_v2(p: Planning) -> None:
    """Like aclnnMoeGatingTopK. If inputIds and tid2eid are given, there are no groups and no bias: expertIdxOut = the
    row of tid2eid at the id of each token."""
    gate(p)


def gate(p: Planning) -> None:
    x = p.read(X)
    s = p.step(normed, [x], x.shape, T.ACL_FLOAT, kind=p["normType"])
    results = [(chosen(p), T.ACL_FLOAT), (chosen(p), T.ACL_INT32)]
    divides = p["normType"] == SIGMOID or p["renorm"] == 1
    scaling: dict[str, Any] = {"factor": p["routedScalingFactor"], "eps": p["eps"] if divides else None}
    if by_table(p):
        ids, table = p.read(IDS), p.read(TABLE)
        p.builder.launch(check_range, [ids], [], name=IDS, count=table.shape[0])
        places = p.step(rows_of_ids, [table, ids], chosen(p), T.ACL_INT32)
        p.builder.launch(check_range, [places], [], name=TABLE, count=x.shape[1])
        values = p.step(at_places, [s, places], chosen(p), T.ACL_FLOAT, **scaling)
    else:
        bias = [p.read(BIAS)] if p.given(BIAS) else []
        attributes = {"k": p["k"], "groups": p["groupCount"], "kept_groups": p["kGroup"]}
        values, places = p.steps(best, [s, *bias], results, two=p["groupSelectMode"] == TWO_LARGEST, **attributes,
                                 **scaling)  # fmt: skip
    p.store("yOut", values)
    p.store(PLACES, places)
    if p["outFlag"]:
        p.store(NORMED, s)


def rows_of_ids(table: Array, ids: Array) -> Array:
    """The experts of each token. A step before this one reports ids out of range."""
    return take(table, ids, 0)


def at_places(s: Array, places: Array, *, factor: float, eps: float | None) -> Array:
    return weighted(take_along(s, places, 1), factor, eps)


@in_parts([-1])
def normed(x: Array, *, kind: int) -> Array:
    return sigmoid(x) if kind == SIGMOID else softmax_along(x, axis=-1)


@in_parts(first=1, whole=[1])
def best(
    s: Array, bias: Array | None = None, *, k: int, groups: int, kept_groups: int, two: bool, factor: float,
    eps: float | None
) -> tuple[Array, Array]:  # fmt: skip
    """The k largest values and their experts; of equal values the first ones. With `eps`, they are divided by (their
    sum + eps)."""
    shifted = s if bias is None else s + bias
    in_groups = shifted.reshape(len(s), groups, -1)
    score = np.sort(in_groups, -1)[..., -2:].sum(-1) if two else in_groups.max(-1)
    selected = np.zeros(score.shape, np.bool_)
    np.put_along_axis(selected, order(-score, -1, first=kept_groups), True, -1)
    candidates = cast("Array", np.where(selected[..., None], in_groups, np.float32(-np.inf)).reshape(s.shape))
    places = order(np.negative(candidates), -1, first=k)
    return weighted(np.take_along_axis(s, places, -1), factor, eps), places


def weighted(values: Array, factor: float, eps: float | None) -> Array:
    """The values times a factor; with `eps`, they are divided by (their sum + eps) before."""
    if eps is not None:
        values = values / (total(values, -1, keepdims=True) + np.float32(eps))
    return values * np.float32(factor)
