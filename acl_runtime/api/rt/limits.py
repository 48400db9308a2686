"""acl/acl_rt.h: limits of the cores that launches of a process, a stream or a thread use.

A limit changes no result and no address here. The getters return the number of cores that a launch would use: "stream
limit adopted by the thread, else process limit for the device, else hardware count".
"""

import acl_runtime.abi.c as c
from acl_runtime.api.refusals import null, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.headers.enums import aclrtDevResLimitType
from acl_runtime.machine.current import current
from acl_runtime.objects.soc import Soc
from acl_runtime.streams.stream import Stream
from acl_runtime.text import counted


def _check_type(type: int, what: str) -> None:
    """ "The ACL layer tests only the output pointer; the runtime tests the type's range first"."""
    if type not in set(aclrtDevResLimitType):
        raise out_of_range(what, type, "type", "ACL_RT_DEV_RES_CUBE_CORE (0) or ACL_RT_DEV_RES_VECTOR_CORE (1)")


def _check_value(soc: Soc, type: int, value: int, what: str) -> None:
    """Refuse a limit of 0 cores, or of more cores than the chip has (our choice)."""
    most = soc.cores(type)
    if not 1 <= value <= most:
        kind = ("cube", "vector")[type]
        raise out_of_range(what, value, "value", f"[1, {most}]", f"({soc.label} has {counted(most, f'{kind} core')})")


def _stream(number: int, what: str) -> Stream:
    """The stream of a handle, of any context; null is the default stream of the current context."""
    machine = current()
    stream = machine.stream(number, what)
    machine.context(what)
    return stream


@acl_api("acl/acl_rt.h")
def aclrtGetDeviceResLimit(deviceId: c.int32_t, type: c.aclrtDevResLimitType, value: c.uint32_t_p) -> c.aclError:
    """Query how many cube (0) or vector (1) cores of a device this process may use: all cores, unless a limit was set.

    Returns:
        ACL_SUCCESS: `*value` is the number of cores.
        ACL_ERROR_INVALID_PARAM: `value` is null.
        ACL_ERROR_RT_PARAM_INVALID: `type` is another number.
        ACL_ERROR_RT_INVALID_DEVICEID
    """
    if value.null:
        raise null("value")
    what = "Querying the cores of a device"
    _check_type(type, what)
    value.store(current().device(deviceId, what, "deviceId").cores(type))


@acl_api("acl/acl_rt.h")
def aclrtSetDeviceResLimit(deviceId: c.int32_t, type: c.aclrtDevResLimitType, value: c.uint32_t) -> c.aclError:
    """Limit the cube (0) or vector (1) cores of a device that later launches of this process use.

    Returns:
        ACL_SUCCESS: the limit applies until it is set again or reset.
        ACL_ERROR_RT_INVALID_DEVICEID
        ACL_ERROR_RT_PARAM_INVALID: `type` is another number; `value` is 0, or more than the device has.
    """
    what = "Limiting the cores of a device"
    _check_type(type, what)
    device = current().device(deviceId, what, "deviceId")
    _check_value(device.soc, type, value, what)
    device.core_limits[type] = value


@acl_api("acl/acl_rt.h")
def aclrtResetDeviceResLimit(deviceId: c.int32_t) -> c.aclError:
    """Remove the limits that aclrtSetDeviceResLimit set for a device.

    Returns:
        ACL_SUCCESS: the process may use all cores.
        ACL_ERROR_RT_INVALID_DEVICEID
    """
    current().device(deviceId, "Limiting the cores of a device", "deviceId").core_limits.clear()


@acl_api("acl/acl_rt.h")
def aclrtGetStreamResLimit(stream: c.aclrtStream, type: c.aclrtDevResLimitType, value: c.uint32_t_p) -> c.aclError:
    """Query how many cube (0) or vector (1) cores a stream may use: its limit, else the limit of the process, else all.
    A null stream is the default stream of the current context.

    Returns:
        ACL_SUCCESS: `*value` is the number of cores.
        ACL_ERROR_INVALID_PARAM: `value` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `type` is another number.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if value.null:
        raise null("value")
    what = "Querying the cores of a stream"
    if stream:
        current().stream(stream, what)  # "the handle check comes before range checks and before the context check"
    _check_type(type, what)
    value.store(_stream(stream, what).cores(type))


@acl_api("acl/acl_rt.h")
def aclrtSetStreamResLimit(stream: c.aclrtStream, type: c.aclrtDevResLimitType, value: c.uint32_t) -> c.aclError:
    """Limit the cube (0) or vector (1) cores of a stream, for threads that adopt the stream with
    aclrtUseStreamResInCurrentThread. A null stream is the default stream of the current context.

    Returns:
        ACL_SUCCESS: the limit applies until it is set again or reset.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `type` is another number; `value` is 0, or more than the device has.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    what, machine = "Limiting the cores of a stream", current()
    if stream:
        machine.stream(stream, what)  # "the handle check comes before range checks and before the context check"
    _check_type(type, what)
    _check_value(machine.soc, type, value, what)
    machine.own_stream(stream, what).core_limits[type] = value


@acl_api("acl/acl_rt.h")
def aclrtResetStreamResLimit(stream: c.aclrtStream) -> c.aclError:
    """Remove the limits that aclrtSetStreamResLimit set. A null stream is the default stream of the current context.

    Returns:
        ACL_SUCCESS: the stream has no limits.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    current().own_stream(stream, "Limiting the cores of a stream").core_limits.clear()


@acl_api("acl/acl_rt.h")
def aclrtUseStreamResInCurrentThread(stream: c.aclrtStream) -> c.aclError:
    """Apply the limits of a stream to later launches of the calling thread on the stream's device. They replace the
    limits of a stream that the thread adopted before. A null stream is the default stream of the current context.

    Returns:
        ACL_SUCCESS: the thread adopted the stream.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
    """
    current().thread().adopted = _stream(stream, "Adopting the cores of a stream")


@acl_api("acl/acl_rt.h")
def aclrtUnuseStreamResInCurrentThread(stream: c.aclrtStream) -> c.aclError:
    """Undo aclrtUseStreamResInCurrentThread. The call does nothing if the calling thread did not adopt this stream.

    Returns:
        ACL_SUCCESS: the limits of the stream do not apply to the thread.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
    """
    live_stream = _stream(stream, "Adopting the cores of a stream")
    thread = current().thread()
    if thread.adopted is live_stream:
        thread.adopted = None


@acl_api("acl/acl_rt.h")
def aclrtGetResInCurrentThread(type: c.aclrtDevResLimitType, value: c.uint32_t_p) -> c.aclError:
    """Query how many cube (0) or vector (1) cores launches of the calling thread use on its current device.

    Returns:
        ACL_SUCCESS: `*value` is the limit of the stream that the thread adopted, else the limit of the process, else
            all cores.
        ACL_ERROR_INVALID_PARAM: `value` is null.
        ACL_ERROR_RT_PARAM_INVALID: `type` is another number.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if value.null:
        raise null("value")
    machine, what = current(), "Querying the cores of a thread"
    _check_type(type, what)
    device = machine.context(what).device
    value.store(machine.thread().cores(type, device))
