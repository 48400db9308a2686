"""All findings as one report: text, JSON, SARIF; at the exit of the default machine, and in a file (ours)."""

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Finding, Machine
from acl_runtime.checks import findings as findings_module
from acl_runtime.checks.catalogue import CHECKS
from acl_runtime.checks.findings import Findings
from acl_runtime.checks.report.formats import write
from acl_runtime.errors import Past
from acl_runtime.machine import installation
from acl_runtime.source.site import split
from acl_runtime.text import Text
from acl_runtime.version import PROJECT
from tests.helpers.creating import create_stream
from tests.helpers.own_process import program

LAUNCHED = Past(Text("{operator} was launched", operator="the operator"), "<string>:5")
ERROR = Finding(
    "ws-freed-early", "error", "It was freed.", "aclrtFree", "/src/a b.py:7",
    (Past("it was allocated", "/src/a b.py:3"), LAUNCHED), "Wait first.",
)  # fmt: skip
LEAK = Finding("mem-leaked", "warning", "Never freed.", history=(Past("allocated", "C:/x:y/p.py:12"),), hint="Free it.")
ADVICE = Finding("churn", "advice", "Slow.")


@pytest.fixture
def findings() -> Findings:
    """One of each level, something allowed that was met, something allowed that was not."""
    made = Findings("report")
    made.extend([ERROR, LEAK, ADVICE])
    made.allow("misaligned", 'the "kernel" pads')
    made.allow("init", "not ours")
    for _ in range(3):
        made.add("misaligned", "At 8.")
    return made


@pytest.fixture
def done() -> Machine:
    """A machine that met its findings through the API: two leaks, an error, an allowance; the block is over."""
    with Machine(on_undefined="report") as machine:
        aclInit(None)
        machine.allow("device-not-reset", reason="the test ends")
        aclrtSetDevice(0)
        create_stream()
        machine.undefined("exec-reused", "Used twice.")
    return machine


# text


def test_text_is_that_of_the_findings(findings: Findings) -> None:
    """One block for each, then how many of each level, and what was allowed, why, how often."""
    *blocks, summary = findings.report().split("\n\n")
    assert blocks == [str(finding) for finding in findings]
    assert summary.splitlines() == [
        "1 error, 1 warning, 1 advice",
        'allowed[misaligned]: 3 times, "the \\"kernel\\" pads"',
        'allowed[init]: 0 times, "not ours"',
    ]


def test_a_block_reads_like_that_of_a_compiler() -> None:
    """What, where, where the objects came from, what to do (findings, the rules)."""
    assert str(ERROR).splitlines() == [
        "error[ws-freed-early]: It was freed.",
        "  --> /src/a b.py:7, in aclrtFree",
        "   |  it was allocated at /src/a b.py:3",
        "   |  the operator was launched at <string>:5",
        "   = help: Wait first.",
        '   = to allow it: machine.allow("ws-freed-early", reason="...")',
    ]
    assert str(LEAK).splitlines()[1] == "   |  allocated at C:/x:y/p.py:12", (
        "found at exit: no call, no line of its own"
    )


def test_a_report_without_findings_says_so() -> None:
    assert Findings("raise").report() == "0 errors, 0 warnings, 0 advice"


