"""BatchNormElemtBackward: values by a loop over elements, refusals in their order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.helpers.refusals import Mistake, Of, pairs, planned_with, rules

FIRST = aclnnBatchNormElemtBackwardGetWorkspaceSize
INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
PER_CHANNEL = ("mean", "invstd", "weight", "sumDy", "sumDyXmu")
STEP = {np.float32: 2.0**-20, np.float16: 2.0**-10, bfloat16: 2.0**-7}


@pytest.mark.parametrize("dtype", STEP, ids=lambda each: np.dtype(each).name)
@pytest.mark.parametrize("shape", [(2, 3), (3, 1, 4), (2, 3, 2, 2), (4, 200, 400)], ids=str)
@pytest.mark.parametrize("counter", [np.int32, np.float32], ids=lambda each: each.__name__)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weight"])
def test_values_follow_the_formula(machine: Machine, dtype: Any, shape: Any, counter: Any, weighted: bool) -> None:
    rng = np.random.default_rng(31)
    dy, x = (np.asfortranarray(rng.standard_normal(shape).astype(dtype)) for _ in range(2))
    mean, invstd, weight, sum_dy, sum_dy_xmu = (rng.uniform(0.5, 1.5, shape[1]).astype(np.float32) for _ in range(5))
    counts = np.array([[3, 4]], counter)
    given = weight if weighted else None
    found = run(aclnnBatchNormElemtBackward, dy, x, mean, invstd, given, sum_dy, sum_dy_xmu, counts, np.empty_like(x))
    for place in [*np.ndindex(*shape)][:: max(1, found.size // 50)]:
        c = place[1]
        m, s, a, b = (float(each[c]) for each in (mean, invstd, sum_dy, sum_dy_xmu))
        value = (float(dy[place]) - a / 7 - (float(x[place]) - m) * s * s * b / 7) * s
        value *= float(weight[c]) if weighted else 1
        assert abs(float(found[place]) - value) <= STEP[dtype] * (1 + abs(value))


def test_statistics_of_16_bits_are_computed_in_float(machine: Machine) -> None:
    rng = np.random.default_rng(32)
    arguments = [rng.uniform(0.5, 2, size).astype(np.float16) for size in ((2, 3), (2, 3), 3, 3, 3, 3, 3)]
    wide = [each.astype(np.float32) for each in arguments]
    counts = np.array([2], np.float16)
    narrow = run(aclnnBatchNormElemtBackward, *arguments, counts, np.empty((2, 3), np.float16))
    exact = run(aclnnBatchNormElemtBackward, *wide, counts, np.empty((2, 3), np.float32))
    np.testing.assert_array_equal(narrow, exact.astype(np.float16))


def test_an_empty_input_needs_no_work(machine: Machine) -> None:
    planned = planned_with(FIRST, GOOD | dict.fromkeys(("gradOut", "input", "gradInput"), Of((0, 3, 4))))
    assert (planned.status, planned.workspace_size) == (ACL_SUCCESS, 0)


GOOD: dict[str, Any] = {
    "gradOut": Of((2, 3, 4)), "input": Of((2, 3, 4)), **dict.fromkeys(PER_CHANNEL, Of((3,))),
    "counter": Of((2,), ACL_INT32), "gradInput": Of((2, 3, 4)),
}  # fmt: skip
BIG = ("gradOut", "input", "gradInput")
MISTAKES = [
    *(Mistake(f"{name} is null", NULL, name, **{name: None}) for name in GOOD if name != "weight"),
    *(
        Mistake(f"{name} has a type of the list", INVALID, name, **{name: Of(GOOD[name].shape, ACL_DOUBLE)})
        for name in ("gradOut", "input", "mean", "invstd", "sumDy", "sumDyXmu", "weight", "counter", "gradInput")
    ),
    *(
        Mistake(f"{name} has no private format", INVALID, name,
                **{name: Of((2, 3, 4), ACL_FLOAT, ACL_FORMAT_FRACTAL_NZ)})
        for name in BIG
    ),
    Mistake("input has 2 dimensions or more", INVALID, "input", input=Of((3,))),
    Mistake("input has at most 8 dimensions", INVALID, "input", input=Of((1,) * 9)),
    Mistake("there are channels", INVALID, "input", input=Of((2, 0, 4))),
    Mistake("gradOut has the shape of input", INVALID, "gradOut", gradOut=Of((2, 3, 5))),
    Mistake("gradInput has the shape of input", INVALID, "gradInput", gradInput=Of((2, 3, 5))),
    *(
        Mistake(f"{name} has C elements", INVALID, name, **{name: Of((4,))})
        for name in ("mean", "invstd", "sumDy", "sumDyXmu", "weight")
    ),
    Mistake("counter has at most 8 dimensions", INVALID, "counter", counter=Of((1,) * 9, ACL_INT32)),
]  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES, ids=rules)
def test_refusals(machine: Machine, mistake: Mistake) -> None:
    assert planned_with(FIRST, GOOD).status == ACL_SUCCESS
    mistake.found(FIRST, GOOD)


def test_refusals_come_in_order(machine: Machine) -> None:
    for pair in pairs(MISTAKES):
        one, other = pair.values
        one.found(FIRST, GOOD, other)


def test_products() -> None:
    with Machine(soc="Ascend310P3"):
        aclrtSetDevice(0)
        assert planned_with(FIRST, GOOD).status == ACL_SUCCESS
    with Machine(soc="Ascend910A"):
        aclrtSetDevice(0)
        Mistake("", INVALID, "mean", mean=Of((3,), ACL_BF16)).found(FIRST, GOOD)
