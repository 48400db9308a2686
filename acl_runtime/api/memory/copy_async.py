"""acl/acl_rt.h: asynchronous copies, queued in a stream."""

from ctypes import c_char
from typing import Final, NamedTuple

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Address
from acl_runtime.api.capture_refusals import BLOCKS, check_blocking
from acl_runtime.api.memory.copy import D2D, D2H, H2D, H2H, check_fits, check_pointers_and_kind
from acl_runtime.api.outcomes import EITHER
from acl_runtime.api.rt.device import timed_out
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import aclrtMemcpyKind
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_FEATURE_NOT_SUPPORT, ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.memory import host
from acl_runtime.memory.copies import Kind, Side, copy, kind_of, locate, locate_both, on_device, readable
from acl_runtime.source.frames import trail
from acl_runtime.streams.stream import Stream, Task
from acl_runtime.streams.surfacing import aborted, surface
from acl_runtime.text import Text

WHAT: Final = "Asynchronous memory copy"
DEFAULT, BUFFERED = aclrtMemcpyKind.ACL_MEMCPY_DEFAULT, aclrtMemcpyKind.ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE
ALL: Final = frozenset({H2H, H2D, D2H, D2D, DEFAULT})
NONE: Final = frozenset[aclrtMemcpyKind]()


class CopyRule(NamedTuple):
    """The copy kinds that are queued, that block, and that are refused with 207000, for one pair of source and target
    memory. Any other copy kind is refused with 107000."""

    queued: frozenset[aclrtMemcpyKind]
    blocks: frozenset[aclrtMemcpyKind] = NONE
    unsupported: frozenset[aclrtMemcpyKind] = NONE


TABLE: Final = {
    (Kind.PINNED, Kind.DEVICE): CopyRule(ALL),
    (Kind.DEVICE, Kind.PINNED): CopyRule(ALL),
    (Kind.DEVICE, Kind.DEVICE): CopyRule(ALL),
    (Kind.PINNED, Kind.PINNED): CopyRule(NONE, unsupported=ALL),
    (Kind.PLAIN, Kind.DEVICE): CopyRule(frozenset({D2D}), blocks=frozenset({H2D, DEFAULT})),
    (Kind.DEVICE, Kind.PLAIN): CopyRule(frozenset({D2D}), blocks=frozenset({D2H, DEFAULT})),
    (Kind.PINNED, Kind.PLAIN): CopyRule(NONE, blocks=frozenset({H2D}), unsupported=frozenset({H2H, DEFAULT})),
    (Kind.PLAIN, Kind.PINNED): CopyRule(NONE, blocks=frozenset({D2H}), unsupported=frozenset({H2H, DEFAULT})),
    (Kind.PLAIN, Kind.PLAIN): CopyRule(NONE, blocks=frozenset({H2D, D2H, D2D}), unsupported=frozenset({H2H, DEFAULT})),
}
"""the documented table of the copy kinds 0 to 4, by the kinds of memory (source, target)"""


@acl_api("acl/acl_rt.h", also=EITHER + BLOCKS, resource=True)
def aclrtMemcpyAsync(
    dst: c.void_p,
    destMax: c.size_t,
    src: c.const_void_p,
    count: c.size_t,
    kind: c.aclrtMemcpyKind,
    stream: c.aclrtStream,
) -> c.aclError:
    """Queue a copy of `count` bytes. A null `stream` is the default stream.

    Pinned host memory (from aclrtMallocHost, or registered) must stay valid until the stream has executed the copy.
    With other host memory the call waits for the stream and copies before it returns. With
    ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE the call buffers the source, which may be reused at once.

    Returns:
        ACL_SUCCESS: queued or copied; also for `count` 0, when nothing else is checked.
        ACL_ERROR_INVALID_PARAM: `dst` or `src` is null, or `kind` is not one of 0 to 5.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `destMax` is 0 or less than `count`; `kind` contradicts the addresses, and source or
            target is host memory that is not pinned; an address is no live device memory.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: both sides are host memory.
        ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context (queued copies only).
    """
    copy_async(dst, destMax, src, count, kind, stream)


