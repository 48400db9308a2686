"""Weighted sums along dimensions (`native.blending`), by the compiled evaluator."""

from collections.abc import Sequence
from typing import Any, Final

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.native.blending import Blending, Terms, blend
from aclnn.engine.fast.native.library import evaluator
from aclnn.engine.fast.native_calls import by_evaluator

MIN_ELEMENTS_FOR_EVALUATOR: Final = 1 << 11
"""elements from which a call of the evaluator is faster than numpy"""


def blended(
    op: Blending, x: Array, out: Array, first: int, terms: Sequence[Terms], divisors: Any = None
) -> bool:  # fmt: skip
    """Write the results along dimension `first` of x and the following ones. Returns False if nothing is done."""
    if max(x.size, out.size) < MIN_ELEMENTS_FOR_EVALUATOR:
        return False
    return by_evaluator(
        evaluator(), lambda library, threads: blend(library, op, x, out, first, terms, divisors, threads)
    )
