"""docs/glossary.md: each word has one sentence, and one name in the code."""

from __future__ import annotations

import re
from pkgutil import resolve_name

import pytest

from tests.helpers.listing import assert_listed
from tests.helpers.places import ROOT

PAGE = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
ROWS = [
    (word, meaning, name)
    for word, meaning, name in re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \|$", PAGE, re.MULTILINE)
    if word != "word"
]
NEEDED = (
    "vector clock", "happens-before", "taint", "consequence", "watchpoint", "plan", "plan builder", "executor",
    "task", "launch", "listener", "report", "suppress", "cache", "first phase", "second phase", "workspace",
    "descriptor", "view", "storage", "stream", "event", "context", "device", "fill value", "written range", "window",
    "finding", "status", "series", "level", "schedule", "deadlock",
)  # fmt: skip
EACH = pytest.mark.parametrize(("word", "meaning", "name"), ROWS, ids=[word for word, *_ in ROWS])


@EACH
def test_the_name_of_a_word_is_in_the_code(word: str, meaning: str, name: str) -> None:
    """The name of a class, a function, a member or a module."""
    (path,) = re.findall(r"`((?:acl_runtime|aclnn)\.[\w.]+)`", name)
    assert f"`{path}`" == name, f"docs/glossary.md, {word}: the last cell is one name of the code"
    try:
        resolve_name(path)
    except (AttributeError, ImportError) as error:
        raise AssertionError(f"docs/glossary.md, {word}: {error}") from error


@EACH
def test_a_word_is_explained_in_one_sentence(word: str, meaning: str, name: str) -> None:
    one = re.search(r"^[A-Z`].*\.$", meaning) and not re.search(r"[.!?] ", meaning)
    assert one, f"docs/glossary.md: write the meaning of {word} as one sentence"


def test_no_word_and_no_name_stands_twice() -> None:
    words = [each for word, *_ in ROWS for each in word.split(", ")]
    for each in (words, [name for *_, name in ROWS]):
        assert_listed("docs/glossary.md, a row for each word and each name", each, set(each))


def test_the_words_of_the_field_are_there() -> None:
    listed = {each for word, *_ in ROWS for each in word.split(", ")}
    assert set(NEEDED) - listed == set(), "docs/glossary.md needs a row for each"
