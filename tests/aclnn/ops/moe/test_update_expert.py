"""MoeUpdateExpert: the figures of the document, and calls without pruning."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A3, Meta
from tests.aclnn.ops.moe.good_calls import GOOD
from tests.helpers.refusals import Mistake, answer, assert_in_order

I32 = np.int32
NULL, INVALID, TILING = ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_INNER_TILING_ERROR
FIRST = aclnnMoeUpdateExpertGetWorkspaceSize
TABLE = np.array([[2, 7, 9], [1, 5, -1]], I32)


def updated(ids: Any, mode: int, *pruning: Any, rank: int = 3, world: int = 4) -> tuple[Any, Any]:
    ids = np.array(ids, I32)
    mask = np.full(ids.shape, True)
    with Machine(soc=A3):
        places, mask = run(aclnnMoeUpdateExpert, ids, TABLE, *(*pruning, None, None, None)[:3], rank, world, mode,
                           np.empty_like(ids), mask)  # fmt: skip
    return places.tolist(), mask.tolist()


def test_a_place_by_the_rank() -> None:
    assert [updated([[0, 1]], 0, rank=rank)[0] for rank in range(4)] == [[[7, 5]], [[7, 5]], [[9, 5]], [[9, 5]]]
    assert [updated([[0]], 0, rank=rank, world=3)[0] for rank in range(3)] == [[[7]], [[7]], [[9]]], (
        "shares of 2, and 1"
    )


def test_a_place_by_the_token() -> None:
    """The ranks are not looked at: PyTorch passes -1."""
    assert updated([[0, 1], [0, 1], [1, 0]], 1, rank=-1, world=-1)[0] == [[7, 5], [9, 5], [5, 7]]


def test_the_mask_of_large_scales_of_active_tokens() -> None:
    scales = np.array([[0.25, 0.75], [0.5, 0.5], [1, 1]], np.float32)
    threshold, active = np.array([0.5, 0.5], np.float32), np.array([True, True, False])
    ids = [[0, 1]] * 3
    assert updated(ids, 0, scales, threshold, active)[1] == [[False, True], [True, True], [False, False]]
    assert updated(ids, 0, scales, threshold[None])[1] == [[False, True], [True, True], [True, True]]


@pytest.mark.fidelity("aclnnMoeUpdateExpert")
def test_an_expert_that_does_not_exist_and_a_count_of_more_places_than_columns() -> None:
    with pytest.raises(UndefinedBehaviour, match="index-range"):
        updated([[2]], 0)
    table = np.array([[100, 7, 9]], I32)
    with Machine(soc=A3):
        outs = np.empty((3, 1), I32), np.full((3, 1), True)
        places, _ = run(aclnnMoeUpdateExpert, np.zeros((3, 1), I32), table, None, None, None, 0, 4, 1, *outs)
    assert places.ravel().tolist() == [7, 9, 7]


REQUIRED = ("expertIds", "eplbTable", "balancedExpertIds", "balancedActiveMask")
MISTAKES = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in REQUIRED),
    Mistake("type", INVALID, "balancedExpertIds", balancedExpertIds=Meta((3, 2), ACL_INT64)),
    Mistake("mode", TILING, "balanceMode", balanceMode=2),
    Mistake("rank", TILING, "localRankId", localRankId=4),
    Mistake("ranks", TILING, "localRankId", localRankId=-1, worldSize=-1),
    Mistake("no places", TILING, "eplbTable", eplbTable=Meta((5, 1), ACL_INT32)),
    Mistake("threshold", TILING, "pruningThresholdOptional", pruningThresholdOptional=Meta((3,))),
]


@pytest.mark.fidelity("aclnnMoeUpdateExpert")
def test_mistakes_are_refused_in_the_order_of_the_contract() -> None:
    assert_in_order(FIRST, GOOD["aclnnMoeUpdateExpert"], MISTAKES, A3)
    without = dict.fromkeys(("expertScalesOptional", "pruningThresholdOptional", "activeMaskOptional"))
    assert answer(FIRST, GOOD["aclnnMoeUpdateExpert"], without, A3).status == ACL_SUCCESS
