"""acl/acl_rt.h: allocating and freeing device memory."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.memory.allocation_checks import DEFAULT, WHAT, allocate, check_request
from acl_runtime.api.memory.malloc_config import check_config
from acl_runtime.api.outcomes import WAITS
from acl_runtime.api.refusals import invalid, null, out_of_range
from acl_runtime.api.rt.device import synchronize
from acl_runtime.boundary import acl_api
from acl_runtime.headers.enums import aclrtMemMallocPolicy as Policy
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.allocation import ALLOCATED, EXPORTED, Allocation
from acl_runtime.memory.copies import bad_address
from acl_runtime.memory.device_memory import TAIL
from acl_runtime.objects.soc import Series

MOST_CACHED: Final = 1 << 50
CACHED: Final = (
    Policy.ACL_MEM_MALLOC_HUGE_FIRST,
    Policy.ACL_MEM_MALLOC_HUGE_ONLY,
    Policy.ACL_MEM_MALLOC_NORMAL_ONLY,
    Policy.ACL_MEM_MALLOC_HUGE1G_ONLY,
)
EXTRA_BITS: Final = (
    Policy.ACL_MEM_TYPE_LOW_BAND_WIDTH | Policy.ACL_MEM_TYPE_HIGH_BAND_WIDTH | Policy.ACL_MEM_ACCESS_USER_SPACE_READONLY
)
"""bits that aclrtMallocWithCfg allows in addition to a page policy"""


def _tail() -> int:
    """The bytes that an allocation takes in addition to its size."""
    return 0 if current().soc.series is Series.A950 else TAIL


@acl_api("acl/acl_rt.h", closes=False, resource=True)
def aclrtMalloc(devPtr: c.void_pp, size: c.size_t, policy: c.aclrtMemMallocPolicy) -> c.aclError:
    """Reserve `size` bytes of memory on the device of the current context and write the address to `*devPtr`.

    The address is a multiple of 512; the call takes `roundup(size, 32) + 32` bytes of the device, without the last 32
    on Ascend 950. The contents are undefined (the emulator fills with 0xFF, a NaN in every float type). `policy`
    chooses the page size; an unknown value means the default.

    Returns:
        ACL_SUCCESS: `*devPtr` is the address.
        ACL_ERROR_INVALID_PARAM: `devPtr` is null, or `size` is 0 or near SIZE_MAX.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_MEMORY_ALLOCATION: the device (or the host under the emulator) does not have that much left;
            `*devPtr` is null.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the policy asks for 1 GiB pages, which only A2, A3 and 950 have.
    """
    check_request(devPtr, size)
    allocate(current().context(WHAT).device, devPtr, size, policy, _tail())


@acl_api("acl/acl_rt.h", closes=False, resource=True)
def aclrtMallocAlign32(devPtr: c.void_pp, size: c.size_t, policy: c.aclrtMemMallocPolicy) -> c.aclError:
    """aclrtMalloc without the 32 additional bytes: the call takes `roundup(size, 32)` bytes of the device.

    Returns:
        ACL_SUCCESS: `*devPtr` is the address.
        ACL_ERROR_INVALID_PARAM: `devPtr` is null, or `size` is 0 or near SIZE_MAX.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_MEMORY_ALLOCATION: the device (or the host under the emulator) does not have that much left;
            `*devPtr` is null.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the policy asks for 1 GiB pages, which only A2, A3 and 950 have.
    """
    check_request(devPtr, size)
    allocate(current().context(WHAT).device, devPtr, size, policy, 0)


@acl_api("acl/acl_rt.h", closes=False, resource=True)
def aclrtMallocCached(devPtr: c.void_pp, size: c.size_t, policy: c.aclrtMemMallocPolicy) -> c.aclError:
    """aclrtMalloc of memory that the host accesses through its cache, on products that have such a cache. aclrtMemFlush
    and aclrtMemInvalidate make host and device consistent. `policy` is 0, 1, 2 or 6; any other aclrtMemMallocPolicy
    means the default.

    Returns:
        ACL_SUCCESS: `*devPtr` is the address.
        ACL_ERROR_INVALID_PARAM: `devPtr` is null, `size` is 0 or near SIZE_MAX, or `policy` is no aclrtMemMallocPolicy.
        ACL_ERROR_RT_PARAM_INVALID: `size` is more than 2^50 bytes.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_MEMORY_ALLOCATION: the device (or the host under the emulator) does not have that much left;
            `*devPtr` is null.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the policy asks for 1 GiB pages, which only A2, A3 and 950 have.
    """
    check_request(devPtr, size)
    if policy not in tuple(Policy):
        raise invalid(policy, "policy", "an aclrtMemMallocPolicy")
    if size > MOST_CACHED:
        raise out_of_range("Cached memory allocation", size, "size", f"a value in (0, {MOST_CACHED}]")
    chosen = policy if policy in CACHED else DEFAULT
    allocate(current().context(WHAT).device, devPtr, size, chosen, _tail())


@acl_api("acl/acl_rt.h", closes=False, resource=True)
def aclrtMallocWithCfg(
    devPtr: c.void_pp, size: c.size_t, policy: c.aclrtMemMallocPolicy, cfg: c.aclrtMallocConfig_p
) -> c.aclError:
    """aclrtMalloc with attributes in `cfg`: module and device. A null `cfg` means no attributes. The call takes
    `roundup(size, 32)` bytes of the device.

    `policy` may contain a bandwidth bit and a read-only bit in addition to the page size; the emulator ignores both.

    Returns:
        ACL_SUCCESS: `*devPtr` is the address.
        ACL_ERROR_INVALID_PARAM: `devPtr` is null, `size` is 0 or near SIZE_MAX, or `cfg` has a null `attrs` and a
            `numAttrs` other than 0.
        ACL_ERROR_RT_PARAM_INVALID: `cfg` has a null `attrs` and a `numAttrs` of 0; an attribute is unknown; an
            attribute names a device that is not the device of the current context.
        ACL_ERROR_API_NOT_SUPPORT: `cfg` asks for an address that is the same on host and device.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_MEMORY_ALLOCATION: the device (or the host under the emulator) does not have that much left;
            `*devPtr` is null.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the policy asks for 1 GiB pages, which only A2, A3 and 950 have.
    """
    check_request(devPtr, size)
    allocate(check_config(cfg, WHAT), devPtr, size, policy & ~EXTRA_BITS, 0)


@acl_api("acl/acl_rt.h", closes=False, resource=True)
def aclrtMallocForTaskScheduler(
    devPtr: c.void_pp, size: c.size_t, policy: c.aclrtMemMallocPolicy, cfg: c.aclrtMallocConfig_p
) -> c.aclError:
    """aclrtMallocWithCfg of memory that the task scheduler of the device can access. In the emulator it can access all
    memory.

    Returns:
        ACL_SUCCESS: `*devPtr` is the address.
        ACL_ERROR_INVALID_PARAM: `devPtr` is null, `size` is 0 or near SIZE_MAX, or `cfg` has a null `attrs` and a
            `numAttrs` other than 0.
        ACL_ERROR_RT_PARAM_INVALID: `cfg` has a null `attrs` and a `numAttrs` of 0; an attribute is unknown; an
            attribute names a device that is not the device of the current context.
        ACL_ERROR_API_NOT_SUPPORT: `cfg` asks for an address that is the same on host and device.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_MEMORY_ALLOCATION: the device (or the host under the emulator) does not have that much left;
            `*devPtr` is null.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the policy asks for 1 GiB pages, which only A2, A3 and 950 have.
    """
    check_request(devPtr, size)
    allocate(check_config(cfg, WHAT), devPtr, size, policy & ~EXTRA_BITS, 0)


@acl_api("acl/acl_rt.h", resource=True)
def aclrtFree(devPtr: c.source_void_p) -> c.aclError:
    """Free device memory at once. The call waits for no stream and needs no context.

    Returns:
        ACL_SUCCESS: freed.
        ACL_ERROR_INVALID_PARAM: `devPtr` is null.
        ACL_ERROR_RT_PARAM_INVALID: `devPtr` is no start of live device memory: freed already, inside an
            allocation, or memory of the host.
    """
    if not devPtr.value:
        raise null("devPtr")
    _free(current(), devPtr.value)


@acl_api("acl/acl_rt.h", also=WAITS, resource=True, pyacl=None)
def aclrtFreeWithDevSync(devPtr: c.source_void_p) -> c.aclError:
    """Wait for all streams of the current context as aclrtSynchronizeDevice does, then free device memory.

    If a task in the streams failed, the call returns its status and does not free the memory.

    Returns:
        ACL_SUCCESS: freed.
        ACL_ERROR_INVALID_PARAM: `devPtr` is null.
        ACL_ERROR_RT_PARAM_INVALID: `devPtr` is no start of live device memory: freed already, inside an
            allocation, or memory of the host.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if not devPtr.value:
        raise null("devPtr")
    machine = current()
    synchronize(machine, "Device synchronisation")
    _free(machine, devPtr.value)


