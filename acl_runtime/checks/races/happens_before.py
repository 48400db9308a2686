"""The race detector: it computes with vector clocks which accesses to memory are ordered.

**What it is for.** A race: two streams, or a stream and the host, access the same bytes, at least one of them writes,
and the two accesses have no defined order. On a device the result then depends on timing. The detector uses neither the
data nor the time at which a task ran, only the order that the calls of the program guarantee under every schedule
(happens-before). So it reports the same races under each schedule, even if the results are right; the second known
limit below is the exception.

**Agents and clocks.** An agent performs actions in a fixed order. Each stream is an agent, and so is the host. Host
code that a stream runs (a callback or a host function) is an agent while it runs; the function that replaces a device
kernel accesses memory as the task of its stream. Each action of an agent has a number.
The vector clock of an agent has, for each other agent, the number up to which that agent's actions are known to be
over. Action n of agent A happens before the next action of agent B if and only if the clock of B has n or more for A
(`Agent.knows`). All host threads are one agent: they synchronise by locks and queues that the emulator cannot see, and
a false race would be worse than a missed one.

**Order.** A clock grows when its agent learns another clock (`Agent.learn`):

    event                                                 the agent that learns     the clock that it learns
    a task is queued in a stream                          the stream                of the agent that launches
    a synchronise returns; a query answers "complete"     the calling agent         of the stream
    an event is recorded in a stream                      (the record keeps         of the stream)
    a stream waits for an event record                    the stream                that the record has kept
    the host waits for an event record                    the calling agent         that the record has kept
    a stream waits for a value in memory, which comes     the stream                of the writers of that memory
    ranks meet in a collective operation                  the stream of each rank   of each other stream, before it
    a callback or a host function begins                  its own agent             of its stream, at its place there
    it ends                                               the stream; the host      of the agent that ended, with all it
                                                          after the present call    learnt

Tasks of one stream need no row: they are actions of one agent. The actions of a destroyed stream count as over for all.

**How a race is found.** A task becomes an action of its stream when it is queued. So the call that launches the second
of two accesses reports the race, with its line. `_use` compares each new access with the remembered accesses to the
same bytes (`accesses`). If their order matters (`Access.clashes`) and the older access is not known to be over,
`clashed` is announced; `races` chooses the id of the finding and writes its text. Then the new access is stored. An
older access is removed if the host knows that it is over, since the host launches all later work. An old access is also
removed if the new access is ordered after it and covers it: every later race with the old access is then a race with
the new access too. One missing wait is one finding: after a race the newer agent learns the clock of the older one.

**Launches in a loop.** Most launches repeat an earlier launch in the same memory, and share its `CachedRanges`. They
skip the comparison (`_continues`) if that memory was not accessed since the earlier launch, or only by one stream. The
stored accesses are the same as after a comparison, but for those that the host knows to be over. (`python -m
tests.benchmarks.caches` measures this.)

**Actions that come later.** Behind four kinds of task, the order of tasks is not known at first: a wait for an event
that is not recorded yet, a wait for a value, host code, and an operation for which not all ranks have called. The tasks
behind them are queued, but become actions later: until then they are stored in `Unplaced`, each with the clock of its
launch. A race that is found then belongs to the line of the launch. If it is raised, the next call that waits for the
stream raises it. Only operations of one group do not hold each other back (`Task.together`).

**What is not detected.** Races between host threads. Accesses by the program's own loads and stores, except those to
pinned memory that `checks.host_access` detects. Accesses to ordinary host memory, from which copies are synchronous.
More than `accesses.MOST` accesses to one byte that may all be unfinished.

**Rejected.** Comparing the results of many random schedules: this finds only some races, and does not name the missing
edge. Lock sets, as in Eraser: streams are ordered by events, not by locks. A clock for each byte, as in
ThreadSanitizer: tensors have megabytes, and a task accesses them in a few ranges, so intervals are kept. A clock for
each access: an agent and a number are enough (an "epoch" in FastTrack), and clocks are kept for agents only.

**Known limits.** The host is one agent. So a read on thread B counts as ordered after a wait on thread A, even if B
cannot know of that wait. Host code in a stream counts as known to the host after it ran, as the program may inform the
host by its own means. Under `threads` the code may run before the host's next call, and a race between that call and
the work in front of the code is then missed. The other schedules run host code only inside a wait of the host. A wait
for a value counts as ordered after all writers of that memory, not only after the writer of the awaited value.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence, Set

from acl_runtime.checks.access_listeners import AccessAnnouncer, PlacedAccess
from acl_runtime.checks.consequences import MissingWait
from acl_runtime.checks.ports import CheckedMachine
from acl_runtime.checks.races.accesses import ACCESSES, Access, Accesses, touching
from acl_runtime.checks.races.checkpoint import Checkpoint, before
from acl_runtime.checks.races.unplaced import Unplaced
from acl_runtime.checks.tables import Noted
from acl_runtime.errors import UndefinedBehaviour
from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.located_ranges import CachedRanges, LocatedRange, find, split
from acl_runtime.memory.pinned import Pinned
from acl_runtime.memory.ranges import Range, Use
from acl_runtime.source.frames import trail
from acl_runtime.streams.announcements import Listener
from acl_runtime.streams.event import Event, EventWait
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.model.model import Model
from acl_runtime.streams.stream import Execution, Ordering, Stream, Task
from acl_runtime.streams.vector_clock import HOST, Action, Agent, ExecutedAction, VectorClock
from acl_runtime.text import Text


class HappensBefore(Listener):
    """The vector clocks of a machine, which announce accesses to memory to the checks."""

    def __init__(self, machine: CheckedMachine) -> None:
        self._machine = machine
        self.announce = AccessAnnouncer()
        """announces accesses to memory"""
        self.host = Agent(HOST)
        self._stuck: dict[Stream, list[Task]] = {}
        """streams whose next tasks cannot be ordered yet, with the task that prevents it, or several of one group"""
        self._later: dict[Stream, Unplaced] = {}
        """tasks that are queued and not yet actions"""
        self._host_code_over: list[tuple[VectorClock, ThreadState, int]] = []
        """the clock of each host code that has run, its thread, and the number of the thread's call in which it ran"""
        self._functions: list[Agent] = []
        """the host code that streams are running, on any thread; if there is none, the calling agent is the host"""
        self.running: Agent | None = None
        """the stream whose device code accesses memory at once"""
        self._repeated: dict[Agent, set[Accesses]] = {}
        """the memory with accesses of repeated launches that are not stored yet, by the agent of the launches"""
        self._before: Checkpoint | None = None
        """the facts before the execution that is being judged"""
        self._around: dict[Agent, Agent | None] = {}
        """for each running host code, the agent of the host code inside which it runs, if any"""

    # the host

    def me(self) -> Agent:
        """The agent of the calling thread: the host, or host code that a stream runs.

        Host code may have informed the host in ways that the emulator cannot see. So the host learns the clock of the
        code as soon as the call in which the code ran is over."""
        if self._functions and (function := self._machine.thread().agent) is not None:
            return function
        if self._host_code_over:
            unfinished: list[tuple[VectorClock, ThreadState, int]] = []
            for clock, thread, count in self._host_code_over:
                if thread.count == count and thread.call:
                    unfinished.append((clock, thread, count))  # the call has not returned
                else:
                    self.host.learn(clock)
            self._host_code_over = unfinished
        return self.host

    def host_learnt(self, clock: VectorClock | None) -> None:
        if clock is not None:
            me = self.me()
            me.learn(clock)
            self._learnt(me, clock)
            self.announce.agent_learnt(me)

    def host_waited(self, streams: Sequence[Stream]) -> None:
        me = self.me() if self._functions or self._host_code_over else self.host
        for stream in streams:
            me.merge(stream.agent)
        if self._repeated:
            self._learnt(me, [stream.agent for stream in streams])
        self.announce.agent_learnt(me)

    def _learnt(self, me: Agent, agents: Iterable[Agent]) -> None:
        """The calling agent has learnt of actions of these agents that are over."""
        if me is not self.host or self._stuck or self._later:
            return
        for agent in agents:
            if repeated := self._repeated.get(agent):
                upto = me.clock.get(agent, 0)
                left = {each for each in repeated if each.agent is agent and each.known(upto)}
                if left:
                    self._repeated[agent] = left
                else:
                    del self._repeated[agent]

    def host_wait_interrupted(self, streams: Sequence[Stream]) -> None:
        """The host waited, although an error ended the wait: the clean-up may free the memory that the work used."""
        for stream in streams:
            self.me().learn(stream.agent.clock)

    def host_used(self, ranges: Sequence[Range]) -> None:
        thread, ranges = self._machine.thread(), split(self._machine, ranges)
        if (task := thread.task) is not None and task.on_device and task.action is not None:
            self.running = task.stream.agent
            try:
                self._use(task.stream.agent, task.action, ranges, later=True)
            finally:
                self.running = None
            return
        me, call = self.me(), thread.call
        remembered = me is not self.host or self._stuck or self._later
        where = trail() if remembered else ()  # otherwise a race shows the line of the call anyway
        self._use(me, Action(me, me.act(), call, where), ranges)

    def function_begins(self, task: Task) -> None:
        """Host code in a stream is a separate agent, which begins with the clock of its stream."""
        thread = self._machine.thread()
        agent = Agent(Text("the {kernel} of {stream}", kernel=task.name, stream=task.stream))
        self._around[agent], thread.agent = thread.agent, agent
        self._functions.append(agent)
        agent.learn(task.clock or {})
        self.announce.agent_learnt(agent)

    def function_ends(self, task: Task) -> None:
        thread = self._machine.thread()
        agent = thread.agent
        assert agent is not None, "host code ends on the thread on which it began"
        self._functions.remove(agent)
        agent.over = True
        task.host_clock, thread.agent = agent.clock, self._around.pop(agent)
        self._host_code_ran(task.host_clock, thread)

    def answered(self, task: Task) -> None:
        task.host_clock = dict(self.me().clock)

    def _host_code_ran(self, learnt: VectorClock, thread: ThreadState) -> None:
        """Store the clock of host code that has run, so that the host can learn it (see `me`)."""
        if self._host_code_over and self._host_code_over[-1][1:] == (thread, thread.count):
            clock = self._host_code_over[-1][0]
            clock.update({agent: number for agent, number in learnt.items() if clock.get(agent, 0) < number})
        else:
            self._host_code_over.append((dict(learnt), thread, thread.count))

    def may_be_over(self, action: Action) -> bool:
        """True if a host thread or host code may know that the action is over. A signal handler can call this."""
        agent, number = action.agent, action.number
        return any(other.knows(agent, number) for other in (self.host, *self._functions)) or any(
            clock.get(agent, 0) >= number for clock, *_ in tuple(self._host_code_over)
        )

    # streams

    def queueing(self, stream: Stream, task: Task) -> None:
        """A task is about to be queued: make it an action now, or later if it cannot be ordered yet."""
        if not stream.driven:
            return
        cached = task.cached
        if cached is None and self._machine.virtual.in_use:
            task.ranges = tuple(split(self._machine, task.ranges))
        me = self.me() if self._functions or self._host_code_over else self.host
        if (self._stuck or self._later) and (stream in self._later or self._held(stream, task)):
            places = cached.places if cached is not None else [find(self._machine, used) for used in task.ranges]
            self._later.setdefault(stream, Unplaced()).add(task, dict(me.clock), places)
            return
        agent = stream.agent
        agent.merge(me)
        tables, operator = self.announce.tables, task.operator
        if cached is not None and cached.accesses and not task.taint and _continues(
            agent, cached.accesses, tables, self._machine.consequences.taints, operator=operator
        ):  # fmt: skip
            if task.meets:
                task.clock = dict(agent.clock)
            action = task.action = _action(agent, task)
            for _, accesses, access in cached.accesses:
                access.action = action
                if accesses.only is not access:
                    accesses.repeat(access)
                    self.repeated(agent, accesses)
            self._add_unfinished(agent, action)
            if task.meets:
                self._hold(stream, task)
                if task.execution is None:
                    self._order_queued()
            return
        self._place(stream, task, cached, later=False)
        if (task.publishes or task.meets) and task.execution is None:
            self._order_queued()

    def _held(self, stream: Stream, task: Task) -> bool:
        """True if a task prevents the order of this one. Tasks of one group do not hold each other back."""
        return any(task.together is None or other.together != task.together for other in self._stuck.get(stream, ()))

    def _hold(self, stream: Stream, task: Task) -> None:
        """The tasks behind this one cannot be ordered yet."""
        self._stuck.setdefault(stream, []).append(task)

    def _release(self, stream: Stream, task: Task) -> None:
        """This task no longer prevents the order of those behind it."""
        tasks = self._stuck[stream]
        tasks.remove(task)
        if not tasks:
            del self._stuck[stream]

    def repeated(self, agent: Agent, accesses: Accesses) -> None:
        """Accesses of this agent wait to be stored: forget them when the host knows that they are over."""
        self._repeated.setdefault(agent, set()).add(accesses)

    def met(self) -> None:
        """A group has ended: its operations have found their meetings."""
        self._order_queued()

    @property
    def settled(self) -> bool:
        """True if all queued tasks are actions."""
        return not self._stuck and not self._later

    def begin_tasks(self, agents: Iterable[Agent]) -> None:
        """The calling agent is about to queue tasks of these agents."""
        me, known = self.me(), self.host.clock
        for agent in agents:
            agent.merge(me)
            actions, over = agent.actions, known.get(agent, 0)
            while actions and actions[0].number <= over:
                actions.popleft()

    def place(self, task: Task) -> None:
        """A task that uses no memory becomes an action."""
        self._place(task.stream, task, later=False)

    def executing(self, model: Model, execution: Execution, tasks: Sequence[Task]) -> None:
        if self._machine.findings.raises and not execution.announced:
            self._before = before(self._machine, model, execution, tasks)

    def executed(self, model: Model, execution: Execution, tasks: Sequence[Task]) -> None:
        """The last task in the stream of the execution keeps a clock, also if it is an operator."""
        self._before = None
        if self._stuck or self._later:
            self._order_queued()
        last = next((task for task in reversed(tasks) if task.publishes and task.operator), None)
        if last is not None and last.action is not None:
            last.clock = dict(last.stream.agent.clock)

    def not_executed(self, tasks: Sequence[Task]) -> None:
        """Forget the execution, as it has no effect."""
        self._unplace(tasks)
        if self._before is not None:
            self._before.restore()
            self._before = None
        for task in tasks:
            if task.cached is not None:
                task.cached.accesses = ()

    def _unplace(self, tasks: Sequence[Task]) -> None:
        """Forget tasks that are not ordered yet."""
        for stream in dict.fromkeys(task.stream for task in tasks):
            for held in [held for held in self._stuck.get(stream, ()) if held in tasks]:
                self._release(stream, held)
            if (later := self._later.get(stream)) is not None:
                later.withdraw(tasks)
                if not later:
                    del self._later[stream]

    def withdrawn(self, tasks: Sequence[Task]) -> None:
        """Forget tasks that were dropped. Older accesses that those of the tasks had replaced stay forgotten."""
        self._unplace(tasks)
        actions = {task.action for task in tasks if task.action is not None}
        for stream in dict.fromkeys(task.stream for task in tasks):
            agent = stream.agent
            agent.actions = deque((each for each in agent.actions if each not in actions), agent.actions.maxlen)
        for place in [find(self._machine, used) for task in tasks for used in task.ranges]:
            if place is not None and (accesses := ACCESSES.of(place.piece)) is not None:
                accesses.forget(actions)

    def task_over(self, task: Task) -> None:
        """Order the tasks behind a task that is over: host code, a wait for a value, or a wait that timed out before
        its event was recorded."""
        stream = task.stream
        if task not in self._stuck.get(stream, ()):
            return
        if task.host_clock is not None:
            stream.agent.learn(task.host_clock)
        for used in task.ranges:  # after a wait for a value, the stream learns the clocks of the writers
            for access in touching(find(self._machine, used)):
                if access.use.writes:
                    stream.agent.learn(access.action.clock or access.action.agent.clock)
        self._release(stream, task)
        self._order_queued()

    def dropped(self, stream: Stream) -> None:
        """The stream was destroyed, or its work was dropped: all its actions count as over. It accepts no more tasks,
        so its new agent has an empty clock."""
        self._stuck.pop(stream, None)
        self._later.pop(stream, None)
        old, stream.agent = stream.agent, Agent(stream)
        old.over = True
        self._repeated.pop(old, None)
        self.host.clock.pop(old, None)

    def unfinished(self, stream: Stream) -> list[Action]:
        """The actions in a stream that the calling agent does not know to be over."""
        me, agent = self.me(), stream.agent
        later = self._later.get(stream, ())
        return [action for action in agent.actions if not me.knows(agent, action.number)] + [
            Action(agent, agent.now + 1, task.name, task.trail) for task in later if not task.marks
        ]

    def unfinished_of(self, tasks: Sequence[Task]) -> list[Task]:
        """The tasks that the calling agent does not know to be over."""
        me = self.me()
        return [task for task in tasks if not over(me, task)]

    def waits_over(self, waits: Sequence[Task]) -> None:
        """The host learns that the waits are over, and so are the records for which they waited."""
        for task in waits:
            if task.action is not None and isinstance(task.wait, EventWait):
                self.host_learnt(task.wait.clock())
                self.host_learnt({task.action.agent: task.action.number})

    # memory

    def unfinished_accesses(self, low: int, high: int) -> Iterator[Access]:
        """The accesses to [low, high) that the calling agent does not know to be over."""
        me = self.me()
        for used in split(self._machine, (Range(low, high, "", Use.READ),)):
            place = find(self._machine, used)
            for access in touching(place):
                if access.action.agent is not me and not me.knows(access.action.agent, access.action.number):
                    yield access
            if place is not None:
                yield from self._unplaced(place)

    # tasks become actions

    def _place(self, stream: Stream, task: Task, cached: CachedRanges | None = None, *, later: bool) -> None:
        agent = stream.agent
        if task.meets:
            task.clock = dict(agent.clock)
        elif task.wait is not None and isinstance(task.wait, Ordering):
            clock = task.wait.clock()
            if clock is None:
                self._hold(stream, task)
                return
            agent.learn(clock)
            _note_record(agent, task.wait)
        action = self._act(agent, task, later=later)
        if not task.operator and any(used.use is Use.CELL for used in task.ranges):
            action.clock = dict(agent.clock)
        if cached is None:
            if task.ranges:
                self._use(agent, action, task.ranges, later=later, operator=task.operator)
        else:
            accesses = self._use(agent, action, task.ranges, cached.places, later=later, operator=task.operator)
            whole = len(accesses) == len(cached.places) and not action.single
            cached.accesses = [(place.piece, ACCESSES.of(place.piece), access) for place, access in accesses if whole]
        if task.operator or not task.marks:
            self._add_unfinished(agent, action)
        if task.publishes:
            task.clock = dict(agent.clock)
        if task.operator:
            return
        if task.resets:
            self.announce.resetting(agent, task, action if later else None)
        if task.opaque or task.meets:
            self._hold(stream, task)

    def _act(self, agent: Agent, task: Task, *, later: bool) -> Action:
        """Make an action of a task that can be ordered now."""
        if task.arranges:
            task.arrange()
            task.ranges = tuple(split(self._machine, task.ranges))
        action = task.action = _action(agent, task)
        if task.arranges:
            self.announce.arranged(action, task, action if later else None)
        action.taint = task.taint
        return action

    def _add_unfinished(self, agent: Agent, action: Action) -> None:
        """Add an action to the unfinished actions of its agent, and remove those that the host knows to be over."""
        actions, over = agent.actions, self.host.clock.get(agent, 0)
        while actions and (agent.over or actions[0].number <= over):
            actions.popleft()
        actions.append(action)

    def _order_queued(self) -> None:
        """Turn the queued tasks that can be ordered now into actions."""
        moved = True
        while moved and (self._stuck or self._later):
            moved = False
            for stream, task in [(stream, task) for stream, tasks in self._stuck.items() for task in tasks]:
                clock = task.wait.clock() if isinstance(task.wait, Ordering) else None
                if clock is not None:
                    self._release(stream, task)
                    if task.meets:
                        stream.agent.learn(clock)
                    else:
                        self._place(stream, task, later=False)
                    moved = True
            for stream, tasks in list(self._later.items()):
                if self._held(stream, next(iter(tasks))):
                    continue
                task, clock = tasks.pop()
                if not tasks:
                    del self._later[stream]
                stream.agent.learn(clock)
                try:
                    self._place(stream, task, later=True)
                except UndefinedBehaviour as behaviour:  # the next call that waits for the stream raises it
                    stream.raised = stream.raised or behaviour
                moved = True

    def _use(
        self,
        agent: Agent,
        action: Action,
        ranges: Sequence[Range],
        places: Sequence[LocatedRange | None] | None = None,
        *,
        later: bool = False,
        operator: bool = False,
    ) -> list[PlacedAccess]:
        """Announce and store the accesses of an action, and announce races. `later`: True if the task was launched
        earlier, so that a finding belongs to that line."""
        if places is None:
            places = [find(self._machine, used) for used in ranges]
        new_accesses: list[PlacedAccess] = []
        consequences = self._machine.consequences
        tainted = action.taint  # the taint at its launch; a finding made here taints only later accesses
        for used, place in zip(ranges, places, strict=True):
            if place is None or place.low >= place.high:
                continue
            piece, access = place.piece, Access(action, used, place.low, place.high, place.layout)
            if (accesses := ACCESSES.of(piece)) is not None:
                for old in accesses.touching(place.low, place.high):
                    before = old.action
                    if before.taint and old.use.writes:
                        consequences.spread(old, access)
                    if before.agent is agent or agent.knows(before.agent, before.number):
                        continue
                    if access.clashes(old):
                        self.announce.clashed(old, access, piece, action if later else None)
                        consequences.taint(MissingWait(agent, before.agent))
            if used.role not in tainted:
                self.announce.accessing(access, piece, action if later else None, operator=operator)
            new_accesses.append(PlacedAccess(place, access))
        self.announce.accessed(agent, new_accesses, operator=operator)
        for place, access in new_accesses:
            self.remember(agent, place.piece, access)
        return new_accesses

    def _unplaced(self, place: LocatedRange) -> Iterator[Access]:
        """The accesses to the memory by tasks that are no actions yet."""
        for stream, tasks in self._later.items():
            for task, used, pending in tasks.meeting(place):
                action = Action(stream.agent, stream.agent.now + 1, task.name, task.trail)
                yield Access(action, used, pending.low, pending.high, pending.layout)

    def may_be_written_by_a_stream(self, place: LocatedRange) -> bool:
        """True if a stream may still write the bytes."""
        return any(
            old.use.writes and not self.host.knows(old.action.agent, old.action.number) for old in touching(place)
        )

    def remember(self, agent: Agent, piece: Noted, access: Access) -> None:
        """Store an access for later ones, and forget older ones that it makes needless."""
        unsure = bool(self._stuck or self._later)
        if agent is self.host and not unsure:
            return  # all later actions are ordered after it
        accesses = ACCESSES.of(piece)
        if accesses is None:
            ACCESSES.note(piece, accesses := Accesses())

        def keep(old: Access) -> bool:
            before, number = old.action.agent, old.action.number
            if before.over or (not unsure and self.host.knows(before, number)):
                return False
            return not (agent.knows(before, number) and access.covers(old))

        accesses.add(access.low, access.high, access, keep)


