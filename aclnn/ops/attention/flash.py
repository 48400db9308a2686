"""FlashAttentionScore: attention that also returns statistics of each row, for its gradient."""

from typing import Final

from aclnn.op import (
    Arguments, Bad, Operator, Planning, Relation, Series, Shape, T, demand, done, except_on, largest_workspace, listed,
    may_be_null, one_of, planned, required, said, same_dtype, shape,
)  # fmt: skip
from aclnn.ops.attention._demands import Misfit, Wrong, checked
from aclnn.ops.attention._flash import (
    BUILT,
    LENGTHS,
    POSITIVE,
    Version,
    keys,
    layout,
    no_private_format,
    own_lengths,
    queries,
    rows_shape,
    scoring,
    values,
)
from aclnn.ops.attention._flash_steps import left_out, pieces
from aclnn.ops.attention._flash_versions import added, of_shift
from aclnn.ops.attention._layouts import PADDED, RANKS, TND, HeadSizes, by_heads, shape_of
from aclnn.ops.attention._steps import attend, clear

STATISTICS: Final = ("softmaxMaxOut", "softmaxSumOut")
RESULTS: Final = (*STATISTICS, "attentionOutOut")
PACKED_ORDER: Final = (
    " The statistics of packed batches lie batch behind batch, in each batch head behind head; with the layout "
    "same_as_input (TN8) token behind token."
)
OPTIONAL: Final = ("realShiftOptional", "dropMaskOptional", "attenMaskOptional")


def no_results(a: Arguments) -> bool:
    return not any(a[name].numel for name in RESULTS)


def wrong_layout(legal: tuple[str, ...]) -> Wrong:
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


def flash(name: str, version: Version, *more: Relation) -> Operator:
    """A version of the operator. `more`: relations behind those of the data types."""
    relations = (
        *left_out(version),
        may_be_null("softmaxOutOut"), *((required(*LENGTHS),) if version.packed else ()), said("inputLayout"),
        done("all outputs are empty", *RESULTS, when=no_results),
        *((one_of("inputLayout", "TND"),) if version.packed and version.order else ()),
        *(() if version.mixed else no_private_format("query", "key", "value", *RESULTS, *OPTIONAL)),
        listed("query", "key", "value"), same_dtype("key", "query"), same_dtype("value", "query"),
        *of_shift(version, "realShiftOptional", "attentionOutOut"), *more, POSITIVE,
        checked("query, key and value have the dimensions of {0}", "inputLayout", "query", "key", "value",
                bad=wrong_layout(version.layouts)),
        checked("the sizes of {0}, key and value fit", "query", "key", "value", bad=wrong_size),
        listed("dropMaskOptional", "attenMaskOptional"),
        *scoring("key", "realShiftOptional", version, *added(version, "key")),
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
        + (" A sink is one more score of each row of a head, without a value." if version.sink else "")
        + (" Rotary parts are behind the vectors of query and key." if version.rope else "")
        + (PACKED_ORDER if "TND" in version.layouts else "")
    )
    return planned(name, *relations)(plan)


def forward(p: Planning) -> None:
    result = p.builder.alloc(p.shape("attentionOutOut"), p.dtype("attentionOutOut"))
    stats = [p.builder.alloc(p.shape(statistic), T.ACL_FLOAT) for statistic in STATISTICS]
    out = by_heads(result, layout(p), p["headNum"])
    for piece in pieces(p):
        top, total = (piece.statistics(p, stat) for stat in stats)
        attend(p, piece.attended, piece.of_query(out), {"top": top, "sum": total})
    if layout(p) == "TND":
        end = p["actualSeqQLenOptional"].values[-1]
        clear(p, out.along(2, slice(end, out.shape[2])))
        for stat in stats:
            clear(p, stat.part(slice(end, stat.shape[0])))
    for name, value in zip(RESULTS, (*stats, result), strict=True):
        p.store(name, value)


SINK, ORDER, ROPE = "sinkOptional", "softmaxOutLayout", ("queryRope", "keyRope")
flash_attention_score = flash("aclnnFlashAttentionScore", Version())
flash_attention_score_v2 = flash("aclnnFlashAttentionScoreV2", Version(slopes=True))
flash_attention_score_v3 = flash(
    "aclnnFlashAttentionScoreV3", Version(slopes=True, sink=SINK),
    except_on(Series.A950, same_dtype("attentionOutOut", "query")),
)  # fmt: skip
flash_attention_score_v4 = flash(
    "aclnnFlashAttentionScoreV4",
    Version((*PADDED, "TND"), slopes=True, sink=SINK, rope=("queryRopeOptional", "keyRopeOptional"), order=ORDER),
    may_be_null(*LENGTHS),
)  # fmt: skip
flash_attention_var_len_score = flash("aclnnFlashAttentionVarLenScore", Version(TND))
flash_attention_var_len_score_v2 = flash("aclnnFlashAttentionVarLenScoreV2", Version(TND, slopes=True))
flash_attention_var_len_score_v3 = flash("aclnnFlashAttentionVarLenScoreV3", Version(TND, slopes=True, rope=ROPE))
flash_attention_var_len_score_v4 = flash("aclnnFlashAttentionVarLenScoreV4", Version(TND, order=ORDER))
flash_attention_var_len_score_v5 = flash(
    "aclnnFlashAttentionVarLenScoreV5", Version(TND, slopes=True, sink=SINK, rope=ROPE, order=ORDER)
)
flash_attention_largest = largest_workspace(flash_attention_var_len_score_v5, own_lengths)
