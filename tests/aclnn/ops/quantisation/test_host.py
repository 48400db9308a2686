"""TransQuantParam, which has no second phase."""

from __future__ import annotations

from ctypes import POINTER, byref, c_uint64
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *


def packed(scales: Any, offsets: Any = None, *, sizes: tuple[int, int] | None = None) -> tuple[int, list[int]]:
    """The status, and the array."""
    array, count = POINTER(c_uint64)(), c_uint64()
    counted = sizes or (len(scales), 0 if offsets is None else len(offsets))
    status = aclnnTransQuantParam(scales, counted[0], offsets, counted[1], byref(array), byref(count))
    return status, array[: count.value] if status == ACLNN_SUCCESS else []


def by_hand(scale: float, offset: int = 0) -> int:
    return int(np.float32(scale).view(np.uint32)) | 1 << 46 | (offset & 0x1FF) << 37


@pytest.mark.parametrize(("scales", "offsets", "sizes"), [
    (None, None, (1, 0)), ([1.0], None, (0, 0)), ([1.0], None, (1, 1)), ([1.0], [1.0], (1, 0)),
])  # fmt: skip
def test_nulls_and_sizes_are_161002(scales: Any, offsets: Any, sizes: tuple[int, int]) -> None:
    with Machine():
        assert packed(scales, offsets, sizes=sizes)[0] == ACLNN_ERR_PARAM_INVALID


def test_null_results_are_161002() -> None:
    with Machine():
        assert aclnnTransQuantParam([1.0], 1, None, 0, None, byref(c_uint64())) == ACLNN_ERR_PARAM_INVALID
        assert aclnnTransQuantParam([1.0], 1, None, 0, byref(POINTER(c_uint64)()), None) == ACLNN_ERR_PARAM_INVALID


def test_one_scale_is_one_element() -> None:
    with Machine():
        assert packed([0.1]) == (ACLNN_SUCCESS, [by_hand(0.1)])


def test_several_become_a_multiple_of_16() -> None:
    scales, offsets = [0.1 * at for at in range(17)], [2.5, 3.5, -0.5, 300, -300] + [0] * 12
    rounded = [2, 4, 0, 255, -256] + [0] * 12
    with Machine():
        status, found = packed(scales, offsets)
    assert status == ACLNN_SUCCESS
    assert found == [by_hand(scale, offset) for scale, offset in zip(scales, rounded, strict=True)] + [0] * 15


@pytest.mark.fidelity("sizes in aclnnTransQuantParam")
def test_one_value_goes_with_all_and_several_end() -> None:
    with Machine():
        assert packed([1.5], [1, 2, 3])[1][:3] == [by_hand(1.5, at) for at in (1, 2, 3)]
        assert packed([1.5, 2.5, 3.5], [1, 2])[1][:3] == [by_hand(1.5, 1), by_hand(2.5, 2), by_hand(3.5)]
