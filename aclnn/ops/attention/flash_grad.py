"""The gradients of FlashAttentionScore, from the statistics of rows that the forward call returned."""

from dataclasses import replace
from math import prod
from typing import Final

from aclnn.op import Arguments, Operand, Operator, Planning, T, done, listed, may_be_null, planned, required, said
from aclnn.ops.attention._demands import Misfit, Wrong, checked
from aclnn.ops.attention._flash import POSITIVE, built, keys, layout, queries, rows_shape, scoring
from aclnn.ops.attention._flash_steps import left_out, pieces
from aclnn.ops.attention._layouts import PADDED, RANKS, by_heads, sizes, statistics
from aclnn.ops.attention._steps import attend_back, clear

INPUTS: Final = ("query", "keyIn", "value", "dy")
GRADS: Final = ("dqOut", "dkOut", "dvOut")
EVERY: Final = (*INPUTS, "attentionInOptional", *GRADS)
STATISTICS: Final = ("softmaxMaxOptional", "softmaxSumOptional")
PARTNERS: Final = {"dqOut": "query", "dkOut": "keyIn", "dvOut": "value", "attentionInOptional": "dy"}


def no_results(a: Arguments) -> bool:
    shift = a["dpseOut"]
    return not any(a[name].numel for name in GRADS) and (shift is None or not shift.numel)


def other_type(a: Arguments) -> Misfit | None:
    dtype = a.dtype("query")
    wrong = next((name for name in INPUTS[1:] if a.dtype(name) != dtype), None)
    return None if wrong is None else (wrong, a.type_name(wrong), f"{a.type_name('query')}, as query")


def wrong_layout(packed: bool) -> Wrong:
    """Unlike the forward call, the backward call accepts layouts in upper case only, and checks more tensors."""
    legal = ("TND",) if packed else PADDED

    def bad(a: Arguments) -> Misfit | None:
        if a["inputLayout"] not in legal:
            return "inputLayout", repr(a["inputLayout"]), ", ".join(legal)
        for name in EVERY:
            if a.rank(name) != RANKS[layout(a)]:
                return name, list(a.shape(name)), f"{RANKS[layout(a)]} dimensions, as {layout(a)} has"
        return None

    return bad


def wrong_inputs(a: Arguments) -> Misfit | None:
    """Checks that shapes are equal except for the last dimension, and that batches agree."""
    heads = layout(a) not in ("BSH", "SBH")  # these two have all heads in the last dimension
    for name, reference in (("value", "keyIn"), ("dy", "query")):
        if a.shape(name)[:-1] != a.shape(reference)[:-1]:
            return name, list(a.shape(name)), f"{list(a.shape(reference))} but for the last dimension"
    if layout(a) != "TND" and sizes(a.shape("keyIn"), layout(a), 1).batches != queries(a).batches:
        return "keyIn", list(a.shape("keyIn")), f"{queries(a).batches} batches"
    if 0 in (queries(a).size, a.shape("keyIn")[-1], a.shape("value")[-1]):
        return "query", list(a.shape("query")), "a last dimension with elements"
    if heads and (a.shape("keyIn")[-1] != queries(a).size or a.shape("value")[-1] > queries(a).size):
        return "keyIn", list(a.shape("keyIn")), f"a last size of {queries(a).size}, and at most that of value"
    return None


def wrong_partner(a: Arguments) -> Misfit | None:
    for name, partner in PARTNERS.items():
        if a.shape(name) != a.shape(partner):
            return name, list(a.shape(name)), f"{list(a.shape(partner))}, as {partner}"
    wrong = next((name for name, other in PARTNERS.items() if a.dtype(name) != a.dtype(other)), None)
    return None if wrong is None else (wrong, a.type_name(wrong), f"that of {PARTNERS[wrong]}")


def wrong_dy(a: Arguments) -> Misfit | None:
    """Checks that dy has the size of value for each head."""
    query, size = queries(a), a.shape("value")[-1]
    if layout(a) in ("BSH", "SBH"):
        size = size // max(keys(a).heads, 1) * query.heads
    return None if a.shape("dy")[-1] == size else ("dy", list(a.shape("dy")), f"{size} in the last dimension")


