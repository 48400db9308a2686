"""InplaceQuantScatter: figures by hand, and a place out of range."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A950, Meta
from tests.aclnn.ops.quantisation.good_calls import GOOD
from tests.helpers.refusals import answer

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


def test_rows_of_float8() -> None:
    """2.125 lies halfway between 2 and 2.25; 600 saturates."""
    float8 = ml_dtypes.float8_e4m3fn
    with Machine(A950):
        rows = np.array([[[2.125, 300]]], F16)
        out = run(aclnnInplaceQuantScatterV2, np.ones((1, 2, 2), float8), np.array([1]), rows,
                  np.array([[[1, 0.5]]], F32), None, -2, -1, 1, "rint")  # fmt: skip
    assert out.astype(F32).tolist() == [[[1, 1], [2, 448]]]


@pytest.mark.parametrize("dtype", [ACL_FLOAT8_E4M3FN, ACL_HIFLOAT8])
def test_other_results(dtype: int) -> None:
    changes = {"selfRef": Meta((2, 5, 8), dtype)}
    good = GOOD["aclnnInplaceQuantScatterV2"]
    assert answer(aclnnInplaceQuantScatterV2GetWorkspaceSize, good, changes, A950).status == ACL_SUCCESS
