"""The Chinese pages, README.zh.md and docs/zh/, have the sections, blocks of code, links and numbers of the English
pages, and follow the typography of Chinese."""

from __future__ import annotations

import os.path
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from aclnn.tools.pages.chinese import MISTAKES
from aclnn.tools.pages.mistakes import ORDER
from tests.helpers.chinese_reports import untranslated
from tests.helpers.doc_blocks import CHINESE, FENCE, PAGES, bare, blocks, counts, english_page
from tests.helpers.listing import assert_listed
from tests.helpers.places import ROOT

PAIRS = {
    "README.zh.md": "README.md",
    **{page: english_page(page) for path in PAGES if (page := path.relative_to(ROOT).as_posix()).startswith(CHINESE)},
}
"""the English page of each Chinese one"""
LINK = re.compile(r"!?\[([^\]]*)\]\(([^)#]*)(?:#[^)]*)?\)(（英文）)?")
WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
TENS = {"twenty": 20, "hundred": 100}
EACH = pytest.mark.parametrize(("chinese", "english"), PAIRS.items(), ids=PAIRS)
ALONE = pytest.mark.parametrize("page", PAIRS)
HAN = r"\u4e00-\u9fff"


def text_of(page: str) -> str:
    """The text between the blocks of code."""
    return FENCE.sub("", (ROOT / page).read_text(encoding="utf-8"))


def prose_of(page: str) -> str:
    """The text with the visible part of each link, and a letter for each piece of code."""
    return re.sub(r"`[^`\n]*`", "x", LINK.sub(r"\1\3", text_of(page)))


def targets(page: str) -> set[str]:
    """The files and folders that a page links to, each by its English page if it has one. Its own translation
    does not count."""
    found = {target for _, target, _ in LINK.findall(text_of(page)) if target}
    outside = {target for target in found if target.startswith("https://")}
    paths = [((ROOT / page).parent / target).resolve() for target in found - outside]
    names = {path.relative_to(ROOT).as_posix() for path in paths}
    names = {english_page(name) if name.endswith(".svg") else name for name in names}  # a picture with Chinese texts
    return outside | {PAIRS.get(name, name) for name in names} - {PAIRS.get(page, page)}


def test_the_readme_the_start_page_and_the_tutorial_are_there_in_chinese() -> None:
    assert {"README.zh.md", "docs/zh/index.md", "docs/zh/tutorial.md"} <= set(PAIRS)


@EACH
def test_a_page_links_to_the_other_one_at_its_top(chinese: str, english: str) -> None:
    for page, other, line in ((chinese, english, "[English]({}) | 中文"), (english, chinese, "English | [中文]({})")):
        name = os.path.relpath(ROOT / other, (ROOT / page).parent)
        assert text_of(page).splitlines()[2] == line.format(name), f"{page}: the third line links to the other page"


@EACH
def test_the_sections_are_the_same(chinese: str, english: str) -> None:
    """As many of each level, in the same order; those that are numbered have the same numbers."""
    found, expected = (re.findall(r"^(#+) (\d+\.)?", text_of(page), re.MULTILINE) for page in (chinese, english))
    assert found == expected, f"{chinese} needs the sections of {english}, in their order"


@EACH
def test_the_blocks_of_code_are_the_same(chinese: str, english: str) -> None:
    """Their languages, their code but for the comments of a shell, and the names of files; and in the same section.
    Outputs of programs are those of the English page, in Chinese."""
    found, expected = (
        [
            (block.language, "" if block.language == "text" else bare(block), block.file, block.kind)
            for block in blocks(ROOT / page)
        ]
        for page in (chinese, english)
    )
    assert found == expected, f"copy the blocks of code from {english} to {chinese}"
    outputs = zip(blocks(ROOT / english), blocks(ROOT / chinese), strict=True)
    texts = [[bare(block) for block in pair] for pair in outputs if pair[0].language == "text"]
    assert [line for pair in texts for line in untranslated(*pair)] == []
    assert places(chinese) == places(english), f"{chinese}: a block stands in another section than in {english}"


def places(page: str) -> list[int]:
    """How many sections begin before each block."""
    sections = list(dict.fromkeys(block.section for block in blocks(ROOT / page)))
    return [sections.index(block.section) for block in blocks(ROOT / page)]


