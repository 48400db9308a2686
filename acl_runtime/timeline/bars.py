"""The bars of a row. Neighbours that are too narrow to be seen are merged into one bar."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from acl_runtime.timeline.axis import TimeAxis, time_text
from acl_runtime.timeline.contents import CallSpan, MarkSpan, TaskSpan
from acl_runtime.timeline.elements import text_width

NARROW: Final = 2.0
"""a bar of fewer pixels is too narrow to see and to point at"""
GROUP: Final = 6.0
"""about the width of a merged bar, in pixels"""
LEAST_MARK: Final = 6.0
"""the least width of a mark, in pixels"""
NAMED: Final = 4
"""the number of functions that the text of a merged bar names"""
KINDS: Final = ("call", "memory", "launch", "wait", "mark", "task", "failed")
"""the kinds of bars, the most important last; a merged bar has the most important kind of its parts"""
MARKS: Final = ("record of", "reset of", "wait for")


class Bar(NamedTuple):
    """A call or a task, or several merged ones, drawn in a row from `left` to `right`."""

    left: float
    right: float
    kind: str
    """one of `KINDS`"""
    label: str
    text: str
    """the text that is shown when the pointer is over the bar"""
    keys: tuple[int, ...]
    """orders of the calls, ids of the tasks, numbers of the marks"""
    lane: int = 0
    """0 at the top; a call made in a callback is one lane below the call that ran the callback"""

    @property
    def width(self) -> float:
        """The width in pixels."""
        return self.right - self.left


def of_calls(calls: Iterable[CallSpan], axis: TimeAxis) -> dict[int, list[Bar]]:
    """The bars of all calls, by row. `calls` has one call for each column of the axis."""
    bars_by_row: dict[int, list[Bar]] = {}
    pending: dict[int, list[tuple[str, list[Bar]]]] = {}
    ends: dict[int, float] = {}
    for call, column in zip(calls, axis.columns, strict=True):
        waiting = pending.setdefault(call.row, [])
        inner: list[Bar] = []
        while waiting and waiting[-1][0] == call.name:  # the calls in the callbacks that this call ran
            inner = [*_lowered(waiting.pop()[1]), *inner]
        left = column
        if call.waited:
            left = min(left, max(axis.before(call.began), ends.get(call.row, 0.0)))
        left = min([left, *(bar.left for bar in inner)])
        right = ends[call.row] = column + axis.column
        bars = [Bar(left, right, _kind(call), call.name, _text_of_call(call), (call.order,)), *inner]
        if call.inside:
            waiting.append((call.inside, bars))
        else:
            bars_by_row.setdefault(call.row, []).extend(bars)
    for row, waiting in pending.items():  # the call that ran the callback has not returned
        for _, bars in waiting:
            bars_by_row.setdefault(row, []).extend(_lowered(bars))
    return {row: sorted(bars, key=lambda bar: (bar.lane, bar.left)) for row, bars in sorted(bars_by_row.items())}


def _lowered(bars: Iterable[Bar]) -> list[Bar]:
    return [bar._replace(lane=bar.lane + 1) for bar in bars]


def _kind(call: CallSpan) -> str:
    if call.failed:
        return "failed"
    if call.waited or call.name.startswith("aclrtSynchronize"):
        return "wait"
    if call.tasks:
        return "launch"
    return "memory" if call.memory is not None else "call"


def _text_of_call(call: CallSpan) -> str:
    period = f"{time_text(call.began)} to {time_text(call.ended)}" if call.waited else f"at {time_text(call.ended)}"
    return "\n".join(part for part in (call.line, f"{period}, {call.status}", _source(call)) if part)


def _source(span: CallSpan | TaskSpan) -> str:
    """The line of the user's code: its place and its text."""
    return f"{span.site}: {span.code}" if span.code else span.site