@acl_api("acl/acl_rt.h", also=EITHER + BLOCKS, resource=True)
def aclrtMemcpyAsyncWithCondition(
    dst: c.void_p,
    destMax: c.size_t,
    src: c.const_void_p,
    count: c.size_t,
    kind: c.aclrtMemcpyKind,
    stream: c.aclrtStream,
) -> c.aclError:
    """aclrtMemcpyAsync that refuses host memory which is not pinned, instead of blocking. Deprecated.

    Returns:
        ACL_SUCCESS: queued; also for `count` 0, when nothing else is checked.
        ACL_ERROR_INVALID_PARAM: `dst` or `src` is null, or `kind` is not one of 0 to 5.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `destMax` is 0 or less than `count`; host memory is not pinned, except as the source
            of ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE; `kind` contradicts the addresses; an address is no live device memory.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: both sides are host memory.
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    copy_async(dst, destMax, src, count, kind, stream, blocking=False)


def copy_async(
    dst: Address, destMax: int, src: Address, count: int, kind: int, stream: int, *, blocking: bool = True
) -> None:
    """Queue a copy, or block. `blocking`: False if a copy that blocks is refused."""
    if count == 0:
        return
    check_pointers_and_kind(dst, src, kind)
    machine = current()
    if stream:
        machine.stream(stream, WHAT)
    check_fits(WHAT, dst, destMax, count)
    machine.context(WHAT)
    live_stream = machine.stream(stream, WHAT)
    blocks = judge(machine, src.value, dst.value, kind, blocking=blocking)
    if dst.value == src.value:
        return  # "success without a task"
    target, source = locate_both(machine, dst, count, src, count)
    target.room = destMax
    if blocks:
        finish(machine, live_stream)
        machine.announce.host_used(
            (
                target.range(count),
                source.range(count),
            )
        )
        copy(machine, target, source, count)
        machine.announce.copy_blocked(live_stream, target, source)
        machine.announce.copied(kind, target, source, count)
        return
    machine.own_stream(stream, WHAT)  # "and last, for queued copies only, stream of another context 107003"
    queued_source = buffered(machine, source, count) if kind == BUFFERED else source
    submit(machine, live_stream, target, queued_source, count)
    machine.announce.copied(kind, target, source, count)


def judge(machine: Machine, source: int, target: int, kind: int, *, blocking: bool) -> bool:
    """True if a copy between these addresses blocks. Raises AclError if the copy is refused."""
    pair = kind_of(machine, source), kind_of(machine, target)
    if kind == BUFFERED:
        if pair[0] is Kind.DEVICE or pair[1] is not Kind.DEVICE:
            raise contradiction(kind, pair)
        return False
    row = TABLE[pair]
    if kind in row.unsupported:  # "no last-error"; the text is ours
        reason = f"src is {pair[0].value}, dst is {pair[1].value}; copy with aclrtMemcpy and ACL_MEMCPY_HOST_TO_HOST"
        raise AclError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, Item("EE1016", (WHAT, reason)), runtime=0)
    refused = not blocking and Kind.PLAIN in pair  # "rejects unpinned host memory instead of blocking"
    if refused or kind not in row.queued | row.blocks:
        raise contradiction(kind, pair)
    return kind in row.blocks


def contradiction(kind: int, pair: tuple[Kind, Kind]) -> AclError:
    """The refusal of a kind that contradicts the addresses: 107000."""
    reason = f"src is {pair[0].value}, dst is {pair[1].value}"
    return AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1011", (WHAT, kind, "kind", reason)))


def finish(machine: Machine, stream: Stream) -> None:
    """Wait for the stream before a copy of plain memory, which "waits for the stream, copies synchronously and
    returns"."""
    check_blocking(machine, stream, WHAT)
    if stream.aborted:
        raise aborted(stream)
    if not machine.finish(stream):
        raise timed_out(WHAT, (stream,), stuck=True)
    surface(stream, machine.consequences)


def submit(machine: Machine, stream: Stream, target: Side, source: Side, count: int) -> None:
    """Queue a copy."""
    run = on_device(machine, lambda: copy(machine, target, source, count))
    ranges = (target.range(count), source.range(count))
    machine.submit(stream, Task(Text("copy"), run, ranges, trail(), nbytes=count))


def buffered(machine: Machine, source: Side, count: int) -> Side:
    """A copy of the source: "Source is buffered by the runtime, caller may reuse it as soon as the call returns". Its
    owner is a bytearray with the bytes."""
    count = readable(machine, source, count)  # before anything is sized by it
    snapshot = bytearray(count)
    buffer = Address(host.address((c_char * count).from_buffer(snapshot)), count, snapshot)
    side = locate(machine, buffer, count, "src", write=True)
    machine.announce.host_used((source.range(count),))
    copy(machine, side, source, count)
    return side
