"""Reads a trace of `machine.chrome_trace()`: its calls, tasks, findings and marks."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

MARKS: Final = 0
HOST: Final = 1
DEVICE: Final = 2
"""the process of device 0, as in the trace"""
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

    @property
    def waited(self) -> bool:
        """Did it take time?"""
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

    @property
    def failed(self) -> bool:
        """Did it end with a status other than success?"""
        return self.status != "ACL_SUCCESS"

    @property
    def event(self) -> tuple[str, str]:
        """`record of`, `reset of` or `wait for`, and the event; two empty texts if it is another task."""
        found = OF_EVENT.fullmatch(self.name)
        return (found[1], found[2]) if found else ("", "")


class Found(NamedTuple):
    """A finding. `order` is that of the call that reported it, None if that is not known."""

    number: int
    id: str
    level: str
    message: str
    call: str
    site: str
    time: float
    order: int | None


class MarkSpan(NamedTuple):
    """A mark of the program, or a range."""

    domain: str
    message: str
    began: float
    ended: float
    is_range: bool
    open: bool
    """did the range go on at the end of the trace?"""


class TraceContents(NamedTuple):
    """Everything that a picture shows."""

    devices: tuple[str, ...]
    threads: Mapping[int, str]
    streams: Mapping[tuple[int, int], str]
    """by device and row"""
    calls: Sequence[CallSpan]
    tasks: Sequence[TaskSpan]
    found: Sequence[Found]
    before: tuple[int, ...] = ()
    """bytes in use of each device before the first call; empty if not known"""
    marks: Sequence[MarkSpan] = ()

    @property
    def start(self) -> float:
        """The first simulated time in it."""
        times = [each.began for each in (*self.calls, *self.marks)] + [task.start for task in self.tasks]
        return min([*times, *(found.time for found in self.found)], default=0.0)

    @property
    def end(self) -> float:
        """The last simulated time in it."""
        times = [each.ended for each in (*self.calls, *self.marks)] + [task.end for task in self.tasks]
        return max([*times, *(found.time for found in self.found)], default=0.0)


def read(trace: object) -> TraceContents:
    """Read a trace; ValueError if it is none of `machine.write_trace`."""
    if not isinstance(trace, Mapping) or not isinstance(trace.get("traceEvents"), list):  # pyright: ignore
        raise ValueError("this is no trace of machine.write_trace: it has no list `traceEvents`")
    events = cast("list[dict[str, Any]]", trace["traceEvents"])
    try:
        return _contents(events)
    except (KeyError, TypeError) as error:
        raise ValueError(f"this is no trace of machine.write_trace: an event lacks {error}") from None


def _contents(events: Sequence[dict[str, Any]]) -> TraceContents:
    names = [event for event in events if event["ph"] == "M"]
    slices = [event for event in events if event["ph"] == "X"]
    rows = {(each["pid"], each["tid"]): each["args"]["name"] for each in names if each["name"] == "thread_name"}
    processes = {each["pid"]: each["args"]["name"] for each in names if each["name"] == "process_name"}
    marks = [event for event in events if event["ph"] == "i" and event.get("cat") == "finding"]
    return TraceContents(
        tuple(name for process, name in sorted(processes.items()) if process >= DEVICE),
        {row: name for (process, row), name in rows.items() if process == HOST},
        {(process - DEVICE, row): name for (process, row), name in rows.items() if process >= DEVICE},
        sorted((_call(each) for each in slices if each["pid"] == HOST), key=lambda call: call.order),
        sorted((_task(each) for each in slices if each["pid"] >= DEVICE), key=lambda task: task.id),
        [_found(number, each) for number, each in enumerate(marks, 1)],
        marks=list(_marks(events, rows)),
    )


def _marks(events: Sequence[dict[str, Any]], rows: Mapping[tuple[int, int], str]) -> Iterator[MarkSpan]:
    """The marks, and the ranges, whose ends are events of their own."""
    mine = [event for event in events if event.get("cat") == "mark"]
    ends = {event["id"]: _ns(event["ts"]) for event in mine if event["ph"] == "e"}
    for event in mine:
        if event["ph"] in ("i", "b"):
            at, is_range = _ns(event["ts"]), event["ph"] == "b"
            end = ends[event["id"]] if is_range else at
            domain, goes_on = rows[MARKS, event["tid"]], bool(event["args"].get("open"))
            yield MarkSpan(domain, event["name"], at, end, is_range, goes_on)


def _call(event: dict[str, Any]) -> CallSpan:
    facts = event["args"]
    ended = _ns(facts["time"])
    memory = facts.get("memory")
    return CallSpan(
        facts["order"],
        event["tid"],
        event["name"],
        min(_ns(facts.get("began", ended)), ended),
        ended,
        facts["call"],
        facts["status"],
        facts.get("failed", False),
        facts.get("inside", ""),
        tuple(facts.get("tasks", ())),
        None if memory is None else tuple(memory),
        facts.get("stream", ""),
        facts.get("site", ""),
    )


def _task(event: dict[str, Any]) -> TaskSpan:
    facts = event["args"]
    start, end = _ns(event["ts"]), _ns(event["ts"] + event["dur"])
    return TaskSpan(
        facts["task"],
        event["pid"] - DEVICE,
        event["tid"],
        event["name"],
        start,
        end,
        facts["submitted"],
        facts["status"],
        facts.get("site", ""),
    )


def _found(number: int, event: dict[str, Any]) -> Found:
    facts = event["args"]
    call, site = facts.get("call", ""), facts.get("site", "")
    return Found(
        number,
        event["name"],
        facts["level"],
        facts["message"],
        call,
        site,
        _ns(facts.get("time", event["ts"])),
        facts.get("order"),
    )


def _ns(us: float) -> float:
    return round(us, 3)


def part(contents: TraceContents, start: float | None, end: float | None) -> TraceContents:
    """The part of a trace between two simulated times. `before` keeps the memory in use at its start."""
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
        found=[
            each
            for each in contents.found
            if (each.order in orders if each.order is not None else inside(each.time, each.time))
        ],
        before=earlier[-1] if earlier else contents.before,
        marks=[mark for mark in contents.marks if inside(mark.began, mark.ended)],
    )
