"""acl/acl_rt.h: links between devices, limits, architecture, capabilities, and the cache of a device."""

from ctypes import c_uint32
from typing import Final

import acl_runtime.abi.c as c
import acl_runtime.abi.device as d
from acl_runtime.abi.pointers import Address
from acl_runtime.api.kernel.compiled_in import sync_area
from acl_runtime.api.memory.buffers import load_array, store
from acl_runtime.api.refusals import check_product, invalid, lacking, null, null_in_runtime, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import (
    ACL_RT_DEVS_TOPOLOGY_HCCS,
    ACL_RT_DEVS_TOPOLOGY_PHB,
    aclrtDeviceLimit,
    aclrtHacType,
    aclrtHostMemMapCapability,
)
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.objects.soc import NEWER, SOCS, Series

HEADER: Final = "acl/acl_rt.h"
LARGEST: Final = 0xFFFF_FFFF
OF_THREADS: Final = frozenset({0, 1, 4})
"""the aclrtDeviceLimit of kernels with threads (SIMT), which only 950 has"""
LIMITS: Final = {0: 256, 1: 48, 2: 32 << 10, 3: 1 << 20, 4: 2 << 20}
"""bytes, by aclrtDeviceLimit"""
LIMITING: Final = "Limiting the memory of kernels"
MOST_OPERATIONS: Final = 64
"""more operations than aclrtAtomicOperation has; a larger count is the count of something else"""


class DeviceLimits(dict[int, int]):
    """The limits of a process in bytes, by aclrtDeviceLimit."""


@acl_api(HEADER)
def aclrtGetDevicesTopo(deviceId: c.uint32_t, otherDeviceId: c.uint32_t, value: c.uint64_t_p) -> c.aclError:
    """Query the link between two devices. Simulated devices of the inference series are joined by the bridge of the
    host, all others by ACL_RT_DEVS_TOPOLOGY_HCCS.

    Returns:
        ACL_SUCCESS: `*value` is an ACL_RT_DEVS_TOPOLOGY_...
        ACL_ERROR_INVALID_PARAM: `value` is null.
        ACL_ERROR_RT_INVALID_DEVICEID
    """
    if value.null:
        raise null("value")
    machine, what = current(), "Querying the link between two devices"
    machine.device(deviceId, what, "deviceId")
    machine.device(otherDeviceId, what, "otherDeviceId")
    apart = machine.soc.series in (Series.INFERENCE, Series.A200I_500_A2)
    value.store(ACL_RT_DEVS_TOPOLOGY_PHB if apart else ACL_RT_DEVS_TOPOLOGY_HCCS)


@acl_api(HEADER, inert=True, pyacl=None)
def aclrtDeviceSetLimit(limit: d.aclrtDeviceLimit, value: c.size_t) -> c.aclError:
    """Set the bytes of a stack or of a buffer for printf that kernels of the process have. Only 950 has the limits 0, 1
    and 4, of kernels with threads.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: `limit` is more than 4, or `value` is more than 32 bits.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the product has no kernels with threads.
    """
    _check_limit(limit)
    if value > LARGEST:
        raise invalid(value, "value", f"[0, {LARGEST}]")
    _check_threads(limit)
    current().part(DeviceLimits)[limit] = value


@acl_api(HEADER, pyacl=None)
def aclrtDeviceGetLimit(limit: d.aclrtDeviceLimit, value: c.size_t_p) -> c.aclError:
    """Query a limit of aclrtDeviceSetLimit.

    Returns:
        ACL_SUCCESS: `*value` bytes.
        ACL_ERROR_INVALID_PARAM: `value` is null, or `limit` is more than 4.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the product has no kernels with threads.
    """
    if value.null:
        raise null("value")
    _check_limit(limit)
    _check_threads(limit)
    value.store(current().part(DeviceLimits).get(limit, LIMITS[limit]))


def _check_limit(limit: int) -> None:
    if limit not in LIMITS:
        raise invalid(limit, "limit", "an aclrtDeviceLimit")


def _check_threads(limit: int) -> None:
    soc = current().soc
    if limit in OF_THREADS and soc.series is not Series.A950:
        raise lacking(LIMITING, aclrtDeviceLimit(limit).name, f"{soc.label} has no kernels with threads")
    check_product(LIMITING)


@acl_api(HEADER, pyacl=None)
def aclrtCheckArchCompatibility(socVersion: c.const_char_p, canCompatible: c.int32_t_p) -> c.aclError:
    """Query whether kernels that were built for a chip run on this one, as both have the same core architecture.

    Returns:
        ACL_SUCCESS: `*canCompatible` is 1 or 0.
        ACL_ERROR_RT_PARAM_INVALID: an argument is null; the name is empty or no chip's.
    """
    what = "Checking the architecture"
    if socVersion is None:
        raise null_in_runtime(what, "socVersion")
    if canCompatible.null:
        raise null_in_runtime(what, "canCompatible")
    if socVersion not in SOCS:
        reason = "no chip has this name"
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1011", (what, socVersion, "socVersion", reason)))
    canCompatible.store(int(SOCS[socVersion].core_architecture == current().soc.core_architecture))


