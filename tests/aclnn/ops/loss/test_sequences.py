"""CtcLoss and its gradient: rules that no table has, and figures by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A950, Meta
from tests.derived.values import Values
from tests.helpers.refusals import Mistake, answer, assert_order, assert_refused

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
LONG, HALF = ACL_INT64, ACL_FLOAT16
EVEN = np.full((2, 1, 2), -np.log(2), np.float32)
"""two steps of one sample, and two classes of the same probability; the blank is 0"""


def loss_of(logs: np.ndarray, labels: Any, times: list[int], lengths: list[int], *, zero: bool = False) -> Any:
    states = -(-(2 * max(lengths) + 1) // 8) * 8
    loss, alpha = np.empty(len(times), np.float32), np.empty((len(times), len(logs), states), np.float32)
    return run(aclnnCtcLoss, logs, np.array(labels), times, lengths, 0, zero, loss, alpha)


def test_a_label_by_hand(machine: Machine) -> None:
    """Of the four ways, 11, 01 and 10 have the label 1."""
    loss, alpha = loss_of(EVEN, [1], [2], [1])
    np.testing.assert_allclose(loss, [-np.log(0.75)], rtol=1e-6)
    np.testing.assert_allclose(np.exp(alpha[0, :, :3]), [[0.5, 0.5, 0], [0.25, 0.5, 0.25]], rtol=1e-6)


@pytest.mark.fidelity("states of aclnnCtcLoss that no path reaches")
def test_there_is_no_probability_behind_the_end(machine: Machine) -> None:
    alpha = loss_of(EVEN, [1], [1], [1])[1]
    assert np.isneginf(alpha[0, 1]).all()
    assert np.isneginf(alpha[0, 0, 2:]).all()


def test_two_equal_labels_need_a_blank_between(machine: Machine) -> None:
    assert loss_of(EVEN, [1, 1], [2], [2])[0] == np.inf
    assert loss_of(EVEN, [1, 1], [2], [2], zero=True)[0] == 0


@pytest.mark.fidelity("lengths of aclnnCtcLoss below 1")
@pytest.mark.parametrize(("time", "length", "wanted"), [(2, 0, np.log(4)), (0, 1, np.inf), (-1, 1, np.inf)])
def test_lengths_below_1(machine: Machine, time: int, length: int, wanted: float) -> None:
    labels = np.ones((1, 1), np.int64)
    np.testing.assert_allclose(loss_of(EVEN, labels, [time], [length])[0], [wanted], rtol=1e-6)


def gradient_of(labels: Any, times: list[int], *, zero: bool) -> Any:
    loss, alpha = loss_of(EVEN, labels, times, [len(labels)])
    one = np.ones(1, np.float32)
    return run(
        aclnnCtcLossBackward, one, EVEN, np.array(labels), times, [len(labels)], loss, alpha, 0, zero,
        np.empty_like(EVEN),
    )[:, 0]  # fmt: skip


def test_the_gradient_by_hand(machine: Machine) -> None:
    """In two of the three ways a step has the class 1."""
    np.testing.assert_allclose(gradient_of([1], [2], zero=False), [[1 / 6, -1 / 6]] * 2, rtol=1e-5)


def test_the_gradient_behind_the_end_is_0(machine: Machine) -> None:
    np.testing.assert_allclose(gradient_of([1], [1], zero=False), [[0.5, -0.5], [0, 0]], rtol=1e-5)


@pytest.mark.parametrize(("zero", "wanted"), [(False, np.nan), (True, 0)])
def test_the_gradient_of_an_infinite_loss(machine: Machine, zero: bool, wanted: float) -> None:
    np.testing.assert_array_equal(gradient_of([1, 1], [2], zero=zero), np.full((2, 2), wanted))


@pytest.mark.fidelity("a label of aclnnCtcLoss that is no class")
def test_a_label_out_of_range_is_found_where_it_counts(machine: Machine) -> None:
    loss_of(EVEN, [[1, -1]], [2], [1])  # the second one is behind the end
    with pytest.raises(UndefinedBehaviour, match=r"targets\[0, 1\] is -1, legal values are 0 to 1"):
        loss_of(EVEN, [[1, -1]], [2], [2])


GOOD: dict[str, Any] = {
    "logProbs": Meta((4, 2, 3)), "targets": Meta((2, 2), LONG), "inputLengths": Values((4, 3)),
    "targetlengths": Values((2, 1)), "blank": 2, "zeroInfinity": False, "negLogLikelihoodOut": Meta((2,)),
    "logAlphaOut": Meta((2, 4, 8)),
}  # fmt: skip


def test_refusals_come_in_order() -> None:
    mistakes = [
        *(Mistake(f"{name} is null", NULL, name, **{name: None}) for name in GOOD
          if name not in ("blank", "zeroInfinity")),
        Mistake("no time", INVALID, "logProbs", logProbs=Meta((0, 2, 3))),
        Mistake("rank", INVALID, "logProbs", logProbs=Meta((4, 2, 3, 1))),
        Mistake("blank", INVALID, "blank", blank=3),
        Mistake("too long a time", INVALID, "inputLengths", inputLengths=Values((5, 3))),
        Mistake("lengths of other samples", INVALID, "targetlengths", targetlengths=Values((2,))),
        Mistake("targets", INVALID, "targets", targets=Meta((2, 1), LONG)),
        Mistake("shape of the loss", INVALID, "negLogLikelihoodOut", negLogLikelihoodOut=Meta((2, 1))),
        Mistake("states", INVALID, "logAlphaOut", logAlphaOut=Meta((2, 4, 5))),
        Mistake("type of the loss", INVALID, "negLogLikelihoodOut", negLogLikelihoodOut=Meta((2,), HALF)),
    ]  # fmt: skip
    assert_order(aclnnCtcLossGetWorkspaceSize, GOOD, mistakes)


def test_halves_are_limited() -> None:
    """200000 classes on A2 and A3."""
    classes = {"logProbs": Meta((4, 2, 200001), HALF), "negLogLikelihoodOut": Meta((2,), HALF)}
    good = {**GOOD, **classes, "logAlphaOut": Meta((2, 4, 8), HALF)}
    assert_refused(aclnnCtcLossGetWorkspaceSize, good, Mistake("too many classes", INVALID, "logProbs"))
    newest = answer(aclnnCtcLossGetWorkspaceSize, good, {"logAlphaOut": Meta((2, 4, 5), HALF)}, A950)
    assert newest.status == ACL_SUCCESS, newest.text


def test_no_samples_need_no_work() -> None:
    none = Values(())
    found = answer(aclnnCtcLossGetWorkspaceSize, {
        **GOOD, "logProbs": Meta((4, 0, 3)), "targets": Meta((0, 2), LONG), "inputLengths": none,
        "targetlengths": none, "negLogLikelihoodOut": Meta((0,)), "logAlphaOut": Meta((0, 4, 8)),
    })  # fmt: skip
    assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0), found.text
    empty = Meta((0,))
    found = answer(aclnnCtcLossBackwardGetWorkspaceSize, {
        "gradOut": empty, "logProbs": Meta((4, 0, 3)), "targets": Meta((0, 2), LONG), "inputLengths": none,
        "targetLengths": none, "negLogLikelihood": empty, "logAlpha": Meta((0, 4, 1)), "blank": 2,
        "zeroInfinity": False, "out": Meta((4, 0, 3)),
    })  # fmt: skip
    assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0), found.text
