"""Waiting for a device; resetting it by force (public)."""

from collections.abc import Callable

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc
from tests.helpers.creating import create_context, create_stream, event_of
from tests.helpers.failing_tasks import failing_task
from tests.helpers.host_threads import current_device, in_thread
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import assert_status, finding_of, ok

LEVEL = ACL_RT_THREAD_LEVEL
SYNCHRONISE: dict[str, Callable[[], int]] = {
    "aclrtSynchronizeDevice": aclrtSynchronizeDevice,
    "aclrtSynchronizeDeviceWithTimeout": lambda: aclrtSynchronizeDeviceWithTimeout(10_000),
    "aclrtSynchronizeDeviceWithTimeout-for-ever": lambda: aclrtSynchronizeDeviceWithTimeout(-1),
}


def mark(stream: aclrtStream | None) -> int:
    """Queue a task; its byte of device memory, which becomes 7 when it runs."""
    cell = malloc(1)
    ok(aclrtMemsetAsync(cell, 1, 7, 1, stream))
    return cell


def ran(machine: Machine, *cells: int) -> list[bool]:
    return [machine.read(cell, 1, "u1")[0] == 7 for cell in cells]


def every() -> pytest.MarkDecorator:
    return pytest.mark.parametrize("call", SYNCHRONISE.values(), ids=SYNCHRONISE)


# synchronising


@every()
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_all_streams_of_the_current_context(schedule: str, call: Callable[[], int]) -> None:
    """ "Waits for all streams of the thread's current context (explicit streams, then the default one)"."""
    with board(schedule) as machine:
        cells = [mark(stream) for stream in (create_stream(), None, create_stream())]
        ok(call())
        assert ran(machine, *cells) == [True] * 3


@pytest.mark.parametrize("sizes", [(4_000_000, 1_000_000), (1_000_000, 4_000_000)], ids=str)
def test_it_ends_with_the_slowest_stream(machine: Machine, sizes: tuple[int, int]) -> None:
    """A task of 4 MB takes 5 us, one of 1 MB takes 2 us, side by side (ours)."""
    for size in sizes:
        ok(aclrtMemsetAsync(malloc(size), size, 0, size, create_stream()))
    ok(aclrtSynchronizeDevice())
    assert machine.clock.now == 5


@every()
def test_explicit_streams_go_before_the_default_one(machine: Machine, call: Callable[[], int]) -> None:
    """ "Explicit streams, then the default one"."""
    for stream in (None, create_stream(), create_stream()):
        mark(stream)
    ok(call())
    assert [task.stream for task in machine.tasks] == [
        "stream 1",
        "stream 2",
        "the default stream of default context of device 0",
    ]


@every()
def test_other_contexts_of_the_device_are_left_alone(two: Machine, call: Callable[[], int]) -> None:
    """ "Not of the whole device": another context of the device, and other devices, are left alone."""
    cells: list[int] = []
    for device in (0, 1):
        ok(aclrtSetDevice(device))
        cells.append(mark(None))
    context = create_context(0)
    cells.append(mark(create_stream()))
    ok(aclrtSetDevice(0))
    ok(call())
    assert ran(two, *cells) == [True, False, False]
    ok(aclrtSetCurrentContext(context))
    ok(call())
    assert ran(two, *cells) == [True, False, True]
    ok(aclrtSetDevice(1))
    ok(call())
    assert ran(two, *cells) == [True] * 3


@every()
def test_no_context_107002(machine: Machine, call: Callable[[], int]) -> None:
    def work() -> None:
        assert_status(call(), ACL_ERROR_RT_CONTEXT_NULL, "(EE1018)", "no valid context")
        assert aclrtGetLastError(LEVEL) == ACL_ERROR_RT_CONTEXT_NULL

    in_thread(work)


@every()
def test_with_nothing_pending_it_returns_at_once(machine: Machine, call: Callable[[], int]) -> None:
    ok(call())
    assert machine.clock.now == 0


@every()
def test_failed_tasks_return_their_device_code(call: Callable[[], int]) -> None:
    """ "Asynchronous failures surface at the next synchronise" (public); each failure once. The call waits for all
    streams all the same."""
    with board(on_undefined="report") as machine:
        one, other = create_stream(), create_stream()
        failing_task(one)
        failing_task(other)
        cells = mark(one), mark(other), mark(None)
        for _ in range(2):
            assert_status(call(), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "target[1] is 3")
            assert aclrtGetLastError(LEVEL) == ACL_ERROR_RT_VECTOR_CORE_EXCEPTION
            assert ran(machine, *cells) == [True] * 3
        ok(call())


@pytest.mark.parametrize("timeout", [0, -2, -(1 << 31)], ids=["0-107000", "-2-107000", "least-107000"])
def test_timeout_out_of_range_107000(machine: Machine, timeout: int) -> None:
    """ "0 or < -1 -> 107000", of the runtime layer, and before its context check (public)."""

    def work() -> None:
        status = aclrtSynchronizeDeviceWithTimeout(timeout)
        assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "(EE1003)", "timeout", str(timeout), "-1")
        assert aclrtGetLastError(LEVEL) == ACL_ERROR_RT_PARAM_INVALID

    work()
    in_thread(work)


