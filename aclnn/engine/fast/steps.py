"""From the steps of a launch to an expression for each output, and from there to memory.

Every step's kernel runs once: on `Lazy` arrays where its inputs are large, else as it is written. An intermediate that
would lie in the workspace stays an expression, with the rounding to its data type there.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeVar

from acl_runtime.errors import DeviceFault, UndefinedBehaviour
from acl_runtime.streams.compute_threads import Workers
from aclnn.engine.device_view import Bound
from aclnn.engine.fast.evaluate import Evaluation
from aclnn.engine.fast.expressions import NotInFastEngine
from aclnn.engine.fast.kept import Kept, Trace
from aclnn.engine.fast.native_sweeps import AS_WRITTEN
from aclnn.engine.fast.overlap import check_overlap
from aclnn.engine.fast.step_tracer import Kernel, MissingMemory, Open, StepTracer
from aclnn.engine.numbers.rounding import store

READ: Final = 1 << 18
"""elements from which it pays to trace a launch each time, because its kernels read elements; a quarter in two bytes"""
MADE: Final = 1 << 15
"""the same for a launch whose results are all made by procedures of the evaluator: there is nothing to plan"""
K = TypeVar("K", bound=Kernel)


def tiled(kernel: Kernel) -> Callable[[K], K]:
    """Let a kernel that is no expression of elements be done by another for large tensors: that gets its inputs as they
    are in memory, and returns a `Lazy`, or arrays that stand for its outputs."""

    def decorate(written: K) -> K:
        written.tiled = kernel  # type: ignore[attr-defined]
        return written

    return decorate


class TileResult(NamedTuple):
    """The outcome of running steps in tiles."""

    done: bool
    """all of them? Else those that did not run have to run as they are written"""
    ran: set[int]
    fault: DeviceFault | None


def run(steps: Sequence[Bound], open_: Open, workers: Workers, kept: Kept) -> TileResult:
    """Run the steps, where numpy does not warn; `open_` finds the memory of an access, `kept` is what earlier runs of
    these steps left."""
    if not kept.lock.acquire(blocking=False):  # another thread runs them
        return run(steps, open_, workers, Kept())
    try:
        if kept.plain:
            return TileResult(False, set(), None)
        if kept.trace is not None and kept.trace.holds(open_):
            return TileResult(True, set(), kept.trace.run(workers))
        return _trace(steps, open_, workers, kept)
    finally:
        kept.lock.release()


def _trace(steps: Sequence[Bound], open_: Open, workers: Workers, kept: Kept) -> TileResult:
    """Trace the steps, plan the evaluation, and run it."""
    tracer = StepTracer(open_, workers, kept.ways)
    try:
        for number, step in enumerate(steps):
            _try(tracer, number, step)
        if tracer.depends_on_values and tracer.cost < (READ if tracer.needs_planning else MADE):
            kept.plain = True
            return TileResult(False, tracer.ran, tracer.fault)
        check_overlap(tracer.targets, tracer.small)
        kept.plain = not tracer.targets  # then there is nothing to gain
        if tracer.depends_on_values:
            kept.evaluation(tracer.targets, [array for _, array in tracer.opened]).run(workers)
        else:
            kept.trace = Trace(tracer.before, Evaluation(tracer.targets), tracer.opened)
            kept.trace.evaluation.run(workers)
        for values, memory in tracer.small:
            store(values, memory)
    except NotInFastEngine as why:
        if not isinstance(why, MissingMemory):
            kept.plain = True  # also the next time, though that may follow from elements: a trace in vain is dear
            workers.counts[f"{AS_WRITTEN}: {why}"] += 1
        return TileResult(False, tracer.ran, tracer.fault)
    return TileResult(True, tracer.ran, tracer.fault)


def _try(tracer: StepTracer, number: int, step: Bound) -> None:
    """Read a step. Whatever its formula does that a `Lazy` is not prepared for, it may be right as it is written."""
    try:
        tracer.trace(number, step)
    except (NotInFastEngine, UndefinedBehaviour, MemoryError):
        raise
    except Exception as error:
        raise NotInFastEngine(str(error)) from error
