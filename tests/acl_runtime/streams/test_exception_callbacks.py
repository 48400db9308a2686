"""Callbacks for tasks that fail on a device (public)."""

import ctypes
import threading
from collections.abc import Callable, Iterator
from ctypes import CFUNCTYPE, byref, c_int32, c_void_p
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.conftest import check_documented
from tests.helpers.creating import create_stream, event_of
from tests.helpers.failing_tasks import failing_task
from tests.helpers.host_threads import Host, in_thread, wait
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import assert_status, errors, finding_of, ok
from tests.helpers.planned_operators import launch_softmax

Info = aclrtExceptionInfo
FAILED = ACL_ERROR_RT_VECTOR_CORE_EXCEPTION
GETTERS = (
    aclrtGetTaskIdFromExceptionInfo,
    aclrtGetStreamIdFromExceptionInfo,
    aclrtGetThreadIdFromExceptionInfo,
    aclrtGetDeviceIdFromExceptionInfo,
    aclrtGetErrorCodeFromExceptionInfo,
)
UNKNOWN = 0xFFFF_FFFF
WAYS = pytest.mark.parametrize(
    "install", [aclrtSetExceptionInfoCallback, aclrtExceptionInfoCallbackRegister], ids=["set", "register"]
)
EACH = pytest.mark.parametrize("getter", GETTERS, ids=lambda getter: getter.__name__)


@pytest.fixture(params=SCHEDULES)
def each(request: pytest.FixtureRequest) -> Iterator[Machine]:
    """A machine of each schedule that reports, device 0 set."""
    with board(request.param, on_undefined="report") as machine:
        yield machine
    assert set(errors(machine)) <= {"index-range"}


@pytest.fixture(params=["late", "eager", "random"])
def ordered(request: pytest.FixtureRequest) -> Iterator[Machine]:
    """The schedules under which the callbacks have run when the failure surfaces."""
    with board(request.param, on_undefined="report") as machine:
        yield machine
    assert set(errors(machine)) <= {"index-range"}


@pytest.fixture
def reporting() -> Iterator[Machine]:
    with board(on_undefined="report") as machine:
        yield machine


def fail(stream: aclrtStream | None = None) -> None:
    """A task fails, and the synchronise says so."""
    failing_task(stream)
    assert aclrtSynchronizeStream(stream) == FAILED


# which callbacks are called


@pytest.mark.parametrize(
    "call", [aclrtExceptionInfoCallbackRegister, aclrtExceptionInfoCallbackUnregister], ids=["register", "unregister"]
)
@pytest.mark.parametrize("null", [None, 0, CFUNCTYPE(None, c_void_p)()], ids=["None", "0", "null-ctypes-function"])
def test_registering_null_is_107000(machine: Machine, call: Callable[[Any], int], null: Any) -> None:
    """ "null -> 107000", of the runtime layer. A thread needs no context for it."""
    assert_status(call(null), ACL_ERROR_RT_PARAM_INVALID, "(EE1011)", "callback", "null")
    assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == ACL_ERROR_RT_PARAM_INVALID
    assert in_thread(lambda: call(null)) == ACL_ERROR_RT_PARAM_INVALID


class Watcher:
    """A callback that notes the codes that it gets."""

    def __init__(self) -> None:
        self.seen: list[int] = []
        self.called = threading.Event()

    def note(self, info: Info) -> None:
        self.seen.append(aclrtGetErrorCodeFromExceptionInfo(info))
        self.called.set()


@WAYS
def test_a_failure_is_told_once(each: Machine, install: Callable[[Any], int]) -> None:
    """No callback runs for a task that succeeds. Without workers they have run before the failure surfaces (ours)."""
    watcher = Watcher()
    ok(install(watcher.note))
    launch_softmax()
    ok(aclrtSynchronizeStream(None))
    assert not watcher.seen
    fail()
    assert watcher.seen == [FAILED] or each.options.schedule == "threads"
    wait(watcher.called)
    ok(aclrtSynchronizeStream(None))
    assert watcher.seen == [FAILED]


def test_the_last_set_callback_wins_and_null_clears(reporting: Machine) -> None:
    """ "One slot, null clears, last wins"; clearing twice succeeds."""
    seen: list[str] = []
    ok(aclrtSetExceptionInfoCallback(lambda _: seen.append("first")))
    ok(aclrtSetExceptionInfoCallback(lambda _: seen.append("last")))
    fail()
    assert seen == ["last"]
    ok(aclrtSetExceptionInfoCallback(None))
    ok(aclrtSetExceptionInfoCallback(None))
    fail()
    assert seen == ["last"]


