"""The case of aclnnCrossEntropyLossGrad: its good call, and the calls that each of its checks refuses."""

from __future__ import annotations

import numpy as np

from acl_runtime import *
from acl_runtime.objects.soc import Series
from tests.aclnn.ops.case import A950, Case, Meta, f16, f32, i64, refused, skipped, untiled, zeros

LABELS = "ND, NCL, NCHW, NHWC, NCDHW"
CROSS_ENTROPY = Case(
    "aclnnCrossEntropyLossGrad",
    prototypes=(
        "aclnnop/aclnn_cross_entropy_loss_grad.h",
        "aclnnStatus aclnnCrossEntropyLossGradGetWorkspaceSize(const aclTensor *gradLoss, const aclTensor "
        "*logProb, const aclTensor *target, const aclTensor *weightOptional, const aclTensor "
        "*gradZlossOptional, const aclTensor *lseForZlossOptional, char *reductionOptional, int64_t "
        "ignoreIndex, double labelSmoothing, double lseSquareScaleForZloss, const aclTensor *out, uint64_t "
        "*workspaceSize, aclOpExecutor **executor)",
        "aclnnStatus aclnnCrossEntropyLossGrad(void *workspace, uint64_t workspaceSize, aclOpExecutor "
        "*executor, aclrtStream stream)",
    ),
    good={
        "gradLoss": np.array(0.1, np.float32),
        "logProb": np.full((2, 3), -0.2, np.float32),
        "target": np.zeros(2, np.int64),
        "weightOptional": np.ones(3, np.float32),
        "gradZlossOptional": None,
        "lseForZlossOptional": None,
        "reductionOptional": "mean",
        "ignoreIndex": -100,
        "labelSmoothing": 0.0,
        "lseSquareScaleForZloss": 0.0,
        "out": zeros(2, 3),
    },
    results={"out": np.array([[-0.009063, 0.040937, 0.040937]] * 2)},
    products=frozenset({Series.A2, Series.A3, Series.A950}),
    elsewhere=ACLNN_ERR_PARAM_NULLPTR,
    breakers={
        "the data type of gradLoss is one that its product supports": (
            refused("gradLoss", "DT_DOUBLE", "[DT_FLOAT16,DT_FLOAT,DT_BFLOAT16,]", gradLoss=Meta((), ACL_DOUBLE)),
        ),
        "logProb has the data type of gradLoss": (
            refused("logProb", "DT_FLOAT16", "DT_FLOAT, as gradLoss", logProb=f16(2, 3)),
        ),
        "the data type of target is one that its product supports": (
            refused("target", "DT_INT32", "[DT_INT64,]", target=Meta((2,), ACL_INT32)),
        ),
        "out has the data type of gradLoss": (
            refused("out", "DT_FLOAT16", "DT_FLOAT, as gradLoss", out=f16(2, 3)),
        ),
        "the format of gradLoss is one of " + LABELS: (
            refused("gradLoss", "NDHWC", LABELS, gradLoss=f32(format=ACL_FORMAT_NDHWC)),
        ),
        "the format of logProb is one of " + LABELS: (
            refused("logProb", "NDHWC", LABELS, logProb=f32(2, 3, format=ACL_FORMAT_NDHWC)),
        ),
        "the format of target is one of " + LABELS: (
            refused("target", "FRACTAL_NZ", LABELS, target=i64(2, format=ACL_FORMAT_FRACTAL_NZ)),
        ),
        "the format of out is one of " + LABELS: (
            refused("out", "NC1HWC0", LABELS, out=f32(2, 3, format=ACL_FORMAT_NC1HWC0)),
        ),
        "the data type of weightOptional is one that its product supports": (
            refused("weightOptional", "DT_FLOAT16", "[DT_FLOAT,]", weightOptional=f16(3)),
            untiled("weightOptional", "DT_FLOAT16", "[DT_FLOAT,]", soc=A950, weightOptional=f16(3)),
        ),
        "gradZlossOptional is null": (
            refused("gradZlossOptional", "tensor", "null", gradZlossOptional=f32()),
        ),
        "lseForZlossOptional is null": (
            refused("lseForZlossOptional", "tensor", "null", lseForZlossOptional=f32(2)),
        ),
        "labelSmoothing is 0.0": (
            refused("labelSmoothing", "0.5", "0.0", labelSmoothing=0.5),
            refused("labelSmoothing", "nan", "0.0", labelSmoothing=float("nan")),
            refused("labelSmoothing", "1e-60", "0.0", labelSmoothing=1e-60),
        ),
        "lseSquareScaleForZloss is 0.0": (
            refused("lseSquareScaleForZloss", "-1.0", "0.0", lseSquareScaleForZloss=-1.0),
        ),
        "reductionOptional is 'none' or 'mean' or 'sum' or null": (
            refused("reductionOptional", "'Mean'", "'none' or 'mean' or 'sum'", reductionOptional="Mean"),
            refused("reductionOptional", "''", "'none' or 'mean' or 'sum'", reductionOptional=b""),
            untiled("reductionOptional", "'Mean'", "'none' or 'mean' or 'sum'", soc=A950, reductionOptional="Mean"),
        ),
        "ignoreIndex is less than C": (
            refused("ignoreIndex", "3", "below 3", ignoreIndex=3),
            refused("ignoreIndex", "1000", "below 3", ignoreIndex=1000),
            refused("ignoreIndex", "0", "below 0", ignoreIndex=0, logProb=f32(2, 0), out=f32(2, 0)),
        ),
        "logProb has at least one class": (
            untiled("logProb", "[2, 0]", "above 0", logProb=f32(2, 0), out=f32(2, 0), weightOptional=f32(0)),
        ),
        "if out is empty the checks end here (workspace 0, nothing is written)": (
            skipped(logProb=f32(0, 3), target=i64(0), out=f32(0, 3)),
            skipped(out=f32(0, 3)),
        ),
        "logProb has exactly 2 dimensions": (
            untiled("logProb", "3 dimensions [2, 3, 1]", "exactly 2", logProb=f32(2, 3, 1)),
        ),
        "target has exactly 1 dimension": (
            untiled("target", "2 dimensions [2, 1]", "exactly 1", target=i64(2, 1)),
        ),
        "weightOptional has exactly 1 dimension": (
            untiled("weightOptional", "2 dimensions [3, 1]", "exactly 1", weightOptional=f32(3, 1)),
        ),
        "target has N elements, as dimension 0 of logProb": (
            untiled("target", "[3]", "[2]", target=i64(3)),
        ),
        "weightOptional has C elements, as dimension 1 of logProb": (
            untiled("weightOptional", "[2]", "[3]", weightOptional=f32(2)),
        ),
        "out has the shape of logProb": (
            untiled("out", "[3, 2]", "[2, 3]", out=f32(3, 2)),
        ),
        'gradLoss has shape (N) for "none", else () or (1)': (
            untiled("gradLoss", "[2]", "0 dimensions", gradLoss=f32(2)),
            untiled("gradLoss", "[1, 1]", "0 dimensions", gradLoss=f32(1, 1), reductionOptional="sum"),
            untiled("gradLoss", "[]", "[2]", reductionOptional="none"),
            untiled("gradLoss", "[3]", "[2]", gradLoss=f32(3), reductionOptional="none"),
        ),
        "logProb has less than 200000 rows": (
            untiled("logProb", "N = 200000", "N < 200000", logProb=f32(200_000, 3), target=i64(200_000),
                    out=f32(200_000, 3)),
        ),
    },
)  # fmt: skip
