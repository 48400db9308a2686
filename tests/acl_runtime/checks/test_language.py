"""`Machine(lang="zh")`: the reports in Chinese; ids, names, numbers and the texts of the library stay as they are."""

from __future__ import annotations

import json
import re
from ctypes import byref, c_void_p

import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from acl_runtime.checks import catalogue_zh
from acl_runtime.checks.catalogue import CATALOGUE, CHECKS
from acl_runtime.checks.language import explained, in_language
from acl_runtime.errors import Finding, Past
from tests.helpers.own_process import program

HAN = re.compile(r"[\u4e00-\u9fff]")
NAME = re.compile(r"(?<![A-Za-z0-9_])(?:acl|ACL_|ACLNN_|np\.|Machine)[A-Za-z0-9_]+(?:\([\w=]*\))?|\b\d{4,}\b")
"""names of C and Python, and numbers: a translation has those of the English text"""
SET_TWICE = "aclrtSetDevice(0); aclrtSetDevice(0); aclrtResetDevice(0)"
NOTE = "   = note: 设置 Device 的次数多于重置的次数。Device 的资源一直被占用，直到进程结束。"
HELP = "   = help: 每调用一次 aclrtSetDevice，就要调用一次 aclrtResetDevice。"
ENGLISH = "   = help: Call aclrtResetDevice once for each aclrtSetDevice."


def set_twice(lang: str) -> Machine:
    with Machine(on_undefined="report", lang=lang) as machine:
        aclInit(None)
        aclrtSetDevice(0)
        aclrtSetDevice(0)
        aclrtResetDevice(0)
        aclFinalize()
    return machine


# the texts


def test_the_chinese_catalogue_has_the_rows_of_the_english_one() -> None:
    """In the order of the catalogue; a text for C where there is an English one. A row may be missing, and then its
    finding is reported in English (`python -m aclnn.render` names it)."""
    assert list(catalogue_zh.FINDINGS) == [check.id for check in CATALOGUE if check.id in catalogue_zh.FINDINGS]
    for id, texts in catalogue_zh.FINDINGS.items():
        assert bool(texts.fix_in_c) == bool(CHECKS[id].fix_in_c), id
        assert all(HAN.search(text) for text in texts if text), id
        assert all(text.endswith(("。", "）")) for text in texts if text), id


@pytest.mark.parametrize("id", catalogue_zh.FINDINGS)
def test_a_translation_names_what_the_english_text_names(id: str) -> None:
    """The same functions, codes and numbers, though in any order."""
    for english, translated in zip(CHECKS[id][2:], in_language(CHECKS[id], "zh")[2:], strict=True):
        assert set(NAME.findall(translated)) == set(NAME.findall(english))


# the reports


def test_a_report_is_in_chinese_and_keeps_what_programs_read() -> None:
    """The explanation is a line of its own. The form of the lines is the same in both: level, id, places, marks."""
    zh, english = (set_twice(lang).findings.report() for lang in ("zh", "en"))
    lines = zh.splitlines()
    assert NOTE in lines
    assert HELP in lines
    assert lines[0] == "warning[device-not-reset]: aclrtSetDevice(0) 比 aclrtResetDevice(0) 多调用了一次。"
    assert re.fullmatch(r"   \|  第一次在 \S+test_language.py:\d+ 设置", lines[1])
    assert '   = 如要允许：machine.allow("device-not-reset", reason="...")' in lines
    assert lines[-1] == "0 个错误，1 个警告，0 条建议"
    marks = [re.findall(r"^(?:\w+\[[\w-]+\]:| +-->| +\|| +=)", text, re.MULTILINE) for text in (zh, english)]
    assert marks[0] == [*marks[1][:-2], "   =", *marks[1][-2:]], "one line more, with the explanation"
    assert re.findall(r"[\w/]+\.py:\d+", zh) == re.findall(r"[\w/]+\.py:\d+", english)
    assert "   = note:" not in english


def test_the_attributes_of_a_finding_do_not_depend_on_the_language() -> None:
    """A test or a script that compares them works in every locale; so does the report for programs."""
    zh, english = (set_twice(lang).findings for lang in ("zh", "en"))
    assert [(each.message, each.hint) for each in zh] == [(each.message, each.hint) for each in english]
    assert zh.report("json") == english.report("json")
    (finding,) = json.loads(zh.report("json"))["findings"]
    assert finding["values"] == {"number": 0, "times": "once"}
    assert [each["values"] for each in finding["history"]] == [{}, {"thread": "MainThread"}]


def test_an_exception_shows_the_chinese_report() -> None:
    with Machine(lang="zh"):
        array = aclCreateIntArray([1], 1)
        aclDestroyIntArray(array)
        with pytest.raises(UndefinedBehaviour) as raised:
            aclDestroyIntArray(array)
    assert "   = help: 每个对象只销毁一次；aclDestroyTensorList 会一并销毁列表里的 Tensor。" in str(raised.value)
    assert str(raised.value) == str(raised.value.finding)


