"""Good calls that a search does not find: see `tests.aclnn.ops.good_calls`."""

from __future__ import annotations

from typing import Any

from acl_runtime import *
from acl_runtime.objects.soc import Series
from tests.aclnn.ops.case import Meta
from tests.derived.values import Number, Values

FOUR = Meta((4,), ACL_INT64)
SELF, OUT, INDEX = {"self": Meta((3, 4))}, {"out": Meta((3, 4))}, {"index": Meta((2, 3), ACL_INT64)}
REF = {"selfRef": Meta((3, 4))}
SRC, VALUE = {"src": Meta((2, 3))}, {"value": Number(5)}
ROW, SLICES = {"index": Meta((2,), ACL_INT64)}, {"source": Meta((2, 4))}
FLAT, COUNTS = {"self": Meta((6,))}, {"countsOut": Meta((6,), ACL_INT64)}
UNIQUE = {"valueOut": Meta((6,)), "inverseOut": Meta((6,), ACL_INT64)}
ROWS = {"indices": Meta((5, 2), ACL_INT64)}

GOOD: dict[str, dict[str, Any]] = {
    "aclnnScatterList": {
        "varRef": (Meta((3, 5, 4)), Meta((3, 5, 4))), "indice": Meta((2,), ACL_INT64), "updates": Meta((2, 3, 2, 4)),
        "maskOptional": Meta((2,), ACL_UINT8), "reduceOptional": "update", "axis": -2,
    },
    "aclnnInplaceFillDiagonal": {"selfRef": Meta((7, 3)), "fillValue": Number(2), "wrap": True},
    "aclnnStridedSliceAssignV2": {
        "varRef": Meta((5, 4, 6)), "inputValue": Meta((2, 4, 3)), "begin": Values((1, -4)), "end": Values((5, 5)),
        "strides": Values((2, 1)), "axesOptional": Values((0, -1)),
    },
    "aclnnAdvanceStep": {
        "inputTokens": FOUR, "sampledTokenIds": Meta((3, 1), ACL_INT64), "inputPositions": FOUR, "seqLens": FOUR,
        "slotMapping": FOUR, "blockTables": Meta((4, 2), ACL_INT64), "numSeqs": 4, "numQueries": 3, "blockSize": 8,
    },
    "aclnnBincount": {"self": Meta((6,), ACL_INT32), "weights": Meta((6,)), "minlength": 4, "out": Meta((4,))},
    "aclnnHistc": {
        "self": Meta((2, 3)), "bins": 4, "min": Number(-2.0), "max": Number(2.0), "out": Meta((4,)),
    },
    "aclnnEmbeddingBag": {
        "weight": Meta((3, 4)), "indices": Meta((5,), ACL_INT64), "offsets": Meta((2,), ACL_INT64),
        "scaleGradByFreq": False, "mode": 0, "sparse": False, "perSampleWeights": Meta((5,)),
        "includeLastOffset": False, "paddingIdx": -1, "output": Meta((2, 4)), "offset2bag": Meta((5,), ACL_INT64),
        "bagSize": Meta((2,), ACL_INT64), "maxIndices": Meta((2,), ACL_INT64),
    },
    "aclnnNonzero": {"self": Meta((2, 3)), "out": Meta((6, 2), ACL_INT64)},
    "aclnnIndex": {**SELF, "indices": (Meta((2,), ACL_INT64), Meta((2,), ACL_INT64)), "out": Meta((2,))},
    "aclnnIndexPutImpl": {
        **REF, "indices": (Meta((2,), ACL_INT64), Meta((2,), ACL_INT64)), "values": Meta((2,)), "accumulate": False,
        "unsafe": False,
    },
    "aclnnNonzeroV2": {"self": Meta((2, 3)), "out": Meta((2, 6), ACL_INT64)},
    "aclnnMaskedSelect": {"self": Meta((2, 3)), "mask": Meta((3,), ACL_BOOL), "out": Meta((6,))},
    "aclnnInplaceMaskedScatter": {**REF, "mask": Meta((4,), ACL_BOOL), "source": Meta((3, 4))},
    "aclnnInplacePut": {**REF, **ROW, "source": Meta((2,)), "accumulate": False},
    "aclnnIndexAdd": {**SELF, "dim": 0, **ROW, **SLICES, "alpha": Number(2), **OUT},
    "aclnnIndexAddV2": {**SELF, "dim": 0, **ROW, **SLICES, "alpha": Number(2), "mode": 1, **OUT},
    "aclnnIndexCopy": {**REF, "dim": 0, **ROW, **SLICES, "outRef": Meta((3, 4))},
    "aclnnInplaceIndexCopy": {**REF, "dim": 0, **ROW, **SLICES},
    "aclnnIndexFill": {**SELF, "dim": 0, **ROW, **VALUE, **OUT},
    "aclnnInplaceIndexFill": {**REF, "dim": 0, **ROW, **VALUE},
    "aclnnIndexFillTensor": {**SELF, "dim": 0, "index": Values((0, -1)), **VALUE, **OUT},
    "aclnnInplaceIndexFillTensor": {**REF, "dim": 0, "index": Values((0, -1)), **VALUE},
    "aclnnUnique": {**FLAT, "sorted": True, "returnInverse": True, **UNIQUE},
    "aclnnUnique2": {**FLAT, "sorted": True, "returnInverse": True, "returnCounts": True, **UNIQUE, **COUNTS},
    "aclnnUniqueDim": {**FLAT, "sorted": True, "returnInverse": True, "dim": 0, **UNIQUE, **COUNTS},
    "aclnnUniqueConsecutive": {**FLAT, "returnInverse": True, "returnCounts": True, "dim": 0, **UNIQUE, **COUNTS},
    "aclnnScatterNd": {"data": Meta((3, 4)), **ROWS, "updates": Meta((5,)), "out": Meta((3, 4))},
    "aclnnScatterNdUpdate": {"varRef": Meta((3, 4)), **ROWS, "updates": Meta((5,))},
    "aclnnTfScatterAdd": {"varRef": Meta((3, 4)), **ROWS, "updates": Meta((5,))},
    "aclnnInplaceScatterUpdate": {
        "data": Meta((2, 4, 3)), "indices": Meta((2,), ACL_INT64), "updates": Meta((2, 2, 3)), "axis": 1,
    },
    "aclnnScatter": {**SELF, "dim": 0, **INDEX, **SRC, "reduce": 0, **OUT},
    "aclnnInplaceScatter": {**REF, "dim": 0, **INDEX, **SRC, "reduce": 0},
    "aclnnScatterValue": {**SELF, "dim": 0, **INDEX, **VALUE, "reduce": 0, **OUT},
    "aclnnInplaceScatterValue": {**REF, "dim": 0, **INDEX, **VALUE, "reduce": 0},
    "aclnnScatterAdd": {**SELF, "dim": 0, **INDEX, **SRC, **OUT},
    "aclnnScatterReduce": {**SELF, "dim": 0, **INDEX, **SRC, "reduce": 1, "includeSelf": True, **OUT},
    "aclnnInplaceScatterReduce": {**REF, "dim": 0, **INDEX, **SRC, "reduce": 1, "includeSelf": True},
}  # fmt: skip
NEWEST = f"only on {Series.A950.value}"
FLOAT_ONLY = "the first check of A2 and A3 has nothing but FLOAT, reduce 1 and includeSelf"
BY_HAND = "derived/documents/test_contract.py::test_breaker_is_refused"
UNREACHED = {
    ("aclnnEmbeddingDenseBackward", "with scaleGradByFreq there is at least one row of out"): BY_HAND,
    (
        "aclnnEmbeddingDenseBackward",
        "with scaleGradByFreq on the training series a row of grad fits into a core",
    ): BY_HAND,
    ("aclnnGatherV3", f"batchDims is a number of dimensions of index ({NEWEST})"): "test_batches_on_950",
    ("aclnnGatherV3", f"index has the batch of self ({NEWEST})"): "test_batches_on_950",
    ("aclnnScatter", "self has at most 8 dimensions"): "test_nine_dimensions",
    ("aclnnScatterReduce", "the data type of self is one that its product supports"): FLOAT_ONLY,
    ("aclnnScatterReduce", "reduce lies in [0, 5]"): FLOAT_ONLY,
    ("aclnnInplaceScatterReduce", "the data type of selfRef is one that its product supports"): FLOAT_ONLY,
    ("aclnnInplaceScatterReduce", "reduce lies in [0, 5]"): FLOAT_ONLY,
    (
        "aclnnMaskedSelect",
        "if self or mask or out is empty the checks end here (workspace 0, nothing is written)",
    ): "test_nothing_to_select",
    ("aclnnInplacePut", "the data type of selfRef is not BFLOAT16 if accumulate is true"): "test_no_sums_of_bfloat16",
    ("aclnnIndexAddV2", "dim is 0 if self has no dimensions"): "test_the_only_dimension_of_none",
}
NO_FLOAT = ("UINT8", "INT8", "INT16", "INT32", "INT64", "BOOL", "FLOAT16", "DOUBLE", "COMPLEX64", "COMPLEX128", "BF16")
UNTYPED = {
    **{("aclnnScatterReduce", name, f"ACL_{dtype}"): FLOAT_ONLY
       for name in ("self", "src", "out") for dtype in NO_FLOAT},
    **{("aclnnInplaceScatterReduce", name, f"ACL_{dtype}"): FLOAT_ONLY
       for name in ("selfRef", "src") for dtype in NO_FLOAT},
}  # fmt: skip
