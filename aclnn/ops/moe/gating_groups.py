"""Gating with groups of experts: the best groups of each token, and in them the best experts."""

from typing import cast

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Planning, Shape, T, demand, in_parts, listed, one_of, order, planned, ranks,
    same_dtype, same_shape, shape, softmax_along, total,
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


@planned(
    "aclnnMoeGatingTopK", listed("x", "biasOptional", "expertIdxOut", "outOut"), same_dtype("yOut", "x"),
    ranks("x", least=2, most=2, status=TILING),
    shape("biasOptional", "{0} has an element for each expert", lambda a: a.shape("x")[1:], status=TILING),
    demand("{0} has no more than 2048 experts", "x", bad=too_many, status=TILING),
    one_of("groupSelectMode", LARGEST, TWO_LARGEST, status=TILING),
    demand("{0} divides the experts into groups", "groupCount", "x", bad=wrong_groups, status=TILING),
    demand("{0} is a number of groups", "kGroup", "groupCount", bad=wrong_kept, status=TILING),
    demand("{0} is at most the number of experts of these groups", "k", "x", bad=wrong_k, status=TILING),
    one_of("renorm", 0, status=TILING), one_of("normType", SOFTMAX, SIGMOID, status=TILING),
    *(shape(each, "{0} has k elements for each token", chosen, status=TILING) for each in ("yOut", "expertIdxOut")),
    same_shape("outOut", "x", status=TILING),
)  # fmt: skip
def moe_gating_top_k(p: Planning) -> None:
    """s = softmax(x), or sigmoid(x) if normType is 1. The experts form groupCount groups. The score of a group is its
    largest s + bias, or with groupSelectMode 1 the sum of its two largest. The kGroup groups with the largest scores
    stay. expertIdxOut = the k best experts of these groups, in descending order. yOut = their s * routedScalingFactor,
    with sigmoid divided by (their sum + eps). outOut = s, if outFlag is true"""
    x = p.read("x")
    s = p.step(normed, [x], x.shape, T.ACL_FLOAT, kind=p["normType"])
    bias = [p.read("biasOptional")] if p.given("biasOptional") else []
    results = [(chosen(p), T.ACL_FLOAT), (chosen(p), T.ACL_INT32)]
    attributes = {"k": p["k"], "groups": p["groupCount"], "kept_groups": p["kGroup"], "two": p["groupSelectMode"] == 1}
    attributes |= {"factor": p["routedScalingFactor"], "eps": p["eps"] if p["normType"] == SIGMOID else None}
    values, places = p.steps(best, [s, *bias], results, **attributes)
    p.store("yOut", values)
    p.store("expertIdxOut", places)
    if p["outFlag"]:
        p.store("outOut", s)


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
    values = np.take_along_axis(s, places, -1)
    if eps is not None:
        values = values / (total(values, -1, keepdims=True) + np.float32(eps))
    return values * np.float32(factor), places
