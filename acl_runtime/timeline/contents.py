"""The contents of a picture: calls, tasks, findings and marks, and the part of a trace between two times."""

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

OF_EVENT: Final = re.compile(r"(record of|reset of|wait for) (event \d+)")
"""the names of the tasks of events"""


class CallSpan(NamedTuple):
    """A call of the host."""

    order: int
    row: int
    """the row of its thread"""
    name: str
    began: float
    ended: float
    line: str
    """the call as a line of C"""
    status: str
    failed: bool
    inside: str
    tasks: tuple[int, ...]
    memory: tuple[int, ...] | None
    """bytes in use of each device; None if they did not change"""
    stream: str
    site: str
    """file and line of the user's program"""
    code: str = ""
    """the code of that line"""
    block: str = ""
    """the name of the memory that the call allocated or freed"""
    callers: tuple[str, ...] = ()
    """the lines that called the line of an allocation or a free, the innermost first"""
    rank: int = 0
    """the number of its trace, if the contents are those of several"""

    @property
    def waited(self) -> bool:
        """True if the call took time."""
        return self.ended > self.began


class TaskSpan(NamedTuple):
    """A task that ran."""

    id: int
    device: int
    row: int
    name: str
    start: float
    end: float
    submitted: float
    status: str
    site: str
    code: str = ""
    meetings: tuple[str, ...] = ()
    """the names of its meetings with tasks of other ranks"""
    rank: int = 0
    """the number of its trace, if the contents are those of several"""

    @property
    def failed(self) -> bool:
        """True if the status is not success."""
        return self.status != "ACL_SUCCESS"

    @property
    def event(self) -> tuple[str, str]:
        """`record of`, `reset of` or `wait for`, and the event; two empty texts for any other task."""
        match = OF_EVENT.fullmatch(self.name)
        return (match[1], match[2]) if match else ("", "")


class Found(NamedTuple):
    """A finding. `order` is the order of the call that reported it; None if unknown."""

    number: int
    id: str
    level: str
    message: str
    call: str
    site: str
    time: float
    order: int | None
    report: str = ""
    """the text of the report, of several lines; older traces have none"""

    @property
    def text(self) -> str:
        """The report, or the message in one line."""
        return self.report or f"{self.level}[{self.id}]: {self.message}"


class MarkSpan(NamedTuple):
    """A mark of the program, or a range."""

    domain: str
    message: str
    began: float
    ended: float
    is_range: bool
    open: bool
    """True if the range had not ended at the end of the trace"""
    order: int | None = None
    """the order of the call that made the mark or began the range; None if unknown"""
    last: int | None = None
    """the order of the call that ended the range; None if unknown"""


class About(NamedTuple):
    """The program, the schedule and the seed of a trace; empty texts if the trace does not have them."""

    program: str = ""
    schedule: str = ""
    seed: str = ""
    rank: str = ""
    """the rank of the process in a program of several"""

    @property
    def order(self) -> str:
        """The schedule as a text, such as `late schedule` or `random schedule, seed 3`."""
        seed = f", seed {self.seed}" if self.seed else ""
        return f"{self.schedule} schedule{seed}" if self.schedule else ""


class RankRows(NamedTuple):
    """The rows of one rank in a picture of several."""

    name: str
    threads: frozenset[int]
    devices: range


class TraceContents(NamedTuple):
    """The data of a picture."""

    devices: tuple[str, ...]
    threads: Mapping[int, str]
    streams: Mapping[tuple[int, int], str]
    """the name of each stream, by device and row"""
    calls: Sequence[CallSpan]
    tasks: Sequence[TaskSpan]
    findings: Sequence[Found]
    before: tuple[int, ...] = ()
    """bytes in use of each device before the first call; empty if unknown"""
    marks: Sequence[MarkSpan] = ()
    about: About = About()
    ranks: Sequence[RankRows] = ()
    """the ranks, if these are the contents of several traces"""

    @property
    def start(self) -> float:
        """The first simulated time of the contents."""
        times = [call.began for call in (*self.calls, *self.marks)] + [task.start for task in self.tasks]
        return min([*times, *(finding.time for finding in self.findings)], default=0.0)

    @property
    def end(self) -> float:
        """The last simulated time of the contents."""
        times = [call.ended for call in (*self.calls, *self.marks)] + [task.end for task in self.tasks]
        return max([*times, *(finding.time for finding in self.findings)], default=0.0)


def part(contents: TraceContents, start: float | None, end: float | None) -> TraceContents:
    """The part of a trace between two simulated times. `before` of the result is the memory in use at its start."""
    if start is None and end is None:
        return contents
    low = 0.0 if start is None else start
    high = contents.end if end is None else end
    if not low < high:
        raise ValueError(f"start={start}, end={end}: nothing lies between them")

    def inside(began: float, ended: float) -> bool:
        return ended >= low and began <= high

    calls = [call for call in contents.calls if inside(call.began, call.ended)]
    orders = {call.order for call in calls}
    earlier = [
        call.memory for call in contents.calls if calls and call.order < calls[0].order and call.memory is not None
    ]
    return contents._replace(
        calls=calls,
        tasks=[task for task in contents.tasks if inside(task.start, task.end)],
        findings=[
            finding
            for finding in contents.findings
            if (finding.order in orders if finding.order is not None else inside(finding.time, finding.time))
        ],
        before=earlier[-1] if earlier else contents.before,
        marks=[mark for mark in contents.marks if inside(mark.began, mark.ended)],
    )
