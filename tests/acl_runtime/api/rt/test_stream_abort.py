"""Discarding queued tasks: aclrtStreamAbort, aclrtDestroyStreamForce (public)."""

from collections.abc import Callable
from ctypes import byref, c_int32

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc
from tests.helpers.creating import create_context, create_stream, event_of
from tests.helpers.host_threads import Host, in_thread
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import assert_status, ok
from tests.helpers.stream_gate import Gate

LEVEL = ACL_RT_THREAD_LEVEL
ABORTED = ACL_ERROR_RT_STREAM_ABORT


def mark(stream: aclrtStream | None) -> int:
    """Queue a task; its byte of device memory, which becomes 7 when it runs."""
    cell = malloc(1)
    ok(aclrtMemsetAsync(cell, 1, 7, 1, stream))
    return cell


def ran(machine: Machine, *cells: int) -> list[bool]:
    return [machine.read(cell, 1, "u1")[0] == 7 for cell in cells]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_abort_discards_queued_tasks(schedule: str) -> None:
    """ "Discards queued tasks", of this stream only. It is no finding, as the program asks for it (ours)."""
    with board(schedule) as machine:
        one, other = create_stream(), create_stream()
        before = mark(one)
        ok(aclrtSynchronizeStream(one))
        gate = Gate(one)
        cells = mark(one), mark(other)
        ok(aclrtStreamAbort(one))
        gate.open()
        ok(aclrtSynchronizeStream(other))
        assert_status(aclrtSynchronizeStream(one), ABORTED, "stream 1", "was aborted at", "test_stream_abort.py")
        assert ran(machine, before, *cells) == [True, False, True]
        ok(aclrtDestroyStream(one))
    assert "work-dropped" not in [finding.id for finding in machine.findings]


def query(stream: aclrtStream) -> int:
    return aclrtStreamQuery(stream, byref(c_int32()))


AFTERWARDS: dict[str, Callable[[aclrtStream], int]] = {
    "aclrtSynchronizeStream": aclrtSynchronizeStream,
    "aclrtSynchronizeStreamWithTimeout": lambda stream: aclrtSynchronizeStreamWithTimeout(stream, 1),
    "aclrtSynchronizeDevice": lambda _: aclrtSynchronizeDevice(),
    "aclrtSynchronizeDeviceWithTimeout": lambda _: aclrtSynchronizeDeviceWithTimeout(1),
    "aclrtStreamQuery": query,
    "aclrtMemsetAsync": lambda stream: aclrtMemsetAsync(malloc(1), 1, 7, 1, stream),
    "aclrtRecordEvent": lambda stream: aclrtRecordEvent(event_of(aclrtCreateEvent), stream),
    "aclrtResetEvent": lambda stream: aclrtResetEvent(event_of(aclrtCreateEvent), stream),
}


@pytest.mark.fidelity("an aborted stream")
@pytest.mark.parametrize("call", AFTERWARDS.values(), ids=AFTERWARDS)
def test_later_calls_on_an_aborted_stream_are_107023(machine: Machine, call: Callable[[aclrtStream], int]) -> None:
    """ "Later synchronise -> 107023" (public), each time; queries and new tasks are refused too (ours)."""
    stream = create_stream()
    mark(stream)
    ok(aclrtStreamAbort(stream))
    for _ in range(2):
        assert_status(call(stream), ABORTED, "(EE1018)", "stream 1", "aborted")
        assert aclrtGetLastError(LEVEL) == ABORTED


def test_abort_of_an_empty_stream_and_twice(machine: Machine) -> None:
    stream = create_stream()
    ok(aclrtStreamAbort(stream))
    ok(aclrtStreamAbort(stream))
    assert aclrtSynchronizeStream(stream) == ABORTED


@pytest.mark.parametrize("call", [aclrtDestroyStream, aclrtDestroyStreamForce], ids=lambda call: call.__name__)
def test_an_aborted_stream_can_be_destroyed(machine: Machine, call: Callable[[aclrtStream], int]) -> None:
    stream = create_stream()
    mark(stream)
    ok(aclrtStreamAbort(stream))
    ok(call(stream))
    ok(aclrtSynchronizeDevice())


def test_null_is_the_default_stream_of_the_current_context(machine: Machine) -> None:
    """Runtime rules, 3.4. The default stream of another context keeps its tasks."""
    lost = mark(None)
    context_stream = aclrtStream()
    ok(aclrtCtxGetCurrentDefaultStream(byref(context_stream)))
    create_context()
    kept = mark(None)
    ok(aclrtSetDevice(0))
    ok(aclrtStreamAbort(None))
    assert aclrtSynchronizeStream(context_stream) == ABORTED
    create_context()
    ok(aclrtSynchronizeStream(None))
    assert ran(machine, lost, kept) == [False, False]
    assert "never ran" not in str(machine.findings)


def test_null_without_a_context_107000(machine: Machine) -> None:
    """ "No context: 107000" (public). The text gives the reason."""

    def work() -> None:
        assert_status(aclrtStreamAbort(None), ACL_ERROR_RT_PARAM_INVALID, "(EE1018)", "no valid context")
        assert aclrtGetLastError(LEVEL) == ACL_ERROR_RT_PARAM_INVALID

    in_thread(work)