@EACH
def test_the_links_are_the_same(chinese: str, english: str) -> None:
    assert_listed(f"{chinese}, the links, as in {english}", targets(chinese), targets(english))


@EACH
def test_the_tables_have_the_same_rows(chinese: str, english: str) -> None:
    """Each begins with the same link or the same code, if with any."""
    found, expected = (
        [
            Path(LINK.findall(cell)[0][1]).name if cell.startswith("[") else sorted(re.findall(r"`[^`]+`", cell))
            for cell in re.findall(r"^\| ((?:[^|\\]|\\.)*) \|", text_of(page), re.MULTILINE)
        ]
        for page in (chinese, english)
    )
    assert found == expected, f"{chinese}: the tables need the rows of {english}, in their order"


@EACH
def test_the_numbers_are_the_same(chinese: str, english: str) -> None:
    """Every number in digits of the English page stands in the Chinese one, which has no others but those that the
    English page spells."""
    digits = [Counter(re.findall(r"\d+(?:\.\d+)*", prose_of(page))) for page in (chinese, english)]
    words = re.findall(r"[a-z]+", prose_of(english).lower())
    spelt = Counter({str(number): words.count(word) for number, word in enumerate(WORDS, 1)})
    spelt += Counter({str(number): words.count(word) for word, number in TENS.items()})
    assert digits[1] - digits[0] == Counter(), f"{chinese} lacks these numbers of {english}"
    assert digits[0] - digits[1] - spelt == Counter(), f"{chinese} has these numbers, which {english} lacks"


def test_the_readme_counts_what_there_is() -> None:
    readme = text_of("README.zh.md")
    there = counts()
    for count in (f"{there.documents} 篇算子文档", f"{there.samples} 个自带示例"):
        assert count in readme, "README.zh.md counts the samples: correct it there and in README.md"


def test_every_mistake_has_its_story() -> None:
    """No more and no fewer, in the order of the pages."""
    assert_listed("aclnn/tools/pages/chinese.py, MISTAKES", MISTAKES, ORDER)
    assert list(MISTAKES) == list(ORDER), "MISTAKES of aclnn/tools/pages/chinese.py stand in another order than ORDER"


@ALONE
def test_a_link_leads_to_the_chinese_page_if_there_is_one(page: str) -> None:
    """In docs/zh/ a link to an English page says so, or the head of its table does. Sources and
    pictures are no pages."""
    of_english = {english: chinese for chinese, english in PAIRS.items()}
    all_english = False
    for line in text_of(page).splitlines()[3:]:
        all_english = "（英文）" in line if line.startswith("| 页面") else all_english and line.startswith("|")
        for _, target, says in LINK.findall(line):
            if not target or target.startswith("https://"):  # a section of this page, or a page of others
                continue
            path = ((ROOT / page).parent / target).resolve()
            name = path.relative_to(ROOT).as_posix()
            assert name not in of_english, f"{target}: there is {of_english[name]}"
            if page.startswith(CHINESE) and not name.startswith("samples/") and path.suffix != ".svg":
                assert bool(says) + all_english == (name not in PAIRS), target


@ALONE
def test_words_and_numbers_stand_between_spaces_and_punctuation_is_chinese(page: str) -> None:
    prose = "\n".join(re.sub(r"^([-#]+|\d+\.) ", "", line) for line in prose_of(page).splitlines())
    wrong = {
        "a space is missing": rf"[{HAN}][A-Za-z0-9]|[A-Za-z0-9][{HAN}]",
        "a space beside Chinese punctuation": r"[^|\n] [，。；：！？（）、“”]|[，。；：！？（）、“”] [^|\n]",
        "a space between characters": rf"[{HAN}] [{HAN}]",
        "punctuation of half the width": rf"[{HAN}][,.;:!?()]|[,;:!?()][{HAN}]",
    }
    for what, pattern in wrong.items():
        assert re.findall(rf".{{0,8}}(?:{pattern}).{{0,8}}", prose) == [], what


@ALONE
def test_a_paragraph_is_one_line(page: str) -> None:
    """As a browser shows the end of a line as a space, which Chinese text has none of."""
    lines = text_of(page).splitlines()
    for line, after in pairwise(lines):
        assert not line or not after or re.match(r"\||- |\d+\. ", after), after
