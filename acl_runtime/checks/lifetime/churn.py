"""Work that a program repeats for each operator and could do once for many operators: allocating, freeing, waiting."""

from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Final

from acl_runtime.checks.ports import CheckedMachine
from acl_runtime.errors import Past
from acl_runtime.memory.allocation import Allocation
from acl_runtime.process import NativeProgram
from acl_runtime.source.frames import Caller, site_of, trail
from acl_runtime.source.site import Trail
from acl_runtime.streams.announcements import Listener
from acl_runtime.text import Text

OFTEN: Final = 100
"""the least number of repetitions that is reported"""
MOST_LINES: Final = 1000
"""the most lines in the cache of `Habits`"""
PER_OPERATOR: Final = 2.0
"""the largest average number of launches between two repetitions that counts as "per op" """


@dataclass(eq=False, slots=True)
class Habit:
    """An action that one line of the program repeats, with launches of operators in between."""

    first: int
    """number of launches before the first repetition"""
    last: int = 0
    """number of launches before the last repetition"""
    times: int = 0

    @property
    def costly(self) -> bool:
        """True if the action is frequent, about once for each operator."""
        return self.times >= OFTEN and self.last - self.first <= PER_OPERATOR * (self.times - 1)


class Habits:
    """The habits of one kind, by line of the program."""

    def __init__(self) -> None:
        self.by_site: dict[str, Habit] = {}
        self._lines: dict[tuple[int, CodeType | NativeProgram | int], tuple[CodeType | NativeProgram | int, Habit]] = {}
        """a cache of the habits by code object and instruction; the code is stored so that its id stays unique. The
        cache saves a sixth of a tiny call (`python -m tests.benchmarks.caches`)"""

    def note(self, caller: FrameType | Trail, launches: int) -> None:
        """Count the action of this line, after `launches` launches of operators."""
        if isinstance(caller, tuple):
            code, instruction = caller[:2]
        else:  # mostly the frame of the line itself
            code, instruction = caller.f_code, caller.f_lasti
        cached = self._lines.get((id(code), instruction))
        if cached is None:
            code, instruction = trail(caller)[:2]
            cached = self._lines.get((id(code), instruction))
        if cached is not None:
            habit = cached[1]
        elif not launches:
            return
        else:
            habit = self.by_site.setdefault(site_of(trail(caller)), Habit(launches))
            if len(self._lines) >= MOST_LINES:
                self._lines.clear()
            self._lines[id(code), instruction] = code, habit
        if launches > habit.last:
            habit.last = launches
            habit.times += 1


class Churn(Listener):
    """The finding `churn`: repetitions are counted by line of the program, and reported when the machine is closed."""

    def __init__(self, machine: CheckedMachine) -> None:
        self._machine = machine
        self._waited_at = 0
        self._freed = Habits()
        self._waited = Habits()

    def freed(self, piece: Allocation) -> None:
        self._freed.note(piece.trail, self._machine.launches)

    def host_waits(self, caller: Caller) -> None:
        launches = self._machine.launches
        if launches > self._waited_at:
            self._waited_at = launches
            if caller is not None:
                self._waited.note(caller, launches)

    def closing(self) -> None:
        for what, past in self.habits():
            self._machine.findings.add("churn", what, past)

    def habits(self) -> Iterator[tuple[Text, Past]]:
        """The habits that are costly, "counted per site": for each a text, and the line."""
        for site, habit in self._freed.by_site.items():
            if habit.costly:
                what = Text(
                    "device memory was allocated and freed {times} times, about once for each operator.",
                    times=habit.times,
                )
                yield what, Past(Text("allocated"), site)
        for site, habit in self._waited.by_site.items():
            if habit.costly:
                what = Text(
                    "the host waited for the device {times} times, about once for each operator.", times=habit.times
                )
                yield what, Past(Text("waited"), site)
