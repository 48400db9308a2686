"""SVG and HTML as text."""

import re
import unicodedata
from bisect import bisect_right
from html import escape
from itertools import accumulate
from typing import Final

NOT_XML: Final = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""what XML cannot hold, not even escaped"""
WIDE: Final = 1.8
"""a wide letter, as those of Chinese, has the room of so many ordinary ones"""


def safe(text: str) -> str:
    """For an element or an attribute, whatever the text is."""
    return escape(NOT_XML.sub("\ufffd", text))


def tag(name: str, content: str | None = None, **attributes: object) -> str:
    """One element; `class_` is written `class`, `_` in other names as `-`. The content is markup already."""
    written = "".join(f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"' for key, value in attributes.items())
    return f"<{name}{written}/>" if content is None else f"<{name}{written}>{content}</{name}>"


def _value(value: object) -> str:
    return number(value) if isinstance(value, float) else safe(str(value))


def number(value: float) -> str:
    """A coordinate, to a tenth of a pixel."""
    return (
        f"{value:.1f}".removesuffix(".0").replace("-0", "0", 1)
        if abs(value) < 0.05
        else f"{value:.1f}".removesuffix(".0")
    )


def text(x: float, y: float, content: str, class_: str, **attributes: object) -> str:
    """A text at a place."""
    return tag("text", safe(content), class_=class_, x=x, y=y, **attributes)


def shortened(content: str, width: float, letter: float = 6.7) -> str:
    """What fits into so many pixels, "" if that would be next to nothing."""
    room = int(width / letter)
    if len(content) <= room / WIDE:
        return content
    ends = [*accumulate(map(_letters, content))]
    if ends[-1] <= room:
        return content
    return f"{content[: bisect_right(ends, room - 1)]}…" if room >= 5 else ""


def _letters(letter: str) -> float:
    """How much room a letter takes, in ordinary ones."""
    return WIDE if letter in "MW@" or unicodedata.east_asian_width(letter) in "WF" else 1


def file_size(count: int) -> str:
    """Bytes for a person: `1.5 MiB`."""
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= size:
            return f"{count / size:.4g} {unit}"
    return f"{count} B"
