"""Calls of the evaluator for weighted sums and means along dimensions, as in resizing and average pools."""

from collections.abc import Sequence
from enum import IntEnum
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.native.library import BLENDED, Blend, BlendPass, Library
from aclnn.engine.fast.native.sweep import MIN_ELEMENTS_FOR_THREADS
from aclnn.engine.fast.native.translation import NotInEvaluator, memory_type

FLOATS: Final = ("F32", "F16", "BF16")
PICKED_SIZES: Final = (1, 2, 4, 8)
"""sizes in bytes of elements that can be picked"""
ROOM: Final = 1 << 20
"""the most elements of an intermediate between the passes of two dimensions, for one result of the first dimension"""
MOST_PLACES: Final = 1 << 31
"""the size of a dimension from which positions do not fit into 32 bits"""


class Blending(IntEnum):
    """The computation of a result from its terms, as in evaluator.h."""

    WEIGHTED = 0
    MEAN = 1
    PICKED = 2


class Terms(NamedTuple):
    """The terms of each result along one dimension: arrays with a row for each term and a column for each result."""

    places: Array
    counts: Array
    """number of terms of each result, which are in the first rows of its column"""
    weights: Array | None = None


def blend(
    library: Library, op: Blending, x: Array, out: Array, first: int, terms: Sequence[Terms], divisors: Any,
    threads: int,
) -> None:  # fmt: skip
    """Write the results along dimension `first` of x and the following ones. Raises `NotInEvaluator` before anything is
    written."""
    type_ = x.itemsize if op is Blending.PICKED else library.types[_float(x)]
    sizes, results = x.shape[first : first + len(terms)], out.shape[first : first + len(terms)]
    inner = prod(x.shape[first + len(terms) :])
    if not (x.size and out.size) or len(terms) > BLENDED or max(sizes) >= MOST_PLACES:
        raise NotInEvaluator("sums along unsupported dimensions")
    if op is Blending.PICKED and x.itemsize not in PICKED_SIZES:
        raise NotInEvaluator(f"picks of {x.dtype.name}")
    if x.dtype != out.dtype or not (_dense(x) and _dense(out)):
        raise NotInEvaluator("sums of tensors that are not dense")
    if op is not Blending.PICKED and _between(sizes, results) * inner > ROOM:
        raise NotInEvaluator("sums of rows that are too long")
    passes = [_Pass.of(size, each) for size, each in zip(sizes, terms, strict=True)]
    shares = np.ascontiguousarray(1.0 if divisors is None else divisors, np.float64)
    library.blend(Blend(
        source=x.ctypes.data, to=out.ctypes.data, divisors=shares.ctypes.data, op=op, type=type_,
        images=prod(x.shape[:first]), dims=len(terms), inner=inner, divisor=shares.size == 1,
        threads=threads if max(x.size, out.size) >= MIN_ELEMENTS_FOR_THREADS else 1,
        passes=(BlendPass * BLENDED)(*(each.struct for each in passes)),
    ), [shares, *(array for each in passes for array in each.arrays)])  # fmt: skip


class _Pass(NamedTuple):
    """One dimension, and the arrays that its structure points to."""

    struct: BlendPass
    arrays: tuple[Array, ...]

    @classmethod
    def of(cls, size: int, terms: Terms) -> "_Pass":
        places = np.ascontiguousarray(terms.places, np.int32)
        counts = np.ascontiguousarray(terms.counts, np.int32)
        weights = None if terms.weights is None else np.ascontiguousarray(terms.weights, np.float32)
        struct = BlendPass(
            size=size, results=places.shape[1], terms=len(places), least=int(counts.min()), places=places.ctypes.data,
            counts=counts.ctypes.data, weights=None if weights is None else weights.ctypes.data,
        )  # fmt: skip
        return cls(struct, (places, counts) if weights is None else (places, counts, weights))


def _float(array: Array) -> str:
    name = memory_type(array.dtype)
    if name not in FLOATS:
        raise NotInEvaluator(f"sums of {array.dtype.name}")
    return name


def _dense(array: Array) -> bool:
    return array.flags.c_contiguous and array.flags.aligned


def _between(sizes: Sequence[int], results: Sequence[int]) -> int:
    """The most elements between the passes of two dimensions, for one result of the first dimension."""
    return max(prod(results[1:at]) * prod(sizes[at:]) for at in range(1, len(sizes) + 1))
