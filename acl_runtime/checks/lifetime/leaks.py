"""Leaks: the objects, memory and work that a program leaves behind when its machine is closed."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from acl_runtime.checks.consequences import Consequences
from acl_runtime.errors import Past
from acl_runtime.memory.allocation import ALLOCATED, OWNED, REGISTERED
from acl_runtime.memory.physical import PhysicalHandle
from acl_runtime.memory.ports import Memories
from acl_runtime.models.objects import DataSet, ModelDescription
from acl_runtime.models.registry import Models
from acl_runtime.objects.descriptions import OpAttributes, TensorDesc
from acl_runtime.objects.executor_life import Executor
from acl_runtime.objects.handle_table import Handles, HostArray, Scalar, Tensor, Thing, ThingList
from acl_runtime.streams.event import Event
from acl_runtime.streams.model.model import Model
from acl_runtime.streams.runnable import never_ran
from acl_runtime.streams.stream import Context, Device, Stream, Task
from acl_runtime.streams.vector_clock import Action
from acl_runtime.text import Text


class MachineAtEnd(Memories, Protocol):
    """The parts of a machine that this module uses."""

    devices: list[Device]
    handles: Handles
    models: Models
    consequences: Consequences

    def streams(self) -> Iterator[Stream]:
        """The streams of all devices."""
        ...

    def unfinished(self, stream: Stream) -> Sequence[Action | Task]:
        """The work in a stream that the calling thread does not know to be over."""
        ...


Leftover = tuple[str, Text, tuple[Past, ...]]
"""id, text, history"""


def leaks(machine: MachineAtEnd, *, without_init: bool, lost: Iterable[Thing]) -> Iterator[Leftover]:
    """The findings, grouped by the line that made the objects. `without_init`: True if there were calls, but none of
    aclInit. `lost`: streams and models that ended with their device and were never destroyed."""
    if without_init:
        set_at = next((device.set_at for device in machine.devices if device.set_at), "")
        past = (Past(Text("a device was set"), set_at),) if set_at else ()
        yield "init", Text("aclInit was never called."), past
    for stream in machine.streams():
        if tasks := machine.unfinished(stream):
            what = Text.plural(
                len(tasks),
                "{count} task in {stream} never ran, as it was still queued when the machine was closed.",
                "{count} tasks in {stream} never ran, as they were still queued when the machine was closed.",
                stream=stream,
            )
            yield "work-dropped", what, never_ran(stream, tasks)
    for device in machine.devices:
        yield from unfreed(machine.consequences, device)
        if device.references and not machine.consequences.of(device):
            what = Text(
                "aclrtSetDevice({number}) was called {times} more than aclrtResetDevice({number}).",
                number=device.number,
                times=_times(device.references),
            )
            yield "device-not-reset", what, (Past(Text("first set"), device.set_at), *_setters(device))
    pinned = Counter(
        (memory.registered, memory.made, memory.size)
        for memory in machine.pinned
        if memory.shows is None and not machine.consequences.of(memory)
    )
    for (registered, site, size), times in pinned.items():
        begun, ended = REGISTERED if registered else ALLOCATED
        what = Text(
            "{times} x {size} bytes of {pinned} were never {ended}.",
            times=times,
            size=size,
            pinned=Text("registered host memory") if registered else Text("pinned host memory"),
            ended=ended,
        )
        yield "host-mem-leaked", what, (Past(begun, site),)
    yield from unreleased(machine)
    groups: dict[tuple[str, str, str], list[Thing]] = {}
    members = {
        member for thing_list in machine.handles.all(ThingList) for member in thing_list.members
    }  # a list destroys its members
    members.update(number for data_set in machine.handles.all(DataSet) for number in data_set.descriptors.values())
    for thing in machine.handles.all(Thing):
        if thing.number not in members and not machine.consequences.of(thing) and (id := _id(thing)):
            groups.setdefault((id, thing.kind, thing.made), []).append(thing)
    for model in machine.models.loaded.values():
        groups.setdefault(("model-not-unloaded", model.kind, model.made), []).append(model)
    for thing in lost:
        groups.setdefault((_id(thing), thing.kind, thing.made), []).append(thing)
    for (id, kind, site), things in groups.items():
        first, many = things[0], len(things) > 1
        who = Text("{thing} was", thing=first)
        if many:
            kinds = Text("{count} {kind}s, the first of them {first}, were", count=len(things), kind=kind, first=first)
            several = Text("{count} {kind}, the first of them {first}, were", count=len(things), kind=kind, first=first)
            who = several if kind.endswith("s") else kinds
        past = (Past(Text("created"), site),) if many else first.past()
        yield id, Text("{who} never destroyed with {function}.", who=who, function=first.destroyer), past


def _times(count: int) -> str:
    return {1: Text("once"), 2: Text("twice")}.get(count) or Text("{count} times", count=count)


def _setters(device: Device) -> Iterator[Past]:
    """The calls by which threads set the device without a reset, except for the call that opened it."""
    for thread, (_, site) in device.setters.items():
        if site != device.set_at:
            yield Past(Text("set by thread {thread}", thread=thread), site)


def unfreed(consequences: Consequences, device: Device) -> Iterator[Leftover]:
    """`mem-leaked` for each line whose memory was never freed. Consequences of other findings are omitted."""
    sites = Counter(
        (piece.made, piece.size, piece.words)
        for piece in device.memory
        if OWNED not in piece.notes and not consequences.of(piece)
    )
    for (site, size, (begun, ended)), times in sites.items():
        what = Text(
            "{times} x {size} bytes of {device} were never {ended}.",
            times=times,
            size=size,
            device=f"device {device.number}",
            ended=ended,
        )
        yield "mem-leaked", what, (Past(begun, site),)


def unreleased(machine: MachineAtEnd) -> Iterator[Leftover]:
    """`mem-leaked` for each line that reserved virtual memory which was never released."""
    mappings: Counter[tuple[str, int]] = Counter()
    times: Counter[tuple[str, int]] = Counter()
    for reservation in machine.virtual:
        if not machine.consequences.of(reservation):
            times[reservation.made, reservation.size] += 1
            mappings[reservation.made, reservation.size] += len(reservation.mappings)
    for (site, size), count in times.items():
        still = mappings[site, size]
        what = Text(
            "{times} x {size} bytes of virtual memory were never released with aclrtReleaseMemAddress.",
            times=count,
            size=size,
        )
        if still:
            what = Text.plural(
                still,
                "{times} x {size} bytes of virtual memory were never released with aclrtReleaseMemAddress, and {count} "
                "mapping in it was never ended with aclrtUnmapMem.",
                "{times} x {size} bytes of virtual memory were never released with aclrtReleaseMemAddress, and {count} "
                "mappings in it were never ended with aclrtUnmapMem.",
                times=count,
                size=size,
            )
        yield "mem-leaked", what, (Past(Text("reserved"), site),)


def _id(thing: Thing) -> str:
    """The id of the finding for an object that is left behind; "" for an object that needs no call to destroy it."""
    match thing:
        case Executor():
            return "repeat-not-destroyed" if thing.repeatable else "exec-leaked"
        case Model():
            return "model-leaked" if thing.body_of is None else ""
        case Stream():
            return "" if thing.default else "stream-leaked"
        case Context():
            return "" if thing.primary else "context-leaked"
        case Event():
            return "event-leaked"
        case ThingList():
            return "tensor-leaked"
        case PhysicalHandle():
            return "" if thing.block is not None else "host-mem-leaked"
        case Tensor() | Scalar() | HostArray() | TensorDesc() | OpAttributes() | ModelDescription() | DataSet():
            return "tensor-leaked"
        case _:
            return thing.leak
