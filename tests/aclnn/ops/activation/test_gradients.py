"""Gradients of activations, shrinks and Modulate: rules that no table has, and special values."""

from __future__ import annotations

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950
from tests.helpers.refusals import Number, Of, status_of

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR


def of(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


def test_ge_glu_backward_of_no_elements() -> None:
    half, whole = Of((0, 2)), Of((0, 4))
    assert status_of("aclnnGeGluBackward", half, whole, half, 1, 1, whole) == 0
    assert status_of("aclnnGeGluV3Backward", half, whole, half, 1, 1, True, whole) == 0
    assert status_of("aclnnGeGluBackward", half, whole, half, 1, 2, whole) == INVALID


def test_modulate_needs_a_scale_and_a_shift() -> None:
    x, factor = Of((2, 3, 4)), Of((2, 4))
    assert status_of("aclnnModulate", x, factor, factor, x) == 0
    assert status_of("aclnnModulate", x, None, factor, x) == INVALID
    assert status_of("aclnnModulate", x, factor, None, x) == INVALID


@pytest.mark.fidelity("a null scale or shift of aclnnModulateBackward")
def test_modulate_backward_needs_both_and_not_their_gradients() -> None:
    x, factor = Of((2, 3, 4)), Of((2, 4))
    assert status_of("aclnnModulateBackward", x, x, factor, factor, x, None, None) == 0
    assert status_of("aclnnModulateBackward", x, x, None, factor, x, factor, factor) == NULL


def test_shrinks_of_nan_and_of_negative_limits(machine: Machine) -> None:
    """Comparisons with NaN are false; a lambd below 0 counts as 0, or is refused."""
    x, limit = of(np.nan, -1, 0, 2), np.float32(-3)
    np.testing.assert_array_equal(run(aclnnHardshrink, x, limit, x.copy()), [0, -1, 0, 2])
    np.testing.assert_array_equal(run(aclnnHardshrinkBackward, of(1, 2, 3, 4), x, limit, x.copy()), [0, 2, 0, 4])
    for name in ("aclnnSoftshrink", "aclnnHardshrink"):
        wanted = INVALID if "Soft" in name else 0
        assert status_of(name, Of((2,)), Number(-1), Of((2,))) == wanted
        assert status_of(name, Of((2,)), Number(0.5, np.float64), Of((2,))) == 0


def test_the_ends_of_hardswish_backward(machine: Machine) -> None:
    """At -3 and 3 the first form has the middle piece, and the second the outer ones."""
    g, x = of(1, 1), of(-3, 3)
    np.testing.assert_array_equal(run(aclnnHardswishBackward, g, x, x.copy()), [-0.5, 1.5])
    np.testing.assert_array_equal(run(aclnnHardswishBackwardV2, g, x, x.copy()), [0, 1])


@pytest.mark.fidelity("integers of aclnnSeluBackward")
def test_integers_of_selu_backward_are_truncated(machine: Machine) -> None:
    g, y = np.array([3, -3], np.int32), np.array([1, -1], np.int32)
    np.testing.assert_array_equal(run(aclnnSeluBackward, g, y, g.copy()), [3, -2])


@pytest.mark.fidelity("aclnnSeluBackward where result is 0")
@pytest.mark.parametrize(("chip", "slope"), [(A2, 1.050701), (A950, 1.758099)])
def test_a_result_of_0_of_selu_backward(chip: str, slope: float) -> None:
    with Machine(chip):
        found = run(aclnnSeluBackward, of(1, 1), of(0, 1), of(0, 0))
    np.testing.assert_allclose(found, [slope, 1.050701], rtol=1e-6)


def test_a_negative_slope_of_a_result() -> None:
    x = Of((2,))
    assert status_of("aclnnLeakyReluBackward", x, x, Number(-1), False, x) == 0
    assert status_of("aclnnLeakyReluBackward", x, x, Number(-1), True, x) == INVALID


def test_0d_and_reversed_bounds_of_hardtanh() -> None:
    assert status_of("aclnnHardtanh", Of(()), Number(-1), Number(1), Of(())) == 0
    assert status_of("aclnnHardtanh", Of((2,)), Number(1), Number(-1), Of((2,))) == INVALID
    assert status_of("aclnnHardtanh", Of((2,)), Number(False, np.bool_), Number(1), Of((2,))) == INVALID


def test_a_result_of_another_shape_of_hardtanh_backward() -> None:
    """The shape of out is not looked at, so the copy fails."""
    x = Of((2,))
    assert status_of("aclnnHardtanhBackward", x, x, Number(-1), Number(1), Of((3,))) == ACLNN_ERR_INNER_NULLPTR
