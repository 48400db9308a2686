"""What is known to have happened before what: logical clocks of the host and of each stream.

An agent does one thing after the other: the host (its threads tell each other things that nobody sees here, so they
count as one), each stream, and each function of the host's that a stream runs. A clock says of each agent how many of
its doings are known to be over.
"""

from collections import deque
from typing import Any, Final

from acl_runtime.errors import Past
from acl_runtime.source.frames import site_of
from acl_runtime.source.site import Site, Trail

MANY: Final = 64
"""with so many others in a clock it is time to forget those that are over"""
FEW: Final = 8
"""so many are heard at once, without asking which of them are new"""
LATEST: Final = 1000


class Doing:
    """One thing that an agent did, or will: a task, or a call of the host."""

    __slots__ = ("agent", "clock", "doubts", "name", "number", "trail", "writes")

    def __init__(self, agent: "Agent", number: int, name: str, trail: Trail | str) -> None:
        self.agent = agent
        self.number = number
        self.name = name
        """`aclnnSoftmaxBackward`, `copy`, `aclrtMemcpy`"""
        self.trail = trail
        """where the call was; empty if nobody needs that"""
        self.clock: dict[Agent, int] | None = None
        """of one that writes a value for others to wait for: what was over then"""
        self.doubts: tuple[str, ...] = ()
        """roles of what it uses that may hold anything, as was told: what it finds in these is no news, nor what others
        find in what it makes of them"""
        self.writes: Any = None
        """what a check keeps of the pinned memory that it writes"""

    @property
    def launched(self) -> Site:
        """File and line of the call."""
        return site_of(self.trail)

    def past(self) -> Past:
        """For a finding: where it was launched."""
        return Past(f"{self.name} in {self.agent} was launched", self.launched)


class Agent:
    """Something that acts in a fixed order."""

    __slots__ = ("_heard", "_latest", "_most", "clock", "name", "now", "over", "version", "works")

    def __init__(self, name: object) -> None:
        self.name = name
        """its text, when one is needed: the stream itself, or what it is"""
        self.now = 0
        """how many things it has done"""
        self.clock: dict[Agent, int] = {}
        """what it knows to be over"""
        self.version = 0
        """how often it learnt something of another"""
        self._latest: list[Agent] = []
        """of whom, the last times: who heard it before need not go through all that it knows"""
        self.over = False
        """is all that it did over, for everybody, or does it not matter any more?"""
        self.works: deque[Doing] = deque(maxlen=LATEST)
        """what it did last, as far as the host may not know it to be over"""
        self._heard: dict[Agent, int] = {}
        """whom it heard, and that one's version then"""
        self._most = MANY

    def __str__(self) -> str:
        return str(self.name)

    @property
    def origin(self) -> object:
        """How it came to be: the same for the streams that a loop makes."""
        return getattr(self.name, "origin", self)

    def act(self) -> int:
        """The number of what it does now."""
        self.now += 1
        self.clock[self] = self.now
        return self.now

    def learn(self, clock: "Clock") -> None:
        """All that the clock counts is over for this agent too."""
        mine = self.clock
        for agent, number in clock.items():
            if mine.get(agent, 0) < number and not agent.over:
                mine[agent] = number
                self.version += 1
                self._latest.append(agent)
        if len(self._latest) > MANY:
            del self._latest[: -MANY // 2]
        if len(mine) > self._most:  # so that streams that come and go do not add up
            self.clock = {agent: number for agent, number in mine.items() if not agent.over}
            self._heard = {agent: version for agent, version in self._heard.items() if not agent.over}
            self._most = max(MANY, 2 * len(self.clock))

    def hear(self, other: "Agent") -> None:
        """As `learn` of the other's clock, but quick when that has learnt little since the last time."""
        clock, mine = other.clock, self.clock
        if len(clock) <= FEW:
            for agent, number in clock.items():
                if mine.get(agent, 0) < number:
                    self.learn(clock)
                    break
            return
        new = other.version - self._heard.get(other, -MANY)
        if new <= len(other._latest):
            clock = {agent: other.clock.get(agent, 0) for agent in other._latest[len(other._latest) - new :]}
            clock[other] = other.now
        self.learn(clock)
        self._heard[other] = other.version

    def knows(self, agent: "Agent", number: int) -> bool:
        """Is what the agent did under this number over?"""
        return agent.over or self.clock.get(agent, 0) >= number


Clock = dict[Agent, int]
