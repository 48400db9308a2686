"""Random calls, a short form of `python -m tests.benchmarks.random_calls`. Each call returns a status that its help
text lists, or raises a finding or a TypeError. The interpreter never crashes."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from tests.benchmarks.random_calls import FUNCTIONS, Outcome, run, summary

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing stops a wild address")
CALLS = 1200
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "late": {"soc": "Ascend910B1"},
    "eager": {"soc": "Ascend310P3", "device_count": 2},
    "random": {"soc": "Ascend910A", "device_count": 3},
    "threads": {"soc": "Ascend910_9391", "device_count": 2},
}


@pytest.mark.parametrize("on_undefined", ["raise", "report"])
@pytest.mark.parametrize("schedule", CONFIGURATIONS)
def test_every_call_answers(schedule: str, on_undefined: str) -> None:
    outcome = run(CALLS, 1, schedule=schedule, on_undefined=on_undefined, **CONFIGURATIONS[schedule])
    assert outcome.calls >= CALLS
    assert not outcome.defects, summary(outcome)


@pytest.mark.parametrize("schedule", CONFIGURATIONS)
def test_every_call_of_several_threads_answers(schedule: str) -> None:
    outcome = run(CALLS, 2, hosts=3, schedule=schedule, on_undefined="report", **CONFIGURATIONS[schedule])
    assert not outcome.defects, summary(outcome)


def test_the_caller_reaches_every_function() -> None:
    """Otherwise the tests above would prove little."""
    outcome = Outcome()
    run(5 * CALLS, 3, outcome=outcome)
    assert {name for name, _ in outcome.answers} == set(FUNCTIONS)
    succeeded = sum(count for (_, answer), count in outcome.answers.items() if answer == "0")
    assert succeeded > 0.3 * outcome.calls
