"""Losses of probabilities and of smooth differences, and gradients: rules that no table has, and figures by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import Meta
from tests.helpers.refusals import Mistake, Of, assert_order, status_of

INVALID, NULL, PLAN = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_INNER_NULLPTR
NONE, MEAN, SUM, BATCH_MEAN = 0, 1, 2, 3
HALF, LONG, DOUBLE = ACL_FLOAT16, ACL_INT64, ACL_DOUBLE
nan, inf = np.nan, np.inf


def of(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


@pytest.mark.parametrize(
    ("name", "more", "reduction", "wanted"),
    [
        ("SmoothL1Loss", [1.0], MEAN, nan), ("SmoothL1Loss", [1.0], SUM, 0), ("SoftMarginLoss", [], MEAN, nan),
        ("SoftMarginLoss", [], 9, 0), ("KlDiv", [False], MEAN, nan), ("KlDiv", [False], SUM, 0),
        ("KlDiv", [True], BATCH_MEAN, nan),
    ],
)  # fmt: skip
def test_what_is_left_of_no_elements(
    machine: Machine, name: str, more: list[Any], reduction: int, wanted: float
) -> None:
    x = np.empty((0, 3), np.float32)
    found = run(globals()[f"aclnn{name}"], x, x.copy(), reduction, *more, np.full((), 7, np.float32))
    np.testing.assert_array_equal(found, wanted)


def test_a_batch_mean_of_rows_without_elements_is_0(machine: Machine) -> None:
    x = np.empty((3, 0), np.float32)
    assert run(aclnnKlDiv, x, x.copy(), BATCH_MEAN, False, of(7)) == 0


def test_what_binary_cross_entropy_leaves_of_no_elements(machine: Machine) -> None:
    x = np.empty(0, np.float32)
    for reduction, wanted in [(MEAN, nan), (SUM, 0), (NONE, 0)]:
        found = run(aclnnBinaryCrossEntropy, x, x.copy(), None, reduction, of(7, 7))
        np.testing.assert_array_equal(found, [wanted, wanted])


def test_mse_out_reduces_the_first_dimension(machine: Machine) -> None:
    x, y = of(1, 2, 3, 4).reshape(2, 2), of(0, 2)
    np.testing.assert_array_equal(run(aclnnMseLossOut, x, y, SUM, of(7, 7)), [10, 4])
    np.testing.assert_array_equal(run(aclnnMseLossOut, x, y, MEAN, of(7, 7)), [5, 2])
    assert run(aclnnMseLossOut, x[0, 0:1].reshape(()), y[1:].reshape(()), MEAN, np.empty((), np.float32)) == 1
    assert status_of("aclnnMseLossOut", Of((2, 3)), Of((2, 3)), MEAN, Of(())) == INVALID
    found = run(aclnnMseLossOut, np.empty((0, 2), np.float32), y, SUM, of(7, 7))
    assert np.isnan(found).all()  # not written


def test_signs_of_l1_loss_backward(machine: Machine) -> None:
    found = run(aclnnL1LossBackward, of(2), of(1, 2, 3, nan), of(2), MEAN, of(7, 7, 7, 7))
    np.testing.assert_array_equal(found, [-0.5, 0, 0.5, 0])


def test_smooth_l1_by_hand(machine: Machine) -> None:
    x, y = of(0, 1, 2, 5), of(0)
    np.testing.assert_array_equal(run(aclnnSmoothL1Loss, x, y, NONE, 2.0, x.copy()), [0, 0.25, 1, 4])
    assert run(aclnnSmoothL1Loss, x, y, SUM, 2.0, np.empty((1, 1), np.float32)) == 5.25
    np.testing.assert_array_equal(run(aclnnSmoothL1LossBackward, of(8), x, y, NONE, 2.0, x.copy()), [0, 4, 8, 8])
    np.testing.assert_array_equal(run(aclnnSmoothL1LossBackward, of(8), -x, y, MEAN, 2.0, x.copy()), [0, -1, -2, -2])
    assert status_of("aclnnSmoothL1Loss", Of((2,)), Of((2,)), SUM, 1.0, Of((2,))) == PLAN


@pytest.mark.fidelity("beta of 0 in aclnnSmoothL1LossBackward")
def test_beta_of_0(machine: Machine) -> None:
    x = of(-3, 0, 2)
    np.testing.assert_array_equal(run(aclnnSmoothL1Loss, x, of(0), NONE, 0.0, x.copy()), [3, 0, 2])
    np.testing.assert_array_equal(run(aclnnSmoothL1LossBackward, of(8), x, of(0), NONE, 0.0, x.copy()), [-8, nan, 8])


@pytest.mark.fidelity("reduction of aclnnSoftMarginLossBackward")
def test_reductions_of_soft_margin_loss() -> None:
    """ "reduction not checked" in the loss; the gradient is undefined then."""
    x = Of((2, 3))
    assert status_of("aclnnSoftMarginLoss", x, x, 7, Of(())) == 0
    assert status_of("aclnnSoftMarginLoss", x, x, -1, x) == INVALID
    assert status_of("aclnnSoftMarginLossBackward", x, x, x, 3, x) == INVALID


def test_soft_margin_far_from_0(machine: Machine) -> None:
    x, t = of(1000, -1000, 0), of(1)
    np.testing.assert_allclose(run(aclnnSoftMarginLoss, x, t, NONE, x.copy()), [0, 1000, np.log(2)], rtol=1e-6)
    found = run(aclnnSoftMarginLossBackward, of(1), x, t, NONE, x.copy())
    np.testing.assert_array_equal(found, [0, nan, -0.5])


def test_probabilities_of_0_and_1(machine: Machine) -> None:
    """The logarithms are not below -100, the variance is not below 1e-12; outside [0, 1] there is none."""
    x, t = of(0, 1, 0, 2), of(0, 1, 1, 0)
    np.testing.assert_array_equal(run(aclnnBinaryCrossEntropy, x, t, None, NONE, x.copy())[:3], [0, 0, 100])
    assert np.isnan(run(aclnnBinaryCrossEntropy, x, t, None, NONE, x.copy())[3])
    found = run(aclnnBinaryCrossEntropyBackward, of(1), x, t, None, NONE, x.copy())
    np.testing.assert_allclose(found, [0, 0, -1e12, 2e12], rtol=1e-6)


@pytest.mark.fidelity(
    "aclnnBinaryCrossEntropy, what the library does not look at", "aclnnBinaryCrossEntropy, a null tensor"
)
def test_data_types_and_weight_of_binary_cross_entropy() -> None:
    x, half = Of((2, 3)), Of((2, 3), HALF)
    name = "aclnnBinaryCrossEntropy"
    assert status_of(name, None, x, None, NONE, x) == NULL
    assert status_of(name, x, half, None, NONE, x) == INVALID
    assert status_of(name, x, x, None, NONE, half) == INVALID
    assert status_of(name, x, x, Of((4,)), NONE, x) == INVALID
    assert status_of(name, x, x, None, MEAN, Of((1, 1))) == 0
    assert status_of(name, x, x, None, MEAN, x) == INVALID


def test_gradients_of_logits_far_from_0(machine: Machine) -> None:
    g, x, t = of(1), of(1000, -1000, 0), of(1, 0, 1)
    found = run(aclnnBinaryCrossEntropyWithLogitsBackward, g, x, t, None, of(3), NONE, x.copy())
    np.testing.assert_array_equal(found, [0, 0, -1.5])
    found = run(aclnnBinaryCrossEntropyWithLogitsTargetBackward, g, x, t, None, of(3), SUM, x.copy())
    np.testing.assert_allclose(found, [-1000, 3000, 2 * np.log(2)], rtol=1e-6)


def test_refusals_of_logits_backward_come_in_order() -> None:
    x = Meta((2, 3))
    good: dict[str, Any] = {
        "gradOutput": x, "self": x, "target": x, "weightOptional": x, "posWeightOptional": x, "reduction": MEAN,
        "out": x,
    }  # fmt: skip
    mistakes = [
        Mistake("gradOutput is null", NULL, "gradOutput", gradOutput=None),
        Mistake("rank of self", INVALID, "self", self=Meta((1,) * 9)),
        Mistake("type of weight", INVALID, "weightOptional", weightOptional=Meta((2, 3), DOUBLE)),
        Mistake("type of out", INVALID, "out", out=Meta((2, 3), HALF)),
        Mistake("shape of target", INVALID, "target", target=Meta((3,))),
        Mistake("shape of gradOutput", INVALID, "gradOutput", gradOutput=Meta((2, 2, 3))),
        Mistake("reduction", INVALID, "reduction", reduction=3),
    ]
    assert_order(aclnnBinaryCrossEntropyWithLogitsBackwardGetWorkspaceSize, good, mistakes)


@pytest.mark.fidelity("aclnnKlDiv, a target of 0")
def test_kl_div_of_targets_at_and_below_0(machine: Machine) -> None:
    x, t = of(1, 1, 1), of(0, -1, 1)
    np.testing.assert_array_equal(run(aclnnKlDiv, x, t, NONE, False, x.copy()), [0, nan, -1])
    found = run(aclnnKlDivTargetBackward, of(2), x, t, NONE, False, x.copy())
    np.testing.assert_array_equal(found, [nan, nan, 0])


def test_kl_div_gradients_by_hand(machine: Machine) -> None:
    """Self is stretched over two rows; other numbers of reduction mean none."""
    g, x, t = of(4), of(0, 0, 0), of(1, 2, 3, 4, 5, 6).reshape(2, 3)
    for reduction, divisor in [(NONE, 1), (MEAN, 6), (BATCH_MEAN, 2), (9, 1)]:
        found = run(aclnnKlDivBackward, g, x, t, reduction, False, x.copy())
        np.testing.assert_allclose(found, of(-20, -28, -36) / divisor, rtol=1e-6)
    assert status_of("aclnnKlDivBackward", Of((2, 2, 3)), Of((3,)), Of((2, 3)), NONE, False, Of((3,))) == INVALID
    assert status_of("aclnnKlDivTargetBackward", Of(()), Of((3,)), Of((3,)), NONE, False, Of((3,), HALF)) == INVALID
    assert status_of("aclnnKlDiv", Of((3,)), Of((3,)), 4, False, Of(())) == INVALID


def images() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two classes of weights 2 and 4, and three pixels; the second is ignored."""
    return of(1, 2, 3, 4, 5, 6).reshape(1, 2, 1, 3), np.array([0, 9, 1], np.int32).reshape(1, 1, 3), of(2, 4)


