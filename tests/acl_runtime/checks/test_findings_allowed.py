"""machine.allow: findings that the user knows, and gave a reason for (findings, the rules: "a way to silence it with a
reason")."""

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.checks.catalogue import CHECKS
from aclnn import aclnnSoftmaxBackward, aclnnSoftmaxBackwardGetWorkspaceSize
from tests.helpers.builders import malloc, on_device, plan
from tests.helpers.creating import create_stream
from tests.helpers.machines import board
from tests.helpers.outcomes import finding_of, ok

WHY = "known, see the ticket"


def overrun(address: int) -> int:
    """Read 16 bytes of 8 on the device: `memcpy-size`."""
    return aclrtMemcpy(bytearray(16), 16, address, 16, ACL_MEMCPY_DEVICE_TO_HOST)


def ids(machine: Machine) -> list[str]:
    return [finding.id for finding in machine.findings if finding.level == "error"]


def test_what_is_allowed_is_neither_raised_nor_recorded(machine: Machine) -> None:
    """It is counted, and the call does what a device does."""
    machine.allow("uninit-read", reason=WHY)  # nobody wrote these bytes
    address = malloc(8)
    allowance = machine.allow("memcpy-size", reason=WHY)
    assert overrun(address) == overrun(address) == ACL_SUCCESS
    assert allowance.times == 2
    assert ids(machine) == []


def test_others_are_found_as_ever(machine: Machine) -> None:
    """The bad twin: an allowance is for one id."""
    machine.allow("tensor-double-destroy", reason=WHY)
    address = malloc(8)
    assert finding_of(lambda: overrun(address))[0] == "memcpy-size"
    assert ids(machine) == ["memcpy-size"]


def test_an_allowance_ends_with_its_block(machine: Machine) -> None:
    array = aclCreateIntArray([1], 1)
    aclDestroyIntArray(array)
    with machine.allow("tensor-double-destroy", reason=WHY) as allowance:
        aclDestroyIntArray(array)
    assert allowance.times == 1
    assert finding_of(lambda: aclDestroyIntArray(array))[0] == "tensor-double-destroy"
    assert allowance.times == 1


def test_a_block_in_a_block(machine: Machine) -> None:
    """The inner one counts, and the outer one holds on when it ends."""
    array = aclCreateIntArray([1], 1)
    aclDestroyIntArray(array)
    with machine.allow("tensor-double-destroy", reason="outer") as outer:
        with machine.allow("tensor-double-destroy", reason="inner") as inner:
            aclDestroyIntArray(array)
        aclDestroyIntArray(array)
    assert (outer.times, inner.times) == (1, 1)
    assert finding_of(lambda: aclDestroyIntArray(array))[0] == "tensor-double-destroy"


def test_a_block_that_an_exception_leaves(machine: Machine) -> None:
    with pytest.raises(KeyError), machine.allow("tensor-double-destroy", reason=WHY):
        raise KeyError
    assert not machine.findings.allowed


def test_warnings_and_advice_at_exit_can_be_allowed() -> None:
    """A leak that is meant: neither recorded, nor printed."""
    with Machine() as machine:
        allowances = [machine.allow(id, reason=WHY) for id in ("tensor-leaked", "init")]
        aclrtSetDevice(0)
        aclCreateIntArray([1], 1)
        aclrtResetDevice(0)
    assert machine.findings == []
    assert [allowance.times for allowance in allowances] == [1, 1]


@pytest.mark.fidelity("memory that is freed too early, where the finding is allowed")
@pytest.mark.parametrize("schedule", ["late", "eager", "threads", "random"])
@pytest.mark.parametrize("id", ["ws-freed-early", "io-freed-early"])
def test_work_runs_before_its_memory_goes_away_if_that_is_allowed(id: str, schedule: str) -> None:
    """As on a device that is fast enough. This holds for each launch of a loop."""
    with board(schedule) as machine:
        allowed = machine.allow(id, reason=WHY)
        stream = create_stream()
        results = []
        for _ in range(3):
            grad = on_device(np.eye(4, dtype=np.float32), strides=(1, 4))
            output, out = on_device(np.ones((4, 4), np.float32)), on_device(np.zeros((4, 4), np.float32))
            planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, output, 1, out)
            workspace = malloc(planned.workspace_size)
            ok(aclnnSoftmaxBackward(workspace, planned.workspace_size, planned.executor, stream))
            ok(aclrtFree(workspace if id == "ws-freed-early" else grad.address))
            results.append(out)
        ok(aclrtSynchronizeStream(stream))
        assert [each.read().tolist() for each in results] == [(np.eye(4) - 1).tolist()] * 3
        assert (allowed.times, ids(machine)) == (3, [])


def test_the_host_has_not_waited_for_work_that_ran_before_its_workspace_went_away() -> None:
    """Whatever else needs that wait is found: here the host reads the result."""
    with board(on_undefined="report") as machine:
        machine.allow("ws-freed-early", reason=WHY)
        grad = on_device(np.eye(4, dtype=np.float32), strides=(1, 4))
        output, out = on_device(np.ones((4, 4), np.float32)), on_device(np.zeros((4, 4), np.float32))
        planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, output, 1, out)
        workspace = malloc(planned.workspace_size)
        ok(aclnnSoftmaxBackward(workspace, planned.workspace_size, planned.executor, create_stream()))
        ok(aclrtFree(workspace))
        ok(aclrtMemcpy(bytearray(64), 64, out.address, 64, ACL_MEMCPY_DEVICE_TO_HOST))
        assert ids(machine) == ["read-before-sync"]


def test_each_machine_has_its_own_allowed_findings() -> None:
    one, other = Machine(), Machine()
    one.allow("init", reason=WHY)
    for machine in (one, other):
        with machine:
            aclrtSetDevice(0)
            aclrtResetDevice(0)
    assert [[finding.id for finding in machine.findings] for machine in (one, other)] == [[], ["init"]]


WRONG = {"unknown": "ws-freed-erly", "a documented status": "bad-free", "the level": "error", "all": "*"}


@pytest.mark.parametrize("id", WRONG.values(), ids=WRONG)
def test_an_unknown_id_is_refused_with_those_there_are(id: str) -> None:
    """A misspelt id is refused with a list of the known ids; a status is no finding."""
    with pytest.raises(ValueError, match="ws-freed-early"):
        Machine().allow(id, reason=WHY)


@pytest.mark.parametrize("reason", ["", " \n", None])
def test_a_reason_is_needed(reason: Any) -> None:
    with pytest.raises(ValueError, match="reason"):
        Machine().allow("init", reason=reason)


def test_every_id_can_be_allowed() -> None:
    machine = Machine()
    for check in CHECKS.values():
        if check.level != "status":
            machine.allow(check.id, reason=WHY)
            machine.undefined(check.id, "It happened.")
    assert machine.findings == []
    assert set(machine.findings.met.values()) == {1}
    assert len(machine.findings.met) > 40


def test_listed_says_whether_a_finding_would_be_recorded(machine: Machine) -> None:
    """`listed` follows the innermost block; another id stays listed."""
    assert machine.findings.listed("churn")
    with machine.allow("churn", reason=WHY):
        with machine.allow("churn", reason=WHY):
            assert not machine.findings.listed("churn")
        assert not machine.findings.listed("churn")
        assert machine.findings.listed("deadlock")
    assert machine.findings.listed("churn")
