"""Facts about a variable, from the whole program. A translation of the program collects the facts; if there are new
facts, the program is translated again.

A key, the place of the declaration, identifies a variable. `key.of` identifies the elements of a vector of vectors.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field


@dataclass
class ProgramFacts:
    """Facts about a program, which the translation collects: sets that only grow."""

    known: set[Hashable] = field(default_factory=set[Hashable])
    joined: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """keys of vectors that are, or may be, the same object"""

    def note(self, fact: str, key: str) -> None:
        self.known.add((fact, key))

    def has(self, fact: str, key: str) -> bool:
        return (fact, key) in self.known

    def join(self, key: str, other_key: str) -> None:
        """Record that two keys identify the same object; their elements are the same, too."""
        if not key or not other_key or key == other_key:
            return
        self.joined.setdefault(key, set()).add(other_key)
        self.joined.setdefault(other_key, set()).add(key)

    def among(self, fact: str, key: str) -> bool:
        """True if the fact is known for the key or for any key joined with the first, directly or through others."""
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
        """The number of facts. A translation that leaves this number unchanged is final."""
        return len(self.known) + sum(map(len, self.joined.values()))
