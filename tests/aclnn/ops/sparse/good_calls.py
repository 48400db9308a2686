"""Good calls that a search does not find, and checks that it does not reach: see `tests.aclnn.ops.good_calls`."""

from typing import Any

from acl_runtime import *
from acl_runtime.objects.soc import Series
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.sparse import good_calls_blocks, good_calls_latent
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
INT8_INDEXER: dict[str, Any] = {
    **{name: value for name, value in INDEXER.items() if not name.startswith(("sparse", "return"))},
    "query": Meta((2, 3, 8, 128), ACL_INT8), "key": Meta((2, 5, 1, 128), ACL_INT8),
    "queryDequantScale": Meta((2, 3, 8), HALF), "keyDequantScale": Meta((2, 5, 1), HALF), "queryQuantMode": 0,
    "keyQuantMode": 0, "sparseCount": 4, "sparseMode": 3, "out": Meta((2, 3, 1, 4), ACL_INT32),
}  # fmt: skip
PAGED_INT8_INDEXER = {
    **INT8_INDEXER, "query": Meta((5, 8, 128), ACL_INT8), "key": Meta((3, 16, 1, 128), ACL_INT8),
    "weights": Meta((5, 8), HALF), "queryDequantScale": Meta((5, 8), HALF),
    "keyDequantScale": Meta((3, 16, 1), HALF), "layoutQueryOptional": "TND", "layoutKeyOptional": "PA_BSND",
    "blockTableOptional": Meta((2, 2), ACL_INT32), "out": Meta((5, 1, 4), ACL_INT32),
}  # fmt: skip
INDEXER_GRAD: dict[str, Any] = {
    "query": Meta((2, 3, 8, 128), HALF), "key": Meta((2, 5, 1, 128), HALF), "dy": Meta((2, 3, 1, 4), HALF),
    "sparseIndices": Meta((2, 3, 4), ACL_INT32), "weights": Meta((2, 3, 8), HALF), "actualSeqQLenOptional": LENGTHS,
    "actualSeqKvLenOptional": LENGTHS, "headNum": 8, "inputLayout": "BSND", **WINDOW, "deterministic": False,
    "dqOut": Meta((2, 3, 8, 128), HALF), "dkOut": Meta((2, 5, 1, 128), HALF), "dweightsOut": Meta((2, 3, 8), HALF),
}  # fmt: skip
PACKED_INDEXER_GRAD = {
    **INDEXER_GRAD, "query": Meta((5, 8, 128), HALF), "key": Meta((7, 1, 128), HALF), "dy": Meta((5, 1, 4), HALF),
    "sparseIndices": Meta((5, 1, 4), ACL_INT32), "weights": Meta((5, 8), HALF), "inputLayout": "TND",
    "dqOut": Meta((5, 8, 128), HALF), "dkOut": Meta((7, 1, 128), HALF), "dweightsOut": Meta((5, 8), HALF),
}  # fmt: skip
FLASH_GRAD: dict[str, Any] = {
    **{name: FLASH[name] for name in ("query", "key", "value", "actualSeqLengthsQueryOptional",
                                      "actualSeqLengthsKvOptional", "queryRopeOptional", "keyRopeOptional",
                                      "scaleValue")},
    "sparseIndices": Meta((2, 3, 1, 1024), ACL_INT32), "dOut": Meta((2, 3, 2, 512), HALF),
    "out": Meta((2, 3, 2, 512), HALF), "softmaxMax": Meta((2, 1, 3, 2)), "softmaxSum": Meta((2, 1, 3, 2)),
    "sparseBlockSize": 1, "layoutOptional": "BSND", **WINDOW, "deterministic": False,
    "dQueryOut": Meta((2, 3, 2, 512), HALF), "dKeyOut": Meta((2, 5, 1, 512), HALF),
    "dValueOut": Meta((2, 5, 1, 512), HALF), "dQueryRopeOutOptional": Meta((2, 3, 2, 64), HALF),
    "dKeyRopeOutOptional": Meta((2, 5, 1, 64), HALF),
}  # fmt: skip
PACKED_FLASH_GRAD = {
    **FLASH_GRAD, "query": Meta((5, 2, 512), HALF), "key": Meta((7, 1, 512), HALF), "value": None, "dValueOut": None,
    "sparseIndices": Meta((5, 1, 1024), ACL_INT32), "dOut": Meta((5, 2, 512), HALF), "out": Meta((5, 2, 512), HALF),
    "softmaxMax": Meta((1, 5, 2)), "softmaxSum": Meta((1, 5, 2)), "layoutOptional": "TND",
    "queryRopeOptional": None, "keyRopeOptional": None, "dQueryOut": Meta((5, 2, 512), HALF),
    "dKeyOut": Meta((7, 1, 512), HALF), "dQueryRopeOutOptional": None, "dKeyRopeOutOptional": None,
}  # fmt: skip
BLOCKS = {
    "input": Meta((9, 2, 4), HALF), "weight": Meta((2, 2), HALF), "compressBlockSize": 2, "compressStride": 1,
    "actSeqLenType": 0,
}  # fmt: skip
SPARSE = {
    "aclnnLightningIndexer": INDEXER, "aclnnSparseFlashAttention": FLASH,
    "aclnnSparseFlashAttentionV2": {**FLASH, "sinksOptional": None}, "aclnnQuantLightningIndexer": INT8_INDEXER,
}  # fmt: skip
GOOD = {
    **SPARSE, **good_calls_blocks.GOOD, **good_calls_latent.GOOD,
    "aclnnLightningIndexerGrad": INDEXER_GRAD, "aclnnSparseFlashAttentionGrad": FLASH_GRAD,
    "aclnnNsaCompress": {
        **BLOCKS, "actSeqLenOptional": Values((4, 5, 9)), "layoutOptional": "TND", "output": Meta((6, 2, 4), HALF),
    },
    "aclnnNsaCompressGrad": {
        **BLOCKS, "outputGrad": Meta((6, 2, 4), HALF), "actSeqLenOptionalOptional": Values((0, 4, 5, 9)),
        "layoutOptionalOptional": "TND", "inputGradOut": Meta((9, 2, 4), HALF), "weightGradOut": Meta((2, 2), HALF),
    },
}  # fmt: skip
LAID_OUT = good_calls_latent.LAID_OUT
BY_PRODUCT = {
    ("aclnnQuantLightningIndexer", Series.A950): {
        "query": Meta((2, 3, 8, 128), ACL_FLOAT8_E4M3FN), "key": Meta((2, 5, 1, 128), ACL_FLOAT8_E4M3FN),
        "weights": Meta((2, 3, 8), ACL_BF16), "queryDequantScale": Meta((2, 3, 8)), "keyDequantScale": Meta((2, 5, 1)),
    },
}  # fmt: skip
UNREACHED = {
    **good_calls_blocks.UNREACHED,
    **good_calls_latent.UNREACHED,
    **{
        (name, "query comes with the lengths that its layout needs"): "test_gradients.py::test_statuses"
        for name in ("aclnnLightningIndexerGrad", "aclnnSparseFlashAttentionGrad")
    },
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
