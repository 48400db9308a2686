"""InplaceQuantScatter: figures by hand, and a place out of range."""

from __future__ import annotations

import numpy as np
import pytest

from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from aclnn.testing import run

F16, F32, I8 = np.float16, np.float32, np.int8


def scattered(places: list[int]) -> list[list[list[int]]]:
    updates = np.array([[[1, 2.5]], [[-300, 3]]], F16)
    scale, zero = np.array([[[0.5, 1]]], F32), np.array([[[1, 0]]], np.int32)
    with Machine():
        out = run(
            aclnnInplaceQuantScatter, np.full((2, 3, 2), 9, I8), np.array(places), updates, scale, zero, -2, -1, 1
        )
    return out.tolist()


def test_a_row_of_each_batch() -> None:
    assert scattered([2, 0]) == [[[9, 9], [9, 9], [3, 2]], [[-128, 3], [9, 9], [9, 9]]]


def test_a_place_out_of_range() -> None:
    with pytest.raises(UndefinedBehaviour, match="legal values are 0 to 2"):
        scattered([0, 3])
