"""acl/acl_rt.h: reserving addresses, and mapping physical memory to them."""

from typing import Final

import acl_runtime.abi.c as c
import acl_runtime.headers.structs as s
from acl_runtime.api.memory.allocation_checks import no_host_memory, zero_size
from acl_runtime.api.memory.buffers import load, load_array
from acl_runtime.api.memory.physical_memory import DEVICE, HOST, live
from acl_runtime.api.refusals import invalid, null, null_in_runtime, out_of_range, unsupported
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import aclrtMemAccessFlags
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.copies import whereabouts
from acl_runtime.memory.physical import PhysicalHandle
from acl_runtime.memory.reservation import READ_WRITE, Reservation, VirtualMapping
from acl_runtime.memory.sizes import GIB, HUGE_PAGE
from acl_runtime.memory.virtual import possible
from acl_runtime.objects.address_range import DEVICE_START, EXPECTED_START

RESERVING: Final = "Virtual memory reservation"
RELEASING: Final = "Virtual memory release"
MAPPING: Final = "Virtual memory mapping"
UNMAPPING: Final = "Virtual memory unmapping"
ACCESS: Final = "Setting the access to virtual memory"
ACCESS_OF: Final = "Getting the access to virtual memory"
RETAINING: Final = "Getting the physical memory of an address"
MOST_DESCRIPTIONS: Final = 1 << 16
"""our limit: a larger `count` would make the emulator read far beyond the array"""


@acl_api("acl/acl_rt.h", closes=False)
def aclrtReserveMemAddress(
    virPtr: c.void_pp, size: c.size_t, alignment: c.size_t, expectPtr: c.source_void_p, flags: c.uint64_t
) -> c.aclError:
    """Reserve `size` bytes of addresses and write the first address to `*virPtr`. The call takes no memory of a device,
    and needs neither a context nor a device.

    The addresses can be used after aclrtMapMem mapped physical memory to them. `alignment` should be 0, but is not
    checked. `expectPtr` is null or the first address: a multiple of 2 MiB between 16 TiB and 24 TiB, and of 1 GiB for
    more than 1 GiB. On Ascend 950 it is null. `flags` is 0 or 1, which mean the same.

    Returns:
        ACL_SUCCESS: `*virPtr` is the address.
        ACL_ERROR_INVALID_PARAM: `virPtr` is null, `size` is 0, or `flags` is not 0 or 1.
        ACL_ERROR_RT_PARAM_INVALID: `expectPtr` is out of range or misaligned, or some of the addresses are in use; or
            `expectPtr` is not null on Ascend 950.
        ACL_ERROR_RT_MEMORY_ALLOCATION: the process does not have that many addresses left.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the system of the host cannot map pages twice.
    """
    if virPtr.null:
        raise null("virPtr")
    if size == 0:
        raise zero_size()
    if flags > 1:
        raise invalid(flags, "flags", "0 or 1")
    unit = GIB if size > GIB else HUGE_PAGE
    expected, machine = expectPtr.value, current()
    if expected and not machine.soc.expected_addresses:
        raise out_of_range(RESERVING, f"{expected:#x}", "expectPtr", f"null on {machine.soc.label}")
    if expected and (expected % unit or not EXPECTED_START <= expected <= expected + size <= DEVICE_START):
        condition = f"null, or a multiple of {unit} between 16 TiB and 24 TiB"
        raise out_of_range(RESERVING, f"{expected:#x}", "expectPtr", condition)
    if not possible():
        raise unsupported(RESERVING, "this system cannot map the same pages twice")
    try:
        reservation = machine.virtual.reserve(size, expected or None, unit)
    except MemoryError as error:
        raise no_host_memory(error) from None
    if reservation is None:
        raise out_of_range(RESERVING, f"{expected:#x}", "expectPtr", "the start of addresses that are not in use")
    virPtr.store(reservation.address)


@acl_api("acl/acl_rt.h")
def aclrtReleaseMemAddress(virPtr: c.source_void_p) -> c.aclError:
    """Release reserved addresses. Nothing may be mapped to them.

    Returns:
        ACL_SUCCESS: released.
        ACL_ERROR_INVALID_PARAM: `virPtr` is null.
        ACL_ERROR_RT_PARAM_INVALID: `virPtr` is no start of reserved addresses, or memory is mapped to some of them.
    """
    if not virPtr.value:
        raise null("virPtr")
    machine = current()
    reservation = machine.virtual.at(virPtr.value)
    if reservation is None:
        raise _refused(machine, RELEASING, virPtr.value, "it is no start of reserved addresses")
    if reservation.mappings:
        first = reservation.mappings[0]
        raise _refused(
            machine, RELEASING, virPtr.value, f"{first.handle} is mapped to {reservation.name(first.address)}"
        )
    machine.virtual.release(reservation)


