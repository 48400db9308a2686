"""acl/acl_rt.h: callbacks that streams queue, and that a subscribed host thread runs."""

import acl_runtime.abi.c as c
from acl_runtime.api.outcomes import LAUNCHES
from acl_runtime.api.refusals import invalid, null
from acl_runtime.api.rt.serving import (
    IDLE,
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
from acl_runtime.headers.enums import aclrtCallbackBlockType
from acl_runtime.headers.statuses import ACL_ERROR_RT_STREAM_NO_CB_REG, ACL_ERROR_RT_STREAM_SUBSCRIBE
from acl_runtime.machine.current import current


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
    live_stream = subscribable(stream, SUBSCRIBING)
    if live_stream.calls_host:
        reason = f"aclrtLaunchHostFunc was used on {live_stream}"
        raise subscription(ACL_ERROR_RT_STREAM_SUBSCRIBE, SUBSCRIBING, reason)
    subscribe(current(), current().reports, threadId, live_stream)


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
    live_stream = subscribable(stream, UNSUBSCRIBING)
    unsubscribe(current(), current().reports, threadId, live_stream)


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
        raise no_function(what)
    live_stream = machine.own_stream(stream, what)
    if machine.reports.of_stream(live_stream) is None:
        reason = f"no thread has subscribed to {live_stream}: call aclrtSubscribeReport first"
        raise subscription(ACL_ERROR_RT_STREAM_NO_CB_REG, what, reason)
    waits = blockType == aclrtCallbackBlockType.ACL_CALLBACK_BLOCK
    queue(machine, machine.reports, live_stream, fn.value, userData.value, waits=waits)


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
    process(current().reports, timeout)
