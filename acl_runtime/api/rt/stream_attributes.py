"""acl/acl_rt.h: attributes of streams: id, priority, flags, failure mode."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.capture_refusals import CAPTURED, check_not_capturing
from acl_runtime.api.memory.buffers import load, store
from acl_runtime.api.refusals import check_product, invalid, null, out_of_range, unsupported
from acl_runtime.api.rt.stream import LEAST_PRIORITY, check_default
from acl_runtime.boundary import acl_api
from acl_runtime.headers.enums import ACL_STOP_ON_FAILURE, aclrtStreamAttr
from acl_runtime.headers.structs import aclrtStreamAttrValue
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.streams.model.model import ModelStream
from acl_runtime.streams.stream import Stream

UNREAD: Final = (aclrtStreamAttr.ACL_STREAM_ATTR_USER_CUSTOM_TAG,)
UNSET: Final = (aclrtStreamAttr.ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, *UNREAD)
"""attributes that products without aclrtSetStreamOverflowSwitch do not change"""


@acl_api("acl/acl_rt.h")
def aclrtStreamGetId(stream: c.aclrtStream, streamId: c.int32_t_p) -> c.aclError:
    """Write the id of the stream on its device: the lowest number that was free when the stream was created. A null
    stream is the default stream.

    Returns:
        ACL_SUCCESS: `*streamId` is written.
        ACL_ERROR_INVALID_PARAM: `streamId` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if streamId.null:
        raise null("streamId")
    streamId.store(_queried(current(), stream, "Getting the stream id").id)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtStreamGetPriority(stream: c.aclrtStream, priority: c.uint32_t_p) -> c.aclError:
    """Write the priority of the stream, from 0 (highest) to 7. A null stream is the default stream.

    Returns:
        ACL_SUCCESS: `*priority` is written.
        ACL_ERROR_INVALID_PARAM: `priority` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if priority.null:
        raise null("priority")
    priority.store(_queried(current(), stream, "Getting the stream priority").priority)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtStreamGetFlags(stream: c.aclrtStream, flags: c.uint32_t_p) -> c.aclError:
    """Write the flags that the stream was created with. A null stream is the default stream.

    Returns:
        ACL_SUCCESS: `*flags` is written.
        ACL_ERROR_INVALID_PARAM: `flags` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if flags.null:
        raise null("flags")
    flags.store(_queried(current(), stream, "Getting the stream flags").flags)


