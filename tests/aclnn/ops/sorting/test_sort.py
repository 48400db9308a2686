"""aclnnSort, by its contract among the sorting functions."""

from __future__ import annotations

from functools import cmp_to_key

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import *
from acl_runtime import Machine
from aclnn import aclnnSort, aclnnSortGetWorkspaceSize
from aclnn.testing import run
from tests.aclnn.ops.case import A2, INFERENCE, TRAINING, Meta, f32, i64
from tests.helpers.refusals import Mistake, answer, assert_order, assert_refused

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
FIRST = aclnnSortGetWorkspaceSize
GOOD = {
    "self": f32(2, 3), "stable": True, "dim": 1, "descending": False, "valuesOut": f32(2, 3), "indicesOut": i64(2, 3),
}  # fmt: skip
MISTAKES = [
    Mistake("null self", NULL, "self", self=None),
    Mistake("null valuesOut", NULL, "valuesOut", valuesOut=None),
    Mistake("null indicesOut", NULL, "indicesOut", indicesOut=None),
    Mistake("type of self", INVALID, "self", self=Meta((2, 3), ACL_DOUBLE)),
    Mistake("type of valuesOut", INVALID, "valuesOut", valuesOut=Meta((2, 3), ACL_UINT32)),
    Mistake("type of indicesOut", INVALID, "indicesOut", indicesOut=Meta((2, 3), ACL_INT32)),
    Mistake("axis", INVALID, "dim", dim=-3),
    Mistake("shape of valuesOut", INVALID, "valuesOut", valuesOut=f32(3, 2)),
    Mistake("shape of indicesOut", INVALID, "indicesOut", indicesOut=i64(2, 4)),
]


@pytest.mark.parametrize("mistake", MISTAKES, ids=str)
def test_a_mistake_is_refused(mistake: Mistake) -> None:
    assert_refused(FIRST, GOOD, mistake)


def test_the_first_mistake_wins() -> None:
    assert_order(FIRST, GOOD, MISTAKES)


def test_a_dimension_of_one_element_demands_equal_types_with_161001() -> None:
    """ "Axis length 1: values copied (type must match, else A)". Longer, the values are cast."""
    one = {"self": f32(2, 1), "valuesOut": Meta((2, 1), ACL_FLOAT16), "indicesOut": i64(2, 1)}
    found = answer(FIRST, GOOD, one)
    assert (found.status, "parameter: valuesOut" in found.text) == (ACLNN_ERR_PARAM_NULLPTR, True)
    assert answer(FIRST, GOOD, {"valuesOut": Meta((2, 3), ACL_FLOAT16)}).status == ACL_SUCCESS
    assert answer(FIRST, GOOD, {"valuesOut": Meta((2, 3), ACL_DOUBLE)}).status == ACL_SUCCESS


def test_any_number_of_dimensions_is_sorted() -> None:
    """ "Rank is not limited to 8"."""
    shape = (1,) * 9 + (3,)
    many = {"self": f32(*shape), "dim": 9, "valuesOut": f32(*shape), "indicesOut": i64(*shape)}
    assert answer(FIRST, GOOD, many).status == ACL_SUCCESS


@pytest.mark.parametrize(("soc", "status"), [(A2, ACL_SUCCESS), (INFERENCE, ACLNN_ERR_INNER_NULLPTR)])
def test_bfloat16_is_listed_everywhere_but_has_no_kernel_on_old_products(soc: str, status: int) -> None:
    half = Meta((2, 3), ACL_BF16)
    assert answer(FIRST, GOOD, {"self": half, "valuesOut": half}, soc).status == status


def in_order(values: np.ndarray, *, descending: bool) -> list[int]:
    """The places of the values, by comparisons: NaN is the largest, equal values keep their order."""

    def compare(one: int, other: int) -> int:
        a, b = float(values[one]), float(values[other])
        nans = (np.isnan(a), np.isnan(b))
        order = int(nans[0]) - int(nans[1]) if any(nans) else int(a > b) - int(a < b)
        return -order if descending else order

    return sorted(range(len(values)), key=cmp_to_key(compare))


@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16, np.int8, np.uint8, np.int32, np.int64, np.bool_])
@pytest.mark.parametrize("descending", [False, True], ids=["ascending", "descending"])
@pytest.mark.parametrize("stable", [False, True], ids=["unstable", "stable"])
def test_values_and_places_are_in_order(dtype: type, descending: bool, stable: bool) -> None:
    rng = np.random.default_rng(3)
    x = rng.integers(-2, 3, (40, 3)).astype(np.float32)
    if dtype in (np.float32, np.float16, bfloat16):
        x = np.where(rng.random(x.shape) < 0.2, rng.choice([np.nan, np.inf, -np.inf], x.shape), x)
    given = x.astype(dtype)
    places = np.stack([in_order(given[:, at], descending=descending) for at in range(3)], 1)
    with Machine():
        outs = np.empty_like(given.T).T, np.empty((40, 3), np.int64)
        values, indices = run(aclnnSort, given, stable, 0, descending, *outs)
    assert indices.tolist() == places.tolist()
    assert values.tobytes() == np.take_along_axis(given, places, 0).tobytes()


def test_zeros_of_both_signs_are_equal() -> None:
    x = np.array([0.0, -0.0, 0.0], np.float32)
    with Machine():
        for descending in (False, True):
            values, indices = run(aclnnSort, x, True, 0, descending, np.empty_like(x), np.empty(3, np.int64))
            assert indices.tolist() == [0, 1, 2]
            assert np.signbit(values).tolist() == [False, True, False]


@pytest.mark.parametrize("dim", [0, -1])
def test_a_tensor_without_dimensions_is_its_own_order(dim: int) -> None:
    seven, outs = np.array(7, np.float32), (np.empty((), np.float32), np.empty((), np.int64))
    with Machine():
        assert [each.item() for each in run(aclnnSort, seven, False, dim, True, *outs)] == [7, 0]


def test_float_is_sorted_as_float16_on_the_training_series() -> None:
    """ "910: aclnnSort computes f32 in f16": 2049 becomes 2048, and is equal to it then."""
    x = np.array([2049, 2048, 1], np.float32)
    found = {}
    for soc in (A2, TRAINING):
        with Machine(soc):
            values, indices = run(aclnnSort, x, True, 0, False, np.empty(3, np.float32), np.empty(3, np.int64))
            found[soc] = values.tolist(), indices.tolist()
    assert found[A2] == ([1, 2048, 2049], [2, 1, 0])
    assert found[TRAINING] == ([1, 2048, 2048], [2, 0, 1])


def test_an_empty_tensor_needs_no_work() -> None:
    found = answer(FIRST, GOOD, {"self": f32(2, 0), "valuesOut": f32(2, 0), "indicesOut": i64(2, 0)})
    assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0)