@pytest.mark.parametrize("soc", ["Ascend310B1", "Ascend310P3", "Ascend910A"])
def test_aborting_on_other_products_is_207000(soc: str) -> None:
    """ "207000 on 310B/310P/910"; the queued tasks stay."""
    with board(soc=soc) as machine:
        stream = create_stream()
        cell = mark(stream)
        assert_status(aclrtStreamAbort(stream), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "(EE1005)", soc)
        assert aclrtGetLastError(LEVEL) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT
        ok(aclrtSynchronizeStream(stream))
        assert ran(machine, cell) == [True]


@pytest.mark.parametrize("soc", ["Ascend910B1", "Ascend910_9391"])
def test_a2_and_a3_abort_streams(soc: str) -> None:
    with board(soc=soc):
        ok(aclrtStreamAbort(create_stream()))


EVENTS: dict[str, Callable[[aclrtEvent], int]] = {
    "aclrtSynchronizeEvent": aclrtSynchronizeEvent,
    "aclrtSynchronizeEventWithTimeout": lambda event: aclrtSynchronizeEventWithTimeout(event, 1),
    "aclrtQueryEvent": lambda event: aclrtQueryEvent(event, byref(c_int32())),
    "aclrtQueryEventStatus": lambda event: aclrtQueryEventStatus(event, byref(c_int32())),
}


@pytest.mark.fidelity("host threads and streams that wait for what an abort discarded")
@pytest.mark.parametrize("call", EVENTS.values(), ids=EVENTS)
def test_a_record_that_was_discarded_107023(machine: Machine, call: Callable[[aclrtEvent], int]) -> None:
    """Ours: a wait for the event, or a query of it, returns 107023 and does not block for ever. After a new record on
    another stream the event works again."""
    stream, event = create_stream(), event_of(aclrtCreateEvent)
    ok(aclrtRecordEvent(event, stream))
    ok(aclrtStreamAbort(stream))
    assert_status(call(event), ABORTED, "(EE1018)", "stream 1", "aborted")
    ok(aclrtRecordEvent(event, None))
    ok(call(event))


@pytest.mark.fidelity("host threads and streams that wait for what an abort discarded")
def test_a_wait_that_was_discarded_is_over(machine: Machine) -> None:
    one, other, event, status = create_stream(), create_stream(), event_of(aclrtCreateEvent), c_int32(-1)
    gate = Gate(one)
    ok(aclrtRecordEvent(event, one))
    ok(aclrtStreamWaitEvent(other, event))
    ok(aclrtStreamAbort(other))
    ok(aclrtQueryEventWaitStatus(event, byref(status)))
    assert status.value == 0
    gate.open()
    ok(aclrtSynchronizeEvent(event))


@pytest.mark.fidelity("host threads and streams that wait for what an abort discarded")
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("wait", [aclrtSynchronizeStream, aclrtSynchronizeDevice], ids=lambda call: call.__name__)
def test_a_host_thread_that_waits_hears_of_the_abort(schedule: str, wait: Callable[..., int]) -> None:
    """Ours: 107023 also when another thread aborts the stream during the synchronise."""
    with board(schedule):
        stream = create_stream()
        Gate(stream)

        def synchronise() -> int:
            ok(aclrtSetDevice(0))
            return wait(stream) if wait is aclrtSynchronizeStream else wait()

        other = Host(synchronise)
        ok(aclrtStreamAbort(stream))
        assert other.end() == ABORTED


# destroying by force


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_force_does_not_wait(schedule: str) -> None:
    """ "As destroy, but does not wait: pending tasks are dropped". A finding reports that (ours)."""
    with board(schedule) as machine:
        one, other = create_stream(), create_stream()
        gate = Gate(one)
        cells = mark(one), mark(other)
        ok(aclrtDestroyStreamForce(one))
        gate.open()
        ok(aclrtSynchronizeDevice())
        assert ran(machine, *cells) == [False, True]
        assert_status(aclrtSynchronizeStream(one), ACL_ERROR_RT_INVALID_HANDLE, "(EE1017)", "stream 1", "destroyed")
        dropped = [finding for finding in machine.findings if finding.id == "work-dropped"]
        assert len(dropped) == 1
        for word in ("1 task ", "stream 1", "aclrtDestroyStreamForce", "test_stream_abort.py"):
            assert word in dropped[0].message


def test_force_on_an_idle_stream(machine: Machine) -> None:
    stream = create_stream()
    cell = mark(stream)
    ok(aclrtSynchronizeStream(stream))
    ok(aclrtDestroyStreamForce(stream))
    assert ran(machine, cell) == [True]
    assert not machine.findings.worth_telling


def test_other_streams_go_on(machine: Machine) -> None:
    """They run as without an abort."""
    one, other, status = create_stream(), create_stream(), c_int32(-1)
    cell = mark(other)
    ok(aclrtStreamAbort(one))
    ok(aclrtStreamQuery(other, byref(status)))
    assert status.value == ACL_STREAM_STATUS_COMPLETE
    assert ran(machine, cell) == [True]


def test_a_persistent_stream_is_not_aborted_on_950() -> None:
    """ "950: a persistent stream is refused (507000, EE1006)" (public). Elsewhere it is aborted."""
    for soc, expected in (("Ascend950PR_9599", ACL_ERROR_RT_INTERNAL_ERROR), ("Ascend910B1", ACL_SUCCESS)):
        with board(soc=soc):
            stream = aclrtStream()
            ok(aclrtCreateStreamWithConfig(byref(stream), 0, ACL_STREAM_PERSISTENT))
            assert_status(aclrtStreamAbort(stream), expected, *(["(EE1006)", soc] if expected else []))
