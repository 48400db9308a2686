"""Texts: a template and its values. Their Chinese templates belong to those of the sources, and none is required."""

from __future__ import annotations

import copy
import pickle
import re
from pathlib import Path

import pytest

from acl_runtime import Machine, aclInit, aclrtSetDevice
from acl_runtime.checks import catalogue_zh, chinese
from acl_runtime.checks.catalogue import CATALOGUE
from acl_runtime.errors import Past
from acl_runtime.text import PLACE, Text, facts
from aclnn.tools import render
from aclnn.tools.pages import untranslated
from tests.helpers.chinese_reports import NAME
from tests.helpers.chinese_reports import untranslated as differences
from tests.helpers.places import ROOT

HAN = re.compile(r"[\u4e00-\u9fff]")
REPORT = re.compile(r"^```text\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAIRS = [*chinese.TEXTS.items(), *chinese.HISTORY.items()]
TEMPLATES = {template for _, _, template in untranslated.templates()}


class Named:
    """An object whose name changes."""

    name = "one"

    def __str__(self) -> str:
        return self.name


def test_a_text_is_its_english_wording_with_its_template_and_its_values() -> None:
    named = Named()
    text = Text("{count} bytes of {thing} {_were} {how}", count=4, thing=named, _were="were", how=Text("freed"))
    named.name = "another"
    assert text == "4 bytes of one were freed"
    assert text.template == "{count} bytes of {thing} {_were} {how}"
    assert facts(text) == {"count": 4, "thing": "one", "how": "freed"}
    assert facts("a plain text") == {}


@pytest.mark.parametrize("again", [str, copy.copy, copy.deepcopy, lambda text: pickle.loads(pickle.dumps(text))])
def test_a_copy_keeps_template_and_values(again: type[str]) -> None:
    text = again(Text("{a} in {b}", a=Text("copy"), b="{b}"))
    assert isinstance(text, Text)
    assert (text, text.template, text.values) == ("copy in {b}", "{a} in {b}", {"a": "copy", "b": "{b}"})
    assert isinstance(text.values["a"], Text)


@pytest.mark.parametrize(("count", "english"), [(0, "0 tasks"), (1, "1 task"), (2, "2 tasks")])
def test_a_plural_fits_its_number(count: int, english: str) -> None:
    assert Text.plural(count, "{count} task", "{count} tasks") == english


@pytest.mark.parametrize(("parts", "english"), [([], ""), (["a"], "a"), (["a", "b", "c"], "a; b; c")])
def test_a_chain_is_one_text_of_several_parts(parts: list[str], english: str) -> None:
    assert Text.chain("{side}; {sides}", parts) == english


def test_parts_of_a_text_are_translated_and_names_stay() -> None:
    """A name that is also a word of the emulator's stays, as it is no `Text`."""
    source = Text("{task} in {stream}", task=Text("copy"), stream=Text("the default stream of {context}", context="c"))
    assert chinese.chinese(source) == "c 的默认流里的拷贝"
    assert chinese.chinese(Text("{task} in {stream}", task="copy", stream="callback")) == "callback 里的 copy"


def test_a_text_without_translation_stays_english() -> None:
    """As a whole, even if its parts have translations."""
    text = Text("nobody translates {what}", what=Text("copy"))
    assert chinese.chinese(text) == "nobody translates copy"
    assert chinese.past(Past(text, "a.py:1")) == ("nobody translates copy at ", "", "nobody translates copy")


@pytest.mark.parametrize(("english", "in_chinese"), PAIRS)
def test_a_translation_has_the_places_and_names_of_the_english_text(english: str, in_chinese: str) -> None:
    """It may name a value again that the English text has once."""
    assert {place for place in PLACE.findall(english) if place[0] != "_"} == {*PLACE.findall(in_chinese)} - {"site"}
    assert set(NAME.findall(in_chinese)) == set(NAME.findall(english))


WITHOUT_LINE = re.compile(r"line\{_s\}| of rank \{rank\} has (died|ended)$")


@pytest.mark.parametrize("english", chinese.HISTORY)
def test_a_line_of_the_history_has_a_place_for_the_line_of_code(english: str) -> None:
    """The count of what is not listed has none, and neither has the end of a process."""
    assert (chinese.HISTORY[english].count("{site}") == 1) == (not WITHOUT_LINE.search(english))


def test_each_translation_is_of_a_text_of_the_sources() -> None:
    assert [english for english, _ in PAIRS if english not in TEMPLATES] == []


def test_rendering_names_what_has_no_translation(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And does not fail: somebody who reads Chinese may add it later."""
    texts = {english: text for english, text in chinese.TEXTS.items() if english != "aclInit was never called."}
    rows = {id: row for id, row in catalogue_zh.FINDINGS.items() if id != "init"}
    before = {*untranslated.untranslated()}
    monkeypatch.setattr(chinese, "TEXTS", texts)
    monkeypatch.setattr(catalogue_zh, "FINDINGS", rows)
    monkeypatch.setattr(render, "files", dict)
    assert render.main(["--check"]) == 0
    named = {line.removeprefix("no Chinese text yet: ") for line in capsys.readouterr().out.splitlines()}
    assert named - before == {
        "acl_runtime/checks/sentences_zh.py: 'aclInit was never called.'",
        "acl_runtime/checks/catalogue_zh.py: init",
    }


# the reports


@pytest.mark.parametrize("page", [check.id for check in CATALOGUE if check.level != "status"])
def test_the_chinese_report_of_a_page_is_that_of_the_english_page(page: str) -> None:
    """Line by line, with the same names and numbers."""
    english, in_chinese = (
        REPORT.findall((ROOT / folder / f"{page}.md").read_text(encoding="utf-8"))[-1]
        for folder in (Path("docs/findings"), Path("docs/zh/findings"))
    )
    assert differences(english, in_chinese) == []


def test_values_are_in_the_report_for_programs() -> None:
    with Machine(on_undefined="report") as machine:
        aclInit(None)
        aclrtSetDevice(0)
    (finding,) = machine.findings
    assert facts(finding.what) == {"number": 0, "times": "once"}
