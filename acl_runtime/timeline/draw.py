"""The drawing of a picture as SVG. An SVG without the page has a title, a description and a legend too."""

from collections.abc import Iterator
from typing import Final

from acl_runtime.timeline.axis import time_text
from acl_runtime.timeline.bars import is_point
from acl_runtime.timeline.contents import TraceContents
from acl_runtime.timeline.elements import file_size, number, safe, shortened, tag, text, text_width
from acl_runtime.timeline.items import CUT, Drawing, arrow_path, call_name, finding_mark, row_of_bars
from acl_runtime.timeline.legend import legend
from acl_runtime.timeline.names import end
from acl_runtime.timeline.shapes import AXIS, LANE, Curve, Picture, RowGroup, most_in_use
from acl_runtime.timeline.style import SVG
from acl_runtime.timeline.words import crowd, description, title

RIGHT: Final = 30.0
"""the space at the right of the rows; all sizes here are in pixels"""
NARROWEST: Final = 900.0
"""the least width of the SVG alone, for the legend and the line of text"""
FOCUSABLE: Final = 400
"""the most bars that the Tab key can reach; with more, a user could hardly move past the picture"""
POINT: Final = "Point at a bar, or go there with the Tab key, to read about it here."


def svg(contents: TraceContents, picture: Picture, *, alone: bool = True) -> str:
    """The `svg` element. `alone`: True to add the title, the legend, and a line of text about the bar under the
    pointer."""
    width = _width(picture, NARROWEST if alone else 0.0)
    about, bottom = legend(picture, width) if alone else ("", picture.bottom - 4)
    top, height = (0.0 if alone else CUT), bottom + 12
    launches = {arrow.of: arrow for arrow in picture.arrows if arrow.kind == "launch"}
    drawing = Drawing(picture, alone, width, focusable(picture), launches)
    body = [
        tag("title", safe(title(contents)), id="timeline-title"),
        tag("desc", safe(description(contents, picture)), id="timeline-desc"),
        tag("style", SVG),
        DEFS,
        tag("rect", class_="ground", width=width, height=height),
        _heading(contents, drawing) if alone else "",
        tag("g", "\n".join(_ground(drawing)), transform=f"translate({number(picture.left)} 0)", aria_hidden="true"),
        *_names(picture),
        tag("g", "\n".join(_rows(drawing)), transform=f"translate({number(picture.left)} 0)", class_=crowd(picture)),
        about,
    ]
    return tag(
        "svg",
        "\n".join(part for part in ["", *body, ""] if part or part == ""),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 {number(top)} {number(width)} {number(height - top)}",
        width=width,
        height=height - top,
        role="group",
        aria_labelledby="timeline-title",
        aria_describedby="timeline-desc",
    )


def _width(picture: Picture, least: float) -> float:
    """The width of the SVG: up to the right end of the rows, of the last mark, and of the last slanted name."""
    ends = [picture.axis.end, *(mark.x for mark in picture.marks)]
    rows = [row for group in picture.groups for row in group.rows]
    ends += [end(name) for row in rows for name in row.names]
    ends += [bar.right + text_width(bar.label) for row in rows if row.of == "mark" for bar in row.bars if is_point(bar)]
    return max(picture.left + max(ends) + RIGHT, least)


def focusable(picture: Picture) -> bool:
    """True if the bars are few enough to reach each with the Tab key."""
    return sum(len(row.bars) for group in picture.groups for row in group.rows) <= FOCUSABLE


def _heading(contents: TraceContents, drawing: Drawing) -> str:
    """The first line of the SVG alone."""
    about = ", ".join(part for part in (contents.about.program, contents.about.order) if part)
    name = tag("tspan", safe(about), class_="strong") + safe(". ") if about else ""
    return tag("text", name + (safe(POINT) if drawing.focus else ""), class_="soft small", x=12.0, y=16.0)


def _rows(drawing: Drawing) -> Iterator[str]:
    picture = drawing.picture
    for group in picture.groups:
        if group.curve:
            yield _curve(group, picture)
    for group in picture.groups:
        for row in group.rows:
            yield from (call_name(name, row) for name in row.names)
            yield row_of_bars(row, drawing)
    for arrow in picture.arrows:
        if arrow.kind == "order":
            yield arrow_path(arrow)
    for mark in picture.marks:
        yield finding_mark(mark, drawing)


DEFS: Final = tag(
    "defs",
    tag("marker", tag("path", d="M0 0 L6 3 L0 6 Z", class_="arrowhead"), id="head", markerWidth=6, markerHeight=6,
        refX=5, refY=3, orient="auto", markerUnits="userSpaceOnUse")
    + tag("marker", tag("path", d="M0 0 L6 3 L0 6 Z", class_="orderhead"), id="order", markerWidth=6, markerHeight=6,
          refX=5, refY=3, orient="auto", markerUnits="userSpaceOnUse")
    + tag("pattern", tag("path", d="M0 6 L6 0", class_="stripe"), id="stripes", width=6, height=6,
          patternUnits="userSpaceOnUse"),
)  # fmt: skip


def _ground(drawing: Drawing) -> Iterator[str]:
    """The background: bands of rows, shaded columns of calls, times."""
    picture = drawing.picture
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
        anchor = "end" if x > drawing.width - picture.left - 40 else "start"
        yield text(x, AXIS - 6, time_text(time), "soft small", text_anchor=anchor)


def _names(picture: Picture) -> Iterator[str]:
    yield text(12.0, AXIS - 6, "simulated time", "soft small")
    for group in picture.groups:
        name = group.name.partition(" (")[0]  # without the chip, whose name is in the description
        yield tag("text", safe(name) + tag("title", safe(group.name)), class_="title", x=12.0, y=group.top + 15)
        for row in group.rows:
            name = safe(shortened(row.name, picture.left - 30))
            yield tag("text", name + tag("title", safe(row.name)), x=20.0, y=row.top + 15)
        if group.curve:
            middle = (group.curve.top + group.curve.bottom) / 2
            yield text(20.0, middle - 2, "memory in use", "")
            yield text(20.0, middle + 13, most_in_use(group.curve), "soft small")


def names(picture: Picture) -> str:
    """The names of the rows as a separate SVG. On the page, the names stay in place while the picture scrolls."""
    ground = tag("rect", class_="ground", y=CUT, width=picture.left, height=picture.bottom - CUT)
    content = "\n".join(["", ground, *_names(picture), ""])
    box = f"0 {number(CUT)} {number(picture.left)} {number(picture.bottom - CUT)}"
    size = {"viewBox": box, "width": picture.left, "height": picture.bottom - CUT}
    return tag("svg", content, class_="names", **size, aria_hidden="true")


def _curve(group: RowGroup, picture: Picture) -> str:
    curve = group.curve
    assert curve is not None
    caption = f"{group.name}: {file_size(curve.most)} at most, {file_size(curve.steps[-1][1])} at the end"
    return tag("path", tag("title", safe(caption)), class_="curve", d=outline(curve, picture.axis.end))


def outline(curve: Curve, end: float) -> str:
    """The path around the area below a curve."""
    scale = (curve.bottom - curve.top) / max(curve.most, 1)
    path = [f"M0 {number(curve.bottom)}"]
    for x, size in curve.steps:
        path.append(f"H{number(x)} V{number(curve.bottom - size * scale)}")
    return " ".join([*path, f"H{number(end)} V{number(curve.bottom)} Z"])
