"""`machine.write_timeline` and `python -m acl_runtime.timeline`: the content of the files."""

from __future__ import annotations

import json
import random
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from acl_runtime.timeline.__main__ import main
from acl_runtime.timeline.elements import file_size, number, safe, shortened, tag
from acl_runtime.timeline.geometry import layout
from acl_runtime.timeline.read import read
from acl_runtime.timeline.write import as_html, as_svg
from samples.findings import index_range
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream
from tests.helpers.outcomes import ok
from tests.helpers.timeline_programs import call, many_tasks, past, past_of, sample, task

SVG = "{http://www.w3.org/2000/svg}"


def parsed(machine: Machine) -> ET.Element:
    return ET.fromstring(as_svg(machine.chrome_trace()))


def test_the_suffix_chooses_the_kind(tmp_path: Path) -> None:
    machine = sample("streams_and_events")
    machine.write_timeline(tmp_path / "a.html")
    machine.write_timeline(str(tmp_path / "a.SVG"))
    page, picture = ((tmp_path / name).read_text(encoding="utf-8") for name in ("a.html", "a.SVG"))
    assert page.startswith("<!DOCTYPE html>")
    assert picture.startswith("<svg ")
    bars = re.compile(r'<rect class="body[^>]*>')
    assert bars.findall(picture) == bars.findall(page) != [], "the same picture"


def test_the_same_program_gives_the_same_bytes() -> None:
    one, two = (as_html(sample("streams_and_events").chrome_trace()) for _ in range(2))
    assert one == two


@pytest.mark.parametrize("name", ["streams_and_events", "devices_and_threads"])
def test_a_written_trace_gives_the_same_picture(name: str, tmp_path: Path) -> None:
    machine = sample(name, device_count=2)
    trace, out = tmp_path / "trace.json", tmp_path / "out.html"
    machine.write_trace(trace)
    assert main([str(trace), str(out)]) == 0
    assert out.read_text(encoding="utf-8") == as_html(machine.chrome_trace())


def test_a_file_that_is_no_trace_is_refused_with_a_line_on_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deep = "[" * 100_000
    for text in ("[]", "{}", "no json", '{"traceEvents": [{"ph": "X", "pid": 1, "tid": 1, "args": {}}]}', deep):
        (tmp_path / "trace.json").write_text(text, encoding="utf-8")
        assert main([str(tmp_path / "trace.json"), str(tmp_path / "out.html")]) == 2
        assert capsys.readouterr().err.startswith("python -m acl_runtime.timeline: ")
    assert main([str(tmp_path / "absent.json"), str(tmp_path / "out.html")]) == 2
    assert not (tmp_path / "out.html").exists()