@acl_api("acl/acl_rt.h")
def aclrtMapMem(
    virPtr: c.source_void_p, size: c.size_t, offset: c.size_t, handle: c.aclrtDrvMemHandle, flags: c.uint64_t
) -> c.aclError:
    """Map physical memory to reserved addresses. The device of `handle` may then read and write them as ordinary device
    memory; the program may, if `handle` is memory of the host.

    Several mappings of one handle show the same bytes.

    Returns:
        ACL_SUCCESS: mapped.
        ACL_ERROR_INVALID_PARAM: `virPtr` or `handle` is null, `size` is 0, or `flags` is not 0.
        ACL_ERROR_RT_INVALID_HANDLE: `handle` is no live physical memory.
        ACL_ERROR_RT_PARAM_INVALID: `size` is not the size of `handle`; `offset` is not 0; the addresses are not
            reserved, or misaligned, or something is mapped there; other addresses of the reservation are mapped to
            memory of another device.
        ACL_ERROR_RT_MEMORY_ALLOCATION: the host under the emulator cannot map more memory.
    """
    _map(virPtr.value, size, offset, handle, flags, READ_WRITE)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtMemMapNoAccess(
    virPtr: c.source_void_p, size: c.size_t, offset: c.size_t, handle: c.aclrtDrvMemHandle, flags: c.uint64_t
) -> c.aclError:
    """aclrtMapMem of memory that no device may access before aclrtMemSetAccess.

    Returns:
        ACL_SUCCESS: mapped.
        ACL_ERROR_INVALID_PARAM: `virPtr` or `handle` is null, `size` is 0, or `flags` is not 0.
        ACL_ERROR_RT_INVALID_HANDLE: `handle` is no live physical memory.
        ACL_ERROR_RT_PARAM_INVALID: `size` is not the size of `handle`; `offset` is not 0; the addresses are not
            reserved, or misaligned, or something is mapped there; other addresses of the reservation are mapped to
            memory of another device.
        ACL_ERROR_RT_MEMORY_ALLOCATION: the host under the emulator cannot map more memory.
    """
    _map(virPtr.value, size, offset, handle, flags, aclrtMemAccessFlags.ACL_RT_MEM_ACCESS_FLAGS_NONE)


def _map(address: int, size: int, offset: int, handle: int, flags: int, access: int) -> None:
    if not address:
        raise null("virPtr")
    if not handle:
        raise null("handle")
    if size == 0:
        raise zero_size()
    if flags:
        raise invalid(flags, "flags", "0")
    machine = current()
    physical = live(machine, handle, MAPPING)
    reservation = _target(machine, address, size, offset, physical)
    try:
        machine.virtual.map(reservation, address, physical, access)
    except MemoryError as error:
        raise no_host_memory(error) from None


def _target(machine: Machine, address: int, size: int, offset: int, physical: PhysicalHandle) -> Reservation:
    """The reservation to which the handle can be mapped."""
    if offset:
        raise out_of_range(MAPPING, offset, "offset", "0")
    if size != physical.size:
        raise out_of_range(MAPPING, size, "size", f"{physical.size}, the size of {physical}")
    if size % physical.page:
        raise out_of_range(MAPPING, size, "size", f"a multiple of the granularity, {physical.page}")
    reservation = machine.virtual.holding(address)
    if reservation is None:
        raise _refused(machine, MAPPING, address, "it is no reserved address")
    if address + size > reservation.end:
        raise _refused(machine, MAPPING, address, f"only {reservation.end - address} bytes are reserved from there on")
    if address % physical.page:
        raise _refused(machine, MAPPING, address, f"it is no multiple of the granularity, {physical.page}")
    if (overlap := next(reservation.touching(address, address + size), None)) is not None:
        raise _refused(machine, MAPPING, address, f"{overlap.handle} is mapped to {reservation.name(overlap.address)}")
    if any(_place(other.handle) != _place(physical) for other in reservation.mappings[:1]):
        raise _refused(machine, MAPPING, address, "memory of another device is mapped to this reservation")
    return reservation


def _place(physical: PhysicalHandle) -> object:
    """The device of physical memory; None for the host."""
    return physical.block.device if physical.block is not None else None


