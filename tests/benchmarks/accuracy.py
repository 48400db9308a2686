"""The errors of results against float64, ours beside those of torch, on a sample of each case.

The sample has whole rows, columns or channels, evenly spread, and about SAMPLE elements of the tensors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tests.benchmarks.problems import Problem
from tests.helpers.error_bounds import Figures, allowed, half_ulp

SAMPLE = 1 << 22


class Truth(NamedTuple):
    """The exact values of a part of an output."""

    output: int
    """its position among the arguments"""
    part: Callable[[np.ndarray], np.ndarray]
    figures: Figures


@dataclass(frozen=True)
class Error:
    """The largest errors of an operator's outputs."""

    bound: float
    """as a share of the allowed error"""
    terms: float
    """in units of 2**-24 of the sum of the magnitudes of the terms"""
    ulps: float
    """in units in the last place of the data type; rounding alone costs up to half a unit"""
    misrounded: float
    """the share of results that are not the nearest number"""


def wide(values: np.ndarray) -> np.ndarray:
    return np.asarray(values).astype(np.float64)


def errors(truths: list[Truth], results: Mapping[int, np.ndarray]) -> Error:
    """The largest errors of all outputs."""
    each = [error(truth, results[truth.output]) for truth in truths if truth.output in results]
    return Error(
        max(one.bound for one in each),
        max(one.terms for one in each),
        max(one.ulps for one in each),
        max(one.misrounded for one in each),
    )


def error(truth: Truth, result: np.ndarray) -> Error:
    """The errors of one output."""
    found, figures = wide(truth.part(result)), truth.figures
    off = np.abs(found - figures.values)
    half = half_ulp(figures.values, result.dtype)
    with np.errstate(divide="ignore", invalid="ignore"):
        by_terms = np.where(off == 0, 0, off / figures.magnitude)
    if not np.isfinite(found).all():
        return Error(np.inf, np.inf, np.inf, 1.0)
    return Error(
        float((off / allowed(figures, result.dtype)).max()),
        float(by_terms.max() * 2**24),
        float((off / half).max() / 2),
        float((off > half * (1 + 1e-12)).mean()),
    )


