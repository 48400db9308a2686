"""acl/acl_rt.h: device memory."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.memory.allocation import DEFAULT, WHAT, allocate, check_request
from acl_runtime.api.memory.malloc_config import check_config
from acl_runtime.api.outcomes import WAITS
from acl_runtime.api.refusals import invalid, null, out_of_range
from acl_runtime.api.rt.device import synchronize
from acl_runtime.boundary import acl_api
from acl_runtime.headers.enums import aclrtMemMallocPolicy as Policy
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.copies import bad_address
from acl_runtime.memory.device_memory import TAIL

MOST_CACHED: Final = 1 << 50
CACHED: Final = (
    Policy.ACL_MEM_MALLOC_HUGE_FIRST,
    Policy.ACL_MEM_MALLOC_HUGE_ONLY,
    Policy.ACL_MEM_MALLOC_NORMAL_ONLY,
    Policy.ACL_MEM_MALLOC_HUGE1G_ONLY,
)
BESIDES: Final = (
    Policy.ACL_MEM_TYPE_LOW_BAND_WIDTH | Policy.ACL_MEM_TYPE_HIGH_BAND_WIDTH | Policy.ACL_MEM_ACCESS_USER_SPACE_READONLY
)
"""what may be or-ed to a page policy"""


@acl_api("acl/acl_rt.h", closes=False, resource=True)
def aclrtMalloc(devPtr: c.void_pp, size: c.size_t, policy: c.aclrtMemMallocPolicy) -> c.aclError:
    """Reserve `size` bytes of memory on the device of the current context and write the address to `*devPtr`.

    The address is a multiple of 512; `roundup(size, 32) + 32` bytes are taken. The contents are undefined (here:
    0xFF, NaN in every float type). `policy` chooses the page size; unknown values mean the default.

    Returns:
        ACL_SUCCESS: `*devPtr` is the address.
        ACL_ERROR_INVALID_PARAM: `devPtr` is null, or `size` is 0 or near SIZE_MAX.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_MEMORY_ALLOCATION: the device (or the host under the emulator) does not have that much left;
            `*devPtr` is null.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the policy asks for 1 GiB pages, which only A2 and A3 have.
    """
    check_request(devPtr, size)
    allocate(current().context(WHAT).device, devPtr, size, policy, TAIL)


@acl_api("acl/acl_rt.h", closes=False, resource=True)
def aclrtMallocAlign32(devPtr: c.void_pp, size: c.size_t, policy: c.aclrtMemMallocPolicy) -> c.aclError:
    """aclrtMalloc without the 32 bytes more: `roundup(size, 32)` bytes are taken.

    Returns:
        ACL_SUCCESS: `*devPtr` is the address.
        ACL_ERROR_INVALID_PARAM: `devPtr` is null, or `size` is 0 or near SIZE_MAX.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_MEMORY_ALLOCATION: the device (or the host under the emulator) does not have that much left;
            `*devPtr` is null.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the policy asks for 1 GiB pages, which only A2 and A3 have.
    """
    check_request(devPtr, size)
    allocate(current().context(WHAT).device, devPtr, size, policy, 0)


@acl_api("acl/acl_rt.h", closes=False, resource=True)
def aclrtMallocCached(devPtr: c.void_pp, size: c.size_t, policy: c.aclrtMemMallocPolicy) -> c.aclError:
    """aclrtMalloc of memory that goes through the cache of the host where a product has one: aclrtMemFlush and
    aclrtMemInvalidate then keep the two sides equal. Only the policies 0, 1, 2 and 6 differ, others mean the default.

    Returns:
        ACL_SUCCESS: `*devPtr` is the address.
        ACL_ERROR_INVALID_PARAM: `devPtr` is null, `size` is 0 or near SIZE_MAX, or `policy` is no aclrtMemMallocPolicy.
        ACL_ERROR_RT_PARAM_INVALID: `size` is more than 2^50 bytes.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_MEMORY_ALLOCATION: the device (or the host under the emulator) does not have that much left;
            `*devPtr` is null.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the policy asks for 1 GiB pages, which only A2 and A3 have.
    """
    check_request(devPtr, size)
    if policy not in tuple(Policy):
        raise invalid(policy, "policy", "an aclrtMemMallocPolicy")
    if size > MOST_CACHED:
        raise out_of_range("Cached memory allocation", size, "size", f"a value in (0, {MOST_CACHED}]")
    chosen = policy if policy in CACHED else DEFAULT
    allocate(current().context(WHAT).device, devPtr, size, chosen, TAIL)


@acl_api("acl/acl_rt.h", closes=False, resource=True)
def aclrtMallocWithCfg(
    devPtr: c.void_pp, size: c.size_t, policy: c.aclrtMemMallocPolicy, cfg: c.aclrtMallocConfig_p
) -> c.aclError:
    """aclrtMalloc with attributes in `cfg` (null: none): module and device. `roundup(size, 32)` bytes are taken.

    To the page size in `policy`, a bandwidth and a read-only bit may be or-ed; they change nothing here.

    Returns:
        ACL_SUCCESS: `*devPtr` is the address.
        ACL_ERROR_INVALID_PARAM: `devPtr` is null, `size` is 0 or near SIZE_MAX, or `cfg` counts attributes but has
            no array.
        ACL_ERROR_RT_PARAM_INVALID: `cfg` has no array, an attribute is unknown, or it names another device than that
            of the current context.
        ACL_ERROR_API_NOT_SUPPORT: `cfg` asks for an address that is the same on host and device.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_MEMORY_ALLOCATION: the device (or the host under the emulator) does not have that much left;
            `*devPtr` is null.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the policy asks for 1 GiB pages, which only A2 and A3 have.
    """
    check_request(devPtr, size)
    allocate(check_config(cfg, WHAT), devPtr, size, policy & ~BESIDES, 0)


@acl_api("acl/acl_rt.h", closes=False, resource=True)
def aclrtMallocForTaskScheduler(
    devPtr: c.void_pp, size: c.size_t, policy: c.aclrtMemMallocPolicy, cfg: c.aclrtMallocConfig_p
) -> c.aclError:
    """aclrtMallocWithCfg of memory that the task scheduler of the device can reach, as all memory here.

    Returns:
        ACL_SUCCESS: `*devPtr` is the address.
        ACL_ERROR_INVALID_PARAM: `devPtr` is null, `size` is 0 or near SIZE_MAX, or `cfg` counts attributes but has
            no array.
        ACL_ERROR_RT_PARAM_INVALID: `cfg` has no array, an attribute is unknown, or it names another device than that
            of the current context.
        ACL_ERROR_API_NOT_SUPPORT: `cfg` asks for an address that is the same on host and device.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_MEMORY_ALLOCATION: the device (or the host under the emulator) does not have that much left;
            `*devPtr` is null.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the policy asks for 1 GiB pages, which only A2 and A3 have.
    """
    check_request(devPtr, size)
    allocate(check_config(cfg, WHAT), devPtr, size, policy & ~BESIDES, 0)


@acl_api("acl/acl_rt.h", resource=True)
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
    _free(current(), devPtr.value)


@acl_api("acl/acl_rt.h", also=WAITS, resource=True)
def aclrtFreeWithDevSync(devPtr: c.source_void_p) -> c.aclError:
    """Wait for all streams of the current context as aclrtSynchronizeDevice does, then free device memory.

    What failed in the streams is returned, and the memory then stays.

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
    """Free the memory that starts at `address`, or 107000."""
    memory = machine.memory_at(address)
    allocation = memory.at(address) if memory is not None else None
    if memory is None or allocation is None or allocation.mapped:
        raise bad_address(machine, address, "devPtr")
    machine.events.freeing(allocation, "freed")
    memory.free(allocation)
    machine.events.freed(allocation)


@acl_api("acl/acl_rt.h")
def aclrtMemFlush(devPtr: c.source_void_p, size: c.size_t) -> c.aclError:
    """Write the host's cache of memory from aclrtMallocCached back. These products
    have no such cache, so nothing has to be done.

    Returns:
        ACL_SUCCESS: nothing had to be done.
        ACL_ERROR_INVALID_PARAM: `devPtr` is null, or `size` is 0.
    """
    _check_cached(devPtr.value, size)


@acl_api("acl/acl_rt.h")
def aclrtMemInvalidate(devPtr: c.source_void_p, size: c.size_t) -> c.aclError:
    """Drop the host's cache of memory from aclrtMallocCached. These products have no such cache, so
    nothing has to be done.

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
