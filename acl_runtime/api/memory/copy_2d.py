"""acl/acl_rt.h: copies of rows with a pitch."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Address
from acl_runtime.api.capture_refusals import BLOCKS, UNSAFE, check_safe
from acl_runtime.api.memory.copy import D2D, D2H, H2D
from acl_runtime.api.memory.copy_async import DEFAULT, finish
from acl_runtime.api.outcomes import EITHER, NO_HOST_MEMORY
from acl_runtime.api.refusals import invalid, null, out_of_range, unsupported
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.copies import Kind, Side, kind_of, locate_both, on_device
from acl_runtime.memory.row_copies import copy_rows
from acl_runtime.source.frames import trail
from acl_runtime.streams.stream import Task
from acl_runtime.text import Text

WIDEST: Final = 5_000_000
HIGHEST: Final = 5_242_880
WHAT: Final = "Two-dimensional memory copy"


@acl_api("acl/acl_rt.h", also=NO_HOST_MEMORY + UNSAFE)
def aclrtMemcpy2d(
    dst: c.void_p,
    dpitch: c.size_t,
    src: c.const_void_p,
    spitch: c.size_t,
    width: c.size_t,
    height: c.size_t,
    kind: c.aclrtMemcpyKind,
) -> c.aclError:
    """Copy `height` rows of `width` bytes at once. Rows start every `dpitch` bytes at `dst`, every `spitch` at `src`.

    Returns:
        ACL_SUCCESS: copied; also for a width or height of 0.
        ACL_ERROR_INVALID_PARAM: `dst` or `src` is null, `width` exceeds a pitch, or `kind` is not one of 1 to 4.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: `kind` is ACL_MEMCPY_DEVICE_TO_DEVICE (only aclrtMemcpy2dAsync accepts it).
        ACL_ERROR_RT_PARAM_INVALID: more than 5,000,000 bytes a row or 5,242,880 rows; both sides are on the host, or
            both on a device; `kind` contradicts the address of plain host memory; an address is no live device memory.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if width == 0 or height == 0:
        return
    _check(dst, dpitch, src, spitch, width, kind)
    if kind == D2D:
        raise unsupported(WHAT, "device to device is copied by aclrtMemcpy2dAsync only")
    _check_limits(width, height)
    machine = current()
    machine.context(WHAT)
    check_safe(machine, WHAT)
    pair = kind_of(machine, src.value), kind_of(machine, dst.value)
    if pair == (Kind.DEVICE, Kind.DEVICE):
        raise _unfit(kind, pair)
    _check_kind(kind, pair)
    target, source = _sides(machine, dst, dpitch, src, spitch, width, height)
    machine.announce.host_used(
        (
            target.rows(dpitch, width, height),
            source.rows(spitch, width, height),
        )
    )
    copy_rows(machine, target, dpitch, source, spitch, width, height)
    machine.announce.copied(kind, target, source, 0)


@acl_api("acl/acl_rt.h", also=EITHER + BLOCKS, resource=True)
def aclrtMemcpy2dAsync(
    dst: c.void_p,
    dpitch: c.size_t,
    src: c.const_void_p,
    spitch: c.size_t,
    width: c.size_t,
    height: c.size_t,
    kind: c.aclrtMemcpyKind,
    stream: c.aclrtStream,
) -> c.aclError:
    """Queue a copy of `height` rows of `width` bytes. With host memory that is not pinned, the call waits for the
    stream and copies before it returns. A null stream is the default stream.

    Returns:
        ACL_SUCCESS: queued or copied; also for a width or height of 0.
        ACL_ERROR_INVALID_PARAM: `dst` or `src` is null, `width` exceeds a pitch, or `kind` is not one of 1 to 4.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: more than 5,000,000 bytes a row or 5,242,880 rows; both sides are on the host;
            `kind` contradicts the address of plain host memory; an address is no live device memory.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    if width == 0 or height == 0:
        return
    _check(dst, dpitch, src, spitch, width, kind)
    machine = current()
    if stream:
        machine.stream(stream, WHAT)
    _check_limits(width, height)
    machine.context(WHAT)
    pair = kind_of(machine, src.value), kind_of(machine, dst.value)
    _check_kind(kind, pair)
    target, source = _sides(machine, dst, dpitch, src, spitch, width, height)
    if Kind.PLAIN in pair:
        waited = machine.stream(stream, WHAT)
        finish(machine, waited)
        machine.announce.host_used(
            (
                target.rows(dpitch, width, height),
                source.rows(spitch, width, height),
            )
        )
        copy_rows(machine, target, dpitch, source, spitch, width, height)
        machine.announce.copy_blocked(waited, target, source)
        return
    live_stream = machine.own_stream(stream, WHAT)
    run = on_device(machine, lambda: copy_rows(machine, target, dpitch, source, spitch, width, height))
    ranges = (target.rows(dpitch, width, height), source.rows(spitch, width, height))
    machine.submit(live_stream, Task(Text("copy of rows"), run, ranges, trail(), nbytes=width * height))
    machine.announce.copied(kind, target, source, 0)


def _check(dst: Address, dpitch: int, src: Address, spitch: int, width: int, kind: int) -> None:
    if not dst.value:
        raise null("dst")
    if not src.value:
        raise null("src")
    if width > dpitch:
        raise invalid(width, "width", f"at most dpitch = {dpitch}")
    if width > spitch:
        raise invalid(width, "width", f"at most spitch = {spitch}")
    if kind not in (H2D, D2H, D2D, DEFAULT):
        raise invalid(kind, "kind", "an aclrtMemcpyKind from 1 to 4")


def _check_limits(width: int, height: int) -> None:
    if width > WIDEST:
        raise out_of_range(WHAT, width, "width", f"at most {WIDEST} bytes")
    if height > HIGHEST:
        raise out_of_range(WHAT, height, "height", f"at most {HIGHEST} rows")


def _check_kind(kind: int, pair: tuple[Kind, Kind]) -> None:
    """Check `kind` against the addresses: 107000 if it is wrong. With pinned host memory, each kind is right."""
    if Kind.DEVICE not in pair:
        raise _unfit(kind, pair)
    fits = {DEFAULT, H2D if pair[1] is Kind.DEVICE else D2H} if pair[0] is not pair[1] else {D2D, DEFAULT}
    if Kind.PLAIN in pair and kind not in fits:
        raise _unfit(kind, pair)


def _unfit(kind: int, pair: tuple[Kind, Kind]) -> AclError:
    reason = f"src is {pair[0].value}, dst is {pair[1].value}, and kind is {kind}"
    return AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1017", (WHAT, "kind", reason)))


def _sides(
    machine: Machine, dst: Address, dpitch: int, src: Address, spitch: int, width: int, height: int
) -> tuple[Side, Side]:
    pitches = {"dpitch": dpitch, "spitch": spitch}
    extents = [f"{name} * (height - 1) + width = {size} * {height - 1} + {width}" for name, size in pitches.items()]
    size, count = (_extent(size, width, height) for size in pitches.values())
    return locate_both(machine, dst, size, src, count, count_names=(extents[0], extents[1]))


def _extent(pitch: int, width: int, height: int) -> int:
    return pitch * (height - 1) + width
