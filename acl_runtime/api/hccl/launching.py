"""Queues an operation: its place in the stream, its number, its meeting; and the group of the calling thread."""

from collections.abc import Sequence
from typing import Any

from acl_runtime.api.hccl.buffers import BufferBlocks, call_memory
from acl_runtime.api.hccl.checks import RUNTIME, place, queue_of, size_of
from acl_runtime.collective.mistakes import in_capture
from acl_runtime.collective.operation import Entry, Operation, Scope
from acl_runtime.collective.ranks import Communicator
from acl_runtime.collective.requests import Request
from acl_runtime.machine.current import current
from acl_runtime.memory.located_ranges import CachedRanges
from acl_runtime.memory.ranges import Range
from acl_runtime.source.frames import trail
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.model.capture import capture_of
from acl_runtime.streams.stream import Stream


class Group:
    """The calls of a thread between HcclGroupStart and HcclGroupEnd."""

    def __init__(self) -> None:
        self.depth = 0
        self.scope = Scope()
        self.operations: list[Operation] = []
        self.later: list[Later] = []
        """communicators that are made, or destroyed, when the group ends"""


class Later:
    """The work of a call in a group that begins when the group ends."""

    def begin(self) -> None:
        """Do what does not wait for other ranks."""

    def finish(self) -> None:
        """Wait for the other ranks."""


def group() -> Group | None:
    """The group in which the calling thread is; None outside of any."""
    return _group_of(current().thread())


def _group_of(thread: ThreadState) -> Group | None:
    return thread.group if isinstance(thread.group, Group) else None


def queue(communicator: Communicator, number: int, request: Request, send: BufferBlocks, recv: BufferBlocks) -> None:
    """Find the memory of an operation of all ranks, and queue it in the stream of this number."""
    stream, size = queue_of(number, communicator), size_of(request.dtype or 0)
    memory = call_memory(communicator, request, send, recv, size)
    request.send, request.recv = memory.send, memory.recv
    items = [Entry((), communicator.rank, request)]
    launch(communicator, stream, items, memory.ranges, memory.nbytes, memory.cached)


def launch(
    communicator: Communicator,
    stream: Stream,
    items: Sequence[Entry],
    ranges: tuple[Range, ...],
    nbytes: int,
    cached: CachedRanges | None = None,
) -> None:
    """Queue an operation. In a group it gets its place in the stream now, and meets when the group ends. `cached`: the
    places of the ranges, if an earlier call found them."""
    machine = current()
    thread = machine.thread()
    running = _group_of(thread)
    if communicator.latest is None and (capture := capture_of(stream)) is not None:
        in_capture(machine, capture, communicator)
    name, scope = thread.call, running.scope if running is not None else None
    operation = Operation(machine, place(), communicator, name, items, ranges, nbytes, scope)
    operation.cached = cached
    try:
        with RUNTIME:
            machine.submit(stream, operation)
    finally:
        if operation.id and running is not None:  # without a number it is not queued: refused, or stored by a capture
            running.operations.append(operation)
    operation.judge()


def request_of(communicator: Communicator, count: int = 0, dtype: int | None = None, **more: Any) -> Request:
    """The request of the running call. `more`: further fields of Request."""
    thread = current().thread()
    return Request(thread.call, communicator.rank, trail(thread.caller), count, dtype, **more)
