"""Callbacks that a subscribed host thread runs in aclrtProcessReport (public)."""

from _thread import allocate_lock, start_new_thread
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Event, get_ident
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.streams.waiters import Waiters
from tests.helpers.creating import create_context, create_stream, event_of
from tests.helpers.host_threads import current_context, in_thread
from tests.helpers.outcomes import assert_status, ok

pytestmark = pytest.mark.finds("work-dropped")

NO_BLOCK, BLOCK = ACL_CALLBACK_NO_BLOCK, ACL_CALLBACK_BLOCK
STRANGER = 7
"""a thread that serves nothing"""


@dataclass
class Scene:
    """Streams of every state, in a context that is current."""

    machine: Machine
    plain: aclrtStream
    served: aclrtStream
    """subscribed by the thread of the test"""
    elsewhere: aclrtStream
    """subscribed by another thread"""
    calls_host: aclrtStream
    dead: aclrtStream
    foreign: aclrtStream
    """of another context"""
    event: aclrtEvent
    context: aclrtContext


@pytest.fixture
def scene(machine: Machine) -> Iterator[Scene]:
    default = current_context()
    create_context()
    foreign = create_stream()
    ok(aclrtSetCurrentContext(default))
    plain, served, elsewhere, calls_host, dead = (create_stream() for _ in range(5))
    ok(aclrtSubscribeReport(get_ident(), served))
    ok(aclrtSubscribeReport(STRANGER + 1, elsewhere))
    ok(aclrtLaunchHostFunc(calls_host, print, "never"))
    ok(aclrtDestroyStream(dead))
    made = Scene(
        machine, plain, served, elsewhere, calls_host, dead, foreign, event_of(aclrtCreateEvent), default
    )  # fmt: skip
    yield made
    aclrtDestroyStreamForce(calls_host)


def subscribe(stream: Any, thread: int = STRANGER) -> int:
    return aclrtSubscribeReport(thread, stream)


def unsubscribe(stream: Any, thread: int = STRANGER) -> int:
    return aclrtUnSubscribeReport(thread, stream)


def launch(stream: Any, fn: Callable[[Any], object] | None = print, block: int = NO_BLOCK) -> int:
    return aclrtLaunchCallback(fn, "never", block, stream)


def refused(id: str, call: Callable[[Scene], int], status: int, *words: str) -> Any:
    return pytest.param(call, status, words, id=id)


