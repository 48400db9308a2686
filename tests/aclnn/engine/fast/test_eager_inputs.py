"""Eager inputs are computed in each run; the rest of a formula is traced once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime.streams.compute_threads import Workers
from aclnn.engine.fast.eager_inputs import eager, eager_calls
from aclnn.engine.fast.evaluate import Evaluation
from aclnn.engine.fast.expressions import Lazy, Leaf, NotInFastEngine
from aclnn.engine.numbers.rounding import total


@eager
def factors(x: np.ndarray, by: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """The first element of each row times a number, and the position of its largest element."""
    return x[:, 0] * np.float32(by), x.argmax(1)


@eager
def positive(x: np.ndarray) -> np.ndarray:
    return x[x > 0]


def drawn(dtype: Any = np.float32) -> np.ndarray:
    return np.random.default_rng(3).normal(size=(40, 30)).astype(dtype)


def test_arrays_are_computed_as_they_are() -> None:
    x = drawn()
    first, places = factors(x, by=2.0)
    assert np.array_equal(first, x[:, 0] * 2)
    assert np.array_equal(places, x.argmax(1))


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_each_run_computes_eager_inputs(dtype: Any) -> None:
    x, out = drawn(dtype), np.empty((40, 30), np.float32)
    lazy = Lazy(Leaf(x))
    first, places = factors(lazy, by=2.0)
    y = lazy * first.reshape(-1, 1)
    y[np.arange(40), places] -= first
    (call,) = eager_calls([y.node])
    evaluation = Evaluation([(y.node, out)])
    for _ in range(2):
        call.recompute()
        evaluation.run(Workers(1))
        wide = x.astype(np.float32)
        wanted = wide * wide[:, :1] * 2
        wanted[np.arange(40), wide.argmax(1)] -= wide[:, 0] * 2
        assert np.array_equal(out, wanted)
        x[...] = x[::-1, ::-1].copy()


def test_a_shape_that_follows_from_elements_is_a_mistake() -> None:
    x = np.ones(10, np.float32)
    (call,) = eager_calls([positive(Lazy(Leaf(x))).node])
    x[0] = -1
    with pytest.raises(ValueError, match="a shape that depends on tensor values"):
        call.recompute()


def test_an_eager_input_reads_memory_only() -> None:
    with pytest.raises(NotInFastEngine):
        factors(Lazy(Leaf(drawn())) + 1)


def test_the_sum_of_the_sums_of_rows() -> None:
    """The sum over the rows needs few elements, and is computed with the result, unless a larger sum needs it."""
    x, out = drawn(), np.empty((), np.float32)
    lazy = Lazy(Leaf(x))
    rows = total(lazy * lazy, 1)
    mean = total(rows, 0) / np.float32(40)
    spread = total((lazy - mean) * (lazy - mean), (0, 1))
    Evaluation([((mean + total(rows * rows, 0)).node, out)]).run(Workers(1))
    of_rows = (x.astype(np.float64) ** 2).sum(1)
    np.testing.assert_allclose(out, of_rows.mean() + (of_rows**2).sum(), rtol=1e-6)
    with pytest.raises(NotInFastEngine, match="a sum over every axis is an operand"):
        Evaluation([(spread.node, out)])