@acl_api(HEADER, pyacl=None)
def aclrtHostMemMapCapabilities(
    deviceId: c.uint32_t, hacType: d.aclrtHacType, capabilities: d.aclrtHostMemMapCapability_p
) -> c.aclError:
    """Query whether a unit of a device may access host memory that is mapped to it: yes, where the product can map host
    memory at all (aclrtHostRegister).

    Returns:
        ACL_SUCCESS: `*capabilities` is an aclrtHostMemMapCapability.
        ACL_ERROR_INVALID_PARAM: `capabilities` is null.
        ACL_ERROR_RT_INVALID_DEVICEID
        ACL_ERROR_RT_PARAM_INVALID: `hacType` is no aclrtHacType.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if capabilities.null:
        raise null("capabilities")
    machine, what = current(), "Querying the access to host memory"
    machine.device(deviceId, what, "deviceId")
    if hacType not in tuple(aclrtHacType):
        raise out_of_range(what, hacType, "hacType", "an aclrtHacType")
    machine.context(what)
    maps = machine.soc.series in NEWER or machine.soc.series is Series.TRAINING
    yes, no = (
        aclrtHostMemMapCapability.ACL_RT_HOST_MEM_MAP_SUPPORTED,
        aclrtHostMemMapCapability.ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED,
    )
    capabilities.store(yes if maps else no)


@acl_api(HEADER, pyacl=None)
def aclrtDeviceGetHostAtomicCapabilities(
    capabilities: d.uint32_t_target,
    operations: d.const_aclrtAtomicOperation_p,
    count: d.const_uint32_t,
    deviceId: c.int32_t,
) -> c.aclError:
    """Query which atomic operations a device may do on host memory: none, for each of `count` operations.

    Returns:
        ACL_SUCCESS: each capability is 0.
        ACL_ERROR_RT_PARAM_INVALID: an argument is null or `count` is 0; or an array has fewer elements (only if the
            machine reports findings instead of raising them).
        ACL_ERROR_RT_INVALID_DEVICEID
    """
    _answer_none(capabilities, operations, count, deviceId=deviceId)


@acl_api(HEADER, pyacl=None)
def aclrtDeviceGetP2PAtomicCapabilities(
    capabilities: d.uint32_t_target,
    operations: d.const_aclrtAtomicOperation_p,
    count: d.const_uint32_t,
    srcDeviceId: c.int32_t,
    dstDeviceId: c.int32_t,
) -> c.aclError:
    """Query which atomic operations a device may do on the memory of another: none, for each of `count` operations.

    Returns:
        ACL_SUCCESS: each capability is 0.
        ACL_ERROR_RT_PARAM_INVALID: an argument is null or `count` is 0; or an array has fewer elements (only if the
            machine reports findings instead of raising them).
        ACL_ERROR_RT_INVALID_DEVICEID
    """
    _answer_none(capabilities, operations, count, srcDeviceId=srcDeviceId, dstDeviceId=dstDeviceId)


def _answer_none(capabilities: Address, operations: Address, count: int, **devices: int) -> None:
    what = "Querying atomic operations"
    if not capabilities.value:
        raise null_in_runtime(what, "capabilities")
    if not operations.value:
        raise null_in_runtime(what, "operations")
    if not 0 < count <= MOST_OPERATIONS:
        raise out_of_range(what, count, "count", f"[1, {MOST_OPERATIONS}]")
    for name, number in devices.items():
        current().device(number, what, name)
    load_array(operations, c_uint32, count, "operations")
    store(capabilities, (c_uint32 * count)(), "capabilities")


@acl_api(HEADER, pyacl=None)
def aclrtGetHardwareSyncAddr(addr: c.void_pp) -> c.aclError:
    """Query the device memory that kernels use to synchronise the cores of a device.

    Returns:
        ACL_SUCCESS: `*addr` is the address.
        ACL_ERROR_RT_PARAM_INVALID: `addr` is null.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    what = "Getting the memory for the synchronisation of cores"
    check_product(what)
    if addr.null:
        raise null_in_runtime(what, "addr")
    machine = current()
    addr.store(sync_area(machine, machine.context(what).device))


@acl_api(HEADER, inert=True, pyacl=None)
def aclrtDeviceL2CacheFlush(rsv: c.source_void_p) -> c.aclError:
    """Flush the cache of the current device. Simulated devices have none.

    Returns:
        ACL_SUCCESS: accepted.
        ACL_ERROR_INVALID_PARAM: `rsv` is not null.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if rsv.value:
        raise invalid(f"{rsv.value:#x}", "rsv", "null, it is reserved")
    current().context("Flushing the cache")
