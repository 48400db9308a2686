"""One call of a type by name, with its results, and numbers for such calls."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tests.helpers.named_operators import Array, OnHost

F32, F16, I32, I64, U8 = np.float32, np.float16, np.int32, np.int64, np.uint8
RANDOM = np.random.default_rng(7)


class Case(NamedTuple):
    """A call, and its results."""

    type: str
    inputs: list[Any]
    results: list[Array]
    attributes: dict[str, Any]
    formats: dict[int, int]
    """of inputs and outputs, by number, where they are not ND"""


def case(type: str, inputs: list[Any], results: list[Any], formats: dict[int, int] | None = None, **more: Any) -> Case:
    return Case(type, inputs, [np.asarray(each) for each in results], more, formats or {})


def normal(*shape: int) -> Array:
    return RANDOM.standard_normal(shape).astype(F32)


def ints(*values: int, dtype: Any = I32) -> OnHost:
    """A small input on the host."""
    return OnHost(np.array(values, dtype))


def one(value: float, dtype: Any = F32) -> Array:
    return np.array([value], dtype)


X, Y = normal(3, 4), normal(3, 4)
SMALL = RANDOM.uniform(-0.9, 0.9, (3, 4)).astype(F32)
POSITIVE = RANDOM.uniform(0.2, 3, (3, 4)).astype(F32)
N, M = RANDOM.integers(-50, 50, (3, 4), I32), RANDOM.integers(1, 9, (3, 4), I32)
B, C = N > 0, M > 4
CUBE = normal(2, 3, 4)


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def softplus(x: Array) -> Array:
    return np.log1p(np.exp(x))


def softmax(x: Array, axis: int = -1) -> Array:
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)
