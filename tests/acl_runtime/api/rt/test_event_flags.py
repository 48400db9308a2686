"""Creation of events: flags and limits; the calls that the flags of an event allow (public)."""

from collections.abc import Callable
from ctypes import byref, c_float, c_int32, c_uint32, c_uint64
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.creating import create_stream, event_of
from tests.helpers.host_threads import in_thread
from tests.helpers.machines import board
from tests.helpers.outcomes import assert_status, ok, text
from tests.helpers.stream_gate import Gate

pytestmark = pytest.mark.finds("event-misuse")

# PLAIN makes events of the classic mode, EX those of the new mode
PLAIN, EX = aclrtCreateEventWithFlag, aclrtCreateEventExWithFlag
SYNC, PROGRESS, TIME = ACL_EVENT_SYNC, ACL_EVENT_CAPTURE_STREAM_PROGRESS, ACL_EVENT_TIME_LINE
WAITABLE = 4
CREATORS: dict[str, Callable[..., int]] = {
    "aclrtCreateEvent": aclrtCreateEvent,
    "aclrtCreateEventWithFlag": lambda event: PLAIN(event, SYNC),
    "aclrtCreateEventExWithFlag": lambda event: EX(event, SYNC),
}


def every_creator() -> pytest.MarkDecorator:
    return pytest.mark.parametrize("create", CREATORS.values(), ids=CREATORS)


