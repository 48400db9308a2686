"""`aclnn explain` with pasted text: the names that it finds in a line of a log, and those that it must not find."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from functools import cache
from io import StringIO

import pytest

import acl_runtime.headers.statuses as statuses
from acl_runtime.headers.messages import TEMPLATES
from aclnn.__main__ import main
from aclnn.tools.command import explain, explained_forms, products, variables
from aclnn.tools.command.explained_names import meant, subjects
from aclnn.tools.command.subjects import codes, topics
from tests.aclnn.tools.command.test_command import too_long
from tests.helpers.forks import python
from tests.helpers.places import ROOT, module_files

Output = pytest.CaptureFixture[str]


def titles(asked: str) -> list[str]:
    """The explained names, the most important first: a status is given by its number."""
    return [str(each.get("value") if each["kind"] == "status" else each.get("name") or each["id"])
            for each in explain.facts(asked)["explanations"]]  # fmt: skip


# numbers

STAMP = "2026-01-02-10:11:12.333.444"


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("ret=161002", "161002"),
        ("ret = 100000", "100000"),
        ("retCode:0x274ea,", "161002"),
        ("status: 0x274EA", "161002"),
        ("error code is 507015", "507015"),
        ("error code:507035", "507035"),
        ("ERROR 107000", "107000"),
        ("return code: 207001", "207001"),
        ("status value is 161002", "161002"),
        ("errno 107002?", "107002"),
        ("(code 107002)", "107002"),
        ("aclrtSetDevice(0): 107001", "107001 aclrtSetDevice"),
        ("aclrtMalloc: 100000", "100000 aclrtMalloc"),
        ("aclrtMalloc(&p, 107000, 0) returned 207001", "207001 aclrtMalloc"),
        ("aclrtMemcpy(d, 107000, s, 161002, k) = 107002", "107002 aclrtMemcpy"),
        ("aclnnSoftmaxBackward failed. ERROR: 161002", "161002 aclnnSoftmaxBackward"),
        ("acl.rt.malloc returned (0, 207001)", "207001 aclrtMalloc"),
        ("(None, 107002)", "107002"),
        ("ret=161002, 107002", "161002 107002"),
        ("161002 107002", "161002 107002"),
        ("161002 bar", "161002"),
        ("foo\n161002 bar", "161002"),
        ("foo\r\n  > 161002: bar 107002 baz\n107000\n100000 x", "161002 107000 100000"),
        ("161002 4 rows\n'207001' and more", "161002 207001"),
        ("assert 161002 == 0", "161002"),
        ("AssertionError: assert ACLNN_ERR_PARAM_NULLPTR (161001) == 0", "161001"),
        ("expected ACL_SUCCESS, got 161002", "161002"),
        ("what is 161002?", "161002"),
        ("what does 161002 mean", "161002"),
        ("161002是什么意思", "161002"),
        ("为什么返回161002", "161002"),
        ("报错：161002，怎么办", "161002"),
        ("错误码为507015。", "507015"),
        ("训练任务在Atlas A2上报错507035", "507035 A2"),
        ("调用aclrtMalloc返回207001", "207001 aclrtMalloc"),
        ("ret=0", "0"),
    ],
)
def test_a_number_is_found_where_its_neighbours_say_that_it_is_a_status(asked: str, found: str) -> None:
    assert titles(asked) == found.split()


@pytest.mark.parametrize("between", [" and ", ", ", " or ", "，", "、", "和", ", and "])
@pytest.mark.parametrize("before", ["error code ", "error codes: ", "statuses ", "it fails with ret=", "错误码 "])
def test_a_status_behind_a_status_is_one(before: str, between: str) -> None:
    assert meant(f"{before}107002{between}207001 today").explained == [
        "ACL_ERROR_RT_CONTEXT_NULL", "ACL_ERROR_RT_MEMORY_ALLOCATION",
    ]  # fmt: skip


@pytest.mark.parametrize("asked", ["error 107002, 207001 bytes", "error 107002, pid 207001", "ret 0, 207001 of them"])
def test_another_number_behind_a_status_is_none(asked: str) -> None:
    assert "ACL_ERROR_RT_MEMORY_ALLOCATION" not in meant(asked).explained


@pytest.mark.parametrize(
    "asked",
    [
        "42",
        "2026",
        "42 2026",
        "2026-01-02",
        f"{STAMP} started",
        "2026-01-02 10:11:12.161002 INFO error rate is low",
        "20260102_161002 failed",
        "pid 161002 failed",
        "PID: 161002 error",
        "[PID: 161002] error",
        "python[161002]: error",
        "RUNTIME(161002,python): failed",
        "tid=161002, error",
        "size=107000 failed",
        "data_size: 107000 is invalid",
        "failed at offset 107000",
        "failed after 161002 iterations",
        "loss at step 161002: 0.33, no errors",
        "epoch 107002/200000 error",
        "processed 161002 images, 3 errors",
        "error: 161002 bytes left",
        "shape [161002, 4] is invalid",
        "aclFoo[161002] stream_id=107003 task_id=107000",
        "addr=0x274EA failed",
        "values[161002] failed",
        "failed at 0x274EA",
        "ret=-161002",
        "bug #161002 is an error",
        "161,002 errors",
        "1" * 5000,
        "error " + "161002" * 1000,
        "1.161002 error",
        "161002.5 error",
        "161002 bytes",
        "0 foo",
        "161002/200000 done",
        "-161002 bar",
        "foo 161002 bar",
        "2026-01-02 10:11:12 161002 bar",
        "[engine.cc:1]161002 bar",
        "host.py:161002: error",
        "[engine.cc:107002]161001 failed",
        "v161002 failed",
        "deadbeef161002 failed",
        "100%161002% failed",
        "/proc/161002/maps: error",
        "大小为107000，失败",
        "进程161002退出，错误",
        "处理了161002张图片，失败",
        "第161002步出错",
        "错误：161002个样本",
        "200000 samples, 100000 failed",
    ],
)
def test_other_numbers_are_no_statuses(asked: str) -> None:
    numbers = {str(getattr(statuses, name)) for name in statuses.__all__}
    assert not numbers & {*titles(asked)}


@pytest.mark.parametrize(
    "asked", ["42", "pid 161002", f"{STAMP} size=107000", "第161002步", "hello world", "no error", "()"]
)
def test_a_text_without_a_known_name_ends_with_status_1_and_a_message(asked: str, capsys: Output) -> None:
    assert main(["explain", asked]) == 1
    assert re.match(r"there is no status 42|nothing is called", capsys.readouterr().out)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("ret=161999", "unknown: 161999"),
        ("error code = 0x800000, dump info", "unknown: 0x800000 (an internal number: no public source says"),
        ("ACL_ERROR_FOO happened", "unknown: ACL_ERROR_FOO"),
        ("ASCEND_FOO=1 ./host", "unknown: ASCEND_FOO"),
        ("error[ws-eaten]: x", "unknown: ws-eaten"),
        ("on Ascend999", "unknown: Ascend999"),
        ("call aclrtMaloc failed", "unknown: aclrtMaloc"),
    ],
)
def test_a_word_like_a_name_is_listed_as_unknown_and_ends_with_status_1(asked: str, said: str, capsys: Output) -> None:
    assert main(["explain", asked]) == 1
    assert capsys.readouterr().out.startswith(said)


def test_unknown_words_beside_known_names_are_listed_with_similar_names(capsys: Output) -> None:
    assert main(["explain", "aclrtMaloc returned 207001"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("207001  ACL_ERROR_RT_MEMORY_ALLOCATION\n")
    assert "\nunknown: aclrtMaloc (similar: aclrtMalloc" in out


# lines of logs, reports, exceptions


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (
            f"[ERROR] RUNTIME(161002,python):{STAMP} [api_error.cc:1234]107002 aclrtMemcpy: copy failed, size=107000, "
            "ret=0x274EA",
            "161002 aclrtMemcpy",
        ),
        (
            f"[ERROR] ASCENDCL(1234,host):{STAMP} [stream.cpp:127]1234 aclrtSynchronizeStream: synchronize failed, "
            "runtime result = 507015",
            "507015 aclrtSynchronizeStream",
        ),
        (
            f"[ERROR] RUNTIME(107002,python):{STAMP} [engine.cc:1011]5678 ReportExceptProc: Task exception! "
            "device_id=0, stream_id=3, task_id=161002, type=0, retCode=0x91.",
            "",
        ),
        (
            "E39999: Inner Error!\nE39999  rtStreamSynchronize execute failed, reason=[aicore exception]"
            "[FUNC:FuncErrorReason][FILE:error_message_manage.cc][LINE:49]",
            "507015 E39999",
        ),
        (
            f"[PID: 161002] {STAMP} Invalid_Argument(EE1003): Synchronous memory copy failed: value 107000 of "
            "parameter cnt is invalid\nTraceBack (most recent call last):\n        rtMemcpy execution failed.",
            "EE1003",
        ),
        (
            f"RuntimeError: call aclnnPreluBackward failed, detail:EZ1001: [PID: 1234] {STAMP} Tensor self not "
            "implemented for DT_BFLOAT16",
            "EZ1001 aclnnPreluBackward ACL_BF16",
        ),
        (
            "RuntimeError: NPU out of memory. Tried to allocate 2.00 GiB (NPU 0; 60.97 GiB total capacity)",
            "out of memory",
        ),
        ("RuntimeError: ACL stream synchronize failed, error code:507035", "507035"),
        (
            f"[ERROR] {STAMP} (PID:107002, Device:0, RankID:-1) ERR00100 PTA call acl api failed. EZ9999: Inner Error!",
            "ERR00100 EZ9999",
        ),
        (
            "error[ws-freed-early]: the workspace of aclnnSoftmaxBackward is freed\n"
            "  --> host.py:161002, in aclrtFree\n"
            '   = to allow it: machine.allow("ws-freed-early", reason="...")\n1 error, 0 warnings, 0 advice',
            "ws-freed-early aclnnSoftmaxBackward aclrtFree",
        ),
        ("advice[init]: aclInit was never called.", "init aclInit"),
        ("aclnnXyz failed: 361001\nEE1018: aclrtMalloc failed, 107002", "107002 361001 EE1018 aclrtMalloc"),
        ("ACL_EMULATOR_SOC=Ascend310P3 ./host\naclrtMalloc: 207001", "207001 aclrtMalloc ACL_EMULATOR_SOC Ascend310P3"),
    ],
)
def test_lines_of_logs_and_reports(asked: str, found: str) -> None:
    expected = found
    for each in titles(asked):
        assert expected.startswith(each), (found, titles(asked))
        expected = expected.removeprefix(each).strip()
    assert not expected, titles(asked)


def test_the_most_important_comes_first() -> None:
    """Findings of level error, statuses (vague ones last), codes, then the functions."""
    text = "aclTensor aclrtMalloc Ascend910B1 EZ9999 EH0008 advice[init] ret=361001 ret=107002 ret=0 error[exec-reused]"
    assert titles(text) == [
        "exec-reused", "107002", "361001", "EH0008", "EZ9999", "init", "aclrtMalloc", "Ascend910B1", "aclTensor",
    ]  # fmt: skip


def test_a_status_beside_a_function_says_when_that_function_returns_it(capsys: Output) -> None:
    main(["explain", "aclrtMalloc returned 207000"])
    assert (
        "  aclrtMalloc returns it: the policy asks for 1 GiB pages, which only A2, A3 and\n" in capsys.readouterr().out
    )


# other names


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("Ascend910B1", "Ascend910B1"),
        ("ascend910b1", "Ascend910B1"),
        ("910B1", "Ascend910B1"),
        ("910b4-1", "Ascend910B4-1"),
        ("Ascend910_9391", "Ascend910_9391"),
        ("910B", "A2"),
        ("Ascend910_93", "A3"),
        ("Ascend910", "TRAINING"),
        ("310P", "INFERENCE"),
        ("Ascend310B", "A200I_500_A2"),
        ("A2", "A2"),
        ("Atlas 800I A2", "A2"),
        ("Atlas 200I/500 A2 inference products", "A200I_500_A2"),
        ("Atlas 推理系列产品", "INFERENCE"),
        ("Atlas 训练系列产品", "TRAINING"),
        ("ASCEND_RT_VISIBLE_DEVICES=0,1", "ASCEND_RT_VISIBLE_DEVICES"),
        ("acl_emulator_soc", "ACL_EMULATOR_SOC"),
        ("ACLNN_CACHE_LIMIT", "ACLNN_CACHE_LIMIT"),
        ("export TASK_QUEUE_ENABLE=0", "TASK_QUEUE_ENABLE"),
        ("eh0008", "EH0008"),
        ("E39999", "E39999"),
        ("EE1004", "EE1004"),
        ("use after free", "use after free"),
        ("Use-after-free!", "use after free"),
        ("out of memory", "out of memory"),
        ("内存", "memory"),
        ("同步", "synchronise"),
        ("参数错误", "parameter error"),
        ("内存不足", "out of memory"),
        ("程序在同步时超时了怎么办", "timeout"),
        ("Segmentation fault (core dumped)", "segmentation fault"),
        ("段错误", "segmentation fault"),
        ("ModuleNotFoundError: No module named 'torch_npu'", "no module torch_npu"),
        ("图模式", "graph mode"),
        ("deadlock", "deadlock"),
        ("memory", "memory"),
        ("how do I copy?", "copy"),
    ],
)
def test_chips_series_variables_codes_and_phrases(asked: str, found: str) -> None:
    assert titles(asked) == [found]


@pytest.mark.parametrize(
    "asked", ["timeout=30", "the stream of this river is long and wide", "trace", "memory at 0x1999A"]
)
def test_an_ordinary_word_in_a_text_is_no_topic(asked: str) -> None:
    assert not {*titles(asked)} & {topics.name(each) for each in topics.TOPICS}


def test_every_topic_names_more_and_is_found_by_each_of_its_words() -> None:
    assert len({word for each in topics.TOPICS for word in each.words.split("|")}) == sum(
        len(each.words.split("|")) for each in topics.TOPICS
    )
    others = {*subjects()} - {*topics.subjects()}
    for each in topics.TOPICS:
        assert topics.name(each) not in others
        for word in each.words.split("|"):
            assert titles(word) in ([topics.name(each)], [word]), word  # `deadlock` is a finding
        for name in each.see.split():
            assert len(meant(name).explained) == 1, name


def test_every_variable_that_is_read_or_documented_is_explained() -> None:
    variable = re.compile(r"\b(?:ASCEND_[A-Z_]+[A-Z]|ACL_EMULATOR_[A-Z_]+[A-Z])\b")
    table = (ROOT / "docs" / "cpp.md").read_text(encoding="utf-8").partition("## Environment variables")[2]
    documented = set(re.findall(r"^\| `([A-Z_]+)` \|", table, re.MULTILINE))
    sources = [path.read_text(encoding="utf-8") for path in module_files() if path.parent.name != "command"]
    named = {name for text in sources for name in variable.findall(text)}
    assert len(documented) > 20
    named -= {"ACL_EMULATOR_NODISCARD"}  # a macro of the headers
    assert documented | named <= {*variables.READ, *variables.CANN}
    of_others = {"ASCEND_RT_VISIBLE_DEVICES", "TASK_QUEUE_ENABLE", "PYTORCH_NO_NPU_MEMORY_CACHING"}
    assert {name for name in variables.READ if name.startswith("ACL_EMULATOR_")} == documented - of_others


def test_published_codes_are_not_those_that_are_written_here() -> None:
    assert not {*codes.PUBLISHED} & {*TEMPLATES}
    for code in (*codes.PUBLISHED, *TEMPLATES):
        assert codes.CODE.fullmatch(code)
        assert not codes.module(code).startswith("another"), code
    assert codes.inner("EI9999")
    assert not codes.inner("EI0006")


def test_every_chip_and_series_is_found_by_its_short_name() -> None:
    for name in products.SOCS:
        assert titles(name.removeprefix("Ascend")) == titles(name.lower()) == [name]
    for family in products.FAMILIES:
        assert len(titles(family)) == 1


# a screen, and all of it


@pytest.mark.parametrize("asked", ["161002", "107002", "100000", "error", "507", "aclnnEmbeddingDenseBackward"])
def test_a_text_longer_than_a_screen_is_cut_and_all_shows_the_rest(asked: str, capsys: Output) -> None:
    main(["explain", asked])
    short = capsys.readouterr().out
    main(["explain", "--all", asked])
    whole = capsys.readouterr().out
    assert short.count("\n") <= explain.SCREEN
    assert "--all" in short
    assert whole.count("\n") > explain.SCREEN
    assert "--all" not in whole
    assert short.splitlines()[:2] == whole.splitlines()[:2]


def test_a_long_log_fits_a_screen_and_names_the_rest(capsys: Output) -> None:
    everything = " ".join(f"ret={getattr(statuses, name)}" for name in statuses.__all__)
    assert main(["explain", everything]) == 0
    out = capsys.readouterr().out
    assert out.count("\n") <= explain.SCREEN
    assert not too_long(out)
    assert "\nalso: " in out
    numbers = [str(value) for value in sorted({getattr(statuses, name) for name in statuses.__all__}) if value]
    assert sorted(titles(everything)) == numbers


def test_json_has_every_explanation_whole(capsys: Output) -> None:
    assert main(["explain", "--json", "aclrtMaloc, ret=161002, aclrtFree"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["names"] == ["ACLNN_ERR_PARAM_INVALID", "aclrtFree"]
    assert [each["kind"] for each in facts["explanations"]] == ["status", "function"]
    assert len(facts["explanations"][0]["returned_by"]) >= 5
    assert facts["unknown"] == ["aclrtMaloc"]
    assert "aclrtMalloc" in facts["similar"]


# its own output, and stdin


@cache
def by_kind() -> dict[str, str]:
    """A name of each kind. One operator stands for all: each of them would have to be created."""
    kinds: dict[str, str] = {}
    for name, facts in subjects().items():
        if "operator" not in kinds or not name.startswith("aclnn"):
            kinds.setdefault(facts()["kind"], name)
    return kinds


@pytest.mark.parametrize("whole", [False, True])
def test_its_own_output_leads_back_to_what_it_explains(whole: bool) -> None:
    """For one name of each kind, and for statuses of every family."""
    kinds = {**by_kind(), "pyacl name": "module 'acl' has no attribute 'malloc'"}  # such a name is in no list
    assert set(kinds) == set(explained_forms.FULL)
    for name in {*kinds.values(), *statuses.__all__[::10], "init", "limits", "memory", "E39999", "aclrtMemcpyAsync"}:
        text = explain.text(explain.facts(name), whole=whole)
        assert titles(text)[0] == titles(name)[0], name


def test_an_overview_of_an_overview_begins_the_same() -> None:
    first = explain.text(explain.facts("aclrtMalloc returned 207001, aclrtFree returned 107000: EL0003"))
    assert first.splitlines()[:3] == explain.text(explain.facts(first)).splitlines()[:3]


@pytest.mark.parametrize("words", [["explain"], ["explain", "-"], ["explain", "-", "--all"]])
def test_without_words_it_reads_stdin(words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO("a line\naclrtMalloc: 207001\n"))
    assert main(words) == 0
    assert capsys.readouterr().out.startswith("207001  ACL_ERROR_RT_MEMORY_ALLOCATION\n")


def test_a_log_in_another_encoding_is_read() -> None:
    command = [*python(), "-m", "aclnn", "explain"]
    done = subprocess.run(command, input="错误码EL0003\n".encode("gbk"), cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"EL0003  ")


@pytest.mark.parametrize("asked", ["161002", "ret = 561103", "tiling failed"])
def test_a_screen_about_a_status_makes_no_function(asked: str) -> None:
    """All functions take seconds to make; which of them return the status stands in an index."""
    program = (
        "import sys; from aclnn.__main__ import main; main(sys.argv[1:]); "
        "sys.exit([name for name in ('aclnn.op', 'acl_runtime.machine.machine') if name in sys.modules] or 0)"
    )
    done = subprocess.run([*python(), "-c", program, "explain", asked], cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_it_can_be_piped_into_itself() -> None:
    aclnn = shlex.join([*python(), "-m", "aclnn", "explain"])
    done = subprocess.run(
        f"{aclnn} 报错ws-freed-early | {aclnn} | {aclnn} -",
        shell=True,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("ws-freed-early  (error)\n")
