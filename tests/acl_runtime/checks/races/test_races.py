"""Missing waits are found by the order that the calls give, whatever order the schedule happened to choose (ours)."""

from __future__ import annotations

import os
from ctypes import c_uint8

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.acl_runtime.checks.races.race_twins import TWINS, Program, Twins
from tests.helpers.builders import malloc
from tests.helpers.creating import malloc_host
from tests.helpers.outcomes import ok

EACH = pytest.mark.parametrize("twins", TWINS, ids=lambda twins: twins.name)
SEEDS = int(os.environ.get("ACLNN_SEEDS", "10"))


def found_in(program: Program, schedule: str, seed: int | None = None) -> list[str]:
    """The ids of the errors and warnings before the machine ends: what is left behind does not matter here."""
    with Machine(schedule=schedule, seed=seed, on_undefined="report", device_count=2) as machine:
        aclrtSetDevice(0)
        program()
        return [finding.id for finding in machine.findings.worth_telling]


@EACH
def test_a_missing_wait_is_found_under_every_schedule(twins: Twins) -> None:
    """Once each: "a finding that only follows from an earlier one is not reported again" (ours)."""
    schedules = ("late", "eager", "threads", "random")
    found = {schedule: set(found_in(twins.bad, schedule, 1)) for schedule in schedules}
    assert found == {schedule: set(twins.ids) for schedule in schedules}


@pytest.mark.fidelity("what counts as ordered")
@EACH
def test_the_wait_is_all_that_was_missing(twins: Twins) -> None:
    schedules = ("late", "eager", "threads")
    found = {schedule: found_in(twins.good, schedule) for schedule in schedules}
    assert found == {schedule: [] for schedule in schedules}


@pytest.mark.fidelity("reductions of several streams into one place; values that streams write and wait for")
@EACH
def test_right_programs_are_silent_under_every_seed(twins: Twins) -> None:
    assert [seed for seed in range(SEEDS) if found_in(twins.good, "random", seed)] == []


@pytest.mark.parametrize("size", [2, 63, 8192, 65536, 100_001, 1 << 20])
@pytest.mark.parametrize("where", ["first", "last", "two bytes swapped", "rows swapped"])
def test_any_change_of_a_pinned_source_is_seen(size: int, where: str) -> None:
    """A change before the wait, however small (ours)."""
    with Machine(on_undefined="report") as machine:
        aclrtSetDevice(0)
        address = malloc_host(size)
        values = np.ctypeslib.as_array((c_uint8 * size).from_address(address))
        values[:] = np.random.default_rng(size).integers(0, 256, size, np.uint8)
        ok(aclrtMemcpyAsync(malloc(size), size, address, size, ACL_MEMCPY_HOST_TO_DEVICE, None))
        half = size // 2
        match where:
            case "first" | "last":
                values[0 if where == "first" else -1] ^= 1
            case "two bytes swapped":
                values[0], values[-1] = 7, 8
                ok(aclrtSynchronizeStream(None))
                machine.findings.clear()
                ok(aclrtMemcpyAsync(malloc(size), size, address, size, ACL_MEMCPY_HOST_TO_DEVICE, None))
                values[0], values[-1] = 8, 7
            case _:
                values[: 2 * half] = np.concatenate([values[half : 2 * half], values[:half]])
        ok(aclrtSynchronizeStream(None))
        assert [finding.id for finding in machine.findings.worth_telling] == ["pinned-reuse"]
