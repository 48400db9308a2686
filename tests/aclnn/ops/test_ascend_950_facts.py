"""Operators made from facts on Ascend 950, where their rules differ from those of A2."""

from __future__ import annotations

from ctypes import c_double, c_float, c_uint16
from typing import Any

import numpy as np
import pytest

import aclnn
from acl_runtime import *
from tests.aclnn.ops.case import A2, A950, board
from tests.helpers.builders import meta, on_device, plan, run


def pair(name: str) -> tuple[Any, Any]:
    return getattr(aclnn, f"{name}GetWorkspaceSize"), getattr(aclnn, name)


def number(value: Any, dtype: int) -> aclScalar:
    return aclCreateScalar(value, dtype)


BOTH = pytest.mark.parametrize("soc", [A2, A950], ids=["A2", "950"])


@BOTH
def test_a_scalar_that_is_not_exact_in_16_bits(soc: str) -> None:
    """Rule S2: f16 is kept only for exact values; rule S1 keeps it always. The result in FLOAT shows it."""
    with board(soc):
        x, out = on_device(np.ones(2, np.float16)), on_device(np.zeros(2, np.float32))
        run(*pair("aclnnAdds"), x, number(c_float(0.1), ACL_FLOAT), number(c_float(1), ACL_FLOAT), out)
        half: float = float(np.float16(1.1))
        assert out.read()[0] == (half if soc == A2 else np.float32(1.1))


@BOTH
def test_an_integer_tensor_and_a_double_scalar(soc: str) -> None:
    """Rule S2 reduces DOUBLE to FLOAT; rule S1 computes in DOUBLE."""
    with board(soc):
        x, out = on_device(np.ones(2, np.int64)), on_device(np.zeros(2, np.float64))
        run(*pair("aclnnMuls"), x, number(c_double(0.1), ACL_DOUBLE), out)
        assert out.read()[0] == (0.1 if soc == A2 else float(np.float32(0.1)))


def test_a_scalar_without_a_common_type_on_950() -> None:
    """ "950: type exists": BOOL and UINT16 have none. Muls checks nothing on A2."""
    for soc in (A2, A950):
        with board(soc):
            scalar = number(c_uint16(3), ACL_UINT16)
            planned = plan(pair("aclnnMuls")[0], meta((2,), ACL_BOOL), scalar, meta((2,)))
            assert (planned.status == ACLNN_ERR_PARAM_INVALID) == (soc == A950), planned.text


@BOTH
def test_the_output_of_a_product_and_of_a_quotient(soc: str) -> None:
    """Mul: "on 950 no check of out". Div: there an integer result counts as FLOAT."""
    newest = soc == A950
    with board(soc):
        x, whole = meta((2,)), meta((2,), ACL_INT32)
        assert (plan(pair("aclnnMul")[0], x, x, whole).status == ACL_SUCCESS) == newest
        assert (plan(pair("aclnnDiv")[0], whole, whole, whole).status == ACL_SUCCESS) != newest


@BOTH
def test_sub_with_alpha_stays_in_its_type_on_950(soc: str) -> None:
    """ "A2 Sub with alpha != 1: float P -> f32". The result in FLOAT shows the rounding."""
    with board(soc):
        x, y = (on_device(np.array([value], np.float16)) for value in (1.0, 0.0001))
        out = on_device(np.zeros(1, np.float32))
        run(*pair("aclnnSub"), x, y, number(c_float(2), ACL_FLOAT), out)
        exact = 1 - 2 * float(np.float16(0.0001))  # rounded to float32 below
        assert out.read()[0] == np.float32(exact if soc == A2 else float(np.float16(exact)))


@BOTH
@pytest.mark.parametrize("dtype", [ACL_UINT16, ACL_UINT32, ACL_UINT64])
def test_unsigned_integers_move_on_950_only(soc: str, dtype: int) -> None:
    """Sort, Cat, Nonzero and SplitTensor list UINT16, UINT32 and UINT64 there."""
    expected = ACL_SUCCESS if soc == A950 else ACLNN_ERR_PARAM_INVALID
    with board(soc):
        x, indices = meta((2, 2), dtype), meta((2, 2), ACL_INT64)
        assert plan(pair("aclnnSort")[0], x, False, 0, False, meta((2, 2), dtype), indices).status == expected
        assert plan(pair("aclnnNonzero")[0], x, meta((4, 2), ACL_INT64)).status == expected
        several = aclCreateTensorList([x, meta((2, 2), dtype)], 2)
        assert plan(pair("aclnnCat")[0], several, 0, meta((4, 2), dtype)).status == expected
        pieces = aclCreateTensorList([meta((1, 2), dtype), meta((1, 2), dtype)], 2)
        assert plan(pair("aclnnSplitTensor")[0], x, 1, 0, pieces).status == expected


def test_the_inner_cube_math_type_is_refused_on_950() -> None:
    """ "-1: A2/A3 only (950: P)"."""
    for soc, expected in ((A2, ACL_SUCCESS), (A950, ACLNN_ERR_PARAM_INVALID)):
        with board(soc):
            x = meta((2, 2), ACL_FLOAT16)
            assert plan(pair("aclnnMm")[0], x, x, meta((2, 2), ACL_FLOAT16), -1).status == expected


def test_a_cast_saturates_and_wraps_on_950() -> None:
    """INT32 to INT8 keeps the low bits on 950, and goes by way of FLOAT16 elsewhere; 300.0 becomes 44."""
    for soc, large in ((A2, 8), (A950, 9)):
        with board(soc):
            out = on_device(np.zeros(1, np.int8))
            run(*pair("aclnnCast"), on_device(np.array([0x1009], np.int32)), ACL_INT8, out)
            assert out.read()[0] == large
            run(*pair("aclnnCast"), on_device(np.array([300.0], np.float32)), ACL_INT8, out)
            assert out.read()[0] == 44
