"""What a program left behind, or left out, when its machine ended."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from acl_runtime.machine.data_buffer import DataBuffer
from acl_runtime.machine.device import Context
from acl_runtime.machine.event import Event
from acl_runtime.machine.executor import Executor
from acl_runtime.machine.objects import Thing
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
        if isinstance(thing, DataBuffer) or (isinstance(thing, Context) and thing.primary):
            continue
        kinds[_id(thing), thing.kind, thing.made, thing.destroyer] += 1
    for (id, kind, made, destroyer), times in kinds.items():
        yield id, f"{times} {kind}(s) never destroyed, created at {made}. Call {destroyer}."


def _id(thing: Thing) -> str:
    if isinstance(thing, Executor):
        return "repeat-not-destroyed" if thing.repeatable else "exec-leaked"
    if isinstance(thing, Stream):
        return "stream-leaked"
    if isinstance(thing, Event):
        return "event-leaked"
    return "context-leaked" if isinstance(thing, Context) else "tensor-leaked"
