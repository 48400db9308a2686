"""Helpers of the functions that allocate device memory: checks, sizes and pages, errors for exhausted memory."""

from collections import Counter
from typing import Final, NamedTuple

from acl_runtime.abi.pointers import Out
from acl_runtime.api.refusals import invalid, lacking, null
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import aclrtMemMallocPolicy as Policy
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_MEMORY_ALLOCATION
from acl_runtime.memory.allocation import NORMAL_PAGE, Allocation
from acl_runtime.memory.device_memory import DeviceMemory
from acl_runtime.memory.host_budget import NoHostMemory
from acl_runtime.memory.sizes import GIB, HUGE_PAGE, MIB, round_up
from acl_runtime.streams.stream import Device
from acl_runtime.text import counted

WHAT: Final = "Memory allocation"
SIZE_MAX: Final = (1 << 64) - 1
HUGE: Final = (Policy.ACL_MEM_MALLOC_HUGE_ONLY, Policy.ACL_MEM_MALLOC_HUGE_ONLY_P2P)
NORMAL: Final = (Policy.ACL_MEM_MALLOC_NORMAL_ONLY, Policy.ACL_MEM_MALLOC_NORMAL_ONLY_P2P)
HUGE_1G: Final = (Policy.ACL_MEM_MALLOC_HUGE1G_ONLY, Policy.ACL_MEM_MALLOC_HUGE1G_ONLY_P2P)
DEFAULT: Final = Policy.ACL_MEM_MALLOC_HUGE_FIRST
""" "any other value: treated as default: huge if large, else normal" """
LISTED: Final = 5


def check_request(pointer: Out[int], size: int) -> None:
    """The first checks of every allocation."""
    if pointer.null:
        raise null("devPtr")
    if size == 0:
        raise zero_size()
    if size > SIZE_MAX - 64:
        raise invalid(size, "size", "a value whose sum with 64 fits into size_t")


def zero_size() -> AclError:
    """The refusal of an allocation of 0 bytes: 100000."""
    why = "(an empty shape has 0 bytes, and many operators need a workspace of 0: allocate nothing then, pass null)"
    return invalid(0, "size", "a value greater than 0", why)


class _Request(NamedTuple):
    real: int
    """bytes that are taken from the device"""
    page: int
    """bytes of a page"""


def _request(memory: DeviceMemory, size: int, policy: int, tail: int) -> _Request:
    """The bytes of the device that an allocation takes, and its page size.

    The bytes are `size`, rounded up to 32, plus `tail`. For some policies the sum is rounded up to whole pages."""
    real = round_up(size, 32)
    if policy in HUGE_1G:
        return _Request(real, GIB)
    real += tail
    if policy in HUGE:  # "2-MiB pages, request rounded up to 2 MiB"
        return _Request(round_up(real, HUGE_PAGE), HUGE_PAGE)
    # "> 1 MiB: 2-MiB pages, falling back to normal pages; <= 1 MiB: normal pages"
    huge = policy not in NORMAL and size > MIB and real <= memory.pages(huge=True)[0]
    return _Request(real, HUGE_PAGE if huge else NORMAL_PAGE)


def allocate(device: Device, pointer: Out[int], size: int, policy: int, tail: int) -> None:
    """Allocate memory and write its address to `pointer`; AclError 207001 if the memory is exhausted."""
    if policy in HUGE_1G and not device.soc.huge_1g_pages:
        raise lacking(WHAT, "a policy of 1 GiB pages", f"{device.soc.label} does not have them")
    real, page = _request(device.memory, size, policy, tail)
    try:
        pointer.store(allocated(device.memory, size, real, page).address)
    except AclError:
        pointer.store(0)
        raise


def allocated(memory: DeviceMemory, size: int, real: int, page: int = NORMAL_PAGE) -> Allocation:
    """Memory that takes `real` bytes of the device; AclError 207001 if the memory is exhausted."""
    try:
        allocation = memory.allocate(size, real, page)
    except (MemoryError, NoHostMemory) as error:
        raise no_host_memory(error) from None
    if allocation is None:
        raise exhausted(memory, size, real)
    return allocation


def no_host_memory(error: MemoryError | NoHostMemory) -> NoHostMemory:
    """The refusal if the host that runs the emulator has no memory left: 207001."""
    return error if isinstance(error, NoHostMemory) else NoHostMemory(error)


def exhausted(memory: DeviceMemory, size: int, real: int) -> AclError:
    """The refusal if the device has less than `real` bytes left, which an allocation of `size` bytes takes: 207001."""
    request = f"{size} bytes" if real == size else f"{size} bytes, which take {real} bytes"
    sites, times = Counter[str](), Counter[str]()
    for allocation in memory:
        sites[allocation.made] += allocation.real
        times[allocation.made] += 1
    most = sites.most_common(LISTED)
    largest = ", ".join(f"{total} bytes in {counted(times[site], 'piece')} at {site}" for site, total in most)
    text = (
        f"(asked for {request}; free {memory.left} of {memory.capacity} on device {memory.device}; "
        f"allocated: {largest or 'nothing'})"
    )
    return AclError(ACL_ERROR_RT_MEMORY_ALLOCATION, Item("EL0004", ("app",), text))
