"""The case of aclnnBatchNormReduceBackward: its good call, and the calls that each of its checks refuses."""

from __future__ import annotations

import numpy as np

from acl_runtime import *
from acl_runtime.objects.soc import Series
from tests.aclnn.ops.case import TRAINING, Breaker, Case, Meta, f16, f32, i64, ramp, refused, skipped, unplanned, zeros

NC1HWC0 = ACL_FORMAT_NC1HWC0
CHANNELS = "has one dimension, of as many elements as input has channels"
BATCH_NORM = Case(
    "aclnnBatchNormReduceBackward",
    prototypes=(  # the words of the header's name stand in another order than those of the function
        "aclnnop/aclnn_batch_norm_backward_reduce.h",
        "aclnnStatus aclnnBatchNormReduceBackwardGetWorkspaceSize(const aclTensor* gradOut, const aclTensor* "
        "input, const aclTensor* mean, const aclTensor* invstd, const aclTensor* weight, const bool inputG, "
        "const bool weightG, const bool biasG, aclTensor* sumDy, aclTensor* sumDyXmu, aclTensor* gradWeight, "
        "aclTensor* gradBias, uint64_t* workspaceSize, aclOpExecutor** executor)",
        "aclnnStatus aclnnBatchNormReduceBackward(void* workspace, uint64_t workspaceSize, aclOpExecutor* "
        "executor, const aclrtStream stream)",
    ),
    good={
        "gradOut": np.array([1, 1, 1, 2, 2, 2, 3, 3], np.float32).reshape(4, 2),
        "input": ramp(4, 2),
        "mean": np.ones(2, np.float32),
        "invstd": np.ones(2, np.float32),
        "weight": np.ones(2, np.float32),
        "inputG": True,
        "weightG": True,
        "biasG": True,
        "sumDy": zeros(2),
        "sumDyXmu": zeros(2),
        "gradWeight": zeros(2),
        "gradBias": zeros(2),
    },
    results={
        "sumDy": np.array([7, 8]), "sumDyXmu": np.array([21, 30]), "gradWeight": np.array([21, 30]),
        "gradBias": np.array([7, 8]),
    },
    products=frozenset({Series.A2, Series.A3, Series.TRAINING, Series.A950}),
    elsewhere=ACLNN_ERR_INNER_NULLPTR,
    breakers={
        "the data type of gradOut is one that its product supports": (
            refused("gradOut", "DT_DOUBLE", "[DT_FLOAT,DT_FLOAT16,DT_BFLOAT16,]", gradOut=Meta((4, 2), ACL_DOUBLE)),
            Breaker("gradOut", "DT_BFLOAT16", "[DT_FLOAT,DT_FLOAT16,]", {"gradOut": Meta((4, 2), ACL_BF16)},
                    soc=TRAINING),
        ),
        "the data type of input is one that its product supports": (
            refused("input", "DT_INT32", "DT_FLOAT16", input=Meta((4, 2), ACL_INT32)),
        ),
        "the data type of mean is one that its product supports": (
            refused("mean", "DT_DOUBLE", "DT_FLOAT16", mean=Meta((2,), ACL_DOUBLE)),
        ),
        "the data type of invstd is one that its product supports": (
            refused("invstd", "DT_INT64", "DT_FLOAT16", invstd=i64(2)),
        ),
        "gradOut has the data type of input": (
            refused("gradOut", "DT_FLOAT16", "DT_FLOAT, as input", gradOut=f16(4, 2)),
        ),
        **{
            f"the data type of {name} is one that its product supports": (
                refused(name, "DT_DOUBLE", "DT_FLOAT16", **{name: Meta((2,), ACL_DOUBLE)}),
            )
            for name in ("sumDy", "sumDyXmu", "gradWeight", "gradBias")
        },
        "gradOut has the format of input": (
            refused("gradOut", "NCHW", "ND, as input", gradOut=f32(4, 2, format=ACL_FORMAT_NCHW)),
            refused("gradOut", "ND", "NHWC, as input", input=f32(4, 2, format=ACL_FORMAT_NHWC)),
        ),
        "the format of gradOut is not a private one": (
            refused("gradOut", "NC1HWC0", "ND", gradOut=f32(4, 2, format=NC1HWC0), input=f32(4, 2, format=NC1HWC0)),
        ),
        "the format of input is not a private one": (
            Breaker("input", "NC1HWC0", "ND",
                    {"gradOut": f32(4, 2, format=NC1HWC0), "input": f32(4, 2, format=NC1HWC0)},
                    behind=("the format of gradOut is not a private one",)),
        ),
        **{
            f"the format of {name} is not a private one": (
                refused(name, "FRACTAL_NZ", "ND", **{name: f32(2, format=ACL_FORMAT_FRACTAL_NZ)}),
            )
            for name in ("mean", "invstd", "sumDy", "sumDyXmu", "gradWeight", "gradBias")
        },
        "gradOut has 2 to 8 dimensions": (
            refused("gradOut", "1 dimensions", "2 to 8", gradOut=f32(8)),
            refused("gradOut", "9 dimensions", "2 to 8", gradOut=f32(4, 2, *[1] * 7)),
        ),
        "input has 2 to 8 dimensions": (
            refused("input", "1 dimensions", "2 to 8", input=f32(8)),
            refused("input", "9 dimensions", "2 to 8", input=f32(4, 2, *[1] * 7)),
        ),
        "input has at least one channel": (
            refused("input", "[4, 0]", "above 0", gradOut=f32(4, 0), input=f32(4, 0)),
        ),
        **{
            f"{name} {CHANNELS}": (
                refused(name, "[3]", "[2]", **{name: f32(3)}),
                refused(name, "[2, 1]", "[2]", **{name: f32(2, 1)}),
            )
            for name in ("sumDy", "sumDyXmu", "gradWeight", "gradBias")
        },
        "if gradOut or input or mean or invstd is empty the checks end here (workspace 0, nothing is written; on "
        "Ascend 950PR/Ascend 950DT products the outputs are filled with zeros)": (
            skipped(gradOut=f32(0, 2), input=f32(0, 2)),
            skipped(gradOut=f32(0, 2)),
            skipped(mean=f32(0)),
            skipped(invstd=f32(2, 0), mean=f32(5)),
        ),
        "gradOut has the shape of input": (
            unplanned("gradOut", "[4, 1]", "[4, 2]", gradOut=f32(4, 1)),
            unplanned("gradOut", "[2, 2, 2]", "[4, 2]", gradOut=f32(2, 2, 2)),
        ),
        "mean has as many elements as input has channels": (
            unplanned("mean", "3 elements", "2 elements", mean=f32(3)),
        ),
        "invstd has as many elements as input has channels": (
            unplanned("invstd", "1 elements", "2 elements", invstd=f32(1), weightG=False),
        ),
        "invstd is ND or has the format of gradWeight": (
            unplanned("invstd", "NCHW", "ND", invstd=f32(2, format=ACL_FORMAT_NCHW)),
        ),
    },
)  # fmt: skip
