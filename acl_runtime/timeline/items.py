"""The drawing of the elements of the rows: bars, names of calls, arrows, and the marks of findings."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from acl_runtime.timeline.bars import Bar, is_point
from acl_runtime.timeline.elements import number, safe, short_name, shortened, tag, text
from acl_runtime.timeline.legend import SHAPES
from acl_runtime.timeline.names import ANGLE, INSIDE, CallName
from acl_runtime.timeline.shapes import AXIS, BAR, MARK, Arrow, FindingMark, Picture, TimelineRow

CUT: Final = 24.0
"""the height of the first line of a file with only the SVG; a page omits this line"""
TIP: Final = 1160.0
"""the width of the line of text about the bar under the pointer"""


class Drawing(NamedTuple):
    """The values that all parts of an SVG need."""

    picture: Picture
    alone: bool
    """True for a file with only the SVG. In a page, the title, the legend and the texts about bars are outside of the
    SVG"""
    width: float
    focus: bool
    """True if the Tab key reaches the bars"""
    launches: Mapping[int, Arrow]
    """the arrow of each launch, by the id of its first task"""


def call_name(name: CallName, row: TimelineRow) -> str:
    """The slanted name of a call above its bar."""
    place = f"translate({number(name.x + 3)} {number(row.top)}) rotate(-{number(ANGLE)})"
    return tag("text", safe(name.text), class_=f"above{' bad' if name.kind == 'failed' else ''}", transform=place)


def row_of_bars(row: TimelineRow, drawing: Drawing) -> str:
    bars = [_bar(row, bar, drawing) for bar in row.bars]
    return tag("g", "\n".join(bars), role="list", aria_label=row.name)


def _bar(row: TimelineRow, bar: Bar, drawing: Drawing) -> str:
    y = row.y(bar)
    gap = 1.0 if bar.width > 3 else 0.0
    width = max(bar.width - gap, 1.0)
    box = {"x": bar.left, "y": y, "width": width, "height": BAR, "rx": 2 if width > 5 else 0}
    label = short_name(bar.label, width - INSIDE) if bar.label else (str(len(bar.keys)) if width > 24 else "")
    arrows = [drawing.launches[key] for key in bar.keys if key in drawing.launches] if row.of == "task" else []
    beside = row.of == "mark" and is_point(bar)
    parts = [
        tag("title", safe(bar.text)),
        *map(arrow_path, arrows),
        tag("rect", None, class_=f"body {bar.kind}", **box),
        tag("rect", None, class_="stripes", fill="url(#stripes)", **box) if bar.kind == "wait" else "",
        _cross(bar, y) if bar.kind == "failed" and width >= 6 and not label else "",
        text(bar.left + 4, y + 12, label, "label on") if label and not beside else "",
        text(bar.right + 3, y + 12, bar.label, "beside") if beside else "",
        _tip(bar.left, bar.text, drawing) if drawing.focus and drawing.alone else "",
    ]
    reach = {"tabindex": 0} if drawing.focus else {}
    return tag("g", "".join(parts), class_="item", role="listitem", id=identity(row, bar), **reach)


def identity(row: TimelineRow, bar: Bar) -> str:
    """The id of a bar, by its first call or task."""
    return f"{row.of}-{bar.keys[0]}"


def _cross(bar: Bar, y: float) -> str:
    return text((bar.left + bar.right - 1) / 2, y + 12, "×", "label on", text_anchor="middle")


def _tip(x: float, content: str, drawing: Drawing) -> str:
    """The line of text about the bar under the pointer. It is above the picture, so that no bar covers it."""
    left, space = drawing.picture.left, drawing.width - drawing.picture.left
    width = min(drawing.width - 24, TIP)
    line = shortened(content.replace("\n", "   "), width)
    left_edge = max(12 - left, min(x - width / 2, space - 12 - width))  # near the bar, as the picture may be scrolled
    ground = tag("rect", x=-left, y=0, width=left + space, height=CUT)
    return tag("g", ground + text(left_edge, 16.0, line, "small"), class_="tip")


def arrow_path(arrow: Arrow) -> str:
    (x1, y1), (x2, y2) = arrow.tail, arrow.head
    down = (y2 - y1) / 2
    a, b, c, d = map(number, (x1, y1, x2, y2))
    path = f"M{a} {b} C{a} {number(y1 + down)} {c} {number(y2 - down)} {c} {d}" if x1 != x2 else f"M{a} {b} V{d}"
    class_, head = ("arrow", "head") if arrow.kind == "launch" else ("order", "order")
    return tag("path", tag("title", safe(arrow.text)), class_=class_, d=path, marker_end=f"url(#{head})")


def text_of_mark(mark: FindingMark) -> str:
    """The reports of the findings of a mark, at most ten."""
    return "\n".join(f"{finding.number}. {finding.text}" for finding in mark.findings[:10])


def finding_mark(mark: FindingMark, drawing: Drawing) -> str:
    first = mark.findings[0]
    y = AXIS + MARK / 2
    more = f"{len(mark.findings)} findings, the first: " if len(mark.findings) > 1 else ""
    content = first.text.partition("\n")[0]
    label = str(first.number) if len(mark.findings) == 1 else f"{first.number}+"
    shape = tag("path", class_=f"body level-{mark.level}", d=SHAPES[mark.level]) + tag(
        "text", safe(label), class_=f"label on{' tiny' if len(label) > 1 else ''}", y=5.0, text_anchor="middle"
    )
    every = text_of_mark(mark)
    leader = ""
    if mark.foot is not None:
        path = f"M{number(mark.x)} {number(y + 8)} L{number(mark.foot[0])} {number(mark.foot[1])}"
        leader = tag("path", class_="leader", d=path)
    parts = [
        tag("title", safe(every)),
        leader,
        tag("g", shape, transform=f"translate({number(mark.x)} {number(y)})"),
        _tip(mark.x, more + content, drawing) if drawing.alone else "",
    ]
    return tag("a", "".join(parts), href=f"#finding-{first.number}", id=f"mark-{first.number}", aria_label=content)
