"""Tokens with a routing map: figures by hand, maps that do not fit, places to skip."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.moe.good_calls import GOOD
from tests.helpers.refusals import Mistake, assert_refused

F32, I32 = np.float32, np.int32
X = np.array([[1, 10], [2, 20], [3, 30]], F32)
MAP = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0]], np.int8)
"""expert 0 gets the tokens 0 and 2, expert 1 gets 1 and 2, expert 2 gets 0 and 1"""
PROBS = np.array([[0.5, 9, 0.25], [9, 1, 2], [4, 8, 9]], F32)


def permuted(numbers: int, padded: bool = False, chosen: Any = MAP) -> list[Any]:
    outs = np.empty((numbers, 2), F32), np.empty(numbers, F32), np.empty(numbers, I32)
    with Machine():
        return [each.tolist() for each in run(aclnnMoeTokenPermuteWithRoutingMap, X, chosen, PROBS, numbers, padded,
                                              *outs)]  # fmt: skip


def test_rows_of_experts() -> None:
    rows, weights, places = permuted(6)
    assert [row[0] for row in rows] == [1, 3, 2, 3, 1, 2]
    assert weights == [0.5, 4, 1, 8, 0.25, 2]
    assert places == [0, 4, 2, 5, 1, 3]


def test_a_capacity() -> None:
    """Expert 0 has one token more than its own two; expert 1 the others after its own."""
    rows, weights, places = permuted(9, padded=True)
    assert places == [0, 2, 1, 1, 2, 0, 0, 1, 2]
    assert [row[1] for row in rows] == [10, 30, 20, 20, 30, 10, 10, 20, 30]
    assert weights == [0.5, 4, 9, 1, 8, 9, 0.25, 2, 9]
    assert permuted(3, padded=True)[2] == [0, 1, 0]


@pytest.mark.fidelity("aclnnMoeTokenPermuteWithRoutingMap and its inverse")
def test_a_map_of_fewer_choices() -> None:
    rows, weights, places = permuted(6, chosen=np.diag([1, 1, 0]).astype(np.int8))
    assert (rows, places) == ([[1, 10], [1, 10], *[[0, 0]] * 4], [0, 1, -1, -1, -1, -1])
    assert weights == [0.5, 1, 0, 0, 0, 0]


def restored(rows: Any, places: Any, padded: bool = False) -> list[Any]:
    count = len(places)
    outs = np.empty((3, 2), F32), np.empty(count, I32), np.empty(count, I32), np.empty(count, F32)
    with Machine():
        results = run(aclnnMoeTokenUnpermuteWithRoutingMap, np.array(rows, F32), np.array(places, I32), MAP, PROBS,
                      padded, None, *outs)  # fmt: skip
    return [each.tolist() for each in results]


@pytest.mark.fidelity("aclnnMoeTokenPermuteWithRoutingMap and its inverse")
def test_the_way_back() -> None:
    """Each token times the sum of its factors."""
    rows, _, places = permuted(6)
    out, lines, ids, factors = restored(rows, places)
    assert out == [[0.75, 7.5], [6, 60], [36, 360]]
    assert (lines, ids, factors) == (places, [0, 0, 1, 1, 2, 2], [0.5, 0.25, 1, 2, 4, 8])


def test_the_way_back_with_a_capacity() -> None:
    rows, _, places = permuted(3, padded=True)
    out, lines, ids, factors = restored(rows, places, padded=True)
    assert (lines, ids, factors) == ([0, 2, 1], [0, 0, 1], [0.5, 0.25, 1])
    assert out == [[0.75, 7.5], [2, 20], [0, 0]]


def test_no_places() -> None:
    """A table without rows gives zeros."""
    assert restored(np.empty((0, 2), F32), [])[0] == [[0, 0]] * 3


def test_a_skipped_place() -> None:
    rows, _, places = permuted(6)
    assert restored(rows, [-1, *places[1:]])[0] == [[0.25, 2.5], [6, 60], [36, 360]]


def test_the_gradient_of_the_way_back() -> None:
    grad = np.array([[1, 0], [0, 1], [1, 1]], F32)
    lines, ids = np.array([0, 4, 2, 5, 1, 3], I32), np.array([0, 0, 1, 1, 2, 2], I32)
    rows = np.array([[1, 10], [3, 30], [2, 20], [3, 30], [1, 10], [2, 20]], F32)
    with Machine():
        out, slopes = run(aclnnMoeTokenUnpermuteWithRoutingMapGrad, grad, lines, ids, MAP, rows, PROBS, False, None,
                          np.empty((6, 2), F32), np.empty((3, 3), F32))  # fmt: skip
    assert out.tolist() == [[0.5, 0], [4, 4], [0, 1], [8, 8], [0.25, 0], [0, 2]]
    assert slopes.tolist() == [[1, 0, 1], [0, 20, 20], [33, 33, 0]]


FEW = Meta((8,), ACL_INT32)
MISTAKES = {
    "PermuteWithRoutingMapGrad": Mistake(
        "uneven", ACLNN_ERR_PARAM_INVALID, "sortedIndices", sortedIndices=FEW, permutedTokenOutputGrad=Meta((8, 4)),
        permutedProbsOutputGradOptional=Meta((8,))),
    "UnpermuteWithRoutingMap": Mistake(
        "many", ACLNN_ERR_INNER_NULLPTR, "sortedIndices", permuteProbs=None, probsOptional=None,
        **dict.fromkeys(("sortedIndices", "outIndex", "permuteTokenId"), Meta((3 * 513,), ACL_INT32))),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_numbers_of_places(name: str) -> None:
    first = {"PermuteWithRoutingMapGrad": aclnnMoeTokenPermuteWithRoutingMapGradGetWorkspaceSize,
             "UnpermuteWithRoutingMap": aclnnMoeTokenUnpermuteWithRoutingMapGetWorkspaceSize}[name]  # fmt: skip
    assert_refused(first, GOOD[f"aclnnMoeToken{name}"], MISTAKES[name])