@every_creator()
def test_a_null_event_pointer_is_100000(machine: Machine, create: Callable[..., int]) -> None:
    """ "Null -> 100000"; the check comes before that of the context (public)."""
    assert_status(create(None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "event")
    in_thread(lambda: assert_status(create(None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "event"))
    assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == ACL_SUCCESS


@pytest.mark.parametrize("create", [PLAIN, EX], ids=lambda call: call.__name__)
def test_null_is_checked_before_the_flag_100000(machine: Machine, create: Callable[..., int]) -> None:
    assert_status(create(None, 0), ACL_ERROR_INVALID_PARAM, "(EH0008)", "event")


@every_creator()
def test_creating_without_a_context_is_107002(machine: Machine, create: Callable[..., int]) -> None:
    def work() -> None:
        event = aclrtEvent(5)
        assert_status(create(byref(event)), ACL_ERROR_RT_CONTEXT_NULL, "(EE1018)", "no valid context")
        assert event == 5
        assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == ACL_ERROR_RT_CONTEXT_NULL

    in_thread(work)


COMBINED = range(1, 16)
LEGAL = {PLAIN: [*COMBINED, ACL_EVENT_DEVICE_USE_ONLY, ACL_EVENT_EXTERNAL], EX: [*COMBINED, ACL_EVENT_IPC]}


@pytest.mark.parametrize("create", [PLAIN, EX], ids=lambda call: call.__name__)
def test_every_flag_from_0_to_0x100(machine: Machine, create: Callable[..., int]) -> None:
    """ "Any or-combination of 1, 2, 4, 8; 0x10 alone; 0x20 alone", of the new mode "0x40 alone [...]; 0x10 and 0x20 ->
    107000"; "flag 0 or out of range -> 107000 (EE1003); illegal combination -> 107000 (EE1006)"."""
    for flag in [*range(257), 1 << 31, 0xFFFF_FFFF]:
        event = aclrtEvent(5)
        status = create(byref(event), flag)
        if flag in LEGAL[create]:
            assert status == ACL_SUCCESS, flag
        else:
            code = "(EE1006)" if 0 < flag < 0x80 else "(EE1003)"
            assert_status(status, ACL_ERROR_RT_PARAM_INVALID, code, f"{flag:#x}" if code == "(EE1006)" else f"{flag}")
            assert event == 5
            assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == ACL_ERROR_RT_PARAM_INVALID


@pytest.mark.parametrize(
    ("create", "flag"), [(PLAIN, 0), (PLAIN, 0x11), (EX, 0x10), (EX, 0x80)], ids=["range", "pair", "ex", "ex range"]
)
def test_the_flag_is_checked_before_the_context_107000(machine: Machine, create: Callable[..., int], flag: int) -> None:
    """ "Inside the runtime layer range checks come before the context check" (public)."""
    assert in_thread(lambda: create(byref(aclrtEvent()), flag)) == ACL_ERROR_RT_PARAM_INVALID


@pytest.mark.parametrize("soc", ["Ascend310P3", "Ascend310B1", "Ascend910A"])
def test_ipc_on_other_products_207000(soc: str) -> None:
    """ "0x40 alone (207000 on products without the feature)": only A2, A3 and 950 have it. The refusal leaves no text
    and no last error (public)."""
    with board(soc=soc):
        event = aclrtEvent(5)
        assert EX(byref(event), ACL_EVENT_IPC) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT
        assert (event, text(), aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL)) == (5, "", ACL_SUCCESS)


def free_events() -> int:
    count = c_uint32()
    ok(aclrtGetEventAvailNum(byref(count)))
    return count.value


LIMITS = {
    "Ascend910B1": 65536,
    "Ascend910_9391": 65536,
    "Ascend950PR_9599": 65536,
    "Ascend310B1": 65536,
    "Ascend910A": 65535,
    "Ascend310P3": 1023,
}


@pytest.mark.parametrize("soc", LIMITS)
def test_each_product_has_its_own_number_of_events(soc: str) -> None:
    """ "65536 (A2, A3, 950, 310B), 65535 (910), 1023 (310P)" (public). The events of all three functions count
    together."""
    with board(soc=soc):
        assert free_events() == LIMITS[soc]
        events = [event_of(aclrtCreateEvent), event_of(PLAIN, SYNC), event_of(EX, SYNC)]
        assert free_events() == LIMITS[soc] - 3
        ok(aclrtDestroyEvent(events[0]))
        assert free_events() == LIMITS[soc] - 2


def test_no_event_left_207007() -> None:
    """ "Ids exhausted -> 207005/207007", until an event is destroyed. Another device has ids of its own (public)."""
    with board(soc="Ascend310P3", device_count=2):
        events = [event_of(PLAIN, TIME) for _ in range(1023)]
        for create in CREATORS.values():
            event = aclrtEvent(5)
            status = create(byref(event))
            assert_status(status, ACL_ERROR_RT_NO_EVENT_RESOURCE, "(EE1023)", "1023", "Ascend310P3")
            assert event == 5
        assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == ACL_ERROR_RT_NO_EVENT_RESOURCE
        number = c_uint32()
        ok(aclrtGetEventId(events[500], byref(number)))
        ok(aclrtDestroyEvent(events[500]))
        again = event_of(aclrtCreateEvent)
        same = c_uint32()
        ok(aclrtGetEventId(again, byref(same)))
        assert same.value == number.value, "the lowest free number (ours)"
        ok(aclrtCreateContext(byref(aclrtEvent()), 1))
        assert free_events() == 1023


def test_the_available_number_refuses_null_and_no_context(machine: Machine) -> None:
    assert_status(aclrtGetEventAvailNum(None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "eventCount")
    assert in_thread(lambda: aclrtGetEventAvailNum(None)) == ACL_ERROR_INVALID_PARAM
    count = c_uint32(5)
    assert in_thread(lambda: aclrtGetEventAvailNum(byref(count))) == ACL_ERROR_RT_CONTEXT_NULL
    assert count.value == 5


# what flags allow; a refusal is 207000 and leaves no last error


def ran(create: Callable[..., int], *flags: int) -> aclrtEvent:
    """An event whose record in the default stream has run."""
    event = event_of(create, *flags)
    ok(aclrtRecordEvent(event, None))
    ok(aclrtSynchronizeStream(None))
    return event


OPS: dict[str, Callable[[aclrtEvent], int]] = {
    "aclrtStreamWaitEvent": lambda event: aclrtStreamWaitEvent(None, event),
    "aclrtStreamWaitEventWithTimeout": lambda event: aclrtStreamWaitEventWithTimeout(None, event, 1),
    "aclrtStreamWaitEventWithFlag": lambda event: aclrtStreamWaitEventWithFlag(None, event, 0, 0),
    "aclrtResetEvent": lambda event: aclrtResetEvent(event, None),
    "aclrtQueryEventStatus": lambda event: aclrtQueryEventStatus(event, byref(c_int32())),
    "aclrtQueryEvent": lambda event: aclrtQueryEvent(event, byref(c_int32())),
    "aclrtQueryEventWaitStatus": lambda event: aclrtQueryEventWaitStatus(event, byref(c_int32())),
    "aclrtSynchronizeEvent": aclrtSynchronizeEvent,
    "aclrtSynchronizeEventWithTimeout": lambda event: aclrtSynchronizeEventWithTimeout(event, 1),
    "aclrtEventElapsedTime": lambda event: aclrtEventElapsedTime(byref(c_float()), event, event),
    "aclrtEventElapsedTime-end": lambda event: aclrtEventElapsedTime(byref(c_float()), ran(EX, TIME), event),
    "aclrtEventGetTimestamp": lambda event: aclrtEventGetTimestamp(event, byref(c_uint64())),
    "aclrtGetEventId": lambda event: aclrtGetEventId(event, byref(c_uint32())),
}
TIMES = {name for name in OPS if "Elapsed" in name or "stamp" in name}
WAITS = {"aclrtStreamWaitEvent", "aclrtStreamWaitEventWithTimeout", "aclrtStreamWaitEventWithFlag"}
OF_NEW_MODE = {"aclrtResetEvent", "aclrtQueryEvent", "aclrtQueryEventWaitStatus"}
QUERIES_AND_SYNCHRONISES = TIMES | {name for name in OPS if "Query" in name or "Synchronize" in name}
REFUSED: dict[str, tuple[Callable[[], aclrtEvent], set[str]]] = {
    "external": (lambda: ran(PLAIN, ACL_EVENT_EXTERNAL), WAITS | {"aclrtResetEvent"} | QUERIES_AND_SYNCHRONISES),
    "ipc": (lambda: ran(EX, ACL_EVENT_IPC), TIMES | OF_NEW_MODE | {"aclrtGetEventId"}),
    "classic-time-line": (lambda: ran(PLAIN, TIME), WAITS | {"aclrtResetEvent"}),
    "classic-progress": (lambda: ran(PLAIN, PROGRESS | TIME), WAITS | {"aclrtResetEvent"}),
    "new-mode-time-line": (lambda: ran(EX, TIME), WAITS | OF_NEW_MODE),
    "new-mode-sync": (lambda: ran(EX, SYNC | TIME), OF_NEW_MODE),
    "new-mode-waitable": (lambda: ran(EX, WAITABLE | TIME), OF_NEW_MODE),
    "classic-sync": (lambda: ran(PLAIN, SYNC | TIME), set()),
    "classic-waitable": (lambda: ran(PLAIN, WAITABLE | TIME), set()),
    "created-plainly": (lambda: ran(aclrtCreateEvent), set()),
}


@pytest.mark.fidelity(
    "aclrtResetEvent of an event that cannot be reset",
    "the flag 4 of events",
    "events between processes (ACL_EVENT_IPC)",
)
@pytest.mark.parametrize("name", OPS)
@pytest.mark.parametrize("kind", REFUSED)
def test_what_flags_allow_else_207000_quietly(machine: Machine, kind: str, name: str) -> None:
    """ "Event that has neither SYNC nor the wait-capable flag -> 207000"; reset: "classic wait-capable events only; new
    mode -> 207000"; aclrtQueryEvent and aclrtQueryEventWaitStatus "not for new-mode events (207000)"; "every query,
    synchronise and elapsed-time call on an EXTERNAL event -> 207000"; "IPC event: id, elapsed time, time stamp 207000";
    "record, stream wait, synchronise, query allowed" (public). "The quiet 207000 answers of event functions" leave no
    last error (public). Only a refused reset leaves a text, because that must have the "event history (created,
    recorded, reset)" (ours)."""
    create, refused = REFUSED[kind]
    event = create()
    status = OPS[name](event)
    if name in refused:
        words = ("(EE1016)", "created at", "test_event_flags.py:") if name == "aclrtResetEvent" else ()
        if words:
            assert_status(status, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, *words)
        assert status == ACL_ERROR_RT_FEATURE_NOT_SUPPORT
        assert (text(), aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL)) == ("", ACL_SUCCESS)
        assert machine.devices[0].primary is not None
        assert not machine.devices[0].primary.default_stream.queue
    else:
        assert status == ACL_SUCCESS, text()


DEVICE_ONLY: dict[str, Callable[[aclrtEvent], int]] = {
    "aclrtRecordEvent": lambda event: aclrtRecordEvent(event, None),
    "aclrtRecordEventWithFlag": lambda event: aclrtRecordEventWithFlag(event, None, 0),
    **{name: OPS[name] for name in (*sorted(WAITS), "aclrtResetEvent")},
}


@pytest.mark.parametrize("call", DEVICE_ONLY.values(), ids=DEVICE_ONLY)
def test_a_device_only_event_is_refused_with_107000(machine: Machine, call: Callable[[aclrtEvent], int]) -> None:
    """ "Recording a device-only event: 107000, EE1006", "first test of the runtime after null"; "stream wait and reset
    107000, EE1006" (public)."""
    event = event_of(PLAIN, ACL_EVENT_DEVICE_USE_ONLY)
    assert_status(call(event), ACL_ERROR_RT_PARAM_INVALID, "(EE1006)", "event 1", "ACL_EVENT_DEVICE_USE_ONLY")
    assert in_thread(lambda: call(event)) == ACL_ERROR_RT_PARAM_INVALID, "before the context"
    assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == ACL_ERROR_RT_PARAM_INVALID


@pytest.mark.parametrize(
    ("soc", "status"),
    [(soc, ACL_SUCCESS) for soc in ("Ascend910B1", "Ascend910_9391", "Ascend310P3")]
    + [(soc, ACL_ERROR_RT_FEATURE_NOT_SUPPORT) for soc in ("Ascend910A", "Ascend310B1")],
)
def test_creating_a_device_only_event_on_each_product(soc: str, status: int) -> None:
    """ "910 and 310B: 207000 without a message, after flag and context checks" (public)."""
    with board(soc=soc):
        event = aclrtEvent(5)
        assert in_thread(lambda: PLAIN(byref(event), ACL_EVENT_DEVICE_USE_ONLY)) == ACL_ERROR_RT_CONTEXT_NULL
        assert PLAIN(byref(event), ACL_EVENT_DEVICE_USE_ONLY | SYNC) == ACL_ERROR_RT_PARAM_INVALID
        text()
        before = aclrtGetLastError(ACL_RT_THREAD_LEVEL)
        assert before == ACL_ERROR_RT_PARAM_INVALID
        assert PLAIN(byref(event), ACL_EVENT_DEVICE_USE_ONLY) == status
        assert (text(), aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL)) == ("", ACL_SUCCESS)
        assert (event == 5) == bool(status)


