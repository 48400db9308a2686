"""Missing waits are found by the order that the calls give, whatever order the schedule happened to choose
(findings, 1 to 6)."""

from __future__ import annotations

import os

import pytest

from acl_runtime import Machine, aclrtSetDevice
from tests.runtime.races import TWINS, Program, Twins

EACH = pytest.mark.parametrize("twins", TWINS, ids=lambda twins: twins.name)
SEEDS = int(os.environ.get("ACLNN_SEEDS", "20"))


def found_in(program: Program, schedule: str, seed: int | None = None) -> list[str]:
    """The ids of the errors and warnings before the machine ends: what is left behind does not matter here."""
    with Machine(schedule=schedule, seed=seed, on_undefined="report", device_count=2) as machine:
        aclrtSetDevice(0)
        program()
        return [finding.id for finding in machine.findings.worth_telling]


@EACH
@pytest.mark.parametrize("schedule", ["late", "eager", "threads", "random"])
def test_a_missing_wait_is_found_under_every_schedule(twins: Twins, schedule: str) -> None:
    """Once each: "a finding that only follows from an earlier one is not reported again" (decisions, 3)."""
    assert set(found_in(twins.bad, schedule, 1)) == set(twins.ids)


@EACH
@pytest.mark.parametrize("schedule", ["late", "eager", "threads"])
def test_the_wait_is_all_that_was_missing(twins: Twins, schedule: str) -> None:
    assert found_in(twins.good, schedule) == []


@EACH
def test_right_programs_are_silent_under_every_seed(twins: Twins) -> None:
    assert [seed for seed in range(SEEDS) if found_in(twins.good, "random", seed)] == []
