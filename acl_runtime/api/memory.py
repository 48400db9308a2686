"""acl/acl_rt.h: device memory."""

from collections import Counter
from typing import Final

import acl_runtime.c as c
from acl_runtime.api.refusals import invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.enums import aclrtMemMallocPolicy
from acl_runtime.errors import AclError
from acl_runtime.machine.installation import current
from acl_runtime.machine.machine import Machine
from acl_runtime.machine.memory import MIB, TAIL, Allocation, DeviceMemory, round_up
from acl_runtime.messages import Item
from acl_runtime.statuses import (
    ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
    ACL_ERROR_RT_MEMORY_ALLOCATION,
    ACL_ERROR_RT_PARAM_INVALID,
)

SIZE_MAX: Final = (1 << 64) - 1
HUGE: Final = (aclrtMemMallocPolicy.ACL_MEM_MALLOC_HUGE_ONLY, aclrtMemMallocPolicy.ACL_MEM_MALLOC_HUGE_ONLY_P2P)
HUGE_1G: Final = (
    aclrtMemMallocPolicy.ACL_MEM_MALLOC_HUGE1G_ONLY,
    aclrtMemMallocPolicy.ACL_MEM_MALLOC_HUGE1G_ONLY_P2P,
)
LISTED: Final = 5


@acl_api("acl/acl_rt.h", closes=False)
def aclrtMalloc(devPtr: c.void_pp, size: c.size_t, policy: c.aclrtMemMallocPolicy) -> c.aclError:
    """Reserve `size` bytes of memory on the device of the current context and write the address to `*devPtr`.

    The address is a multiple of 512; `roundup(size, 32) + 32` bytes are taken. The contents are undefined (here:
    0xFF, NaN in every float type). `policy` chooses the page size; unknown values mean the default.

    Returns:
        ACL_SUCCESS: `*devPtr` is the address.
        ACL_ERROR_INVALID_PARAM: `devPtr` is null, or `size` is 0 or near SIZE_MAX.
        ACL_ERROR_RT_CONTEXT_NULL: the thread has no current context.
        ACL_ERROR_RT_MEMORY_ALLOCATION: the device (or the host under the emulator) has not that much left;
            `*devPtr` is null.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the policy asks for 1 GiB pages, which only A3 has.
    """
    if devPtr.null:
        raise null("devPtr")
    if size == 0:
        raise invalid(
            0, "size", "a value greater than 0", "(does an empty shape or a workspace size of 0 lie behind it?)"
        )
    if size > SIZE_MAX - 64:
        raise invalid(size, "size", "a value whose sum with 64 fits into size_t")
    machine = current()
    device = machine.context("Memory allocation").device
    if policy in HUGE_1G and not device.soc.huge_1g_pages:
        reason = f"pages of 1 GiB do not exist on {device.soc.label}"
        raise AclError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, Item("EE1016", ("Memory allocation", reason)))
    real = round_up(size, 32) if policy in HUGE_1G else round_up(size, 32) + TAIL
    if policy in HUGE:
        real = round_up(real, 2 * MIB)
    try:
        allocation = device.memory.allocate(size, real)
    except MemoryError as error:
        devPtr.store(0)
        text = f"(the device has the memory, but the host that runs the emulator has not: {error})"
        raise AclError(ACL_ERROR_RT_MEMORY_ALLOCATION, Item("EL0004", ("host",), text)) from None
    if allocation is None:
        devPtr.store(0)
        raise AclError(ACL_ERROR_RT_MEMORY_ALLOCATION, Item("EL0004", ("app",), _exhausted(device.memory, real)))
    devPtr.store(allocation.address)


def _exhausted(memory: DeviceMemory, wanted: int) -> str:
    sites: Counter[str] = Counter()
    for allocation in memory:
        sites[allocation.made] += allocation.real
    largest = ", ".join(f"{total} bytes at {site}" for site, total in sites.most_common(LISTED))
    free = memory.capacity - memory.used
    return (
        f"(asked for {wanted} bytes, free {free} of {memory.capacity} on device {memory.device}; "
        f"allocated: {largest or 'nothing'})"
    )


@acl_api("acl/acl_rt.h")
def aclrtFree(devPtr: c.source_void_p) -> c.aclError:
    """Free device memory at once: no stream is waited for, no context is needed.

    Returns:
        ACL_SUCCESS: freed.
        ACL_ERROR_INVALID_PARAM: `devPtr` is null.
        ACL_ERROR_RT_PARAM_INVALID: `devPtr` is no start of live device memory: freed already, inside an
            allocation, or memory of the host.
    """
    if not devPtr.value:
        raise null("devPtr")
    machine = current()
    memory = machine.memory_at(devPtr.value)
    allocation = memory.at(devPtr.value) if memory is not None else None
    if memory is None or allocation is None:
        raise bad_address(machine, devPtr.value, "devPtr")
    _check_idle(machine, allocation)
    memory.free(allocation)


def bad_address(machine: Machine, address: int, parameter: str) -> AclError:
    """The driver refuses an address: 107000."""
    memory = machine.memory_at(address)
    where = memory.whereabouts(address) if memory is not None else f"{address:#x} is no device address"
    return AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EL0003", (), f"({parameter}: {where})"))


def _check_idle(machine: Machine, allocation: Allocation) -> None:
    """Memory freed under queued work: the device would use it afterwards."""
    for task, role in machine.in_flight(allocation.address, allocation.end):
        id = "ws-freed-early" if role == "workspace" else "io-freed-early"
        machine.undefined(
            id,
            f"{allocation}, {allocation.history()}, are freed while they are the {role} of {task}, which has not "
            "run yet. aclrtFree does not wait: call aclrtSynchronizeStream first.",
        )
        return
