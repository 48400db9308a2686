"""Functions that fill tensors with random numbers: distributions, ranges, types, refusals in order."""

from __future__ import annotations

from collections.abc import Callable
from math import erf, exp, nan, sqrt
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950
from tests.aclnn.ops.random.philox import block
from tests.helpers.refusals import Mistake, Number, Of, pairs, planned_with, rules

NULL, INVALID = ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID
N = 1 << 16
FLOATS = {"FLOAT": np.float32, "FLOAT16": np.float16, "BFLOAT16": bfloat16, "DOUBLE": np.float64}


def distance(x: np.ndarray, below: Callable[[float], float]) -> float:
    """Kolmogorov's and Smirnov's: the largest one between the shares of the values and of the distribution."""
    values, counts = np.unique(x.astype(np.float64), return_counts=True)
    share, wanted = np.cumsum(counts) / x.size, np.array([below(value) for value in values])
    return float(np.abs(np.concatenate([share - wanted, share - counts / x.size - wanted])).max())


LIMIT = 1.95 / sqrt(N)
"""in one of a thousand samples the distance is more"""


def chi_square(counts: np.ndarray, wanted: np.ndarray) -> float:
    return float(((counts - wanted) ** 2 / wanted).sum())


def normal(x: float) -> float:
    return (1 + erf(x / sqrt(2))) / 2


@pytest.mark.parametrize("dtype", FLOATS.values(), ids=FLOATS)
def test_uniform_numbers_are_uniform_and_below_1(machine: Machine, dtype: Any) -> None:
    found = run(aclnnInplaceUniform, np.empty(N, dtype), 0.0, 1.0, 11, 0).astype(np.float64)
    grain = {np.float16: 2.0**-10, bfloat16: 2.0**-7}.get(dtype, 2.0**-23)
    assert (found.min() >= 0, found.max() < 1, (found % grain).max()) == (True, True, 0)
    assert distance(found, lambda x: min(x + grain, 1)) < LIMIT + grain
    assert abs(found.mean() + grain / 2 - 0.5) < 4 / sqrt(12 * N)
    assert abs(found.var() - 1 / 12) < 0.002


@pytest.mark.parametrize("dtype", FLOATS.values(), ids=FLOATS)
@pytest.mark.parametrize("chip", [A2, A950], ids=["A2", "950"])
def test_normal_numbers_are_normal(chip: str, dtype: Any) -> None:
    with Machine(chip):
        found = run(aclnnInplaceNormal, np.empty(N, dtype), 3.0, 2.0, 12, 0).astype(np.float64)
    z = (found - 3) / 2
    moments = [np.mean(z**power) for power in (1, 2, 3, 4)]
    assert np.allclose(moments, [0, 1, 0, 3], atol=0.08)
    assert distance(z, normal) < LIMIT + (0.012 if dtype == bfloat16 else 0.002 if dtype == np.float16 else 0)


def test_neighbours_of_normal_numbers_are_independent(machine: Machine) -> None:
    """Also the two that come of one pair of uniform numbers."""
    x = run(aclnnInplaceNormal, np.empty(N, np.float32), 0.0, 1.0, 13, 0).astype(np.float64)
    for lag in (1, 2, 3, 4):
        assert abs(np.mean(x[lag:] * x[:-lag])) < 4 / sqrt(N)
        assert abs(np.mean(x[lag:] ** 2 * x[:-lag] ** 2) - 1) < 0.08


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.int64, *FLOATS.values()])
def test_integers_are_equally_frequent(machine: Machine, dtype: Any) -> None:
    found = run(aclnnInplaceRandom, np.empty(N, dtype), 3, 20, 14, 0).astype(np.int64)
    counts = np.bincount(found)
    assert (counts[:3].sum(), counts.size) == (0, 20)
    assert chi_square(counts[3:], np.full(17, N / 17)) < 39.3  # one of a thousand samples has more


@pytest.mark.fidelity("integers of aclnnInplaceRandom")
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32])
@pytest.mark.parametrize(("low", "high"), [(-2, 3), (-5, -2), (-1, 0)])
def test_integers_between_negative_bounds_are_those_of_the_document(
    machine: Machine, low: int, high: int, dtype: Any
) -> None:
    """ "[from, to - 1]", each as often as the others."""
    found = run(aclnnInplaceRandom, np.empty(N, dtype), low, high, 14, 0).astype(np.int64)
    assert (found.min(), found.max()) == (low, high - 1)
    assert chi_square(np.bincount(found - low), np.full(high - low, N / (high - low))) < 18.5


