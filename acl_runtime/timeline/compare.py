"""Differences between two traces."""

from collections import Counter
from collections.abc import Sequence

from acl_runtime.timeline.axis import time_text
from acl_runtime.timeline.contents import About, TraceContents
from acl_runtime.timeline.totals import Total, by_function, by_line, by_task, peak


def compared(old: TraceContents, new: TraceContents) -> str:
    """The differences of two traces as a text; one line if there are none."""
    parts = [
        _run(old.about, new.about),
        _differences("tasks", by_task(old), by_task(new)),
        _differences("calls", by_function(old), by_function(new)),
        _counts("findings", *([finding.id for finding in trace.findings] for trace in (old, new))),
    ]
    parts.append(_memory(old, new))
    whole = [("simulated time", time_text(old.end), time_text(new.end))]
    whole += [("memory at most", f"{peak(old):,} bytes", f"{peak(new):,} bytes")]
    parts.append([f"{what}: {before} -> {after}" for what, before, after in whole if before != after])
    lines = [line for part in parts for line in part]
    return "\n".join(lines) or "no difference in tasks, calls, findings, simulated time and memory"


def _differences(title: str, old: Sequence[Total], new: Sequence[Total]) -> list[str]:
    before, after = ({total.name: total for total in sums} for sums in (old, new))
    none = Total("", 0, 0.0, 0.0, 0)
    lines: list[str] = []
    for name in dict.fromkeys([*before, *after]):
        was, now = before.get(name, none), after.get(name, none)
        changes = [
            f"{number} -> {new_number}{unit}"
            for number, new_number, unit in (
                (str(was.times), str(now.times), "x"),
                (time_text(was.time), time_text(now.time), ""),
                (str(was.failed), str(now.failed), " failed"),
            )
            if number != new_number
        ]
        if changes:
            lines.append(f"{title}: {name}: {', '.join(changes)}")
    return lines


def _run(old: About, new: About) -> list[str]:
    names = zip(About._fields, old, new, strict=True)
    return [f"{what}: {was or '(none)'} -> {now or '(none)'}" for what, was, now in names if was != now]


def _memory(old: TraceContents, new: TraceContents) -> list[str]:
    """Lines of code that allocate more or less. A line is identified by its file and its code, as its number may
    change."""
    before, after = (_by_code(trace) for trace in (old, new))
    sums = ((line, before[line], after[line]) for line in dict.fromkeys([*before, *after]))
    return [f"memory of {line}: {was:,} -> {now:,} bytes" for line, was, now in sums if was != now]


def _by_code(contents: TraceContents) -> Counter[str]:
    bytes_by_line: Counter[str] = Counter()
    for line in by_line(contents):
        bytes_by_line[f"{line.site.rpartition(':')[0]}: {line.code}" if line.code else line.site] += line.bytes
    return bytes_by_line


def _counts(title: str, before: Sequence[str], after: Sequence[str]) -> list[str]:
    counts = ((name, before.count(name), after.count(name)) for name in dict.fromkeys([*before, *after]))
    return [f"{title}: {name}: {was} -> {now}x" for name, was, now in counts if was != now]
