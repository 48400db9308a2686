"""ReduceSum and Mean: values against loops in exact arithmetic, refusals in their order, what empty tensors give."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.headers.dtypes import data_type_of
from aclnn import *
from aclnn.testing import run
from tests.helpers.refusals import Mistake, Of, pairs, planned_with, rules

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
SHAPES = [(1,), (7,), (3, 4), (2, 1, 3), (2, 3, 2, 2)]


def groups(shape: tuple[int, ...], dims: tuple[int, ...], keep: bool) -> tuple[tuple[int, ...], dict[Any, list[Any]]]:
    """The shape of the result, and the places of the elements that come together in each of its elements."""
    over = {dim % len(shape) for dim in dims} or set(range(len(shape)))
    left = tuple(1 if at in over else size for at, size in enumerate(shape) if keep or at not in over)
    found: dict[Any, list[Any]] = {place: [] for place in np.ndindex(*left)}
    for place in np.ndindex(*shape):
        target = tuple(0 if at in over else place[at] for at in range(len(shape)) if keep or at not in over)
        found[target].append(place)
    return left, found


def reduced(function: Any, x: np.ndarray, dims: Any, keep: bool, dtype: Any, out: Any = None) -> np.ndarray:
    over = {dim % x.ndim for dim in dims} or set(range(x.ndim))
    shape = tuple(1 if at in over else size for at, size in enumerate(x.shape) if keep or at not in over)
    return run(function, x, list(dims), keep, data_type_of(np.dtype(dtype)), np.empty(shape, out or dtype))


def all_dims(rank: int) -> list[tuple[int, ...]]:
    return [dims for count in range(rank + 1) for dims in combinations(range(rank), count)]


CASES = [(shape, dims, keep) for shape in SHAPES for dims in all_dims(len(shape)) for keep in (False, True)]


@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16, np.float64], ids=lambda each: np.dtype(each).name)
def test_float_sums_and_means_are_the_exact_ones_rounded(machine: Machine, dtype: Any) -> None:
    rng = np.random.default_rng(5)
    for shape, dims, keep in CASES:
        x = rng.standard_normal(shape).astype(np.float32).astype(dtype)
        x = x if rng.integers(2) else np.asfortranarray(x)
        sums, means = (reduced(each, x, dims, keep, dtype) for each in (aclnnReduceSum, aclnnMean))
        left, found = groups(shape, dims, keep)
        assert sums.shape == means.shape == left
        for place, places in found.items():
            exact = sum(Fraction(float(x[each])) for each in places)
            magnitude = sum(abs(float(x[each])) for each in places)
            bound = magnitude * (4e-7 if dtype != np.float64 else 1e-15)
            step = np.finfo(np.float32 if dtype == np.float32 else np.float64).eps
            narrow = {np.float16: 2.0**-11, bfloat16: 2.0**-8}.get(dtype, step)
            assert abs(float(sums[place]) - exact) <= bound + abs(exact) * narrow
            average = exact / len(places)
            assert abs(float(means[place]) - average) <= bound / len(places) + abs(average) * narrow + 2.0**-25


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.int64], ids=lambda each: each.__name__)
def test_integer_sums_wrap_and_means_are_divided_toward_zero(machine: Machine, dtype: Any) -> None:
    rng = np.random.default_rng(6)
    ends = np.iinfo(dtype)
    for shape, dims, keep in CASES:
        x = rng.integers(ends.min, ends.max, shape, dtype, endpoint=True)
        sums, means = (reduced(each, x, dims, keep, dtype) for each in (aclnnReduceSum, aclnnMean))
        for place, places in groups(shape, dims, keep)[1].items():
            exact = sum(int(x[each]) for each in places)
            wrapped = (exact - ends.min) % (ends.max - ends.min + 1) + ends.min
            assert sums[place] == wrapped
            assert means[place] == int(Fraction(wrapped, len(places)))


def test_complex_sums_add_both_parts(machine: Machine) -> None:
    x = np.array([[1 + 2j, 3 - 1j], [-1j, 4]], np.complex64)
    np.testing.assert_array_equal(reduced(aclnnReduceSum, x, (0,), False, np.complex64), [1 + 1j, 7 - 1j])
    np.testing.assert_array_equal(reduced(aclnnMean, x, (), False, np.complex128), 2)


def test_elements_are_cast_before_they_are_added(machine: Machine) -> None:
    """ "F32 self with dtype I32 is legal, elements are truncated first, then added"."""
    x = np.array([0.9, 0.9, -0.9, 1.9], np.float32)
    assert reduced(aclnnReduceSum, x, (), False, np.int32) == 1


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.bool_, np.complex64], ids=lambda each: each.__name__)
def test_dtype_bool_asks_for_any(machine: Machine, dtype: Any) -> None:
    x = np.array([[0, 0, 0], [0, 3, 1]]).astype(dtype)
    np.testing.assert_array_equal(reduced(aclnnReduceSum, x, (1,), False, np.bool_), [False, True])


def test_bool_counts_in_int64(machine: Machine) -> None:
    assert reduced(aclnnReduceSum, np.ones((5, 9), np.bool_), (), False, np.int64) == 45


def test_mean_is_computed_in_dtype_and_then_cast(machine: Machine) -> None:
    """An integer mean is whole, although out is a float."""
    x = np.array([1, 2], np.int32)
    assert reduced(aclnnMean, x, (), False, np.int32, np.float32) == 1
    assert reduced(aclnnMean, x, (), False, np.float32) == 1.5


@pytest.mark.parametrize("function", [aclnnReduceSum, aclnnMean], ids=lambda each: each.__name__)
@pytest.mark.parametrize("dims", [[], [0], [-1]], ids=str)
def test_0d_is_its_own_sum(machine: Machine, function: Any, dims: list[int]) -> None:
    assert run(function, np.array(2.5, np.float32), dims, True, ACL_FLOAT, np.empty((), np.float32)) == 2.5
    assert run(function, np.array(2.5, np.float32), dims, False, ACL_FLOAT, np.empty((1, 1), np.float32)) == 2.5


@pytest.mark.parametrize("function", [aclnnReduceSum, aclnnMean], ids=lambda each: each.__name__)
def test_one_element_may_have_any_shape(machine: Machine, function: Any) -> None:
    """ "out equals the reduced shape, or both hold exactly one element whatever the rank"."""
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for shape in ((), (1,), (1, 1), (1, 1, 1)):
        result = run(function, x, [], False, ACL_FLOAT, np.empty(shape, np.float32))
        assert result.shape == shape
        assert result.item() == (15 if function is aclnnReduceSum else 2.5)


@pytest.mark.parametrize(
    ("function", "dtype", "value"),
    [
        (aclnnReduceSum, np.float32, 0), (aclnnReduceSum, np.int8, 0), (aclnnReduceSum, np.bool_, 0),
        (aclnnMean, np.float32, np.nan), (aclnnMean, np.float16, np.nan), (aclnnMean, np.int32, 0),
    ],
    ids=lambda each: getattr(each, "__name__", str(each)),
)  # fmt: skip
def test_an_empty_self_fills_out_of_any_shape(machine: Machine, function: Any, dtype: Any, value: float) -> None:
    x, data_type = np.empty((2, 0), dtype), data_type_of(np.dtype(dtype))
    for shape in ((2,), (3, 4)):
        np.testing.assert_array_equal(run(function, x, [1], False, data_type, np.ones(shape, dtype)), value)
    assert run(function, x, [0], False, data_type, np.ones((0,), dtype)).size == 0


def test_large_sums_in_tiles_have_the_bound(machine: Machine) -> None:
    x = np.random.default_rng(7).standard_normal((1024, 513)).astype(np.float32)
    for dims in ((0,), (1,), ()):
        exact = x.astype(np.float64).sum(dims or None)
        bound = np.abs(x.astype(np.float64)).sum(dims or None) * 2.0**-23
        assert (np.abs(reduced(aclnnReduceSum, x, dims, False, np.float32) - exact) <= bound).all()
    whole = np.random.default_rng(7).integers(-(2**31), 2**31, (1024, 513)).astype(np.int32)
    wrapped = whole.astype(np.int64).sum(0).astype(np.int32)
    np.testing.assert_array_equal(reduced(aclnnReduceSum, whole, (0,), False, np.int32), wrapped)


SUM: dict[str, Any] = {
    "self": Of((2, 3)), "dims": [1], "keepDims": False, "dtype": ACL_FLOAT, "out": Of((2,)),
}  # fmt: skip
MEAN = {"self": SUM["self"], "dim": [1], "keepDim": False, "dtype": ACL_FLOAT, "out": Of((2,))}
OF_SUM = [
    Mistake("self is null", NULL, "self", self=None),
    Mistake("dims is null", NULL, "dims", dims=None),
    Mistake("out is null", NULL, "out", out=None),
    Mistake("self has a type of the list", INVALID, "self", self=Of((2, 3), ACL_UINT16)),
    Mistake("out has a type of the list", INVALID, "out", out=Of((2,), ACL_UINT16)),
    Mistake("dtype is in the list", INVALID, "dtype", dtype=ACL_UINT16),
    Mistake("dtype is a data type", INVALID, "dtype", dtype=ACL_DT_UNDEFINED),
    Mistake("out has the type dtype", INVALID, "out", dtype=ACL_INT32),
    Mistake("self has at most 8 dimensions", INVALID, "self", self=Of((1,) * 9)),
    Mistake("dims are dimensions of self", INVALID, "dims", dims=[2]),
    Mistake("dims count from the end", INVALID, "dims", dims=[-3]),
    Mistake("no dimension comes twice", INVALID, "dims", dims=[1, -1]),
    Mistake("out has the reduced shape", INVALID, "out", out=Of((3,))),
]
OF_MEAN = [
    Mistake("self is null", NULL, "self", self=None),
    Mistake("dim is null", NULL, "dim", dim=None),
    Mistake("out is null", NULL, "out", out=None),
    Mistake("self is no BOOL", INVALID, "self", self=Of((2, 3), ACL_BOOL)),
    Mistake("dtype is in the list", INVALID, "dtype", dtype=ACL_BOOL),
    Mistake("out is no BOOL", INVALID, "out", out=Of((2,), ACL_BOOL)),
    Mistake("self can be cast to dtype", INVALID, "dtype", dtype=ACL_INT32),
    Mistake("dtype can be cast to out", INVALID, "out", out=Of((2,), ACL_INT32)),
    Mistake("dim are dimensions of self", INVALID, "dim", dim=[0, 9]),
    Mistake("self has at most 8 dimensions", INVALID, "self", self=Of((1,) * 9)),
    Mistake("out has at most 8 dimensions", INVALID, "out", out=Of((1,) * 9)),
    Mistake("out has the reduced shape", INVALID, "out", out=Of((1, 2))),
]


@pytest.mark.parametrize("mistake", OF_SUM, ids=rules)
def test_reduce_sum_refuses(machine: Machine, mistake: Mistake) -> None:
    assert planned_with(aclnnReduceSumGetWorkspaceSize, SUM).status == ACL_SUCCESS
    mistake.found(aclnnReduceSumGetWorkspaceSize, SUM)


@pytest.mark.parametrize(("one", "other"), pairs(OF_SUM))
def test_reduce_sum_refuses_in_order(machine: Machine, one: Mistake, other: Mistake) -> None:
    one.found(aclnnReduceSumGetWorkspaceSize, SUM, other)


@pytest.mark.parametrize("mistake", OF_MEAN, ids=rules)
def test_mean_refuses(machine: Machine, mistake: Mistake) -> None:
    assert planned_with(aclnnMeanGetWorkspaceSize, MEAN).status == ACL_SUCCESS
    mistake.found(aclnnMeanGetWorkspaceSize, MEAN)


@pytest.mark.parametrize(("one", "other"), pairs(OF_MEAN))
def test_mean_refuses_in_order(machine: Machine, one: Mistake, other: Mistake) -> None:
    one.found(aclnnMeanGetWorkspaceSize, MEAN, other)


def test_an_empty_self_has_no_complex_result(machine: Machine) -> None:
    for first, good in ((aclnnReduceSumGetWorkspaceSize, SUM), (aclnnMeanGetWorkspaceSize, MEAN)):
        changes = {"self": Of((0, 3), ACL_FLOAT), "dtype": ACL_COMPLEX64, "out": Of((2,), ACL_COMPLEX64)}
        Mistake("", INVALID, "out", **changes).found(first, good)


@pytest.mark.parametrize("soc", ["Ascend310P3", "Ascend910A"])
def test_bfloat16_is_refused_before_a2(soc: str) -> None:
    with Machine(soc=soc):
        aclrtSetDevice(0)
        changes = {"self": Of((2, 3), ACL_BF16)}
        Mistake("", INVALID, "self", **changes).found(aclnnReduceSumGetWorkspaceSize, SUM)
        Mistake("", INVALID, "self", **changes).found(aclnnMeanGetWorkspaceSize, MEAN)


def test_the_copy_of_a_0d_tensor_finds_a_wrong_out(machine: Machine) -> None:
    """ "Cast and copied to out: no shape test but the copy's"."""
    changes = {"self": Of((), ACL_FLOAT), "dims": [0], "out": Of((2,), ACL_FLOAT)}
    assert planned_with(aclnnReduceSumGetWorkspaceSize, {**SUM, **changes}).status == ACLNN_ERR_INNER_NULLPTR
