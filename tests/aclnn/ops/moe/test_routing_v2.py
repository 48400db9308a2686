"""Gating with groups, and the second versions of routing: figures by hand, and what the search does not reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, INFERENCE, Meta
from tests.aclnn.ops.moe.good_calls import GOOD
from tests.derived.values import Values
from tests.helpers.refusals import Mistake, answer, assert_refused

F32, I32 = np.float32, np.int32
TILING = ACLNN_ERR_INNER_TILING_ERROR


@pytest.mark.fidelity("equal experts, and counts of experts with a capacity")
def test_equal_groups_and_experts_take_the_first() -> None:
    x, out = np.zeros((1, 8), F32), (np.empty((1, 3), F32), np.empty((1, 3), I32), np.empty((1, 8), F32))
    with Machine():
        y, expert, s = run(aclnnMoeGatingTopK, x, None, 3, 2, 4, 1, 0, 1, True, 2.0, 0.0, *out)
    assert expert.tolist() == [[0, 1, 2]], "of the groups 0 and 1"
    assert np.allclose(y, 2 / 3)
    assert np.allclose(s, 0.5)


def test_the_best_expert_of_a_group_that_is_dropped() -> None:
    """Two groups of two. The sum of two prefers the second group, the largest one the first."""
    x = np.array([[4, -9, 3, 3]], F32)
    for mode, wanted in ((0, [0]), (1, [2])):
        with Machine():
            _, expert, _ = run(aclnnMoeGatingTopK, x, None, 1, 1, 2, mode, 0, 1, False, 1.0, 0.0,
                               np.empty((1, 1), F32), np.empty((1, 1), I32), np.empty((1, 4), F32))  # fmt: skip
        assert expert.ravel().tolist() == wanted


@pytest.mark.fidelity("equal experts, and counts of experts with a capacity")
def test_a_capacity_drops_tokens() -> None:
    x, experts = np.arange(1, 5, dtype=F32).reshape(4, 1), np.array([[2], [0], [2], [2]], I32)
    count = np.empty(3, I32)
    with Machine():
        rows, places, totals, before = run(aclnnMoeInitRoutingV2, x, experts, 0, 2, 3, 1, 1, True,
                                           np.empty((3, 2, 1), F32), np.empty(4, I32), count, count.copy())  # fmt: skip
    assert rows[..., 0].tolist() == [[2, 0], [0, 0], [1, 3]]
    assert places.tolist() == [4, 0, 5, -1]
    assert (totals.tolist(), before.tolist()) == ([1, 1, 4], [1, 0, 3])


def test_an_expert_that_does_not_exist_is_found() -> None:
    x, experts = np.ones((1, 1), F32), np.array([[3]], I32)
    with Machine(), pytest.raises(UndefinedBehaviour, match="index-range"):
        run(aclnnMoeInitRoutingV2, x, experts, 0, 0, 3, 0, 2, False, x.copy(), np.empty(1, I32), np.empty(3, I32), None)


def test_a_place_of_minus_one_leaves_out_its_term() -> None:
    x, places = np.array([[1], [2]], F32), np.array([0, -1, 1, 0], I32)
    bias, scales, expert = np.array([[10]], F32), np.ones((2, 2), F32), np.zeros((2, 2), I32)
    call: tuple[Any, ...] = (aclnnMoeFinalizeRoutingV2, x, places, None, None, bias, scales, expert)
    with Machine():
        assert run(*call, 3, x.copy()).ravel().tolist() == [11, 23]
        assert run(*call, 1, x.copy()).ravel().tolist() == [23, 11]
    with Machine(), pytest.raises(UndefinedBehaviour, match="index-range"):
        run(*call, 2, x.copy())


FINALIZE = GOOD["aclnnMoeFinalizeRoutingV2"]
BARE = {"x1Optional": None, "x2Optional": None, "biasOptional": None}


@pytest.mark.parametrize("mistake", [
    Mistake("x2 needs x1", TILING, "x2Optional", x1Optional=None),
    Mistake("bias needs experts", TILING, "biasOptional", expertIdxOptional=None),
], ids=str)  # fmt: skip
def test_a_missing_partner(mistake: Mistake) -> None:
    assert_refused(aclnnMoeFinalizeRoutingV2GetWorkspaceSize, FINALIZE, mistake)


def test_310p_has_one_mode_without_sums() -> None:
    first = aclnnMoeFinalizeRoutingV2GetWorkspaceSize
    assert answer(first, FINALIZE, {**BARE, "dropPadMode": 2}, INFERENCE).status == ACL_SUCCESS
    assert_refused(first, FINALIZE | BARE, Mistake("mode", TILING, "dropPadMode", dropPadMode=0), INFERENCE)
    for name in BARE:
        given = {**FINALIZE, **BARE, "x1Optional": FINALIZE["x1Optional"] if name == "x2Optional" else None}
        found = answer(first, given, {name: FINALIZE[name], "dropPadMode": 2}, INFERENCE)
        assert found.status == TILING


KERNEL = ACLNN_ERR_INNER_NULLPTR
LATER = GOOD["aclnnMoeFinalizeRoutingV4"]


@pytest.mark.parametrize(("mode", "wanted"), [(2, [[4, 40], [6, 60]]), (0, [[5, 50], [5, 50]])])
def test_k_without_scales(mode: int, wanted: list[list[int]]) -> None:
    """As torch_npu calls it: all that only Ascend 950 looks at is null."""
    rows, places = np.array([[1, 10], [2, 20], [3, 30], [4, 40]], F32), np.array([2, 0, 1, 3], I32)
    with Machine():
        found = run(
            aclnnMoeFinalizeRoutingV4, rows, places, *[None] * 9, mode, None, None, None, 2, np.empty((2, 2), F32)
        )
    assert found.tolist() == wanted


@pytest.mark.parametrize("mistake", [
    Mistake("another k", KERNEL, "k", k=3), Mistake("no such mode", KERNEL, "dropPadMode", dropPadMode=4),
    Mistake("another type", KERNEL, "x1Optional", x1Optional=Meta((3, 4), ACL_FLOAT16)),
], ids=str)  # fmt: skip
def test_the_kernel_refuses(mistake: Mistake) -> None:
    """561103, and not the statuses of the second version (public)."""
    assert_refused(aclnnMoeFinalizeRoutingV4GetWorkspaceSize, LATER, mistake)


ROWS = np.array([[1, 10], [2, 20], [3, 30], [4, 40]], F32)
TOKENS = np.array([[5, 50], [6, 60]], F32)


@pytest.mark.fidelity("experts of a range of aclnnMoeFinalizeRoutingV3 and V4")
@pytest.mark.parametrize(("chip", "wanted"), [
    (A2, [[1 + 10 + 2 * 2 + 2 * 20, 10 + 10 + 2 * 20 + 2 * 20], [3 + 30 + 2 * 4 + 2 * 40, 30 + 30 + 2 * 40 + 2 * 40]]),
    (A950, [[1 + 10 + 0, 10 + 10 + 0], [6 + 2 * (0.5 * 6 + 3 * 7), 60 + 2 * (0.5 * 60 + 3 * 70)]]),
])  # fmt: skip
def test_experts_of_ranges(chip: str, wanted: list[list[float]]) -> None:
    """Row 0 has the experts 0, with a bias, and 2, which counts for nothing; row 1 has 4, a copy, and 6, the second
    constant. On A2 they are experts as others."""
    experts = np.array([[0, 2], [4, 6]], I32)
    bias = np.repeat(np.array([[10], [20], [20], [20], [30], [30], [40]], F32), 2, 1)
    scales, factors = np.array([[1, 2], [1, 2]], F32), [np.full((2, 2), each, F32) for each in (0.5, 3)]
    v = np.array([[0, 0], [7, 70]], F32)
    places = np.arange(4, dtype=I32)
    with Machine(chip):
        out = run(aclnnMoeFinalizeRoutingV4, ROWS, places, None, None, bias, scales, experts, TOKENS, *factors, v, 2,
                  [2, 4], [4, 5], [5, 7], 2, np.empty((2, 2), F32))  # fmt: skip
    assert out.tolist() == wanted


def test_the_place_of_an_expert_of_a_range_is_not_read() -> None:
    places, experts = np.array([0, 99, 1, 99], I32), np.array([[0, 2], [1, 2]], I32)
    for dropped in (0, 2):
        at = places if dropped == 2 else places.reshape(2, 2).T.ravel()
        with Machine(A950):
            out = run(aclnnMoeFinalizeRoutingV3, ROWS, at, None, None, None, np.ones((2, 2), F32), experts, *[None] * 4,
                      dropped, [2, 3], None, None, np.empty((2, 2), F32))  # fmt: skip
        assert out.tolist() == ROWS[:2].tolist()


RANGE = {"constantExpertRange": Values((1, 3))}
CONSTANTS = {"xOptional": Meta((3, 4)), **dict.fromkeys(("a1Optional", "a2Optional", "vOptional"), Meta((2, 4)))}


@pytest.mark.parametrize("mistake", [
    Mistake("not in order", KERNEL, "zeroExpertRange", zeroExpertRange=Values((3, 3))),
    Mistake("one end", KERNEL, "zeroExpertRange", zeroExpertRange=Values((3,))),
    Mistake("shared experts", KERNEL, "zeroExpertRange", zeroExpertRange=Values((1, 3)),
            copyExpertRange=Values((2, 4))),
    Mistake("no token", KERNEL, "expandedX", copyExpertRange=Values((1, 3))),
    *(Mistake(f"no {name}", KERNEL, "expandedX", **{**RANGE, **CONSTANTS, name: None}) for name in CONSTANTS),
    *(Mistake(f"shape of {name}", KERNEL, name, **{**RANGE, **CONSTANTS, name: Meta((3, 3))}) for name in CONSTANTS),
    *(Mistake(f"type of {name}", KERNEL, name, **{**RANGE, **CONSTANTS, name: Meta(CONSTANTS[name].shape, ACL_FLOAT16)})
      for name in CONSTANTS),
    Mistake("no experts", KERNEL, "expandedX", zeroExpertRange=Values((1, 3)), expertIdxOptional=None,
            biasOptional=None),
], ids=str)  # fmt: skip
def test_ranges_of_experts_that_950_refuses(mistake: Mistake) -> None:
    assert_refused(aclnnMoeFinalizeRoutingV4GetWorkspaceSize, LATER, mistake, A950)
    assert answer(aclnnMoeFinalizeRoutingV4GetWorkspaceSize, LATER, mistake.changes, A2).status == ACL_SUCCESS


def test_more_experts_than_the_product_has() -> None:
    changes = {"x": Meta((3, 2050)), "biasOptional": None, "outOut": Meta((3, 2050)), "groupCount": 1, "kGroup": 1}
    mistake = Mistake("", ACLNN_ERR_INNER_NULLPTR, "x", **changes)
    assert_refused(aclnnMoeGatingTopKGetWorkspaceSize, GOOD["aclnnMoeGatingTopK"], mistake)


def test_weights_need_the_rows() -> None:
    mistake = Mistake("", TILING, "probsOptional", permuteTokensOptional=None)
    assert_refused(aclnnMoeTokenUnpermuteGradGetWorkspaceSize, GOOD["aclnnMoeTokenUnpermuteGrad"], mistake)
