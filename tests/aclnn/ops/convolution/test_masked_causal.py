"""MaskedCausalConv1d: figures and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A950, Meta, board
from tests.derived.good import subject
from tests.derived.launching import planned


def columns(*rows: float) -> np.ndarray:
    """Rows of 384 equal elements."""
    return np.repeat(np.array(rows, np.float16)[:, None], 384, 1)


@pytest.mark.parametrize(("mask", "rows"), [(None, [2, 5, 8.5]), ([True, False, True], [2, 0, 8.5])])
def test_figures(mask: list[bool] | None, rows: list[float]) -> None:
    x = columns(1, 2, 3)[:, None]
    with Machine(A950):
        found = run(aclnnMaskedCausalConv1d, x, columns(0.5, 1, 2), None if mask is None else np.array([mask]), x)
    assert found[:, 0, 7].tolist() == rows


def test_the_gradient_by_hand() -> None:
    x, weight = columns(1, 2, 3)[:, None], columns(0.5, 1, 2)
    with Machine(A950):
        of_x, of_weight = run(aclnnMaskedCausalConv1dBackward, columns(1, 1, 1)[:, None], x, weight, None, x, weight)
    assert of_x[:, 0, 0].tolist() == [3.5, 3, 2]
    assert of_weight[:, 0].tolist() == [1, 3, 6]


REFUSED: list[tuple[int, dict[str, Any]]] = [
    (ACLNN_ERR_PARAM_NULLPTR, {"weight": None}), (ACLNN_ERR_PARAM_INVALID, {"x": Meta((4, 2, 384))}),
    (ACLNN_ERR_PARAM_INVALID, {"weight": Meta((3, 384))}),
    (ACLNN_ERR_INNER_TILING_ERROR, {"weight": Meta((4, 384), ACL_FLOAT16)}),
    (ACLNN_ERR_INNER_TILING_ERROR, {"maskOptional": Meta((4, 2), ACL_BOOL)}),
    (ACLNN_ERR_INNER_TILING_ERROR, {"x": Meta((4, 2, 320), ACL_FLOAT16)}),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "changes"), REFUSED, ids=str)
def test_refusals(answer: int, changes: dict[str, Any]) -> None:
    this = subject("aclnnMaskedCausalConv1d")
    with board(A950):
        assert planned(this, this.changed(changes)).status == answer
