"""Names of calls. A call takes no time, so its bar is narrow: its name is slanted above the bar, if there is space."""

from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence
from math import cos, radians, sin
from typing import Final, NamedTuple

from acl_runtime.timeline.bars import KINDS, Bar
from acl_runtime.timeline.elements import LETTER, short_name, text_width

ANGLE: Final = 50.0
"""degrees from the row to a slanted name"""
LETTER_ABOVE: Final = LETTER * 10 / 11
"""the width of a letter of a slanted name, in pixels"""
LONGEST: Final = 205.0
"""the greatest length of a slanted name, in pixels"""
APART: Final = 12.5
"""the least distance of two slanted names along the row, so that their lines of 10 pixels do not touch"""
MOST: Final = 150
"""a row with more bars has no slanted names, as they would be too many to read"""
INSIDE: Final = 7.0
"""the space beside a name inside a bar"""


class CallName(NamedTuple):
    """The name of a call above its bar."""

    x: float
    text: str
    kind: str
    """the kind of the bar"""


def above_bars(bars: Sequence[Bar]) -> list[CallName]:
    """The names above the bars of a row, from left to right. If space is short, names of failed calls have priority,
    then waits and launches. A bar has no slanted name if its whole name fits inside, or if it is a merged bar."""
    alone = [bar for bar in bars if not bar.lane and len(bar.keys) == 1 and not _fits(bar)]
    if len(alone) > MOST:
        return []
    places: list[float] = []
    names: list[CallName] = []
    for bar in sorted(alone, key=lambda bar: (-KINDS.index(bar.kind), bar.left)):
        x = (bar.left + bar.right) / 2
        i = bisect_left(places, x)
        if all(abs(x - near) >= APART - 1e-6 for near in places[max(i - 1, 0) : i + 1]):
            insort(places, x)
            names.append(CallName(x, short_name(bar.label, LONGEST, LETTER_ABOVE), bar.kind))
    return sorted(names)


def _fits(bar: Bar) -> bool:
    """True if the name, at least without its prefix, fits inside the bar."""
    inside = short_name(bar.label, bar.width - 1 - INSIDE)
    return bool(inside) and not inside.endswith("…")


def height(names: Iterable[CallName]) -> float:
    """The height of the slanted names above a row."""
    longest = max((text_width(name.text, LETTER_ABOVE) for name in names), default=0.0)
    return longest * sin(radians(ANGLE)) + 10 if longest else 0.0


def end(name: CallName) -> float:
    """The x of the right end of a slanted name."""
    return name.x + text_width(name.text, LETTER_ABOVE) * cos(radians(ANGLE))
