"""The Chinese sentences, history lines and phrases of findings: they belong to the English ones of the sources."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from acl_runtime.checks import chinese, phrases_zh, sentences_zh
from acl_runtime.checks.chinese import PLACE
from acl_runtime.errors import Past
from tests.helpers.places import ROOT, module_files

HAN = re.compile(r"[\u4e00-\u9fff]")
NAME = re.compile(r"(?<![A-Za-z0-9_])(?:acl[a-z]*[A-Z]|ACL_|DT_)\w+(?:\(\d+\))?|0x[0-9a-f]+|\b\d+\b|`[^`]+`")
"""names of C, numbers, and names of parameters: a translation has those of the English text"""
REPORT = re.compile(r"^(?:error|warning|advice)\[[\w-]+\]: (.*)$", re.MULTILINE)
HISTORY = re.compile(r"^   \|  (\S.*?)(?: at (\S+:\d+))?$", re.MULTILINE)
TABLES: dict[str, Mapping[str, str]] = {
    "sentences": sentences_zh.SENTENCES,
    "history": sentences_zh.HISTORY,
    "endings": sentences_zh.ENDINGS,
    "phrases": phrases_zh.PHRASES,
}
COMPOSED = {
    "(id {}, type {})",  # no finding
    "kind is {}, but {}. The copy followed the addresses.",
    "the data of {} starts at {}.",
    "{} failed:\n{}{}",
    "the workspace at {} shares bytes with {}.",
    "the workspace of {} starts at {}.",
    "the {} of {} ({}) has room for {} elements, but {}.",
    "{} = {} bytes, but {} {}.",
    "{} in {} reads the {}, whose {} was never written.",
    "{} shares bytes with {}{}.",
    "{} {}",
    "{}[{}] is {}, legal values are {}{} ({} of {} are out of range).{}",
}
"""first lines whose values hold a part of the sentence: the tables have the whole sentence"""


def pairs() -> list[tuple[str, str]]:
    return [pair for table in TABLES.values() for pair in table.items()]


@pytest.mark.parametrize(("english", "in_chinese"), pairs())
def test_a_translation_has_the_placeholders_and_names_of_the_english_text(english: str, in_chinese: str) -> None:
    wanted = Counter(each for each in PLACE.findall(english) if not each.startswith("_"))
    assert Counter(each for each in PLACE.findall(in_chinese) if each != "site") == wanted
    assert set(NAME.findall(in_chinese)) == set(NAME.findall(english))


@pytest.mark.parametrize("english", sentences_zh.HISTORY)
def test_a_line_of_the_history_has_a_place_for_the_line_of_code(english: str) -> None:
    """Only the count of what is not listed has none."""
    assert (sentences_zh.HISTORY[english].count("{site}") == 1) == ("line{_s}" not in english)


class Strings:
    """The texts in the sources, apart from the Chinese ones: f-strings with `{}` for each value."""

    def __init__(self) -> None:
        files = [path for path in module_files() if "_zh" not in path.name]
        self.trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in files}
        constants = (node for tree in self.trees.values() for node in ast.walk(tree) if isinstance(node, ast.Constant))
        self.words = {
            word for node in constants if isinstance(node.value, str) for word in re.findall(r"[A-Za-z]+", node.value)
        }


@cache
def strings() -> Strings:
    return Strings()


@pytest.mark.parametrize("english", [english for english, _ in pairs()])
def test_the_words_of_an_english_text_are_in_the_sources(english: str) -> None:
    """The sources put many sentences together from several texts, so that only their words can be looked for."""
    assert set(re.findall(r"[A-Za-z]+", PLACE.sub(" ", english))) <= strings().words


def texts(node: ast.expr, function: ast.FunctionDef) -> Iterator[str]:
    """The texts that an expression may have, with `{}` for each value that a function computes."""
    match node:
        case ast.Constant(str(text)):
            yield text
        case ast.JoinedStr(parts):
            yield "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in parts)
        case ast.IfExp(body=one, orelse=other):
            yield from (*texts(one, function), *texts(other, function))
        case ast.Name(name):
            for each in ast.walk(function):
                match each:
                    case ast.Assign(targets=[ast.Name(target)], value=value) if target == name:
                        yield from texts(value, function)
                    case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                        for target, value in zip(targets, values, strict=False):
                            if isinstance(target, ast.Name) and target.id == name:
                                yield from texts(value, function)
                    case _:
                        pass
        case _:
            pass


REPORTERS = ("undefined", "crash", "add", "report", "FindingReporter", "out_of_range")


def what(call: ast.Call) -> ast.expr | None:
    """The first line that a call gives to a finding: the argument behind the id."""
    match call:
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(name), args=[_, text, *_]) if name in REPORTERS:
            return text
        case ast.Call(func=ast.Call(func=ast.Name("FindingReporter")), args=[_, text, *_]):
            return text
        case _:
            return None


def raised() -> Iterator[tuple[Path, int, str]]:
    """The first lines of findings, as far as the sources show them."""
    for path, tree in strings().trees.items():
        for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
            for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
                if (text := what(call)) is not None:
                    for each in texts(text, function):
                        yield path, call.lineno, each


def test_each_first_line_of_the_sources_has_its_chinese_text() -> None:
    """A finding that is new gets its Chinese sentence, or fails here."""
    found = {text for _, _, text in raised() if " " in text}
    assert len(found) > 60, "the search in the sources works"
    patterns = [
        re.compile(".+?".join(map(re.escape, PLACE.split(english)[::2])), re.DOTALL)
        for english in sentences_zh.SENTENCES
    ]
    assert {text for text in found if not any(pattern.fullmatch(text) for pattern in patterns)} == COMPOSED


def lines() -> Iterator[tuple[str, Past | str]]:
    for page in sorted((ROOT / "docs" / "findings").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        yield from ((page.stem, each) for each in REPORT.findall(text))
        yield from ((page.stem, Past(what, site)) for what, site in HISTORY.findall(text))


@pytest.mark.parametrize(("id", "line"), list(lines()))
def test_each_line_of_the_reports_on_the_pages_is_in_chinese(id: str, line: Past | str) -> None:
    """With the names and numbers of the English one, and without English words between them."""
    english = line if isinstance(line, str) else line.what
    translated = chinese.sentence(line) if isinstance(line, str) else chinese.past(line)[2]
    assert translated is not None
    assert HAN.search(translated)
    assert Counter(NAME.findall(translated)) == Counter(NAME.findall(english))
    own = translated.partition("返回码。")[0]  # what the library says comes behind
    assert re.findall(r"\b(?:the|is|are|was|were|has|not|of|in|and|but)\b", own) == []
