"""Good calls that a search does not find, and checks that it does not reach: see `tests.aclnn.ops.good_calls`."""

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values

HALF = ACL_FLOAT16
GOOD = {
    "aclnnFusedInferAttentionScoreV2": {
        "query": Meta((2, 3, 4, 16), HALF), "key": (Meta((2, 4, 2, 16), HALF),), "value": (Meta((2, 4, 2, 16), HALF),),
        "pseShiftOptional": Meta((2, 4, 3, 4), HALF), "attenMaskOptional": Meta((2, 1, 3, 4), ACL_BOOL),
        "actualSeqLengthsOptional": Values((3, 2)), "actualSeqLengthsKvOptional": Values((4, 3)), "numHeads": 4,
        "scaleValue": 0.25, "preTokens": 2147483647, "nextTokens": 2147483647, "inputLayout": "BSND",
        "numKeyValueHeads": 2, "sparseMode": 0, "innerPrecise": 2, "blockSize": 0, "antiquantMode": 0,
        "softmaxLseFlag": True, "keyAntiquantMode": 0, "valueAntiquantMode": 0,
        "attentionOut": Meta((2, 3, 4, 16), HALF), "softmaxLse": Meta((2, 4, 3, 1)),
    },
    "aclnnRotaryPositionEmbedding": {
        "x": Meta((1, 3, 2, 32)), "cos": Meta((1, 3, 1, 32)), "sin": Meta((1, 3, 1, 32)), "mode": 0,
        "out": Meta((1, 3, 2, 32)),
    },
    "aclnnRotaryPositionEmbeddingGrad": {
        "dy": Meta((2, 3, 2, 8)), "cos": Meta((1, 3, 1, 8)), "sin": Meta((1, 3, 1, 8)), "xOptional": Meta((2, 3, 2, 8)),
        "mode": 0, "dxOut": Meta((2, 3, 2, 8)), "dcosOut": Meta((1, 3, 1, 8)), "dsinOut": Meta((1, 3, 1, 8)),
    },
    "aclnnApplyRotaryPosEmb": {
        "queryRef": Meta((2, 3, 4, 128)), "keyRef": Meta((2, 3, 2, 128)), "cos": Meta((2, 3, 1, 128)),
        "sin": Meta((2, 3, 1, 128)), "layout": 1,
    },
    "aclnnApplyRotaryPosEmbV2": {
        "queryRef": Meta((2, 3, 4, 8)), "keyRef": Meta((2, 3, 2, 8)), "cos": Meta((2, 3, 1, 8)),
        "sin": Meta((2, 3, 1, 8)), "layout": 1, "rotaryMode": "half",
    },
    "aclnnInterleaveRope": {
        "x": Meta((2, 2, 3, 64)), "cos": Meta((2, 1, 3, 64)), "sin": Meta((2, 1, 3, 64)), "out": Meta((2, 2, 3, 64)),
    },
}  # fmt: skip
FUSED = "aclnnFusedInferAttentionScoreV2"
UNREACHED = {
    ("aclnnRotaryPositionEmbedding", "out is dense"): "test_out_is_dense",
    (FUSED, "blockTableOptional has a row of each batch, and lengths of the keys are given"): (
        "test_a_block_table_needs_lengths"
    ),
    (FUSED, "the scales of key fit its data type"): "test_scales_of_integer_keys_fit",
}
DENSE = {("aclnnRotaryPositionEmbedding", "out"): "test_out_is_dense"}
UNTYPED = {
    (FUSED, name, dtype): "test_quantised: it needs scales"
    for name, dtype in (
        ("query", "ACL_INT8"), ("key", "ACL_INT8"), ("key", "ACL_INT32"), ("value", "ACL_INT8"), ("value", "ACL_INT32"),
    )
}  # fmt: skip
