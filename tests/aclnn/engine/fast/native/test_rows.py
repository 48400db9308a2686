"""Operations on a number for each row: they go row by row, or numbers for short rows are spread first. Rows that are
not contiguous, such as one row for all, are read in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from aclnn.engine.fast.native.sweep import SHORT_ROW
from tests.aclnn.engine.fast.native.evaluating import build, computed, every_build, same

COLUMNS = (3, 16, SHORT_ROW - 1, SHORT_ROW, 77, 500)
FORMULAS: dict[str, Callable[[Any, Any], Any]] = {
    "multiply": lambda x, row: x * row,
    "subtract from": lambda x, row: row - x,
    "twice": lambda x, row: (x * row) + row,
    "compare": lambda x, row: np.where(x > row, x, row),
    "choose by row": lambda x, row: np.where(row > 1, x, -x),
}
FLOATS = (np.float32, np.float64, np.float16, bfloat16)


@every_build
@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("dtype", [*FLOATS, np.int32], ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("formula", FORMULAS.values(), ids=FORMULAS)
def test_a_number_for_each_row(
    name: str, formula: Callable[[Any, Any], Any], dtype: Any, columns: int, swept: list[list[str]]
) -> None:
    """As numpy has it in the type that is computed in; spread once at the most."""
    rng = np.random.default_rng(columns)
    x, row = (rng.integers(-9, 9, shape).astype(dtype) for shape in ((1000, columns), (1000, 1)))
    x = np.where(x == 0, np.float32(0.1).astype(dtype), x)
    wide = np.float32 if np.dtype(dtype).itemsize == 2 else dtype
    wanted = formula(x.astype(wide), row.astype(wide)).astype(dtype)
    for out in (np.zeros_like(x), np.zeros((1000, columns + 5), dtype)[:, :-5]):
        assert computed(build(name), formula, [x, row], [out]) == "native"
        same(out.astype(wide), wanted.astype(wide))
        assert swept[-1].count("spread") == (columns < SHORT_ROW)


@every_build
@pytest.mark.parametrize("columns", COLUMNS)
def test_sums_of_rows_are_used_by_their_elements(name: str, columns: int) -> None:
    def formula(x: Any) -> Any:
        return x / _sum(x)

    x = np.random.default_rng(columns).random((1000, columns), np.float32) + 1
    out = np.zeros_like(x)
    assert computed(build(name), formula, [x], [out]) == "native"
    np.testing.assert_allclose(out, formula(x.astype(np.float64)), rtol=2e-6)


UNITS: dict[str, Callable[[Any], Any]] = {"sum": lambda total: total, "root": lambda total: np.sqrt(total * 3 + 1)}


def with_its_sum(of_elements: Callable[..., Any], of_sum: Callable[..., Any]) -> list[Callable[..., Any]]:
    """Two formulas that share one sum of the rows of x."""
    sums: list[Any] = []

    def first(x: Any, *rest: Any) -> Any:
        sums[:] = [_sum(x)]
        return of_elements(x, sums[0], *rest)

    return [first, lambda x, *rest: of_sum(sums[0], *rest)]


@every_build
@pytest.mark.parametrize("columns", [*COLUMNS, 5000])
@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("formula", UNITS.values(), ids=UNITS)
def test_a_number_for_each_row_is_written_by_the_sweep_of_its_row(
    name: str, formula: Callable[..., Any], dtype: Any, columns: int, swept: list[list[str]]
) -> None:
    """The sums of small whole numbers are exact."""
    x = np.random.default_rng(columns).integers(0, 9, (10, 30, columns)).astype(np.float32)
    shares, rows = np.zeros_like(x), np.zeros((10, 30, 1), dtype)
    wanted = formula(_sum(x)).astype(dtype)
    for threads in (1, 3):
        rows[...] = 0
        formulas = with_its_sum(lambda x, total: x / (total + 1), formula)
        assert computed(build(name), formulas, [x], [shares, rows], threads) == "native"
        same(rows.astype(np.float64), wanted.astype(np.float64))
        np.testing.assert_allclose(shares, x / (_sum(x) + 1), rtol=1e-6)
    assert [operations.count("store") for operations in swept] == [1, 1]


@every_build
def test_one_number_for_each_row_goes_to_two_outputs(name: str) -> None:
    x = np.random.default_rng(1).integers(0, 9, (300, 77)).astype(np.float32)
    out, one, other = np.zeros_like(x), np.zeros((300, 1), np.float32), np.zeros((300, 1), np.float32)
    shares, of_sum = with_its_sum(lambda x, total: x / (total + 1), lambda total: total)
    assert computed(build(name), [shares, of_sum, of_sum], [x], [out, one, other]) == "native"
    same(one, _sum(x))
    same(other, _sum(x))


@every_build
def test_numbers_of_rows_in_the_memory_of_an_operand_follow_the_sweep(name: str, swept: list[list[str]]) -> None:
    x = np.random.default_rng(1).integers(0, 9, (300, 77)).astype(np.float32)
    factors = np.arange(300, dtype=np.float32).reshape(300, 1)
    shares, sums, out = x * factors / (_sum(x) + 1), _sum(x) + factors, np.zeros_like(x)
    formulas = with_its_sum(lambda x, total, factors: x * factors / (total + 1), np.add)
    assert computed(build(name), formulas, [x, factors], [out, factors]) == "native"
    np.testing.assert_allclose(out, shares, rtol=1e-6)
    same(factors, sums)
    assert ["store" in operations for operations in swept] == [False]


@every_build
def test_numbers_of_rows_with_gaps_are_written_in_their_places(name: str) -> None:
    """The two dimensions of rows are one in x, and two in the memory of the sums."""
    x = np.random.default_rng(1).integers(0, 9, (10, 30, 77)).astype(np.float32)
    out, wide = np.zeros_like(x), np.full((10, 35, 1), 5, np.float32)
    formulas = with_its_sum(lambda x, total: x / (total + 1), lambda total: total)
    assert computed(build(name), formulas, [x], [out, wide[:, :30]]) == "native"
    same(wide[:, :30], _sum(x))
    assert (wide[:, 30:] == 5).all()
    np.testing.assert_allclose(out, x / (_sum(x) + 1), rtol=1e-6)


def _sum(x: Any) -> Any:
    return x.sum(-1, dtype=np.float64, keepdims=True).astype(np.float32)


IN_PLACE: dict[str, Callable[[Any, Any, Any], Any]] = {
    "one row for all": lambda x, gaps, one: x * one,
    "a divisor": lambda x, gaps, one: one / x,
    "rows with gaps": lambda x, gaps, one: gaps - x,
    "all of them": lambda x, gaps, one: (x + one) * gaps + one,
    "only these": lambda x, gaps, one: np.maximum(one, gaps),
    "a logistic function": lambda x, gaps, one: one / (1 + np.exp(gaps)),
    "also in a comparison": lambda x, gaps, one: np.where(x > one, gaps + one, gaps),
    "with a number for each row": lambda x, gaps, one: (x + _sum(x)) * one + gaps,
    "also in a sum": lambda x, gaps, one: gaps * _sum(gaps * gaps) + one,
}


@every_build
@pytest.mark.parametrize("columns", [*COLUMNS, 128])
@pytest.mark.parametrize("formula", IN_PLACE.values(), ids=IN_PLACE)
def test_rows_that_are_not_contiguous(name: str, formula: Callable[..., Any], columns: int) -> None:
    """Also upside down."""
    rng = np.random.default_rng(columns)
    x = rng.uniform(0.5, 2, (1000, columns)).astype(np.float32)
    wide, one = (rng.uniform(0.5, 2, (rows, columns + 5)).astype(np.float32) for rows in (1000, 1))
    for gaps in (wide[:, 2:-3], wide[::-1, :-5]):
        wanted = formula(x, gaps, one[:, :-5])
        for out in (np.zeros_like(x), np.zeros_like(wide)[:, :-5]):
            assert computed(build(name), formula, [x, gaps, one[:, :-5]], [out]) == "native"
            np.testing.assert_allclose(out, wanted, rtol=2e-6)
