"""Queues an operation: its place in the stream, its number, its meeting; and the group of the calling thread."""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from acl_runtime.api.hccl.checks import place, runtime_calls
from acl_runtime.collective.operation import Operation, Scope
from acl_runtime.collective.ranks import Communicator
from acl_runtime.collective.requests import Move, Request
from acl_runtime.machine.current import current
from acl_runtime.memory.ranges import Range
from acl_runtime.source.frames import trail
from acl_runtime.streams.stream import Stream


class Item(NamedTuple):
    """One request of an operation, and the kind of meeting that it belongs to."""

    kind: tuple[int, ...]
    """empty for an operation of all ranks; sender and receiver for a transfer"""
    seat: int
    request: Request


class Group:
    """The calls of a thread between HcclGroupStart and HcclGroupEnd."""

    def __init__(self) -> None:
        self.depth = 0
        self.scope = Scope()
        self.operations: list[tuple[Operation, Sequence[Item]]] = []
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
    return getattr(place().per_thread, "group", None)


def launch(
    communicator: Communicator, stream: Stream, items: Sequence[Item], ranges: tuple[Range, ...], nbytes: int
) -> None:
    """Queue an operation. In a group it gets its place in the stream now, and meets when the group ends."""
    machine, running = current(), group()
    name, scope = machine.thread().call, running.scope if running is not None else None
    where = items[0].request.trail
    operation = Operation(machine, communicator, name, ranges, where, nbytes, scope, partial(meet, items))
    numbers = communicator.numbers.copy()
    try:
        with runtime_calls():
            machine.submit(stream, operation)
    except BaseException:  # the call had no effect: the next one gets its numbers
        communicator.numbers = numbers
        place().withdraw(operation)
        raise
    if running is not None:
        running.operations.append((operation, items))


def request_of(
    communicator: Communicator, move: Move, count: int = 0, dtype: int | None = None, **more: Any
) -> Request:
    """The request of the running call. `more`: further fields of Request."""
    return Request(current().thread().call, communicator.rank, trail(), move, count, dtype, **more)


def meet(items: Sequence[Item], operation: Operation) -> None:
    """Enter an operation into its meetings."""
    communicator = operation.communicator
    for item in items:
        number = communicator.number_of(*item.kind, item.seat) if item.kind else communicator.number_of()
        place().meet(operation, (*item.kind, number), item.seat, item.request)
