"""Long rows sorted by ranges of values: the order is that of a stable sort of all of it."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from acl_runtime import Machine
from aclnn.engine.fast import ordering
from aclnn.engine.steps import parts

COUNT, RANGE = 20_000, 512
R = np.random.default_rng(5)
ROWS: dict[str, np.ndarray] = {
    "different numbers": R.standard_normal(COUNT).astype(np.float32),
    "BFLOAT16": R.standard_normal(COUNT).astype(ml_dtypes.bfloat16),
    "one value": np.ones(COUNT, np.float32),
    "one common value": np.where(R.random(COUNT) < 0.7, 3, R.standard_normal(COUNT)).astype(np.float16),
    "one common value, which is NaN": np.where(R.random(COUNT) < 0.6, np.nan, R.standard_normal(COUNT)),
    "NaN alone": np.full(COUNT, np.nan, np.float32),
    "zeros of both signs": np.where(R.random(COUNT) < 0.5, -0.0, 0.0),
    "infinities": R.choice([-np.inf, 0.0, 1.0, np.inf, np.nan], COUNT),
    "few integers": R.integers(0, 50, COUNT),
    "integers of 64 bits": R.integers(0, 2**64, COUNT, dtype=np.uint64),
    "bools": R.random(COUNT) < 0.3,
    "sorted": np.arange(COUNT, dtype=np.int32),
    "falling": np.arange(COUNT, dtype=np.int32)[::-1],
}  # fmt: skip


@pytest.mark.parametrize("descending", [False, True], ids=["ascending", "descending"])
@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_the_order_is_that_of_a_stable_sort(
    row: np.ndarray, descending: bool, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.setattr(ordering, "RANGE", RANGE)
    monkeypatch.setattr(parts, "PART", 4096)
    with Machine():
        found = list(ordering.in_order(row, descending=descending))
        monkeypatch.setattr(ordering, "evaluator", lambda: None)
        expected = ordering.order(row, 0, descending=descending)
    assert [part.start for part, _ in found] == [0, *(part.stop for part, _ in found[:-1])]
    assert np.array_equal(np.concatenate([places for _, places in found]), expected)


@pytest.mark.parametrize("name", ["different numbers", "one common value", "few integers", "sorted"])
def test_no_range_holds_much_more_than_its_share(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ordering, "RANGE", RANGE)
    monkeypatch.setattr(parts, "PART", 512)
    with Machine():
        assert max(len(places) for _, places in ordering.in_order(ROWS[name])) < 3 * RANGE


def test_a_short_row_is_sorted_at_once() -> None:
    ((part, places),) = ordering.in_order(np.array([3, 1, 2]))
    assert (part, places.tolist()) == (slice(0, 3), [1, 2, 0])
