"""Softmax and LogSoftmax: values against the definition with math.fsum, refusals in their order, special inputs."""

from __future__ import annotations

from math import exp, fsum, log
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.helpers.refusals import Mistake, Of, pairs, planned_with, rules

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
BOTH = [aclnnSoftmax, aclnnLogSoftmax]
FLOATS = (np.float32, np.float16, bfloat16, np.float64)
STEP = {np.float32: 2.0**-23, np.float16: 2.0**-11, bfloat16: 2.0**-8, np.float64: 2.0**-52}


def exact(x: np.ndarray, axis: int, *, logarithm: bool) -> np.ndarray:
    """Each row by itself, with exact sums of exponentials."""

    def row(values: np.ndarray) -> np.ndarray:
        most = max(values)
        whole = fsum(exp(each - most) for each in values)
        return np.array([each - most - log(whole) if logarithm else exp(each - most) / whole for each in values])

    return np.apply_along_axis(row, axis, x.astype(np.float64))


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda each: np.dtype(each).name)
@pytest.mark.parametrize("function", BOTH, ids=lambda each: each.__name__)
def test_values_along_each_dimension(machine: Machine, function: Any, dtype: Any) -> None:
    rng = np.random.default_rng(11)
    for shape in [(1,), (9,), (3, 5), (2, 1, 4), (2, 3, 2, 3)]:
        for dim in range(-len(shape), len(shape)):
            x = (rng.standard_normal(shape) * 5).astype(dtype)
            x = np.asfortranarray(x) if rng.integers(2) else x
            found = run(function, x, dim, np.empty_like(x)).astype(np.float64)
            wanted = exact(x, dim, logarithm=function is aclnnLogSoftmax)
            spread = 1 + np.ptp(x.astype(np.float64))  # a difference to the largest number is rounded
            size = 1 if function is aclnnLogSoftmax else wanted + 2.0**-13 * (dtype == np.float16)
            assert (np.abs(found - wanted) <= STEP[dtype] * spread * size).all()


@pytest.mark.parametrize("function", BOTH, ids=lambda each: each.__name__)
@pytest.mark.parametrize("dim", [0, -1])
def test_0d_counts_as_one_dimension(machine: Machine, function: Any, dim: int) -> None:
    """ "Softmax result 1, LogSoftmax 0"."""
    assert run(function, np.array(5, np.float32), dim, np.empty((), np.float32)) == (function is aclnnSoftmax)


def test_softmax_is_computed_in_the_type_of_self_and_log_softmax_in_that_of_out(machine: Machine) -> None:
    x = np.array([0.1, 0.7, -2], np.float16)
    out = np.empty(3, np.float32)
    rounded = exact(x, 0, logarithm=False).astype(np.float16)
    np.testing.assert_array_equal(run(aclnnSoftmax, x, 0, out), rounded.astype(np.float32))
    np.testing.assert_allclose(run(aclnnLogSoftmax, x, 0, out), exact(x, 0, logarithm=True), rtol=1e-6)
    wide = np.array([0.1, 0.7, -2], np.float32)  # cast to FLOAT16 before
    found = run(aclnnLogSoftmax, wide, 0, np.empty(3, np.float16))
    np.testing.assert_array_equal(found, exact(x, 0, logarithm=True).astype(np.float16))


def test_large_numbers_do_not_overflow(machine: Machine) -> None:
    x = np.array([3e38, 3e38, -3e38], np.float32)
    np.testing.assert_array_equal(run(aclnnSoftmax, x, 0, np.empty_like(x)), [0.5, 0.5, 0])
    found = run(aclnnLogSoftmax, np.array([10000, 10001], np.float32), 0, np.empty(2, np.float32))
    np.testing.assert_allclose(found, [-1.3132616, -0.3132617], rtol=1e-6)


@pytest.mark.parametrize("function", BOTH, ids=lambda each: each.__name__)
@pytest.mark.parametrize("row", [(-np.inf, -np.inf), (1, np.nan), (np.inf, 1)], ids=str)
def test_rows_without_a_finite_largest_number_are_nan(machine: Machine, function: Any, row: tuple[float, ...]) -> None:
    """ "A row of all -Inf: max is -Inf, x-m = NaN"; other rows are not touched by it."""
    x = np.array([row, (0, 0)], np.float32)
    found = run(function, x, 1, np.empty_like(x))
    assert np.isnan(found[0][-1 if row[0] == 1 else 0])
    assert np.isfinite(found[1]).all()


