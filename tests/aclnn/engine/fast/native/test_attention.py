"""Attention by the evaluator: against float64, with the same bits for each build and any number of threads."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import Machine
from aclnn.engine.fast import Pages, Scoring, attended, attention, products
from aclnn.engine.fast.native.library import BUILDS, load
from tests.aclnn.engine.fast.native.evaluating import build, every_build

LOWEST = -np.finfo(np.float32).max.astype(float)


class Case(NamedTuple):
    """Sizes, the optional inputs, the rules, and the rows of a block of a cache (0: no cache)."""

    sizes: tuple[int, int, int, int]
    """batches, heads of keys, rows of queries, keys"""
    elements: tuple[int, int] = (16, 16)
    """of a key and of a value"""
    group: int = 1
    names: str = ""
    scoring: Scoring = Scoring(0.3)
    block: int = 0


CASES = {
    "one of each": Case((1, 1, 1, 1), (1, 1)),
    "rows of a few": Case((2, 3, 2, 50), (64, 64)),
    "more rows": Case((2, 2, 40, 30), (24, 40)),
    "odd sizes of a few": Case((1, 2, 3, 37), (19, 83), group=1),
    "odd sizes of more": Case((1, 2, 9, 37), (19, 83), group=2),
    "a few rows of a group": Case((1, 2, 1, 33), (32, 48), group=4),
    "more rows of a group": Case((1, 2, 1, 33), (32, 48), group=7),
    "panels of rows": Case((1, 1, 70, 4097), (16, 16), group=2),
    "panels of members": Case((1, 1, 3, 9000), (16, 20), group=12),
    "one row of more than a panel": Case((1, 2, 1, (1 << 18) + 5), (8, 8)),
    "sections of keys": Case((1, 1, 8, 1500), (128, 256)),
    "shift": Case((2, 2, 7, 70), group=2, names="shift"),
    "shift before the scale": Case((2, 2, 3, 70), names="shift", scoring=Scoring(0.3, shift_first=True)),
    "a long shift": Case((1, 1, 6, 5000), names="shift"),
    "mask": Case((2, 2, 9, 70), group=2, names="mask"),
    "sink": Case((2, 2, 9, 70), group=2, names="sink"),
    "all of them": Case((1, 3, 2, 40), group=2, names="shift mask sink"),
    "rows up to the diagonal": Case((1, 2, 50, 50), scoring=Scoring(0.2, high=0)),
    "a band": Case((1, 2, 50, 60), scoring=Scoring(0.2, low=-5, high=9)),
    "a band after a prefix": Case((1, 1, 40, 60), scoring=Scoring(0.2, low=-3, high=2, prefix=11)),
    "later rows": Case((1, 1, 10, 60), scoring=Scoring(0.2, first_row=30, low=-8, high=0)),
    "rows that see nothing": Case((1, 2, 30, 20), scoring=Scoring(0.2, low=5, corrects=True)),
    "a share that is kept": Case((1, 2, 5, 20), scoring=Scoring(0.2, keep=0.75)),
    "blocks, a few rows": Case((1, 3, 2, 37), (64, 64), block=8),
    "blocks, more rows": Case((1, 3, 20, 37), (24, 40), group=2, block=8),
    "one block": Case((1, 2, 6, 5), block=16),
}


class Tensors(NamedTuple):
    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    squares: dict[str, np.ndarray]
    pages: Pages | None


def tensors(case: Case, dtype: Any) -> Tensors:
    """Dense ones, and those of a cache in blocks whose order is random."""
    rng, (batches, heads, rows, columns) = np.random.default_rng(len(case.names) + sum(case.sizes)), case.sizes

    def normal(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape).astype(np.float32).astype(dtype)

    every = heads * case.group
    made = {
        "shift": normal(1, every, rows, columns), "sink": normal(every, 1, 1),
        "mask": rng.integers(0, 4, (batches, 1, rows, columns)).astype(np.uint8) == 1,
    }  # fmt: skip
    made["shift"] = np.broadcast_to(made["shift"], (batches, every, rows, columns))
    made["mask"] = np.broadcast_to(made["mask"], (batches, every, rows, columns))
    made["sink"] = np.broadcast_to(made["sink"], (batches, every, rows, 1))
    squares = {name: made[name] for name in case.names.split()}
    q = normal(batches, rows, every, case.elements[0]).swapaxes(1, 2)
    if not case.block:
        k, v = (normal(batches, columns, heads, size).swapaxes(1, 2) for size in case.elements)
        return Tensors(q, k, v, squares, None)
    blocks = -(-columns // case.block)
    k, v = (normal(blocks + 2, case.block, heads, size).swapaxes(1, 2) for size in case.elements)
    return Tensors(q, k, v, squares, Pages(rng.permutation(blocks + 2)[:blocks].astype(np.int32), columns))


def by_float64(case: Case, given: Tensors) -> list[np.ndarray]:
    """The output, the largest score of each row and the sum of its exponentials."""
    scoring, columns = case.scoring, case.sizes[3]
    q, k, v = (each.astype(float) for each in given[:3])
    if given.pages is not None:
        k, v = (
            np.concatenate([x[number] for number in given.pages.table], axis=1)[None, :, :columns] for x in (k, v)
        )  # fmt: skip
    k, v = (np.repeat(x, case.group, axis=1) for x in (k, v))
    scores = q @ k.swapaxes(2, 3) * scoring.scale
    shift = given.squares.get("shift", np.zeros(())).astype(float)
    scores = scores + shift * (scoring.scale if scoring.shift_first else 1)
    row, column = np.arange(q.shape[2])[:, None] + scoring.first_row, np.arange(columns)
    hidden = given.squares.get("mask", np.zeros((), bool))
    if scoring.low is not None:
        hidden = hidden | ((column < row + scoring.low) & (column >= scoring.prefix))
    if scoring.high is not None:
        hidden = hidden | ((column > row + scoring.high) & (column >= scoring.prefix))
    scores = np.where(hidden, LOWEST, scores)
    sink = given.squares.get("sink", np.full((1, 1, 1, 1), -np.inf)).astype(float)
    top = np.maximum(scores.max(-1, keepdims=True), sink)
    weights = np.exp(scores - top)
    total = weights.sum(-1, keepdims=True) + np.exp(sink - top)
    if scoring.corrects:
        blind = top <= LOWEST
        weights, total = np.where(blind, 0, weights), np.where(blind, -LOWEST, total)
    return [weights @ v / total / scoring.keep, top[..., 0], total[..., 0]]


def by_evaluator(name: str, monkeypatch: Any, case: Case, given: Tensors) -> list[np.ndarray]:
    """The same bits for one, two and three threads."""
    monkeypatch.setattr(products, "evaluator", lambda: build(name))
    monkeypatch.setattr(attention, "MIN_MULTIPLICATIONS", 1)
    monkeypatch.setattr("aclnn.engine.fast.native.products.MIN_PARALLEL_MULTIPLICATIONS", 1)
    found: list[list[np.ndarray]] = []
    rows = given.q.shape[:3]
    for threads in (1, 2, 3):
        results = [np.full(shape, np.nan, np.float32) for shape in ((*rows, case.elements[1]), rows, rows)]
        with Machine(threads=threads):
            assert attended(given[:3], results, given.squares, case.scoring, given.pages)
        found.append(results)
    assert len({tuple(each.tobytes() for each in one) for one in found}) == 1
    return found[0]


@pytest.fixture(autouse=True)
def blas() -> None:
    found = products.blas()
    if found is None or found.products is None:
        pytest.skip("numpy's BLAS is no OpenBLAS with integers of 64 bits")


@every_build
@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_attention_is_that_of_float64(name: str, case: Case, dtype: Any, monkeypatch: Any) -> None:
    given = tensors(case, dtype)
    for one, right in zip(by_evaluator(name, monkeypatch, case, given), by_float64(case, given), strict=True):
        assert (np.abs(one.astype(float) - right) <= 2.0**-17 * (np.abs(right) + 1)).all()


@pytest.mark.fidelity("non-deterministic results")
@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16])
@pytest.mark.parametrize("name", ["odd sizes of a few", "odd sizes of more", "blocks, a few rows", "all of them"])
def test_all_builds_give_the_same_bits(name: str, dtype: Any, monkeypatch: Any) -> None:
    case, names = CASES[name], list(filter(load, BUILDS))
    given = tensors(case, dtype)
    bits = {tuple(each.tobytes() for each in by_evaluator(build, monkeypatch, case, given)) for build in names}
    assert len(bits) == bool(names)


@every_build
def test_a_nan_stays_in_its_row(name: str, monkeypatch: Any) -> None:
    for case in (CASES["rows of a few"], CASES["more rows"]):
        given = tensors(case, np.float32)
        given.q[0, 1, 1, 0] = np.nan
        out, tops, sums = by_evaluator(name, monkeypatch, case, given)
        for each in (out[..., 0], tops, sums):
            assert np.argwhere(np.isnan(each)).tolist() == [[0, 1, 1]]


@every_build
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"pages": Pages(np.array([0, 7, 1, 2, 3], np.int32), 37)}, "a table with positions out of range"),
        ({"pages": Pages(np.array([0, -1, 1, 2, 3], np.int32), 37)}, "a table with positions out of range"),
        ({"squares": {"drop": np.zeros(3, np.uint8)}}, "attention with drop"),
        ({"squares": {"mask": np.zeros((1, 3, 2, 37), np.float32)}}, "masks of float32"),
        ({"q": np.zeros((1, 3, 2, 128), np.float32)[..., ::2]}, "attention of rows with gaps"),
        ({"q": np.zeros((1, 3, 2, 64))}, "products of float64"),
    ],
)
def test_what_the_evaluator_leaves_to_numpy(name: str, change: dict[str, Any], reason: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(products, "evaluator", lambda: build(name))
    monkeypatch.setattr(attention, "MIN_MULTIPLICATIONS", 1)
    given = tensors(CASES["blocks, a few rows"], np.float32)._replace(**change)
    results = [np.full(shape, np.nan, np.float32) for shape in ((1, 3, 2, 64), (1, 3, 2), (1, 3, 2))]
    with Machine() as machine:
        assert not attended(given[:3], results, given.squares, Scoring(1), given.pages)
        assert [key for key in machine.compute_threads.counts if reason in key]
    assert np.isnan(results[0]).all()
