"""The site in a real browser, headless: no page is wider than its window, and the page of a finding is one screen.

A page of frames shows the pages one after the other, and writes down their sizes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from acl_runtime.checks.catalogue import CATALOGUE

FRAMES: Final = """<!doctype html><body><script>
(async () => {
  const found = {};
  for (const page of PAGES) {
    const frame = document.createElement("iframe");
    Object.assign(frame, {width: WIDTH, height: 1000, src: page});
    frame.style.border = 0;
    document.body.append(frame);
    await new Promise(resolve => frame.onload = resolve);
    const root = frame.contentDocument.documentElement;
    const rest = root.querySelector("#the-other-functions-of-the-program");
    const end = (rest?.previousElementSibling ?? root.querySelector("article")).getBoundingClientRect().bottom;
    found[page] = {wider: root.scrollWidth - root.clientWidth, end: Math.round(end)};
    frame.remove();
  }
  document.body.innerHTML = "<pre></pre>";
  document.querySelector("pre").textContent = JSON.stringify(found);
})();
</script>"""
KINDS: Final = (
    "index.html",
    "tutorial.html",
    "findings.html",
    "fidelity.html",
    "timeline.html",
    "performance.html",
    "families/activation.html",
    "findings/ws-freed-early.html",
    "ops/aclnnBatchNormReduceBackward.html",
    "reference/error_codes.html",
    "reference/enumerations.html",
    "reference/functions/index.html",
    "reference/functions/aclrtMemcpyAsync.html",
    "reference/operators.html",
    "reference/operators/nn_matmul.html",
    "reference/operators/aclnnScatterNdUpdate.html",
    "reference/python.html",
    "reference/statuses/161002.html",
    "sources/samples/findings/ws_freed_early.py.html",
    "zh/index.html",
    "zh/tutorial.html",
)
"""a page of each kind"""


def sizes(site: Path, seen: Callable[[str], str], width: int, pages: tuple[str, ...]) -> dict[str, dict[str, int]]:
    """For each page how many pixels it is wider than its window, and where its text ends."""
    frames = site / "frames.htm"  # not .html: it is no page of the site
    frames.write_text(FRAMES.replace("PAGES", json.dumps(pages)).replace("WIDTH", str(width)), encoding="utf-8")
    found = re.search(r"<pre>(.*)</pre>", seen(frames.as_uri()))
    assert found, "the browser was not done in time"
    return json.loads(found[1])


@pytest.mark.parametrize("width", [390, 900, 1400])
def test_no_page_is_wider_than_its_window(site: Path, seen: Callable[[str], str], width: int) -> None:
    found = sizes(site, seen, width, KINDS)
    assert {page: size["wider"] for page, size in found.items() if size["wider"] > 0} == {}
    assert found.keys() == set(KINDS)


def test_the_page_of_a_finding_is_one_screen(site: Path, seen: Callable[[str], str]) -> None:
    """It has the mistake, the fix, both programs and the report; other functions of the program may be below."""
    ids = [check.id for check in CATALOGUE]
    found = sizes(site, seen, 1400, tuple(f"findings/{id}.html" for id in ids))
    assert [page for page, size in found.items() if size["end"] > 1000] == []
    assert len(found) == len(ids)
