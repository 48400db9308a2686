"""The coordinates of all elements: rows from top to bottom, x by the time axis."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from acl_runtime.timeline.arrows import Places, launches, meetings, orders, returns
from acl_runtime.timeline.axis import TimeAxis, make_axis
from acl_runtime.timeline.bars import Bar, of_calls, of_marks, of_tasks, visible
from acl_runtime.timeline.contents import CallSpan, Found, RankRows, TraceContents
from acl_runtime.timeline.elements import text_width
from acl_runtime.timeline.names import above_bars, height
from acl_runtime.timeline.shapes import (
    AXIS,
    BETWEEN,
    CURVE,
    LANE,
    MARK,
    PROGRAM,
    TITLE,
    Curve,
    FindingMark,
    Picture,
    RowGroup,
    TimelineRow,
    most_in_use,
)

INDENT: Final = 34.0
"""the space beside the name of a row, in pixels"""
LEAST_LEFT: Final = 118.0
"""the least width of the names of the rows, which fits `memory in use`"""
MOST_LEFT: Final = 200.0
"""the greatest width of the names of the rows; longer names are cut, as a small screen must show the picture too"""


def layout(contents: TraceContents) -> Picture:
    """Compute the picture of a trace."""
    spans = [(call.began, call.ended) for call in contents.calls if call.waited]
    spans += [(task.start, task.end) for task in contents.tasks]
    others = [finding.time for finding in contents.findings]
    others += [time for mark in contents.marks for time in (mark.began, mark.ended)]
    axis = make_axis([call.ended for call in contents.calls], spans, others)
    calls = of_calls(contents.calls, axis)
    tasks = of_tasks(contents.tasks, axis)
    top = AXIS + (MARK if contents.findings else 0.0)
    groups, bottom = _groups(contents, axis, top, calls, tasks)
    rows = [row for group in groups for row in group.rows]
    bars = [bar for row in rows for bar in row.bars]
    places = Places(groups)
    arrows = [arrow for kind in (launches, orders, returns, meetings) for arrow in kind(contents, places)]
    marks = _marks(contents, axis, places)
    shared = sum(len(bar.keys) for bar in bars if len(bar.keys) > 1)
    widest = [text_width(row.name) + INDENT for row in rows]
    widest += [text_width(most_in_use(group.curve)) + INDENT for group in groups if group.curve]
    left = min(max([*widest, LEAST_LEFT]), MOST_LEFT)
    return Picture(axis, groups, arrows, marks, top, bottom, shared, left)


def _columns(contents: TraceContents, axis: TimeAxis) -> Iterable[tuple[CallSpan, float]]:
    return zip(contents.calls, axis.columns, strict=True)


def _groups(
    contents: TraceContents,
    axis: TimeAxis,
    top: float,
    calls: Mapping[int, Sequence[Bar]],
    tasks: Mapping[tuple[int, int], Sequence[Bar]],
) -> tuple[list[RowGroup], float]:
    y = top
    groups: list[RowGroup] = []

    def rows_of(rows: Iterable[tuple[str, Sequence[Bar]]], noun: str) -> list[TimelineRow]:
        nonlocal y
        timeline_rows: list[TimelineRow] = []
        for name, bars in rows:
            lanes = max((bar.lane for bar in bars), default=0) + 1
            drawn = visible(bars, noun)
            above = above_bars(drawn) if noun == "calls" else []
            y += height(above)
            timeline_rows.append(TimelineRow(name, y, lanes, drawn, noun.removesuffix("s"), above))
            y += lanes * LANE
        return timeline_rows

    def device(number: int) -> None:
        nonlocal y
        title_y, y = y + BETWEEN, y + BETWEEN + TITLE
        streams = ((contents.streams.get(key, ""), bars) for key, bars in tasks.items() if key[0] == number)
        rows = rows_of(sorted(streams, key=lambda stream: _counted(stream[0])), "tasks")
        steps = _steps(contents, axis, number)
        curve = Curve(y + 6, y + CURVE, steps) if any(used for _, used in steps) else None
        y += CURVE + 4 if curve else 0.0
        if rows or curve or len(contents.devices) == 1:
            groups.append(RowGroup(contents.devices[number], title_y, rows, curve))
        else:
            y = title_y - BETWEEN  # nothing happened on this device

    whole = RankRows("", frozenset(calls), range(len(contents.devices)))
    for rank in contents.ranks or (whole,):
        y += BETWEEN if groups else 0.0
        title_y, y = y, y + TITLE
        mine = ((row, bars) for row, bars in calls.items() if row in rank.threads)
        threads = rows_of(((contents.threads.get(row, f"thread {row}"), bars) for row, bars in mine), "calls")
        groups.append(RowGroup(f"{rank.name}: host" if rank.name else "host", title_y, threads))
        for number in rank.devices:
            device(number)
    if contents.marks:
        title_y, y = y + BETWEEN, y + BETWEEN + TITLE
        domains: list[TimelineRow] = []
        for name, bars in of_marks(contents.marks, contents.calls, axis).items():
            lanes = max(bar.lane for bar in bars) + 1
            domains.append(TimelineRow(name, y, lanes, bars, "mark"))
            y += lanes * LANE
        groups.append(RowGroup(PROGRAM, title_y, domains))
    return groups, y


def _counted(name: str) -> list[tuple[str, int]]:
    """A sort key that puts `stream 2` before `stream 10`."""
    return [(text, int(digits or 0)) for text, digits in re.findall(r"(\D*)(\d*)", name)]


def _steps(contents: TraceContents, axis: TimeAxis, device: int) -> list[tuple[float, int]]:
    """Pairs of x and the memory in use of a device, one for each call that changed the memory."""
    first = contents.before or (contents.calls[0].memory if contents.calls else None) or ()
    steps = [(0.0, first[device] if device < len(first) else 0)]
    for call, column in _columns(contents, axis):
        if call.memory is not None and device < len(call.memory) and call.memory[device] != steps[-1][1]:
            steps.append((column + axis.column / 2, call.memory[device]))
    return steps


def _marks(contents: TraceContents, axis: TimeAxis, places: Places) -> list[FindingMark]:
    """The marks of the findings. Findings of one level share a mark if their marks would overlap."""
    columns = {call.order: column for call, column in _columns(contents, axis)}

    def place(finding: Found) -> tuple[float, tuple[float, float] | None]:
        if finding.order in columns:
            row, bar = places.calls[finding.order]
            x = max(bar.left, min(columns[finding.order] + axis.column / 2, bar.right))
            return x, (x, row.y(bar))
        return axis.end if not finding.call else axis.before(
            finding.time
        ), None  # without a call: reported at the end of the machine

    placed = sorted(((*place(found), found) for found in contents.findings), key=lambda mark: (mark[0], mark[2].number))
    near: list[list[tuple[float, tuple[float, float] | None, Found]]] = []
    for mark in placed:
        if near and mark[0] - near[-1][0][0] < MARK:
            near[-1].append(mark)
        else:
            near.append([mark])
    marks: list[FindingMark] = []
    last = -MARK
    for cluster in near:
        for level in dict.fromkeys(found.level for _, _, found in cluster):
            same = [mark for mark in cluster if mark[2].level == level]
            x = last = max(same[0][0], last + MARK)
            foot = next((foot for _, foot, _ in same if foot is not None), None)
            marks.append(FindingMark(x, level, [found for _, _, found in same], foot))
    return marks
