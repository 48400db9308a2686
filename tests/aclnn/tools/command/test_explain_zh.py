"""`aclnn explain` under ACL_EMULATOR_LANG=zh: statuses and findings in Chinese; names and numbers as they are."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from acl_runtime.checks import catalogue_zh
from acl_runtime.headers import meanings, meanings_zh, remedies, remedies_zh
from acl_runtime.headers.messages import TEMPLATES
from acl_runtime.objects.soc import SOCS, Series
from aclnn.__main__ import main, parser
from aclnn.catalogue.evidence import LEVELS
from aclnn.tools.command import doctor, explain, ops, texts_zh, variables, variables_zh
from aclnn.tools.command.docs import page
from aclnn.tools.command.hints import hint
from aclnn.tools.command.subjects import codes, codes_zh, topics, topics_zh
from aclnn.tools.command.text import WIDTH, wrapped
from aclnn.tools.conformance.command import parser as conformance_parser

HAN = re.compile(r"[\u4e00-\u9fff]")
NAME = re.compile(r"acl[A-Z]\w*|aclrt\w+|aclnn\w*|ACL_\w+|ASCEND_\w+|\b\d{4,}\b")
"""names and numbers that a translation must keep"""


def explained(*words: str, whole: bool = False) -> list[str]:
    return explain.text(explain.facts(" ".join(words)), whole=whole, lang="zh").splitlines()


def columns(line: str) -> int:
    return len(line) + len(re.findall(r"[\u2e80-\uffef]", line))


# the texts


def test_every_status_has_its_meaning_in_chinese() -> None:
    assert list(meanings_zh.MEANINGS) == list(meanings.MEANINGS)
    for value, english in meanings.MEANINGS.items():
        chinese = meanings_zh.MEANINGS[value]
        assert HAN.search(chinese), value
        assert set(NAME.findall(chinese)) == set(NAME.findall(english)), value


def test_every_status_has_its_remedy_in_chinese() -> None:
    """Own remedies, shared ones, and those of families."""
    assert list(remedies_zh.FAMILIES) == list(remedies.FAMILIES)
    assert list(remedies_zh.REMEDIES) == list(remedies.REMEDIES)
    assert list(remedies_zh.SHARED) == [statuses[0] for statuses in remedies.SHARED.values()]
    assert {value // 1000 for value in meanings.MEANINGS} <= {*remedies_zh.BY_FAMILY, 0}
    for value in meanings.MEANINGS:
        english, chinese = remedies.remedy(value), remedies_zh.remedy(value)
        assert HAN.search(chinese), value
        assert set(NAME.findall(chinese)) == set(NAME.findall(english)), value


def test_every_topic_variable_and_published_code_has_its_texts_in_chinese() -> None:
    """No more and no fewer, in the order of the English ones, with the same names and numbers."""
    pairs = [
        ({topics.name(each): each.about for each in topics.TOPICS}, topics_zh.ABOUT),
        ({**variables.READ, **variables.CANN}, variables_zh.MEANINGS),
        ({code: f"{of[1]} {of[2]}" for code, of in codes.PUBLISHED.items()},
         {code: " ".join(of) for code, of in codes_zh.PUBLISHED.items()}),
    ]  # fmt: skip
    for english, chinese in pairs:
        assert list(chinese) == list(english)
        for name, text in chinese.items():
            assert HAN.search(text), name
            assert set(NAME.findall(text)) == set(NAME.findall(english[name])), name
    assert list(codes_zh.MODULES) == list(codes.MODULES)
    assert list(codes_zh.WRITTEN) == [code for code in TEMPLATES if not codes.inner(code)]


def test_every_topic_has_a_chinese_heading() -> None:
    """A topic is found by Chinese words too, and its heading is the first of them."""
    assert [topics.name(topic) for topic in topics.TOPICS if not HAN.search(topic.words)] == []
    assert explained("vector core exception")[0] == "vector core 异常 (vector core exception)"


@pytest.mark.parametrize("code", codes_zh.WRITTEN)
def test_a_written_code_has_its_meaning_and_remedy_in_chinese(code: str) -> None:
    """The text that the library writes stays in English."""
    lines = explained(code)
    meaning, remedy = codes_zh.WRITTEN[code]
    assert _joined([meaning]) in _joined(lines)
    assert _joined(lines[lines.index("怎么办") + 1 :]) == remedy.replace(" ", "")


def _joined(lines: list[str]) -> str:
    """The text of lines that were broken where Chinese has no spaces."""
    return "".join(lines).replace(" ", "")


def shown_texts(top: argparse.ArgumentParser) -> Iterator[str]:
    """The texts of a parser and of the parsers of its commands, as `--help` shows them."""
    for command in all_of(top):
        yield from filter(None, [command.epilog, *(group.title for group in command._action_groups)])
        for action in command._actions:
            yield from filter(None, [action.help])
            if isinstance(action, argparse._SubParsersAction):
                yield from (str(choice.help) for choice in action._choices_actions)


def all_of(top: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """A parser, and those of its commands."""
    yield top
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.values()


def test_every_text_of_the_help_is_in_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    tops = parser(), conformance_parser()
    texts = {text for top in tops for text in (*shown_texts(top), top.description)}
    assert texts == {*texts_zh.HELP}
    monkeypatch.setenv("ACL_EMULATOR_LANG", "zh")
    for help_text in (command.format_help() for top in tops for command in all_of(top)):
        assert help_text.startswith("用法：aclnn")
        assert all(columns(line) <= WIDTH for line in help_text.splitlines())
        prose = re.sub(r"`[^`]*`", "", help_text.partition("\n\n")[2])
        assert not re.search(r"\b[a-z]{2,} [a-z]{2,} [a-z]{2,}\b", prose)


USAGE_ERRORS = {
    "ops Add": "不认识的参数 Add；解释一个名字用 `aclnn explain Add`",
    "ops --level": "参数 --level：需要一个值",
    "ops --level x": "没有这样的 level：'x'；可用的有 exact, computed, catalogued, own",
    "ops --json=1": "参数 --json：这个选项没有值：'1'",
    "docs --other": "不认识的参数 --other",
    "run": "缺少参数 FILE",
    "run --devices two x.py": "参数 --devices：'two' 不是 int 类型的值",
    "toolkit": "缺少参数 DIR",
    "explain": "没有要解释的内容：写出 WHAT，或者从 stdin 传入文字",
    "conformance record": "缺少参数 -o/--output",
    "conformance compare": "缺少参数 REPORT.json",
}


@pytest.mark.parametrize("words", USAGE_ERRORS)
def test_errors_about_the_usage_are_in_chinese(
    words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACL_EMULATOR_LANG", "zh")
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(SystemExit, match="2"):
        main(words.split())
    usage, _, error = capsys.readouterr().err.rpartition("\naclnn ")
    assert usage.startswith("用法：aclnn ")
    assert error == f"{words.partition(' --')[0].removesuffix(' Add')}: {USAGE_ERRORS[words]}\n"


def test_the_choices_of_an_option_are_listed_in_chinese(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACL_EMULATOR_LANG", "zh")
    with pytest.raises(SystemExit, match="2"):
        main(["run", "--findings", "no", "x.py"])
    assert re.search(r"参数 --findings：没有 'no'，可选的是 \S*raise\S*, ", capsys.readouterr().err)


def test_doctor_and_ops_have_no_english_sentence_in_chinese(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACL_EMULATOR_LANG", "zh")
    assert {row.purpose for row in doctor.rows()} | {*doctor.EXTRAS.values()} <= {*texts_zh.OTHERS}
    assert {*ops.HINTS, ops.LACKING, *LEVELS.values()} <= {*texts_zh.OTHERS}
    assert main(["doctor"]) == 0
    assert "\n模拟器工作正常：" in capsys.readouterr().out
    assert main(["ops", "--category", "nn_rnn"]) == 0
    assert capsys.readouterr().out.startswith("nn_rnn：8 个函数\n")
    assert main(["explian"]) == 2
    assert capsys.readouterr().err == "aclnn: 没有命令 'explian'；你要的是不是：aclnn explain\n"


def test_the_head_and_the_rows_of_a_table_have_the_same_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Although the titles are Chinese."""
    monkeypatch.setenv("ACL_EMULATOR_LANG", "zh")
    assert main(["ops"]) == 0
    head, *rows = capsys.readouterr().out.partition("\n\n")[0].splitlines()
    assert head.split() == ["类别", "函数", "exact", "computed", "catalogued", "kernel"]
    assert rows[-1].startswith("合计 ")
    exact = columns(head.partition("exact")[0])
    assert {row[exact - 2 : exact] for row in rows[:-1]} == {"  "}
    assert all(row[exact] in "-0123456789" for row in rows[:-1])


