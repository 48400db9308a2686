"""Sums over a trace: tasks by name, calls by function, memory by the line that allocated it; and how two traces
differ."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from acl_runtime.timeline.axis import time_text
from acl_runtime.timeline.read import TraceContents

UNKNOWN: Final = "(no line: the machine kept none)"
Row = tuple[str, ...]


class Sum(NamedTuple):
    """The tasks of one name, or the calls of one function."""

    name: str
    times: int
    time: float
    """in simulated microseconds, of all of them"""
    longest: float
    failed: int


class Allocated(NamedTuple):
    """The memory of devices that one line allocated."""

    site: str
    times: int
    bytes: int


def by_task(contents: TraceContents) -> list[Sum]:
    """The tasks of each name; those that took the most time come first."""
    return _sums((task.name, task.start, task.end, task.failed) for task in contents.tasks)


def by_function(contents: TraceContents) -> list[Sum]:
    """The calls of each function; those that waited longest come first."""
    return _sums((call.name, call.began, call.ended, call.failed) for call in contents.calls)


def _sums(spans: Iterable[tuple[str, float, float, bool]]) -> list[Sum]:
    found: defaultdict[str, list[tuple[float, bool]]] = defaultdict(list)
    for name, start, end, failed in spans:
        found[name].append((end - start, failed))
    sums = [
        Sum(name, len(each), sum(time for time, _ in each), max(time for time, _ in each), sum(bad for _, bad in each))
        for name, each in found.items()
    ]
    return sorted(sums, key=lambda each: (-each.time, -each.times, each.name))


def by_line(contents: TraceContents) -> list[Allocated]:
    """The lines that allocated memory of a device; those with the most bytes come first."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    before = sum(contents.before)
    for call in contents.calls:
        if call.memory is not None:
            more, before = sum(call.memory) - before, sum(call.memory)
            if more > 0:
                found[call.site or UNKNOWN].append(more)
    lines = [Allocated(site, len(each), sum(each)) for site, each in found.items()]
    return sorted(lines, key=lambda each: (-each.bytes, each.site))


def peak(contents: TraceContents) -> int:
    """The most bytes in use at one time, on all devices together."""
    return max([sum(contents.before), *(sum(call.memory) for call in contents.calls if call.memory is not None)])


def tables(contents: TraceContents) -> Iterator[tuple[str, Row, list[Row]]]:
    """Title, head and rows of each table that is not empty."""
    for title, head, sums in (
        ("Tasks by name", ("task", "number", "time", "longest", "failed"), by_task(contents)),
        ("Calls by function", ("function", "number", "waited", "longest", "failed"), by_function(contents)),
    ):
        if sums:
            yield (
                title,
                head,
                [
                    (each.name, str(each.times), time_text(each.time), time_text(each.longest), str(each.failed or ""))
                    for each in sums
                ],
            )
    if lines := by_line(contents):
        rows = [(each.site, str(each.times), f"{each.bytes:,}") for each in lines]
        yield "Memory by the line that allocated it", ("line", "number", "bytes"), rows


def compared(old: TraceContents, new: TraceContents) -> str:
    """The differences of two traces as a text; one line if there are none."""
    parts = [
        _differences("tasks", by_task(old), by_task(new)),
        _differences("calls", by_function(old), by_function(new)),
        _counts("findings", *([found.id for found in each.found] for each in (old, new))),
    ]
    whole = [("simulated time", time_text(old.end), time_text(new.end))]
    whole += [("memory at most", f"{peak(old):,} bytes", f"{peak(new):,} bytes")]
    parts.append([f"{what}: {before} -> {after}" for what, before, after in whole if before != after])
    lines = [line for part in parts for line in part]
    return "\n".join(lines) or "no difference in tasks, calls, findings, simulated time and memory"


def _differences(what: str, old: Sequence[Sum], new: Sequence[Sum]) -> list[str]:
    before, after = ({each.name: each for each in sums} for sums in (old, new))
    none = Sum("", 0, 0.0, 0.0, 0)
    lines: list[str] = []
    for name in dict.fromkeys([*before, *after]):
        was, now = before.get(name, none), after.get(name, none)
        changes = [
            f"{number} -> {other}{unit}"
            for number, other, unit in (
                (str(was.times), str(now.times), "x"),
                (time_text(was.time), time_text(now.time), ""),
                (str(was.failed), str(now.failed), " failed"),
            )
            if number != other
        ]
        if changes:
            lines.append(f"{what}: {name}: {', '.join(changes)}")
    return lines


def _counts(what: str, before: Sequence[str], after: Sequence[str]) -> list[str]:
    counted = ((name, before.count(name), after.count(name)) for name in dict.fromkeys([*before, *after]))
    return [f"{what}: {name}: {was} -> {now}x" for name, was, now in counted if was != now]
