"""Reading the calls, tasks, findings and marks of a trace of `machine.chrome_trace()`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

from acl_runtime.timeline.contents import About, CallSpan, Found, MarkSpan, TaskSpan, TraceContents

MARKS: Final = 0
HOST: Final = 1
DEVICE: Final = 2
"""the number of the process of device 0 in a trace; devices come last"""
LATEST: Final = 1e15
"""30 years in microseconds; a greater float cannot represent nanoseconds"""
Lines = Mapping[str, Sequence[str]]
"""for each line of the user's code: its name for people, and the code"""


def read(trace: object) -> TraceContents:
    """Read a trace; ValueError if `machine.write_trace` did not write it."""
    if not isinstance(trace, Mapping) or not isinstance(trace.get("traceEvents"), list):  # pyright: ignore
        raise ValueError("this is no trace of machine.write_trace: it has no list `traceEvents`")
    events = cast("list[dict[str, Any]]", trace["traceEvents"])
    try:
        return _contents(events, trace.get("otherData", {}))  # pyright: ignore
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"this is no trace of machine.write_trace: an event lacks {error}") from None


def _contents(events: Sequence[dict[str, Any]], metadata: Mapping[str, Any]) -> TraceContents:
    lines = metadata.get("lines", {})
    names = [event for event in events if event["ph"] == "M"]
    slices = [event for event in events if event["ph"] == "X"]
    rows = {(event["pid"], event["tid"]): event["args"]["name"] for event in names if event["name"] == "thread_name"}
    processes = {event["pid"]: event["args"]["name"] for event in names if event["name"] == "process_name"}
    marks = [event for event in events if event["ph"] == "i" and event.get("cat") == "finding"]
    tasks = [_task(slice_, lines) for slice_ in slices if slice_["pid"] >= DEVICE]
    launched = {task.id: task for task in tasks}
    return TraceContents(
        tuple(name for process, name in sorted(processes.items()) if process >= DEVICE),
        {row: name for (process, row), name in rows.items() if process == HOST},
        {(process - DEVICE, row): name for (process, row), name in rows.items() if process >= DEVICE},
        sorted(
            (_call(slice_, launched, lines) for slice_ in slices if slice_["pid"] == HOST), key=lambda call: call.order
        ),
        sorted(tasks, key=lambda task: task.id),
        [_found(number, mark) for number, mark in enumerate(marks, 1)],
        marks=list(_marks(events, rows)),
        about=About(*(str(metadata.get(name, "")) for name in About._fields)),
    )


def _marks(events: Sequence[dict[str, Any]], rows: Mapping[tuple[int, int], str]) -> Iterator[MarkSpan]:
    """The marks and the ranges. The end of a range is a separate event."""
    mine = [event for event in events if event.get("cat") == "mark"]
    ends = {event["id"]: _ns(event["ts"]) for event in mine if event["ph"] == "e"}
    for event in mine:
        if event["ph"] in ("i", "b"):
            start, is_range = _ns(event["ts"]), event["ph"] == "b"
            end = ends[event["id"]] if is_range else start
            domain, facts = rows[MARKS, event["tid"]], event["args"]
            goes_on, order, last = bool(facts.get("open")), facts.get("order"), facts.get("last")
            yield MarkSpan(domain, event["name"], start, end, is_range, goes_on, order, last)


def _call(event: dict[str, Any], launched: Mapping[int, TaskSpan], lines: Lines) -> CallSpan:
    facts = event["args"]
    site, code = _line(facts, lines)
    tasks = tuple(facts.get("tasks", ()))
    if not site and tasks and tasks[0] in launched:  # a task always has the line that launched it
        site, code = launched[tasks[0]].site, launched[tasks[0]].code
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
        tasks,
        None if memory is None else tuple(memory),
        facts.get("stream", ""),
        site,
        code,
        facts.get("block", ""),
        tuple(facts.get("callers", ())),
    )


def _line(facts: Mapping[str, Any], lines: Lines) -> tuple[str, str]:
    """The line of the user's code for people, and its code; two empty texts if unknown."""
    site = facts.get("site", "")
    label, code = lines.get(site, (site, ""))
    return label, code


def _task(event: dict[str, Any], lines: Lines) -> TaskSpan:
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
        *_line(facts, lines),
        tuple(facts.get("meetings", ())),
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
        facts.get("report", ""),
    )


def _ns(us: float) -> float:
    """A time in microseconds, rounded to nanoseconds."""
    if not abs(us) < LATEST:
        raise ValueError(f"this is no trace of machine.write_trace: an event is at {us} us")
    return round(us, 3)
