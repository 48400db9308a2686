"""The gradients of FlashAttentionScore, from the statistics of rows that the forward call returned."""

from math import prod
from typing import Final

from aclnn.op import (
    Arguments, Operator, Planning, Relation, T, before_nulls, done, largest_workspace, listed, may_be_null, one_of,
    planned, required, said,
)  # fmt: skip
from aclnn.ops.attention._demands import Misfit, Wrong, checked
from aclnn.ops.attention._flash import (
    LENGTHS, POSITIVE, Version, built, keys, layout, own_lengths, queries, rows_shape, scoring
)  # fmt: skip
from aclnn.ops.attention._flash_back import GRADS, ROPE_GRADS, STATISTICS, backward
from aclnn.ops.attention._flash_steps import left_out
from aclnn.ops.attention._flash_versions import (
    added, slopes, unless_sloped, wrong_order,
)  # fmt: skip
from aclnn.ops.attention._layouts import PADDED, RANKS, TND, sizes

INPUTS: Final = ("query", "keyIn", "value", "dy")
EVERY: Final = (*INPUTS, "attentionInOptional", *GRADS)
SHIFT: Final = "pseShiftOptional"
SINK, ORDER, ROPE = "sinkInOptional", "softmaxInLayout", ("queryRope", "keyInRope")
TYPES: Final = (T.ACL_FLOAT16, T.ACL_BF16, T.ACL_FLOAT)
PARTNERS: Final = {"dqOut": "query", "dkOut": "keyIn", "dvOut": "value", "attentionInOptional": "dy"}


def no_results(a: Arguments) -> bool:
    shift = a["dpseOut"]
    return not any(a[name].numel for name in GRADS) and (shift is None or not shift.numel)


def other_type(a: Arguments) -> Misfit | None:
    dtype = a.dtype("query")
    wrong = next((name for name in INPUTS[1:] if a.dtype(name) != dtype), None)
    return None if wrong is None else (wrong, a.type_name(wrong), f"{a.type_name('query')}, as query")


def wrong_layout(legal: tuple[str, ...]) -> Wrong:
    """Unlike the forward call, the backward call accepts layouts in upper case only, and checks more tensors."""

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
    rows, packed = rows_shape(a), layout(a) == "TND"  # documents of packed calls differ in the order of dimensions
    for name in STATISTICS:
        fits = a[name].numel == prod(rows) if packed else a.shape(name) == rows
        if a.dtype(name) != T.ACL_FLOAT or not fits:
            return name, f"{a.type_name(name)} {list(a.shape(name))}", f"DT_FLOAT {list(rows)}"
    return None


def wrong_sink_grad(a: Arguments) -> Misfit | None:
    """Checks the sink and its gradient, if the call has both."""
    sink, grad = a["sinkInOptional"], a["dsinkOut"]
    if sink is not None and grad is not None and sink.numel and grad.numel:
        for name in ("sinkInOptional", "dsinkOut"):
            if a.rank(name) != 1 or a.shape(name) != sink.shape:
                return name, list(a.shape(name)), "one dimension, as sinkInOptional"
            if a.dtype(name) != T.ACL_FLOAT:
                return name, a.type_name(name), "DT_FLOAT"
    if sink is not None and a.dtype("query") == T.ACL_FLOAT:
        return "sinkInOptional", "given", "null, as query is FLOAT"
    return None


def wrong_rope_grad(version: Version) -> Wrong:
    """Checks that the gradients of rotary parts have their shapes and data types."""

    def bad(a: Arguments) -> Misfit | None:
        for name, source in zip(ROPE_GRADS, version.rope, strict=True):
            if a[name] is None or (a.shape(name), a.dtype(name)) != (a.shape(source), a.dtype(source)):
                value = "null" if a[name] is None else list(a.shape(name))
                return name, value, f"{a.type_name(source)} {list(a.shape(source))}, as {source}"
        return None

    return bad


