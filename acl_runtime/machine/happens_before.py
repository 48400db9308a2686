"""Which uses of memory are ordered, as the calls of the program say: not as this run happened to go.

Every task gets its place when it is queued: behind what its stream has before it, what the launching thread knows to
be over, and what its wait stands for. Two uses of the same bytes that are in no such order are a race even where the
data came out right, under every schedule alike. What a task may rely on is sometimes known only later (a wait before
the record, a value, code of the host's): those behind it get their places then.
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from acl_runtime.errors import UndefinedBehaviour
from acl_runtime.machine.accesses import Access, Accesses
from acl_runtime.machine.allocation import Allocation
from acl_runtime.machine.clocks import Agent, Clock, Doing
from acl_runtime.machine.event import EventWait
from acl_runtime.machine.host_dtype import misread, overwritten
from acl_runtime.machine.pinned import Pinned
from acl_runtime.machine.places import Known, Place, find
from acl_runtime.machine.races import Told, race, race_id
from acl_runtime.machine.site import paths, trail
from acl_runtime.machine.stream import WORKSPACE, Range, Stream, Task, Use
from acl_runtime.machine.thread import ThreadState
from acl_runtime.machine.unplaced import Unplaced
from acl_runtime.machine.unwritten import copied_from, excuse, mark, uninitialised
from acl_runtime.machine.watches import Watches

if TYPE_CHECKING:
    from acl_runtime.machine.machine import Machine


_only = attrgetter("accesses.only")
READS: Final = (Use.READ, Use.ACCUMULATE, Use.AWAIT)


class HappensBefore:
    """The order of what a machine's host and streams do."""

    def __init__(self, machine: "Machine") -> None:
        self._machine = machine
        self._on = machine.options.checks
        self.host = Agent("the host")
        self._stuck: dict[Stream, Task] = {}
        """streams whose next tasks rely on what is not known yet, and the task that this comes from"""
        self._later: dict[Stream, Unplaced] = {}
        """tasks without a place"""
        self._known: tuple[Agent, int, int, Clock] = self.host, -1, 0, {}
        """what an agent knew, which those that are launched one after the other share: its version and number then"""
        self._watches = Watches(machine, self._may_be_over)
        self._news: list[tuple[Clock, ThreadState, int]] = []
        """what functions of the host's knew that have run: their threads, and the how many-th call they ran in"""
        self._functions: list[Agent] = []
        """such functions that run now, of any thread (mostly none: then nobody need ask who calls)"""

    # the host

    def me(self) -> Agent:
        """Who the calling thread is: the host, or a function of the host's that a stream runs.

        A function may have told the host, in ways that nobody sees here, that it ran, and so that all before it is
        over: who calls after that is taken to know it."""
        if self._functions and (function := self._machine.thread().agent) is not None:
            return function
        if self._news:
            kept: list[tuple[Clock, ThreadState, int]] = []
            for clock, thread, count in self._news:
                if thread.count == count and thread.call:
                    kept.append((clock, thread, count))  # the call in which it ran goes on
                else:
                    self.host.learn(clock)
            self._news = kept
        return self.host

    def synchronised(self, clock: Clock | None) -> None:
        """The calling thread has learnt that all of this is over."""
        if self._on and clock is not None:
            me = self.me()
            me.learn(clock)
            self._watches.settle(me)

    def drained(self, *streams: Stream) -> None:
        """The calling thread has learnt that all that these streams did is over."""
        if self._on:
            me = self.me() if self._functions or self._news else self.host
            for stream in streams:
                me.hear(stream.agent)
            if self._watches.by_agent:
                self._watches.settle(me)

    def at_once(self, *ranges: Range) -> None:
        """The host is about to use memory itself, without a stream."""
        if self._on:
            me, call = self.me(), self._machine.thread().call
            remembered = me is not self.host or self._stuck or self._later
            where = trail() if remembered else ()  # else a race tells the line of the call anyway
            self._use(me, Doing(me, me.act(), call, where), ranges)

    @contextmanager
    def as_function(self, task: Task | None) -> Generator[None]:
        """A task runs code of the host's, which knows what its stream knows, and no more."""
        thread = self._machine.thread()
        if task is None or not self._on:
            yield
            return
        outer, thread.agent = thread.agent, Agent(f"the {task.name} of {task.stream}")
        self._functions.append(thread.agent)
        try:
            thread.agent.learn(task.clock or {})
            self._watches.settle(thread.agent)
            yield
        finally:
            self._functions.remove(thread.agent)
            thread.agent.over = True
            task.heard, thread.agent = thread.agent.clock, outer
            self._tell(task.heard, thread)

    def _tell(self, heard: Clock, thread: ThreadState) -> None:
        """A function of the host's has run."""
        if self._news and self._news[-1][1:] == (thread, thread.count):
            known = self._news[-1][0]
            known.update({agent: number for agent, number in heard.items() if known.get(agent, 0) < number})
        else:
            self._news.append((dict(heard), thread, thread.count))

    def reads(self, low: int, high: int) -> None:
        """The host reads its own memory, through no call of the API."""
        if self._on and self._watches.by_agent:
            self._watches.read(low, high, trail())

    def close(self) -> None:
        """The machine is closed."""
        self._watches.close()

    def _may_be_over(self, doing: Doing) -> bool:
        """May any code of the host's know that it is over? Changes nothing, as who asks may be anywhere."""
        agent, number = doing.agent, doing.number
        return any(each.knows(agent, number) for each in (self.host, *self._functions)) or any(
            clock.get(agent, 0) >= number for clock, *_ in tuple(self._news)
        )

    # streams

    def admit(self, stream: Stream, task: Task, known: Known | None = None) -> None:
        """Find the place of a task that is about to be queued. What is wrong with it may be raised, and nothing has
        happened then. `known`: where its ranges are, if one like it was admitted before."""
        if not self._on or not stream.driven:
            return
        me = self.me() if self._functions or self._news else self.host
        if stream in self._stuck or stream in self._later:
            if self._known[:3] != (me, me.version, me.now):
                self._known = me, me.version, me.now, dict(me.clock)
            places = known.places if known is not None else [find(self._machine, used) for used in task.ranges]
            self._later.setdefault(stream, Unplaced()).add(task, self._known[-1], places)
            return
        stream.agent.hear(me)
        self._place(stream, task, known, later=False)
        if task.publishes:
            self._go_on()

    def ran(self, task: Task) -> None:
        """A task has run. If it was an opaque one, or a wait whose timeout was over before anybody recorded the event,
        those behind it get their places."""
        stream = task.stream
        if self._stuck.get(stream) is not task:
            return
        if task.heard is not None:
            stream.agent.learn(task.heard)
        for used in task.ranges:  # those of a wait for a value: whoever wrote it
            for access in self._touching(find(self._machine, used)):
                if access.use.writes:
                    stream.agent.learn(access.doing.clock or access.doing.agent.clock)
        del self._stuck[stream]
        self._go_on()

    def forget(self, stream: Stream) -> None:
        """The stream is gone, or its work was dropped: nothing that it did matters any more."""
        self._stuck.pop(stream, None)
        self._later.pop(stream, None)
        old, stream.agent = stream.agent, Agent(stream)
        old.over = True
        self.host.clock.pop(old, None)
        stream.agent.learn(old.clock)

    def unfinished(self, stream: Stream) -> list[Doing]:
        """The work in a stream that the calling thread does not know to be over."""
        me, agent = self.me(), stream.agent
        later = self._later.get(stream, ()) if self._on else stream.queue
        return [doing for doing in agent.works if not me.knows(agent, doing.number)] + [
            Doing(agent, agent.now + 1, task.name, task.trail) for task in later if not task.marks
        ]

    def going_on(self, tasks: Sequence[Task]) -> list[Task]:
        """Those that the calling thread does not know to be over."""
        if not self._on:
            return []
        me = self.me()
        return [task for task in tasks if not _over(me, task)]

    def ended(self, waits: Sequence[Task]) -> None:
        """The calling thread has learnt that these waits for events are over, and so what they waited for."""
        for task in waits:
            if task.doing is not None and isinstance(task.wait, EventWait):
                self.synchronised(task.wait.clock())
                self.synchronised({task.doing.agent: task.doing.number})

    # memory

    def users(self, low: int, high: int) -> Iterator[Access]:
        """The uses of [low, high) that may still go on, for all that the calling thread knows."""
        me, place = self.me(), find(self._machine, Range(low, high, "", Use.READ))
        for access in self._touching(place):
            if access.doing.agent is not me and not me.knows(access.doing.agent, access.doing.number):
                yield access
        if place is not None:
            yield from self._unplaced(place)

    def lost(self, low: int, high: int) -> None:
        """The memory goes away: what a task that still uses it finds there is no news, whoever was to blame."""
        for access in self._touching(find(self._machine, Range(low, high, "", Use.READ))):
            if _to_run(access.doing):
                access.doubt()

    def doubtful(self, task: Task, role: str) -> bool:
        """Does a task that runs read, in this role, what may be other bytes than were meant, as was told already? What
        is not there any more, or reaches past the end of its memory, is read as the fill."""
        roles = role, WORKSPACE  # through which an input may go
        if task.doing is not None and not set(roles).isdisjoint(task.doing.doubts):
            return True
        places = [(used, find(self._machine, used)) for used in task.ranges if used.role in roles]
        if any(place is None or place.high - place.low < used.high - used.low for used, place in places):
            return True
        read = [place for used, place in places if used.role == role]
        writers = [old.doing for place in read for old in self._touching(place) if old.use.writes]
        return any(doing.doubts or self._watches.changed(doing) for doing in writers if doing is not task.doing)

    def released(self, pinned: Pinned) -> None:
        """Memory of the host goes away."""
        self._watches.drop(pinned, pinned.address, pinned.end)

    def refused(self, low: int, high: int) -> None:
        """A call that a finding tells of did nothing, and so does not write [low, high)."""
        place = find(self._machine, Range(low, high, "", Use.WRITE))
        if place is not None and isinstance(place.piece, Allocation):
            excuse(place.piece, place.low, place.high)

    def _touching(self, place: Place | None) -> list[Access]:
        if place is None or place.piece.accesses is None:
            return []
        return list(place.piece.accesses.touching(place.low, place.high))

    # places

    def _place(self, stream: Stream, task: Task, known: Known | None = None, *, later: bool) -> None:
        agent = stream.agent
        if task.wait is not None and isinstance(task.wait, EventWait):
            clock = task.wait.clock()
            if clock is None:
                self._stuck[stream] = task
                return
            agent.learn(clock)
        doing = task.doing = Doing(agent, agent.act(), task.name, task.trail)
        doing.doubts = task.doubts
        if not task.operator and any(used.use is Use.CELL for used in task.ranges):
            doing.clock = dict(agent.clock)
        if known is None:
            if task.ranges:
                self._use(agent, doing, task.ranges, later=later, operator=task.operator)
        elif not _as_before(agent, doing, known):
            self._use(agent, doing, task.ranges, known.places, later=later, operator=task.operator)
            known.accesses = _left(task.ranges, known)
        if task.operator or not task.marks:
            works, over = agent.works, self.host.clock.get(agent, 0)
            while works and (agent.over or works[0].number <= over):
                works.popleft()
            works.append(doing)
        if task.resets:
            self._judge_reset(agent, doing, task, later=later)
        if task.publishes:
            task.clock = dict(agent.clock)
        if task.opaque:
            self._stuck[stream] = task

    def _judge_reset(self, agent: Agent, doing: Doing, reset: Task, *, later: bool) -> None:
        """The finding `event-reset-early`: an event is reset while a stream may still wait for it."""
        waits = (task for task in reset.resets if isinstance(task.wait, EventWait) and not _over(agent, task))
        task = next(waits, None)
        if task is None or not isinstance(task.wait, EventWait):
            return
        lines = paths(task.trail, reset.trail)
        who = frozenset(zip((task.stream.agent.origin, agent.origin), lines, strict=True))
        if self._machine.findings.first("event-reset-early", who):
            event = task.wait.event
            what = f"{agent} resets {event} while {task.stream} may still wait for it: nothing orders the two."
            Told(self._machine, doing if later else None)("event-reset-early", what, task.past(), *event.past())

    def _go_on(self) -> None:
        """Give places to those that can have one now."""
        moved = True
        while moved and (self._stuck or self._later):
            moved = False
            for stream, task in list(self._stuck.items()):
                if isinstance(task.wait, EventWait) and task.wait.clock() is not None:
                    del self._stuck[stream]
                    self._place(stream, task, later=False)
                    moved = True
            for stream in [stream for stream in self._later if stream not in self._stuck]:
                tasks = self._later[stream]
                task, clock = tasks.pop()
                if not tasks:
                    del self._later[stream]
                stream.agent.learn(clock)
                try:
                    self._place(stream, task, later=True)
                except UndefinedBehaviour as behaviour:  # told by the next call that waits for the stream
                    stream.raised = stream.raised or behaviour
                moved = True

    def _use(
        self,
        agent: Agent,
        doing: Doing,
        ranges: Sequence[Range],
        places: Sequence[Place | None] | None = None,
        *,
        later: bool = False,
        operator: bool = False,
    ) -> None:
        """The agent uses memory: judge, then remember. `later`: it was launched without a place, at its own line."""
        if places is None:
            places = [find(self._machine, used) for used in ranges]
        found: list[tuple[Place, Access]] = []
        told = doing.doubts
        for used, place in zip(ranges, places, strict=True):
            if place is None or place.low >= place.high:
                continue
            piece, access = place.piece, Access(doing, used, place.low, place.high, place.layout)
            if piece.accesses is not None:
                for old in piece.accesses.touching(place.low, place.high):
                    before = old.doing
                    if before.doubts and old.use.writes:
                        access.take_doubt(old)
                    if before.agent is agent or agent.knows(before.agent, before.number):
                        continue
                    if access.clashes(old):
                        self._race(Told(self._machine, doing if later else None), old, access, piece)
                        if self._machine.findings.allowance(race_id(old, access, piece)) is None:
                            old.doubt()
                            access.doubt()
                        agent.learn(before.agent.clock)  # what follows from the missing wait is no news
            if (
                used.use in READS
                and isinstance(piece, Allocation)
                and (piece.brought or not piece.all_written)
                and used.role not in told
            ):
                self._look_at_content(Told(self._machine, doing if later else None), piece, access, operator)
            found.append((place, access))
        source = None if operator else copied_from(found)
        for place, access in found:
            self._remember(agent, place, access, source)

    def _look_at_content(self, told: Told, piece: Allocation, access: Access, operator: bool) -> None:
        """Does what is read there hold what the program means?"""
        if not piece.all_written:
            uninitialised(told, piece, access, operator=operator)
        if piece.brought and access.used.dtype is not None:
            misread(told, self._machine.findings.first, piece, access)

    def _unplaced(self, place: Place) -> Iterator[Access]:
        """The uses of the memory by tasks that have no place yet."""
        for stream, tasks in self._later.items():
            for task, used, other in tasks.meeting(place):
                doing = Doing(stream.agent, stream.agent.now + 1, task.name, task.trail)
                yield Access(doing, used, other.low, other.high, other.layout)

    def _comes_from_a_stream(self, place: Place) -> bool:
        """May work of a stream still bring the bytes?"""
        return any(
            old.use.writes and not self.host.knows(old.doing.agent, old.doing.number) for old in self._touching(place)
        )

    def _race(self, told: Told, old: Access, new: Access, piece: Allocation | Pinned) -> None:
        """Tell, but of the same two lines in a loop once."""
        now = trail()
        lines = paths(old.doing.trail or now, new.doing.trail or now)
        who = [(each.doing.agent.origin, each.role, line) for each, line in zip((old, new), lines, strict=True)]
        if self._machine.findings.first(race_id(old, new, piece), frozenset(who)):
            race(told, old, new, piece)

    def _remember(self, agent: Agent, place: Place, access: Access, source: Place | None) -> None:
        piece, unsure = place.piece, bool(self._stuck or self._later)
        if isinstance(piece, Allocation):
            if not piece.all_written and access.use.writes:
                mark(piece, access, source)
            if (piece.brought or access.used.brings) and access.use.writes:
                overwritten(piece, access)
        else:
            unsteady = self._comes_from_a_stream(place)
            if access.use.writes:
                self._watches.drop(piece, place.low, place.high)
            if agent is not self.host and not unsteady and access.use in (Use.READ, Use.WRITE):
                watch = self._watches.add(piece, place.low, place.high, access)
                if access.use.writes:
                    access.doing.writes = watch
        if agent is self.host and not unsure:
            return  # everything that comes later comes after it
        if piece.accesses is None:
            piece.accesses = Accesses()

        def keep(old: Access) -> bool:
            before, number = old.doing.agent, old.doing.number
            if before.over or (not unsure and self.host.knows(before, number)):
                return False
            return not (agent.knows(before, number) and access.covers(old))

        piece.accesses.add(place.low, place.high, access, keep)


def _over(agent: Agent, task: Task) -> bool:
    """Does the agent know that the task is over? (One without a place that is not queued any more was dropped.)"""
    return agent.knows(task.doing.agent, task.doing.number) if task.doing is not None else not task.queued


def _to_run(doing: Doing) -> bool:
    """Is it a task that still waits in its stream, or runs?"""
    stream = doing.agent.name
    return isinstance(stream, Stream) and any(task.doing is doing for task in stream.queue)


def _as_before(agent: Agent, doing: Doing, known: Known) -> bool:
    """Did the agent's last launch like this one leave accesses that nobody else has added to since? Then these, which
    nothing was wrong with, stand for the new ones: a tenth of the work."""
    olds = known.accesses
    if not olds or olds[0].doing.agent is not agent or list(map(_only, known.pieces)) != olds:
        return False
    for old in olds:
        old.doing = doing
    return True


def _left(ranges: Sequence[Range], known: Known) -> list[Access]:
    """The accesses of a launch, if each is the only one to its piece of memory."""
    found: list[Access] = []
    for used, piece in zip(ranges, known.pieces, strict=True):
        only = piece.accesses.only if piece.accesses is not None else None
        if only is None or only.used is not used:
            return []
        found.append(only)
    return found
