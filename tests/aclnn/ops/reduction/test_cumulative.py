"""Cumsum, Cumprod, Cummax, Cummin: rules of their contracts that no table has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.helpers.refusals import Mistake, Number, Of, status_of

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
NAN = float("nan")


def test_self_of_cumsum_has_any_data_type_that_can_be_cast(machine: Machine) -> None:
    """ "self's type is not checked; it only has to be castable"; it is cast before it is added up."""
    found = run(aclnnCumsum, np.array([1.9, 1.9, True], np.float32), 0, ACL_INT32, np.empty(3, np.int32))
    assert found.tolist() == [1, 2, 3]
    assert status_of("aclnnCumsum", Of((3,), ACL_UINT16), 0, ACL_FLOAT, Of((3,))) == ACL_SUCCESS
    assert status_of("aclnnCumsum", Of((3,), ACL_STRING), 0, ACL_FLOAT, Of((3,))) == ACLNN_ERR_INNER_NULLPTR
    assert status_of("aclnnCumsum", Of((3,)), 0, ACL_INT32, Of((3,))) == INVALID


def test_sums_of_16_bits_are_rounded_once(machine: Machine) -> None:
    x = np.full(3000, 1, np.float16)
    assert run(aclnnCumsum, x, 0, ACL_FLOAT16, np.empty_like(x))[-1] == 3000


@pytest.mark.parametrize(
    ("exclusive", "reverse", "wanted"),
    [(False, False, [1, 3, 6]), (True, False, [0, 1, 3]), (False, True, [6, 5, 3]), (True, True, [5, 3, 0])],
)
def test_exclusive_and_reverse(machine: Machine, exclusive: bool, reverse: bool, wanted: list[int]) -> None:
    x = np.array([1, 2, 3], np.int32)
    assert run(aclnnCumsumV2, x, -1, exclusive, reverse, np.empty_like(x)).tolist() == wanted
    one = np.array(7, np.int32)
    assert run(aclnnCumsumV2, one, 0, exclusive, reverse, np.empty_like(one)) == (0 if exclusive else 7)


@pytest.mark.fidelity("aclnnCumprod: a null out, another dtype than that of out")
def test_what_cumprod_does_not_check() -> None:
    dim, out = Number(0, np.int64), Of((3,))
    for dtype, status in ((ACL_FLOAT, ACL_SUCCESS), (ACL_DT_UNDEFINED, ACL_SUCCESS), (ACL_INT32, INVALID)):
        assert status_of("aclnnCumprod", Of((3,)), dim, dtype, out) == status
    assert status_of("aclnnCumprod", Of((3,)), dim, ACL_FLOAT, None) == NULL


def test_the_dimension_of_cumprod_is_a_scalar() -> None:
    for dim, status in ((Number(1.0), INVALID), (Number(1, np.int32), INVALID), (Number(-1, np.int32), ACL_SUCCESS)):
        assert status_of("aclnnCumprod", Of((3,)), dim, ACL_FLOAT, Of((3,))) == status
        assert status_of("aclnnInplaceCumprod", Of((3,)), dim) == status


def test_the_input_of_cumprod_is_cast_first(machine: Machine) -> None:
    x = np.array([1.9, 2.9], np.float32)
    found = run(aclnnCumprod, x, np.int64(0), ACL_INT32, np.empty(2, np.int32))
    assert found.tolist() == [1, 2]


@pytest.mark.parametrize("function", [aclnnCummax, aclnnCummin], ids=lambda each: each.__name__)
@pytest.mark.fidelity("equal values and NaN in aclnnCummax and aclnnCummin")
def test_the_last_of_equal_values_and_nan_stays(machine: Machine, function: Any) -> None:
    x = np.array([2, 2, 1, 3, NAN, 5, NAN, 0], np.float32)
    values, places = run(function, x, 0, np.empty(8, np.float32), np.empty(8, np.int32))
    most = function is aclnnCummax
    assert np.array_equal(values, [2, 2, 2, 3, *[NAN] * 4] if most else [2, 2, 1, 1, *[NAN] * 4], equal_nan=True)
    assert places.tolist() == ([0, 1, 1, 3, 4, 4, 6, 6] if most else [0, 1, 2, 2, 4, 4, 6, 6])


def test_only_cummin_takes_a_0d_tensor(machine: Machine) -> None:
    outs = (Of(()), Of((), ACL_INT64))
    assert status_of("aclnnCummax", Of(()), 0, *outs) == INVALID
    one = np.array(3, np.float32)
    assert [each.item() for each in run(aclnnCummin, one, -1, one.copy(), np.ones((), np.int64))] == [3, 0]


def test_the_dimension_is_checked_before_data_types(machine: Machine) -> None:
    good = {"self": Of((2, 3)), "dim": 0, "valuesOut": Of((2, 3)), "indicesOut": Of((2, 3), ACL_INT64)}
    dim, other = Mistake("", INVALID, "dim", dim=2), Mistake("", INVALID, "self", self=Of((2, 3), ACL_STRING))
    for first in (aclnnCumminGetWorkspaceSize, aclnnCummaxGetWorkspaceSize):
        dim.found(first, good, other)
        other.found(first, good)


def test_bfloat16_of_cummin_is_listed_on_every_product_and_has_no_kernel_before_a2() -> None:
    half = Of((2, 3), ACL_BF16)
    assert status_of("aclnnCummin", half, 0, half, Of((2, 3), ACL_INT32), soc="Ascend310P3") == ACLNN_ERR_INNER_NULLPTR
    assert status_of("aclnnCummax", half, 0, half, Of((2, 3), ACL_INT32), soc="Ascend910A") == INVALID
