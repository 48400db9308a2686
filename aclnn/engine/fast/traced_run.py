"""The traced run of a launch: its steps become an expression for each output, which is evaluated into memory.

Each kernel is called once: with `Lazy` arrays if its inputs are large, else with arrays. An intermediate in the
workspace stays an expression, rounded to its data type.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from acl_runtime.errors import DeviceFault, UndefinedBehaviour
from acl_runtime.streams.compute_threads import Workers
from aclnn.engine.device_view import Bound
from aclnn.engine.fast.evaluate import Evaluation, Target
from aclnn.engine.fast.expressions import Cast, ExpressionNode, Lazy, Leaf, NotInFastEngine, UfuncCall, walk
from aclnn.engine.fast.launch_cache import LaunchCache, ScalarInput, Trace, layout
from aclnn.engine.fast.native_sweeps import AS_WRITTEN
from aclnn.engine.fast.overlap import check_overlap
from aclnn.engine.fast.step_tracer import Kernel, MissingMemory, Open, StepTracer
from aclnn.engine.numbers.rounding import store

PLAIN: Final = (np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum)
"""operations that the evaluator computes in the same way for a number and for an array of one element"""
MIN_COST_TO_TRACE_EACH_RUN: Final = 1 << 18
"""the least cost of a launch that is traced in each run, because its trace depends on values. The cost is the number of
elements; elements of two bytes count four times"""
MIN_COST_WITHOUT_PLANNING: Final = 1 << 15
"""the same limit if procedures of the evaluator write all results, so that no evaluation is planned"""
K = TypeVar("K", bound=Kernel)


def tiled(kernel: Kernel) -> Callable[[K], K]:
    """Attach a second form, for large tensors, to a kernel that is not elementwise. The second form gets its inputs
    without widening. It returns a `Lazy`, or arrays as placeholders for its outputs."""

    def decorate(written: K) -> K:
        written.tiled = kernel  # type: ignore[attr-defined]
        return written

    return decorate


class TracedRun(NamedTuple):
    """The outcome of a traced run."""

    complete: bool
    """true if all results are written; else the steps that are not in `ran` have to run without the fast engine"""
    ran: set[int]
    """numbers of the steps that ran"""
    fault: DeviceFault | None


def run_traced(steps: Sequence[Bound], open_memory: Open, workers: Workers, cache: LaunchCache) -> TracedRun:
    """Run the steps with numpy's warnings off. `open_memory` returns the memory of a view. `cache` has the traces of
    earlier runs of these steps."""
    if not cache.lock.acquire(blocking=False):  # another thread uses the cache
        return run_traced(steps, open_memory, workers, LaunchCache())
    try:
        if cache.runs_as_written:
            return TracedRun(False, set(), None)
        if cache.trace is not None and cache.trace.is_valid(open_memory):
            return TracedRun(True, set(), cache.trace.run(workers, steps))
        return _trace(steps, open_memory, workers, cache)
    finally:
        cache.lock.release()


def _trace(steps: Sequence[Bound], open_memory: Open, workers: Workers, cache: LaunchCache) -> TracedRun:
    """Trace the steps, and plan and run the evaluation."""
    tracer = StepTracer(open_memory, workers, cache.first_forms)
    try:
        for number, step in enumerate(steps):
            _try(tracer, number, step)
        min_cost = MIN_COST_TO_TRACE_EACH_RUN if tracer.needs_planning else MIN_COST_WITHOUT_PLANNING
        if tracer.depends_on_values and tracer.cost < min_cost:
            cache.runs_as_written = True
            return TracedRun(False, tracer.ran, tracer.fault)
        check_overlap(tracer.targets, tracer.small)
        cache.runs_as_written = not tracer.targets  # a trace without targets saves no time
        if cache.shares:
            shared = _shared_trace(steps, open_memory, workers, tracer, cache.first_forms)
            cache.fixes_scalars = shared is None
            if shared is not None:
                cache.trace = shared
                return TracedRun(True, tracer.ran, shared.run(workers, steps))
        if tracer.depends_on_values or cache.scalars_change:
            evaluation = cache.evaluation(tracer.targets, [array for _, array in tracer.opened])
        else:
            evaluation = Evaluation(tracer.targets)
        if not tracer.depends_on_values and not cache.is_shared:
            cache.trace = Trace(tracer.before, evaluation, tracer.opened)
        evaluation.run(workers)
        for values, memory in tracer.small:
            store(values, memory)
    except NotInFastEngine as reason:
        if not isinstance(reason, MissingMemory):
            cache.runs_as_written = True  # another failed trace would be expensive
            workers.counts[f"{AS_WRITTEN}: {reason}"] += 1
        return TracedRun(False, tracer.ran, tracer.fault)
    return TracedRun(True, tracer.ran, tracer.fault)


def _shared_trace(
    steps: Sequence[Bound], open_memory: Open, workers: Workers, plain: StepTracer, first_forms: dict[int, int]
) -> Trace | None:
    """A trace for launches with any scalars. None if a formula looks at a scalar, or computes with it before it meets a
    tensor. `plain` is the trace with the numbers of this launch.

    The kernels get a `Lazy` over an array of one element in place of each scalar. So a formula cannot branch on one,
    and the graph is the same for all scalars. It has to be equal to that of the numbers but for these arrays, and only
    operations in `PLAIN` may read them; so the bits do not depend on which of the two graphs is computed."""
    if plain.depends_on_values or plain.before or plain.ran:
        return None
    tracer = StepTracer(open_memory, workers, first_forms, repeats=True)
    scalars: list[ScalarInput] = []
    leaves: dict[ExpressionNode, Any] = {}
    try:
        for number, step in enumerate(steps):
            values = {name: step.attributes[name] for name in step.passed} if step.inputs else {}
            inputs = {name: Leaf(np.array(value)) for name, value in values.items()}
            leaves |= {leaf: values[name] for name, leaf in inputs.items()}
            scalars += [ScalarInput(leaf.array, number, name) for name, leaf in inputs.items()]
            lazy = {name: Lazy(leaf) for name, leaf in inputs.items()}
            _try(tracer, number, replace(step, attributes={**step.attributes, **lazy}) if lazy else step)
            if step.passed and not step.inputs:
                contents = tracer.contents(step.outputs[0])
                if len(step.outputs) > 1 or not isinstance(contents, np.ndarray) or contents.size > 1:
                    return None
                scalars.append(ScalarInput(contents, number, None))
    except NotInFastEngine:
        return None
    if not scalars or tracer.before or tracer.small or not _equal(plain.targets, tracer.targets, leaves, scalars):
        return None
    return Trace([], Evaluation(tracer.targets), tracer.opened, scalars)


def _equal(
    plain: Sequence[Target], shared: Sequence[Target], leaves: dict[ExpressionNode, Any], scalars: Sequence[ScalarInput]
) -> bool:
    """True if two graphs are equal, but for `leaves` of the second one in place of numbers of the first one."""
    arrays = {id(scalar.array) for scalar in scalars}
    nodes = [list(walk(node for node, _ in targets)) for targets in (plain, shared)]
    nodes[1] = [node for node in nodes[1] if node not in leaves]
    pairs = list(zip(*nodes, strict=False))
    partner = dict(pairs)

    def same(one: Any, other: Any) -> bool:
        """Two operands."""
        if isinstance(one, ExpressionNode):
            return partner.get(one) is other
        value = leaves.get(other) if isinstance(other, ExpressionNode) else other
        return type(one) is type(value) and np.asarray(one).tobytes() == np.asarray(value).tobytes()

    def alike(one: ExpressionNode, other: ExpressionNode) -> bool:
        if type(one) is not type(other) or (one.shape, one.dtype) != (other.shape, other.dtype):
            return False
        if isinstance(one, Leaf) and isinstance(other, Leaf):
            is_scalar = id(other.array) in arrays or id(other.array.base) in arrays
            same_bytes = is_scalar and one.array.tobytes() == other.array.tobytes()
            return same_bytes or layout(one.array) == layout(other.array)
        if isinstance(one, Cast) and isinstance(other, Cast):
            return one.to == other.to and same(one.value, other.value)
        if isinstance(one, UfuncCall) and isinstance(other, UfuncCall):
            has_scalars = any(argument in leaves for argument in other.sources)
            return (
                one.ufunc is other.ufunc
                and (not has_scalars or one.ufunc in PLAIN)
                and len(one.arguments) == len(other.arguments)
                and all(map(same, one.arguments, other.arguments))
            )
        return False

    written = zip(plain, shared, strict=False)
    return (
        len(nodes[0]) == len(nodes[1])
        and len(plain) == len(shared)
        and all(same(one, other) and layout(a) == layout(b) for (one, a), (other, b) in written)
        and all(alike(*pair) for pair in pairs)
    )


def _try(tracer: StepTracer, number: int, step: Bound) -> None:
    """Trace a step. If its formula raises an exception, `Lazy` lacks an operation, and numpy runs the step."""
    try:
        tracer.trace(number, step)
    except (NotInFastEngine, UndefinedBehaviour, MemoryError):
        raise
    except Exception as error:
        raise NotInFastEngine(str(error)) from error