def test_a_hint_with_values_is_in_chinese() -> None:
    with Machine(on_undefined="report", lang="zh") as machine:
        aclrtSetDevice(0)
        device = c_void_p()
        aclrtMalloc(byref(device), 64, ACL_MEM_MALLOC_HUGE_FIRST)
        aclrtMemset(device, 64, 0, 64)
        aclrtMemcpy(bytearray(64), 64, device, 64, ACL_MEMCPY_HOST_TO_DEVICE)
        aclrtFree(device)
        aclrtResetDevice(0)
    finding = next(each for each in machine.findings if each.id == "memcpy-kind")
    assert "   = help: 传入 ACL_MEMCPY_DEVICE_TO_HOST，或者 ACL_MEMCPY_DEFAULT。" in str(finding)


def test_the_text_of_the_library_stays_english() -> None:
    """aclGetRecentErrMsg is the library's own text."""
    said: list[str | None] = []
    for lang in ("zh", "en"):
        with Machine(lang=lang):
            aclrtSetDevice(0)
            aclrtMalloc(None, 64, ACL_MEM_MALLOC_HUGE_FIRST)
            said.append(aclGetRecentErrMsg())
            aclrtResetDevice(0)
    zh, english = (re.sub(r"^.*?\d ", "", text or "") for text in said)  # without process and time
    assert zh == english
    assert "Invalid_" in english


def test_sarif_has_chinese_texts_for_people_and_english_ids() -> None:
    """An editor shows the message beside the line, and the rule when it is asked for more."""
    (run,) = json.loads(set_twice("zh").findings.report("sarif"))["runs"]
    (result,) = run["results"]
    assert result["ruleId"] == "device-not-reset"
    assert result["message"]["text"].startswith("aclrtSetDevice(0) 比 aclrtResetDevice(0) 多调用了一次。")
    assert result["relatedLocations"][0]["message"]["text"] == "第一次设置"
    assert result["properties"] == {"values": {"number": 0, "times": "once"}}
    assert result["message"]["text"].endswith(HELP.removeprefix("   = help: "))
    rules = run["tool"]["driver"]["rules"]
    keys = "shortDescription", "fullDescription", "help"
    assert all(HAN.search(rule[key]["text"]) for rule in rules if rule["id"] in catalogue_zh.FINDINGS for key in keys)
    assert rules[result["ruleIndex"]]["id"] == "device-not-reset"


def test_a_program_in_c_gets_the_hint_for_c() -> None:
    check = CHECKS["host-overrun"]
    in_c, in_python = (
        explained(check, "", (), check.fixes.wording(in_c=each), "zh", in_c=each) for each in (True, False)
    )
    assert in_c is not None
    assert "sizeof" in in_c.hint
    assert in_python is not None
    assert "numpy" in in_python.hint


def test_a_text_without_translation_stays_english(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {id: row for id, row in catalogue_zh.FINDINGS.items() if id != "init"}
    monkeypatch.setattr(catalogue_zh, "FINDINGS", rows)
    assert in_language(CHECKS["init"], "zh") == CHECKS["init"]
    what, past = "Something happened.", (Past("something was done", "a.py:1"), Past("and done", ""))
    by_hand = explained(CHECKS["init"], what, past, "Do something else.", "zh", in_c=False)
    finding = Finding("init", "advice", what, history=past, hint="Do something else.", explained=by_hand)
    first, *lines = str(finding).splitlines()
    assert first == "advice[init]: Something happened."
    assert lines[:2] == ["   |  something was done at a.py:1", "   |  and done"]
    assert "   = help: Do something else." in lines


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"LC_ALL": "zh_CN.UTF-8"}, HELP),
        ({"LC_ALL": "zh_CN.UTF-8", "ACL_EMULATOR_LANG": "en"}, ENGLISH),
        ({"ACL_EMULATOR_LANG": "zh"}, HELP),
        ({}, ENGLISH),
    ],
    ids=["Chinese locale", "English in a Chinese locale", "Chinese in another locale", "another locale"],
)
def test_the_report_at_the_end_of_a_program(environment: dict[str, str], expected: str) -> None:
    ran = program(SET_TWICE, **environment, PYTHONIOENCODING="utf-8")
    assert expected in ran.stderr.splitlines()


def test_a_wrong_language_ends_the_first_call() -> None:
    """As a wrong value of any other option does."""
    ran = program("aclrtSetDevice(0)", ACL_EMULATOR_LANG="de")
    assert "ValueError: ACL_EMULATOR_LANG: lang='de': en or zh" in ran.stderr
