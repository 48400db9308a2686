"""How long streams wait for events (public)."""

from collections.abc import Callable
from ctypes import byref, c_int32

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream, event_of
from tests.helpers.host_threads import in_thread
from tests.helpers.outcomes import assert_status, finding_of, ok

PLAIN, SYNC = aclrtCreateEventWithFlag, ACL_EVENT_SYNC


def test_a_negative_timeout_is_107000(machine: Machine) -> None:
    """ "Timeout in seconds: 0 = forever, negative -> 107000"; "not recorded: [...] the few 107000 answers it gives
    itself, such as an event timeout below its range" (public)."""
    for timeout in (-1, -(1 << 31)):
        status = aclrtStreamWaitEventWithTimeout(None, event_of(PLAIN, SYNC), timeout)
        assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "(EE1003)", "timeout", str(timeout))
        assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == ACL_SUCCESS
    assert not machine.scheduler.busy


EXPIRING: dict[str, Callable[[aclrtEvent], int]] = {
    "aclrtStreamWaitEventWithTimeout": lambda event: aclrtStreamWaitEventWithTimeout(None, event, 2),
    "aclrtStreamWaitEventWithFlag": lambda event: aclrtStreamWaitEventWithFlag(None, event, 2, 0),
    "aclrtSetOpWaitTimeout": lambda event: aclrtSetOpWaitTimeout(2) or aclrtStreamWaitEvent(None, event),
}


@pytest.mark.parametrize("wait", EXPIRING.values(), ids=EXPIRING)
def test_expiry_makes_the_stream_fail_507047(machine: Machine, wait: Callable[[aclrtEvent], int]) -> None:
    """ "Timeout in seconds [...]; expiry makes the stream fail (507xxx at synchronise)", here 507047 (ours). The wait
    begins at 5 us, behind a memset of 4 MB, and ends 2 s later."""
    size = 4_000_000
    ok(aclrtMemsetAsync(malloc(size), size, 0, size, None))
    ok(wait(event_of(PLAIN, SYNC)))
    words = ("(EZ2001)", "event 1", "nobody has recorded", "timeout of 2 s")
    assert_status(aclrtSynchronizeStream(None), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, *words)
    assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == ACL_ERROR_RT_EVENT_SYNC_TIMEOUT
    assert machine.tasks[0].end == 5
    assert 2_000_005 <= machine.clock.now <= 2_000_006, "with or without the 1 us that a task takes"
    ok(aclrtSynchronizeStream(None))


def test_a_record_at_the_last_moment_is_within_the_timeout(machine: Machine) -> None:
    """The record ends at 1,999,999 + 1 us, the last moment of a timeout of 2 s that begins at 0."""
    one, other, event = create_stream(), create_stream(), event_of(PLAIN, SYNC)
    ok(aclrtStreamWaitEventWithTimeout(one, event, 2))
    machine.clock.advance(1_999_999)
    ok(aclrtRecordEvent(event, other))
    ok(aclrtSynchronizeStream(one))
    assert [(task.stream, task.end) for task in machine.tasks] == [("stream 2", 2_000_000), ("stream 1", 2_000_001)]


@pytest.mark.parametrize("seconds", [0, 1])
def test_a_timeout_of_0_is_for_ever(machine: Machine, seconds: int) -> None:
    """ "0 = forever", in spite of aclrtSetOpWaitTimeout. The default, and aclrtSetOpWaitTimeout(0), also mean for
    ever."""
    one, event = create_stream(), event_of(PLAIN, SYNC)
    ok(aclrtSetOpWaitTimeout(seconds))
    if seconds == 0:
        ok(aclrtStreamWaitEvent(one, event))
    ok(aclrtStreamWaitEventWithTimeout(one, event, 0))
    ok(aclrtStreamWaitEventWithFlag(one, event, 0, 0))
    assert finding_of(lambda: aclrtSynchronizeStream(one))[0] == "deadlock"


