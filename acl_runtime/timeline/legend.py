"""The legend: the meanings of the colours and shapes."""

from typing import Final

from acl_runtime.timeline.elements import number, safe, tag, text
from acl_runtime.timeline.shapes import Picture

LEGEND_ROW: Final = 20.0
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
SHAPES: Final = {
    "error": "M-7 -7 H7 V7 H-7 Z",
    "warning": "M0 -9 L9 7 H-9 Z",
    "advice": "M-8 0 A8 8 0 1 0 8 0 A8 8 0 1 0 -8 0 Z",
}
"""the shapes of the marks of findings: a square, a triangle, a circle"""


def entries(picture: Picture) -> list[tuple[str, str]]:
    """The kinds of elements in the picture, with their meanings."""
    kinds = {bar.kind for group in picture.groups for row in group.rows for bar in row.bars}
    kinds |= {"arrow" if arrow.kind == "launch" else "order" for arrow in picture.arrows}
    kinds |= {mark.level for mark in picture.marks}
    return [(kind, name) for kind, name in LEGEND if kind in kinds]


def legend(picture: Picture, width: float) -> tuple[str, float]:
    """The legend of a file with only the SVG, and its lower edge."""
    x, y = 12.0, picture.bottom + 24
    parts: list[str] = []
    for kind, name in entries(picture):
        if x > min(width, 1240) - 130:
            x, y = 12.0, y + LEGEND_ROW
        parts.append(_sample(kind, x, y - 10) + text(x + 24, y, name, "small"))
        x += 24 + 6.3 * len(name) + 18
    return tag("g", "".join(parts), role="group", aria_label="legend"), y


def legend_of_page(picture: Picture) -> str:
    """The legend of the page: a list whose entries wrap on a narrow screen."""
    items = [
        tag("li", tag("svg", _sample(kind, 0.0, 0.0), width=20, height=12, aria_hidden="true") + safe(name))
        for kind, name in entries(picture)
    ]
    return tag("ul", "\n".join(items), class_="legend", aria_label="legend")


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
