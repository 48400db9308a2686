"""Every instruction of the evaluator against numpy: all types, strides and special values, in each build."""

from __future__ import annotations

import itertools
import os
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from aclnn.engine.fast.expressions import Cast, Lazy
from aclnn.engine.fast.native import sweep as sweeps
from aclnn.engine.fast.native.library import BUILDS, load
from aclnn.engine.numbers import special
from tests.aclnn.engine.fast.native.evaluating import FOLDER, build, computed, every_build, laid_out, same
from tests.helpers.places import ROOT

FLOATS = (np.float32, np.float64)
INTEGERS = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64)
SPECIAL = [0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 3.4e38, -3.4e38, 1e-45, -1e-45, 1.5, 2.5, -2.5, 0.5, 1e-38]
ROUNDINGS = ("rint", "floor", "ceil", "trunc")
BINARY = ("add", "subtract", "multiply", "divide", "maximum", "minimum")
COMPARISONS = ("greater", "greater_equal", "less", "less_equal", "equal", "not_equal")
BITWISE = ("bitwise_and", "bitwise_or", "bitwise_xor")
LOGICAL = ("logical_and", "logical_or", "logical_xor")
SHIFTS = ("left_shift", "right_shift")
UNARY = ("negative", "absolute", "square", "sqrt", *ROUNDINGS, "isnan", "isinf", "isfinite")
SHAPES = [(37,), (3, 5), (2, 1100), (5, 3, 70), (300, 9)]


