"""Short ways to reserve addresses and to map physical memory to them."""

from __future__ import annotations

from ctypes import byref, c_void_p

from acl_runtime import *
from tests.helpers.outcomes import ok

MB = 1 << 20
PAGE = 2 * MB


def prop(
    attribute: int = ACL_HBM_MEM_HUGE, type: int = ACL_MEM_LOCATION_TYPE_DEVICE, id: int = 0
) -> aclrtPhysicalMemProp:
    """The description of physical memory."""
    return aclrtPhysicalMemProp(memAttr=attribute, location=aclrtMemLocation(id=id, type=type))


def on_host(attribute: int = ACL_HBM_MEM_HUGE) -> aclrtPhysicalMemProp:
    """The description of physical memory of the host."""
    return prop(attribute, ACL_MEM_LOCATION_TYPE_HOST)


def physical(size: int = PAGE, given: aclrtPhysicalMemProp | None = None) -> aclrtDrvMemHandle:
    """New physical memory."""
    handle = aclrtDrvMemHandle()
    ok(aclrtMallocPhysical(byref(handle), size, byref(given or prop()), 0))
    return handle


def reserve(size: int, expected: int | None = None) -> int:
    """Newly reserved addresses."""
    address = c_void_p()
    ok(aclrtReserveMemAddress(byref(address), size, 0, expected, 0))
    assert address.value
    return address.value


def mapped(pages: int, reserved: int | None = None) -> int:
    """Reserved addresses, with a handle of its own mapped to each of the first pages. The handles are freed already."""
    address = reserve((reserved or pages) * PAGE)
    for i in range(pages):
        handle = physical()
        ok(aclrtMapMem(address + i * PAGE, PAGE, 0, handle, 0))
        ok(aclrtFreePhysical(handle))
    return address


def place_of(handle: aclrtDrvMemHandle) -> int:
    """The address of memory that is mapped now."""
    address = reserve(PAGE)
    ok(aclrtMapMem(address, PAGE, 0, handle, 0))
    return address
