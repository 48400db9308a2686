"""The pytest plugin: fixture `machine`, markers, options ("decisions, 5"; findings fail a test that uses the fixture).

Each test runs pytest on a small project: `host.py` is the code under test, `test_it.py` its tests.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import _acl_pytest_plugin
from acl_runtime import Machine, pytest_plugin
from acl_runtime.machine.scheduler import SCHEDULES
from acl_runtime.machine.soc import SOCS

ROOT = Path(__file__).resolve().parent.parent
PLUGIN = ("-p", "acl_runtime.pytest_plugin", "-p", "no:cacheprovider")
"""asked for by name, as the entry point is there only once the package is installed"""
HOST = """
    from ctypes import byref, c_void_p

    from acl_runtime import *
    from acl_runtime import UndefinedBehaviour


    def allocated(size=64):
        memory = c_void_p()
        assert aclrtMalloc(byref(memory), size, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS
        return memory


    def clears_too_much(memory):
        return aclrtMemset(memory, 128, 0, 65)


    def swallows(memory):
        try:
            return clears_too_much(memory)
        except UndefinedBehaviour:
            return None


    def converts(memory):
        try:
            clears_too_much(memory)
        except UndefinedBehaviour as error:
            raise RuntimeError("clearing failed") from error
"""
START = """
    import contextlib

    import pytest

    from host import *


    @pytest.fixture
    def memory(machine):
        aclrtSetDevice(0)
        memory = allocated()
        yield memory
        aclrtFree(memory)
        aclrtResetDevice(0)
"""
FIRST = next(iter(SOCS))
Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run(pytester: pytest.Pytester) -> Run:
    """Runs pytest on `host.py` and the tests given."""

    def run(tests: str, *options: str, process: bool = False) -> pytest.RunResult:
        pytester.makepyfile(host=HOST, test_it=f"{START}\n{tests}")
        runner = pytester.runpytest_subprocess if process else pytester.runpytest_inprocess
        return runner(*PLUGIN, *options)

    return run


def told(result: pytest.RunResult) -> str:
    return result.stdout.str()


# what fails a test


def test_nothing_wrong_passes(run: Run) -> None:
    """Good twins: advice fails nothing ("findings": levels), nor does a status that the test asserts on."""
    run(
        """
    def test_advice(memory, machine):
        assert not machine.findings

    def test_status(memory):
        assert aclrtMalloc(byref(c_void_p()), 0, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_ERROR_INVALID_PARAM
        assert "size" in aclGetRecentErrMsg()

    def test_is_fresh(machine, memory):
        assert machine.soc.name == aclrtGetSocName() == "Ascend910B1"
        assert len(machine.calls) == 3

    def test_allowed(machine):
        machine.allow("mem-leaked", reason="the process ends here")
        aclrtSetDevice(0)
        allocated()
        aclrtResetDevice(0)

    def test_without_the_fixture():
        from acl_runtime.machine.installation import installation
        assert installation.current is None
"""
    ).assert_outcomes(passed=5)


def test_leaks_fail_a_test_with_their_text(run: Run) -> None:
    result = run(
        """
    def test_leaks(machine):
        aclrtSetDevice(0)
        allocated()
"""
    )
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        [
            "*ERROR at teardown of test_leaks*",
            "the machine found: mem-leaked, device-not-reset",
            "warning[[]mem-leaked]*64 bytes*",
            "*allocated at *host.py:9",
            "*help: *aclrtFree*",
            "warning[[]device-not-reset]*",
            "*set at *test_it.py:*",
            "ERROR *test_leaks*the machine found*",
        ]
    )


def test_undefined_behaviour_in_the_test_is_its_failure_and_no_second_one(run: Run) -> None:
    """Raised in the body, in a fixture before or after it, expected by xfail, or as the cause of what is raised."""
    result = run(
        """
    def test_body(memory):
        clears_too_much(memory)

    @pytest.mark.xfail(raises=UndefinedBehaviour, strict=True)
    def test_expected_failure(memory):
        clears_too_much(memory)

    @pytest.fixture
    def cleared(memory):
        clears_too_much(memory)

    def test_set_up(cleared):
        pass

    @pytest.fixture
    def clearing(memory):
        yield
        clears_too_much(memory)

    def test_teardown(clearing):
        pass

    def test_cause(memory):
        converts(memory)
"""
    )
    result.assert_outcomes(failed=2, errors=2, xfailed=1, passed=1)
    assert "the machine found" not in told(result)
    result.stdout.fnmatch_lines(["*clears_too_much(memory)", "*UndefinedBehaviour: error[[]memcpy-size]*"])


def test_a_report_of_undefined_behaviour_ends_at_the_call(run: Run) -> None:
    result = run("    def test_body(memory): clears_too_much(memory)")
    assert "aclrtMemset(memory, 128, 0, 65)" in told(result)
    assert "boundary.py" not in told(result)


CAUGHT = """
    def test_with(memory):
        with pytest.raises(UndefinedBehaviour, match="memcpy-size"):
            clears_too_much(memory)

    def test_called(memory):
        pytest.raises(UndefinedBehaviour, clears_too_much, memory)

    def test_tried(memory):
        try:
            clears_too_much(memory)
        except UndefinedBehaviour as error:
            assert error.finding.id == "memcpy-size"

    def test_suppressed(memory):
        with contextlib.suppress(UndefinedBehaviour):
            clears_too_much(memory)

    def test_nested(memory):
        def clears():
            try:
                clears_too_much(memory)
            except UndefinedBehaviour:
                return True
        assert clears()

    @contextlib.contextmanager
    def found(kind):
        try:
            yield
        except UndefinedBehaviour as error:
            assert error.finding.id == kind

    def test_context_manager(memory):
        with found("memcpy-size"):
            clears_too_much(memory)

    def raises(memory):
        with pytest.raises(UndefinedBehaviour):
            clears_too_much(memory)

    @pytest.mark.parametrize("times", [1, 2])
    def test_helper(memory, times):
        for _ in range(times):
            raises(memory)

    class TestMethods:
        def test_method(self, memory):
            with pytest.raises(UndefinedBehaviour):
                clears_too_much(memory)

    def test_pool(memory):
        from concurrent.futures import ThreadPoolExecutor

        def job():
            aclrtSetDevice(0)
            try:
                clears_too_much(memory)
            finally:
                aclrtResetDevice(0)
        with ThreadPoolExecutor(1) as pool, pytest.raises(UndefinedBehaviour):
            pool.submit(job).result()

    def test_expected(machine, memory):
        from aclnn.testing import expect_finding
        with expect_finding(machine, "memcpy-size") as found:
            swallows(memory)
        assert found[0].call == "aclrtMemset"
        assert machine.findings == []
"""


def test_what_the_test_catches_is_its_own_matter(run: Run) -> None:
    """Good twins: each test function sees the exception."""
    run(CAUGHT).assert_outcomes(passed=11)


def test_what_the_code_under_test_swallows_fails_the_test(run: Run) -> None:
    """Bad twins: the test sees nothing, or another exception."""
    result = run(
        """
    def test_swallowed(memory):
        swallows(memory)

    def test_converted(memory):
        with pytest.raises(RuntimeError, match="clearing failed"):
            converts(memory)

    def beside_the_test(memory):
        try:
            clears_too_much(memory)
        except Exception:
            pass

    def test_same_file(memory):
        beside_the_test(memory)

    @pytest.mark.machine(on_undefined="report")
    def test_reported(memory):
        assert clears_too_much(memory) == ACL_SUCCESS
"""
    )
    result.assert_outcomes(passed=4, errors=4)
    assert told(result).count("\nthe machine found: memcpy-size\n") == 4
    result.stdout.fnmatch_lines(["*note: the exception was caught in swallows at *host.py:*, which is not the test*"])
    assert told(result).count("note: the exception") == 3


def test_a_test_that_fails_or_is_skipped_need_not_clean_up(run: Run) -> None:
    result = run(
        """
    def test_fails(machine):
        aclrtSetDevice(0)
        memory = allocated()
        swallows(memory)
        assert memory.value is None

    def test_is_skipped(machine):
        aclrtSetDevice(0)
        pytest.skip("there is no second device")

    def test_is_skipped_after_an_error(memory):
        swallows(memory)
        pytest.skip("there is no second device")
"""
    )
    result.assert_outcomes(failed=1, skipped=2, errors=1)
    assert "leaked" not in told(result)
    result.stdout.fnmatch_lines(
        ["the machine found: memcpy-size", "*FAILURES*", "*- machine.findings -*", "the machine found: memcpy-size"]
    )


def test_caught_exceptions_keep_nothing_alive(run: Run) -> None:
    run(
        """
    import gc, weakref

    class Buffer:
        pass

    kept = []

    def swallows_with_a_local(memory):
        local = Buffer()
        kept.append(weakref.ref(local))
        return swallows(memory)

    def test_swallows(machine):
        machine.allow("device-not-reset", reason="short")
        aclrtSetDevice(0)
        with pytest.raises(UndefinedBehaviour):
            local = Buffer()
            kept.append(weakref.ref(local))
            clears_too_much(c_void_p(12345))

    def test_after():
        gc.collect()
        assert [ref() for ref in kept] == [None]
"""
    ).assert_outcomes(passed=2)


# products and options


def test_products(run: Run) -> None:
    """One test for each product; the nearest marker counts; one on a class may stand over tests without the fixture."""
    result = run(
        """
    @pytest.mark.soc("Ascend910B1", "Ascend310P3")
    def test_each(machine):
        assert machine.soc.name == aclrtGetSocName()

    @pytest.mark.soc("Ascend910A")
    class TestTraining:
        def test_of_class(self, machine):
            assert machine.soc.name == "Ascend910A"

        @pytest.mark.soc("Ascend310B1")
        def test_own(self, machine):
            assert machine.soc.name == "Ascend310B1"

        def test_other(self):
            pass

    class TestOwnFixture:
        @pytest.fixture
        def machine(self, machine):
            aclrtSetDevice(0)
            yield machine
            aclrtResetDevice(0)

        @pytest.mark.soc("Ascend910B3", "Ascend910B4")
        @pytest.mark.parametrize("size", [8, 16])
        def test_on_top(self, machine, size):
            assert machine.soc.name.startswith("Ascend910B")
            assert aclrtFree(allocated(size)) == ACL_SUCCESS
""",
        "-v",
    )
    result.assert_outcomes(passed=9)
    result.stdout.fnmatch_lines(
        ["*test_each[[]Ascend910B1] PASSED*", "*test_each[[]Ascend310P3] PASSED*", "*test_on_top[[]Ascend910B3-8]*"]
    )


WRONG_PRODUCTS = {
    "unknown": ('@pytest.mark.soc("Ascend999")', "machine", f": soc='Ascend999' is unknown; the names are {FIRST}"),
    "family": ('@pytest.mark.soc("Ascend910B")', "machine", ": soc='Ascend910B' names a family of chips; choose one"),
    "none": ("@pytest.mark.soc", "machine", " takes names of products, as in soc("),
    "unused": ('@pytest.mark.soc("Ascend910B1")', "", " is for tests that use the fixture machine"),
}


def test_wrong_products_are_told_at_collection(pytester: pytest.Pytester) -> None:
    for name, (marker, fixture, _) in WRONG_PRODUCTS.items():
        pytester.makepyfile(**{f"test_{name}": f"import pytest\n\n{marker}\ndef test_it({fixture}): pass\n"})
    result = pytester.runpytest_inprocess(*PLUGIN)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    for name, (_, _, words) in WRONG_PRODUCTS.items():
        assert f"\ntest_{name}.py::test_it: @pytest.mark.soc{words}" in told(result)
    assert "Traceback" not in told(result)


def test_options_of_the_machine(run: Run) -> None:
    """Those of all markers, the nearest first."""
    result = run(
        """
    @pytest.mark.machine(device_count=2, schedule="eager")
    class TestTwo:
        def test_of_class(self, machine):
            assert (len(machine.devices), machine.options.schedule) == (2, "eager")

        @pytest.mark.machine(device_count=3, hbm_bytes=4096)
        def test_own(self, machine):
            assert (len(machine.devices), machine.options.schedule) == (3, "eager")

    @pytest.mark.machine(device_count="two")
    def test_value(machine):
        pass

    @pytest.mark.machine(devices=2)
    def test_name(machine):
        pass

    @pytest.mark.machine(2)
    def test_position(machine):
        pass
""",
        "--strict-markers",
    )
    result.assert_outcomes(passed=2, errors=3)
    for words in ("device_count='two': an int", "unexpected keyword argument 'devices'", "takes options by name"):
        assert words in told(result)


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
    """A failure tells schedule and seed, and the command that repeats it. A marker has the last word."""
    result = run(SHOWN, f"--acl-schedule={schedule}", "--acl-seed=7")
    assert "own eager." in told(result)
    seed = {"random": "7"}.get(schedule)
    assert f"on {schedule} {seed}." in told(result)
    flags = f"--acl-schedule={schedule}" + (" --acl-seed=7" if seed else "")
    result.stdout.fnmatch_lines(
        [
            f"acl_runtime: schedule={schedule}" + (", seed=7" if seed else ""),
            "*- machine -*",
            f"soc=Ascend910B1, schedule={schedule}" + (", seed=7" if seed else ""),
            f"repeat it with: pytest test_it.py::test_fails {flags}",
        ]
    )
    assert f"""repeat it with: pytest 'test_it.py::test_fails_too[a b'"'"'c]' {flags}\n""" in told(result)
    assert ("a repeat may differ" in told(result)) is (schedule == "threads")


def test_a_seed_is_drawn_and_told(run: Run) -> None:
    found = re.search(r"on random (\d+)\.", told(run(SHOWN, "--acl-schedule=random")))
    assert found
    result = run(SHOWN, f"--acl-seed={found[1]}", "-k", "test_fails")
    assert f"on random {found[1]}." in told(result), "a seed implies the random schedule"
    assert f"schedule=random, seed={found[1]}\n" in told(result)


def test_without_options_the_header_says_nothing(run: Run) -> None:
    result = run(SHOWN)
    assert "acl_runtime:" not in told(result)
    assert "repeat it with: pytest test_it.py::test_fails --acl-schedule=late\n" in told(result)


def test_options_in_the_ini_file(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeini("[pytest]\nacl_schedule = random\nacl_seed = 11\n")
    assert "on random 11." in told(run(SHOWN))
    assert "on eager None." in told(run(SHOWN, "--acl-schedule=eager"))
    pytester.makeini("[pytest]\nacl_schedule = soon\n")
    assert "acl_schedule=soon: one of late" in run(SHOWN).stderr.str()
    pytester.makeini("[pytest]\nacl_seed = x\n")
    assert "acl_seed=x: a number" in run(SHOWN).stderr.str()


def test_environment_and_command_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment sets defaults ("decisions, 1"), over which the command line goes."""
    monkeypatch.setenv("ACL_EMULATOR_SCHEDULE", "random")
    monkeypatch.setenv("ACL_EMULATOR_SEED", "5")
    result = run(SHOWN)
    assert "on random 5." in told(result)
    assert "test_fails --acl-schedule=random --acl-seed=5\n" in told(result)
    assert "on random 6." in told(run(SHOWN, "--acl-seed=6"))


def test_workers_of_xdist_have_one_seed(run: Run) -> None:
    """What a test does depends neither on the worker nor on the order."""
    pytest.importorskip("xdist", reason="pytest-xdist is not installed: pip install 'aclnn-emulator[test]'")
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
    seeds = set(re.findall(r"seed=(\d+)\n", told(result)))
    assert len(seeds) == 1
    assert told(result).count(f"--acl-schedule=random --acl-seed={seeds.pop()}\n") == 6
    assert {"[gw0]", "[gw1]"} <= set(re.findall(r"\[gw\d\]", told(result)))


def test_a_run_that_does_not_use_the_fixture_imports_nothing_of_ours() -> None:
    """pytest loads the plugin in every run of the environment."""
    program = "import sys, _acl_pytest_plugin; sys.exit(any(name in sys.modules for name in ('acl_runtime', 'numpy')))"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0


def test_the_schedules_of_the_option_are_those_of_the_machine() -> None:
    assert _acl_pytest_plugin.SCHEDULES == SCHEDULES


def test_the_plugin_has_one_name() -> None:
    """So that `-p acl_runtime.pytest_plugin` does not load it beside the entry point."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert '[project.entry-points.pytest11]\n"acl_runtime.pytest_plugin" = "_acl_pytest_plugin"' in text
    named = {name: value for name, value in vars(_acl_pytest_plugin).items() if name.startswith("pytest_")}
    assert named == {name: value for name, value in vars(pytest_plugin).items() if name.startswith("pytest_")}
    assert pytest_plugin.machine is _acl_pytest_plugin.machine


def test_the_fixture_of_this_suite_is_its_own(machine: Machine, request: pytest.FixtureRequest) -> None:
    """A project's own fixture of that name is left alone."""
    assert machine.findings.raised is None
