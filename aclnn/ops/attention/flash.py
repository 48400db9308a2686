"""FlashAttentionScore: attention that also returns statistics of each row, for its gradient."""

from typing import Final

from aclnn.op import (
    Arguments, Bad, Operator, Planning, Shape, T, demand, done, listed, may_be_null, planned, required, said,
    same_dtype, shape,
)  # fmt: skip
from aclnn.ops.attention._demands import Misfit, Wrong, checked
from aclnn.ops.attention._flash import (
    BUILT,
    POSITIVE,
    keys,
    layout,
    no_private_format,
    queries,
    rows_shape,
    scoring,
    values,
)
from aclnn.ops.attention._flash_steps import left_out, pieces
from aclnn.ops.attention._layouts import PADDED, RANKS, HeadSizes, by_heads, shape_of, statistics
from aclnn.ops.attention._steps import attend, clear

STATISTICS: Final = ("softmaxMaxOut", "softmaxSumOut")
RESULTS: Final = (*STATISTICS, "attentionOutOut")
OPTIONAL: Final = ("realShiftOptional", "dropMaskOptional", "attenMaskOptional")


def no_results(a: Arguments) -> bool:
    return not any(a[name].numel for name in RESULTS)


def wrong_layout(packed: bool) -> Wrong:
    legal = ("TND",) if packed else PADDED

    def bad(a: Arguments) -> Misfit | None:
        if layout(a) not in legal:
            return "inputLayout", repr(a["inputLayout"]), ", ".join(legal)
        for name in ("query", "key", "value"):
            if a.rank(name) != RANKS[layout(a)]:
                return name, list(a.shape(name)), f"{RANKS[layout(a)]} dimensions, as {layout(a)} has"
        return None

    return bad


def wrong_size(a: Arguments) -> Misfit | None:
    size = queries(a).size
    if size > 768:
        return "query", f"a last size of {size}", "at most 768"
    if layout(a) not in ("BSH", "SBH"):
        if keys(a).size != size:
            return "key", f"a last size of {keys(a).size}", f"{size}, as query"
        if values(a).size > size:
            return "value", f"a last size of {values(a).size}", f"at most {size}, as key"
    return None


def out_shape(a: Arguments) -> Shape:
    query = queries(a)
    return shape_of(HeadSizes(query.batches, query.heads, query.rows, values(a).size), layout(a))


def not_float(a: Arguments) -> Bad:
    dtype_names = [a.type_name(name) for name in STATISTICS if a.dtype(name) != T.ACL_FLOAT]
    return (dtype_names[0], "DT_FLOAT") if dtype_names else None


def other_type(a: Arguments) -> Bad:
    same = a.dtype("attentionOutOut") == a.dtype("query")
    return None if same else (a.type_name("attentionOutOut"), f"{a.type_name('query')}, as query")


def flash(name: str, *, packed: bool = False) -> Operator:
    """A version of the operator. `packed`: True for the layout TND, in which batches have different lengths."""
    lengths = ("actualSeqQLenOptional", "actualSeqKvLenOptional") if packed else ()
    relations = (
        *left_out(slopes=name.endswith("V2"), packed=packed),
        may_be_null("softmaxOutOut"), *((required(*lengths),) if packed else ()), said("inputLayout"),
        done("all outputs are empty", *RESULTS, when=no_results),
        *no_private_format("query", "key", "value", *RESULTS, *OPTIONAL),
        listed("query", "key", "value", "realShiftOptional"), same_dtype("key", "query"), same_dtype("value", "query"),
        same_dtype("realShiftOptional", "attentionOutOut"), POSITIVE,
        checked("query, key and value have the dimensions of {0}", "inputLayout", "query", "key", "value",
                bad=wrong_layout(packed)),
        checked("the sizes of {0}, key and value fit", "query", "key", "value", bad=wrong_size),
        listed("dropMaskOptional", "attenMaskOptional"),
        *scoring("key", "realShiftOptional", packed=packed),
        shape("attentionOutOut", "{0} has the shape of query with the sizes of value", out_shape, status=BUILT),
        *(shape(name, "{0} has eight elements for each row", rows_shape, status=BUILT) for name in STATISTICS),
        demand("{0} has the data type of query", "attentionOutOut", "query", bad=other_type, status=BUILT),
        demand("{0} and {1} are FLOAT", *STATISTICS, bad=not_float, status=BUILT),
    )  # fmt: skip

    def plan(p: Planning) -> None:
        forward(p)

    plan.__doc__ = (
        "attentionOut = dropout(softmax(scores)) @ value, where scores = scaleValue * query @ key^T plus the shift. "
        "Positions with attenMask 1 are hidden. softmaxMax = the largest score of each row; softmaxSum = the sum of "
        "exp(score - softmaxMax) in each row; both eight times."
    )
    return planned(name, *relations)(plan)


def forward(p: Planning) -> None:
    result = p.builder.alloc(p.shape("attentionOutOut"), p.dtype("attentionOutOut"))
    stats = [p.builder.alloc(p.shape(statistic), T.ACL_FLOAT) for statistic in STATISTICS]
    out = by_heads(result, layout(p), p["headNum"])
    rows = [statistics(stat, layout(p) == "TND") for stat in stats]
    for piece in pieces(p):
        top, total = map(piece.of_query, rows)
        attend(p, piece.attended, piece.of_query(out), {"top": top, "sum": total})
    if layout(p) == "TND":
        end = p["actualSeqQLenOptional"].values[-1]
        for target in (out, *rows):
            clear(p, target.part(slice(None), slice(None), slice(end, target.shape[2])))
    for name, value in zip(RESULTS, (*stats, result), strict=True):
        p.store(name, value)


flash_attention_score = flash("aclnnFlashAttentionScore")
flash_attention_score_v2 = flash("aclnnFlashAttentionScoreV2")
flash_attention_var_len_score = flash("aclnnFlashAttentionVarLenScore", packed=True)
flash_attention_var_len_score_v2 = flash("aclnnFlashAttentionVarLenScoreV2", packed=True)
