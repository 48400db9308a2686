"""Finding repeat-late (findings, 10): "call right after a successful phase 1, on the same thread and before any other
phase 1 there: it snapshots a thread-local list of the tensors' storages, so a late call silently binds the wrong
ones"."""

from __future__ import annotations

import threading

import pytest

from acl_runtime import ACL_SUCCESS, Machine, aclDestroyAclOpExecutor, aclrtSetDevice, aclSetAclOpExecutorRepeatable
from tests.builders import malloc
from tests.ops.cases import CASES, SOFTMAX, Case, every_case, in_another_thread
from tests.ops.launches import Ready, assert_works, create_stream, ids, ready, synchronise


def make_repeatable(call: Ready) -> None:
    assert aclSetAclOpExecutorRepeatable(call.executor) == ACL_SUCCESS


@pytest.mark.parametrize("other", CASES, ids=str)
@every_case
def test_after_another_first_phase(machine: Machine, case: Case, other: Case) -> None:
    """A warning that tells which first phase came in between; the executor is repeatable all the same."""
    late, between = ready(case), ready(other)
    make_repeatable(late)
    assert [(finding.id, finding.level) for finding in machine.findings] == [("repeat-late", "warning")]
    text = machine.findings[0].message
    for word in (f"executor 1 of {case.name}", f"executor 2 of {other.name}", "was created at", "directly after"):
        assert word in text
    for _ in range(2):
        assert_works(late)
    assert_works(between)
    assert ids(machine) == ["repeat-late"]


@every_case
def test_in_another_thread(machine: Machine, case: Case) -> None:
    """The list is the planning thread's; the text names both threads."""
    call = ready(case)
    in_another_thread(lambda: make_repeatable(call))
    assert ids(machine) == ["repeat-late"]
    assert f"in thread {threading.current_thread().name}" in machine.findings[0].message
    assert "in thread ThreadPoolExecutor" in machine.findings[0].message


@every_case
def test_right_after_the_first_phase(machine: Machine, case: Case) -> None:
    """The good twins: at once, twice, for each of two, and in the thread that planned it."""
    for _ in range(2):
        call = ready(case)
        make_repeatable(call)
        make_repeatable(call)
        assert_works(call)

    def elsewhere() -> None:
        aclrtSetDevice(0)
        make_repeatable(ready(case))

    in_another_thread(elsewhere)
    assert machine.findings == []


@every_case
def test_launches_and_other_calls_in_between_do_not_matter(machine: Machine, case: Case) -> None:
    """The rule speaks of first phases: not of second phases, streams or memory; nor of one that failed, or of one of
    another thread."""
    other = ready(SOFTMAX)
    call = ready(case)
    assert_works(other)
    synchronise(create_stream())
    malloc(64)
    assert case.plan({case.tensors[0]: None}).status != ACL_SUCCESS

    def elsewhere() -> None:
        aclrtSetDevice(0)
        assert aclDestroyAclOpExecutor(ready(SOFTMAX).executor) == ACL_SUCCESS

    in_another_thread(elsewhere)
    make_repeatable(call)
    assert_works(call)
    assert machine.findings == []