def test_unlisted_findings_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that goes on after each of its mistakes does not fill the memory."""
    monkeypatch.setattr(findings_module, "MOST", 2)
    findings = Findings("report")
    for _ in range(5):
        findings.add("exec-reused", "Again.")
    assert "2 errors, 0 warnings, 0 advice\n3 more are not listed" in findings.report("text")
    assert json.loads(findings.report("json"))["unlisted"] == 3
    assert json.loads(findings.report("sarif"))["runs"][0]["properties"]["unlisted"] == 3


def test_an_unknown_format_is_a_value_error(findings: Findings) -> None:
    with pytest.raises(ValueError, match="'text', 'json' or 'sarif'"):
        findings.report("xml")


# JSON


def test_json_has_everything_that_a_finding_knows(findings: Findings) -> None:
    """Everything that a finding knows; sites split into file and line, also where the path has colons."""
    whole = json.loads(findings.report("json"))
    assert whole["findings"][0] == {
        "id": "ws-freed-early",
        "level": "error",
        "what": "It was freed.",
        "message": ERROR.message,
        "values": {},
        "call": "aclrtFree",
        "site": {"file": "/src/a b.py", "line": 7},
        "history": [
            {"what": "it was allocated", "values": {}, "file": "/src/a b.py", "line": 3},
            {
                "what": "the operator was launched",
                "values": {"operator": "the operator"},
                "file": "<string>",
                "line": 5,
            },
        ],
        "hint": "Wait first.",
    }
    assert [each["id"] for each in whole["findings"]] == [finding.id for finding in findings]
    assert whole["findings"][1]["site"] is None
    assert whole["findings"][1]["history"] == [{"what": "allocated", "values": {}, "file": "C:/x:y/p.py", "line": 12}]
    assert whole["allowed"] == [
        {"id": "misaligned", "reason": 'the "kernel" pads', "times": 3},
        {"id": "init", "reason": "not ours", "times": 0},
    ]
    assert whole["unlisted"] == 0


SITES = {
    "/a/b.py:12": ("/a/b.py", 12),
    "C:/x:y/p.py:3": ("C:/x:y/p.py", 3),
    "<stdin>:1": ("<stdin>", 1),
    "interpreter exit": ("interpreter exit", None),
    "/no/line:x": ("/no/line:x", None),
}


@pytest.mark.parametrize(("site", "parts"), SITES.items(), ids=SITES)
def test_a_site_is_split_into_file_and_line(site: str, parts: tuple[str, int | None]) -> None:
    assert split(site) == parts


# SARIF 2.1.0


def run_of(findings: Findings) -> dict[str, Any]:
    """The one run of a SARIF log."""
    log = json.loads(findings.report("sarif"))
    assert set(log) == {"$schema", "version", "runs"}
    assert log["version"] == "2.1.0"
    assert "sarif-2.1.0" in log["$schema"]
    assert len(log["runs"]) == 1
    return log["runs"][0]


def test_sarif_rules_are_the_catalogue(findings: Findings) -> None:
    """One for each id that can be found; the documented statuses are none."""
    driver = run_of(findings)["tool"]["driver"]
    assert driver["name"] == PROJECT
    found = {check.id: check for check in CHECKS.values() if check.level != "status"}
    assert [rule["id"] for rule in driver["rules"]] == list(found)
    for rule in driver["rules"]:
        check = found[rule["id"]]
        assert rule["shortDescription"] == {"text": check.what}
        assert rule["fullDescription"] == {"text": check.why}
        assert rule["help"] == {"text": check.fix}
        assert rule["defaultConfiguration"]["level"] in ("error", "warning", "note")


def test_sarif_names_rule_level_place_and_history(findings: Findings) -> None:
    """Each names its rule, a level that SARIF has, where it was, and the history as related locations."""
    run = run_of(findings)
    rules = run["tool"]["driver"]["rules"]
    for result, finding in zip(run["results"], findings, strict=True):
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == finding.id
        assert finding.what in result["message"]["text"]
        assert finding.hint in result["message"]["text"]
        assert len(result["relatedLocations"]) == len(finding.history)
    assert [result["level"] for result in run["results"]] == ["error", "warning", "note"]
    error, leak, advice = run["results"]
    assert error["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "file:///src/a%20b.py"},
                "region": {"startLine": 7},
            }
        }
    ]
    assert error["relatedLocations"][1] == {
        "id": 2,
        "message": {"text": "the operator was launched"},
        "physicalLocation": {"artifactLocation": {"uri": "%3Cstring%3E"}, "region": {"startLine": 5}},
    }
    assert leak["locations"][0]["physicalLocation"]["region"] == {"startLine": 12}, "of the line that made the object"
    assert advice["locations"] == []
    assert run["properties"]["allowed"][0] == {"id": "misaligned", "reason": 'the "kernel" pads', "times": 3}


# of a machine


def test_the_report_of_a_machine(done: Machine) -> None:
    """After the block, leaks included; allowed findings are counted, not listed (ours)."""
    text = done.findings.report()
    assert text.splitlines()[0] == "error[exec-reused]: Used twice."
    assert "warning[stream-leaked]: stream 1 was never destroyed with aclrtDestroyStream." in text
    assert text.endswith('1 error, 1 warning, 0 advice\nallowed[device-not-reset]: 1 time, "the test ends"')
    assert len(json.loads(done.findings.report("json"))["findings"]) == 2
    assert len(run_of(done.findings)["results"]) == 2


# at interpreter exit


def at_exit(machine: Machine) -> None:
    """The steps that run for the default machine."""
    installation._report_at_exit(machine)


def test_errors_and_warnings_are_printed_at_exit(capsys: pytest.CaptureFixture[str]) -> None:
    """The text report, to stderr: "stdout belongs to the user"."""
    machine = Machine(on_undefined="report")
    machine.undefined("exec-reused", "Used twice.")
    at_exit(machine)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == machine.findings.report() + "\n"


def test_advice_alone_is_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """ "Only if there is a warning or an error"."""
    machine = Machine()
    machine.undefined("churn", "Slow.")
    at_exit(machine)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("name", "format"), {"r.json": "json", "r.sarif": "sarif", "r.txt": "text"}.items())
def test_the_report_goes_to_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, format: str
) -> None:
    """ACL_EMULATOR_REPORT names it, its suffix the format; also when there is nothing worth to be printed."""
    path = tmp_path / name
    monkeypatch.setenv("ACL_EMULATOR_REPORT", str(path))
    machine = Machine()
    machine.undefined("churn", "Slow.")
    at_exit(machine)
    assert path.read_text(encoding="utf-8") == machine.findings.report(format) + "\n"
    assert capsys.readouterr() == ("", "")


def test_a_file_whose_name_is_no_text(tmp_path: Path) -> None:
    """A program may lie in a folder whose name is no UTF-8: the report is written all the same."""
    machine = Machine()
    machine.findings.append(Finding("churn", "advice", "Slow.", "", "/b\udcff/p.py:3"))
    for name in ("r.txt", "r.json", "r.sarif"):
        write(machine.findings, str(tmp_path / name))
    assert "/b\\udcff/p.py:3" in (tmp_path / "r.txt").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "r.json").read_text())["findings"][0]["site"]["file"] == "/b\udcff/p.py"
    assert "file:///b%FF/p.py" in (tmp_path / "r.sarif").read_text()


def test_findings_can_go_to_another_process(done: Machine) -> None:
    """As a plain list; what holds the machine together stays here."""
    for same in (pickle.loads(pickle.dumps(done.findings)), copy.deepcopy(done.findings)):
        assert type(same) is list
        assert same == list(done.findings)


def test_a_file_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error is printed, and so is the report."""
    monkeypatch.setenv("ACL_EMULATOR_REPORT", str(tmp_path / "missing" / "r.json"))
    machine = Machine(on_undefined="report")
    machine.undefined("exec-reused", "Used twice.")
    at_exit(machine)
    printed = capsys.readouterr().err
    assert "ACL_EMULATOR_REPORT: " in printed
    assert "1 error, 0 warnings, 0 advice" in printed


def test_a_program_with_a_report(tmp_path: Path) -> None:
    """The default machine's, from end to end."""
    path = tmp_path / "report.json"
    run = program("aclrtSetDevice(0); print('mine')", ACL_EMULATOR_REPORT=str(path))
    assert (run.returncode, run.stdout) == (0, "mine\n")
    assert "warning[device-not-reset]" in run.stderr
    assert "device-not-reset" in [each["id"] for each in json.loads(path.read_text(encoding="utf-8"))["findings"]]