@acl_api("acl/acl_rt.h")
def aclrtGetStreamAvailableNum(streamCount: c.uint32_t_p) -> c.aclError:
    """Write how many streams the device of the current context has left.

    Returns:
        ACL_SUCCESS: `*streamCount` is written.
        ACL_ERROR_INVALID_PARAM: `streamCount` is null.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if streamCount.null:
        raise null("streamCount")
    device = current().context("Getting the number of available streams").device
    streamCount.store(max(device.stream_limit - device.streams_in_use, 0))


@acl_api("acl/acl_rt.h")
def aclrtSetStreamFailureMode(stream: c.aclrtStream, mode: c.uint64_t) -> c.aclError:
    """Set the failure mode of a stream: ACL_CONTINUE_ON_FAILURE (0, the default) or ACL_STOP_ON_FAILURE (1). Only the
    lowest bit counts. A null stream is the default stream on A2, A3 and 950.

    One stream in stop mode puts its whole context in stop mode: after a failed task, later tasks of the context's
    streams are dropped, and later calls return the failure.

    Returns:
        ACL_SUCCESS: set, or the stream had this mode already.
        ACL_ERROR_RT_PARAM_INVALID: `stream` is null, and the product is not A2, A3 or 950.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the stream is in stop mode, and `mode` is continue.
    """
    machine, what = current(), "Setting the failure mode of the stream"
    check_default(machine, stream, what)
    _set_failure_mode(machine.own_stream(stream, what), mode)


def _set_failure_mode(stream: Stream, mode: int) -> None:
    stop = bool(mode & ACL_STOP_ON_FAILURE)
    if stream.stops and not stop:
        raise unsupported("Setting the failure mode of the stream", f"{stream} cannot go back from stop to continue")
    stream.stops = stop
    stream.context.stops = stream.context.stops or stop


@acl_api("acl/acl_rt.h", also=CAPTURED)
def aclrtSetStreamAttribute(
    stream: c.aclrtStream, stmAttrType: c.aclrtStreamAttr, value: c.aclrtStreamAttrValue_p
) -> c.aclError:
    """Set an attribute: failure mode, overflow check, user tag, cache op info, priority. A null stream is the default
    stream.

    Returns:
        ACL_SUCCESS: set. On a product other than A2, A3 and 950 an overflow check or a user tag is ignored.
        ACL_ERROR_INVALID_PARAM: `value` is null, or the overflow switch is neither 0 nor 1.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: there is no such attribute, or `value` is no memory of the host that can be read.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the stream is in stop mode, and the failure mode is continue.
    """
    if not value.value:
        raise null("value")
    machine, what = current(), "Setting an attribute of the stream"
    if stream:
        machine.stream(stream, what)
    _check_attribute(what, stmAttrType)
    if _ignored(machine, what, stmAttrType, UNSET):
        return
    live_stream = machine.own_stream(stream, what)
    attribute = load(value, aclrtStreamAttrValue, "value")
    if stmAttrType == aclrtStreamAttr.ACL_STREAM_ATTR_FAILURE_MODE:
        _set_failure_mode(live_stream, attribute.failureMode)
    elif stmAttrType == aclrtStreamAttr.ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
        if attribute.overflowSwitch not in (0, 1):
            raise invalid(attribute.overflowSwitch, "value->overflowSwitch", "0 or 1")
        check_not_capturing(live_stream, what)
        live_stream.overflow_switch = attribute.overflowSwitch
    elif stmAttrType == aclrtStreamAttr.ACL_STREAM_ATTR_USER_CUSTOM_TAG:
        check_not_capturing(live_stream, what)
        live_stream.tag = attribute.userCustomTag
    elif stmAttrType == aclrtStreamAttr.ACL_STREAM_ATTR_CACHE_OP_INFO:
        live_stream.cache_op_info = attribute.cacheOpInfoSwitch
    else:
        live_stream.priority = min(attribute.streamPriority, LEAST_PRIORITY)


@acl_api("acl/acl_rt.h")
def aclrtGetStreamAttribute(
    stream: c.aclrtStream, stmAttrType: c.aclrtStreamAttr, value: c.aclrtStreamAttrValue_p
) -> c.aclError:
    """Write an attribute of the stream to `*value`. A null stream is the default stream.

    Returns:
        ACL_SUCCESS: `*value` is written, except for a user tag on a product other than A2, A3 and 950.
        ACL_ERROR_INVALID_PARAM: `value` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: there is no such attribute, or `value` is no memory of the host.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if not value.value:
        raise null("value")
    machine, what = current(), "Getting an attribute of the stream"
    if stream:
        machine.stream(stream, what)
    _check_attribute(what, stmAttrType)
    if _ignored(machine, what, stmAttrType, UNREAD):
        return
    live_stream = _queried(machine, stream, what)
    fields = {
        aclrtStreamAttr.ACL_STREAM_ATTR_FAILURE_MODE: ("failureMode", int(live_stream.stops)),
        aclrtStreamAttr.ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK: ("overflowSwitch", live_stream.overflow_switch),
        aclrtStreamAttr.ACL_STREAM_ATTR_USER_CUSTOM_TAG: ("userCustomTag", live_stream.tag),
        aclrtStreamAttr.ACL_STREAM_ATTR_CACHE_OP_INFO: ("cacheOpInfoSwitch", live_stream.cache_op_info),
        aclrtStreamAttr.ACL_STREAM_ATTR_PRIORITY: ("streamPriority", live_stream.priority),
    }
    name, number = fields[aclrtStreamAttr(stmAttrType)]
    written = aclrtStreamAttrValue()
    setattr(written, name, number)
    store(value, written, "value")


def _ignored(machine: Machine, what: str, attribute: int, attributes: tuple[aclrtStreamAttr, ...]) -> bool:
    """True if the attribute is one of `attributes` and the product ignores these."""
    if attribute not in attributes:
        return False
    check_product(what, function="aclrtSetStreamOverflowSwitch")
    return not machine.soc.overflow_check


def _check_attribute(what: str, attribute: int) -> None:
    if attribute not in list(aclrtStreamAttr):
        raise out_of_range(what, attribute, "stmAttrType", f"one of {[int(member) for member in aclrtStreamAttr]}")


def _queried(machine: Machine, handle: int, what: str) -> Stream:
    """The stream of a handle, for a query; its context need not be current. It may be a stream of a model."""
    model_stream = machine.handles.find(handle, ModelStream)
    stream = model_stream.lane if model_stream is not None else machine.stream(handle, what)
    machine.context(what)
    return stream
