"""Markdown for all pages: tables and escaped text."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[3]
Files = dict[str, Callable[[], str]]
"""functions that return the text of each page, by its path"""
MADE: Final = "<!-- made by python -m aclnn.render -->"
_CODE: Final = re.compile(r"(`[^`]*`)")
_SPECIAL: Final = re.compile(r"([\\*_<>\[\]|#])")


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table in Markdown."""
    lines = [" | ".join(head), *(" | ".join(row) for row in rows)]
    lines = [f"| {line} |" for line in lines]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])


def filled(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A table without its empty columns. An empty cell of another column is a dash."""
    columns = [i for i in range(len(head)) if any(row[i] for row in rows)]
    return table(tuple(head[i] for i in columns), (tuple(row[i] or "-" for i in columns) for row in rows))


def plain(text: str) -> str:
    """Text for Markdown with its special characters escaped, except between backticks."""
    parts = _CODE.split(text)
    return "".join(part if part.startswith("`") else _SPECIAL.sub(r"\\\1", part) for part in parts)
