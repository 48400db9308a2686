"""acl/acl_rt.h: queries of free memory, of usage, and of the memory behind an address."""

from typing import Final, NamedTuple

import acl_runtime.abi.c as c
import acl_runtime.headers.structs as s
from acl_runtime.abi.pointers import Address
from acl_runtime.api.memory.buffers import store
from acl_runtime.api.meta.objects import take
from acl_runtime.api.refusals import invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import (
    ACL_RT_MEM_TYPE_DEV,
    ACL_RT_MEM_TYPE_DVPP,
    ACL_RT_MEM_TYPE_RSVD,
    aclrtMemAttr,
    aclrtMemLocationType,
)
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_INVALID_MEMORY_TYPE, ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.allocation import NORMAL_PAGE
from acl_runtime.memory.copies import bad_address
from acl_runtime.memory.managed import Managed
from acl_runtime.memory.reservation import Reservation
from acl_runtime.memory.sizes import GIB
from acl_runtime.streams.stream import Device

APPLICATION: Final = b"APP"
"""our choice: the name of the only module, which uses all device memory"""
KINDS: Final = ACL_RT_MEM_TYPE_DEV | ACL_RT_MEM_TYPE_DVPP | ACL_RT_MEM_TYPE_RSVD


@acl_api("acl/acl_rt.h")
def aclrtGetMemInfo(attr: c.aclrtMemAttr, free: c.size_t_p, total: c.size_t_p) -> c.aclError:
    """Query the free and total bytes of the current device's memory, of all pages or of the pages of one size.

    The training series, A2, A3 and 950 have HBM, and both numbers are 0 for DDR. The other products have DDR, and
    return its numbers for HBM too. Memory shared between devices comes from the same pages.

    Returns:
        ACL_SUCCESS: `*free` and `*total` are written.
        ACL_ERROR_INVALID_PARAM: `free` or `total` is null.
        ACL_ERROR_RT_INVALID_MEMORY_TYPE: `attr` is not one of 0 to 17.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if free.null:
        raise null("free")
    if total.null:
        raise null("total")
    what = "Getting memory information"
    if attr not in tuple(aclrtMemAttr):
        raise AclError(ACL_ERROR_RT_INVALID_MEMORY_TYPE, Item("EE1003", (what, attr, "attr", "[0, 17]")))
    unused, whole = _numbers(current().context(what).device, aclrtMemAttr(attr))
    free.store(unused)
    total.store(whole)


def _numbers(device: Device, attr: aclrtMemAttr) -> tuple[int, int]:
    """Free and total bytes. "For the plain DDR (0) or HBM (1) attribute total = huge + normal". ggml and torch_npu ask
    for HBM on every product."""
    words = attr.name.removeprefix("ACL_").split("_")
    if words[0] == "DDR" and device.soc.hbm:
        return 0, 0
    memory = device.memory
    if words[-1] == "HUGE1G":
        unused, whole = memory.pages(huge=True) if device.soc.huge_1g_pages else (0, 0)
        return unused // GIB * GIB, whole // GIB * GIB
    if words[-1] in ("HUGE", "NORMAL"):
        return memory.pages(huge=words[-1] == "HUGE")
    return memory.left, memory.capacity


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtGetMemUsageInfo(
    deviceId: c.int32_t, memUsageInfo: c.aclrtMemUsageInfo_p, inputNum: c.size_t, outputNum: c.size_t_p
) -> c.aclError:
    """Query how many bytes of a device each module uses now, and used at most. All memory belongs to one module, APP.

    Returns:
        ACL_SUCCESS: `*outputNum` elements of `memUsageInfo` are written.
        ACL_ERROR_INVALID_PARAM: `memUsageInfo` or `outputNum` is null, or `inputNum`, the number of elements of
            `memUsageInfo`, is 0.
        ACL_ERROR_RT_INVALID_DEVICEID
        ACL_ERROR_RT_PARAM_INVALID: `memUsageInfo` is no memory of the host that can be written (only if the machine
            reports findings instead of raising them).
    """
    if not memUsageInfo.value:
        raise null("memUsageInfo")
    if inputNum == 0:
        raise invalid(0, "inputNum", "a value greater than 0")
    if outputNum.null:
        raise null("outputNum")
    memory = current().device(deviceId, "Getting the memory usage", "deviceId").memory
    usage = s.aclrtMemUsageInfo(name=APPLICATION, curMemSize=memory.used, memPeakSize=memory.peak)
    store(memUsageInfo, usage, "memUsageInfo")
    outputNum.store(1)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtCheckMemType(
    addrList: c.void_p_sources, size: c.uint32_t, memType: c.uint32_t, checkResult: c.uint32_t_p, reserve: c.uint32_t
) -> c.aclError:
    """Query whether all `size` addresses lie in memory of the kinds in `memType`, a bitwise or of ACL_RT_MEM_TYPE_DEV,
    _DVPP and _RSVD. Live device memory is of the first kind. The emulator has no memory of the other kinds.

    Returns:
        ACL_SUCCESS: `*checkResult` is 1 if all addresses lie in such memory, else 0.
        ACL_ERROR_INVALID_PARAM: `addrList` or `checkResult` is null, `size` is 0, `memType` has no known bit or an
            unknown one, or `reserve` is not 0.
        ACL_ERROR_RT_PARAM_INVALID: `addrList` has fewer than `size` elements (only if the machine reports findings
            instead of raising them).
    """
    if addrList.null:
        raise null("addrList")
    if size == 0:
        raise invalid(0, "size", "a value greater than 0")
    if not memType or memType & ~KINDS:
        raise invalid(memType, "memType", "a bitwise or of ACL_RT_MEM_TYPE_DEV (2), _DVPP (8) and _RSVD (16)")
    if checkResult.null:
        raise null("checkResult")
    if reserve:
        raise invalid(reserve, "reserve", "0, as it is reserved")
    machine = current()
    addresses: tuple[Address, ...] = take(addrList, size, "addrList", ACL_ERROR_RT_PARAM_INVALID)
    of_kind = memType & ACL_RT_MEM_TYPE_DEV and all(_on_device(machine, address.value) for address in addresses)
    checkResult.store(1 if of_kind else 0)


def _on_device(machine: Machine, address: int) -> bool:
    """True for an address in live device memory that is not mapped host memory."""
    memory = machine.memory_at(address)
    piece = memory.holding(address) if memory is not None else None
    if isinstance(piece, Reservation):
        return piece.mapping_at(address) is not None
    return piece is not None and not piece.mapped


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtMemGetAddressRange(ptr: c.source_void_p, pbase: c.void_pp, psize: c.size_t_p) -> c.aclError:
    """Query the start and the requested size of the allocation of device memory that `ptr` lies in. For virtual memory,
    query the range to which one handle is mapped.

    Returns:
        ACL_SUCCESS: `*pbase` and `*psize` are written.
        ACL_ERROR_INVALID_PARAM: `ptr`, `pbase` or `psize` is null.
        ACL_ERROR_RT_PARAM_INVALID: `ptr` lies in no live device memory.
    """
    if not ptr.value:
        raise null("ptr")
    if pbase.null:
        raise null("pbase")
    if psize.null:
        raise null("psize")
    machine = current()
    memory = machine.memory_at(ptr.value)
    piece = memory.holding(ptr.value) if memory is not None else None
    if isinstance(piece, Reservation):
        piece = piece.mapping_at(ptr.value)
    if piece is None:
        raise bad_address(machine, ptr.value, "ptr")
    pbase.store(piece.address)
    psize.store(piece.size)


class _MemoryLocation(NamedTuple):
    id: int
    type: aclrtMemLocationType
    page: int


@acl_api("acl/acl_rt.h")
def aclrtPointerGetAttributes(ptr: c.const_void_p, attributes: c.aclrtPtrAttributes_p) -> c.aclError:
    """Query where the memory behind `ptr` lies: pinned or registered host memory (type 0), device memory (type 1, with
    the device as id), any other host memory (type 2), or managed memory (type 3). No context is needed.

    Returns:
        ACL_SUCCESS: `*attributes` is written.
        ACL_ERROR_INVALID_PARAM: `ptr` or `attributes` is null.
        ACL_ERROR_RT_PARAM_INVALID: `ptr` is a device address without live memory.
    """
    if not ptr.value:
        raise null("ptr")
    if not attributes.value:
        raise null("attributes")
    place = _location(current(), ptr.value)
    location = s.aclrtMemLocation(id=place.id, type=place.type)
    store(attributes, s.aclrtPtrAttributes(location=location, pageSize=place.page), "attributes")


def _location(machine: Machine, address: int) -> _MemoryLocation:
    memory = machine.memory_at(address)
    if memory is not None:
        piece = memory.holding(address)
        mapping = piece.mapping_at(address) if isinstance(piece, Reservation) else None
        if piece is None or (mapping is None and piece.virtual):
            raise bad_address(machine, address, "ptr")
        if isinstance(piece, Managed):
            return _MemoryLocation(memory.device, aclrtMemLocationType.ACL_MEM_LOCATION_TYPE_MANAGED, piece.page)
        page = mapping.handle.page if mapping is not None else piece.page
        return _MemoryLocation(memory.device, aclrtMemLocationType.ACL_MEM_LOCATION_TYPE_DEVICE, page)
    if machine.pinned.holding(address) is not None:
        return _MemoryLocation(0, aclrtMemLocationType.ACL_MEM_LOCATION_TYPE_HOST, NORMAL_PAGE)
    return _MemoryLocation(0, aclrtMemLocationType.ACL_MEM_LOCATION_TYPE_UNREGISTERED, 0)