def flash_grad(name: str, version: Version, *more: Relation) -> Operator:
    """A version of the operator."""
    unused = (*(("dsinkOut",) if version.sink else ()), *(ROPE_GRADS if version.rope else ()))
    relations = (
        *left_out(version), *more, may_be_null("dpseOut", *unused),
        required("attentionInOptional", *STATISTICS, *(LENGTHS if version.packed else ())), said("inputLayout"),
        done("all outputs are empty", *GRADS, when=no_results), POSITIVE,
        checked("{0}, keyIn, value and dy have one data type", *INPUTS, bad=other_type),
        listed("query", among=TYPES, provenance="public"),
        checked("all tensors have the dimensions of {0}", "inputLayout", *EVERY, bad=wrong_layout(version.layouts)),
        *((checked("{0} fits inputLayout", ORDER, bad=wrong_order, provenance="public"),) if version.mixed else ()),
        checked("the shapes of {0}, keyIn, value and dy fit", *INPUTS, bad=wrong_inputs),
        checked("the gradients and {0} have shapes and data types of their inputs", "attentionInOptional", *GRADS,
                bad=wrong_partner),
        *((checked("{0} is FLOAT, as its gradient", version.sink, bad=wrong_sink_grad),) if version.sink else ()),
        *((slopes(SHIFT), unless_sloped(listed(SHIFT))) if version.slopes else (listed(SHIFT),)),
        listed("dropMaskOptional", "attenMaskOptional"),
        *scoring("keyIn", SHIFT, version, *added(version, "keyIn")),
        *((built("gradients fit {0} and {1}", *version.rope, bad=wrong_rope_grad(version)),) if version.rope else ()),
        built("{0} has the sizes of value", "dy", "value", bad=wrong_dy),
        built("{0} and {1} are those of the forward call", *STATISTICS, bad=wrong_statistics),
    )  # fmt: skip

    def plan(p: Planning) -> None:
        backward(p)

    plan.__doc__ = (
        "With P = softmax(scores): dv = dropout(P)^T @ dy; dS = P * (dropout(dy @ value^T) - rowsum(dy * attentionIn));"
        " dq = scaleValue * dS @ key; dk = scaleValue * dS^T @ query. A key that query heads share gets the sum of "
        "their gradients. dpse is not written."
        + (" dsink = - the sum of exp(sink - softmaxMax) / softmaxSum * rowsum(dy * attentionIn)." if version.sink
           else "")
    )  # fmt: skip
    return planned(name, *relations)(plan)


PACKED_FIRST: Final = one_of("inputLayout", "TND")
flash_attention_score_grad = flash_grad("aclnnFlashAttentionScoreGrad", Version())
flash_attention_score_grad_v2 = flash_grad("aclnnFlashAttentionScoreGradV2", Version(slopes=True))
flash_attention_score_grad_v3 = flash_grad("aclnnFlashAttentionScoreGradV3", Version(slopes=True, sink=SINK))
flash_attention_score_grad_v4 = flash_grad(
    "aclnnFlashAttentionScoreGradV4",
    Version((*PADDED, "TND"), slopes=True, sink=SINK, rope=("queryRopeOptional", "keyRopeOptional"), order=ORDER),
    may_be_null(*LENGTHS),
)  # fmt: skip
unpadding_score_grad = flash_grad("aclnnFlashAttentionUnpaddingScoreGrad", Version(TND))
unpadding_score_grad_v2 = flash_grad("aclnnFlashAttentionUnpaddingScoreGradV2", Version(TND, slopes=True))
unpadding_score_grad_v3 = flash_grad("aclnnFlashAttentionUnpaddingScoreGradV3", Version(TND, slopes=True, rope=ROPE))
unpadding_score_grad_v4 = flash_grad(
    "aclnnFlashAttentionUnpaddingScoreGradV4", Version(TND, order=ORDER),
    before_nulls((), PACKED_FIRST, one_of(ORDER, "", "same_as_input", provenance="public")),
)  # fmt: skip
unpadding_score_grad_v5 = flash_grad(
    "aclnnFlashAttentionUnpaddingScoreGradV5", Version(TND, slopes=True, sink=SINK, rope=ROPE, order=ORDER),
    before_nulls((), PACKED_FIRST),
)  # fmt: skip
unpadding_score_grad_largest = largest_workspace(unpadding_score_grad_v5, own_lengths)
