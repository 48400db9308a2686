"""The case of aclnnSoftmaxBackward: its good call, and the calls that each of its checks refuses."""

from __future__ import annotations

import numpy as np

from acl_runtime import *
from acl_runtime.objects.soc import Series
from tests.aclnn.ops.case import TRAINING, Breaker, Case, Meta, f16, f32, ramp, refused, skipped, zeros

SOFTMAX = Case(
    "aclnnSoftmaxBackward",
    prototypes=(
        "aclnnop/aclnn_softmax_backward.h",
        "aclnnStatus aclnnSoftmaxBackwardGetWorkspaceSize(const aclTensor *gradOutput, const aclTensor *output, "
        "int64_t dim, aclTensor* out, uint64_t *workspaceSize, aclOpExecutor **executor)",
        "aclnnStatus aclnnSoftmaxBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, "
        "aclrtStream stream)",
    ),
    good={
        "gradOutput": ramp(4, 2),
        "output": np.array([1, 1, 1, 2, 2, 2, 3, 3], np.float32).reshape(4, 2),
        "dim": 0,
        "out": zeros(4, 2),
    },
    results={"out": np.array([-28, -37, -26, -70, -48, -66, -66, -93]).reshape(4, 2)},
    products=frozenset({Series.A2, Series.A3, Series.TRAINING, Series.INFERENCE, Series.A950}),
    elsewhere=ACL_SUCCESS,
    breakers={
        "if gradOutput or output is empty the checks end here (workspace 0, nothing is written; not on "
        "Ascend 950PR/Ascend 950DT products)": (
            skipped(gradOutput=Meta((0, 2), ACL_DOUBLE)),
            skipped(output=Meta((4, 0), ACL_INT32), dim=7),
        ),
        "the data type of gradOutput is one that its product supports": (
            refused("gradOutput", "DT_DOUBLE", "[DT_FLOAT,DT_FLOAT16,DT_BFLOAT16,]",
                    gradOutput=Meta((4, 2), ACL_DOUBLE)),
            Breaker("gradOutput", "DT_BFLOAT16", "[DT_FLOAT,DT_FLOAT16,]", {"gradOutput": Meta((4, 2), ACL_BF16)},
                    soc=TRAINING),
        ),
        "the data type of output is one that its product supports": (
            refused("output", "DT_INT32", "DT_FLOAT16", output=Meta((4, 2), ACL_INT32)),
        ),
        "output has the data type of gradOutput": (
            refused("output", "DT_FLOAT16", "DT_FLOAT, as gradOutput", output=f16(4, 2)),
        ),
        "dim is a dimension of gradOutput": (
            refused("dim", "12", "[-2, 1]", dim=12),
            refused("dim", "-3", "[-2, 1]", dim=-3),
        ),
        "gradOutput has at most 8 dimensions": (
            refused("gradOutput", "9 dimensions", "at most 8", gradOutput=f32(*[1] * 9)),
        ),
        "output has the shape of gradOutput": (
            refused("output", "[2, 4]", "[4, 2]", output=f32(2, 4)),
            refused("output", "[4, 2, 1]", "[4, 2]", output=f32(4, 2, 1)),
        ),
        "out has the shape of gradOutput": (
            refused("out", "[4, 1]", "[4, 2]", out=f32(4, 1)),
        ),
    },
)  # fmt: skip
