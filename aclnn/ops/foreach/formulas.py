"""The formulas that Foreach functions of several kinds share. `by` is the number."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from aclnn.op import Array
from aclnn.ops.elementwise.powers import power

Formula = Callable[..., Array]


def plus(x: Array, by: Any) -> Array:
    return x + by


def minus(x: Array, by: Any) -> Array:
    return x - by


def times(x: Array, by: Any) -> Array:
    return x * by


def over(x: Array, by: Any) -> Array:
    return x / by


def at_least(x: Array, by: Any) -> Array:
    return np.maximum(x, by)


def at_most(x: Array, by: Any) -> Array:
    return np.minimum(x, by)


def raised(x: Array, by: Any) -> Array:
    return power(x, by)


WITH_ONE: Final[dict[str, tuple[Formula, str]]] = {
    "Add": (plus, "x + {0}"), "Sub": (minus, "x - {0}"), "Mul": (times, "x * {0}"), "Div": (over, "x / {0}"),
    "Maximum": (at_least, "the larger of x and {0}"), "Minimum": (at_most, "the smaller of x and {0}"),
    "Pow": (raised, "x to the power {0}"),
}  # fmt: skip
"""formulas of a tensor and a number, or of two tensors, with their texts, by part of the function's name"""


def with_sum(x1: Array, x2: Array, by: Any) -> Array:
    return x1 + x2 * by


def with_difference(x1: Array, x2: Array, by: Any) -> Array:
    return x1 - x2 * by


def with_product(x1: Array, x2: Array, x3: Array, by: Any) -> Array:
    return x1 + x2 * x3 * by


def with_quotient(x1: Array, x2: Array, x3: Array, by: Any) -> Array:
    return x1 + x2 / x3 * by


def between(x1: Array, x2: Array, by: Any) -> Array:
    """x1 + (x2 - x1) * by, computed from the nearer end."""
    difference = np.subtract(x2, x1)
    if not np.ndim(by):
        return np.add(x1, difference * by) if np.abs(by) < 0.5 else np.add(x2, difference * (by - np.float32(1)))
    return np.where(np.abs(by) < 0.5, np.add(x1, difference * by), np.add(x2, difference * (by - np.float32(1))))


def base_of(x: Array, by: Any) -> Array:
    """The number `by` to the power x."""
    return power(np.asarray(by).astype(x.dtype), x)
