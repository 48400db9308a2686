"""Options of a whole run: --acl-seeds repeats tests, --acl-artifacts, --acl-report and --acl-summary write files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from xml.etree import ElementTree

import pytest

PLUGIN = ("-p", "acl_runtime.pytest_plugin", "-p", "no:cacheprovider")
TESTS = """
    from ctypes import byref, c_void_p

    import pytest

    from acl_runtime import *


    def test_right(machine):
        aclrtSetDevice(0)
        aclrtResetDevice(0)


    def test_leaks(machine):
        aclrtSetDevice(0)
        assert aclrtMalloc(byref(c_void_p()), 0, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS
        memory = c_void_p()
        assert aclrtMalloc(byref(memory), 64, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS
        aclrtResetDevice(0)


    @pytest.mark.soc("Ascend910B1", "Ascend310P3")
    def test_product(machine):
        aclrtSetDevice(0)
        aclrtResetDevice(0)
"""
OPERATOR = """
    import numpy as np
    import pytest

    from acl_runtime import aclrtSetDevice
    from aclnn import aclnnSoftmaxBackward
    from aclnn.testing import run


    @pytest.mark.soc("Ascend910B1", "Ascend310P3")
    def test_operator(machine):
        x = np.ones((2, 2), np.float32)
        run(aclnnSoftmaxBackward, x, x, -1, x.copy())
"""
Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run(pytester: pytest.Pytester) -> Run:
    """Runs pytest on these tests, or on others."""

    def run(*options: str, tests: str = TESTS) -> pytest.RunResult:
        pytester.makepyfile(test_it=tests)
        in_process = (
            "-n" not in options and tests != OPERATOR
        )  # the modules of operators must not be forgotten after it
        runner = pytester.runpytest_inprocess if in_process else pytester.runpytest_subprocess
        return runner(*PLUGIN, *options)

    return run


# --acl-seeds

SEEDED = """
    import pytest

    def test_one(machine):
        assert machine.options.schedule == "random"
        assert machine.options.seed in (7, 8)

    @pytest.mark.soc("Ascend910B1", "Ascend310P3")
    def test_of_a_product(machine):
        pass

    @pytest.mark.machine(schedule="eager")
    def test_with_its_own_schedule(machine):
        assert machine.options.schedule == "eager"

    @pytest.mark.machine(schedule="random", seed=3)
    def test_with_its_own_seed(machine):
        assert machine.options.seed == 3

    def test_without_a_machine():
        pass
"""


def test_each_test_runs_under_each_seed(run: Run) -> None:
    result = run("--acl-seeds=2", "--acl-seed=7", "-v", tests=SEEDED)
    result.assert_outcomes(passed=2 + 4 + 1 + 1 + 1)
    said = result.stdout.str()
    assert "acl_runtime: seeds=7 to 8" in said
    assert re.findall(r"::(test_one\S*)", said) == ["test_one[seed=7]", "test_one[seed=8]"]


def test_a_failure_is_repeated_by_the_command_that_it_shows(run: Run, pytester: pytest.Pytester) -> None:
    tests = """
    def test_one(machine):
        assert machine.options.seed != 8
    """
    said = run("--acl-seeds=3", "--acl-seed=7", tests=tests).stdout.str()
    (command,) = re.findall(r"repeat it with: .*?pytest (.*)", said)
    assert command.endswith("'test_it.py::test_one[seed=8]' --acl-schedule=random --acl-seed=7 --acl-seeds=3")
    again = pytester.runpytest_inprocess(*PLUGIN, *command.replace("'", "").split())
    again.assert_outcomes(failed=1)


@pytest.mark.parametrize(("options", "says"), [
    (("--acl-seeds=-1",), "--acl-seeds=-1: 0 or more"),
    (("--acl-seeds=2", "--acl-schedule=late"), "--acl-seeds=2 is for --acl-schedule=random, not for late"),
])  # fmt: skip
def test_options_that_make_no_sense(options: tuple[str, ...], says: str, run: Run) -> None:
    assert says in run(*options).stderr.str()


# --acl-seed

OF_A_SEED = """
    import pytest

    def test_one(machine):
        pass

    @pytest.mark.machine(schedule="random")
    def test_in_random_order(machine):
        pass
"""
UNUSED = "--acl-seed=1 has no effect: it is for --acl-schedule=random, not for late"


SEED_AND: dict[str, tuple[tuple[str, ...], bool]] = {
    "the chosen tests ignore it": (("--acl-seed=1", "--acl-schedule=late", "-k", "test_one"), True),
    "quietly": (("--acl-seed=1", "--acl-schedule=late", "-k", "test_one", "-q"), True),
    "a test's marker says random": (("--acl-seed=1", "--acl-schedule=late"), False),
    "random": (("--acl-seed=1", "--acl-schedule=random"), False),
    "a seed implies random": (("--acl-seed=1",), False),
    "the seed of the ini file": (("-o", "acl_seed=1", "--acl-schedule=late", "-k", "test_one"), False),
}


@pytest.mark.parametrize(("options", "warns"), SEED_AND.values(), ids=SEED_AND)
def test_a_seed_without_effect_is_a_warning(options: tuple[str, ...], warns: bool, run: Run) -> None:
    assert (UNUSED in run("-W", "default", *options, tests=OF_A_SEED).stdout.str()) is warns


def test_a_seed_without_effect_is_an_error_where_warnings_are_errors(run: Run) -> None:
    result = run("--acl-seed=1", "--acl-schedule=late", "-k", "test_one", "-W", "error", tests=OF_A_SEED)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"ERROR: {UNUSED}" in result.stderr.str()


# files


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "workers"])
def test_a_test_that_fails_leaves_its_timeline_and_trace(
    workers: tuple[str, ...], run: Run, pytester: pytest.Pytester
) -> None:
    result = run("--acl-artifacts=kept", *workers)
    result.assert_outcomes(passed=4, errors=1)
    assert "kept/test_it.py-test_leaks" in result.stdout.str()
    (folder,) = (pytester.path / "kept").iterdir()
    assert "<svg" in (folder / "timeline.html").read_text(encoding="utf-8")
    trace = json.loads((folder / "trace.json").read_text(encoding="utf-8"))
    assert any(each["name"] == "aclrtMalloc" for each in trace["traceEvents"])
    assert "test_it.py:" in json.dumps(trace)  # the lines of the calls


def test_a_failing_assertion_leaves_them_too(run: Run, pytester: pytest.Pytester) -> None:
    run("--acl-artifacts=kept", tests="def test_one(machine):\n    assert False\n")
    assert (pytester.path / "kept" / "test_it.py-test_one" / "timeline.html").is_file()


LONG = """
    import pytest


    @pytest.mark.parametrize("what", ["a" * 5000, "b" * 5000, "长" * 500, "c" * 5000 + "1", "c" * 5000 + "2"])
    def test_one(machine, what):
        assert False


    def test_last(machine):
        pass
"""


def test_a_test_id_may_have_any_length(run: Run, pytester: pytest.Pytester) -> None:
    result = run("--acl-artifacts=kept", tests=LONG)
    result.assert_outcomes(failed=5, passed=1)
    folders = list((pytester.path / "kept").iterdir())
    assert len(folders) == 5
    assert all((folder / "trace.json").is_file() for folder in folders)


UNWRITABLE = {
    "--acl-artifacts": "test_it.py",
    "--acl-report": "test_it.py/found.json",
    "--acl-summary": "a" * 5000,
}


@pytest.mark.parametrize("option", UNWRITABLE)
def test_a_file_that_cannot_be_written_does_not_end_the_run(option: str, run: Run) -> None:
    """It is named at the end, and the run fails."""
    failing = "def test_one(machine):\n    assert False\n"
    passing = "def test_two(machine):\n    pass\n"
    result = run(f"{option}={UNWRITABLE[option]}", tests=(failing if option == "--acl-artifacts" else "") + passing)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert f"{option}: " in result.stdout.str()
    assert "INTERNALERROR" not in result.stdout.str() + result.stderr.str()
    assert "files that could not be written" in result.stdout.str()


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "workers"])
def test_the_findings_of_all_tests_are_one_report(
    workers: tuple[str, ...], run: Run, pytester: pytest.Pytester
) -> None:
    run("--acl-report=made/found.sarif", *workers)
    (found,) = json.loads((pytester.path / "made" / "found.sarif").read_text(encoding="utf-8"))["runs"]
    (leak,) = found["results"]
    assert leak["ruleId"] == "mem-leaked"
    assert leak["locations"][0]["physicalLocation"]["region"]["startLine"] == 18


COUNTED = """
    from ctypes import byref, c_void_p

    import pytest

    from acl_runtime import *
    from acl_runtime.errors import UndefinedBehaviour


    @pytest.fixture
    def device(machine):
        aclrtSetDevice(0)
        yield c_void_p()
        aclrtResetDevice(0)


    def test_ends_with_a_finding(device):
        aclrtMalloc(byref(device), 64, ACL_MEM_MALLOC_HUGE_FIRST)
        aclrtMemset(device, 96, 0, 65)


    def test_ends_with_an_assertion(device):
        aclrtMalloc(byref(device), 64, ACL_MEM_MALLOC_HUGE_FIRST)
        raise AssertionError


    def test_expects_the_finding(device):
        aclrtMalloc(byref(device), 64, ACL_MEM_MALLOC_HUGE_FIRST)
        with pytest.raises(UndefinedBehaviour):
            aclrtMemset(device, 96, 0, 65)
        aclrtFree(device)
"""


def test_the_report_has_what_failed_a_test(run: Run, pytester: pytest.Pytester) -> None:
    """A test that failed could not clean up, so its leaks are not in the report; nor are findings that a test meant."""
    result = run("--acl-report=found.json", "--acl-summary=met.json", "--junitxml=junit.xml", tests=COUNTED)
    result.assert_outcomes(passed=1, failed=2)
    found = json.loads((pytester.path / "found.json").read_text())["findings"]
    assert [each["id"] for each in found] == ["memcpy-size"]
    assert json.loads((pytester.path / "met.json").read_text())["findings"] == {"memcpy-size": 1}
    assert (pytester.path / "junit.xml").read_text().count('name="acl.findings"') == 1


def test_the_report_may_be_json_or_text(run: Run, pytester: pytest.Pytester) -> None:
    run("--acl-report=found.json")
    assert json.loads((pytester.path / "found.json").read_text())["findings"][0]["id"] == "mem-leaked"
    run("--acl-report=found.txt")
    assert (pytester.path / "found.txt").read_text().startswith("warning[mem-leaked]")


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "workers"])
def test_the_summary_counts_functions_and_statuses(
    workers: tuple[str, ...], run: Run, pytester: pytest.Pytester
) -> None:
    run("--acl-summary=met.json", *workers)
    met = json.loads((pytester.path / "met.json").read_text())
    assert met["tests"] == 4
    assert met["findings"] == {"mem-leaked": 1}
    assert met["functions"]["aclrtSetDevice"] == {"0": 4}
    assert met["functions"]["aclrtMalloc"] == {"0": 1, "100000": 1}


def test_the_summary_counts_the_launches_of_an_operator_on_each_product(run: Run, pytester: pytest.Pytester) -> None:
    run("--acl-summary=met.json", tests=OPERATOR)
    ((name, products),) = json.loads((pytester.path / "met.json").read_text())["operators"].items()
    assert name == "aclnnSoftmaxBackward"
    assert sorted(products.values()) == [1, 1]


def test_the_summary_is_a_page_or_goes_to_the_terminal(run: Run, pytester: pytest.Pytester) -> None:
    run("--acl-summary=met.md")
    page = (pytester.path / "met.md").read_text()
    assert "| aclrtMalloc | 0 " in page
    assert "100000 ACL_ERROR_INVALID_PARAM 1x" in page
    said = run("--acl-summary=-").stdout.str()
    assert "4 tests used a machine. Findings: mem-leaked 1x." in said


def test_junit_has_chip_schedule_and_findings(run: Run, pytester: pytest.Pytester) -> None:
    run("--junitxml=junit.xml", "--acl-artifacts=kept")
    cases = ElementTree.parse(pytester.path / "junit.xml").iter("testcase")
    met = {case.get("name"): {each.get("name"): each.get("value") for each in case.iter("property")} for case in cases}
    assert met["test_product[Ascend310P3]"] == {"acl.soc": "Ascend310P3", "acl.schedule": "late"}
    assert met["test_leaks"] == {
        "acl.soc": "Ascend910B1", "acl.schedule": "late", "acl.findings": "mem-leaked",
        "acl.artifacts": "kept/test_it.py-test_leaks",
    }  # fmt: skip
