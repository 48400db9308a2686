"""MoeInitRoutingV3: figures by hand, and what the search does not reach."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import device_tensor, run
from tests.aclnn.ops.case import A2, A950, Meta
from tests.aclnn.ops.moe.good_calls import GOOD
from tests.derived.values import Values
from tests.helpers.refusals import Mistake, answer, assert_refused

F32, I32, I64 = np.float32, np.int32, np.int64
X, EXPERTS = np.array([[1, 2], [3, 4], [5, 6]], F32), np.array([[2, 0], [1, 2], [0, 3]], I32)
"""the active experts are 1 and 2: their tokens are 1, 0, 1"""
FIRST, CALL = aclnnMoeInitRoutingV3GetWorkspaceSize, GOOD["aclnnMoeInitRoutingV3"]
KERNEL = ACLNN_ERR_INNER_NULLPTR


def routed(
    scale: Any = None, offset: Any = None, active: int = -1, capacity: int = 0, kind: int = 1, mode: int = -1,
    range_: Any = (1, 3), scatter: int = 0,
) -> list[Any]:  # fmt: skip
    """The outputs of a call."""
    shape: Any = (4, capacity, 2) if capacity else (6 if active < 1 else active, 2)
    counted = (4, 2) if kind == 2 else (range_[1] - range_[0] if range_ else 4,)
    outputs = (np.empty(shape, F32 if mode < 0 else np.int8), np.empty(6, I32), np.empty(counted, I64),
               np.empty(4 * capacity or shape[0], F32))  # fmt: skip
    with Machine():
        found = run(aclnnMoeInitRoutingV3, X, EXPERTS, scale, offset, active, capacity, 4, int(capacity > 0), kind,
                    True, mode, list(range_), scatter, *outputs)  # fmt: skip
    return [each.tolist() for each in found]


@pytest.mark.parametrize(("kind", "wanted"), [
    (0, [1, 3]), (1, [1, 2]), (2, [[1, 1], [2, 2], [0, 0], [0, 0]]),
])  # fmt: skip
def test_counts_of_a_range(kind: int, wanted: Any) -> None:
    rows, places, counts, _ = routed(kind=kind)
    assert rows[:3] == [[3, 4], [1, 2], [3, 4]]
    assert places == [1, -1, 0, 2, -1, -1]
    assert counts == wanted


def test_places_by_their_order() -> None:
    assert routed(scatter=1)[1][:3] == [2, 0, 3]


def test_rows_behind_the_last_active_expert_stay(machine: Machine) -> None:
    assert aclrtSetDevice(0) == ACL_SUCCESS
    before: Any = (np.full((6, 2), 9, F32), np.full(6, 9, I32), np.full(2, 9, I64), np.full(6, 9, F32))
    with ExitStack() as stack:
        outputs = [stack.enter_context(device_tensor(each)) for each in before]
        scale = np.array([0.5, 0.25, 8], F32)
        run(aclnnMoeInitRoutingV3, X, EXPERTS, scale, None, -1, 0, 4, 0, 1, False, -1, [1, 3], 1, *outputs)
        rows, places, counts, scales = [each.numpy().tolist() for each in outputs]
    assert rows == [[3, 4], [1, 2], [3, 4], *[[9, 9]] * 3]
    assert places == [2, 0, 3, 9, 9, 9]
    assert counts == [9, 9], "without the flag"
    assert scales == [0.25, 0.5, 0.25, 9, 9, 9]
    assert aclrtResetDevice(0) == ACL_SUCCESS


def test_active_rows() -> None:
    """Rows are cut, places are not."""
    rows, places, *_ = routed(active=2)
    assert (rows, places) == ([[3, 4], [1, 2]], [1, -1, 0, 2, -1, -1])


def test_rows_with_a_scale_of_their_own() -> None:
    rows, _, _, scales = routed(np.array([[1, 1], [2, 0.25]], F32), mode=1)
    assert rows[:3] == [[95, 127], [127, 32], [127, 21]]
    assert np.allclose(scales[:3], [0.0314961, 0.0157480, 0.0472441], rtol=1e-5)


def test_one_scale_and_one_offset() -> None:
    rows, *_ = routed(np.array([0.5], F32), np.array([100], F32), mode=0)
    assert rows[:3] == [[102, 102], [100, 101], [102, 102]], "halves to even"


@pytest.mark.fidelity("aclnnMoeInitRoutingV3: rows of zeros, rows without a token")
def test_a_capacity() -> None:
    """The second token of an expert is dropped."""
    rows, places, counts, scales = routed(np.array([0.5, 0.25, 8], F32), capacity=1, range_=())
    assert rows == [[[1, 2]], [[3, 4]], [[1, 2]], [[5, 6]]]
    assert places == [2, 0, 1, -1, -1, 3]
    assert counts == [2, 1, 2, 1]
    assert scales == [0.5, 0.25, 0.5, 8]
    rows, places, _, scales = routed(capacity=2, range_=(), mode=1)
    assert (rows[1], rows[3]) == ([[95, 127], [0, 0]], [[106, 127], [0, 0]])
    assert scales[3] == scales[7] == 0


@pytest.mark.fidelity("aclnnMoeInitRoutingV3: rows of zeros, rows without a token")
def test_a_row_of_zeros() -> None:
    x, out = np.zeros((1, 2), F32), (np.ones((1, 2), np.int8), np.ones(1, I32), np.ones(1, I64), np.ones(1, F32))
    with Machine():
        found = run(aclnnMoeInitRoutingV3, x, np.zeros((1, 1), I32), None, None, 0, 0, 1, 0, 1, True, 1, None, 0, *out)
    assert [each.ravel().tolist() for each in found] == [[0, 0], [0], [1], [0]]


@pytest.mark.fidelity("aclnnMoeInitRoutingV3: rows of zeros, rows without a token")
def test_an_expert_that_does_not_exist() -> None:
    x, experts = np.array([[1], [2], [3]], F32), np.array([[7], [1], [-1]], I32)
    out: Any = (np.empty((3, 1), F32), np.empty(3, I32), np.empty(2, I64), np.empty(3, F32))
    with Machine():
        rows, places, found, _ = run(
            aclnnMoeInitRoutingV3, x, experts, None, None, 0, 0, 2, 0, 1, True, -1, [], 0, *out
        )
    assert (rows[0, 0], places.tolist(), found.tolist()) == (2, [-1, 0, -1], [0, 1])


def test_without_tokens_there_are_counts() -> None:
    x, out = np.zeros((0, 2), F32), (np.empty((0, 2), F32), np.empty(0, I32), np.ones(3, I64), np.empty(0, F32))
    with Machine():
        found = run(aclnnMoeInitRoutingV3, x, np.zeros((0, 1), I32), None, None, 0, 0, 3, 0, 1, True, -1, None, 0, *out)
    assert found[2].tolist() == [0, 0, 0]


def test_floats_of_8_bits_on_950() -> None:
    e4 = ml_dtypes.float8_e4m3fn
    x, out = X.astype(e4), (np.empty((6, 2), e4), np.empty(6, I32), np.empty(4, I64), np.empty(6, F32))
    with Machine(A950):
        rows, *_ = run(aclnnMoeInitRoutingV3, x, EXPERTS, None, None, 0, 0, 4, 0, 1, True, -1, [], 0, *out)
    assert rows.tolist() == [[1, 2], [5, 6], [3, 4], [1, 2], [3, 4], [5, 6]]


ACTIVE = {"activeExpertRangeOptional": Values((1, 3)), "expertTokensCountOrCumsumOut": Meta((2,), ACL_INT64)}
PADDED = {"dropPadMode": 1, "expertCapacity": 2, "expandedXOut": Meta((5, 2, 4), ACL_INT8),
          "expandedScaleOut": Meta((10,))}  # fmt: skip
MANY = {"expertNum": 6000, "scaleOptional": None, "expertTokensCountOrCumsumOut": Meta((6000, 2), ACL_INT64)}


@pytest.mark.parametrize("mistake", [
    Mistake("a capacity of 0", KERNEL, "expertCapacity", **PADDED | {"expertCapacity": 0}),
    Mistake("a capacity above the rows", KERNEL, "expertCapacity", **PADDED | {"expertCapacity": 4}),
    Mistake("capacity: places", KERNEL, "rowIdxType", **PADDED, rowIdxType=1),
    Mistake("capacity: range", KERNEL, "expertNum", **PADDED, **ACTIVE, scaleOptional=None),
    Mistake("capacity: sums", KERNEL, "expertTokensNumType", **PADDED, expertTokensNumType=0),
    Mistake("more experts than pairs", KERNEL, "expertNum", **MANY, expertTokensNumType=2),
    Mistake("one end", KERNEL, "activeExpertRangeOptional", activeExpertRangeOptional=Values((1,))),
    Mistake("ends in disorder", KERNEL, "activeExpertRangeOptional", activeExpertRangeOptional=Values((2, 2))),
    Mistake("a range behind the experts", KERNEL, "activeExpertRangeOptional",
            activeExpertRangeOptional=Values((2, 6))),
    Mistake("static without an offset", KERNEL, "quantMode", quantMode=0, scaleOptional=Meta((1,))),
    Mistake("two offsets", KERNEL, "offsetOptional", quantMode=0, scaleOptional=Meta((1,)), offsetOptional=Meta((2,))),
    Mistake("a mode of Ascend 950", KERNEL, "quantMode", quantMode=2),
    Mistake("a type of Ascend 950", KERNEL, "x", x=Meta((3, 4), ACL_FLOAT8_E4M3FN)),
], ids=str)  # fmt: skip
def test_the_kernel_refuses(mistake: Mistake) -> None:
    assert_refused(FIRST, CALL, mistake, A2)


TYPED = {"x": ACL_DOUBLE, "expertIdx": ACL_INT64, "scaleOptional": ACL_FLOAT16, "offsetOptional": ACL_FLOAT16,
         "expandedXOut": ACL_DOUBLE, "expandedRowIdxOut": ACL_INT64, "expertTokensCountOrCumsumOut": ACL_INT32,
         "expandedScaleOut": ACL_FLOAT16}  # fmt: skip


@pytest.mark.parametrize("name", TYPED)
def test_data_types_come_first_on_950(name: str) -> None:
    meta = Meta((1,) if CALL[name] is None else CALL[name].shape, TYPED[name])
    assert_refused(FIRST, CALL, Mistake("", ACLNN_ERR_PARAM_INVALID, name, **{name: meta}), A950)
    assert answer(FIRST, CALL, {name: meta}, A2).status == KERNEL
    if not name.endswith("x"):
        empty = Meta((0,), TYPED[name])
        assert answer(FIRST, CALL, {name: empty}, A950).status == KERNEL, "an empty tensor is the kernel's"


def test_the_type_of_scales_on_950() -> None:
    mistake = Mistake("", KERNEL, "expandedScaleOut", expandedScaleOut=Meta((6,), ACL_FLOAT8_E8M0))
    assert_refused(FIRST, CALL, mistake, A950)


def test_scales_without_factors_need_room() -> None:
    """They are not compared, and have nowhere to go."""
    assert answer(FIRST, CALL, {"scaleOptional": None, "expandedScaleOut": Meta((5,))}, A2).status == KERNEL
    changes = {"scaleOptional": None, "quantMode": -1, "expandedXOut": CALL["x"], "expandedScaleOut": Meta((5,))}
    assert answer(FIRST, CALL, {**changes, "expandedXOut": Meta((6, 4))}, A2).status == ACL_SUCCESS
