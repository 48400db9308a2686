"""Argsort, Topk; ArgMax, ArgMin, MaxDim, MinDim; Kthvalue and medians: rules that no table has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.helpers.refusals import Mistake, Of, pairs, planned_with, rules, status_of

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
A2, A950, TRAINING, INFERENCE = "Ascend910B1", "Ascend950PR_9599", "Ascend910A", "Ascend310P3"
NAN = float("nan")
I64 = ACL_INT64
X = np.array([2, NAN, 3, 2, NAN, 1], np.float32)


def both(function: Any, x: np.ndarray, *values: Any, shape: tuple[int, ...] = (), soc: str = A2) -> tuple[Any, Any]:
    """Values and positions."""
    with Machine(soc):
        found = run(function, x, *values, np.empty(shape, x.dtype), np.empty(shape, np.int64))
    return found[0].tolist(), found[1].tolist()


ARGSORT: dict[str, Any] = {"self": Of((2, 3)), "dim": 0, "descending": False, "out": Of((2, 3), I64)}
OF_ARGSORT = [
    Mistake("self is null", NULL, "self", self=None),
    Mistake("dim is a dimension", INVALID, "dim", dim=2),
    Mistake("the type of self is listed", INVALID, "self", self=Of((2, 3), ACL_BOOL)),
    Mistake("out is INT64", INVALID, "out", out=Of((2, 3), ACL_INT32)),
    Mistake("out has the shape of self", INVALID, "out", out=Of((3, 2), I64)),
]


@pytest.mark.parametrize(("one", "other"), pairs(OF_ARGSORT))
def test_argsort_looks_at_the_dimension_before_the_types(machine: Machine, one: Mistake, other: Mistake) -> None:
    assert planned_with(aclnnArgsortGetWorkspaceSize, ARGSORT).status == ACL_SUCCESS
    one.found(aclnnArgsortGetWorkspaceSize, ARGSORT, other)


TOPK: dict[str, Any] = {
    "self": Of((2, 3)), "k": 2, "dim": 1, "largest": True, "sorted": True, "valuesOut": Of((2, 2)),
    "indicesOut": Of((2, 2), I64),
}  # fmt: skip
OF_TOPK = [
    Mistake("self is null", NULL, "self", self=None),
    Mistake("dim is a dimension", INVALID, "dim", dim=-3),
    Mistake("k is at most the length", INVALID, "k", k=4),
    Mistake("the type of self is listed", INVALID, "self", self=Of((2, 3), ACL_BOOL)),
    Mistake("values have the type of self", INVALID, "valuesOut", valuesOut=Of((2, 2), ACL_INT32)),
    Mistake("positions are INT64", INVALID, "indicesOut", indicesOut=Of((2, 2), ACL_INT32)),
    Mistake("values have k elements", INVALID, "valuesOut", valuesOut=Of((2, 3))),
    Mistake("positions have k elements", INVALID, "indicesOut", indicesOut=Of((2, 3), I64)),
]


@pytest.mark.parametrize("mistake", OF_TOPK, ids=rules)
def test_topk_refuses(machine: Machine, mistake: Mistake) -> None:
    assert planned_with(aclnnTopkGetWorkspaceSize, TOPK).status == ACL_SUCCESS
    mistake.found(aclnnTopkGetWorkspaceSize, TOPK)


@pytest.mark.parametrize(("one", "other"), pairs(OF_TOPK))
def test_topk_refuses_in_order(machine: Machine, one: Mistake, other: Mistake) -> None:
    one.found(aclnnTopkGetWorkspaceSize, TOPK, other)


@pytest.mark.fidelity("order of equal values in aclnnArgsort and aclnnTopk")
def test_equal_values_stay_in_order_and_nan_is_the_largest() -> None:
    places = [0, 3, 5, 2, 1, 4]
    with Machine():
        assert run(aclnnArgsort, X, 0, True, np.empty(6, np.int64)).tolist() == [1, 4, 2, 0, 3, 5]
        assert run(aclnnArgsort, X, 0, False, np.empty(6, np.int64)).tolist() == [5, 0, 3, 2, 1, 4]
        assert run(aclnnArgsort, np.array(1, np.float32), -1, False, np.ones((), np.int64)) == 0
    assert both(aclnnTopk, X, 4, 0, True, False, shape=(4,))[1] == [1, 4, 2, 0]
    assert both(aclnnTopk, X, 3, -1, False, True, shape=(3,)) == ([1, 2, 2], [5, *places[:2]])


def test_k_of_0_and_of_a_0d_tensor() -> None:
    assert status_of("aclnnTopk", Of((2, 3)), 0, 1, True, True, Of((2, 0)), Of((2, 0), I64)) == ACL_SUCCESS
    assert both(aclnnTopk, np.array(5, np.float32), 1, -1, True, True) == (5, 0)
    assert status_of("aclnnTopk", Of(()), 2, 0, True, True, Of(()), Of((), I64)) == INVALID


def test_one_bfloat16_is_no_dimension_to_sort() -> None:
    """Refused before the data types, and not on Ascend 950."""
    half = Of((1, 3), ACL_BF16)
    for soc, status in ((A2, INVALID), (A950, ACL_SUCCESS)):
        assert status_of("aclnnArgsort", half, 0, False, Of((1, 3), I64), soc=soc) == status
        kth = status_of("aclnnKthvalue", half, 1, 0, True, half, Of((1, 3), I64), soc=soc)
        assert kth == (ACLNN_ERR_INNER_NULLPTR if soc == A2 else ACL_SUCCESS)
    assert status_of("aclnnMedian", Of((3, 1), ACL_BF16), Of((), ACL_BF16), soc=A950) == INVALID
    outs = Of((3,), ACL_BF16), Of((3,), I64)
    assert status_of("aclnnMedianDim", half, 0, False, *outs, soc=A950) == INVALID


def test_topk_is_computed_in_float16_on_the_training_series() -> None:
    """ "when numel <= 32768 or k >= 8"."""
    x = np.array([2048, 2049], np.float32)
    assert both(aclnnTopk, x, 1, 0, True, True, shape=(1,), soc=TRAINING) == ([2048], [0])
    assert both(aclnnTopk, x, 1, 0, True, True, shape=(1,)) == ([2049], [1])


@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16], ids=lambda each: np.dtype(each).name)
def test_the_first_nan_wins_and_the_first_of_equal_elements(dtype: Any) -> None:
    for x, most, least in ((X, 1, 1), (np.array([2, 3, 1, 3, 1]), 1, 2)):
        given = x.astype(np.float32).astype(dtype)
        with Machine():
            assert run(aclnnArgMax, given, 0, False, np.empty((), np.int32)) == most
            assert run(aclnnArgMin, given, -1, True, np.empty((1,), np.int64)) == least
        assert both(aclnnMaxDim, given, 0, False)[1] == most
        assert both(aclnnMinDim, given, 0, False)[1] == least


def test_an_empty_dimension_of_positions() -> None:
    """ArgMin refuses it, ArgMax and MaxDim have nothing to do."""
    empty, out = Of((0, 3)), Of((3,), I64)
    assert status_of("aclnnArgMax", empty, 0, False, out) == ACL_SUCCESS
    assert status_of("aclnnArgMin", empty, 0, False, out) == INVALID
    assert status_of("aclnnArgMin", empty, 1, False, Of((0,), I64)) == ACL_SUCCESS
    assert status_of("aclnnMaxDim", empty, 0, False, Of((3,)), out) == ACL_SUCCESS


def test_data_types_of_positions() -> None:
    """ArgMin lists them, ArgMax and MaxDim cast to any."""
    for dtype, argmin in ((ACL_INT32, ACL_SUCCESS), (ACL_FLOAT, INVALID)):
        assert status_of("aclnnArgMax", Of((2, 3)), 0, False, Of((3,), dtype)) == ACL_SUCCESS
        assert status_of("aclnnArgMin", Of((2, 3)), 0, False, Of((3,), dtype)) == argmin
        assert status_of("aclnnMaxDim", Of((2, 3)), 0, False, Of((3,)), Of((3,), dtype)) == ACL_SUCCESS
    assert status_of("aclnnMaxDim", Of((2, 3)), 0, False, Of((3,)), Of((3,), ACL_STRING)) == NULL
    assert status_of("aclnnMaxDim", Of((2, 3)), 0, False, Of((2,)), Of((2,), I64)) == INVALID


def test_int64_is_compared_in_float_on_inference_products() -> None:
    x = np.array([2**24, 2**24 + 1], np.int64)
    assert both(aclnnMaxDim, x, 0, False, soc=INFERENCE) == (2**24, 0)
    assert both(aclnnMaxDim, x, 0, False) == (2**24 + 1, 1)


def test_the_kth_value_counts_from_1() -> None:
    for k, wanted in ((1, (1, 5)), (2, (2, 0)), (3, (2, 3)), (4, (3, 2)), (5, (NAN, 1))):
        found = both(aclnnKthvalue, X, k, 0, False)
        assert np.array_equal(found, wanted, equal_nan=True)
    for k in (0, 7):
        assert status_of("aclnnKthvalue", Of((6,)), k, 0, False, Of(()), Of((), I64)) == INVALID


def test_medians_and_nan() -> None:
    """Median is NaN if one is, at the first NaN; on Ascend 950 MedianDim takes NaN for the largest value."""
    assert np.array_equal(both(aclnnMedianDim, X, 0, False), (NAN, 1), equal_nan=True)
    assert both(aclnnMedianDim, X, 0, False, soc=A950) == (2, 3)
    assert both(aclnnNanMedianDim, X, 0, False) == (2, 0)
    assert both(aclnnMedianDim, X[2:4], 0, False) == (2, 1)  # the lower one
    for soc in (A2, A950):
        with Machine(soc):
            assert np.isnan(run(aclnnMedian, X, np.empty((), np.float32)))
            assert run(aclnnNanMedian, X, np.empty((1,), np.float32)) == 2


@pytest.mark.fidelity("medians without a number")
def test_medians_without_a_number(machine: Machine) -> None:
    nans = np.full(3, NAN, np.float32)
    values, places = run(aclnnNanMedianDim, nans, 0, False, np.empty((), np.float32), np.ones((), np.int64))
    assert (np.isnan(values), places) == (True, 0)
    assert run(aclnnNanMedian, np.empty(0, np.int32), np.ones((), np.int32)) == 0


@pytest.mark.parametrize(
    ("dtype", "value"), [(np.float32, NAN), (np.int64, -(2**63)), (np.int32, -(2**31)), (np.int16, 0), (np.uint8, 0)]
)
def test_the_median_of_nothing(machine: Machine, dtype: Any, value: float) -> None:
    found = run(aclnnMedian, np.empty((0, 2), dtype), np.ones((), dtype))
    assert np.array_equal(found, np.asarray(value, dtype), equal_nan=True)


def test_an_empty_dimension_of_medians() -> None:
    outs = Of((3,)), Of((3,), I64)
    assert status_of("aclnnMedianDim", Of((0, 3)), 0, False, *outs) == ACL_SUCCESS
    assert status_of("aclnnNanMedianDim", Of((0, 3)), 0, False, *outs) == INVALID
    assert status_of("aclnnNanMedianDim", Of((0, 3)), 1, False, Of((0,)), Of((0,), I64)) == ACL_SUCCESS


def test_ranks_of_medians() -> None:
    """ "rank of valuesOut and indicesOut == rank or rank - 1"."""
    assert status_of("aclnnMedianDim", Of((1, 3)), 1, True, Of((1, 1, 1)), Of((1, 1), I64)) == INVALID
    assert status_of("aclnnMedianDim", Of((1, 3)), 1, True, Of((1,)), Of((1, 1), I64)) == ACL_SUCCESS
    assert both(aclnnMedianDim, np.array(4, np.int32), -1, True) == (4, 0)
