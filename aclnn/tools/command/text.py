"""Text for a terminal of 80 columns."""

import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

WIDTH: Final = 80
EMPTY: Final[Mapping[str, str]] = {}
"""no translations: the texts stay English"""
WIDE: Final = re.compile(r"[\u2e80-\uffef]")
"""Chinese characters and punctuation, which take two columns"""
UNITS: Final = re.compile(r" +|[（“]*(?:[^ \u2e80-\uffef]+|[\u2e80-\uffef])[，。；：！？、）”]*")
"""the parts of a Chinese text between which a line may end: a character or a word, with its punctuation; spaces"""


def translator(words: Mapping[str, str]) -> Callable[[str], str]:
    """A function that translates an English sentence. A sentence without a translation stays English."""
    return lambda english: words.get(english, english)


def wrapped(text: str, margin: int = 0, hanging: int = 0) -> list[str]:
    """The lines of a paragraph. Lines after the first are indented by `hanging` more columns. A word without spaces,
    such as a path, is never broken."""
    first, rest = " " * margin, " " * (margin + hanging)
    if WIDE.search(text):
        return _wrapped_chinese(text, first, rest)
    if margin + len(text) <= WIDTH and text.strip() == text and text.isprintable() and text:
        return [first + text]  # most texts are one line, and textwrap takes long
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )


def _wrapped_chinese(text: str, first: str, rest: str) -> list[str]:
    """The lines of a Chinese paragraph, which has no spaces between its words."""
    lines, line = list[str](), first
    for unit in UNITS.findall(text):
        if _columns(line + unit.rstrip()) > WIDTH and line.strip():
            lines.append(line.rstrip())
            line = rest
        line += unit if line.strip() else unit.lstrip()
    return [*lines, line.rstrip()]


def padded(text: str, width: int) -> str:
    """A text with spaces behind it, up to `width` columns."""
    return text + " " * (width - _columns(text))


def _columns(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(each) in ("W", "F") else 1 for each in text)


def refilled(text: str) -> list[str]:
    """A help text with its lines broken again, at 80 columns."""
    lines: list[str] = []
    for line in joined(text.split("\n")):
        inner = line.lstrip(" ")
        depth = len(line) - len(inner)
        lines += wrapped(inner, depth, 2 if inner.startswith("- ") else 4 if depth else 0) or [""]
    return lines


def joined(lines: Iterable[str]) -> list[str]:
    """Each paragraph and each entry of a list as one line. An entry is continued by lines with a larger indent."""
    paragraphs: list[str] = []
    for line in lines:
        inner, previous = line.lstrip(" "), paragraphs[-1] if paragraphs else ""
        depth, depth_before = len(line) - len(inner), len(previous) - len(previous.lstrip(" "))
        entry = depth_before > 0 or previous.startswith("- ")
        follows = depth > depth_before if entry else depth == 0
        if inner and previous and follows and not inner.startswith("- "):
            paragraphs[-1] = f"{previous} {inner}"
        else:
            paragraphs.append(line)
    return paragraphs


def table(head: Sequence[str], rows: Iterable[Sequence[str]], margin: int = 0, gap: int = 2) -> list[str]:
    """A table with columns as wide as their widest cell; the last column is wrapped. `gap`: spaces between columns."""
    all_rows = [head, *rows]
    widths = [max(_columns(row[i]) for row in all_rows) for i in range(len(head) - 1)]
    lines: list[str] = []
    for row in all_rows:
        start = " " * margin + "".join(padded(cell, width + gap) for cell, width in zip(row, widths, strict=False))
        last = wrapped(row[-1] or "-", _columns(start))
        lines.append((start + last[0].lstrip()).rstrip())
        lines += last[1:]
    return lines
