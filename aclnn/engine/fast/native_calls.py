"""A call of the compiled evaluator in place of numpy, counted in `Workers.counts`."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from acl_runtime.machine.current import current
from aclnn.engine.fast.native.recording import incomplete
from aclnn.engine.fast.native.translation import NotInEvaluator
from aclnn.engine.fast.native_sweeps import AS_WRITTEN, NATIVE

E = TypeVar("E")


def by_evaluator(engine: E | None, work: Callable[[E, int], None]) -> bool:
    """Let the evaluator do the work, on the threads of the machine. Returns False, and does nothing, if there is no
    evaluator or it does not support the tensors."""
    workers = cast("Any", current()).compute_threads
    if engine is None:
        workers.counts[AS_WRITTEN] += 1
        incomplete()
        return False
    try:
        work(engine, workers.threads)
    except NotInEvaluator as reason:
        workers.counts[f"{AS_WRITTEN}: {reason}"] += 1
        incomplete()
        return False
    workers.counts[NATIVE] += 1
    return True
