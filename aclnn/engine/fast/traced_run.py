"""The traced run of a launch: its steps become an expression for each output, which is evaluated into memory.

Each kernel is called once: with `Lazy` arrays if its inputs are large, else with arrays. An intermediate in the
workspace stays an expression, rounded to its data type.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeVar

from acl_runtime.errors import DeviceFault, UndefinedBehaviour
from acl_runtime.streams.compute_threads import Workers
from aclnn.engine.device_view import Bound
from aclnn.engine.fast.evaluate import Evaluation
from aclnn.engine.fast.expressions import NotInFastEngine
from aclnn.engine.fast.launch_cache import LaunchCache, Trace
from aclnn.engine.fast.native_sweeps import AS_WRITTEN
from aclnn.engine.fast.overlap import check_overlap
from aclnn.engine.fast.step_tracer import Kernel, MissingMemory, Open, StepTracer
from aclnn.engine.numbers.rounding import store

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
            return TracedRun(True, set(), cache.trace.run(workers))
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
        if tracer.depends_on_values or cache.scalars_change:
            evaluation = cache.evaluation(tracer.targets, [array for _, array in tracer.opened])
        else:
            evaluation = Evaluation(tracer.targets)
        if not tracer.depends_on_values:
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


def _try(tracer: StepTracer, number: int, step: Bound) -> None:
    """Trace a step. If its formula raises an exception, `Lazy` lacks an operation, and numpy runs the step."""
    try:
        tracer.trace(number, step)
    except (NotInFastEngine, UndefinedBehaviour, MemoryError):
        raise
    except Exception as error:
        raise NotInFastEngine(str(error)) from error
