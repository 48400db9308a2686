"""Figures of aclnnPreluBackward.

The operator's contract: "3. Definition", "5. Special inputs", "7. Precision", "9. Expected output"."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from tests.aclnn.ops.case import A2, A3, TRAINING, board
from tests.helpers.builders import meta, on_device, plan, run

PAIR = aclnnPreluBackwardGetWorkspaceSize, aclnnPreluBackward


def prelu_backward(
    g: np.ndarray, x: np.ndarray, weight: np.ndarray, *, format: int = 2
) -> tuple[np.ndarray, np.ndarray]:
    """gradInput and gradWeight of dense tensors."""
    g, x, weight = np.asarray(g), np.asarray(x), np.asarray(weight)
    dx, dw = (
        on_device(np.zeros_like(x)),
        on_device(np.zeros(weight.shape if weight.size == 1 else weight.size, x.dtype)),
    )
    tensors = [on_device(each, format=format) for each in (g, x)]
    run(*PAIR, *tensors, on_device(weight), dx, dw)
    return dx.read(), dw.read()


def f32(values: object) -> np.ndarray:
    return np.array(values, np.float32)


# check vectors

X2, G2 = [[-1, 2, 0], [3, -4, -0.5]], [[1, -2, 3], [-1, 0.5, 4]]
X3, G3 = [[[-1, 2], [-3, 4]], [[5, -6], [-7, -8]]], [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]
VECTORS = {
    "sample-of-the-document": (
        np.arange(8).reshape(4, 2), [0.5, 0.5], np.ones((4, 2)), [[0.5, 1], [1, 1], [1, 1], [1, 1]], [0, 0]
    ),
    "weight-for-each-channel": (X2, [0.25, 0.5, 2], G2, [[0.25, -2, 6], [-1, 0.25, 8]], [-1, -2, -2]),
    "one-weight": (X2, [0.25], G2, [[0.25, -2, 0.75], [-1, 0.125, 1]], [-5]),
    "channel-is-dimension-1": (X3, [0.1, -0.2], G3, [[[0.1, 2], [-0.6, 4]], [[5, 0.6], [-1.4, -1.6]]], [-37, -122]),
    "broadcast-gradient": (X3, [0.1, -0.2], [1, -1], [[[0.1, -1], [-0.2, -1]], [[1, -0.1], [-0.2, 0.2]]], [5, -2]),
    "one-dimension": ([-1, 0, 2], [0.5], [1, 2, 3], [0.5, 1, 3], [-1]),
}  # fmt: skip


@pytest.mark.parametrize(("x", "weight", "g", "dx", "dw"), VECTORS.values(), ids=VECTORS)
def test_the_check_vectors_are_reproduced(machine: Machine, x: Any, weight: Any, g: Any, dx: Any, dw: Any) -> None:
    found = prelu_backward(f32(g), f32(x), f32(weight))
    np.testing.assert_allclose(found[0], dx, rtol=2e-7)
    np.testing.assert_array_equal(found[1], dw)


@pytest.mark.parametrize(
    ("x", "g", "bits", "unrounded"),
    [
        ([-0.53, -1.28, -0.26], [1.68, 1.6, 0.55], 0xC22A, 0xC229),
        ([-1.73, -0.16], [1.49, 0.43], 0xC14B, 0xC14C),
    ],
    ids=["three-terms", "two-terms"],
)
def test_float16_terms_of_gradweight_are_rounded_before_the_sum(
    machine: Machine, x: list[float], g: list[float], bits: int, unrounded: int
) -> None:
    """ "For 16-bit dtypes gradWeight is rounded twice (each term, then the sum)"."""
    column, grad = np.array(x, np.float16).reshape(-1, 1), np.array(g, np.float16).reshape(-1, 1)
    _, dw = prelu_backward(grad, column, np.array([0.5], np.float16))
    assert dw.view(np.uint16).tolist() == [bits]
    once = (grad.astype(np.float64) * column).sum().astype(np.float16)
    assert once.view(np.uint16) == unrounded


def test_float16_gradinput_is_one_rounded_product(machine: Machine) -> None:
    rng = np.random.default_rng(3)
    x, g = -rng.uniform(0.1, 2, (50, 4)).astype(np.float16), rng.uniform(-2, 2, (50, 4)).astype(np.float16)
    weight = rng.uniform(-1, 1, 4).astype(np.float16)
    dx, _ = prelu_backward(g, x, weight)
    np.testing.assert_array_equal(dx, (g.astype(np.float64) * weight).astype(np.float16))


# special inputs


@pytest.mark.parametrize("dtype", [np.float32, np.float16], ids=["FLOAT", "FLOAT16"])
def test_zero_takes_the_negative_branch(machine: Machine, dtype: type) -> None:
    """ "At x = 0 (and -0) the negative branch is used, i.e. slope w"."""
    dx, dw = prelu_backward(np.array([[3, 3]], dtype), np.array([[0.0, -0.0]], dtype), np.array([0.5], dtype))
    np.testing.assert_array_equal(dx, [[1.5, 1.5]])
    np.testing.assert_array_equal(dw, [0])


def test_nan_in_self_takes_the_negative_branch(machine: Machine) -> None:
    """ "Comparison false: gradInput = w * g, u = NaN"; the other channel is not touched."""
    dx, dw = prelu_backward(f32([[2, 2]]), f32([[np.nan, -1]]), f32([0.5, 0.25]))
    np.testing.assert_array_equal(dx, [[1, 0.5]])
    np.testing.assert_array_equal(dw, [np.nan, -2])


def test_nan_and_inf_in_the_gradient(machine: Machine) -> None:
    dx, dw = prelu_backward(f32([[np.nan, np.inf, 1]]), f32([[-1, -1, -np.inf]]), f32([0.5, 0.5, 0.5]))
    np.testing.assert_array_equal(dx, [[np.nan, np.inf, 0.5]])
    np.testing.assert_array_equal(dw, [np.nan, -np.inf, -np.inf])


@pytest.mark.fidelity("aclnnPreluBackward, infinite values in self or an overflowed gradient")
@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float16], ids=["FLOAT", "FLOAT16"])
def test_the_branch_that_is_not_taken_leaves_no_trace_in_gradweight(dtype: type, fast: bool) -> None:
    """A select: the term of a positive element is 0, also where self is infinite, and where weight * gradOutput
    overflows, of which 0 times that would be NaN."""
    big = np.finfo(dtype).max
    x, g = np.array([[np.inf, 3, 2, -1]] * 2, dtype), np.array([[1, big, np.inf, 5]] * 2, dtype)
    with board(fast=fast):
        dx, dw = prelu_backward(g, x, np.array([2, 2, 2, 2], dtype))
    np.testing.assert_array_equal(dx, np.array([[1, big, np.inf, 10]] * 2, dtype))
    np.testing.assert_array_equal(dw, [0, 0, 0, -10])


def test_float16_overflow_is_inf(machine: Machine) -> None:
    """A term that FLOAT16 cannot hold is Inf before the sum."""
    half = np.float16
    dx, dw = prelu_backward(np.array([[300], [1]], half), np.array([[-300], [-1]], half), np.array([300], half))
    np.testing.assert_array_equal(dx, [[np.inf], [300]])
    np.testing.assert_array_equal(dw, [-np.inf])


@pytest.mark.parametrize(("shape", "count"), [((0, 2), 2), ((3, 2, 0), 2), ((0,), 1), ((2, 0), 1)], ids=str)
def test_empty_writes_nothing(machine: Machine, shape: tuple[int, ...], count: int) -> None:
    """ "Empty self/gradOutput with non-empty gradWeight: success; gradWeight keeps its old content"."""
    empty = np.zeros(shape, np.float32)
    dw = on_device(np.full(count, 7, np.float32))
    arguments = on_device(empty), on_device(empty), on_device(np.ones(count, np.float32)), on_device(empty), dw
    assert plan(PAIR[0], *arguments).workspace_size == 0
    run(*PAIR, *arguments)
    assert (dw.read() == 7).all()


def test_empty_gradient_broadcasts_to_nothing(machine: Machine) -> None:
    """A gradient of one element broadcasts to an empty self; an empty one does not to a self that is not."""
    assert plan(PAIR[0], meta((1, 1)), meta((0, 3)), meta((3,)), meta((0, 3)), meta((3,))).status == ACL_SUCCESS
    refused = plan(PAIR[0], meta((0, 3)), meta((2, 3)), meta((3,)), meta((2, 3)), meta((3,)))
    assert refused.status == ACLNN_ERR_PARAM_INVALID


@pytest.mark.parametrize("channels", [0, 1, 2])
def test_weight_without_elements_needs_no_channels(machine: Machine, channels: int) -> None:
    """ "Weight with 0 elements: only legal when the channel count is 0; else 161002"."""
    shape = (4, channels)
    planned = plan(PAIR[0], meta(shape), meta(shape), meta((0,)), meta(shape), meta((0,)))
    assert planned.status == (ACL_SUCCESS if channels == 0 else ACLNN_ERR_PARAM_INVALID)


def test_0d_tensors_take_0d_weights(machine: Machine) -> None:
    """ "0-D self: passes the checks with a one-element weight; 0-D weight: gradWeight must then be 0-D too"."""
    dx, dw = prelu_backward(f32(2), f32(-3), f32(0.5))
    assert dx.shape == dw.shape == ()
    assert (dx, dw) == (1, -6)


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (1,) * 8], ids=str)
@pytest.mark.parametrize("x", [-4.0, [-4.0, 1.0], [[-4.0, 1.0]], [[[[-4.0]], [[1.0]]]]], ids=lambda x: str(np.shape(x)))
def test_one_weight_of_any_rank(machine: Machine, shape: tuple[int, ...], x: object) -> None:
    values = f32(x)
    dx, dw = prelu_backward(np.full_like(values, 3), values, np.full(shape, 0.5, np.float32))
    np.testing.assert_array_equal(dx.ravel(), [1.5, 3][: values.size])
    np.testing.assert_array_equal(dw, np.full(shape, -12))


@pytest.mark.parametrize("shape", [(2,), (1, 2), (2, 1), (1, 1, 2, 1)], ids=str)
def test_weight_of_any_shape_with_one_element_for_each_channel(machine: Machine, shape: tuple[int, ...]) -> None:
    """ "Any rank/shape with that count"; gradWeight has one dimension all the same."""
    dx, dw = prelu_backward(f32([[1, 1]]), f32([[-1, -2]]), f32([0.5, 0.25]).reshape(shape))
    np.testing.assert_array_equal(dx, [[0.5, 0.25]])
    np.testing.assert_array_equal(dw, [-1, -2])


def test_tensors_of_8_dimensions_are_computed(machine: Machine) -> None:
    x = -np.arange(1, 13, dtype=np.float32).reshape(1, 3, 1, 2, 1, 2, 1, 1)
    dx, dw = prelu_backward(np.ones_like(x), x, f32([1, 2, 3]))
    np.testing.assert_array_equal(dx.ravel(), np.repeat([1, 2, 3], 4))
    np.testing.assert_array_equal(dw, [-10, -26, -42])


@pytest.mark.parametrize("format", [ACL_FORMAT_NCHW, ACL_FORMAT_NHWC], ids=["NCHW", "NHWC"])
def test_channel_is_dimension_1_whatever_the_format(machine: Machine, format: int) -> None:
    x = -np.ones((1, 2, 3, 4), np.float32)
    dx, dw = prelu_backward(np.ones_like(x), x, f32([0.5, 2]), format=format)
    np.testing.assert_array_equal(dx[0, :, 0, 0], [0.5, 2])
    np.testing.assert_array_equal(dw, [-12, -12])


@pytest.mark.fidelity("aclnnPreluBackward, a gradOutput smaller than self")
@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 1), (1, 3), (1, 1), (2, 3)], ids=str)
def test_gradient_counts_once_for_each_position_it_is_broadcast_to(machine: Machine, shape: tuple[int, ...]) -> None:
    """ "gradOutput is broadcast before the sum, so broadcast elements count once per position of self"."""
    g = np.arange(1, 1 + np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)
    x = f32([[-1, 2, -3], [-4, -5, 6]])
    found = prelu_backward(g, x, f32([0.5, 0.25, 2]))
    expected = prelu_backward(np.broadcast_to(g, x.shape).copy(), x, f32([0.5, 0.25, 2]))
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


def test_gradinput_in_place_of_gradoutput_or_self(machine: Machine) -> None:
    for which in (0, 1):
        tensors = [on_device(f32(G2)), on_device(f32(X2))]
        dw = on_device(np.zeros(3, np.float32))
        run(*PAIR, *tensors, on_device(f32([0.25, 0.5, 2])), tensors[which], dw)
        np.testing.assert_array_equal(tensors[which].read(), VECTORS["weight-for-each-channel"][3])
        np.testing.assert_array_equal(dw.read(), [-1, -2, -2])


@pytest.mark.fidelity("aclnnPreluBackward, BFLOAT16")
@pytest.mark.parametrize("soc", [A2, A3, TRAINING])
def test_bfloat16_is_refused_on_every_product(soc: str) -> None:
    """The document lists FLOAT and FLOAT16: 161002 (a later edition allows it on some products)."""
    with board(soc):
        tensors = [meta(shape, ACL_BF16) for shape in ((2, 3), (2, 3), (3,), (2, 3), (3,))]
        planned = plan(PAIR[0], *tensors)
    assert planned.status == ACLNN_ERR_PARAM_INVALID
    assert "[DT_FLOAT,DT_FLOAT16,]" in planned.text
