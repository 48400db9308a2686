"""Attention of a prompt, or of one new row, without a gradient: FusedInferAttentionScore, PromptFlashAttention and
IncreFlashAttention."""

from typing import Final

from aclnn.op import (
    TILING, Arguments, Operator, Planning, Relation, T, changes, empty, generated, largest_workspace, listed,
    may_be_null, needed_if, one_of, planned, public_format, ranks, shape,
)  # fmt: skip
from aclnn.ops.attention._demands import Misfit
from aclnn.ops.attention._infer import batches, full_name, key_rows, of_keys, option, packed, paged, queries
from aclnn.ops.attention._infer_options import (
    without_partner,
    without_ends,
    wrong_lengths,
    wrong_mask,
    wrong_mode,
    wrong_prefix,
    wrong_rope,
    wrong_shift,
    wrong_sink,
)
from aclnn.ops.attention._infer_rules import BEHIND, OF_V5, shapes, tiled
from aclnn.ops.attention._infer_steps import SCALES, infer
from aclnn.ops.attention._quantised import left_out, now_int4, wrong_scales

KEYS: Final = (T.ACL_FLOAT16, T.ACL_BF16, T.ACL_INT8, T.ACL_INT4, T.ACL_INT32)
OUT: Final = ("quantScale2", "quantOffset2")
RESTORED: Final = ("antiquantScale", "antiquantOffset")
OF_V2: Final = (
    "keyAntiquantScale", "keyAntiquantOffset", "valueAntiquantScale", "valueAntiquantOffset", "keySharedPrefix",
    "valueSharedPrefix",
)  # fmt: skip
FUSED: Final = (*SCALES, *OUT, *RESTORED, "queryPaddingSize", "kvPaddingSize")


def version(
    name: str, end: str = "", *, others: tuple[str, ...] = (), lengths: tuple[str, ...] = (), table: str = "",
    modes: bool = True, int4: bool = False, behind: tuple[str, ...] = (), newest: bool = False,
    nulls: tuple[str, ...] = (), more: tuple[Relation, ...] = (),
) -> Operator:  # fmt: skip
    """A version of an operator. `end`: the ending of its optional parameters; `others`: optional parameters besides
    pseShift and attenMask; `lengths`: its arrays of lengths; `table`: its table of blocks; `modes`: True if it has
    sparse modes; `int4`: True if keys may be INT4; `behind`: its packed layouts, and others of later versions;
    `newest`: True if it has floats of 8 bits; `nulls`: parameters that may be null although the catalogue has them as
    required; `more`: further relations."""
    shift, mask, sink = f"pseShift{end}", f"attenMask{end}", f"learnableSink{end}"
    optional = tuple(f"{each}{end}" for each in others)
    ends = (tiled("packed batches of {0} have lengths", "inputLayout", bad=without_ends),) if behind else ()
    vectors = tuple(each for each in optional if each.removesuffix(end) in SCALES)
    relations = (
        generated(), *left_out(others, behind=bool(behind), newest=newest), may_be_null(*nulls),
        *((changes(now_int4),) if int4 else ()),
        listed("query", among=KEYS[:3], provenance="public") if behind and not newest else listed("query"),
        listed("key", "value", among=KEYS, provenance="public") if int4 and not newest else listed("key", "value"),
        listed(shift, mask, *optional, *((table,) if table else ()), "attentionOut"),
        public_format("query", "attentionOut"), empty("query"),
        *shapes(*ends, split="Incre" not in name, blocks=bool(table), several="Prompt" not in name, behind=behind),
        ranks(*vectors, least=1, most=1, status=TILING),
        *((tiled("the scales of {0} fit its data type", "key", bad=wrong_scales),) if f"{RESTORED[0]}{end}" in optional
          else ()),
        *((tiled("{0} has a row of each batch, and lengths of the keys are given", table, bad=wrong_table),) if table
          else ()),
        *((tiled("{0} has a number for each head", sink, bad=wrong_sink(sink)),) if sink in optional else ()),
        *(prefixes(end) if "keySharedPrefix" in others else ()),
        tiled("{0} has an element for each score", shift, bad=wrong_shift(shift)),
        tiled("{0} has an element for each score, or is compressed", mask, bad=wrong_mask(mask)),
        *((tiled("{0} is 0 or 1, or 2 to 4 with a mask", "sparseMode", bad=wrong_mode),) if modes else ()),
        *(tiled("{0} are lengths of each batch", length, bad=wrong_lengths(length)) for length in lengths), *more,
    )  # fmt: skip

    def plan(p: Planning) -> None:
        infer(p)

    plan.__doc__ = (
        "attentionOut = softmax(scaleValue * query @ key^T + pseShift) @ value, where positions with attenMask 1 are "
        "hidden."
    )
    return planned(name, *relations)(plan)


def together(sentence: str, *names: str) -> tuple[Relation, ...]:
    """Checks that two optional parameters are both given or both null. The rule is ours: the kernel reads both."""
    return tuple(tiled(sentence, name, bad=without_partner(name, other)) for name, other in (names, names[::-1]))


