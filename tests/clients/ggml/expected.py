"""The expected results of the cases of test-backend-ops: `expected.toml`.

`[accepted]` has the number of cases that the backend accepts, by operation; `[accepted_on_310P3]` has those that differ
on this chip. A row `[[differs]]` names cases that are
not right, with the place in ggml that this comes from. All other cases are right. `[[architecture]]` has the same for
architectures of test-llama-archs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from tests.clients.ggml.cases import Outcome, Ran

FILE = Path(__file__).with_name("expected.toml")


@dataclass
class Row:
    """Cases that are not right."""

    cases: str
    """regular expression for the whole name of a case"""
    outcome: Outcome
    finding: str
    """the finding or the status by which the emulator names the mistake; empty if nothing here can know it"""
    at: str
    """file and line in ggml"""
    why: str
    chip: str = ""
    """the only chip with such cases; empty if all have them"""
    met: int = field(default=0, init=False)

    def allows(self, ran: Ran) -> bool:
        """Is it a case of this row? As the data is random, such a case may be right as well."""
        return re.fullmatch(self.cases, str(ran.case)) is not None and ran.outcome == self.outcome


class Architecture(NamedTuple):
    """A model architecture that does not pass."""

    name: str
    outcome: str
    at: str
    """file and line in ggml or llama.cpp"""
    why: str


class Expected:
    """The table, for a chip."""

    def __init__(self, chip: str = "910B1") -> None:
        import tomllib  # Python 3.11

        table: dict[str, Any] = tomllib.loads(FILE.read_text(encoding="utf-8"))
        accepted: dict[str, int] = table["accepted"] | table.get(f"accepted_on_{chip}", {})
        self.accepted = {op: count for op, count in accepted.items() if count}
        self.rows = [row for row in (Row(**each) for each in table["differs"]) if row.chip in ("", chip)]
        self.architectures = [Architecture(**each) for each in table["architecture"]]

    def unexpected(self, cases: Iterable[Ran]) -> list[Ran]:
        """The cases that differ from the table; its rows count those that they name."""
        return [ran for ran in cases if not self._explained(ran)]

    def _explained(self, ran: Ran) -> bool:
        row = next((each for each in self.rows if each.allows(ran)), None)
        if row is not None:
            row.met += 1
            return True
        return ran.outcome in ("right", "alone") and not ran.findings
