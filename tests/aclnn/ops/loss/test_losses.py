"""Losses of elements, rows and classes: rules that no table has, and figures by hand."""

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

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
NONE, MEAN, SUM = 0, 1, 2
HALF, LONG, SHORT = ACL_FLOAT16, ACL_INT64, ACL_INT32


def of(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


@pytest.mark.parametrize(("reduction", "wanted"), [(MEAN, np.nan), (SUM, 0)], ids=["mean", "sum"])
@pytest.mark.parametrize("name", ["MseLoss", "L1Loss", "BinaryCrossEntropyWithLogits"])
def test_what_is_left_of_no_elements(machine: Machine, name: str, reduction: int, wanted: float) -> None:
    x, weights = np.empty((0, 3), np.float32), [None, None] if "Logits" in name else []
    found = run(globals()[f"aclnn{name}"], x, x.copy(), *weights, reduction, np.full((), 7, np.float32))
    np.testing.assert_array_equal(found, wanted)


def test_what_is_left_of_no_rows(machine: Machine) -> None:
    x, target = np.empty((0, 3), np.float32), np.empty(0, np.int64)
    for reduction, wanted in [(MEAN, np.nan), (SUM, 0)]:
        found = run(aclnnNLLLoss, x, target, of(1, 1, 1), reduction, -100, of(7).reshape(()), of(7))
        np.testing.assert_array_equal(found[0], wanted)
        np.testing.assert_array_equal(found[1], [0])


def test_a_reduced_loss_has_no_dimension() -> None:
    """ "shape (1) is 161002"; with logits any shape of one element will do, and others cannot be copied."""
    x = Of((2, 3))
    for name in ("MseLoss", "L1Loss"):
        assert status_of(f"aclnn{name}", x, x, MEAN, Of((1,))) == INVALID
        assert status_of(f"aclnn{name}", x, x, MEAN, Of(())) == 0
        assert status_of(f"aclnn{name}", x, x, 3, Of(())) == INVALID
        assert status_of(f"aclnn{name}", x, x, -1, Of(())) == INVALID
    name = "aclnnBinaryCrossEntropyWithLogits"
    assert status_of(name, x, x, None, None, MEAN, Of((1, 1))) == 0
    assert status_of(name, x, x, None, None, MEAN, Of((2,))) == ACLNN_ERR_INNER_NULLPTR
    assert status_of(name, x, x, Of((2, 2, 3)), None, NONE, x) == INVALID


def test_data_types_of_l1_loss() -> None:
    whole, words = Of((2,), LONG), Of((2,), SHORT)
    assert status_of("aclnnL1Loss", whole, whole, NONE, whole) == 0
    assert status_of("aclnnL1Loss", whole, whole, MEAN, Of(())) == INVALID
    assert status_of("aclnnL1Loss", whole, Of((2,)), NONE, Of((2,))) == INVALID
    assert status_of("aclnnL1Loss", Of((2,)), whole, NONE, Of((2,))) == 0
    assert status_of("aclnnL1Loss", words, words, NONE, words) == INVALID
    assert status_of("aclnnL1Loss", Of((2,)), Of((2,)), NONE, whole) == INVALID


def test_integers_of_l1_loss(machine: Machine) -> None:
    x, y = np.array([2**60, -3]), np.array([1, 4])
    assert run(aclnnL1Loss, x, y, SUM, np.empty((), np.int64)) == 2**60 + 6


def test_mse_by_hand(machine: Machine) -> None:
    x, y = of(1, 2, 5), of(0, 2, 2)
    np.testing.assert_array_equal(run(aclnnMseLoss, x, y, NONE, x.copy()), [1, 0, 9])
    assert run(aclnnMseLoss, x, of(1), SUM, np.empty((), np.float32)) == 17
    found = run(aclnnMseLossBackward, of(2), of(3), y, MEAN, x.copy())
    np.testing.assert_array_equal(found, [12, 4, 4])  # divided by the one element of self
    assert status_of("aclnnMseLossBackward", Of((2,)), Of((2,)), Of((2,), HALF), NONE, Of((2,))) == INVALID


def test_logits_far_from_0_do_not_overflow(machine: Machine) -> None:
    x, t = of(1e4, -1e4, 0), of(0, 1, 1)
    found = run(aclnnBinaryCrossEntropyWithLogits, x, t, None, of(3), NONE, x.copy())
    np.testing.assert_allclose(found, [1e4, 3e4, 3 * np.log(2)], rtol=1e-6)


def test_losses_of_half_floats_are_float_until_they_are_reduced(machine: Machine) -> None:
    x = np.full(4096, 20, np.float16)
    found = run(aclnnBinaryCrossEntropyWithLogits, x, np.zeros_like(x), None, None, SUM, np.empty((), np.float16))
    assert np.isinf(found)
    found = run(aclnnBinaryCrossEntropyWithLogits, x, np.zeros_like(x), None, None, MEAN, np.empty((), np.float16))
    assert found == 20


def test_nll_by_hand(machine: Machine) -> None:
    """Row 1 is ignored; the weights of the others are 2 and 4."""
    x, target, weight = of(1, 2, 3, 4, 5, 6).reshape(3, 2), np.array([0, 9, 1], np.int32), of(2, 4)
    out, one = np.empty(3, np.float32), np.full((), 7, np.float32)
    loss, whole = run(aclnnNLLLoss, x, target, weight, NONE, 9, out, one)
    np.testing.assert_array_equal(loss, [-2, 0, -24])
    assert np.isnan(whole)  # not written
    assert [float(each) for each in run(aclnnNLLLoss, x, target, weight, SUM, 9, one, one.copy())] == [-26, 6]
    loss, _ = run(aclnnNLLLoss, x, target, weight, MEAN, 9, one, one.copy())
    assert loss == np.float32(-26 / 6)
    g = np.array(7, np.float32)
    found = run(aclnnNLLLossBackward, g, x, target, weight, SUM, 9, g, np.empty_like(x))
    np.testing.assert_array_equal(found, [[-14, 0], [0, 0], [0, -28]])


@pytest.mark.fidelity("aclnnNLLLoss, one row that is ignored, and the mean")
def test_one_row_of_nll(machine: Machine) -> None:
    """An ignored row gives 0 and not NaN, as is known of Ascend 950."""
    x, one = of(1, 2), np.empty((), np.float32)
    loss, whole = run(aclnnNLLLoss, x, np.array(1), of(3, 5), MEAN, -100, one, one.copy())
    assert (loss, whole) == (-2, 5)
    loss, whole = run(aclnnNLLLoss, x, np.array(1), of(3, 5), MEAN, 1, one, one.copy())
    assert (loss, whole) == (0, 0)
    target = np.array([1, 0])  # "self 1-D of size N with target 1-D of size N passes"
    assert status_of("aclnnNLLLossBackward", Of(()), Of((2,)), Of((2,), LONG), Of((2,)), SUM, -1, Of(()), Of((2,))) == 0
    g = np.array(2, np.float32)
    found = run(aclnnNLLLossBackward, g, x, target[:1].reshape(()), of(3, 5), SUM, -100, g, x.copy())
    np.testing.assert_array_equal(found, [0, -10])


def test_rows_without_weight_have_no_mean(machine: Machine) -> None:
    x, one = np.ones((2, 3), np.float32), np.empty((), np.float32)
    loss, _ = run(aclnnNLLLoss, x, np.array([0, 0]), of(1, 1, 1), MEAN, 0, one, one.copy())
    assert np.isnan(loss)


def test_refusals_of_nll_loss_come_in_order() -> None:
    good: dict[str, Any] = {
        "self": Meta((3, 4)), "target": Meta((3,), LONG), "weight": Meta((4,)), "reduction": MEAN, "ignoreIndex": -1,
        "out": Meta(()), "totalWeightOut": Meta((1,)),
    }  # fmt: skip
    mistakes = [
        Mistake("self is null", NULL, "self", self=None),
        Mistake("weight is null", NULL, "weight", weight=None),
        Mistake("type of weight", INVALID, "weight", weight=Meta((4,), HALF)),
        Mistake("type of out", INVALID, "out", out=Meta((), LONG)),
        Mistake("type of target", INVALID, "target", target=Meta((3,))),
        Mistake("reduction", INVALID, "reduction", reduction=3),
        Mistake("rank of self", INVALID, "self", self=Meta((1, 3, 4))),
        Mistake("rows of target", INVALID, "target", target=Meta((2,), LONG)),
        Mistake("size of weight", INVALID, "weight", weight=Meta((3,))),
        Mistake("shape of out", INVALID, "out", out=Meta((1, 1))),
        Mistake("size of totalWeightOut", INVALID, "totalWeightOut", totalWeightOut=Meta((2,))),
    ]
    assert_order(aclnnNLLLossGetWorkspaceSize, good, mistakes)


@pytest.mark.fidelity("labels of aclnnSoftmaxCrossEntropyWithLogits")
def test_labels_have_the_shape_of_features() -> None:
    """A decision of ours: the host does not look."""
    x = Of((2, 3))
    assert status_of("aclnnSoftmaxCrossEntropyWithLogits", x, Of((2, 1)), Of((2,)), x) == INVALID
    assert status_of("aclnnSoftmaxCrossEntropyWithLogits", Of((0, 3)), x, Of((9,)), x) == 0


def test_softmax_cross_entropy_by_hand(machine: Machine) -> None:
    x, t = of(0, np.log(3)).reshape(1, 2), of(1, 0).reshape(1, 2)
    loss, backprop = run(aclnnSoftmaxCrossEntropyWithLogits, x, t, np.empty(1, np.float32), x.copy())
    np.testing.assert_allclose(loss, [np.log(4)], rtol=1e-6)
    np.testing.assert_allclose(backprop, [[-0.75, 0.75]], rtol=1e-6)
