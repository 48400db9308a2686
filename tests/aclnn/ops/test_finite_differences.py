"""Gradients of backward operators against central differences of the forward operators.

Both sides run on the emulator, so neither can be wrong alone. A direction is drawn for each gradient: the slope of a
weighted sum of the forward's results along it is the product of the direction with the backward's result. Steps in
FLOAT are 1/64: then the error of the difference, of second order in the step, is as small as that of its rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run

STEP = 2.0**-6
CLOSE = {"rtol": 2e-3, "atol": 2e-3}


def f32(values: Any) -> np.ndarray:
    return np.asarray(values, np.float32)


def slope(function: Callable[[np.ndarray], np.ndarray], x: np.ndarray, direction: np.ndarray, g: np.ndarray) -> float:
    """The slope of sum(g * function(x)) along the direction: differences of two steps, without their error of second
    order (Richardson)."""

    def difference(step: float) -> float:
        ahead, behind = (function(f32(x + each * step * direction)).astype(np.float64) for each in (1, -1))
        return float(((ahead - behind) * g).sum() / (2 * step))

    return (4 * difference(STEP) - difference(2 * STEP)) / 3


def held(
    function: Callable[[np.ndarray], np.ndarray], x: np.ndarray, grad: np.ndarray, g: np.ndarray, *, rounds: int = 6
) -> None:  # fmt: skip
    """Assert that `grad` is the gradient of sum(g * function(x)): along random directions, and along each axis of the
    largest elements."""
    rng = np.random.default_rng(51)
    directions = [rng.choice([-1.0, 1.0], x.shape) for _ in range(rounds)]
    for place in np.argsort(-np.abs(grad), axis=None)[:3]:
        one = np.zeros(x.size)
        one[place] = 1
        directions.append(one.reshape(x.shape))
    for direction in directions:
        product = float((grad.astype(np.float64) * direction).sum())
        np.testing.assert_allclose(product, slope(function, x, direction, g), **CLOSE)
    assert np.abs(grad).max() > 10 * CLOSE["atol"], "a gradient that small shows nothing"


@pytest.mark.parametrize(("shape", "dim"), [((9,), 0), ((4, 5), 1), ((4, 5), 0), ((2, 3, 4), 1)], ids=str)
def test_softmax_backward_is_the_slope_of_softmax(machine: Machine, shape: tuple[int, ...], dim: int) -> None:
    rng = np.random.default_rng(52)
    x, g = f32(rng.standard_normal(shape)), f32(rng.standard_normal(shape))

    def forward(values: np.ndarray) -> np.ndarray:
        return run(aclnnSoftmax, values, dim, np.empty_like(values))

    held(forward, x, run(aclnnSoftmaxBackward, g, forward(x), dim, np.empty_like(x)), g)


@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weight"])
@pytest.mark.parametrize("ignored", [-100, 2])
def test_cross_entropy_loss_grad_is_the_slope_of_the_loss(
    machine: Machine, reduction: str, weighted: bool, ignored: int
) -> None:  # fmt: skip
    """The gradient is that of the scores, by way of logProbOut."""
    rng = np.random.default_rng(53)
    x, target = f32(rng.standard_normal((6, 4))), np.array([0, 2, 1, 3, 2, 0])
    weight = f32(rng.uniform(0.5, 2, 4)) if weighted else None
    count = 6 if reduction == "none" else 1
    g = f32(rng.uniform(0.5, 2, count))

    def forward(values: np.ndarray) -> tuple[np.ndarray, ...]:
        outputs = [np.empty(shape, np.float32) for shape in (count, (6, 4), count, 6)]
        return run(aclnnCrossEntropyLoss, values, target, weight, reduction, ignored, 0.0, 0.0, False, *outputs)

    grad = run(
        aclnnCrossEntropyLossGrad, g, forward(x)[1], target, weight, None, None, reduction, ignored, 0.0, 0.0,
        np.empty_like(x),
    )  # fmt: skip
    held(lambda values: forward(values)[0], x, grad, g)


def test_embedding_dense_backward_is_the_slope_of_embedding(machine: Machine) -> None:
    rng = np.random.default_rng(54)
    table, indices = f32(rng.standard_normal((5, 3))), np.array([[4, 0, 4], [1, 4, 0]])
    g = f32(rng.standard_normal((2, 3, 3)))

    def forward(values: np.ndarray) -> np.ndarray:
        return run(aclnnEmbedding, values, indices, np.empty((2, 3, 3), np.float32))

    grad = run(aclnnEmbeddingDenseBackward, g, indices, 5, 5, False, np.empty_like(table))
    held(forward, table, grad, g)
    assert not grad[2:4].any()  # no position looks these up


def statistics(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and inverse deviation of each channel, by Mean and a product."""
    dims, channels = [0, 2], x.shape[1]
    mean = run(aclnnMean, x, dims, True, ACL_FLOAT, np.empty((1, channels, 1), np.float32))
    centred = run(aclnnSub, x, mean, 1.0, np.empty_like(x))
    squares = run(aclnnMul, centred, centred, np.empty_like(x))
    variance = run(aclnnMean, squares, dims, True, ACL_FLOAT, np.empty((1, channels, 1), np.float32))
    return mean.reshape(-1), f32(1 / np.sqrt(variance.reshape(-1) + 1e-5))