@pytest.mark.parametrize("function", BOTH, ids=lambda each: each.__name__)
@pytest.mark.parametrize("dtype", [np.float32, np.float16], ids=lambda each: each.__name__)
def test_large_tensors_have_the_values_of_their_rows(machine: Machine, function: Any, dtype: Any) -> None:
    x = np.random.default_rng(12).standard_normal((600, 700)).astype(dtype)
    found = run(function, x, 1, np.empty_like(x))
    for row in (0, 299, 599):
        alone = run(function, x[row].copy(), 0, np.empty(700, dtype))
        if dtype == np.float16:
            np.testing.assert_array_equal(found[row], alone)
        else:  # sums in another order
            np.testing.assert_allclose(found[row], alone, rtol=1e-6)


def test_an_empty_self_of_softmax_ends_the_checks(machine: Machine) -> None:
    """ "empty self: success at once, nothing else checked"."""
    values = {"self": Of((0, 3), ACL_INT32), "dim": 9, "out": Of((5,), ACL_BOOL)}
    planned = planned_with(aclnnSoftmaxGetWorkspaceSize, values)
    assert (planned.status, planned.workspace_size) == (ACL_SUCCESS, 0)
    assert planned_with(aclnnLogSoftmaxGetWorkspaceSize, values).status == INVALID
    right = {"self": Of((0, 3)), "dim": 1, "out": Of((0, 3))}
    planned = planned_with(aclnnLogSoftmaxGetWorkspaceSize, right)
    assert (planned.status, planned.workspace_size) == (ACL_SUCCESS, 0)


GOOD: dict[str, Any] = {"self": Of((2, 3)), "dim": 1, "out": Of((2, 3))}
NULLS = [Mistake("self is null", NULL, "self", self=None), Mistake("out is null", NULL, "out", out=None)]
TYPES = [
    Mistake("self has a type of the list", INVALID, "self", self=Of((2, 3), ACL_INT32)),
    Mistake("out has a type of the list", INVALID, "out", out=Of((2, 3), ACL_INT32)),
]
DIM = [
    Mistake("dim is not above the rank", INVALID, "dim", dim=9),
    Mistake("dim is not below minus the rank", INVALID, "dim", dim=-10),
]
SHAPES = [
    Mistake("self has at most 8 dimensions", INVALID, "self", self=Of((1,) * 9)),
    Mistake("out has the shape of self", INVALID, "out", out=Of((3, 2))),
]
OF_SOFTMAX, OF_LOG_SOFTMAX = [*NULLS, *TYPES, *DIM, *SHAPES], [*NULLS, *DIM, *TYPES, *SHAPES]
FIRST = {"Softmax": aclnnSoftmaxGetWorkspaceSize, "LogSoftmax": aclnnLogSoftmaxGetWorkspaceSize}


@pytest.mark.parametrize("name", FIRST)
@pytest.mark.parametrize("mistake", OF_SOFTMAX, ids=rules)
def test_refusals(machine: Machine, name: str, mistake: Mistake) -> None:
    assert planned_with(FIRST[name], GOOD).status == ACL_SUCCESS
    mistake.found(FIRST[name], GOOD)


@pytest.mark.parametrize(("one", "other"), pairs(OF_SOFTMAX))
def test_softmax_refuses_in_order(machine: Machine, one: Mistake, other: Mistake) -> None:
    one.found(FIRST["Softmax"], GOOD, other)


@pytest.mark.parametrize(("one", "other"), pairs(OF_LOG_SOFTMAX))
def test_log_softmax_refuses_in_order(machine: Machine, one: Mistake, other: Mistake) -> None:
    one.found(FIRST["LogSoftmax"], GOOD, other)


@pytest.mark.parametrize("soc", ["Ascend310P3", "Ascend910A"])
def test_bfloat16_is_refused_before_a2(soc: str) -> None:
    with Machine(soc=soc):
        aclrtSetDevice(0)
        for first in FIRST.values():
            Mistake("", INVALID, "self", self=Of((2, 3), ACL_BF16)).found(first, GOOD)