@pytest.mark.parametrize("high", [1e308, np.inf, np.nan])
def test_bounds_beyond_float_do_not_warn(machine: Machine, high: float) -> None:
    """They are infinite in FLOAT, in which the numbers are computed. (ours)"""
    with np.errstate(all="raise"):
        found = run(aclnnInplaceUniform, np.empty(8, np.float32), 0.0, high, 1, 0)
    assert not np.isfinite(found).any()


@pytest.mark.fidelity("integers of aclnnInplaceRandom")
def test_floats_get_integers_of_their_own(machine: Machine) -> None:
    """The bounds move inward: float16 has no 4097 and no 4110, and would round them to 4096 and 4112."""
    found = run(aclnnInplaceRandom, np.empty(4096, np.float16), 4097, 4111, 1, 0)
    assert set(found.astype(np.int64)) == {4100, 4104, 4108}
    whole = run(aclnnInplaceRandom, np.empty(4096, bfloat16), 0, 300, 1, 0).astype(np.float64)
    assert np.array_equal(whole, np.trunc(whole))


def test_bool_rounds_first(machine: Machine) -> None:
    """Numbers from 0 to 2 are true from 0.5 on."""
    found = run(aclnnInplaceRandom, np.empty(N, np.bool_), 0, 2, 14, 0)
    assert abs(found.mean() - 0.75) < 4 / sqrt(N)


@pytest.mark.parametrize(
    ("dtype", "most"), [(np.uint8, 255), (np.int8, 127), (np.int16, 32767), (np.float16, 2048), (bfloat16, 256)]
)
def test_integers_without_bounds_reach_the_largest(dtype: Any, most: int) -> None:
    with Machine(A950):
        found = run(aclnnInplaceRandomWithoutFromTo, np.empty(N, dtype), 15, 0).astype(np.int64)
        bools = run(aclnnInplaceRandomWithoutFromTo, np.empty(N, np.bool_), 15, 0)
    assert (found.min() >= 0, found.max() <= most, found.max() > 0.99 * most) == (True, True, True)
    assert distance(found, lambda x: (x + 1) / (most + 1)) < LIMIT + 1 / most
    assert abs(bools.mean() - 0.5) < 2 / sqrt(N)


def test_waiting_times(machine: Machine) -> None:
    found = run(aclnnSimThreadExponential, np.empty(N, np.float32), N, 0.5, 16, 0)
    assert distance(found, lambda x: 1 - exp(-x / 2)) < LIMIT


@pytest.mark.parametrize("chip", [A2, A950], ids=["A2", "950"])
@pytest.mark.parametrize("prob", [0.0, 0.2, 0.75, 1.0])
def test_bernoulli_is_1_as_often_as_prob_says(chip: str, prob: float) -> None:
    with Machine(chip):
        one = run(aclnnInplaceBernoulli, np.empty(N, np.int8), np.float32(prob), 17, 0)
        each = run(aclnnInplaceBernoulliTensor, np.empty(N, np.float32), np.full(N, prob), 17, 0)
    assert set(one) <= {0, 1}
    assert abs(one.mean() - prob) <= 4 * sqrt(prob * (1 - prob) / N)
    assert np.array_equal(one, each)


def test_bernoulli_by_the_counters_of_ascend_950() -> None:
    """Four elements share a counter, whose low half follows from the offset."""
    with Machine(A950):
        found = run(aclnnInplaceBernoulli, np.empty(9, np.float32), np.float32(0.3), 5, 6)
    stream = [word for at in range(3) for word in block(5, at << 64 | 2)]
    assert found.tolist() == [(word + 0.5) / 2**32 <= np.float32(0.3) for word in stream[:9]]


@pytest.mark.fidelity("aclnnBernoulliTensor with fewer probabilities than elements")
def test_elements_without_a_probability_are_0(machine: Machine) -> None:
    x = np.empty((2, 3), np.float32)
    assert run(aclnnInplaceBernoulliTensor, x, np.ones(4), 1, 0).ravel().tolist() == [1, 1, 1, 1, 0, 0]
    assert run(aclnnInplaceBernoulliTensor, x, np.ones((3, 3)), 1, 0).all()