def test_the_batch_norm_backward_functions_are_the_slope_of_the_normalised_tensor(machine: Machine) -> None:
    """The pieces of one training step on one device: BatchNormReduceBackward gives the sums to BatchNormElemtBackward;
    its gradients of weight and bias are slopes as well."""
    rng = np.random.default_rng(55)
    x, g = f32(rng.standard_normal((3, 2, 5)) * 2), f32(rng.standard_normal((3, 2, 5)))
    weight, bias = f32([1.5, -0.5]), f32([0.25, 1])
    mean, invstd = statistics(x)

    def normalised(values: np.ndarray, scale: np.ndarray, shift: np.ndarray) -> np.ndarray:
        centre, spread = (each[:, None] for each in statistics(values))
        centred = run(aclnnSub, values, f32(centre), 1.0, np.empty_like(values))
        scaled = run(aclnnMul, centred, f32(spread * scale[:, None]), np.empty_like(values))
        return run(aclnnAdd, scaled, f32(shift[:, None]), 1.0, np.empty_like(values))

    sum_dy, sum_dy_xmu, grad_weight, grad_bias = run(
        aclnnBatchNormReduceBackward, g, x, mean, invstd, weight, True, True, True,
        *(np.empty(2, np.float32) for _ in range(4)),
    )  # fmt: skip
    counter = np.array([15], np.int32)
    grad = run(aclnnBatchNormElemtBackward, g, x, mean, invstd, weight, sum_dy, sum_dy_xmu, counter, np.empty_like(x))
    held(lambda values: normalised(values, weight, bias), x, grad, g)
    held(lambda values: normalised(x, values, bias), weight, grad_weight, g)
    held(lambda values: normalised(x, weight, values), bias, grad_bias, g)


def test_prelu_backward_is_the_slope_of_two_rectified_parts(machine: Machine) -> None:
    """PRelu is relu(x) - weight * relu(-x); no element lies near the kink at 0."""
    rng = np.random.default_rng(56)
    x = f32(rng.choice([-1, 1], (4, 3)) * rng.uniform(0.2, 2, (4, 3)))
    weight, g = f32([0.25, -0.5, 2]), f32(rng.standard_normal((4, 3)))

    def forward(values: np.ndarray, slopes: np.ndarray) -> np.ndarray:
        positive = run(aclnnRelu, values, np.empty_like(values))
        negative = run(aclnnRelu, -values, np.empty_like(values))
        return positive - run(aclnnMul, negative, slopes, np.empty_like(values))

    grad, grad_weight = run(aclnnPreluBackward, g, x, weight, np.empty_like(x), np.empty_like(weight))
    held(lambda values: forward(values, weight), x, grad, g)
    held(lambda values: forward(x, values), weight, grad_weight, g)
