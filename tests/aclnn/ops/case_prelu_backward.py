"""The case of aclnnPreluBackward: its good call, and the calls that each of its checks refuses."""

from __future__ import annotations

import numpy as np

from acl_runtime import *
from acl_runtime.objects.soc import Series
from tests.aclnn.ops.case import Case, Meta, f16, f32, refused, skipped, zeros

PRELU = Case(
    "aclnnPreluBackward",
    prototypes=(  # "gradIntput" is what the document of aclnnPreluBackward prints
        "aclnnop/aclnn_prelu_backward.h",
        "aclnnStatus aclnnPreluBackwardGetWorkspaceSize(const aclTensor *gradOutput, const aclTensor *self, "
        "const aclTensor *weight, aclTensor *gradIntput, aclTensor *gradWeight, uint64_t *workspaceSize, "
        "aclOpExecutor **executor)",
        "aclnnStatus aclnnPreluBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, "
        "aclrtStream stream)",
    ),
    good={
        "gradOutput": np.array([1, -2, 3, -1, 0.5, 4], np.float32).reshape(2, 3),
        "self": np.array([-1, 2, 0, 3, -4, -0.5], np.float32).reshape(2, 3),
        "weight": np.array([0.25, 0.5, 2], np.float32),
        "gradInput": zeros(2, 3),
        "gradWeight": zeros(3),
    },
    results={
        "gradInput": np.array([0.25, -2, 6, -1, 0.25, 8]).reshape(2, 3),
        "gradWeight": np.array([-1, -2, -2]),
    },
    products=frozenset({Series.A2, Series.A3, Series.TRAINING, Series.A950}),
    elsewhere=ACL_SUCCESS,
    breakers={
        "the data type of self is one that its product supports": (
            refused("self", "DT_DOUBLE", "[DT_FLOAT,DT_FLOAT16,]", self=Meta((2, 3), ACL_DOUBLE)),
            refused("self", "DT_BFLOAT16", "[DT_FLOAT,DT_FLOAT16,]", self=Meta((2, 3), ACL_BF16)),
        ),
        "gradOutput has the data type of self": (
            refused("gradOutput", "DT_FLOAT16", "DT_FLOAT, as self", gradOutput=f16(2, 3)),
        ),
        "weight has the data type of self": (
            refused("weight", "DT_FLOAT16", "DT_FLOAT, as self", weight=f16(3)),
        ),
        "gradInput has the data type of self": (
            refused("gradInput", "DT_FLOAT16", "DT_FLOAT, as self", gradInput=f16(2, 3)),
        ),
        "gradWeight has the data type of self": (
            refused("gradWeight", "DT_FLOAT16", "DT_FLOAT, as self", gradWeight=f16(3)),
        ),
        "gradOutput has at most 8 dimensions": (
            refused("gradOutput", "9 dimensions", "at most 8", gradOutput=f32(*[1] * 9)),
        ),
        "self has at most 8 dimensions": (
            refused("self", "9 dimensions", "at most 8", self=f32(2, 3, *[1] * 7)),
        ),
        "weight has at most 8 dimensions": (
            refused("weight", "9 dimensions", "at most 8", weight=f32(3, *[1] * 8)),
        ),
        "gradInput has at most 8 dimensions": (
            refused("gradInput", "9 dimensions", "at most 8", gradInput=f32(2, 3, *[1] * 7)),
        ),
        "gradWeight has at most 8 dimensions": (
            refused("gradWeight", "9 dimensions", "at most 8", gradWeight=f32(3, *[1] * 8)),
        ),
        "gradInput has the shape of self": (
            refused("gradInput", "[3, 2]", "[2, 3]", gradInput=f32(3, 2)),
        ),
        "weight has one element, or one per channel of self": (
            refused("weight", "2 elements", "1 or 3 elements", weight=f32(2)),
            refused("weight", "0 elements", "1 or 3 elements", weight=f32(0)),
            refused("weight", "3 elements", "1", self=f32(3), gradInput=f32(3)),  # one dimension is one channel
            refused("weight", "3 elements", "1", self=f32(), gradInput=f32(), gradOutput=f32()),
        ),
        "gradWeight has the shape of a weight of one element, or else one dimension of as many elements": (
            refused("gradWeight", "[3]", "[1]", weight=f32(1)),
            refused("gradWeight", "[1]", "[]", weight=f32(), gradWeight=f32(1)),
            refused("gradWeight", "[1, 3]", "[3]", weight=f32(1, 3), gradWeight=f32(1, 3)),
        ),
        "gradOutput broadcasts to self": (
            refused("gradOutput", "[2, 2]", "[2, 3]", gradOutput=f32(2, 2)),
            refused("gradOutput", "[1, 2, 3]", "[2, 3]", gradOutput=f32(1, 2, 3)),
            refused("gradOutput", "[4, 3]", "[1, 3]", self=f32(1, 3), gradInput=f32(1, 3), gradOutput=f32(4, 3)),
        ),
        "if gradOutput or self or weight is empty the checks end here (workspace 0, nothing is written)": (
            skipped(gradOutput=f32(0, 3), self=f32(0, 3), gradInput=f32(0, 3)),
            skipped(gradOutput=f32(2, 0), self=f32(2, 0), gradInput=f32(2, 0), weight=f32(0), gradWeight=f32(0)),
        ),
    },
)  # fmt: skip