def values(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Random numbers, and special ones between them."""
    kind = np.dtype(dtype).kind
    if kind in "iu":
        info = np.iinfo(dtype)
        found = rng.integers(info.min, info.max, shape, dtype, endpoint=True)
        found.flat[::7] = rng.choice(np.array([0, 1, info.min, info.max], dtype), found.flat[::7].shape)
        return found
    found = (rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 3, shape)).astype(dtype)
    with np.errstate(over="ignore"):
        found.flat[::5] = rng.choice(np.array(SPECIAL).astype(dtype), found.flat[::5].shape)
    return found


def check(name: str, formula: Any, arrays: list[np.ndarray], expected: Any = None) -> None:
    """A build computes what numpy computes, and does it itself."""
    with np.errstate(all="ignore"):
        wanted = np.asarray((expected or formula)(*arrays))
    found = laid_out(np.random.default_rng(0), np.zeros_like(wanted))
    assert computed(build(name), formula, arrays, [found]) == "native"
    same(found, wanted)


def cases() -> list[Any]:
    """Every operation with each type that it has a loop for in numpy, except what the evaluator leaves to numpy."""
    found = [(ufunc, dtype, 2) for ufunc in (*BINARY, *COMPARISONS) for dtype in (*FLOATS, *INTEGERS)]
    found += [(ufunc, dtype, 2) for ufunc in (*BITWISE, *SHIFTS) for dtype in INTEGERS]
    found += [(ufunc, dtype, 2) for ufunc in LOGICAL for dtype in (*FLOATS, *INTEGERS)]
    found += [("logical_not", dtype, 1) for dtype in (*FLOATS, *INTEGERS)]
    found += [(ufunc, dtype, 1) for ufunc in UNARY for dtype in FLOATS]
    found = [each for each in found if each[0] != "divide" or np.dtype(each[1]).itemsize > 1]  # numpy's is float16
    found += [(ufunc, dtype, 1) for ufunc in ("negative", "absolute", "square", "invert") for dtype in INTEGERS]
    return [pytest.param(*each, id=f"{each[0]}-{np.dtype(each[1]).name}") for each in found]


@every_build
@pytest.mark.parametrize(("ufunc", "dtype", "operands"), cases())
def test_an_operation_equals_that_of_numpy(name: str, ufunc: str, dtype: Any, operands: int) -> None:
    rng = np.random.default_rng([operands, len(ufunc), np.dtype(dtype).itemsize])
    formula = getattr(np, ufunc)
    expected = partial(second_of_equal, formula) if ufunc in ("maximum", "minimum") else formula
    for number, shape in enumerate(SHAPES):
        arrays = [values(rng, shape, dtype) for _ in range(operands)]
        if number % 2:
            arrays = [laid_out(rng, each) for each in arrays]
        check(name, formula, arrays, expected)
        if operands == 2:  # one row or one column for all, and a number
            check(name, formula, [arrays[0], arrays[1][:1]], expected)
            check(name, formula, [arrays[0][..., :1], arrays[1]], expected)
            number_ = arrays[1].flat[0]
            check(name, lambda x, n=number_: formula(x, n), arrays[:1], lambda x, n=number_: expected(x, n))


def second_of_equal(formula: Any, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """An extreme of numpy; of two zeros with different signs it is the second. Numpy takes the second on x86-64, and
    goes by the sign on aarch64. The evaluator takes the second on both."""
    return np.where(x == y, y, formula(x, y))


def test_every_operation_of_the_library_is_tested() -> None:
    library = build("plain")
    tested = {*BINARY, *COMPARISONS, *BITWISE, *LOGICAL, *UNARY, "logical_not", "invert", "power"}
    tested |= {*SHIFTS, "fmod", "remainder", "logaddexp", "logaddexp2", "logistic"}
    tested |= {function.__name__ for function, *_ in CURVED}
    others = {
        "constant",
        "load",
        "store",
        "recall",
        "convert",
        "round",
        "select",
        "sum",
        "dot",
        "centred_dot",
        "squares",
        "largest",
        "smallest",
        "update",
        "spread",
    }
    assert set(library.operations) == tested | others


CURVED: list[tuple[Any, Any, float, float, float]] = [
    (np.exp, np.float32, -105, 90, 1.5), (np.exp, np.float64, -746, 710, 1.5), (np.expm1, np.float32, -31, 90, 2.5),
    (np.tanh, np.float32, -11, 11, 2.5), (np.log, np.float32, 0, 1e3, 1.5), (np.log, np.float64, 0, 1e3, 1.5),
    (np.log1p, np.float32, -1, 1e3, 1.5), (np.log2, np.float32, 0, 1e3, 2), (np.log10, np.float32, 0, 1e3, 2),
    (np.arcsinh, np.float32, -99, 99, 2), (np.arccosh, np.float32, 1, 99, 0.6), (np.arctanh, np.float32, -1, 1, 0.6),
    (np.arcsin, np.float32, -1, 1, 2.5), (np.arccos, np.float32, -1, 1, 1.5),
    (special.erf, np.float32, -5, 5, 0.6), (special.erf, np.float64, -7, 7, 8.5),
    (special.erfc, np.float32, -5, 12, 0.6), (special.erfc, np.float64, -7, 27, 8.5),
    (special.erfinv, np.float32, -1, 1, 0.6), (special.erfinv, np.float64, -1, 1, 8.5),
]  # fmt: skip
"""functions with their data type, the range of arguments, and the error in units in the last place; those of
`special` have up to 4 themselves"""


@every_build
@pytest.mark.parametrize(
    ("function", "dtype", "low", "high", "most"),
    CURVED,
    ids=[f"{each[0].__name__}-{each[1].__name__}" for each in CURVED],
)
def test_a_function_has_its_error_bound(
    name: str, function: Any, dtype: Any, low: float, high: float, most: float
) -> None:  # fmt: skip
    """Also of small arguments and beside the ends; what is too large is infinite, what is too small becomes zero step
    by step. The exact values are those of numpy or of `special` in more digits."""
    rng = np.random.default_rng(0)
    small = rng.uniform(-1, 1, 20_000) * 10.0 ** rng.integers(-12, 1, 20_000)
    ends = np.concatenate([low + np.abs(small), high - np.abs(small)]) if abs(low) + abs(high) < 3 else []
    x = np.concatenate([np.linspace(low, high, 100_001), small, ends, SPECIAL]).astype(dtype)
    found = np.zeros_like(x)
    assert computed(build(name), function, [x], [found]) == "native"
    with np.errstate(all="ignore"):
        wide = np.longdouble if isinstance(function, np.ufunc) else np.float64
        exact = function(x.astype(wide))
        expected = exact.astype(dtype)
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(found[~finite], expected[~finite])
    error = np.abs(found[finite] - exact[finite]) / np.spacing(np.abs(expected[finite]))
    assert error.max() < most


@every_build
@pytest.mark.parametrize(
    ("ufunc", "most"), [(np.fmod, 0), (np.remainder, 0), (np.logaddexp, 0.6), (np.logaddexp2, 0.6)]
)
def test_functions_of_two_numbers(name: str, ufunc: np.ufunc, most: float) -> None:
    """Remainders are those of numpy to the bit, with their signs."""
    rng = np.random.default_rng(1)
    numbers = np.concatenate([SPECIAL, [2, -2, 3, -3, 0.25, 1e-3, 7e8, 1e9, -1e9], rng.normal(0, 9, 90)])
    numbers = numbers.astype(np.float32)
    x, y = (np.ascontiguousarray(each) for each in np.meshgrid(numbers, numbers))
    found = np.zeros_like(x)
    assert computed(build(name), ufunc, [x, y], [found]) == "native"
    with np.errstate(all="ignore"):
        if not most:
            same(found, ufunc(x, y))
            return
        exact = ufunc(x.astype(np.float64), y.astype(np.float64))
        wanted = exact.astype(np.float32)
    finite = np.isfinite(wanted)
    np.testing.assert_array_equal(found[~finite], wanted[~finite])
    assert (np.abs(found[finite] - exact[finite]) <= most * np.spacing(np.abs(wanted[finite]))).all()


@every_build
@pytest.mark.parametrize("numerator", ["the same", "another", "a column", "a row", "a number"])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_logistic_function_is_one_operation(
    name: str, shape: tuple[int, ...], dtype: Any, numerator: str, swept: list[list[str]]
) -> None:  # fmt: skip
    """Its bits are those of an exponential, an addition and a division, which are three if the divisor is stored."""
    rng = np.random.default_rng(2)
    divisor_of = cache(lambda leaf: np.exp(-Lazy(leaf)) + 1)
    of_x: dict[str, Any] = {"the same": lambda x, _: x, "a number": lambda *_: 1}
    of = of_x.get(numerator, lambda _, y: y)
    formulas = [lambda x, y: of(x, y) / divisor_of(x.node), lambda x, _: divisor_of(x.node)]
    for most in (80, 150):
        x, y = rng.uniform(-most, most, shape).astype(dtype), values(rng, shape, np.float32)
        if most > 88:
            with np.errstate(over="ignore"):
                x.flat[::9] = np.resize(np.array(SPECIAL).astype(dtype), x.flat[::9].shape)
        y = {"a column": y[..., :1], "a row": y[:1]}.get(numerator, y)
        alone, with_divisor, divisor = (np.zeros(shape, np.float32) for _ in range(3))
        swept.clear()
        assert computed(build(name), lambda x, y: of(x, y) / (1 + np.exp(-x)), [x, y], [alone]) == "native"
        assert computed(build(name), formulas, [x, y], [with_divisor, divisor]) == "native"
        assert [("logistic" in each, "exp" in each) for each in swept] == [(True, False), (False, True)]
        np.testing.assert_array_equal(alone.view(np.uint32), with_divisor.view(np.uint32))


@every_build
def test_an_exponential_of_each_row_is_not_computed_again_for_each_element(name: str, swept: list[list[str]]) -> None:
    x, row, out = np.ones((40, 300), np.float32), np.ones((40, 1), np.float32), np.zeros((40, 300), np.float32)
    assert computed(build(name), lambda x, row: x / (1 + np.exp(row)), [x, row], [out]) == "native"
    assert ["exp" in each for each in swept] == [True]


@every_build
def test_powers(name: str) -> None:
    """Of each special value to the power of each, and of random ones."""
    rng = np.random.default_rng(0)
    numbers = np.concatenate([SPECIAL, [2, -2, 3, -3, 0.25, 1e-3, 127], rng.uniform(-9, 9, 80)]).astype(np.float32)
    x, y = (np.ascontiguousarray(each) for each in np.meshgrid(numbers, numbers))
    with np.errstate(all="ignore"):
        exact = np.power(x.astype(np.longdouble), y.astype(np.longdouble))
        expected = exact.astype(np.float32)
    finite = np.isfinite(expected)

    def close(found: np.ndarray, rows: Any = slice(None)) -> None:
        good = finite[rows]
        np.testing.assert_array_equal(found[~good], expected[rows][~good])
        error = np.abs(found[good] - exact[rows][good]) / np.spacing(np.abs(expected[rows][good]))
        assert error.max() < 1

    found = np.zeros_like(x)
    assert computed(build(name), np.power, [x, y], [found]) == "native"
    close(found)
    for at, number in enumerate(numbers):
        found = np.zeros_like(numbers)
        assert computed(build(name), lambda x, y=number: x**y, [numbers], [found]) == "native"
        close(found, at)
        assert computed(build(name), lambda y, x=number: x**y, [numbers], [found]) == "native"
        close(found, (slice(None), at))


@every_build
@pytest.mark.parametrize("exponent", [-33, -32, -5, -3, -2, -1, 1, 2, 3, 4, 5, 7, 8, 24, 31, 32])
def test_a_whole_exponent_is_rounded_once(name: str, exponent: int) -> None:
    """Each result is the nearest float32, with the sign of a zero."""
    rng = np.random.default_rng(exponent % 100)
    x = rng.standard_normal(3001) * 2.0 ** rng.integers(-150 // abs(exponent), 124 // abs(exponent) + 1, 3001)
    x = np.concatenate([SPECIAL, x]).astype(np.float32)
    found = np.zeros_like(x)
    assert computed(build(name), lambda x: x ** np.float32(exponent), [x], [found]) == "native"
    with np.errstate(all="ignore"):
        same(found, np.power(x.astype(np.longdouble), np.longdouble(exponent)).astype(np.float32))


@every_build
@pytest.mark.parametrize("dtype", [np.float16, bfloat16], ids=["float16", "bfloat16"])
def test_every_16_bit_float_is_loaded_and_stored(name: str, dtype: Any) -> None:
    every = np.arange(1 << 16, dtype=np.uint16).view(dtype)
    wide = np.zeros(every.size, np.float32)
    assert computed(build(name), lambda x: x * np.float32(1), [every], [wide]) == "native"
    same(wide, widened(every))
    narrow = np.zeros_like(every)
    assert computed(build(name), lambda x: x * np.float32(1), [every], [narrow]) == "native"
    same(widened(narrow), widened(every))


OPERANDS = ("narrow", "narrow reversed", "narrow with gaps", "wide", "one")


@every_build
@pytest.mark.parametrize("to", ["wide", "narrow", "narrow with gaps", "past the caches", "the other type"])
@pytest.mark.parametrize("dtype", [np.float16, bfloat16], ids=["float16", "bfloat16"])
@pytest.mark.parametrize("ufunc", ["add", "subtract", "multiply", "divide"])
def test_an_operation_reads_and_writes_16_bit_floats(
    name: str, ufunc: str, dtype: Any, to: str, swept: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every 16-bit float with another one, in any layout, with a float32 and with one for all. The result is that of
    float32, rounded once if it has 16 bits. Nothing widens or rounds it apart from the operation."""
    monkeypatch.setattr(sweeps, "MIN_BYTES_TO_STREAM", 1 if to == "past the caches" else 1 << 30)
    every = np.arange((1 << 16) - 7, dtype=np.uint16)
    x, y = (bits.view(dtype) for bits in (every, np.random.default_rng(0).permutation(every)))
    formula = getattr(np, ufunc)
    other = bfloat16 if dtype is np.float16 else np.float16
    stored = np.float32 if to == "wide" else other if to == "the other type" else dtype
    for kinds in itertools.product(OPERANDS, repeat=2):
        if not any(kind.startswith("narrow") for kind in kinds):
            continue
        arrays = [operand(each, kind) for each, kind in zip((x, y), kinds, strict=True)]
        with np.errstate(all="ignore"):
            wanted = widened(formula(*map(widened, arrays)).astype(stored))
        gaps = 3 if to.endswith("gaps") else 1
        found = np.zeros(x.size * gaps, stored)[::gaps]
        assert computed(build(name), formula, arrays, [found]) == "native"
        same(widened(found), wanted)
        assert "convert" not in swept[-1]
        assert "round" not in swept[-1]


def widened(values_: np.ndarray) -> np.ndarray:
    """As float32. For a signaling NaN of float16, numpy warns on aarch64, where an instruction converts it."""
    with np.errstate(invalid="ignore"):
        return values_.astype(np.float32)


def operand(values_: np.ndarray, kind: str) -> np.ndarray:
    """The same values as an operand of this kind; for `one`, a single one of them."""
    if kind == "one":
        return widened(values_[4000:4001])
    if kind == "wide":
        return widened(values_)
    stride = {"narrow": 1, "narrow reversed": -1, "narrow with gaps": 3}[kind]
    return np.repeat(values_, abs(stride))[::stride]


@every_build
@pytest.mark.parametrize("dtype", [np.float16, bfloat16], ids=["float16", "bfloat16"])
def test_what_is_read_otherwise_too_is_widened_once(name: str, dtype: Any, swept: list[list[str]]) -> None:
    x = np.arange(-2000, 2000).astype(dtype)
    wide = x.astype(np.float32)
    for formula in (lambda x: np.exp(x) + x, lambda x: x * x + x * np.float32(3) - x, lambda x: np.maximum(x, 0) * x):
        found = np.zeros(x.size, np.float32)
        assert computed(build(name), formula, [x], [found]) == "native"
        assert swept[-1].count("load") == 1
        wanted = np.zeros_like(found)
        assert computed(build(name), formula, [wide], [wanted]) == "native"
        same(found, wanted)


@every_build
@pytest.mark.parametrize("stride", [1, 3])
@pytest.mark.parametrize("dtype", [np.float16, bfloat16], ids=["float16", "bfloat16"])
@pytest.mark.parametrize("source", FLOATS)
def test_a_result_is_rounded_once(name: str, dtype: Any, source: Any, stride: int) -> None:
    """To the nearest, half to even: numbers near the middle of two, subnormal ones, and beyond the largest."""
    with np.errstate(invalid="ignore"):
        every = np.arange(1 << 16, dtype=np.uint16).view(dtype).astype(np.float64)
    every = np.sort(every[np.isfinite(every)])
    middle = (every[1:] + every[:-1]) / 2
    x = np.concatenate([middle, np.nextafter(middle, np.inf), np.nextafter(middle, -np.inf), [1e30, -1e30, 65520]])
    if source is np.float32:
        single = middle.astype(np.float32)
        x = np.concatenate(
            [single, np.nextafter(single, np.float32(np.inf)), np.nextafter(single, np.float32(-np.inf))]
        )
    with np.errstate(over="ignore"):
        wanted = x.astype(dtype) if dtype is np.float16 or source is np.float32 else rounded_to_bfloat16(x)
    found = np.zeros(x.size * stride, dtype)[::stride]
    assert computed(build(name), lambda x: x * source(1), [x.astype(source)], [found]) == "native"
    same(found.astype(np.float32), wanted.astype(np.float32))


def rounded_to_bfloat16(x: np.ndarray) -> np.ndarray:
    """float64 to the nearest bfloat16, by exact arithmetic."""
    _, exponent = np.frexp(x)
    step = np.ldexp(1.0, np.maximum(exponent - 8, -133))
    return (np.rint(x / step) * step).astype(np.float32).astype(bfloat16)


@every_build
@pytest.mark.parametrize("dtype", [np.float16, bfloat16], ids=["float16", "bfloat16"])
def test_an_intermediate_is_rounded(name: str, dtype: Any) -> None:
    from aclnn.engine.fast.expressions import Cast

    x = np.random.default_rng(0).standard_normal((40, 50)).astype(np.float32)

    def formula(x: Any) -> Any:
        if isinstance(x, Lazy):
            return Lazy(Cast(x.node, np.dtype(dtype))) + 1
        return x.astype(dtype).astype(np.float32) + 1

    check(name, formula, [x])


CONVERSIONS = [
    (one, other)
    for one, other in itertools.product((*FLOATS, *INTEGERS), repeat=2)
    if np.dtype(one).kind != "f" or np.dtype(other).kind == "f"
]


@every_build
@pytest.mark.parametrize(("one", "other"), CONVERSIONS, ids=lambda each: np.dtype(each).name)
def test_a_conversion_equals_that_of_numpy(name: str, one: Any, other: Any) -> None:
    check(name, lambda x: x.astype(other), [values(np.random.default_rng(1), (30, 40), one)])


@every_build
@pytest.mark.parametrize(("one", "other"), CONVERSIONS, ids=lambda each: np.dtype(each).name)
def test_a_result_goes_to_memory_of_another_type(name: str, one: Any, other: Any) -> None:
    """As `astype` does."""
    x = values(np.random.default_rng(2), (30, 40), one)
    with np.errstate(all="ignore"):
        wanted = x.astype(other)
    found = np.zeros_like(wanted)
    assert computed(build(name), lambda x: x, [x], [found]) == "native"
    same(found, wanted)


@every_build
@pytest.mark.parametrize("dtype", [*FLOATS, np.int32, np.int64])
def test_a_choice_is_made_by_bits(name: str, dtype: Any) -> None:
    """A value that is not chosen leaves no trace. Each of the three may be one value for all."""
    rng = np.random.default_rng(4)
    c, a, b = (values(rng, (23, 40), dtype) for _ in range(3))
    for x, y in itertools.product((a, a[:, :1], a[:1]), (b, b[:, :1], b[:1])):
        check(name, lambda c, x, y: np.where(c > 0, x, y), [c, x, y])
        check(name, lambda c, x, y: np.where(c > 0, x, y), [c[:, :1], x, y])
    check(name, lambda c, x: np.where(c > 0, x, dtype(0)), [c, a])
    check(name, lambda c, x: np.where(c > 0, dtype(7), x), [c, a])


@every_build
@pytest.mark.parametrize("dtype", [np.float32, np.float16], ids=["float32", "float16"])
def test_prelu_of_infinities_and_nan(name: str, dtype: Any) -> None:
    special = np.array([0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 65504, -65504, 6e-8, -6e-8, 3], dtype)
    x, g = (each.astype(dtype) for each in np.meshgrid(special, special))

    def formula(x: Any, g: Any, w: Any) -> Any:
        return np.where(x > 0, g, w * g)

    wide = [each.astype(np.float32) for each in (x, g, special)]
    with np.errstate(all="ignore"):
        wanted = formula(*wide).astype(dtype)
    found = np.zeros_like(x)
    assert computed(build(name), formula, [x, g, special], [found]) == "native"
    same(found, wanted)


@every_build
def test_single_elements_are_changed(name: str) -> None:
    rng = np.random.default_rng(7)
    for shape in ((4, 6), (50, 3000), (3, 256)):
        rows, columns = np.sort(rng.integers(0, shape[0], 40)), rng.integers(0, shape[1], 40)
        places = np.unique(np.stack([rows, columns]), axis=1)
        by = rng.standard_normal(places.shape[1]).astype(np.float32)

        def formula(x: Any, rows: Any = places[0], columns: Any = places[1], by: Any = by) -> Any:
            y = x * 2
            y[rows, columns] -= by
            y[rows, columns] += by * 3
            return y

        check(name, formula, [rng.standard_normal(shape).astype(np.float32)])


def test_the_builds_are_installed_where_there_is_a_compiler() -> None:
    """Otherwise the tests above would be skipped in silence. Continuous integration has all builds; an editable install
    has the one for its processor."""
    import platform
    import shutil

    if platform.machine() != "x86_64" or not any(map(shutil.which, ("cc", "gcc", "clang"))):
        pytest.skip("no C compiler, or another processor")
    installed = [name for name in BUILDS if (FOLDER / f"evaluator_{name}.so").is_file()]
    assert installed == list(BUILDS) if os.environ.get("ACLNN_EXHAUSTIVE") else any(map(load, installed))


@pytest.mark.checkout("setup.py is no part of the wheel")
def test_an_editable_install_compiles_the_build_that_this_processor_would_choose() -> None:
    """setup.py reads the features of the processor from the system, the evaluator asks the processor."""
    best = next((name for name in reversed(BUILDS) if load(name)), None)
    if best is None:
        pytest.skip("no build is installed")
    text = (ROOT / "setup.py").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    rule = text[text.index("BUILDS = ") : text.index("def description")]
    exec(f"import platform\nfrom pathlib import Path\n{rule}", names)
    assert names["of_this_processor"]() == best


@every_build
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16], ids=lambda each: each.__name__)
def test_a_narrow_integer_keeps_its_width_and_sign_between_operations(name: str, dtype: Any) -> None:
    """A sum wraps as in memory before the next operation compares it."""
    most = np.iinfo(dtype).max
    x = np.array([most, most // 2 + 1, most // 2, 1] * 20, dtype)
    y = np.array([1, most // 2 + 1, most // 2, 2] * 20, dtype)
    found = np.zeros_like(x)
    assert computed(build(name), lambda x, y: np.maximum(x + y, y), [x, y], [found]) == "native"
    same(found, np.maximum(x + y, y))


@every_build
def test_any_byte_but_0_is_true(name: str) -> None:
    """Memory of bools may hold other bytes than 0 and 1: a program copies what it likes there."""
    values = np.arange(256, dtype=np.uint8)
    found = np.zeros(256, np.bool_)
    assert computed(build(name), np.logical_and, [values.view(np.bool_), values > 5], [found]) == "native"
    same(found, values > 5)


@every_build
@pytest.mark.parametrize("dtype", [np.float16, bfloat16], ids=["float16", "bfloat16"])
def test_a_number_that_is_rounded_to_16_bits_stays_so_in_float32(name: str, dtype: Any) -> None:
    x = np.linspace(1, 2, 1000, dtype=np.float32)
    found = np.zeros_like(x)
    assert computed(build(name), lambda x: Lazy(Cast(x.node, np.dtype(dtype))), [x], [found]) == "native"
    same(found, x.astype(dtype).astype(np.float32))
