"""The HTML page: the picture, the findings, sums, and all calls and tasks as tables."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from acl_runtime.timeline.axis import time_text
from acl_runtime.timeline.contents import Found, TraceContents
from acl_runtime.timeline.draw import POINT, focusable, names, svg
from acl_runtime.timeline.elements import number, safe, tag
from acl_runtime.timeline.items import identity, text_of_mark
from acl_runtime.timeline.legend import legend_of_page
from acl_runtime.timeline.shapes import Picture
from acl_runtime.timeline.style import PAGE
from acl_runtime.timeline.totals import tables
from acl_runtime.timeline.words import description, run, title

POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""the browser loads no other file and runs no script, even if names in a trace contain markup"""
LISTED: Final = 50_000
"""the greatest number of rows of a table; for more, see the trace"""


def page(contents: TraceContents, picture: Picture) -> str:
    """The page, as a file that needs no other file."""
    about = description(contents, picture)
    name = f"Timeline of {contents.about.program}" if contents.about.program else "Timeline"
    body = [
        tag("h1", safe(name)),
        tag("p", safe(run(contents)) + ".", class_="run"),
        tag("p", safe(about)),
        tag("a", "Skip the picture", class_="skip", href="#text"),
        tag("div", _scrolled(contents, picture) + _panel(picture), class_="frame"),
        legend_of_page(picture),
        tag("div", "", id="text"),
        *_findings(contents.findings),
        *(_section(title, len(rows), _table(head, rows)) for title, head, rows in tables(contents)),
        _tasks(contents, picture),
        _calls(contents, picture),
    ]
    head = [
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<link rel="icon" href="data:,">',  # otherwise a browser would request one from the server
        tag("title", safe(f"Timeline: {title(contents)}")),
        tag("style", PAGE + "\n" + _rules(picture)),
    ]
    text = "\n".join(["<!DOCTYPE html>", '<html lang="en">', *head, *(part for part in body if part), "</html>"])
    return text + "\n"


def _scrolled(contents: TraceContents, picture: Picture) -> str:
    """The picture, and over it the names of its rows, which stay in place when the picture scrolls."""
    layers = "\n".join(["", svg(contents, picture, alone=False), names(picture), ""])
    scroll = f"scroll-padding-left: {number(picture.left + 20)}px"
    inner = tag("div", layers, class_="layers")
    return tag("div", inner, class_="picture", style=scroll, tabindex=0, role="region", aria_label="timeline")


def _texts(picture: Picture) -> Iterator[tuple[str, str]]:
    """The ids of the bars and marks that have a text in the panel, with the text. If there are too many bars, only
    marks have one: the browser then shows the text of a bar at the pointer."""
    if focusable(picture):
        for group in picture.groups:
            for row in group.rows:
                yield from ((identity(row, bar), bar.text) for bar in row.bars)
    yield from ((f"mark-{mark.findings[0].number}", text_of_mark(mark)) for mark in picture.marks)


def _panel(picture: Picture) -> str:
    """The panel below the picture, with texts of which the style sheet shows one. It stays visible under a high
    picture."""
    texts = [tag("div", safe(text), class_="about", id=f"about-{id}") for id, text in _texts(picture)]
    return tag("div", "\n".join([tag("p", POINT, class_="note"), *texts]), class_="panel") if texts else ""


def _rules(picture: Picture) -> str:
    """The rules that show the text of the bar under the pointer. A page without scripts needs one for each bar."""
    return "\n".join(
        f"  :root:has(#{id}:is(:hover, :focus)) #about-{id} {{ display: block }}" for id, _ in _texts(picture)
    )


def _findings(findings: Sequence[Found]) -> list[str]:
    if not findings:
        return [tag("h2", "Findings"), tag("p", "Nothing was found.")]
    items = [
        tag("li", _finding(finding), id=f"finding-{finding.number}", class_=finding.level, value=finding.number)
        for finding in findings
    ]
    return [tag("h2", "Findings"), tag("ol", "\n".join(items), class_="findings")]


def _finding(finding: Found) -> str:
    """The report and the time of a finding."""
    moment = f"at {time_text(finding.time)}, in {finding.call}" if finding.call else "when the machine ended"
    head = f"{finding.level}[{finding.id}]"
    report = tag("strong", safe(head)) + safe(finding.text.removeprefix(head))
    return tag("pre", report) + tag("p", safe(moment), class_="note")


def _bars(picture: Picture, kind: str) -> dict[int, str]:
    """The id of the bar of each call, or of each task."""
    rows = [row for group in picture.groups for row in group.rows if row.of == kind]
    return {key: identity(row, bar) for row in rows for bar in row.bars for key in bar.keys}


def _tasks(contents: TraceContents, picture: Picture) -> str:
    rows = [
        (str(task.id), task.name, f"{contents.devices[task.device]}, {contents.streams[task.device, task.row]}",
         time_text(task.submitted), time_text(task.start), time_text(task.end), task.status, task.site)
        for task in contents.tasks[:LISTED]
    ]  # fmt: skip
    head = ("task", "name", "stream", "launched", "started", "ended", "status", "launched at")
    return _section("Tasks", len(contents.tasks), _table(head, rows, _bars(picture, "task")))


def _calls(contents: TraceContents, picture: Picture) -> str:
    rows = [
        (str(call.order), contents.threads[call.row], call.line, time_text(call.began), time_text(call.ended),
         f"{call.site}: {call.code}" if call.code else call.site)
        for call in contents.calls[:LISTED]
    ]  # fmt: skip
    head = ("call", "thread", "C", "began", "returned", "line")
    return _section("Calls", len(contents.calls), _table(head, rows, _bars(picture, "call")))


def _section(name: str, count: int, table: str) -> str:
    note = f", the first {LISTED} of them" if count > LISTED else ""
    summary = tag("summary", safe(f"{name} as a table ({count}{note})"))
    return tag("details", summary + tag("div", table, class_="scroll", tabindex=0, role="region", aria_label=name))


def _table(head: Iterable[str], rows: Iterable[Sequence[str]], bars: Mapping[int, str] | None = None) -> str:
    """A table. `bars`: ids of bars; the first cell of each row is a number, and links to the bar of this number."""
    top = tag("tr", "".join(tag("th", safe(title), scope="col") for title in head))
    lines: list[str] = []
    for first, *others in rows:
        cell = tag("a", safe(first), href=f"#{bars[int(first)]}") if bars else safe(first)
        lines.append(tag("tr", tag("td", cell) + "".join(tag("td", safe(other)) for other in others)))
    return tag("table", tag("thead", top) + tag("tbody", "\n".join(lines)))