def of_tasks(tasks: Iterable[TaskSpan], axis: TimeAxis) -> dict[tuple[int, int], list[Bar]]:
    """The bars of all tasks, by device and row."""
    bars_by_row: dict[tuple[int, int], list[Bar]] = {}
    ends: dict[tuple[int, int], float] = {}
    for task in sorted(tasks, key=lambda task: (task.start, task.end, task.id)):
        row = task.device, task.row
        left = max(axis.after(task.start), ends.get(row, 0.0))
        right = ends[row] = max(axis.before(task.end), left)
        kind = "failed" if task.failed else "mark" if task.event[0] else "task"
        bars_by_row.setdefault(row, []).append(Bar(left, right, kind, task.name, _text_of_task(task), (task.id,)))
    return dict(sorted(bars_by_row.items()))


def _text_of_task(task: TaskSpan) -> str:
    period = f"{time_text(task.start)} to {time_text(task.end)}, launched at {time_text(task.submitted)}, {task.status}"
    return "\n".join(part for part in (f"task {task.id}: {task.name}", period, _source(task)) if part)


def of_marks(marks: Iterable[MarkSpan], calls: Iterable[CallSpan], axis: TimeAxis) -> dict[str, list[Bar]]:
    """The bars of the marks and ranges of the program, by domain. A range reaches from the call that began it to the
    call that ended it. If these calls are not known, the range covers all calls at the times of its begin and its end.
    Ranges that overlap are in different lanes. A mark has its text at its right."""
    columns = {call.order: column for call, column in zip(calls, axis.columns, strict=True)}
    bars_by_domain: dict[str, list[Bar]] = {}
    ends: dict[str, list[float]] = {}

    def left_of(mark: MarkSpan) -> float:
        return axis.before(mark.began) if mark.order not in columns else columns[mark.order]

    for number, mark in enumerate(sorted(marks, key=lambda mark: (left_of(mark), -mark.ended)), 1):
        left = right = left_of(mark)
        if mark.is_range:
            right = axis.after(mark.ended) if mark.last not in columns else columns[mark.last] + axis.column
        right = max(right, left + LEAST_MARK)
        lanes = ends.setdefault(mark.domain, [])
        lane = next((lane for lane, end in enumerate(lanes) if end <= left + 1e-6), len(lanes))
        lanes[lane : lane + 1] = [right if mark.is_range else right + text_width(mark.message) + 8]
        bar = Bar(left, right, "mark", mark.message, _text_of_mark(mark), (number,), lane)
        bars_by_domain.setdefault(mark.domain, []).append(bar)
    return bars_by_domain


def is_point(bar: Bar) -> bool:
    """True if the bar is a mark of the program, not a range."""
    return bar.text.startswith("mark: ")


def _text_of_mark(mark: MarkSpan) -> str:
    if not mark.is_range:
        return f"mark: {mark.message}\nat {time_text(mark.began)}"
    end = "which goes on" if mark.open else f"to {time_text(mark.ended)}"
    return f"range: {mark.message}\nfrom {time_text(mark.began)} {end}"


def visible(bars: Iterable[Bar], noun: str) -> list[Bar]:
    """The bars to draw: neighbours that are too narrow are merged.

    `noun`: "calls" or "tasks", for the text of a merged bar."""
    drawn: list[Bar] = []
    for narrow, run in groupby(bars, key=lambda bar: (bar.width < NARROW, bar.lane)):
        if narrow[0]:
            drawn += (_merged(group, noun) for group in _groups(run))
        else:
            drawn += run
    return drawn


def _groups(bars: Iterable[Bar]) -> Iterator[list[Bar]]:
    group: list[Bar] = []
    for bar in bars:
        if group and (bar.right - group[0].left > GROUP or bar.left - group[-1].right > NARROW):
            yield group
            group = []
        group.append(bar)
    if group:
        yield group


def _merged(bars: Sequence[Bar], noun: str) -> Bar:
    if len(bars) == 1:
        return bars[0]
    kind = max((bar.kind for bar in bars), key=KINDS.index)
    names = Counter(bar.label for bar in bars).most_common()
    more = f" and {len(names) - NAMED} others" if len(names) > NAMED else ""
    text = ", ".join(f"{times} x {name}" for name, times in names[:NAMED])
    keys = tuple(key for bar in bars for key in bar.keys)
    return Bar(bars[0].left, bars[-1].right, kind, "", f"{len(bars)} {noun}: {text}{more}", keys, bars[0].lane)
