"""Sums over a trace: tasks by name, calls by function, memory by the line that allocated it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Final, NamedTuple

from acl_runtime.timeline.axis import time_text
from acl_runtime.timeline.contents import TraceContents

UNKNOWN: Final = "(no line: the machine kept none)"
Row = tuple[str, ...]
Lines = tuple[str, ...]
"""a line, and the lines that called it"""


class Total(NamedTuple):
    """The sum over the tasks of one name, or over the calls of one function."""

    name: str
    times: int
    time: float
    """the sum of all times, in simulated microseconds"""
    longest: float
    failed: int


class Allocated(NamedTuple):
    """The memory of devices that one line allocated, for the same callers."""

    site: str
    code: str
    """the code of that line"""
    callers: tuple[str, ...]
    """the lines that called this line, the innermost first"""
    times: int
    bytes: int
    """the size of all allocations together"""
    most: int
    """the most of these bytes in use at one time"""
    left: int
    """the bytes in use at the end"""


def by_task(contents: TraceContents) -> list[Total]:
    """The sums over the tasks of each name, sorted by time, the longest first."""
    return _sums((task.name, task.start, task.end, task.failed) for task in contents.tasks)


def by_function(contents: TraceContents) -> list[Total]:
    """The sums over the calls of each function, sorted by the time of waiting, the longest first."""
    return _sums((call.name, call.began, call.ended, call.failed) for call in contents.calls)


def _sums(spans: Iterable[tuple[str, float, float, bool]]) -> list[Total]:
    times_by_name: defaultdict[str, list[tuple[float, bool]]] = defaultdict(list)
    for name, start, end, failed in spans:
        times_by_name[name].append((end - start, failed))
    sums = [
        Total(
            name,
            len(times),
            sum(time for time, _ in times),
            max(time for time, _ in times),
            sum(bad for _, bad in times),
        )
        for name, times in times_by_name.items()
    ]
    return sorted(sums, key=lambda each: (-each.time, -each.times, each.name))


def by_line(contents: TraceContents) -> list[Allocated]:
    """The lines that allocated memory of a device, sorted by bytes, the most first."""
    totals: dict[Lines, Allocated] = {}
    live: dict[str, tuple[Lines, int, int]] = {}
    """the lines, the device and the bytes of each block in use"""
    before = contents.before
    for call in contents.calls:
        if call.memory is None:
            continue
        changes = [now - was for was, now in zip_longest(before, call.memory, fillvalue=0)]
        before = call.memory
        for device, change in enumerate(changes):
            if change > 0:
                lines = call.site or UNKNOWN, *call.callers
                live[call.block or f"call {call.order}"] = lines, device, change
                old = totals.get(lines, Allocated(lines[0], call.code, lines[1:], 0, 0, 0, 0))
                in_use = old.left + change
                totals[lines] = old._replace(
                    times=old.times + 1, bytes=old.bytes + change, most=max(old.most, in_use), left=in_use
                )
            elif change < 0:
                for lines, size in _freed(live, call.block, device, all_of_it=not before[device]):
                    totals[lines] = totals[lines]._replace(left=totals[lines].left - size)
    return sorted(totals.values(), key=lambda each: (-each.bytes, each.site))


def _freed(
    live: dict[str, tuple[Lines, int, int]], block: str, device: int, *, all_of_it: bool
) -> list[tuple[Lines, int]]:
    """Remove the blocks that a call freed from `live`, and return their lines and bytes: the block `block`, or with
    `all_of_it` all blocks of the device."""
    gone = [name for name, (_, of, _) in live.items() if of == device] if all_of_it else [block]
    return [(lines, size) for name in gone if name in live for lines, _, size in [live.pop(name)]]


def peak(contents: TraceContents) -> int:
    """The most bytes in use at one time, on all devices together."""
    return max([sum(contents.before), *(sum(call.memory) for call in contents.calls if call.memory is not None)])


def _lines(total: Allocated) -> str:
    line = f"{total.site}: {total.code}" if total.code else total.site
    return f"{line}, called from {', '.join(total.callers)}" if total.callers else line


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
                    (row.name, str(row.times), time_text(row.time), time_text(row.longest), str(row.failed or ""))
                    for row in sums
                ],
            )
    if lines := by_line(contents):
        rows = [
            (_lines(row), str(row.times), f"{row.bytes:,}",
             f"{row.most:,}", f"{row.left:,}" if row.left else "")
            for row in lines
        ]  # fmt: skip
        head = ("line", "number", "bytes", "most in use", "left at the end")
        yield "Memory by the line that allocated it", head, rows