@acl_api("acl/acl_rt.h")
def aclrtUnmapMem(virPtr: c.source_void_p) -> c.aclError:
    """End a mapping. The call waits for no stream.

    Returns:
        ACL_SUCCESS: unmapped.
        ACL_ERROR_INVALID_PARAM: `virPtr` is null.
        ACL_ERROR_RT_PARAM_INVALID: `virPtr` is no start of a mapping.
    """
    if not virPtr.value:
        raise null("virPtr")
    machine = current()
    mapping = _mapping(machine, UNMAPPING, virPtr.value)
    machine.announce.unmapping(mapping)
    machine.virtual.unmap(mapping)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtMemSetAccess(
    virPtr: c.source_void_p, size: c.size_t, desc: c.aclrtMemAccessDesc_p, count: c.size_t
) -> c.aclError:
    """Set the access of devices to mapped memory: none, read, or read and write. Only descriptions that name the device
    of the memory have an effect; other devices need peer access.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_RT_PARAM_INVALID: `virPtr` or `desc` is null, or `count` is 0 or above 65,536; the range is not the
            whole range of a mapping; a description has unknown flags, or a location other than the host and the
            devices; `desc` cannot be read (only if the machine reports findings instead of raising them).
    """
    if not virPtr.value:
        raise null_in_runtime(ACCESS, "virPtr")
    if not desc.value:
        raise null_in_runtime(ACCESS, "desc")
    if not 0 < count <= MOST_DESCRIPTIONS:
        raise out_of_range(ACCESS, count, "count", f"the number of descriptions, from 1 to {MOST_DESCRIPTIONS}")
    machine = current()
    entries = load_array(desc, s.aclrtMemAccessDesc, count, "desc")
    mapping = _mapping(machine, ACCESS, virPtr.value)
    if size != mapping.size:
        raise out_of_range(ACCESS, size, "size", f"{mapping.size}, as it was mapped")
    for i, entry in enumerate(entries):
        _check_place(machine, ACCESS, entry.location, f"desc[{i}].location")
        if entry.flags not in tuple(aclrtMemAccessFlags):
            raise out_of_range(ACCESS, entry.flags, f"desc[{i}].flags", "0, 1 or 3")
    for entry in entries:
        if (entry.location.id, entry.location.type) == mapping.handle.location:
            machine.virtual.allow(mapping, entry.flags)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtMemGetAccess(virPtr: c.source_void_p, location: c.aclrtMemLocation_p, flag: c.uint64_t_p) -> c.aclError:
    """Query the access of a device to mapped memory: 0 (none), 1 (read) or 3 (read and write). For a location to which
    the memory does not belong, the access is 0.

    Returns:
        ACL_SUCCESS: `*flag` is written.
        ACL_ERROR_INVALID_PARAM: `virPtr`, `location` or `flag` is null.
        ACL_ERROR_RT_PARAM_INVALID: nothing is mapped to `virPtr`; `location` is neither the host nor a device, or
            cannot be read (only if the machine reports findings instead of raising them).
    """
    if not virPtr.value:
        raise null("virPtr")
    if not location.value:
        raise null("location")
    if flag.null:
        raise null("flag")
    machine = current()
    place = load(location, s.aclrtMemLocation, "location")
    _check_place(machine, ACCESS_OF, place, "location")
    reservation = machine.virtual.holding(virPtr.value)
    mapping = reservation.mapping_at(virPtr.value) if reservation is not None else None
    if mapping is None:
        raise _refused(machine, ACCESS_OF, virPtr.value, "nothing is mapped there")
    flag.store(mapping.access if (place.id, place.type) == mapping.handle.location else 0)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtMemRetainAllocationHandle(virPtr: c.source_void_p, handle: c.aclrtDrvMemHandle_p) -> c.aclError:
    """Get the physical memory of a mapping. The result is the handle from aclrtMallocPhysical, or a new handle if that
    handle was freed. For each call of this function, aclrtFreePhysical must be
    called once more.

    Returns:
        ACL_SUCCESS: `*handle` is the memory.
        ACL_ERROR_INVALID_PARAM: `virPtr` or `handle` is null.
        ACL_ERROR_RT_PARAM_INVALID: `virPtr` is no start of a mapping.
    """
    if not virPtr.value:
        raise null("virPtr")
    if handle.null:
        raise null("handle")
    machine = current()
    memory = _mapping(machine, RETAINING, virPtr.value).handle
    if memory.shares:
        memory.shares += 1
    else:
        memory = machine.virtual.replace(memory)
        machine.handles.add(memory)
    handle.store(memory.number)


def _mapping(machine: Machine, what: str, address: int) -> VirtualMapping:
    """The mapping that starts at an address; AclError 107000 if there is none."""
    reservation = machine.virtual.holding(address)
    mapping = reservation.mapping_at(address) if reservation is not None else None
    if mapping is None or mapping.address != address:
        raise _refused(machine, what, address, "it is no start of a mapping")
    return mapping


def _check_place(machine: Machine, what: str, location: s.aclrtMemLocation, parameter: str) -> None:
    """AclError 107000 unless the location is the host, with id 0, or a device of the machine."""
    number = len(machine.devices) if location.type == DEVICE else 1 if location.type == HOST else 0
    if location.id >= number:
        place_text = f"(id {location.id}, type {location.type})"
        raise out_of_range(
            what, place_text, parameter, "a device of this machine (type 1), or id 0 of type 0, the host"
        )


def _refused(machine: Machine, what: str, address: int, why: str) -> AclError:
    """The refusal of an address for the reason `why`: 107000."""
    reservation = machine.virtual.holding(address)
    name = reservation.name(address) if reservation is not None else f"{address:#x}"
    detail = "" if reservation is not None else f"({whereabouts(machine, address)})"
    return AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1011", (what, name, "virPtr", why), detail))
