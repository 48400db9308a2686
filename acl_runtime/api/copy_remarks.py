"""What is told of copies that succeed: a kind that is not what the pointers are, memory that made the call wait."""

from typing import Final

from acl_runtime.enums import aclrtMemcpyKind
from acl_runtime.errors import Past
from acl_runtime.machine.copying import Kind, Side, told_kind
from acl_runtime.machine.machine import Machine
from acl_runtime.machine.stream import Stream

H2H, H2D, D2H, D2D = (
    aclrtMemcpyKind.ACL_MEMCPY_HOST_TO_HOST,
    aclrtMemcpyKind.ACL_MEMCPY_HOST_TO_DEVICE,
    aclrtMemcpyKind.ACL_MEMCPY_DEVICE_TO_HOST,
    aclrtMemcpyKind.ACL_MEMCPY_DEVICE_TO_DEVICE,
)
FROM_DEVICE: Final = (D2H, D2D)
TO_DEVICE: Final = (H2D, D2D, aclrtMemcpyKind.ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE)


def remark_kind(machine: Machine, kind: int, target: Side, source: Side) -> None:
    """The finding `memcpy-kind`: "kind disagrees with pointer sides", though the copy followed the addresses."""
    if kind == aclrtMemcpyKind.ACL_MEMCPY_DEFAULT:
        return
    if _lies(source, device=kind in FROM_DEVICE) and _lies(target, device=kind in TO_DEVICE):
        return
    if machine.findings.first("memcpy-kind"):
        name, sides = aclrtMemcpyKind(kind).name, f"src is {_told(source)} and dst is {_told(target)}"
        machine.undefined(
            "memcpy-kind",
            f"kind is {name}, but {sides}. The copy followed the addresses.",
            *_past(source),
            *_past(target),
            hint=f"Pass {_right(source, target).name}, or ACL_MEMCPY_DEFAULT.",
        )


def remark_wait(machine: Machine, stream: Stream, target: Side, source: Side) -> None:
    """The finding `pageable-async`: a copy in a stream was made before the call returned."""
    sides = [side for side in (source, target) if side.kind is Kind.PLAIN]
    if len(sides) == 1 and Kind.DEVICE in (source.kind, target.kind) and machine.findings.first("pageable-async"):
        machine.undefined(
            "pageable-async",
            f"{sides[0].parameter} is {Kind.PLAIN.value}: the call waited for {stream} and copied before it returned.",
        )


def _lies(side: Side, *, device: bool) -> bool:
    """Does this side lie on a device, or on the host, as the kind says? What is mapped is both."""
    mapped = side.allocation is not None and side.allocation.mapped
    return mapped or device == (side.kind is Kind.DEVICE)


def _told(side: Side) -> str:
    return told_kind(side.kind, side.address)


def _right(source: Side, target: Side) -> aclrtMemcpyKind:
    if source.kind is Kind.DEVICE:
        return D2D if target.kind is Kind.DEVICE else D2H
    return H2D if target.kind is Kind.DEVICE else H2H


def _past(side: Side) -> tuple[Past, ...]:
    piece = side.allocation or side.pinned
    return piece.past() if piece is not None else ()
