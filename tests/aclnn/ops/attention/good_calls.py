"""Good calls that a search does not find, and checks that it does not reach: see `tests.aclnn.ops.good_calls`."""

from typing import Any

from acl_runtime import *
from acl_runtime.objects.soc import Series
from tests.aclnn.ops.attention import good_calls_prolog
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values

HALF = ACL_FLOAT16


def without(call: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in call.items() if name not in names}


QUERY, KEY, ROWS = Meta((2, 4, 3, 8), HALF), Meta((2, 2, 5, 8), HALF), Meta((2, 4, 3, 8))
SCORES = {
    "dropMaskOptional": Meta((16,), ACL_UINT8), "attenMaskOptional": Meta((2, 1, 3, 5), ACL_BOOL),
    "prefixOptional": Values((2, 3)), "scaleValue": 0.25, "keepProb": 0.5, "preTokens": 2147483647,
    "nextTokens": 2147483647, "headNum": 4, "inputLayout": "BNSD", "innerPrecise": 2, "sparseMode": 0,
}  # fmt: skip
FLASH = {
    "query": QUERY, "key": KEY, "value": KEY, "realShiftOptional": Meta((1, 4, 3, 5), HALF), **SCORES,
    "softmaxMaxOut": ROWS, "softmaxSumOut": ROWS, "attentionOutOut": QUERY,
}  # fmt: skip
GRAD = {
    "query": QUERY, "keyIn": KEY, "value": KEY, "dy": QUERY, "pseShiftOptional": Meta((1, 4, 3, 5), HALF), **SCORES,
    "softmaxMaxOptional": ROWS, "softmaxSumOptional": ROWS, "attentionInOptional": QUERY, "dqOut": QUERY, "dkOut": KEY,
    "dvOut": KEY,
}  # fmt: skip
PACKED = {
    "inputLayout": "TND",
    "attenMaskOptional": Meta((3, 4), ACL_BOOL),
    "actualSeqQLenOptional": Values((2, 5)),
    "actualSeqKvLenOptional": Values((3, 7)),
    "prefixOptional": None,
}
PACKED_QUERY, PACKED_KEY, PACKED_ROWS = Meta((5, 4, 8), HALF), Meta((7, 2, 8), HALF), Meta((5, 4, 8))
VAR_LEN = {
    **FLASH, **PACKED, "query": PACKED_QUERY, "key": PACKED_KEY, "value": PACKED_KEY, "realShiftOptional": None,
    "softmaxMaxOut": PACKED_ROWS, "softmaxSumOut": PACKED_ROWS, "attentionOutOut": PACKED_QUERY,
}  # fmt: skip
UNPADDING = {
    **GRAD, **PACKED, "query": PACKED_QUERY, "keyIn": PACKED_KEY, "value": PACKED_KEY, "dy": PACKED_QUERY,
    "pseShiftOptional": None, "softmaxMaxOptional": PACKED_ROWS, "softmaxSumOptional": PACKED_ROWS,
    "attentionInOptional": PACKED_QUERY, "dqOut": PACKED_QUERY, "dkOut": PACKED_KEY, "dvOut": PACKED_KEY,
}  # fmt: skip
SINK = {"sinkOptional": Meta((4,)), "pseType": 0}
SINK_GRAD = {"sinkInOptional": Meta((4,)), "pseType": 0, "dsinkOut": Meta((4,))}
BRAIN_QUERY, BRAIN_KEY, BRAIN_ROWS = Meta((5, 4, 16), ACL_BF16), Meta((7, 2, 16), ACL_BF16), Meta((5, 4, 8))
ROPED = {
    **PACKED, **dict.fromkeys(("query", "queryRope"), BRAIN_QUERY), "value": BRAIN_KEY, "keyRope": BRAIN_KEY,
    "dropMaskOptional": None, "keepProb": 1.0, "pseType": 0,
}  # fmt: skip


def in_bf16(call: dict[str, Any]) -> dict[str, Any]:
    """The call with BFLOAT16 in place of FLOAT16."""
    tensors = {name: value for name, value in call.items() if isinstance(value, Meta) and value.dtype == HALF}
    return call | {name: Meta(value.shape, ACL_BF16) for name, value in tensors.items()}


