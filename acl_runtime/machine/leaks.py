"""What a program left behind, or left out, when its machine ended."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from acl_runtime.errors import Past
from acl_runtime.machine.device import Context, Device
from acl_runtime.machine.event import Event
from acl_runtime.machine.executor import Executor
from acl_runtime.machine.objects import HostArray, Scalar, Tensor, Thing, ThingList
from acl_runtime.machine.stream import Stream, launches

if TYPE_CHECKING:
    from acl_runtime.machine.machine import Machine


Left = tuple[str, str, tuple[Past, ...]]
"""id, what happened, history"""


def leaks(machine: "Machine") -> Iterator[Left]:
    """Each kind of thing that is still there, grouped by the line that made it."""
    if machine.calls and not machine.initialisation.site:
        set_at = next((device.set_at for device in machine.devices if device.set_at), "")
        yield "init", "aclInit was never called.", (Past("a device was set", set_at),) if set_at else ()
    for stream in machine.streams():
        if tasks := machine.order.unfinished(stream):
            what = f"{len(tasks)} task(s) in {stream} never ran, as they were still queued when the machine was closed."
            yield "work-dropped", what, launches(tasks)
    for device in machine.devices:
        yield from unfreed(machine, device)
        if device.references and device not in machine.teardown.spared:
            more = f"was called {_times(device.references)} more than aclrtResetDevice({device.number})"
            what = f"aclrtSetDevice({device.number}) {more}."
            yield "device-not-reset", what, (Past("first set", device.set_at), *_setters(device))
    pinned = Counter(
        (memory.registered, memory.made, memory.size)
        for memory in machine.pinned
        if memory not in machine.teardown.spared
    )
    for (registered, made, size), times in pinned.items():
        kind, ended = ("registered", "unregistered") if registered else ("pinned", "freed")
        what = f"{times} x {size} bytes of {kind} host memory were never {ended}."
        yield "host-mem-leaked", what, (Past("registered" if registered else "allocated", made),)
    groups: dict[tuple[str, str, str], list[Thing]] = {}
    settled = machine.teardown.spared.union(  # members go with their list
        member for each in machine.handles.all(ThingList) for member in each.members
    )
    for thing in machine.handles.all(Thing):
        if thing.number not in settled and (id := _id(thing)):
            groups.setdefault((id, thing.kind, thing.made), []).append(thing)
    for stream in machine.teardown.lost():
        groups.setdefault(("stream-leaked", stream.kind, stream.made), []).append(stream)
    for (id, kind, made), things in groups.items():
        first, many = things[0], len(things) > 1
        who = f"{len(things)} {kind}s, the first of them {first}, were" if many else f"{first} was"
        past = (Past("created", made),) if many else first.past()
        yield id, f"{who} never destroyed with {first.destroyer}.", past


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _setters(device: Device) -> Iterator[Past]:
    """Who set it without a reset, apart from the call that opened it."""
    for thread, (_, site) in device.setters.items():
        if site != device.set_at:
            yield Past(f"set by thread {thread}", site)


def unfreed(machine: "Machine", device: Device) -> Iterator[Left]:
    """`mem-leaked` for each line that allocated what nobody freed."""
    spared = machine.teardown.spared
    sites = Counter((each.made, each.size) for each in device.memory if each not in spared)
    for (made, size), times in sites.items():
        what = f"{times} x {size} bytes of device {device.number} were never freed."
        yield "mem-leaked", what, (Past("allocated", made),)


def _id(thing: Thing) -> str:
    """The finding that an object left behind is; "" for one that nobody has to destroy."""
    match thing:
        case Executor():
            if thing.outlived or (thing.refused and not thing.repeatable):
                return ""  # it could not be destroyed, or launched, any more, which was told
            return "repeat-not-destroyed" if thing.repeatable else "exec-leaked"
        case Stream():
            return "" if thing.default else "stream-leaked"
        case Context():
            return "" if thing.primary else "context-leaked"
        case Event():
            return "event-leaked"
        case ThingList():
            return "tensor-leaked"
        case Tensor() | Scalar() | HostArray():
            return "tensor-leaked"
        case _:
            return ""
