"""acl/acl_rt.h: host callbacks that streams queue."""

import threading
import time
from contextlib import nullcontext
from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.outcomes import LAUNCHES
from acl_runtime.api.refusals import invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import aclrtCallbackBlockType
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_RT_PARAM_INVALID,
    ACL_ERROR_RT_REPORT_TIMEOUT,
    ACL_ERROR_RT_STREAM_NO_CB_REG,
    ACL_ERROR_RT_STREAM_SUBSCRIBE,
    ACL_ERROR_RT_THREAD_SUBSCRIBE,
)
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.source.frames import trail
from acl_runtime.streams.callbacks import Arrivals, CallbackEnd, CallbackTask, Report
from acl_runtime.streams.stream import Task
from acl_runtime.streams.surfacing import check_accepts_work
from acl_runtime.text import Text

IDLE: Final = (ACL_ERROR_RT_REPORT_TIMEOUT, ACL_ERROR_RT_THREAD_SUBSCRIBE)
"""statuses of a poll for callbacks before the thread is subscribed, and before a callback has arrived"""
POLL_PAUSE: Final = 0.0005
"""real seconds that a polling thread pauses, so that other threads can use the machine"""


@acl_api("acl/acl_rt.h")
def aclrtSubscribeReport(threadId: c.uint64_t, stream: c.aclrtStream) -> c.aclError:
    """Let the host thread `threadId` (pthread_self(), in Python threading.get_ident()) run the callbacks of a stream.

    Returns:
        ACL_SUCCESS: subscribed.
        ACL_ERROR_INVALID_PARAM: `stream` is null: the default stream cannot be subscribed.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_STREAM_SUBSCRIBE: the stream is subscribed already, or aclrtLaunchHostFunc was used on it.
        ACL_ERROR_RT_THREAD_SUBSCRIBE: the thread serves another device already.
    """
    if not stream:
        raise null("stream")
    machine, what = current(), "Subscribing a stream"
    live_stream = machine.own_stream(stream, what)
    if machine.reports.of_stream(live_stream) is not None:
        raise _subscription(ACL_ERROR_RT_STREAM_SUBSCRIBE, what, f"{live_stream} is subscribed already")
    if live_stream.calls_host:
        raise _subscription(ACL_ERROR_RT_STREAM_SUBSCRIBE, what, f"aclrtLaunchHostFunc was used on {live_stream}")
    arrivals = machine.reports.of_thread(threadId)
    if arrivals is not None and arrivals.served[0].context.device is not live_stream.context.device:
        number = arrivals.served[0].context.device.number
        raise _subscription(ACL_ERROR_RT_THREAD_SUBSCRIBE, what, f"thread {threadId} serves device {number} already")
    machine.reports.subscribe(threadId, live_stream)
    for thread in threading.enumerate():
        if thread.ident == threadId:
            machine.scheduler.add_host_thread(thread)  # a wait for its callbacks is no deadlock
    machine.scheduler.happened()


@acl_api("acl/acl_rt.h", pyacl="rt.unsubscribe_report")
def aclrtUnSubscribeReport(threadId: c.uint64_t, stream: c.aclrtStream) -> c.aclError:
    """End the subscription of a stream. Callbacks that arrived but were not run are dropped, and so are callbacks that
    the stream reaches while no thread is subscribed.

    Returns:
        ACL_SUCCESS: unsubscribed.
        ACL_ERROR_INVALID_PARAM: `stream` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_STREAM_SUBSCRIBE: the stream is not subscribed.
        ACL_ERROR_RT_THREAD_SUBSCRIBE: another thread serves the stream.
    """
    if not stream:
        raise null("stream")
    machine, what = current(), "Unsubscribing a stream"
    live_stream = machine.own_stream(stream, what)
    arrivals = machine.reports.of_stream(live_stream)
    if arrivals is None:
        raise _subscription(ACL_ERROR_RT_STREAM_SUBSCRIBE, what, f"{live_stream} is not subscribed")
    if arrivals.thread != threadId:
        reason = f"thread {arrivals.thread} serves {live_stream}, not thread {threadId}"
        raise _subscription(ACL_ERROR_RT_THREAD_SUBSCRIBE, what, reason)
    machine.reports.forget(live_stream)
    machine.scheduler.happened()


@acl_api("acl/acl_rt.h", also=LAUNCHES, resource=True)
def aclrtLaunchCallback(
    fn: c.aclrtCallback, userData: c.user_data, blockType: c.aclrtCallbackBlockType, stream: c.aclrtStream
) -> c.aclError:
    """Queue a callback in a stream. The subscribed thread runs `fn(userData)` inside aclrtProcessReport.

    With ACL_CALLBACK_BLOCK later tasks of the stream wait for the callback; with ACL_CALLBACK_NO_BLOCK they do not.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `blockType` is neither 0 nor 1, or `stream` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `fn` is null.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_STREAM_NO_CB_REG: no thread has subscribed to the stream.
    """
    if blockType not in list(aclrtCallbackBlockType):
        raise invalid(blockType, "blockType", "ACL_CALLBACK_NO_BLOCK (0) or ACL_CALLBACK_BLOCK (1)")
    if not stream:
        raise null("stream")
    machine, what = current(), "Launching a callback"
    machine.stream(stream, what)
    if fn.value is None:
        raise _no_function(what)
    live_stream = machine.own_stream(stream, what)
    if machine.reports.of_stream(live_stream) is None:
        reason = f"no thread has subscribed to {live_stream}: call aclrtSubscribeReport first"
        raise _subscription(ACL_ERROR_RT_STREAM_NO_CB_REG, what, reason)
    report = Report(live_stream, fn.value, userData.value)
    callback = CallbackTask(report, machine.reports, trail())
    end = CallbackEnd(callback) if blockType == aclrtCallbackBlockType.ACL_CALLBACK_BLOCK else None
    machine.submit(live_stream, callback)
    if end is not None:
        machine.submit(live_stream, end)


