"""Large tensors, computed by the evaluator or in row blocks: the results of the formulas as they are written, whatever
the layout, the blocks and the number of threads. Small tensors count as large ones here."""

from __future__ import annotations

import threading
import tracemalloc
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

import aclnn.engine.run
from acl_runtime import *
from acl_runtime.streams.compute_threads import Workers
from aclnn import aclnnCrossEntropyLoss, aclnnCrossEntropyLossGetWorkspaceSize
from aclnn.engine import plan as plan_module
from aclnn.engine.fast import evaluate, index_sums, row_blocks, space, step_tracer, traced_run
from aclnn.engine.fast.expressions import Lazy, Leaf, NotInFastEngine
from aclnn.engine.numbers.rounding import total
from tests.aclnn.ops.case import Case, board
from tests.aclnn.ops.cases import CROSS_ENTROPY, EMBEDDING, PRELU, SOFTMAX
from tests.aclnn.ops.test_numerics import PAIRS, TRIALS, assert_untouched_beside, perform, wide
from tests.helpers.builders import OnDevice, malloc, on_device, plan, run
from tests.helpers.error_bounds import allowed

TINY: dict[ModuleType, dict[str, int]] = {
    plan_module: {"MIN_ELEMENTS_FOR_FAST_ENGINE": 1},
    traced_run: {"MIN_COST_TO_TRACE_EACH_RUN": 1, "MIN_COST_WITHOUT_PLANNING": 1},
    step_tracer: {"MIN_ELEMENTS_TO_TRACE": 2, "MAX_SMALL_INTERMEDIATE": 5},
    evaluate: {"MAX_SMALL_ARRAY": 6},
    space: {"SHORT_ROW": 8},
    row_blocks: {"BLOCK_ELEMENTS": 24},
}
"""what is thousands or more otherwise"""


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets small tensors count as large ones."""
    for module, sizes in TINY.items():
        for name, size in sizes.items():
            monkeypatch.setattr(module, name, size)


@pytest.fixture(autouse=True)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The compiled evaluator, or row blocks in its place."""
    name: str = getattr(request, "param", "native")
    if name == "blocks":
        for module, function in ((evaluate, "evaluator"), (index_sums, "evaluator"), (step_tracer, "evaluator")):
            monkeypatch.setattr(module, function, lambda: None)
    elif evaluate.evaluator() is None:
        pytest.skip("the compiled evaluator is missing, or turned off")
    return name


both_engines = pytest.mark.parametrize("engine", ["blocks", "native"], indirect=True)


