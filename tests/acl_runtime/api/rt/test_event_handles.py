"""Functions on events with live, dead, foreign and null handles, in threads with and without a context (public)."""

from collections.abc import Callable
from ctypes import byref, c_float, c_int32, c_uint32, c_uint64
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.creating import create_context, create_stream, event_of
from tests.helpers.host_threads import in_thread
from tests.helpers.outcomes import assert_status, ok

Call = Callable[[Any], int]

CALLS: dict[str, Call] = {
    "aclrtDestroyEvent": aclrtDestroyEvent,
    "aclrtRecordEvent": lambda event: aclrtRecordEvent(event, None),
    "aclrtRecordEventWithFlag": lambda event: aclrtRecordEventWithFlag(event, None, 0),
    "aclrtStreamWaitEvent": lambda event: aclrtStreamWaitEvent(None, event),
    "aclrtStreamWaitEventWithTimeout": lambda event: aclrtStreamWaitEventWithTimeout(None, event, 1),
    "aclrtStreamWaitEventWithFlag": lambda event: aclrtStreamWaitEventWithFlag(None, event, 1, 0),
    "aclrtResetEvent": lambda event: aclrtResetEvent(event, None),
    "aclrtQueryEventStatus": lambda event: aclrtQueryEventStatus(event, byref(c_int32())),
    "aclrtQueryEvent": lambda event: aclrtQueryEvent(event, byref(c_int32())),
    "aclrtQueryEventWaitStatus": lambda event: aclrtQueryEventWaitStatus(event, byref(c_int32())),
    "aclrtSynchronizeEvent": aclrtSynchronizeEvent,
    "aclrtSynchronizeEventWithTimeout": lambda event: aclrtSynchronizeEventWithTimeout(event, 1),
    "aclrtEventElapsedTime-start": lambda event: aclrtEventElapsedTime(byref(c_float()), event, recorded()),
    "aclrtEventElapsedTime-end": lambda event: aclrtEventElapsedTime(byref(c_float()), recorded(), event),
    "aclrtEventGetTimestamp": lambda event: aclrtEventGetTimestamp(event, byref(c_uint64())),
    "aclrtGetEventId": lambda event: aclrtGetEventId(event, byref(c_uint32())),
}
ELAPSED = ("aclrtEventElapsedTime-start", "aclrtEventElapsedTime-end")
LATE_NULL = CALLS["aclrtStreamWaitEventWithTimeout"]
PARAMETERS = {CALLS[ELAPSED[0]]: "startEvent", CALLS[ELAPSED[1]]: "endEvent"}
"""the name of the parameter that has the event, where it is another one than `event`"""
OUTPUTS: dict[str, Call] = {
    "aclrtQueryEventStatus": lambda event: aclrtQueryEventStatus(event, None),
    "aclrtQueryEvent": lambda event: aclrtQueryEvent(event, None),
    "aclrtQueryEventWaitStatus": lambda event: aclrtQueryEventWaitStatus(event, None),
    "aclrtEventElapsedTime": lambda event: aclrtEventElapsedTime(None, event, event),
    "aclrtEventGetTimestamp": lambda event: aclrtEventGetTimestamp(event, None),
    "aclrtGetEventId": lambda event: aclrtGetEventId(event, None),
}


def recorded() -> aclrtEvent:
    """An event whose record in the default stream has run."""
    event = event_of(aclrtCreateEvent)
    ok(aclrtRecordEvent(event, None))
    ok(aclrtSynchronizeStream(None))
    return event


@pytest.fixture
def event(machine: Machine) -> aclrtEvent:
    return recorded()