VAR_LEN_V3 = {
    **VAR_LEN, **ROPED, "key": BRAIN_KEY, "attentionOutOut": BRAIN_QUERY, "softmaxMaxOut": BRAIN_ROWS,
    "softmaxSumOut": BRAIN_ROWS,
}  # fmt: skip
UNPADDING_V3 = {
    **UNPADDING, **without(ROPED, "keyRope"), "keyIn": BRAIN_KEY, "keyInRope": BRAIN_KEY, "dy": BRAIN_QUERY,
    "attentionInOptional": BRAIN_QUERY, "dqOut": BRAIN_QUERY, "dqRopeOut": BRAIN_QUERY, "dkOut": BRAIN_KEY,
    "dkRopeOut": BRAIN_KEY, "dvOut": BRAIN_KEY, "softmaxMaxOptional": BRAIN_ROWS, "softmaxSumOptional": BRAIN_ROWS,
}  # fmt: skip
RANDOM = {"seed": 5, "offset": 0, "outDtype": 0}
FLASH_VERSIONS: dict[str, Any] = {
    "aclnnFlashAttentionScore": FLASH,
    "aclnnFlashAttentionScoreV2": {**FLASH, "pseType": 0},
    "aclnnFlashAttentionScoreV3": {**FLASH, **SINK},
    "aclnnFlashAttentionScoreV4": {**FLASH, **SINK, **RANDOM, "softmaxOutLayout": "BNS8"},
    "aclnnFlashAttentionVarLenScore": VAR_LEN,
    "aclnnFlashAttentionVarLenScoreV2": {**VAR_LEN, "pseType": 0},
    "aclnnFlashAttentionVarLenScoreV3": {**in_bf16(VAR_LEN), "pseType": 0},
    "aclnnFlashAttentionVarLenScoreV4": {**VAR_LEN, "softmaxOutLayout": ""},
    "aclnnFlashAttentionVarLenScoreV5": {**VAR_LEN, **SINK, "softmaxOutLayout": "same_as_input"},
    "aclnnFlashAttentionScoreGrad": GRAD,
    "aclnnFlashAttentionScoreGradV2": {**GRAD, "pseType": 0},
    "aclnnFlashAttentionScoreGradV3": {**GRAD, **SINK_GRAD},
    "aclnnFlashAttentionScoreGradV4": {**GRAD, **SINK_GRAD, **RANDOM, "softmaxInLayout": ""},
    "aclnnFlashAttentionUnpaddingScoreGrad": UNPADDING,
    "aclnnFlashAttentionUnpaddingScoreGradV2": {**UNPADDING, "pseType": 0},
    "aclnnFlashAttentionUnpaddingScoreGradV3": {**in_bf16(UNPADDING), "pseType": 0},
    "aclnnFlashAttentionUnpaddingScoreGradV4": {**UNPADDING, "softmaxInLayout": ""},
    "aclnnFlashAttentionUnpaddingScoreGradV5": {**UNPADDING, **SINK_GRAD, "softmaxInLayout": "same_as_input"},
}
FUSED_CALL = {
    "query": Meta((2, 3, 4, 16), HALF), "key": (Meta((2, 4, 2, 16), HALF),), "value": (Meta((2, 4, 2, 16), HALF),),
    "pseShift": Meta((2, 4, 3, 4), HALF), "attenMask": Meta((2, 1, 3, 4), ACL_BOOL), "actualSeqLengths": Values((3, 2)),
    "actualSeqLengthsKv": Values((4, 3)), "numHeads": 4, "scaleValue": 0.25, "preTokens": 2147483647,
    "nextTokens": 2147483647, "inputLayout": "BSND", "numKeyValueHeads": 2, "sparseMode": 0, "innerPrecise": 2,
    "blockSize": 0, "antiquantMode": 0, "softmaxLseFlag": True, "attentionOut": Meta((2, 3, 4, 16), HALF),
    "softmaxLse": Meta((2, 4, 3, 1)),
}  # fmt: skip
ENDS = ("pseShift", "attenMask", "actualSeqLengths", "actualSeqLengthsKv")
FUSED_V2 = {f"{name}Optional" if name in ENDS else name: value for name, value in FUSED_CALL.items()}


