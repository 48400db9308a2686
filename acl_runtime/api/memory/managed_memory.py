"""acl/acl_rt.h: memory that host and device use by the same address."""

from collections.abc import Iterator
from ctypes import c_int32, c_size_t, c_uint64
from typing import Final

import numpy as np

import acl_runtime.abi.c as c
import acl_runtime.abi.managed as m
from acl_runtime.abi.pointers import Address
from acl_runtime.api.memory.allocation_checks import no_host_memory
from acl_runtime.api.memory.buffers import load_array, store
from acl_runtime.api.outcomes import LAUNCHES
from acl_runtime.api.refusals import check_product, invalid, lacking, null, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import (
    aclrtMemManagedAdviseType,
    aclrtMemManagedLocationType,
    aclrtMemManagedRangeAttribute,
)
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_MEMORY_ALLOCATION
from acl_runtime.headers.structs import aclrtMemManagedLocation
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.copies import bad_address
from acl_runtime.memory.managed import MOST, Managed, Place
from acl_runtime.memory.sizes import HUGE_PAGE, round_up
from acl_runtime.source.frames import trail
from acl_runtime.streams.stream import Task
from acl_runtime.text import Text

HEADER: Final = "acl/acl_rt.h"
ALLOCATING: Final = "Allocating managed memory"
ADVISING: Final = "Advice for managed memory"
PREFETCHING: Final = "Prefetching managed memory"
QUERYING: Final = "Query of managed memory"
ATTACHED: Final = 1
"""the one legal flag of an allocation"""
MOST_VALUES: Final = 4096
"""our limit for the values of one query"""
DEVICE: Final = aclrtMemManagedLocationType.ACL_MEM_LOCATIONTYPE_DEVICE
NOWHERE: Final = Place(aclrtMemManagedLocationType.ACL_MEM_LOCATIONTYPE_INVALID, -2)
HOST_ID: Final = -1
"""the number of the host in attributes of numbers alone"""
MOSTLY_READ, PREFERRED, FETCHED = ("read mostly", 0), ("preferred location", 0), ("last prefetch", 0)
USERS: Final = "users"


@acl_api(HEADER, resource=True, pyacl=None)
def aclrtMemAllocManaged(ptr: c.void_pp, size: c.uint64_t, flag: c.uint32_t) -> c.aclError:
    """Allocate memory that host and device use by the same address, in pages of 2 MiB. `flag` is 1. aclrtFree frees it.

    Returns:
        ACL_SUCCESS: `*ptr` is the address.
        ACL_ERROR_INVALID_PARAM: `ptr` is null, or `flag` is not 1.
        ACL_ERROR_RT_PARAM_INVALID: `size` is 0.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_MEMORY_ALLOCATION: the process has no more of it: 3 TiB in all.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the addresses of the device are plain numbers here (see `aclnn doctor`).
    """
    if ptr.null:
        raise null("ptr")
    if flag != ATTACHED:
        raise invalid(flag, "flag", "1")
    if size == 0:
        raise out_of_range(ALLOCATING, 0, "size", "more than 0 bytes")
    machine = current()
    memory = machine.context(ALLOCATING).device.memory
    check_product(ALLOCATING, silent=True)
    if not memory.window().reserved:
        raise lacking(ALLOCATING, "managed memory", "the addresses of the device could not be reserved on this host")
    rounded = round_up(size, HUGE_PAGE)
    try:
        managed = memory.manage(rounded) if rounded <= MOST else None
    except MemoryError as error:
        raise no_host_memory(error) from None
    if managed is None:
        ptr.store(0)
        raise AclError(ACL_ERROR_RT_MEMORY_ALLOCATION, Item("EL0004", (str(size),)))
    ptr.store(managed.address)


@acl_api(HEADER, pyacl=None)
def aclrtMemManagedAdvise(
    ptr: c.const_void_const_p,
    size: c.uint64_t,
    advise: m.aclrtMemManagedAdviseType,
    location: m.aclrtMemManagedLocation,
) -> c.aclError:
    """Give advice about managed memory, which aclrtMemManagedGetAttr returns: that it is mostly read, where it should
    lie, and which location uses it. The advice has no other effect.

    Returns:
        ACL_SUCCESS: noted.
        ACL_ERROR_INVALID_PARAM: `ptr` is null, or `size` is 0.
        ACL_ERROR_RT_PARAM_INVALID: the advice or the device of `location` does not exist, or the bytes are no managed
            memory.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    _check_bytes(ptr, size)
    check_product(ADVISING, silent=True)
    if advise not in list(aclrtMemManagedAdviseType):
        raise out_of_range(ADVISING, advise, "advise", "an aclrtMemManagedAdviseType")
    machine = current()
    place = _place(machine, location, ADVISING, "location")
    machine.context(ADVISING)
    managed = _managed(machine, ptr.value, size, "ptr")
    subject = (MOSTLY_READ, PREFERRED, (USERS, place.id))[advise // 2]  # each is set (even) and unset (odd)
    managed.hint(ptr.value, ptr.value + size, subject, None if advise % 2 else place)


@acl_api(HEADER, also=LAUNCHES, resource=True, pyacl=None)
def aclrtMemManagedPrefetchAsync(
    ptr: c.const_void_p, size: c.size_t, location: m.aclrtMemManagedLocation, flags: c.uint32_t, stream: c.aclrtStream
) -> c.aclError:
    """Queue a task that moves managed memory to a location. Host and device use the same bytes here, so the task only
    notes the location for aclrtMemManagedGetAttr. A null stream is the default stream.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `ptr` is null, or `size` is 0; `flags` is not 0.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: the device of `location` does not exist, or the bytes are no managed memory.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    _check_bytes(ptr, size)
    if flags:
        raise invalid(flags, "flags", "0")
    check_product(PREFETCHING, silent=True)
    machine = current()
    place = _place(machine, location, PREFETCHING, "location")
    live_stream = machine.own_stream(stream, PREFETCHING)
    managed = _managed(machine, ptr.value, size, "ptr")
    machine.submit(live_stream, _prefetch([(managed, ptr.value, ptr.value + size, place)]))


