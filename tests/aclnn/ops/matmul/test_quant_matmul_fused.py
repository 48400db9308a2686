"""Products of INT8 with gelu, or summed up over the batches: figures by hand, and what a search does not reach."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from acl_runtime import *
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, Meta, board
from tests.derived.first_phases import first_phase
from tests.helpers.builders import on_device
from tests.helpers.weights import blocks_by_hand, filled, in_blocks, launch, tensor

I8, F32 = np.int8, np.float32
INVALID = ACLNN_ERR_PARAM_INVALID
REDUCED, FUSED, STORED = "QuantMatmulReduceSumWeightNz", "FusedQuantMatmul", "FusedQuantMatmulWeightNz"


@pytest.mark.parametrize("five", [False, True], ids=["3 dimensions", "5 dimensions"])
def test_a_sum_of_batches(five: bool) -> None:
    """1 * 2 * 0.5 of the first batch, and 3 * 4 * 0.25 of the second one, times 2."""
    x1, x2 = np.zeros((2, 1, 32), I8), np.zeros((2, 32, 32), I8)
    x1[:, 0, 0], x2[:, 0, 5] = (1, 3), (2, 4)
    with board(A2):
        blocks = blocks_by_hand(x2)
        stored = tensor(filled(blocks), blocks.shape, ACL_INT8, format=ACL_FORMAT_FRACTAL_NZ) if five else in_blocks(x2)
        out, scale = on_device(np.ones((1, 32), ml_dtypes.bfloat16)), on_device(np.full(32, 2, ml_dtypes.bfloat16))
        dims = aclCreateIntArray([0], 1)
        launch(f"aclnn{REDUCED}", on_device(x1), stored, on_device(np.array([[0.5], [0.25]], F32)), scale, None, None,
               None, None, None, False, False, 0, dims, False, out)  # fmt: skip
        assert out.read()[0].tolist() == [8.0 if at == 5 else 0.0 for at in range(32)]


@pytest.mark.parametrize(("name", "expected"), [("gelu_erf", 0.841345), ("gelu_tanh", 0.841192)])
def test_gelu(name: str, expected: float) -> None:
    """gelu(1): (2 * 3 + 2) * 0.25 * 0.5, where the bias of INT32 is added first."""
    with board(A2):
        out = run(aclnnFusedQuantMatmul, np.array([[2]], I8), np.array([[3]], I8), np.array([0.5], F32),
                  np.array([0.25], F32), None, None, None, None, np.array([2], np.int32), None, name, 0,
                  np.zeros((1, 1), np.float16))  # fmt: skip
    assert out[0, 0] == np.float16(expected)


@pytest.mark.parametrize(("name", "changes"), [
    (FUSED, {"fusedOpType": "relu"}), (FUSED, {"x3Optional": Meta((3, 32))}), (FUSED, {"x1Scale": Meta((4,))}),
    (FUSED, {"x1": Meta((3, 65536), ACL_INT8), "x2": Meta((65536, 32), ACL_INT8)}),
    (STORED, {"x1": Meta((3, 65536), ACL_INT8), "x2": Meta((65536, 32), ACL_INT8, ACL_FORMAT_FRACTAL_NZ,
                                                           storage=(1, 4096, 16, 32))}),
    (STORED, {"x2": Meta((32, 32), ACL_INT8)}),
    (STORED, {"x1": Meta((2, 3, 32), ACL_INT8), "x2": Meta((3, 32, 32), ACL_INT8, ACL_FORMAT_FRACTAL_NZ,
                                                           storage=(3, 1, 2, 16, 32))}),
    (REDUCED, {"x1": Meta((2, 0, 32), ACL_INT8), "x1Scale": Meta((2, 0)), "out": Meta((0, 32), ACL_BF16)}),
    (REDUCED, {"yScale": Meta((32,))}), (REDUCED, {"x2": Meta((2, 32, 32), ACL_INT8)}),
])  # fmt: skip
def test_refused(name: str, changes: dict[str, Any]) -> None:
    assert first_phase(name, A2, {}).status == ACL_SUCCESS
    assert first_phase(name, A2, changes).status == INVALID


@pytest.mark.parametrize("name", [FUSED, STORED])
def test_factors_of_int4_are_accepted(name: str) -> None:
    """They have no kernel."""
    assert first_phase(name, A2, {"x1": Meta((3, 32), ACL_INT4)}).status == ACL_SUCCESS
