"""What a program had not destroyed when it reset a device: destroyed later, the order was wrong; never, it leaks."""

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
        self.refused: set[int] = set()
        """what is still there, as it could not be destroyed any more: no leak besides, as that was told"""

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
                error.told = True
                self.refused.add(number)
            raise

    def lost(self) -> Iterator[Stream]:
        """The streams that went away with their device, and that nobody ever destroyed."""
        for reset in self._resets:
            yield from (thing for thing in reset.things.values() if isinstance(thing, Stream))
