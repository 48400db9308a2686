"""acl/acl_rt.h: the overflow mode and the overflow status of floating point results.

The emulator's operators compute infinities and NaN in both modes, and record no overflow.
"""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Address
from acl_runtime.api.capture_refusals import CAPTURED, check_not_capturing
from acl_runtime.api.outcomes import LAUNCHES
from acl_runtime.api.refusals import check_product, invalid, lacking, null, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.headers.enums import aclrtFloatOverflowMode
from acl_runtime.headers.statuses import ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.copies import Kind, Side, bad_address, fill, kind_of, locate, on_device
from acl_runtime.source.frames import trail
from acl_runtime.streams.stream import Stream, Task
from acl_runtime.text import Text

STATUS_BYTES: Final = 64
MODES: Final = (
    aclrtFloatOverflowMode.ACL_RT_OVERFLOW_MODE_SATURATION,
    aclrtFloatOverflowMode.ACL_RT_OVERFLOW_MODE_INFNAN,
)


@acl_api("acl/acl_rt.h")
def aclrtSetDeviceSatMode(mode: c.aclrtFloatOverflowMode) -> c.aclError:
    """Choose for the process whether results that overflow saturate (0) or become infinite or NaN (1). No context is
    needed. The emulator stores the mode, but always computes as in mode 1.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_RT_PARAM_INVALID: `mode` is neither 0 nor 1.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the product lacks the mode. A2 and A3 have both, 950 has 1 only, and the older
            ones have 0 only.
    """
    what = "Setting the overflow mode of the device"
    if mode not in MODES:
        allowed = "ACL_RT_OVERFLOW_MODE_SATURATION (0) or ACL_RT_OVERFLOW_MODE_INFNAN (1)"
        raise out_of_range(what, mode, "mode", allowed)
    machine = current()
    if mode not in machine.soc.overflow_modes:
        only = MODES[machine.soc.overflow_modes[0]].name
        raise lacking(what, MODES[mode].name, f"{machine.soc.label} has one overflow mode only, {only}")
    machine.overflow_mode = mode


@acl_api("acl/acl_rt.h")
def aclrtGetDeviceSatMode(mode: c.aclrtFloatOverflowMode_p) -> c.aclError:
    """Query the overflow mode of the process, which aclrtSetDeviceSatMode sets: 1 at first on A2, A3 and 950, 0 on the
    older products. No context is needed.

    Returns:
        ACL_SUCCESS: `*mode` is an aclrtFloatOverflowMode.
        ACL_ERROR_INVALID_PARAM: `mode` is null.
    """
    if mode.null:
        raise null("mode")
    mode.store(current().overflow_mode)


@acl_api("acl/acl_rt.h", also=LAUNCHES + CAPTURED, resource=True)
def aclrtGetOverflowStatus(outputAddr: c.void_p, outputSize: c.size_t, stream: c.aclrtStream) -> c.aclError:
    """Queue a task that writes the overflow status to device memory: 64 bytes, always 0 in the emulator, which means no
    overflow. A null stream is the default stream of the current context.

    Returns:
        ACL_SUCCESS: the task is queued.
        ACL_ERROR_INVALID_PARAM: `outputAddr` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `outputSize` is not 64, or `outputAddr` is no live memory of the device.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    if not outputAddr.value:
        raise null("outputAddr")
    machine, what = current(), "Querying the overflow status"
    if stream:
        machine.stream(stream, what)  # "the handle check comes before range checks and before the context check"
    if outputSize != STATUS_BYTES:
        raise out_of_range(what, outputSize, "outputSize", str(STATUS_BYTES))
    live_stream = machine.own_stream(stream, what)
    check_not_capturing(live_stream, what)
    target = status_memory(machine, outputAddr, live_stream)
    run = on_device(machine, lambda: fill(machine, target, bytes(STATUS_BYTES), STATUS_BYTES))  # no overflow
    machine.submit(live_stream, Task("aclrtGetOverflowStatus", run, (target.range(STATUS_BYTES),), trail()))


def status_memory(machine: Machine, pointer: Address, stream: Stream) -> Side:
    """The memory that receives the status: live memory of the stream's device."""
    device = stream.context.device
    if kind_of(machine, pointer.value) is not Kind.DEVICE:
        raise bad_address(machine, pointer.value, "outputAddr")
    target = locate(machine, pointer, STATUS_BYTES, "outputAddr", write=True)
    allocation = target.allocation
    if allocation is not None and allocation.device is not device.memory:
        machine.crash(
            "ws-foreign",
            Text(
                "outputAddr lies on {device}, but {stream} works on {other}.",
                device=f"device {allocation.device.device}",
                stream=stream,
                other=f"device {device.number}",
            ),
            *allocation.past(),
            *stream.past(),
            status=ACL_ERROR_RT_PARAM_INVALID,
        )
    return target


@acl_api("acl/acl_rt.h", also=LAUNCHES + CAPTURED, resource=True)
def aclrtResetOverflowStatus(stream: c.aclrtStream) -> c.aclError:
    """Queue a task that clears the overflow status, which is always clear in the emulator. A null stream is the default
    stream of the current context.

    Returns:
        ACL_SUCCESS: the task is queued.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    machine, what = current(), "Resetting the overflow status"
    live_stream = machine.own_stream(stream, what)
    check_not_capturing(live_stream, what)
    machine.submit(live_stream, Task("aclrtResetOverflowStatus", lambda: None, (), trail()))


@acl_api("acl/acl_rt.h", also=CAPTURED)
def aclrtSetStreamOverflowSwitch(stream: c.aclrtStream, flag: c.uint32_t) -> c.aclError:
    """Switch the overflow check of a stream's tasks on (1) or off (0). A null stream is the default stream of the
    current context. The emulator stores the switch, but reports no overflow. On products without the switch the call
    does nothing.

    Returns:
        ACL_SUCCESS: switched; or the product has no switch, and the stream is not checked.
        ACL_ERROR_INVALID_PARAM: `flag` is neither 0 nor 1.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    if flag not in (0, 1):
        raise invalid(flag, "flag", "0 or 1")
    machine, what = current(), "Setting the overflow switch of a stream"
    check_product(what)
    if machine.soc.overflow_check:
        live_stream = machine.own_stream(stream, what)
        check_not_capturing(live_stream, what)
        live_stream.overflow_switch = flag


@acl_api("acl/acl_rt.h")
def aclrtGetStreamOverflowSwitch(stream: c.aclrtStream, flag: c.uint32_t_p) -> c.aclError:
    """Query the overflow switch of a stream: 0 unless aclrtSetStreamOverflowSwitch set it; always 1 on the training and
    the inference series. A null stream is the default stream of the current context.

    Returns:
        ACL_SUCCESS: `*flag` is 0 or 1.
        ACL_ERROR_INVALID_PARAM: `flag` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if flag.null:
        raise null("flag")
    machine, what = current(), "Querying the overflow switch of a stream"
    check_product(what)
    live_stream = machine.stream(stream, what)
    machine.context(what)
    flag.store(live_stream.overflow_switch)
