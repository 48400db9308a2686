"""Functions of one tensor: the data types of input and output, special values, statuses in their order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A950, TRAINING
from tests.helpers.refusals import Of, status_of

OK, INVALID, NULL, NO_STEP = ACL_SUCCESS, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_INNER_NULLPTR
TWO, WHOLE, LONG, BOOLS, HALF = (
    Of((2,), each) for each in (ACL_FLOAT, ACL_INT32, ACL_INT64, ACL_BOOL, ACL_FLOAT16)
)  # fmt: skip
DOUBLE, COMPLEX, BF16 = (Of((2,), each) for each in (ACL_DOUBLE, ACL_COMPLEX64, ACL_BF16))


@pytest.mark.parametrize(
    ("name", "given", "out", "status"),
    [
        ("Exp", WHOLE, TWO, INVALID), ("Exp", LONG, TWO, OK), ("Exp", LONG, WHOLE, INVALID),
        ("Exp", TWO, BOOLS, INVALID),
        ("Log", COMPLEX, TWO, INVALID), ("Log", WHOLE, HALF, OK), ("Log10", WHOLE, HALF, INVALID),
        ("Log10", HALF, TWO, INVALID), ("Log10", WHOLE, TWO, OK), ("Sin", COMPLEX, TWO, OK),
        ("Rsqrt", COMPLEX, TWO, OK), ("Tanh", DOUBLE, DOUBLE, INVALID), ("Expm1", DOUBLE, DOUBLE, INVALID),
        ("Erf", WHOLE, TWO, INVALID), ("Erfinv", DOUBLE, DOUBLE, INVALID), ("Neg", Of((2,), ACL_UINT8), TWO, INVALID),
        ("Neg", WHOLE, TWO, OK), ("Neg", TWO, WHOLE, INVALID), ("Abs", COMPLEX, TWO, OK),
        ("Abs", COMPLEX, HALF, INVALID),
        ("Abs", HALF, TWO, INVALID), ("Sign", BOOLS, BOOLS, OK), ("Sign", HALF, TWO, INVALID),
        ("Floor", BOOLS, BOOLS, INVALID), ("Trunc", DOUBLE, DOUBLE, INVALID), ("Frac", DOUBLE, DOUBLE, INVALID),
    ],
    ids=lambda each: each if isinstance(each, str) else None,
)  # fmt: skip
def test_types_of_input_and_output(name: str, given: Of, out: Of, status: int) -> None:
    assert status_of(f"aclnn{name}", given, out) == status


def test_the_copy_finds_another_type_than_the_sign_of_bfloat16() -> None:
    assert status_of("aclnnSign", BF16, TWO) == NO_STEP
    assert status_of("aclnnSign", BF16, Of((3,), ACL_FLOAT)) == INVALID
    assert status_of("aclnnSign", Of((0,), ACL_BF16), Of((0,), ACL_FLOAT)) == OK
    assert status_of("aclnnSign", BF16, BF16) == OK


@pytest.mark.parametrize("name", ["Exp", "Log", "Sqrt", "Sin", "Rsqrt", "Sinh", "Erf", "Tan"])
def test_in_place_integers_are_refused(name: str) -> None:
    for given, status in ((LONG, INVALID), (None, NULL), (TWO, OK)):
        assert status_of(f"aclnnInplace{name}", given) == status


def test_bfloat16_before_a2() -> None:
    """Acos lists it for out on every product, where the cast has no kernel, and for its input from A2 on."""
    assert status_of("aclnnAcos", BF16, BF16, soc=TRAINING) == INVALID
    assert status_of("aclnnAcos", TWO, BF16, soc=TRAINING) == NO_STEP
    assert status_of("aclnnSqrt", BF16, BF16, soc=TRAINING) == INVALID


def test_square_is_new() -> None:
    assert status_of("aclnnSquare", TWO, TWO, soc=A950) == OK
    assert status_of("aclnnSquare", TWO, TWO) == INVALID


@pytest.mark.parametrize("name", ["Reciprocal", "Abs", "Tanh"])
def test_formats_are_equal(name: str) -> None:
    for label, status in ((ACL_FORMAT_ND, INVALID), (ACL_FORMAT_NCL, OK)):
        one, other = Of((2,), ACL_FLOAT, ACL_FORMAT_NCL), Of((2,), ACL_FLOAT, label)
        assert status_of(f"aclnn{name}", one, other) == status


def test_integers_are_computed_in_the_type_of_out_or_in_float(machine: Machine) -> None:
    """Log1p computes them in FLOAT16 where out is that; Log in FLOAT."""
    x = np.array([2049], np.int32)
    half = np.zeros(1, np.float16)
    assert run(aclnnLog1p, x, half)[0] == np.float16(np.log1p(np.float32(2048)))
    assert run(aclnnLog, x, np.zeros(1, np.float64))[0] == np.log(np.float32(2049))


def test_int64_roots_are_computed_in_double(machine: Machine) -> None:
    x = np.array([2**60 + 1], np.int64)
    assert run(aclnnSqrt, x, np.zeros(1, np.float64))[0] == np.sqrt(np.float64(2**60 + 1))


@pytest.mark.parametrize(
    ("function", "values", "answers"),
    [
        (aclnnLog, [0, -1, np.inf], [-np.inf, np.nan, np.inf]), (aclnnSqrt, [-1, 0], [np.nan, 0]),
        (aclnnRsqrt, [0, np.inf, -1], [np.inf, 0, np.nan]), (aclnnReciprocal, [0, -0.0], [np.inf, -np.inf]),
        (aclnnAsin, [2, -1], [np.nan, -np.pi / 2]), (aclnnErfinv, [1, -1, 2], [np.inf, -np.inf, np.nan]),
        (aclnnRound, [0.5, 1.5, 2.5, -0.5], [0, 2, 2, 0]), (aclnnTrunc, [-1.5, 1.5], [-1, 1]),
        (aclnnFrac, [-1.5, 1.25, np.inf], [-0.5, 0.25, np.nan]),
    ],
    ids=lambda each: getattr(each, "__name__", None),
)  # fmt: skip
def test_ends_of_the_domain(machine: Machine, function: Any, values: list[float], answers: list[float]) -> None:
    x = np.array(values, np.float32)
    np.testing.assert_allclose(run(function, x, x), answers, rtol=1e-6)


@pytest.mark.fidelity("sign of a complex number")
def test_signs(machine: Machine) -> None:
    """NaN has the sign 0."""
    x = np.array([np.nan, -2, 0, -0.0, np.inf], np.float32)
    np.testing.assert_array_equal(run(aclnnSign, x, x), [0, -1, 0, 0, 1])
    z = np.array([3 + 4j, 0, -2], np.complex64)
    np.testing.assert_allclose(run(aclnnSign, z, z), [0.6 + 0.8j, 0, -1])


@pytest.mark.parametrize(
    ("values", "decimals", "answers"),
    [
        ([1.25, -1.35], 1, [1.2, -1.4]), ([149.0, 250.0, 350.0], -2, [100, 200, 400]), ([1.5], 0, [2]),
        ([7.0], 400, [np.nan]),
    ],
)  # fmt: skip
def test_decimal_places(machine: Machine, values: list[float], decimals: int, answers: list[float]) -> None:
    x = np.array(values, np.float32)
    np.testing.assert_allclose(run(aclnnRoundDecimals, x, decimals, x), answers, rtol=1e-6)


def test_decimal_places_of_integers(machine: Machine) -> None:
    x = np.array([25, 35, -25, 24, 2**31 - 1], np.int32)
    np.testing.assert_array_equal(run(aclnnRoundDecimals, x, -1, x)[:4], [20, 40, -20, 20])
    np.testing.assert_array_equal(run(aclnnRoundDecimals, x, 3, x), x)
    np.testing.assert_array_equal(run(aclnnRoundDecimals, x, -30, x), 0)


@pytest.mark.fidelity("complex results in a real out")
def test_a_real_out_gets_the_real_part(machine: Machine) -> None:
    z = np.array([1 + 2j], np.complex64)
    assert run(aclnnSin, z, np.zeros(1, np.float32))[0] == pytest.approx(np.sin(z[0]).real, rel=1e-6)
    assert run(aclnnSigmoid, z, np.zeros(1, np.float32))[0] == pytest.approx((1 / (1 + np.exp(-z[0]))).real, rel=1e-6)
