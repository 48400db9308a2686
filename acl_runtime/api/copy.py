"""acl/acl_rt.h: copies."""

from typing import NoReturn

import acl_runtime.c as c
from acl_runtime.api.memory import bad_address
from acl_runtime.api.refusals import invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.enums import aclrtMemcpyKind
from acl_runtime.errors import AclError
from acl_runtime.machine import host
from acl_runtime.machine.installation import current
from acl_runtime.machine.machine import Machine
from acl_runtime.machine.memory import Allocation
from acl_runtime.messages import Item
from acl_runtime.pointers import Address
from acl_runtime.statuses import ACL_ERROR_RT_PARAM_INVALID


@acl_api("acl/acl_rt.h")
def aclrtMemcpy(
    dst: c.void_p, destMax: c.size_t, src: c.const_void_p, count: c.size_t, kind: c.aclrtMemcpyKind
) -> c.aclError:
    """Copy `count` bytes at once, between host and device in any direction; no stream is waited for.

    The sides are found from the addresses; `kind` must exist but does not decide. `destMax` is the room at `dst`.

    Returns:
        ACL_SUCCESS: copied; also for `count` 0, when nothing else is checked.
        ACL_ERROR_INVALID_PARAM: `dst` or `src` is null, or `kind` is not one of 0 to 5.
        ACL_ERROR_RT_PARAM_INVALID: `destMax` is 0 or less than `count`, or an address is no live device memory.
        ACL_ERROR_RT_CONTEXT_NULL: the thread has no current context.
    """
    if count == 0:
        return  # "success, nothing else is checked"
    if not dst.value:
        raise null("dst")
    if not src.value:
        raise null("src")
    if not 0 <= kind <= aclrtMemcpyKind.ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE:
        raise invalid(kind, "kind", "an aclrtMemcpyKind from 0 to 5")
    if destMax == 0 or count > destMax:
        values = ("Synchronous memory copy", count, "cnt", f"a value in (0, {destMax}]")
        detail = f"(parameter count: {count} bytes do not fit into destMax = {destMax})"
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1003", values, detail))
    if dst.value == src.value:
        return  # "success, no copy (before the context check)"
    machine = current()
    machine.context("Synchronous memory copy")
    target = _side(machine, dst, count, "dst")
    source = _side(machine, src, count, "src")
    _copy(machine, target, source, count)


class _Side:
    """One end of a copy: where its bytes really are, and how many of them are there."""

    __slots__ = ("allocation", "known", "offset", "room", "start")

    def __init__(
        self, start: int, room: int, *, known: bool, allocation: Allocation | None = None, offset: int = 0
    ) -> None:
        self.start = start
        self.room = room
        self.known = known
        self.allocation = allocation
        self.offset = offset


def _side(machine: Machine, pointer: Address, count: int, parameter: str) -> _Side:
    """Find out what a pointer points to. Too small an object is a finding; in a machine that only reports, the
    copy then takes what is there."""
    memory = machine.memory_at(pointer.value)
    if memory is None:
        if pointer.size is not None and count > pointer.size:
            machine.crash(
                "host-overrun",
                f"count = {count} bytes, but {parameter} is a host object of {pointer.size} bytes "
                f"({type(pointer.owner).__name__}). Count bytes, not elements, and size the object for them.",
                ACL_ERROR_RT_PARAM_INVALID,
            )
        return _Side(pointer.value, count, known=pointer.size is not None)
    allocation = memory.holding(pointer.value)
    if allocation is None:
        raise bad_address(machine, pointer.value, parameter)
    offset = pointer.value - allocation.address
    room = allocation.size - offset
    if count > room:
        machine.undefined(
            "memcpy-size",
            f"count = {count} bytes, but {parameter} has {room} bytes left: it points {offset} bytes into "
            f"{allocation}, {allocation.history()}. The device would silently touch its neighbours.",
        )
    return _Side(allocation.base + offset, room, known=True, allocation=allocation, offset=offset)


def _copy(machine: Machine, target: _Side, source: _Side, count: int) -> None:
    """Copy what both sides have room for; what the source lacks reads as the fill."""
    there = min(count, target.room, source.room)
    if source.allocation is not None:
        source.allocation.touch(source.offset, source.offset + there)
    for side, name in ((target, "dst"), (source, "src")):
        if not side.known and not host.readable(side.start, there):
            _refuse_wild(machine, side, name, count)
    if not host.copy(target.start, target.known, source.start, source.known, there):
        _refuse_wild(machine, *((source, "src") if target.known else (target, "dst")), count)
    if target.allocation is not None:
        target.allocation.wrote(target.offset, target.offset + there)
    if source.allocation is not None and (missing := min(count, target.room) - there) > 0:
        fill = bytes([source.allocation.device.fill or 0]) * missing
        host.copy(target.start + there, target.known, host.address(fill), True, missing)
        if target.allocation is not None:
            target.allocation.wrote(target.offset + there, target.offset + there + missing)


def _refuse_wild(machine: Machine, side: _Side, parameter: str, count: int) -> NoReturn:
    machine.crash(
        "host-overrun",
        f"{parameter} = {side.start:#x} is no host memory of {count} bytes: the copy would crash the process. "
        "Pass the buffer itself (a numpy or ctypes array) rather than a number.",
        ACL_ERROR_RT_PARAM_INVALID,
    )
