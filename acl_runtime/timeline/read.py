"""What a trace of `machine.chrome_trace()` holds, as the picture needs it."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

HOST: Final = 1
DEVICE: Final = 2
"""the process of device 0, as in the trace"""
OF_EVENT: Final = re.compile(r"(record of|reset of|wait for) (event \d+)")
"""how the tasks of events are named"""


class Call(NamedTuple):
    """A call of the host."""

    order: int
    row: int
    """its thread"""
    name: str
    began: float
    ended: float
    line: str
    """of C"""
    status: str
    failed: bool
    inside: str
    tasks: tuple[int, ...]
    memory: tuple[int, ...] | None
    """bytes in use of each device; None where that is as before"""
    stream: str
    site: str

    @property
    def waited(self) -> bool:
        """Did it take time?"""
        return self.ended > self.began


class Task(NamedTuple):
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
    def event(self) -> tuple[str, str]:
        """`record of`, `reset of` or `wait for`, and the event; two empty texts if it is another task."""
        found = OF_EVENT.fullmatch(self.name)
        return (found[1], found[2]) if found else ("", "")


class Found(NamedTuple):
    """A finding; of those without an `order` no call is known that showed it."""

    number: int
    id: str
    level: str
    message: str
    call: str
    site: str
    time: float
    order: int | None


class Past(NamedTuple):
    """Everything that a picture shows."""

    devices: tuple[str, ...]
    threads: Mapping[int, str]
    streams: Mapping[tuple[int, int], str]
    """by device and row"""
    calls: Sequence[Call]
    tasks: Sequence[Task]
    found: Sequence[Found]
    before: tuple[int, ...] = ()
    """bytes in use of each device before the first call, where that is known"""

    @property
    def start(self) -> float:
        """The first simulated time of it."""
        times = [call.began for call in self.calls] + [task.start for task in self.tasks]
        return min([*times, *(found.time for found in self.found)], default=0.0)

    @property
    def end(self) -> float:
        """The last simulated time of it."""
        times = [call.ended for call in self.calls] + [task.end for task in self.tasks]
        return max([*times, *(found.time for found in self.found)], default=0.0)


def read(trace: object) -> Past:
    """ValueError for what is no trace of `machine.write_trace`."""
    if not isinstance(trace, Mapping) or not isinstance(trace.get("traceEvents"), list):  # pyright: ignore
        raise ValueError("this is no trace of machine.write_trace: it has no list `traceEvents`")
    events = cast("list[dict[str, Any]]", trace["traceEvents"])
    try:
        return _past(events)
    except (KeyError, TypeError) as error:
        raise ValueError(f"this is no trace of machine.write_trace: an event lacks {error}") from None


def _past(events: Sequence[dict[str, Any]]) -> Past:
    names = [event for event in events if event["ph"] == "M"]
    slices = [event for event in events if event["ph"] == "X"]
    rows = {(each["pid"], each["tid"]): each["args"]["name"] for each in names if each["name"] == "thread_name"}
    processes = {each["pid"]: each["args"]["name"] for each in names if each["name"] == "process_name"}
    marks = [event for event in events if event["ph"] == "i" and event.get("cat") == "finding"]
    return Past(
        tuple(name for process, name in sorted(processes.items()) if process >= DEVICE),
        {row: name for (process, row), name in rows.items() if process == HOST},
        {(process - DEVICE, row): name for (process, row), name in rows.items() if process >= DEVICE},
        sorted((_call(each) for each in slices if each["pid"] == HOST), key=lambda call: call.order),
        sorted((_task(each) for each in slices if each["pid"] >= DEVICE), key=lambda task: task.id),
        [_found(number, each) for number, each in enumerate(marks, 1)],
    )


def _call(event: dict[str, Any]) -> Call:
    facts = event["args"]
    ended = _ns(facts["time"])
    memory = facts.get("memory")
    return Call(
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


def _task(event: dict[str, Any]) -> Task:
    facts = event["args"]
    start, end = _ns(event["ts"]), _ns(event["ts"] + event["dur"])
    return Task(
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


def part(past: Past, start: float | None, end: float | None) -> Past:
    """What happened between two simulated times; the memory of before stays known."""
    if start is None and end is None:
        return past
    low = 0.0 if start is None else start
    high = past.end if end is None else end
    if not low < high:
        raise ValueError(f"start={start}, end={end}: nothing lies between them")

    def inside(began: float, ended: float) -> bool:
        return ended >= low and began <= high

    calls = [call for call in past.calls if inside(call.began, call.ended)]
    orders = {call.order for call in calls}
    told = [call.memory for call in past.calls if calls and call.order < calls[0].order and call.memory is not None]
    return past._replace(
        calls=calls,
        tasks=[task for task in past.tasks if inside(task.start, task.end)],
        found=[
            each
            for each in past.found
            if (each.order in orders if each.order is not None else inside(each.time, each.time))
        ],
        before=told[-1] if told else past.before,
    )
