"""ApplyAdamWV2: values by a loop in float64, refusals in their order, aliases and types."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.helpers.refusals import Mistake, Of, pairs, planned_with, rules

FIRST = aclnnApplyAdamWV2GetWorkspaceSize
INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
STATE = ("varRef", "mRef", "vRef", "maxGradNormOptionalRef", "grad")
SETTINGS = {"lr": 0.01, "beta1": 0.9, "beta2": 0.99, "weightDecay": 0.1, "eps": 1e-6}
TYPES = {
    "FLOAT": [np.float32] * 5, "FLOAT16": [np.float16] * 5, "BFLOAT16": [bfloat16] * 5,
    "FLOAT with BFLOAT16 gradients": [np.float32, np.float32, np.float32, bfloat16, bfloat16],
    "a mixture": [np.float16, np.float32, bfloat16, np.float16, np.float32],
}  # fmt: skip
STEP = {np.float32: 2.0**-21, np.float16: 2.0**-10, bfloat16: 2.0**-7}


def step_of(
    var: float, m: float, v: float, most: float, g: float, t: int, *, amsgrad: bool, maximize: bool
) -> list[float]:  # fmt: skip
    """The document's formula, of one element."""
    lr, beta1, beta2, decay, eps = (float(np.float32(each)) for each in SETTINGS.values())
    g = -g if maximize else g
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    most = max(most, v)
    corrected = (most if amsgrad else v) / (1 - beta2**t)
    var = var - lr * decay * var - lr * (m / (1 - beta1**t)) / (sqrt(corrected) + eps)
    return [var, m, v, most]


@pytest.mark.parametrize("types", TYPES.values(), ids=TYPES)
@pytest.mark.parametrize("amsgrad", [False, True], ids=["", "amsgrad"])
@pytest.mark.parametrize("maximize", [False, True], ids=["", "maximize"])
@pytest.mark.parametrize("shape", [(7,), (3, 4), (512, 600)], ids=str)
def test_values_follow_the_formula(
    machine: Machine, types: list[Any], amsgrad: bool, maximize: bool, shape: tuple[int, ...]
) -> None:  # fmt: skip
    rng = np.random.default_rng(41)
    given = [np.asfortranarray(rng.standard_normal(shape).astype(dtype)) for dtype in types]
    given[2], given[3] = np.abs(given[2]), np.abs(given[3])
    t = np.array([[2]], np.int64 if amsgrad else np.float32)
    arguments = [given[0], given[1], given[2], given[3] if amsgrad else None, given[4], t]
    found = run(aclnnApplyAdamWV2, *arguments, *SETTINGS.values(), amsgrad, maximize)
    for place in [*np.ndindex(*shape)][:: max(1, given[0].size // 40)]:
        before = [float(each[place]) for each in given]
        wanted = step_of(*before, 3, amsgrad=amsgrad, maximize=maximize)
        for result, value, dtype in zip(found, wanted, types[:4], strict=True):
            if result is not None:
                assert result.dtype == dtype
                assert abs(float(result[place]) - value) <= STEP[dtype] * (abs(value) + 0.1)


def test_training_approaches_the_minimum(machine: Machine) -> None:
    """Three hundred steps on (x - 3)^2, with step - 1 as frameworks pass it."""
    x, m, v = np.zeros(1, np.float32), np.zeros(1, np.float32), np.zeros(1, np.float32)
    for t in range(300):
        grad = 2 * (x - 3)
        settings = (0.1, 0.9, 0.99, 0.0, 1e-8, False, False)
        x, m, v, _ = run(aclnnApplyAdamWV2, x, m, v, None, grad, np.array(t, np.int64), *settings)
    assert abs(x[0] - 3) < 1e-2


def test_max_grad_norm_stays_without_amsgrad(machine: Machine) -> None:
    x = np.full(3, 0.5, np.float32)
    found = run(aclnnApplyAdamWV2, x, x, x, x * 0.25, x, np.array([1], np.int64), *SETTINGS.values(), False, False)
    np.testing.assert_array_equal(found[3], x * 0.25)
    found = run(aclnnApplyAdamWV2, x, x, x, x * 0.25, x, np.array([1], np.int64), *SETTINGS.values(), True, False)
    np.testing.assert_array_equal(found[3], found[2])


@pytest.mark.parametrize("t", [-1, -2], ids=["step 0", "step -1"])
def test_steps_before_the_first_divide_by_zero_as_a_device_does(machine: Machine, t: int) -> None:
    """Neither is an error: the result is no finite number."""
    x = np.full(2, 0.5, np.float32)
    var, m, v, _ = run(aclnnApplyAdamWV2, x, x, x, None, x, np.array([t], np.int64), *SETTINGS.values(), False, False)
    assert not np.isfinite(var).any()
    assert np.isfinite(m).all()
    assert np.isfinite(v).all()


def test_an_empty_var_needs_no_work(machine: Machine) -> None:
    planned = planned_with(FIRST, GOOD | dict.fromkeys(STATE, Of((0, 3))))
    assert (planned.status, planned.workspace_size) == (ACL_SUCCESS, 0)


GOOD: dict[str, Any] = {
    **dict.fromkeys(STATE, Of((2, 3))), "step": Of((1,), ACL_INT64), **SETTINGS, "amsgrad": True, "maximize": False,
}  # fmt: skip
MISTAKES = [
    *(Mistake(f"{name} is null", NULL, name, **{name: None}) for name in (*STATE, "step")),
    *(Mistake(f"{name} has a type of the list", INVALID, name, **{name: Of((2, 3), ACL_DOUBLE)}) for name in STATE),
    Mistake("step is FLOAT or INT64", INVALID, "step", step=Of((1,), ACL_INT32)),
    *(Mistake(f"{name} has the shape of varRef", INVALID, name, **{name: Of((3, 2))}) for name in STATE[1:]),
    Mistake("step has one element", INVALID, "step", step=Of((2,), ACL_INT64)),
]


@pytest.mark.parametrize("mistake", MISTAKES, ids=rules)
def test_refusals(machine: Machine, mistake: Mistake) -> None:
    assert planned_with(FIRST, GOOD).status == ACL_SUCCESS
    mistake.found(FIRST, GOOD)


def test_refusals_come_in_order(machine: Machine) -> None:
    for pair in pairs(MISTAKES):
        one, other = pair.values
        one.found(FIRST, GOOD, other)


def test_max_grad_norm_may_be_null_without_amsgrad(machine: Machine) -> None:
    assert planned_with(FIRST, GOOD | {"maxGradNormOptionalRef": None, "amsgrad": False}).status == ACL_SUCCESS


@pytest.mark.parametrize("soc", ["Ascend310P3", "Ascend910A"])
def test_it_computes_on_products_that_no_document_lists(soc: str) -> None:
    with Machine(soc=soc):
        aclrtSetDevice(0)
        assert planned_with(FIRST, GOOD).status == ACL_SUCCESS
