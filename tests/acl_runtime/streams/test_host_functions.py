"""Host functions: code of the host as a task of a stream (public)."""

import threading
from collections.abc import Callable, Iterator
from ctypes import CFUNCTYPE, byref, c_int32, c_void_p
from threading import get_ident
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from tests.helpers.builders import malloc
from tests.helpers.creating import create_context, create_stream, event_of, pinned
from tests.helpers.host_threads import Host, at_once, current_context, in_thread, wait
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import assert_status, errors, finding_of, ok
from tests.helpers.patience import PATIENCE

HANDLE, RANGE = ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_PARAM_INVALID
FOREIGN, SUBSCRIBED = ACL_ERROR_RT_STREAM_CONTEXT, ACL_ERROR_RT_STREAM_SUBSCRIBE


@pytest.fixture(params=SCHEDULES)
def each(request: pytest.FixtureRequest) -> Iterator[Machine]:
    """A machine of each schedule, device 0 set."""
    with board(request.param) as machine:
        yield machine
    assert not errors(machine)


# refusals


def streams_of_every_state() -> dict[str, Any]:
    default = current_context()
    other = create_context()
    foreign = create_stream()
    ok(aclrtSetCurrentContext(default))
    plain, subscribed, dead = (create_stream() for _ in range(3))
    ok(aclrtSubscribeReport(get_ident(), subscribed))
    ok(aclrtDestroyStream(dead))
    streams = {"plain": plain, "subscribed": subscribed, "dead": dead, "foreign": foreign, "null": None}
    return streams | {"event": event_of(aclrtCreateEvent), "context": other}


REFUSALS = [
    pytest.param("plain", None, RANGE, ("(EE1011)", "fn", "null"), id="null-function-107000"),
    pytest.param("null", None, RANGE, ("(EE1011)", "fn"), id="null-function-default-stream-107000"),
    pytest.param("dead", print, HANDLE, ("(EE1017)", "stream", "destroyed"), id="dead-stream-107017"),
    pytest.param("event", print, HANDLE, ("(EE1017)", "it is event 1"), id="event-107017"),
    pytest.param("context", print, HANDLE, ("(EE1017)", "it is context 1"), id="context-107017"),
    pytest.param("foreign", print, FOREIGN, ("(EE1010)", "stream_id="), id="other-context-107003"),
    pytest.param("subscribed", print, SUBSCRIBED, ("(EE1016)", "aclrtSubscribeReport"), id="subscribed-107011"),
    pytest.param("dead", None, HANDLE, ("destroyed",), id="order-handle-then-function-107017"),
    pytest.param("foreign", None, RANGE, ("fn",), id="order-function-then-other-context-107000"),
    pytest.param("subscribed", None, RANGE, ("fn",), id="order-function-then-subscribed-107000"),
]


@pytest.mark.parametrize(("which", "fn", "status", "words"), REFUSALS)
def test_a_refused_host_function_is_not_queued(
    machine: Machine, which: str, fn: Any, status: int, words: tuple[str, ...]
) -> None:
    """The status, a text that helps, the last error, nothing queued."""
    streams = streams_of_every_state()
    assert_status(aclrtLaunchHostFunc(streams[which], fn, None), status, *words)
    assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == status
    assert all(not stream.queue for stream in machine.streams())


@pytest.mark.parametrize(("which", "fn", "status", "words"), [
    pytest.param("plain", print, ACL_ERROR_RT_CONTEXT_NULL, ("(EE1018)", "no valid context"), id="stream-107002"),
    pytest.param("null", print, ACL_ERROR_RT_CONTEXT_NULL, ("(EE1018)",), id="default-stream-107002"),
    pytest.param("subscribed", print, ACL_ERROR_RT_CONTEXT_NULL, (), id="order-context-then-subscribed-107002"),
    pytest.param("dead", print, HANDLE, ("destroyed",), id="order-handle-then-context-107017"),
    pytest.param("plain", None, RANGE, ("fn",), id="order-function-then-context-107000"),
    pytest.param("null", None, RANGE, ("fn",), id="order-function-then-context-default-stream-107000"),
])  # fmt: skip
def test_without_a_context_a_host_function_is_107002(
    machine: Machine, which: str, fn: Any, status: int, words: tuple[str, ...]
) -> None:
    """107002 in a new thread; handle and range checks come before (public)."""
    stream = streams_of_every_state()[which]
    in_thread(lambda: assert_status(aclrtLaunchHostFunc(stream, fn, None), status, *words))


