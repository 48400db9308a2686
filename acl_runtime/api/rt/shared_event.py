"""acl/acl_rt.h: events that processes share by handles."""

from typing import Final

import acl_runtime.abi.c as c
import acl_runtime.abi.memory as m
from acl_runtime.api.memory.buffers import store
from acl_runtime.api.refusals import null, out_of_range
from acl_runtime.api.rt.event import event_unsupported, handle_of, new_event
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import ACL_EVENT_IPC, ACL_IPC_EVENT_HANDLE_SIZE
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.memory.shared.exports import EVENT, find, key_of, number_of
from acl_runtime.streams.shared.event import SharedEvent

HEADER: Final = "acl/acl_rt.h"
EXPORTING: Final = "Exporting an event to other processes"
OPENING: Final = "Opening an event of another process"


@acl_api(HEADER, pyacl=None)
def aclrtIpcGetEventHandle(event: c.aclrtEvent, handle: m.aclrtIpcEventHandle_p) -> c.aclError:
    """Write a handle by which other processes open an event that was made with ACL_EVENT_IPC.

    Returns:
        ACL_SUCCESS: `*handle` is written.
        ACL_ERROR_INVALID_PARAM: `handle` or `event` is null.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the device cannot share events (only A2, A3 and 950 can).
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: the event was made with other flags, or another process made it; or `handle` cannot
            be written (only if the machine reports findings instead of raising them).
    """
    if not handle.value:
        raise null("handle")
    if not event:
        raise null("event")
    machine = current()
    if not machine.soc.ipc_events:
        raise event_unsupported()
    live = machine.event(event, EXPORTING, "event")
    if not isinstance(live, SharedEvent):
        reason = f"{live} was made without ACL_EVENT_IPC ({live.history()})"
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1006", (EXPORTING, "an event of one process", reason)))
    number = live.export(machine.sharing, EVENT).number
    if not number:
        raise out_of_range(EXPORTING, live, "event", "an event that this process has created")
    store(handle, key_of(EVENT, number).encode().ljust(ACL_IPC_EVENT_HANDLE_SIZE, b"\0"), "handle")


@acl_api(HEADER, resource=True, pyacl=None)
def aclrtIpcOpenEventHandle(handle: m.aclrtIpcEventHandle, event: c.aclrtEvent_p) -> c.aclError:
    """Open an event of another process. aclrtDestroyEvent closes it.

    Returns:
        ACL_SUCCESS: `*event` is the event.
        ACL_ERROR_INVALID_PARAM: `event` is null.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the device cannot share events (only A2, A3 and 950 can).
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_PARAM_INVALID: no process of this user has exported the handle, or the event is gone.
        ACL_ERROR_RT_NO_EVENT_RESOURCE: the device has no event left.
    """
    if event.null:
        raise null("event")
    machine = current()
    if not machine.soc.ipc_events:
        raise event_unsupported()
    machine.context(OPENING)
    number = number_of(EVENT, bytes(handle).rstrip(b"\0").decode("ascii", "replace"))
    shared = find(number, EVENT) if number else None
    if shared is None:
        raise out_of_range(OPENING, "the handle", "handle", "a handle that a process of this user has exported")
    live = new_event(machine, ACL_EVENT_IPC, new=True)
    assert isinstance(live, SharedEvent)
    live.open(machine.sharing, shared[1])
    event.store(handle_of(machine, live))
