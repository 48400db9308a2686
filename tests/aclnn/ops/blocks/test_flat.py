"""FlatQuant: figures by hand, floats of 4 bits, and what the search does not reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.blocks.blocks import Narrow, launched
from tests.aclnn.ops.blocks.good_calls import GOOD
from tests.aclnn.ops.case import A2, A950, Meta
from tests.helpers.refusals import Mistake, answer, assert_in_order, assert_refused

F32, H = np.float32, np.float16
E2M1, E8 = ACL_FLOAT4_E2M1, ACL_FLOAT8_E8M0
INVALID = ACLNN_ERR_PARAM_INVALID
X, LEFT = np.zeros((1, 2, 8), H), np.array([[1, 1], [1, -1]], H)
X[0, :, :2] = [[1, 2], [3, 4]]
RIGHT = np.diag([1, 2, 1, 1, 1, 1, 1, 1]).astype(H)
FIRST, CALL = aclnnFlatQuantV3GetWorkspaceSize, GOOD["aclnnFlatQuantV3"]


def numbers(words: Any) -> list[list[int]]:
    """The first two INT4 of each word."""
    return [[int((each >> shift & 15 ^ 8) - 8) for shift in (0, 4)] for each in words.ravel().astype(np.int64)]


@pytest.mark.parametrize(("ratio", "scale", "rows"), [
    (1.0, 1.7142857, [[2, 7], [-1, -2]]), (0.5, 0.8571429, [[5, 7], [-2, -5]]),
])  # fmt: skip
def test_figures(ratio: float, scale: float, rows: list[list[int]]) -> None:
    """The products are 4 12 and -2 -4; with half the ratio, 14 saturates to 7."""
    outs: Any = np.empty((1, 2, 1), np.int32), np.empty(1, F32)
    with Machine(A2):
        for y, scales in (run(aclnnFlatQuant, X, LEFT, RIGHT, ratio, *outs),
                          run(aclnnFlatQuantV2, X, LEFT, RIGHT, ratio, 0.0, *outs)):  # fmt: skip
            assert numbers(y) == rows
            assert scales.tolist() == [pytest.approx(scale)]


def test_a_matrix_of_zeros() -> None:
    with Machine(A2):
        y, scale = run(aclnnFlatQuant, X * 0, LEFT, RIGHT, 1.0, np.empty((1, 2, 1), np.int32), np.empty(1, F32))
    assert not y.any()
    assert scale.tolist() == [0]


@pytest.mark.fidelity("aclnnFlatQuantV3: matrices behind the last group")
@pytest.mark.parametrize(("kind", "groups"), [(0, [1, 2]), (1, [1, 1]), (2, [[0, 1], [1, 1]])])
def test_matrices_behind_the_last_group(kind: int, groups: Any) -> None:
    x = np.repeat(X, 3, axis=0)
    y, scale = launched("aclnnFlatQuantV3", x, LEFT, RIGHT, np.array(groups), 1.0, 0.0, kind,
                        Narrow.out((3, 2, 1), ACL_INT32, 3), Narrow.out((3,), ACL_FLOAT, 5), soc=A2)  # fmt: skip
    assert numbers(y)[2:] == [[2, 7], [-1, -2], [3, 0], [3, 0]]
    assert scale.tolist() == [pytest.approx(12 / 7), pytest.approx(12 / 7), 5]


@pytest.mark.parametrize(("right", "most", "scale", "rows"), [
    (RIGHT, 0.0, 2, [[2, 6], [-1, -2]]), (RIGHT, 6.0, 2, [[2, 6], [-1, -2]]), (None, 0.0, 1, [[4, 6], [-2, -2]]),
])  # fmt: skip
def test_floats_of_4_bits(right: Any, most: float, scale: float, rows: list[list[float]]) -> None:
    """Without a right factor the products are 4 6 and -2 -2."""
    factor = Narrow(np.empty((0, 0)), ACL_FLOAT16) if right is None else right
    y, scales = launched("aclnnFlatQuantV2", X, LEFT, factor, 1.0, most, Narrow.out((1, 16), E2M1),
                         Narrow.out((1, 1, 2), E8))[-2:]  # fmt: skip
    assert y.reshape(2, 8)[:, :2].tolist() == rows
    assert scales.tolist() == [[[scale, 2.0**-127]]]


def test_the_order_of_checks() -> None:
    assert_in_order(FIRST, CALL, [
        Mistake("null", ACLNN_ERR_PARAM_NULLPTR, "kroneckerP1", kroneckerP1=None),
        Mistake("type", INVALID, "out", out=Meta((3, 4, 1))),
        Mistake("other type", INVALID, "kroneckerP2", kroneckerP2=Meta((8, 8), ACL_BF16)),
        Mistake("square", INVALID, "kroneckerP1", kroneckerP1=Meta((4, 5), ACL_FLOAT16)),
        Mistake("groups", INVALID, "groupListType", groupListType=3),
        Mistake("ratio", INVALID, "clipRatio", clipRatio=0.0), Mistake("most", INVALID, "dstTypeMax", dstTypeMax=5.0),
    ], A2)  # fmt: skip


@pytest.mark.parametrize("mistake", [
    Mistake("eights", INVALID, "x", x=Meta((3, 4, 6), ACL_FLOAT16), kroneckerP2=Meta((6, 6), ACL_FLOAT16)),
    Mistake("long", INVALID, "x", x=Meta((3, 257, 8), ACL_FLOAT16), kroneckerP1=Meta((257, 257), ACL_FLOAT16)),
    Mistake("scale", INVALID, "quantScale", quantScale=Meta((3, 1, 2), E8)),
    Mistake("many groups", INVALID, "groupListOptional", groupListOptional=Meta((1025,), ACL_INT64)),
], ids=str)  # fmt: skip
def test_refusals(mistake: Mistake) -> None:
    assert_refused(FIRST, CALL, mistake, A950 if "scale" in str(mistake) else A2)


def test_groups_on_950() -> None:
    assert_refused(FIRST, CALL, Mistake("", INVALID, "groupListOptional", clipRatio=1.0), A950)
    assert answer(FIRST, CALL, {"groupListOptional": None}, A950).status == ACL_SUCCESS


def test_forms_of_results() -> None:
    blocks = {"out": Meta((3, 32), E2M1), "quantScale": Meta((3, 1, 2), E8)}
    versions = (aclnnFlatQuantGetWorkspaceSize, aclnnFlatQuantV2GetWorkspaceSize, FIRST)
    for name, first in zip(("aclnnFlatQuant", "aclnnFlatQuantV2", "aclnnFlatQuantV3"), versions, strict=True):
        good = {**GOOD[name], **({"groupListOptional": None} if name.endswith("3") else {})}
        assert answer(first, good, {"out": Meta((3, 4, 8), ACL_INT4)}, A2).status == ACL_SUCCESS
        assert answer(first, good, blocks, A950).status == ACL_SUCCESS
        assert answer(first, good, blocks, A2).status == INVALID