def test_op_wait_timeout_is_that_of_a_device(two: Machine) -> None:
    """ "Process-wide per device": a setting of another thread applies, one of another device does not."""
    assert in_thread(lambda: aclrtSetDevice(0) or aclrtSetOpWaitTimeout(1)) == ACL_SUCCESS
    ok(aclrtSetDevice(1))
    ok(aclrtStreamWaitEvent(None, event_of(PLAIN, SYNC)))
    assert finding_of(lambda: aclrtSynchronizeStream(None))[0] == "deadlock"
    ok(aclrtSetDevice(0))
    ok(aclrtStreamWaitEvent(None, event_of(PLAIN, SYNC)))
    assert_status(aclrtSynchronizeStream(None), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "timeout of 1 s")


@pytest.mark.fidelity("aclrtSetOpWaitTimeout without a context")
def test_without_a_context_the_op_wait_timeout_is_that_of_all_devices(two: Machine) -> None:
    assert in_thread(lambda: aclrtSetOpWaitTimeout(1)) == ACL_SUCCESS
    for device in range(2):
        ok(aclrtSetDevice(device))
        ok(aclrtStreamWaitEvent(None, event_of(PLAIN, SYNC)))
        assert_status(aclrtSynchronizeStream(None), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "timeout of 1 s")


def test_the_first_of_several_timeouts_ends_first(machine: Machine) -> None:
    """A wait for one stream takes as long as its own timeout, not as that of another stream (ours)."""
    for seconds in (5, 2, 9):
        stream = create_stream()
        ok(aclrtStreamWaitEventWithTimeout(stream, event_of(PLAIN, SYNC), seconds))
        if seconds == 2:
            short = stream
    assert_status(aclrtSynchronizeStream(short), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "timeout of 2 s")
    assert 2_000_000 <= machine.clock.now <= 2_000_001


def test_a_record_behind_a_shorter_timeout_is_in_time(machine: Machine) -> None:
    """One stream waits 5 s for a record of another one, which is held up for 2 s."""
    one, other, event = create_stream(), create_stream(), event_of(PLAIN, SYNC)
    ok(aclrtStreamWaitEventWithTimeout(one, event, 5))
    ok(aclrtStreamWaitEventWithTimeout(other, event_of(PLAIN, SYNC), 2))
    ok(aclrtRecordEvent(event, other))
    ok(aclrtSynchronizeStream(one))
    assert aclrtSynchronizeStream(other) == ACL_ERROR_RT_EVENT_SYNC_TIMEOUT


def test_polling_ends_a_timeout_when_it_is_over(machine: Machine) -> None:
    """Each query takes a simulated millisecond while a task waits with a timeout (ours): a timeout of 1 s ends with
    the thousandth query, which reports it."""
    status = c_int32()
    ok(aclrtStreamWaitEventWithTimeout(None, event_of(PLAIN, SYNC), 1))
    for _ in range(999):
        ok(aclrtStreamQuery(None, byref(status)))
        assert status.value == ACL_STREAM_STATUS_NOT_READY
    assert aclrtStreamQuery(None, byref(status)) == ACL_ERROR_RT_EVENT_SYNC_TIMEOUT


def test_asking_others_does_not_end_the_timeout(machine: Machine) -> None:
    """ "A timeout expires when the work it waits for needs more simulated time, or cannot finish" (ours): not when the
    program queries a stream or an event that has no work."""
    one, other, event, status = create_stream(), create_stream(), event_of(PLAIN, SYNC), c_int32(-1)
    ok(aclrtStreamWaitEventWithTimeout(one, event, 3))
    ok(aclrtStreamQuery(other, byref(status)))
    assert status.value == ACL_STREAM_STATUS_COMPLETE
    ok(aclrtQueryEventWaitStatus(event_of(aclrtCreateEvent), byref(status)))
    ok(aclrtRecordEvent(event, other))
    ok(aclrtSynchronizeStream(one))
