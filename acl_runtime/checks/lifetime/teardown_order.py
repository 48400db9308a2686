"""What a program had not destroyed when it reset a device: destroyed later, the order was wrong; never, it leaks."""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from acl_runtime.checks.consequences import Consequences
from acl_runtime.checks.ports import Scene
from acl_runtime.errors import AclError, Past
from acl_runtime.objects.handle_table import Thing
from acl_runtime.streams.events import Listener
from acl_runtime.streams.stream import Stream

LATEST: Final = 1000
RELEASES: Final = re.compile(r"acl(nn|rt)?(Destroy|Free|ResetDevice|Finalize|Un)")
"""calls that give something back, as a program makes them on its way out as well"""


@dataclass(eq=False)
class Reset:
    """The last reset of a device, or the end of a context, and what was still there."""

    past: Past
    things: dict[int, Thing]
    told: bool = False


class Teardown(Listener):
    """The finding `order-teardown`: what a device's reset left is destroyed later. One for each reset."""

    def __init__(self, scene: Scene, consequences: Consequences) -> None:
        self._scene = scene
        self._consequences = consequences
        self._resets: deque[Reset] = deque(maxlen=LATEST)
        self._late = 0
        """the handle of what is being destroyed too late"""

    def left(self, past: Past, things: Iterable[Thing]) -> None:
        if living := {thing.number: thing for thing in things}:
            self._resets.append(Reset(past, living))

    def destroying(self, number: int) -> None:
        self._late = 0
        for reset in self._resets:
            if (thing := reset.things.pop(number, None)) is not None:
                self._late = number
                if not reset.told:
                    reset.told = True
                    self._scene.undefined(
                        "order-teardown",
                        f"{thing} is destroyed too late: {reset.past.what} before.",
                        *thing.past(),
                        reset.past,
                    )

    def not_destroyed(self, number: int, error: AclError) -> None:
        """What the call answers only follows from the reset."""
        if self._late == number:
            error.told, error.listed = True, self._scene.findings.allowance("order-teardown") is None
            self._consequences.spared.add(number)

    def lost(self) -> Iterator[Stream]:
        """The streams that went away with their device, and that nobody ever destroyed."""
        for reset in self._resets:
            for number, thing in reset.things.items():
                if isinstance(thing, Stream) and number not in self._consequences.spared:
                    yield thing
