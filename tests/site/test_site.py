"""The documentation site is built without a warning, its links have targets, and its search finds names."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import acl_runtime
import acl_runtime.headers.statuses as statuses
import aclnn
from acl_runtime.checks.catalogue import CATALOGUE
from aclnn.catalogue.index import names, single_phase
from aclnn.ops import EXACT, FIRST, homes
from aclnn.tools.exports import categories
from tests.browser.test_timeline import BROWSERS, FLAGS, PATIENCE
from tests.project.test_docs import ROOT

MISSING = [name for name in ("sphinx", "myst_parser", "furo") if importlib.util.find_spec(name) is None]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"no {', '.join(MISSING)} here (pip install '.[docs]')")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built strictly: a warning, or a link to nowhere, is an error."""
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-n", "-W", "--keep-going", "-q", "-j", "2", "docs", str(out)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    return out


class Page(HTMLParser):
    """The links of a page, and the anchors in it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.places: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.places.add(found.get("id") or "")
        self.links.add(found.get("href") or found.get("src") or "" if tag in ("a", "img") else "")


def test_every_link_has_a_target(site: Path) -> None:
    """Sphinx checks only the links that it resolves itself; this checks all links, as a browser follows them."""
    pages = {path: Page(path) for path in site.rglob("*.html")}
    nowhere: list[str] = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if not parts.scheme and not parts.netloc:
                target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
                if not target.is_file() or (
                    parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places
                ):
                    nowhere.append(f"{path.relative_to(site)}: {link}")
    assert len(pages) > 500
    assert nowhere == []


def test_the_chinese_pages_are_marked_as_chinese(site: Path) -> None:
    for path in site.rglob("*.html"):
        language = "zh-CN" if site / "zh" in path.parents else "en"
        assert f'lang="{language}"' in path.read_text(encoding="utf-8")[:200], path


def test_everything_has_a_page(site: Path) -> None:
    """One page per category of operators, computed operator, status, finding, and function of the runtime."""
    functions = {
        name for module in (acl_runtime, aclnn) for name in module.__all__ if hasattr(getattr(module, name), "c")
    } - {f"{name}{phase}" for name in names() if name not in EXACT for phase in ("", FIRST)}
    assert {path.stem for path in (site / "reference" / "functions").iterdir()} == functions | {"index"}
    values = {str(getattr(statuses, name)) for name in statuses.__all__}
    assert {path.stem for path in (site / "reference" / "statuses").iterdir()} == values | {"index"}
    assert {path.stem for path in (site / "findings").iterdir()} == {check.id for check in CATALOGUE}
    assert {path.stem for path in (site / "ops").iterdir()} == EXACT
    computed = homes().keys() - single_phase()
    assert {path.stem for path in (site / "reference" / "operators").iterdir()} == computed | set(categories())
    for category, listed in categories().items():
        text = (site / "reference" / "operators" / f"{category}.html").read_text(encoding="utf-8")
        assert all(name in text for name in listed)


@pytest.mark.parametrize(
    ("asked", "leads_to"),
    [
        ("161002", "reference/statuses/161002.html"),
        ("ws-freed-early", "findings/ws-freed-early.html"),
        ("Machine", "reference/python.html"),
    ],
)
def test_the_search_finds(site: Path, tmp_path: Path, asked: str, leads_to: str) -> None:
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        pytest.skip(f"no browser here: none of {', '.join(BROWSERS)}")
    address = f"{(site / 'search.html').as_uri()}?q={asked}"
    command = [browser, *FLAGS, f"--user-data-dir={tmp_path}", "--virtual-time-budget=20000", "--dump-dom", address]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE)
    results = run.stdout.partition('id="search-results"')[2]
    first = results.split("<li", 5)[1:5]
    assert any(f'href="{leads_to}' in item for item in first), first