@pytest.mark.fidelity("random numbers on A2, A3, training and inference products")
def test_numbers_follow_from_seed_and_offset(machine: Machine) -> None:
    """A tensor's length, layout and place do not matter."""

    def made(size: int, seed: int, offset: int) -> list[float]:
        return run(aclnnInplaceUniform, np.empty(size, np.float32), 0.0, 1.0, seed, offset).tolist()

    long = made(200_000, 1, 0)
    assert made(1001, 1, 0) == long[:1001]
    assert made(1001, 2, 0) != long[:1001]
    assert made(1001, 1, 1) != long[:1001]
    strided = run(aclnnInplaceUniform, np.empty((7, 11), np.float32).T, 0.0, 1.0, 1, 0)
    assert strided.ravel().tolist() == long[:77]


def test_equal_bounds_give_a_constant(machine: Machine) -> None:
    assert run(aclnnInplaceUniform, np.empty(5, np.float32), 2.5, 2.5, 1, 0).tolist() == [2.5] * 5


def test_half_bounds_are_rounded_to_half_on_a2(machine: Machine) -> None:
    low = 1 + 2.0**-12
    assert run(aclnnInplaceUniform, np.empty(5, np.float16), low, low, 1, 0).tolist() == [1.0] * 5


def test_means_and_deviations_of_each_element() -> None:
    mean, std = np.arange(4, dtype=np.float16)[:, None], np.array([0, 0.5, 2], np.float16)
    with Machine(A950):
        z = run(aclnnNormalFloatFloat, 0.0, 1.0, 9, 4, np.empty((4, 3), np.float32))
        both = run(aclnnNormalTensorTensor, mean, std, 9, 4, np.empty((4, 3), np.float32))
        means = run(aclnnNormalTensorFloat, mean, -2.0, 9, 4, np.empty((4, 3), np.float32))
        stds = run(aclnnNormalFloatTensor, 1.5, std, 9, 4, np.empty(3, np.float32))
    assert np.allclose(both, mean + std * z, atol=1e-6)
    assert np.allclose(means, mean - 2 * z, atol=1e-6)
    assert np.allclose(stds, 1.5 + std * z.ravel()[:3], atol=1e-6)


def test_tensors_of_seed_and_offset() -> None:
    """Their sum with the offset counts. Ascend 950 looks at their types, by function."""
    empty, numbers = np.empty(9, np.float32), {dtype: (np.array([7], dtype), np.array([30], dtype))
                                               for dtype in (np.int64, np.uint64, np.int32)}  # fmt: skip
    with Machine(A2):
        plain = run(aclnnInplaceUniform, empty, 0.0, 1.0, 7, 42)
        for dtype in (np.int64, np.uint64):
            assert np.array_equal(run(aclnnInplaceUniformTensor, empty, 0.0, 1.0, *numbers[dtype], 12), plain)
    with Machine(A950):
        aclrtSetDevice(0)
        first = aclnnInplaceUniformTensorGetWorkspaceSize
        good = {"selfRef": Of((9,)), "from": 0.0, "to": 1.0, "seed": Of((1,), ACL_UINT64), "at": Of((1,), ACL_UINT64),
                "offset": 12}  # fmt: skip
        assert planned_with(first, good).status == ACL_SUCCESS
        for name, printed in (("seed", "seedTensor"), ("at", "offsetTensor")):
            Mistake("is an integer of 64 bits", INVALID, printed, **{name: Of((1,), ACL_INT32)}).found(first, good)
        random = {
            "selfRef": Of((9,)),
            "from": 0,
            "to": 9,
            **dict.fromkeys(("a", "b"), Of((1,), ACL_INT32)),
            "offset": 0,
        }
        assert planned_with(aclnnInplaceRandomTensorGetWorkspaceSize, random).status == ACLNN_ERR_INNER_NULLPTR


