"""Findings about copies that succeed: a kind that contradicts the pointers, a count of elements instead of bytes,
pageable memory that makes the call wait."""

from typing import Final

from acl_runtime.checks.ports import CheckedMachine
from acl_runtime.checks.races.accesses import ACCESSES
from acl_runtime.errors import Finding, Past
from acl_runtime.headers.dtype_names import bits
from acl_runtime.headers.enums import aclrtMemcpyKind
from acl_runtime.memory.copies import Kind, Side, kind_text
from acl_runtime.streams.announcements import Listener
from acl_runtime.streams.stream import Stream
from acl_runtime.text import Text

H2H, H2D, D2H, D2D = (
    aclrtMemcpyKind.ACL_MEMCPY_HOST_TO_HOST,
    aclrtMemcpyKind.ACL_MEMCPY_HOST_TO_DEVICE,
    aclrtMemcpyKind.ACL_MEMCPY_DEVICE_TO_HOST,
    aclrtMemcpyKind.ACL_MEMCPY_DEVICE_TO_DEVICE,
)
FROM_DEVICE: Final = (D2H, D2D)
MANY: Final = 8
"""an array of at least this many elements; if a copy has as many bytes, its count is probably of elements"""
TO_DEVICE: Final = (H2D, D2D, aclrtMemcpyKind.ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE)


class CopyRemarks(Listener):
    """The findings `memcpy-kind`, `memcpy-elements` and `pageable-async`."""

    def __init__(self, machine: CheckedMachine) -> None:
        self._machine = machine
        self._last: tuple[tuple[int, int], Finding] | None = None
        """the end addresses (target, source) of the copy of the last finding `memcpy-elements`, and the finding"""

    def copied(self, kind: int, target: Side, source: Side, count: int) -> None:
        if self._last is not None:
            ends, finding = self._last
            if (target.address, source.address) == ends:  # a copy of the next bytes shows that the program counts bytes
                self._machine.findings.withdraw(finding)
                self._last = None
        if source.kind is Kind.DEVICE:
            number, width = target.elements
            if number == count:
                self._count_of_elements(target, source, count, count * width, target.parameter)
            elif not number and _is_tensor(source, target, count):
                whose = Text("the tensor at {parameter}", parameter=source.parameter)
                self._count_of_elements(target, source, count, target.room, whose)
        self._kind_of_sides(kind, target, source)

    def _count_of_elements(self, target: Side, source: Side, count: int, nbytes: int, whose: str) -> None:
        """Report a copy to the host if the count of bytes equals the number of elements of an array or tensor with
        `nbytes` bytes, and both sides have more bytes. A copy that continues where this copy ends withdraws the
        finding."""
        if count < nbytes <= source.available and self._machine.consequences.first("memcpy-elements"):
            finding = self._machine.undefined(
                "memcpy-elements",
                Text(
                    "count = {count} bytes, which is the number of elements of {target}; these are {nbytes} bytes. The "
                    "rest of the array has its old values.",
                    count=count,
                    target=whose,
                    nbytes=nbytes,
                ),
                *_past(source),
                level="warning" if count >= MANY else "advice",
            )
            if finding is not None:
                self._last = (target.address + count, source.address + count), finding

    def _kind_of_sides(self, kind: int, target: Side, source: Side) -> None:
        """Report a kind that contradicts the pointers. The copy follows the pointers."""
        if kind == aclrtMemcpyKind.ACL_MEMCPY_DEFAULT:
            return
        if _fits_kind(source, device=kind in FROM_DEVICE) and _fits_kind(target, device=kind in TO_DEVICE):
            return
        if self._machine.consequences.first("memcpy-kind"):
            self._machine.undefined(
                "memcpy-kind",
                Text(
                    "kind is {kind}, but src is {source} and dst is {target}. The copy followed the addresses.",
                    kind=aclrtMemcpyKind(kind).name,
                    source=_text(source),
                    target=_text(target),
                ),
                *_past(source),
                *_past(target),
                hint=Text("Pass {kind}, or ACL_MEMCPY_DEFAULT.", kind=_right(source, target).name),
            )

    def copy_blocked(self, stream: Stream, target: Side, source: Side) -> None:
        """Report memory that is not pinned and made the call wait."""
        sides = [side for side in (source, target) if side.kind is Kind.PLAIN]
        if len(sides) != 1 or Kind.DEVICE not in (source.kind, target.kind):
            return
        if self._machine.consequences.first("pageable-async"):
            self._machine.undefined(
                "pageable-async",
                Text(
                    "{side} is plain host memory: the call waited for {stream} and copied before it returned.",
                    side=sides[0].parameter,
                    stream=stream,
                ),
            )


def _is_tensor(source: Side, target: Side, count: int) -> bool:
    """True if the source has been used as a tensor of `count` elements, with as many bytes as the target on the host
    has."""
    on_host = target.kind is not Kind.DEVICE and count < target.room
    accesses = ACCESSES.of(source.allocation) if on_host and source.allocation is not None else None
    low, high = source.address, source.address + target.room
    return accesses is not None and any(
        access.used.dtype is not None and bits(access.used.dtype) * count == 8 * target.room
        for access in accesses.of_exactly(low, high)
    )


def _fits_kind(side: Side, *, device: bool) -> bool:
    """True if this side of the copy is on a device (`device`) or on the host, as the kind demands. Mapped and managed
    memory counts as both."""
    both = side.allocation is not None and side.allocation.shared
    return both or device == (side.kind is Kind.DEVICE)


def _text(side: Side) -> str:
    return kind_text(side.kind, side.address)


def _right(source: Side, target: Side) -> aclrtMemcpyKind:
    if source.kind is Kind.DEVICE:
        return D2D if target.kind is Kind.DEVICE else D2H
    return H2D if target.kind is Kind.DEVICE else H2H


def _past(side: Side) -> tuple[Past, ...]:
    piece = side.allocation or side.pinned
    return piece.past() if piece is not None else ()
