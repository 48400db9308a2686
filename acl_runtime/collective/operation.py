"""The task of one rank in a collective operation."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from acl_runtime.collective.exchange import Delivery
from acl_runtime.collective.meeting import Meeting
from acl_runtime.collective.mistakes import absent, destroyed, fault, refusal, report, two_streams
from acl_runtime.collective.ports import CollectiveMachine
from acl_runtime.collective.ranks import Communicator, Trouble
from acl_runtime.collective.rendezvous import Rendezvous
from acl_runtime.collective.requests import Request
from acl_runtime.collective.transfers import TransferStep
from acl_runtime.errors import AclError, DeviceFault
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_FFTS_PLUS_TIMEOUT
from acl_runtime.memory.ranges import Range
from acl_runtime.streams.runnable import turn
from acl_runtime.streams.stream import Stream, Task, nothing
from acl_runtime.text import Text

LATENCY: Final = 10.0
"""ours: simulated microseconds of an operation, from the arrival of the last rank on"""
BYTES_PER_US: Final = 1e5
"""ours: 1e11 bytes a second"""


class Scope:
    """The calls of one thread between HcclGroupStart and the HcclGroupEnd that belongs to it."""

    closed = False


class Entry(NamedTuple):
    """One request of an operation, and the kind of meeting that it belongs to."""

    kind: tuple[int, ...]
    """empty for an operation of all ranks; sender and receiver for a transfer"""
    seat: int
    request: Request


class Entrance(Protocol):
    """The meeting place, as far as an operation needs it."""

    def meet(self, operation: "Operation", key: tuple[int, ...], seat: int, request: Request) -> Trouble | None:
        """Enter an operation into the meeting of this key. A trouble if the ranks there ask for something else: then it
        has not entered."""
        ...

    def called(self, operation: "Operation") -> None:
        """An operation is queued."""
        ...

    def withdraw(self, operation: "Operation") -> None:
        """An operation has no effect: it leaves its meetings."""
        ...


class Operation(Task):
    """One call of one rank. It has a meeting, or several: the items of a batch."""

    meets = True
    enters = True

    def __init__(
        self,
        machine: CollectiveMachine,
        place: Entrance,
        communicator: Communicator,
        name: str,
        items: Sequence[Entry],
        ranges: tuple[Range, ...],
        nbytes: int,
        scope: Scope | None,
    ) -> None:
        super().__init__(name, self._meet, ranges, items[0].request.trail, nbytes, done=self._ended)
        self.machine = machine
        self.communicator = communicator
        self.items = items
        self.scope = scope
        """the group in which it was called, if any"""
        self.wait = Rendezvous(self)
        self.meetings: list[Meeting] = []
        self.trouble: Trouble | None = None
        """the reason why it did not enter its meetings"""
        self.beside: dict[Operation, None] = {}
        """operations of the communicator in other streams, of which nobody knows yet whether they have an order"""
        self._place = place
        self._taken: list[tuple[int, ...]] = []
        """the kinds of the numbers that it took"""
        self._at: float | None = None
        self._over = False

    @property
    def open(self) -> bool:
        """True while its group goes on. A captured operation is executed when its group is over."""
        return self.scope is not None and not self.scope.closed and self.execution is None

    @property
    def together(self) -> object:
        """Its group, at the call or in one execution of a model; None outside of any."""
        return None if self.scope is None else (self.scope, self.execution)

    def entering(self) -> Callable[[], None]:
        if not self.open:  # else the end of its group does it
            self.enter()
            try:
                self.check()
            except Exception:
                self.withdraw()
                raise
        return self.withdraw

    def check(self) -> None:
        """AclError if it did not enter its meetings. In an execution only the task fails, as the functions of the
        runtime have no result for it."""
        if self.trouble is not None:
            report(self.machine, self.trouble)
            if self.execution is None:
                raise refusal(self.machine, self.trouble)

    def enter(self) -> None:
        """Enter its meetings, with the next numbers of the communicator."""
        communicator = self.communicator
        if communicator.ended:
            self.trouble = destroyed(communicator, self)
        for item in self.items if self.trouble is None else ():
            kind = (*item.kind, item.seat) if item.kind else ()
            number = communicator.number_of(*kind)
            self._taken.append(kind)
            trouble = self._place.meet(self, (*item.kind, number), item.seat, item.request)
            self.trouble = self.trouble or trouble

    def withdraw(self) -> None:
        """Take back `enter`, as the operation is not queued."""
        for kind in self._taken:
            self.communicator.numbers[kind] -= 1
        self._taken = []
        self._place.withdraw(self)

    def entered(self) -> None:
        self.communicator.take_buffers()
        unfinished, together = self.machine.unfinished_of(self.communicator.operations), self.together
        self.communicator.operations = [*unfinished, self]
        for other in unfinished:
            same = other.stream is self.stream or (together is not None and other.together == together)
            if isinstance(other, Operation) and not same:
                self.beside[other] = other.beside[self] = None
        self._place.called(self)

    def judge(self) -> None:
        """Report another operation of the communicator that nothing orders with this one. Operations that are no
        actions yet are judged when they meet, as the work in front of them has no order before."""
        for other in tuple(self.beside):
            if self.action is not None and other.action is not None:
                del self.beside[other], other.beside[self]
                if not (self._knows(other) or other._knows(self)):
                    two_streams(self.machine, self.communicator, self, other)

    def _knows(self, other: "Operation") -> bool:
        """True if the other operation is over before this one begins. Both are actions."""
        clock, action = self.clock or {}, other.action  # each operation keeps its clock
        return action is not None and (action.agent.over or clock.get(action.agent, 0) >= action.number)

    def again(self, repeated: Mapping[Task, Task]) -> "Operation":
        return Operation(
            self.machine, self._place, self.communicator, self.name, self.items, self.ranges, self.size, self.scope
        )

    @property
    def marks(self) -> bool:
        """False: it is lost work if it never runs."""
        return False

    @property
    def duration(self) -> float:
        """The simulated time from the arrival of the last rank on."""
        return LATENCY + self.size / BYTES_PER_US

    @property
    def grace(self) -> float:
        """The time that the documents give to a rank that may still come."""
        if not any(meeting.awaited() for meeting in self.meetings):
            return 0.0
        return float(self.communicator.ranks.exec_seconds) or float("inf")

    @property
    def shared(self) -> tuple[str, ...]:
        """The names of its meetings with ranks of other processes."""
        ranks = self.communicator.ranks
        if ranks.together:
            return ()
        return tuple(f"{ranks.identity} {' '.join(map(str, meeting.key))}" for meeting in self.meetings)

    # a member of a meeting

    @property
    def at(self) -> float | None:
        """The simulated time at which its stream reached it; None before."""
        if self._at is None and self.id and super().queued and self._reached():
            self._at = turn(self)
            for meeting in self.meetings:
                meeting.arrived(self)
        return self._at

    @property
    def queued(self) -> bool:
        """True from its launch on, until it has run or was dropped."""
        return bool(self.id) and super().queued

    @property
    def dropped(self) -> bool:
        """True if it never runs, as the work of its stream was dropped."""
        return bool(self.id) and not self._over and not super().queued

    def _reached(self) -> bool:
        if self.scope is None:
            return self.stream.queue[0] is self
        return not self.open and not any(self._blocks(task) for task in self._ahead())

    def _ahead(self) -> Iterator[Task]:
        """The tasks in front of it."""
        for task in self.stream.queue:
            if task is self:
                return
            yield task

    def _blocks(self, task: Task) -> bool:
        """True if this task in front of it has to run first. Operations of the same group do not hold each other back;
        a mark does not either, or a wait that is over."""
        if isinstance(task, Operation) and task.together == self.together:
            return False
        return task.run is not nothing or not task.ready

    def blockers(self) -> Iterator[Stream]:
        """The streams whose work it needs to be reached."""
        if not self.queued:
            return
        yield self.stream
        if self.scope is not None:
            for task in self._ahead():
                if task.wait is not None and self._blocks(task):
                    yield from task.wait.sources()

    # its work

    def _meet(self) -> None:
        """Move the bytes of all ranks, if no other rank has done it: with the machine's lock only before and after."""
        machine = self.machine
        if self.beside:
            with machine.lock:
                self.judge()
        if self.trouble is not None:
            with machine.lock:
                raise fault(machine, self.trouble)
        for meeting in self.meetings:
            if meeting.settled:
                continue
            with meeting.moving:
                with machine.lock:
                    steps = self._steps(meeting)
                for step in steps:
                    step.run(machine.compute_threads)
                with machine.lock:
                    meeting.settle(steps)

    def _steps(self, meeting: Meeting) -> list[TransferStep] | list[Delivery]:
        """The steps of a meeting. DeviceFault if it does not take place."""
        if meeting.settled:
            return []
        broken = meeting.broken()
        if broken is None and (gone := meeting.gone()):
            broken = meeting.ranks.break_(absent(self.name, self.stream, meeting, gone))
        if broken is not None:
            raise fault(self.machine, broken)
        if reason := meeting.lost():
            raise DeviceFault(ACL_ERROR_RT_FFTS_PLUS_TIMEOUT, Item("EI0002", (reason,)))
        try:
            return meeting.steps()
        except AclError as error:  # the host has no memory for the results
            raise DeviceFault(error.status, *error.items, taint=error.taint) from error

    def _ended(self, time: float) -> None:
        """It has run, or failed. A meeting that did not take place then never does."""
        self._over = True
        for meeting in self.meetings:
            if not meeting.settled:
                meeting.fail(Text("the operation of {rank} failed", rank=self.communicator))
        # no cycle of references is left for the garbage collector, which would cost more than the operation
        self.run, self.done, self.wait, self.meetings = nothing, None, None, []
