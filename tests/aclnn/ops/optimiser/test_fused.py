"""Optimisers of lists, and those whose numbers are tensors: attributes, lists, and what stays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A950, Meta, board
from tests.aclnn.ops.optimiser.good_calls import LISTS, SETTINGS, SGD, TWO, X
from tests.derived.good import subject
from tests.derived.launching import planned

NULL, INVALID = ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID
ADAMW, DESCENT = "aclnnFusedAdamw", "aclnnFusedSgd"
NONE = {"momentumBufferListOptionalRef": None}


def status(name: str, **changes: Any) -> int:
    this = subject(name)
    with board(this.soc.name):
        return planned(this, this.changed(changes)).status


@pytest.mark.parametrize(
    ("name", "changes"),
    [*((ADAMW, {each: -1.0}) for each in ("lr", "beta1", "beta2", "weightDecay")),
     (ADAMW, {"maxExpAvgSqsRef": None, "amsgrad": True}),
     *((DESCENT, {each: -1.0}) for each in ("lr", "weightDecay", "momentum")),
     (DESCENT, {"nesterov": True, "momentum": 0.0, **NONE}), (DESCENT, {"nesterov": True, "dampening": 0.1}),
     (DESCENT, {"nesterov": False, "momentum": 0.0}), (DESCENT, NONE)],
    ids=str,
)  # fmt: skip
def test_attributes_come_before_null_pointers(name: str, changes: dict[str, Any]) -> None:
    assert status(name, **changes) == INVALID
    assert status(name, **{**changes, "paramsRef": None}) == INVALID
    assert status(name, paramsRef=None) == NULL


WRONG: dict[str, tuple[str, int, dict[str, Any]]] = {
    "no tensors": (ADAMW, INVALID, {**dict.fromkeys(LISTS, ()), "stateSteps": ()}),
    "one gradient less": (ADAMW, INVALID, {"grads": TWO[:1]}),
    "INT32 steps": (ADAMW, INVALID, {"stateSteps": (Meta((1,), ACL_INT32),) * 2}),
    "steps of two types": (ADAMW, INVALID, {"stateSteps": (Meta((1,)), Meta((1,), ACL_INT64))}),
    "two steps for a tensor": (ADAMW, INVALID, {"stateSteps": (Meta((2,)),) * 2}),
    "a half gradient": (ADAMW, INVALID, {"grads": (Meta((2, 3), ACL_FLOAT16), Meta((4,), ACL_FLOAT16))}),
    "a shape": (ADAMW, INVALID, {"expAvgsRef": TWO[::-1]}),
    "max of another shape": (ADAMW, ACL_SUCCESS, {"maxExpAvgSqsRef": TWO[::-1], "amsgrad": False}),
    "no max": (ADAMW, ACL_SUCCESS, {"maxExpAvgSqsRef": None, "amsgrad": False}),
    "no scale": (ADAMW, ACL_SUCCESS, {"gradScaleOptional": None, "foundInfOptional": None}),
    "buffers of another length": (DESCENT, INVALID, {SGD[2]: TWO[:1]}),
    "buffers of another type": (DESCENT, INVALID, {SGD[2]: (Meta((2, 3), ACL_BF16), Meta((4,), ACL_BF16))}),
    "buffers of another shape": (DESCENT, INVALID, {SGD[2]: TWO[::-1]}),
    "an empty list is none": (DESCENT, ACL_SUCCESS, {SGD[2]: (), "momentum": 0.0, "nesterov": False}),
    "no parameters": (DESCENT, INVALID, {**dict.fromkeys(SGD, ()), "momentum": 0.0, "nesterov": False}),
}  # fmt: skip


@pytest.mark.parametrize(("name", "wanted", "changes"), WRONG.values(), ids=WRONG)
def test_lists_that_fit_and_that_do_not(name: str, wanted: int, changes: dict[str, Any]) -> None:
    assert status(name, **changes) == wanted


def adamw(*, found: float, amsgrad: bool = False) -> tuple[list[np.ndarray], list[Any]]:
    """The state before and after, of a tensor and of an empty one."""
    random = np.random.default_rng(3)
    state = [[np.abs(random.normal(size=5)).astype(np.float32), np.empty((0, 2), np.float32)] for _ in LISTS]
    steps = [np.array([4.0], np.float32)] * 2
    scale, flag = np.array([2], np.float32), np.array([found], np.float32)
    after = run(aclnnFusedAdamw, *state, steps, scale, flag, *SETTINGS.values(), amsgrad, False)
    return [each[0] for each in state], [each[0] for each in after]


def test_a_found_inf_changes_nothing(machine: Machine) -> None:
    before, after = adamw(found=1.0, amsgrad=True)
    for one, other in zip((before[0], *before[2:]), after, strict=True):
        np.testing.assert_array_equal(one, other)


def test_each_tensor_takes_the_step_of_one(machine: Machine) -> None:
    """With the gradient divided by its scale; step 4 is the fifth. Without amsgrad the largest ones stay."""
    before, after = adamw(found=0.0)
    var, grad, m, v, most = before
    one = run(
        aclnnApplyAdamWV2, var, m, v, None, grad / 2, np.array([4.0], np.float32), *SETTINGS.values(), False, False
    )
    for found, wanted in zip(after[:3], one[:3], strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
    np.testing.assert_array_equal(after[3], most)


def test_the_powers_of_apply_adam_w_are_those_of_the_step_before() -> None:
    var, m, v, grad = np.abs(np.random.default_rng(4).normal(size=(4, 5))).astype(np.float32)
    lr, beta1, beta2, decay, eps = (np.array([each], np.float32) for each in SETTINGS.values())
    with Machine(A950):
        found = run(
            aclnnApplyAdamW, var, m, v, beta1**4, beta2**4, lr, decay, beta1, beta2, eps, grad, None, False, True
        )
        one = run(aclnnApplyAdamWV2, var, m, v, None, grad, np.array([4], np.int64), *SETTINGS.values(), False, True)
    for each, wanted in zip(found, one[:3], strict=True):
        np.testing.assert_allclose(each, wanted, rtol=2e-5)


@pytest.mark.fidelity("m and v of aclnnApplyAdam")
def test_adam_updates_the_moments() -> None:
    ones, number = np.ones(3, np.float32), [np.array([each], np.float32) for each in (0.5, 0.5, 0.1, 0.75, 0.5, 0.0)]
    with Machine(A950):
        var, m, v = run(aclnnApplyAdam, ones, ones, ones, *number, 3 * ones, False, False)
    assert (m.tolist(), v.tolist()) == ([1.5] * 3, [5.0] * 3)
    np.testing.assert_allclose(var, 1 - 0.1 * np.sqrt(0.5) / 0.5 * 1.5 / np.sqrt(5), rtol=1e-6)


def test_shapes_of_the_generated_ones() -> None:
    other = Meta((3, 2))
    assert status("aclnnApplyFusedEmaAdam", sRef=other) == ACLNN_ERR_INNER_TILING_ERROR
    assert status("aclnnApplyAdam", grad=other) == INVALID
    assert status("aclnnApplyAdamW", lr=X) == INVALID
    assert status("aclnnApplyAdamW", maxGradNormOptional=None) == ACL_SUCCESS
    assert status("aclnnApplyAdamW", maxGradNormOptional=None, amsgrad=True) == NULL


def test_sgd_remembers_and_writes_its_gradients_back(machine: Machine) -> None:
    """Two steps with momentum 0.5 on gradients that are scaled by 2."""
    x, grad, buffer = (np.full(2, each, np.float32) for each in (10, 4, 99))
    scale, settings = np.array([2], np.float32), (0.0, 0.5, 1.0, 0.0, False, False)
    (x,), (written,), (buffer,) = run(aclnnFusedSgd, [x], [grad], [buffer], scale, *settings, True)
    assert (x[0], written[0], buffer[0]) == (8, 2, 2)
    (x,), _, (buffer,) = run(aclnnFusedSgd, [x], [grad], [buffer], scale, *settings, False)
    assert (x[0], buffer[0]) == (5, 3)