PARAM, RANGE, HANDLE = ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_PARAM_INVALID, ACL_ERROR_RT_INVALID_HANDLE
FOREIGN, STREAM, THREAD = ACL_ERROR_RT_STREAM_CONTEXT, ACL_ERROR_RT_STREAM_SUBSCRIBE, ACL_ERROR_RT_THREAD_SUBSCRIBE
REFUSALS = [
    # "the default stream is not accepted by: [...] subscribe, launch callback" (1.5)
    refused("subscribe-null-stream-100000", lambda s: subscribe(None), PARAM, "(EH0008)", "stream"),
    refused("subscribe-dead-stream-107017", lambda s: subscribe(s.dead), HANDLE, "(EE1017)", "stream", "destroyed"),
    refused("subscribe-event-107017", lambda s: subscribe(s.event), HANDLE, "(EE1017)", "it is event 1"),
    refused("subscribe-context-107017", lambda s: subscribe(s.context), HANDLE, "(EE1017)", "context"),
    refused("subscribe-other-context-107003", lambda s: subscribe(s.foreign), FOREIGN, "(EE1010)", "stream_id="),
    refused("subscribe-same-stream-twice-107011", lambda s: subscribe(s.served, get_ident()), STREAM, "(EE1016)",
            "subscribed already"),
    refused("subscribe-stream-of-another-thread-107011", lambda s: subscribe(s.served), STREAM, "subscribed already"),
    refused("subscribe-after-host-function-107011", lambda s: subscribe(s.calls_host), STREAM, "(EE1016)",
            "aclrtLaunchHostFunc"),
    refused("unsubscribe-null-stream-100000", lambda s: unsubscribe(None), PARAM, "(EH0008)", "stream"),
    refused("unsubscribe-dead-stream-107017", lambda s: unsubscribe(s.dead), HANDLE, "(EE1017)", "destroyed"),
    refused("unsubscribe-event-107017", lambda s: unsubscribe(s.event), HANDLE, "(EE1017)", "it is event 1"),
    refused("unsubscribe-other-context-107003", lambda s: unsubscribe(s.foreign), FOREIGN, "(EE1010)"),
    refused("unsubscribe-unknown-stream-107011", lambda s: unsubscribe(s.plain, get_ident()), STREAM, "(EE1016)",
            "not subscribed"),
    refused("unsubscribe-unknown-thread-107012", lambda s: unsubscribe(s.served), THREAD, "(EE1018)", "thread 7"),
    refused("unsubscribe-another-subscriber-107012", lambda s: unsubscribe(s.elsewhere, get_ident()), THREAD,
            f"thread {STRANGER + 1} serves"),
    refused("unsubscribe-stream-before-thread-107011", lambda s: unsubscribe(s.plain), STREAM, "not subscribed"),
    refused("launch-block-type-2-100000", lambda s: launch(s.served, block=2), PARAM, "(EH0007)", "blockType", "2"),
    refused("launch-block-type-negative-100000", lambda s: launch(s.served, block=-1), PARAM, "(EH0007)", "blockType"),
    refused("launch-null-function-107000", lambda s: launch(s.served, None), RANGE, "(EE1011)", "fn", "null"),
    refused("launch-null-stream-100000", lambda s: launch(None), PARAM, "(EH0008)", "stream"),
    refused("launch-dead-stream-107017", lambda s: launch(s.dead), HANDLE, "(EE1017)", "destroyed"),
    refused("launch-event-107017", lambda s: launch(s.event), HANDLE, "(EE1017)", "it is event 1"),
    refused("launch-other-context-107003", lambda s: launch(s.foreign), FOREIGN, "(EE1010)", "stream_id="),
    refused("launch-not-subscribed-107015", lambda s: launch(s.plain), ACL_ERROR_RT_STREAM_NO_CB_REG, "(EE1018)",
            "aclrtSubscribeReport"),
    refused("launch-host-function-stream-107015", lambda s: launch(s.calls_host), ACL_ERROR_RT_STREAM_NO_CB_REG),
    refused("launch-order-block-type-then-function-100000", lambda s: launch(s.served, None, 2), PARAM, "blockType"),
    refused("launch-order-block-type-then-handle-100000", lambda s: launch(s.dead, block=2), PARAM, "blockType"),
    refused("launch-order-null-stream-then-function-100000", lambda s: launch(None, None), PARAM, "stream"),
    refused("launch-order-handle-then-function-107017", lambda s: launch(s.dead, None), HANDLE, "destroyed"),
    refused("launch-order-function-then-context-107000", lambda s: launch(s.foreign, None), RANGE, "fn"),
    refused("launch-order-function-then-subscription-107000", lambda s: launch(s.plain, None), RANGE, "fn"),
    refused("process-timeout-0-100000", lambda s: aclrtProcessReport(0), PARAM, "(EH0007)", "timeout", "-1"),
    refused("process-timeout-minus-2-100000", lambda s: aclrtProcessReport(-2), PARAM, "(EH0007)", "timeout"),
    refused("process-timeout-lowest-100000", lambda s: aclrtProcessReport(-(1 << 31)), PARAM, "timeout"),
    refused("process-nothing-arrived-507012", lambda s: aclrtProcessReport(100), ACL_ERROR_RT_REPORT_TIMEOUT,
            "no callback", "stream"),
]  # fmt: skip


