"""Good calls of SparseFlashMla and Compressor: see `good_calls`."""

from typing import Any

from acl_runtime import *
from tests.aclnn.ops.case import Meta

HALF = ACL_FLOAT16
ENDS, COUNTS = Meta((3,), ACL_INT32), Meta((2,), ACL_INT32)
LATENT: dict[str, Any] = {
    "q": Meta((2, 3, 2, 512), HALF), "oriKvOptional": Meta((2, 12, 1, 512), HALF),
    "cmpKvOptional": Meta((2, 3, 1, 512), HALF), "cmpSparseIndicesOptional": Meta((2, 3, 1, 2), ACL_INT32),
    "sequsedQOptional": COUNTS, "sequsedOriKvOptional": COUNTS, "sequsedCmpKvOptional": COUNTS,
    "sinksOptional": Meta((2,)), "metadataOptional": Meta((1024,), ACL_INT32), "softmaxScale": 0.0625, "cmpRatio": 4,
    "oriMaskMode": 4, "cmpMaskMode": 3, "oriWinLeft": 127, "oriWinRight": 0, "layoutQOptional": "BSND",
    "layoutKvOptional": "BSND", "topkValueMode": 1, "returnSoftmaxLse": True, "attnOutOut": Meta((2, 3, 2, 512), HALF),
    "softmaxLseOutOptional": Meta((2, 1, 3, 2)),
}  # fmt: skip
"""compressed keys that a list chooses"""
PACKED_LATENT = {
    **LATENT, "q": Meta((5, 2, 512), HALF), "oriKvOptional": Meta((13, 1, 512), HALF),
    "cmpKvOptional": Meta((5, 1, 512), HALF), "cmpSparseIndicesOptional": None, "cuSeqlensQOptional": ENDS,
    "cuSeqlensOriKvOptional": ENDS, "cuSeqlensCmpKvOptional": ENDS, "sequsedQOptional": None,
    "layoutQOptional": "TND", "layoutKvOptional": "TND", "attnOutOut": Meta((5, 2, 512), HALF),
    "softmaxLseOutOptional": Meta((1, 5, 2)),
}  # fmt: skip
"""all compressed keys up to the row"""
PAGED_LATENT = {
    **PACKED_LATENT, "oriKvOptional": Meta((4, 16, 1, 512), HALF), "cmpKvOptional": Meta((3, 4, 1, 512), HALF),
    "oriBlockTableOptional": Meta((2, 2), ACL_INT32), "cmpBlockTableOptional": Meta((2, 1), ACL_INT32),
    "cuSeqlensOriKvOptional": None, "cuSeqlensCmpKvOptional": None, "layoutKvOptional": "PA_BSND",
    "returnSoftmaxLse": False, "softmaxLseOutOptional": None,
}  # fmt: skip
COMPRESSOR: dict[str, Any] = {
    "x": Meta((2, 5, 3), HALF), "wkv": Meta((4, 3), HALF), "wgate": Meta((4, 3), HALF),
    "stateCacheRef": Meta((5, 4, 8)), "ape": Meta((2, 4)), "stateBlockTable": Meta((2, 3), ACL_INT32),
    "seqused": COUNTS, "startPos": COUNTS, "cmpRatio": 2, "coff": 1, "cacheMode": 1, "stateCacheStrideDim0": 0,
    "cmpKv": Meta((2, 3, 4), HALF), "stateCache": None,
}  # fmt: skip
OVERLAPPING = {**COMPRESSOR, "coff": 2, "cmpKv": Meta((2, 3, 2), HALF)}
RING = {**OVERLAPPING, "cacheMode": 2, "stateBlockTable": COUNTS}
PACKED_COMPRESSOR = {
    **OVERLAPPING, "x": Meta((7, 3), HALF), "cuSeqlens": ENDS, "cmpKv": Meta((5, 2), HALF),
}  # fmt: skip
METADATA: dict[str, Any] = {
    "sequsedQOptional": COUNTS, "sequsedOriKvOptional": COUNTS, "sequsedCmpKvOptional": COUNTS, "numHeadsQ": 2,
    "numHeadsKv": 1, "headDim": 512, "batchSize": 2, "maxSeqlenQ": 3, "maxSeqlenOriKv": 12, "maxSeqlenCmpKv": 3,
    "oriTopk": 0, "cmpTopk": 2, "cmpRatio": 4, "oriMaskMode": 4, "cmpMaskMode": 3, "oriWinLeft": 127, "oriWinRight": 0,
    "layoutQOptional": "BSND", "layoutKvOptional": "BSND", "hasOriKv": True, "hasCmpKv": True,
    "metaData": Meta((1024,), ACL_INT32),
}  # fmt: skip
GOOD = {
    "aclnnSparseFlashMla": LATENT, "aclnnCompressor": COMPRESSOR, "aclnnSparseFlashMlaMetadata": METADATA,
}  # fmt: skip
LAID_OUT = {"aclnnSparseFlashMlaMetadata": "its numbers stand for a division of work that no source describes"}
UNREACHED = {
    ("aclnnSparseFlashMla", "oriMaskMode is 0 or 3 or 4"): "test_latent.py::test_windows_of_950",
    ("aclnnSparseFlashMla", "cmpMaskMode is 0 or 3"): "test_latent.py::test_windows_of_950",
    ("aclnnSparseFlashMla", "q comes with sinks, metadata, and what its layouts need"): "test_latent.py::test_layouts",
}
