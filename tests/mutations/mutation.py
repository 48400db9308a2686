"""A mutation, and whether it applies to the sources of now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Mutation:
    """One changed line of a source file."""

    name: str
    """the mistake, in words"""
    file: str
    before: str
    """a part of a line that the file has once"""
    after: str
    tests: tuple[str, ...]
    """folders and files of tests, one of which must notice"""
    listed: str
    """the file with the entry"""

    def applied(self, folder: Path = ROOT) -> str:
        """The text of the file of a copy of the project, with the mistake. LookupError if the file does not have the
        part, or has it twice."""
        text = (folder / self.file).read_text(encoding="utf-8")
        if (times := text.count(self.before)) != 1:
            raise LookupError(
                f"mutation {self.name!r} does not apply: {self.file} has {self.before!r} {times} times, not once; "
                f"edit {self.listed}"
            )
        return text.replace(self.before, self.after)


def mutations(
    listed: str, file: str, tests: str, changes: Mapping[str, tuple[str, str]]
) -> Iterator[Mutation]:  # fmt: skip
    """The mutations of a file. `tests`: paths with spaces between; `changes`: by name, the text before and after."""
    at = str(Path(listed).resolve().relative_to(ROOT))
    for name, (before, after) in changes.items():
        yield Mutation(name, file, before, after, tuple(tests.split()), at)