def test_the_pages_in_chinese_are_listed_first(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACL_EMULATOR_LANG", "zh")
    assert main(["docs"]) == 0
    *pages, _, _, last = capsys.readouterr().out.splitlines()
    in_chinese = [line.startswith("zh/") for line in pages]
    assert in_chinese == sorted(in_chinese, reverse=True)
    assert True in in_chinese
    assert last.endswith("`aclnn docs PAGE` 打印一页")


def test_the_headings_around_english_help_are_in_chinese() -> None:
    lines = explained("aclnnSoftmaxBackward", whole=True)
    assert lines[1] == "  级别：exact"
    assert lines[2].startswith("  产品：documented: A2, A3")
    assert {"参数：", "返回值："} <= {*lines}
    assert explain.facts("\n".join(lines))["names"][0] == "aclnnSoftmaxBackward", "its own output explains itself"
    assert "  32 位；错误信息里写作 DT_INT32；numpy 里是 int32" in explained("ACL_INT32")


def test_the_proposals_are_those_of_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = ImportError("cannot import name 'aclrtMaloc' from 'acl_runtime' (somewhere)")
    proposal = hint(missing, Path("host.py"), texts_zh.OTHERS)
    assert proposal == "aclrtMaloc：你要的是不是 acl_runtime 的 aclrtMalloc？"


# the answers


def test_a_status_is_explained_in_chinese(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """By the variable of the environment; the number, the name and the functions stay."""
    monkeypatch.setenv("ACL_EMULATOR_LANG", "zh")
    assert main(["explain", "161002"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:5] == [
        "161002  ACLNN_ERR_PARAM_INVALID", "  aclnn 算子拒绝了参数：Host 程序有错", "", "含义",
        "  数据类型、shape、格式、值或索引被拒绝",
    ]  # fmt: skip
    assert "怎么办" in lines
    assert "返回它的函数（各自的条件：aclnn explain --all 161002）" in lines
    assert any("aclnnAbsGetWorkspaceSize" in line for line in lines)


def test_a_finding_is_explained_in_chinese() -> None:
    lines = explained("fork-after-init")
    assert lines[0] == "fork-after-init  (error)"
    assert {"在真实设备上", "怎么办", "怎么办（C 和 C++）", "允许这个问题"} <= set(lines)
    assert '  machine.allow("fork-after-init", reason="...")' in lines
    assert page(lines[-1].removeprefix("  aclnn docs ")).parent.parent.name == "zh", "the Chinese page"


@pytest.mark.parametrize(
    "asked",
    [
        *catalogue_zh.FINDINGS, *map(str, meanings.MEANINGS), *topics_zh.ABOUT, *variables_zh.MEANINGS,
        *codes_zh.PUBLISHED, *SOCS, *(each.name for each in Series), "EE9999", "nosuchthing",
    ],
)  # fmt: skip
def test_an_explanation_has_no_english_sentence_and_fits_the_terminal(asked: str) -> None:
    """A heading or a sentence in English would have two English words one after the other."""
    lines = explained(asked)
    sentences = lines[1 : next((at for at, line in enumerate(lines) if line.startswith("返回它的函数")), len(lines))]
    for line in sentences:
        if line == "参见":  # the help of functions stays
            break
        if not any(each in line for each in ("machine.allow", "aclnn docs", "aclnn explain", "aclnn run", "series")):
            assert not re.search(r"\b[a-z]{2,} [a-z]{2,} [a-z]{2,}\b", line), line
    assert all(columns(line) <= WIDTH for line in lines)


def test_several_names_get_a_few_lines_each() -> None:
    lines = explained("aclrtMalloc: ret=207001, io-freed-early")
    assert lines[0] == "io-freed-early  (error)"
    assert lines[2].startswith("  怎么办：先调用 aclrtSynchronizeStream")
    assert "207001  ACL_ERROR_RT_MEMORY_ALLOCATION" in lines


def test_a_family_and_an_unknown_status() -> None:
    assert explained("361")[:2] == ["以 361 开头的返回码有 1 个", "  361...: aclnn 算子：内部调用运行时失败"]
    assert explained("99999")[0] == "没有返回码 99999"


@pytest.mark.parametrize("asked", ["161002", "ws-freed-early"])
def test_the_answer_is_understood_as_a_question_in_both_languages(asked: str) -> None:
    """A pasted output is about the name that it explains."""
    for lang in ("en", "zh"):
        text = explain.text(explain.facts(asked), lang=lang)
        first = explain.facts(text)["explanations"][0]
        assert str(first.get("value", first.get("id"))) == asked


def test_facts_for_programs_stay_english(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    printed: list[object] = []
    for lang in ("zh", "en"):
        monkeypatch.setenv("ACL_EMULATOR_LANG", lang)
        assert main(["explain", "--json", "ws-freed-early", "161001"]) == 0
        printed.append(json.loads(capsys.readouterr().out))
    assert printed[0] == printed[1]


def test_a_wrong_language_is_a_wrong_usage(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACL_EMULATOR_LANG", "de")
    with pytest.raises(SystemExit) as ended:
        main(["explain", "161002"])
    assert ended.value.code == 2
    assert "ACL_EMULATOR_LANG: lang='de': en or zh" in capsys.readouterr().err


def test_a_chinese_text_is_broken_between_characters() -> None:
    """No line is wider than the terminal, none begins with punctuation, and no word in Latin letters is broken."""
    text = "先调用 aclrtSynchronizeStream，再调用 aclrtFree；或者改用 aclrtFreeWithDevSync 释放。（这样更简单。）" * 3
    lines = wrapped(text, 2, 2)
    assert max(map(columns, lines)) <= WIDTH
    assert min(map(columns, lines[:-1])) > WIDTH - len("aclrtSynchronizeStream，") - 8
    assert not any(re.match(r"[，。；：！？、）]", line.strip()) for line in lines)
    assert {len(line) - len(line.lstrip()) for line in lines} == {2, 4}
    assert re.sub(r"\s", "", "".join(lines)) == re.sub(r"\s", "", text)
    assert {word for line in lines for word in re.findall(r"\w*acl\w*", line, re.ASCII)} == set(
        re.findall(r"acl\w*", text, re.ASCII)
    )
