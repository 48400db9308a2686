"""aclnnStridedSlice and aclnnRepeatInterleaveGrad, which only Ascend 950 has, and aclnnSplitWithSize."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A950, Meta, board
from tests.derived.good import subject
from tests.derived.launching import planned
from tests.derived.values import Values

X = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
ENTRIES: list[tuple[list[list[int]], dict[str, int], Any]] = [
    ([[1], [3], [1]], {}, X[1:3]),
    ([[1, 3, -1], [3, 0, -9], [1, -1, -2]], {}, X[1:3, 3:0:-1, ::-2]),
    ([[9, 1], [9, 2], [1, 1]], {"begin": 1, "end": 1}, X[:, 1:2]),
    ([[0, 2], [0, 3], [1, 1]], {"ellipsis": 1}, X[..., 2:3]),
    ([[0, 0, 1], [0, 0, 2], [1, 1, 1]], {"new": 2, "shrink": 1}, X[0, None, 1:2]),
    ([[-2], [0], [1]], {"shrink": 1}, X[-2]),
    ([[], [], []], {}, X),
]


@pytest.mark.parametrize(("arrays", "masks", "wanted"), ENTRIES, ids=range(len(ENTRIES)))
def test_slices_are_those_of_numpy(arrays: list[list[int]], masks: dict[str, int], wanted: np.ndarray) -> None:
    bits = [masks.get(name, 0) for name in ("begin", "end", "ellipsis", "new", "shrink")]
    with Machine(A950):
        assert np.array_equal(run(aclnnStridedSlice, X, *arrays, *bits, np.empty(wanted.shape, X.dtype)), wanted)


def status(**changes: Any) -> int:
    this = subject("aclnnStridedSlice")
    three = {"self": Meta((3, 4, 5)), "out": Meta((3, 4, 5)), "begin": Values((0, 0)), "end": Values((3, 4)),
             "strides": Values((1, 1))}  # fmt: skip
    masks = dict.fromkeys(("beginMask", "endMask", "ellipsisMask", "newAxisMask", "shrinkAxisMask"), 0)
    with board(A950):
        return planned(this, this.changed(three | masks | changes)).status


@pytest.mark.fidelity("positions of aclnnStridedSlice")
def test_refusals() -> None:
    assert status() == ACL_SUCCESS
    assert status(ellipsisMask=3) == ACLNN_ERR_PARAM_INVALID
    assert status(begin=Values((3, 0)), shrinkAxisMask=1, out=Meta((4, 5))) == ACLNN_ERR_PARAM_INVALID
    back = {"strides": Values((-1, 1)), "shrinkAxisMask": 1, "out": Meta((4, 5))}
    assert status(**back) == ACLNN_ERR_PARAM_INVALID
    many = Values((1, 1, 1, 1))
    assert status(begin=many, end=many, strides=many) == ACLNN_ERR_PARAM_INVALID
    none = Values(())
    assert status(begin=none, end=none, strides=none, out=Meta((3, 4))) == ACLNN_ERR_INNER_NULLPTR


def test_pieces_of_given_lengths(machine: Machine) -> None:
    """Each piece has a data type of its own."""
    outs = [np.empty((3, 1, 5), np.float32), np.empty((3, 0, 5), np.float32), np.empty((3, 3, 5), np.int32)]
    found = run(aclnnSplitWithSize, X, [1, 0, 3], -2, outs)
    for one, other in zip(found, np.split(X, [1, 1], 1), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.fidelity("negative lengths in aclnnSplitWithSize")
def test_lengths_are_not_negative() -> None:
    this = subject("aclnnSplitWithSize")
    sizes = {"self": Meta((3, 4)), "dim": 1, "out": (Meta((3, 5)), Meta((3, 0)))}
    with board():
        assert planned(this, this.changed(sizes | {"splitSize": Values((5, -1))})).status == ACLNN_ERR_PARAM_INVALID


def test_sums_of_runs() -> None:
    """A run of no slices is 0; infinity stays in its own run."""
    x = np.array([1, 2, np.inf, 4], np.float32)
    with Machine(A950):
        found = run(aclnnRepeatInterleaveGrad, x, np.array([2, 0, 1, 1]), 0, np.empty(4, np.float32))
    assert found.tolist() == [3, 0, np.inf, 4]
