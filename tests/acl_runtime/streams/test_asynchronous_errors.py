"""Tasks that fail on the device while their stream goes on: which calls say so (public)."""

from collections.abc import Callable, Iterator
from ctypes import byref, c_int32
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from tests.helpers.creating import create_stream, event_of
from tests.helpers.failing_tasks import SURFACES, failing_task, planned_failure
from tests.helpers.host_threads import in_thread
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import assert_status, errors, ok, text
from tests.helpers.planned_operators import SOFTMAX_RESULT, launch_softmax

FAILED = ACL_ERROR_RT_VECTOR_CORE_EXCEPTION
STOP, CONTINUE = ACL_STOP_ON_FAILURE, ACL_CONTINUE_ON_FAILURE
WORDS = ("target[1] is 3", "legal values are 0 to 2")
Call = Callable[[Any], int]


@pytest.fixture(params=SCHEDULES)
def each(request: pytest.FixtureRequest) -> Iterator[Machine]:
    """A machine of each schedule that reports, device 0 set."""
    with board(request.param, on_undefined="report") as machine:
        yield machine
    assert set(errors(machine)) <= {"index-range"}


@pytest.mark.parametrize("default", [False, True], ids=["explicit-stream", "default-stream"])
@pytest.mark.parametrize("name", SURFACES)
def test_a_failure_surfaces_once_507035(each: Machine, name: str, default: bool) -> None:
    """At "the next synchronise/query of that stream", with its cause; the one after says 0."""
    stream: Any = None if default else create_stream()
    failing_task(stream)
    assert_status(SURFACES[name](stream), FAILED, *WORDS)
    assert aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) == FAILED
    assert SURFACES[name](stream) == aclrtSynchronizeStream(stream) == ACL_SUCCESS
    assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == FAILED, "success does not reset it"
    assert errors(each) == ["index-range"]


def test_an_earlier_failure_is_not_told_by_other_streams(each: Machine) -> None:
    """Continue: only the stream that failed says so, whoever waits for others."""
    failed, other = create_stream(), create_stream()
    failing_task(failed)
    out = launch_softmax(other)[2]
    ok(aclrtSynchronizeStream(other))
    ok(aclrtSynchronizeStream(None))
    assert out.read().tolist() == [SOFTMAX_RESULT] * 8
    assert aclrtSynchronizeStream(failed) == FAILED


def test_later_tasks_go_on(each: Machine) -> None:
    """Continue: what is queued behind, and what is launched afterwards, runs."""
    stream = create_stream()
    failing_task(stream)
    first = launch_softmax(stream)[2]
    assert aclrtSynchronizeStream(stream) == FAILED
    second = launch_softmax(stream)[2]
    ok(aclrtSynchronizeStream(stream))
    assert first.read().tolist() == second.read().tolist() == [SOFTMAX_RESULT] * 8


@pytest.mark.fidelity("several failures of one stream")
def test_of_several_failures_the_first_is_told(each: Machine) -> None:
    """Each has its exception callback, one synchronise returns the first failure."""
    stream = create_stream()
    failing_task(stream)
    ok(aclrtStreamWaitEventWithTimeout(stream, event_of(aclrtCreateEventWithFlag, ACL_EVENT_SYNC), 1))
    assert aclrtSynchronizeStream(stream) == FAILED
    ok(aclrtSynchronizeStream(stream))


def test_each_failed_stream_is_told(each: Machine) -> None:
    """aclrtSynchronizeDevice returns the failure of one stream at a time."""
    streams = create_stream(), create_stream()
    for stream in streams:
        failing_task(stream)
    assert [aclrtSynchronizeDevice() for _ in range(3)] == [FAILED, FAILED, ACL_SUCCESS]


def test_a_failed_query_leaves_the_status_untouched(each: Machine) -> None:
    status, stream = c_int32(-7), create_stream()
    failing_task(stream)
    answers: list[int] = []
    while not answers or answers[-1] == ACL_SUCCESS:
        status.value = -7
        answers.append(aclrtStreamQuery(stream, byref(status)))
    assert (answers[-1], status.value) == (FAILED, -7)


def test_an_event_behind_the_failure_is_recorded(each: Machine) -> None:
    """Continue: an event knows nothing of failures; the stream still tells."""
    stream, other, event, status = create_stream(), create_stream(), event_of(aclrtCreateEvent), c_int32(-1)
    failing_task(stream)
    ok(aclrtRecordEvent(event, stream))
    ok(aclrtStreamWaitEvent(other, event))
    ok(aclrtSynchronizeEvent(event))
    ok(aclrtQueryEventStatus(event, byref(status)))
    assert status.value == ACL_EVENT_RECORDED_STATUS_COMPLETE
    ok(aclrtSynchronizeStream(other))
    assert aclrtSynchronizeStream(stream) == FAILED


def test_the_thread_that_synchronises_first_gets_the_failure(each: Machine) -> None:
    """A failure belongs to the stream: who synchronises first hears of it, in that thread's text and last error."""
    stream = create_stream()
    failing_task(stream)

    def wait_for_it() -> None:
        ok(aclrtSetDevice(0))
        assert_status(aclrtSynchronizeStream(stream), FAILED, *WORDS)
        assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == FAILED

    in_thread(wait_for_it)
    ok(aclrtSynchronizeStream(stream))
    assert (text(), aclrtGetLastError(ACL_RT_THREAD_LEVEL)) == ("", ACL_SUCCESS)


@pytest.mark.fidelity("several failures of one stream")
def test_a_failed_stream_is_destroyed(each: Machine) -> None:
    """Waits and destroys, 0 (2.9): the failure that nobody asked for is in the findings."""
    stream = create_stream()
    failing_task(stream)
    ok(aclrtDestroyStream(stream))
    ok(aclrtSynchronizeDevice())
    assert errors(each) == ["index-range"]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_machine_that_raises_does_so_in_the_call_that_ran_the_task(schedule: str) -> None:
    """The finding leaves the call that made the task run, with the launch; no status besides (ours)."""
    with board(schedule) as machine:
        stream, codes = create_stream(), list[int]()
        ok(aclrtExceptionInfoCallbackRegister(lambda info: codes.append(aclrtGetErrorCodeFromExceptionInfo(info))))
        launch = planned_failure(stream)
        with pytest.raises(UndefinedBehaviour, match=r"target\[1\] is 3(.|\n)*launched at .*failing_tasks.py"):
            assert (launch(), aclrtSynchronizeStream(stream)) == 0
        ok(aclrtSynchronizeStream(stream))
        out = launch_softmax(stream)[2]
        ok(aclrtSynchronizeStream(stream))
        assert out.read().tolist() == [SOFTMAX_RESULT] * 8
        assert errors(machine) == ["index-range"]
        assert not codes
