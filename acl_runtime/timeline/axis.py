"""The time axis: the x coordinate of each simulated time.

Tasks take simulated time and calls do not, so a linear scale would draw hundreds of calls at one point. Therefore each
call gets a column at the time at which it returned, in the order of return. Between the columns the scale is linear,
with two bounds: very short times stay visible, and a pause in which nothing runs is cut short.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

LEAST_WIDTH: Final = 1000.0
"""the least width of a picture, in pixels; all widths here are in pixels"""
WIDEST: Final = 3600.0
"""the approximate greatest width of a picture; bars that become too narrow are merged"""
COLUMN: Final = 16.0
LEAST_COLUMN: Final = 4.0
"""columns shrink to this width so that the calls fit into `CALLS`; they shrink further only if the picture would be
wider than `WIDEST`"""
CALLS: Final = 900.0
"""the width of all columns together, if their least width allows it; up to 70 calls can then have their names"""
TASKS: Final = 450.0
"""the least width of the time between the columns, unless `SCALE` limits a short time"""
LEAST_TASK: Final = 12.0
"""the least width of the task of median length; the picture is widened for it"""
LEAST_GAP: Final = 3.0
"""the least width of the time between two instants"""
PAUSE: Final = 44.0
"""the greatest width of a pause"""
SCALE: Final = 140.0
"""the greatest width of a microsecond"""
TICKS: Final = 74.0
"""the least distance of two ticks"""


class TimeAxis(NamedTuple):
    """The instants of calls, tasks and marks, with the left and right ends of their columns."""

    instants: Sequence[float]
    left: Sequence[float]
    right: Sequence[float]
    columns: Sequence[float]
    """the left end of each call's column, in the order of the calls"""
    column: float
    """the width of a column"""
    resumes: Sequence[int]
    """indices of the instants at the end of a pause that was cut short"""

    @property
    def end(self) -> float:
        """The right end of the picture."""
        return self.right[-1]

    def before(self, time: float) -> float:
        """The x coordinate of a time. At an instant, the left end of its columns; between two instants,
        interpolated."""
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
        """The x coordinate of a time; at an instant, the right end of its columns. A task starts there, as it follows
        the call that launched it."""
        i = bisect_right(self.instants, time) - 1
        return self.right[i] if i >= 0 and self.instants[i] == time else self.before(time)

    def ticks(self) -> list[tuple[float, float]]:
        """The times and x coordinates of the ticks. The ticks are at round times, far enough apart for their texts, and
        at the end of each pause."""
        stretches = [*self.resumes, len(self.instants)]
        spans = [(self.instants[i], self.instants[j - 1]) for i, j in pairwise([0, *stretches])]
        space = self.end - len(self.columns) * self.column
        step = _round_step(sum(last - first for first, last in spans), max(space / TICKS, 1.0))
        ticks: list[tuple[float, float]] = []
        for number, (first, last) in enumerate(spans):
            if number:
                x = self.before(first)
                while ticks and x - ticks[-1][1] < TICKS:
                    ticks.pop()
                ticks.append((first, x))
            for time in _multiples(step, first, last):
                x = self.before(time)
                if not ticks or x - ticks[-1][1] >= TICKS:
                    ticks.append((time, x))
        return ticks


def make_axis(
    returned: Sequence[float], spans: Iterable[tuple[float, float]], others: Iterable[float] = ()
) -> TimeAxis:
    """Make the axis. `returned`: the times at which calls returned, in order; `spans`: start and end of each task and
    of each call that waited; `others`: other times that the axis must include."""
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
    return TimeAxis(instants, left, right, columns, column, resumes)


def _idle(instants: Sequence[float], busy: Sequence[tuple[float, float]]) -> list[bool]:
    """True for each gap between two instants that is a pause, in which no task runs and no call waits."""
    idle: list[bool] = []
    reach, i = float("-inf"), 0
    for time in instants[:-1]:
        while i < len(busy) and busy[i][0] <= time:
            reach = max(reach, busy[i][1])
            i += 1
        idle.append(reach <= time)
    return idle


def _sizes(calls: int, busy: Sequence[tuple[float, float]], gaps: Sequence[float]) -> tuple[float, float, float]:
    """The width of a column, the width of a microsecond, and the least width of a gap."""
    total = sum(gaps)
    took = sorted(end - start for start, end in busy if end > start)
    column = max(LEAST_COLUMN, min(COLUMN, CALLS / max(calls, 1)))
    scale, least = 0.0, LEAST_GAP
    if total:
        scale = max(
            max(LEAST_WIDTH - calls * column, TASKS) / total, LEAST_TASK / took[len(took) // 2] if took else 0.0
        )
    if calls * column + total * scale + len(gaps) * least > WIDEST:
        column = min(column, 0.45 * WIDEST / max(calls, 1))
        least = min(least, 0.25 * WIDEST / max(len(gaps), 1))
        space = WIDEST - calls * column - len(gaps) * least
        scale = min(scale, space / total) if total else 0.0
    return column, min(scale, SCALE), least


def _round_step(length: float, most: float) -> float:
    """The length of a step: 1, 2 or 5 times a power of ten, at least a nanosecond, so that `length` has at most `most`
    steps."""
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


def time_text(us: float) -> str:
    """A time for people: `5 µs`, `1.25 ms`."""
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if abs(us) >= size:
            return f"{us / size:.6g} {unit}"
    return f"{us:.6g} µs"
