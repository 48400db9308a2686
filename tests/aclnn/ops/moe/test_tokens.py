"""Tokens of experts, and gating by a table: figures by hand, and what the search does not reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A950, Meta
from tests.aclnn.ops.moe.good_calls import GOOD
from tests.helpers.refusals import Mistake, answer, assert_in_order, assert_refused

F32, I32 = np.float32, np.int32
NULL, INVALID, TILING = ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_INNER_TILING_ERROR
KERNEL = ACLNN_ERR_INNER_NULLPTR


def test_tokens_up_to_each_expert() -> None:
    with Machine():
        found = run(aclnnMoeComputeExpertTokens, np.array([0, 0, 1, 3], I32), 4, np.empty(4, I32))
    assert found.tolist() == [2, 3, 3, 4]


def test_tokens_of_two_ranks() -> None:
    tokens, counts = np.arange(12, dtype=np.int8).reshape(6, 2), np.array([[2, 1], [1, 2]], I32)
    outs = np.empty_like(tokens), np.empty(6, F32), np.empty(6, I32), np.empty(2, I32)
    with Machine():
        rows, scales, places, sums = run(
            aclnnMoeReRouting, tokens, counts, np.arange(6, dtype=F32), 1, 0, *outs
        )  # fmt: skip
    assert places.tolist() == scales.tolist() == [0, 1, 3, 2, 4, 5]
    assert rows[:, 0].tolist() == [0, 2, 6, 4, 8, 10]
    assert sums.tolist() == [3, 3]


ROUTING = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("tokens", "expertTokenNumPerRank")),
    Mistake("type", INVALID, "tokens", tokens=Meta((6, 8))),
    Mistake("type of counts", INVALID, "expertTokenNumOut", expertTokenNumOut=Meta((3,), ACL_INT64)),
    Mistake("kind of counts", TILING, "expertTokenNumType", expertTokenNumType=0),
    Mistake("kind of places", TILING, "idxType", idxType=1),
    Mistake("scales", TILING, "perTokenScales", perTokenScales=Meta((5,))),
    Mistake("experts", TILING, "expertTokenNumOut", expertTokenNumOut=Meta((2,), ACL_INT32)),
]


def test_tokens_that_are_sorted_by_expert() -> None:
    first, good = aclnnMoeReRoutingGetWorkspaceSize, GOOD["aclnnMoeReRouting"]
    assert_in_order(first, good, ROUTING)
    without = {"perTokenScales": None, "permutePerTokenScalesOut": None}
    assert answer(first, good, without).status == ACL_SUCCESS
    assert answer(first, good, {"idxType": 1}, A950).status == ACL_SUCCESS


@pytest.mark.fidelity("aclnnMoeReRouting, aclnnRingAttentionUpdate: tokens that the counts or the ends leave out")
def test_counts_of_fewer_tokens() -> None:
    tokens, counts = np.arange(4, dtype=np.int8).reshape(4, 1), np.array([[0, 1], [1, -3]], I32)
    outs = np.empty_like(tokens), None, np.empty(4, I32), np.empty(2, I32)
    with Machine():
        rows, _, places, _ = run(aclnnMoeReRouting, tokens, counts, None, 1, 0, *outs)
    assert places.tolist() == rows[:, 0].tolist() == [1, 0, 0, 0]


def test_too_many_tokens() -> None:
    mistake = Mistake("", TILING, "sortedExperts", sortedExperts=Meta(((1 << 24) + 1,), ACL_INT32))
    assert_refused(aclnnMoeComputeExpertTokensGetWorkspaceSize, GOOD["aclnnMoeComputeExpertTokens"], mistake)


GATE = aclnnMoeGatingTopKV2GetWorkspaceSize
BY_TABLE = {**GOOD["aclnnMoeGatingTopKV2"], "inputIdsOptional": Meta((3,), ACL_INT64),
            "tid2eidOptional": Meta((4, 3), ACL_INT32), "kGroup": 4, "groupSelectMode": 0}  # fmt: skip


def test_experts_of_a_table() -> None:
    x, table = np.array([[0.1, 2, -1, 0.5]], F32), np.array([[0, 0], [3, 1]], I32)
    outs: Any = np.empty((1, 2), F32), np.empty((1, 2), I32), np.empty((1, 4), F32)
    with Machine():
        y, experts, _ = run(aclnnMoeGatingTopKV2, x, None, np.array([1]), table, 2, 1, 1, 0, 0, 1, True, 2.5, 1e-20,
                            *outs)  # fmt: skip
    assert experts.tolist() == [[3, 1]]
    assert y[0] == pytest.approx([1.035185, 1.464815], rel=1e-6)


@pytest.mark.parametrize("mistake", [
    Mistake("rank", KERNEL, "tid2eidOptional", tid2eidOptional=Meta((12,), ACL_INT32)),
    Mistake("columns", KERNEL, "tid2eidOptional", tid2eidOptional=Meta((4, 2), ACL_INT32)),
    Mistake("ids", KERNEL, "inputIdsOptional", inputIdsOptional=Meta((4,), ACL_INT64)),
    Mistake("groups", KERNEL, "kGroup", kGroup=3),
    Mistake("k", KERNEL, "k", x=Meta((3, 256)), biasOptional=None, tid2eidOptional=Meta((4, 65), ACL_INT32), k=65,
            yOut=Meta((3, 65)), expertIdxOut=Meta((3, 65), ACL_INT32), outOut=Meta((3, 256))),
], ids=str)  # fmt: skip
def test_the_kernel_refuses_a_table(mistake: Mistake) -> None:
    assert_refused(GATE, BY_TABLE, mistake)


def test_one_table_alone_is_not_read() -> None:
    assert answer(GATE, BY_TABLE, {"inputIdsOptional": None, "tid2eidOptional": Meta((9, 9), ACL_INT32)}).status == 0
