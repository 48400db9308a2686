"""Logic, bits, shifts, and kinds of numbers: special values, and statuses in their order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A950, INFERENCE, TRAINING, board
from tests.helpers.builders import meta, on_device, plan
from tests.helpers.builders import run as launch
from tests.helpers.refusals import Number, Of, status_of

OK, INVALID, NULL, NO_STEP = ACL_SUCCESS, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_INNER_NULLPTR
NINE = (1,) * 9


def test_nan_and_fractions_are_true(machine: Machine) -> None:
    x, y = np.array([np.nan, 0.1, 0, -0.0], np.float32), np.array([1, 1, 1, 1], np.int8)
    out = np.zeros(4, np.int32)
    np.testing.assert_array_equal(run(aclnnLogicalAnd, x, y, out), [1, 1, 0, 0])
    np.testing.assert_array_equal(run(aclnnLogicalXor, x, y, out), [0, 0, 1, 1])
    np.testing.assert_array_equal(run(aclnnLogicalNot, x, np.zeros(4, np.float16)), [0, 0, 1, 1])
    np.testing.assert_array_equal(run(aclnnInplaceLogicalOr, x, y), [1, 1, 1, 1])


def test_bfloat16_on_older_products() -> None:
    """The lists of And and Not look at no product, so that the step fails which finds no kernel."""
    x = Of((2,), ACL_BF16)
    for name, operands, status in (("And", 2, NO_STEP), ("Or", 2, INVALID), ("Xor", 2, INVALID), ("Not", 1, NO_STEP)):
        assert status_of(f"aclnnLogical{name}", *[x] * operands, Of((2,), ACL_BOOL), soc=TRAINING) == status


def test_complex_tensors_of_xor_have_at_most_7_dimensions() -> None:
    shape = (1,) * 8
    for dtype, shape_, status in (
        (ACL_COMPLEX64, shape, INVALID),
        (ACL_FLOAT, shape, OK),
        (ACL_COMPLEX64, (0, *shape[1:]), OK),
    ):
        one = Of(shape_, dtype)
        assert status_of("aclnnLogicalXor", one, one, Of(shape_, ACL_BOOL)) == status


def test_nine_dimensions(machine: Machine) -> None:
    """LogicalNot refuses them only if a tensor has gaps."""
    strides = (2,) * 9
    with_gaps = meta(NINE, ACL_FLOAT, strides=strides)
    for pair, status in (((meta(NINE), meta(NINE)), OK), ((with_gaps, with_gaps), OK)):
        assert plan(aclnnLogicalNotGetWorkspaceSize, *pair).status == status  # (of one element nothing lies apart)
    wide = (2, *NINE[1:])
    gaps = meta(wide, ACL_FLOAT, strides=(3, *strides[1:]))
    assert plan(aclnnLogicalNotGetWorkspaceSize, gaps, meta(wide)).status == INVALID
    assert plan(aclnnInplaceLogicalNotGetWorkspaceSize, gaps).status == INVALID
    assert plan(aclnnLogicalNotGetWorkspaceSize, meta(wide), meta(wide)).status == OK


def test_bits_of_bool_and_of_negative_numbers(machine: Machine) -> None:
    x, y = np.array([True, True, False]), np.array([True, False, False])
    np.testing.assert_array_equal(run(aclnnBitwiseXorTensor, x, y, x), [False, True, False])
    np.testing.assert_array_equal(run(aclnnBitwiseNot, x, x), [False, False, True])
    np.testing.assert_array_equal(
        run(aclnnBitwiseNot, np.array([0, -1, 5], np.int8), np.zeros(3, np.int8)), [-1, 0, -6]
    )
    wide = run(aclnnBitwiseAndTensor, np.array([-1], np.int8), np.array([300], np.int32), np.zeros(1, np.int32))
    assert wide[0] == 300


def test_an_int64_scalar_counts_as_int32_if_it_fits() -> None:
    """So OrScalar has an INT32 result for INT32; an INT8 tensor still takes part with INT32."""
    x = Of((2,), ACL_INT32)
    for value in (5, 2**40):
        assert status_of("aclnnBitwiseOrScalar", x, Number(value, np.int64), x) == OK  # (integers narrow)
    assert status_of("aclnnBitwiseOrScalar", Of((2,), ACL_BOOL), Number(5, np.int64), Of((2,), ACL_BOOL)) == INVALID


@pytest.mark.fidelity("shift counts out of range")
@pytest.mark.parametrize(
    ("count", "left", "right"), [(-1, 0, -100), (0, -100, -100), (3, -32, -13), (7, 0, -1), (8, 0, -1), (100, 0, -1)]
)
def test_counts_out_of_range(machine: Machine, count: int, left: int, right: int) -> None:
    x, counts = np.array([-100], np.int8), np.array([count], np.int8)
    assert run(aclnnLeftShift, x, counts, np.zeros(1, np.int8))[0] == left
    assert run(aclnnLeftShifts, x, np.int8(count), np.zeros(1, np.int8))[0] == left
    assert run(aclnnRightShift, x, counts, np.zeros(1, np.int8))[0] == right


def test_shifts_promote_after_empty_tensors() -> None:
    for shape, status in (((0,), OK), ((2,), INVALID)):
        given = (Of(shape, ACL_UINT16), Of(shape, ACL_INT32), Of(shape, ACL_INT32))
        assert status_of("aclnnLeftShift", *given) == status
        assert status_of("aclnnRightShift", *given) == status


def test_null_pointers_of_bitwise_not() -> None:
    for given in ((None, Of((2,), ACL_INT32)), (Of((2,), ACL_INT32), None)):
        assert status_of("aclnnBitwiseNot", *given) == NO_STEP


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32], ids=lambda each: each.__name__)
def test_kinds_of_special_values(machine: Machine, dtype: Any) -> None:
    x = np.array([np.nan, np.inf, -np.inf, 1, -1]).astype(dtype) if dtype != np.int32 else np.arange(-2, 3, dtype=dtype)
    out = np.zeros(5, np.bool_)
    for function, formula in ((aclnnIsFinite, np.isfinite), (aclnnIsPosInf, np.isposinf), (aclnnIsNegInf, np.isneginf)):
        np.testing.assert_array_equal(run(function, x, out), formula(x))


def test_types_of_is_inf() -> None:
    """Documents list more: no DOUBLE, and no integers in IsInf."""
    out = Of((2,), ACL_BOOL)
    for name, dtype, status in (
        ("IsInf", ACL_INT32, INVALID), ("IsInf", ACL_DOUBLE, INVALID), ("IsPosInf", ACL_INT32, OK),
        ("IsNegInf", ACL_DOUBLE, INVALID), ("IsFinite", ACL_INT32, OK), ("IsFinite", ACL_DOUBLE, OK),
    ):  # fmt: skip
        assert status_of(f"aclnn{name}", Of((2,), dtype), out) == status
    assert status_of("aclnnIsPosInf", Of((2,), ACL_BF16), out, soc=INFERENCE) == INVALID
    assert status_of("aclnnIsInf", Of((2,), ACL_FLOAT16), out, soc=INFERENCE) == OK
    assert status_of("aclnnIsInf", Of((2,)), out, soc=TRAINING) == OK


@pytest.mark.parametrize(("soc", "answer"), [("Ascend910B1", [False, True, False]), (A950, [True, True, True])])
def test_signbit_of_minus_0(soc: str, answer: list[bool]) -> None:
    """ "self < 0" before Ascend 950, the bit itself there: of -0.0 and of a NaN with the bit."""
    with board(soc):
        x = on_device(np.array([-0.0, -1, np.copysign(np.nan, -1)], np.float32))
        out = on_device(np.zeros(3, np.bool_))
        launch(aclnnSignbitGetWorkspaceSize, aclnnSignbit, x, out)
        np.testing.assert_array_equal(out.read(), answer)


@pytest.mark.parametrize("invert", [False, True])
def test_is_in(machine: Machine, invert: bool) -> None:
    x, out = np.array([1, 2, np.nan], np.float32), np.zeros((), np.bool_)
    found = run(aclnnIsInTensorScalar, x, np.float32(2), False, invert, np.zeros(3, np.bool_))
    np.testing.assert_array_equal(found, np.array([False, True, False]) != invert)
    for scalar, tensor, answer in ((2, x, True), (3, x, False), (np.nan, x, False), (2, x[:0], False)):
        assert run(aclnnIsInScalarTensor, np.float32(scalar), tensor, False, invert, out) == (answer != invert)


def test_is_in_promotes_from_10_elements_on(machine: Machine) -> None:
    """Fewer of INT32 are compared in INT32: an INT64 keeps its low bits."""
    for count, answer in ((9, True), (10, False)):
        tensor = np.zeros(count, np.int32)
        assert run(aclnnIsInScalarTensor, np.int64(2**32), tensor, False, False, np.zeros((), np.bool_)) == answer
