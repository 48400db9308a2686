"""Everything that is drawn, with its coordinates: rows from top to bottom, x by the axis."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from acl_runtime.timeline.axis import Axis, make_axis
from acl_runtime.timeline.bars import Bar, of_calls, of_tasks, seen
from acl_runtime.timeline.read import Call, Found, Past, Task

LANE: Final = 22.0
"""pixels of a row, with the room around its bars"""
BAR: Final = 16.0
BETWEEN: Final = 10.0
"""room above the host and above each device"""
TITLE: Final = 20.0
CURVE: Final = 46.0
MARK: Final = 20.0
"""room that a mark of a finding takes"""
AXIS: Final = 48.0
"""room for a line of text and the times"""


class Row(NamedTuple):
    """A thread, or a stream."""

    name: str
    top: float
    lanes: int
    bars: Sequence[Bar]

    def y(self, bar: Bar) -> float:
        """The upper edge of a bar of it."""
        return self.top + bar.lane * LANE + (LANE - BAR) / 2


class Curve(NamedTuple):
    """The memory of a device: bytes from each place on."""

    top: float
    bottom: float
    steps: Sequence[tuple[float, int]]

    @property
    def most(self) -> int:
        """The highest value."""
        return max((used for _, used in self.steps), default=0)


class Group(NamedTuple):
    """The host, or a device."""

    name: str
    top: float
    rows: Sequence[Row]
    curve: Curve | None = None


class Arrow(NamedTuple):
    """From (x, y) to (x, y)."""

    kind: str
    """`launch`; `order`: from the record of an event to what waits for it, or from a task to the host that waits"""
    tail: tuple[float, float]
    head: tuple[float, float]
    text: str
    of: int = 0
    """of a launch: the id of the (first) task"""


class Mark(NamedTuple):
    """Findings of one place and level."""

    x: float
    level: str
    found: Sequence[Found]
    foot: tuple[float, float] | None
    """the upper edge of the (first) call that showed them"""


class Picture(NamedTuple):
    """What is drawn."""

    axis: Axis
    groups: Sequence[Group]
    arrows: Sequence[Arrow]
    marks: Sequence[Mark]
    top: float
    """where the rows begin, below the marks"""
    bottom: float
    summarised: int
    """calls and tasks that share a bar"""


def layout(past: Past) -> Picture:
    """The whole picture."""
    spans = [(call.began, call.ended) for call in past.calls if call.waited]
    spans += [(task.start, task.end) for task in past.tasks]
    axis = make_axis([call.ended for call in past.calls], spans, [each.time for each in past.found])
    calls = of_calls(past.calls, axis)
    tasks = of_tasks(past.tasks, axis)
    top = AXIS + (MARK if past.found else 0.0)
    groups, bottom = _groups(past, axis, top, calls, tasks)
    rows = [row for group in groups for row in group.rows]
    bars = [bar for row in rows for bar in row.bars]
    places = _Places(groups)
    arrows = [*_launches(past, places), *_orders(past, places), *_returns(past, places)]
    marks = _marks(past, axis, places)
    shared = sum(len(bar.keys) for bar in bars if len(bar.keys) > 1)
    return Picture(axis, groups, arrows, marks, top, bottom, shared)


def _columns(past: Past, axis: Axis) -> Iterable[tuple[Call, float]]:
    return zip(past.calls, axis.columns, strict=True)


def _groups(
    past: Past,
    axis: Axis,
    top: float,
    calls: Mapping[int, Sequence[Bar]],
    tasks: Mapping[tuple[int, int], Sequence[Bar]],
) -> tuple[list[Group], float]:
    y = top
    groups: list[Group] = []

    def rows_of(rows: Iterable[tuple[str, Sequence[Bar]]], what: str) -> list[Row]:
        nonlocal y
        made: list[Row] = []
        for name, bars in rows:
            lanes = max((bar.lane for bar in bars), default=0) + 1
            made.append(Row(name, y, lanes, seen(bars, what)))
            y += lanes * LANE
        return made

    at, y = y, y + TITLE
    threads = rows_of(((past.threads.get(row, f"thread {row}"), bars) for row, bars in calls.items()), "calls")
    groups.append(Group("host", at, threads))
    for number, name in enumerate(past.devices):
        at, y = y + BETWEEN, y + BETWEEN + TITLE
        streams = ((past.streams.get(key, ""), bars) for key, bars in tasks.items() if key[0] == number)
        rows = rows_of(sorted(streams, key=lambda stream: _counted(stream[0])), "tasks")
        steps = _steps(past, axis, number)
        curve = Curve(y + 6, y + CURVE, steps) if any(used for _, used in steps) else None
        y += CURVE + 4 if curve else 0.0
        if rows or curve or len(past.devices) == 1:
            groups.append(Group(name, at, rows, curve))
        else:
            y = at - BETWEEN  # nothing happened on it
    return groups, y


def _counted(name: str) -> list[tuple[str, int]]:
    """A key by which `stream 2` stands before `stream 10`."""
    return [(text, int(digits or 0)) for text, digits in re.findall(r"(\D*)(\d*)", name)]


def _steps(past: Past, axis: Axis, device: int) -> list[tuple[float, int]]:
    """The memory of a device after each call that changed it."""
    first = past.before or (past.calls[0].memory if past.calls else None) or ()
    steps = [(0.0, first[device] if device < len(first) else 0)]
    for call, column in _columns(past, axis):
        if call.memory is not None and device < len(call.memory) and call.memory[device] != steps[-1][1]:
            steps.append((column + axis.column / 2, call.memory[device]))
    return steps


class _Places:
    """Where each call and each task is drawn."""

    def __init__(self, groups: Sequence[Group]) -> None:
        host, *devices = groups
        self.calls = {key: (row, bar) for row in host.rows for bar in row.bars for key in bar.keys}
        self.tasks = {
            key: (row, bar) for group in devices for row in group.rows for bar in row.bars for key in bar.keys
        }


def _launches(past: Past, places: _Places) -> Iterable[Arrow]:
    """From each call to the tasks that it launched; one for all that go from one bar to another."""
    drawn: dict[tuple[Bar, Bar], list[Task]] = {}
    rows: dict[tuple[Bar, Bar], tuple[Row, Row]] = {}
    ran = {task.id: task for task in past.tasks}
    for call in past.calls:
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


def _orders(past: Past, places: _Places) -> Iterable[Arrow]:
    """From the records of events to the waits for them in other streams."""
    for wait, record in awaited(past.tasks):
        (row, bar), (to, run) = places.tasks[record.id], places.tasks[wait.id]
        if row is not to:
            tail = bar.right, row.y(bar) + BAR / 2
            yield Arrow("order", tail, (max(run.left, bar.right), to.y(run) + BAR / 2), f"{wait.event[1]} was recorded")


def awaited(tasks: Iterable[Task]) -> list[tuple[Task, Task]]:
    """Each wait of a stream with the record that it waited for: the last one that was launched before it, or the next
    one if there is none since a reset."""
    found: list[tuple[Task, Task]] = []
    last: dict[str, Task | None] = {}
    early: dict[str, list[Task]] = {}
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


def _returns(past: Past, places: _Places) -> Iterable[Arrow]:
    """From the task that the host waited for to the end of its wait."""
    ended: dict[float, list[Task]] = {}
    for task in past.tasks:
        ended.setdefault(task.end, []).append(task)
    for call in past.calls:
        tasks = ended.get(call.ended, []) if call.waited else []
        named = [task for task in tasks if past.streams.get((task.device, task.row)) == call.stream]
        events = [task for task in tasks if task.event[0] == "record of" and f"{task.event[1]})" in call.line]
        for task in (named or events or tasks)[-1:]:
            (row, bar), (to, back) = places.tasks[task.id], places.calls[call.order]
            y = to.y(back) + BAR
            yield Arrow("order", (bar.right, row.y(bar)), (max(back.right - 2, bar.right), y), f"{call.name} returns")


def _marks(past: Past, axis: Axis, places: _Places) -> list[Mark]:
    """Findings of one level that stand at one place, or so near that their marks would overlap, share a mark."""
    columns = {call.order: column for call, column in _columns(past, axis)}

    def place(found: Found) -> tuple[float, tuple[float, float] | None]:
        if found.order in columns:
            row, bar = places.calls[found.order]
            x = max(bar.left, min(columns[found.order] + axis.column / 2, bar.right))
            return x, (x, row.y(bar))
        return axis.end if not found.call else axis.before(found.time), None  # no call: told at the machine's end

    placed = sorted(((*place(found), found) for found in past.found), key=lambda each: (each[0], each[2].number))
    near: list[list[tuple[float, tuple[float, float] | None, Found]]] = []
    for each in placed:
        if near and each[0] - near[-1][0][0] < MARK:
            near[-1].append(each)
        else:
            near.append([each])
    marks: list[Mark] = []
    last = -MARK
    for cluster in near:
        for level in dict.fromkeys(found.level for _, _, found in cluster):
            same = [each for each in cluster if each[2].level == level]
            x = last = max(same[0][0], last + MARK)
            foot = next((foot for _, foot, _ in same if foot is not None), None)
            marks.append(Mark(x, level, [found for _, _, found in same], foot))
    return marks
