"""acl/acl_rt.h: queries of devices: number, attributes, capabilities, status."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.memory.buffers import load, store
from acl_runtime.api.refusals import check_product, invalid, lacking, null, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import (
    aclDeviceInfo,
    aclrtDevAttr,
    aclrtDevFeatureType,
    aclrtDeviceStatus,
    aclrtRunMode,
    aclrtTsId,
)
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_NO_DEVICE
from acl_runtime.headers.structs import aclrtUtilizationInfo
from acl_runtime.machine.current import current
from acl_runtime.streams.stream import Device

LEAST_PRIORITY: Final = 7
GREATEST_PRIORITY: Final = 0
NOT_MEASURED: Final = -1
NOT_SUPPORTED: Final = 0


@acl_api("acl/acl_rt.h")
def aclrtGetDevice(deviceId: c.int32_t_p) -> c.aclError:
    """Query the device of the current context.

    Without a context the call returns 107002 but leaves no last error. The error text gives the reason until another
    call fails.

    Returns:
        ACL_SUCCESS: `*deviceId` is the device.
        ACL_ERROR_INVALID_PARAM: `deviceId` is null.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if deviceId.null:
        raise null("deviceId")
    machine = current()
    context = machine.find_context()
    if context is None:  # "without message or last-error"; the text is ours
        reason = machine.no_context("Getting the current device")
        reason.passing = True
        raise AclError(ACL_ERROR_RT_CONTEXT_NULL, reason, runtime=0)
    deviceId.store(context.device.number)


@acl_api("acl/acl_rt.h")
def aclrtGetDeviceCount(count: c.uint32_t_p) -> c.aclError:
    """Count the devices that this process may use: the devices that ASCEND_RT_VISIBLE_DEVICES lists.

    Returns:
        ACL_SUCCESS: `*count` devices, numbered from 0.
        ACL_ERROR_INVALID_PARAM: `count` is null.
        ACL_ERROR_RT_NO_DEVICE: no device is visible.
    """
    if count.null:
        raise null("count")
    machine = current()
    if not machine.devices:
        raise AclError(ACL_ERROR_RT_NO_DEVICE, Item("EL0001", (), f"({machine.inventory()})"))
    count.store(len(machine.devices))


@acl_api("acl/acl_rt.h")
def aclrtGetRunMode(runMode: c.aclrtRunMode_p) -> c.aclError:
    """Query where the program runs: always on a host here, ACL_HOST.

    Returns:
        ACL_SUCCESS: `*runMode` is an aclrtRunMode.
        ACL_ERROR_INVALID_PARAM: `runMode` is null.
    """
    if runMode.null:
        raise null("runMode")
    runMode.store(aclrtRunMode.ACL_HOST)


@acl_api("acl/acl_rt.h", pyacl="get_soc_name")
def aclrtGetSocName() -> c.const_char_p_result:
    """The name of the chip, such as `Ascend910B1`, None without a device. No context is needed."""
    machine = current()
    return machine.soc.name if machine.devices else None  # "always device 0's name", "null if unknown"


@acl_api("acl/acl_rt.h")
def aclrtSetTsDevice(tsId: c.aclrtTsId) -> c.aclError:
    """Choose a task scheduler of the device. Every product here has one, so a valid id changes nothing.

    Returns:
        ACL_SUCCESS: `tsId` is 0 or 1.
        ACL_ERROR_INVALID_PARAM: `tsId` is another number.
    """
    if tsId not in (aclrtTsId.ACL_TS_ID_AICORE, aclrtTsId.ACL_TS_ID_AIVECTOR):
        raise invalid(tsId, "tsId", "ACL_TS_ID_AICORE (0) or ACL_TS_ID_AIVECTOR (1)")


