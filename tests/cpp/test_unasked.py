"""Failures that a C++ program did not query. If it exits with status 0, an advice lists the failed calls after which it
got neither the text nor the code. A library cannot see more (docs/fidelity.md)."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cpp.conftest import Build, Run, line_of

FILE = "unasked.cpp"
ADVICE = (
    "advice[ignored-ret]: {} failed, and the program asked neither aclGetRecentErrMsg nor aclrtGetLastError afterwards."
)
NO_PROOF = "C does not show whether a status was read."


def listed(text: str) -> list[tuple[str, str]]:
    """Function and line of each row of the advice."""
    _, _, advice = text.partition("advice[ignored-ret]")
    return re.findall(r"^   \|  (\w+) returned .* at (.*)$", advice, re.MULTILINE)


def test_an_operator_that_was_refused(build: Build, run: Run) -> None:
    """Both statuses are dropped, and the program ends normally: its exit status stays 0."""
    ran = run(build("unasked"), "drops", environment={"ACL_EMULATOR_FINDINGS": "error"})
    assert (ran.returncode, ran.stdout) == (0, "done\n"), ran.stderr
    assert f"{ADVICE.format('2 calls')} {NO_PROOF}\n" in ran.stderr
    assert listed(ran.stderr) == [
        ("aclnnSoftmaxBackwardGetWorkspaceSize", line_of(FILE, "first-phase")),
        ("aclnnSoftmaxBackward", line_of(FILE, "second-phase")),
    ]
    assert "returned ACLNN_ERR_PARAM_NULLPTR (161001) at " in ran.stderr
    assert ran.stderr.count("got null for argument gradOutput") == 1
    assert "ACL_EMULATOR_NODISCARD" in ran.stderr
    assert "-g" not in ran.stderr
    assert "nobody read why" not in ran.stderr  # the list has the reasons


LISTED = {
    "compares": "1 call",
    "asks too early": "1 call",
    "asks in another thread": "1 call",
    "fails in a thread": "1 call",
    "loops": "3 calls",
}
SILENT = ("asks for the text", "asks for the code", "peeks at the code", "questions", "requested", "resets")


@pytest.mark.fidelity("statuses that C and C++ code drops")
@pytest.mark.parametrize("what", LISTED)
def test_listed_failures(what: str, build: Build, run: Run) -> None:
    """A status that was compared is listed, too: a library does not see the comparison."""
    ran = run(build("unasked"), what)
    calls = LISTED[what]
    assert ran.returncode == 0
    assert ADVICE.format(calls) in ran.stderr
    assert [function for function, _ in listed(ran.stderr)] == ["aclrtFree"]


@pytest.mark.parametrize("what", SILENT)
def test_failures_that_are_not_listed(what: str, build: Build, run: Run) -> None:
    """These failures are not listed: queried ones; statuses that answer a query (100002, 107012); failures that a test
    injected; failures before a reset, as tests compare the statuses themselves."""
    ran = run(build("unasked"), what)
    assert (ran.returncode, "ignored-ret" in ran.stderr) == (0, False), ran.stderr


@pytest.mark.parametrize(("what", "status"), [("returns 1", 1), ("exits with 3", 3)])
def test_a_program_that_exits_with_a_failure_gets_no_list(what: str, status: int, build: Build, run: Run) -> None:
    """The program noticed the failure: only the reason of the last one is printed."""
    ran = run(build("unasked"), what)
    assert (ran.returncode, "ignored-ret" in ran.stderr) == (status, False), ran.stderr
    assert "aclnnSoftmaxBackward failed with ACLNN_ERR_PARAM_NULLPTR (161001), and nobody read why" in ran.stderr


@pytest.mark.fidelity("the advice about unread statuses")
def test_the_list_is_short(build: Build, run: Run) -> None:
    """Ours: ten lines, then the number of further ones."""
    ran = run(build("unasked"), "twelve lines")
    assert ADVICE.format("14 calls") in ran.stderr
    lines = [line for _, line in listed(ran.stderr)]
    assert len(lines) == 10
    assert (lines[0], lines[-1]) == (line_of(FILE, "line 1"), line_of(FILE, "line 10"))
    assert "   |  4 more, from 2 other lines\n" in ran.stderr


@pytest.mark.parametrize(
    "environment", [{"ACL_EMULATOR_ALLOW": "ignored-ret"}, {"ACL_EMULATOR_FAULTS": "aclrtFree=107000"}]
)
def test_allowed_or_requested_by_the_environment(environment: Mapping[str, str], build: Build, run: Run) -> None:
    ran = run(build("unasked"), "compares", environment=environment)
    assert "ignored-ret" not in ran.stderr


def test_the_report_has_it(build: Build, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    run(build("unasked"), "drops", environment={"ACL_EMULATOR_REPORT": path})
    (found,) = [
        each for each in json.loads(path.read_text(encoding="utf-8"))["findings"] if each["id"] == "ignored-ret"
    ]
    assert found["level"] == "advice"
    assert line_of(FILE, "second-phase") in [f"{each['file']}:{each['line']}" for each in found["history"]]


def test_without_debug_information_it_names_the_function(build: Build, run: Run) -> None:
    """The report says how to get the line."""
    ran = run(build("unasked", "-g0"), "drops")
    assert [where.partition("(")[2] for _, where in listed(ran.stderr)] == ["refused())"] * 2
    assert "compile the program with -g" in ran.stderr


@pytest.mark.fidelity("aclGetRecentErrMsg asked again after its text was taken")
def test_a_text_that_was_taken_already(build: Build, run: Run) -> None:
    """The second text is null. The advice comes at once, because a std::string of null often ends the program."""
    ran = run(build("unasked"), "a text twice")
    assert ran.stdout.startswith("a text\n")
    assert ran.stderr.count("advice[stale-errmsg]: aclGetRecentErrMsg returns null") == 1, ran.stderr
    assert f"  --> {line_of(FILE, 'twice')}, in aclGetRecentErrMsg\n" in ran.stderr
    assert f"   |  the text of aclrtFree was taken at {line_of(FILE, 'taken')}\n" in ran.stderr
    assert "a std::string of null" in ran.stderr


def test_a_text_for_each_failure(build: Build, run: Run) -> None:
    """The good twin."""
    ran = run(build("unasked"), "a text for each failure")
    assert (ran.returncode, "stale-errmsg" in ran.stderr) == (0, False), ran.stderr
