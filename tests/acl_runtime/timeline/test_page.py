"""The page around the picture: title, texts about bars, reports, complete tables, legend."""

from __future__ import annotations

import re
from html import unescape

import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.timeline.contents import About
from acl_runtime.timeline.elements import safe
from acl_runtime.timeline.geometry import layout
from acl_runtime.timeline.page import page
from acl_runtime.timeline.read import read
from acl_runtime.timeline.write import as_html, as_svg
from samples.findings import io_freed_early, xstream_race
from tests.helpers.builders import malloc
from tests.helpers.outcomes import ok
from tests.helpers.timeline_programs import call, many_tasks, past, past_of, sample, task

STYLE = re.compile(r":root:has\(#([\w-]+):is\(:hover, :focus\)\) #([\w-]+) \{ display: block \}")


@pytest.fixture(scope="module")
def long() -> str:
    return as_html(many_tasks(10_000).chrome_trace())


@pytest.mark.parametrize("options", [{}, {"schedule": "random", "seed": 7}, {"schedule": "eager"}])
def test_the_title_has_the_program_the_schedule_and_the_seed(
    options: dict[str, object], request: pytest.FixtureRequest
) -> None:
    with Machine(**options) as machine:  # type: ignore[arg-type]
        ok(aclrtSetDevice(0))
        ok(aclrtResetDevice(0))
    order = f"{options.get('schedule', 'late')} schedule" + (", seed 7" if "seed" in options else "")
    text = as_html(machine.chrome_trace())
    program = safe(request.node.nodeid)
    assert f"<title>Timeline: {program}: 2 calls and 0 tasks from 0 µs to 0 µs, {order}</title>" in text
    assert f"<h1>Timeline of {program}</h1>" in text
    assert f'<tspan class="strong">{program}, {order}</tspan>' in as_svg(machine.chrome_trace())


def test_a_trace_that_does_not_name_its_program_has_a_title_too() -> None:
    found = past([call(1, 0.0)], [])
    assert found.about == About()
    assert "<h1>Timeline</h1>" in page(found, layout(found))


def test_each_bar_has_a_text_below_the_picture_with_the_line_of_the_program() -> None:
    """The style sheet shows the text of the bar that is pointed at or has the focus."""
    with Machine(trace=True) as machine:
        ok(aclrtSetDevice(0))
        ok(aclrtFree(malloc(64)))  # the line of the test
        ok(aclrtResetDevice(0))
    text = as_html(machine.chrome_trace())
    assert [pair for pair in STYLE.findall(text) if "mark" not in pair[0]] == [
        (f"call-{each}", f"about-call-{each}") for each in (1, 2, 3, 4)
    ]
    about = dict(re.findall(r'<div class="about" id="about-([\w-]+)">(.*?)</div>', text, re.DOTALL))
    lines = unescape(about["call-3"]).splitlines()
    assert lines[:2] == ["aclrtFree(device 0 + 0x0) = ACL_SUCCESS", "at 0 µs, ACL_SUCCESS"]
    assert re.fullmatch(r".*test_page\.py:\d+: ok\(aclrtFree\(malloc\(64\)\)\)  # the line of the test", lines[2])


def test_a_launch_has_the_line_of_its_task_where_lines_of_calls_are_not_kept() -> None:
    found = past_of(sample("streams_and_events"))
    launches = [each for each in found.calls if each.tasks]
    assert launches
    assert all(re.fullmatch(r".*streams_and_events\.py:\d+", each.site) and each.code for each in launches)
    assert not [each.site for each in found.calls if not each.tasks and each.site]
    assert "The lines of your program are known for launches only: Machine(trace=True) keeps all." in page(
        found, layout(found)
    )


@pytest.mark.parametrize("site", ["", "/opt/app/bin/host(main)", "0x7f00deadbeef"])
def test_a_program_without_source_lines_is_drawn(site: str) -> None:
    """A program in C++ without debug information has the function, an address, or nothing."""
    found = past([call(1, 0.0, tasks=(1,), site=site)], [task(1, 0.0, 4.0, site=site)])
    text = page(found, layout(found))
    about = dict(re.findall(r'<div class="about" id="about-([\w-]+)">(.*?)</div>', text, re.DOTALL))
    assert about["call-1"].splitlines() == ["aclrtX()", "at 0 µs, ACL_SUCCESS", *([site] if site else [])]


@pytest.mark.parametrize("program", [xstream_race, io_freed_early], ids=["race", "use after free"])
@pytest.mark.finds("xstream-race", "io-freed-early")
def test_findings_are_shown_as_the_report_shows_them(program: object) -> None:
    with Machine(on_undefined="report") as machine:
        program.wrong()  # type: ignore[attr-defined]
    text = as_html(machine.chrome_trace())
    reports = [unescape(re.sub("<[^>]*>", "", each)) for each in re.findall(r"<pre>(.*?)</pre>", text, re.DOTALL)]
    assert reports == [finding.text() for finding in machine.findings]
    assert reports
    assert "  --> " in reports[0]
    assert "   = help: " in reports[0]
    panel = unescape(dict(re.findall(r'id="about-(mark-1)">(.*?)</div>', text, re.DOTALL))["mark-1"])
    assert panel == f"1. {reports[0]}"


def test_a_finding_of_an_older_trace_is_shown_with_its_message() -> None:
    with Machine(on_undefined="report") as machine:
        xstream_race.wrong()
    trace = machine.chrome_trace()
    for event in trace["traceEvents"]:  # type: ignore[attr-defined]
        event.get("args", {}).pop("report", "")
    found = read({"traceEvents": trace["traceEvents"]})
    assert f"<strong>error[xstream-race]</strong>: {safe(found.findings[0].message)}" in page(found, layout(found))


def test_ten_thousand_tasks_can_be_searched(long: str) -> None:
    """The table has all tasks and all calls, and each row leads to its bar in the picture."""
    rows = re.findall(r'<tr><td><a href="#([\w-]+)">(\d+)</a></td><td>memory set</td>', long)
    assert [int(number) for _, number in rows] == [*range(1, 10_001)]
    bars = set(re.findall(r'<g class="item" role="listitem" id="([\w-]+)"', long))
    assert {bar for bar, _ in rows} <= bars
    calls = re.findall(r'href="#(call-\d+)"', long)
    assert len(calls) > 20_000
    assert set(calls) <= bars
    assert ", the first" not in long


def test_a_long_page_has_texts_for_no_bars_but_each_bar_has_its_title(long: str) -> None:
    """The browser shows the title of a bar at the pointer."""
    assert not STYLE.findall(long)
    items = re.findall(r'<g class="item"[^>]*>(<title>)?', long)
    assert items
    assert all(items)


def test_the_legend_of_a_page_is_a_list_that_wraps() -> None:
    """It has the same entries as the legend of the SVG alone."""
    trace = sample("streams_and_events").chrome_trace()
    listed = re.findall(r"<li><svg.*?</svg>([^<]+)</li>", as_html(trace), re.DOTALL)
    drawn = re.search(r'aria-label="legend">(.*)</g>', as_svg(trace), re.DOTALL)
    assert drawn
    assert listed == re.findall(r"<text[^>]*>([^<]+)</text>", drawn[1])
    assert {"task", "call that waits", "launch to run"} <= set(listed)
