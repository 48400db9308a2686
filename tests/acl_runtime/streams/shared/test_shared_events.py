"""Events of several processes (public)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from ctypes import byref, c_int32

import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from tests.helpers.builders import malloc
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import assert_status, ok
from tests.helpers.processes import Processes, machines

HANDLE, MADE = aclrtIpcEventHandle(), aclrtEvent()


def event(flags: int = ACL_EVENT_IPC) -> aclrtEvent:
    one = aclrtEvent()
    ok(aclrtCreateEventExWithFlag(byref(one), flags))
    return one


def handle_of(one: aclrtEvent) -> aclrtIpcEventHandle:
    handle = aclrtIpcEventHandle()
    ok(aclrtIpcGetEventHandle(one, byref(handle)))
    return handle


def opened(handle: aclrtIpcEventHandle) -> aclrtEvent:
    one = aclrtEvent()
    ok(aclrtIpcOpenEventHandle(handle, byref(one)))
    return one


def status_of(one: aclrtEvent) -> int:
    status = c_int32()
    ok(aclrtQueryEventStatus(one, byref(status)))
    return status.value


REFUSED: dict[str, tuple[Callable[[], int], int, str]] = {
    "get": (lambda: aclrtIpcGetEventHandle(None, None), 100000, "handle"),
    "get-event": (lambda: aclrtIpcGetEventHandle(None, byref(HANDLE)), 100000, "event"),
    "get-dead": (lambda: aclrtIpcGetEventHandle(8, byref(HANDLE)), 107017, "event"),
    "get-flags": (lambda: aclrtIpcGetEventHandle(event(1), byref(HANDLE)), 107000, "ACL_EVENT_IPC"),
    "open": (lambda: aclrtIpcOpenEventHandle(HANDLE, None), 100000, "event"),
    "open-unknown": (lambda: aclrtIpcOpenEventHandle(HANDLE, byref(MADE)), 107000, "handle"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_of_several_mistakes_the_first_check_answers(machine: Machine, name: str) -> None:
    call, status, word = REFUSED[name]
    assert_status(call(), status, word)


def test_products() -> None:
    with board(soc="Ascend310P3"):
        assert aclrtIpcGetEventHandle(8, byref(HANDLE)) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT
        assert aclrtIpcOpenEventHandle(HANDLE, byref(MADE)) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT


def test_the_handle_is_that_of_the_process_that_made_it(machine: Machine) -> None:
    one = event()
    handle = handle_of(one)
    assert bytes(handle_of(one)) == bytes(handle)
    status = aclrtIpcGetEventHandle(opened(handle), byref(HANDLE))
    assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "created")
    ok(aclrtDestroyEvent(one))
    assert_status(aclrtIpcOpenEventHandle(handle, byref(MADE)), ACL_ERROR_RT_PARAM_INVALID, "handle")


def shared(processes: Processes, recorded: int) -> tuple[aclrtEvent, aclrtEvent, int]:
    """An event in two processes, and the memory that the first one writes before the latest of its records."""
    found: list[aclrtEvent] = []
    place: list[int] = []

    def exporting() -> None:
        ok(aclrtSetDevice(0))
        found.append(event())
        place.append(malloc(8))
        handles.append(handle_of(found[0]))
        for turn in range(recorded):
            ok(aclrtMemsetAsync(place[0], 8, turn, 8, None))
            ok(aclrtRecordEvent(found[0], None))

    def importing() -> None:
        ok(aclrtSetDevice(0))
        found.append(opened(handles[0]))

    handles: list[aclrtIpcEventHandle] = []
    processes.run(exporting)
    processes.run(lambda: None, importing)
    return found[0], found[1], place[0]


@pytest.mark.fidelity("notifies and events of other processes")
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("wait", ["stream", "host", "query"])
def test_a_process_waits_for_the_record_of_another(schedule: str, wait: str) -> None:
    """The process that records never synchronises: the other one waits, so its stream runs up to the record."""
    with machines(2, schedule=schedule, seed=1) as processes:
        _, theirs, place = shared(processes, 2)

        def waiting() -> None:
            ok(aclrtSetDevice(0))
            if wait == "stream":
                ok(aclrtStreamWaitEvent(None, theirs))
                ok(aclrtSynchronizeStream(None))
            elif wait == "host":
                ok(aclrtSynchronizeEventWithTimeout(theirs, 1_000_000))
            while not status_of(theirs):
                pass

        processes.run(lambda: None, waiting)
        assert processes.machines[0].read(place, 2, "int32").tolist() == [0x01010101] * 2
        assert not [processes.found(number) for number in range(2) if processes.found(number)]


def test_both_processes_record_in_turn() -> None:
    """Records of all processes are numbered together, so a wait is for the latest one of any process."""
    with machines(2) as processes:
        mine, theirs, _ = shared(processes, 1)

        def answering() -> None:
            ok(aclrtStreamWaitEvent(None, theirs))
            ok(aclrtRecordEvent(theirs, None))

        processes.run(lambda: None, lambda: (ok(aclrtSetDevice(0)), answering()))
        processes.run(lambda: (ok(aclrtSetDevice(0)), ok(aclrtStreamWaitEvent(None, mine)),
                               ok(aclrtSynchronizeStream(None))))  # fmt: skip
        assert not [processes.found(number) for number in range(2) if processes.found(number)]


def test_work_before_a_record_is_ordered_before_the_answer_of_another_process() -> None:
    """The other process has waited for the record, so a second stream may use the memory after its answer."""
    with machines(2) as processes:
        mine, theirs, place = shared(processes, 1)

        def answering() -> None:
            ok(aclrtSetDevice(0))
            ok(aclrtStreamWaitEvent(None, theirs))
            ok(aclrtRecordEvent(theirs, None))

        def going_on() -> None:
            ok(aclrtSetDevice(0))
            second = aclrtStream()
            ok(aclrtCreateStream(byref(second)))
            ok(aclrtStreamWaitEvent(second, mine))
            ok(aclrtMemsetAsync(place, 8, 3, 8, second))
            ok(aclrtSynchronizeStream(second))

        processes.run(lambda: None, answering)
        processes.run(going_on)
        assert not processes.found(0)


CHILD = """
import sys
from ctypes import byref
from acl_runtime import *

aclrtSetDevice(0)
event, handle = aclrtEvent(), aclrtIpcEventHandle()
aclrtCreateEventExWithFlag(byref(event), ACL_EVENT_IPC)
aclrtIpcGetEventHandle(event, byref(handle))
aclrtRecordEvent(event, None)
print(bytes(handle).decode(), flush=True)
sys.stdin.readline()
import os
os._exit(1)
"""


@pytest.mark.fidelity("notifies and events of other processes")
def test_a_process_that_ends_is_named_in_a_deadlock(machine: Machine) -> None:
    """Nothing is late any more: the wait ends at once, although the patience has no limit."""
    with subprocess.Popen([sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        theirs = opened(aclrtIpcEventHandle(child.stdout.readline().rstrip(b"\n")))
        child.communicate(b"\n")
        with pytest.raises(UndefinedBehaviour, match=r"deadlock.*which has ended"):
            aclrtSynchronizeEvent(theirs)