def _free(machine: Machine, address: int) -> None:
    """Free the memory that starts at `address`; AclError 107000 if none starts there."""
    memory = machine.memory_at(address)
    allocation = memory.at(address) if memory is not None else None
    if memory is None or allocation is None or not allocation.allocated:
        raise bad_address(machine, address, "devPtr")
    free_memory(machine, allocation)


def free_memory(machine: Machine, allocation: Allocation) -> None:
    """Free memory of aclrtMalloc or of a pool."""
    memory = machine.memory_at(allocation.address)
    assert memory is not None
    machine.announce.freeing(allocation, ALLOCATED[1])
    if EXPORTED in allocation.notes:
        from acl_runtime.api.memory.interprocess import free_exported  # late, as few programs share memory

        free_exported(machine, allocation)
    memory.free(allocation)
    machine.announce.freed(allocation)


@acl_api("acl/acl_rt.h")
def aclrtMemFlush(devPtr: c.source_void_p, size: c.size_t) -> c.aclError:
    """Write back the host's cache of memory from aclrtMallocCached. The emulator's products have no such cache, so the
    call only checks its arguments.

    Returns:
        ACL_SUCCESS: nothing had to be done.
        ACL_ERROR_INVALID_PARAM: `devPtr` is null, or `size` is 0.
    """
    _check_cached(devPtr.value, size)


@acl_api("acl/acl_rt.h")
def aclrtMemInvalidate(devPtr: c.source_void_p, size: c.size_t) -> c.aclError:
    """Discard the host's cache of memory from aclrtMallocCached. The emulator's products have no such cache, so the
    call only checks its arguments.

    Returns:
        ACL_SUCCESS: nothing had to be done.
        ACL_ERROR_INVALID_PARAM: `devPtr` is null, or `size` is 0.
    """
    _check_cached(devPtr.value, size)


def _check_cached(address: int, size: int) -> None:
    if not address:
        raise null("devPtr")
    if size == 0:
        raise invalid(0, "size", "a value greater than 0")
