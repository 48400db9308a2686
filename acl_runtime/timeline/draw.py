"""Draws a picture as SVG. The SVG is complete by itself, with a title, a description and a legend."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from acl_runtime.timeline.axis import time_text
from acl_runtime.timeline.bars import Bar
from acl_runtime.timeline.elements import file_size, number, safe, shortened, tag, text
from acl_runtime.timeline.geometry import (
    AXIS,
    BAR,
    LANE,
    MARK,
    Arrow,
    Curve,
    FindingMark,
    Picture,
    RowGroup,
    TimelineRow,
)
from acl_runtime.timeline.read import TraceContents
from acl_runtime.timeline.style import SVG

LEFT: Final = 200.0
"""the x of the rows, right of their names; all sizes here are in pixels"""
RIGHT: Final = 30.0
NARROWEST: Final = 900.0
"""the least width, for the legend and the line of text"""
LEGEND_ROW: Final = 20.0
FOCUSABLE: Final = 400
"""up to so many bars can be reached with the Tab key; with more, a user could hardly get past the picture"""
ARROWS: Final = 300
"""up to so many launches have visible arrows; with more, only those of the bar under the pointer are shown"""
FEW: Final = 40
"""up to so many launches have strong arrows; with more, the arrows are faint, as they cover each other"""
PREFIX: Final = re.compile("^acl(?:nn|rt)")
"""the common prefix of names, which is left out where space is short"""
TIP: Final = 1160.0
"""the width of the line of text about the bar under the pointer"""
LEGEND: Final = (
    ("launch", "call that launches"),
    ("memory", "call that changes memory"),
    ("wait", "call that waits"),
    ("call", "other call"),
    ("failed", "failed"),
    ("task", "task"),
    ("mark", "event in a stream, mark or range"),
    ("arrow", "launch to run"),
    ("order", "what a wait waited for"),
    ("error", "error"),
    ("warning", "warning"),
    ("advice", "advice"),
)
POINT: Final = "Point at a bar, or go there with the Tab key, to read about it here."


def svg(contents: TraceContents, picture: Picture) -> str:
    """The `svg` element."""
    marks = max((mark.x for mark in picture.marks), default=0.0)
    width = max(LEFT + max(picture.axis.end, marks) + RIGHT, NARROWEST)
    legend, bottom = _legend(picture, width)
    height = bottom + 12
    bars = sum(len(row.bars) for group in picture.groups for row in group.rows)
    focus = bars <= FOCUSABLE
    launches = {arrow.of: arrow for arrow in picture.arrows if arrow.kind == "launch"}
    body = [
        tag("title", safe(title(contents)), id="timeline-title"),
        tag("desc", safe(description(contents, picture)), id="timeline-desc"),
        tag("style", SVG),
        DEFS,
        tag("rect", class_="ground", width=width, height=height),
        text(12.0, 16.0, POINT, "soft small") if focus else "",
        tag("g", "\n".join(_ground(picture, width)), transform=f"translate({number(LEFT)} 0)", aria_hidden="true"),
        *_names(picture),
        tag(
            "g",
            "\n".join(
                [
                    *(_curve(group, picture) for group in picture.groups if group.curve),
                    *(_row(row, launches, picture, focus) for group in picture.groups for row in group.rows),
                    *(_arrow(arrow) for arrow in picture.arrows if arrow.kind == "order"),
                    *(_mark(mark, picture) for mark in picture.marks),
                ]
            ),
            transform=f"translate({number(LEFT)} 0)",
            class_=_crowd(picture),
        ),
        legend,
    ]
    return tag(
        "svg",
        "\n".join(part for part in ["", *body, ""] if part or part == ""),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {number(width)} {number(height)}",
        width=width,
        height=height,
        role="group",
        aria_labelledby="timeline-title",
        aria_describedby="timeline-desc",
    )


def title(contents: TraceContents) -> str:
    """The title: numbers of calls and tasks, and the time."""
    when = f"from {time_text(contents.start)} to {time_text(contents.end)}"
    return f"{_count(len(contents.calls), 'call')} and {_count(len(contents.tasks), 'task')} {when}"


def description(contents: TraceContents, picture: Picture) -> str:
    """The picture in words."""
    levels = [
        (sum(found.level == level for found in contents.found), level) for level in ("error", "warning", "advice")
    ]
    counts = ", ".join(_count(count, level) for count, level in levels if count) or "nothing"
    most = [f"{group.name} {file_size(group.curve.most)}" for group in picture.groups if group.curve]
    devices = sum(group.name in contents.devices for group in picture.groups)
    sentences = [
        f"Rows for {_count(len(contents.threads), 'host thread')} and {_count(len(contents.streams), 'stream')} of "
        f"{_count(devices, 'device')}, from left to right by simulated time.",
        "Calls take no time, so each is drawn as wide as the others, on shaded ground, in the order in which they "
        "returned; tasks and waits are as wide as they took.",
        f"Memory at most: {', '.join(most)}." if most else "",
        f"Found: {counts}.",
        _never_ran(contents),
        summary(picture),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _never_ran(contents: TraceContents) -> str:
    launched = {id for call in contents.calls for id in call.tasks}
    count = len(launched.difference(task.id for task in contents.tasks))
    return f"{_count(count, 'launched task')} {'is' if count == 1 else 'are'} not seen to run." if count else ""


def summary(picture: Picture) -> str:
    """A note on merged bars and hidden arrows; "" if there are none."""
    hidden = (
        "The arrows of the launches show for the task that is pointed at, as there are many." if _many(picture) else ""
    )
    text = (
        f"{picture.summarised} calls and tasks are too narrow to be drawn one by one: neighbours share a bar, which "
        "shows their number. A picture of a part of the time shows them one by one."
    )
    return " ".join(part for part in (text if picture.summarised else "", hidden) if part)


def _many(picture: Picture) -> bool:
    return _crowd(picture) == "hidden"


def _crowd(picture: Picture) -> str:
    """The CSS class for the arrows of launches: all visible, all faint, or only those of the bar under the pointer."""
    launches = sum(arrow.kind == "launch" for arrow in picture.arrows)
    return "all" if launches <= FEW else "faint" if launches <= ARROWS else "hidden"


def _count(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 or what == "advice" else f"{count} {what}s"


DEFS: Final = tag(
    "defs",
    tag("marker", tag("path", d="M0 0 L6 3 L0 6 Z", class_="arrowhead"), id="head", markerWidth=6, markerHeight=6,
        refX=5, refY=3, orient="auto", markerUnits="userSpaceOnUse")
    + tag("marker", tag("path", d="M0 0 L6 3 L0 6 Z", class_="orderhead"), id="order", markerWidth=6, markerHeight=6,
          refX=5, refY=3, orient="auto", markerUnits="userSpaceOnUse")
    + tag("pattern", tag("path", d="M0 6 L6 0", class_="stripe"), id="stripes", width=6, height=6,
          patternUnits="userSpaceOnUse"),
)  # fmt: skip


def _ground(picture: Picture, width: float) -> Iterator[str]:
    """The background: bands of rows, shaded columns of calls, times."""
    axis, top, bottom = picture.axis, picture.top, picture.bottom
    for group in picture.groups:
        for row in group.rows:
            yield tag("rect", class_="band", x=0, y=row.top + 1, width=axis.end, height=row.lanes * LANE - 2)
    for left, right in zip(axis.left, axis.right, strict=True):
        if right > left:
            yield tag("rect", class_="instant", x=left, y=top, width=right - left, height=bottom - top)
    for i in axis.resumes:
        x = (axis.right[i - 1] + axis.left[i]) / 2
        yield tag("rect", class_="ground", x=x - 3, y=top, width=6.0, height=bottom - top)
        yield text(x, AXIS - 6, "//", "soft small", text_anchor="middle")
    for time, x in axis.ticks():
        yield tag("path", class_="grid", d=f"M{number(x)} {number(AXIS)} V{number(bottom)}")
        anchor = "end" if x > width - LEFT - 40 else "start"
        yield text(x, AXIS - 6, time_text(time), "soft small", text_anchor=anchor)


def _names(picture: Picture) -> Iterator[str]:
    yield text(12.0, AXIS - 6, "simulated time", "soft small")
    for group in picture.groups:
        yield text(12.0, group.top + 15, group.name, "title")
        for row in group.rows:
            name = safe(shortened(row.name, LEFT - 30))
            yield tag("text", name + tag("title", safe(row.name)), x=20.0, y=row.top + 15)
        if group.curve:
            middle = (group.curve.top + group.curve.bottom) / 2
            yield text(20.0, middle - 2, "memory in use", "")
            yield text(20.0, middle + 13, f"{file_size(group.curve.most)} at most", "soft small")


def names(picture: Picture) -> str:
    """The names of the rows as an SVG of their own. On the page, they stay in place while the picture scrolls."""
    ground = tag("rect", class_="ground", y=AXIS - 24, width=LEFT, height=picture.bottom - AXIS + 24)
    content = "\n".join(["", ground, *_names(picture), ""])
    return tag("svg", content, class_="names", width=LEFT, height=picture.bottom, aria_hidden="true")


def _curve(group: RowGroup, picture: Picture) -> str:
    curve = group.curve
    assert curve is not None
    caption = f"{group.name}: {file_size(curve.most)} at most, {file_size(curve.steps[-1][1])} at the end"
    return tag("path", tag("title", safe(caption)), class_="curve", d=outline(curve, picture.axis.end))


def outline(curve: Curve, end: float) -> str:
    """The path around the area below a curve."""
    scale = (curve.bottom - curve.top) / max(curve.most, 1)
    path = [f"M0 {number(curve.bottom)}"]
    for x, used in curve.steps:
        path.append(f"H{number(x)} V{number(curve.bottom - used * scale)}")
    return " ".join([*path, f"H{number(end)} V{number(curve.bottom)} Z"])


def _row(row: TimelineRow, launches: dict[int, Arrow], picture: Picture, focus: bool) -> str:
    drawn: list[str] = []
    for bar in row.bars:
        of_task = bar.kind in ("task", "mark") or bar.text.startswith(("task ", f"{len(bar.keys)} tasks"))
        arrows = [launches[key] for key in bar.keys if key in launches] if of_task else []
        drawn.append(_bar(row, bar, arrows, picture, focus))
    return tag("g", "\n".join(drawn), role="list", aria_label=row.name)


def _bar(row: TimelineRow, bar: Bar, arrows: Sequence[Arrow], picture: Picture, focus: bool) -> str:
    y = row.y(bar)
    gap = 1.0 if bar.width > 3 else 0.0
    width = max(bar.width - gap, 1.0)
    box = {"x": bar.left, "y": y, "width": width, "height": BAR, "rx": 2 if width > 5 else 0}
    label = _label(bar.label, width - 10) if bar.label else (str(len(bar.keys)) if width > 24 else "")
    parts = [
        tag("title", safe(bar.text)),
        *map(_arrow, arrows),
        tag("rect", None, class_=f"body {bar.kind}", **box),
        tag("rect", None, class_="stripes", fill="url(#stripes)", **box) if bar.kind == "wait" else "",
        _cross(bar, y) if bar.kind == "failed" and width >= 6 and not label else "",
        text(bar.left + 4, y + 12, label, "label on") if label else "",
        _tip(bar.left, bar.text, picture) if focus else "",
    ]
    reach: dict[str, object] = {"tabindex": 0} if focus else {}
    return tag("g", "".join(parts), class_="item", role="listitem", **reach)


def _label(name: str, width: float) -> str:
    whole = shortened(name, width)
    return whole if whole == name else shortened(PREFIX.sub("", name), width)


def _cross(bar: Bar, y: float) -> str:
    return text((bar.left + bar.right - 1) / 2, y + 12, "×", "label on", text_anchor="middle")


def _tip(x: float, content: str, picture: Picture) -> str:
    """The line of text about the bar under the pointer. It stands above the picture, where no bar covers it."""
    space = max(picture.axis.end + RIGHT, NARROWEST - LEFT)
    width = min(LEFT + space - 24, TIP)
    line = shortened(content.replace("\n", "   "), width)
    at = max(12 - LEFT, min(x - width / 2, space - 12 - width))  # near the bar, as the picture may be scrolled
    ground = tag("rect", x=-LEFT, y=0, width=LEFT + space, height=24)
    return tag("g", ground + text(at, 16.0, line, "small"), class_="tip")


def _arrow(arrow: Arrow) -> str:
    (x1, y1), (x2, y2) = arrow.tail, arrow.head
    down = (y2 - y1) / 2
    a, b, c, d = map(number, (x1, y1, x2, y2))
    path = f"M{a} {b} C{a} {number(y1 + down)} {c} {number(y2 - down)} {c} {d}" if x1 != x2 else f"M{a} {b} V{d}"
    class_, head = ("arrow", "head") if arrow.kind == "launch" else ("order", "order")
    return tag("path", tag("title", safe(arrow.text)), class_=class_, d=path, marker_end=f"url(#{head})")


SHAPES: Final = {
    "error": "M-7 -7 H7 V7 H-7 Z",
    "warning": "M0 -9 L9 7 H-9 Z",
    "advice": "M-8 0 A8 8 0 1 0 8 0 A8 8 0 1 0 -8 0 Z",
}
"""a square, a triangle, a circle"""


def _mark(mark: FindingMark, picture: Picture) -> str:
    first = mark.found[0]
    y = AXIS + MARK / 2
    more = f"{len(mark.found)} findings, the first: " if len(mark.found) > 1 else ""
    content = f"{first.level}[{first.id}]: {first.message}"
    shown = str(first.number) if len(mark.found) == 1 else f"{first.number}+"
    shape = tag("path", class_=f"body level-{mark.level}", d=SHAPES[mark.level]) + tag(
        "text", safe(shown), class_=f"label on{' tiny' if len(shown) > 1 else ''}", y=5.0, text_anchor="middle"
    )
    every = "\n".join(f"{found.number}. {found.level}[{found.id}]: {found.message}" for found in mark.found[:10])
    leader = ""
    if mark.foot is not None:
        path = f"M{number(mark.x)} {number(y + 8)} L{number(mark.foot[0])} {number(mark.foot[1])}"
        leader = tag("path", class_="leader", d=path)
    parts = [
        tag("title", safe(every)),
        leader,
        tag("g", shape, transform=f"translate({number(mark.x)} {number(y)})"),
        _tip(mark.x, more + content, picture),
    ]
    return tag("a", "".join(parts), href=f"#finding-{first.number}", aria_label=content)


def _legend(picture: Picture, width: float) -> tuple[str, float]:
    """The legend, and its lower edge."""
    kinds = {bar.kind for group in picture.groups for row in group.rows for bar in row.bars}
    kinds |= {"arrow" if arrow.kind == "launch" else "order" for arrow in picture.arrows}
    kinds |= {mark.level for mark in picture.marks}
    x, y = 12.0, picture.bottom + 24
    parts: list[str] = []
    for kind, name in LEGEND:
        if kind in kinds:
            if x > min(width, 1240) - 130:
                x, y = 12.0, y + LEGEND_ROW
            parts.append(_sample(kind, x, y - 10) + text(x + 24, y, name, "small"))
            x += 24 + 6.3 * len(name) + 18
    return tag("g", "".join(parts), role="group", aria_label="legend"), y


def _sample(kind: str, x: float, y: float) -> str:
    if kind in SHAPES:
        moved = f"translate({number(x + 10)} {number(y + 6)}) scale(.8)"
        return tag("path", class_=f"level-{kind}", d=SHAPES[kind], transform=moved)
    if kind in ("arrow", "order"):
        head = "head" if kind == "arrow" else "order"
        return tag("path", class_=kind, d=f"M{number(x)} {number(y + 6)} H{number(x + 18)}", marker_end=f"url(#{head})")
    box = {"x": x, "y": y, "width": 18.0, "height": 12.0, "rx": 2}
    stripes = tag("rect", None, class_="stripes", fill="url(#stripes)", **box) if kind == "wait" else ""
    return tag("rect", None, class_=kind, **box) + stripes
