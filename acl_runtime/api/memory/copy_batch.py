"""acl/acl_rt.h: many copies in one call."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Address, Out, Values
from acl_runtime.api.capture_refusals import BLOCKS
from acl_runtime.api.memory.buffers import load_array
from acl_runtime.api.memory.copy_async import finish, submit
from acl_runtime.api.meta.objects import take
from acl_runtime.api.outcomes import EITHER, NO_HOST_MEMORY
from acl_runtime.api.refusals import check_product, invalid, null, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import aclrtMemLocationType
from acl_runtime.headers.statuses import ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.headers.structs import aclrtMemcpyBatchAttr, aclrtMemLocation
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.copies import Kind, Side, check, copy, kind_of, locate_both
from acl_runtime.streams.stream import Stream

NO_INDEX: Final = (1 << 64) - 1
WHAT: Final = "Batched memory copy"
SHORT: Final = ACL_ERROR_RT_PARAM_INVALID
"""the status for an array that has fewer elements than its count argument"""
DEVICE: Final = aclrtMemLocationType.ACL_MEM_LOCATION_TYPE_DEVICE


@dataclass(eq=False)
class Batch:
    """The arguments of a batched copy."""

    dsts: Values
    dest_sizes: Values
    srcs: Values
    sizes: Values
    count: int
    attributes: Address
    indexes: Values
    attribute_count: int


@acl_api("acl/acl_rt.h", also=NO_HOST_MEMORY, pyacl=None)
def aclrtMemcpyBatch(
    dsts: c.void_p_targets,
    destMaxs: c.size_t_array,
    srcs: c.void_p_sources,
    sizes: c.size_t_array,
    numBatches: c.size_t,
    attrs: c.aclrtMemcpyBatchAttr_p,
    attrsIndexes: c.size_t_array,
    numAttrs: c.size_t,
    failIndex: c.size_t_p,
) -> c.aclError:
    """Copy `numBatches` pieces at once: `sizes[i]` bytes from `srcs[i]` to `dsts[i]`, which has `destMaxs[i]` bytes.

    `attrs[j]`, one of `numAttrs`, gives the locations of the pieces from number `attrsIndexes[j]` on. The number of the
    piece that failed is written to `*failIndex`, SIZE_MAX if no single piece failed.

    Returns:
        ACL_SUCCESS: copied; also when all sizes are 0.
        ACL_ERROR_INVALID_PARAM: an array or `failIndex` is null, `numBatches` is 0, a size exceeds its element of
            `destMaxs`, or reserved bytes of an attribute are not 0.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_PARAM_INVALID: attrsIndexes do not start at 0 and rise; a piece does not lie at the location of its
            attribute, source and target are both on the host, or an address is no live device memory; an array is
            shorter than its count (only if the machine reports findings instead of raising them).
    """
    batch = Batch(dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs)
    _run(batch, failIndex, None, at_once=True)


@acl_api("acl/acl_rt.h", also=NO_HOST_MEMORY, pyacl=None)
def aclrtMemcpyBatchV2(
    dsts: c.void_p_targets,
    destMaxs: c.size_t_array,
    srcs: c.void_p_sources,
    sizes: c.size_t_array,
    numBatches: c.size_t,
    attrs: c.aclrtMemcpyBatchAttr_p,
    attrsIndexes: c.size_t_array,
    numAttrs: c.size_t,
) -> c.aclError:
    """aclrtMemcpyBatch without `failIndex`.

    Returns:
        ACL_SUCCESS: copied; also when all sizes are 0.
        ACL_ERROR_INVALID_PARAM: an array is null, `numBatches` is 0, a size exceeds its element of `destMaxs`, or
            reserved bytes of an attribute are not 0.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_PARAM_INVALID: attrsIndexes do not start at 0 and rise; a piece does not lie at the location of its
            attribute, source and target are both on the host, or an address is no live device memory; an array is
            shorter than its count (only if the machine reports findings instead of raising them).
    """
    batch = Batch(dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs)
    _run(batch, None, None, at_once=True)


@acl_api("acl/acl_rt.h", also=EITHER + BLOCKS, resource=True, pyacl=None)
def aclrtMemcpyBatchAsync(
    dsts: c.void_p_targets,
    destMaxs: c.size_t_array,
    srcs: c.void_p_sources,
    sizes: c.size_t_array,
    numBatches: c.size_t,
    attrs: c.aclrtMemcpyBatchAttr_p,
    attrsIndexes: c.size_t_array,
    numAttrs: c.size_t,
    failIndex: c.size_t_p,
    stream: c.aclrtStream,
) -> c.aclError:
    """Queue copies of `numBatches` pieces, with the arguments of aclrtMemcpyBatch. For a piece in host memory that is
    not pinned, the call waits for the stream and copies before it returns. A null stream is the default stream.

    Returns:
        ACL_SUCCESS: queued or copied; also when all sizes are 0.
        ACL_ERROR_INVALID_PARAM: an array or `failIndex` is null, `numBatches` is 0, a size exceeds its element of
            `destMaxs`, or reserved bytes of an attribute are not 0.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_PARAM_INVALID: attrsIndexes do not start at 0 and rise; a piece does not lie at the location of its
            attribute, source and target are both on the host, or an address is no live device memory; an array is
            shorter than its count (only if the machine reports findings instead of raising them).
    """
    batch = Batch(dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs)
    _run(batch, failIndex, stream, at_once=False)


@acl_api("acl/acl_rt.h", also=EITHER + BLOCKS, resource=True, pyacl=None)
def aclrtMemcpyBatchAsyncV2(
    dsts: c.void_p_targets,
    destMaxs: c.size_t_array,
    srcs: c.void_p_sources,
    sizes: c.size_t_array,
    numBatches: c.size_t,
    attrs: c.aclrtMemcpyBatchAttr_p,
    attrsIndexes: c.size_t_array,
    numAttrs: c.size_t,
    stream: c.aclrtStream,
) -> c.aclError:
    """aclrtMemcpyBatchAsync without `failIndex`.

    Returns:
        ACL_SUCCESS: queued or copied; also when all sizes are 0.
        ACL_ERROR_INVALID_PARAM: an array is null, `numBatches` is 0, a size exceeds its element of `destMaxs`, or
            reserved bytes of an attribute are not 0.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_PARAM_INVALID: attrsIndexes do not start at 0 and rise; a piece does not lie at the location of its
            attribute, source and target are both on the host, or an address is no live device memory; an array is
            shorter than its count (only if the machine reports findings instead of raising them).
    """
    batch = Batch(dsts, destMaxs, srcs, sizes, numBatches, attrs, attrsIndexes, numAttrs)
    _run(batch, None, stream, at_once=False)


def _run(batch: Batch, fail: Out[int] | None, stream: int | None, *, at_once: bool) -> None:
    if fail is not None and fail.null:
        raise null("failIndex")
    store: Callable[[int], None] = fail.store if fail is not None else lambda _: None
    pieces = _pieces(batch, store)
    if pieces is None:
        return
    check_product(WHAT)
    machine = current()
    if stream:
        machine.stream(stream, WHAT)
    machine.context(WHAT)
    attributes = _attribute_of_each(batch)
    copies: list[tuple[Side, Side, int]] = []
    for index, (dst, src, size) in enumerate(pieces):  # check all pieces before the first byte is copied
        try:
            _check_locations(machine, dst, src, attributes[index])
            copies += _copy(machine, dst, src, size, (f"dsts[{index}]", f"srcs[{index}]"))
        except AclError as error:
            store(index)
            if machine.consequences.of(error):
                for target, _, length in pieces:
                    machine.rejected(target.value, target.value + length)
            raise
    live_stream = None if at_once else _stream(machine, stream or 0, copies)
    for target, source, size in copies:
        if live_stream is None:
            machine.announce.host_used(
                (
                    target.range(size),
                    source.range(size),
                )
            )
            copy(machine, target, source, size)
        elif Kind.PLAIN in (target.kind, source.kind):
            finish(machine, live_stream)
            machine.announce.host_used(
                (
                    target.range(size),
                    source.range(size),
                )
            )
            copy(machine, target, source, size)
            machine.announce.copy_blocked(live_stream, target, source)
        else:
            submit(machine, live_stream, target, source, size)
    store(NO_INDEX)


def _pieces(batch: Batch, store: Callable[[int], None]) -> list[tuple[Address, Address, int]] | None:
    """The pieces, after the checks of the ACL layer in their order; None if there is nothing to copy."""
    if batch.sizes.null:
        raise null("sizes")
    if batch.count == 0:
        raise invalid(0, "numBatches", "a value greater than 0")
    sizes = take(batch.sizes, batch.count, "sizes", SHORT)
    if not any(sizes):
        store(NO_INDEX)
        return None
    for name, array in (("dsts", batch.dsts), ("destMaxs", batch.dest_sizes), ("srcs", batch.srcs)):
        if array.null:
            raise null(name)
    if not batch.attributes.value:
        raise null("attrs")
    if batch.indexes.null:
        raise null("attrsIndexes")
    dest_sizes = take(batch.dest_sizes, batch.count, "destMaxs", SHORT)
    for index, (size, dest_size) in enumerate(zip(sizes, dest_sizes, strict=True)):
        if size > dest_size:
            raise invalid(size, f"sizes[{index}]", f"at most destMaxs[{index}] = {dest_size}")
    for i, attribute in enumerate(_attributes(batch)):
        if any(attribute.rsv):
            raise invalid(list(attribute.rsv), f"attrs[{i}].rsv", "zeros")
    dsts = take(batch.dsts, batch.count, "dsts", SHORT)
    srcs = take(batch.srcs, batch.count, "srcs", SHORT)
    return list(zip(dsts, srcs, sizes, strict=True))


def _attributes(batch: Batch) -> list[aclrtMemcpyBatchAttr]:
    if batch.attribute_count == 0 or batch.attribute_count > batch.count:
        raise invalid(batch.attribute_count, "numAttrs", f"a value in [1, {batch.count}]")
    return list(load_array(batch.attributes, aclrtMemcpyBatchAttr, batch.attribute_count, "attrs"))


def _attribute_of_each(batch: Batch) -> list[aclrtMemcpyBatchAttr]:
    """The attribute of each piece."""
    starts = list(take(batch.indexes, batch.attribute_count, "attrsIndexes", SHORT))
    if starts[0] != 0 or starts != sorted(set(starts)) or starts[-1] >= batch.count:
        raise out_of_range(WHAT, starts, "attrsIndexes", f"rising numbers from 0, below {batch.count}")
    attributes, ends = _attributes(batch), [*starts[1:], batch.count]
    return [
        attribute for attribute, start, end in zip(attributes, starts, ends, strict=True) for _ in range(end - start)
    ]


def _check_locations(machine: Machine, dst: Address, src: Address, attribute: aclrtMemcpyBatchAttr) -> None:
    """AclError 107000 unless the piece lies at the locations of its attribute, with source or target on a device."""
    if not dst.value or not src.value:
        raise out_of_range(WHAT, 0, "dsts or srcs", "an address")
    kinds = [
        _check_location(machine, dst, attribute.dstLoc, "dsts"),
        _check_location(machine, src, attribute.srcLoc, "srcs"),
    ]
    if Kind.DEVICE not in kinds:
        raise out_of_range(WHAT, f"{dst.value:#x}", "dsts", "device memory on one of the sides at least")


def _check_location(machine: Machine, pointer: Address, location: aclrtMemLocation, parameter: str) -> Kind:
    kind, memory = kind_of(machine, pointer.value), machine.memory_at(pointer.value)
    expects_device = location.type == DEVICE
    if expects_device != (memory is not None) or (memory is not None and memory.device != location.id):
        place = f"device {memory.device}" if memory is not None else "the host"
        raise out_of_range(
            WHAT, f"{pointer.value:#x}", parameter, f"an address at the location in attrs; it is on {place}"
        )
    return kind


def _copy(
    machine: Machine, dst: Address, src: Address, size: int, names: tuple[str, str]
) -> list[tuple[Side, Side, int]]:
    """The copy of one piece, checked; an empty list for 0 bytes."""
    if size == 0:
        return []
    target, source = locate_both(machine, dst, size, src, size, names)
    check(machine, target, source, size)
    return [(target, source, size)]


def _stream(machine: Machine, stream: int, copies: list[tuple[Side, Side, int]]) -> Stream:
    """The stream of a handle. It must belong to the current context if a copy is queued."""
    queued = any(Kind.PLAIN not in (target.kind, source.kind) for target, source, _ in copies)
    return machine.own_stream(stream, WHAT) if queued else machine.stream(stream, WHAT)