def test_a_stream_is_used_one_way_107011(each: Machine) -> None:
    """ "Using it on a stream already subscribed the classic way (or the reverse)": also after an exception in it."""
    stream = create_stream()
    ok(aclrtSubscribeReport(get_ident(), stream))
    assert aclrtLaunchHostFunc(stream, print, 0) == SUBSCRIBED
    ok(aclrtUnSubscribeReport(get_ident(), stream))
    with pytest.raises(ZeroDivisionError):
        assert (aclrtLaunchHostFunc(stream, lambda _: 1 // 0, 0), aclrtSynchronizeStream(stream)) == 0
    assert_status(aclrtSubscribeReport(get_ident(), stream), SUBSCRIBED, "aclrtLaunchHostFunc was used on stream 1")


def test_a_host_function_in_an_aborted_stream_is_107023(machine: Machine) -> None:
    stream = create_stream()
    ok(aclrtStreamAbort(stream))
    assert_status(aclrtLaunchHostFunc(stream, print, None), ACL_ERROR_RT_STREAM_ABORT, "stream 1 was aborted at")


def test_a_refused_launch_leaves_the_stream_free(machine: Machine) -> None:
    stream = create_stream()
    assert aclrtLaunchHostFunc(stream, None, None) == RANGE
    ok(aclrtSubscribeReport(get_ident(), stream))


# order


@pytest.mark.parametrize("default", [False, True], ids=["explicit-stream", "null-is-the-default-stream"])
def test_it_runs_in_stream_order(each: Machine, default: bool) -> None:
    """It sees what came before, and "later tasks of the stream wait for it". "No subscription needed"."""
    stream, memory = None if default else create_stream(), malloc(12)
    source, given = pinned(np.array([1, 2, 3], np.float32))
    middle, array = pinned(np.zeros(3, np.float32))

    def square(power: int) -> None:
        array[:] = array**power

    ok(aclrtMemcpyAsync(memory, 12, source, 12, ACL_MEMCPY_HOST_TO_DEVICE, stream))
    ok(aclrtMemcpyAsync(middle, 12, memory, 12, ACL_MEMCPY_DEVICE_TO_HOST, stream))
    ok(aclrtLaunchHostFunc(stream, square, 2))
    ok(aclrtMemcpyAsync(memory, 12, middle, 12, ACL_MEMCPY_HOST_TO_DEVICE, stream))
    ok(aclrtSynchronizeStream(stream))
    assert each.read(memory, 3, "f4").tolist() == (given**2).tolist()


def test_host_functions_run_in_the_order_of_their_launches(each: Machine) -> None:
    seen: list[int] = []
    stream = create_stream()
    for number in range(200):
        ok(aclrtLaunchHostFunc(stream, seen.append, number))
    ok(aclrtSynchronizeDevice())
    assert seen == list(range(200))


def test_events_order_those_of_two_streams(each: Machine) -> None:
    """Ping, pong: each stream waits for what the other recorded."""
    seen: list[str] = []
    streams = {"ping": create_stream(), "pong": create_stream()}
    before = None
    for number in range(20):
        name = ("ping", "pong")[number % 2]
        if before is not None:
            ok(aclrtStreamWaitEvent(streams[name], before))
        ok(aclrtLaunchHostFunc(streams[name], seen.append, name))
        before = event_of(aclrtCreateEvent)
        ok(aclrtRecordEvent(before, streams[name]))
    ok(aclrtSynchronizeEvent(before))
    assert seen == ["ping", "pong"] * 10


def test_what_goes_away_runs_it_or_drops_it(machine: Machine) -> None:
    """aclrtDestroyStream waits; aclrtDestroyStreamForce and aclrtDestroyContext drop, which is reported."""
    seen: list[str] = []
    context, own = current_context(), create_context()
    in_context = create_stream()
    ok(aclrtLaunchHostFunc(in_context, seen.append, "context"))
    ok(aclrtSetCurrentContext(context))
    waited, forced = create_stream(), create_stream()
    ok(aclrtLaunchHostFunc(waited, seen.append, "waited"))
    ok(aclrtLaunchHostFunc(forced, seen.append, "forced"))
    ok(aclrtDestroyStream(waited))
    ok(aclrtDestroyStreamForce(forced))
    ok(aclrtDestroyContext(own))
    assert seen == ["waited"]
    dropped = [finding.message for finding in machine.findings if finding.id == "work-dropped"]
    assert len(dropped) == 2
    assert all("host function in stream" in message and "test_host_functions.py" in message for message in dropped)


# where it runs


@pytest.mark.fidelity("code of the host in a stream (aclrtLaunchHostFunc)")
def test_it_runs_in_the_context_of_its_stream(two: Machine) -> None:
    """ "On an internal per-context thread": aclrtGetDevice in it tells the stream's device, whoever synchronises; the
    thread that does has its own context back."""
    seen: list[int] = []

    def note(_: object) -> None:
        number = c_int32(-1)
        ok(aclrtGetDevice(byref(number)))
        seen.append(number.value)
        ok(aclrtSetDevice(0))  # of no consequence outside

    ok(aclrtSetDevice(1))
    stream = create_stream()
    for _ in range(2):
        ok(aclrtLaunchHostFunc(stream, note, None))
    context = create_context(0)
    ok(aclrtSynchronizeStream(stream))
    assert seen == [1, 1]
    assert current_context() == context


@pytest.mark.fidelity("code of the host in a stream (aclrtLaunchHostFunc)")
@pytest.mark.parametrize("schedule", ["late", "eager", "random"])
def test_it_runs_when_a_query_or_a_wait_needs_it(schedule: str) -> None:
    """Ours: never inside the call that launches it."""
    seen: list[str] = []
    with board(schedule):
        one, other, status = create_stream(), create_stream(), c_int32(-1)
        ok(aclrtLaunchHostFunc(one, seen.append, "queried"))
        ok(aclrtLaunchHostFunc(other, seen.append, "waited for"))
        assert seen == []
        while status.value != ACL_STREAM_STATUS_COMPLETE:
            ok(aclrtStreamQuery(one, byref(status)))
        assert "queried" in seen
        ok(aclrtSynchronizeStream(other))
        assert sorted(seen) == ["queried", "waited for"]


def test_it_sets_an_event_that_another_thread_waits_for(each: Machine) -> None:
    """The other thread is no part of the machine."""
    stream, ready = create_stream(), threading.Event()
    host = Host(lambda: wait(ready))
    ok(aclrtLaunchHostFunc(stream, lambda event: event.set(), ready))
    ok(aclrtSynchronizeStream(stream))
    host.end()


def test_it_waits_for_a_thread_that_calls(each: Machine) -> None:
    """The machine is not locked while it runs."""
    seen: list[int] = []
    ok(aclrtLaunchHostFunc(None, lambda _: seen.append(in_thread(lambda: aclrtSetDevice(0))), None))
    ok(aclrtSynchronizeStream(None))
    assert seen == [ACL_SUCCESS]


def test_one_thread_queries_while_another_is_in_it(each: Machine) -> None:
    """The stream is not done before the function has returned, and it runs once."""
    seen: list[int] = []
    stream, inside, leave = create_stream(), threading.Event(), threading.Event()

    def function(data: object) -> None:
        inside.set()
        wait(leave)
        seen.append(1)

    def launch() -> None:
        ok(aclrtSetDevice(0))
        ok(aclrtLaunchHostFunc(stream, function, None))
        ok(aclrtSynchronizeStream(stream))

    host = Host(launch)
    wait(inside)
    status = c_int32(-1)
    ok(aclrtStreamQuery(stream, byref(status)))
    assert (status.value, seen) == (ACL_STREAM_STATUS_NOT_READY, [])
    leave.set()
    ok(aclrtSynchronizeStream(stream))
    ok(aclrtStreamQuery(stream, byref(status)))
    assert (status.value, seen) == (ACL_STREAM_STATUS_COMPLETE, [1])
    host.end()


def test_two_threads_in_two_host_functions_meet(each: Machine) -> None:
    """Two streams driven by two threads: neither function can end alone."""
    meeting = threading.Barrier(2)

    def work() -> None:
        ok(aclrtSetDevice(0))
        stream = create_stream()
        ok(aclrtLaunchHostFunc(stream, lambda _: meeting.wait(PATIENCE), None))
        ok(aclrtSynchronizeStream(stream))

    at_once(work, work)


def test_a_ctypes_function_may_be_launched(each: Machine) -> None:
    seen: list[int | None] = []
    native = CFUNCTYPE(None, c_void_p)(seen.append)
    for data in (None, 5, c_void_p(6)):
        ok(aclrtLaunchHostFunc(None, native, data))
    ok(aclrtSynchronizeStream(None))
    assert seen == [None, 5, 6]


# what goes wrong in it


def test_an_exception_leaves_the_call_that_ran_it(each: Machine) -> None:
    """At launch (eager), or at the synchronise; later tasks run, and the machine stays usable (ours)."""
    seen: list[str] = []
    stream = create_stream()

    def broken(data: str) -> None:
        raise KeyError(data)

    with pytest.raises(KeyError, match="mine"):
        assert (aclrtLaunchHostFunc(stream, broken, "mine"), aclrtSynchronizeStream(stream)) == 0
    ok(aclrtLaunchHostFunc(stream, seen.append, "after"))
    ok(aclrtSynchronizeStream(stream))
    assert seen == ["after"]


def test_an_exception_leaves_the_thread_in_its_context(two: Machine) -> None:
    ok(aclrtSetDevice(1))
    stream = create_stream()
    ok(aclrtLaunchHostFunc(stream, lambda _: 1 // 0, None))
    context = create_context(0)
    with pytest.raises(ZeroDivisionError):
        aclrtSynchronizeStream(stream)
    assert current_context() == context
    ok(aclrtSynchronizeStream(stream))


WAITS: dict[str, Callable[[aclrtStream], int]] = {
    "aclrtSynchronizeStream": aclrtSynchronizeStream,
    "aclrtSynchronizeDevice": lambda _: aclrtSynchronizeDevice(),
    "aclrtDestroyStream": aclrtDestroyStream,
}


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("call", WAITS)
def test_a_wait_for_its_own_stream_is_a_deadlock(schedule: str, call: str) -> None:
    """ "From a host callback of the same stream: deadlock", reported at once as no other thread could help; the machine
    and the stream stay usable."""
    with Machine(schedule=schedule, seed=1, patience=1e6) as machine:
        machine.allow("callback-acl", reason="what it leads to is looked at here")
        ok(aclrtSetDevice(0))
        stream = create_stream()

        def program() -> object:
            ok(aclrtLaunchHostFunc(stream, lambda _: WAITS[call](stream), None))
            return aclrtSynchronizeStream(stream)

        id, message = finding_of(program)
        assert id == "deadlock"
        assert f"waits in {call} for the work of stream 1" in message
        assert "host function in stream 1 was launched at" in message
        assert "test_host_functions.py" in message
        if schedule != "threads":  # there the worker may find one as well, at the next wait
            ok(aclrtLaunchHostFunc(stream, len, "data"))
            ok(aclrtSynchronizeStream(stream))


def test_what_it_finds_belongs_to_its_stream(machine: Machine) -> None:
    """A finding of a call in it names the host function as the task."""
    ok(aclrtLaunchHostFunc(None, lambda _: machine.undefined("dead-handle", "found inside."), None))
    with pytest.raises(UndefinedBehaviour, match=r"host function in the default stream .* was launched at") as error:
        aclrtSynchronizeStream(None)
    assert error.value.finding.what == "found inside."