def step(elements: int, count: int) -> int:
    """The step through `count` parts that leaves about SAMPLE elements."""
    return min(count, max(1, elements // SAMPLE))


def softmax(grad: np.ndarray, output: np.ndarray, dim: int, _: Any) -> list[Truth]:
    """Whole rows along the dimension."""
    axis = 0 if dim else 1
    every = step(grad.size, grad.shape[axis])

    def part(x: np.ndarray) -> np.ndarray:
        return x[::every] if axis == 0 else x[:, ::every]

    g, y = wide(part(grad)), wide(part(output))
    products = g * y
    values = y * (g - products.sum(dim, keepdims=True))
    magnitude = np.abs(y) * (np.abs(g) + np.abs(products).sum(dim, keepdims=True))
    return [Truth(3, part, Figures(values, magnitude))]


def prelu(grad: np.ndarray, x: np.ndarray, weight: np.ndarray, *_: Any) -> list[Truth]:
    """Whole channels. "For float16 each term of gradWeight is rounded before the sum", by torch too."""
    every = step(x.size, x.shape[1])

    def part(tensor: np.ndarray) -> np.ndarray:
        return tensor[:, ::every] if tensor.ndim > 1 else tensor[::every]

    g, values, slope = wide(part(grad)), wide(part(x)), wide(part(weight)).reshape(-1, *[1] * (x.ndim - 2))
    dx = np.where(values > 0, g, slope * g)
    terms = np.where(values > 0, 0, g * values)
    if x.dtype != np.float32:
        terms = wide(terms.astype(x.dtype))
    axes = tuple(axis for axis in range(x.ndim) if axis != 1)
    return [Truth(3, part, Figures(dx, np.abs(dx))), Truth(4, part, summed(terms, axes))]


def batch_norm(grad: np.ndarray, x: np.ndarray, mean: np.ndarray, invstd: np.ndarray, *_: Any) -> list[Truth]:
    """Whole channels."""
    every = step(x.size, x.shape[1])
    axes = tuple(axis for axis in range(x.ndim) if axis != 1)

    def part(sums: np.ndarray) -> np.ndarray:
        return sums[::every]

    g = wide(grad[:, ::every])
    centred = wide(x[:, ::every]) - wide(part(mean)).reshape(-1, *[1] * (x.ndim - 2))
    sum_dy, products, scale = summed(g, axes), summed(g * centred, axes), wide(part(invstd))
    weighted = Figures(products.values * scale, products.magnitude * scale)
    outputs = zip((8, 9, 10, 11), (sum_dy, products, weighted, sum_dy), strict=True)
    return [Truth(at, part, figures) for at, figures in outputs]


def cross_entropy(grad: np.ndarray, log_prob: np.ndarray, target: np.ndarray, *_: Any) -> list[Truth]:
    """Whole rows, for the mean over all of them."""
    every = step(log_prob.size, log_prob.shape[0])
    s = float(grad) / len(target)
    products = np.exp(wide(log_prob[::every])) * s
    at_target = np.arange(log_prob.shape[1]) == target[::every, None]
    values = products - np.where(at_target, s, 0)
    return [Truth(10, lambda x: x[::every], Figures(values, products + np.where(at_target, s, 0)))]


def embedding(grad: np.ndarray, indices: np.ndarray, rows: int, *_: Any) -> list[Truth]:
    """Whole columns."""
    every = step(grad.size, grad.shape[1])
    columns = [wide(column) for column in grad.T[::every]]
    values, magnitude = (
        np.stack([np.bincount(indices, weights=of(column), minlength=rows) for column in columns], axis=1)
        for of in (np.asarray, np.abs)
    )
    return [Truth(5, lambda x: x[:, ::every], Figures(values, magnitude))]


def add(one: np.ndarray, other: np.ndarray, *_: Any) -> list[Truth]:
    a, b = wide(one), wide(other)
    return [Truth(3, np.asarray, Figures(a + b, np.abs(a) + np.abs(b)))]


def mul(one: np.ndarray, other: np.ndarray, *_: Any) -> list[Truth]:
    product = wide(one) * wide(other)
    return [Truth(2, np.asarray, Figures(product, np.abs(product)))]


def exp(x: np.ndarray, _: Any) -> list[Truth]:
    values = np.exp(wide(x))
    return [Truth(1, np.asarray, Figures(values, values))]


def gelu(x: np.ndarray, _: Any) -> list[Truth]:
    """The form with tanh."""
    a = wide(x)
    values = a * (1 + np.tanh(math.sqrt(2 / math.pi) * (a + 0.044715 * a**3))) / 2
    return [Truth(1, np.asarray, Figures(values, np.abs(a)))]


def matmul(one: np.ndarray, other: np.ndarray, *_: Any) -> list[Truth]:
    a, b = wide(one), wide(other)
    return [Truth(2, np.asarray, Figures(a @ b, np.abs(a) @ np.abs(b)))]


def layer_norm(x: np.ndarray, _: Any, weight: np.ndarray, bias: np.ndarray, epsilon: float, *__: Any) -> list[Truth]:
    """The statistics are means; the terms of a result are its number, the mean and the bias."""
    a, scale, shift = wide(x), wide(weight), wide(bias)
    mean = a.mean(-1, keepdims=True)
    reciprocal = 1 / np.sqrt(a.var(-1, keepdims=True) + epsilon)
    values = (a - mean) * reciprocal * scale + shift
    terms = (np.abs(a) + np.abs(mean)) * reciprocal * scale + np.abs(shift)
    figures = Figures(values, terms), Figures(mean, np.abs(a).mean(-1, keepdims=True)), Figures(reciprocal, reciprocal)
    return [Truth(at, np.asarray, each) for at, each in zip((5, 6, 7), figures, strict=True)]


def softmax_forward(x: np.ndarray, *_: Any) -> list[Truth]:
    a = wide(x)
    e = np.exp(a - a.max(-1, keepdims=True))
    values = e / e.sum(-1, keepdims=True)
    return [Truth(2, np.asarray, Figures(values, values * (1 + np.abs(a - a.max(-1, keepdims=True)))))]


def attention(query: np.ndarray, key: np.ndarray, value: np.ndarray, *others: Any) -> list[Truth]:
    """The first batch."""
    q, k, v = (wide(each[:1]) for each in (query, key, value))
    scores = q @ k.swapaxes(2, 3) * others[5]
    e = np.exp(scores - scores.max(-1, keepdims=True))
    shares = e / e.sum(-1, keepdims=True)
    terms = shares * (1 + np.abs(q) @ np.abs(k).swapaxes(2, 3) * others[5])
    return [Truth(19, lambda x: x[:1], Figures(shares @ v, terms @ np.abs(v)))]


def summed(terms: np.ndarray, axes: tuple[int, ...]) -> Figures:
    return Figures(terms.sum(axes), np.abs(terms).sum(axes))


TRUTHS: dict[str, Callable[..., list[Truth]]] = {
    "softmax": softmax, "prelu": prelu, "batch norm": batch_norm, "cross entropy": cross_entropy,
    "embedding": embedding, "add": add, "mul": mul, "exp": exp, "gelu": gelu, "matmul": matmul,
    "layer norm": layer_norm, "softmax forward": softmax_forward, "attention": attention,
}  # fmt: skip


def truths(op: str, problem: Problem) -> list[Truth]:
    """The exact values of parts of the outputs of a problem."""
    return TRUTHS[op](*problem.arguments)