def test_nll_of_images_by_hand(machine: Machine) -> None:
    x, target, weight = images()
    one = np.full((1, 1), 7, np.float32)
    loss, whole = run(aclnnNLLLoss2d, x, target, weight, NONE, 9, np.empty((1, 1, 3), np.float32), one)
    np.testing.assert_array_equal(loss, [[[-2, 0, -24]]])
    assert np.isnan(whole)  # not written
    for reduction, wanted in [(SUM, -26), (MEAN, np.float32(-26 / 6))]:
        assert [each.item() for each in run(aclnnNLLLoss2d, x, target, weight, reduction, 9, one, one.copy())] == [
            wanted, 6,
        ]  # fmt: skip
    found = run(aclnnNLLLoss2dBackward, of(7), x, target, weight, MEAN, 9, of(2), x.copy())
    np.testing.assert_array_equal(found, of(-7, 0, 0, 0, 0, -14).reshape(x.shape))
    g = of(1, 2, 3).reshape(1, 1, 3)
    found = run(aclnnNLLLoss2dBackward, g, x, target, weight, NONE, 9, of(2), x.copy())
    np.testing.assert_array_equal(found, of(-2, 0, 0, 0, 0, -12).reshape(x.shape))


def test_what_is_left_of_no_images(machine: Machine) -> None:
    x, target = np.empty((0, 3, 2, 2), np.float32), np.empty((0, 2, 2), np.int64)
    for reduction, wanted in [(MEAN, nan), (SUM, 0)]:
        found = run(aclnnNLLLoss2d, x, target, of(1, 1, 1), reduction, -100, of(7), of(7))
        np.testing.assert_array_equal(np.concatenate(found), [wanted, 0])
    assert run(aclnnNLLLoss2dBackward, of(7), x, target, of(1, 1, 1), MEAN, -100, of(7), x.copy()).size == 0


