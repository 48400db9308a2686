"""Tables of the checks: the facts that a check stores about each piece of memory.

A table is a constant of the module of its check. Its entries are stored in the attribute `notes` of the pieces of
memory, and vanish when the memory is freed. So a check need not remove entries, and machines share none.
"""

from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")


class Noted(Protocol):
    """A piece of memory, or another object with facts of checks."""

    notes: dict[Any, Any]


class Changing:
    """Base of facts that change in place."""

    __slots__ = ()

    def state(self) -> Any:
        """The facts as they are now, for `restore`."""
        raise NotImplementedError

    def restore(self, state: Any) -> None:
        """Forget the changes since this state."""
        raise NotImplementedError


class Table(Generic[T]):
    """The facts of one check, by piece of memory."""

    def __init__(self, otherwise: T) -> None:
        """`otherwise`: the entry of a piece about which the check has stored nothing."""
        self._otherwise = otherwise

    def of(self, piece: Noted) -> T:
        """The entry of a piece."""
        return piece.notes.get(self, self._otherwise)

    def note(self, piece: Noted, entry: T) -> None:
        """Change the entry of a piece. `otherwise` removes it."""
        if entry == self._otherwise:
            piece.notes.pop(self, None)
        else:
            piece.notes[self] = entry
