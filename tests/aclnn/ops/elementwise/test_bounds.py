"""Maximum, Minimum, Clamp, Lerp, SWhere and others: special values, and statuses in their order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A950, TRAINING
from tests.helpers.builders import meta, plan
from tests.helpers.refusals import Number, Of, planned_with, status_of

OK, INVALID, NULL, NO_STEP = ACL_SUCCESS, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_INNER_NULLPTR
TWO, WHOLE, BOOLS, HALF = Of((2,)), Of((2,), ACL_INT32), Of((2,), ACL_BOOL), Of((2,), ACL_FLOAT16)
SPECIAL = np.array([np.nan, -1, 5, np.inf], np.float32)


def test_nan_stays_and_the_upper_limit_wins(machine: Machine) -> None:
    out = np.zeros(4, np.float32)
    np.testing.assert_array_equal(run(aclnnClamp, SPECIAL, np.float32(3), np.float32(1), out), [np.nan, 1, 1, 1])
    np.testing.assert_array_equal(run(aclnnClamp, SPECIAL, None, np.float32(1), out), [np.nan, -1, 1, 1])
    np.testing.assert_array_equal(run(aclnnMaximum, SPECIAL, SPECIAL[::-1].copy(), out), [np.nan, 5, 5, np.nan])
    np.testing.assert_array_equal(run(aclnnMinimum, SPECIAL, SPECIAL[::-1].copy(), out), [np.nan, -1, -1, np.nan])


def test_limits_are_read_in_the_type_of_out(machine: Machine) -> None:
    """ "2.7 becomes 2 for s32"."""
    x = np.array([1, 2, 3], np.int32)
    np.testing.assert_array_equal(run(aclnnClampMax, x, np.float32(2.7), x), [1, 2, 2])


def test_one_limit_is_needed() -> None:
    assert status_of("aclnnClamp", TWO, None, None, TWO) == NULL
    assert status_of("aclnnClampTensor", TWO, None, None, TWO) == NULL
    assert status_of("aclnnClampTensor", TWO, None, TWO, TWO) == OK
    assert status_of("aclnnClampMin", TWO, None, TWO) == NULL
    assert status_of("aclnnClamp", BOOLS, None, None, TWO) == NULL  # before the data types


def test_the_text_for_no_limit(machine: Machine) -> None:
    """The first sentence is the library's."""
    found = planned_with(aclnnClampGetWorkspaceSize, {"self": TWO, "low": None, "high": None, "out": TWO})
    assert "clamp: At least one of 'min' or 'max' must not be None. (parameter: clipValueMin, found: null" in found.text


@pytest.mark.parametrize(("self_", "limit", "out", "status"), [
    (WHOLE, np.float32, TWO, OK), (WHOLE, np.float32, WHOLE, INVALID), (WHOLE, np.uint16, WHOLE, OK),
    (TWO, np.complex64, TWO, INVALID), (HALF, np.float64, HALF, OK),
])  # fmt: skip
def test_types_of_limits_on_950(self_: Of, limit: Any, out: Of, status: int) -> None:
    for name, limits in (
        ("Clamp", [Number(1, limit)] * 2),
        ("ClampMin", [Number(1, limit)]),
        ("ClampMax", [Number(1, limit)]),
    ):
        assert status_of(f"aclnn{name}", self_, *limits, out, soc=A950) == status
    if self_ == out:
        assert status_of("aclnnInplaceClampMax", self_, Number(1, limit), soc=A950) == status


def test_an_empty_tensor_comes_before_the_shapes_of_clamp_tensor() -> None:
    assert status_of("aclnnClampTensor", Of((0,)), Of((7,), ACL_COMPLEX64), None, Of((3, 4))) == OK
    assert status_of("aclnnClampTensor", Of((0,), ACL_BOOL), Of((7,)), None, Of((3, 4))) == INVALID


def test_nine_dimensions(machine: Machine) -> None:
    """Lerp refuses them only if a tensor has gaps."""
    shape = (2, *(1,) * 8)
    dense, gaps = meta(shape), meta(shape, strides=(3, *(1,) * 8))
    number = aclCreateScalar(np.float32(0.5), ACL_FLOAT)
    for x, status in ((dense, OK), (gaps, INVALID)):
        assert plan(aclnnLerpGetWorkspaceSize, x, dense, dense, dense).status == status
        assert plan(aclnnInplaceLerpGetWorkspaceSize, x, dense, dense).status == status
        assert plan(aclnnLerpsGetWorkspaceSize, x, dense, number, dense).status == status
        assert plan(aclnnInplaceLerpsGetWorkspaceSize, x, dense, number).status == status


def test_a_weight_of_1_gives_the_end_itself(machine: Machine) -> None:
    x, end = np.array([1e8], np.float32), np.array([0.1], np.float32)
    assert run(aclnnLerps, x, end, np.float32(1), x)[0] == end[0]
    assert run(aclnnLerp, x, end, np.zeros(1, np.float32), x)[0] == x[0]


def test_types_of_addcmul() -> None:
    """The promoted type is in the list too: UINT8 and INT8 give INT16."""
    small, signed = Of((2,), ACL_UINT8), Of((2,), ACL_INT8)
    assert status_of("aclnnAddcmul", small, small, small, Number(2), small) == OK
    assert status_of("aclnnAddcmul", small, signed, small, Number(2), WHOLE) == INVALID
    assert status_of("aclnnAddcdiv", WHOLE, WHOLE, WHOLE, Number(2), TWO) == INVALID