X = Of((2, 3))
ODD, RANK9 = Of((2, 3), ACL_STRING), Of((1,) * 9)
TENSORS = {"seedTensor": Of((1,), ACL_INT64), "offsetTensor": Of((1,), ACL_INT64)}
TYPE = Mistake("the type of selfRef is listed", INVALID, "selfRef", selfRef=ODD)
RANKS = Mistake("selfRef has at most 8 dimensions", INVALID, "selfRef", selfRef=RANK9)
STD = Mistake("std is not negative", INVALID, "std", std=-1.0)
NOTHING = Mistake("selfRef is null", NULL, "selfRef", selfRef=None)
TABLES: dict[str, tuple[Any, dict[str, Any], list[Mistake]]] = {
    "Uniform": (
        aclnnInplaceUniformGetWorkspaceSize, {"selfRef": X, "from": 0.0, "to": 1.0, "seed": 0, "offset": 0},
        [NOTHING, Mistake("no BOOL", INVALID, "selfRef", selfRef=Of((2, 3), ACL_BOOL)), RANKS,
         Mistake("from is at most to", INVALID, "from", **{"from": 2.0})],
    ),
    "Random": (
        aclnnInplaceRandomGetWorkspaceSize, {"selfRef": X, "from": 0, "to": 9, "seed": 0, "offset": 0},
        [NOTHING, TYPE, RANKS, Mistake("from is less than to", INVALID, "from", **{"from": 9})],
    ),
    "Normal": (
        aclnnInplaceNormalGetWorkspaceSize, {"selfRef": X, "mean": 0.0, "std": 1.0, "seed": 0, "offset": 0},
        [NOTHING, STD, TYPE, RANKS],
    ),
    "NormalTensor": (
        aclnnInplaceNormalTensorGetWorkspaceSize, {"selfRef": X, "mean": 0.0, "std": 1.0, **TENSORS, "offset": 0},
        [Mistake("seedTensor is null", NULL, "seedTensor", seedTensor=None),
         Mistake("offsetTensor is null", NULL, "offsetTensor", offsetTensor=None), NOTHING,
         Mistake("seedTensor is INT64", INVALID, "seedTensor", seedTensor=Of((1,), ACL_INT32)),
         Mistake("offsetTensor has the shape (1)", INVALID, "offsetTensor", offsetTensor=Of((2,), ACL_INT64)), STD,
         TYPE, RANKS],
    ),
    "Bernoulli": (
        aclnnBernoulliGetWorkspaceSize, {"self": X, "prob": Number(0.5), "seed": 0, "offset": 0, "out": X},
        [Mistake("self is null", NULL, "self", self=None), Mistake("prob is null", NULL, "prob", prob=None),
         Mistake("out is null", NULL, "out", out=None),
         Mistake("the type of self is listed", INVALID, "self", self=ODD),
         Mistake("prob is no integer", INVALID, "prob", prob=Number(1, np.int64)),
         Mistake("out has the type of self", INVALID, "out", out=Of((2, 3), ACL_FLOAT16)),
         Mistake("prob is a probability", INVALID, "prob", prob=Number(1.5)),
         Mistake("self has at most 8 dimensions", INVALID, "self", self=RANK9),
         Mistake("out has the shape of self", INVALID, "out", out=Of((3, 2))),
         Mistake("no private format", INVALID, "out", out=Of((2, 3), format=ACL_FORMAT_FRACTAL_NZ))],
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "mistake"), [(name, each) for name, (*_, table) in TABLES.items() for each in table], ids=rules
)
def test_refusals(machine: Machine, name: str, mistake: Mistake) -> None:
    first, good, _ = TABLES[name]
    assert planned_with(first, good).status == ACL_SUCCESS
    mistake.found(first, good)


@pytest.mark.parametrize("name", TABLES)
def test_refusals_come_in_order(machine: Machine, name: str) -> None:
    first, good, table = TABLES[name]
    for pair in pairs(table):
        one, other = pair.values
        one.found(first, good, other)


def test_nan_is_not_negative_and_not_positive(machine: Machine) -> None:
    first, good, _ = TABLES["Normal"]
    assert planned_with(first, {**good, "std": nan}).status == ACL_SUCCESS
    exponential = {"selfRef": Of((9,)), "count": 9, "lambda": 0.5, "seed": 0, "offset": 0}
    Mistake("lambda is positive", INVALID, "lambda", **{"lambda": nan}).found(
        aclnnSimThreadExponentialGetWorkspaceSize, exponential
    )
