"""What a program had not destroyed when it reset a device: destroyed later, the order was wrong; never, it leaks."""

import re
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from acl_runtime.errors import AclError, Past
from acl_runtime.machine.objects import Thing
from acl_runtime.machine.stream import Stream

if TYPE_CHECKING:
    from acl_runtime.machine.machine import Machine

LATEST: Final = 1000
RELEASES: Final = re.compile(r"acl(nn|rt)?(Destroy|Free|ResetDevice|Finalize|Un)")
"""calls that give something back, as a program makes them on its way out as well"""


@dataclass(eq=False)
class Reset:
    """The last reset of a device, or the end of a context, and what was still there."""

    past: Past
    things: dict[int, Thing]
    told: bool = False


class Teardown:
    """The resets of a machine's devices that came too early."""

    def __init__(self) -> None:
        self._resets: deque[Reset] = deque(maxlen=LATEST)
        self.spared: set[object] = set()
        """what is still there, as a finding told why it could not be released, or used up: no leak besides; objects by
        their numbers"""

    def reset(self, past: Past, things: Iterable[Thing]) -> None:
        """A device is reset for the last time, or a context destroyed, while these are there."""
        if living := {thing.number: thing for thing in things}:
            self._resets.append(Reset(past, living))

    @contextmanager
    def destroying(self, machine: "Machine", number: int) -> Generator[None]:
        """Something is destroyed: after a reset it is the finding `order-teardown`, one for each reset. What the call
        answers then only follows from that."""
        late = False
        for reset in self._resets:
            if (thing := reset.things.pop(number, None)) is not None:
                late = True
                if not reset.told:
                    reset.told = True
                    machine.undefined(
                        "order-teardown",
                        f"{thing} is destroyed too late: {reset.past.what} before.",
                        *thing.past(),
                        reset.past,
                    )
        try:
            yield
        except AclError as error:
            if late:
                error.told, error.listed = True, machine.findings.allowance("order-teardown") is None
                self.spared.add(number)
            raise

    def spare(self, machine: "Machine", number: int) -> None:
        """A finding ended a call that would have released, or used up, what has this address or handle."""
        memory = machine.memory_at(number)
        self.spared.add((memory.at(number) if memory is not None else machine.pinned.at(number)) or number)

    def lost(self) -> Iterator[Stream]:
        """The streams that went away with their device, and that nobody ever destroyed."""
        for reset in self._resets:
            for number, thing in reset.things.items():
                if isinstance(thing, Stream) and number not in self.spared:
                    yield thing
