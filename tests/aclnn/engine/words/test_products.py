"""Functions that look at the product before they look at a pointer."""

from __future__ import annotations

import pytest

import aclnn
from acl_runtime import *
from acl_runtime import Machine
from tests.aclnn.ops.case import A2, A950, INFERENCE, TRAINING, Meta
from tests.derived.values import Values
from tests.helpers.refusals import answer

PARAMETER, RUNTIME, INNER = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_RUNTIME_ERROR, ACLNN_ERR_INNER
FIRST = {
    "aclnnBucketize": (INNER, A2),
    "aclnnDynamicQuantV3": (INNER, A2),
    "aclnnDynamicQuantV4": (INNER, INFERENCE),
    "aclnnDropoutV3Grad": (PARAMETER, A2),
    "aclnnAddmmWeightNz": (PARAMETER, INFERENCE),
    "aclnnMaxPool3dWithArgmax": (PARAMETER, INFERENCE),
    "aclnnMaxPool2dWithMaskBackward": (PARAMETER, A950),
    "aclnnWeightQuantBatchMatmulV2": (RUNTIME, TRAINING),
    "aclnnWeightQuantBatchMatmulV3": (RUNTIME, TRAINING),
    "aclnnWeightQuantBatchMatmulNz": (RUNTIME, A2),
    "aclnnFusedInferAttentionScore": (RUNTIME, A950),
    "aclnnFusedInferAttentionScoreV2": (RUNTIME, A950),
    "aclnnFusedInferAttentionScoreV3": (RUNTIME, A950),
    "aclnnFusedInferAttentionScoreV4": (RUNTIME, A950),
    "aclnnPromptFlashAttention": (RUNTIME, A950),
    "aclnnIncreFlashAttentionV4": (RUNTIME, A950),
    "aclnnMlaProlog": (RUNTIME, A950),
    "aclnnRoiPoolingWithArgMax": (RUNTIME, A2),
    "aclRfft1D": (PARAMETER, A950),
    "aclStft": (PARAMETER, INFERENCE),
}
"""by function, the status, and a product that does not have it"""


@pytest.mark.parametrize("name", FIRST)
def test_a_product_without_the_function_is_noticed_first(name: str) -> None:
    """It also comes before a null executor pointer, for which there would be 161001."""
    status, soc = FIRST[name]
    first = getattr(aclnn, f"{name}GetWorkspaceSize")
    values = [None if param in first.op.objects or param.ctype.spelling.endswith("*") else 0
              for param in first.op.params]  # fmt: skip
    with Machine(soc, on_undefined="report"):
        aclrtSetDevice(0)
        assert first(*values, None, None) == status
        assert f"{name} does not exist on {soc}" in aclGetRecentErrMsg()


def test_masks_of_pooling_are_judged_by_the_product_after_three_pointers() -> None:
    """ "N kernelSize, self, out; P kernelSize length; 950: P; then as WithIndices"."""
    first = aclnn.aclnnMaxPool2dWithMaskGetWorkspaceSize
    good = {
        "self": Meta((1, 1, 4, 4)), "kernelSize": Values((2, 2)), "stride": None, "padding": None, "dilation": None,
        "ceilMode": False, "out": Meta((1, 1, 2, 2)), "indices": None,
    }  # fmt: skip
    assert answer(first, good, {}, A950).status == PARAMETER
    assert "does not exist" in answer(first, good, {}, A950).text
    assert answer(first, good, {}, INFERENCE).status == ACLNN_ERR_PARAM_NULLPTR
    for early in ("kernelSize", "self", "out"):
        assert answer(first, good, {early: None}, A950).status == ACLNN_ERR_PARAM_NULLPTR
