"""The trace of a machine in the Trace Event Format, for chrome://tracing and Perfetto.

The host is a process with a row for each thread. Each device is a process with a row for each stream and a counter for
the memory in use. Each finding is an instant event. Marks and ranges of the program are in a separate process, with a
row for each domain. Times are simulated microseconds, so the same program gives the same trace. `acl_runtime.timeline`
draws its picture from this trace. `otherData` has the program, the schedule, and each line of the user's code that an
event refers to.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from acl_runtime.headers.statuses import name_of
from acl_runtime.source.site import code_at, shown
from acl_runtime.streams.ran import Ran
from acl_runtime.trace.events import DEVICE, HOST, Event, metadata, rounded
from acl_runtime.trace.finding_events import Found, findings, marks_and_ranges
from acl_runtime.trace.marks import Mark
from acl_runtime.trace.records import Call

Span: TypeAlias = tuple[Call, float, float]

TICK: Final = 0.001
"""the drawn duration of a call, which takes no simulated time; calls of one instant are drawn side by side"""
UNNAMED: Final = r"(Thread|ThreadPoolExecutor|Dummy|asyncio)[-_]\d"
"""thread names with a number that Python counts in the whole process, so that the number differs between runs"""


def chrome_trace(
    calls: Sequence[Call],
    tasks: Iterable[Ran],
    chips: Sequence[str],
    finding_times: Iterable[Found] = (),
    marks: Sequence[Mark] = (),
    *,
    about: Mapping[str, object] | None = None,
) -> dict[str, object]:
    """The trace of these calls and tasks. `chips`: the chip of each device; `finding_times`: the findings with their
    times; `marks`: the marks and ranges of the program; `about`: the program and the schedule."""
    spans = _host(calls)
    places = {id(call): (row, start) for row, span in enumerate(spans, 1) for call, start, _ in span}
    tasks = list(tasks)
    events = [
        *_processes(chips),
        *_calls(calls, spans),
        *_tasks(tasks, spans),
        *_memory(calls, places),
        *findings(calls, places, finding_times),
        *marks_and_ranges(calls, marks, max((end for span in spans for _, _, end in span), default=0.0)),
    ]
    sites = dict.fromkeys(filter(None, [*(call.site for call in calls), *(str(task.launched) for task in tasks)]))
    lines = {site: [shown(site), code_at(site)] for site in sites}
    return {"traceEvents": events, "displayTimeUnit": "ns", "otherData": {**(about or {}), "lines": lines}}


def write(trace: Mapping[str, object], path: str | os.PathLike[str]) -> None:
    """Write a trace to a file."""
    text = json.dumps(trace, indent=1)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + "\n")


def _processes(chips: Sequence[str]) -> Iterator[Event]:
    yield metadata(HOST, 0, "process", "host")
    for number, chip in enumerate(chips):
        yield metadata(DEVICE + number, 0, "process", f"device {number} ({chip})")


def _host(calls: Sequence[Call]) -> list[list[Span]]:
    """The calls of each thread with their drawn start and end, sorted by start."""
    threads: dict[int, list[Call]] = {}
    for call in calls:
        threads.setdefault(id(call.caller), []).append(call)
    return [sorted(_drawn(thread), key=lambda span: (span[1], -span[2])) for thread in threads.values()]


def _drawn(calls: Iterable[Call]) -> Iterator[Span]:
    """The drawn start and end of each call of a thread. Calls do not overlap, except that a call in a callback lies
    inside the call that ran the callback."""
    inner: list[Call] = []
    free = 0.0
    for call in calls:
        if call.inside:  # it returned before the call that ran the callback
            inner.append(call)
            continue
        start = free = max(rounded(call.began), free)
        for waiting_call in inner:
            yield (span := _after(free, waiting_call))
            free = span[2]
        free = max(rounded(call.time), free, rounded(start + TICK))
        yield call, start, free
        inner = []
    for waiting_call in inner:  # the call that ran the callback has not returned yet
        yield (span := _after(free, waiting_call))
        free = span[2]


def _after(free: float, call: Call) -> Span:
    start = max(rounded(call.began), free)
    return call, start, max(rounded(call.time), rounded(start + TICK))


def _calls(calls: Sequence[Call], threads: list[list[Span]]) -> Iterator[Event]:
    additional = {id(call): facts for call, facts in zip(calls, _additional(calls), strict=True)}
    for row, spans in enumerate(threads, 1):
        name = spans[0][0].thread
        yield metadata(HOST, row, "thread", f"thread {row}" if re.match(UNNAMED, name) else name)
        for call, start, end in spans:
            status = f"raised {call.result}" if call.status is None else name_of(call.status)
            facts = {"call": str(call), "status": status, "time": call.time, "stream": call.stream, "site": call.site}
            yield _slice(HOST, row, call.function, start, end, facts | additional[id(call)])


def _additional(calls: Iterable[Call]) -> Iterator[dict[str, object]]:
    """More arguments for the event of each call, which `acl_runtime.timeline` uses: `order` numbers the calls as they
    returned; `memory` has the bytes in use of each device, if they changed; `block` names the memory that the call
    allocated or freed, and `callers` are the lines that called the line of the call."""
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
                if block := _block(call, sum(call.memory) > sum(memory)):
                    facts["block"] = block
                if callers := [shown(caller) for caller in getattr(call.site, "callers", ())]:
                    facts["callers"] = callers
            memory = call.memory
        yield facts


def _block(call: Call, allocated: bool) -> str:
    """The name of the memory that a call allocated (its first output) or freed (its first argument); "" without such a
    name, as for a reset of the device."""
    first = next(iter(call.outputs.values()), 0) if allocated else next(iter(call.arguments), 0)
    return call.names.of(first) if isinstance(first, int) and not isinstance(first, bool) else ""


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
        yield metadata(process, row, "thread", stream)
        for task in ran:
            start, end = rounded(task.start), rounded(task.end)
            status = name_of(task.status)
            facts: dict[str, object] = {
                "status": status, "task": task.id, "submitted": task.submitted, "site": task.launched,
                "meetings": list(task.meetings) or "",
            }  # fmt: skip
            yield _slice(process, row, task.name, start, end, facts)
            if task.id in launches:
                host, launched = launches[task.id]
                arrival = rounded(min(max(start, launched), end - TICK))
                yield _arrow("s", HOST, host, min(launched, arrival), task)
                yield {**_arrow("f", process, row, arrival, task), "bp": "e"}


def _slice(process: int, row: int, name: str, start: float, end: float, facts: Mapping[str, object]) -> Event:
    arguments = {key: value for key, value in facts.items() if value != ""}
    dur = rounded(end - start)
    return {"ph": "X", "pid": process, "tid": row, "ts": start, "dur": dur, "name": name, "args": arguments}


def _arrow(phase: str, process: int, row: int, time: float, task: Ran) -> Event:
    return {"ph": phase, "pid": process, "tid": row, "ts": time, "id": task.id, "name": task.name, "cat": "launch"}


def _memory(calls: Iterable[Call], places: Mapping[int, tuple[int, float]]) -> Iterator[Event]:
    """Events with the bytes in use of a device, at each change."""
    sizes: dict[int, int] = {}
    time = 0.0
    for call in calls:
        time = max(time, places[id(call)][1])  # with several threads, a call may be drawn a little late
        for device, size in enumerate(call.memory):
            if sizes.get(device) != size:
                sizes[device] = size
                yield _counter(DEVICE + device, time, size)


def _counter(process: int, time: float, size: int) -> Event:
    return {"ph": "C", "pid": process, "tid": 0, "ts": time, "name": "memory in use", "args": {"bytes": size}}
