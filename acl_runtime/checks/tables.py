"""Tables of the checks: the facts that a check stores about each piece of memory.

A table is a constant of the module of its check. Its entries are stored in the attribute `notes` of the pieces of
memory, and vanish when the memory is freed. So a check need not remove entries, and machines share none.
"""

from typing import Generic, TypeVar

from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.pinned import Pinned

T = TypeVar("T")


class Table(Generic[T]):
    """The facts of one check, by piece of memory."""

    def __init__(self, otherwise: T) -> None:
        """`otherwise`: the entry of a piece about which the check has stored nothing."""
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
