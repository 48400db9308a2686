"""Max, Min, Amax, Amin, MaxV2, Aminmax; All and Any; Prod: rules of their contracts that no table has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.helpers.refusals import Of, status_of

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
A950, INFERENCE = "Ascend950PR_9599", "Ascend310P3"
X = np.array([[3, 1, 2], [-1, 5, 0]], np.float32)
VALUES = np.array([np.nan, np.inf, 0.0, -0.0, 1e-45], np.float32)


def test_out_of_max_may_have_another_data_type(machine: Machine) -> None:
    """ "the code casts the result to out": a float is truncated."""
    for dtype in (np.int32, np.float16, np.bool_):
        assert run(aclnnMax, X + 0.5, np.empty((), dtype)) == np.asarray(5.5).astype(dtype)
    assert run(aclnnMin, X, np.empty((1, 1), np.float32)).tolist() == [[-1]]


@pytest.mark.parametrize("name", ["aclnnAmax", "aclnnAmin"])
def test_a_reduced_dimension_has_elements(name: str) -> None:
    """Only dimensions that the list names count."""
    empty = Of((0, 3))
    assert status_of(name, empty, [0], False, Of((3,))) == INVALID
    assert status_of(name, empty, [-2], False, Of((3,))) == INVALID
    assert status_of(name, empty, [1], False, Of((0,))) == ACL_SUCCESS
    assert status_of(name, empty, [], False, Of(())) == ACL_SUCCESS


def test_one_element_does_not_stand_for_another_shape() -> None:
    """Max takes any shape of one element, Amax does not."""
    assert status_of("aclnnMax", Of((2, 3)), Of((1, 1, 1))) == ACL_SUCCESS
    assert status_of("aclnnAmax", Of((2, 3)), [], False, Of((1,))) == INVALID


def test_no_dims_of_max_v2(machine: Machine) -> None:
    assert run(aclnnMaxV2, X, [], False, False, np.empty((), np.float32)) == 5
    assert np.array_equal(run(aclnnMaxV2, X, [], False, True, np.empty((2, 3), np.float32)), X)


def test_no_dim_of_aminmax_is_no_dimension(machine: Machine) -> None:
    """ "an empty list reduces nothing"; several are reduced together."""
    for dims, low, high in (([], X, X), ([0], X.min(0), X.max(0)), ([1, 0], X.min(), X.max())):
        outs = np.empty(np.shape(low), np.float32), np.empty(np.shape(low), np.float32)
        found = run(aclnnAminmax, X, dims, False, *outs)
        assert [each.tolist() for each in found] == [low.tolist(), high.tolist()]


@pytest.mark.fidelity("several dimensions in aclnnAminmax")
@pytest.mark.parametrize(
    ("dims", "status"), [([2], INVALID), ([-3], INVALID), ([0, 2], NULL), ([0, -2], NULL), ([1], ACL_SUCCESS)], ids=str
)
def test_bad_dimensions_of_aminmax(dims: list[int], status: int) -> None:
    """ "dim must hold exactly one entry to be checked"; a failing step returns 161001."""
    assert status_of("aclnnAminmax", Of((2, 3)), dims, False, Of((2,)), Of((2,))) == status


def test_an_empty_self_of_aminmax_has_one_dim() -> None:
    for dims, status in (([0], INVALID), ([-2], ACL_SUCCESS), ([1], ACL_SUCCESS), ([], INVALID), ([0, 1], INVALID)):
        assert status_of("aclnnAminmax", Of((0, 3)), dims, False, Of((0,)), Of((0,))) == status
    for dim, status in ((0, INVALID), (-2, ACL_SUCCESS)):
        assert status_of("aclnnAminmaxDim", Of((0, 3)), dim, False, Of((3,)), Of((3,))) == status


@pytest.mark.fidelity("an empty self of aclnnAminmaxAll")
def test_an_empty_self_of_aminmax_all(machine: Machine) -> None:
    """Nothing is written: memory keeps the NaN that fills it."""
    outs = np.empty((), np.float32), np.empty((), np.float32)
    assert np.isnan(run(aclnnAminmaxAll, np.empty((0, 2), np.float32), *outs)).all()


@pytest.mark.parametrize(("function", "value"), [(aclnnAll, True), (aclnnAny, False)], ids=["All", "Any"])
@pytest.mark.parametrize("dtype", [np.bool_, np.uint8])
def test_truth_of_no_elements(machine: Machine, function: Any, value: bool, dtype: Any) -> None:
    """ "out filled with 1", "with 0"; out of Any may have any shape then."""
    assert run(function, np.empty((0, 2), np.float32), [0], False, np.full(2, not value, dtype)).tolist() == [value] * 2
    shape = (3, 4) if function is aclnnAny else (1, 1)
    keep = function is aclnnAll
    assert (run(function, np.empty((0, 2), np.float32), [], keep, np.full(shape, not value, dtype)) == value).all()


def test_nan_and_tiny_numbers_are_true(machine: Machine) -> None:
    truth = run(aclnnAny, VALUES[:, None], [1], False, np.empty(5, np.bool_))
    assert truth.tolist() == [True, True, False, False, True]
    assert run(aclnnAll, VALUES[[0, 1, 4]], [], False, np.empty((), np.bool_))


def test_any_takes_a_dimension_twice() -> None:
    """ "DIM without the duplicate test"."""
    assert status_of("aclnnAny", Of((2, 3)), [0, -2], False, Of((3,), ACL_BOOL)) == ACL_SUCCESS
    assert status_of("aclnnAll", Of((2, 3)), [0, -2], False, Of((3,), ACL_BOOL)) == INVALID


def test_products_of_nothing_are_1(machine: Machine) -> None:
    empty = np.empty((0, 2), np.int32)
    assert run(aclnnProdDim, empty, 0, False, ACL_INT32, np.zeros((5,), np.int32)).tolist() == [1] * 5
    assert status_of("aclnnProd", Of((0, 2)), ACL_COMPLEX64, Of((), ACL_COMPLEX64)) == INVALID


def test_factors_are_cast_before_they_are_multiplied(machine: Machine) -> None:
    """ "F32 self with dtype I32 truncates each factor"; out BOOL: product is not 0; integers wrap."""
    x = np.array([1.9, 2.9, -3.9], np.float32)
    assert run(aclnnProd, x, ACL_INT32, np.empty((), np.int32)) == -6
    assert run(aclnnProd, np.array([0.5, 0.25], np.float32), ACL_BOOL, np.empty((), np.bool_))
    wide = np.array([100, 100], np.int8)
    assert run(aclnnProd, wide, ACL_INT8, np.empty((), np.int8)) == np.int8(16)
    assert run(aclnnProd, np.array(1.9, np.float32), ACL_INT32, np.empty((), np.int32)) == 1


def test_a_product_needs_a_data_type() -> None:
    """ "ACL_DT_UNDEFINED: 161002 (out's type can never match)"."""
    assert status_of("aclnnProd", Of((2, 3)), ACL_DT_UNDEFINED, Of(())) == INVALID
    assert status_of("aclnnProd", Of((2, 3)), ACL_FLOAT, Of((1,))) == ACL_SUCCESS


def test_products_on_950_in_the_type_of_self() -> None:
    """FLOAT16 to FLOAT: the product is rounded to FLOAT16 first."""
    x = np.array([3.0, 683.0], np.float16)
    found = {}
    for soc in ("Ascend910B1", A950):
        with Machine(soc):
            found[soc] = run(aclnnProd, x, ACL_FLOAT, np.empty((), np.float32)).item()
    assert list(found.values()) == [2049, 2048]


def test_nansum_keeps_infinity_and_the_nan_of_a_0d_tensor(machine: Machine) -> None:
    x = np.array([np.nan, 1, np.inf], np.float32)
    assert run(aclnnReduceNansum, x, [], False, ACL_FLOAT, np.empty((), np.float32)) == np.inf
    both = np.array([np.inf, -np.inf], np.float32)
    assert np.isnan(run(aclnnReduceNansum, both, [], False, ACL_FLOAT, np.empty((), np.float32)))
    lone = np.array(np.nan, np.float32)
    assert np.isnan(run(aclnnReduceNansum, lone, [], False, ACL_FLOAT, np.empty((), np.float32)))
    assert run(aclnnReduceNansum, np.empty(0, np.float32), [], False, ACL_FLOAT, np.empty((), np.float32)) == 0


def test_nansum_on_950_has_floats_only() -> None:
    values = (Of((2, 3), ACL_INT32), [0], False, ACL_INT32, Of((3,), ACL_INT32))
    assert [status_of("aclnnReduceNansum", *values, soc=soc) for soc in ("Ascend910B1", A950, INFERENCE)] == [
        ACL_SUCCESS, INVALID, INVALID,
    ]  # fmt: skip