@acl_api(HEADER, also=LAUNCHES, resource=True, pyacl=None)
def aclrtMemManagedPrefetchBatchAsync(
    ptrs: m.const_void_pp, sizes: m.size_t_p, count: c.size_t, prefetchLocs: m.aclrtMemManagedLocation_p,
    prefetchLocIdxs: m.size_t_p, numPrefetchLocs: c.size_t, flags: c.uint64_t, stream: c.aclrtStream,
) -> c.aclError:  # fmt: skip
    """aclrtMemManagedPrefetchAsync for `count` pieces. `prefetchLocs[j]`, one of `numPrefetchLocs`, is the location of
    the pieces from number `prefetchLocIdxs[j]` on.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: a pointer is null, a number is 0, `flags` is not 0, or there are more locations than
            pieces.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: the first index is not 0, the indexes do not rise or reach `count`; a device does
            not exist; a piece is no managed memory; an array has fewer elements (only if the machine reports findings
            instead of raising them).
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    names = ("ptrs", "sizes", "prefetchLocs", "prefetchLocIdxs")
    for name, pointer in zip(names, (ptrs, sizes, prefetchLocs, prefetchLocIdxs), strict=True):
        if not pointer.value:
            raise null(name)
    for name, number in (("count", count), ("numPrefetchLocs", numPrefetchLocs)):
        if number == 0:
            raise invalid(0, name, "more than 0")
    if flags:
        raise invalid(flags, "flags", "0")
    if count < numPrefetchLocs:
        raise invalid(count, "count", f"numPrefetchLocs ({numPrefetchLocs}) or more")
    check_product(PREFETCHING, silent=True)
    machine = current()
    if count > MOST_VALUES:
        raise out_of_range(PREFETCHING, count, "count", f"at most {MOST_VALUES}")
    indexes = [*load_array(prefetchLocIdxs, c_size_t, numPrefetchLocs, "prefetchLocIdxs")]
    if indexes[0] or any(low >= high for low, high in zip(indexes, [*indexes[1:], count], strict=True)):
        raise out_of_range(PREFETCHING, indexes, "prefetchLocIdxs", f"rising numbers from 0 on, below {count}")
    raw = load_array(prefetchLocs, aclrtMemManagedLocation, numPrefetchLocs, "prefetchLocs")
    places = [_place(machine, each, PREFETCHING, "prefetchLocs") for each in raw]
    live_stream = machine.own_stream(stream, PREFETCHING)
    starts, lengths = load_array(ptrs, c_uint64, count, "ptrs"), load_array(sizes, c_size_t, count, "sizes")
    moves = list[tuple[Managed, int, int, Place]]()
    for number, (start, length) in enumerate(zip(starts, lengths, strict=True)):
        place = places[max(at for at, index in enumerate(indexes) if index <= number)]
        moves.append((_managed(machine, start, length, "ptrs"), start, start + length, place))
    machine.submit(live_stream, _prefetch(moves))


@acl_api(HEADER, pyacl=None)
def aclrtMemManagedGetAttr(
    attribute: m.aclrtMemManagedRangeAttribute, ptr: c.const_void_p, size: c.size_t, data: c.void_p, dataSize: c.size_t
) -> c.aclError:
    """Query what advice and prefetches say about managed memory, if they say the same about all its bytes. Values are
    int32_t: 1 or 0 for READ_MOSTLY, the number of a device, -1 for the host, -2 for none, or an
    aclrtMemManagedLocationType. ACCESSED_BY fills `dataSize` bytes with numbers.

    Returns:
        ACL_SUCCESS: `*data` is written.
        ACL_ERROR_INVALID_PARAM: `ptr` or `data` is null, or `size` is 0.
        ACL_ERROR_RT_PARAM_INVALID: the attribute does not exist; `dataSize` does not fit it; the bytes are no managed
            memory; or `data` is no memory of the host.
    """
    for name, pointer in (("ptr", ptr), ("data", data)):
        if not pointer.value:
            raise null(name)
    if size == 0:
        raise invalid(0, "size", "more than 0 bytes")
    check_product(QUERYING, silent=True)
    _answer(current(), attribute, (ptr.value, size), data, dataSize)


@acl_api(HEADER, pyacl=None)
def aclrtMemManagedGetAttrs(
    attributes: m.aclrtMemManagedRangeAttribute_p, numAttributes: c.size_t, ptr: c.const_void_p, size: c.size_t,
    data: m.void_pp_source, dataSizes: m.size_t_p,
) -> c.aclError:  # fmt: skip
    """aclrtMemManagedGetAttr for several attributes: `data[i]` gets the value of `attributes[i]`.

    Returns:
        ACL_SUCCESS: the values are written.
        ACL_ERROR_INVALID_PARAM: `ptr`, `attributes`, `data` or `dataSizes` is null, or `size` is 0.
        ACL_ERROR_RT_PARAM_INVALID: `numAttributes` is 0 or more than 4096; or a value as in aclrtMemManagedGetAttr.
    """
    for name, pointer in (("ptr", ptr), ("attributes", attributes), ("data", data), ("dataSizes", dataSizes)):
        if not pointer.value:
            raise null(name)
    if size == 0:
        raise invalid(0, "size", "more than 0 bytes")
    check_product(QUERYING, silent=True)
    if not 0 < numAttributes <= MOST_VALUES:
        raise out_of_range(QUERYING, numAttributes, "numAttributes", f"[1, {MOST_VALUES}]")
    kinds = load_array(attributes, c_int32, numAttributes, "attributes")
    targets = load_array(data, c_uint64, numAttributes, "data")
    sizes = load_array(dataSizes, c_size_t, numAttributes, "dataSizes")
    for kind, target, length in zip(kinds, targets, sizes, strict=True):
        _answer(current(), kind, (ptr.value, size), Address(target), length, "attributes")


def _check_bytes(pointer: Address, size: int) -> None:
    if not pointer.value:
        raise null("ptr")
    if size == 0:
        raise invalid(0, "size", "more than 0 bytes")


def _place(machine: Machine, location: aclrtMemManagedLocation, what: str, parameter: str) -> Place:
    """A location, whose device must exist: 107000 otherwise."""
    if location.type == DEVICE and not 0 <= location.id < len(machine.devices):
        raise out_of_range(what, location.id, parameter, f"a device of [0, {len(machine.devices)})")
    return Place(location.type, location.id if location.type == DEVICE else HOST_ID)


def _managed(machine: Machine, start: int, size: int, parameter: str) -> Managed:
    """The managed memory with these bytes; 107000 if there is none."""
    memory = machine.memory_at(start)
    managed = memory.holding(start) if memory is not None else None
    if not isinstance(managed, Managed) or size == 0 or start + size > managed.end:
        raise bad_address(machine, start, parameter)
    return managed


def _prefetch(moves: list[tuple[Managed, int, int, Place]]) -> Task:
    def run() -> None:
        for managed, low, high, place in moves:
            managed.hint(low, high, FETCHED, place)

    return Task(
        Text("prefetch of managed memory"), run, (), trail(), nbytes=sum(high - low for _, low, high, _ in moves)
    )


def _answer(
    machine: Machine, attribute: int, where: tuple[int, int], data: Address, size: int, name: str = "attribute"
) -> None:
    """Write the value of one attribute."""
    if attribute not in list(aclrtMemManagedRangeAttribute):
        raise out_of_range(QUERYING, attribute, name, "an aclrtMemManagedRangeAttribute")
    kind = aclrtMemManagedRangeAttribute(attribute)
    several = kind is aclrtMemManagedRangeAttribute.ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY
    if size % 4 or not 0 < size <= (4 * MOST_VALUES if several else 4):
        expected = "4 bytes, for ACCESSED_BY 4 bytes for each number"
        raise out_of_range(QUERYING, size, "dataSize" if name == "attribute" else "dataSizes", expected)
    managed = _managed(machine, *where, "ptr")
    numbers = [*_numbers(managed, where[0], where[0] + where[1], kind), *[NOWHERE.id] * (size // 4)][: size // 4]
    store(data, np.array(numbers, np.int32).tobytes(), "data")


def _numbers(managed: Managed, low: int, high: int, kind: aclrtMemManagedRangeAttribute) -> Iterator[int]:
    """The numbers of an attribute."""
    which, kinds = kind.name, aclrtMemManagedRangeAttribute
    if kind is kinds.ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
        yield int(managed.value_in(low, high, MOSTLY_READ) is not None)
    elif kind is kinds.ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
        users = [subject for subject in managed.subjects() if subject[0] == USERS]
        yield from (subject[1] for subject in users if managed.value_in(low, high, subject) is not None)
    else:
        place = managed.value_in(low, high, PREFERRED if "PREFERRED" in which else FETCHED) or NOWHERE
        assert isinstance(place, Place)
        yield place.type if which.endswith("TYPE") else place.id