@pytest.mark.parametrize(
    "value",
    [None, "x", [], {}, -1, 1e300, float("inf"), float("nan"), 10**400, True],
    ids=lambda value: repr(value)[:8],
)
def test_a_value_that_no_machine_writes_is_refused_or_drawn(
    value: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It ends in a line on stderr, and never in an exception or in a picture without an end."""
    with Machine(on_undefined="report", trace=True) as machine:
        ok(aclrtSetDevice(0))
        stream, address = create_stream(), malloc(64)
        ok(aclrtMemsetAsync(address, 64, 1, 64, stream))
        ok(aclrtFree(address))
    trace = json.loads(json.dumps(machine.chrome_trace()))
    places = [
        (facts, key) for event in trace["traceEvents"] for facts in (event, event.get("args", {})) for key in facts
    ]
    for facts, key in random.Random(str(value)).sample(places, 15):
        before, facts[key] = facts[key], value
        (tmp_path / "trace.json").write_text(json.dumps(trace), encoding="utf-8")
        status = main([str(tmp_path / "trace.json"), str(tmp_path / "out.html")])
        assert bool(status) == bool(capsys.readouterr().err)
        facts[key] = before


def test_an_empty_trace_is_a_picture_too() -> None:
    with Machine() as machine:
        pass
    root = parsed(machine)
    assert root.findtext(f"{SVG}title", "").endswith(": 0 calls and 0 tasks from 0 µs to 0 µs, late schedule")
    assert not [each for each in root.iter(f"{SVG}g") if each.get("class") == "item"]
    assert as_html(machine.chrome_trace())


def test_the_page_loads_nothing_and_runs_no_script() -> None:
    page = as_html(many_tasks(100).chrome_trace())
    assert "<script" not in page
    assert "@import" not in page
    links = re.findall(r'(?:href|src)="([^"]*)"|url\(([^)]*)\)', page)
    assert {link for both in links for link in both if link and not link.startswith("#")} == {"data:,"}


def test_title_and_description_say_what_it_shows() -> None:
    machine = sample("streams_and_events")
    root = parsed(machine)
    names = root.get("aria-labelledby"), root.get("aria-describedby")
    assert names == tuple(root.find(f"{SVG}{each}").get("id") for each in ("title", "desc"))  # type: ignore[union-attr]
    assert f": {len(machine.calls)} calls and {len(machine.tasks)} tasks from 0" in root.findtext(f"{SVG}title", "")
    assert "1 host thread and 2 streams of 1 device" in root.findtext(f"{SVG}desc", "")
    items = [each for each in root.iter(f"{SVG}g") if each.get("class") == "item"]
    assert len(items) == len(machine.calls) + len(machine.tasks)
    assert all(each.get("tabindex") == "0" and each.findtext(f"{SVG}title") for each in items)
    texts = [each.findtext(f"{SVG}title", "") for each in items]
    assert any(text.startswith("task 1: record of event 1\n") for text in texts)
    assert any(text.startswith("aclrtSynchronizeEvent(event 3) = ACL_SUCCESS\n") for text in texts)


def test_many_bars_are_not_reached_by_the_tab_key_and_the_description_says_what_is_left_out() -> None:
    root = parsed(many_tasks(2000))
    items = [each for each in root.iter(f"{SVG}g") if each.get("class") == "item"]
    assert len(items) > 400
    assert not [each for each in items if each.get("tabindex")]
    about = root.findtext(f"{SVG}desc", "")
    assert "too narrow to be drawn one by one" in about
    assert "show for the task that is pointed at" in about


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "a & b", '"quoted"\'', "]]>", "\x00\x1b\ud800", "梯度"])
def test_names_are_text(name: str) -> None:
    """Names of operators, threads and streams are never markup."""
    made = past([call(1, 0.0, name=name, line=name, site=name, tasks=(1,))], [task(1, 0.0, 40.0, name=name)])
    made = made._replace(threads={1: name}, devices=(name,), streams={(0, 1): name})
    from acl_runtime.timeline.draw import svg
    from acl_runtime.timeline.page import page

    picture = layout(made)
    root = ET.fromstring(svg(made, picture).encode())
    expected = re.sub("[\x00\x1b\ud800]", "\ufffd", name)
    assert f"task 1: {expected}\n" in "".join(each.text or "" for each in root.iter(f"{SVG}title"))
    assert "<script" not in page(made, picture)


@pytest.mark.finds("mem-leaked")
def test_findings_stand_at_the_call_that_reported_them() -> None:
    """Errors, warnings and advice have shapes of their own. Each mark links to the full text below the picture."""
    with Machine(on_undefined="report") as machine:
        ok(aclInit(None))
        ok(aclrtSetDevice(0))
        ok(aclrtSetDevice(0))
        stream, address = create_stream(), malloc(64)
        ok(aclrtMemsetAsync(address, 64, 0, 64, stream))
        ok(aclrtFree(address))  # under queued work
        ok(aclrtSynchronizeStream(stream))
        malloc(32)
        ok(aclrtDestroyStream(stream))
    found = past_of(machine)
    assert [each.id for each in found.findings] == [each.id for each in machine.findings]
    first, *rest = found.findings
    (free,) = [each for each in found.calls if each.name == "aclrtFree"]
    assert (first.id, first.order, first.call) == ("io-freed-early", free.order, "aclrtFree")
    assert all(each.order is None and not each.call for each in rest), "reported at the end of the machine"
    picture = layout(found)
    marks = {mark.level: mark for mark in picture.marks}
    (row,) = picture.groups[0].rows
    (bar,) = [bar for bar in row.bars if bar.label == "aclrtFree"]
    assert marks["error"].foot == ((bar.left + bar.right) / 2, row.y(bar))
    assert marks["warning"].x >= picture.axis.end
    page = as_html(machine.chrome_trace())
    for each in found.findings:
        assert f'<li id="finding-{each.number}" class="{each.level}"' in page
        assert all(safe(line) in page for line in each.report.partition(each.id)[2].splitlines())
    assert 'href="#finding-1"' in page


def test_an_error_that_was_raised_stands_at_its_call() -> None:
    with Machine() as machine:
        ok(aclrtSetDevice(0))
        ok(aclrtSetDevice(0))
        stream, address = create_stream(), malloc(64)
        for _ in range(2):
            ok(aclrtMemsetAsync(address, 64, 0, 64, stream))
        with pytest.raises(UndefinedBehaviour):
            aclrtFree(address)
        ok(aclrtSynchronizeStream(stream))
        ok(aclrtFree(address))
    found = past_of(machine)
    raised = [each for each in found.calls if each.status == "raised io-freed-early"]
    assert [each.order for each in raised] == [each.order for each in found.findings if each.level == "error"]
    assert raised[0].failed


def test_a_finding_of_a_running_task_stands_at_its_launch() -> None:
    """This holds with worker threads. With the other schedules, the call that waits reports the finding."""
    with Machine(on_undefined="report", schedule="threads") as machine:
        index_range.wrong()
    found = past_of(machine)
    (launch,) = [each for each in found.calls if each.name == "aclnnEmbeddingDenseBackward"]
    assert [each.order for each in found.findings if each.id == "index-range"] == [launch.order]


def test_a_finding_of_a_call_that_is_no_longer_kept_has_its_time() -> None:
    """Only the latest calls are kept; the mark stands at the time of the finding, without a call."""
    with Machine(on_undefined="report") as machine:
        ok(aclrtSetDevice(0))
        ok(aclrtSetDevice(0))
        stream, address = create_stream(), malloc(64)
        ok(aclrtMemsetAsync(address, 64, 0, 64, stream))
        ok(aclrtFree(address))
        ok(aclrtSynchronizeStream(stream))
        while len(machine.calls) < 3:
            ok(aclrtSynchronizeStream(stream))
        last = list(machine.calls)[-1]
        machine.calls.clear()
        machine.calls.append(last)
        (found,) = read(machine.chrome_trace()).findings
    assert (found.order, found.call, found.time) == (None, "aclrtFree", 0.0)


def test_findings_are_instant_events_of_the_trace() -> None:
    with Machine(on_undefined="report") as machine:
        ok(aclrtSetDevice(0))
        malloc(64)
    events = [event for event in machine.chrome_trace()["traceEvents"] if event["ph"] == "i"]  # type: ignore
    assert {event["name"] for event in events} == {finding.id for finding in machine.findings}
    assert json.dumps(events)


def test_numbers_tags_texts_and_sizes_are_formatted() -> None:
    assert (number(-0.01), number(1.25), number(10.0)) == ("0", "1.2", "10")
    assert tag("g", class_="a", marker_end='"') == '<g class="a" marker-end="&quot;"/>'
    assert (shortened("abcdefgh", 8, 1), shortened("abcdefgh", 6, 1), shortened("abcdefgh", 4, 1)) == (
        "abcdefgh",
        "abcde…",
        "",
    )
    assert (file_size(512), file_size(1536), file_size(12 << 20)) == ("512 B", "1.5 KiB", "12 MiB")
    assert shortened("数据预处理线程", 40) == "数据…", "Chinese letters are wider"
    assert shortened("数据预处理", 62) == "数据预处理"


def test_a_page_has_the_names_of_its_rows_a_second_time() -> None:
    """They lie over the picture and stay in place when it scrolls; nothing else is drawn twice."""
    page = as_html(many_tasks(20).chrome_trace())
    picture, names = (ET.fromstring(each) for each in re.findall(r"<svg .*?</svg>", page, re.DOTALL)[:2])
    texts = [each for each in names.iter() if each.tag == "text"]
    rows = [f"stream {number}" for number in (1, 2, 3, 4)]
    assert [each.text for each in texts if each.text in rows] == rows
    places = {(each.text, each.get("x"), each.get("y")) for each in picture.iter(f"{SVG}text")}
    assert {(each.text, each.get("x"), each.get("y")) for each in texts} <= places
    assert not [each for each in names.iter() if each.get("id") or each.get("class") == "item"]


def test_a_device_without_tasks_is_shown() -> None:
    with Machine() as machine:
        aclInit(None)
        aclrtSetDevice(0)
        aclrtResetDevice(0)
        aclFinalize()
    assert "Rows for 1 host thread and 0 streams of 1 device," in as_svg(machine.chrome_trace())


def test_a_name_loses_the_common_prefix_before_it_is_shortened() -> None:
    texts = parsed(sample("streams_and_events")).iter(f"{SVG}text")
    labels = {each.text for each in texts if each.get("class") == "label on"}
    assert "SoftmaxBac…" in labels
    assert not any((label or "").startswith("aclnn") for label in labels)
