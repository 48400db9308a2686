"""Good calls that a search does not find, and checks that it does not reach: see `tests.aclnn.ops.good_calls`."""

from typing import Any

from acl_runtime import *
from acl_runtime.objects.soc import Series
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values

HALF, ALL = ACL_FLOAT16, (1 << 63) - 1
WINDOW = {"sparseMode": 3, "preTokens": ALL, "nextTokens": ALL}
LENGTHS = Meta((2,), ACL_INT32)
INDEXER: dict[str, Any] = {
    "query": Meta((2, 3, 8, 128), HALF), "key": Meta((2, 5, 1, 128), HALF), "weights": Meta((2, 3, 8), HALF),
    "actualSeqLengthsQueryOptional": LENGTHS, "actualSeqLengthsKeyOptional": LENGTHS, "layoutQueryOptional": "BSND",
    "layoutKeyOptional": "BSND", "sparseCount": 4, **WINDOW, "returnValues": True,
    "sparseIndicesOut": Meta((2, 3, 1, 4), ACL_INT32), "sparseValuesOut": Meta((2, 3, 1, 4), HALF),
}  # fmt: skip
PACKED_INDEXER = {
    **INDEXER, "query": Meta((5, 8, 128), HALF), "key": Meta((7, 1, 128), HALF), "weights": Meta((5, 8), HALF),
    "layoutQueryOptional": "TND", "layoutKeyOptional": "TND", "sparseIndicesOut": Meta((5, 1, 4), ACL_INT32),
    "sparseValuesOut": Meta((5, 1, 4), HALF),
}  # fmt: skip
PAGED_INDEXER = {
    **PACKED_INDEXER, "key": Meta((3, 16, 1, 128), HALF), "layoutKeyOptional": "PA_BSND",
    "blockTableOptional": Meta((2, 2), ACL_INT32), "returnValues": False, "sparseValuesOut": None,
}  # fmt: skip
FLASH: dict[str, Any] = {
    "query": Meta((2, 3, 2, 512), HALF), "key": Meta((2, 5, 1, 512), HALF), "value": Meta((2, 5, 1, 512), HALF),
    "sparseIndices": Meta((2, 3, 1, 4), ACL_INT32), "actualSeqLengthsQueryOptional": LENGTHS,
    "actualSeqLengthsKvOptional": LENGTHS, "queryRopeOptional": Meta((2, 3, 2, 64), HALF),
    "keyRopeOptional": Meta((2, 5, 1, 64), HALF), "scaleValue": 0.0625, "sparseBlockSizeOptional": 1,
    "layoutQueryOptional": "BSND", "layoutKvOptional": "BSND", **WINDOW, "attentionMode": 2, "returnSoftmaxLse": True,
    "attentionOut": Meta((2, 3, 2, 512), HALF), "softmaxMax": Meta((2, 1, 3, 2)), "softmaxSum": Meta((2, 1, 3, 2)),
}  # fmt: skip
PAGED_FLASH = {
    **FLASH, "query": Meta((5, 2, 512), HALF), "key": Meta((3, 16, 1, 512), HALF), "value": None,
    "sparseIndices": Meta((5, 1, 4), ACL_INT32), "queryRopeOptional": Meta((5, 2, 64), HALF),
    "keyRopeOptional": Meta((3, 16, 1, 64), HALF), "layoutQueryOptional": "TND", "layoutKvOptional": "PA_BSND",
    "blockTableOptional": Meta((2, 2), ACL_INT32), "attentionOut": Meta((5, 2, 512), HALF), "returnSoftmaxLse": False,
    "softmaxMax": None, "softmaxSum": None,
}  # fmt: skip
BLOCKS = {
    "input": Meta((9, 2, 4), HALF), "weight": Meta((2, 2), HALF), "compressBlockSize": 2, "compressStride": 1,
    "actSeqLenType": 0,
}  # fmt: skip
SPARSE = {
    "aclnnLightningIndexer": INDEXER, "aclnnSparseFlashAttention": FLASH,
    "aclnnSparseFlashAttentionV2": {**FLASH, "sinksOptional": None},
}  # fmt: skip
GOOD = {
    **SPARSE,
    "aclnnNsaCompress": {
        **BLOCKS, "actSeqLenOptional": Values((4, 5, 9)), "layoutOptional": "TND", "output": Meta((6, 2, 4), HALF),
    },
    "aclnnNsaCompressGrad": {
        **BLOCKS, "outputGrad": Meta((6, 2, 4), HALF), "actSeqLenOptionalOptional": Values((0, 4, 5, 9)),
        "layoutOptionalOptional": "TND", "inputGradOut": Meta((9, 2, 4), HALF), "weightGradOut": Meta((2, 2), HALF),
    },
}  # fmt: skip
UNREACHED = {
    **{
        (name, sentence): "test_layouts"
        for name in SPARSE
        for sentence in (
            "key has blocks of whole units",
            "query comes with the lengths that its layout needs",
            *(("returnValues is false for keys in blocks",) if name == "aclnnLightningIndexer" else ()),
        )
    },
    **{
        ("aclnnSparseFlashAttentionV2", sentence): "test_sinks_are_for_950"
        for sentence in (
            "the data type of sinksOptional is one that its product supports",
            f"sinksOptional is null on this product (only on {Series.A3.value})",
            "sinksOptional has a number for each head",
        )
    },
}
