"""ScatterList: figures by hand, and a place out of range."""

from __future__ import annotations

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from aclnn.testing import run

F32 = np.float32
UPDATES = np.array([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], F32)


def replaced(places: list[int] | list[list[int]], mask: list[int] | None = None) -> list[list[list[float]]]:
    flags = None if mask is None else np.array(mask, np.uint8)
    with Machine():
        return [each.tolist() for each in run(aclnnScatterList, [np.zeros((3, 2), F32)] * 2, np.array(places), UPDATES,
                                              flags, "update", -2)]  # fmt: skip


def test_a_place_for_each_tensor() -> None:
    assert replaced([1, 0]) == [[[0, 0], [1, 2], [3, 4]], [[5, 6], [7, 8], [0, 0]]]


def test_a_length_for_each_tensor() -> None:
    assert replaced([[2, 1], [0, 2]]) == [[[0, 0], [0, 0], [1, 2]], [[5, 6], [7, 8], [0, 0]]]


def test_a_masked_tensor_stays_whatever_its_place() -> None:
    assert replaced([9, 0], [0, 1])[0] == [[0, 0]] * 3


@pytest.mark.parametrize(("places", "legal"), [([0, 2], "0 to 1"), ([[0, 3], [0, 1]], "0 to 2")])
def test_a_part_out_of_range(places: list[int], legal: str) -> None:
    with pytest.raises(UndefinedBehaviour, match=f"legal values are {legal}"):
        replaced(places)
