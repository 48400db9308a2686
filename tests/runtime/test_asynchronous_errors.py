"""Tasks that fail on the device: which calls say so, in both failure modes (runtime rules, 1.6, 2.13 and 3.4)."""

from collections.abc import Callable, Iterator
from ctypes import byref, c_int32
from typing import Any

import numpy as np
import pytest

from acl_runtime import (
    ACL_CONTINUE_ON_FAILURE,
    ACL_ERROR_RT_CONTEXT_NULL,
    ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
    ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
    ACL_ERROR_RT_INVALID_HANDLE,
    ACL_ERROR_RT_STREAM_CONTEXT,
    ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
    ACL_EVENT_RECORDED_STATUS_COMPLETE,
    ACL_EVENT_SYNC,
    ACL_MEMCPY_DEVICE_TO_DEVICE,
    ACL_RT_THREAD_LEVEL,
    ACL_STOP_ON_FAILURE,
    ACL_STREAM_STATUS_COMPLETE,
    ACL_SUCCESS,
    ACLNN_ERR_RUNTIME_ERROR,
    Machine,
    UndefinedBehaviour,
    aclrtCreateEvent,
    aclrtCreateEventWithFlag,
    aclrtCreateStream,
    aclrtDestroyStream,
    aclrtExceptionInfoCallbackRegister,
    aclrtGetErrorCodeFromExceptionInfo,
    aclrtGetLastError,
    aclrtLaunchHostFunc,
    aclrtMemcpyAsync,
    aclrtMemsetAsync,
    aclrtPeekAtLastError,
    aclrtQueryEventStatus,
    aclrtRecordEvent,
    aclrtResetDevice,
    aclrtSetDevice,
    aclrtSetStreamFailureMode,
    aclrtStream,
    aclrtStreamQuery,
    aclrtStreamWaitEvent,
    aclrtStreamWaitEventWithTimeout,
    aclrtSynchronizeDevice,
    aclrtSynchronizeDeviceWithTimeout,
    aclrtSynchronizeEvent,
    aclrtSynchronizeStream,
    aclrtSynchronizeStreamWithTimeout,
)
from tests.builders import malloc
from tests.runtime.common import (
    SOFTMAX_RESULT,
    assert_status,
    create_context,
    create_stream,
    in_thread,
    launch_softmax,
    text,
)
from tests.runtime.hosts import event_of, failing_task, planned_failure
from tests.runtime.places import SCHEDULES, board, errors, ok

FAILED = ACL_ERROR_RT_VECTOR_CORE_EXCEPTION
STOP, CONTINUE = ACL_STOP_ON_FAILURE, ACL_CONTINUE_ON_FAILURE
WORDS = ("target[1] is 3", "legal are 0 to 2")
Call = Callable[[aclrtStream], int]


@pytest.fixture(params=SCHEDULES)
def each(request: pytest.FixtureRequest) -> Iterator[Machine]:
    """A machine of each schedule that reports, device 0 set."""
    with board(request.param, on_undefined="report") as machine:
        yield machine
    assert set(errors(machine)) <= {"index-range"}


@pytest.fixture
def reporting() -> Iterator[Machine]:
    with board(on_undefined="report") as machine:
        yield machine
    assert set(errors(machine)) <= {"index-range"}


def until_done(stream: aclrtStream) -> int:
    """Poll until the stream is done, or a query fails."""
    status = c_int32(-1)
    while status.value != ACL_STREAM_STATUS_COMPLETE:
        if answer := aclrtStreamQuery(stream, byref(status)):
            return answer
    return ACL_SUCCESS


SURFACES: dict[str, Call] = {
    "aclrtSynchronizeStream": aclrtSynchronizeStream,
    "aclrtSynchronizeStreamWithTimeout": lambda stream: aclrtSynchronizeStreamWithTimeout(stream, 10_000),
    "aclrtSynchronizeDevice": lambda _: aclrtSynchronizeDevice(),
    "aclrtSynchronizeDeviceWithTimeout": lambda _: aclrtSynchronizeDeviceWithTimeout(10_000),
    "aclrtStreamQuery": until_done,
}


# continue, the mode of a new stream


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


def test_of_several_failures_the_first_is_told(each: Machine) -> None:
    """Each has its exception callback, one synchronise tells of the first."""
    stream = create_stream()
    failing_task(stream)
    ok(aclrtStreamWaitEventWithTimeout(stream, event_of(aclrtCreateEventWithFlag, ACL_EVENT_SYNC), 1))
    assert aclrtSynchronizeStream(stream) == FAILED
    ok(aclrtSynchronizeStream(stream))


def test_each_failed_stream_is_told(each: Machine) -> None:
    """aclrtSynchronizeDevice tells of one failed stream at a time."""
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


def test_another_thread_is_told(each: Machine) -> None:
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


