"""The page of a timeline in Chinese: titles, legend, tables, the text above the picture (ours)."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from acl_runtime import Machine
from acl_runtime.timeline.chinese import TEXTS, translated
from acl_runtime.timeline.legend import LEGEND
from acl_runtime.timeline.write import as_html
from tests.helpers.timeline_programs import many_tasks, sample

HAN = re.compile(r"[\u4e00-\u9fff]")


@pytest.fixture(scope="module")
def pages() -> tuple[str, str]:
    trace = sample("streams_and_events").chrome_trace()
    return as_html(trace), as_html(trace, lang="zh")


@pytest.fixture(scope="module")
def crowded() -> str:
    """A page with so many tasks that bars are merged."""
    return as_html(many_tasks(1000).chrome_trace(), lang="zh")


def texts(page: str, *tags: str) -> list[str]:
    body = page.partition("</style>")[2]
    return [unescape(text) for text in re.findall(rf"<(?:{'|'.join(tags)})(?: [^>]*)?>([^<>\n]+)<", body)]


def test_titles_heads_of_tables_and_texts_are_in_chinese(pages: tuple[str, str], crowded: str) -> None:
    for text in (text for page in (pages[1], crowded) for text in texts(page, "h1", "h2", "p", "th", "summary")):
        assert HAN.search(text) or text == "C", text
        assert not re.search(r"\b[a-z]{2,} [a-z]{2,} [a-z]{2,}\b", text), text


def test_texts_under_the_pointer_and_labels_are_in_chinese(pages: tuple[str, str], crowded: str) -> None:
    """Lines of C, of the program, and names stay."""
    pictures = pages[1] + crowded
    shown = re.findall(r"<title>([^<]*)</title>", pictures) + re.findall(r'aria-label="([^"]*)"', pictures)
    lines = {line for text in shown for line in unescape(text).split("\n")}
    kept = re.compile(
        r"acl\w+\(.*\) = [\w ]+|\S+\.py:\d+.*|Host|MainThread|(stream|thread) \d+|device \d \(\w+\)|[\d.]+ .?s，\w+"
    )
    assert len(lines) > 100
    assert [line for line in lines if not HAN.search(line) and not kept.fullmatch(line)] == []
    assert not [line for line in lines if HAN.search(line) and re.search(r"\b(at|to|from|of|and|launched)\b", line)]


def test_the_legend_is_in_chinese() -> None:
    levels = ("error", "warning", "advice")
    assert {name for _, name in LEGEND if name not in levels} <= {*TEXTS}


def test_names_and_lines_of_the_program_stay(pages: tuple[str, str]) -> None:
    english, chinese = (re.sub(r"<[^>]+>", "\n", page.partition("</style>")[2]) for page in pages)
    for name in re.findall(r"aclrt\w+\(.*\) = \w+", english):
        assert name in chinese


def test_a_machine_writes_it_in_its_language(tmp_path: Path) -> None:
    for lang, title in (("en", "Timeline: "), ("zh", "时间线：")):
        with Machine(lang=lang) as machine:
            pass
        machine.write_timeline(tmp_path / "page.html")
        assert f"<title>{title}" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_style_sheet_is_not_translated() -> None:
    assert translated("<style>.task > p</style><p>task</p>") == "<style>.task > p</style><p>任务</p>"
