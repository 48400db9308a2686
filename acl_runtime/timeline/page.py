"""The HTML page: the picture, the findings, and everything once more as text."""

from collections.abc import Iterable, Sequence
from typing import Final

from acl_runtime.timeline.axis import told
from acl_runtime.timeline.draw import description, names, svg, title
from acl_runtime.timeline.elements import safe, tag
from acl_runtime.timeline.layout import Picture
from acl_runtime.timeline.read import Found, Past
from acl_runtime.timeline.style import PAGE

POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""the browser sees to it that nothing is fetched and no script runs, whatever the names in a trace are"""
LISTED: Final = 2000
"""so many calls, and so many tasks, are listed; the trace has them all"""


def page(past: Past, picture: Picture) -> str:
    """One file that needs no other."""
    about = description(past, picture)
    body = [
        tag("h1", "Timeline"),
        tag("p", safe(title(past) + ". " + about)),
        tag("a", "Skip the picture", class_="skip", href="#text"),
        tag("div", _scrolled(past, picture), class_="picture", tabindex=0, role="region", aria_label="timeline"),
        tag("div", "", id="text"),
        *_findings(past.found),
        _tasks(past),
        _calls(past),
    ]
    head = [
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<link rel="icon" href="data:,">',  # a browser would ask the server for one
        tag("title", safe(f"Timeline: {title(past)}")),
        tag("style", PAGE),
    ]
    text = "\n".join(["<!DOCTYPE html>", '<html lang="en">', *head, *(part for part in body if part), "</html>"])
    return text + "\n"


def _scrolled(past: Past, picture: Picture) -> str:
    """The picture, and over it the names of its rows, which stay when it scrolls."""
    return tag("div", "\n".join(["", svg(past, picture), names(picture), ""]), class_="layers")


def _findings(found: Sequence[Found]) -> list[str]:
    if not found:
        return [tag("h2", "Findings"), tag("p", "Nothing was found.")]
    items = [
        tag("li", _finding(each), id=f"finding-{each.number}", class_=each.level, value=each.number) for each in found
    ]
    return [tag("h2", "Findings"), tag("ol", "\n".join(items), class_="findings")]


def _finding(found: Found) -> str:
    where = f"at {told(found.time)}, in {found.call}" if found.call else "when the machine ended"
    site = f", {tag('code', safe(found.site))}" if found.site else ""
    name = tag("strong", safe(f"{found.level}[{found.id}]"))
    return f"{name} {safe(found.message)} <span class='note'>({safe(where)}{site})</span>"


def _tasks(past: Past) -> str:
    rows = [
        (str(task.id), task.name, f"{past.devices[task.device]}, {past.streams[task.device, task.row]}",
         told(task.submitted), told(task.start), told(task.end), task.status, task.site)
        for task in past.tasks[:LISTED]
    ]  # fmt: skip
    head = ("task", "name", "stream", "launched", "started", "ended", "status", "launched at")
    return _section("Tasks", len(past.tasks), _table(head, rows))


def _calls(past: Past) -> str:
    rows = [
        (str(call.order), past.threads[call.row], call.line, told(call.began), told(call.ended), call.site)
        for call in past.calls[:LISTED]
    ]
    return _section("Calls", len(past.calls), _table(("call", "thread", "C", "began", "returned", "line"), rows))


def _section(name: str, count: int, table: str) -> str:
    note = f", the first {LISTED} of them" if count > LISTED else ""
    summary = tag("summary", safe(f"{name} as a table ({count}{note})"))
    return tag("details", summary + tag("div", table, class_="scroll", tabindex=0, role="region", aria_label=name))


def _table(head: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    top = tag("tr", "".join(tag("th", safe(each), scope="col") for each in head))
    lines = [tag("tr", "".join(tag("td", safe(each)) for each in row)) for row in rows]
    return tag("table", tag("thead", top) + tag("tbody", "\n".join(lines)))