def test_several_callbacks_can_be_registered(reporting: Machine) -> None:
    """ "Several callbacks", besides the one of the slot."""
    seen: list[str] = []

    def one(info: Info) -> None:
        seen.append("one")

    def other(info: Info) -> None:
        seen.append("other")

    ok(aclrtSetExceptionInfoCallback(lambda _: seen.append("slot")))
    ok(aclrtExceptionInfoCallbackRegister(one))
    ok(aclrtExceptionInfoCallbackRegister(other))
    fail()
    assert sorted(seen) == ["one", "other", "slot"]
    seen.clear()
    ok(aclrtExceptionInfoCallbackUnregister(one))
    ok(aclrtSetExceptionInfoCallback(None))
    fail()
    assert seen == ["other"]


def test_duplicates_are_ignored(reporting: Machine) -> None:
    """ "Identified by function pointer; duplicates ignored": bound methods are equal, ctypes functions by address."""
    watcher, seen = Watcher(), list[Any]()
    native = CFUNCTYPE(None, c_void_p)(seen.append)
    same = ctypes.cast(native, CFUNCTYPE(None, c_void_p))
    for callback in (watcher.note, watcher.note, native, same):
        ok(aclrtExceptionInfoCallbackRegister(callback))
    fail()
    assert (len(watcher.seen), len(seen)) == (1, 1)
    ok(aclrtExceptionInfoCallbackUnregister(watcher.note))
    ok(aclrtExceptionInfoCallbackUnregister(same))
    fail()
    assert (len(watcher.seen), len(seen)) == (1, 1)


def test_unregistering_an_unknown_one_succeeds(reporting: Machine) -> None:
    """Also one that only stands in the slot, which keeps it."""
    watcher = Watcher()
    ok(aclrtSetExceptionInfoCallback(watcher.note))
    assert aclrtExceptionInfoCallbackUnregister(print) == ACL_SUCCESS
    assert aclrtExceptionInfoCallbackUnregister(watcher.note) == ACL_SUCCESS
    fail()
    assert watcher.seen == [FAILED]


# the information that they get


def test_the_info_names_device_stream_thread_task_and_code(two: Machine) -> None:
    """Device and stream of the task, the thread that launched it, its number in the stream, its code."""
    two.findings.raises = False
    seen: list[list[int]] = []
    ok(aclrtExceptionInfoCallbackRegister(lambda info: seen.append([getter(info) for getter in GETTERS])))

    def launch() -> tuple[aclrtStream, int, int]:
        ok(aclrtSetDevice(1))
        create_stream()
        stream, number = create_stream(), c_int32()
        ok(aclrtStreamGetId(stream, byref(number)))
        event = event_of(aclrtCreateEvent)
        ok(aclrtRecordEvent(event, stream))
        failing_task(stream)
        failing_task(stream)
        return stream, number.value, threading.get_native_id()

    ok(aclrtSetDevice(0))
    stream, number, thread = in_thread(launch)
    assert aclrtSynchronizeStream(stream) == FAILED
    (first, *rest), (second, *same) = seen
    assert rest == same == [number, thread & UNKNOWN, 1, FAILED]
    assert (first, second) == (2, 3)


@EACH
@pytest.mark.parametrize("null", [None, 0, c_void_p(), Info()], ids=["None", "0", "c_void_p", "handle"])
def test_null_info_gives_all_ones(machine: Machine, getter: Callable[[Any], int], null: Any) -> None:
    """ "Null info -> 0xFFFFFFFF"; no text, no last error, in a thread without a context as well."""
    assert getter(null) == in_thread(lambda: getter(null)) == UNKNOWN
    assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == ACL_SUCCESS


@pytest.mark.fidelity("an exception info that was kept")
@EACH
def test_an_info_that_was_kept_is_dead(getter: Callable[[Any], int]) -> None:
    """ "The info object is valid only inside the call": finding dead-handle, with its history."""
    kept: list[Info] = []
    with Machine() as machine:
        ok(aclrtSetDevice(0))
        ok(aclrtExceptionInfoCallbackRegister(kept.append))
        ok(aclrtStreamWaitEventWithTimeout(None, event_of(aclrtCreateEventWithFlag, ACL_EVENT_SYNC), 1))
        assert aclrtSynchronizeStream(None) == ACL_ERROR_RT_EVENT_SYNC_TIMEOUT
        id, message = finding_of(lambda: getter(kept[0]))
        assert id == "dead-handle"
        assert "exception info 1 is gone" in message
        assert "only inside its callback" in message
        machine.findings.raises = False
        assert getter(kept[0]) == UNKNOWN
    check_documented(machine)