@pytest.mark.fidelity("null stream given to subscribe, unsubscribe, launch callback")
@pytest.mark.parametrize(("call", "status", "words"), REFUSALS)
def test_a_refused_callback_is_not_queued(
    scene: Scene, call: Callable[[Scene], int], status: int, words: tuple[str, ...]
) -> None:
    """The status, a text that helps, the last error (of the runtime layer only), and nothing queued."""
    aclrtGetLastError(ACL_RT_THREAD_LEVEL)
    assert_status(call(scene), status, *words)
    assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == (0 if status == PARAM else status)
    assert aclrtSynchronizeStream(scene.served) == aclrtSynchronizeStream(scene.plain) == ACL_SUCCESS
    assert aclrtProcessReport(1) == ACL_ERROR_RT_REPORT_TIMEOUT
    assert subscribe(scene.served) == STREAM, "still subscribed"
    assert subscribe(scene.plain) == ACL_SUCCESS, "still not subscribed"


NO_CONTEXT = ACL_ERROR_RT_CONTEXT_NULL
WITHOUT_CONTEXT = [
    refused("subscribe-107002", lambda s: subscribe(s.plain), NO_CONTEXT, "(EE1018)", "no valid context"),
    refused("unsubscribe-107002", lambda s: unsubscribe(s.served), NO_CONTEXT, "(EE1018)", "no valid context"),
    refused("launch-107002", lambda s: launch(s.served), NO_CONTEXT, "(EE1018)", "no valid context"),
    refused("subscribe-null-before-context-100000", lambda s: subscribe(None), PARAM),
    refused("subscribe-handle-before-context-107017", lambda s: subscribe(s.dead), HANDLE),
    refused("subscribe-context-before-twice-107002", lambda s: subscribe(s.served), NO_CONTEXT),
    refused("unsubscribe-null-before-context-100000", lambda s: unsubscribe(None), PARAM),
    refused("unsubscribe-handle-before-context-107017", lambda s: unsubscribe(s.dead), HANDLE),
    refused("launch-null-before-context-100000", lambda s: launch(None), PARAM),
    refused("launch-block-type-before-context-100000", lambda s: launch(s.served, block=9), PARAM),
    refused("launch-handle-before-context-107017", lambda s: launch(s.dead), HANDLE),
    refused("launch-function-before-context-107000", lambda s: launch(s.served, None), RANGE),
    refused("launch-context-before-subscription-107002", lambda s: launch(s.plain), NO_CONTEXT),
    refused("process-needs-no-context-107012", lambda s: aclrtProcessReport(-1), THREAD, "(EE1018)", "serves no"),
    refused("process-timeout-before-thread-100000", lambda s: aclrtProcessReport(0), PARAM, "timeout"),
]


@pytest.mark.parametrize(("call", "status", "words"), WITHOUT_CONTEXT)
def test_refusals_in_a_new_thread(
    scene: Scene, call: Callable[[Scene], int], status: int, words: tuple[str, ...]
) -> None:
    """A new thread has no context, and serves nothing."""
    in_thread(lambda: assert_status(call(scene), status, *words))


def test_a_thread_that_serves_another_device_107012(two: Machine) -> None:
    """ "Thread already serving another device -> 107012", until it does not any more."""
    ok(aclrtSetDevice(0))
    first, second = create_stream(), create_stream()
    ok(aclrtSubscribeReport(STRANGER, first))
    ok(aclrtSubscribeReport(STRANGER, second))
    ok(aclrtSetDevice(1))
    stream = create_stream()
    words = ("(EE1018)", "thread 7", "device 0")
    assert_status(aclrtSubscribeReport(STRANGER, stream), THREAD, *words)
    assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == THREAD
    ok(aclrtSubscribeReport(STRANGER + 1, stream))
    ok(aclrtUnSubscribeReport(STRANGER + 1, stream))
    ok(aclrtSetDevice(0))
    ok(aclrtUnSubscribeReport(STRANGER, first))
    ok(aclrtSetDevice(1))
    assert aclrtSubscribeReport(STRANGER, stream) == THREAD, "it serves the second stream"
    ok(aclrtSetDevice(0))
    ok(aclrtUnSubscribeReport(STRANGER, second))
    ok(aclrtSetDevice(1))
    ok(aclrtSubscribeReport(STRANGER, stream))


