"""Options of a run: schedule, seed, product, workspace. The report of a failure."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from acl_runtime import Machine
from acl_runtime.objects.options import SCHEDULES
from acl_runtime.testing.pytest_options import SCHEDULES as OF_THE_OPTION
from tests.acl_runtime.testing.plugin_runs import PLUGIN, Run, output
from tests.helpers.places import ROOT

SHOWN = """
    def test_fails(machine):
        print(f"on {machine.options.schedule} {machine.options.seed}.")
        assert False

    @pytest.mark.parametrize("text", ["a b'c"])
    def test_fails_too(machine, text):
        assert False

    @pytest.mark.machine(schedule="eager")
    def test_own_schedule(machine):
        print(f"own {machine.options.schedule}.")
        assert False
"""


@pytest.mark.parametrize("schedule", ["threads", "random"])
def test_a_schedule_for_the_run(run: Run, schedule: str) -> None:
    """A failure shows schedule, seed, and the command that repeats it. A marker overrides the options."""
    result = run(SHOWN, f"--acl-schedule={schedule}", "--acl-seed=7", "-W", "default")
    assert "own eager." in output(result)
    seed = {"random": "7"}.get(schedule)
    assert f"on {schedule} {seed}." in output(result)
    flags = f"--acl-schedule={schedule}" + (" --acl-seed=7" if seed else "")
    result.stdout.fnmatch_lines(
        [
            f"acl_runtime: schedule={schedule}" + (", seed=7" if seed else " (seed=7 is for tests whose marker says*"),
            "*- machine -*",
            f"soc=Ascend910B1, schedule={schedule}" + (", seed=7" if seed else ""),
            f"repeat it with: pytest test_it.py::test_fails {flags}",
        ]
    )
    assert f"""repeat it with: pytest 'test_it.py::test_fails_too[a b'"'"'c]' {flags}\n""" in output(result)
    assert ("a repeat may differ" in output(result)) is (schedule == "threads")


def test_a_failure_tells_why_the_last_call_failed(run: Run) -> None:
    """The report shows the error text, unless the test has read it."""
    result = run(
        """
    def test_asserts(machine):
        assert aclrtSetDevice(9) == ACL_SUCCESS

    def test_reads(machine):
        assert aclrtSetDevice(8) == ACL_SUCCESS, aclGetRecentErrMsg()
    """
    )
    result.stdout.fnmatch_lines(
        [
            "*- machine.calls -*",
            "aclrtSetDevice failed with ACL_ERROR_RT_INVALID_DEVICEID (107001), and nobody read why*",
            "  --> *test_it.py:*",
            "   |  Setting the device of the current thread failed because value 9 for parameter deviceId is *",
        ]
    )
    assert output(result).count("nobody read why") == 1


def test_a_failure_tells_what_may_be_its_cause(run: Run) -> None:
    """The report shows warnings so far, and lost statuses. It leaves out leaks of the failed test, statuses that are
    still held, and expected findings."""
    result = run(
        """
    import pytest
    from aclnn.testing import expect_finding

    def copied(memory, count=64):
        values = bytearray(count)
        assert aclrtMemcpy(values, count, memory, count, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS
        return values

    @pytest.fixture
    def fresh(machine):
        assert aclrtSetDevice(0) == ACL_SUCCESS
        yield allocated()
        aclrtResetDevice(0)

    def test_never_written(fresh):
        assert copied(fresh)[0] == 1

    def test_not_copied(fresh):
        for _ in range(2):
            aclrtMemcpy(fresh, 64, bytes(128), 128, ACL_MEMCPY_HOST_TO_DEVICE)
        assert aclrtMemset(fresh, 64, 0, 64) == ACL_SUCCESS
        assert copied(fresh)[0] == 1

    def test_the_last_call(fresh):
        aclrtMemcpy(fresh, 64, bytes(128), 128, ACL_MEMCPY_HOST_TO_DEVICE)
        assert 0

    def test_way_out(fresh):
        held = aclrtMemcpy(fresh, 64, bytes(128), 128, ACL_MEMCPY_HOST_TO_DEVICE)
        try:
            assert 0
        finally:
            aclrtFree(None)
            aclrtResetDevice(0)

    def test_expected(machine, fresh):
        with expect_finding(machine, "uninit-read"):
            copied(fresh)
        assert 0
    """
    )
    result.assert_outcomes(failed=5)
    result.stdout.fnmatch_lines(
        [
            "*_ test_never_written _*",
            "*- machine.findings -*",
            "the machine found: uninit-read",
            "*_ test_not_copied _*",
            "*- machine.calls -*",
            "aclrtMemcpy returned 2 x ACL_ERROR_RT_PARAM_INVALID (107000), and nobody looked at them. *",
            "  --> *test_it.py:*, in aclrtMemcpy",
            "*_ test_the_last_call _*",
            "*- machine.calls -*",
            "aclrtMemcpy returned ACL_ERROR_RT_PARAM_INVALID (107000), and nobody looked at it. *",
            "*_ test_way_out _*",
            "*- machine.calls -*",
            "aclrtMemcpy failed with ACL_ERROR_RT_PARAM_INVALID (107000), and nobody read why *",
        ]
    )
    text = output(result)
    assert text.count("- machine.findings -") == 1
    assert text.count("- machine.calls -") == 3
    assert (text.count("nobody looked at"), text.count("nobody read why")) == (2, 1)
    assert "leaked" not in text


def test_a_drawn_seed_is_shown(run: Run) -> None:
    found = re.search(r"on random (\d+)\.", output(run(SHOWN, "--acl-schedule=random")))
    assert found
    result = run(SHOWN, f"--acl-seed={found[1]}", "-k", "test_fails")
    assert f"on random {found[1]}." in output(result), "a seed implies the random schedule"
    assert f"schedule=random, seed={found[1]}\n" in output(result)


def test_without_options_the_header_says_nothing(run: Run) -> None:
    result = run(SHOWN)
    assert "acl_runtime:" not in output(result)
    assert "repeat it with: pytest test_it.py::test_fails --acl-schedule=late\n" in output(result)


def test_options_in_the_ini_file(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeini("[pytest]\nacl_schedule = random\nacl_seed = 11\n")
    assert "on random 11." in output(run(SHOWN))
    assert "on eager None." in output(run(SHOWN, "--acl-schedule=eager"))
    pytester.makeini("[pytest]\nacl_schedule = soon\n")
    assert "acl_schedule=soon: one of late" in run(SHOWN).stderr.str()
    pytester.makeini("[pytest]\nacl_seed = x\n")
    assert "acl_seed=x: a number" in run(SHOWN).stderr.str()


CHOSEN = """
    def test_fails(machine):
        print(f"on {machine.soc.name} {machine.options.min_workspace}.")
        assert False

    @pytest.mark.soc("Ascend910B3")
    def test_own_product(machine):
        print(f"own {machine.soc.name}.")
        assert False

    @pytest.mark.machine(soc="Ascend910A", min_workspace=7)
    def test_own_options(machine):
        print(f"own {machine.soc.name} {machine.options.min_workspace}.")
        assert False
"""


def test_a_product_and_a_workspace_for_the_run(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command that repeats the test has them. Markers override them, and they override the environment."""
    monkeypatch.setenv("ACL_EMULATOR_SOC", "Ascend910B4")
    result = run(CHOSEN, "--acl-soc=Ascend310P3", "--acl-min-workspace=32")
    for words in ("on Ascend310P3 32.", "own Ascend910B3.", "own Ascend910A 7.",
                  "test_it.py::test_fails --acl-schedule=late --acl-soc=Ascend310P3 --acl-min-workspace=32\n",
                  "\nacl_runtime: soc=Ascend310P3, min_workspace=32\n"):  # fmt: skip
        assert words in output(result)


def test_a_workspace_in_each_test(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """ "The pytest fixture has 512 unless its marker says" otherwise (ours); the environment does so as well."""
    result = output(run(CHOSEN))
    assert "on Ascend910B1 512." in result
    assert "own Ascend910A 7." in result
    monkeypatch.setenv("ACL_EMULATOR_MIN_WORKSPACE", "40")
    assert "on Ascend910B1 40." in output(run(CHOSEN))


FREED_EARLY = """
    from ctypes import byref, c_uint64, c_void_p
    import numpy as np
    from acl_runtime import *
    from aclnn import aclnnExp, aclnnExpGetWorkspaceSize
    from aclnn.testing import device_tensor

    def exp(x, wait_first):
        with device_tensor(x) as a, device_tensor(x) as out:
            size, executor, workspace = c_uint64(), aclOpExecutor(), c_void_p()
            assert not aclnnExpGetWorkspaceSize(a.handle, out.handle, byref(size), byref(executor))
            if size.value:
                assert not aclrtMalloc(byref(workspace), size.value, ACL_MEM_MALLOC_HUGE_FIRST)
            assert not aclnnExp(workspace, size.value, executor, None)
            if wait_first:
                assert not aclrtSynchronizeStream(None)
            if size.value:
                assert not aclrtFree(workspace)
            assert not aclrtSynchronizeStream(None)
            return out.numpy()

    def check(wait_first):
        assert not aclrtSetDevice(0)
        x = np.linspace(0, 1, 4, dtype=np.float32)
        np.testing.assert_allclose(exp(x, wait_first), np.exp(x), rtol=1e-6)
        assert not aclrtResetDevice(0)

    def test_right(machine):
        check(True)

    def test_wrong(machine):
        check(False)
"""


def test_the_first_test_that_somebody_writes_finds_an_early_free(run: Run) -> None:
    """The operator needs no workspace here."""
    result = run(FREED_EARLY, process=True)
    result.assert_outcomes(passed=1, failed=1)
    assert "error[ws-freed-early]" in output(result)
    run(FREED_EARLY, "--acl-min-workspace=0", process=True).assert_outcomes(passed=2)


def test_a_product_and_a_workspace_in_the_ini_file(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeini("[pytest]\nacl_soc = Ascend310P3\nacl_min_workspace = 64\n")
    assert "on Ascend310P3 64." in output(run(CHOSEN))
    assert "on Ascend910B1 0." in output(run(CHOSEN, "--acl-soc=Ascend910B1", "--acl-min-workspace=0"))


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--acl-soc=A2", "acl_soc='A2' names a series of products; choose one of its chips: Ascend910B1, "),
        ("--acl-soc=ascend310p3", "did you mean 'Ascend310P3'? The names are A2: Ascend910B1, "),
        ("--acl-min-workspace=-1", "acl_min_workspace=-1: 0 or more"),
        ("--acl-min-workspace=many", "invalid int value: 'many'"),
    ],
)
def test_options_that_no_machine_takes(run: Run, option: str, words: str) -> None:
    """They are refused once, before any test runs."""
    result = run(CHOSEN, option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert words in result.stderr.str()
    assert "Traceback" not in result.stderr.str()


def test_the_command_line_wins_over_the_environment(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment sets defaults, which the command line overrides."""
    monkeypatch.setenv("ACL_EMULATOR_SCHEDULE", "random")
    monkeypatch.setenv("ACL_EMULATOR_SEED", "5")
    result = run(SHOWN)
    assert "on random 5." in output(result)
    assert "test_fails --acl-schedule=random --acl-seed=5\n" in output(result)
    assert "on random 6." in output(run(SHOWN, "--acl-seed=6"))


def test_the_command_that_repeats_has_the_options_of_the_environment(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACL_EMULATOR_DEVICE_COUNT", "2")
    monkeypatch.setenv("ASCEND_RT_VISIBLE_DEVICES", "1, 0")
    monkeypatch.setenv("ACL_EMULATOR_REPORT", "report.json")
    flags = "pytest test_it.py::test_fails --acl-schedule=late\n"
    assert f"with: ACL_EMULATOR_DEVICE_COUNT=2 ASCEND_RT_VISIBLE_DEVICES='1, 0' {flags}" in output(run(SHOWN))


def test_a_failure_that_was_not_met_fails_the_test(run: Run) -> None:
    """Such a test does not test what it seems to test. The report names the failure once, also if the test fails for
    another reason."""
    result = run(
        """
    def test_passes_otherwise(machine):
        machine.fail("aclrtMalloc")
        with machine.fail("aclrtFree"):
            pass
        machine.fail("aclrtMemset", device=False, nth=2)

    def test_fails(machine):
        machine.fail("aclrtCreateStream")
        assert False

    def test_leaks(machine):
        machine.fail("aclrtMalloc", nth=2)
        aclrtSetDevice(0)
        allocated()

    def test_met(machine):
        machine.fail("aclrtSetDevice")
        assert aclrtSetDevice(0) != ACL_SUCCESS

    def test_taken_back(machine):
        machine.fail("aclrtMalloc").end()

    def test_skipped(machine):
        machine.fail("aclrtMalloc")
        pytest.skip()

    @pytest.mark.xfail
    def test_expected(machine):
        machine.fail("aclrtMalloc")
        assert False

    def test_task(machine):
        machine.fail("aclrtMemsetAsync", device=True)
"""
    )
    result.assert_outcomes(passed=5, failed=1, errors=3, skipped=1, xfailed=1)
    met = "no call met what machine.fail asked for: <failure of call"
    names = ("1 of aclrtMalloc", "1 of aclrtFree", "2 of aclrtMemset", "1 of aclrtCreateStream", "2 of aclrtMalloc")
    found = {name: output(result).count(f"\n{met} {name} with ") for name in names}
    assert found == dict.fromkeys(found, 1)
    assert output(result).count("asked for: <failure of call") == len(found)
    assert "no task met what machine.fail asked for: <failure of task 1 of aclrtMemsetAsync with" in output(result)


def test_workers_of_xdist_have_one_seed(run: Run) -> None:
    """A test does the same on every worker and in every order."""
    pytest.importorskip("xdist", reason="pytest-xdist is not installed: pip install '.[test]'")
    result = run(
        """
    @pytest.mark.soc("Ascend910B1", "Ascend310P3")
    @pytest.mark.parametrize("number", range(3))
    def test_fails(machine, number):
        assert False
""",
        "-n2",
        "--acl-schedule=random",
        process=True,
    )
    result.assert_outcomes(failed=6)
    seeds = set(re.findall(r"seed=(\d+)\n", output(result)))
    assert len(seeds) == 1
    assert output(result).count(f"--acl-schedule=random --acl-seed={seeds.pop()}\n") == 6
    assert {"[gw0]", "[gw1]"} <= set(re.findall(r"\[gw\d\]", output(result)))


def test_a_run_that_does_not_use_the_fixture_imports_little_of_ours() -> None:
    """pytest loads the plugin in every run of the environment: it must not import numpy, nor modules of the emulator
    that it does not need."""
    program = "import sys, acl_runtime.pytest_plugin; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True, text=True)
    heavy = {name for name in done.stdout.split() if name.partition(".")[0] in ("acl_runtime", "aclnn", "numpy")}
    assert heavy == {
        "acl_runtime", "acl_runtime.on_demand", "acl_runtime.generated_index", "acl_runtime.testing",
        "acl_runtime.testing.pytest_options", "acl_runtime.pytest_plugin",
    }  # fmt: skip


def test_the_schedules_of_the_option_are_those_of_the_machine() -> None:
    assert OF_THE_OPTION == SCHEDULES


def test_the_plugin_has_one_name() -> None:
    """So `-p acl_runtime.pytest_plugin` does not load it a second time."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert '[project.entry-points.pytest11]\n"acl_runtime.pytest_plugin" = "acl_runtime.pytest_plugin"' in text


def test_the_plugin_is_loaded_once_whoever_asks_for_it(pytester: pytest.Pytester) -> None:
    """The entry point, the command line or a conftest may load it. Loading it twice would add its options twice, an
    error."""
    pytester.makeconftest("pytest_plugins = ['acl_runtime.pytest_plugin']")
    pytester.makepyfile("def test_it(machine): pass")
    for names in ((), PLUGIN[:2]):
        pytester.runpytest_inprocess(*names).assert_outcomes(passed=1)


def test_the_fixture_of_this_suite_is_its_own(machine: Machine, request: pytest.FixtureRequest) -> None:
    """A project's own fixture of that name is left alone."""
    assert machine.findings.raised is None
