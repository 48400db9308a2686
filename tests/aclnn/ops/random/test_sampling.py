"""Multinomial and Randperm: frequencies, permutations, refusals in order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.engine.steps import parts
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950
from tests.helpers.refusals import Mistake, Of, pairs, planned_with, rules

NULL, INVALID = ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID
WEIGHTS = np.array([1, 0, 2, 3, 0, 4], np.float32)
DRAWS = 20_000


def drawn(weights: np.ndarray, samples: int, replacement: bool, seed: int = 21) -> np.ndarray:
    out = np.empty((*weights.shape[:-1], samples), np.int64)
    return run(aclnnMultinomial, weights, samples, replacement, seed, 0, out)


def far(found: np.ndarray, weights: np.ndarray) -> float:
    """Chi square over the categories that have a weight; the others do not come."""
    counts, wanted = np.bincount(found.ravel(), minlength=weights.size), found.size * weights / weights.sum()
    assert not counts[weights == 0].any()
    return float(((counts - wanted)[weights > 0] ** 2 / wanted[weights > 0]).sum())


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.float64])
@pytest.mark.parametrize("chip", [A2, A950], ids=["A2", "950"])
def test_categories_come_as_often_as_their_weights(chip: str, dtype: Any) -> None:
    with Machine(chip):
        assert far(drawn(WEIGHTS.astype(dtype), DRAWS, True), WEIGHTS) < 16.3  # one of a thousand samples has more


def test_one_sample_of_each_row(machine: Machine) -> None:
    """One sample comes from the largest quotient, with and without replacement."""
    rows = np.tile(WEIGHTS, (DRAWS, 1))
    found = drawn(rows, 1, True)
    assert far(found, WEIGHTS) < 16.3
    assert np.array_equal(found, drawn(rows, 1, False))


def test_without_replacement_nothing_comes_twice(machine: Machine) -> None:
    found = drawn(np.tile(WEIGHTS, (DRAWS, 1)), 4, False)
    assert np.array_equal(np.sort(found, axis=1), np.tile([0, 2, 3, 5], (DRAWS, 1)))
    assert far(found[:, 0], WEIGHTS) < 16.3
    after_5 = found[found[:, 0] == 5, 1]
    assert far(after_5, np.where(np.arange(6) == 5, 0, WEIGHTS)) < 13.8


@pytest.mark.fidelity("uniform numbers of aclnnMultinomial")
def test_rows_share_their_numbers_beyond_5000_elements_on_a2(machine: Machine) -> None:
    few, many = np.ones((50, 100), np.float32), np.ones((51, 100), np.float32)
    assert len({tuple(row) for row in drawn(few, 3, True)}) > 40
    assert len({tuple(row) for row in drawn(many, 3, True)}) == 1


@pytest.mark.fidelity("uniform numbers of aclnnMultinomial")
def test_rows_of_zeros_give_the_first_category(machine: Machine) -> None:
    assert drawn(np.zeros((2, 3), np.float32), 2, True).tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize("samples", [1, 3])
@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize("part", [1, 7, 40])
def test_rows_in_parts(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, part: int, replacement: bool, samples: int
) -> None:  # fmt: skip
    """The samples are those of all rows at once: many rows in a part, or a part of a row."""
    weights = np.random.default_rng(5).random((9, 31)).astype(np.float32)
    weights[3], weights[:, ::4] = 0, 0
    wanted = drawn(weights, samples, replacement)
    monkeypatch.setattr(parts, "PART", part)
    assert np.array_equal(drawn(weights, samples, replacement), wanted)


def test_categories_are_limited(machine: Machine) -> None:
    for more, status in ((0, ACL_SUCCESS), (1, INVALID)):
        good = ROWS | {"self": Of(((1 << 24) + more,)), "out": Of((2,), ACL_INT64)}
        assert planned_with(aclnnMultinomialGetWorkspaceSize, good).status == status
        tensors = dict.fromkeys(("seedTensor", "offsetTensor"), Of((1,), ACL_INT64))
        given = {"self": good["self"], "n": 2, "r": True, **tensors, "offset": 0, "out": good["out"]}
        assert planned_with(aclnnMultinomialTensorGetWorkspaceSize, given).status == status


def test_the_types_of_seeds_matter_only_where_a_cpu_reads_them(machine: Machine) -> None:
    for categories, status in ((5000, INVALID), (5001, ACL_SUCCESS)):
        tensors = dict.fromkeys(("seedTensor", "offsetTensor"), Of((1,), ACL_INT32))
        given = {"self": Of((categories,)), "n": 2, "r": True, **tensors, "offset": 0, "out": Of((2,), ACL_INT64)}
        assert planned_with(aclnnMultinomialTensorGetWorkspaceSize, given).status == status


@pytest.mark.fidelity("the permutation of aclnnRandperm")
def test_permutations_are_equally_frequent(machine: Machine) -> None:
    """The first and the last position of many permutations, and the six orders of three."""
    made = np.array([run(aclnnRandperm, 3, seed, 0, np.empty(3, np.int64)) for seed in range(300)])
    assert np.array_equal(np.sort(made, axis=1), np.tile([0, 1, 2], (300, 1)))
    counts = np.bincount(made[:, 0] * 3 + made[:, 1], minlength=9)
    wanted = np.where(np.eye(3, dtype=bool).ravel(), 0, 50)
    assert ((counts - wanted)[wanted > 0] ** 2 / 50).sum() < 20.5
    assert not counts[wanted == 0].any()


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.float32, np.float16, np.uint8])
def test_large_permutations(machine: Machine, dtype: Any) -> None:
    """Positions beyond the data type lose their high bits, or are rounded."""
    found = run(aclnnRandperm, 5000, 3, 4, np.empty(5000, dtype))
    exact = run(aclnnRandperm, 5000, 3, 4, np.empty(5000, np.int64))
    assert np.array_equal(np.sort(exact), np.arange(5000))
    assert np.array_equal(found, exact.astype(dtype))
    assert abs(np.corrcoef(exact, np.arange(5000))[0, 1]) < 0.06
    assert not np.array_equal(run(aclnnRandperm, 5000, 3, 5, np.empty(5000, np.int64)), exact)


def test_randperm_refuses() -> None:
    good = {"n": 5, "seed": 0, "offset": 0, "out": Of((5,), ACL_INT64)}
    mistakes = [
        Mistake("out is null", ACLNN_ERR_INNER_NULLPTR, "out", out=None),
        Mistake("the type of out is listed", INVALID, "out", out=Of((5,), ACL_BOOL)),
        Mistake("out has n elements", INVALID, "out", n=4),
        Mistake("n is not negative", INVALID, "out", n=-1),
    ]
    with Machine(A2):
        aclrtSetDevice(0)
        for each in mistakes:
            each.found(aclnnRandpermGetWorkspaceSize, good)


ROWS: dict[str, Any] = {
    "self": Of((2, 3)), "numsamples": 2, "replacement": False, "seed": 0, "offset": 0, "out": Of((2, 2), ACL_INT64),
}  # fmt: skip
MISTAKES = [
    Mistake("self is null", NULL, "self", self=None),
    Mistake("out is null", NULL, "out", out=None),
    Mistake("self is a float", INVALID, "self", self=Of((2, 3), ACL_INT32)),
    Mistake("out is INT64", INVALID, "out", out=Of((2, 2), ACL_INT32)),
    Mistake("self has one or two dimensions", INVALID, "self", self=Of((2, 2, 3))),
    Mistake("out has a row for each of self", INVALID, "out", out=Of((3, 2), ACL_INT64)),
]


@pytest.mark.parametrize("mistake", MISTAKES, ids=rules)
def test_refusals(machine: Machine, mistake: Mistake) -> None:
    assert planned_with(aclnnMultinomialGetWorkspaceSize, ROWS).status == ACL_SUCCESS
    mistake.found(aclnnMultinomialGetWorkspaceSize, ROWS)


def test_refusals_come_in_order(machine: Machine) -> None:
    for pair in pairs(MISTAKES):
        one, other = pair.values
        one.found(aclnnMultinomialGetWorkspaceSize, ROWS, other)


@pytest.mark.parametrize("samples", [0, 4])
def test_the_number_of_samples(machine: Machine, samples: int) -> None:
    """At least one; without replacement at most as many as categories."""
    wrong = {"numsamples": samples, "out": Of((2, samples), ACL_INT64)}
    Mistake("numsamples", INVALID, "numsamples", **wrong).found(aclnnMultinomialGetWorkspaceSize, ROWS)
