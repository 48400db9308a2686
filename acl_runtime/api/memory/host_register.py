"""acl/acl_rt.h: registering host memory, so that a device may use it."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Address
from acl_runtime.api.memory.host_memory import announce_freeing
from acl_runtime.api.refusals import check_product, invalid, null, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import (
    ACL_HOST_REG_IOMEMORY,
    ACL_HOST_REG_MAPPED,
    ACL_HOST_REG_PINNED,
    ACL_HOST_REG_READONLY,
    aclrtHostRegisterType,
)
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
    ACL_ERROR_HOST_MEMORY_NOT_REGISTERED,
    ACL_ERROR_RT_MEMORY_ALLOCATION,
    ACL_ERROR_RT_PARAM_INVALID,
)
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.memory import host
from acl_runtime.memory.allocation import REGISTERED
from acl_runtime.memory.copies import COUNT, too_small, whereabouts
from acl_runtime.memory.device_memory import DeviceMemory

WHAT: Final = "Host memory registration"
MAPPING: Final = ACL_HOST_REG_MAPPED | ACL_HOST_REG_IOMEMORY | ACL_HOST_REG_READONLY
FLAGS: Final = MAPPING | ACL_HOST_REG_PINNED


@acl_api("acl/acl_rt.h")
def aclrtHostRegister(ptr: c.void_p, size: c.uint64_t, type: c.aclrtHostRegisterType, devPtr: c.void_pp) -> c.aclError:
    """Give `size` bytes of host memory, which host and device then share, an address on the current device.

    Copies treat the memory at `ptr` as pinned. The memory must stay allocated until aclrtHostUnregister.

    Returns:
        ACL_SUCCESS: `*devPtr` is the address on the device.
        ACL_ERROR_INVALID_PARAM: `ptr` or `devPtr` is null, `size` is 0, or `type` is no aclrtHostRegisterType.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_PARAM_INVALID: some of the range is no host memory, or cannot be read, or cannot be written
            although `type` is not read-only.
        ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED: some of the range is registered.
        ACL_ERROR_RT_MEMORY_ALLOCATION: the device has no address left.
    """
    _check(ptr, size)
    if type not in tuple(aclrtHostRegisterType):
        raise invalid(type, "type", "an aclrtHostRegisterType")
    if devPtr.null:
        raise null("devPtr")
    flag = ACL_HOST_REG_READONLY if type == aclrtHostRegisterType.ACL_HOST_REGISTER_READONLY else ACL_HOST_REG_MAPPED
    devPtr.store(_register(current(), ptr, size, flag))


@acl_api("acl/acl_rt.h")
def aclrtHostRegisterV2(ptr: c.void_p, size: c.uint64_t, flag: c.uint32_t) -> c.aclError:
    """Register `size` bytes of host memory. `flag` is a bitwise or of ACL_HOST_REG_MAPPED, _IOMEMORY, _READONLY
    and _PINNED.

    Each of the first three gives the memory an address on the device of the current context, which
    aclrtHostGetDevicePointer returns. Copies treat the memory at `ptr` as pinned. The memory must stay allocated until
    aclrtHostUnregister.

    Returns:
        ACL_SUCCESS: registered.
        ACL_ERROR_INVALID_PARAM: `ptr` is null, or `size` is 0.
        ACL_ERROR_RT_PARAM_INVALID: `flag` has no known bit or an unknown one; some of the range is no host memory, or
            cannot be read, or cannot be written although `flag` is not read-only.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED: some of the range is registered.
        ACL_ERROR_RT_MEMORY_ALLOCATION: the device has no address left.
    """
    _check(ptr, size)
    if not flag or flag & ~FLAGS:
        raise out_of_range(WHAT, flag, "flag", "a bitwise or of ACL_HOST_REG_MAPPED (2), 4, 8 and 0x10000000")
    _register(current(), ptr, size, flag)


@acl_api("acl/acl_rt.h")
def aclrtHostGetDevicePointer(pHost: c.source_void_p, pDevice: c.void_pp, flag: c.uint32_t) -> c.aclError:
    """Query the device address of registered host memory, or of a byte inside it.

    Returns:
        ACL_SUCCESS: `*pDevice` is the address.
        ACL_ERROR_INVALID_PARAM: `pHost` or `pDevice` is null, or `flag`, which is reserved, is not 0.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_PARAM_INVALID: `pHost` lies in no registered memory, or in memory that was only pinned.
    """
    if not pHost.value:
        raise null("pHost")
    if pDevice.null:
        raise null("pDevice")
    if flag:
        raise invalid(flag, "flag", "0, as it is reserved")
    machine, what = current(), "Getting the device address of host memory"
    machine.context(what)
    check_product(what)
    pinned = machine.pinned.registered_in(pHost.value, pHost.value + 1)
    if pinned is None or pinned.mapping is None:
        unknown = whereabouts(machine, pHost.value)
        reason = f"{pinned} was registered without ACL_HOST_REG_MAPPED" if pinned else unknown
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EL0003", (), f"(pHost: {reason})"))
    pDevice.store(pinned.mapping.address + pHost.value - pinned.address)


@acl_api("acl/acl_rt.h")
def aclrtHostUnregister(ptr: c.source_void_p) -> c.aclError:
    """End the registration of the host memory that starts at `ptr`. Its device address is invalid afterwards.

    Returns:
        ACL_SUCCESS: the memory is no longer registered.
        ACL_ERROR_INVALID_PARAM: `ptr` is null.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_HOST_MEMORY_NOT_REGISTERED: `ptr` is no start of registered memory.
    """
    if not ptr.value:
        raise null("ptr")
    machine, what = current(), "Ending a host memory registration"
    machine.context(what)
    pinned = machine.pinned.registered_at(ptr.value)
    check_product(what, refused=pinned is None or pinned.mapping is not None)
    if pinned is None:
        values = (what, f"{ptr.value:#x}", "ptr", whereabouts(machine, ptr.value))
        raise AclError(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, Item("EE1011", values))
    mapping = pinned.mapping
    announce_freeing(machine, pinned, REGISTERED[1])
    if mapping is not None:
        machine.devices[mapping.device.device].memory.free(mapping)
    machine.pinned.unregister(pinned)


def _check(pointer: Address, size: int) -> None:
    if not pointer.value:
        raise null("ptr")
    if size == 0:
        raise invalid(0, "size", "a value greater than 0")


def _register(machine: Machine, pointer: Address, size: int, flag: int) -> int:
    """Register the memory, and map it to the device if `flag` has a bit for that. Returns the device address or 0."""
    memory = machine.context(WHAT).device.memory
    check_product(WHAT, refused=bool(flag & MAPPING))
    readonly = bool(flag & ACL_HOST_REG_READONLY)
    safe = _check_range(machine, pointer, size, readonly)
    if (overlap := machine.pinned.registered_in(pointer.value, pointer.value + size)) is not None:
        values = (WHAT, f"{pointer.value:#x}", "ptr", f"{overlap}, {overlap.history()}, is registered there already")
        raise AclError(ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED, Item("EE1011", values))
    mapping = None
    if flag & MAPPING:
        mapping = memory.map(pointer.value, size, kept_alive=safe, readonly=readonly)
        if mapping is None:
            raise AclError(ACL_ERROR_RT_MEMORY_ALLOCATION, Item("EL0004", ("app",), _no_address(memory)))
    registered = machine.pinned.register(pointer.value, size, pointer.owner if pointer.safe else None)
    registered.mapping = mapping
    return mapping.address if mapping is not None else 0


def _check_range(machine: Machine, pointer: Address, size: int, readonly: bool) -> bool:
    """Raise AclError 107000 unless the range is usable host memory. Returns True if the program cannot free the memory,
    because the emulator allocated it or refers to its owner."""
    start = pointer.value
    if pointer.size is not None and size > pointer.size:
        machine.crash(
            "host-overrun",
            too_small("size", size, "ptr", pointer.size, type(pointer.owner).__name__),
            status=ACL_ERROR_RT_PARAM_INVALID,
            hint=COUNT,
        )
    if pointer.safe:
        return True
    memory, allocated = machine.memory_at(start), machine.pinned.holding(start)
    if memory is None and allocated is not None and not allocated.registered and start + size <= allocated.end:
        return True
    if memory is not None:
        why = f"{memory.name(start)} is device memory"
    elif not host.readable(start, size):
        why = f"{start:#x} is no host memory of {size} bytes"
    elif not readonly and not host.writable(start, size):
        why = f"the {size} bytes at {start:#x} cannot be written"
    else:
        return False
    raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EL0003", (), f"(ptr: {why})"))


def _no_address(memory: DeviceMemory) -> str:
    return f"(all addresses of device {memory.device} are in use)"
