"""The trace of a machine in the Trace Event Format, for chrome://tracing and Perfetto.

The host is a process with a row for each thread. Each device is a process with a row for each stream and a counter for
the memory in use. Each finding is an instant event. Marks and ranges of the program are in a process of their own, with
a row for each domain. Times are simulated microseconds, so the same program gives the same trace.
`acl_runtime.timeline` draws its picture from this trace.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from acl_runtime.checks.findings import Moment
from acl_runtime.errors import Finding
from acl_runtime.headers.statuses import name_of
from acl_runtime.streams.ran import Ran
from acl_runtime.trace.marks import Mark
from acl_runtime.trace.records import Call

Event: TypeAlias = Mapping[str, object]
Span: TypeAlias = tuple[Call, float, float]
Found: TypeAlias = tuple[Finding, Moment | None]

MARKS: Final = 0
"""the process of the marks and ranges of the program, with a row for each domain"""
HOST: Final = 1
DEVICE: Final = 2
"""the process of device 0; the next devices follow"""
TICK: Final = 0.001
"""ours: the drawn duration of a call, which takes no simulated time; calls of one instant are drawn side by side"""
UNNAMED: Final = r"(Thread|ThreadPoolExecutor|Dummy|asyncio)[-_]\d"
"""thread names with a number that Python counts for the whole process, so that it differs between runs"""


def chrome_trace(
    calls: Sequence[Call],
    tasks: Iterable[Ran],
    chips: Sequence[str],
    found: Iterable[Found] = (),
    marks: Sequence[Mark] = (),
) -> dict[str, object]:
    """The trace of these calls and tasks. `chips`: the chip of each device; `found`: the findings with their times;
    `marks`: the marks and ranges of the program."""
    spans = _host(calls)
    places = {id(call): (row, start) for row, each in enumerate(spans, 1) for call, start, _ in each}
    events = [
        *_processes(chips),
        *_calls(calls, spans),
        *_tasks(tasks, spans),
        *_memory(calls, places),
        *_findings(calls, places, found),
        *_marks(marks, max((end for each in spans for _, _, end in each), default=0.0)),
    ]
    return {"traceEvents": events, "displayTimeUnit": "ns"}


def write(trace: Mapping[str, object], path: str | os.PathLike[str]) -> None:
    """Write a trace to a file."""
    text = json.dumps(trace, indent=1)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + "\n")


def _processes(chips: Sequence[str]) -> Iterator[Event]:
    yield _metadata(HOST, 0, "process", "host")
    for number, chip in enumerate(chips):
        yield _metadata(DEVICE + number, 0, "process", f"device {number} ({chip})")


def _metadata(process: int, row: int, of: str, name: str) -> Event:
    return {"ph": "M", "pid": process, "tid": row, "name": f"{of}_name", "args": {"name": name}}


def _host(calls: Sequence[Call]) -> list[list[Span]]:
    """For each thread, its calls with the start and end at which they are drawn, sorted by start."""
    threads: dict[int, list[Call]] = {}
    for call in calls:
        threads.setdefault(id(call.kept[3]), []).append(call)
    return [sorted(_drawn(each), key=lambda span: (span[1], -span[2])) for each in threads.values()]


def _drawn(calls: Iterable[Call]) -> Iterator[Span]:
    """The start and end of each call of a thread. No two overlap, except that a call made in a callback lies inside the
    call that ran the callback."""
    inner: list[Call] = []
    free = 0.0
    for call in calls:
        if call.inside:  # it returned before the call around it
            inner.append(call)
            continue
        start = free = max(_round(call.began), free)
        for each in inner:
            yield (span := _after(free, each))
            free = span[2]
        free = max(_round(call.time), free, _round(start + TICK))
        yield call, start, free
        inner = []
    for each in inner:  # the call around them has not returned yet
        yield (span := _after(free, each))
        free = span[2]


def _after(free: float, call: Call) -> Span:
    start = max(_round(call.began), free)
    return call, start, max(_round(call.time), _round(start + TICK))


def _round(us: float) -> float:
    """Rounded to nanoseconds, which viewers do not show any finer."""
    return round(us, 3)


def _calls(calls: Sequence[Call], threads: list[list[Span]]) -> Iterator[Event]:
    additional = {id(call): facts for call, facts in zip(calls, _additional(calls), strict=True)}
    for row, spans in enumerate(threads, 1):
        name = spans[0][0].thread
        yield _metadata(HOST, row, "thread", f"thread {row}" if re.match(UNNAMED, name) else name)
        for call, start, end in spans:
            status = f"raised {call.result}" if call.status is None else name_of(call.status)
            facts = {"call": str(call), "status": status, "time": call.time, "stream": call.stream, "site": call.site}
            yield _slice(HOST, row, call.function, start, end, facts | additional[id(call)])


def _additional(calls: Iterable[Call]) -> Iterator[dict[str, object]]:
    """More arguments for the event of each call, which `acl_runtime.timeline` uses: `order` numbers the calls as they
    returned; `memory` has the bytes in use of each device, where they changed."""
    memory: tuple[int, ...] = ()
    for order, call in enumerate(calls, 1):
        facts: dict[str, object] = {"order": order, "inside": call.inside}
        if call.began != call.time:
            facts["began"] = call.began
        if call.failed:
            facts["failed"] = True
        if call.tasks:
            facts["tasks"] = list(call.tasks)
        if call.memory != memory:
            if memory or any(call.memory):
                facts["memory"] = list(call.memory)
            memory = call.memory
        yield facts


def _tasks(tasks: Iterable[Ran], threads: list[list[Span]]) -> Iterator[Event]:
    """The tasks that ran, and the arrows from their launches."""
    launches = {
        task: (row, start) for row, spans in enumerate(threads, 1) for call, start, _ in spans for task in call.tasks
    }
    rows: dict[tuple[int, str], list[Ran]] = {}
    for task in sorted(tasks, key=lambda task: task.id):
        rows.setdefault((task.device, task.stream), []).append(task)
    for row, ((device, stream), ran) in enumerate(rows.items(), 1):
        process = DEVICE + device
        yield _metadata(process, row, "thread", stream)
        for task in ran:
            start, end = _round(task.start), _round(task.end)
            status = name_of(task.status)
            facts = {"status": status, "task": task.id, "submitted": task.submitted, "site": task.launched}
            yield _slice(process, row, task.name, start, end, facts)
            if task.id in launches:
                host, at = launches[task.id]
                arrival = _round(min(max(start, at), end - TICK))
                yield _arrow("s", HOST, host, min(at, arrival), task)
                yield {**_arrow("f", process, row, arrival, task), "bp": "e"}


def _slice(process: int, row: int, name: str, start: float, end: float, facts: Mapping[str, object]) -> Event:
    shown = {key: value for key, value in facts.items() if value != ""}
    dur = _round(end - start)
    return {"ph": "X", "pid": process, "tid": row, "ts": start, "dur": dur, "name": name, "args": shown}


def _arrow(phase: str, process: int, row: int, at: float, task: Ran) -> Event:
    return {"ph": phase, "pid": process, "tid": row, "ts": at, "id": task.id, "name": task.name, "cat": "launch"}


def _memory(calls: Iterable[Call], places: Mapping[int, tuple[int, float]]) -> Iterator[Event]:
    """The bytes in use of each device, where they change."""
    known: dict[int, int] = {}
    at = 0.0
    for call in calls:
        at = max(at, places[id(call)][1])  # with several threads, a call may be drawn a little late
        for device, used in enumerate(call.memory):
            if known.get(device) != used:
                known[device] = used
                yield _counter(DEVICE + device, at, used)


def _counter(process: int, at: float, used: int) -> Event:
    return {"ph": "C", "pid": process, "tid": 0, "ts": at, "name": "memory in use", "args": {"bytes": used}}


def _findings(
    calls: Sequence[Call], places: Mapping[int, tuple[int, float]], found: Iterable[Found]
) -> Iterator[Event]:
    """Each finding at the call that reported it; findings at the end of the machine, at the end."""
    returned = {id(call.kept): order for order, call in enumerate(calls, 1)}
    last = _round(max((call.time for call in calls), default=0.0))
    for finding, moment in found:
        facts: dict[str, object] = {"level": finding.level, "message": finding.message, "site": finding.site}
        row, at = 1, last
        if moment is not None:
            facts["call"], facts["time"], at = finding.call, moment.time, _round(moment.time)
            order = _shown_by(calls, returned, finding, moment)
            if order:
                row, at = places[id(calls[order - 1])]
                facts["order"] = order
        shown = {key: value for key, value in facts.items() if value != ""}
        scope = "t" if "order" in facts else "g"
        yield {"ph": "i", "s": scope, "pid": HOST, "tid": row, "ts": at, "name": finding.id, "cat": "finding",
               "args": shown}  # fmt: skip


def _shown_by(calls: Sequence[Call], returned: Mapping[int, int], finding: Finding, moment: Moment) -> int:
    """The order of the call that a finding belongs to; 0 if that is not known.

    It is the first call of the finding's function that returned in the thread afterwards. A finding that was made later
    than its call, when a task ran or at the end, belongs to an earlier call: the last one at the finding's line, or the
    only one of its function."""
    before = returned.get(id(moment.after)) if moment.after is not None else 0
    if before is None:
        return 0  # the call is too old to be kept
    for i in range(before, len(calls)):
        if calls[i].kept[3] is moment.thread and calls[i].function == finding.call:
            return i + 1
    earlier = [i + 1 for i in range(before) if calls[i].function == finding.call]
    at_line = [order for order in earlier if calls[order - 1].site and calls[order - 1].site == finding.site]
    return at_line[-1] if at_line else earlier[0] if len(earlier) == 1 else 0


def _marks(marks: Sequence[Mark], last: float) -> Iterator[Event]:
    """The marks, and the ranges, which may overlap. A range that goes on ends with the last call."""
    if not marks:
        return
    yield _metadata(MARKS, 0, "process", "marks and ranges")
    rows = {domain: row for row, domain in enumerate(dict.fromkeys(each.domain for each in marks), 1)}
    for domain, row in rows.items():
        yield _metadata(MARKS, row, "thread", domain)
    for each in marks:
        row, at = rows[each.domain], _round(each.began)
        common = {"pid": MARKS, "tid": row, "name": each.message, "cat": "mark"}
        facts: dict[str, object] = {"number": each.id, "time": each.began}
        if not each.is_range:
            yield {"ph": "i", "s": "t", "ts": at, **common, "args": facts}
            continue
        end = max(_round(last if each.ended is None else each.ended), at)
        if each.ended is None:
            facts["open"] = True
        yield {"ph": "b", "id": each.id, "ts": at, **common, "args": facts}
        yield {"ph": "e", "id": each.id, "ts": end, **common}