PROMPT = {
    **without(FUSED_CALL, "blockSize", "antiquantMode", "softmaxLseFlag", "softmaxLse"),
    "key": Meta((2, 4, 2, 16), HALF), "value": Meta((2, 4, 2, 16), HALF),
}  # fmt: skip
INCRE = {
    **without(FUSED_CALL, "actualSeqLengthsKv", "preTokens", "nextTokens", "sparseMode", "antiquantMode",
              "softmaxLseFlag", "softmaxLse"),
    "query": Meta((2, 1, 4, 16), HALF), "pseShift": Meta((2, 4, 1, 4), HALF), "attenMask": Meta((2, 4), ACL_BOOL),
    "actualSeqLengths": Values((4, 3)), "attentionOut": Meta((2, 1, 4, 16), HALF),
}  # fmt: skip
CACHE, TOKENS = Meta((3, 2, 2, 16), HALF), Meta((4, 2, 16), HALF)
CACHES: dict[str, Any] = {
    "aclnnScatterPaKvCache": {
        "key": TOKENS, "keyCacheRef": CACHE, "slotMapping": Meta((4,), ACL_INT32), "value": TOKENS,
        "valueCacheRef": CACHE, "cacheModeOptional": "Norm", "scatterModeOptional": "None",
    },
    "aclnnScatterPaCache": {
        "key": TOKENS, "keyCacheRef": CACHE, "slotMapping": Meta((4,), ACL_INT32), "cacheMode": "PA_NZ",
    },
    "aclnnQkvRmsNormRopeCache": {
        "qkv": Meta((3, 640), HALF), "qGamma": Meta((128,), HALF), "kGamma": Meta((128,), HALF),
        "cos": Meta((3, 128), HALF), "sin": Meta((3, 128), HALF), "index": Meta((3,), ACL_INT64),
        "qOut": Meta((3, 384), HALF), "kCache": Meta((2, 8, 4, 16), HALF), "vCache": Meta((2, 8, 4, 16), HALF),
        **dict.fromkeys(("kScaleOptional", "vScaleOptional", "kOffsetOptional", "vOffsetOptional"), Meta((1, 128))),
        "qkvSize": Values((1, 3, 5, 128)), "headNums": Values((3, 1, 1)), "epsilon": 1e-5, "cacheModeOptional": "PA_NZ",
        "qOutBeforeQuant": Meta((3, 384), HALF), "kOutBeforeQuant": Meta((3, 128), HALF),
        "vOutBeforeQuant": Meta((3, 128), HALF),
    },
    "aclnnKvRmsNormRopeCache": {
        "kv": Meta((2, 1, 3, 10), HALF), "gamma": Meta((6,), HALF), "cos": Meta((2, 1, 3, 4), HALF),
        "sin": Meta((2, 1, 3, 4), HALF), "index": Meta((2, 3), ACL_INT64), "kCacheRef": Meta((2, 1, 5, 4), HALF),
        "ckvCacheRef": Meta((2, 1, 5, 6), HALF), "kRopeScaleOptional": Meta((4,)), "cKvScaleOptional": Meta((1, 6)),
        "kRopeOffsetOptional": Meta((1,)), "cKvOffsetOptional": Meta((6,)), "epsilon": 0.125,
        "cacheModeOptional": "Norm", "isOutputKv": True, "kRopeOut": Meta((2, 1, 3, 4), HALF),
        "cKvOut": Meta((2, 1, 3, 6), HALF),
    },
    "aclnnGatherPaKvCache": {
        "keyCache": CACHE, "valueCache": CACHE, "blockTables": Meta((2, 2), ACL_INT32),
        "seqLens": Meta((2,), ACL_INT32), "keyRef": TOKENS, "valueRef": TOKENS,
        "seqOffsetOptional": Meta((2,), ACL_INT32), "cacheMode": "Norm", "isSeqLensCumsum": False,
    },
}  # fmt: skip
RING_ROWS, RING = Meta((2, 2, 3, 8)), Meta((3, 2, 8), HALF)
RING_CALL = {
    "prevAttnOut": RING, "prevSoftmaxMax": RING_ROWS, "prevSoftmaxSum": RING_ROWS, "curAttnOut": RING,
    "curSoftmaxMax": RING_ROWS, "curSoftmaxSum": RING_ROWS, "actualSeqQlenOptional": None,
    "inputLayoutOptional": "SBH", "attnOutOut": RING, "softmaxMaxOut": RING_ROWS, "softmaxSumOut": RING_ROWS,
}  # fmt: skip
GOOD = {
    **good_calls_prolog.GOOD,
    "aclnnAttentionUpdate": {
        "lse": (Meta((3,)),) * 2, "localOut": (Meta((3, 8), HALF),) * 2, "updateType": 1, "out": Meta((3, 8), HALF),
        "lseOut": Meta((3,)),
    },
    "aclnnRingAttentionUpdate": RING_CALL,
    "aclnnRingAttentionUpdateV2": {**RING_CALL, "inputSoftmaxLayoutOptional": ""},
    **CACHES,
    "aclnnFusedInferAttentionScore": FUSED_CALL,
    "aclnnFusedInferAttentionScoreV2": {**FUSED_V2, "keyAntiquantMode": 0, "valueAntiquantMode": 0},
    "aclnnFusedInferAttentionScoreV3": {
        **FUSED_V2, "keyAntiquantMode": 0, "valueAntiquantMode": 0, "queryRopeOptional": Meta((2, 3, 4, 64), HALF),
        "keyRopeOptional": Meta((2, 4, 2, 64), HALF),
    },
    "aclnnFusedInferAttentionScoreV4": {
        **FUSED_V2, "keyAntiquantMode": 0, "valueAntiquantMode": 0, "queryRopeOptional": Meta((2, 3, 4, 64), HALF),
        "keyRopeOptional": Meta((2, 4, 2, 64), HALF), "queryQuantMode": 0,
    },
    "aclnnFusedInferAttentionScoreV5": {
        **FUSED_V2, "keyAntiquantMode": 0, "valueAntiquantMode": 0, "queryRopeOptional": Meta((2, 3, 4, 64), HALF),
        "keyRopeOptional": Meta((2, 4, 2, 64), HALF), "queryQuantMode": 0, "pseType": 0,
        "qStartIdxOptional": Values((0,)), "kvStartIdxOptional": Values((0,)),
    },
    "aclnnPromptFlashAttention": without(PROMPT, "actualSeqLengthsKv", "sparseMode", "innerPrecise"),
    "aclnnPromptFlashAttentionV2": without(PROMPT, "innerPrecise"), "aclnnPromptFlashAttentionV3": PROMPT,
    "aclnnIncreFlashAttention": without(INCRE, "blockSize", "innerPrecise"),
    "aclnnIncreFlashAttentionV2": without(INCRE, "blockSize", "innerPrecise"), "aclnnIncreFlashAttentionV3": INCRE,
    "aclnnIncreFlashAttentionV4": INCRE,
    **FLASH_VERSIONS,
}  # fmt: skip
FUSED = "aclnnFusedInferAttentionScoreV2"
FUSED_V3 = "aclnnFusedInferAttentionScoreV3"
FUSED_V4 = "aclnnFusedInferAttentionScoreV4"
FUSED_V5 = "aclnnFusedInferAttentionScoreV5"
TABLES = {
    FUSED: "blockTableOptional", FUSED_V3: "blockTableOptional", FUSED_V4: "blockTableOptional",
    FUSED_V5: "blockTableOptional",
    FUSED.removesuffix("V2"): "blockTable",
    "aclnnIncreFlashAttentionV3": "blocktable",
    "aclnnIncreFlashAttentionV4": "blocktable",
}  # fmt: skip
FORWARD = [name for name in FLASH_VERSIONS if "Grad" not in name]
GRADS = [name for name in FLASH_VERSIONS if "Grad" in name]
MIXED = ("aclnnFlashAttentionScoreV4", "aclnnFlashAttentionScoreGradV4")
ROPED_VERSIONS = {
    **dict.fromkeys((f"aclnnFlashAttentionVarLenScore{version}" for version in ("V3", "V5")),
                    ("queryRope", "keyRope", "key")),
    **dict.fromkeys((f"aclnnFlashAttentionUnpaddingScoreGrad{version}" for version in ("V3", "V5")),
                    ("queryRope", "keyInRope", "keyIn")),
    MIXED[0]: ("queryRopeOptional", "keyRopeOptional", "key"),
    MIXED[1]: ("queryRopeOptional", "keyRopeOptional", "keyIn"),
}  # fmt: skip
NOTHING = "if all outputs are empty, the checks end here (workspace 0, nothing is written)"
SHIFT_FORMAT = f"the format of realShiftOptional is not a private one (not on {Series.A950.value})"
OF_CACHES = "tests/aclnn/ops/attention/test_caches.py"
UNREACHED = {
    **good_calls_prolog.UNREACHED,
    **{
        (f"aclnnRingAttentionUpdate{version}", sentence): "test_combined.py"
        for version in ("", "V2")
        for sentence in (
            "prevAttnOut is within the limits of the layout",
            "inputLayoutOptional has ends of sequences for tokens of all sequences",
        )
    },
    ("aclnnScatterPaKvCache", "cacheModeOptional is not PA_NZ on 950"): OF_CACHES,
    **{
        ("aclnnScatterPaCache", f"{sentence} (if key has 4 dimensions)"): OF_CACHES
        for sentence in (
            "keyCacheRef has rows for the tokens of one head",
            "seqLensOptional has a number for each batch",
            *(
                f"{name} has a number for each head of each batch"
                for name in ("slotMapping", "compressLensOptional", "compressSeqOffsetOptional")
            ),
        )
    },
    **dict.fromkeys(
        ((name, "prefixOptional has the keys that all rows of a batch see") for name in FLASH_VERSIONS), "test_prefixes"
    ),
    **dict.fromkeys(((name, NOTHING) for name in GRADS), "test_no_gradients"),
    **dict.fromkeys(((name, "dy has the sizes of value") for name in GRADS), "test_dy_has_the_sizes_of_value"),
    **dict.fromkeys(((name, SHIFT_FORMAT) for name in FORWARD if "VarLen" in name), "test_order"),
    **{
        (name, f"gradients fit {query} and {key}"): "test_what_rotary_parts_ask_for"
        for name, (query, key, _) in ROPED_VERSIONS.items()
        if name in GRADS
    },
    **{
        (f"aclnnFlashAttention{name}V3", f"the data type of {mask} is one that its product supports{more}"): (
            "the facts list none"
        )
        for name, shift in (("VarLenScore", "realShift"), ("UnpaddingScoreGrad", "pseShift"))
        for mask, more in (("dropMaskOptional", ""), (f"{shift}Optional", " (if pseType is not 2 or 3)"))
    },
    **{
        ("aclnnFlashAttentionVarLenScoreV3", f"{name} has the data type of query"): "BFLOAT16 is the only one"
        for name in ("key", "value")
    },
    ("aclnnFlashAttentionScoreV3", "attentionOutOut has the data type of query"): "test_order_of_later_versions",
    **{
        (name, sentence): "test_lengths_of_mixed_layouts"
        for name in MIXED
        for sentence in (
            "packed batches of inputLayout have ends",
            "actualSeqQLenOptional and actualSeqKvLenOptional are the ends of the batches",
        )
    },
    **{
        (
            name,
            f"{table} has a row of each batch, and lengths of the keys are given",
        ): "test_a_block_table_needs_lengths"
        for name, table in TABLES.items()
    },
    **{
        (name, "packed batches of inputLayout have lengths"): "test_packed_batches"
        for name in (FUSED_V3, FUSED_V4, FUSED_V5)
    },
    **{
        (FUSED_V4, f"the data type of {name}Optional is one that its product supports"): "the facts list none"
        for name in ("antiquantOffset", "keyAntiquantOffset", "valueAntiquantOffset", "keyRopeAntiquantScale")
    },
    **{
        (FUSED_V5, f"the data type of {name}Optional is one that its product supports"): "the facts list none"
        for name in ("antiquantScale", "antiquantOffset")
    },
    **{(name, "the scales of key fit its data type"): "test_scales_of_integer_keys_fit" for name in TABLES},
    **{
        (name, f"{part}SharedPrefixOptional fits the other keys or values"): "test_parts_come_together_and_fit"
        for name in (FUSED, FUSED_V3, FUSED_V4, FUSED_V5)
        for part in ("key", "value")
    },
    **{
        (
            name,
            f"rotary parts are those of query and key: {part}RopeOptional is not alone",
        ): "test_parts_come_together_and_fit"
        for name in (FUSED_V3, FUSED_V4, FUSED_V5)
        for part in ("query", "key")
    },
}
INT8 = {
    **dict.fromkeys(("aclnnPromptFlashAttentionV2", "aclnnPromptFlashAttentionV3"), ("query", "key", "value")),
    **dict.fromkeys(("aclnnIncreFlashAttentionV3", "aclnnIncreFlashAttentionV4"), ("key", "value")),
    **dict.fromkeys((FUSED, FUSED_V3, FUSED_V4, FUSED_V5, FUSED.removesuffix("V2")), ("query", "key", "value")),
}  # fmt: skip
UNTYPED = {
    **good_calls_prolog.UNTYPED,
    **{(name, each, "ACL_INT8"): "test_quantised: it needs scales" for name, listed in INT8.items() for each in listed},
    **{
        (name, each, "ACL_INT32"): "test_int32_holds_eight_of_int4"
        for name in (FUSED, FUSED_V3, FUSED_V4, FUSED_V5)
        for each in ("key", "value")
    },
    **{
        (FUSED_V5, name, dtype): "it needs scales"
        for name, dtype in (
            ("attentionOut", "ACL_INT8"),
            ("key", "ACL_INT4"),
            ("value", "ACL_INT4"),
            ("query", "ACL_FLOAT8_E4M3FN"),
            ("query", "ACL_HIFLOAT8"),
        )
    },
}