def test_an_event_between_processes_orders_streams(machine: Machine) -> None:
    """An event with ACL_EVENT_IPC orders streams of one process too: "record, stream wait, synchronise, query
    allowed"."""
    event, status = event_of(EX, ACL_EVENT_IPC), c_int32(-1)
    first, second = create_stream(), create_stream()
    gate = Gate(first)
    ok(aclrtRecordEvent(event, first))
    ok(aclrtStreamWaitEvent(second, event))
    ok(aclrtQueryEventStatus(event, byref(status)))
    assert status.value == 0
    gate.open()
    ok(aclrtSynchronizeStream(second))
    ok(aclrtSynchronizeEvent(event))
    ok(aclrtQueryEventStatus(event, byref(status)))
    assert status.value == 1


EXTERNAL_USES: dict[str, Callable[[Any, int], int]] = {
    "aclrtRecordEventWithFlag": lambda event, flag: aclrtRecordEventWithFlag(event, None, flag),
    "aclrtStreamWaitEventWithFlag": lambda event, flag: aclrtStreamWaitEventWithFlag(None, event, 0, flag),
}


@pytest.mark.parametrize("use", EXTERNAL_USES.values(), ids=EXTERNAL_USES)
class TestExternalUse:
    """ "Flag 1 (external) needs an Ex event created with SYNC alone, else 207000 (warning WE0001), and a stream being
    captured, else 107029; using both flag values on one event -> 107000 (EE1018)"; "flag as for record"."""

    @pytest.mark.parametrize("flag", [2, 0xFFFF_FFFF])
    def test_flag_neither_0_nor_1_is_100000(self, machine: Machine, use: Callable[..., int], flag: int) -> None:
        status = use(event_of(EX, SYNC), flag)
        assert_status(status, ACL_ERROR_INVALID_PARAM, "(EH0007)", "flag", str(flag))
        assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == ACL_SUCCESS

    @pytest.mark.parametrize(("create", "flag"), [(PLAIN, SYNC), (EX, SYNC | TIME), (EX, WAITABLE)])
    def test_other_events_are_207000(
        self, machine: Machine, use: Callable[..., int], create: Callable[..., int], flag: int
    ) -> None:
        assert use(event_of(create, flag), 1) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT
        assert (text(), aclrtGetLastError(ACL_RT_THREAD_LEVEL)) == ("", ACL_SUCCESS), "a warning is no error text"

    @pytest.mark.fidelity("flags of captured streams")
    def test_stream_that_is_not_captured_is_107029(self, machine: Machine, use: Callable[..., int]) -> None:
        event = event_of(EX, SYNC)
        assert_status(use(event, 1), ACL_ERROR_RT_STREAM_NOT_CAPTURED, "(EE1018)", "flag 1", "captured")
        assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == ACL_ERROR_RT_STREAM_NOT_CAPTURED
        assert use(event, 0) == ACL_SUCCESS, "a refused use does not count"

    def test_both_flag_values_are_107000(self, machine: Machine, use: Callable[..., int]) -> None:
        event = event_of(EX, SYNC)
        ok(aclrtRecordEventWithFlag(event, None, 0))
        assert_status(use(event, 1), ACL_ERROR_RT_PARAM_INVALID, "(EE1018)", "flag 0", "flag 1", "event 1")


@pytest.mark.fidelity("flags of captured streams")
def test_external_wait_with_a_timeout_100000(machine: Machine) -> None:
    """ "Flag 1 with a timeout other than 0 -> 100000"."""
    status = aclrtStreamWaitEventWithFlag(None, event_of(EX, SYNC), 3, 1)
    assert_status(status, ACL_ERROR_INVALID_PARAM, "(EH0007)", "timeout", "ACL_EVENT_WAIT_EXTERNAL")
