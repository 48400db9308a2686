"""The order of clean-up: objects that exist at the last reset of their device.

If such an object is destroyed later, the order was wrong (`order-teardown`). Otherwise it is a leak (`leaks`).
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from acl_runtime.checks.consequences import Release
from acl_runtime.checks.ports import CheckedMachine
from acl_runtime.errors import AclError, Past
from acl_runtime.objects.handle_table import Thing
from acl_runtime.streams.announcements import Listener
from acl_runtime.streams.model.model import Model
from acl_runtime.streams.stream import Stream
from acl_runtime.text import Text

LATEST: Final = 1000
RELEASES: Final = re.compile(r"acl(rt)?(Destroy|Free|ResetDevice|Finalize|Un|ReleaseMem)|aclnnFinalize")
"""calls that release something, which a program that ends early makes too; names of operators, such as aclnnUnique, do
not match"""


@dataclass(eq=False)
class Reset:
    """The last reset of a device, or the end of a context, with the objects that existed then."""

    past: Past
    things: dict[int, Thing]
    taint: frozenset[str] | set[str] = frozenset()


class Teardown(Listener):
    """The finding `order-teardown`: an object is destroyed after the reset of its device. Each reset gives at most one
    finding."""

    def __init__(self, machine: CheckedMachine) -> None:
        self._machine = machine
        self._resets: deque[Reset] = deque()
        self._resets_of: dict[int, list[Reset]] = {}
        """the resets at which an object existed, by the number of the object"""
        self._late = 0
        """the handle of the object whose destruction comes too late"""

    def left_behind(self, past: Past, things: Iterable[Thing]) -> None:
        living = {thing.number: thing for thing in things if thing.number}  # the others are not the program's
        if not living:
            return
        if len(self._resets) == LATEST:
            oldest = self._resets.popleft()
            for number in oldest.things:
                self._resets_of[number].remove(oldest)
                if not self._resets_of[number]:
                    del self._resets_of[number]
        reset = Reset(past, living)
        self._resets.append(reset)
        for number in living:
            self._resets_of.setdefault(number, []).append(reset)

    def destroying(self, number: int) -> None:
        self._late = 0
        resets = self._resets_of.get(number)
        while resets:
            reset = resets.pop(0)
            thing = reset.things.pop(number)
            self._late = number
            if not self._machine.consequences.of(reset, "order-teardown"):
                self._machine.consequences.taint(reset, "order-teardown")
                self._machine.undefined(
                    "order-teardown",
                    Text("{thing} is destroyed too late: {past} before.", thing=thing, past=reset.past.what),
                    *thing.past(),
                    reset.past,
                )
        self._resets_of.pop(number, None)

    def not_destroyed(self, number: int, error: AclError) -> None:
        """The error of a destruction that comes too late is a consequence of the reset."""
        if self._late == number:
            self._machine.consequences.taint(error, "order-teardown")
            self._machine.consequences.taint(Release(number))

    def lost(self) -> Iterator[Stream | Model]:
        """The streams and models that ended with their device and were never destroyed."""
        for reset in self._resets:
            for thing in reset.things.values():
                if isinstance(thing, Stream | Model) and not self._machine.consequences.of(thing):
                    yield thing
