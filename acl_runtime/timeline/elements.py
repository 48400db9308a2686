"""Functions that write SVG and HTML elements as text."""

import re
import unicodedata
from bisect import bisect_right
from html import escape
from itertools import accumulate
from typing import Final

NOT_XML: Final = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""characters that XML does not allow, not even escaped"""
WIDE: Final = 1.8
"""the width of a wide letter, as in Chinese, in ordinary letters"""


def safe(text: str) -> str:
    """Escape any text for an element or an attribute."""
    return escape(NOT_XML.sub("\ufffd", text))


def tag(name: str, content: str | None = None, **attributes: object) -> str:
    """One element. `content` is markup already. In names of attributes, `class_` means `class`, and `_` means `-`."""
    written = "".join(f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"' for key, value in attributes.items())
    return f"<{name}{written}/>" if content is None else f"<{name}{written}>{content}</{name}>"


def _value(value: object) -> str:
    return number(value) if isinstance(value, float) else safe(str(value))


def number(value: float) -> str:
    """A coordinate, rounded to a tenth of a pixel."""
    return (
        f"{value:.1f}".removesuffix(".0").replace("-0", "0", 1)
        if abs(value) < 0.05
        else f"{value:.1f}".removesuffix(".0")
    )


def text(x: float, y: float, content: str, class_: str, **attributes: object) -> str:
    """A text element at (x, y)."""
    return tag("text", safe(content), class_=class_, x=x, y=y, **attributes)


def shortened(content: str, width: float, letter: float = 6.7) -> str:
    """As much of a text as fits into `width` pixels; "" if almost nothing fits."""
    space = int(width / letter)
    if len(content) <= space / WIDE:
        return content
    ends = [*accumulate(map(_letters, content))]
    if ends[-1] <= space:
        return content
    return f"{content[: bisect_right(ends, space - 1)]}…" if space >= 5 else ""


def _letters(letter: str) -> float:
    """The width of a letter, in ordinary letters."""
    return WIDE if letter in "MW@" or unicodedata.east_asian_width(letter) in "WF" else 1


def file_size(count: int) -> str:
    """A number of bytes for people: `1.5 MiB`."""
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= size:
            return f"{count / size:.4g} {unit}"
    return f"{count} B"
