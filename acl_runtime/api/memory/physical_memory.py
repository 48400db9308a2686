"""acl/acl_rt.h: physical memory, which programs access through virtual memory."""

from typing import Final, NamedTuple

import acl_runtime.abi.c as c
import acl_runtime.headers.structs as s
from acl_runtime.api.memory.allocation_checks import exhausted, no_host_memory, zero_size
from acl_runtime.api.memory.buffers import load, store
from acl_runtime.api.refusals import invalid, lacking, null, unsupported
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import (
    aclrtMemAllocationType,
    aclrtMemAttr,
    aclrtMemGranularityOptions,
    aclrtMemHandleType,
    aclrtMemLocationType,
)
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_RT_INVALID_HANDLE,
    ACL_ERROR_RT_MEMORY_ALLOCATION,
    ACL_ERROR_RT_PARAM_INVALID,
)
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.allocation import ALLOCATED, NORMAL_PAGE
from acl_runtime.memory.host_budget import NoHostMemory
from acl_runtime.memory.physical import HostBlock, PhysicalHandle
from acl_runtime.memory.sizes import GIB, HUGE_PAGE, round_up
from acl_runtime.memory.virtual import possible

WHAT: Final = "Physical memory allocation"
HOST: Final = aclrtMemLocationType.ACL_MEM_LOCATION_TYPE_HOST
DEVICE: Final = aclrtMemLocationType.ACL_MEM_LOCATION_TYPE_DEVICE
HOST_NUMA: Final = aclrtMemLocationType.ACL_MEM_LOCATION_TYPE_HOST_NUMA
NEVER: Final = ("ACL_DDR_MEM", "ACL_HBM_MEM", "ACL_HBM_MEM_P2P_HUGE", "ACL_HBM_MEM_P2P_NORMAL",
                "ACL_HBM_MEM_P2P_HUGE1G")  # fmt: skip
"""attributes that physical memory never has"""


GRANULARITY: Final = "Getting the granularity of physical memory"


class PhysicalMemory(NamedTuple):
    """The memory that an aclrtPhysicalMemProp describes."""

    attribute: aclrtMemAttr
    id: int
    type: int
    page: int
    """the granularity"""


@acl_api("acl/acl_rt.h")
def aclrtMemGetAllocationGranularity(
    prop: c.aclrtPhysicalMemProp_p, option: c.aclrtMemGranularityOptions, granularity: c.size_t_p
) -> c.aclError:
    """Query the bytes to which sizes and addresses of physical memory are rounded: 2 MiB; 1 GiB for pages of 1 GiB;
    4 KiB for normal pages of the host. The minimum and the recommended value are the same. Unknown types of handles and
    of locations are ignored, as no document has a status for them here.

    Returns:
        ACL_SUCCESS: `*granularity` is written.
        ACL_ERROR_INVALID_PARAM: `prop` or `granularity` is null, or this location has no physical memory of this kind.
        ACL_ERROR_RT_INVALID_DEVICEID
        ACL_ERROR_RT_PARAM_INVALID: `option` or the type of the allocation is not documented; `prop` cannot be read
            (only if the machine reports findings instead of raising them).
    """
    if not prop.value:
        raise null("prop")
    if granularity.null:
        raise null("granularity")
    properties = load(prop, s.aclrtPhysicalMemProp, "prop")
    request = _request(properties)
    if request.type == DEVICE:
        current().device(_signed(request.id), GRANULARITY, "prop->location.id")
    if option not in tuple(aclrtMemGranularityOptions):  # the driver makes these two checks
        raise _unlisted(option, "option", "0 or 1")
    if properties.allocationType != aclrtMemAllocationType.ACL_MEM_ALLOCATION_TYPE_PINNED:
        raise _unlisted(properties.allocationType, "prop->allocationType", "ACL_MEM_ALLOCATION_TYPE_PINNED (0)")
    granularity.store(request.page)


@acl_api("acl/acl_rt.h", closes=False, resource=True)
def aclrtMallocPhysical(
    handle: c.aclrtDrvMemHandle_p, size: c.size_t, prop: c.const_aclrtPhysicalMemProp_p, flags: c.uint64_t
) -> c.aclError:
    """Allocate physical memory of a device or of the host. The memory has no address until aclrtMapMem maps it to
    virtual memory. The call needs no context.

    The memory takes `size` bytes, rounded up to the granularity. The program itself reads and writes mapped memory of
    the host.

    Returns:
        ACL_SUCCESS: `*handle` is the memory.
        ACL_ERROR_INVALID_PARAM: `handle` or `prop` is null, `size` or `flags` is out of range, or this location has no
            physical memory of this kind.
        ACL_ERROR_RT_INVALID_DEVICEID
        ACL_ERROR_RT_CONTEXT_NULL: the memory is of a NUMA node of the host, and the thread has no context.
        ACL_ERROR_RT_PARAM_INVALID: `prop` cannot be read (only if the machine reports findings instead of raising
            them).
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the product lacks pages of 1 GiB; the memory is of a NUMA node (the emulator
            has none); the system cannot map pages twice.
        ACL_ERROR_RT_MEMORY_ALLOCATION: the device (or the host under the emulator) does not have that much left.
    """
    if handle.null:
        raise null("handle")
    if not prop.value:
        raise null("prop")
    if size == 0:
        raise zero_size()
    if flags:
        raise invalid(flags, "flags", "0")
    properties = load(prop, s.aclrtPhysicalMemProp, "prop")
    if properties.handleType != aclrtMemHandleType.ACL_MEM_HANDLE_TYPE_NONE:
        raise invalid(properties.handleType, "prop->handleType", "ACL_MEM_HANDLE_TYPE_NONE (0)")
    if properties.allocationType != aclrtMemAllocationType.ACL_MEM_ALLOCATION_TYPE_PINNED:
        raise invalid(properties.allocationType, "prop->allocationType", "ACL_MEM_ALLOCATION_TYPE_PINNED (0)")
    if properties.location.type not in (HOST, DEVICE, HOST_NUMA):
        raise invalid(properties.location.type, "prop->location.type", "0 (host), 1 (device) or 4 (node of the host)")
    handle.store(_allocate(current(), size, _request(properties)))


