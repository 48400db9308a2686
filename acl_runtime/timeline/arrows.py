"""Arrows: from calls to the tasks that they launched, and from tasks to the calls or tasks that wait for them."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from acl_runtime.timeline.bars import Bar
from acl_runtime.timeline.contents import TaskSpan, TraceContents
from acl_runtime.timeline.shapes import BAR, Arrow, RowGroup, TimelineRow


class Places:
    """The row and the bar of each call and each task."""

    def __init__(self, groups: Sequence[RowGroup]) -> None:
        rows = [row for group in groups for row in group.rows]
        self.calls, self.tasks = (
            {key: (row, bar) for row in rows if row.of == kind for bar in row.bars for key in bar.keys}
            for kind in ("call", "task")
        )


def launches(contents: TraceContents, places: Places) -> Iterable[Arrow]:
    """Arrows from each call to the tasks that it launched. Launches between the same two bars share an arrow."""
    drawn: dict[tuple[Bar, Bar], list[TaskSpan]] = {}
    rows: dict[tuple[Bar, Bar], tuple[TimelineRow, TimelineRow]] = {}
    ran = {task.id: task for task in contents.tasks}
    for call in contents.calls:
        for id in call.tasks:
            if id in ran:
                (row, bar), (target, run) = places.calls[call.order], places.tasks[id]
                drawn.setdefault((bar, run), []).append(ran[id])
                rows[bar, run] = row, target
    for (bar, run), tasks in drawn.items():
        row, target = rows[bar, run]
        tail = bar.right if len(bar.keys) == 1 else (bar.left + bar.right) / 2
        text = f"launch of {tasks[0].name}" if len(tasks) == 1 else f"launches of {len(tasks)} tasks"
        x = min(max(run.left, min(tail, run.right)) + 1.0, run.right)
        yield Arrow("launch", (min(tail, x), row.y(bar) + BAR), (x, target.y(run)), text, tasks[0].id)


def orders(contents: TraceContents, places: Places) -> Iterable[Arrow]:
    """Arrows from the records of events to the waits for them in other streams."""
    for wait, record in awaited(contents.tasks):
        (row, bar), (target, run) = places.tasks[record.id], places.tasks[wait.id]
        if row is not target:
            tail = bar.right, row.y(bar) + BAR / 2
            yield Arrow(
                "order", tail, (max(run.left, bar.right), target.y(run) + BAR / 2), f"{wait.event[1]} was recorded"
            )


def awaited(tasks: Iterable[TaskSpan]) -> list[tuple[TaskSpan, TaskSpan]]:
    """Pairs of a wait in a stream and the record that it waited for: the last record that was launched before the wait.
    If there is none, or a reset came in between, it is the next record."""
    waits: list[tuple[TaskSpan, TaskSpan]] = []
    last: dict[tuple[int, str], TaskSpan | None] = {}
    early: dict[tuple[int, str], list[TaskSpan]] = {}
    for task in sorted(tasks, key=lambda task: task.id):
        action, name = task.event
        event = task.rank, name
        if action == "record of":
            last[event] = task
            waits += ((wait, task) for wait in early.pop(event, []))
        elif action == "reset of":
            last[event] = None
        elif action == "wait for":
            record = last.get(event)
            if record is None:
                early.setdefault(event, []).append(task)
            else:
                waits.append((task, record))
    return [(wait, record) for wait, record in waits if record.end <= wait.start]


def returns(contents: TraceContents, places: Places) -> Iterable[Arrow]:
    """Arrows from a task to the end of the host call that waited for it."""
    ended: dict[tuple[int, float], list[TaskSpan]] = {}
    for task in contents.tasks:
        ended.setdefault((task.rank, task.end), []).append(task)
    for call in contents.calls:
        tasks = ended.get((call.rank, call.ended), []) if call.waited else []
        on_stream = [task for task in tasks if contents.streams.get((task.device, task.row)) == call.stream]
        events = [task for task in tasks if task.event[0] == "record of" and f"{task.event[1]})" in call.line]
        for task in (on_stream or events or tasks)[-1:]:
            (row, bar), (target, returned) = places.tasks[task.id], places.calls[call.order]
            y = target.y(returned) + BAR
            yield Arrow(
                "order", (bar.right, row.y(bar)), (max(returned.right - 2, bar.right), y), f"{call.name} returns"
            )


def meetings(contents: TraceContents, places: Places) -> Iterable[Arrow]:
    """Arrows between the tasks of each meeting of ranks, from each rank to the next one."""
    met: dict[str, list[TaskSpan]] = {}
    for task in contents.tasks:
        for name in task.meetings:
            met.setdefault(name, []).append(task)
    for tasks in met.values():
        for one, other in pairwise(tasks):
            (row, bar), (target, run) = places.tasks[one.id], places.tasks[other.id]
            x = max(bar.left, run.left) + 1.0
            yield Arrow("order", (x, row.y(bar) + BAR), (x, target.y(run)), f"the ranks meet: {one.name}")