def _attribute(device: Device, attribute: int) -> int | None:
    """The value of an aclrtDevAttr, None if the emulator has no value for it."""
    return {
        int(aclrtDevAttr.ACL_DEV_ATTR_AICORE_CORE_NUM): device.soc.ai_cores,
        int(aclrtDevAttr.ACL_DEV_ATTR_CUBE_CORE_NUM): device.soc.ai_cores,
        int(aclrtDevAttr.ACL_DEV_ATTR_VECTOR_CORE_NUM): device.soc.vector_cores,
        int(aclrtDevAttr.ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE): device.memory.capacity,
        int(aclrtDevAttr.ACL_DEV_ATTR_L2_CACHE_SIZE): device.soc.l2_bytes,
        int(aclrtDevAttr.ACL_DEV_ATTR_IS_VIRTUAL): 0,
    }.get(attribute)


@acl_api("acl/acl_rt.h")
def aclrtGetDeviceInfo(deviceId: c.uint32_t, attr: c.aclrtDevAttr, value: c.int64_t_p) -> c.aclError:
    """Query an attribute of a device: number of AI, cube or vector cores, bytes of device memory or of the L2 cache,
    whether the device is virtual (0 here). No context is needed.

    Returns:
        ACL_SUCCESS: `*value` is the attribute.
        ACL_ERROR_INVALID_PARAM: `value` is null.
        ACL_ERROR_RT_PARAM_INVALID: `deviceId` is not in [0, number of devices), or `attr` is no aclrtDevAttr.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the product lacks the attribute, or this emulator has no value for it.
    """
    if value.null:
        raise null("value")
    machine, what = current(), "Querying an attribute of a device"
    count = len(machine.devices)
    if deviceId >= count:  # "a bad device id gives 107000 here, not 107001"
        raise out_of_range(what, deviceId, "deviceId", f"[0, {count})", f"({machine.inventory()})")
    if attr not in set(aclrtDevAttr):
        raise out_of_range(what, attr, "attr", "an aclrtDevAttr")
    device = machine.devices[deviceId]
    answer = _attribute(device, attr)
    if answer is None:
        name = aclrtDevAttr(attr).name
        raise lacking(what, name, f"{device.soc.label} lacks it, or this emulator has no value for it")
    value.store(answer)


@acl_api("acl/acl_rt.h")
def aclGetDeviceCapability(deviceId: c.uint32_t, deviceInfo: c.aclDeviceInfo, value: c.int64_t_p) -> c.aclError:
    """Query the number of AI cores (0), of vector cores (1), or the bytes of the L2 cache (2) of a device.

    Returns:
        ACL_SUCCESS: `*value` is the value; 0 if the product has no separate vector cores.
        ACL_ERROR_INVALID_PARAM: `deviceId` is not in [0, number of devices), `deviceInfo` is another number, or
            `value` is null.
    """
    machine = current()
    count = len(machine.devices)
    if deviceId >= count:  # "device id >= count -> 100000"
        raise invalid(deviceId, "deviceId", f"a device in [0, {count})", f"({machine.inventory()})")
    soc = machine.devices[deviceId].soc
    answers = {
        int(aclDeviceInfo.ACL_DEVICE_INFO_AI_CORE_NUM): soc.ai_cores,
        int(aclDeviceInfo.ACL_DEVICE_INFO_VECTOR_CORE_NUM): soc.vector_cores,
        int(aclDeviceInfo.ACL_DEVICE_INFO_L2_SIZE): soc.l2_bytes,
    }
    if deviceInfo not in answers:
        raise invalid(deviceInfo, "deviceInfo", "an aclDeviceInfo from 0 to 2")
    if value.null:
        raise null("value")
    value.store(answers[deviceInfo])


@acl_api("acl/acl_rt.h")
def aclrtGetDeviceCapability(
    deviceId: c.int32_t, devFeatureType: c.aclrtDevFeatureType, value: c.int32_t_p
) -> c.aclError:
    """Query whether a device has a feature: tasks that a running program updates (1), or events of memory queues
    across devices (21). This emulator simulates neither and writes 0.

    Returns:
        ACL_SUCCESS: `*value` is ACL_DEV_FEATURE_NOT_SUPPORT.
        ACL_ERROR_INVALID_PARAM: `value` is null, or `devFeatureType` is neither 1 nor 21.
        ACL_ERROR_RT_INVALID_DEVICEID
    """
    if devFeatureType not in set(aclrtDevFeatureType):
        raise invalid(devFeatureType, "devFeatureType", "1 or 21")
    if value.null:
        raise null("value")
    current().device(deviceId, "Querying a feature of a device", "deviceId")
    value.store(NOT_SUPPORTED)