def wrong_statistics(a: Arguments) -> Misfit | None:
    rows = rows_shape(a)
    for name in STATISTICS:
        if a.dtype(name) != T.ACL_FLOAT or a.shape(name) != rows:
            return name, f"{a.type_name(name)} {list(a.shape(name))}", f"DT_FLOAT {list(rows)}"
    return None


def flash_grad(name: str, *, packed: bool = False) -> Operator:
    """A version of the operator. `packed`: True for the layout TND, in which batches have different lengths."""
    lengths = ("actualSeqQLenOptional", "actualSeqKvLenOptional") if packed else ()
    relations = (
        *left_out(slopes=name.endswith("V2"), packed=packed),
        may_be_null("dpseOut"), required("attentionInOptional", *STATISTICS, *lengths), said("inputLayout"),
        done("all outputs are empty", *GRADS, when=no_results), POSITIVE,
        checked("{0}, keyIn, value and dy have one data type", *INPUTS, bad=other_type), listed("query"),
        checked("all tensors have the dimensions of {0}", "inputLayout", *EVERY, bad=wrong_layout(packed)),
        checked("the shapes of {0}, keyIn, value and dy fit", *INPUTS, bad=wrong_inputs),
        checked("the gradients and {0} have shapes and data types of their inputs", "attentionInOptional", *GRADS,
                bad=wrong_partner),
        listed("pseShiftOptional", "dropMaskOptional", "attenMaskOptional"),
        *scoring("keyIn", "pseShiftOptional", packed=packed),
        built("{0} has the sizes of value", "dy", "value", bad=wrong_dy),
        built("{0} and {1} are those of the forward call", *STATISTICS, bad=wrong_statistics),
    )  # fmt: skip

    def plan(p: Planning) -> None:
        backward(p)

    plan.__doc__ = (
        "With P = softmax(scores): dv = dropout(P)^T @ dy; dS = P * (dropout(dy @ value^T) - rowsum(dy * attentionIn));"
        " dq = scaleValue * dS @ key; dk = scaleValue * dS^T @ query. A key that query heads share gets the sum of "
        "their gradients. dpse is not written."
    )
    return planned(name, *relations)(plan)


def backward(p: Planning) -> None:
    packed, of_keys, count = layout(p) == "TND", keys(p).heads, p["headNum"]
    results = [p.builder.alloc(p.shape(name), p.dtype(name)) for name in GRADS]
    heads = (count, of_keys, of_keys)
    grads = [by_heads(result, layout(p), own) for result, own in zip(results, heads, strict=True)]
    rows = [by_heads(p.read(name), layout(p), count) for name in ("dy", "attentionInOptional")]
    rows += [first_statistic(statistics(p.read(statistic), packed)) for statistic in STATISTICS]
    for piece in pieces(p):
        own_grads = [piece.of_query(grads[0]), piece.of_key(grads[1]), piece.of_key(grads[2])]
        attend_back(p, piece.attended, [piece.of_query(row) for row in rows], own_grads)
    if packed:
        ends = [p[name].values[-1] for name in ("actualSeqQLenOptional", *("actualSeqKvLenOptional",) * 2)]
        for grad, end in zip(grads, ends, strict=True):
            clear(p, grad.part(slice(None), slice(None), slice(end, grad.shape[2])))
    for name, result in zip(GRADS, results, strict=True):
        if prod(result.shape):
            p.store(name, result)


def first_statistic(rows: Operand) -> Operand:
    """One of the eight equal statistics of each row."""
    return replace(rows, shape=(*rows.shape[:-1], 1))


flash_attention_score_grad = flash_grad("aclnnFlashAttentionScoreGrad")
flash_attention_score_grad_v2 = flash_grad("aclnnFlashAttentionScoreGradV2")
flash_attention_unpadding_score_grad = flash_grad("aclnnFlashAttentionUnpaddingScoreGrad", packed=True)
flash_attention_unpadding_score_grad_v2 = flash_grad("aclnnFlashAttentionUnpaddingScoreGradV2", packed=True)
