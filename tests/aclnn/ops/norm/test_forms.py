"""Further forms of RmsNorm: figures by hand."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run

F32, BF16 = np.float32, ml_dtypes.bfloat16


def test_gamma_counts_from_1() -> None:
    x, gamma = np.array([[3, 4]], F32), np.array([1, -0.5], F32)
    with Machine():
        y, rstd = run(aclnnGemmaRmsNorm, x, gamma, 1e-6, np.empty_like(x), np.empty((1, 1), F32))
    assert y[0] == pytest.approx([1.697056, 0.565685], rel=1e-6)
    assert rstd[0, 0] == pytest.approx(0.2828427, rel=1e-6)


def test_a_product_is_rounded_once() -> None:
    """aclnnAddRmsNorm rounds before gamma, and its third value is 1.1640625."""
    first, second = (np.array([each], BF16) for each in ([1, 2, 3, 5], [0.125, 0.25, 0.5, 0.0625]))
    gamma = np.array([0.3, 0.7, 1.1, 1.9], BF16)
    rows = np.empty((1, 4), F32), np.empty((1, 4), BF16), np.empty((1, 1), F32), np.empty((1, 4), BF16)
    with Machine():
        wide, y, rstd, x = run(aclnnAddRmsNormCast, first, second, gamma, 1e-6, *rows)
        twice, *_ = run(aclnnAddRmsNorm, first, second, gamma, 1e-6, rows[1], rows[2], rows[3])
    assert wide.tolist() == [[0.1015625, 0.47265625, 1.15625, 2.890625]]
    assert y.astype(F32).tolist() == wide.tolist()
    assert twice.astype(F32)[0, 2] == 1.1640625
    assert rstd[0, 0] == pytest.approx(0.3008045, rel=1e-6)
    assert x.astype(F32).tolist() == [[1.125, 2.25, 3.5, 5.0625]]
