"""Which uses of memory are ordered, as the calls of the program say: not as this run happened to go.

Every task gets its place when it is queued: behind what its stream has before it, what the launching thread knows to
be over, and what its wait stands for. Two uses of the same bytes that are in no such order are a race even where the
data came out right, under every schedule alike. What a task may rely on is sometimes known only later (a wait before
the record, a value, code of the host's): those behind it get their places then.
"""

from collections.abc import Iterator, Sequence
from operator import attrgetter

from acl_runtime.checks.ports import Scene
from acl_runtime.checks.races.accesses import Access, Accesses
from acl_runtime.checks.races.unplaced import Unplaced
from acl_runtime.checks.uses import PlacedUse, Uses
from acl_runtime.errors import UndefinedBehaviour
from acl_runtime.memory.places import Known, Place, find
from acl_runtime.memory.ranges import Range, Use
from acl_runtime.source.frames import trail
from acl_runtime.streams.event import EventWait
from acl_runtime.streams.events import Listener
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.stream import Stream, Task
from acl_runtime.streams.vector_clock import Agent, Clock, Doing

_only = attrgetter("accesses.only")


class HappensBefore(Listener):
    """The order of what a machine's host and streams do."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self.uses = Uses()
        """who listens to the uses of memory"""
        self.host = Agent("the host")
        self._stuck: dict[Stream, Task] = {}
        """streams whose next tasks rely on what is not known yet, and the task that this comes from"""
        self._later: dict[Stream, Unplaced] = {}
        """tasks without a place"""
        self._known: tuple[Agent, int, int, Clock] = self.host, -1, 0, {}
        """what an agent knew, which those that are launched one after the other share: its version and number then"""
        self._news: list[tuple[Clock, ThreadState, int]] = []
        """what functions of the host's knew that have run: their threads, and the how many-th call they ran in"""
        self._functions: list[Agent] = []
        """such functions that run now, of any thread (mostly none: then nobody need ask who calls)"""
        self._around: dict[Agent, Agent | None] = {}
        """those inside of which they run"""

    # the host

    def me(self) -> Agent:
        """Who the calling thread is: the host, or a function of the host's that a stream runs.

        A function may have told the host, in ways that nobody sees here, that it ran, and so that all before it is
        over: who calls after that is taken to know it."""
        if self._functions and (function := self._scene.thread().agent) is not None:
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

    def learnt(self, clock: Clock | None) -> None:
        if clock is not None:
            me = self.me()
            me.learn(clock)
            self.uses.knows(me)

    def waited(self, streams: Sequence[Stream]) -> None:
        me = self.me() if self._functions or self._news else self.host
        for stream in streams:
            me.hear(stream.agent)
        self.uses.knows(me)

    def interrupted(self, streams: Sequence[Stream]) -> None:
        """The program did wait: what its clean-up frees now is in order."""
        for stream in streams:
            self.me().learn(stream.agent.clock)

    def host_used(self, ranges: Sequence[Range]) -> None:
        me, call = self.me(), self._scene.thread().call
        remembered = me is not self.host or self._stuck or self._later
        where = trail() if remembered else ()  # else a race tells the line of the call anyway
        self._use(me, Doing(me, me.act(), call, where), ranges)

    def function_begins(self, task: Task) -> None:
        """Code of the host's that a stream runs knows what its stream knows, and no more."""
        thread = self._scene.thread()
        agent = Agent(f"the {task.name} of {task.stream}")
        self._around[agent], thread.agent = thread.agent, agent
        self._functions.append(agent)
        agent.learn(task.clock or {})
        self.uses.knows(agent)

    def function_ends(self, task: Task) -> None:
        thread = self._scene.thread()
        agent = thread.agent
        assert agent is not None, "it began on this thread"
        self._functions.remove(agent)
        agent.over = True
        task.heard, thread.agent = agent.clock, self._around.pop(agent)
        self._tell(task.heard, thread)

    def answered(self, task: Task) -> None:
        task.heard = dict(self.me().clock)

    def _tell(self, heard: Clock, thread: ThreadState) -> None:
        """A function of the host's has run."""
        if self._news and self._news[-1][1:] == (thread, thread.count):
            known = self._news[-1][0]
            known.update({agent: number for agent, number in heard.items() if known.get(agent, 0) < number})
        else:
            self._news.append((dict(heard), thread, thread.count))

    def may_be_over(self, doing: Doing) -> bool:
        """May any code of the host's know that it is over? Changes nothing, as who asks may be anywhere."""
        agent, number = doing.agent, doing.number
        return any(each.knows(agent, number) for each in (self.host, *self._functions)) or any(
            clock.get(agent, 0) >= number for clock, *_ in tuple(self._news)
        )

    # streams

    def queueing(self, stream: Stream, task: Task) -> None:
        """Find the place of a task that is about to be queued."""
        if not stream.driven:
            return
        known = task.known
        me = self.me() if self._functions or self._news else self.host
        if stream in self._stuck or stream in self._later:
            if self._known[:3] != (me, me.version, me.now):
                self._known = me, me.version, me.now, dict(me.clock)
            places = known.places if known is not None else [find(self._scene, used) for used in task.ranges]
            self._later.setdefault(stream, Unplaced()).add(task, self._known[-1], places)
            return
        stream.agent.hear(me)
        self._place(stream, task, known, later=False)
        if task.publishes:
            self._go_on()

    def ran(self, task: Task) -> None:
        """If it was an opaque one, or a wait whose timeout was over before anybody recorded the event, those behind it
        get their places."""
        if not task.opaque and task.wait is None:
            return
        stream = task.stream
        if self._stuck.get(stream) is not task:
            return
        if task.heard is not None:
            stream.agent.learn(task.heard)
        for used in task.ranges:  # those of a wait for a value: whoever wrote it
            for access in self.touching(find(self._scene, used)):
                if access.use.writes:
                    stream.agent.learn(access.doing.clock or access.doing.agent.clock)
        del self._stuck[stream]
        self._go_on()

    def dropped(self, stream: Stream) -> None:
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
        later = self._later.get(stream, ())
        return [doing for doing in agent.works if not me.knows(agent, doing.number)] + [
            Doing(agent, agent.now + 1, task.name, task.trail) for task in later if not task.marks
        ]

    def going_on(self, tasks: Sequence[Task]) -> list[Task]:
        """Those that the calling thread does not know to be over."""
        me = self.me()
        return [task for task in tasks if not over(me, task)]

    def waits_over(self, waits: Sequence[Task]) -> None:
        """And so is what they waited for."""
        for task in waits:
            if task.doing is not None and isinstance(task.wait, EventWait):
                self.learnt(task.wait.clock())
                self.learnt({task.doing.agent: task.doing.number})

    # memory

    def users(self, low: int, high: int) -> Iterator[Access]:
        """The uses of [low, high) that may still go on, for all that the calling thread knows."""
        me, place = self.me(), find(self._scene, Range(low, high, "", Use.READ))
        for access in self.touching(place):
            if access.doing.agent is not me and not me.knows(access.doing.agent, access.doing.number):
                yield access
        if place is not None:
            yield from self._unplaced(place)

    def lost(self, low: int, high: int) -> None:
        """The memory goes away: what a task that still uses it finds there is no news, whoever was to blame."""
        for access in self.touching(find(self._scene, Range(low, high, "", Use.READ))):
            if _to_run(access.doing):
                access.doubt()

    def touching(self, place: Place | None) -> list[Access]:
        """The uses of this memory that are remembered."""
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
            self.uses.resets(agent, task, doing if later else None)
        if task.publishes:
            task.clock = dict(agent.clock)
        if task.opaque:
            self._stuck[stream] = task

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
            places = [find(self._scene, used) for used in ranges]
        found: list[PlacedUse] = []
        tainted = doing.doubts
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
                        self.uses.clashed(old, access, piece, doing if later else None)
                        agent.learn(before.agent.clock)  # what follows from the missing wait is no news
            if used.role not in tainted:
                self.uses.using(access, piece, doing if later else None, operator=operator)
            found.append(PlacedUse(place, access))
        self.uses.used(agent, found, operator=operator)
        for place, access in found:
            self._remember(agent, place, access)

    def _unplaced(self, place: Place) -> Iterator[Access]:
        """The uses of the memory by tasks that have no place yet."""
        for stream, tasks in self._later.items():
            for task, used, other in tasks.meeting(place):
                doing = Doing(stream.agent, stream.agent.now + 1, task.name, task.trail)
                yield Access(doing, used, other.low, other.high, other.layout)

    def comes_from_a_stream(self, place: Place) -> bool:
        """May work of a stream still bring the bytes?"""
        return any(
            old.use.writes and not self.host.knows(old.doing.agent, old.doing.number) for old in self.touching(place)
        )

    def _remember(self, agent: Agent, place: Place, access: Access) -> None:
        piece, unsure = place.piece, bool(self._stuck or self._later)
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


def over(agent: Agent, task: Task) -> bool:
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
