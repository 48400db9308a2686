"""The life of executors, and of tensors under them: ended early, twice, or never (ours)."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_uint64
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from tests.aclnn.ops.case import Case, board
from tests.aclnn.ops.cases import CASES, every_case, every_composite
from tests.helpers.builders import OnDevice, Planned, on_device, plan
from tests.helpers.operator_launches import Ready, assert_works, found, ids, ready

RUNTIME = ACLNN_ERR_RUNTIME_ERROR


def plan_again(call: Ready, *, null: bool) -> int:
    """Another first phase with the variable of the first; with a null tensor it fails."""
    handles = {name: tensor.handle for name, tensor in call.tensors.items()}
    given = {**call.case.good, **handles, **({call.case.tensors[0]: None} if null else {})}
    return call.case.first(*given.values(), byref(c_uint64()), byref(call.executor))


@every_case
def test_a_variable_that_keeps_a_used_executor_as_planning_fails(machine: Machine, case: Case) -> None:
    """Finding exec-failed-phase1: "the handle is garbage"; a loop whose second planning fails launches the executor
    of its first round. The text tells both."""
    call = ready(case)
    assert_works(call)
    assert plan_again(call, null=True) == ACLNN_ERR_PARAM_NULLPTR
    with found("exec-failed-phase1", f"{case.name}GetWorkspaceSize returned", "161001", "consumed by its launch at"):
        call.launch()
    assert plan_again(call, null=False) == ACL_SUCCESS
    assert_works(call)


@every_case
def test_another_variable_whose_planning_failed_does_not_matter(machine: Machine, case: Case) -> None:
    """A used executor stays exec-reused; one that was never launched is as good as new, as "on failure *executor is
    left untouched"."""
    used, fresh = ready(case), ready(case)
    assert_works(used)
    assert case.plan({case.tensors[0]: None}).status == ACLNN_ERR_PARAM_NULLPTR
    with found("exec-reused", case.name):
        used.launch()
    assert plan_again(fresh, null=True) == ACLNN_ERR_PARAM_NULLPTR
    assert_works(fresh)


@every_case
def test_garbage_after_a_failed_first_phase(machine: Machine, case: Case) -> None:
    """A C program leaves the variable uninitialised; without a failure it is a dead handle only."""
    executor = aclOpExecutor(0x1234)
    with found("dead-handle", "0x1234"):
        case.second(None, 0, executor, None)
    case.plan({case.tensors[0]: None})
    with found("exec-failed-phase1", f"{case.name}GetWorkspaceSize returned", "161001"):
        case.second(None, 0, executor, None)


@every_case
def test_every_use_of_a_used_executor(machine: Machine, case: Case) -> None:
    call = ready(case)
    assert_works(call)
    for use, id in (
        (call.launch, "exec-reused"),
        (lambda: aclSetAclOpExecutorRepeatable(call.executor), "exec-reused"),
        (lambda: aclDestroyAclOpExecutor(call.executor), "exec-destroy-after-run"),
    ):
        with found(id, f"executor 1 of {case.name}", "was created at", "was consumed by its launch at"):
            use()


@every_case
def test_a_repeatable_executor_is_destroyed_once(machine: Machine, case: Case) -> None:
    """Launched twice and destroyed is right; then it is gone."""
    call = ready(case)
    assert aclSetAclOpExecutorRepeatable(call.executor) == ACL_SUCCESS
    assert_works(call)
    assert_works(call)
    assert aclDestroyAclOpExecutor(call.executor) == ACL_SUCCESS
    assert machine.findings == []
    with found("exec-destroy-after-run", case.name, "was destroyed at"):
        aclDestroyAclOpExecutor(call.executor)
    with found("exec-reused", case.name, "was destroyed at"):
        call.launch()


@every_composite
def test_a_null_workspace_ends_the_executor(roomy: Machine, case: Case) -> None:
    """ "Code + note that executor is gone"; what is done with it afterwards knows why."""
    call = ready(case)
    assert case.second(None, call.size, call.executor, None) == ACLNN_ERR_PARAM_NULLPTR
    with found("exec-destroy-after-run", "null workspace"):
        aclDestroyAclOpExecutor(call.executor)


