"""`Machine(lang="zh")`: the reports in Chinese; ids, names, numbers and the texts of the library stay as they are."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from ctypes import byref, c_void_p
from pathlib import Path

import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from acl_runtime.checks import catalogue_zh, chinese, hints_zh
from acl_runtime.checks.catalogue import CATALOGUE, CHECKS
from acl_runtime.checks.chinese import PLACE
from acl_runtime.checks.language import explained, in_language
from acl_runtime.errors import Finding, Past
from tests.helpers.own_process import program
from tests.helpers.places import PACKAGES, ROOT, module_files

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


def test_every_finding_has_its_texts_in_chinese() -> None:
    """No more and no fewer, in the order of the catalogue; a text for C where there is an English one."""
    assert list(catalogue_zh.FINDINGS) == [check.id for check in CATALOGUE]
    for id, texts in catalogue_zh.FINDINGS.items():
        assert bool(texts.fix_in_c) == bool(CHECKS[id].fix_in_c), id
        assert all(HAN.search(text) for text in texts if text), id
        assert all(text.endswith(("。", "）")) for text in texts if text), id


@pytest.mark.parametrize("id", CHECKS)
def test_a_translation_names_what_the_english_text_names(id: str) -> None:
    """The same functions, codes and numbers, though in any order."""
    for english, translated in zip(CHECKS[id][2:], in_language(CHECKS[id], "zh")[2:], strict=True):
        assert set(NAME.findall(translated)) == set(NAME.findall(english))


def names(parameters: list[ast.arg]) -> list[str]:
    return [each.arg for each in parameters]


class Sources:
    """The hints in the sources: each text that a call may give in place of that of the catalogue."""

    def __init__(self) -> None:
        files = module_files("acl_runtime", "aclnn/engine")
        self.nodes = [(path, node) for path in files for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
        self.constants: defaultdict[Path | None, dict[str, ast.expr]] = defaultdict(dict)
        """by file, and for all files: constants, by their names"""
        self.pairs: set[str] = set()
        """the names of functions whose results are pairs with a hint"""
        self.places: dict[str, int] = {}
        """by the name of a function with a parameter `hint`: the place of that parameter"""
        for path, node in self.nodes:
            match node:
                case ast.AnnAssign(target=ast.Name(name), value=ast.expr() as value) if name.isupper():
                    self.constants[path][name] = self.constants[None][name] = value
                case ast.Assign(targets=[ast.Tuple(elts=[_, ast.Name("hint")])], value=ast.Call(func=ast.Name(name))):
                    self.pairs.add(name)
                case ast.FunctionDef(name=name, args=ast.arguments(args=parameters)) if "hint" in names(parameters):
                    self.places[name] = names(parameters).index("hint")
                case _:
                    pass

    def hints(self) -> set[str]:
        """All texts that are sentences, with `{}` for a placeholder."""
        texts = {text for path, node in self.nodes for hint in self.of(node) for text in self.texts(hint, path)}
        return {text for text in texts if text.endswith(".")}

    def of(self, node: ast.AST) -> Iterator[ast.expr]:
        """The hints that a statement or an expression makes or passes on."""
        match node:
            case ast.Call(func=ast.Name(name), args=given, keywords=keywords):
                yield from (each.value for each in keywords if each.arg == "hint")
                yield from given[self.places[name] :][:1] if name in self.places else ()
            case ast.Call(keywords=keywords):
                yield from (each.value for each in keywords if each.arg == "hint")
            case ast.arguments(args=parameters, defaults=defaults) if defaults:
                given = zip(reversed(parameters), reversed(defaults), strict=False)
                yield from (each for of, each in given if of.arg == "hint")
            case ast.Assign(targets=[ast.Name("hint")], value=value):
                yield value
            case ast.Assign(targets=[ast.Tuple(elts=[_, ast.Name("hint")])], value=ast.Tuple(elts=[_, value])):
                yield value
            case ast.FunctionDef(name=name) if name in self.pairs:
                returned = [each.value for each in ast.walk(node) if isinstance(each, ast.Return)]
                yield from (each.elts[1] for each in returned if isinstance(each, ast.Tuple))
            case ast.Tuple(elts=[ast.Constant(str(id)), ast.Constant(str()) as hint]) if id in CHECKS:
                yield hint
            case ast.Call() | _:
                pass

    def texts(self, node: ast.expr, path: Path) -> list[str]:
        """The texts that an expression may have; none for a variable, which another place fills."""
        match node:
            case ast.Constant(str(text)):
                return [text]
            case ast.JoinedStr(parts):
                return ["".join(part.value if isinstance(part, ast.Constant) else "{}" for part in parts)]
            case ast.IfExp(body=one, orelse=other):
                return self.texts(one, path) + self.texts(other, path)
            case ast.BinOp(left=left, right=right):
                return [a + b for a in self.texts(left, path) for b in self.texts(right, path)]
            case ast.Call(func=ast.Name("Fix"), keywords=keywords):
                return [text for each in keywords for text in self.texts(each.value, path)]
            case ast.Call(func=ast.Attribute(attr="remedy"), args=[_, otherwise]):
                of_table = PACKAGES / "acl_runtime" / "objects" / "handle_table.py"
                return [*self.texts(otherwise, path), *self.texts(self.constants[of_table]["NEVER"], path)]
            case ast.Name(name) if name.isupper():
                value = self.constants[path].get(name) or self.constants[None].get(name)
                return self.texts(value, path) if value else []
            case _:
                return []


def test_every_hint_of_the_sources_has_its_chinese_text() -> None:
    """No more and no fewer: each hint that a call of the emulator gives instead of that of the catalogue."""
    found = Sources().hints()
    assert len(found) > 12, "the search in the sources works"
    assert {PLACE.sub("{}", english) for english in hints_zh.HINTS} == found


def test_every_help_line_of_the_pages_has_its_chinese_text() -> None:
    """The pages of the findings have the report of a program each: a hint that comes another way is found there."""
    for page in (ROOT / "docs" / "findings").glob("*.md"):
        for hint in re.findall(r"^   = help: (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE):
            in_chinese = explained(CHECKS[page.stem], "", (), hint, "zh", in_c=False)
            assert in_chinese is not None
            assert HAN.search(in_chinese.hint), page


@pytest.mark.parametrize("english", hints_zh.HINTS)
def test_a_hint_has_the_same_placeholders_and_names(english: str) -> None:
    wanted = hints_zh.HINTS[english]
    assert Counter(PLACE.findall(wanted)) == Counter(PLACE.findall(english))
    assert set(NAME.findall(wanted)) == set(NAME.findall(english))
    values = {name: f"stream {at}" for at, name in enumerate(PLACE.findall(english))}
    translated = chinese.hint(english.format_map(values))
    assert translated is not None
    assert re.findall(r"stream \d+", translated) == re.findall(r"stream \d+", wanted.format_map(values))


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
    assert result["message"]["text"].endswith(HELP.removeprefix("   = help: "))
    rules = run["tool"]["driver"]["rules"]
    assert all(
        HAN.search(rule[key]["text"]) for rule in rules for key in ("shortDescription", "fullDescription", "help")
    )
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
    monkeypatch.delitem(catalogue_zh.FINDINGS, "init")
    assert in_language(CHECKS["init"], "zh") == CHECKS["init"]
    assert chinese.hint("Do something else.") is None
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
