"""Problems: operators with data, for the cases of the benchmark.

A problem consists of plain numpy arrays in host memory, the same for us, for torch and for the exact values in float64.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

import numpy as np
from ml_dtypes import bfloat16

from acl_runtime import ACL_FLOAT, ACL_FORMAT_ND, aclCreateIntArray, aclCreateScalar
from aclnn import (
    aclnnAdd,
    aclnnBatchMatMul,
    aclnnBatchNormReduceBackward,
    aclnnCrossEntropyLossGrad,
    aclnnEmbeddingDenseBackward,
    aclnnExp,
    aclnnFlashAttentionScore,
    aclnnGelu,
    aclnnLayerNorm,
    aclnnMatmul,
    aclnnMul,
    aclnnPreluBackward,
    aclnnSoftmax,
    aclnnSoftmaxBackward,
)

DTYPES: dict[str, Any] = {"float32": np.float32, "bfloat16": bfloat16, "float16": np.float16}
BLOCK = 1 << 22
"""elements made at once: 33 million random numbers need no float64 copy of all"""
IGNORED = -100
EPSILON = 1e-5
Shape = tuple[int, ...]


@dataclass
class Problem:
    """One call of an operator. Arrays are tensors, laid out on the device as they are here."""

    operator: Callable[..., int]
    """the second phase, which knows its first"""
    arguments: list[Any]
    """those of the first phase, up to workspaceSize; a function makes a scalar or an array on the machine, a list is a
    tensor list of inputs"""
    outputs: tuple[int, ...]
    """which of them are written; their values do not matter"""
    alone: Callable[[], object] | None = None
    """the same work by one function of numpy in float32, on arrays that are ready: a limit for us"""
    planes: int = ACL_FORMAT_ND
    """the format of tensors with four dimensions"""

    @property
    def tensors(self) -> dict[int, np.ndarray]:
        """The arguments that are tensors, by position."""
        return {at: each for at, each in enumerate(self.arguments) if isinstance(each, np.ndarray)}

    @property
    def read(self) -> int:
        """Bytes that have to be read at least."""
        return sum(each.nbytes for at, each in self.tensors.items() if at not in self.outputs)

    @property
    def written(self) -> int:
        """Bytes that have to be written."""
        return sum(self.arguments[at].nbytes for at in self.outputs)


def filled(shape: Shape, dtype: Any, make: Callable[[int, int], np.ndarray]) -> np.ndarray:
    """An array of rows from `make(first, count)`, a few at a time."""
    out = np.empty(shape, dtype)
    rows = max(1, BLOCK // max(1, prod(shape[1:])))
    for first in range(0, shape[0], rows):
        count = min(rows, shape[0] - first)
        out[first : first + count] = make(first, count)
    return out


def normal(rng: np.random.Generator, shape: Shape, dtype: Any) -> np.ndarray:
    """Normal numbers."""
    return filled(shape, dtype, lambda _, count: rng.standard_normal((count, *shape[1:]), np.float32))


def probabilities(rng: np.random.Generator, shape: Shape, dtype: Any, dim: int, *, log: bool = False) -> np.ndarray:
    """Results of softmax (or log-softmax) along a dimension; the largest number of a row is about 4."""
    moved = (*shape[:dim], *shape[dim + 1 :], shape[dim])

    def rows(_: int, count: int) -> np.ndarray:
        x = rng.standard_normal((count, *moved[1:]), np.float32)
        e = np.exp(x)
        total = e.sum(-1, keepdims=True)
        return x - np.log(total) if log else e / total

    return np.ascontiguousarray(np.moveaxis(filled(moved, dtype, rows), -1, dim))


def transposed(array: np.ndarray) -> np.ndarray:
    """The same values, with neighbours along the first dimension adjacent in memory."""
    return np.ascontiguousarray(array.T).T


def every_second(array: np.ndarray) -> np.ndarray:
    """The same values with a gap after each."""
    wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
    wide[..., ::2] = array
    return wide[..., ::2]


def softmax(rng: np.random.Generator, shape: Shape, dtype: Any, *, dim: int = 1, layout: str = "") -> Problem:
    """layout: "transposed" (all tensors), "mixed" (gradOutput transposed), "stride 2" (gradOutput), or dense."""
    grad, output = normal(rng, shape, dtype), probabilities(rng, shape, dtype, dim)
    out = np.empty(shape, dtype)
    if layout in ("transposed", "mixed"):
        grad = transposed(grad)
    if layout == "transposed":
        output, out = transposed(output), np.empty(shape[::-1], dtype).T
    if layout == "stride 2":
        grad = every_second(grad)
    return Problem(aclnnSoftmaxBackward, [grad, output, dim, out], (3,))


def prelu(rng: np.random.Generator, shape: Shape, dtype: Any) -> Problem:
    """One weight for each channel."""
    weight = rng.uniform(0.1, 0.4, shape[1]).astype(dtype)
    arguments = [normal(rng, shape, dtype), normal(rng, shape, dtype), weight]
    return Problem(aclnnPreluBackward, [*arguments, np.empty(shape, dtype), np.empty(shape[1], dtype)], (3, 4))


def batch_norm(rng: np.random.Generator, shape: Shape, dtype: Any) -> Problem:
    """Statistics and sums are float32, as they are for torch."""
    per_channel = [rng.standard_normal(shape[1], np.float32) * np.float32(0.1)]
    per_channel += [rng.uniform(0.5, 2, shape[1]).astype(np.float32) for _ in range(2)]
    sums = [np.empty(shape[1], np.float32) for _ in range(4)]
    tensors = [normal(rng, shape, dtype), normal(rng, shape, dtype), *per_channel]
    return Problem(aclnnBatchNormReduceBackward, [*tensors, True, True, True, *sums], (8, 9, 10, 11))


def cross_entropy(rng: np.random.Generator, shape: Shape, dtype: Any) -> Problem:
    """The mean over all rows, no weights."""
    log_prob, target = probabilities(rng, shape, dtype, 1, log=True), rng.integers(0, shape[1], shape[0])
    options = [None, None, None, "mean", IGNORED, 0.0, 0.0]
    arguments = [np.ones((), dtype), log_prob, target, *options, np.empty(shape, dtype)]
    return Problem(aclnnCrossEntropyLossGrad, arguments, (10,))


def embedding(rng: np.random.Generator, shape: Shape, dtype: Any, *, zipf: bool = False) -> Problem:
    """shape: rows of the gradient, their length, rows of the table. zipf: row k is looked up in proportion to
    1 / (k + 1)."""
    n, d, rows = shape
    if zipf:
        share = 1 / np.arange(1, rows + 1)
        indices = rng.permutation(rows)[rng.choice(rows, n, p=share / share.sum())]
    else:
        indices = rng.integers(0, rows, n)
    arguments = [normal(rng, (n, d), dtype), indices, rows, (1 << 64) - 1, False, np.empty((rows, d), dtype)]
    return Problem(aclnnEmbeddingDenseBackward, arguments, (5,))


def add(rng: np.random.Generator, shape: Shape, dtype: Any, *, broadcast: bool = False) -> Problem:
    """Two tensors, or a matrix and a row, which is added to each of its rows."""
    other = normal(rng, shape[-1:] if broadcast else shape, dtype)
    one = partial(aclCreateScalar, np.ones(1, np.float32), ACL_FLOAT)
    return Problem(aclnnAdd, [normal(rng, shape, dtype), other, one, np.empty(shape, dtype)], (3,))


def mul(rng: np.random.Generator, shape: Shape, dtype: Any) -> Problem:
    return Problem(aclnnMul, [normal(rng, shape, dtype), normal(rng, shape, dtype), np.empty(shape, dtype)], (2,))


def exp(rng: np.random.Generator, shape: Shape, dtype: Any) -> Problem:
    x, out = normal(rng, shape, dtype), np.empty(shape, np.float32)
    alone = partial(np.exp, x.astype(np.float32), out=out)
    return Problem(aclnnExp, [x, np.empty(shape, dtype)], (1,), alone)


def gelu(rng: np.random.Generator, shape: Shape, dtype: Any) -> Problem:
    return Problem(aclnnGelu, [normal(rng, shape, dtype), np.empty(shape, dtype)], (1,))


def matmul(rng: np.random.Generator, shape: Shape, dtype: Any) -> Problem:
    """shape: rows, terms of a sum, columns; or the number of matrices before these. The data type is kept."""
    *batch, rows, terms, columns = shape
    one, other = normal(rng, (*batch, rows, terms), dtype), normal(rng, (*batch, terms, columns), dtype)
    out = np.empty((*batch, rows, columns), dtype)
    alone = partial(np.matmul, one.astype(np.float32), other.astype(np.float32), out=out.astype(np.float32))
    return Problem(aclnnBatchMatMul if batch else aclnnMatmul, [one, other, out, 0], (2,), alone)


def layer_norm(rng: np.random.Generator, shape: Shape, dtype: Any) -> Problem:
    """Over the last dimension; the statistics are outputs too."""
    weight, bias = (rng.uniform(0.5, 2, shape[-1]).astype(dtype) for _ in range(2))
    statistics = [np.empty((*shape[:-1], 1), dtype) for _ in range(2)]
    over = partial(aclCreateIntArray, [shape[-1]], 1)
    return Problem(
        aclnnLayerNorm, [normal(rng, shape, dtype), over, weight, bias, EPSILON, np.empty(shape, dtype), *statistics],
        (5, 6, 7),
    )  # fmt: skip


def softmax_forward(rng: np.random.Generator, shape: Shape, dtype: Any) -> Problem:
    """Over the last dimension."""
    return Problem(aclnnSoftmax, [normal(rng, shape, dtype), -1, np.empty(shape, dtype)], (2,))


def attention(rng: np.random.Generator, shape: Shape, dtype: Any) -> Problem:
    """shape: batches, heads, rows, and elements of a row, of queries, keys and values alike. Without a mask; the
    statistics for the gradient are outputs too."""
    batches, heads, rows, size = shape
    tensors = [normal(rng, shape, dtype) for _ in range(3)]
    statistics = [np.empty((batches, heads, rows, 8), np.float32) for _ in range(2)]
    scale, keep, all_tokens, precise, sparse = size**-0.5, 1.0, (1 << 31) - 1, 0, 0
    return Problem(
        aclnnFlashAttentionScore,
        [*tensors, None, None, None, None, None, scale, keep, all_tokens, all_tokens, heads, b"BNSD", precise, sparse,
         *statistics, None, np.empty(shape, dtype)],
        (16, 17, 19), partial(_two_products, *(each.astype(np.float32) for each in tensors)),
    )  # fmt: skip


def _two_products(queries: np.ndarray, keys: np.ndarray, values: np.ndarray) -> None:
    """Those of attention, for a matrix at a time, without what is between them."""
    for query, key, value in zip(*(each.reshape(-1, *each.shape[2:]) for each in (queries, keys, values)), strict=True):
        np.matmul(np.matmul(query, key.T), value)