@every_case
def test_the_wrong_operator_in_a_machine_that_reports(lenient: Machine, case: Case) -> None:
    """ "Names A and B"; "CRASH rows do nothing and return 361001"."""
    other = CASES[(CASES.index(case) + 1) % len(CASES)]
    call = ready(other)
    assert case.second(call.workspace, call.size, call.executor, None) == RUNTIME
    assert ids(lenient) == ["exec-wrong-op"]
    assert all(name in lenient.findings[0].message for name in (case.name, other.name))
    assert_works(call)


# left behind


@every_case
@pytest.mark.parametrize("repeatable", [False, True], ids=["planned", "repeatable"])
def test_an_executor_that_is_left_behind(case: Case, repeatable: bool) -> None:
    """Warnings at the end of the machine, which name the operator and the line of the first phase."""
    with board() as machine:
        for _ in range(2):
            call = ready(case)
            if repeatable:
                assert aclSetAclOpExecutorRepeatable(call.executor) == ACL_SUCCESS
                assert_works(call)
    left = [each for each in machine.findings if each.id in ("exec-leaked", "repeat-not-destroyed")]
    assert [each.id for each in left] == ["repeat-not-destroyed" if repeatable else "exec-leaked"]
    assert left[0].level == "warning"
    for word in (case.name, "2", "builders.py:", "aclDestroyAclOpExecutor"):
        assert word in str(left[0])


@every_case
def test_executors_that_end_properly_are_not_found(case: Case) -> None:
    """The good twins: launched, destroyed unlaunched, repeatable and destroyed."""
    with board() as machine:
        assert_works(ready(case))
        assert aclDestroyAclOpExecutor(ready(case).executor) == ACL_SUCCESS
        call = ready(case)
        assert aclSetAclOpExecutorRepeatable(call.executor) == ACL_SUCCESS
        assert_works(call)
        assert aclDestroyAclOpExecutor(call.executor) == ACL_SUCCESS
    assert not [each for each in machine.findings if each.id.startswith(("exec-", "repeat-"))]


# tensors under a repeatable executor


@every_case
def test_a_repeatable_executor_that_outlives_its_tensors(case: Case) -> None:
    """ "The user must call aclDestroyAclOpExecutor once, before destroying the tensors it was built from". Told once:
    the next call destroys it, and it is no leak."""
    for again in (True, False):
        with board() as machine:
            call = ready(case)
            assert aclSetAclOpExecutorRepeatable(call.executor) == ACL_SUCCESS
            assert_works(call)
            name = case.tensors[-1]
            assert aclDestroyTensor(call.tensors[name].handle) == ACL_SUCCESS
            with found("tensor-destroyed-early", f"executor 1 of {case.name}", "destroyed at"):
                aclDestroyAclOpExecutor(call.executor)
            if again:
                assert aclDestroyAclOpExecutor(call.executor) == ACL_SUCCESS
        assert "repeat-not-destroyed" not in ids(machine)


@every_case
def test_tensors_that_end_after_their_executor(machine: Machine, case: Case) -> None:
    """The good twin; an executor that is not repeatable and was never launched has no such rule."""
    call = ready(case)
    assert aclSetAclOpExecutorRepeatable(call.executor) == ACL_SUCCESS
    assert_works(call)
    assert aclDestroyAclOpExecutor(call.executor) == ACL_SUCCESS
    planned = ready(case)
    for tensor in (*call.tensors.values(), *planned.tensors.values()):
        assert aclDestroyTensor(tensor.handle) == ACL_SUCCESS
    assert aclDestroyAclOpExecutor(planned.executor) == ACL_SUCCESS
    assert machine.findings == []


@every_case
@pytest.mark.parametrize("repeatable", [False, True])
def test_an_executor_whose_launch_was_a_finding_is_not_reported_again(case: Case, repeatable: bool) -> None:
    """Finding exec-leaked "only follows from an earlier one" (ours); a repeatable one is destroyed by hand, so its
    launch does not matter. The good twin: a launch that is repeated with its own operator."""
    with board() as machine:
        for right in (False, True):
            call = ready(case)
            if repeatable:
                assert aclSetAclOpExecutorRepeatable(call.executor) == ACL_SUCCESS
            other = next(each for each in CASES if each is not case)
            with found("exec-wrong-op", case.name):
                other.second(call.workspace, call.size, call.executor, None)
            if right:
                assert_works(call)
    left = [finding.id for finding in machine.findings if finding.id in ("exec-leaked", "repeat-not-destroyed")]
    assert left == ["repeat-not-destroyed"] * repeatable  # both made by one line


