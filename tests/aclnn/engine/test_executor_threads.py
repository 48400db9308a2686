"""Finding exec-cross-thread (ours): "one executor belongs to one thread at a time; phase 1 and phase 2 may run on
different threads"."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from tests.aclnn.ops.case import Case
from tests.aclnn.ops.cases import SOFTMAX, every_case
from tests.helpers.host_threads import in_thread
from tests.helpers.operator_launches import Ready, assert_works, ids, ready, synchronise

pytestmark = pytest.mark.finds("repeat-late")


def repeatable(case: Case) -> Ready:
    call = ready(case)
    assert aclSetAclOpExecutorRepeatable(call.executor) == ACL_SUCCESS
    return call


def at_once(machine: Machine, executors: Sequence[int], calls: Sequence[Callable[[], int]]) -> list[object]:
    """The results of calls that several threads make at the same time: all of them begin while the machine serves
    none. `executors`: their handles, as often as calls use them."""
    answers: list[object] = []
    begun = threading.Barrier(len(calls) + 1)

    def work(call: Callable[[], int]) -> None:
        aclrtSetDevice(0)
        begun.wait()
        try:
            answers.append(int(call()))
        except UndefinedBehaviour as error:
            answers.append(error.finding.id)

    threads = [threading.Thread(target=work, args=(call,), name=f"user {i}") for i, call in enumerate(calls)]
    for thread in threads:
        thread.start()
    while begun.n_waiting < len(calls):  # they have set their device, for which they need the machine
        pass
    with machine.lock:
        begun.wait()
        while sum(machine.executor_calls.inside(executor) for executor in set(executors)) < len(calls):
            assert all(thread.is_alive() for thread in threads)
    for thread in threads:
        thread.join()
    return answers


def handle(call: Ready) -> int:
    return call.executor.value or 0


@every_case
def test_two_threads_launch_one_executor(machine: Machine, case: Case) -> None:
    """The second call is reported and has no effect; the text names both threads and calls."""
    call = repeatable(case)
    answers = at_once(machine, [handle(call)], [call.launch, call.launch])
    assert sorted(map(str, answers)) == [str(ACL_SUCCESS), "exec-cross-thread"]
    assert ids(machine) == ["exec-cross-thread"]
    for word in (
        "thread user 0",
        "thread user 1",
        f"executor 1 of {case.name}",
        "was created at",
        "operator_launches.py:",
    ):
        assert word in machine.findings[0].message
    synchronise()
    assert_works(call)


def changes(call: Ready) -> dict[str, Callable[[], int]]:
    """Other calls that use an executor."""
    tensor = next(iter(call.tensors.values()))
    return {
        "aclDestroyAclOpExecutor": lambda: aclDestroyAclOpExecutor(call.executor),
        "aclSetAclOpExecutorRepeatable": lambda: aclSetAclOpExecutorRepeatable(call.executor),
        "aclSetInputTensorAddr": lambda: aclSetInputTensorAddr(call.executor, 0, tensor.handle, tensor.address),
    }


@pytest.mark.parametrize("name", ["aclDestroyAclOpExecutor", "aclSetAclOpExecutorRepeatable", "aclSetInputTensorAddr"])
@every_case
def test_a_launch_while_another_thread_uses_the_executor(machine: Machine, case: Case, name: str) -> None:
    call = repeatable(case)
    answers = at_once(machine, [handle(call)], [call.launch, changes(call)[name]])
    assert "exec-cross-thread" in answers
    (message,) = [finding.message for finding in machine.findings if finding.id == "exec-cross-thread"]
    assert all(word in message for word in (name, case.name, "user 0", "user 1"))


def test_it_does_nothing_in_a_machine_that_reports(lenient: Machine) -> None:
    """ "CRASH rows do nothing and return 361001"; it is one mistake, however often they meet."""
    call = repeatable(SOFTMAX)
    answers = at_once(lenient, [handle(call)], [call.launch, call.launch, call.launch])
    assert answers.count(ACL_SUCCESS) == 1
    assert answers.count(int(ACLNN_ERR_RUNTIME_ERROR)) == 2
    assert ids(lenient) == ["exec-cross-thread"]
    synchronise()
    assert_works(call)


@every_case
def test_each_thread_with_an_executor_of_its_own(machine: Machine, case: Case) -> None:
    """The good twin: at the same time, but not the same."""
    first, second = ready(case), ready(case)
    answers = at_once(machine, [handle(first), handle(second)], [first.launch, second.launch])
    assert answers == [ACL_SUCCESS, ACL_SUCCESS]
    synchronise()
    assert machine.findings == []


@every_case
def test_an_executor_that_is_handed_over_between_calls(machine: Machine, case: Case) -> None:
    """The good twin: planned here, launched there, then here, destroyed there."""
    call = repeatable(case)

    def there() -> None:
        assert aclrtSetDevice(0) == ACL_SUCCESS
        assert_works(call)

    in_thread(there)
    assert_works(call)
    in_thread(there)
    assert in_thread(lambda: aclDestroyAclOpExecutor(call.executor)) == ACL_SUCCESS
    assert machine.executor_calls.inside(handle(call)) == 0
    assert machine.findings == []


def test_null_and_garbage_are_no_executors(lenient: Machine) -> None:
    """Two threads that pass the same garbage make two other mistakes."""
    garbage = aclOpExecutor(0x1234)
    at_once(lenient, [0x1234], [lambda: aclDestroyAclOpExecutor(garbage)] * 2)
    assert at_once(lenient, [0], [lambda: aclDestroyAclOpExecutor(None)] * 2) == [561103, 561103]
    assert ids(lenient) == ["dead-handle"] * 2