def test_refusals_of_nll_loss_2d_come_in_order() -> None:
    good: dict[str, Any] = {
        "self": Meta((2, 3, 1, 4)), "target": Meta((2, 1, 4), LONG), "weight": Meta((3,)), "reduction": MEAN,
        "ignoreIndex": -1, "out": Meta(()), "totalWeightOut": Meta((1,)),
    }  # fmt: skip
    mistakes = [
        Mistake("self is null", NULL, "self", self=None),
        Mistake("type of self", INVALID, "self", self=Meta((2, 3, 1, 4), DOUBLE)),
        Mistake("type of weight", INVALID, "weight", weight=Meta((3,), HALF)),
        Mistake("type of out", INVALID, "out", out=Meta((), LONG)),
        Mistake("type of target", INVALID, "target", target=Meta((2, 1, 4))),
        Mistake("reduction", INVALID, "reduction", reduction=3),
        Mistake("rank of self", INVALID, "self", self=Meta((2, 3, 4))),
        Mistake("size of weight", INVALID, "weight", weight=Meta((4,))),
        Mistake("pixels of target", INVALID, "target", target=Meta((2, 1, 5), LONG)),
        Mistake("shape of out", INVALID, "out", out=Meta((2,))),
        Mistake("size of totalWeightOut", INVALID, "totalWeightOut", totalWeightOut=Meta((2,))),
    ]
    assert_order(aclnnNLLLoss2dGetWorkspaceSize, good, mistakes)


def test_odds_at_their_bounds(machine: Machine) -> None:
    x, g = of(-0.5, 0, 0.25, 0.5, 1), of(1, 1, 1, 1, 1)
    np.testing.assert_array_equal(run(aclnnLogitGrad, x, g, 0.25, x.copy()), [0, 0, np.float32(16 / 3), 4, 0])
    np.testing.assert_array_equal(run(aclnnLogitGrad, x, g, -1.0, x.copy()), [nan, inf, np.float32(16 / 3), 4, inf])