def _allocate(machine: Machine, size: int, request: PhysicalMemory) -> int:
    """The new handle."""
    device = machine.device(_signed(request.id), WHAT, "prop->location.id") if request.type == DEVICE else None
    if request.type == HOST_NUMA:
        machine.context(WHAT)
        raise lacking(WHAT, "memory of a node of the host", "this emulator has no nodes")
    if request.page == GIB and (device is None or not device.soc.huge_1g_pages):
        raise lacking(WHAT, "a page of 1 GiB", f"{machine.soc.label} does not have them")
    if not possible():
        raise unsupported(WHAT, "this system cannot map the same pages twice")
    extent = round_up(size, request.page)
    memory = PhysicalHandle(request.id, request.type, request.attribute, size, extent, request.page)
    try:
        if device is None:
            machine.virtual.allocate_host(memory)
        else:
            memory.block = device.memory.allocate_physical(size, extent, request.page, machine.virtual.store)
            if memory.block is None:
                raise exhausted(device.memory, size, extent)
            memory.offset = memory.block.offset
    except (MemoryError, NoHostMemory) as error:
        if device is None:
            detail = f"(the host does not have that much memory left: {error})"
            raise AclError(ACL_ERROR_RT_MEMORY_ALLOCATION, Item("EL0004", ("host",), detail)) from None
        raise no_host_memory(error) from None
    number = machine.handles.add(memory)
    if memory.block is not None:
        memory.block.label = f"physical memory {memory.ordinal}"
    else:
        memory.host = HostBlock(machine.virtual.store.address(memory.offset), size, memory.ordinal)
    return number


@acl_api("acl/acl_rt.h", resource=True)
def aclrtFreePhysical(handle: c.aclrtDrvMemHandle) -> c.aclError:
    """Free physical memory at once. Mapped memory is freed when its last mapping ends. For each call
    of aclrtMemRetainAllocationHandle, this function must be called once more.

    Returns:
        ACL_SUCCESS: freed.
        ACL_ERROR_INVALID_PARAM: `handle` is null.
        ACL_ERROR_RT_INVALID_HANDLE: `handle` is no live physical memory.
    """
    if not handle:
        raise null("handle")
    machine = current()
    memory = live(machine, handle, "Freeing physical memory")
    memory.shares -= 1
    if not memory.shares:
        machine.handles.remove(memory, ALLOCATED[1])
        machine.virtual.free(memory)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtMemGetAllocationPropertiesFromHandle(
    handle: c.aclrtDrvMemHandle, prop: c.aclrtPhysicalMemProp_p
) -> c.aclError:
    """Query the attribute and the location that aclrtMallocPhysical got for this physical memory.

    Returns:
        ACL_SUCCESS: `*prop` is written.
        ACL_ERROR_INVALID_PARAM: `handle` or `prop` is null.
        ACL_ERROR_RT_INVALID_HANDLE: `handle` is no live physical memory.
        ACL_ERROR_RT_PARAM_INVALID: `prop` cannot be written (only if the machine reports findings instead of raising
            them).
    """
    if not handle:
        raise null("handle")
    if not prop.value:
        raise null("prop")
    memory = live(current(), handle, "Getting the properties of physical memory")
    id, type = memory.location
    location = s.aclrtMemLocation(id=id, type=type)
    store(prop, s.aclrtPhysicalMemProp(memAttr=memory.attribute, location=location), "prop")


def live(machine: Machine, number: int, what: str) -> PhysicalHandle:
    """The physical memory of a handle; 107017 for a dead handle or a handle of another kind."""
    memory = machine.handles.find(number, PhysicalHandle)
    if memory is None:
        detail = f"({machine.handles.whereabouts(number)})"
        values = (what, "handle", "it is no live physical memory")
        raise AclError(ACL_ERROR_RT_INVALID_HANDLE, Item("EE1017", values, detail))
    return memory


def _unlisted(value: int, name: str, allowed: str) -> AclError:
    """The refusal of a value that no document lists: 107000 (our choice), as for other arguments of the driver."""
    return AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1003", (GRANULARITY, value, name, allowed)))


def _request(prop: s.aclrtPhysicalMemProp) -> PhysicalMemory:
    """The memory that a struct describes; AclError 100000 if no location has memory of this kind."""
    id, type, value = prop.location.id, prop.location.type, prop.memAttr
    is_member = value in tuple(aclrtMemAttr)
    name = aclrtMemAttr(value).name if is_member else ""
    if not is_member or name in NEVER:
        raise invalid(value, "prop->memAttr", "2 to 7, 10, or 12 to 17")
    if type == DEVICE and name.startswith("ACL_DDR"):
        raise invalid(value, "prop->memAttr", "an attribute of HBM, or of no kind, for a device")
    page = HUGE_PAGE
    if name.endswith("HUGE1G"):
        page = GIB
    elif type in (HOST, HOST_NUMA) and name.endswith("NORMAL"):
        page = NORMAL_PAGE
    return PhysicalMemory(aclrtMemAttr(value), id, type, page)


def _signed(id: int) -> int:
    """The id as a signed number."""
    return id if id < 1 << 31 else id - (1 << 32)