def test_streams_of_two_contexts_of_one_device(machine: Machine) -> None:
    """One thread may serve both: only another device is refused. It needs no context for that itself."""
    seen: list[str] = []
    for name in ("default", "explicit"):
        if name == "explicit":
            create_context()
        stream = create_stream()
        ok(aclrtSubscribeReport(get_ident(), stream))
        ok(aclrtLaunchCallback(seen.append, name, NO_BLOCK, stream))
        ok(aclrtSynchronizeStream(stream))
    ok(aclrtProcessReport(100))
    assert seen == ["default", "explicit"]


def test_callbacks_of_an_aborted_stream_are_107023(machine: Machine) -> None:
    """Its callbacks are discarded and it takes no more; other streams of the thread are still served."""
    seen: list[str] = []
    stream, other = create_stream(), create_stream()
    for each in (stream, other):
        ok(aclrtSubscribeReport(get_ident(), each))
    ok(aclrtLaunchCallback(seen.append, "aborted", BLOCK, stream))
    ok(aclrtStreamAbort(stream))
    assert_status(launch(stream), ACL_ERROR_RT_STREAM_ABORT, "stream 1 was aborted at")
    assert launch(stream, block=BLOCK) == ACL_ERROR_RT_STREAM_ABORT
    ok(aclrtLaunchCallback(seen.append, "other", NO_BLOCK, other))
    ok(aclrtProcessReport(-1))
    assert aclrtProcessReport(1) == ACL_ERROR_RT_REPORT_TIMEOUT
    assert seen == ["other"]


def stream_goes(stream: aclrtStream) -> None:
    ok(aclrtDestroyStream(stream))


def stream_is_forced_out(stream: aclrtStream) -> None:
    ok(aclrtDestroyStreamForce(stream))


def context_goes(stream: aclrtStream) -> None:
    ok(aclrtDestroyContext(current_context()))


def device_is_reset(stream: aclrtStream) -> None:
    ok(aclrtResetDevice(0))


ENDS = [stream_goes, stream_is_forced_out, context_goes, device_is_reset]


@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.__name__)
def test_the_subscription_goes_with_its_stream_107012(two: Machine, end: Callable[[aclrtStream], None]) -> None:
    """A stream that is gone is not served: its callbacks are not run, and the thread may serve another device."""
    seen: list[int] = []
    if end is context_goes:
        create_context(0)
    else:
        ok(aclrtSetDevice(0))
    stream = create_stream()
    ok(aclrtSubscribeReport(get_ident(), stream))
    ok(aclrtLaunchCallback(seen.append, 1, NO_BLOCK, stream))
    ok(aclrtSynchronizeStream(stream))
    end(stream)
    assert_status(aclrtProcessReport(-1), THREAD, "serves no stream")
    ok(aclrtSetDevice(1))
    ok(aclrtSubscribeReport(get_ident(), create_stream()))
    assert aclrtProcessReport(1) == ACL_ERROR_RT_REPORT_TIMEOUT
    assert not seen


def test_the_subscribed_thread_may_make_its_first_call_while_another_one_waits(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python does not know a thread of C++ before its first call, as little as this thread."""
    stream, called = create_stream(), Event()
    may_call = allocate_lock()
    may_call.acquire()
    context, sleep = current_context(), Waiters.sleep

    def serve() -> None:
        may_call.acquire()
        aclrtSetCurrentContext(context)
        while not called.is_set():
            aclrtProcessReport(10)

    def sleep_after_its_start(waiters: Waiters, waiter: Any, seconds: float) -> None:
        if may_call.locked():
            may_call.release()
        sleep(waiters, waiter, seconds)

    thread = start_new_thread(serve, ())
    monkeypatch.setattr(Waiters, "sleep", sleep_after_its_start)
    ok(aclrtSubscribeReport(thread, stream))
    ok(aclrtLaunchCallback(lambda data: called.set(), None, BLOCK, stream))
    ok(aclrtSynchronizeStream(stream))
    assert called.is_set()
