"""The documentation site is built without a warning, its links have targets, and its pages have what they promise."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from os.path import normpath
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import pytest

import acl_runtime
import acl_runtime.headers.statuses as statuses
import aclnn
from acl_runtime.checks.catalogue import CATALOGUE
from acl_runtime.headers.messages import TEMPLATES
from acl_runtime.version import __version__
from aclnn.catalogue.index import names, single_phase
from aclnn.ops import EXACT, FIRST, homes
from aclnn.tools.exports import all_functions, categories
from aclnn.tools.pages import margin, operator_findings
from aclnn.tools.pages.functions import watched
from tests.site.conftest import Page

MARKED = re.compile(r' current-page| aria-current="page"')
"""what differs in the margins of pages that share one"""


def test_every_link_has_a_target(site: Path, pages: dict[Path, Page]) -> None:
    """Sphinx checks only the links that it resolves itself; this checks all links, as a browser follows them."""
    nowhere: list[str] = []
    files = {str(path) for path in site.rglob("*")}
    places = {str(path): page.places for path, page in pages.items()}
    margins = {(path.parent, MARKED.sub("", page.margin)): path for path, page in pages.items()}
    links = {path: set(page.links) for path, page in pages.items()}
    for (_, tree), path in margins.items():
        links[path] |= {unescape(link) for link in re.findall(r'href="([^"]*)"', tree)}
    for path, found in links.items():
        for link in found:
            parts = urlsplit(link)
            if not parts.scheme and not parts.netloc:
                target = normpath(path.parent / unquote(parts.path)) if parts.path else str(path)
                if target not in files or (
                    parts.fragment and target in places and unquote(parts.fragment) not in places[target]
                ):
                    nowhere.append(f"{path.relative_to(site)}: {link}")
    assert len(pages) > 500
    assert nowhere == []


def test_the_chinese_pages_are_marked_as_chinese(site: Path, pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        language = "zh-CN" if site / "zh" in path.parents else "en"
        assert f'lang="{language}"' in page.text[:200], path


def test_the_chinese_pages_have_chinese_words_around_them(site: Path, pages: dict[Path, Page]) -> None:
    """The words of the theme, and the margin, which lists an English page only if there is none in Chinese."""
    for path, page in pages.items():
        if site / "zh" in path.parents:
            assert 'placeholder="搜索"' in page.text, path
            for english in ("On this page", "View this page", "Back to top", "Made with", "Skip to content"):
                assert english not in page.text, (path, english)
            shown = re.sub(r"<pre>.*?</pre>|<code.*?</code>|<[^>]*>", "", page.text, flags=re.DOTALL)
            assert "**" not in shown, path  # signs of Markdown that it did not understand


def test_everything_has_a_page(site: Path, pages: dict[Path, Page]) -> None:
    """One page per category of operators, computed operator, status, finding, and function of the runtime."""
    functions = {
        name for module in (acl_runtime, aclnn) for name in module.__all__ if hasattr(getattr(module, name), "c")
    } - {f"{name}{phase}" for name in names() if name not in EXACT for phase in ("", FIRST)}
    assert {path.stem for path in (site / "reference" / "functions").iterdir()} == functions | {"index"}
    values = {str(getattr(statuses, name)) for name in statuses.__all__}
    assert {path.stem for path in (site / "reference" / "statuses").iterdir()} == values | {"index"}
    assert {path.stem for path in (site / "findings").iterdir()} == {check.id for check in CATALOGUE}
    assert {path.stem for path in (site / "ops").iterdir()} == EXACT.keys()
    computed = homes().keys() - single_phase()
    assert {path.stem for path in (site / "reference" / "operators").iterdir()} == computed | set(categories())
    for category, listed in categories().items():
        text = pages[site / "reference" / "operators" / f"{category}.html"].text
        assert all(name in text for name in listed)


def test_every_code_of_an_error_text_has_an_address(site: Path, pages: dict[Path, Page]) -> None:
    """`reference/error_codes.html#EE1001`; statuses and findings have pages of their own, named by number and id."""
    assert TEMPLATES.keys() <= pages[site / "reference" / "error_codes.html"].places


def test_the_page_of_a_function_has_parameters_an_example_and_its_findings(site: Path, pages: dict[Path, Page]) -> None:
    listed = {path.stem for path in (site / "reference" / "functions").iterdir()} - {"index"}
    assert listed & watched().keys() >= {"aclrtMalloc", "aclrtMemcpyAsync", "aclnnSoftmaxBackward"}
    for name in listed:
        page = pages[site / "reference" / "functions" / f"{name}.html"]
        assert ("parameters" in page.places) == bool(all_functions()[name].parameters), name
        assert f"{name}(" in re.sub(r"<[^>]*>", "", page.text.partition('<section id="example">')[2]), name
        assert {f"../../findings/{id}.html" for id, _, _ in watched().get(name, ())} <= page.links, name


def test_the_page_of_an_operator_has_no_prose_in_blocks_of_code(site: Path, pages: dict[Path, Page]) -> None:
    """Its blocks are C or Python; text/plain would be prose."""
    for path, page in pages.items():
        if path.parent in (site / "ops", site / "reference" / "operators"):
            assert "highlight-text" not in page.text, path
            for code in re.findall(r'<div class="highlight-python.*?<pre>(.*?)</pre>', page.text, re.DOTALL):
                compile(unescape(re.sub(r"<[^>]*>", "", code)), str(path), "exec")


def test_the_page_of_an_operator_lists_its_findings(site: Path, pages: dict[Path, Page]) -> None:
    """Those of every operator, and those that its own steps report or that name it."""
    general = {check.id for check in operator_findings.of_all()}
    assert {"ws-small", "uninit-read"} <= general
    for name in homes().keys() - single_phase() | EXACT.keys():
        page = pages[site / ("ops" if name in EXACT else "reference/operators") / f"{name}.html"]
        listed = general | {check.id for check in operator_findings.own_findings(name)}
        assert "findings-that-watch-it" in page.places, name
        assert {f"{'..' if name in EXACT else '../..'}/findings/{id}.html" for id in listed} <= page.links, name


def test_every_page_has_version_description_icon_and_source(pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        if path.stem == "404":  # it is shown at any address, so it consists of one file
            continue
        assert f'<span class="sidebar-version">{__version__}</span>' in page.text, path
        assert any(link.endswith("_static/icon.svg") for link in page.links), path
        if path.stem not in ("search", "genindex"):  # these are made, and have no source
            assert re.search(r'<meta name="description" content="[^"]{10,400}">', page.text), path
            assert any("_sources/" in link for link in page.links), path


def test_the_margin_unfolds_where_the_page_is(site: Path, pages: dict[Path, Page]) -> None:
    """Each entry with groups has an arrow on every page. The group of the page is open, and the page is marked."""
    for path, page in pages.items():
        name = path.relative_to(site).with_suffix("").as_posix()
        if name == "404":
            continue
        entry, _ = margin.key(name)
        assert page.margin.count('class="toctree-checkbox"') >= len(margin.groups()) - 1, name
        assert (' checked=""' in page.margin) == bool(entry), name
        if name.startswith(("reference/functions/", "reference/operators/", "findings/", "zh/")):
            assert page.margin.count("current-page") == 1, name
            assert f'href="{path.name}" aria-current="page"' in page.margin, name


@pytest.mark.parametrize(
    ("asked", "leads_to"),
    [
        ("161002", "reference/statuses/161002.html"),
        ("ws-freed-early", "findings/ws-freed-early.html"),
        ("Machine", "reference/python.html"),
        ("释放", "zh/mistakes.html"),
    ],
)
def test_the_search_finds(site: Path, seen: Callable[[str], str], asked: str, leads_to: str) -> None:
    results = seen(f"{(site / 'search.html').as_uri()}?q={quote(asked)}").partition('id="search-results"')[2]
    first = results.split("<li", 5)[1:5]
    assert any(f'href="{leads_to}' in item for item in first), first
