"""Division, remainders and powers: data types, special values, statuses in their order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, INFERENCE, TRAINING, board
from tests.helpers.builders import on_device
from tests.helpers.builders import run as launch
from tests.helpers.refusals import Number, Of, status_of

OK, INVALID, NULL, NO_STEP = ACL_SUCCESS, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_INNER_NULLPTR
TWO, WHOLE, BOOLS, COMPLEX = Of((2,)), Of((2,), ACL_INT32), Of((2,), ACL_BOOL), Of((2,), ACL_COMPLEX64)
SEVEN = np.array([7, -7, 7, -7], np.int32)
TWOS = np.array([2, 2, -2, -2], np.int32)


def test_modes(machine: Machine) -> None:
    for mode, answer in ((0, [3, -3, -3, 3]), (1, [3, -3, -3, 3]), (2, [3, -4, -4, 3])):
        np.testing.assert_array_equal(run(aclnnDivMod, SEVEN, TWOS, mode, np.zeros(4, np.int32)), answer)
        x = SEVEN.astype(np.float32)
        found = run(aclnnDivMod, x, TWOS.astype(np.float32), mode, np.zeros(4, np.float32))
        np.testing.assert_array_equal(found, x / TWOS if mode == 0 else answer)
    np.testing.assert_array_equal(run(aclnnDivMods, SEVEN, np.int32(2), 2, np.zeros(4, np.int32)), [3, -4, 3, -4])
    np.testing.assert_array_equal(run(aclnnFloorDivide, SEVEN, TWOS, np.zeros(4, np.int32)), [3, -4, -4, 3])


@pytest.mark.fidelity("integers divided by 0")
def test_integers_by_0(machine: Machine) -> None:
    x, zero, out = np.array([5, -5, 0], np.int32), np.zeros(3, np.int32), np.ones(3, np.int32)
    for mode in (1, 2):
        np.testing.assert_array_equal(run(aclnnDivMod, x, zero, mode, out), 0)
    np.testing.assert_array_equal(run(aclnnFloorDivides, x, np.int32(0), out), 0)
    np.testing.assert_array_equal(run(aclnnRemainderTensorTensor, x, zero, out), x)
    np.testing.assert_array_equal(run(aclnnFmodScalar, x, np.int32(0), out), x)
    wide = x.astype(np.int64)
    np.testing.assert_array_equal(run(aclnnAddcdiv, wide, wide, wide * 0, np.int64(3), wide), wide)


def test_integers_by_0_on_950() -> None:
    with board(A950):
        x, zero, out = (on_device(np.array([value], np.int32)) for value in (5, 0, 9))
        launch(aclnnRemainderTensorTensorGetWorkspaceSize, aclnnRemainderTensorTensor, x, zero, out)
        assert out.read()[0] == -1


def test_a_mode_is_looked_at_before_empty_tensors_and_complex_ones_after() -> None:
    empty = Of((0,), ACL_COMPLEX64)
    for mode, status in ((0, OK), (2, OK), (3, INVALID), (-1, INVALID)):
        assert status_of("aclnnDivMod", empty, empty, mode, empty) == status
    for mode, status in ((0, OK), (1, INVALID), (2, INVALID)):
        assert status_of("aclnnDivMod", COMPLEX, COMPLEX, mode, COMPLEX) == status


def test_complex_quotients_are_not_rounded() -> None:
    number = Number(2, np.complex64)
    for mode, status in ((0, OK), (1, INVALID), (2, INVALID)):
        assert status_of("aclnnInplaceDivMods", COMPLEX, number, mode) == status
        assert status_of("aclnnDivMods", COMPLEX, number, mode, COMPLEX) == status


def test_a_quotient_by_a_scalar_is_not_rounded_twice(machine: Machine) -> None:
    """A FLOAT scalar beside FLOAT16 stays FLOAT; the result has the type of self."""
    x = np.array([1, 2, 3], np.float16)
    exact = (x.astype(np.float64) / np.float64(np.float32(0.1))).astype(np.float16)
    np.testing.assert_array_equal(run(aclnnDivs, x, np.float64(0.1), x), exact)


@pytest.mark.parametrize("soc", [A2, A950])
def test_the_type_of_out_of_divs(soc: str) -> None:
    """ "C(self type, out) only" before Ascend 950: an integer may be written into an integer."""
    assert status_of("aclnnDivs", WHOLE, Number(1.5), WHOLE, soc=soc) == (OK if soc == A2 else INVALID)
    assert status_of("aclnnDivs", TWO, Number(1.5), WHOLE, soc=soc) == INVALID
    assert status_of("aclnnDivMod", WHOLE, WHOLE, 1, WHOLE, soc=soc) == OK
    assert status_of("aclnnFloorDivide", TWO, TWO, WHOLE, soc=soc) == (OK if soc == A2 else INVALID)


def test_signs_of_remainders(machine: Machine) -> None:
    for dtype in (np.int32, np.float32, np.float16):
        x, y, out = SEVEN.astype(dtype), TWOS.astype(dtype), np.zeros(4, dtype)
        np.testing.assert_array_equal(run(aclnnRemainderTensorTensor, x, y, out), [1, 1, -1, -1])
        np.testing.assert_array_equal(run(aclnnFmodTensor, x, y, out), [1, -1, 1, -1])
    found = run(aclnnRemainderScalarTensor, np.float32(7), TWOS.astype(np.float32), np.zeros(4, np.float32))
    np.testing.assert_array_equal(found, [1, 1, -1, -1])


def test_types_of_remainders() -> None:
    """The promoted data type is listed, those of the inputs are not."""
    for one, other, status in (
        (ACL_UINT8, ACL_FLOAT16, OK),
        (ACL_UINT8, ACL_UINT8, INVALID),
        (ACL_INT16, ACL_INT32, OK),
    ):
        given = (Of((2,), one), Of((2,), other), TWO)
        assert status_of("aclnnRemainderTensorTensor", *given) == status
    assert status_of("aclnnFmodTensor", TWO, TWO, WHOLE) == OK  # (no check of the cast)
    assert status_of("aclnnFmodTensor", Of((2,), ACL_UINT8), Of((2,), ACL_INT8), TWO) == INVALID  # (they give INT16)
    for out, other, soc, status in (
        ((), (1,), A2, OK),
        ((1,), (), A2, OK),
        ((1,), (), A950, INVALID),
        ((1, 1), (1,), A2, INVALID),
    ):
        assert status_of("aclnnRemainderTensorTensor", Of(()), Of(other), Of(out), soc=soc) == status


def test_null_pointers() -> None:
    """The scalar of FmodScalar, and all of RemainderScalarTensor, are missed by an inner function."""
    assert status_of("aclnnFmodScalar", None, None, None) == NO_STEP
    assert status_of("aclnnFmodScalar", None, Number(1), None) == NULL
    assert status_of("aclnnRemainderScalarTensor", None, TWO, TWO) == NO_STEP
    assert status_of("aclnnDiv", None, None, TWO) == NULL


@pytest.mark.fidelity("complex scalar on a real tensor in Rsubs")
def test_a_complex_scalar_in_rsubs(machine: Machine) -> None:
    found = run(aclnnRsubs, np.array([1], np.float32), np.complex64(2 + 3j), np.float32(1), np.zeros(1, np.complex64))
    assert found[0] == 1 + 3j


# powers


def test_powers_of_integers(machine: Machine) -> None:
    base, exponent = np.array([2, -1, -1, 1, 3, 0], np.int32), np.array([-1, -3, -2, -5, 3, 0], np.int32)
    np.testing.assert_array_equal(run(aclnnPowTensorTensor, base, exponent, base), [0, -1, 1, 1, 27, 1])
    np.testing.assert_array_equal(
        run(aclnnPowTensorScalar, np.array([100], np.int8), np.int8(2), np.zeros(1, np.int8)), 16
    )


def test_powers_into_any_integer() -> None:
    for dtype in (ACL_UINT16, ACL_UINT32, ACL_UINT64):
        assert status_of("aclnnPowTensorTensor", WHOLE, WHOLE, Of((2,), dtype)) == OK
        assert status_of("aclnnPowTensorScalar", WHOLE, Number(2, np.int32), Of((2,), dtype)) == OK
        assert status_of("aclnnPowScalarTensor", Number(2, np.int32), WHOLE, Of((2,), dtype)) == OK
        assert status_of("aclnnPowTensorTensor", TWO, WHOLE, Of((2,), dtype)) == INVALID


def test_bool_to_the_power_of_bool() -> None:
    number = Number(True, np.bool_)
    for name, given in (
        ("TensorTensor", (BOOLS, BOOLS, WHOLE)), ("TensorScalar", (BOOLS, number, WHOLE)),
        ("ScalarTensor", (number, BOOLS, WHOLE)),
    ):  # fmt: skip
        assert status_of(f"aclnnPow{name}", *given) == INVALID
    assert status_of("aclnnInplacePowTensorScalar", BOOLS, number) == INVALID
    assert status_of("aclnnPowTensorTensor", BOOLS, WHOLE, WHOLE) == OK


@pytest.mark.parametrize(("soc", "status"), [(A2, OK), (TRAINING, INVALID), (INFERENCE, INVALID)])
def test_bfloat16_of_powers(soc: str, status: int) -> None:
    one, number = Of((2,), ACL_BF16), Number(2, np.float32)
    assert status_of("aclnnPowTensorTensor", one, one, one, soc=soc) == status
    assert status_of("aclnnPowTensorScalar", one, number, one, soc=soc) == status


def test_exponents_on_950() -> None:
    """An integer may neither be negative nor overflow; of an empty tensor nobody looks."""
    narrow = Of((2,), ACL_INT8)
    for value, tensor, status in (
        (2, narrow, OK),
        (-1, narrow, INVALID),
        (300, narrow, INVALID),
        (-1, Of((0,), ACL_INT8), OK),
    ):
        number = Number(value, np.int32)
        assert status_of("aclnnPowTensorScalar", tensor, number, tensor, soc=A950) == status
        assert status_of("aclnnInplacePowTensorScalar", tensor, number, soc=A950) == status
        assert status_of("aclnnPowTensorScalar", tensor, number, tensor) == OK


def test_a_double_exponent_needs_an_out_of_floats() -> None:
    """ "First C(P(t,s), out)": FLOAT16 to the power of a DOUBLE promotes to DOUBLE."""
    half, number = Of((2,), ACL_FLOAT16), Number(2, np.float64)
    assert status_of("aclnnPowTensorScalar", half, number, half) == OK
    assert status_of("aclnnPowTensorScalar", half, number, WHOLE) == INVALID
    assert status_of("aclnnPowTensorScalar", WHOLE, number, WHOLE) == INVALID


def test_the_type_of_a_power(machine: Machine) -> None:
    """A float tensor keeps its data type: the exponent is rounded to it."""
    x: Any = np.array([2.0], np.float16)
    rounded = np.float64(2.0) ** np.float64(np.float16(0.1))
    assert run(aclnnPowTensorScalar, x, np.float32(0.1), np.zeros(1, np.float32))[0] == np.float32(np.float16(rounded))
