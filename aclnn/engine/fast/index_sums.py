"""Sums of rows that have the same index, by the compiled evaluator."""

from functools import partial

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.streams.compute_threads import Workers
from aclnn.engine.fast.expressions import Lazy, NotInFastEngine, ProcedureCall
from aclnn.engine.fast.native.library import Library, evaluator
from aclnn.engine.fast.native.positions import has_dense_rows, knows_sums, sum_segments
from aclnn.engine.fast.native_sweeps import NATIVE
from aclnn.engine.numbers.rounding import store


def sum_rows(
    grad: Array, rows: Array, _: Array | None = None, *, count: int, padding: int | None, scale: bool
) -> Lazy:  # fmt: skip
    """The sum of the rows of each index, for large tensors (`tiled`). The rows need not be sorted."""
    library = evaluator()
    if library is None or not knows_sums(grad, rows, count):
        raise NotInFastEngine(f"sums of rows of {grad.dtype.name}")
    write = partial(_write, library, grad, rows, padding=padding, scale=scale)
    return Lazy(ProcedureCall((count, grad.shape[1]), (grad, rows), write))


def unsorted(rows: Array) -> tuple[Array, Array]:
    """Replacement for a sort, which `sum_rows` does not need."""
    return rows, rows


def _write(
    library: Library, grad: Array, rows: Array, target: Array, workers: Workers, *, padding: int | None, scale: bool
) -> None:  # fmt: skip
    workers.forget()
    workers.counts[NATIVE] += 1
    source = grad if has_dense_rows(grad) else np.array(grad, order="C")
    sums = target if has_dense_rows(target) else np.empty(target.shape, target.dtype)
    sum_segments(library, source, rows, sums, padding=padding, scale=scale, threads=workers.threads)
    if sums is not target:
        store(sums, target)
