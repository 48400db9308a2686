"""NsaCompress and its gradient: figures, sequences, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, Meta, board
from tests.derived.good import subject
from tests.derived.launching import planned
from tests.derived.values import Values

F16 = np.float16
X, WEIGHT = np.array([1, 2, 3, 4], F16).reshape(4, 1, 1), np.array([[1], [10]], F16)


@pytest.mark.parametrize(("ends", "blocks"), [([4], [21, 32, 43]), ([1, 4], [32, 43]), ([0, 3, 4], [21, 32])])
def test_figures(ends: list[int], blocks: list[int]) -> None:
    """Blocks of two rows at each row; a sequence of one row has none."""
    out = np.empty((len(blocks), 1, 1), F16)
    with Machine():
        found = run(aclnnNsaCompress, X, WEIGHT, ends, "TND", 2, 1, 0, out)
    assert found.ravel().tolist() == blocks


def test_the_gradient_by_hand() -> None:
    grad = np.array([1, 2, 4], F16).reshape(3, 1, 1)
    with Machine():
        of_x, of_weight = run(aclnnNsaCompressGrad, grad, X, WEIGHT, [0, 4], 2, 1, 0, "TND", X, WEIGHT)
    assert of_x.ravel().tolist() == [1, 12, 24, 40]
    assert of_weight.ravel().tolist() == [1 + 4 + 12, 2 + 6 + 16]


REFUSED: list[tuple[int, dict[str, Any]]] = [
    (ACLNN_ERR_PARAM_NULLPTR, {"actSeqLenOptional": None}),
    (ACLNN_ERR_PARAM_INVALID, {"layoutOptional": "BSND"}), (ACLNN_ERR_PARAM_INVALID, {"actSeqLenType": 1}),
    (ACLNN_ERR_PARAM_INVALID, {"actSeqLenOptional": Values((4, 10))}),
    (ACLNN_ERR_PARAM_INVALID, {"weight": Meta((3, 2), ACL_FLOAT16)}),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "changes"), REFUSED, ids=str)
def test_refusals(answer: int, changes: dict[str, Any]) -> None:
    this = subject("aclnnNsaCompress")
    with board(A2):
        assert planned(this, this.changed(changes)).status == answer
