"""What all pages are put together from."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[3]
Files = dict[str, Callable[[], str]]
"""who makes each page, by its path"""
MADE: Final = "<!-- made by python -m aclnn.render -->"
_CODE: Final = re.compile(r"(`[^`]*`)")
_SPECIAL: Final = re.compile(r"([\\*_<>\[\]|#])")


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table, as the pages have it."""
    lines = [" | ".join(head), *(" | ".join(row) for row in rows)]
    lines = [f"| {line} |" for line in lines]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])


def plain(text: str) -> str:
    """A docstring's words, none of which means anything to Markdown but what stands between backticks."""
    parts = _CODE.split(text)
    return "".join(part if part.startswith("`") else _SPECIAL.sub(r"\\\1", part) for part in parts)
