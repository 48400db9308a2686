"""acl/acl_rt.h: contexts."""

import acl_runtime.abi.c as c
from acl_runtime.api.refusals import invalid, null
from acl_runtime.api.rt.destruction import destroying
from acl_runtime.api.rt.ending import end_context, release
from acl_runtime.api.rt.state_callbacks import handle_of, stream_changes
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError, Past
from acl_runtime.headers.enums import aclrtStreamState
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_RT_CONTEXT_NULL,
    ACL_ERROR_RT_NO_STREAM_RESOURCE,
    ACL_ERROR_RT_PARAM_INVALID,
)
from acl_runtime.machine.current import current
from acl_runtime.objects.handle_table import DESTROYED
from acl_runtime.source.frames import by_site, here
from acl_runtime.streams.model.model import Model
from acl_runtime.streams.stream import Context
from acl_runtime.text import Text


@acl_api("acl/acl_rt.h", resource=True)
def aclrtCreateContext(context: c.aclrtContext_p, deviceId: c.int32_t) -> c.aclError:
    """Create a context on device `deviceId`, with its default stream, and make the context current.

    The context keeps the device open, even without aclrtSetDevice.

    Returns:
        ACL_SUCCESS: `*context` is the new, current context.
        ACL_ERROR_INVALID_PARAM: `context` is null.
        ACL_ERROR_RT_INVALID_DEVICEID
        ACL_ERROR_RT_NO_STREAM_RESOURCE: the device has as many contexts as it has streams.
    """
    if context.null:
        raise null("context")
    machine = current()
    device = machine.device(deviceId, "Creating a context", "deviceId")
    if len(device.explicit) >= device.stream_limit:  # "Any number per device (bounded by streams)"
        lines = by_site(context.made for context in device.explicit)
        have = f"{len(device.explicit)} contexts, each with a stream"
        reason = f"device {deviceId} ({device.soc.label}) has {have}, created: {lines}"
        raise AclError(ACL_ERROR_RT_NO_STREAM_RESOURCE, Item("EE1023", ("Context creation", reason)))
    created = Context(device)
    device.explicit[created] = None
    context.store(machine.handles.add(created))
    machine.thread().use(explicit=created)
    stream_changes(machine, created.default_stream, aclrtStreamState.ACL_RT_STREAM_STATE_CREATE_POST)


@acl_api("acl/acl_rt.h", pyacl="rt.set_context")
def aclrtSetCurrentContext(context: c.aclrtContext) -> c.aclError:
    """Make `context` current for the calling thread; the context's device becomes the thread's device.

    Returns:
        ACL_SUCCESS: the context is current.
        ACL_ERROR_INVALID_PARAM: `context` is null.
        ACL_ERROR_RT_PARAM_INVALID: `context` was destroyed, or is no context.
    """
    if not context:
        raise null("context")
    machine = current()
    live_context = machine.handles.find(context, Context)
    if live_context is None or not live_context.alive:
        what = "Setting the current context of the thread"
        reason = f"the handle is no valid context: {whereabouts(live_context, context)}"
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1018", (what, reason)))
    machine.thread().use(explicit=live_context)


@acl_api("acl/acl_rt.h", resource=True)
def aclrtDestroyContext(context: c.aclrtContext) -> c.aclError:
    """Destroy a context made by aclrtCreateContext, with its streams. The queued tasks of the streams are dropped.

    Device memory stays. If the context was current on the calling thread, the thread has no context afterwards.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `context` is null.
        ACL_ERROR_RT_CONTEXT_NULL: `context` was destroyed, is no context, or is a default context.
    """
    if not context:
        raise null("context")
    machine = current()
    live_context = machine.handles.find(context, Context)
    if live_context is None or live_context.primary:
        reason = (
            f"{live_context} is released by aclrtResetDevice only"
            if live_context is not None
            else f"it is no valid context: {whereabouts(None, context)}"
        )
        raise AclError(ACL_ERROR_RT_CONTEXT_NULL, Item("EE1017", ("Context destruction", "context", reason)))
    with destroying(machine, context):
        end = Past(Text("{thing} was {how}", thing=live_context, how=DESTROYED), here())
        models = [model for model in machine.handles.all(Model) if model.context is live_context]
        machine.announce.left_behind(end, [*models, *live_context.streams])
        end_context(machine, live_context, Text("destroyed by {call}", call="aclrtDestroyContext"))
        machine.handles.remove(live_context)
    del live_context.device.explicit[live_context]
    thread = machine.thread()
    if thread.explicit is live_context:
        thread.explicit, thread.lost = None, f"{live_context} was {live_context.ended}"
    release(machine, live_context.device)


@acl_api("acl/acl_rt.h", pyacl="rt.get_context")
def aclrtGetCurrentContext(context: c.aclrtContext_p) -> c.aclError:
    """Query the current context of the calling thread. After aclrtSetDevice it is the default context of the device.

    Without a context the call returns 107002 but leaves no error text and no last error.

    Returns:
        ACL_SUCCESS: `*context` is the context.
        ACL_ERROR_INVALID_PARAM: `context` is null.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if context.null:
        raise null("context")
    current_context = current().find_context()
    if current_context is None:
        raise AclError(ACL_ERROR_RT_CONTEXT_NULL)  # "none -> 107002 silently"
    context.store(current_context.number)


@acl_api("acl/acl_rt.h")
def aclrtCtxGetCurrentDefaultStream(stream: c.aclrtStream_p) -> c.aclError:
    """Query the handle of the current context's default stream.

    The handle means the same as a null stream. It is valid as long as the context; do not destroy it.

    Returns:
        ACL_SUCCESS: `*stream` is the default stream.
        ACL_ERROR_INVALID_PARAM: `stream` is null.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if stream.null:
        raise null("stream")
    machine = current()
    default_stream = machine.context("Querying the default stream").default_stream
    stream.store(handle_of(machine, default_stream))


@acl_api("acl/acl_rt.h")
def aclrtGetPrimaryCtxState(deviceId: c.int32_t, flags: c.uint32_t_p, active: c.int32_t_p) -> c.aclError:
    """Query whether the default context of a device exists: from the first aclrtSetDevice to the last
    aclrtResetDevice.

    Returns:
        ACL_SUCCESS: `*active` is 1 or 0.
        ACL_ERROR_INVALID_PARAM: `flags`, which is reserved, is not null, or `active` is null.
        ACL_ERROR_RT_INVALID_DEVICEID
    """
    if not flags.null:
        raise invalid(hex(flags.recorded), "flags", "null, it is reserved")
    if active.null:
        raise null("active")
    device = current().device(deviceId, "Querying the default context", "deviceId")
    active.store(int(device.primary is not None and device.primary.alive))


def whereabouts(context: Context | None, handle: int) -> str:
    """The history of a handle of a context that is not alive."""
    return f"{context} was {context.ended}" if context is not None else current().handles.whereabouts(handle)
