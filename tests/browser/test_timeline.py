"""The timeline in a real browser, headless: it renders, fetches nothing, and its text is readable.

A script is added to a copy of the page; it inspects the page and reports its observations to a second page, which shows
the copy in a frame: a window of Chromium is at least 500 pixels wide, a frame can be as narrow as a phone."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any, Final

import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.timeline.names import LONGEST
from acl_runtime.timeline.page import POLICY
from samples.findings import io_freed_early, xstream_race
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream
from tests.helpers.patience import PATIENCE
from tests.helpers.timeline_programs import many_tasks, sample

BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
DARK: Final = "--blink-settings=preferredColorScheme=0"
BEGINNING: Final = """<script>
const troubles = [];
addEventListener("error", event => troubles.push("error: " + event.message), true);
addEventListener("securitypolicyviolation", event => troubles.push("blocked: " + event.blockedURI));
</script>"""
LOOK: Final = """<script>
addEventListener("load", () => {
const all = selector => [...document.querySelectorAll(selector)];
const box = element => element.getBoundingClientRect();
const picture = document.querySelector("svg");
const bars = all(".item > .body");
const focusable = all(".item[tabindex]");
const tips = focusable.slice(0, 40).map(item => {
  item.focus();
  const about = document.getElementById("about-" + item.id);
  const arrow = item.querySelector(".arrow");
  const {left, right} = box(about);
  return {
    shown: getComputedStyle(about).display, text: about.textContent, title: item.querySelector("title").textContent,
    inside: left >= 0 && right <= innerWidth && about.scrollWidth <= about.clientWidth + 1,
    others: all(".about").filter(each => getComputedStyle(each).display !== "none").length,
    arrow: arrow ? getComputedStyle(arrow).opacity : "",
  };
});
document.activeElement.blur();
const wide = all(".item > .label").filter(label => {
  const bar = label.parentNode.querySelector(".body");
  return label.getComputedTextLength() > box(bar).width - 4;
}).map(label => label.textContent);
const clipped = all(".layers > svg:first-child text").filter(text => {
  const {left, right, top, bottom} = box(text), {left: l, right: r, top: t, bottom: b} = box(picture);
  return left < l - 1 || right > r + 1 || top < t - 1 || bottom > b + 1;
}).map(text => text.textContent);
const outside = all("h1, p, li, pre, summary").filter(each => box(each).right > innerWidth + 1)
  .map(each => each.textContent);
const above = all(".above").map(name => ({text: name.textContent, length: name.getComputedTextLength()}));
const frame = document.querySelector(".picture");
const links = all("table a"), last = links[links.length - 1];
let jump = null;
if (last) {
  last.click();
  const bar = box(document.querySelector(last.getAttribute("href"))), covered = box(document.querySelector(".names"));
  jump = [bar.left - covered.right, box(frame).right - bar.right];
}
frame.scrollLeft = 10000;
const names = box(document.querySelector(".names")).left - box(frame).left;
const seen = {
  names, scrolled: frame.scrollLeft,
  troubles, tips, wide, clipped, outside, above, jump,
  fetched: performance.getEntriesByType("resource").map(each => each.name),
  size: [box(picture).width, box(picture).height],
  bars: bars.length,
  unseen: bars.filter(bar => box(bar).width < 0.9 || box(bar).height < 10).length,
  black: bars.filter(bar => getComputedStyle(bar).fill === "rgb(0, 0, 0)").length,
  overlapping: all("g[role=list]").filter(row => {
    const boxes = [...row.querySelectorAll(".body")].map(box).sort((a, b) => a.top - b.top || a.left - b.left);
    return boxes.some((each, i) => i && each.top === boxes[i - 1].top && each.left < boxes[i - 1].right - 1);
  }).length,
  marks: all("svg a").map(mark => ({
    text: mark.getAttribute("aria-label"), target: document.querySelector(mark.getAttribute("href")).textContent,
  })),
  window: innerWidth,
  scrolls: document.documentElement.scrollWidth > document.documentElement.clientWidth,
  ground: getComputedStyle(document.querySelector(".ground")).fill,
};
parent.postMessage(JSON.stringify(seen), "*");
});
</script>"""
AROUND: Final = """<!DOCTYPE html>
<script>addEventListener("message", event => { document.getElementById("seen").textContent = event.data; });</script>
<iframe src="timeline.html" style="width: %dpx; height: 900px; border: 0"></iframe>
<pre id="seen"></pre>"""
"""the page with the frame"""


@pytest.fixture(scope="session")
def browser() -> str:
    for name in BROWSERS:
        if found := shutil.which(name):
            return found
    pytest.skip(f"no browser is installed: none of {', '.join(BROWSERS)}")


def run(browser: str, folder: Path, *arguments: str) -> str:
    command = [browser, *FLAGS, f"--user-data-dir={folder / 'profile'}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def looked_at(browser: str, folder: Path, machine: Machine, *flags: str, width: int = 1300) -> dict[str, Any]:
    """The observations of the script in the page of a machine, in a window of this width."""
    page = folder / "timeline.html"
    machine.write_timeline(page)
    html = page.read_text(encoding="utf-8")
    assert html.count(POLICY) == 1
    html = html.replace(POLICY, f"{POLICY}; script-src 'unsafe-inline'").replace("<title>", f"{BEGINNING}<title>", 1)
    page.write_text(html.replace("</html>", f"{LOOK}</html>"), encoding="utf-8")
    around = folder / "around.html"
    around.write_text(AROUND % width, encoding="utf-8")
    size = f"--window-size={max(width, 500) + 20},920"
    dom = run(browser, folder, *flags, size, "--virtual-time-budget=60000", "--dump-dom", around.as_uri())
    found = re.search(r'<pre id="seen">(.+?)</pre>', dom, re.DOTALL)
    assert found, f"the script did not get to its end:\n{dom[-2000:]}"
    seen = json.loads(unescape(found[1]))
    assert seen["window"] == width
    return seen


def check(seen: dict[str, Any]) -> None:
    """Assert the rules for every page."""
    assert seen["troubles"] == []
    assert seen["fetched"] == []
    assert seen["bars"] > 0
    assert (seen["unseen"], seen["black"], seen["overlapping"]) == (0, 0, 0)
    assert seen["wide"] == [], "names that leave their bars"
    assert seen["clipped"] == [], "texts that leave the picture"
    assert seen["outside"] == [], "texts that leave the window"
    assert all(name["length"] <= LONGEST for name in seen["above"]), "names above bars, for which a row has no room"
    assert min(seen["jump"]) >= 0, "the number of a call in the table leads to its bar, which nothing covers"
    assert not seen["scrolls"], "only the picture scrolls, not the page"
    assert 0 <= seen["names"] <= 2, "the names of the rows stay at the left"


@pytest.mark.parametrize(
    ("name", "width", "theme"),
    [
        ("streams_and_events", 360, ()),
        ("streams_and_events", 768, (DARK,)),
        ("asynchronous_copies", 1366, ()),
        ("devices_and_threads", 360, (DARK,)),
    ],
    ids=["360", "768 dark", "1366", "360 dark"],
)
def test_samples_render(name: str, width: int, theme: tuple[str, ...], browser: str, tmp_path: Path) -> None:
    machine = sample(name, device_count=2, trace=True)
    seen = looked_at(browser, tmp_path, machine, *theme, width=width)
    check(seen)
    assert seen["bars"] == len(machine.calls) + len(machine.tasks)
    assert seen["size"][0] > 800
    assert len(seen["tips"]) == min(40, seen["bars"])
    for tip in seen["tips"]:
        assert (tip["shown"], tip["others"], tip["inside"]) == ("block", 1, True), tip
        assert tip["text"] == tip["title"]
        assert f"{name}.py:" in tip["text"].splitlines()[-1], "the line of the program"
        assert tip["arrow"] in ("", "1")


def test_marks_and_ranges_render(browser: str, tmp_path: Path) -> None:
    with Machine() as machine:
        aclrtSetDevice(0)
        stream, address = create_stream(), malloc(1 << 20)
        for number in range(4):
            outer = mstxRangeStartA(f"step {number}", stream)
            aclrtMemsetAsync(address, 1 << 20, 0, 1 << 20, stream)
            mstxMarkA(f"a mark with a long text {number}", stream)
            aclrtSynchronizeStream(stream)
            mstxRangeEnd(outer)
        aclrtResetDeviceForce(0)
    check(looked_at(browser, tmp_path, machine, width=360))


@pytest.mark.finds("xstream-race", "io-freed-early")
@pytest.mark.parametrize(
    ("program", "width"), [(xstream_race, 360), (io_freed_early, 900)], ids=["race", "use after free"]
)
def test_reports_render(program: Any, width: int, browser: str, tmp_path: Path) -> None:
    with Machine(on_undefined="report", schedule="random", seed=3) as machine:
        program.wrong()
    seen = looked_at(browser, tmp_path, machine, width=width)
    check(seen)
    (mark,) = seen["marks"]
    assert mark["target"].startswith(machine.findings[0].text())


def test_thousands_of_tasks_render(browser: str, tmp_path: Path) -> None:
    machine = many_tasks(10_000)
    seen = looked_at(browser, tmp_path, machine)
    check(seen)
    assert len(machine.tasks) == 10_000
    assert 400 < seen["bars"] < 10_000
    assert seen["size"][0] < 5000
    assert seen["scrolled"] > 1000


@pytest.mark.finds("mem-leaked")
def test_marks_link_to_their_texts(browser: str, tmp_path: Path) -> None:
    with Machine(on_undefined="report") as machine:
        aclrtSetDevice(0)
        stream, address = create_stream(), malloc(64)
        aclrtMemsetAsync(address, 64, 0, 64, stream)
        aclrtFree(address)
        aclrtSynchronizeStream(stream)
    seen = looked_at(browser, tmp_path, machine)
    check(seen)
    first, *_ = seen["marks"]
    assert first["text"].startswith("error[io-freed-early]: ")
    for mark in seen["marks"]:
        assert mark["target"].startswith(mark["text"].partition(":")[0])


def test_the_page_is_dark_if_the_reader_prefers_it(browser: str, tmp_path: Path) -> None:
    machine = sample("streams_and_events")
    light, dark = (looked_at(browser, tmp_path, machine, *flags)["ground"] for flags in ((), (DARK,)))
    assert (light, dark) == ("rgb(255, 255, 255)", "rgb(13, 17, 23)")


def test_the_check_sees_a_fetch(browser: str, tmp_path: Path) -> None:
    """The test sees a page that asks another host for a picture."""
    machine = sample("streams_and_events")
    real = machine.write_timeline

    def worse(path: Path) -> None:
        real(path)
        html = path.read_text(encoding="utf-8")
        path.write_text(html.replace("<h1>", '<img src="http://localhost:9/a.png"><h1>'), encoding="utf-8")

    machine.write_timeline = worse  # type: ignore[method-assign]
    assert "blocked: http://localhost:9/a.png" in looked_at(browser, tmp_path, machine)["troubles"]


def test_a_screenshot_is_not_empty(browser: str, tmp_path: Path) -> None:
    """The SVG alone, as in a document."""
    machine = sample("streams_and_events")
    machine.write_timeline(tmp_path / "timeline.svg")
    shot = tmp_path / "shot.png"
    run(browser, tmp_path, "--window-size=1300,900", f"--screenshot={shot}", (tmp_path / "timeline.svg").as_uri())
    assert shot.read_bytes().startswith(b"\x89PNG")
    assert shot.stat().st_size > 20_000, "an empty page takes a fifth of that"
