"""acl/acl_rt.h: host functions that streams queue, and host threads of their own for them.

The libraries of the ordinary products lack the three functions of such threads, so that C programs do not link.
"""

from contextlib import nullcontext

import acl_runtime.abi.c as c
from acl_runtime.api.outcomes import LAUNCHES
from acl_runtime.api.refusals import check_product
from acl_runtime.api.rt.serving import (
    IDLE,
    PROCESSING,
    SUBSCRIBING,
    UNSUBSCRIBING,
    no_function,
    process,
    queue,
    subscribable,
    subscribe,
    subscription,
    unsubscribe,
)
from acl_runtime.boundary import acl_api
from acl_runtime.headers.statuses import ACL_ERROR_RT_STREAM_SUBSCRIBE
from acl_runtime.machine.current import current
from acl_runtime.source.frames import trail
from acl_runtime.streams.stream import Task
from acl_runtime.streams.surfacing import check_accepts_work
from acl_runtime.text import Text


@acl_api("acl/acl_rt.h", also=LAUNCHES, resource=True, pyacl=None)
def aclrtLaunchHostFunc(stream: c.aclrtStream, fn: c.aclrtHostFunc, args: c.user_data) -> c.aclError:
    """Queue `fn(args)` as a task of the stream. The function runs on the host, in the stream's context, and later tasks
    of the stream wait for its end. No subscription is needed. A null stream is the default stream.

    If a thread has subscribed with aclrtSubscribeHostFunc, this thread runs the function, inside aclrtProcessHostFunc.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `fn` is null.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_STREAM_SUBSCRIBE: the stream is subscribed with aclrtSubscribeReport alone.
    """
    machine, what = current(), "Launching a host function"
    if stream:
        machine.stream(stream, what)
    if fn.value is None:
        raise no_function(what)
    live_stream = machine.own_stream(stream, what)
    function, data = fn.value, args.value
    if machine.host_functions.of_stream(live_stream) is not None:
        queue(machine, machine.host_functions, live_stream, function, data, waits=True)
        return
    if machine.reports.of_stream(live_stream) is not None:
        text = f"{live_stream} is subscribed with aclrtSubscribeReport: use aclrtLaunchCallback on it"
        raise subscription(ACL_ERROR_RT_STREAM_SUBSCRIBE, what, text)

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


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtSubscribeHostFunc(hostFuncThreadId: c.uint64_t, exeStream: c.aclrtStream) -> c.aclError:
    """Let the host thread `hostFuncThreadId` (pthread_self(), in Python threading.get_ident()) run the functions that
    aclrtLaunchHostFunc queues in a stream. The stream may be subscribed with aclrtSubscribeReport as well.

    Returns:
        ACL_SUCCESS: subscribed.
        ACL_ERROR_INVALID_PARAM: `exeStream` is null: the default stream cannot be subscribed.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_STREAM_SUBSCRIBE: the stream is subscribed already.
        ACL_ERROR_RT_THREAD_SUBSCRIBE: the thread serves another device already.
    """
    live_stream = subscribable(exeStream, SUBSCRIBING, "exeStream")
    check_product(SUBSCRIBING)
    subscribe(current(), current().host_functions, hostFuncThreadId, live_stream)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtUnSubscribeHostFunc(hostFuncThreadId: c.uint64_t, exeStream: c.aclrtStream) -> c.aclError:
    """End the subscription of a stream. Functions that arrived but were not run are dropped, and so are those that the
    stream reaches while no thread is subscribed.

    Returns:
        ACL_SUCCESS: unsubscribed.
        ACL_ERROR_INVALID_PARAM: `exeStream` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_STREAM_SUBSCRIBE: the stream is not subscribed.
        ACL_ERROR_RT_THREAD_SUBSCRIBE: another thread serves the stream.
    """
    live_stream = subscribable(exeStream, UNSUBSCRIBING, "exeStream")
    check_product(UNSUBSCRIBING)
    unsubscribe(current(), current().host_functions, hostFuncThreadId, live_stream)


@acl_api("acl/acl_rt.h", harmless=IDLE, pyacl=None)
def aclrtProcessHostFunc(timeout: c.int32_t) -> c.aclError:
    """Wait until a host function arrives from a stream that the calling thread is subscribed to; then run all functions
    that arrived, in order, on this thread. `timeout` is in milliseconds, -1 for ever. Threads wait as in
    aclrtProcessReport.

    Returns:
        ACL_SUCCESS: functions have run.
        ACL_ERROR_INVALID_PARAM: `timeout` is 0 or less than -1.
        ACL_ERROR_RT_THREAD_SUBSCRIBE: the thread serves no stream.
        ACL_ERROR_RT_REPORT_TIMEOUT: nothing arrived.
    """
    check_product(PROCESSING)
    process(current().host_functions, timeout)