def every(calls: dict[str, Call]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("call", calls.values(), ids=calls)


def refused(call: Callable[[], int], status: int, *words: str) -> None:
    """Check the status and its text, and the last error: the status if the runtime layer refused, else 0."""
    aclrtGetLastError(ACL_RT_THREAD_LEVEL)
    assert_status(call(), status, *words)
    assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == (status if status // 1000 == 107 else 0)


@every(CALLS)
def test_a_live_event_is_taken(event: aclrtEvent, call: Call) -> None:
    assert call(event) == ACL_SUCCESS


@every(CALLS)
def test_a_null_event_is_100000(event: aclrtEvent, call: Call) -> None:
    """ "Null event -> 100000 [...], but 107000 in WithTimeout, whose ACL layer has no null check"."""
    if call is LATE_NULL:
        refused(lambda: call(None), ACL_ERROR_RT_PARAM_INVALID, "(EE1011)", "event")
    else:
        refused(lambda: call(None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "vent")


@every({name: call for name, call in CALLS.items() if name not in ELAPSED})
def test_null_is_refused_before_no_context(machine: Machine, call: Call) -> None:
    """ "A call with a null pointer and no context returns 100000" (public)."""
    status = ACL_ERROR_RT_PARAM_INVALID if call is LATE_NULL else ACL_ERROR_INVALID_PARAM
    in_thread(lambda: refused(lambda: call(None), status, "event"))


@every(CALLS)
def test_a_destroyed_event_is_107017(event: aclrtEvent, call: Call) -> None:
    """ "Use destroyed stream/event: 107017" (public). The text has its history."""
    ok(aclrtDestroyEvent(event))
    words = ("(EE1017)", f"parameter {PARAMETERS.get(call, 'event')}", "event 1", "created at", "destroyed at")
    refused(lambda: call(event), ACL_ERROR_RT_INVALID_HANDLE, *words)


@every({name: call for name, call in CALLS.items() if name not in ELAPSED})
def test_destroyed_handle_before_no_context_107017(event: aclrtEvent, call: Call) -> None:
    """ "The handle check comes [...] before the context check" (public)."""
    ok(aclrtDestroyEvent(event))
    in_thread(lambda: refused(lambda: call(event), ACL_ERROR_RT_INVALID_HANDLE, "(EE1017)", "event 1"))


@every(CALLS)
def test_handle_of_another_kind_107017(event: aclrtEvent, call: Call) -> None:
    """ "Handle of another kind: 107017" (public)."""
    stream, parameter = create_stream(), f"parameter {PARAMETERS.get(call, 'event')}"
    refused(lambda: call(stream), ACL_ERROR_RT_INVALID_HANDLE, "(EE1017)", parameter, "it is stream 1")
    refused(lambda: call(0x1234), ACL_ERROR_RT_INVALID_HANDLE, "(EE1017)", parameter, "0x1234")


@every({name: call for name, call in CALLS.items() if name not in ELAPSED})
def test_without_a_context_a_live_event_is_107002(event: aclrtEvent, call: Call) -> None:
    """A live event in a thread without a context (public)."""
    in_thread(lambda: refused(lambda: call(event), ACL_ERROR_RT_CONTEXT_NULL, "(EE1018)", "no valid context"))


def test_elapsed_time_without_a_context_107002(event: aclrtEvent) -> None:
    milliseconds = c_float(5)
    call = lambda: aclrtEventElapsedTime(byref(milliseconds), event, event)  # noqa: E731
    in_thread(lambda: refused(call, ACL_ERROR_RT_CONTEXT_NULL, "(EE1018)", "no valid context"))
    assert milliseconds.value == 5


@every(CALLS)
def test_an_event_of_another_context_is_taken(event: aclrtEvent, call: Call) -> None:
    """ "Any context" for aclrtDestroyEvent (public); an event belongs to its device, so the same holds for the other
    functions (ours)."""
    create_context()
    assert call(event) == ACL_SUCCESS


@every(OUTPUTS)
def test_a_null_output_is_100000(event: aclrtEvent, call: Call) -> None:
    """Null pointers are the ACL layer's: before a dead handle, and before no context (public)."""
    refused(lambda: call(event), ACL_ERROR_INVALID_PARAM, "(EH0008)")
    in_thread(lambda: refused(lambda: call(event), ACL_ERROR_INVALID_PARAM, "(EH0008)"))
    ok(aclrtDestroyEvent(event))
    refused(lambda: call(event), ACL_ERROR_INVALID_PARAM, "(EH0008)")


TWICE_WRONG: dict[str, tuple[Callable[[Any], int], int, str]] = {
    "negative-timeout-before-null-event-107000": (
        lambda _: aclrtStreamWaitEventWithTimeout(None, None, -1),
        ACL_ERROR_RT_PARAM_INVALID,
        "timeout",
    ),
    "negative-timeout-before-destroyed-event-107000": (
        lambda dead: aclrtStreamWaitEventWithTimeout(None, dead, -1),
        ACL_ERROR_RT_PARAM_INVALID,
        "timeout",
    ),
    "timeout-below-minus-1-before-null-event-107000": (
        lambda _: aclrtSynchronizeEventWithTimeout(None, -2),
        ACL_ERROR_RT_PARAM_INVALID,
        "timeout",
    ),
    "null-event-before-timeout-0-100000": (
        lambda _: aclrtSynchronizeEventWithTimeout(None, 0),
        ACL_ERROR_INVALID_PARAM,
        "event",
    ),
    "destroyed-event-before-timeout-0-107017": (
        lambda dead: aclrtSynchronizeEventWithTimeout(dead, 0),
        ACL_ERROR_RT_INVALID_HANDLE,
        "event 1",
    ),
    "null-event-before-flag-100000": (
        lambda _: aclrtRecordEventWithFlag(None, None, 2),
        ACL_ERROR_INVALID_PARAM,
        "event",
    ),
    "flag-before-destroyed-event-100000": (
        lambda dead: aclrtRecordEventWithFlag(dead, None, 2),
        ACL_ERROR_INVALID_PARAM,
        "flag",
    ),
    "wait-flag-before-destroyed-event-100000": (
        lambda dead: aclrtStreamWaitEventWithFlag(None, dead, 0, 2),
        ACL_ERROR_INVALID_PARAM,
        "flag",
    ),
    "external-wait-with-timeout-before-destroyed-event-100000": (
        lambda dead: aclrtStreamWaitEventWithFlag(None, dead, 1, 1),
        ACL_ERROR_INVALID_PARAM,
        "timeout",
    ),
    "null-output-before-null-events-100000": (
        lambda _: aclrtEventElapsedTime(None, None, None),
        ACL_ERROR_INVALID_PARAM,
        "ms cannot be a NULL pointer",
    ),
    "null-start-before-null-end-100000": (
        lambda _: aclrtEventElapsedTime(byref(c_float()), None, None),
        ACL_ERROR_INVALID_PARAM,
        "startEvent",
    ),
    "null-end-before-destroyed-start-100000": (
        lambda dead: aclrtEventElapsedTime(byref(c_float()), dead, None),
        ACL_ERROR_INVALID_PARAM,
        "endEvent",
    ),
}


@pytest.mark.parametrize(("call", "status", "word"), TWICE_WRONG.values(), ids=TWICE_WRONG)
def test_the_first_check_answers(event: aclrtEvent, call: Callable[[Any], int], status: int, word: str) -> None:
    """ "The ACL layer checks first, in the order the arguments are listed"; the handle before ranges of the runtime
    layer (public)."""
    ok(aclrtDestroyEvent(event))
    assert_status(call(event), status, word)


WITH_STREAM: dict[str, Callable[[Any, Any], int]] = {
    "aclrtRecordEvent": aclrtRecordEvent,
    "aclrtRecordEventWithFlag": lambda event, stream: aclrtRecordEventWithFlag(event, stream, 1),
    "aclrtStreamWaitEvent": lambda event, stream: aclrtStreamWaitEvent(stream, event),
    "aclrtStreamWaitEventWithTimeout": lambda event, stream: aclrtStreamWaitEventWithTimeout(stream, event, 0),
    "aclrtStreamWaitEventWithFlag": lambda event, stream: aclrtStreamWaitEventWithFlag(stream, event, 0, 1),
    "aclrtResetEvent": aclrtResetEvent,
}


@pytest.mark.parametrize("call", WITH_STREAM.values(), ids=WITH_STREAM)
def test_a_destroyed_stream_is_107017(event: aclrtEvent, call: Callable[[Any, Any], int]) -> None:
    """Both handles are checked before the runtime layer checks the flags (public)."""
    stream = create_stream()
    ok(aclrtDestroyStream(stream))
    refused(lambda: call(event, stream), ACL_ERROR_RT_INVALID_HANDLE, "(EE1017)", "parameter stream", "stream 1")
