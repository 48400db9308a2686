"""MoeInitRoutingQuant and V2: figures by hand, and what the search does not reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.moe.good_calls import GOOD
from tests.helpers.refusals import Mistake, answer, assert_refused

F32, I8, I32 = np.float32, np.int8, np.int32
TILING = ACLNN_ERR_INNER_TILING_ERROR
X, EXPERTS = np.array([[1, 2], [3, 4], [5, 6]], F32), np.array([[2, 0], [1, 2], [0, 3]], I32)
"""the tokens of the experts 0 to 3 are 0 and 2, 1, 0 and 1, 2"""


def routed(
    scale: Any = None, offset: Any = None, active: int = 0, capacity: int = 0, mode: int = 1, x: Any = X,
    experts: Any = EXPERTS, number: int = 4,
) -> list[Any]:  # fmt: skip
    """The outputs of a call."""
    shape: Any = (number, capacity, x.shape[1]) if capacity else (active or experts.size, x.shape[1])
    counted, rows = np.empty(number, I32), number * capacity or shape[0]
    with Machine():
        found = run(aclnnMoeInitRoutingQuantV2, x, experts, scale, offset, active, capacity, number, int(capacity > 0),
                    1 if number else 0, bool(capacity), mode, np.empty(shape, I8), np.empty(experts.size, I32),
                    counted, counted.copy(), np.empty(rows, F32))  # fmt: skip
    return [each.tolist() for each in found]


@pytest.mark.fidelity("aclnnMoeInitRoutingQuant and V2: the quantised rows")
def test_rows_with_a_scale_of_their_own() -> None:
    rows, places, totals, _, scales = routed(np.array([[1, 1], [1, 1], [2, 0.25], [1, 1]], F32))
    assert rows == [[64, 127], [106, 127], [95, 127], [127, 32], [127, 21], [106, 127]]
    assert places == [3, 0, 2, 4, 1, 5]
    assert totals == [2, 3, 5, 6]
    assert np.allclose(scales, np.array([2, 6, 4, 2, 6, 6]) / 127)


@pytest.mark.fidelity("aclnnMoeInitRoutingQuant and V2: the quantised rows")
def test_one_scale_and_one_offset() -> None:
    scale, offset = np.array([0.5], F32), np.array([100], F32)
    wanted = [[100, 101], [102, 103], [102, 102], [100, 101], [102, 102], [102, 103]]
    rows, places, *_ = routed(scale, offset, mode=0)
    assert rows == wanted, "halves to even"
    places_of_rows = np.arange(6, dtype=I32).reshape(2, 3).T.copy()
    with Machine():
        first, row, expert = run(aclnnMoeInitRoutingQuant, X, places_of_rows, EXPERTS, 3, 0.5, 100.0,
                                 np.empty((6, 2), I8), np.empty(6, I32), np.empty(6, I32))  # fmt: skip
    assert first.tolist() == wanted
    assert row[places_of_rows.ravel()].tolist() == places
    assert expert.tolist() == [0, 0, 1, 2, 2, 3]


def test_numbers_out_of_range_are_saturated() -> None:
    assert routed(np.array([100], F32), np.array([-301], F32), mode=0)[0][:2] == [[-128, -101], [127, 127]]


def test_active_rows() -> None:
    """Rows and scales are cut, places and counts are not."""
    rows, places, totals, _, scales = routed(active=2)
    assert (rows, len(scales)) == ([[64, 127], [106, 127]], 2)
    assert (places, totals) == ([3, 0, 2, 4, 1, 5], [2, 3, 5, 6])


@pytest.mark.fidelity("aclnnMoeInitRoutingQuant and V2: the quantised rows")
def test_a_capacity() -> None:
    """The second token of an expert is dropped; rows without a token are 0, and so are their scales."""
    rows, places, totals, before, scales = routed(capacity=1, number=5)
    assert rows == [[[64, 127]], [[95, 127]], [[64, 127]], [[106, 127]], [[0, 0]]]
    assert places == [2, 0, 1, -1, -1, 3]
    assert (totals, before) == ([2, 3, 5, 6, 6], [2, 1, 2, 1, 0])
    assert scales[4] == 0


@pytest.mark.fidelity("aclnnMoeInitRoutingQuant and V2: the quantised rows")
def test_a_row_of_zeros() -> None:
    rows, _, _, _, scales = routed(x=np.zeros((3, 2), F32))
    assert rows == [[0, 0]] * 6
    assert scales == [0] * 6


def test_without_a_number_of_experts() -> None:
    """Any numbers are sorted; one row of factors is for all experts."""
    experts = np.array([[7], [-3], [7]], I32)
    rows, places, *_ = routed(np.array([[1, 0.5]], F32), experts=experts, number=0)
    assert rows == [[127, 85], [127, 127], [127, 76]]
    assert places == [1, 0, 2]


def test_an_expert_that_does_not_exist_is_found() -> None:
    with pytest.raises(UndefinedBehaviour, match="index-range"):
        routed(experts=np.array([[4], [0], [0]], I32))


def test_no_tokens() -> None:
    rows, places, totals, _, scales = routed(x=np.zeros((0, 2), F32), experts=np.zeros((0, 1), I32))
    assert (rows, places, totals, scales) == ([], [], [0] * 4, [])


STATIC = {"quantMode": 0, "scaleOptional": Meta((1,)), "offsetOptional": Meta((1,))}


@pytest.mark.parametrize("mistake", [
    Mistake("static, no offset", TILING, "quantMode", **STATIC | {"offsetOptional": None}),
    Mistake("static, no scale", TILING, "quantMode", **STATIC | {"scaleOptional": None}),
    Mistake("static, a scale for each expert", TILING, "scaleOptional", **STATIC | {"scaleOptional": Meta((5, 4))}),
    Mistake("static, two offsets", TILING, "offsetOptional", **STATIC | {"offsetOptional": Meta((2,))}),
    Mistake("dynamic, one number", TILING, "scaleOptional", scaleOptional=Meta((1,))),
], ids=str)  # fmt: skip
def test_refused(mistake: Mistake) -> None:
    assert_refused(aclnnMoeInitRoutingQuantV2GetWorkspaceSize, GOOD["aclnnMoeInitRoutingQuantV2"], mistake)


def test_scales_that_are_not_wanted_may_be_null() -> None:
    first, good = aclnnMoeInitRoutingQuantV2GetWorkspaceSize, GOOD["aclnnMoeInitRoutingQuantV2"]
    assert answer(first, good, STATIC | {"dynamicQuantScaleOutOptional": None}).status == ACL_SUCCESS
