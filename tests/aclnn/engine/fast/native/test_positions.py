"""Elements at positions and sums of rows: by each build of the evaluator as by numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import Machine
from acl_runtime.streams.compute_threads import Workers
from aclnn.engine.fast import index_sums, positions
from aclnn.engine.fast.native import positions as native
from tests.aclnn.engine.fast.native.evaluating import build, every_build, laid_out, same

DTYPES = (
    np.float32,
    np.float64,
    np.float16,
    bfloat16,
    np.int8,
    np.int32,
    np.int64,
    np.bool_,
    np.complex64,
)
ADDED = (np.float32, np.float64, np.int32, np.int64)
SHAPES = [
    ((9,), 0),
    ((70, 40), 0),
    ((70, 40), 1),
    ((6, 50, 30), 1),
    ((3, 5, 7, 300), 2),
    ((1, 2000), 1),
    ((2000, 1), 0),
]
by_shape = pytest.mark.parametrize(("shape", "axis"), SHAPES, ids=str)


def numbers(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    return rng.integers(-9 if np.dtype(dtype).kind != "b" else 0, 9, shape).astype(dtype)


def memory(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> list[np.ndarray | None]:
    """Where a result may go: to memory of its own, or of the caller's, in any layout."""
    return [None, laid_out(rng, np.zeros(shape, dtype))]


def both(name: str, monkeypatch: pytest.MonkeyPatch, work: Callable[[], np.ndarray]) -> None:
    """The evaluator gives numpy's bits, on any number of threads, and does it itself."""
    library = build(name)
    monkeypatch.setattr(positions, "MIN_ELEMENTS_FOR_EVALUATOR", 1)
    monkeypatch.setattr(positions, "MIN_ROW_BYTES", 1)
    monkeypatch.setattr(native, "MIN_ELEMENTS_FOR_THREADS", 1)
    monkeypatch.setattr(positions, "evaluator", lambda: None)
    with Machine():
        wanted = work().copy()
    monkeypatch.setattr(positions, "evaluator", lambda: library)
    for threads in (1, 2, 7):
        with Machine(threads=threads) as machine:
            found = work()
            assert set(machine.compute_threads.counts) == {"native"}
        same(found, wanted)
        assert found.dtype == wanted.dtype


@every_build
@by_shape
@pytest.mark.parametrize("negative", [False, True])
def test_elements_are_read(
    name: str, shape: tuple[int, ...], axis: int, monkeypatch: pytest.MonkeyPatch, *, negative: bool
) -> None:  # fmt: skip
    """Positions that are out of range read 0."""
    rng = np.random.default_rng([axis, *shape])
    size = shape[axis]
    for dtype in DTYPES:
        for index in (np.int32, np.int64, np.int16):
            x = laid_out(rng, numbers(rng, shape, dtype))
            rows = rng.integers(-size - 2, size + 2, (4, 3)).astype(index)
            for out in memory(rng, (*shape[:axis], 4, 3, *shape[axis + 1 :]), dtype):
                both(name, monkeypatch, lambda x=x, at=rows, out=out: positions.take(
                    x, at, axis, negative=negative, out=out))  # fmt: skip
            less = tuple(max(1, each - 2) if dim != axis else each + 3 for dim, each in enumerate(shape))
            along = laid_out(rng, rng.integers(-size - 2, size + 2, less).astype(index))
            for out in memory(rng, less, dtype):
                both(name, monkeypatch, lambda x=x, at=along, out=out: positions.take_along(
                    x, at, axis, negative=negative, out=out))  # fmt: skip


@every_build
@by_shape
@pytest.mark.parametrize("adds", [False, True])
def test_elements_are_written(
    name: str, shape: tuple[int, ...], axis: int, monkeypatch: pytest.MonkeyPatch, *, adds: bool
) -> None:  # fmt: skip
    """In their order where positions come again; those that are out of range write nothing."""
    rng = np.random.default_rng([axis, *shape])
    size = shape[axis]
    for dtype in ADDED if adds else DTYPES:
        x = laid_out(rng, numbers(rng, shape, dtype))
        rows = rng.integers(-size - 2, size + 2, 25).astype(np.int32)
        values = laid_out(rng, numbers(rng, (*shape[:axis], 25, *shape[axis + 1 :]), dtype))
        if np.dtype(dtype).kind == "f":
            x, values = x * dtype(0.1), values * dtype(0.3)  # so that the order of sums shows
        before = x.copy()
        for negative in (False, True):
            both(name, monkeypatch, lambda x=x, rows=rows, values=values, negative=negative: positions.write(
                x, rows, values, axis, adds=adds, negative=negative))  # fmt: skip
        same(x, before)


