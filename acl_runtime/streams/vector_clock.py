"""Vector clocks: the actions that each agent knows to be over.

An agent does one action after the other. The agents are the host, each stream, and each piece of host code that a
stream runs (a callback or a host function). All host threads are one agent, as the emulator does not see how they
synchronise. A vector clock has, for each agent, the number of its actions that are known to be over.

`acl_runtime.checks.races.happens_before` lists the calls by which an agent learns the clock of another agent.
"""

from collections import deque
from collections.abc import Iterable
from typing import Any, Final, Protocol

from acl_runtime.errors import Past
from acl_runtime.objects.handle_table import Thing
from acl_runtime.source.frames import site_of
from acl_runtime.source.site import Site, Trail
from acl_runtime.text import Text

MANY: Final = 64
"""a clock with more agents than this forgets the agents that are over"""
FEW: Final = 8
"""a clock with at most this many agents is compared as a whole, not only its new entries"""
LATEST: Final = 1000
HOST: Final = Text("the host")
"""the name of the agent of all host threads"""


class Run(Protocol):
    """An execution of a model."""

    model: Thing

    @property
    def launched(self) -> Site:
        """File and line of the call."""
        ...


def launch_of(task: str, agent: object, place: Site, execution: Run | None) -> Past:
    """History for a finding: where a task was launched, or captured."""
    if execution is None:
        return Past(Text("{task} in {agent} was launched", task=task, agent=agent), place)
    what = Text(
        "{task} in {agent}, of {model} executed at {place}, was captured",
        task=task,
        agent=agent,
        model=execution.model,
        place=execution.launched,
    )
    return Past(what, place)


class Action:
    """An action of an agent: a task of a stream, or a call of the host."""

    __slots__ = ("agent", "clock", "name", "number", "single", "taint", "trail", "writes")

    def __init__(self, agent: "Agent", number: int, name: str, trail: Trail | str) -> None:
        self.agent = agent
        self.number = number
        self.name = name
        """`aclnnSoftmaxBackward`, `copy`, `aclrtMemcpy`"""
        self.trail = trail
        """the trail of the call; empty if no check needs it"""
        self.clock: dict[Agent, int] | None = None
        """the vector clock at the time of the action, if others wait for the value that it writes"""
        self.taint: frozenset[str] = frozenset()
        """roles of the ranges whose bytes are tainted (`checks.consequences`)"""
        self.single = False
        """True if a repetition of the action has to be announced too, as it may differ: it copies unwritten bytes"""
        self.writes: tuple[Any, ...] = ()
        """the watches on the pinned memory that the action writes (`checks.host_access`)"""

    @property
    def launched(self) -> Site:
        """File and line of the call."""
        return site_of(self.trail)

    def past(self) -> Past:
        """History for a finding: where it was launched."""
        return launch_of(self.name, self.agent, self.launched, None)


class ExecutedAction(Action):
    """A task of a model."""

    __slots__ = ("execution",)
    execution: Run

    def past(self) -> Past:
        return launch_of(self.name, self.agent, self.launched, self.execution)


class Agent:
    """An agent, which does its actions in a fixed order."""

    __slots__ = (
        "_latest", "_merged", "_most", "actions", "clock", "name", "now", "over", "version", "waited",
    )  # fmt: skip

    def __init__(self, name: object) -> None:
        self.name = name
        """the stream, or a description; the text is made lazily"""
        self.now = 0
        """the number of the latest action"""
        self.clock: dict[Agent, int] = {}
        """the vector clock: the actions that this agent knows to be over"""
        self.version = 0
        """the number of times that the clock has grown for another agent"""
        self._latest: list[Agent] = []
        """the agents for which the clock has grown, latest last; an agent that merged this clock before compares only
        these"""
        self.over = False
        """True if all actions count as over, for every agent"""
        self.actions: deque[Action] = deque(maxlen=LATEST)
        """the latest actions, except those that the host knows to be over"""
        self.waited: dict[Agent, Any] = {}
        """the last record of an event for which this agent has waited, by the agent of its stream"""
        self._merged: dict[Agent, int] = {}
        """the agents whose clocks were merged, each with its version at that time"""
        self._most = MANY

    def __str__(self) -> str:
        return str(self.name)

    @property
    def origin(self) -> object:
        """A key of the line that made the agent, equal for all streams that a loop makes."""
        return getattr(self.name, "origin", self)

    def state(self) -> "tuple[VectorClock, tuple[Action, ...]]":
        """The clock and the latest actions, for `restore`."""
        return dict(self.clock), tuple(self.actions)

    def restore(self, state: "tuple[VectorClock, tuple[Action, ...]]") -> None:
        """Forget what it has learnt and done since this state. The numbers of the actions are not used again."""
        self.clock, self.actions = state[0], deque(state[1], LATEST)
        self.version += 1
        self._latest, self._merged = [], {}

    def act(self) -> int:
        """Begin an action, and return its number."""
        self.now += 1
        self.clock[self] = self.now
        return self.now

    def learn(self, clock: "VectorClock") -> None:
        """Merge a clock: this agent then knows that the clock's actions are over."""
        mine, latest = self.clock, self._latest
        for agent, number in clock.items():
            if mine.get(agent, 0) < number and not agent.over:
                mine[agent] = number
                self.version += 1
                latest.append(agent)
        if len(latest) > MANY or len(mine) > self._most:
            self._forget()

    def _forget(self) -> None:
        """Remove old entries, so that destroyed streams take no memory."""
        del self._latest[: -MANY // 2]
        if len(self.clock) > self._most:
            self.clock = {agent: number for agent, number in self.clock.items() if not agent.over}
            self._merged = {agent: version for agent, version in self._merged.items() if not agent.over}
            self._most = max(MANY, 2 * len(self.clock))

    def merge(self, other: "Agent") -> None:
        """Do the same as `learn(other.clock)`. If a clock has many agents, compare only the entries that are new since
        the last merge."""
        clock = other.clock
        if len(clock) > FEW:
            new = other.version - self._merged.get(other, -MANY)
            if new <= len(other._latest):
                clock = {agent: clock.get(agent, 0) for agent in other._latest[len(other._latest) - new :]}
                clock[other] = other.now
            self._merged[other] = other.version
        self.learn(clock)

    def knows(self, agent: "Agent", number: int) -> bool:
        """True if this agent knows that the action of `agent` is over."""
        return agent.over or self.clock.get(agent, 0) >= number


VectorClock = dict[Agent, int]


def merged(clocks: Iterable[VectorClock]) -> VectorClock:
    """The least clock that knows what each of these knows."""
    whole: VectorClock = {}
    for clock in clocks:
        for agent, number in clock.items():
            if number > whole.get(agent, 0):
                whole[agent] = number
    return whole
