"""TopKTopPSample: one token of each row among the most probable ones, or the tokens to draw from."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Planning, Relation, Shape, T, demand, empty, generated, in_memory, listed,
    may_be_null, only_if, order, planned, ranks, same_dtype, same_shape, shape, widen,
)  # fmt: skip


MOST_TOKENS: Final = 1 << 20
"""the limit of the number of tokens in a row"""
MOST_KEPT: Final = 1024
"""the limit of topK"""
INDEX, SELECTED, PLACES, WEIGHTS = "logitsSelectIdx", "logitsTopKPSelect", "logitsIdx", "logitsSortMasked"
Row = tuple[Array, Array]
"""the remaining tokens of a row, and their weights"""


def drawn_by_caller(a: Arguments) -> bool:
    return a.has("isNeedSampleResult") and a["isNeedSampleResult"]


def are_logits(a: Arguments) -> bool:
    return a["inputIsLogits"] if a.has("inputIsLogits") else True


def most_kept(a: Arguments) -> int:
    """The largest valid topK; ksMax is rounded up to a multiple of 8."""
    return min(-(-a["ksMax"] // 8) * 8, MOST_KEPT) if a.has("ksMax") else MOST_KEPT


def whole(a: Arguments) -> Shape:
    return a.shape("logits")


def too_long(a: Arguments) -> Bad:
    tokens = whole(a)[-1]
    return None if tokens <= MOST_TOKENS else (f"{tokens} tokens in a row", f"at most {MOST_TOKENS}")


def of_rows(name: str) -> Relation:
    """Checks that a tensor, of any rank, has one element for each row."""

    def bad(a: Arguments) -> Bad:
        return None if a[name].numel == whole(a)[0] else (list(a.shape(name)), f"{whole(a)[0]} elements")

    return demand("{0} has an element for each row of {1}", name, "logits", bad=bad, status=TILING)


def q_beside_draws(a: Arguments) -> Bad:
    return ("a tensor", "null, as the caller draws") if drawn_by_caller(a) else None


BEGIN: Final = (generated(), may_be_null("q"), listed("logits", "topK", "q"), same_dtype("topP", "logits"))
MIDDLE: Final = (
    listed(INDEX, SELECTED), ranks("logits", least=2, most=2, status=TILING),
    *(ranks(name, least=1, most=1, status=TILING) for name in ("topK", "topP")),
    demand("{0} has rows of at most 1048576 tokens", "logits", bad=too_long, status=TILING),
    *map(of_rows, ("topK", "topP")), same_shape("q", "logits", status=TILING),
)  # fmt: skip
LAST_RULES: Final = (
    only_if("logits are asked for", lambda a: a["isNeedLogits"],
            shape(SELECTED, "{0} has the shape of logits", whole, status=TILING)),
    only_if("a token is chosen", lambda a: not drawn_by_caller(a), of_rows(INDEX)), empty("logits"),
)  # fmt: skip


@planned("aclnnTopKTopPSample", *BEGIN, *MIDDLE, *LAST_RULES)
def top_k_top_p_sample(p: Planning) -> None:
    """logitsSelectIdx = the token of each row that is sampled. topK keeps the topK largest logits of the row, in
    descending order; a topK below 1, above 1024 or above the number of tokens keeps all. w = softmax of the kept
    logits. topP keeps the elements of w whose predecessors have a sum below topP, at least one; a topP of 1 or more
    keeps all. The token has the largest w / (|q| + eps), or without q the largest w. q has an element for each place of
    the descending order, or of the row if both filters keep all. If isNeedLogits, logitsTopKPSelect = the kept logits,
    -inf elsewhere."""
    sample(p)


@planned(
    "aclnnTopKTopPSampleV2", *BEGIN, may_be_null("minPs"), same_dtype("minPs", "logits"), *MIDDLE,
    listed(PLACES, WEIGHTS),
    demand("{0} is null where the caller draws", "q", bad=q_beside_draws, status=TILING), of_rows("minPs"), *LAST_RULES,
    only_if("the caller draws", drawn_by_caller,
            *(shape(name, "{0} has the shape of logits", whole, status=TILING) for name in (PLACES, WEIGHTS))),
)  # fmt: skip
def top_k_top_p_sample_v2(p: Planning) -> None:
    """Like aclnnTopKTopPSample. ksMax, rounded up to a multiple of 8, replaces the limit 1024. Without inputIsLogits w
    is the input itself, and 0 replaces -inf. After topP, minPs keeps each w of at least minPs times the largest; a
    minPs of 1 or more keeps only the first. If isNeedSampleResult, no token is chosen: logitsSortMasked = the kept w
    and logitsIdx = their tokens, both padded with 0."""
    sample(p)


def sample(p: Planning) -> None:
    """Plans one step for all outputs that are written."""
    results = {PLACES: T.ACL_INT64, WEIGHTS: T.ACL_FLOAT} if drawn_by_caller(p) else {INDEX: T.ACL_INT64}
    results |= {SELECTED: T.ACL_FLOAT} if p["isNeedLogits"] else {}
    others = [name for name in ("q", "minPs") if p.has(name) and p.given(name)]
    shapes = [(whole(p)[0],) if name == INDEX else whole(p) for name in results]
    outputs = p.steps(
        sampled, [p.read(name) for name in ("logits", "topK", "topP", *others)],
        list(zip(shapes, results.values(), strict=True)), others=tuple(others), names=tuple(results), eps=p["eps"],
        most=most_kept(p), soft=are_logits(p),
    )  # fmt: skip
    for name, result in zip(results, outputs, strict=True):
        p.store(name, p.builder.reshape(result, p.shape(name)))


@in_memory
def sampled(
    logits: Array, top_k: Array, top_p: Array, *tensors: Array, out: Any, others: Sequence[str], names: Sequence[str],
    eps: float, most: int, soft: bool,
) -> None:  # fmt: skip
    by_name = dict(zip(others, tensors, strict=True))
    results = dict(zip(names, out if len(names) > 1 else [out], strict=True))
    least = by_name["minPs"].reshape(-1) if "minPs" in by_name else np.zeros(len(logits), np.float32)
    for row, (places, w) in enumerate(rows(logits, top_k, widen(top_p), widen(least), most=most, soft=soft)):
        if SELECTED in results:
            results[SELECTED][row] = -np.inf if soft else 0
            results[SELECTED][row][places] = widen(logits[row][places])
        if INDEX in results:
            score = w / (np.abs(by_name["q"][row][: len(w)]) + np.float32(eps)) if "q" in by_name else w
            results[INDEX][row] = places[np.argmax(score)]
        else:
            for name, values in ((PLACES, places), (WEIGHTS, w)):
                results[name][row] = 0
                results[name][row][: len(values)] = values


def rows(logits: Array, top_k: Array, top_p: Array, least: Array, *, most: int, soft: bool) -> Iterator[Row]:
    for row, k, p, minimum in zip(logits, top_k, top_p, least, strict=True):
        values = widen(row)
        cuts = 1 <= k <= min(most, len(row))
        whole = not cuts and p >= 1 and minimum < 1
        places = np.arange(len(row)) if whole else order(values, 0, descending=True, first=k if cuts else None)
        w = softmax(values[places]) if soft else values[places]
        yield by_minimum(*by_sum(places, w, p, soft=soft), minimum)


def softmax(x: Array) -> Array:
    powers = np.exp(x - x.max())
    return powers / powers.sum()


def by_sum(places: Array, w: Array, p: Any, *, soft: bool) -> Row:
    """The elements whose predecessors have a sum below p, at least one."""
    if p >= 1:
        return places, w
    if p <= 0:
        return places[:1], np.ones(1, np.float32) if soft else w[:1]
    stay = np.cumsum(w) - w < p
    stay[0] = True
    return places[stay], w[stay]


def by_minimum(places: Array, w: Array, minimum: Any) -> Row:
    """The elements of at least `minimum` times the largest. If there are none, as for negative w, the largest one."""
    if minimum <= 0:
        return places, w
    stay = w >= w.max() * minimum if minimum < 1 else np.arange(len(w)) < 1
    stay[np.argmax(w)] |= not stay.any()
    return places[stay], w[stay]
