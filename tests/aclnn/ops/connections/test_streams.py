"""Residual streams: figures by hand."""

from __future__ import annotations

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, Meta
from tests.aclnn.ops.connections.good_calls import GOOD
from tests.helpers.refusals import answer

F16, F32 = np.float16, np.float32


@pytest.mark.parametrize("matrix", [True, False], ids=["mixed", "added"])
def test_streams(matrix: bool) -> None:
    """The matrix moves the first stream to the second one. The gates are 1 and 10."""
    x, layer, gates = np.array([[[1, 2], [3, 4]]], F16), np.array([[5, 6]], F16), np.array([[1, 10]], F32)
    mixing = np.array([[[0, 1], [1, 0]]], F32) if matrix else None
    with Machine(A950):
        out = run(aclnnMhcPost, x, mixing, layer, gates, np.zeros_like(x))
    assert out.tolist() == [[[8, 10], [51, 62]] if matrix else [[6, 8], [53, 64]]]


def test_the_matrix_of_a_gradient_is_required() -> None:
    first = aclnnMhcPostBackwardGetWorkspaceSize
    assert answer(first, GOOD["aclnnMhcPostBackward"], {"hRes": None}, A2).status == ACLNN_ERR_PARAM_NULLPTR
    assert answer(first, GOOD["aclnnMhcPostBackward"], {"hPost": Meta((3, 5))}, A2).status == ACLNN_ERR_PARAM_INVALID
