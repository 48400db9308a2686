"""Facts about a variable, from the whole program. They are collected while the program is translated; a translation
that finds a new one is made again.

A variable is named by a key: the place of its declaration. `key.of` are the elements of a vector of vectors.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field


@dataclass
class ProgramFacts:
    """Sets that only grow."""

    known: set[Hashable] = field(default_factory=set[Hashable])
    joined: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """keys of vectors that hold the same object, or may do so"""

    def note(self, what: str, key: str) -> None:
        self.known.add((what, key))

    def has(self, what: str, key: str) -> bool:
        return (what, key) in self.known

    def join(self, one: str, other: str) -> None:
        """Both keys are of the same object, and so are their elements."""
        if not one or not other or one == other:
            return
        self.joined.setdefault(one, set()).add(other)
        self.joined.setdefault(other, set()).add(one)

    def among(self, what: str, key: str) -> bool:
        """Is this known of the key, or of any key that is joined with it?"""
        seen, waiting = {key}, [key]
        while waiting:
            at = waiting.pop()
            if self.has(what, at):
                return True
            new = self.joined.get(at, set()) - seen
            seen |= new
            waiting += new
        return False

    def count(self) -> int:
        """The number of facts; a translation is final when it does not change it."""
        return len(self.known) + sum(map(len, self.joined.values()))