@pytest.fixture
def outcomes(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Of each launch that was large enough: whether all of it was done by the evaluator"""
    found: list[bool] = []

    def watched(*arguments: Any) -> traced_run.TracedRun:
        outcome = traced_run.run_traced(*arguments)
        found.append(outcome.complete)
        return outcome

    monkeypatch.setattr(aclnn.engine.run, "run_traced", watched)
    return found


# operators


@both_engines
@pytest.mark.fidelity("the order in which sums are added up")
@pytest.mark.parametrize(("case", "dtype"), PAIRS)
@pytest.mark.parametrize("number", range(9))
def test_tiles_stay_within_the_error_bound(
    tiny: None, case: Case, dtype: Any, number: int
) -> None:  # fmt: skip
    """The bound of the plain formula, on random shapes and layouts; bytes beside a view stay what they were."""
    rng = np.random.default_rng([100 + number, len(case.name)])
    arguments, outputs = TRIALS[case](rng, dtype)
    results = []
    for threads in (1, 3):
        with board(fast=True, threads=threads):
            tensors = perform(case, arguments, np.random.default_rng(number))
            results.append(b"".join(tensors[name].read_storage().tobytes() for name in outputs))
            for name, expected in outputs.items():
                found = tensors[name].read()
                error, most = np.abs(wide(found) - expected.values), allowed(expected, found.dtype)
                assert (error <= most).all(), f"{name}: {(error / most).max()} times what is allowed"
            assert_untouched_beside(tensors, outputs)
    assert results[0] == results[1], "deterministic whatever the number of threads"


@pytest.mark.parametrize(("case", "dtype"), PAIRS)
def test_fast_false_runs_the_formula(
    tiny: None, outcomes: list[bool], case: Case, dtype: Any
) -> None:  # fmt: skip
    """`Machine(fast=False)`."""
    for fast in (True, False):
        rng = np.random.default_rng(5)
        arguments, _ = TRIALS[case](rng, dtype)
        with board(fast=fast):
            perform(case, arguments, rng)
        assert bool(outcomes) is fast
        outcomes.clear()


SHAPES = [(2048, 448), (300, 5000), (300000, 3), (3, 200000), (64, 300, 37), (2, 3, 70000), (300000,), (1, 400000)]


@both_engines
@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16], ids=["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_softmax_of_every_dimension_with_tiles_as_they_are(
    outcomes: list[bool], shape: tuple[int, ...], dtype: Any, engine: str
) -> None:
    rng = np.random.default_rng(3)
    g = rng.standard_normal(shape).astype(np.float32).astype(dtype)
    y = rng.random(shape, np.float32).astype(dtype)
    wide_g, wide_y = wide(g), wide(y)
    product = wide_g * wide_y
    step = {2: 2.0**-11, 4: 2.0**-24}[np.dtype(dtype).itemsize] if dtype is not bfloat16 else 2.0**-8
    for dim in range(len(shape)):
        with board(fast=True):
            tensors = [on_device(each) for each in (g, y, np.zeros(shape, dtype))]
            run(SOFTMAX.first, SOFTMAX.second, *tensors[:2], dim, tensors[2])
            found = wide(tensors[2].read())
        expected = (wide_g - product.sum(dim, keepdims=True)) * wide_y
        magnitude = np.abs(wide_y) * (np.abs(wide_g) + np.abs(product).sum(dim, keepdims=True))
        assert (np.abs(found - expected) <= 8 * 2.0**-24 * magnitude + 1.01 * step * np.abs(expected) + 2.0**-25).all()
    of_all = sum(size > 1 for size in shape) == 1  # there are no row blocks
    assert (of_all and engine == "blocks") or outcomes == [True] * len(shape)


@both_engines
@pytest.mark.parametrize("which", ["gradOutput", "output"])
@pytest.mark.parametrize("dim", [0, 1])
def test_a_result_in_place_equals_the_result_elsewhere(tiny: None, outcomes: list[bool], which: str, dim: int) -> None:
    """An output in the place of an input: exactly what it is elsewhere."""
    rng = np.random.default_rng(1)
    g, y = (rng.standard_normal((9, 11)).astype(np.float32) for _ in range(2))
    with board(fast=True):
        tensors = {"gradOutput": on_device(g), "output": on_device(y)}
        apart = on_device(np.zeros_like(g))
        run(SOFTMAX.first, SOFTMAX.second, *tensors.values(), dim, apart)
        run(SOFTMAX.first, SOFTMAX.second, *tensors.values(), dim, tensors[which])
        assert tensors[which].read().tobytes() == apart.read().tobytes()
    assert outcomes == [True, True]


@both_engines
@pytest.mark.parametrize("dtype", [np.float32, np.float16], ids=["float32", "float16"])
def test_prelu_of_infinities_and_nan(tiny: None, outcomes: list[bool], dtype: Any) -> None:
    """The choice is made by bits: what is not chosen leaves no trace, whatever it is."""
    special = np.array([0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 65504, -65504, 6e-8, -6e-8, 3], dtype)
    x, g = (each.reshape(12, 12).astype(dtype) for each in np.meshgrid(special, special))
    results = []
    for fast in (True, False):
        with board(fast=fast):
            out, weight = on_device(np.zeros((12, 12), dtype)), on_device(np.zeros(12, dtype))
            run(PRELU.first, PRELU.second, on_device(g), on_device(x), on_device(special), out, weight)
            results.append((out.read(), weight.read()))
    for found, expected in zip(*results, strict=True):
        np.testing.assert_array_equal(found, expected)
    assert outcomes == [True]


@pytest.mark.finds("index-range")
@pytest.mark.parametrize("case", [EMBEDDING, CROSS_ENTROPY], ids=str)
def test_an_index_out_of_range_is_dropped(tiny: None, outcomes: list[bool], case: Case) -> None:
    """ "In report mode the element is dropped and the next synchronise returns 507035"."""
    rng = np.random.default_rng(2)
    results = []
    for fast in (True, False):
        with board(fast=fast, on_undefined="report") as machine:
            if case is EMBEDDING:
                indices = on_device(np.array([3, 0, 9, 3, -1, 5] * 6))
                given = [on_device(np.ones((36, 5), np.float32)), indices, 7, 1 << 40, False]
                out = on_device(np.zeros((7, 5), np.float32))
            else:
                log_prob = on_device(np.log(np.full((6, 8), 0.125, np.float32)))
                given = [on_device(np.ones(6, np.float32)), log_prob, on_device(np.array([0, 9, 3, -1, 7, 2])), None]
                given += [None, None, b"none", -100, 0.0, 0.0]
                out = on_device(np.zeros((6, 8), np.float32))
            planned = plan(case.first, *given, out)
            workspace = on_device(np.zeros(max(planned.workspace_size, 1), np.uint8)).address
            assert case.second(workspace, planned.workspace_size, planned.executor, None) == ACL_SUCCESS
            assert aclrtSynchronizeStream(None) == 507035, aclGetRecentErrMsg()
            assert [finding.id for finding in machine.findings if finding.level == "error"] == ["index-range"]
            results.append(out.read())
    del rng
    np.testing.assert_array_equal(*results)
    assert outcomes == [True]


@both_engines
def test_peak_memory_does_not_grow_with_the_tensors(outcomes: list[bool]) -> None:
    """At most 32 MB above the caller's own buffers: 16 million elements are 64 MB in float32."""
    shape = (4096, 4096)
    with board(fast=True, fill=None):
        given = [on_device(np.zeros(shape, np.float16)) for _ in range(3)]
        planned = plan(SOFTMAX.first, *given[:2], 1, given[2])
        assert SOFTMAX.second(None, 0, planned.executor, None) == ACL_SUCCESS
        tracemalloc.start()
        assert aclrtSynchronizeStream(None) == ACL_SUCCESS
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert outcomes == [True]
    assert peak < 32 << 20


# formulas of all kinds


def softmax_forward(x: Any, y: Any) -> Any:
    e = np.exp(x)
    return e / e.sum(-1, keepdims=True)


def layer_norm(x: Any, y: Any) -> Any:
    mean = x.sum(-1, keepdims=True) / x.shape[-1]
    centred = x - mean
    variance = (centred * centred).sum(-1, keepdims=True) / x.shape[-1]
    return centred / np.sqrt(variance + 1)


def variance_of_all(x: Any, y: Any) -> Any:
    d = x - x.sum(dtype=np.float64).astype(np.float32) / x.size
    return (d * d).sum(dtype=np.float64).astype(np.float32) / x.size


def first_axis(x: Any, y: Any) -> Any:
    return (x * y).sum(0, dtype=np.float64, keepdims=True).astype(np.float32) * np.tanh(y)


def chosen(x: Any, y: Any) -> Any:
    return np.where((x > 0) & (y < 1), np.maximum(x, y), 0.5 - x) * np.where(y > 0, x, np.float32(0))


def product_read_twice(x: Any, y: Any) -> Any:
    product = x * y
    return product.sum(-1, keepdims=True) + (1 - product)


def long_chain(x: Any, y: Any) -> Any:
    s = (x * x).sum(dtype=np.float64).astype(np.float32)
    for _ in range(400):
        s = (s + s * np.float32(0.5)) / 2
    return s


def two_sums(x: Any, y: Any) -> Any:
    return (x.sum(0) * 2 - (y * x).sum(0)).reshape((1, *x.shape[1:]))


FORMULAS = [
    softmax_forward,
    layer_norm,
    variance_of_all,
    first_axis,
    chosen,
    product_read_twice,
    long_chain,
    two_sums,
]


def laid_out(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Random numbers with axes in a random order, every second element, backwards, or one for a whole axis."""
    order = rng.permutation(len(shape))
    base = rng.standard_normal([shape[axis] * 2 for axis in order]).astype(np.float32)
    steps_ = [slice(None, None, int(rng.choice([2, -2]))) if rng.integers(2) else slice(shape[axis]) for axis in order]
    array = base[tuple(steps_)].transpose(np.argsort(order))
    if not rng.integers(4):
        array = np.broadcast_to(array[:1], shape)
    return array if rng.integers(3) else np.ascontiguousarray(array)


@both_engines
@pytest.mark.parametrize("formula", FORMULAS, ids=lambda formula: formula.__name__)
@pytest.mark.parametrize("number", range(12))
def test_formulas_on_random_layouts(tiny: None, formula: Callable[..., Any], number: int, engine: str) -> None:
    """An expression on Lazy arrays computes what numpy computes. Where its terms need a sum over all of them, there are
    no row blocks."""
    rng = np.random.default_rng([number, 9])
    shape = tuple(int(size) for size in rng.choice([1, 2, 3, 5, 8, 13], int(rng.integers(2, 5))))
    x, y = laid_out(rng, shape), laid_out(rng, shape)
    expected = np.asarray(formula(x, y), np.float32)
    found = (
        laid_out(rng, expected.shape) if expected.ndim and 0 not in found_strides(expected) else np.empty_like(expected)
    )
    found = found if found.flags.writeable else np.empty_like(expected)
    node = formula(Lazy(Leaf(x)), Lazy(Leaf(y))).node
    workers = Workers(2)
    if engine == "blocks" and formula is variance_of_all and node.sources:
        with pytest.raises(NotInFastEngine, match="a sum over every axis is an operand"):
            evaluate.Evaluation([(node, found.reshape(node.shape))])
        return
    evaluate.Evaluation([(node, found.reshape(node.shape))]).run(workers)
    workers.close()
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-5)


def found_strides(array: np.ndarray) -> tuple[int, ...]:
    return array.strides


@pytest.mark.parametrize(
    "formula",
    [
        lambda x: np.cumsum(x, 0),
        lambda x: x[0],
        lambda x: x.T,
        lambda x: np.multiply.reduce(x),
        lambda x: x.reshape(-1),
        lambda x: x + x.reshape(4, 1, 6)[0],
        lambda x: np.sort(x),
        lambda x: x.astype(np.float16),
        lambda x: np.frompyfunc(lambda v: v, 1, 1)(x),
        lambda x: bool(x.sum() > 0),
    ],
)
def test_what_has_no_node_is_unwritable(formula: Callable[..., Any]) -> None:
    """Such a formula runs as it is written."""
    with pytest.raises(NotInFastEngine):
        formula(Lazy(Leaf(np.ones((4, 6), np.float32))))


def both(formula: Callable[..., Any], *arrays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The results of a formula by tiles and by numpy."""
    expected = np.asarray(formula(*arrays))
    found = np.full(expected.shape, 7, np.float32)
    node = formula(*(Lazy(Leaf(array)) for array in arrays)).node
    evaluate.Evaluation([(node, found.reshape(node.shape))]).run(Workers(1))
    return found, expected


@both_engines
def test_one_value_goes_to_two_outputs(tiny: None) -> None:
    x = np.linspace(-1, 1, 40, dtype=np.float32).reshape(5, 8)
    node, first, second = (Lazy(Leaf(x)) * 2).node, np.zeros_like(x), np.zeros_like(x)
    evaluate.Evaluation([(node, first), (node, second)]).run(Workers(1))
    np.testing.assert_array_equal([first, second], [x * 2, x * 2])


@both_engines
@pytest.mark.fidelity("the order in which sums are added up")
@pytest.mark.parametrize("axis", [0, 1])
def test_sums_beyond_float32_on_the_way(tiny: None, axis: int) -> None:
    """The partials are float64: 2e38 + 2e38 - 3e38 is a float32."""
    x = np.tile(np.array([2e38, 2e38, -3e38], np.float32), (4, 3))
    x = x if axis else np.ascontiguousarray(x.T)
    found, expected = both(lambda x: total(x, axis), x)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    found, expected = both(lambda x, y: total(x * y, axis), x, np.ones_like(x))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.fidelity("the order in which sums are added up")
def test_many_small_terms_beside_a_large_one_are_not_lost() -> None:
    """The bound holds for the worst terms, too: each is just less than half a unit of the sum so far."""
    grad = np.full((64 * 300, 16), 2.0**-25 * 0.999, np.float32)
    grad[::64] = 1
    indices = np.repeat(np.arange(300), 64)
    with board(fast=True):
        out = on_device(np.zeros((300, 16), np.float32))
        run(EMBEDDING.first, EMBEDDING.second, on_device(grad), on_device(indices), 300, 1 << 40, False, out)
        error = np.abs(wide(out.read()) - wide(grad).reshape(300, 64, 16).sum(1))
    assert error.max() <= (8 + 0.5) * 2.0**-24 * (1 + 63 * 2.0**-25)


def test_an_embedding_in_the_place_of_its_gradient(tiny: None) -> None:
    """A procedure that reads rows in any order: then it runs as it is written."""
    results = []
    for fast in (True, False):
        with board(fast=fast):
            grad = on_device(np.random.default_rng(0).standard_normal((40, 6)).astype(np.float32))
            indices = on_device(np.random.default_rng(1).integers(0, 40, 40))
            run(EMBEDDING.first, EMBEDDING.second, grad, indices, 40, 1 << 40, False, grad)
            results.append(grad.read())
    np.testing.assert_allclose(*results, rtol=1e-6)


ROWS, COLUMNS, ONES = np.arange(4), np.array([0, 5, 2, 2]), np.ones(4, np.float32)


def changed(rows: np.ndarray, columns: np.ndarray) -> Callable[[Any], Any]:
    def formula(x: Any) -> Any:
        y = x * 2
        y[rows, columns] -= ONES
        return y

    return formula


@both_engines
def test_single_elements_are_changed(tiny: None) -> None:
    np.testing.assert_array_equal(*both(changed(ROWS, COLUMNS), np.ones((4, 6), np.float32)))


@pytest.mark.parametrize(
    ("rows", "columns"), [(ROWS[::-1], COLUMNS), (ROWS - 1, COLUMNS), (ROWS, COLUMNS + 1), (ROWS + 1, COLUMNS)]
)
def test_elements_in_another_order_or_elsewhere_are_unwritable(rows: np.ndarray, columns: np.ndarray) -> None:
    with pytest.raises(NotInFastEngine):
        changed(rows, columns)(Lazy(Leaf(np.ones((4, 6), np.float32))))


def test_a_process_that_may_have_no_more_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then one does it all."""

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    workers, done = Workers(4), []
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        workers.each(5, lambda number, _: done.append(number))
    assert done == [0, 1, 2, 3, 4]
    workers.each(5, lambda number, _: done.append(number))
    assert sorted(done) == sorted([*range(5)] * 2)
    workers.close()


# kept for the next launch


def rewrite(tensor: OnDevice, values: np.ndarray) -> None:
    """Other values in the same memory."""
    size = values.nbytes
    assert aclrtMemcpy(tensor.address, size, values, size, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS


@both_engines
@pytest.mark.parametrize("dim", [0, 1])
def test_a_launch_with_new_values_at_the_same_addresses(outcomes: list[bool], dim: int) -> None:
    """The trace is kept, and the values are not; also those of short rows, of which a copy was made."""
    rng = np.random.default_rng(0)
    with board(fast=True):
        y, out = on_device(np.zeros((300, 200), np.float32)), on_device(np.zeros((300, 200), np.float32))
        for _ in range(3):
            values = rng.standard_normal((300, 200)).astype(np.float32)
            rewrite(y, values)
            run(SOFTMAX.first, SOFTMAX.second, y, y, dim, out)
            expected = values * (values - (wide(values) ** 2).sum(dim, keepdims=True))
            np.testing.assert_allclose(out.read(), expected, rtol=1e-4, atol=1e-3)
    assert outcomes == [True] * 3


@both_engines
def test_a_kernel_that_reads_elements_gets_those_of_now(
    tiny: None, outcomes: list[bool]
) -> None:  # fmt: skip
    """Cross entropy: targets and weights change, and how many targets are ignored."""
    rng = np.random.default_rng(1)
    with board(fast=True):
        log_prob = on_device(np.log(np.full((12, 9), 0.1, np.float32)))
        target, out = on_device(np.zeros(12, np.int64)), on_device(np.zeros((12, 9), np.float32))
        grad, workspace = on_device(np.ones(12, np.float32)), malloc(32 << 20)
        given = [grad, log_prob, target, None, None, None, b"none", 0, 0.0, 0.0, out]
        for ignored in (0, 3, 3, 5):
            labels = rng.integers(1, 9, 12)
            labels[:ignored] = 0
            rewrite(target, labels)
            planned = plan(CROSS_ENTROPY.first, *given)
            assert CROSS_ENTROPY.second(workspace, 32 << 20, planned.executor, None) == ACL_SUCCESS
            assert aclrtSynchronizeStream(None) == ACL_SUCCESS
            expected = np.full((12, 9), 0.1)
            expected[np.arange(12), labels] -= 1
            expected[:ignored] = 0
            np.testing.assert_allclose(out.read(), expected, rtol=1e-5, atol=1e-6)
    assert outcomes == [True] * 4


@both_engines
@pytest.mark.parametrize("smoothing", [0.0, 0.25])
def test_what_is_done_before_the_evaluation_is_done_again(
    outcomes: list[bool], monkeypatch: pytest.MonkeyPatch, smoothing: float
) -> None:  # fmt: skip
    """The loss of cross entropy: the targets are checked, logProb has to be in memory before its elements at the
    targets are read, and the losses follow from these. It is traced once."""
    rng, traced, trace = np.random.default_rng(2), [], traced_run._trace
    monkeypatch.setattr(traced_run, "_trace", lambda *given: (traced.append(1), trace(*given))[1])
    with board(fast=True):
        scores, target = on_device(np.zeros((300, 200), np.float32)), on_device(np.zeros(300, np.int64))
        outs = [on_device(np.zeros(shape, np.float32)) for shape in ((1,), (300, 200), (1,), (1,))]
        workspace = malloc(32 << 20)
        for _ in range(3):
            values, labels = rng.standard_normal((300, 200)).astype(np.float32), rng.integers(0, 200, 300)
            rewrite(scores, values)
            rewrite(target, labels)
            planned = plan(aclnnCrossEntropyLossGetWorkspaceSize, scores, target, None, b"mean", 7, smoothing, 0.0,
                           False, *outs)  # fmt: skip
            assert aclnnCrossEntropyLoss(workspace, 32 << 20, planned.executor, None) == ACL_SUCCESS
            assert aclrtSynchronizeStream(None) == ACL_SUCCESS
            log_prob = wide(values) - np.log(np.exp(wide(values)).sum(1, keepdims=True))
            of_rows = -(1 - smoothing) * log_prob[np.arange(300), labels] - smoothing * log_prob.mean(1)
            np.testing.assert_allclose(outs[1].read(), log_prob, rtol=1e-5, atol=1e-5)
            np.testing.assert_allclose(outs[0].read(), [of_rows[labels != 7].mean()], rtol=1e-5)
    assert outcomes == [True] * 3
    assert len(traced) == 1


def test_another_thread_that_launches_meanwhile_traces_for_itself() -> None:
    kept, done = traced_run.LaunchCache(), []
    with kept.lock:
        done.append(traced_run.run_traced([], lambda _: None, Workers(1), kept).complete)
    assert done == [True]
    assert kept.trace is None
