"""The rows of the page about fidelity (`aclnn docs fidelity`) that a difference may concern."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from aclnn.tools.command.docs import page

GENERAL: Final = {
    "results": "the order in which sums are added up",
    "code of the error text": "order of the error text",
}
"""rows that concern all functions, by the kind of the difference"""


class Row(NamedTuple):
    """A row of a table: the heading above it, its first cell, and all cells but the tests."""

    section: str
    name: str
    text: str


@cache
def rows() -> tuple[Row, ...]:
    """The rows of all tables of the page, except the summary at its beginning."""
    return tuple(_rows(page("fidelity").read_text(encoding="utf-8")))


def _rows(text: str) -> Iterator[Row]:
    section, inside = "", False
    for line in text.splitlines():
        if line.startswith("##"):
            section = line.lstrip("# ")
        elif line.startswith("|---"):
            inside = True
        elif inside and section and line.startswith("| "):
            cells = line.strip("| ").split(" | ")
            yield Row(section, cells[0], " ".join(cells[:-1]))
        else:
            inside = False


def touched(function: str, kinds: set[str]) -> list[Row]:
    """The rows that name the function, with or without "aclnn", and the general rows of these kinds of differences."""
    name = re.compile(rf"\b(aclnn)?{re.escape(function.removeprefix('aclnn'))}\b")
    general = {row for kind, row in GENERAL.items() if kind in kinds}
    return [row for row in rows() if name.search(row.text) or row.name in general]
