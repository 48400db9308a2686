"""The finding repeat-late: aclSetAclOpExecutorRepeatable is called too late, or in another thread.

The rule (ours): "call right after a successful phase 1, on the same thread and before any other phase 1 there:
it snapshots a thread-local list of the tensors' storages, so a late call silently binds the wrong ones".
"""

from __future__ import annotations

import threading

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.aclnn.ops.case import Case
from tests.aclnn.ops.cases import CASES, SOFTMAX, every_case
from tests.helpers.builders import malloc
from tests.helpers.host_threads import in_thread
from tests.helpers.operator_launches import Ready, assert_works, create_stream, ids, ready, synchronise


def make_repeatable(call: Ready) -> None:
    assert aclSetAclOpExecutorRepeatable(call.executor) == ACL_SUCCESS


@pytest.mark.parametrize("other", CASES, ids=str)
@every_case
def test_repeatable_after_another_first_phase_is_a_warning(machine: Machine, case: Case, other: Case) -> None:
    """The warning names the first phase that came in between. The executor is repeatable all the same."""
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
def test_repeatable_in_another_thread_names_both_threads(machine: Machine, case: Case) -> None:
    """The list belongs to the thread that planned. The text names both threads."""
    call = ready(case)
    in_thread(lambda: make_repeatable(call))
    assert ids(machine) == ["repeat-late"]
    assert f"in thread {threading.current_thread().name}" in machine.findings[0].message
    assert "in thread ThreadPoolExecutor" in machine.findings[0].message


@every_case
def test_repeatable_right_after_the_first_phase_is_no_finding(machine: Machine, case: Case) -> None:
    """The good twins: the call comes at once, or twice, or after each of two first phases, or in another thread that
    planned the executor itself."""
    for _ in range(2):
        call = ready(case)
        make_repeatable(call)
        make_repeatable(call)
        assert_works(call)

    def elsewhere() -> None:
        aclrtSetDevice(0)
        make_repeatable(ready(case))

    in_thread(elsewhere)
    assert machine.findings == []


@every_case
def test_launches_and_other_calls_in_between_do_not_matter(machine: Machine, case: Case) -> None:
    """Only a successful first phase of the same thread makes the call late. Second phases, streams and memory do not,
    nor does a first phase that failed or that another thread called."""
    other = ready(SOFTMAX)
    call = ready(case)
    assert_works(other)
    synchronise(create_stream())
    malloc(64)
    assert case.plan({case.tensors[0]: None}).status != ACL_SUCCESS

    def elsewhere() -> None:
        aclrtSetDevice(0)
        assert aclDestroyAclOpExecutor(ready(SOFTMAX).executor) == ACL_SUCCESS

    in_thread(elsewhere)
    make_repeatable(call)
    assert_works(call)
    assert machine.findings == []
