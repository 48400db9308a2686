"""What a program left behind, or left out, when its machine ended."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from acl_runtime.machine.device import Context
from acl_runtime.machine.event import Event
from acl_runtime.machine.executor import Executor
from acl_runtime.machine.objects import HostArray, Scalar, Tensor, Thing, ThingList
from acl_runtime.machine.stream import Stream

if TYPE_CHECKING:
    from acl_runtime.machine.machine import Machine


def leaks(machine: "Machine") -> Iterator[tuple[str, str]]:
    """(id, message) of each kind of thing that is still there, grouped by the line that made it."""
    if machine.calls and not machine.initialisation.site:
        yield "init", "aclInit was never called. The runtime works without it, but its configuration is then missing."
    for stream in machine.streams():
        if stream.queue:
            what = f"{len(stream.queue)} task(s) were still queued and never ran: {stream.pending()}"
            yield "work-dropped", f"{what}. Synchronise the stream first."
    for device in machine.devices:
        sites = Counter((memory.made, memory.size) for memory in device.memory)
        for (made, size), times in sites.items():
            yield (
                "mem-leaked",
                f"device memory was never freed: {times} x {size} bytes, allocated at {made}. Call aclrtFree.",
            )
        if device.references:
            yield (
                "device-not-reset",
                f"device {device.number} was set {device.references} time(s) more than reset, "
                f"first at {device.set_at}. "
                "Call aclrtResetDevice.",
            )
    pinned = Counter((memory.registered, memory.made, memory.size) for memory in machine.pinned)
    for (registered, made, size), times in pinned.items():
        what = f"{times} x {size} bytes, {'registered' if registered else 'allocated'} at {made}"
        yield (
            "host-mem-leaked",
            f"host memory was never unregistered: {what}. Call aclrtHostUnregister."
            if registered
            else f"pinned host memory was never freed: {what}. Call aclrtFreeHost.",
        )
    kinds: Counter[tuple[str, str, str, str]] = Counter()
    for thing in machine.handles.all(Thing):
        if id := _id(thing):
            kinds[id, thing.kind, thing.made, thing.destroyer] += 1
    for (id, kind, made, destroyer), times in kinds.items():
        yield id, f"{times} {kind}(s) never destroyed, created at {made}. Call {destroyer}."


def _id(thing: Thing) -> str:
    """The finding that an object left behind is; "" for one that nobody has to destroy."""
    match thing:
        case Executor():
            return "repeat-not-destroyed" if thing.repeatable else "exec-leaked"
        case Stream():
            return "" if thing.default else "stream-leaked"
        case Context():
            return "" if thing.primary else "context-leaked"
        case Event():
            return "event-leaked"
        case Tensor() | Scalar() | HostArray() | ThingList():
            return "tensor-leaked"
        case _:
            return ""
