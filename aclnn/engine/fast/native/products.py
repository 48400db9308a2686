"""Calls of the evaluator for products of matrices and convolutions: its threads call BLAS with one thread."""

import ctypes
from collections.abc import Sequence
from enum import IntEnum
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.native.library import BATCH, Blas, Convolution, Library, Matrix, Planes, ProductArguments
from aclnn.engine.fast.native.translation import NotInEvaluator, memory_type

MIN_PARALLEL_MULTIPLICATIONS: Final = 1 << 20
"""multiplications of a call from which several threads are faster than one"""
FLOATS: Final = ("F32", "F16", "BF16")
INTEGERS: Final = ("I8",)
"""integers whose products are exact"""
Shape = tuple[int, ...]


class ConvolutionResult(IntEnum):
    """The tensor that is computed, as in evaluator.h: small planes (the output of a convolution), large ones, or
    weight."""

    SMALL = 0
    LARGE = 1
    WEIGHT = 2


class Slide(NamedTuple):
    """The windows along one dimension: window i begins at i * stride - before, and has `taps` places, `step` apart."""

    taps: int
    stride: int
    before: int
    step: int


class Epilogue(NamedTuple):
    """The last steps of a product: round it to `through`, multiply by alpha, add beta * plus, round to `summed`."""

    plus: Array | None
    alpha: float
    beta: float
    through: str
    summed: str


def multiply(
    library: Library, blas: tuple[int, int], left: Array, right: Array, out: Array, epilogue: Epilogue | None,
    threads: int
) -> None:  # fmt: skip
    """out = left @ right, with the broadcasting of numpy's matmul. For integers, `out` is float64. Raises
    `NotInEvaluator` before anything is written."""
    batch, (m, n), k = out.shape[:-2], out.shape[-2:], left.shape[-1]
    if len(batch) > BATCH or not (out.size and k):
        raise NotInEvaluator("products of an unsupported shape")
    is_integer = memory_type(left.dtype) in INTEGERS
    factors, results = (INTEGERS, ("F64",)) if is_integer else (FLOATS, FLOATS)
    types_of = ((left, factors), (right, factors), (out, results))
    matrices = [_matrix(library, array, allowed) for array, allowed in types_of]
    _must_be_apart(out)
    plus = Matrix()
    if epilogue is not None and epilogue.plus is not None:
        plus = _matrix(library, epilogue.plus, FLOATS)
    types, count = library.types, prod(batch)
    library.multiply(ProductArguments(
        blas=Blas(*blas), one=matrices[0], other=matrices[1], to=matrices[2], plus=plus,
        batch=(ctypes.c_int64 * BATCH)(*(1,) * (BATCH - len(batch)), *batch), batches=count, m=m, k=k, n=n,
        through=types[epilogue.through if epilogue else "F32"], summed=types[epilogue.summed if epilogue else "F32"],
        alpha=epilogue.alpha if epilogue else 1, beta=epilogue.beta if epilogue else 1,
        threads=threads_for(count * m * n * k, threads),
    ))  # fmt: skip


def convolve(
    library: Library, blas: tuple[int, int], result: ConvolutionResult, large: Array, small: Array, weight: Array,
    bias: Array | None, *, slides: Sequence[Slide], groups: int, threads: int,
) -> None:  # fmt: skip
    """Compute one of the three tensors from the two others. Large and small have the dimensions batch, channel, and up
    to three of space; weight has channel of small, channel of large in its group, and window. Raises `NotInEvaluator`
    before anything is written."""
    out = (small, large, weight)[result]
    if len(slides) > 3 or not (large.size and small.size and weight.size):
        raise NotInEvaluator("convolutions of an unsupported shape")
    if result is not ConvolutionResult.SMALL and (out.dtype != np.float32 or not out.flags.c_contiguous):
        raise NotInEvaluator("gradients that are not dense, or of 16 bits")
    _must_be_apart(out)
    weight = weight if result is ConvolutionResult.WEIGHT else np.ascontiguousarray(weight)
    bias = None if bias is None else np.ascontiguousarray(bias, np.float32)
    channels, outs = weight.shape[1], len(weight) // groups
    library.convolve(Convolution(
        blas=Blas(*blas), large=_planes(library, large), small=_planes(library, small), weight=weight.ctypes.data,
        bias=None if bias is None else bias.ctypes.data, op=result, weight_type=type_of(library, weight, FLOATS),
        images=len(large), groups=groups, channels=channels, outs=outs, size=_three(large.shape[2:], 1),
        grid=_three(small.shape[2:], 1), kernel=_three([slide.taps for slide in slides], 1),
        stride=_three([slide.stride for slide in slides], 1), before=_three([slide.before for slide in slides], 0),
        step=_three([slide.step for slide in slides], 1),
        threads=threads_for(small.size * channels * prod(slide.taps for slide in slides), threads),
    ))  # fmt: skip


def threads_for(multiplications: int, threads: int) -> int:
    """The number of threads for so many multiplications."""
    return threads if multiplications >= MIN_PARALLEL_MULTIPLICATIONS else 1


def type_of(library: Library, array: Array, types: Sequence[str]) -> int:
    """The evaluator's number of a data type. Raises `NotInEvaluator` for one that is not in `types`."""
    name = memory_type(array.dtype)
    if name not in types:
        raise NotInEvaluator(f"products of {array.dtype.name}")
    if not array.flags.aligned:
        raise NotInEvaluator("misaligned elements")
    return library.types[name]


def _matrix(library: Library, array: Array, types: Sequence[str]) -> Matrix:
    """The matrices of an array, one for each position in its batch. A batch dimension of size 1 gets step 0."""
    steps = [0 if size == 1 else step for size, step in zip(array.shape[:-2], array.strides[:-2], strict=True)]
    row, column = array.strides[-2:]
    return Matrix(
        base=array.ctypes.data, type=type_of(library, array, types), row=row, column=column,
        batch=(ctypes.c_int64 * BATCH)(*(0,) * (BATCH - len(steps)), *steps),
    )  # fmt: skip


def _planes(library: Library, array: Array) -> Planes:
    """The planes of a tensor. A dimension of size 1 gets the stride that a dense tensor has there."""
    steps: list[int] = []
    for size, step in zip(array.shape[:1:-1], array.strides[:1:-1], strict=True):
        steps.append(step if size > 1 or not steps else steps[-1] * array.shape[-len(steps)])
    first = steps[-1] * array.shape[2]
    image, channel = array.strides[:2]
    steps += [first] * (3 - len(steps))
    return Planes(
        base=array.ctypes.data, type=type_of(library, array, FLOATS), image=image, channel=channel,
        step=_three(steps[::-1], 0),
    )  # fmt: skip


def _three(values: Sequence[int], fill: int) -> Any:
    return (ctypes.c_int64 * 3)(*(fill,) * (3 - len(values)), *values)


def _must_be_apart(out: Array) -> None:
    """Raise `NotInEvaluator` if two elements share memory, as threads write at the same time."""
    span = out.itemsize
    for step, size in sorted((abs(step), size) for step, size in zip(out.strides, out.shape, strict=True) if size > 1):
        if step < span:
            raise NotInEvaluator("results with overlapping elements")
        span = step * (size - 1) + span
