"""The site in a real browser, headless: no page is wider than its window, no name breaks inside of a word, pictures
have the colours of the theme, and the page of a finding is one screen.

A page of frames shows the pages one after the other, and writes down their sizes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from acl_runtime.checks.catalogue import CATALOGUE

FRAMES: Final = """<!doctype html><body><script>
// The names that are in two lines. site.js says where a name may break, and makes each of its parts a text of its own.
const broken = body => {
  const found = new Set(), range = document.createRange();
  for (const part of body.querySelectorAll("h1, h2, h3, td, th, dt.sig, .sidebar-tree")) {
    const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      for (const name of texts.currentNode.data.matchAll(/\\w{6,}/g)) {
        range.setStart(texts.currentNode, name.index);
        range.setEnd(texts.currentNode, name.index + name[0].length);
        const lines = [...range.getClientRects()].filter(each => each.width > 1).map(each => Math.round(each.top));
        if (new Set(lines).size > 1) found.add(name[0]);
      }
    }
  }
  return [...found];
};
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
    const body = frame.contentDocument.body;
    body.dataset.theme = "dark";
    const pictures = [...body.querySelectorAll("article img")];
    const bright = pictures.filter(each => getComputedStyle(each).colorScheme !== "dark");
    found[page] = {
      wider: root.scrollWidth - root.clientWidth, end: Math.round(end), bright: bright.length, broken: broken(body),
    };
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
    "clients/pytorch.html",
    "contract.html",
    "faq.html",
    "families/activation.html",
    "families/index.html",
    "findings/ws-freed-early.html",
    "glossary.html",
    "how-to.html",
    "genindex.html",
    "ops/aclnnBatchNormReduceBackward.html",
    "reference/error_codes.html",
    "reference/enumerations.html",
    "reference/functions/index.html",
    "reference/functions/aclrtMemcpyAsync.html",
    "reference/operators.html",
    "reference/operators/aclnnAdd.html",
    "reference/operators/nn_matmul.html",
    "reference/operators/aclnnScatterNdUpdate.html",
    "reference/python.html",
    "reference/statuses/161002.html",
    "reference/statuses/index.html",
    "sources/samples/findings/ws_freed_early.py.html",
    "zh/findings.html",
    "zh/findings/ws-freed-early.html",
    "zh/index.html",
    "zh/tutorial.html",
)
"""a page of each kind"""


def sizes(site: Path, seen: Callable[[str], str], width: int, pages: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """For each page how many pixels it is wider than its window, where its text ends, which names are broken, and how
    many pictures do not follow the theme."""
    frames = site / "frames.htm"  # not .html: it is no page of the site
    frames.write_text(FRAMES.replace("PAGES", json.dumps(pages)).replace("WIDTH", str(width)), encoding="utf-8")
    found = re.search(r"<pre>(.*)</pre>", seen(frames.as_uri()))
    assert found, "the browser was not done in time"
    return json.loads(found[1])


@pytest.mark.parametrize("width", [390, 900, 1400])
def test_a_page_fits_its_window(site: Path, seen: Callable[[str], str], width: int) -> None:
    """It is not wider, its names break only where their parts end, and its pictures follow the theme."""
    found = sizes(site, seen, width, KINDS)
    assert {page: size["wider"] for page, size in found.items() if size["wider"] > 0} == {}
    assert {page: size["broken"] for page, size in found.items() if size["broken"]} == {}
    assert {page: size["bright"] for page, size in found.items() if size["bright"]} == {}
    assert found.keys() == set(KINDS)


def test_the_page_of_a_finding_is_one_screen(site: Path, seen: Callable[[str], str]) -> None:
    """It has the mistake, the fix, both programs and the report within 1000 pixels; other functions of the program may
    be below."""
    ids = [check.id for check in CATALOGUE]
    found = sizes(site, seen, 1400, tuple(f"findings/{id}.html" for id in ids))
    assert [page for page, size in found.items() if size["end"] > 1000] == []
    assert len(found) == len(ids)
