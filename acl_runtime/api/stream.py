"""acl/acl_rt.h: streams."""

import acl_runtime.c as c
from acl_runtime.api.refusals import null
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.machine.installation import current
from acl_runtime.machine.stream import Stream, surface
from acl_runtime.messages import Item
from acl_runtime.statuses import ACL_ERROR_RT_NO_STREAM_RESOURCE


@acl_api("acl/acl_rt.h")
def aclrtCreateStream(stream: c.aclrtStream_p) -> c.aclError:
    """Create a stream in the current context. It does not synchronise with the default stream.

    Returns:
        ACL_SUCCESS: `*stream` is the new stream.
        ACL_ERROR_INVALID_PARAM: `stream` is null.
        ACL_ERROR_RT_CONTEXT_NULL: the thread has no current context.
        ACL_ERROR_RT_NO_STREAM_RESOURCE: the device has no stream left (1984 on A2 and A3, 2048 on the training
            series, 1024 on the inference series, 512 on 200I/500 A2).
    """
    if stream.null:
        raise null("stream")
    machine = current()
    context = machine.context("Stream creation")
    limit = context.device.soc.streams
    if sum(len(other.streams) for other in context.device.contexts()) >= limit:
        reason = f"all {limit} streams of device {context.device.number} ({machine.soc.label}) are in use"
        raise AclError(ACL_ERROR_RT_NO_STREAM_RESOURCE, Item("EE1023", ("Stream creation", reason)))
    created = Stream(context)
    context.streams.append(created)
    stream.store(machine.handles.add(created))


@acl_api("acl/acl_rt.h")
def aclrtDestroyStream(stream: c.aclrtStream) -> c.aclError:
    """Wait for what is queued in the stream, then destroy it.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `stream` is null (the default stream cannot be destroyed).
        ACL_ERROR_RT_INVALID_HANDLE: the handle was destroyed, or is no stream.
        ACL_ERROR_RT_CONTEXT_NULL: the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context.
    """
    if not stream:
        raise null("stream")
    machine = current()
    found = machine.own_stream(stream, "Stream destruction")
    machine.finish(found)
    found.context.streams.remove(found)
    machine.scheduler.drop(found)
    machine.handles.remove(found, "destroyed")


@acl_api("acl/acl_rt.h")
def aclrtSynchronizeStream(stream: c.aclrtStream) -> c.aclError:
    """Block until all tasks submitted to the stream are done; null is the default stream of the current context.

    The stream may belong to another context than the thread's.

    Returns:
        ACL_SUCCESS: everything is done.
        ACL_ERROR_RT_INVALID_HANDLE: the handle was destroyed, or is no stream.
        ACL_ERROR_RT_CONTEXT_NULL: the thread has no current context.
        ACL_ERROR_RT_AICORE_EXCEPTION: a task failed on the device.
        ACL_ERROR_RT_VECTOR_CORE_EXCEPTION: a task failed on a vector core of the device.
    """
    machine = current()
    found = machine.stream(stream, "Stream synchronisation")
    machine.context("Stream synchronisation")
    machine.finish(found)
    surface(found)