def test_a_failed_stream_is_destroyed(each: Machine) -> None:
    """Waits and destroys, 0 (2.9): the failure that nobody asked for is in the findings."""
    stream = create_stream()
    failing_task(stream)
    ok(aclrtDestroyStream(stream))
    ok(aclrtSynchronizeDevice())
    assert errors(each) == ["index-range"]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_machine_that_raises(schedule: str) -> None:
    """The finding leaves the call that made the task run, with the launch; there is no status besides (decisions, 3)."""
    with board(schedule) as machine:
        stream, told = create_stream(), list[int]()
        ok(aclrtExceptionInfoCallbackRegister(lambda info: told.append(aclrtGetErrorCodeFromExceptionInfo(info))))
        launch = planned_failure(stream)
        with pytest.raises(UndefinedBehaviour, match=r"target\[1\] is 3(.|\n)*launched at .*hosts.py"):
            assert (launch(), aclrtSynchronizeStream(stream)) == 0
        ok(aclrtSynchronizeStream(stream))
        out = launch_softmax(stream)[2]
        ok(aclrtSynchronizeStream(stream))
        assert out.read().tolist() == [SOFTMAX_RESULT] * 8
        assert errors(machine) == ["index-range"]
        assert not told


# stop


def stopped(stream: aclrtStream | None = None) -> tuple[aclrtStream, aclrtStream]:
    """Two streams of a context in stop mode; a task of the first failed, which was told."""
    one, other = create_stream(), create_stream()
    ok(aclrtSetStreamFailureMode(one, STOP))
    failing_task(one)
    assert aclrtSynchronizeStream(one) == FAILED
    return one, other


@pytest.mark.parametrize("which", ["failed", "other", "default"])
@pytest.mark.parametrize("name", SURFACES)
def test_in_stop_mode_every_stream_of_the_context_tells(each: Machine, name: str, which: str) -> None:
    """ "Or of any stream of the context if the stream's failure mode is stop", and again at each later call."""
    one, other = stopped()
    stream: Any = {"failed": one, "other": other, "default": None}[which]
    text()
    for _ in range(2):
        assert_status(SURFACES[name](stream), FAILED, *WORDS)
        assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == FAILED


def test_the_mode_of_one_stream_holds_for_a_failure_of_another(each: Machine) -> None:
    """ "Setting stop on one stream puts the whole **context** in stop mode"."""
    one, other = create_stream(), create_stream()
    ok(aclrtSetStreamFailureMode(one, STOP))
    failing_task(other)
    assert aclrtSynchronizeStream(other) == FAILED
    assert aclrtSynchronizeStream(one) == FAILED


def test_later_tasks_are_dropped(reporting: Machine) -> None:
    """ "Later tasks of its streams are dropped": those queued behind, and in the other streams."""
    one, other = create_stream(), create_stream()
    ok(aclrtSetStreamFailureMode(one, STOP))
    before = launch_softmax(one)[2]
    failing_task(one)
    outs = [launch_softmax(stream)[2] for stream in (one, other, None)]
    assert aclrtSynchronizeStream(one) == FAILED
    assert aclrtSynchronizeDevice() == FAILED
    assert before.read().tolist() == [SOFTMAX_RESULT] * 8
    for out in outs:
        assert out.read().tolist() == [0.0] * 8
    assert [task.status for task in reporting.tasks] == [ACL_SUCCESS, FAILED]


def copy(stream: aclrtStream) -> int:
    return aclrtMemcpyAsync(malloc(8), 8, malloc(8), 8, ACL_MEMCPY_DEVICE_TO_DEVICE, stream)


LAUNCHES: dict[str, Call] = {
    "aclrtMemcpyAsync": copy,
    "aclrtMemsetAsync": lambda stream: aclrtMemsetAsync(malloc(8), 8, 0, 8, stream),
    "aclrtRecordEvent": lambda stream: aclrtRecordEvent(event_of(aclrtCreateEvent), stream),
    "aclrtStreamWaitEvent": lambda stream: aclrtStreamWaitEvent(
        stream, event_of(aclrtCreateEventWithFlag, ACL_EVENT_SYNC)
    ),
    "aclrtLaunchHostFunc": lambda stream: aclrtLaunchHostFunc(stream, print, "never"),
}


@pytest.mark.parametrize("name", LAUNCHES)
def test_later_launches_return_the_failure(each: Machine, name: str) -> None:
    """ "Later calls return the failure": nothing is queued any more in any stream of the context."""
    for stream in (*stopped(), None):
        text()
        assert_status(LAUNCHES[name](stream), FAILED, *WORDS)  # type: ignore[arg-type]
    assert all(not stream.queue for stream in each.streams())


def test_a_later_operator_is_361001(each: Machine) -> None:
    """The operator library answers with its own code; text and last error carry the failure."""
    one, other = stopped()
    launches = [planned_failure(stream) for stream in (one, other, None)]
    for launch in launches:
        aclrtGetLastError(ACL_RT_THREAD_LEVEL)
        text()
        assert_status(launch(), ACLNN_ERR_RUNTIME_ERROR, *WORDS, str(FAILED))
        assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == FAILED


