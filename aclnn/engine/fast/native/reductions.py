"""Reductions of floats of 16 bits over ranks, by the compiled evaluator.

`acl_runtime.collective.halves` imports this module by its name."""

import ctypes
from collections.abc import Sequence
from typing import Final

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.conversions import EVALUATOR_TYPES
from aclnn.engine.fast.native.library import BLOCK, Reduction, evaluator
from aclnn.engine.fast.native.sweep import MIN_BYTES_TO_STREAM, MIN_ELEMENTS_FOR_THREADS

ITEM: Final = 2
"""bytes of an element"""


def reduced(name: str, arrays: Sequence[Array], results: Sequence[Array], threads: int) -> list[slice] | None:
    """Reduce dense arrays, in their order, to each of the results: in FLOAT, rounded once. A result may be an array.
    `name`: the ufunc. Returns the parts that are left, as a result there is infinite or no number; None without the
    evaluator, or if an element is not aligned: then nothing is done."""
    library, target = evaluator(), results[0]
    addresses, targets = ([array.ctypes.data for array in side] for side in (arrays, results))
    if library is None or any(address % ITEM for address in (*addresses, *targets)):
        return None
    left_out = np.empty(-(-target.size // BLOCK), np.uint8)
    library.reduce(Reduction(
        source=ctypes.addressof(inputs := (ctypes.c_void_p * len(arrays))(*addresses)),
        to=ctypes.addressof(outputs := (ctypes.c_void_p * len(results))(*targets)),
        left_out=left_out.ctypes.data, op=library.operations[name], type=library.types[EVALUATOR_TYPES[target.dtype]],
        inputs=len(inputs), results=len(outputs), count=target.size, threads=threads,
        streaming=target.nbytes >= MIN_BYTES_TO_STREAM, min_parallel=MIN_ELEMENTS_FOR_THREADS,
    ))  # fmt: skip
    return [slice(block * BLOCK, (block + 1) * BLOCK) for block in np.flatnonzero(left_out).tolist()]
