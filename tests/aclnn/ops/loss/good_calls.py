"""Checks that a search does not reach: see `tests.aclnn.ops.good_calls`."""

from __future__ import annotations

from typing import Any

from acl_runtime import *
from acl_runtime.objects.soc import Series
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values

CTC = {"blank": 2, "zeroInfinity": False}
ROWS = Meta((2, 3), ACL_INT32)
STATES = Meta((2, 4, 8))
GOOD: dict[str, dict[str, Any]] = {
    "aclnnCrossEntropySumExpAndIndexLogit": {
        "vocabParallelLogits": Meta((2, 3, 16)), "target": ROWS, "globalLogitsMax": Meta((2, 3)),
        "vocabStartIndex": 2, "vocabEndIndex": 18, "predictedLogitsOut": Meta((2, 3)), "sumExpLogitsOut": Meta((2, 3)),
        "expLogitsOut": Meta((2, 3, 16)), "targetOffsetOut": ROWS, "targetMaskOut": ROWS,
    },
    "aclnnFusedCrossEntropyLossWithMaxSum": {
        "logitsMax": Meta((3,)), "sumExpLogits": Meta((3,)), "predictedLogits": Meta((3,)), "labelSmoothing": 0.0,
        "vocabParallelLogitsOptional": Meta((3, 4)), "lossOut": Meta((3,)), "softMaxOutOptional": Meta((3, 4)),
    },
    "aclnnCtcLoss": {
        "logProbs": Meta((4, 2, 3)), "targets": Meta((2, 2), ACL_INT64), "inputLengths": Values((4, 3)),
        "targetlengths": Values((2, 1)), **CTC, "negLogLikelihoodOut": Meta((2,)), "logAlphaOut": STATES,
    },
    "aclnnCtcLossBackward": {
        "gradOut": Meta((2,)), "logProbs": Meta((4, 2, 3)), "targets": Meta((2, 2), ACL_INT64),
        "inputLengths": Values((4, 3)), "targetLengths": Values((2, 1)), "negLogLikelihood": Meta((2,)),
        "logAlpha": STATES, **CTC, "out": Meta((4, 2, 3)),
    },
}  # fmt: skip
BY_PRODUCT = {("aclnnCtcLoss", Series.A950): {"logAlphaOut": Meta((2, 4, 5))}}
UNREACHED = {
    ("aclnnNLLLoss", "if self is empty the checks end here (a mean is NaN, a sum is 0)"): (
        "test_what_is_left_of_no_rows"
    ),
    ("aclnnNLLLoss2d", "if self or target or weight is empty the checks end here (a mean is NaN, a sum is 0)"): (
        "test_what_is_left_of_no_images"
    ),
    ("aclnnNLLLoss2dBackward", "if self is empty the checks end here (workspace 0, nothing is written)"): (
        "test_what_is_left_of_no_images"
    ),
}
UNREACHED |= {
    **{
        ("aclnnCrossEntropySumExpAndIndexLogit", f"vocabParallelLogits has {what}"): "test_rows_of_logits"
        for what in ("rows of whole blocks of 32 bytes", "elements")
    },
    ("aclnnCtcLoss", "logProbs of 16 bits has no more classes, samples and labels than A2 and A3 support"): (
        "test_halves_are_limited"
    ),
    **{
        (name, "if logProbs has no samples, the checks end here (workspace 0, nothing is written)"): (
            "test_no_samples_need_no_work"
        )
        for name in ("aclnnCtcLoss", "aclnnCtcLossBackward")
    },
}
NOT_SELF = "the facts list it on inference products, where self cannot have it"
UNTYPED = {
    ("aclnnNLLLoss", "weight", "ACL_BF16"): NOT_SELF,
    ("aclnnNLLLossBackward", "gradOutput", "ACL_BF16"): NOT_SELF,
    ("aclnnNLLLoss2dBackward", "gradOutput", "ACL_BF16"): NOT_SELF,
    ("aclnnMultilabelMarginLoss", "isTarget", "ACL_BF16"): NOT_SELF,
    **{
        ("aclnnCtcLossBackward", "gradOut", dtype): "the facts list it on products where logProbs cannot have it"
        for dtype in ("ACL_FLOAT16", "ACL_BF16")
    },
}
