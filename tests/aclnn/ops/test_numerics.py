"""Results against float64, over random shapes and layouts, within the bounds of tests/helpers/error_bounds.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import Machine
from aclnn.engine.numbers.rounding import MIN_ELEMENTS, store, to_half, widen
from tests.aclnn.ops.case import Case, board
from tests.aclnn.ops.cases import BATCH_NORM, CROSS_ENTROPY, EMBEDDING, PRELU, SOFTMAX
from tests.helpers.builders import OnDevice, on_device, run
from tests.helpers.error_bounds import Figures, allowed, half_ulp

MOST = 4000
ROUNDS = range(14)


Trial = tuple[dict[str, Any], dict[str, Figures]]  # arguments by name, outputs by name


def wide(values: np.ndarray) -> np.ndarray:
    return np.asarray(values).astype(np.float64)


def numbers(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Normal numbers of a random scale."""
    scale = rng.choice([2.0**-10, 0.25, 1, 4])
    return np.asarray(rng.standard_normal(shape) * scale, np.float32).astype(dtype)


def random_shape(rng: np.random.Generator, low: int, high: int) -> tuple[int, ...]:
    shape = tuple(int(size) for size in rng.choice([1, 2, 3, 5, 7, 40], rng.integers(low, high + 1)))
    while np.prod(shape) > MOST:
        shape = tuple(max(1, size // 2) for size in shape)
    return shape


def softmax(rng: np.random.Generator, dtype: Any) -> Trial:
    shape = random_shape(rng, 0, 5)
    g, y = numbers(rng, shape, dtype), np.asarray(rng.uniform(0, 1, shape), np.float32).astype(dtype)
    dim = int(rng.integers(-max(len(shape), 1), max(len(shape), 1)))
    rows = (wide(g).reshape(shape or 1), wide(y).reshape(shape or 1))
    products = rows[0] * rows[1]
    values = rows[1] * (rows[0] - products.sum(dim, keepdims=True))
    magnitude = np.abs(rows[1]) * (np.abs(rows[0]) + np.abs(products).sum(dim, keepdims=True))
    out = Figures(values.reshape(shape), magnitude.reshape(shape))
    return {"gradOutput": g, "output": y, "dim": dim, "out": np.zeros(shape, dtype)}, {"out": out}


def prelu(rng: np.random.Generator, dtype: Any) -> Trial:
    shape = random_shape(rng, 0, 5)
    per_channel = len(shape) > 1 and bool(rng.integers(2))
    count = shape[1] if per_channel else 1
    x, weight = numbers(rng, shape, dtype), numbers(rng, (count,), dtype)
    narrow = tuple(size if rng.integers(3) else 1 for size in shape)[int(rng.integers(len(shape) + 1)) :]
    g = numbers(rng, narrow if rng.integers(2) else shape, dtype)
    slope = wide(weight).reshape(-1, *[1] * (len(shape) - 2)) if count > 1 else wide(weight).reshape(())
    full = np.broadcast_to(wide(g), shape)
    dx = np.where(wide(x) > 0, full, slope * full)
    terms = np.where(wide(x) > 0, 0, full * wide(x))
    if dtype is not np.float32:
        terms = wide(terms.astype(dtype))  # "each term" is rounded to a 16-bit data type
    axes = tuple(axis for axis in range(len(shape)) if axis != 1 or count == 1)
    dw = Figures(terms.sum(axes).reshape(count), np.abs(terms).sum(axes).reshape(count))
    arguments = {
        "gradOutput": g, "self": x, "weight": weight,
        "gradInput": np.zeros(shape, dtype), "gradWeight": np.zeros(count, dtype),
    }  # fmt: skip
    return arguments, {"gradInput": Figures(dx, np.abs(dx)), "gradWeight": dw}


def batch_norm(rng: np.random.Generator, dtype: Any) -> Trial:
    shape = random_shape(rng, 2, 5)
    channels = shape[1]
    dy, x = numbers(rng, shape, dtype), numbers(rng, shape, dtype)
    statistics = dtype if rng.integers(2) else np.float32
    mean, invstd = numbers(rng, (channels,), statistics), rng.uniform(0.5, 2, channels).astype(statistics)
    axes = tuple(axis for axis in range(len(shape)) if axis != 1)
    per_channel = (-1, *[1] * (len(shape) - 2))
    terms = wide(dy) * (wide(x) - wide(mean).reshape(per_channel))
    sums = Figures(wide(dy).sum(axes), np.abs(wide(dy)).sum(axes))
    products = Figures(terms.sum(axes), np.abs(terms).sum(axes))
    scales = Figures(products.values * wide(invstd), products.magnitude * wide(invstd))
    out = dtype if rng.integers(2) else np.float32
    blank = {name: np.zeros(channels, out) for name in ("sumDy", "sumDyXmu", "gradWeight", "gradBias")}
    given = {"gradOut": dy, "input": x, "mean": mean, "invstd": invstd, "weight": None}
    masks = {"inputG": True, "weightG": True, "biasG": True}
    return {**given, **masks, **blank}, {
        "sumDy": sums, "sumDyXmu": products, "gradWeight": scales, "gradBias": sums
    }  # fmt: skip


def cross_entropy(rng: np.random.Generator, dtype: Any) -> Trial:
    n, classes = int(rng.integers(1, 50)), int(rng.integers(1, 60))
    raw = rng.standard_normal((n, classes)) * 2
    log_prob = (raw - np.log(np.exp(raw).sum(1, keepdims=True))).astype(np.float32).astype(dtype)
    target = rng.integers(0, classes, n)
    weight = rng.uniform(0.1, 2, classes).astype(np.float32) if rng.integers(2) else None
    reduction = str(rng.choice(["none", "mean", "sum"]))
    ignore = int(rng.integers(-3, classes)) if classes > 1 else -1
    counted = (target != ignore) if ignore >= 0 else np.ones(n, bool)
    if not counted.any():
        ignore, counted = -100, np.ones(n, bool)
    grad = numbers(rng, (n,) if reduction == "none" else (), dtype)
    omega = (np.ones(n) if weight is None else wide(weight)[target]) * counted
    s = omega * wide(grad) / (omega.sum() if reduction == "mean" else 1)
    at_target = np.arange(classes) == target[:, None]
    products = np.exp(wide(log_prob)) * s[:, None]
    values = products - np.where(at_target, s[:, None], 0)
    magnitude = np.abs(products) + np.where(at_target, np.abs(s)[:, None], 0)
    given = {"gradLoss": grad, "logProb": log_prob, "target": target, "weightOptional": weight}
    rest = {"gradZlossOptional": None, "lseForZlossOptional": None, "reductionOptional": reduction,
            "ignoreIndex": ignore, "labelSmoothing": 0.0, "lseSquareScaleForZloss": 0.0}  # fmt: skip
    return {**given, **rest, "out": np.zeros((n, classes), dtype)}, {"out": Figures(values, magnitude)}


def embedding(rng: np.random.Generator, dtype: Any) -> Trial:
    shape, rows = random_shape(rng, 1, 3), int(rng.integers(1, 30))
    columns = int(rng.choice([1, 3, 16, 600])) if np.prod(shape) < 100 else 3
    grad, indices = numbers(rng, (*shape, columns), dtype), rng.integers(0, rows, shape)
    padding, scale = int(rng.integers(-2, rows)), bool(rng.integers(2))
    values, magnitude = np.zeros((rows, columns)), np.zeros((rows, columns))
    np.add.at(values, indices.ravel(), wide(grad).reshape(-1, columns))
    np.add.at(magnitude, indices.ravel(), np.abs(wide(grad)).reshape(-1, columns))
    if padding >= 0:
        values[padding] = magnitude[padding] = 0
    counts = np.maximum(np.bincount(indices.ravel(), minlength=rows), 1)[:, None] if scale else 1
    out = np.float32 if rng.integers(2) else dtype
    return {
        "grad": grad, "indices": indices.astype(rng.choice(["int64", "int32", "int16", "float32"])), "numWeights": rows,
        "paddingIdx": padding, "scaleGradByFreq": scale, "out": np.zeros((rows, columns), out),
    }, {"out": Figures(values / counts, magnitude / counts)}  # fmt: skip


TRIALS: dict[Case, Callable[[np.random.Generator, Any], Trial]] = {
    SOFTMAX: softmax, PRELU: prelu, BATCH_NORM: batch_norm, CROSS_ENTROPY: cross_entropy, EMBEDDING: embedding,
}  # fmt: skip
PAIRS = [
    pytest.param(case, dtype, id=f"{case}-{np.dtype(dtype).name}")
    for case in TRIALS
    for dtype in (np.float32, np.float16, bfloat16)
    if (case, dtype) != (PRELU, bfloat16)
]


def scattered(rng: np.random.Generator, values: np.ndarray) -> OnDevice:
    """Dense, dense with an offset, or with axes in a random order and gaps between them."""
    kind, offset, tail = rng.integers(3), int(rng.integers(1, 9)), int(rng.integers(9))
    if kind == 0:
        return on_device(values)
    if kind == 1:
        return on_device(values, offset=offset, tail=tail)
    strides, step = [0] * values.ndim, int(rng.integers(1, 3))
    for axis in rng.permutation(values.ndim):
        strides[axis] = step
        step = step * values.shape[axis] + int(rng.integers(3))
    return on_device(values, strides=strides, offset=offset, tail=tail)


def perform(case: Case, arguments: dict[str, Any], rng: np.random.Generator) -> dict[str, OnDevice]:
    """Run the operator with its tensors scattered; they are returned by name."""
    tensors = {name: scattered(rng, value) for name, value in arguments.items() if isinstance(value, np.ndarray)}
    run(case.first, case.second, *{**arguments, **tensors}.values())
    return tensors


def assert_untouched_beside(tensors: dict[str, OnDevice], outputs: dict[str, Figures]) -> None:
    """Inputs, and the bytes beside the views of outputs, are what they were."""
    for name, tensor in tensors.items():
        outside = np.ones(tensor.storage.shape, bool)
        if name in outputs and tensor.storage.size:
            tensor.view(outside)[...] = False
        assert tensor.read_storage()[outside].tobytes() == tensor.storage[outside].tobytes(), name


@pytest.mark.parametrize(("case", "dtype"), PAIRS)
@pytest.mark.parametrize("number", ROUNDS)
def test_results_are_within_the_error_bound(machine: Machine, case: Case, dtype: Any, number: int) -> None:
    rng = np.random.default_rng([number, len(case.name)])
    arguments, outputs = TRIALS[case](rng, dtype)
    tensors = perform(case, arguments, rng)
    for name, expected in outputs.items():
        found = tensors[name].read()
        assert np.isfinite(expected.values).all()
        error = np.abs(wide(found) - expected.values)
        most = allowed(expected, found.dtype)
        assert (error <= most).all(), f"{name}: {(error / most).max()} times what is allowed"
    assert_untouched_beside(tensors, outputs)


@pytest.mark.fidelity("non-deterministic results")
@pytest.mark.parametrize(("case", "dtype"), PAIRS)
def test_results_repeat_exactly(case: Case, dtype: Any) -> None:
    """ "Our results are deterministic", whatever the schedule."""
    results: set[bytes] = set()
    for schedule in ("late", "eager", "random"):
        rng = np.random.default_rng(77)
        arguments, outputs = TRIALS[case](rng, dtype)
        with board(schedule=schedule, seed=3):
            tensors = perform(case, arguments, rng)
            results.add(b"".join(tensors[name].read_storage().tobytes() for name in outputs))
    assert len(results) == 1


def test_the_allowance_is_no_larger_than_the_number_format() -> None:
    """Half a unit in the last place, known figures."""
    for dtype, value, half in (
        (np.float32, 1.0, 2.0**-24), (np.float16, 1.0, 2.0**-11), (np.float16, 2.0**-24, 2.0**-25),
        (np.float16, 0.0, 2.0**-25), (bfloat16, -3.0, 2.0**-7), (np.float32, 0.0, 2.0**-150),
    ):  # fmt: skip
        assert half_ulp(np.array([value]), np.dtype(dtype)) == half


# conversions


def as_numpy(values: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return values.astype(np.float16)


def assert_same_halves(patterns: np.ndarray) -> None:
    """`to_half` and numpy agree, bit by bit but for the payload of a NaN."""
    values = np.ascontiguousarray(patterns, np.uint32).view(np.float32)
    assert values.size >= MIN_ELEMENTS
    with np.errstate(all="ignore"):
        found = to_half(values)
    expected = as_numpy(values)
    nan = np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(found), nan)
    np.testing.assert_array_equal(found.view(np.uint16)[~nan], expected.view(np.uint16)[~nan])


EXPONENTS = np.arange(512, dtype=np.uint32) << np.uint32(23)  # every exponent with either sign
EDGES = np.array(
    [0, 1, 2, 0x7FFFFF, 0x400000, 0x3FFFFF, 0x400001]  # ends and middle
    + [1 << bit for bit in range(23)]
    + [(1 << bit) - 1 for bit in range(23)]
    + [(1 << bit) + 1 for bit in range(23)]
    + [0x7FFFFF - (1 << bit) for bit in range(23)],
    np.uint32,
)


def test_to_half_at_the_edges_of_every_exponent() -> None:
    assert_same_halves((EXPONENTS[:, None] | EDGES).ravel())


def test_to_half_of_random_fractions_of_every_exponent() -> None:
    fractions = np.random.default_rng(0).integers(0, 1 << 23, (512, 2000), np.uint32)
    assert_same_halves((EXPONENTS[:, None] | fractions).ravel())


def test_to_half_of_every_float16_and_what_lies_halfway() -> None:
    """All 65,536 of them, the middle between each and its neighbour, and one step of a float32 off that."""
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    exact = halves[np.isfinite(halves)].astype(np.float32)
    with np.errstate(over="ignore"):
        upper = np.nextafter(exact.astype(np.float16), np.float16(np.inf)).astype(np.float32)
    middle = np.where(np.isfinite(upper), (exact + upper) / 2, np.float32(65520))
    around = [exact, middle, np.nextafter(middle, np.float32(np.inf)), np.nextafter(middle, np.float32(-np.inf))]
    assert_same_halves(np.concatenate(around).view(np.uint32))
    np.testing.assert_array_equal(to_half(exact).astype(np.float32), exact)


@pytest.mark.parametrize("count", [0, 1, MIN_ELEMENTS - 1, MIN_ELEMENTS, MIN_ELEMENTS + 1])
@pytest.mark.parametrize(
    ("value", "half"),
    [
        (65504, 65504), (65519.996, 65504), (65520, np.inf), (-65520, -np.inf), (1e38, np.inf), (np.inf, np.inf),
        (-np.inf, -np.inf), (2.0**-24, 2.0**-24), (2.0**-25, 0), (2.0**-25 * 1.5, 2.0**-24), (-1e-45, -0.0),
        (2049, 2048), (2051, 2052), (0.1, 0.0999755859375), (np.nan, np.nan),
    ],
)  # fmt: skip
def test_to_half_of_known_numbers(value: float, half: float, count: int) -> None:
    """The small path and the large one."""
    with np.errstate(all="ignore"):
        found = to_half(np.full(count, value, np.float32))
    np.testing.assert_array_equal(found, np.full(count, half, np.float16))
    assert (np.signbit(found) == np.signbit(half)).all() or np.isnan(half)


def test_to_half_keeps_shape_and_argument() -> None:
    values = np.linspace(-3, 3, 600, dtype=np.float32).reshape(20, 30)[:, ::2]
    before = values.copy()
    found = to_half(values)
    assert found.shape == values.shape
    np.testing.assert_array_equal(found, before.astype(np.float16))
    np.testing.assert_array_equal(values, before)


@pytest.mark.parametrize("dtype", [np.float16, bfloat16, np.float32], ids=lambda dtype: np.dtype(dtype).name)
def test_widen_then_store_gives_the_same_number_back(dtype: Any) -> None:
    """Every 16-bit float is a float32."""
    bits = np.arange(1 << 16, dtype=np.uint16)
    values = bits.view(dtype) if np.dtype(dtype).itemsize == 2 else bits.astype(dtype)
    widened = widen(values)
    assert widened.dtype == np.float32
    back = np.zeros_like(values)
    with np.errstate(all="ignore"):
        store(widened, back)
    same = ~np.isnan(widened)
    assert back[same].tobytes() == values[same].tobytes()
    assert np.isnan(back[~same].astype(np.float32)).all()