@EACH
def test_another_handle_is_a_type_error(machine: Machine, getter: Callable[[Any], int]) -> None:
    """Distinct struct pointers: the compiler would refuse (ours); a plain number needs a handle around it."""
    for wrong in (create_stream(), 5, byref(Info())):
        with pytest.raises(TypeError, match=r"parameter info .*expects aclrtExceptionInfo"):
            getter(wrong)


def test_a_ctypes_callback_may_be_declared_with_handle_or_void(reporting: Machine) -> None:
    """Declared with the handle, or with `void *`, whose number a handle is made of."""
    seen: list[int] = []
    typed = CFUNCTYPE(None, Info)(lambda info: seen.append(aclrtGetErrorCodeFromExceptionInfo(info)))
    untyped = CFUNCTYPE(None, c_void_p)(lambda info: seen.append(aclrtGetErrorCodeFromExceptionInfo(Info(info))))
    plain = CFUNCTYPE(None, c_void_p)(lambda info: seen.append(aclrtGetErrorCodeFromExceptionInfo(c_void_p(info))))
    for callback in (typed, untyped, plain):
        ok(aclrtExceptionInfoCallbackRegister(callback))
    fail()
    assert seen == [FAILED] * 3


# which failures there are


def overdue_wait(stream: aclrtStream) -> None:
    ok(aclrtStreamWaitEventWithTimeout(stream, event_of(aclrtCreateEventWithFlag, ACL_EVENT_SYNC), 1))


@pytest.mark.parametrize("cause", [overdue_wait, failing_task], ids=["507047", "507035"])
def test_each_kind_of_failure_is_told(each: Machine, cause: Callable[[aclrtStream], None]) -> None:
    """ "Asynchronous failures surface [...] as exception callbacks" (public)."""
    watcher, stream = Watcher(), create_stream()
    ok(aclrtExceptionInfoCallbackRegister(watcher.note))
    cause(stream)
    status = aclrtSynchronizeStream(stream)
    wait(watcher.called)
    assert watcher.seen == [status]
    assert status == (FAILED if cause is failing_task else ACL_ERROR_RT_EVENT_SYNC_TIMEOUT)


# where they run


def test_a_callback_may_wait_for_a_thread_that_calls(each: Machine) -> None:
    """ "Called on an internal thread": the machine is not locked meanwhile."""
    seen, called = list[int](), threading.Event()

    def callback(info: Info) -> None:
        seen.append(in_thread(lambda: aclrtSetDevice(0)))
        called.set()

    ok(aclrtExceptionInfoCallbackRegister(callback))
    fail()
    wait(called)
    assert seen == [ACL_SUCCESS]


def test_an_exception_leaves_the_call_that_ran_the_callback(ordered: Machine) -> None:
    """The failure itself surfaces at the next synchronise, and the machine stays usable (ours)."""
    seen: list[int] = []

    def broken(info: Info) -> None:
        seen.append(aclrtGetTaskIdFromExceptionInfo(info))
        raise KeyError("mine")

    ok(aclrtExceptionInfoCallbackRegister(broken))
    with pytest.raises(KeyError, match="mine"):
        fail()
    assert aclrtSynchronizeStream(None) == FAILED
    ok(aclrtExceptionInfoCallbackUnregister(broken))
    launch_softmax()
    ok(aclrtSynchronizeStream(None))
    assert seen == [1]


def test_a_callback_that_takes_itself_away(reporting: Machine) -> None:
    seen: list[int] = []

    def once(info: Info) -> None:
        seen.append(1)
        ok(aclrtExceptionInfoCallbackUnregister(once))

    ok(aclrtExceptionInfoCallbackRegister(once))
    fail()
    fail()
    assert seen == [1]


def test_a_callback_may_wake_a_monitor_thread(each: Machine) -> None:
    """A callback notes what failed, and lets a monitor thread know; a callback asks for the device."""
    called, noted = threading.Event(), list[tuple[int, int]]()

    def note(info: Info) -> None:
        aclrtGetDevice(byref(c_int32()))
        noted.append((aclrtGetStreamIdFromExceptionInfo(info), aclrtGetErrorCodeFromExceptionInfo(info)))
        called.set()

    monitor = Host(lambda: (wait(called), noted[0])[1])
    ok(aclrtSetExceptionInfoCallback(note))
    stream, number = create_stream(), c_int32()
    ok(aclrtStreamGetId(stream, byref(number)))
    fail(stream)
    assert monitor.end() == (number.value, FAILED)
