"""The site is built once for all tests of this folder."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.browser.test_timeline import BROWSERS, FLAGS
from tests.helpers.patience import PATIENCE
from tests.helpers.places import ROOT

MISSING = [name for name in ("sphinx", "myst_parser", "furo") if importlib.util.find_spec(name) is None]
MARGIN = re.compile(r'<div class="sidebar-tree">.*?</div>', re.DOTALL)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built strictly: a warning, or a link to nowhere, is an error."""
    if MISSING:
        pytest.skip(f"no {', '.join(MISSING)} here (pip install '.[docs]')")
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-n", "-W", "--keep-going", "-q", "-j", "2", "docs", str(out)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    return out


class Page(HTMLParser):
    """The text of a page, its links, and the anchors in it. Its margin, which others share, is kept apart."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.text = path.read_text(encoding="utf-8")
        self.margin = "".join(MARGIN.findall(self.text))
        self.links: set[str] = set()
        self.places: set[str] = set()
        self.feed(MARGIN.sub("", self.text, count=1))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.places.add(found.get("id") or "")
        self.links.add(found.get("href") or found.get("src") or "" if tag in ("a", "img", "link") else "")


@pytest.fixture(scope="session")
def pages(site: Path) -> dict[Path, Page]:
    """Every page of the site."""
    return {path: Page(path) for path in site.rglob("*.html")}


@pytest.fixture
def seen(tmp_path: Path) -> Callable[[str], str]:
    """The document that a browser makes of an address."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        pytest.skip(f"no browser here: none of {', '.join(BROWSERS)}")

    def look(address: str) -> str:
        options = [f"--user-data-dir={tmp_path}/browser", "--allow-file-access-from-files", "--dump-dom"]
        command = [browser, *FLAGS, *options, "--virtual-time-budget=60000", address]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE).stdout

    return look
