"""Tables of the checks: what a check keeps about each piece of memory.

A table is a constant of the module of its check, and has no entries itself. They lie in the `notes` of the pieces, and
go when the memory is freed. So a check listens to no free for the sake of its table, and machines share nothing.
"""

from typing import Generic, TypeVar

from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.pinned import Pinned

T = TypeVar("T")


class Table(Generic[T]):
    """The facts of one check, by piece of memory."""

    def __init__(self, otherwise: T) -> None:
        """`otherwise`: the entry of a piece about which the check has kept nothing."""
        self._otherwise = otherwise

    def of(self, piece: Allocation | Pinned) -> T:
        """The entry of a piece."""
        return piece.notes.get(self, self._otherwise)

    def note(self, piece: Allocation | Pinned, entry: T) -> None:
        """Change the entry of a piece. `otherwise` removes it."""
        if entry == self._otherwise:
            piece.notes.pop(self, None)
        else:
            piece.notes[self] = entry