@pytest.mark.parametrize(
    ("tasks", "status"), [(1000, ACL_SUCCESS), (1001, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)], ids=["1-ms", "507046"]
)
def test_the_timeout_is_in_milliseconds_for_all_streams_together(machine: Machine, tasks: int, status: int) -> None:
    """ "Timeout in ms [...], expiry -> 507046": for all streams together, which run concurrently. After the timeout the
    tasks go on."""
    event = event_of(aclrtCreateEvent)
    for stream in (create_stream(), None):
        for _ in range(tasks):
            ok(aclrtRecordEvent(event, stream))
    found = aclrtSynchronizeDeviceWithTimeout(1)
    assert_status(found, status, *(("(EE1002)", "Device synchronisation timed out", "stream 1") if status else ()))
    assert aclrtGetLastError(LEVEL) == status
    assert machine.clock.now == 1000
    ok(aclrtSynchronizeDeviceWithTimeout(1))
    assert machine.clock.now == tasks


def test_work_that_cannot_be_done(machine: Machine) -> None:
    """507046 with a timeout, a deadlock without."""
    ok(aclrtStreamWaitEvent(create_stream(), event_of(aclrtCreateEventWithFlag, ACL_EVENT_SYNC)))
    cell = mark(None)
    assert_status(
        aclrtSynchronizeDeviceWithTimeout(2),
        ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
        "(EE1002)",
        "wait for event 1 in stream 1",
    )
    assert (machine.clock.now, ran(machine, cell)) == (2000, [True])
    assert finding_of(lambda: aclrtSynchronizeDeviceWithTimeout(-1))[0] == "deadlock"


# reset by force


def test_force_drops_all_references(two: Machine) -> None:
    """ "Like reset but drops all references of this process at once", those of other threads too; "second call, or
    ResetDevice afterwards -> 507007"."""
    for _ in range(3):
        ok(aclrtSetDevice(0))
    ok(in_thread(lambda: aclrtSetDevice(0)))
    ok(aclrtResetDeviceForce(0))
    assert current_device(two) == "none"
    for call in (aclrtResetDeviceForce, aclrtResetDevice):
        assert_status(call(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "(EE1018)", "device 0 is not set")
    ok(aclrtSetDevice(0))
    assert current_device(two) == "device 0"
    ok(aclrtResetDevice(0))
    assert aclrtResetDevice(0) == ACL_ERROR_RT_CONTEXT_RELEASE_ERROR


def test_force_works_after_ordinary_resets(two: Machine) -> None:
    """ "Works after ordinary resets as long as count > 0"."""
    for _ in range(3):
        ok(aclrtSetDevice(0))
    ok(aclrtResetDevice(0))
    ok(aclrtResetDeviceForce(0))
    ok(aclrtSetDevice(1))
    ok(aclrtResetDevice(1))
    assert aclrtResetDeviceForce(1) == ACL_ERROR_RT_CONTEXT_RELEASE_ERROR


REFUSALS = {
    "never-set-507007": (1, ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, ("(EE1018)", "device 1")),
    "below-0-107001": (-1, ACL_ERROR_RT_INVALID_DEVICEID, ("(EE1003)", "deviceId", "[0, 2)")),
    "too-large-107001": (2, ACL_ERROR_RT_INVALID_DEVICEID, ("(EE1003)", "deviceId", "[0, 2)")),
}


@pytest.mark.parametrize(("device", "status", "words"), REFUSALS.values(), ids=REFUSALS)
def test_force_refusals_are_not_remembered(two: Machine, device: int, status: int, words: tuple[str, ...]) -> None:
    """ "Not recorded: [...] failures of aclrtResetDeviceForce" (public). Failures of aclrtResetDevice are recorded."""
    assert_status(aclrtResetDeviceForce(device), status, *words)
    assert aclrtGetLastError(LEVEL) == ACL_SUCCESS
    assert_status(aclrtResetDevice(device), status, *words)
    assert aclrtGetLastError(LEVEL) == status


def test_force_needs_no_context_and_ends_those_of_other_threads(machine: Machine) -> None:
    """Runtime rules, 1.2 and 2.4: "other threads bound to the default context: their binding is dead: 107002"."""
    ok(in_thread(lambda: aclrtResetDeviceForce(0)))
    assert current_device(machine) == "none"
    assert aclrtSynchronizeDevice() == ACL_ERROR_RT_CONTEXT_NULL


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_force_waits_for_the_default_context(schedule: str) -> None:
    """Like reset: "at 0 waits for the default context's unfinished work [...], destroys default context, default stream
    and every stream created in it" (public); explicit contexts stay usable."""
    with board(schedule) as machine:
        context = create_context()
        kept = create_stream()
        ok(aclrtSetDevice(0))
        stream = create_stream()
        cells = mark(stream), mark(None)
        ok(aclrtResetDeviceForce(0))
        assert ran(machine, *cells) == [True, True], "memory lives, as the explicit context holds the device"
        ok(aclrtSetCurrentContext(context))
        assert_status(
            aclrtSynchronizeStream(stream),
            ACL_ERROR_RT_INVALID_HANDLE,
            "(EE1017)",
            "stream 2",
            "ended with default",
        )
        ok(aclrtSynchronizeStream(kept))
        for cell in cells:
            ok(aclrtFree(cell))
        ok(aclrtDestroyContext(context))
    assert {finding.id for finding in machine.findings.worth_telling} <= {"order-teardown", "stream-leaked"}


def test_force_empties_the_slot_of_any_device(two: Machine) -> None:
    """As aclrtResetDevice: "slot 2 is emptied, even if it points to another device's default context"."""
    ok(aclrtSetDevice(0))
    ok(aclrtSetDevice(1))
    ok(aclrtResetDeviceForce(0))
    assert current_device(two) == "none"
    ok(aclrtSetDevice(1))
    assert current_device(two) == "device 1"
