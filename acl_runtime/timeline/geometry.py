"""The coordinates of everything that is drawn: rows from top to bottom, x by the time axis."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from acl_runtime.timeline.axis import TimeAxis, make_axis
from acl_runtime.timeline.bars import Bar, of_calls, of_marks, of_tasks, seen
from acl_runtime.timeline.read import CallSpan, Found, TaskSpan, TraceContents

LANE: Final = 22.0
"""the height of a lane, with the space around its bars; all sizes here are in pixels"""
BAR: Final = 16.0
BETWEEN: Final = 10.0
"""the space above the host and above each device"""
TITLE: Final = 20.0
CURVE: Final = 46.0
MARK: Final = 20.0
"""the size of the mark of a finding"""
AXIS: Final = 48.0
"""the height of a line of text and the times"""


PROGRAM: Final = "marks and ranges"
"""the name of the rows with the marks of the program"""


class TimelineRow(NamedTuple):
    """The row of a thread or of a stream."""

    name: str
    top: float
    lanes: int
    bars: Sequence[Bar]

    def y(self, bar: Bar) -> float:
        """The upper edge of a bar in this row."""
        return self.top + bar.lane * LANE + (LANE - BAR) / 2


class Curve(NamedTuple):
    """The memory in use of a device. `steps`: (x, bytes in use from there on)."""

    top: float
    bottom: float
    steps: Sequence[tuple[float, int]]

    @property
    def most(self) -> int:
        """The greatest number of bytes."""
        return max((used for _, used in self.steps), default=0)


class RowGroup(NamedTuple):
    """The rows of the host, or of a device."""

    name: str
    top: float
    rows: Sequence[TimelineRow]
    curve: Curve | None = None


class Arrow(NamedTuple):
    """An arrow between two points (x, y)."""

    kind: str
    """`launch`: from a call to its task; `order`: from the record of an event to its wait, or from a task to the host
    call that waits for it"""
    tail: tuple[float, float]
    head: tuple[float, float]
    text: str
    of: int = 0
    """of a launch: the id of the task, or of the first of several"""


class FindingMark(NamedTuple):
    """The mark of the findings of one level at one place."""

    x: float
    level: str
    found: Sequence[Found]
    foot: tuple[float, float] | None
    """the upper edge of the call that reported the first of them; None without a call"""


class Picture(NamedTuple):
    """Everything that is drawn."""

    axis: TimeAxis
    groups: Sequence[RowGroup]
    arrows: Sequence[Arrow]
    marks: Sequence[FindingMark]
    top: float
    """the top of the rows, below the marks"""
    bottom: float
    summarised: int
    """the number of calls and tasks in merged bars"""


def layout(contents: TraceContents) -> Picture:
    """Compute the picture of a trace."""
    spans = [(call.began, call.ended) for call in contents.calls if call.waited]
    spans += [(task.start, task.end) for task in contents.tasks]
    others = [each.time for each in contents.found]
    others += [time for mark in contents.marks for time in (mark.began, mark.ended)]
    axis = make_axis([call.ended for call in contents.calls], spans, others)
    calls = of_calls(contents.calls, axis)
    tasks = of_tasks(contents.tasks, axis)
    top = AXIS + (MARK if contents.found else 0.0)
    groups, bottom = _groups(contents, axis, top, calls, tasks)
    rows = [row for group in groups for row in group.rows]
    bars = [bar for row in rows for bar in row.bars]
    places = _Places(groups)
    arrows = [*_launches(contents, places), *_orders(contents, places), *_returns(contents, places)]
    marks = _marks(contents, axis, places)
    shared = sum(len(bar.keys) for bar in bars if len(bar.keys) > 1)
    return Picture(axis, groups, arrows, marks, top, bottom, shared)


def _columns(contents: TraceContents, axis: TimeAxis) -> Iterable[tuple[CallSpan, float]]:
    return zip(contents.calls, axis.columns, strict=True)


def _groups(
    contents: TraceContents,
    axis: TimeAxis,
    top: float,
    calls: Mapping[int, Sequence[Bar]],
    tasks: Mapping[tuple[int, int], Sequence[Bar]],
) -> tuple[list[RowGroup], float]:
    y = top
    groups: list[RowGroup] = []

    def rows_of(rows: Iterable[tuple[str, Sequence[Bar]]], what: str) -> list[TimelineRow]:
        nonlocal y
        made: list[TimelineRow] = []
        for name, bars in rows:
            lanes = max((bar.lane for bar in bars), default=0) + 1
            made.append(TimelineRow(name, y, lanes, seen(bars, what)))
            y += lanes * LANE
        return made

    at, y = y, y + TITLE
    threads = rows_of(((contents.threads.get(row, f"thread {row}"), bars) for row, bars in calls.items()), "calls")
    groups.append(RowGroup("host", at, threads))
    for number, name in enumerate(contents.devices):
        at, y = y + BETWEEN, y + BETWEEN + TITLE
        streams = ((contents.streams.get(key, ""), bars) for key, bars in tasks.items() if key[0] == number)
        rows = rows_of(sorted(streams, key=lambda stream: _counted(stream[0])), "tasks")
        steps = _steps(contents, axis, number)
        curve = Curve(y + 6, y + CURVE, steps) if any(used for _, used in steps) else None
        y += CURVE + 4 if curve else 0.0
        if rows or curve or len(contents.devices) == 1:
            groups.append(RowGroup(name, at, rows, curve))
        else:
            y = at - BETWEEN  # nothing happened on this device
    if contents.marks:
        at, y = y + BETWEEN, y + BETWEEN + TITLE
        domains: list[TimelineRow] = []
        for name, bars in of_marks(contents.marks, axis).items():
            lanes = max(bar.lane for bar in bars) + 1
            domains.append(TimelineRow(name, y, lanes, bars))
            y += lanes * LANE
        groups.append(RowGroup(PROGRAM, at, domains))
    return groups, y


def _counted(name: str) -> list[tuple[str, int]]:
    """A sort key that puts `stream 2` before `stream 10`."""
    return [(text, int(digits or 0)) for text, digits in re.findall(r"(\D*)(\d*)", name)]


def _steps(contents: TraceContents, axis: TimeAxis, device: int) -> list[tuple[float, int]]:
    """The memory in use of a device, after each call that changed it."""
    first = contents.before or (contents.calls[0].memory if contents.calls else None) or ()
    steps = [(0.0, first[device] if device < len(first) else 0)]
    for call, column in _columns(contents, axis):
        if call.memory is not None and device < len(call.memory) and call.memory[device] != steps[-1][1]:
            steps.append((column + axis.column / 2, call.memory[device]))
    return steps


class _Places:
    """The row and the bar of each call and each task."""

    def __init__(self, groups: Sequence[RowGroup]) -> None:
        host, *devices = (group for group in groups if group.name != PROGRAM)
        self.calls = {key: (row, bar) for row in host.rows for bar in row.bars for key in bar.keys}
        self.tasks = {
            key: (row, bar) for group in devices for row in group.rows for bar in row.bars for key in bar.keys
        }


def _launches(contents: TraceContents, places: _Places) -> Iterable[Arrow]:
    """Arrows from each call to the tasks that it launched. Launches between the same two bars share an arrow."""
    drawn: dict[tuple[Bar, Bar], list[TaskSpan]] = {}
    rows: dict[tuple[Bar, Bar], tuple[TimelineRow, TimelineRow]] = {}
    ran = {task.id: task for task in contents.tasks}
    for call in contents.calls:
        for id in call.tasks:
            if id in ran:
                (row, bar), (to, run) = places.calls[call.order], places.tasks[id]
                drawn.setdefault((bar, run), []).append(ran[id])
                rows[bar, run] = row, to
    for (bar, run), tasks in drawn.items():
        row, to = rows[bar, run]
        tail = bar.right if len(bar.keys) == 1 else (bar.left + bar.right) / 2
        text = f"launch of {tasks[0].name}" if len(tasks) == 1 else f"launches of {len(tasks)} tasks"
        x = min(max(run.left, min(tail, run.right)) + 1.0, run.right)
        yield Arrow("launch", (min(tail, x), row.y(bar) + BAR), (x, to.y(run)), text, tasks[0].id)


def _orders(contents: TraceContents, places: _Places) -> Iterable[Arrow]:
    """Arrows from the records of events to the waits for them in other streams."""
    for wait, record in awaited(contents.tasks):
        (row, bar), (to, run) = places.tasks[record.id], places.tasks[wait.id]
        if row is not to:
            tail = bar.right, row.y(bar) + BAR / 2
            yield Arrow("order", tail, (max(run.left, bar.right), to.y(run) + BAR / 2), f"{wait.event[1]} was recorded")


def awaited(tasks: Iterable[TaskSpan]) -> list[tuple[TaskSpan, TaskSpan]]:
    """Each wait of a stream, with the record that it waited for: the last record that was launched before the wait; if
    there is none, or a reset came in between, the next record."""
    found: list[tuple[TaskSpan, TaskSpan]] = []
    last: dict[str, TaskSpan | None] = {}
    early: dict[str, list[TaskSpan]] = {}
    for task in sorted(tasks, key=lambda task: task.id):
        what, event = task.event
        if what == "record of":
            last[event] = task
            found += ((wait, task) for wait in early.pop(event, []))
        elif what == "reset of":
            last[event] = None
        elif what == "wait for":
            record = last.get(event)
            if record is None:
                early.setdefault(event, []).append(task)
            else:
                found.append((task, record))
    return [(wait, record) for wait, record in found if record.end <= wait.start]


def _returns(contents: TraceContents, places: _Places) -> Iterable[Arrow]:
    """Arrows from a task to the end of the host call that waited for it."""
    ended: dict[float, list[TaskSpan]] = {}
    for task in contents.tasks:
        ended.setdefault(task.end, []).append(task)
    for call in contents.calls:
        tasks = ended.get(call.ended, []) if call.waited else []
        named = [task for task in tasks if contents.streams.get((task.device, task.row)) == call.stream]
        events = [task for task in tasks if task.event[0] == "record of" and f"{task.event[1]})" in call.line]
        for task in (named or events or tasks)[-1:]:
            (row, bar), (to, back) = places.tasks[task.id], places.calls[call.order]
            y = to.y(back) + BAR
            yield Arrow("order", (bar.right, row.y(bar)), (max(back.right - 2, bar.right), y), f"{call.name} returns")


def _marks(contents: TraceContents, axis: TimeAxis, places: _Places) -> list[FindingMark]:
    """The marks of the findings. Findings of one level share a mark if their marks would overlap."""
    columns = {call.order: column for call, column in _columns(contents, axis)}

    def place(found: Found) -> tuple[float, tuple[float, float] | None]:
        if found.order in columns:
            row, bar = places.calls[found.order]
            x = max(bar.left, min(columns[found.order] + axis.column / 2, bar.right))
            return x, (x, row.y(bar))
        return axis.end if not found.call else axis.before(
            found.time
        ), None  # without a call: reported at the end of the machine

    placed = sorted(((*place(found), found) for found in contents.found), key=lambda each: (each[0], each[2].number))
    near: list[list[tuple[float, tuple[float, float] | None, Found]]] = []
    for each in placed:
        if near and each[0] - near[-1][0][0] < MARK:
            near[-1].append(each)
        else:
            near.append([each])
    marks: list[FindingMark] = []
    last = -MARK
    for cluster in near:
        for level in dict.fromkeys(found.level for _, _, found in cluster):
            same = [each for each in cluster if each[2].level == level]
            x = last = max(same[0][0], last + MARK)
            foot = next((foot for _, foot, _ in same if foot is not None), None)
            marks.append(FindingMark(x, level, [found for _, _, found in same], foot))
    return marks
