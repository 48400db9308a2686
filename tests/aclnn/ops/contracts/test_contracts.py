"""Contracts of products with a weight in FRACTAL_NZ."""

from __future__ import annotations

from dataclasses import replace

import pytest

import aclnn
from acl_runtime import *
from tests.aclnn.ops.case import A2, A950, Meta, f16
from tests.aclnn.ops.contracts.good_calls import GOOD
from tests.derived.values import Values
from tests.helpers.refusals import Mistake, answer, assert_in_order

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
WEIGHT = GOOD["aclnnTransposeBatchMatMulWeightNZ"]["x2"]
PRODUCT = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("x1", "x2", "permX1", "out")),
    Mistake("FLOAT", INVALID, "x1", x1=Meta((4, 2, 32))),
    Mistake("another order", INVALID, "permY", permY=Values((0, 1, 2))),
    Mistake("rows", INVALID, "x2", x2=f16(2, 32, 16)),
    Mistake("type of out", INVALID, "out", out=Meta((4, 2, 16), ACL_BF16)),
    Mistake("parts of the batches", INVALID, "batchSplitFactor", batchSplitFactor=3),
    Mistake("another shape", INVALID, "out", out=f16(4, 2, 8)),
]


@pytest.mark.fidelity("aclnnTransposeBatchMatMulWeightNZ")
@pytest.mark.parametrize("end", ["NZ", "Nz"])
def test_a_product_with_a_weight_in_blocks(end: str) -> None:
    name = f"aclnnTransposeBatchMatMulWeight{end}"
    first = getattr(aclnn, f"{name}GetWorkspaceSize")
    assert_in_order(first, GOOD[name], PRODUCT)
    converted = {"out": Meta((4, 2, 16), ACL_BF16)}
    assert answer(first, GOOD[name], converted, A950).status == ACL_SUCCESS
    as_stored = {"x2": replace(WEIGHT, shape=WEIGHT.storage)}
    assert answer(first, GOOD[name], as_stored, A2).status == ACL_SUCCESS


@pytest.mark.parametrize("name", ["aclnnTransposeQuantBatchMatMul", "aclnnTransposeQuantBatchMatMulWeightNz"])
@pytest.mark.parametrize("scale", ["x1Scale", "x2Scale"])
def test_a_null_scale_of_a_quantised_product_is_invalid(name: str, scale: str) -> None:
    """161002, though other null tensors are 161001 (public)."""
    first, good = getattr(aclnn, f"{name}GetWorkspaceSize"), GOOD["aclnnTransposeQuantBatchMatMul"]
    assert answer(first, good, {scale: None}, A950).status == INVALID
    assert answer(first, good, {"x1": None}, A950).status == NULL