@acl_api("acl/acl_rt.h", harmless=IDLE)
def aclrtProcessReport(timeout: c.int32_t) -> c.aclError:
    """Wait until a callback arrives from a stream that the calling thread is subscribed to; then run all callbacks that
    arrived, in order, on this thread. `timeout` is in milliseconds, -1 for ever.

    With `schedule="late"` the call first runs the tasks before the callback. Without another host thread that could
    launch a callback, the call times out at once.

    Returns:
        ACL_SUCCESS: callbacks have run.
        ACL_ERROR_INVALID_PARAM: `timeout` is 0 or less than -1.
        ACL_ERROR_RT_THREAD_SUBSCRIBE: the thread serves no stream.
        ACL_ERROR_RT_REPORT_TIMEOUT: nothing arrived.
    """
    if timeout == 0 or timeout < -1:
        raise invalid(timeout, "timeout", "-1, or more than 0 milliseconds")
    machine, what = current(), "Processing callbacks"
    arrivals = machine.reports.of_thread(threading.get_ident())
    if arrivals is None:
        _pause(machine)
        raise _not_serving(what)
    if not _wait_for(machine, arrivals, timeout):
        text = f"no callback arrived from {', '.join(map(str, arrivals.served))}"
        raise AclError(ACL_ERROR_RT_REPORT_TIMEOUT, Item("EE1018", (what, text)))
    if not arrivals.reports and not arrivals.served:
        raise _not_serving(what)
    while arrivals.reports:
        report = arrivals.reports.popleft()
        if report.task is not None:
            machine.announce.host_learnt(report.task.clock)
        try:
            with machine.calling_out(callback=report.task):
                report.function(report.data)
        finally:
            report.called = True
            if report.end is not None:
                machine.announce.answered(report.end)
            machine.scheduler.happened()


def _wait_for(machine: Machine, arrivals: Arrivals, timeout: int) -> bool:
    """True if a callback arrives within the timeout. Another host thread may launch the callback, so the wait takes
    real time, as long as on a real host at most."""
    if timeout == -1:
        return machine.scheduler.wait(arrivals)
    return machine.scheduler.wait(arrivals, timeout * 1000.0, patience=timeout / 1000)


def _pause(machine: Machine) -> None:
    """Let other threads use the machine while the caller polls."""
    if machine.scheduler.others():
        with machine.calling_out():
            time.sleep(POLL_PAUSE)


@acl_api("acl/acl_rt.h", also=LAUNCHES, resource=True, pyacl=None)
def aclrtLaunchHostFunc(stream: c.aclrtStream, fn: c.aclrtHostFunc, args: c.user_data) -> c.aclError:
    """Queue `fn(args)` as a task of the stream. The function runs on the host, in the stream's context, and later tasks
    of the stream wait for its end. No subscription is needed. A null stream is the default stream.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `fn` is null.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_STREAM_SUBSCRIBE: the stream is subscribed with aclrtSubscribeReport.
    """
    machine, what = current(), "Launching a host function"
    if stream:
        machine.stream(stream, what)
    if fn.value is None:
        raise _no_function(what)
    live_stream = machine.own_stream(stream, what)
    if machine.reports.of_stream(live_stream) is not None:
        text = f"{live_stream} is subscribed with aclrtSubscribeReport: use aclrtLaunchCallback on it"
        raise _subscription(ACL_ERROR_RT_STREAM_SUBSCRIBE, what, text)
    function, data = fn.value, args.value

    def run() -> None:
        task = machine.thread().task
        with (
            machine.host_code_of(task) if task is not None else nullcontext(),
            machine.calling_out(live_stream.context, callback=task),
        ):
            function(data)

    check_accepts_work(live_stream)
    live_stream.calls_host = True  # set first: with schedule="eager" `submit` runs the function, which may raise
    task = Task(Text("host function"), run, (), trail(), calls_host=True, publishes=True, opaque=True)
    machine.submit(live_stream, task)


def _no_function(what: str) -> AclError:
    values = (what, "null", "fn", "the function must not be null")
    return AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1011", values))


def _not_serving(what: str) -> AclError:
    reason = f"thread {threading.get_ident()} serves no stream: subscribe it with aclrtSubscribeReport"
    return _subscription(ACL_ERROR_RT_THREAD_SUBSCRIBE, what, reason)


def _subscription(status: int, what: str, reason: str) -> AclError:
    code = "EE1016" if status == ACL_ERROR_RT_STREAM_SUBSCRIBE else "EE1018"
    return AclError(status, Item(code, (what, reason)))
