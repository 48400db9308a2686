"""Softmax and its logarithm along one dimension. The largest element is subtracted first, so that no exponential is
infinite. Sums have float64 partials."""

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.numbers.rounding import total


def less_largest(x: Array, *, axis: int) -> Array:
    """x - max"""
    return x - np.maximum.reduce(x, axis, keepdims=True)  # np.max calls four functions in Python


def softmax(x: Array, *, axis: int) -> Array:
    """exp(x - max) / sum(exp(x - max))"""
    powers = np.exp(less_largest(x, axis=axis))
    return powers / total(powers, axis, keepdims=True)


def log_softmax(x: Array, *, axis: int) -> Array:
    """x - max - log(sum(exp(x - max)))"""
    shifted = less_largest(x, axis=axis)
    return shifted - np.log(total(np.exp(shifted), axis, keepdims=True))