def prefixes(end: str) -> tuple[Relation, ...]:
    """The shared prefixes of keys and values."""
    prefix_names = {source: f"{source}SharedPrefix{end}" for source in ("key", "value")}
    fit = (
        tiled("{0} fits the other keys or values", name, bad=wrong_prefix(name, source))
        for source, name in prefix_names.items()
    )
    return (*together("a shared prefix is one of keys and values: {0} is not alone", *prefix_names.values()), *fit)


def lse_shape(a: Arguments) -> tuple[int, ...] | None:
    query = queries(a)
    if not a["softmaxLseFlag"]:
        return None
    return (query.rows, query.heads, 1) if packed(a) else (query.batches, query.heads, query.rows, 1)


def wrong_table(a: Arguments) -> Misfit | None:
    name = full_name(a, "blockTable")
    table, lengths = a[name].shape, option(a, of_keys(a))
    if len(table) == 2 and table[0] == batches(a) and lengths is not None and lengths.values:
        return None
    return name, list(table), f"{batches(a)} rows, and lengths of the keys"


def fused(
    name: str, end: str, others: tuple[str, ...], rope: tuple[str, str] | None = None, *more: Relation,
) -> Operator:  # fmt: skip
    """A version of FusedInferAttentionScore. `more`: relations of this version alone."""
    return version(
        name, end, others=others, lengths=(f"actualSeqLengths{end}", f"actualSeqLengthsKv{end}"),
        table=f"blockTable{end}", int4=end != "", nulls=("softmaxLse",),
        behind=(() if rope is None else (*BEHIND, *OF_V5) if more else BEHIND), newest=bool(more),
        more=(
            *more,
            *(together("rotary parts are those of query and key: {0} is not alone", *rope) if rope is not None else ()),
            *((tiled("{0} and {1} fit query and key", *rope, bad=wrong_rope(*rope)),) if rope is not None else ()),
            needed_if("softmaxLse", "softmaxLseFlag"),
            shape("softmaxLse", "{0} has an element for each row, if softmaxLseFlag", lse_shape, status=TILING),
        ),
    )  # fmt: skip


def incremental(name: str, *others: str, table: str = "") -> Operator:
    """A version of IncreFlashAttention. None of its documents calls a parameter optional."""
    names = ("pseShift", "attenMask", *others, *([table] if table else []), "actualSeqLengths")
    return version(name, others=others, lengths=("actualSeqLengths",), table=table, modes=False, nulls=names)


fused_infer = fused("aclnnFusedInferAttentionScore", "", FUSED)
fused_infer_v2 = fused("aclnnFusedInferAttentionScoreV2", "Optional", (*FUSED, *OF_V2))
ROPE: Final = ("queryRope", "keyRope")
OF_V4: Final = ("keyRopeAntiquantScale", "dequantScaleQuery", "learnableSink")
fused_infer_v3 = fused(
    "aclnnFusedInferAttentionScoreV3", "Optional", (*FUSED, *OF_V2, *ROPE, "keyRopeAntiquantScale"),
    rope=("queryRopeOptional", "keyRopeOptional"),
)  # fmt: skip
fused_infer_v4 = fused(
    "aclnnFusedInferAttentionScoreV4", "Optional",
    (*FUSED, *OF_V2, *ROPE, *OF_V4), ("queryRopeOptional", "keyRopeOptional"),
)  # fmt: skip
fused_infer_v5 = fused(
    "aclnnFusedInferAttentionScoreV5", "Optional", (*FUSED, *OF_V2, *ROPE, *OF_V4),
    ("queryRopeOptional", "keyRopeOptional"), one_of("pseType", 0, status=TILING),
    one_of("antiquantMode", 0, status=TILING),
    *(one_of(f"{name}Optional", None, status=TILING) for name in RESTORED),
)  # fmt: skip


def largest(a: Arguments) -> dict[str, list[int]]:
    """The first phase for the largest lengths of keys. A graph whose lengths change needs such a workspace."""
    if packed(a) and not paged(a):
        return {}
    return {full_name(a, "actualSeqLengthsKv"): key_rows(a)}


largest_sizes = tuple(
    largest_workspace(each, largest)
    for each in (fused_infer, fused_infer_v2, fused_infer_v3, fused_infer_v4, fused_infer_v5)
)
prompt = version("aclnnPromptFlashAttention", lengths=("actualSeqLengths",), modes=False)
prompt_v2 = version(
    "aclnnPromptFlashAttentionV2", others=(*SCALES, *OUT), lengths=("actualSeqLengths", "actualSeqLengthsKv"),
    nulls=("pseShift",),
)  # fmt: skip
prompt_v3 = version(
    "aclnnPromptFlashAttentionV3", others=(*SCALES, *OUT), lengths=("actualSeqLengths", "actualSeqLengthsKv")
)
INCREMENTAL: Final = ("dequantScale1", "quantScale1", "dequantScale2", *OUT)
incre = incremental("aclnnIncreFlashAttention")
incre_v2 = incremental("aclnnIncreFlashAttentionV2", *INCREMENTAL)
incre_v3 = incremental("aclnnIncreFlashAttentionV3", *INCREMENTAL, *RESTORED, table="blocktable")
incre_v4 = incremental("aclnnIncreFlashAttentionV4", *INCREMENTAL, *RESTORED, "kvPaddingSize", table="blocktable")
