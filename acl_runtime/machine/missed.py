"""The finding for memory of a launch that is not live memory of the stream's device."""

from collections.abc import Callable
from typing import Final

from acl_runtime.errors import Past
from acl_runtime.headers.statuses import ACLNN_ERR_RUNTIME_ERROR
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.device_memory import looks_like_device_address
from acl_runtime.streams.stream import Device
from acl_runtime.text import Text

FREED: Final[tuple[str, Text | None]] = ("data-freed-under-tensor", None)
FREED_WORKSPACE: Final = (
    "ws-freed-early",
    Text("Free it after its launch, when aclrtSynchronizeStream has returned, or with aclrtFreeWithDevSync."),
)


def missed(
    machine: Machine,
    address: int,
    name: Callable[[], str],
    device: Device,
    *history: Past,
    behind: Callable[..., None],
    seen: set[object],
    freed: tuple[str, Text | None] = FREED,
    status: int = ACLNN_ERR_RUNTIME_ERROR,
) -> None:
    """Report an address without live memory of this device. Freed memory in `seen` is not reported again.

    `behind` reports an address behind the end of live memory. `freed` has the id and the hint of the finding for freed
    memory. `status` is what a call returns in report mode if it would have crashed."""
    memory = machine.memory_at(address)
    if memory is None:
        pinned = machine.pinned.holding(address) or machine.pinned.freed_at(address)
        reservation = machine.virtual.holding(address)
        where = _of_host(address) if pinned is None else Text("in {memory}", memory=pinned)
        if reservation is not None:
            where = Text("{place}, which is for memory of the host", place=reservation.name(address))
        past = pinned.past() if pinned is not None else ()
        what = Text("{name}: its data pointer is {where}.", name=name(), where=where)
        machine.crash("ws-host-ptr", what, *history, *past, status=status)
    where, piece = memory.describe(address)
    past = piece.past() if piece is not None else ()
    if memory is not device.memory:
        what = Text(
            "{name} lies on {device}, but the stream works on {other}.",
            name=name(),
            device=f"device {memory.device}",
            other=f"device {device.number}",
        )
        machine.crash("ws-foreign", what, *history, *past, status=status)
    if piece is not None and not piece.gone:
        behind(where, *past)
    elif piece is None or piece not in seen:
        id, hint = freed if piece is not None else FREED
        text = {"name": name(), "where": where}
        data = Text("the data of {name}: {where}.", **text)
        what = Text("{name}: {where}.", **text) if freed is FREED_WORKSPACE else data
        machine.undefined(id, what, *history, *past, hint=hint)
    seen.add(piece)


def _of_host(address: int) -> Text:
    if not address:
        return Text("null")
    if looks_like_device_address(address):
        return Text("{address}, device memory of another machine, or of one that is gone", address=f"{address:#x}")
    return Text("{address}, an address of the host", address=f"{address:#x}")