def test_other_contexts_go_on(each: Machine) -> None:
    """Stop mode is a matter of one context; what belongs to none of its streams works."""
    stopped()
    create_context()
    out = launch_softmax(None)[2]
    ok(aclrtSynchronizeDevice())
    assert out.read().tolist() == [SOFTMAX_RESULT] * 8
    ok(aclrtSetDevice(0))
    assert aclrtSynchronizeDevice() == FAILED


def test_what_submits_nothing_works(each: Machine) -> None:
    """Ours: memory, copies that do not wait, creation and destruction work in a stopped context, to clean up."""
    one, other = stopped()
    assert np.zeros(1) == on_the_device_and_back()
    ok(aclrtCreateStream(byref(aclrtStream())))
    ok(aclrtDestroyStream(one))
    ok(aclrtDestroyStream(other))
    ok(aclrtResetDevice(0))
    ok(aclrtSetDevice(0))
    out = launch_softmax(None)[2]
    ok(aclrtSynchronizeDevice())
    assert out.read().tolist() == [SOFTMAX_RESULT] * 8, "the default context was set up anew"


def on_the_device_and_back() -> np.ndarray:
    from tests.builders import on_device

    return on_device(np.zeros(1, np.float32)).read()


def test_each_failure_is_told_to_the_callbacks_once(reporting: Machine) -> None:
    """Dropped tasks did not fail."""
    told: list[int] = []
    ok(aclrtExceptionInfoCallbackRegister(lambda info: told.append(aclrtGetErrorCodeFromExceptionInfo(info))))
    stream = create_stream()
    ok(aclrtSetStreamFailureMode(stream, STOP))
    for _ in range(3):
        failing_task(stream)
    assert aclrtSynchronizeStream(stream) == aclrtSynchronizeDevice() == FAILED
    assert told == [FAILED]
    assert errors(reporting) == ["index-range"]


def test_other_failures_stop_as_well(each: Machine) -> None:
    """A wait that took longer than its timeout fails its task, too: 507047."""
    stream, other = create_stream(), create_stream()
    ok(aclrtSetStreamFailureMode(None, STOP))
    ok(aclrtStreamWaitEventWithTimeout(stream, event_of(aclrtCreateEventWithFlag, ACL_EVENT_SYNC), 1))
    for each_stream in (stream, other):
        assert aclrtSynchronizeStream(each_stream) == ACL_ERROR_RT_EVENT_SYNC_TIMEOUT


# aclrtSetStreamFailureMode


@pytest.mark.parametrize("mode", [STOP, 3, 0xFFFF_FFFF_FFFF_FFFF, -1])
def test_only_the_lowest_bit_counts_on(reporting: Machine, mode: int) -> None:
    stream = create_stream()
    ok(aclrtSetStreamFailureMode(stream, mode))
    ok(aclrtSetStreamFailureMode(stream, mode))  # "the mode it already has -> success"
    failing_task(None)
    assert aclrtSynchronizeStream(None) == aclrtSynchronizeStream(stream) == FAILED


@pytest.mark.parametrize("mode", [CONTINUE, 2, 0xFFFF_FFFE])
def test_only_the_lowest_bit_counts_off(reporting: Machine, mode: int) -> None:
    stream = create_stream()
    ok(aclrtSetStreamFailureMode(stream, mode))
    ok(aclrtSetStreamFailureMode(None, mode))
    failing_task(None)
    assert aclrtSynchronizeStream(None) == FAILED
    ok(aclrtSynchronizeStream(None))


@pytest.mark.parametrize("which", ["explicit", "default"])
def test_stop_back_to_continue_207000(machine: Machine, which: str) -> None:
    """EE1016; the mode stays."""
    stream = create_stream() if which == "explicit" else None
    ok(aclrtSetStreamFailureMode(stream, STOP))
    assert_status(
        aclrtSetStreamFailureMode(stream, CONTINUE), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "(EE1016)", "stop to continue"
    )
    assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT
    ok(aclrtSetStreamFailureMode(stream, STOP))


def test_refusals(machine: Machine) -> None:
    """107017 before 107002 before 107003 (1.4, 1.1)."""
    default, dead = create_stream(), create_stream()
    ok(aclrtDestroyStream(dead))
    for call in (lambda: aclrtSetStreamFailureMode(dead, STOP), lambda: in_thread(lambda: set_in_thread(dead))):
        assert call() == ACL_ERROR_RT_INVALID_HANDLE
    assert aclrtSetStreamFailureMode(event_of(aclrtCreateEvent), STOP) == ACL_ERROR_RT_INVALID_HANDLE
    for stream in (default, None):
        assert in_thread(lambda stream=stream: set_in_thread(stream)) == ACL_ERROR_RT_CONTEXT_NULL
    create_context()
    text()
    assert_status(aclrtSetStreamFailureMode(default, STOP), ACL_ERROR_RT_STREAM_CONTEXT, "(EE1010)", "stream_id=")


def set_in_thread(stream: aclrtStream | None) -> int:
    return aclrtSetStreamFailureMode(stream, STOP)
