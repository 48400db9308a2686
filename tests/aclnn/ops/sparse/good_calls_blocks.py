"""Good calls of the functions of sparse attention whose keys are chosen block by block."""

from typing import Any

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values

HALF, FULL = ACL_FLOAT16, ACL_FLOAT
ENDS, KEY_ENDS = Values((2, 5)), Values((64, 96))
SELECTED: dict[str, Any] = {
    "query": Meta((5, 4, 192), HALF), "key": Meta((96, 2, 192), HALF), "value": Meta((96, 2, 128), HALF),
    "topkIndices": Meta((5, 2, 2), ACL_INT32), "actualSeqQLenOptional": ENDS, "actualSeqKvLenOptional": KEY_ENDS,
    "scaleValue": 0.0625, "headNum": 4, "inputLayout": "TND", "sparseMode": 0, "selectedBlockSize": 16,
    "selectedBlockCount": 2,
}  # fmt: skip
STATISTICS = Meta((5, 4, 8))
CAUSAL = {"attenMaskOptional": Meta((64, 64), ACL_BOOL), "sparseMode": 2}
COMPRESSED: dict[str, Any] = {
    "query": Meta((5, 4, 16), HALF), "key": Meta((9, 2, 16), HALF), "value": Meta((9, 2, 8), HALF),
    "attenMaskOptional": Meta((3, 5), ACL_BOOL), "topkMaskOptional": Meta((3, 3), ACL_BOOL),
    "actualSeqQLenOptional": ENDS, "actualCmpSeqKvLenOptional": Values((4, 9)),
    "actualSelSeqKvLenOptional": Values((2, 5)), "scaleValue": 0.25, "headNum": 4, "inputLayout": "TND",
    "sparseMode": 1, "compressBlockSize": 32, "compressStride": 16, "selectBlockSize": 32, "selectBlockCount": 2,
    "softmaxMaxOut": STATISTICS, "softmaxSumOut": STATISTICS, "attentionOutOut": Meta((5, 4, 8), HALF),
    "topkIndicesOut": Meta((5, 2, 2), ACL_INT32),
}  # fmt: skip
CACHED: dict[str, Any] = {
    "input": Meta((9, 2, 4), HALF), "weight": Meta((2, 2), HALF), "slotMapping": Meta((3,), ACL_INT32),
    "actSeqLenOptional": Values((4, 1, 3)), "layoutOptional": "TND", "compressBlockSize": 2, "compressStride": 2,
    "actSeqLenType": 1, "pageBlockSize": 64, "outputCache": Meta((6, 2, 4), HALF),
}  # fmt: skip
PAGED_CACHED = {
    **CACHED, "input": Meta((3, 64, 2, 4), HALF), "blockTableOptional": Meta((3, 2), ACL_INT32),
    "actSeqLenOptional": Values((66, 1, 4)),
}  # fmt: skip
TILES: dict[str, Any] = {
    "query": Meta((2, 4, 5, 64), HALF), "key": Meta((2, 2, 200, 64), HALF), "value": Meta((2, 2, 200, 64), HALF),
    "blockSparseMaskOptional": Meta((2, 4, 3, 2), ACL_INT8), "blockShapeOptional": Values((2, 128)),
    "actualSeqLengthsOptional": Values((5, 3)), "actualSeqLengthsKvOptional": Values((200, 130)),
    "qInputLayout": "BNSD", "kvInputLayout": "BNSD", "numKeyValueHeads": 2, "maskType": 0, "scaleValue": 0.125,
    "innerPrecise": 0, "blockSize": 0, "preTokens": 2147483647, "nextTokens": 2147483647, "softmaxLseFlag": 1,
    "attentionOut": Meta((2, 4, 5, 64), HALF), "softmaxLseOptional": Meta((2, 4, 5, 1)),
}  # fmt: skip
PACKED_TILES = {
    **TILES, "query": Meta((8, 4, 64), HALF), "key": Meta((330, 2, 64), HALF), "value": Meta((330, 2, 64), HALF),
    "qInputLayout": "TND", "kvInputLayout": "TND", "attentionOut": Meta((8, 4, 64), HALF),
    "softmaxLseOptional": Meta((8, 4, 1)),
}  # fmt: skip
NEWER_TILES = {**TILES, **dict.fromkeys(("qDequantScaleOptional", "kDequantScaleOptional", "vDequantScaleOptional"))}
GOOD = {
    "aclnnNsaSelectedAttention": {
        **SELECTED, "softmaxMaxOut": STATISTICS, "softmaxSumOut": STATISTICS,
        "attentionOut": Meta((5, 4, 128), HALF),
    },
    "aclnnNsaSelectedAttentionGrad": {
        **SELECTED, "softmaxMax": STATISTICS, "softmaxSum": STATISTICS, "attentionOut": Meta((5, 4, 128), HALF),
        "attentionOutGrad": Meta((5, 4, 128), HALF), "dqOut": Meta((5, 4, 192), HALF),
        "dkOut": Meta((96, 2, 192), HALF), "dvOut": Meta((96, 2, 128), HALF),
    },
    "aclnnNsaCompressAttention": COMPRESSED, "aclnnNsaCompressWithCache": CACHED, "aclnnBlockSparseAttention": TILES,
    "aclnnBlockSparseAttentionV2": NEWER_TILES,
}  # fmt: skip
UNREACHED = {
    (name, sentence): "test_blocks.py::test_statuses"
    for name, sentences in {
        **dict.fromkeys(
            ("aclnnBlockSparseAttention", "aclnnBlockSparseAttentionV2"),
            ("query comes with a mask of tiles", "the tiles of query have whole units"),
        ),
        "aclnnNsaCompressWithCache": (
            "blockTableOptional has exactly 2 dimensions",
            "input has pages of pageBlockSize keys (if keys are in pages)",
        ),
    }.items()
    for sentence in sentences
}
