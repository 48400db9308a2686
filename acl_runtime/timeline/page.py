"""The HTML page: the picture, the findings, sums, and all calls and tasks as tables."""

from collections.abc import Iterable, Sequence
from typing import Final

from acl_runtime.timeline.axis import time_text
from acl_runtime.timeline.draw import description, names, svg, title
from acl_runtime.timeline.elements import safe, tag
from acl_runtime.timeline.geometry import Picture
from acl_runtime.timeline.read import Found, TraceContents
from acl_runtime.timeline.style import PAGE
from acl_runtime.timeline.totals import tables

POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""the browser loads nothing and runs no script, whatever names a trace contains"""
LISTED: Final = 2000
"""the greatest number of rows of a table; the trace has all calls and tasks"""


def page(contents: TraceContents, picture: Picture) -> str:
    """The page, as one file that needs no other."""
    about = description(contents, picture)
    body = [
        tag("h1", "Timeline"),
        tag("p", safe(title(contents) + ". " + about)),
        tag("a", "Skip the picture", class_="skip", href="#text"),
        tag("div", _scrolled(contents, picture), class_="picture", tabindex=0, role="region", aria_label="timeline"),
        tag("div", "", id="text"),
        *_findings(contents.found),
        *(_section(title, len(rows), _table(head, rows)) for title, head, rows in tables(contents)),
        _tasks(contents),
        _calls(contents),
    ]
    head = [
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<link rel="icon" href="data:,">',  # otherwise a browser would request one from the server
        tag("title", safe(f"Timeline: {title(contents)}")),
        tag("style", PAGE),
    ]
    text = "\n".join(["<!DOCTYPE html>", '<html lang="en">', *head, *(part for part in body if part), "</html>"])
    return text + "\n"


def _scrolled(contents: TraceContents, picture: Picture) -> str:
    """The picture, and over it the names of its rows, which stay in place when it scrolls."""
    return tag("div", "\n".join(["", svg(contents, picture), names(picture), ""]), class_="layers")


def _findings(found: Sequence[Found]) -> list[str]:
    if not found:
        return [tag("h2", "Findings"), tag("p", "Nothing was found.")]
    items = [
        tag("li", _finding(each), id=f"finding-{each.number}", class_=each.level, value=each.number) for each in found
    ]
    return [tag("h2", "Findings"), tag("ol", "\n".join(items), class_="findings")]


def _finding(found: Found) -> str:
    where = f"at {time_text(found.time)}, in {found.call}" if found.call else "when the machine ended"
    site = f", {tag('code', safe(found.site))}" if found.site else ""
    name = tag("strong", safe(f"{found.level}[{found.id}]"))
    return f"{name} {safe(found.message)} <span class='note'>({safe(where)}{site})</span>"


def _tasks(contents: TraceContents) -> str:
    rows = [
        (str(task.id), task.name, f"{contents.devices[task.device]}, {contents.streams[task.device, task.row]}",
         time_text(task.submitted), time_text(task.start), time_text(task.end), task.status, task.site)
        for task in contents.tasks[:LISTED]
    ]  # fmt: skip
    head = ("task", "name", "stream", "launched", "started", "ended", "status", "launched at")
    return _section("Tasks", len(contents.tasks), _table(head, rows))


def _calls(contents: TraceContents) -> str:
    rows = [
        (
            str(call.order),
            contents.threads[call.row],
            call.line,
            time_text(call.began),
            time_text(call.ended),
            call.site,
        )
        for call in contents.calls[:LISTED]
    ]
    return _section("Calls", len(contents.calls), _table(("call", "thread", "C", "began", "returned", "line"), rows))


def _section(name: str, count: int, table: str) -> str:
    note = f", the first {LISTED} of them" if count > LISTED else ""
    summary = tag("summary", safe(f"{name} as a table ({count}{note})"))
    return tag("details", summary + tag("div", table, class_="scroll", tabindex=0, role="region", aria_label=name))


def _table(head: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    top = tag("tr", "".join(tag("th", safe(each), scope="col") for each in head))
    lines = [tag("tr", "".join(tag("td", safe(each)) for each in row)) for row in rows]
    return tag("table", tag("thead", top) + tag("tbody", "\n".join(lines)))
