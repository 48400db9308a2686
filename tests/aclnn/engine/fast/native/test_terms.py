"""The terms of sums: products, squares, and values less a mean, of each type of float and in any layout."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from aclnn.engine.fast.native.library import BUILDS
from tests.aclnn.engine.fast.native.evaluating import build, computed, every_build, same

Formula = Callable[[Any, Any, Any], Any]
FORMS: dict[str, Formula] = {
    "sum": lambda x, y, c: x,
    "dot": lambda x, y, c: x * y,
    "dot of one": lambda x, y, c: np.square(x),
    "centred_dot": lambda x, y, c: x * (y - c),
    "centred_dot reversed": lambda x, y, c: (y - c) * x,
    "squares": lambda x, y, c: np.square(x - c),
    "squares as products": lambda x, y, c: (centred := x - c) * centred,
}
"""the first word is the instruction"""
CASES: dict[str, tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]] = {
    "rows": ((30, 1000), (1,), (30, 1)),
    "rows of whole runs": ((9, 4096), (1,), (9, 1)),
    "long rows": ((3, 20_001), (1,), (3, 1)),
    "short rows": ((300, 100), (1,), (300, 1)),
    "columns": ((300, 515), (0,), (1, 515)),
    "few columns": ((3000, 33), (0,), (1, 33)),
    "channels of images": ((24, 6, 256), (0, 2), (1, 6, 1)),
    "channels of odd images": ((24, 6, 77), (0, 2), (1, 6, 1)),
    "all": ((70, 300), (0, 1), (1, 1)),
    "in front": ((20, 7, 90), (0,), (1, 7, 90)),
}
"""the shape, the dimensions that are summed up, and the shape of the means"""
TYPES = (np.float32, np.float16, bfloat16)


def made(case: str, dtype: Any) -> list[np.ndarray]:
    shape, _, small = CASES[case]
    rng = np.random.default_rng([len(case), *shape])
    return [*(rng.normal(3, 1, shape).astype(dtype) for _ in range(2)), rng.normal(3, 0.1, small).astype(np.float32)]


def summed(form: str, case: str) -> Formula:
    over = CASES[case][1]
    return lambda *arrays: FORMS[form](*arrays).sum(over, dtype=np.float64)


@every_build
@pytest.mark.parametrize("dtype", TYPES, ids=["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("form", FORMS)
def test_a_sum_of_terms(name: str, form: str, case: str, dtype: Any, swept: list[list[str]]) -> None:
    """It is within the bound, has the bits of the same numbers as float32, and the same bits in any layout. Nothing is
    computed before it."""
    arrays, formula = made(case, dtype), summed(form, case)
    wide = [each.astype(np.float64) for each in arrays]
    exact = formula(*wide)
    x, y, c = map(np.abs, wide)
    most = 8 * 2.0**-24 * np.broadcast_to(FORMS[form](x + c, y + c, 0 * c), CASES[case][0]).sum(CASES[case][1])
    found = np.zeros(exact.shape, np.float32)
    assert computed(build(name), formula, arrays, [found]) == "native"
    assert (np.abs(found - exact) <= most + np.spacing(np.abs(found)) / 2).all()
    assert set(swept[-1]) == {"load", form.partition(" ")[0]}
    for others in ([each.astype(np.float32) for each in arrays], [with_gaps(each) for each in arrays]):
        again = np.zeros_like(found)
        assert computed(build(name), formula, others, [again], 3) == "native"
        same(again, found)


def with_gaps(values: np.ndarray) -> np.ndarray:
    """The same values in a larger array: neighbours in each dimension are two elements apart, but for the first."""
    cuts = tuple(slice(None, None, 2 if axis else 1) for axis in range(values.ndim))
    view = np.zeros([2 * size for size in values.shape], values.dtype)[: values.shape[0]][cuts]
    view[...] = values
    return view


@every_build
@pytest.mark.parametrize("types", [(0, 1, 0), (1, 0, 1), (1, 2, 1), (1, 1, 1), (1, 1, 2), (2, 2, 2)], ids=str)
@pytest.mark.parametrize("case", ["rows", "columns", "channels of images", "in front"])
@pytest.mark.parametrize("form", FORMS)
def test_types_of_a_sum_may_differ(name: str, form: str, case: str, types: tuple[int, ...]) -> None:
    """The bits are those of the same numbers as float32."""
    arrays = [each.astype(TYPES[type_]) for each, type_ in zip(made(case, np.float32), types, strict=True)]
    formula = summed(form, case)
    results = []
    for given in (arrays, [each.astype(np.float32) for each in arrays]):
        found = np.zeros(formula(*map(np.float64, arrays)).shape, np.float32)
        assert computed(build(name), formula, given, [found]) == "native"
        results.append(found)
    same(*results)


@every_build
@pytest.mark.parametrize("case", ["rows", "columns", "channels of images"])
@pytest.mark.parametrize("form", FORMS)
def test_a_sum_of_terms_beyond_float32_on_the_way(name: str, form: str, case: str) -> None:
    """The sum of huge terms of both signs is a float32; infinities and NaN stay what they are."""
    x, y, c = made(case, np.float32)
    x[...] = np.resize(np.float32([2e38, 2e38, -3e38, 0]), x.shape[-1] if case != "columns" else (x.shape[0], 1))
    if form.startswith(("squares", "dot of")):
        x[...] = np.where(x > 0, np.float32(1.8e19), np.float32(3))
    y[...], c[...] = 1, 0
    x[2, 2], x[1, 1] = np.inf, np.nan
    formula = summed(form, case)
    with np.errstate(all="ignore"):
        wanted = formula(*(each.astype(np.float64) for each in (x, y, c))).astype(np.float32)
    found = np.zeros_like(wanted)
    assert computed(build(name), formula, [x, y, c], [found]) == "native"
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


@every_build
@pytest.mark.parametrize("length", [1500, 2048, 20_000])
def test_each_run_of_a_row_beyond_float32_counts_once(name: str, length: int) -> None:
    """All runs of the row go beyond float32 on the way, and the sum is that of the first ten elements."""
    x = np.resize(np.float32([2e38, -2e38]), (3, length))
    x[:, :10] = 1e37
    found = np.zeros(3, np.float32)
    assert computed(build(name), lambda x: x.sum(-1, dtype=np.float64), [x], [found]) == "native"
    np.testing.assert_allclose(found, 1e38, rtol=1e-5)


@every_build
@pytest.mark.parametrize("columns", [1, 33, 515])
def test_one_column_beyond_float32_on_the_way(name: str, columns: int) -> None:
    """The last column alone needs float64. It is the end of no vector."""
    x = np.ones((40, columns), np.float32)
    x[:, -1] = np.resize(np.float32([2e38, 2e38, -3e38, -1e38]), 40)
    found = np.zeros(columns, np.float32)
    assert computed(build(name), lambda x: x.sum(0, dtype=np.float64), [x], [found]) == "native"
    np.testing.assert_allclose(found, x.sum(0, dtype=np.float64), rtol=1e-5)


@every_build
def test_what_a_sum_takes_off_is_a_register_if_it_is_read_otherwise_too(name: str, swept: list[list[str]]) -> None:
    x = np.random.default_rng(0).normal(3, 1, (50, 300)).astype(np.float32)

    def formula(x: Any, c: Any) -> Any:
        centred = x - c
        return centred * (centred * centred).sum(-1, dtype=np.float64, keepdims=True).astype(np.float32)

    found = np.zeros_like(x)
    assert computed(build(name), formula, [x, x[:, :1].copy()], [found]) == "native"
    np.testing.assert_allclose(found, formula(x, x[:, :1]), rtol=1e-5)
    assert swept[-1].count("subtract") == 1
    assert "squares" not in swept[-1]


@every_build
@pytest.mark.parametrize("nan", [False, True], ids=["numbers", "with NaN"])
@pytest.mark.parametrize("dtype", TYPES, ids=["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("case", CASES)
def test_extremes_read_each_type_of_float(
    name: str, case: str, dtype: Any, swept: list[list[str]], *, nan: bool
) -> None:
    """As numpy has them, also where rows are apart; NaN if one element is."""
    x = made(case, dtype)[0]
    x.flat[1::1001], x.flat[::997] = -np.inf, np.inf
    if nan:
        x.flat[x.size // 2] = np.nan
    for ufunc, op in ((np.maximum, "largest"), (np.minimum, "smallest")):
        wanted = ufunc.reduce(x.astype(np.float32), CASES[case][1])
        found = np.zeros_like(wanted)
        for array in (x, with_gaps(x)):
            formula = lambda x, ufunc=ufunc: ufunc.reduce(x, axis=CASES[case][1])  # noqa: E731
            assert computed(build(name), formula, [array], [found], 3) == "native"
            same(found, wanted)
            assert set(swept[-1]) == {"load", op}


@pytest.mark.parametrize("dtype", TYPES, ids=["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("case", CASES)
def test_all_builds_find_the_same_zero(case: str, dtype: Any) -> None:
    """Where -0.0 and 0.0 are both the largest element, numpy says nothing of the sign."""
    rng, (shape, over, _) = np.random.default_rng(1), CASES[case]
    x = np.where(rng.random(shape) < 0.5, -0.0, 0.0).astype(dtype)
    results = set()
    for name in BUILDS:
        found = [np.ones(np.max(x, over).shape, np.float32) for _ in range(2)]
        formulas = [lambda x, each=each: each(x, over) for each in (np.max, np.min)]
        assert computed(build(name), formulas, [x], found) == "native"
        assert not any(each.any() for each in found)
        results.add(tuple(each.tobytes() for each in found))
    assert len(results) == 1
