"""QuantMatmulDequant and its grouped forms: figures by hand, and what a search does not reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import INFERENCE, Meta, board
from tests.derived.first_phases import first_phase
from tests.helpers.builders import on_device
from tests.helpers.weights import blocks_by_hand, filled, launch, tensor

F16, F32 = np.float16, np.float32
ALONE, GROUPED = "QuantMatmulDequant", "QuantGroupedMatmulDequant"
STORED = f"{GROUPED}WeightNZ"


def rows() -> np.ndarray:
    """The first row becomes 127, 64 and zeros; the second one is zero."""
    x = np.zeros((2, 16), F16)
    x[0, :2] = 2, 1
    return x


@pytest.mark.fidelity("products of quantised rows")
def test_rows_by_hand() -> None:
    """64 = round(63.5), half to even; out = (127 + 2 * 64) * 2 / 127 * 0.5."""
    weight = np.zeros((16, 16), np.int8)
    weight[0, :2] = 1, 2
    with Machine(INFERENCE):
        out = run(aclnnQuantMatmulDequant, rows(), weight, np.full(16, 0.5, F32), None, None, None, None, "pertoken",
                  True, np.ones((2, 16), F16))  # fmt: skip
    assert out[0, 0] == F16(255 * 2 / 127 * 0.5)
    assert not out[1].any()
    assert not out[0, 1:].any()


def test_a_scale_within_the_scales_of_the_weight() -> None:
    """The INT64 scale has the bits of 0.25 in its low half. x / 0.5 = 4, 2."""
    weight = np.ones((16, 16), np.int8)
    scales = np.full(16, np.float32(0.25).view(np.uint32), np.int64) | 1 << 46
    with Machine(INFERENCE):
        out = run(aclnnQuantMatmulDequant, rows(), weight, scales, None, np.array([0.5], F16), None, None, "pertensor",
                  True, np.ones((2, 16), F16))  # fmt: skip
    assert out[0].tolist() == [1.5] * 16


@pytest.mark.parametrize("five", [False, True], ids=["3 dimensions", "5 dimensions"])
def test_groups_in_blocks(five: bool) -> None:
    """The second row belongs to the second group, and the third one to none."""
    weight = np.zeros((2, 16, 32), np.int8)
    weight[0, 0, 0], weight[1, 0, 0] = 1, 3
    x = np.zeros((3, 32), F16)
    x[:, 0] = 1
    blocks = blocks_by_hand(weight)
    with board(INFERENCE):
        shape, storage = (blocks.shape, None) if five else (weight.shape, blocks.shape)
        stored = tensor(filled(blocks), shape, ACL_INT8, format=ACL_FORMAT_FRACTAL_NZ, storage=storage)
        out = on_device(np.full((3, 16), 7, F16))
        scale, ends = on_device(np.full((2, 16), 0.5, F32)), on_device(np.array([1, 2]))
        launch(f"aclnn{STORED}", on_device(x), stored, scale, ends, None, None, None, None, None, True, out)
        assert out.read()[:, 0].tolist() == [0.5, 1.5, 7]


@pytest.mark.parametrize(("name", "changes", "status"), [
    (ALONE, {"biasOptional": Meta((16,))}, ACLNN_ERR_PARAM_NULLPTR),
    (GROUPED, {"biasOptional": Meta((16,))}, ACLNN_ERR_PARAM_INVALID),
    (GROUPED, {"weight": Meta((2, 24, 32), ACL_INT8)}, ACLNN_ERR_PARAM_INVALID),
    (GROUPED, {"weight": Meta((2, 32, 32), ACL_INT8)}, ACLNN_ERR_INNER_TILING_ERROR),
    (STORED, {"weight": Meta((2, 16, 32), ACL_INT8)}, ACLNN_ERR_PARAM_INVALID),
    (GROUPED, {"xQuantMode": "perchannel"}, ACLNN_ERR_INNER_TILING_ERROR),
])  # fmt: skip
def test_refused(name: str, changes: dict[str, Any], status: int) -> None:
    assert first_phase(name, INFERENCE, {}).status == ACL_SUCCESS
    assert first_phase(name, INFERENCE, changes).status == status
