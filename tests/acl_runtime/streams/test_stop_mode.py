"""Stop mode: after a failed task the work of the whole context ends (public)."""

from collections.abc import Callable, Iterator
from ctypes import byref, c_int32
from threading import get_ident
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc, on_device
from tests.helpers.creating import create_context, create_stream, event_of
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


@pytest.fixture
def reporting() -> Iterator[Machine]:
    with board(on_undefined="report") as machine:
        yield machine
    assert set(errors(machine)) <= {"index-range"}


def stopped() -> tuple[aclrtStream, aclrtStream]:
    """Two streams of a context in stop mode; a task of the first failed, which was returned."""
    one, other = create_stream(), create_stream()
    ok(aclrtSetStreamFailureMode(one, STOP))
    failing_task(one)
    assert aclrtSynchronizeStream(one) == FAILED
    return one, other


@pytest.mark.fidelity("stop mode after a failure")
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


@pytest.mark.parametrize("polls", [False, True], ids=["aclrtSynchronizeEvent", "aclrtQueryEventStatus"])
def test_a_dropped_record_is_no_deadlock(reporting: Machine, polls: bool) -> None:
    """ "Later calls return the failure": also those that ask for an event whose record was dropped; no finding follows
    from the first one, and an out-parameter stays as it was."""
    stream, event, status = create_stream(), event_of(aclrtCreateEvent), c_int32(-7)
    ok(aclrtSetStreamFailureMode(stream, STOP))
    failing_task(stream)
    ok(aclrtRecordEvent(event, stream))
    for _ in range(2):
        text()
        answer = aclrtQueryEventStatus(event, byref(status)) if polls else aclrtSynchronizeEvent(event)
        assert_status(answer, FAILED, *WORDS)
    assert status.value == -7
    assert errors(reporting) == ["index-range"]


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


@pytest.mark.fidelity("stop mode after a failure")
@pytest.mark.parametrize("name", LAUNCHES)
def test_later_launches_return_the_failure(each: Machine, name: str) -> None:
    """ "Later calls return the failure": nothing is queued any more in any stream of the context."""
    for stream in (*stopped(), None):
        text()
        assert_status(LAUNCHES[name](stream), FAILED, *WORDS)
    assert all(not stream.queue for stream in each.streams())


def test_later_callbacks_return_the_failure(each: Machine) -> None:
    """So do the launches of callbacks, which are not run."""
    stream = create_stream()
    ok(aclrtSubscribeReport(get_ident(), stream))
    stopped()
    for block in (ACL_CALLBACK_NO_BLOCK, ACL_CALLBACK_BLOCK):
        text()
        assert_status(aclrtLaunchCallback(print, "never", block, stream), FAILED, *WORDS)
    assert aclrtProcessReport(1) == ACL_ERROR_RT_REPORT_TIMEOUT


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


@pytest.mark.fidelity("stop mode after a failure")
def test_what_submits_nothing_works(each: Machine) -> None:
    """Ours: memory, copies that do not wait, creation and destruction work in a stopped context, to clean up."""
    one, other = stopped()
    assert on_device(np.array([3], np.float32)).read() == [3]
    ok(aclrtCreateStream(byref(aclrtStream())))
    ok(aclrtDestroyStream(one))
    ok(aclrtDestroyStream(other))
    ok(aclrtResetDevice(0))
    ok(aclrtSetDevice(0))
    out = launch_softmax(None)[2]
    ok(aclrtSynchronizeDevice())
    assert out.read().tolist() == [SOFTMAX_RESULT] * 8, "the default context was set up anew"


def test_each_failure_is_told_to_the_callbacks_once(reporting: Machine) -> None:
    """Dropped tasks did not fail."""
    codes: list[int] = []
    ok(aclrtExceptionInfoCallbackRegister(lambda info: codes.append(aclrtGetErrorCodeFromExceptionInfo(info))))
    stream = create_stream()
    ok(aclrtSetStreamFailureMode(stream, STOP))
    for _ in range(3):
        failing_task(stream)
    assert aclrtSynchronizeStream(stream) == aclrtSynchronizeDevice() == FAILED
    assert codes == [FAILED]
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


def test_dead_streams_then_no_context_then_other_contexts_are_refused(machine: Machine) -> None:
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
