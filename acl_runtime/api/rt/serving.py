"""Host threads that run the callbacks of streams: subscription, arrival, and the run of what has arrived."""

import threading
import time
from collections.abc import Callable
from typing import Any, Final

from acl_runtime.api.refusals import invalid, null
from acl_runtime.errors import AclError
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_RT_PARAM_INVALID,
    ACL_ERROR_RT_REPORT_TIMEOUT,
    ACL_ERROR_RT_STREAM_SUBSCRIBE,
    ACL_ERROR_RT_THREAD_SUBSCRIBE,
)
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.source.frames import trail
from acl_runtime.streams.callbacks import Arrivals, CallbackEnd, CallbackTask, Report, Reports
from acl_runtime.streams.stream import Stream

IDLE: Final = (ACL_ERROR_RT_REPORT_TIMEOUT, ACL_ERROR_RT_THREAD_SUBSCRIBE)
"""statuses of a poll for callbacks before the thread is subscribed, and before a callback has arrived"""
POLL_PAUSE: Final = 0.0005
"""real seconds that a polling thread pauses, so that other threads can use the machine"""
SUBSCRIBING: Final = "Subscribing a stream"
UNSUBSCRIBING: Final = "Unsubscribing a stream"
PROCESSING: Final = "Processing callbacks"


def subscribable(stream: int, what: str, parameter: str = "stream") -> Stream:
    """A stream of the current context: 100000 for the null stream, as "the default stream cannot be subscribed"."""
    if not stream:
        raise null(parameter)
    return current().own_stream(stream, what, parameter=parameter)


def subscribe(machine: Machine, reports: Reports, thread: int, stream: Stream) -> None:
    """Let a host thread run what the stream sends."""
    if reports.of_stream(stream) is not None:
        raise subscription(ACL_ERROR_RT_STREAM_SUBSCRIBE, SUBSCRIBING, f"{stream} is subscribed already")
    arrivals = reports.of_thread(thread)
    if arrivals is not None and arrivals.served[0].context.device is not stream.context.device:
        number = arrivals.served[0].context.device.number
        reason = f"thread {thread} serves device {number} already"
        raise subscription(ACL_ERROR_RT_THREAD_SUBSCRIBE, SUBSCRIBING, reason)
    reports.subscribe(thread, stream)
    for live_thread in threading.enumerate():
        if live_thread.ident == thread:
            machine.scheduler.add_host_thread(live_thread)  # a wait for its callbacks is no deadlock
    machine.scheduler.happened()


def unsubscribe(machine: Machine, reports: Reports, thread: int, stream: Stream) -> None:
    """End the subscription of a stream."""
    arrivals = reports.of_stream(stream)
    if arrivals is None:
        raise subscription(ACL_ERROR_RT_STREAM_SUBSCRIBE, UNSUBSCRIBING, f"{stream} is not subscribed")
    if arrivals.thread != thread:
        reason = f"thread {arrivals.thread} serves {stream}, not thread {thread}"
        raise subscription(ACL_ERROR_RT_THREAD_SUBSCRIBE, UNSUBSCRIBING, reason)
    reports.forget(stream)
    machine.scheduler.happened()


def queue(
    machine: Machine, reports: Reports, stream: Stream, function: Callable[[Any], Any], data: Any, *, waits: bool
) -> None:
    """Queue a function for the thread that serves the stream. `waits`: later tasks of the stream wait for its end."""
    callback = CallbackTask(Report(reports, stream, function, data), trail())
    end = CallbackEnd(callback) if waits else None
    machine.submit(stream, callback)
    if end is not None:
        machine.submit(stream, end)


def process(reports: Reports, timeout: int) -> None:
    """Wait until something arrives for the calling thread, and run all that has arrived."""
    if timeout == 0 or timeout < -1:
        raise invalid(timeout, "timeout", "-1, or more than 0 milliseconds")
    machine = current()
    arrivals = reports.of_thread(threading.get_ident())
    if arrivals is None:
        _pause(machine)
        raise _not_serving(reports)
    if not _wait_for(machine, arrivals, timeout):
        text = f"no callback arrived from {', '.join(map(str, arrivals.served))}"
        raise AclError(ACL_ERROR_RT_REPORT_TIMEOUT, Item("EE1018", (PROCESSING, text)))
    if not arrivals.reports and not arrivals.served:
        raise _not_serving(reports)
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


def _not_serving(reports: Reports) -> AclError:
    reason = f"thread {threading.get_ident()} serves no stream: subscribe it with {reports.subscribe_by}"
    return subscription(ACL_ERROR_RT_THREAD_SUBSCRIBE, PROCESSING, reason)


def subscription(status: int, what: str, reason: str) -> AclError:
    """The refusal of a call because of a subscription, or the lack of one."""
    code = "EE1016" if status == ACL_ERROR_RT_STREAM_SUBSCRIBE else "EE1018"
    return AclError(status, Item(code, (what, reason)))


def no_function(what: str) -> AclError:
    """107000 for a null function."""
    values = (what, "null", "fn", "the function must not be null")
    return AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1011", values))
