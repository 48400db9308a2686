"""Where a simulated time stands in the picture.

Tasks take time and calls do not, so a scale of time alone would put hundreds of calls into one place. Each call gets a
column at the time at which it returned, in the order in which they returned; between these places the scale is that of
time, with bounds: what is very short stays visible, and a pause in which nobody works is cut short.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

FITS: Final = 1000.0
"""a picture is at least so wide, in pixels"""
MOST: Final = 3600.0
"""and about so wide at most: what has no room then is summarised"""
COLUMN: Final = 14.0
THINNEST: Final = 4.0
"""the width of a column where that lets a picture fit"""
SHORTEST: Final = 12.0
"""the least width of the median task, if need be in a wider picture"""
LEAST: Final = 3.0
"""of the time between two instants"""
PAUSE: Final = 44.0
"""ours: so wide is a pause at most"""
SCALE: Final = 80.0
"""pixels of a microsecond at most"""
TICKS: Final = 74.0
"""pixels between two ticks at least"""


class Axis(NamedTuple):
    """The instants at which something happens, with the left and right ends of their columns."""

    instants: Sequence[float]
    left: Sequence[float]
    right: Sequence[float]
    columns: Sequence[float]
    """the left end of each call's column, in the order of the calls"""
    column: float
    """how wide a column is"""
    resumes: Sequence[int]
    """the instants that end a pause which was cut short"""

    @property
    def end(self) -> float:
        """The right end of the picture."""
        return self.right[-1]

    def before(self, time: float) -> float:
        """Where this time begins: left of the calls of that instant. Between instants, in proportion."""
        i = bisect_right(self.instants, time) - 1
        if i < 0:
            return self.left[0]
        if self.instants[i] == time:
            return self.left[i]
        if i == len(self.instants) - 1:
            return self.right[i]
        share = (time - self.instants[i]) / (self.instants[i + 1] - self.instants[i])
        return self.right[i] + share * (self.left[i + 1] - self.right[i])

    def after(self, time: float) -> float:
        """The same right of these calls: what starts at that instant has to wait for none of them to end."""
        i = bisect_right(self.instants, time) - 1
        return self.right[i] if i >= 0 and self.instants[i] == time else self.before(time)

    def ticks(self) -> list[tuple[float, float]]:
        """Round times with their places, far enough from each other for a text; the end of each pause is told too."""
        stretches = [*self.resumes, len(self.instants)]
        spans = [(self.instants[i], self.instants[j - 1]) for i, j in pairwise([0, *stretches])]
        room = self.end - len(self.columns) * self.column
        step = _round_step(sum(last - first for first, last in spans), max(room / TICKS, 1.0))
        shown: list[tuple[float, float]] = []
        for number, (first, last) in enumerate(spans):
            if number:
                x = self.before(first)
                while shown and x - shown[-1][1] < TICKS:
                    shown.pop()
                shown.append((first, x))
            for time in _multiples(step, first, last):
                x = self.before(time)
                if not shown or x - shown[-1][1] >= TICKS:
                    shown.append((time, x))
        return shown


def make_axis(returned: Sequence[float], spans: Iterable[tuple[float, float]], others: Iterable[float] = ()) -> Axis:
    """The axis of calls that returned at these times, in order, and of what took time; `others` are times that have to
    be on it as well."""
    busy = sorted(spans)
    instants = sorted({*returned, *others, *(time for span in busy for time in span)} or {0.0})
    counts = dict.fromkeys(instants, 0)
    for time in returned:
        counts[time] += 1
    gaps = [later - time for time, later in pairwise(instants)]
    idle = _idle(instants, busy)
    column, scale, least = _sizes(len(returned), busy, [gap for gap, rest in zip(gaps, idle, strict=True) if not rest])
    left: list[float] = []
    right: list[float] = []
    resumes: list[int] = []
    first_of: dict[float, float] = {}
    x = 0.0
    for i, time in enumerate(instants):
        left.append(x)
        first_of[time] = x
        x += counts[time] * column
        right.append(x)
        if i < len(gaps):
            width = max(gaps[i] * scale, least)
            if idle[i] and width > PAUSE:
                width = PAUSE
                resumes.append(i + 1)
            x += width
    columns: list[float] = []
    for time in returned:
        columns.append(first_of[time])
        first_of[time] += column
    return Axis(instants, left, right, columns, column, resumes)


def _idle(instants: Sequence[float], busy: Sequence[tuple[float, float]]) -> list[bool]:
    """Of each time between two instants: did nobody work, or wait?"""
    idle: list[bool] = []
    reach, i = float("-inf"), 0
    for time in instants[:-1]:
        while i < len(busy) and busy[i][0] <= time:
            reach = max(reach, busy[i][1])
            i += 1
        idle.append(reach <= time)
    return idle


def _sizes(calls: int, busy: Sequence[tuple[float, float]], gaps: Sequence[float]) -> tuple[float, float, float]:
    """Pixels of a column, of a microsecond, and of a gap at least."""
    total = sum(gaps)
    took = sorted(end - start for start, end in busy if end > start)
    column = max(THINNEST, min(COLUMN, FITS / 2 / max(calls, 1)))
    scale, least = 0.0, LEAST
    if total:
        scale = max((FITS - calls * column) / total, SHORTEST / took[len(took) // 2] if took else 0.0)
    if calls * column + total * scale + len(gaps) * least > MOST:
        column = min(column, 0.45 * MOST / max(calls, 1))
        least = min(least, 0.25 * MOST / max(len(gaps), 1))
        room = MOST - calls * column - len(gaps) * least
        scale = min(scale, room / total) if total else 0.0
    return column, min(scale, SCALE), least


def _round_step(length: float, most: float) -> float:
    """1, 2 or 5 times a power of ten, with at most so many steps in the length; at least a nanosecond."""
    step = 0.001
    while length / step > most:
        step *= 2.5 if f"{step:e}".startswith("2") else 2
        step = float(f"{step:.3g}")
    return step


def _multiples(step: float, first: float, last: float) -> list[float]:
    number = -int(-first // step)
    times: list[float] = []
    while number * step <= last + 1e-9:
        times.append(round(number * step, 3))
        number += 1
    return times


def told(us: float) -> str:
    """A time for a person: `5 µs`, `1.25 ms`."""
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if abs(us) >= size:
            return f"{us / size:.6g} {unit}"
    return f"{us:.6g} µs"