@acl_api("acl/acl_rt.h")
def aclrtQueryDeviceStatus(deviceId: c.int32_t, deviceStatus: c.aclrtDeviceStatus_p) -> c.aclError:
    """Query the status of a device: always ACL_RT_DEVICE_STATUS_NORMAL (0) here.

    Returns:
        ACL_SUCCESS: `*deviceStatus` is an aclrtDeviceStatus.
        ACL_ERROR_INVALID_PARAM: `deviceStatus` is null.
        ACL_ERROR_RT_INVALID_DEVICEID
    """
    if deviceStatus.null:
        raise null("deviceStatus")
    current().device(deviceId, "Querying the status of a device", "deviceId")
    deviceStatus.store(aclrtDeviceStatus.ACL_RT_DEVICE_STATUS_NORMAL)


@acl_api("acl/acl_rt.h")
def aclrtDeviceGetStreamPriorityRange(leastPriority: c.int32_t_p, greatestPriority: c.int32_t_p) -> c.aclError:
    """Query the range of stream priorities: 7 (least urgent) to 0 (most urgent). Either pointer may be null.

    Returns:
        ACL_SUCCESS: each pointer that is not null is written.
    """
    for pointer, priority in ((leastPriority, LEAST_PRIORITY), (greatestPriority, GREATEST_PRIORITY)):
        if not pointer.null:
            pointer.store(priority)


@acl_api("acl/acl_rt.h")
def aclrtDeviceGetUuid(deviceId: c.int32_t, uuid: c.aclrtUuid_p) -> c.aclError:
    """Write the 16 bytes that identify a device. They do not change with ASCEND_RT_VISIBLE_DEVICES.

    Returns:
        ACL_SUCCESS: `*uuid` is written.
        ACL_ERROR_INVALID_PARAM: `uuid` is null.
        ACL_ERROR_RT_INVALID_DEVICEID
        ACL_ERROR_RT_PARAM_INVALID: `uuid` is no memory of the host (only if the machine reports findings instead of
            raising them).
    """
    if not uuid.value:
        raise null("uuid")
    what = "Querying the UUID of a device"
    device = current().device(deviceId, what, "deviceId")
    check_product(what)
    store(uuid, device.uuid, "uuid")


@acl_api("acl/acl_rt.h")
def aclrtGetDeviceUtilizationRate(deviceId: c.int32_t, utilizationInfo: c.aclrtUtilizationInfo_p) -> c.aclError:
    """Query the utilization of a device in percent. Cores are always 0, as simulated tasks run inside calls only;
    memory is -1, not supported.

    Returns:
        ACL_SUCCESS: `*utilizationInfo` is filled in.
        ACL_ERROR_INVALID_PARAM: `utilizationInfo` is null, or its field utilizationExtend is not.
        ACL_ERROR_RT_INVALID_DEVICEID
        ACL_ERROR_RT_PARAM_INVALID: `utilizationInfo` is no memory of the host (only if the machine reports findings
            instead of raising them).
    """
    if not utilizationInfo.value:
        raise null("utilizationInfo")
    info = load(utilizationInfo, aclrtUtilizationInfo, "utilizationInfo")
    if info.utilizationExtend:
        raise invalid(hex(info.utilizationExtend), "utilizationInfo->utilizationExtend", "null, it is reserved")
    current().device(deviceId, "Querying the utilization of a device", "deviceId")
    info.cubeUtilization = info.vectorUtilization = info.aicpuUtilization = 0
    info.memoryUtilization = NOT_MEASURED  # "memory field is always the 'unsupported' marker"
    store(utilizationInfo, info, "utilizationInfo")