def test_a_value_is_read_in_the_promoted_type(machine: Machine) -> None:
    """A fraction is cut off for integers."""
    x = np.array([10, 20], np.int32)
    np.testing.assert_array_equal(run(aclnnAddcmul, x, x, x, np.float32(1.9), x), x + x * x)


def test_types_without_a_common_one_end_in_561103() -> None:
    short = Of((2,), ACL_UINT16)
    assert status_of("aclnnSWhere", BOOLS, short, TWO, TWO) == NO_STEP
    assert status_of("aclnnSWhere", BOOLS, BOOLS, BOOLS, TWO) == NO_STEP
    assert status_of("aclnnSWhere", BOOLS, TWO, TWO, WHOLE) == OK  # (cast to any data type)
    assert status_of("aclnnSWhere", WHOLE, TWO, TWO, TWO) == INVALID
    assert status_of("aclnnSWhere", None, None, TWO, TWO) == NULL


def test_masks_and_fills(machine: Machine) -> None:
    x, mask = np.zeros((2, 3), np.int8), np.array([True, False, True])
    np.testing.assert_array_equal(run(aclnnInplaceMaskedFillScalar, x, mask, np.float32(2.7)), [[2, 0, 2]] * 2)
    np.testing.assert_array_equal(
        run(aclnnInplaceMaskedFillTensor, x, mask, np.array(300, np.int32)), [[44, 0, 44]] * 2
    )
    np.testing.assert_array_equal(run(aclnnInplaceFillTensor, x, np.array([3.5], np.float32)), np.full((2, 3), 3))
    np.testing.assert_array_equal(run(aclnnInplaceOne, np.zeros(2, np.bool_)), [True, True])
    assert status_of("aclnnInplaceMaskedFillScalar", TWO, Of((3, 2), ACL_BOOL), Number(1)) == INVALID
    assert status_of("aclnnInplaceMaskedFillTensor", TWO, BOOLS, Of((1,))) == INVALID
    assert status_of("aclnnInplaceFillTensor", TWO, Of((1, 1))) == INVALID


@pytest.mark.fidelity("a number beyond FLOAT16 in NanToNum")
def test_nan_to_num(machine: Machine) -> None:
    x = np.array([np.nan, np.inf, -np.inf, 1], np.float16)
    np.testing.assert_array_equal(run(aclnnNanToNum, x, 2.0, 1e6, -5.0, x), [2, np.inf, -5, 1])
    assert status_of("aclnnNanToNum", TWO, 0.0, 0.0, 0.0, TWO, soc=TRAINING) == INVALID
    assert status_of("aclnnNanToNum", TWO, 0.0, 0.0, 0.0, HALF) == INVALID


# logarithms


def test_0_times_a_logarithm(machine: Machine) -> None:
    x, y = np.array([0, 0, 0, 1], np.float32), np.array([0, np.nan, -1, 0], np.float32)
    np.testing.assert_array_equal(run(aclnnXLogYTensor, x, y, x), [0, np.nan, 0, -np.inf])


def test_is_close_of_special_values(machine: Machine) -> None:
    x, y = np.array([np.inf, np.inf, np.nan, 1], np.float32), np.array([np.inf, 1, np.nan, 1.25], np.float32)
    for equal_nan in (False, True):
        found = run(aclnnIsClose, x, y, 0.0, 0.25, equal_nan, np.zeros(4, np.bool_))
        np.testing.assert_array_equal(found, [True, False, equal_nan, True])
    assert status_of("aclnnIsClose", TWO, TWO, 0.0, 0.0, False, TWO) == NO_STEP
    assert status_of("aclnnIsClose", TWO, HALF, 0.0, 0.0, False, BOOLS) == INVALID


def test_formats_on_950() -> None:
    """LogAddExp wants equal ones there, that are not private."""
    private, other = Of((2,), ACL_FLOAT, ACL_FORMAT_FRACTAL_NZ), Of((2,), ACL_FLOAT, ACL_FORMAT_NCL)
    for name in ("aclnnLogAddExp", "aclnnLogAddExp2"):
        for given, status in (
            ((other, TWO, TWO), INVALID), ((TWO, TWO, other), INVALID), ((private,) * 3, INVALID), ((other,) * 3, OK),
        ):  # fmt: skip
            assert status_of(name, *given, soc=A950) == status
            assert status_of(name, *given) == OK


def test_log_add_exp_stays_finite(machine: Machine) -> None:
    x, y = np.array([1000, -np.inf, np.inf], np.float32), np.array([1000, -np.inf, -np.inf], np.float32)
    np.testing.assert_allclose(run(aclnnLogAddExp, x, y, x), [1000 + np.log(2), -np.inf, np.inf])


@pytest.mark.parametrize(("eps", "answer"), [
    (-1.0, [np.nan, -np.inf, 0, np.inf, np.nan]), (0.25, [-np.log(3), -np.log(3), 0, np.log(3), np.log(3)]),
    (2.0, [np.nan] * 5),
])  # fmt: skip
def test_logit(machine: Machine, eps: float, answer: list[float]) -> None:
    x = np.array([-1, 0, 0.5, 1, 2], np.float32)
    np.testing.assert_allclose(run(aclnnLogit, x, eps, x), np.array(answer), rtol=1e-6)
