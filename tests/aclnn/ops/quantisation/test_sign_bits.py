"""Signs as bits: the figures of torch_npu's documentation."""

from __future__ import annotations

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run


def test_the_figures() -> None:
    floats = np.array([5, 4, 3, 2, 0, -1, -2, 4, 3, 2, 1, 0, -1, -2], np.float32)
    with Machine():
        bits = run(aclnnSignBitsPack, floats, 2, np.zeros((2, 1), np.uint8))
        signs = run(aclnnSignBitsUnpack, bits.ravel(), 2, ACL_FLOAT, np.zeros((2, 8), np.float32))
    assert bits.tolist() == [[159], [15]]
    assert signs.tolist() == [[1, 1, 1, 1, 1, -1, -1, 1], [1, 1, 1, 1, -1, -1, -1, -1]]


@pytest.mark.fidelity("signs as bits")
def test_zeros_and_nan() -> None:
    with Machine():
        bits = run(aclnnSignBitsPack, np.array([0.0, -0.0, np.nan, -np.inf, np.inf], np.float32), 1,
                   np.zeros((1, 1), np.uint8))  # fmt: skip
    assert bits.tolist() == [[0b10011]]