@every_case
@pytest.mark.parametrize("wrong", ["exec-wrong-op", "exec-reused"])
def test_an_executor_that_another_one_was_taken_for(case: Case, wrong: str) -> None:
    """That nobody launched it follows from the wrong launch; one more that nobody launched does not."""
    for many in (1, 2):
        with board(on_undefined="report") as machine:
            other = ready(next(each for each in CASES if each is not case) if wrong == "exec-wrong-op" else case)
            if wrong == "exec-reused":
                assert_works(other)
            meant = [ready(case) for _ in range(many)][-1]
            assert case.second(meant.workspace, meant.size, other.executor, None) == RUNTIME
        assert [id for id in ids(machine) if id.startswith("exec-")] == [wrong, *["exec-leaked"] * (many - 1)]


@every_case
def test_an_executor_that_is_launched_after_all(case: Case) -> None:
    """The good end of it: nothing is left."""
    with board(on_undefined="report") as machine:
        used, fresh = ready(case), ready(case)
        assert_works(used)
        assert used.launch() == RUNTIME
        assert_works(fresh)
        assert fresh.launch() == RUNTIME
    assert [id for id in ids(machine) if id.startswith("exec-")] == ["exec-reused"] * 2


# launched by its form in place


VALUES = np.array([-2, 0, 3], np.float32)


def relu() -> tuple[Planned, OnDevice]:
    self, out = on_device(VALUES), on_device(np.zeros_like(VALUES))
    return plan(aclnnReluGetWorkspaceSize, self.handle, out.handle), out


def inplace_relu() -> tuple[Planned, OnDevice]:
    self = on_device(VALUES)
    return plan(aclnnInplaceReluGetWorkspaceSize, self.handle), self


@pytest.mark.fidelity("an executor launched by the form in place of its operator, or the reverse")
@pytest.mark.parametrize(
    ("planned", "second"),
    [(relu, aclnnInplaceRelu), (inplace_relu, aclnnRelu)],
    ids=["planned by Relu", "planned by InplaceRelu"],
)
def test_the_twin_runs_the_plan_with_advice(
    machine: Machine, planned: Callable[[], tuple[Planned, OnDevice]], second: Any
) -> None:
    """ "an executor launched by its in-place twin | works; advice". The executor is used up as by its own operator."""
    call, out = planned()
    assert second(None, 0, call.executor, None) == ACL_SUCCESS
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    assert np.array_equal(out.read(), np.maximum(VALUES, 0))
    assert [(finding.id, finding.level) for finding in machine.findings] == [("exec-twin", "advice")]
    for word in ("aclnnRelu", "aclnnInplaceRelu"):
        assert word in machine.findings[0].message
    with pytest.raises(UndefinedBehaviour, match="exec-reused"):
        second(None, 0, call.executor, None)


def test_a_line_is_reported_once(machine: Machine) -> None:
    for _ in range(3):
        call, _ = relu()
        assert aclnnInplaceRelu(None, 0, call.executor, None) == ACL_SUCCESS
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    assert [finding.id for finding in machine.findings] == ["exec-twin"]


def test_its_own_operator_gives_no_advice(machine: Machine) -> None:
    """The good twin."""
    call, _ = relu()
    assert aclnnRelu(None, 0, call.executor, None) == ACL_SUCCESS
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    assert machine.findings == []


@pytest.mark.parametrize("second", [aclnnInplaceAdd, aclnnSoftmax], ids=["a form in place", "another operator"])
def test_the_twin_of_another_operator_is_another_operator(machine: Machine, second: Any) -> None:
    call, _ = relu()
    with pytest.raises(UndefinedBehaviour, match="exec-wrong-op"):
        second(None, 0, call.executor, None)
