"""Diagonals, slices and the next step of a generation: figures by hand."""

from __future__ import annotations

from contextlib import ExitStack

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.errors import UndefinedBehaviour
from aclnn import *
from aclnn.testing import device_tensor, run

I64 = np.int64


@pytest.mark.parametrize(("wrap", "places"), [(False, [0, 4, 8]), (True, [0, 4, 8, 12, 16, 20])])
def test_a_tall_diagonal(wrap: bool, places: list[int]) -> None:
    with Machine():
        x = run(aclnnInplaceFillDiagonal, np.zeros((7, 3), np.float32), 5.0, wrap)
    assert np.flatnonzero(x == 5).tolist() == places


def test_every_second_row() -> None:
    x = np.zeros((5, 2), np.float32)
    with Machine():
        found = run(aclnnStridedSliceAssignV2, x, np.ones((2, 1), np.float32), [-4, 1], [9, 2], [2, 1], None)
    assert found.tolist() == [[0, 0], [0, 1], [0, 0], [0, 1], [0, 0]]


def step(length: int) -> list[list[int]]:
    """One query of two sequences, with blocks of 4: what the tensors hold afterwards."""
    values = ([1, 2], [[7]], [0, 0], [length, 3], [0, 0], [[5, 9], [6, 8]])
    with Machine(), ExitStack() as stack:
        assert aclrtSetDevice(0) == ACL_SUCCESS
        tensors = [stack.enter_context(device_tensor(np.array(each, I64))) for each in values]
        run(aclnnAdvanceStep, *tensors, 2, 1, 4)
        return [tensors[at].numpy().tolist() for at in (0, 2, 3, 4)]


def test_the_inputs_of_the_next_step() -> None:
    """The token 6 lies in the second block of its sequence, at place 2."""
    assert step(6) == [[7, 2], [6, 0], [7, 3], [9 * 4 + 2, 0]]


def test_a_sequence_that_is_longer_than_its_blocks() -> None:
    with pytest.raises(UndefinedBehaviour, match=r"index-range.*seqLens"):
        step(8)
