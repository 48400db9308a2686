"""Facts about a variable, from the whole program. They are collected while the program is translated; a translation
that finds a new one is made again.

A variable is named by a key: the place of its declaration. `key.of` are the elements of a vector of vectors.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field


@dataclass
class ProgramFacts:
    """Facts about a program, which the translation collects: sets that only grow."""

    known: set[Hashable] = field(default_factory=set[Hashable])
    joined: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """keys of vectors that hold the same object, or may do so"""

    def note(self, fact: str, key: str) -> None:
        self.known.add((fact, key))

    def has(self, fact: str, key: str) -> bool:
        return (fact, key) in self.known

    def join(self, key: str, other_key: str) -> None:
        """Both keys are of the same object, and so are their elements."""
        if not key or not other_key or key == other_key:
            return
        self.joined.setdefault(key, set()).add(other_key)
        self.joined.setdefault(other_key, set()).add(key)

    def among(self, fact: str, key: str) -> bool:
        """True if the fact is known for the key, or for any key that is joined with it."""
        visited, waiting = {key}, [key]
        while waiting:
            current = waiting.pop()
            if self.has(fact, current):
                return True
            new = self.joined.get(current, set()) - visited
            visited |= new
            waiting += new
        return False

    def count(self) -> int:
        """The number of facts; a translation is final when it does not change it."""
        return len(self.known) + sum(map(len, self.joined.values()))
