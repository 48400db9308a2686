"""acl/acl_rt.h: callbacks for the states of streams and devices."""

from typing import Final

import acl_runtime.abi.c as c
import acl_runtime.abi.device as d
from acl_runtime.abi.pointers import Given
from acl_runtime.api.refusals import check_product, null
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import aclrtDeviceState, aclrtStreamState
from acl_runtime.headers.handles import aclrtStream
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.objects.state_callbacks import Registered, StateCallbacks, in_order
from acl_runtime.streams.stream import Stream
from acl_runtime.text import Text

HEADER: Final = "acl/acl_rt.h"
TAKEN: Final = (("ACL_ERROR_RT_PARAM_INVALID", "a callback of this name is registered."),)


@acl_api(HEADER, also=TAKEN, pyacl=None)
def aclrtRegStreamStateCallback(
    regName: c.const_char_p, callback: d.aclrtStreamStateCallback, args: c.user_data
) -> c.aclError:
    """Register, under a name, a function that is called as `callback(stream, state, args)` for every stream of the
    process, default streams included: after its creation, and before its end. A null callback ends the registration.
    Several functions are called in the order of their names.

    Returns:
        ACL_SUCCESS: registered; or ended, also for an unknown name.
        ACL_ERROR_INVALID_PARAM: `regName` is null.
    """
    _register(current().part(StateCallbacks).streams, regName, callback, args, "Registering a callback of streams")


@acl_api(HEADER, also=TAKEN, pyacl=None)
def aclrtRegDeviceStateCallback(
    regName: c.const_char_p, callback: d.aclrtDeviceStateCallback, args: c.user_data
) -> c.aclError:
    """Register, under a name, a function that is called as `callback(deviceId, state, args)` before and after each
    aclrtSetDevice and aclrtResetDevice. A null callback ends the registration. Several functions are called in the
    order of their names.

    Returns:
        ACL_SUCCESS: registered; or ended, also for an unknown name.
        ACL_ERROR_INVALID_PARAM: `regName` is null.
    """
    _register(current().part(StateCallbacks).devices, regName, callback, args, "Registering a callback of devices")


@acl_api(HEADER, also=TAKEN, inert=True, pyacl=None)
def aclrtSetDeviceTaskAbortCallback(
    regName: c.const_char_p, callback: d.aclrtDeviceTaskAbortCallback, args: c.user_data
) -> c.aclError:
    """Register, under a name, a function for aclrtDeviceTaskAbort, which simulated devices do not support; so it is
    never called. A null callback ends the registration.

    Returns:
        ACL_SUCCESS: registered; or ended, also for an unknown name.
        ACL_ERROR_INVALID_PARAM: `regName` is null.
    """
    what = "Registering a callback of aborted tasks"
    check_product(what)
    _register(current().part(StateCallbacks).aborts, regName, callback, args, what)


def _register(callbacks: dict[str, Registered], name: str | None, callback: Given, args: Given, what: str) -> None:
    if name is None:
        raise null("regName")
    if callback.value is None:
        callbacks.pop(name, None)
    elif name in callbacks:
        reason = "a callback of this name is registered: end that with a null callback first"
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1011", (what, name, "regName", reason)))
    else:
        callbacks[name] = Registered(callback.value, args.value)


def stream_changes(machine: Machine, stream: Stream, state: aclrtStreamState) -> None:
    """Call the callbacks of streams, on the calling thread."""
    for registered in in_order(machine.part(StateCallbacks).streams):
        handle = aclrtStream(handle_of(machine, stream))
        with machine.calling_out():
            registered.function(handle, state, registered.args)


def device_changes(machine: Machine, number: int, state: aclrtDeviceState) -> None:
    """Call the callbacks of devices, on the calling thread."""
    for registered in in_order(machine.part(StateCallbacks).devices):
        with machine.calling_out():
            registered.function(number, state, registered.args)


def handle_of(machine: Machine, stream: Stream) -> int:
    """The handle of a stream. A default stream gets one when it is first needed."""
    if not stream.number:
        stream.kind = Text("default stream")
        machine.handles.add(stream)
    return stream.number
