"""RmsNormQuant and RmsNormDynamicQuant: figures by hand, and what the search does not reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A950, Meta
from tests.aclnn.ops.quantisation.good_calls import GOOD
from tests.helpers.refusals import Mistake, answer, assert_refused

F16, F32, I8 = np.float16, np.float32, np.int8
FIRST, CALL = aclnnRmsNormQuantGetWorkspaceSize, GOOD["aclnnRmsNormQuant"]
X = np.array([[1, -1, 1, -1, 1, 1, 1, -1]], F16)
"""with a mean of squares of 1"""


def quantised(out: Any, scale: float = 0.25, beta: float = 0.5) -> Any:
    row = np.ones(8, F16)
    with Machine():
        return run(aclnnRmsNormQuant, X, row * 2, row * F16(beta), np.array([scale], F16), np.array([1], I8), 0.0, out)


def test_a_row_with_one_scale() -> None:
    """2.5 and -1.5, times 4, plus 1"""
    assert quantised(np.empty((1, 8), I8)).tolist() == [[11, -5, 11, -5, 11, 11, 11, -5]]
    assert quantised(np.empty((1, 8), I8), 1 / 64).tolist() == [[127, -95, 127, -95, 127, 127, 127, -95]]


def test_eight_numbers_in_a_word() -> None:
    (word,) = quantised(np.empty((1, 1), np.int32), 0.5).view(np.uint32).ravel()
    assert [(int(word) >> 4 * at) & 15 for at in range(8)] == [6, 14, 6, 14, 6, 6, 6, 14]


@pytest.mark.fidelity("aclnnRmsNormQuant: NaN of the norm or the scale")
def test_nan_is_0() -> None:
    assert quantised(np.empty((1, 8), I8), float("nan")).tolist() == [[0] * 8]


def test_a_scale_that_multiplies() -> None:
    """The third version, on Ascend 950: without beta, and with eight numbers in a word."""
    row, word = np.ones(8, F16), np.empty((1, 1), np.int32)
    with Machine(A950):
        y, rstd = run(aclnnRmsNormQuantV3, X, row, np.array([3], F32), None, None, 0.0, False, True, word,
                      np.empty((1, 1), F32))  # fmt: skip
    assert y.view(np.uint32)[0, 0] == 0xD333D3D3
    assert rstd.tolist() == [[1]]


def test_gamma_of_two_rows() -> None:
    both = dict.fromkeys(("gamma", "beta"), Meta((2, 8), ACL_FLOAT16))
    assert_refused(FIRST, CALL, Mistake("", ACLNN_ERR_INNER_NULLPTR, "gamma", **both))
    assert answer(FIRST, CALL, dict.fromkeys(both, Meta((1, 8), ACL_FLOAT16))).status == ACL_SUCCESS


def test_a_scale_of_each_row() -> None:
    row = np.ones(8, F16)
    with Machine():
        y, scale = run(aclnnRmsNormDynamicQuant, X, row, row * 2, row, 0.0, 2, np.empty((1, 8), I8), np.empty(1, F32))
    assert y.tolist() == [[127, 0, 127, 0, 127, 127, 127, 0]], "4 and 0"
    assert scale[0] == pytest.approx(4 / 127)
