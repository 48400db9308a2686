"""ApplyAdamWQuant: rules that no table has, and figures by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import Meta
from tests.helpers.refusals import Mistake, answer, assert_order

INVALID, NULL, TILING = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_INNER_TILING_ERROR
BYTES, LEVELS = Meta((2, 3), ACL_UINT8), Meta((256,))
GOOD: dict[str, Any] = {
    "varRef": Meta((2, 3)), "grad": Meta((2, 3)), "mRef": BYTES, "vRef": BYTES, "qmapM": LEVELS, "qmapV": LEVELS,
    "absmaxMRef": Meta((2,)), "absmaxVRef": Meta((2,)), "step": Meta((1,), ACL_INT64), "lr": 0.1, "beta1": 0.5,
    "beta2": 0.5, "weightDecay": 0.0, "eps": 0.0, "gnormScale": 1.0, "quantModeOptional": "BLOCKWISE", "blockSize": 4,
}  # fmt: skip
FIRST = aclnnApplyAdamWQuantGetWorkspaceSize


@pytest.mark.fidelity("bytes and steps of aclnnApplyAdamWQuant")
def test_a_first_step_by_hand(machine: Machine) -> None:
    """The moments of a first step are half the gradient and half its square; both corrections double them. So each
    element moves by lr against the sign of its gradient. The level 255 is 1, the level 0 is -1 or 0."""
    signed, unsigned = (np.linspace(low, 1, 256, dtype=np.float32) for low in (-1, 0))
    grad, none = np.array([2, -2, 1, 0.0], np.float32), np.array([0.5], np.float32)
    zeros = np.full(4, 128, np.uint8), np.zeros(4, np.uint8)
    x, m, v, most_m, most_v = run(
        aclnnApplyAdamWQuant, np.ones(4, np.float32), grad, *zeros, signed * (np.abs(signed) > 0.01), unsigned, none,
        none, np.array([1]), 0.1, 0.5, 0.5, 0.0, 1e-9, 1.0, None, 4,
    )  # fmt: skip
    np.testing.assert_allclose(x, [0.9, 1.1, 0.9, 1], rtol=1e-6)
    np.testing.assert_array_equal(m, [255, 0, 191, 127])
    np.testing.assert_array_equal(v, [255, 255, 64, 0])
    assert (most_m, most_v) == (1, 2)


def test_no_elements_need_no_work() -> None:
    empty = {name: Meta((0, 3), GOOD[name].dtype) for name in ("varRef", "grad", "mRef", "vRef")}
    found = answer(FIRST, GOOD, {**empty, "absmaxMRef": Meta((0,)), "absmaxVRef": Meta((0,))})
    assert found.status == ACL_SUCCESS, found.text


def test_refusals_come_in_order() -> None:
    mistakes = [
        Mistake("varRef is null", NULL, "varRef", varRef=None),
        Mistake("type of grad", INVALID, "grad", grad=Meta((2, 3), ACL_FLOAT16)),
        Mistake("type of m", INVALID, "mRef", mRef=Meta((2, 3), ACL_INT8)),
        Mistake("mode", TILING, "quantModeOptional", quantModeOptional="ROWWISE"),
        Mistake("block", TILING, "blockSize", blockSize=0),
        Mistake("shape of v", TILING, "vRef", vRef=Meta((3, 2), ACL_UINT8)),
        Mistake("levels", TILING, "qmapM", qmapM=Meta((255,))),
        Mistake("blocks", TILING, "absmaxVRef", absmaxVRef=Meta((1,))),
        Mistake("step", TILING, "step", step=Meta((2,), ACL_INT64)),
    ]
    assert_order(FIRST, GOOD, mistakes)
