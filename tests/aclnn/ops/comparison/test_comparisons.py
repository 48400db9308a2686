"""Comparisons: the data types that they look at and compare in, special values, statuses in their order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_dtypes import float8_e4m3fn

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, TRAINING
from tests.helpers.refusals import Number, Of, status_of

OK, INVALID, NULL, NO_STEP = ACL_SUCCESS, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_INNER_NULLPTR
TWO = Of((2,))
FUNCTIONS = (aclnnEqTensor, aclnnNeTensor, aclnnGtTensor, aclnnGeTensor, aclnnLtTensor, aclnnLeTensor)
SCALARS = (aclnnEqScalar, aclnnNeScalar, aclnnGtScalar, aclnnGeScalar, aclnnLtScalar, aclnnLeScalar)


def compared(function: Any, x: np.ndarray, y: Any) -> np.ndarray:
    return run(function, x, y, np.zeros(np.broadcast_shapes(x.shape, np.shape(y)), np.bool_))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
def test_nan_is_equal_to_nothing_and_0_to_minus_0(machine: Machine, function: Any) -> None:
    x, y = np.array([np.nan, 0.0, -0.0, np.inf], np.float32), np.array([np.nan, -0.0, 0.0, np.inf], np.float32)
    differ, equal = function is aclnnNeTensor, function in (aclnnEqTensor, aclnnGeTensor, aclnnLeTensor)
    np.testing.assert_array_equal(compared(function, x, y), [differ, equal, equal, equal])


@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.int64, np.complex64], ids=lambda each: each.__name__)
def test_the_answer_is_cast_to_the_type_of_out(machine: Machine, dtype: Any) -> None:
    x = np.array([1, 2, 3], np.int32)
    np.testing.assert_array_equal(run(aclnnEqTensor, x, x[::-1].copy(), np.zeros(3, dtype)), [0, 1, 0])
    found = run(aclnnInplaceGtTensor, x, np.array(1, np.int32))
    np.testing.assert_array_equal(found, np.array([0, 1, 1], np.int32))


@pytest.mark.parametrize(
    ("function", "tensor", "scalar", "answer"),
    [
        (aclnnEqScalar, np.int32(0), np.int64(2**32), True), (aclnnNeScalar, np.int32(0), np.int64(2**32), False),
        (aclnnEqScalar, np.int32(2**24 + 1), np.float32(2**24), True),
        (aclnnEqScalar, np.float16(0.1), np.float32(0.1), True),
        (aclnnGtScalar, np.float16(0.1), np.float32(0.1), False),
        (aclnnGeScalar, np.float16(0.1), np.float32(0.1), False),
        (aclnnLtScalar, np.float16(0.1), np.float32(0.1), False),
        (aclnnGtScalar, np.float16(0.5), np.float64(0.1), True),
        (aclnnGtScalar, np.float16(0.1), np.float64(0.1), False),
        (aclnnLeScalar, np.int32(2**24 + 1), np.float64(2**24), True),
        (aclnnNeScalar, np.int32(2**24 + 1), np.float64(2**24), True),
    ],
    ids=str,
)  # fmt: skip
def test_the_data_type_that_a_scalar_is_compared_in(
    machine: Machine, function: Any, tensor: Any, scalar: Any, answer: bool
) -> None:
    """On A2: the tensor's own type in Eq and Ne beside an integer, the promoted one in Gt, FLOAT for DOUBLE in Le."""
    assert compared(function, np.array([tensor]), scalar)[0] == answer


@pytest.mark.parametrize("name", ["aclnnNeTensor", "aclnnLeTensor"])
def test_an_empty_tensor_ends_the_checks_at_once(name: str) -> None:
    assert status_of(name, Of((0,), ACL_STRING), Of((3, 4)), Of((9,), ACL_STRING)) == OK
    assert status_of(name, Of((0,), ACL_STRING), None, Of((9,))) == NULL


def test_only_what_both_promote_to_has_to_be_listed() -> None:
    """Eq, Gt and Ge look at out, then at the promoted type; Ge counts BOOL as INT8."""
    assert status_of("aclnnGeTensor", Of((2,), ACL_BOOL), Of((2,), ACL_BOOL), Of((2,), ACL_BOOL)) == OK
    assert status_of("aclnnGeTensor", Of((2,), ACL_COMPLEX64), TWO, Of((2,), ACL_BOOL)) == INVALID
    assert status_of("aclnnEqTensor", Of((2,), ACL_UINT32), Of((2,), ACL_COMPLEX64), Of((2,), ACL_BOOL)) == OK
    assert status_of("aclnnNeTensor", Of((2,), ACL_UINT32), Of((2,), ACL_COMPLEX64), Of((2,), ACL_BOOL)) == INVALID


def test_eq_looks_at_its_operands_on_950() -> None:
    for name, out in (("aclnnEqTensor", [Of((2,), ACL_BOOL)]), ("aclnnInplaceEqTensor", [])):
        wrong = (Of((2,), ACL_UINT32), Of((2,), ACL_COMPLEX64))
        assert status_of(name, *wrong, *out, soc=A950) == INVALID
        assert status_of(name, *wrong[::-1], *out, soc=A950) == INVALID
    assert status_of("aclnnEqTensor", TWO, TWO, Of((2,), ACL_UINT32), soc=A950) == OK
    assert status_of("aclnnEqTensor", TWO, TWO, Of((2,), ACL_UINT32), soc=A2) == INVALID
    assert status_of("aclnnEqTensor", Of((2,), ACL_UINT64), Of((2,), ACL_UINT64), TWO, soc=TRAINING) == OK


@pytest.mark.fidelity("null pointers of LtScalar on Ascend 950")
@pytest.mark.parametrize(("null", "status"), [(0, NO_STEP), (1, NO_STEP), (2, NULL)], ids=["self", "other", "out"])
@pytest.mark.parametrize("soc", [A2, A950])
def test_null_pointers_of_lt_scalar(null: int, status: int, soc: str) -> None:
    given = [TWO, Number(1), Of((2,), ACL_BOOL)]
    given[null] = None  # pyright: ignore[reportArgumentType]
    assert status_of("aclnnLtScalar", *given, soc=soc) == status


@pytest.mark.fidelity("a scalar of 8 bits beside a tensor in Ge")
def test_a_scalar_of_8_bits_is_refused_by_ge() -> None:
    """The library's table would promote it to FLOAT beside anything."""
    given = (Of((2,), ACL_COMPLEX64), Number(0, float8_e4m3fn))
    assert status_of("aclnnGeScalar", *given, Of((2,), ACL_BOOL)) == INVALID


def test_equal_compares_shapes_and_promoted_values(machine: Machine) -> None:
    x, nothing = np.array([[1, 2]], np.int32), np.zeros((2, 0), np.float32)
    out = np.zeros(1, np.bool_)
    for other, answer in ((x.astype(np.float16), True), (x[0], False), (x + 1, False)):
        assert run(aclnnEqual, x, other, out)[0] == answer
    assert run(aclnnEqual, nothing, nothing, out)[0]
    assert not run(aclnnEqual, nothing, nothing.T.copy(), out)[0]
    assert not run(aclnnEqual, np.array([np.nan]), np.array([np.nan]), out)[0]
    for shape, status in (((), INVALID), ((2,), INVALID), ((1,), OK)):
        assert status_of("aclnnEqual", TWO, TWO, Of(shape, ACL_BOOL)) == status
    assert status_of("aclnnEqual", Of((2,), ACL_COMPLEX64), TWO, Of((1,), ACL_BOOL)) == INVALID
