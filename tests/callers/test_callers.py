"""A small share of both callers of `python -m tests.callers`: no answer is strange. And the judge sees one that is."""

from __future__ import annotations

import random
import sys
from ctypes import c_float
from typing import Any, cast

import numpy as np
import pytest

import acl_runtime
from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.headers.statuses import Status
from aclnn.testing import expect_finding
from tests.aclnn.ops.case import Meta
from tests.callers import attributes, damaged, judge, named
from tests.callers.good import good_calls, names_of_operators
from tests.callers.judge import Judge, Outcome, functions, limited
from tests.callers.values import Draws, Pool
from tests.derived.values import Number
from tests.helpers.builders import plan

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing stops a wild address")
CALLS = 600
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "late": {"soc": "Ascend910B1"},
    "eager": {"soc": "Ascend310P3", "device_count": 2},
    "random": {"soc": "Ascend910A", "device_count": 3},
    "threads": {"soc": "Ascend910_9391", "device_count": 2},
}


@pytest.mark.parametrize("on_undefined", ["raise", "report"])
@pytest.mark.parametrize("schedule", CONFIGURATIONS)
def test_damaged_calls_have_no_strange_answer(schedule: str, on_undefined: str) -> None:
    outcome = damaged.run(CALLS, 1, schedule=schedule, on_undefined=on_undefined, **CONFIGURATIONS[schedule])
    assert outcome.calls >= CALLS
    assert not outcome.strange, str(outcome)


@pytest.mark.parametrize("schedule", CONFIGURATIONS)
def test_damaged_calls_of_several_threads_have_no_strange_answer(schedule: str) -> None:
    outcome = damaged.run(CALLS, 2, hosts=3, schedule=schedule, on_undefined="report", **CONFIGURATIONS[schedule])
    assert not outcome.strange, str(outcome)


def test_the_caller_of_damaged_arguments_draws_every_function() -> None:
    """Each is drawn with the same likelihood, so that a long run reaches all. And enough of the calls succeed."""
    outcome = damaged.run(3 * CALLS, 3)
    drawn = {name for name, _ in outcome.answers}
    assert len(functions()) > 2500
    assert drawn <= functions().keys()
    assert len(drawn) > 400
    succeeded = sum(count for (_, answer), count in outcome.answers.items() if answer == "0")
    assert succeeded > 0.3 * outcome.calls


def test_extreme_arguments_have_no_strange_answer() -> None:
    outcome = attributes.run(1, share=0.05, only=names_of_operators()[::100])
    assert outcome.calls > 100
    assert not outcome.strange, str(outcome)


def test_calls_by_name_have_no_strange_answer() -> None:
    outcome = named.run(1, share=0.005)
    assert outcome.calls > 300
    assert not outcome.strange, str(outcome)


EXTREME: tuple[tuple[str, dict[str, Any]], ...] = (
    ("aclnnInplaceNormal", {"selfRef": Meta((-1, 3))}),
    ("aclnnStridedSlice", {"self": Meta(((1 << 62) + 1, 4))}),
    ("aclnnArange", {"end": Number(1e308, ACL_DOUBLE), "step": Number(1e-45)}),
    ("aclnnOneHot", {"offValue": Meta((0,))}),
    ("aclnnMoeFinalizeRouting", {"bias": Meta((0, 4))}),
    ("aclnnMultinomialTensor", {"offsetTensor": Meta((0,), ACL_INT64)}),
    ("aclnnInplaceUniformTensor", {"offsetTensor": Meta((1,), ACL_HIFLOAT8)}),
    ("aclnnInplaceUniformTensor", {"offsetTensor": Meta((1,), ACL_COMPLEX128)}),
    ("aclnnDropoutGenMaskV2", {"probDataType": 99}),
    ("aclnnGroupedMatmulV3", {"groupListOptional": Meta((2,), ACL_COMPLEX128)}),
    ("aclnnWeightQuantBatchMatmulV3", {"antiquantOffsetOptional": Meta((2, 4), ACL_COMPLEX128)}),
    ("aclnnFusedAdamw", {"foundInfOptional": Meta((1,), ACL_COMPLEX128)}),
    ("aclnnFusedAdamw", {"maxExpAvgSqsRef": (Meta((0, 3)), Meta((4,)))}),
)
"""arguments that checks let pass, and that a formula or a plan could fail at"""


@pytest.mark.parametrize("mode", ["raise", "report"])
@pytest.mark.parametrize(("name", "change"), EXTREME)
def test_an_extreme_argument_has_no_strange_answer(name: str, change: dict[str, Any], mode: str) -> None:
    outcome, (good, *_) = Outcome(), good_calls(name)
    assert change.keys() <= good.values.keys()
    with limited():
        attributes.scan(good, [change], mode, outcome, None)
    assert outcome.calls > 1
    assert not outcome.strange, str(outcome)


def test_a_member_of_another_kind_is_no_live_one() -> None:
    """ "A dead handle is a finding"; so is a handle of a scalar in a list of tensors."""
    with Machine() as machine:
        aclrtSetDevice(0)
        tensors = aclCreateTensorList([aclTensor(aclCreateScalar(c_float(1), ACL_FLOAT).value)], 1)
        with expect_finding(machine, "dead-handle"):
            plan(functions()["aclnnForeachSinGetWorkspaceSize"], tensors, tensors)


STRANGE: dict[str, tuple[Any, str]] = {
    "an exception": (lambda: {}["x"], "KeyError at /test_callers.py"),
    "a warning of numpy": (lambda: np.float32(3e38) * np.float32(3e38), "RuntimeWarning at /test_callers.py"),
    "much memory": (lambda: np.empty(1 << 31, np.uint8), "MemoryError at /test_callers.py"),
    "a long time": (lambda: [each for each in range(1 << 25) if not each], "takes more than 0.1 s"),
    "an unlisted status": (lambda: Status(ACLNN_ERR_PARAM_INVALID), "which its help text does not list"),
    "no status": (lambda: None, "returned no status but NoneType"),
}


@pytest.mark.parametrize("sort", STRANGE)
def test_the_judge_sees(sort: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """So the tests above can fail."""
    does, words = STRANGE[sort]
    monkeypatch.setattr(judge, "TOO_SLOW", 0.1)

    def aclrtSetDevice(_: int) -> Any:
        return does()

    outcome = Outcome()
    with limited(), Machine() as machine:
        Judge(machine, outcome).call(aclrtSetDevice, (0,))
    assert any(each.startswith("aclrtSetDevice") and words in each for each in outcome.strange)


def test_each_kind_of_conversion_has_values_to_draw() -> None:
    declared = [
        getattr(acl_runtime, name).c for name in acl_runtime.__all__ if hasattr(getattr(acl_runtime, name), "c")
    ]
    kinds = {type(ctype) for function in declared for _, ctype in function.parameters}
    assert len(declared) > 300
    assert kinds <= Draws(cast("Pool", None), random.Random(1)).by_class.keys(), "a row in tests/callers/values.py"
