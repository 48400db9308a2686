"""Copies between tensors of any strides, by the compiled evaluator or by numpy."""

import ctypes
from collections.abc import Sequence
from typing import Any, Final, cast

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.machine.current import current
from aclnn.engine.fast.native.library import DIMS, Copy, evaluator
from aclnn.engine.fast.native.recording import incomplete

LARGE: Final = 1 << 17
"""bytes of a tensor from which the evaluator copies faster than numpy"""
MIN_BYTES_FOR_THREADS: Final = 1 << 18
"""bytes of a tensor from which several threads copy it faster than one"""
_NUMBERS: Final = ctypes.c_int64 * DIMS


def copied(source: Array, target: Array, *, part_of: Array | None = None, keeps_source: bool = False) -> None:
    """target[...] = source, with the broadcasting of numpy. The elements of the target have different memory. `part_of`
    is the whole tensor, if the target is a part of it. `keeps_source`: the source is no tensor, and depends on shapes
    and attributes only, so a repeated call keeps it."""
    nbytes = (target if part_of is None else part_of).nbytes
    by_threads, tables = nbytes >= MIN_BYTES_FOR_THREADS, [source] if keeps_source else []
    if nbytes < LARGE or not _copied_by_evaluator(source, target, tables, by_threads=by_threads):
        incomplete()
        target[...] = source


def _copied_by_evaluator(source: Array, target: Array, tables: Sequence[Array], *, by_threads: bool) -> bool:
    """Copy the elements. False if the evaluator is missing, or does not support the tensors."""
    library, dtype = evaluator(), target.dtype
    if library is None or source.dtype != dtype or dtype.hasobject or np.may_share_memory(source, target):
        return False
    if target.ndim > DIMS or 0 in target.strides or not (source.flags.aligned and target.flags.aligned):
        return False
    if source.shape != target.shape:
        source = np.broadcast_to(source, target.shape)
    library.copy(Copy(
        source=source.ctypes.data, to=target.ctypes.data, element=dtype.itemsize, dims=target.ndim,
        size=_NUMBERS(*target.shape), from_stride=_NUMBERS(*source.strides), to_stride=_NUMBERS(*target.strides),
        threads=cast("Any", current()).compute_threads.threads if by_threads else 1,
    ), tables)  # fmt: skip
    return True