def _note_record(agent: Agent, wait: Ordering) -> None:
    """Note the record of an event for which an agent waits."""
    record = wait.record if isinstance(wait, EventWait) and isinstance(wait.event, Event) else None
    if record is not None and record.task is not None and record.task.action is not None:
        agent.waited[record.task.action.agent] = record


def _action(agent: Agent, task: Task) -> Action:
    """The action of a task that can be ordered now."""
    if task.execution is None:
        return Action(agent, agent.act(), task.name, task.trail)
    action = ExecutedAction(agent, agent.act(), task.name, task.trail)
    action.execution = task.execution
    return action


def over(agent: Agent, task: Task) -> bool:
    """True if the agent knows that the task is over. A task that is neither an action nor queued was dropped."""
    return agent.knows(task.action.agent, task.action.number) if task.action is not None else not task.queued


def _continues(
    agent: Agent,
    cached: Sequence[tuple[Allocation | Pinned, Accesses, Access]],
    watched: Set[object],
    taints: int,
    *,
    operator: bool,
) -> bool:
    """True if a launch that repeats an earlier launch cannot race, and no check needs its accesses.

    The first case: this agent made the earlier launch, and the memory was not accessed since. The second case: only
    this agent has accessed the memory, as in a program with one stream, and none of it is tainted or watched. Checks
    that watch memory need each write that is not an operator's."""
    for piece, accesses, access in cached:
        before = access.action
        if accesses.only is access and before.agent is agent and not before.taint:
            if operator or watched.isdisjoint(piece.notes):
                continue
            return False
        if accesses.agent is not agent or access.used.stored is not None or not watched.isdisjoint(piece.notes):
            return False
        if not accesses.untainted(taints):
            for old in accesses.touching(access.low, access.high):
                before = old.action
                if before.taint:
                    return False
    return True
