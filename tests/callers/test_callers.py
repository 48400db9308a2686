"""A small share of both callers of `python -m tests.callers`: no answer is strange. And the judge sees one that is."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.headers.statuses import Status
from tests.callers import attributes, damaged, judge
from tests.callers.good import names_of_operators
from tests.callers.judge import Judge, Outcome, functions, limited

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
