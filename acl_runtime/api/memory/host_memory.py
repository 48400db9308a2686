"""acl/acl_rt.h: allocating and freeing pinned host memory."""

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Out
from acl_runtime.api.memory.allocation_checks import zero_size
from acl_runtime.api.memory.malloc_config import check_config
from acl_runtime.api.outcomes import WAITS
from acl_runtime.api.refusals import null
from acl_runtime.api.rt.device import synchronize
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_MEMORY_ALLOCATION, ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.allocation import ALLOCATED
from acl_runtime.memory.copies import whereabouts
from acl_runtime.memory.pinned import Pinned
from acl_runtime.source.frames import by_site

WHAT = "Host memory allocation"


@acl_api("acl/acl_rt.h", resource=True)
def aclrtMallocHost(hostPtr: c.void_pp, size: c.size_t) -> c.aclError:
    """Allocate `size` bytes of pinned host memory, which the host reads and writes through its address.

    The address is the start of a page; `roundup(size, 32)` bytes may be used. The emulator fills the memory with zeros.

    Returns:
        ACL_SUCCESS: `*hostPtr` is the address.
        ACL_ERROR_INVALID_PARAM: `hostPtr` is null, or `size` is 0.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_MEMORY_ALLOCATION: the host does not have that much memory left; `*hostPtr` is null.
    """
    _check(hostPtr, size, "hostPtr")
    machine = current()
    machine.context(WHAT)
    _allocate(machine, hostPtr, size)


@acl_api("acl/acl_rt.h", resource=True)
def aclrtMallocHostWithCfg(ptr: c.void_pp, size: c.uint64_t, cfg: c.aclrtMallocConfig_p) -> c.aclError:
    """aclrtMallocHost with attributes in `cfg`: module and device. A null `cfg` means no attributes.

    Returns:
        ACL_SUCCESS: `*ptr` is the address.
        ACL_ERROR_INVALID_PARAM: `ptr` is null, `size` is 0, or `cfg` counts attributes but has no array.
        ACL_ERROR_RT_PARAM_INVALID: `cfg` counts no attributes and has no array, an attribute is unknown, or an
            attribute names a device that is not the device of the current context.
        ACL_ERROR_API_NOT_SUPPORT: `cfg` asks for an address that is the same on host and device.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_MEMORY_ALLOCATION: the host does not have that much memory left; `*ptr` is null.
    """
    _check(ptr, size, "ptr")
    check_config(cfg, WHAT)
    _allocate(current(), ptr, size)


def _check(pointer: Out[int], size: int, parameter: str) -> None:
    if pointer.null:
        raise null(parameter)
    if size == 0:
        raise zero_size()


def _allocate(machine: Machine, pointer: Out[int], size: int) -> None:
    try:
        pointer.store(machine.pinned.allocate(size).address)
    except MemoryError as error:
        pointer.store(0)
        lines = by_site(pinned.made for pinned in machine.pinned if not pinned.registered)
        detail = f"(the host does not have that much memory left: {error}; allocated: {lines})"
        item = Item("EE1013", (size, machine.thread().call), detail)
        raise AclError(ACL_ERROR_RT_MEMORY_ALLOCATION, item) from None


@acl_api("acl/acl_rt.h", resource=True)
def aclrtFreeHost(hostPtr: c.source_void_p) -> c.aclError:
    """Free pinned host memory at once. The call waits for no stream and needs no context.

    Returns:
        ACL_SUCCESS: freed.
        ACL_ERROR_INVALID_PARAM: `hostPtr` is null.
        ACL_ERROR_RT_PARAM_INVALID: `hostPtr` is device memory, or no start of live memory from aclrtMallocHost: freed
            already, inside an allocation, registered, or plain memory of the host.
    """
    if not hostPtr.value:
        raise null("hostPtr")
    _free(current(), hostPtr.value)


@acl_api("acl/acl_rt.h", also=WAITS, resource=True, pyacl=None)
def aclrtFreeHostWithDevSync(hostPtr: c.source_void_p) -> c.aclError:
    """Wait for all streams of the current context as aclrtSynchronizeDevice does, then free pinned host memory.

    If a task in the streams failed, the call returns its status and does not free the memory.

    Returns:
        ACL_SUCCESS: freed.
        ACL_ERROR_INVALID_PARAM: `hostPtr` is null.
        ACL_ERROR_RT_PARAM_INVALID: `hostPtr` is device memory, or no start of live memory from aclrtMallocHost.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if not hostPtr.value:
        raise null("hostPtr")
    machine = current()
    synchronize(machine, "Device synchronisation")
    _free(machine, hostPtr.value)


def _free(machine: Machine, address: int) -> None:
    """Free the pinned memory that starts at `address`; AclError 107000 if none starts there."""
    if (memory := machine.memory_at(address)) is not None:
        inside = memory.holding(address)
        position = f" ({inside}, {inside.history()})" if inside is not None else ""
        why = f"it is device memory{position}: aclrtFree frees it"
        values = ("Freeing host memory", memory.name(address), "hostPtr", why)
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1011", values))
    pinned = machine.pinned.at(address)
    if pinned is None:
        detail = f"(hostPtr: {whereabouts(machine, address)})"
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EL0003", (), detail))
    announce_freeing(machine, pinned, ALLOCATED[1])
    machine.pinned.free(pinned)


def announce_freeing(machine: Machine, pinned: Pinned, verb: str) -> None:
    """Announce the end of host memory, so that a check can report streams that use it. `verb`: "freed" or
    "unregistered"."""
    machine.announce.freeing(pinned, verb)
