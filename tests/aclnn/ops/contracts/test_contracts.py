"""Contracts of quantised products with permuted dimensions."""

from __future__ import annotations

import pytest

import aclnn
from acl_runtime import *
from tests.aclnn.ops.case import A950
from tests.aclnn.ops.contracts.good_calls import GOOD
from tests.helpers.refusals import answer

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR


@pytest.mark.parametrize("name", ["aclnnTransposeQuantBatchMatMul", "aclnnTransposeQuantBatchMatMulWeightNz"])
@pytest.mark.parametrize("scale", ["x1Scale", "x2Scale"])
def test_a_null_scale_of_a_quantised_product_is_invalid(name: str, scale: str) -> None:
    """161002, though other null tensors are 161001 (public)."""
    first, good = getattr(aclnn, f"{name}GetWorkspaceSize"), GOOD["aclnnTransposeQuantBatchMatMul"]
    assert answer(first, good, {scale: None}, A950).status == INVALID
    assert answer(first, good, {"x1": None}, A950).status == NULL
