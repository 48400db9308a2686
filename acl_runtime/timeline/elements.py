"""Functions that write SVG and HTML elements as text."""

import re
import unicodedata
from bisect import bisect_right
from html import escape
from itertools import accumulate
from typing import Final

NOT_XML: Final = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""characters that XML does not allow, not even escaped"""
LETTER: Final = 6.7
"""the width of an ordinary letter of a name in a bar, in pixels"""
PREFIX: Final = re.compile("^acl(?:nn|rt)")
"""the common prefix of names, which is omitted if space is short"""
WIDE: Final = 1.8
"""the width of a wide letter, such as a Chinese character, in ordinary letters"""
WIDTHS: Final = {"ijl.,:;'|! ": 0.55, "frt()[]-/": 0.75, "w": 1.25, "mMW@": WIDE}
"""the widths of other letters, in ordinary letters, a little more than in the usual fonts"""
CAPITAL: Final = 1.15
LETTERS: Final = {letter: width for letters, width in WIDTHS.items() for letter in letters}


def safe(text: str) -> str:
    """Escape any text for an element or an attribute."""
    return escape(NOT_XML.sub("\ufffd", text))


def tag(name: str, content: str | None = None, **attributes: object) -> str:
    """One element. `content` is markup. In names of attributes, `class_` means `class`, and `_` means `-`."""
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


def shortened(content: str, width: float, letter: float = LETTER) -> str:
    """The part of a text that fits into `width` pixels; "" if almost nothing fits."""
    space = width / letter
    if len(content) <= space / WIDE:
        return content
    ends = [*accumulate(map(_letters, content))]
    if ends[-1] <= space:
        return content
    return f"{content[: bisect_right(ends, space - 1)]}…" if space >= 5 else ""


def short_name(name: str, width: float, letter: float = LETTER) -> str:
    """A name that fits into `width` pixels: the whole name, else without its common prefix, else shortened."""
    whole = shortened(name, width, letter)
    return whole if whole == name else shortened(PREFIX.sub("", name), width, letter)


def text_width(content: str, letter: float = LETTER) -> float:
    """The approximate width of a text in pixels, not less than the real width."""
    return sum(map(_letters, content)) * letter


def _letters(letter: str) -> float:
    """The width of a letter, in ordinary letters."""
    if letter.isascii():
        return LETTERS.get(letter, CAPITAL if letter.isupper() else 1)
    return WIDE if unicodedata.east_asian_width(letter) in "WF" else 1


def file_size(count: int) -> str:
    """A number of bytes for people: `1.5 MiB`."""
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= size:
            return f"{count / size:.4g} {unit}"
    return f"{count} B"
