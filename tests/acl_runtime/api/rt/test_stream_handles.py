"""Functions on streams with live, dead, foreign and null handles, and streams of another context (public)."""

from collections.abc import Callable
from ctypes import byref, c_int32, c_uint32
from typing import Any, NamedTuple

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.creating import create_context, create_stream, event_of
from tests.helpers.host_threads import in_thread
from tests.helpers.outcomes import assert_status, ok

pytestmark = pytest.mark.finds("order-teardown")

Call = Callable[[Any, aclrtEvent], int]
TAG = ACL_STREAM_ATTR_USER_CUSTOM_TAG

EXPLICIT: dict[str, Call] = {
    "aclrtDestroyStream": lambda stream, _: aclrtDestroyStream(stream),
    "aclrtDestroyStreamForce": lambda stream, _: aclrtDestroyStreamForce(stream),
}
"""functions that do not take null"""
OWN: dict[str, Call] = {
    "aclrtRecordEvent": lambda stream, event: aclrtRecordEvent(event, stream),
    "aclrtRecordEventWithFlag": lambda stream, event: aclrtRecordEventWithFlag(event, stream, 0),
    "aclrtStreamWaitEvent": aclrtStreamWaitEvent,
    "aclrtStreamWaitEventWithTimeout": lambda stream, event: aclrtStreamWaitEventWithTimeout(stream, event, 1),
    "aclrtStreamWaitEventWithFlag": lambda stream, event: aclrtStreamWaitEventWithFlag(stream, event, 1, 0),
    "aclrtResetEvent": lambda stream, event: aclrtResetEvent(event, stream),
    "aclrtSetStreamFailureMode": lambda stream, _: aclrtSetStreamFailureMode(stream, 0),
    "aclrtSetStreamAttribute": lambda stream, _: aclrtSetStreamAttribute(stream, TAG, byref(aclrtStreamAttrValue())),
    "aclrtStreamAbort": lambda stream, _: aclrtStreamAbort(stream),
}
"""functions that refuse a stream of another context"""
ASKING: dict[str, Call] = {
    "aclrtSynchronizeStream": lambda stream, _: aclrtSynchronizeStream(stream),
    "aclrtSynchronizeStreamWithTimeout": lambda stream, _: aclrtSynchronizeStreamWithTimeout(stream, 1),
    "aclrtStreamQuery": lambda stream, _: aclrtStreamQuery(stream, byref(c_int32())),
    "aclrtStreamGetId": lambda stream, _: aclrtStreamGetId(stream, byref(c_int32())),
    "aclrtStreamGetPriority": lambda stream, _: aclrtStreamGetPriority(stream, byref(c_uint32())),
    "aclrtStreamGetFlags": lambda stream, _: aclrtStreamGetFlags(stream, byref(c_uint32())),
    "aclrtGetStreamAttribute": lambda stream, _: aclrtGetStreamAttribute(stream, TAG, byref(aclrtStreamAttrValue())),
}
QUEUEING = [call for name, call in OWN.items() if "Event" in name]
NULLABLE = OWN | ASKING
ALL = EXPLICIT | NULLABLE


class Cast(NamedTuple):
    """The arguments of the calls."""

    machine: Machine
    stream: aclrtStream
    event: aclrtEvent


@pytest.fixture
def cast(machine: Machine) -> Cast:
    """A live stream of the default context, and an event that was recorded in the default stream."""
    event = event_of(aclrtCreateEvent)
    ok(aclrtRecordEvent(event, None))
    return Cast(machine, create_stream(), event)


