"""docs/glossary.md: each word has one sentence, and one name in the code."""

from __future__ import annotations

import re
from pkgutil import resolve_name

import pytest

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
    assert f"`{path}`" == name
    resolve_name(path)


@EACH
def test_a_word_is_explained_in_one_sentence(word: str, meaning: str, name: str) -> None:
    assert re.search(r"^[A-Z`].*\.$", meaning)
    assert not re.search(r"[.!?] ", meaning)


def test_no_word_and_no_name_stands_twice() -> None:
    words = [each for word, *_ in ROWS for each in word.split(", ")]
    assert len(words) == len(set(words))
    assert len(ROWS) == len({name for *_, name in ROWS})


def test_the_words_of_the_field_are_there() -> None:
    assert set(NEEDED) <= {each for word, *_ in ROWS for each in word.split(", ")}
