"""TransposeBatchMatMul: figures by hand, weights in FRACTAL_NZ, and what the search does not reach."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import aclnn
from acl_runtime import *
from acl_runtime import Machine
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, Meta, f16
from tests.aclnn.ops.matmul.good_calls import GOOD
from tests.derived.values import Values
from tests.helpers.refusals import Mistake, answer, assert_in_order, assert_refused

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
F32 = np.float32
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


def products(count: int, scale: Any = None, dtype: Any = F32) -> Any:
    """Two batches of 1 by 1 and 1 by 2."""
    x1, x2 = np.array([[[1]], [[2]]], dtype), np.array([[[3, 4]], [[5, 6]]], dtype)
    shape = (1, 1, 4) if scale is not None else (1, 2, 2) if count == 1 else (2, 1, 2)
    with Machine():
        return run(aclnn.aclnnTransposeBatchMatMul, x1, x2, None, scale, [0, 1, 2], [0, 1, 2], [1, 0, 2], 0, count,
                   np.empty(shape, np.int8 if scale is not None else dtype))  # fmt: skip


def test_batches_behind_rows() -> None:
    assert products(1).tolist() == [[[3, 4], [10, 12]]]
    assert products(2).tolist() == [[[3, 4]], [[10, 12]]]


def test_a_scale_for_each_column_of_each_batch() -> None:
    scale = np.array([0.5, 1, 16, 0.25], F32).view(np.uint32).astype(np.uint64)
    assert products(1, scale, np.float16).tolist() == [[[2, 4, 127, 3]]], "halves to even, saturated"


PLAIN = GOOD["aclnnTransposeBatchMatMul"]
LARGE = {"x1": f16(2, 4, 8), "x2": f16(2, 8, 65536), "permX1": Values((0, 1, 2)), "out": f16(4, 2, 65536)}
SCALED = {"scale": Meta((12,), ACL_UINT64), "out": Meta((4, 1, 12), ACL_INT8)}


@pytest.mark.parametrize("mistake", [
    Mistake("columns", INVALID, "x1", **LARGE),
    Mistake("a transposed weight", INVALID, "permX2", **SCALED, permX2=Values((0, 2, 1)), x2=f16(2, 6, 8)),
    Mistake("a type beside a scale", INVALID, "out", scale=SCALED["scale"], out=f16(4, 1, 12)),
    Mistake("a scale too short", INVALID, "scale", **SCALED | {"scale": Meta((6,), ACL_UINT64)}),
    Mistake("batches", INVALID, "x2", x2=f16(3, 8, 6)),
    Mistake("a bias", INVALID, "bias", bias=f16(6)),
    Mistake("in blocks", INVALID, "x1", x1=Meta((4, 2, 8), ACL_FLOAT16, ACL_FORMAT_FRACTAL_NZ)),
], ids=str)  # fmt: skip
def test_a_product_is_refused(mistake: Mistake) -> None:
    assert_refused(aclnn.aclnnTransposeBatchMatMulGetWorkspaceSize, PLAIN, mistake, A2)