@every_build
def test_elements_are_written_along_a_dimension(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(positions, "MIN_ELEMENTS_FOR_EVALUATOR", 1)
    rng = np.random.default_rng(0)
    library = build(name)
    monkeypatch.setattr(positions, "evaluator", lambda: library)
    for shape, axis in SHAPES:
        x = rng.standard_normal(shape).astype(np.float32)
        less = tuple(each if dim != axis else each + 3 for dim, each in enumerate(shape))
        index, values = rng.integers(-shape[axis], shape[axis], less), rng.standard_normal(less).astype(np.float32)
        wanted, places = x.copy(), list(np.ogrid[tuple(map(slice, less))])
        places[axis] = index
        np.add.at(wanted, tuple(places), values)
        for out in (None, laid_out(rng, x), x):
            with Machine(threads=3):
                found = positions.write_along(
                    x, index, values, axis, adds=True, negative=True, out=out,
                    by_numpy=lambda: pytest.fail("not the evaluator"),
                )  # fmt: skip
            same(found, wanted)


def test_a_sum_that_the_evaluator_does_not_know_is_counted() -> None:
    build("plain")
    x, rows = np.zeros((64, 64), np.int8), np.arange(64) % 5
    with Machine() as machine:
        found = positions.write(x, rows, np.ones((64, 64), np.int8), adds=True)
        assert dict(machine.compute_threads.counts) == {"as it is written: int8 added at positions": 1}
    np.testing.assert_array_equal(found[:6, 0], [13, 13, 13, 13, 12, 0])


ROWS = [(1, 3, 5), (500, 1, 7), (3000, 70, 40), (900, 2500, 300), (4000, 128, 3), (10, 16, 5000)]


@every_build
@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16], ids=["float32", "float16", "bfloat16"])
@pytest.mark.parametrize(("count", "width", "length"), ROWS)
def test_rows_are_summed_up_by_index(
    name: str, dtype: Any, count: int, width: int, length: int, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """Within the bound, with the same bits on any number of threads. Indices out of range and the padding count not."""
    library = build(name)
    monkeypatch.setattr(native, "MIN_ELEMENTS_FOR_THREADS", 1)
    monkeypatch.setattr(index_sums, "evaluator", lambda: library)
    rng = np.random.default_rng([count, width])
    grad = rng.standard_normal((count, width)).astype(dtype)
    rows = rng.integers(-1, length + 1, count).astype(rng.choice([np.int32, np.int64]))
    for padding, scale in ((None, False), (length // 2, True)):
        used = (rows >= 0) & (rows < length) & (rows != (-5 if padding is None else padding))
        exact, size, many = (
            np.zeros((length, width)),
            np.zeros((length, width)),
            np.bincount(rows[used], minlength=length),
        )
        np.add.at(exact, rows[used], grad[used].astype(np.float64))
        np.add.at(size, rows[used], np.abs(grad[used].astype(np.float64)))
        if scale:
            exact, size = (each / np.maximum(many, 1)[:, None] for each in (exact, size))
        results = set()
        for threads in (1, 2, 5):
            workers, found = Workers(threads), np.full((length, width), np.nan, dtype)
            lazy = index_sums.sum_rows(grad, rows, count=length, padding=padding, scale=scale)
            lazy.node.write(found, workers)  # type: ignore[attr-defined]
            workers.close()
            assert dict(workers.counts) == {"native": 1}
            results.add(found.tobytes())
        assert len(results) == 1
        wide = found.astype(np.float64)
        half_step = 2.0**-8 * np.abs(exact) if dtype is bfloat16 else np.spacing(np.abs(found)).astype(np.float64) / 2
        assert (np.abs(wide - exact) <= 8 * 2.0**-24 * size + half_step).all()


@every_build
def test_sums_of_rows_of_infinities_and_beyond_float32_on_the_way(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    library = build(name)
    monkeypatch.setattr(index_sums, "evaluator", lambda: library)
    grad = np.array([[2e38, 1], [2e38, np.inf], [-3e38, 1], [1, np.nan], [5, -np.inf]], np.float32)
    found, workers = np.zeros((3, 2), np.float32), Workers(1)
    lazy = index_sums.sum_rows(grad, np.array([0, 0, 0, 2, 1]), count=3, padding=None, scale=False)
    lazy.node.write(found, workers)  # type: ignore[attr-defined]
    np.testing.assert_allclose(found, [[1e38, np.inf], [5, -np.inf], [1, np.nan]], rtol=1e-6)


@every_build
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_one_number_out_of_range_is_found_in_any_place(name: str, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    library = build(name)
    monkeypatch.setattr(positions, "evaluator", lambda: library)
    monkeypatch.setattr(positions, "MIN_INDICES_FOR_THREADS", 1)
    limits = np.iinfo(dtype)
    for low, high in ((0, 9), (-9, 9), (limits.min, limits.max), (3, 3), (5, 4)):
        inside = np.array([low, high - 1], dtype)
        for size in (0, 1, 17, 100_000):
            for threads in (1, 3):
                index = np.resize(inside, size)
                with Machine(threads=threads):
                    assert positions.all_within(index, low, high) == (low < high or not size)
                    for at in {0, size // 2, size - 1} if size else ():
                        for wrong in {low - 1, high, limits.min, limits.max}:
                            if limits.min <= wrong <= limits.max and not low <= wrong < high:
                                index[at], kept = wrong, index[at]
                                assert not positions.all_within(index, low, high)
                                index[at] = kept


def test_numbers_that_are_no_dense_integers_are_checked_by_numpy() -> None:
    with Machine():
        assert positions.all_within(np.arange(10, dtype=np.uint8), 0, 10)
        assert not positions.all_within(np.arange(10, dtype=np.uint8), 0, 9)
        assert positions.all_within(np.arange(10)[::2], 0, 9)
        assert not positions.all_within(np.arange(10)[1::2], 0, 9)
        assert not positions.all_within(np.zeros(3, np.float32), 0, 9), "a float is no position"
