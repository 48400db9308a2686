"""Sums along dimensions, by the compiled evaluator."""

from collections.abc import Sequence
from typing import Any, Final, cast

from acl_runtime.headers.dtypes import Array
from acl_runtime.machine.current import current
from aclnn.engine.fast.native.blending import Blending, Terms, blend
from aclnn.engine.fast.native.library import evaluator
from aclnn.engine.fast.native.translation import NotInEvaluator
from aclnn.engine.fast.native_sweeps import AS_WRITTEN, NATIVE

MIN_ELEMENTS_FOR_EVALUATOR: Final = 1 << 11
"""elements from which a call of the evaluator pays"""


def blended(
    op: Blending, x: Array, out: Array, first: int, terms: Sequence[Terms], divisors: Any = None
) -> bool:  # fmt: skip
    """Write the results along dimension `first` of x and those that follow. False: nothing is done."""
    if max(x.size, out.size) < MIN_ELEMENTS_FOR_EVALUATOR:
        return False
    library, workers = evaluator(), cast("Any", current()).compute_threads
    if library is None:
        workers.counts[AS_WRITTEN] += 1
        return False
    try:
        blend(library, op, x, out, first, terms, divisors, workers.threads)
    except NotInEvaluator as reason:
        workers.counts[f"{AS_WRITTEN}: {reason}"] += 1
        return False
    workers.counts[NATIVE] += 1
    return True
