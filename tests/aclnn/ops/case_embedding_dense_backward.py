"""The case of aclnnEmbeddingDenseBackward: its good call, and the calls that each of its checks refuses."""

from __future__ import annotations

import numpy as np

from acl_runtime import *
from acl_runtime.objects.soc import Series
from tests.aclnn.ops.case import TRAINING, Breaker, Case, Meta, f32, i64, refused, skipped, unplanned, zeros

EMBEDDING = Case(
    "aclnnEmbeddingDenseBackward",
    prototypes=(
        "aclnnop/aclnn_embedding_dense_backward.h",
        "aclnnStatus aclnnEmbeddingDenseBackwardGetWorkspaceSize(const aclTensor *grad, const aclTensor "
        "*indices, uint64_t numWeights, uint64_t paddingIdx, bool scaleGradByFreq, const aclTensor *out, "
        "uint64_t *workspaceSize, aclOpExecutor **executor)",
        "aclnnStatus aclnnEmbeddingDenseBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor "
        "*executor, const aclrtStream stream)",
    ),
    good={
        "grad": np.arange(1, 7, dtype=np.float32).reshape(2, 3),
        "indices": np.array([1, 2], np.int64),
        "numWeights": 4,
        "paddingIdx": 0,
        "scaleGradByFreq": False,
        "out": zeros(4, 3),
    },
    results={"out": np.array([0, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 0]).reshape(4, 3)},
    products=frozenset({Series.A2, Series.A3, Series.TRAINING, Series.A950}),
    elsewhere=ACLNN_ERR_INNER_NULLPTR,
    breakers={
        "the data type of grad is one that its product supports": (
            refused("grad", "DT_DOUBLE", "[DT_FLOAT,DT_FLOAT16,DT_BFLOAT16,]", grad=Meta((2, 3), ACL_DOUBLE)),
            Breaker("grad", "DT_BFLOAT16", "[DT_FLOAT,DT_FLOAT16,]", {"grad": Meta((2, 3), ACL_BF16)}, soc=TRAINING),
        ),
        "the data type of indices is one that its product supports": (
            refused("indices", "DT_BFLOAT16", "DT_INT64", indices=Meta((2,), ACL_BF16)),
        ),
        "the data type of out is one that its product supports": (
            refused("out", "DT_BOOL", "DT_FLOAT16", out=Meta((4, 3), ACL_BOOL)),
        ),
        "grad has 2 to 8 dimensions": (
            refused("grad", "1 dimensions", "2 to 8", grad=f32(3), indices=i64(1)),
            refused("grad", "0 dimensions", "2 to 8", grad=f32()),
            refused("grad", "9 dimensions", "2 to 8", grad=f32(2, *[1] * 7, 3)),
        ),
        "indices has 1 to 8 dimensions": (
            refused("indices", "0 dimensions", "1 to 8", indices=i64(), grad=f32(1, 3)),
            refused("indices", "9 dimensions", "1 to 8", indices=i64(2, *[1] * 8)),
        ),
        "out has at most 8 dimensions": (
            refused("out", "9 dimensions", "at most 8", out=f32(4, 3, *[1] * 7)),
        ),
        "indices has one element for each row of grad": (
            refused("indices", "3 elements", "2 elements", indices=i64(3)),
            refused("indices", "0 elements", "2 elements", indices=i64(0)),
        ),
        "out has exactly 2 dimensions": (
            refused("out", "3 dimensions", "exactly 2", out=f32(4, 3, 1)),
            refused("out", "1 dimensions", "exactly 2", out=f32(12)),
        ),
        "out has numWeights rows as long as the last dimension of grad": (
            refused("out", "[4, 3]", "[5, 3]", numWeights=5),
            refused("out", "[4, 2]", "[4, 3]", out=f32(4, 2)),
            refused("out", "[4, 3]", "[4, 0]", grad=f32(2, 0)),
        ),
        "the format of grad is not a private one": (
            refused("grad", "FRACTAL_NZ", "ND", grad=f32(2, 3, format=ACL_FORMAT_FRACTAL_NZ)),
        ),
        "the format of indices is not a private one": (
            refused("indices", "FRACTAL_NZ", "ND", indices=i64(2, format=ACL_FORMAT_FRACTAL_NZ)),
        ),
        "the format of out is not a private one": (
            refused("out", "NC1HWC0", "ND", out=f32(4, 3, format=ACL_FORMAT_NC1HWC0)),
        ),
        "if grad or indices is empty the checks end here (the output is filled with zeros)": (
            skipped(grad=f32(0, 3), indices=i64(0)),
            skipped(grad=f32(2, 0), indices=i64(5), out=f32(4, 0)),
        ),
        "with scaleGradByFreq there is at least one row of out": (
            unplanned("numWeights", "0", "above 0", numWeights=0, scaleGradByFreq=True, out=f32(0, 3)),
        ),
        "with scaleGradByFreq on the training series a row of grad fits into a core": (
            unplanned("grad", "5006", "less than", soc=TRAINING, grad=f32(1, 5006), indices=Meta((1,), ACL_INT32),
                      numWeights=1, scaleGradByFreq=True, out=f32(1, 5006)),
        ),
    },
)  # fmt: skip