def every(calls: dict[str, Call]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("call", calls.values(), ids=calls)


def refused(call: Callable[[], int], status: int, *words: str) -> None:
    """Check the status, its text, and that it is the last error."""
    aclrtGetLastError(ACL_RT_THREAD_LEVEL)
    assert_status(call(), status, *words)
    assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == (status if status // 1000 == 107 else 0)


@every(ALL)
def test_a_live_stream_is_taken(cast: Cast, call: Call) -> None:
    assert call(cast.stream, cast.event) == ACL_SUCCESS


@pytest.mark.fidelity("aclrtMemcpy of 0 bytes, a destroyed stream")
@every(ALL)
def test_a_destroyed_stream_is_107017(cast: Cast, call: Call) -> None:
    """ "Destroyed handle: 107017", with its history in the text; before the context check (public)."""
    ok(aclrtDestroyStream(cast.stream))
    words = ("(EE1017)", "stream 1", "created at", "destroyed at")
    refused(lambda: call(cast.stream, cast.event), ACL_ERROR_RT_INVALID_HANDLE, *words)
    in_thread(lambda: refused(lambda: call(cast.stream, cast.event), ACL_ERROR_RT_INVALID_HANDLE, "(EE1017)"))


@every(ALL)
def test_handle_destroyed_with_its_context_107017(cast: Cast, call: Call) -> None:
    """The streams of a destroyed context are dead (public)."""
    context = create_context()
    stream = create_stream()
    ok(aclrtDestroyContext(context))
    refused(lambda: call(stream, cast.event), ACL_ERROR_RT_INVALID_HANDLE, "stream 2", "ended with context 1")


@every(ALL)
def test_handle_of_another_kind_107017(cast: Cast, call: Call) -> None:
    """ "Handle of another kind (an event passed as stream): 107017" (public)."""
    context = create_context()
    for handle, what in ((event_of(aclrtCreateEvent), "it is event 2"), (context, "it is context 1"), (0x1234, "1234")):
        status = ACL_ERROR_RT_INVALID_HANDLE
        refused(lambda handle=handle: call(handle, cast.event), status, "(EE1017)", "parameter stream", what)


@every(ALL)
def test_without_a_context_a_live_stream_is_107002(cast: Cast, call: Call) -> None:
    """A live stream in a thread without a context (public)."""
    in_thread(
        lambda: refused(
            lambda: call(cast.stream, cast.event), ACL_ERROR_RT_CONTEXT_NULL, "(EE1018)", "no valid context"
        )
    )


@every(NULLABLE)
def test_null_without_a_context_107002(cast: Cast, call: Call) -> None:
    """Null would be the default stream, but there is no context. aclrtStreamAbort returns 107000 (public)."""
    aborts = call is OWN["aclrtStreamAbort"]
    status = ACL_ERROR_RT_PARAM_INVALID if aborts else ACL_ERROR_RT_CONTEXT_NULL
    in_thread(lambda: refused(lambda: call(None, cast.event), status, "(EE1018)", "no valid context"))


@every(EXPLICIT)
def test_null_is_not_destroyed_100000(cast: Cast, call: Call) -> None:
    """ "It is not accepted by: destroy, destroy force" (public); before the context check."""
    refused(lambda: call(None, cast.event), ACL_ERROR_INVALID_PARAM, "(EH0008)", "stream")
    in_thread(lambda: refused(lambda: call(None, cast.event), ACL_ERROR_INVALID_PARAM, "(EH0008)", "stream"))


@every(NULLABLE)
def test_null_is_the_default_stream(cast: Cast, call: Call) -> None:
    """ "stream == nullptr means the default stream of the thread's current context" (public): each context has one, and
    tasks are queued there."""
    ok(aclrtSynchronizeStream(None))
    first = len(cast.machine.tasks)
    assert call(None, cast.event) == ACL_SUCCESS
    create_context()
    assert call(None, cast.event) == ACL_SUCCESS
    if call is not OWN["aclrtStreamAbort"]:
        ok(aclrtSynchronizeStream(None))
        ok(aclrtSetDevice(0))
        ok(aclrtSynchronizeStream(None))
    streams = ["the default stream of context 1", "the default stream of default context of device 0"]
    assert [task.stream for task in cast.machine.tasks][first:] == (streams if call in QUEUEING else [])


@every(OWN)
def test_stream_of_another_context_107003(cast: Cast, call: Call) -> None:
    """ "Async op on another context's stream: 107003" (public). The text names both contexts."""
    create_context()
    words = ("(EE1010)", "stream_id=1", "stream_ctx=default context of device 0", "cur_ctx=context 1")
    refused(lambda: call(cast.stream, cast.event), ACL_ERROR_RT_STREAM_CONTEXT, *words)
    assert [task for stream in cast.machine.streams() for task in stream.queue if stream.ordinal] == []


@every(EXPLICIT)
def test_destroying_a_stream_of_another_context_107003(cast: Cast, call: Call) -> None:
    """Runtime rules, 2.9. The stream is not destroyed."""
    create_context()
    refused(lambda: call(cast.stream, cast.event), ACL_ERROR_RT_STREAM_CONTEXT, "(EE1010)", "cur_ctx=context 1")
    ok(aclrtSetDevice(0))
    assert call(cast.stream, cast.event) == ACL_SUCCESS


@every(ASKING)
def test_asking_a_stream_of_another_context(cast: Cast, call: Call) -> None:
    """ "Synchronise another context's stream: 0, allowed" (public); so are the queries (ours)."""
    create_context()
    assert call(cast.stream, cast.event) == ACL_SUCCESS


@every(EXPLICIT)
def test_real_handle_of_the_default_stream_is_not_destroyed_107000(cast: Cast, call: Call) -> None:
    """ "Must not be destroyed by hand" (public); the status is ours."""
    stream = aclrtStream()
    ok(aclrtCtxGetCurrentDefaultStream(byref(stream)))
    refused(lambda: call(stream, cast.event), ACL_ERROR_RT_PARAM_INVALID, "(EE1017)", "ends with its context")
    ok(aclrtSynchronizeStream(stream))


TWICE_WRONG: dict[str, tuple[Callable[[Any], int], int, str]] = {
    "destroyed-handle-before-range-of-timeout-107017": (
        lambda cast: aclrtDestroyStream(cast.stream) or aclrtSynchronizeStreamWithTimeout(cast.stream, 0),
        ACL_ERROR_RT_INVALID_HANDLE,
        "stream 1",
    ),
    "destroyed-handle-before-unknown-attribute-107017": (
        lambda cast: (
            aclrtDestroyStream(cast.stream) or aclrtSetStreamAttribute(cast.stream, 99, byref(aclrtStreamAttrValue()))
        ),
        ACL_ERROR_RT_INVALID_HANDLE,
        "stream 1",
    ),
    "destroyed-handle-before-unknown-attribute-asked-107017": (
        lambda cast: (
            aclrtDestroyStream(cast.stream) or aclrtGetStreamAttribute(cast.stream, 99, byref(aclrtStreamAttrValue()))
        ),
        ACL_ERROR_RT_INVALID_HANDLE,
        "stream 1",
    ),
    "null-status-before-destroyed-handle-100000": (
        lambda cast: aclrtDestroyStream(cast.stream) or aclrtStreamQuery(cast.stream, None),
        ACL_ERROR_INVALID_PARAM,
        "status",
    ),
    "range-of-timeout-before-no-context-107000": (
        lambda cast: in_thread(lambda: aclrtSynchronizeStreamWithTimeout(cast.stream, 0)),
        ACL_ERROR_RT_PARAM_INVALID,
        "",
    ),
    "unknown-attribute-before-no-context-107000": (
        lambda cast: in_thread(lambda: aclrtSetStreamAttribute(None, 99, byref(aclrtStreamAttrValue()))),
        ACL_ERROR_RT_PARAM_INVALID,
        "",
    ),
    "unknown-attribute-asked-before-no-context-107000": (
        lambda cast: in_thread(lambda: aclrtGetStreamAttribute(None, 99, byref(aclrtStreamAttrValue()))),
        ACL_ERROR_RT_PARAM_INVALID,
        "",
    ),
}


@pytest.mark.parametrize(("call", "status", "word"), TWICE_WRONG.values(), ids=TWICE_WRONG)
def test_the_first_check_answers(cast: Cast, call: Callable[[Any], int], status: int, word: str) -> None:
    """ "The ACL layer checks first [...]; the handle check comes before range checks and before the context check;
    range checks come before the context check" (public)."""
    assert_status(call(cast), status, *filter(None, [word]))
