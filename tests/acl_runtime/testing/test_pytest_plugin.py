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

from acl_runtime import Machine
from acl_runtime.objects.soc import SOCS
from acl_runtime.streams.scheduler import SCHEDULES
from acl_runtime.testing.pytest_options import SCHEDULES as OF_THE_OPTION


@pytest.fixture(autouse=True)
def default_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove options from the environment, as the command that repeats a test would show them; and the variable CI,
    with which pytest prints each report twice."""
    for name in ("ACL_EMULATOR_WINDOW", "CI", "BUILD_NUMBER"):
        monkeypatch.delenv(name, raising=False)


ROOT = Path(__file__).resolve().parents[3]
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
        except Exception:
            return None


    def converts(memory):
        try:
            clears_too_much(memory)
        except Exception as error:
            raise RuntimeError("clearing failed") from error


    def on_device(call, *args):
        aclrtSetDevice(0)
        try:
            return call(*args)
        finally:
            aclrtResetDevice(0)


    async def task(memory):
        return clears_too_much(memory)


    async def task_that_swallows(memory):
        try:
            return clears_too_much(memory)
        except Exception:
            return None


    def finding_of(call):
        try:
            call()
        except UndefinedBehaviour as behaviour:
            return behaviour.finding
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


def output(result: pytest.RunResult) -> str:
    return result.stdout.str()


# what fails a test


def test_nothing_wrong_passes(run: Run) -> None:
    """Good twins: neither advice ("findings": levels) nor a status that the test asserts on fails a test."""
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
    """The exception is raised in the body or in a fixture, expected by xfail, or is the cause of another exception."""
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
    assert "the machine found" not in output(result)
    result.stdout.fnmatch_lines(["*clears_too_much(memory)", "*UndefinedBehaviour: error[[]memcpy-size]*"])


def test_a_teardown_that_undefined_behaviour_stops(run: Run) -> None:
    """The teardown could not release everything. That is no second mistake."""
    result = run(
        """
    @pytest.fixture
    def clearing(machine):
        aclrtSetDevice(0)
        memory = allocated()
        yield memory
        clears_too_much(memory)
        aclrtFree(memory)
        aclrtResetDevice(0)

    def test_teardown(clearing):
        pass

    def test_finalizer(machine, request):
        aclrtSetDevice(0)
        request.addfinalizer(lambda: clears_too_much(allocated()))
"""
    )
    result.assert_outcomes(passed=2, errors=2)
    assert "leaked" not in output(result)
    assert "ExceptionGroup" not in output(result)
    assert output(result).count("UndefinedBehaviour: error[memcpy-size]") == 2


def test_a_teardown_that_expects_undefined_behaviour(run: Run) -> None:
    """The good twin of the test above: the teardown went on, so leaks are reported."""
    result = run(
        """
    @pytest.fixture
    def clearing(machine):
        aclrtSetDevice(0)
        memory = allocated()
        yield
        pytest.raises(UndefinedBehaviour, clears_too_much, memory)
        with pytest.raises(UndefinedBehaviour):
            clears_too_much(memory)

    def test_teardown(clearing):
        pass
"""
    )
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["the machine found: mem-leaked, device-not-reset"])


def test_a_cleanup_that_unittest_calls(run: Run) -> None:
    """unittest calls the clean-up, so no line of the program does. The line that starts pytest does not count."""
    result = run(
        """
    import unittest

    @pytest.mark.usefixtures("machine")
    class TestCleanUp(unittest.TestCase):
        def test_it(self):
            aclrtSetDevice(0)
            self.addCleanup(aclrtMemset, allocated(), 128, 0, 65)
"""
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*  --> *unittest/case.py:*, in aclrtMemset"])


def test_a_report_of_undefined_behaviour_ends_at_the_call(run: Run) -> None:
    result = run("    def test_body(memory): clears_too_much(memory)")
    assert "aclrtMemset(memory, 128, 0, 65)" in output(result)
    assert "boundary.py" not in output(result)


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
        with ThreadPoolExecutor(1) as pool, pytest.raises(UndefinedBehaviour):
            pool.submit(on_device, clears_too_much, memory).result()

    def test_future(memory):
        with ThreadPoolExecutor(1) as pool:
            assert isinstance(pool.submit(on_device, clears_too_much, memory).exception(), UndefinedBehaviour)

    def test_tasks(memory):
        async def main():
            return await asyncio.gather(task(memory), return_exceptions=True)
        [result] = asyncio.run(main())
        assert isinstance(result, UndefinedBehaviour)

    class TestUnittest(unittest.TestCase):
        @pytest.fixture(autouse=True)
        def cleared(self, memory):
            self.memory = memory

        def test_assert_raises(self):
            with self.assertRaises(UndefinedBehaviour) as caught:
                clears_too_much(self.memory)
            assert caught.exception.finding.id == "memcpy-size"

    def beside_the_test(memory):
        try:
            clears_too_much(memory)
        except Exception:
            pass

    def test_same_file(memory):
        beside_the_test(memory)

    def test_helper_of_another_file_that_names_it(memory):
        assert finding_of(lambda: clears_too_much(memory)).id == "memcpy-size"

    def test_helper_of_another_file_that_is_for_tests(memory):
        tried(clears_too_much, memory)

    def test_expected(machine, memory):
        from aclnn.testing import expect_finding
        with expect_finding(machine, "memcpy-size") as found:
            swallows(memory)
        assert found[0].call == "aclrtMemset"
        assert machine.findings == []

    def test_expected_and_converted(machine, memory):
        from aclnn.testing import expect_finding
        with pytest.raises(RuntimeError, match="clearing failed"), expect_finding(machine, "memcpy-size"):
            converts(memory)
        assert machine.findings == []
"""
CAUGHT = f"""
    import asyncio
    import unittest
    from concurrent.futures import ThreadPoolExecutor

    from helpers import tried
{CAUGHT}"""
HELPERS = """
    import pytest

    def tried(call, *args):
        try:
            call(*args)
        except Exception as error:
            assert "memcpy-size" in str(error)
"""


def test_what_the_test_catches_is_its_own_matter(pytester: pytest.Pytester, run: Run) -> None:
    """Good twins: each test, or a helper of tests, sees the exception."""
    pytester.makepyfile(helpers=HELPERS)
    run(CAUGHT).assert_outcomes(passed=18)


def test_what_the_code_under_test_swallows_fails_the_test(run: Run) -> None:
    """Bad twins: the test sees nothing, or another exception."""
    result = run(
        """
    import asyncio
    import threading
    from concurrent.futures import ThreadPoolExecutor

    def test_swallowed(memory):
        swallows(memory)

    def test_converted(memory):
        with pytest.raises(RuntimeError, match="clearing failed"):
            converts(memory)

    def test_dropped_job(memory):
        with ThreadPoolExecutor(1) as pool:
            pool.submit(on_device, clears_too_much, memory)

    def test_dropped_task(memory):
        async def main():
            await asyncio.wait([asyncio.ensure_future(task(memory))])
        asyncio.run(main())

    def test_coroutine(memory):
        asyncio.run(task_that_swallows(memory))

    @pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
    def test_thread(memory):
        thread = threading.Thread(target=on_device, args=(clears_too_much, memory), name="clearer")
        thread.start()
        thread.join()

    @pytest.mark.machine(on_undefined="report")
    def test_reported(memory):
        assert clears_too_much(memory) == ACL_SUCCESS
"""
    )
    result.assert_outcomes(passed=7, errors=7)
    assert output(result).count("\nthe machine found: memcpy-size\n") == 7
    result.stdout.fnmatch_lines(["*note: the exception was caught in swallows at *host.py:*, which is not the test*"])
    result.stdout.fnmatch_lines(["*note: the exception ended in coroutine task_that_swallows at *host.py:*"])
    result.stdout.fnmatch_lines(["*note: the exception ended thread clearer; if that is meant*"])
    assert output(result).count("note: the exception was caught in") == 2
    assert output(result).count("note: a Future holds the exception") == 1


def test_what_is_meant_to_be_left_behind(run: Run) -> None:
    """`expect_at_end`: the finding must be made by the end of the machine, and does not fail the test."""
    result = run(
        """
    from aclnn.testing import expect_at_end

    def test_left_at_the_end(machine):
        expect_at_end(machine, "mem-leaked", match="1 x 64 bytes")
        expect_at_end(machine, "device-not-reset")
        aclrtSetDevice(0)
        allocated()

    def test_found_in_a_call(machine):
        expect_at_end(machine, "mem-leaked")
        aclrtSetDevice(0)
        allocated()
        aclrtResetDevice(0)

    def test_skipped(machine):
        expect_at_end(machine, "mem-leaked")
        pytest.skip("not now")

    def test_not_left(machine, memory):
        expect_at_end(machine, "mem-leaked", match="64 bytes")

    def test_something_else_is_left(machine):
        expect_at_end(machine, "mem-leaked", match="128 bytes")
        aclrtSetDevice(0)
        allocated()
        aclrtResetDevice(0)
"""
    )
    result.assert_outcomes(passed=4, skipped=1, errors=2)
    result.stdout.fnmatch_lines(
        [
            "*test_it.py:* expects a finding mem-leaked that matches '64 bytes', but the machine made none",
            "*test_it.py:* expects a finding mem-leaked that matches '128 bytes', but the machine made none",
            "the machine found: mem-leaked",
        ]
    )


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
    assert "leaked" not in output(result)
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


def test_a_marker_runs_one_test_for_each_product(run: Run) -> None:
    """One test for each product. The nearest marker counts. A class with the marker may contain tests without the
    fixture."""
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
    "unknown": (
        '@pytest.mark.soc("Ascend999")',
        "machine",
        f": soc='Ascend999' is unknown; the names are A2: {FIRST}, ",
    ),
    "family": ('@pytest.mark.soc("Ascend910B")', "machine", ": soc='Ascend910B' names a family of chips; choose one"),
    "none": ("@pytest.mark.soc", "machine", " takes names of products, as in soc("),
    "list": ('@pytest.mark.soc(["Ascend910B1"])', "machine", " takes names of products, as in soc("),
    "unused": ('@pytest.mark.soc("Ascend910B1")', "", " is for tests that use the fixture machine"),
}


def test_wrong_products_are_told_at_collection(pytester: pytest.Pytester) -> None:
    for name, (marker, fixture, _) in WRONG_PRODUCTS.items():
        pytester.makepyfile(**{f"test_{name}": f"import pytest\n\n{marker}\ndef test_it({fixture}): pass\n"})
    result = pytester.runpytest_inprocess(*PLUGIN)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    for name, (_, _, words) in WRONG_PRODUCTS.items():
        assert f"\ntest_{name}.py::test_it: @pytest.mark.soc{words}" in output(result)
    assert "Traceback" not in output(result)


def test_markers_give_options_and_the_nearest_wins(run: Run) -> None:
    """Options of all markers apply; the nearest marker wins."""
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
    there = "has no option devices; there are soc, device_count, hbm_bytes, "
    for words in ("device_count='two': an int", there, "takes options by name"):
        assert words in output(result)
    assert "During handling" not in output(result)


def test_one_product_where_pytest_does_not_repeat_a_test(run: Run) -> None:
    """In methods of unittest.TestCase, and in tests that call getfixturevalue."""
    result = run(
        """
    import unittest

    @pytest.mark.usefixtures("machine")
    @pytest.mark.soc("Ascend310P3")
    class TestOne(unittest.TestCase):
        def test_method(self):
            self.assertEqual(aclrtGetSocName(), "Ascend310P3")

    @pytest.mark.soc("Ascend310P3")
    def test_request(request):
        assert request.getfixturevalue("machine").soc.name == "Ascend310P3"

    @pytest.mark.usefixtures("machine")
    class TestTwo(unittest.TestCase):
        @pytest.mark.soc("Ascend310P3", "Ascend910A")
        def test_method(self):
            pass

        @pytest.mark.soc("Ascend310P")
        def test_family(self):
            pass
"""
    )
    result.assert_outcomes(passed=2, errors=2)
    assert "::TestTwo::test_method: @pytest.mark.soc names 2 products, but this test runs once" in output(result)
    assert "soc='Ascend310P' names a family of chips" in output(result)
    assert "During handling" not in output(result)


# machines other than that of the test


def test_a_fixture_that_does_not_ask_for_the_machine(run: Run) -> None:
    """Such a fixture works on the machine that was current before: mostly the default one, here one of its own."""
    result = run(
        """
    from acl_runtime import Machine

    @pytest.fixture(scope="module")
    def device():
        with Machine():
            aclrtSetDevice(0)
            yield
            aclrtResetDevice(0)

    def used(machine):
        assert aclrtMalloc(byref(c_void_p()), 8, 0) == ACL_ERROR_RT_CONTEXT_NULL
        text = aclGetRecentErrMsg()
        assert "but in another one, where it has default context of device 0, set at " in text
        assert "a pytest fixture that sets the device must request `machine`" in text

    def test_first(device, machine):
        used(machine)

    def test_second(device, machine):
        used(machine)
"""
    )
    result.assert_outcomes(passed=2)


def test_what_was_made_on_the_machine_of_an_earlier_test(run: Run) -> None:
    result = run(
        """
    import numpy as np

    kept = []

    def test_makes(machine):
        machine.allow("mem-leaked", reason="kept")
        machine.allow("device-not-reset", reason="kept")
        aclrtSetDevice(0)
        kept.append(allocated().value)

    def test_has_no_device(machine):
        assert aclrtMalloc(byref(c_void_p()), 8, 0) == ACL_ERROR_RT_CONTEXT_NULL
        assert "but in another one, where it has default context of device 0, set at " in aclGetRecentErrMsg()

    def test_never_set(machine):
        assert aclrtMalloc(byref(c_void_p()), 8, 0) == ACL_ERROR_RT_CONTEXT_NULL
        assert "(it called neither aclrtSetDevice nor aclrtSetCurrentContext; a new thread" in aclGetRecentErrMsg()

    def test_uses(memory):
        with pytest.raises(UndefinedBehaviour, match="is device memory of another machine, or of one that is gone"):
            aclrtMemset(kept[0], 8, 0, 8)
        host = np.zeros(8, np.uint8)
        with pytest.raises(UndefinedBehaviour, match="is device memory of another machine, or of one that is gone"):
            aclrtMemcpy(host, 8, kept[0], 8, ACL_MEMCPY_DEVICE_TO_HOST)
"""
    )
    result.assert_outcomes(passed=4)


def test_a_thread_that_outlives_its_test(run: Run) -> None:
    """The error in the thread names the test whose machine is closed."""
    result = run(
        """
    import threading

    go, errors = threading.Event(), []

    def late():
        go.wait()
        try:
            aclrtSetDevice(0)
        except UndefinedBehaviour as error:
            errors.append(str(error))

    thread = threading.Thread(target=late)

    def test_starts(machine):
        thread.start()

    def test_other(machine):
        go.set()
        thread.join()
        assert "the machine was closed at the end of test_it.py::test_starts\\n" in errors[0]
"""
    )
    result.assert_outcomes(passed=2)


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
    result = run(SHOWN, f"--acl-schedule={schedule}", "--acl-seed=7")
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
    """The environment sets defaults ("decisions, 1"), which the command line overrides."""
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
        "acl_runtime", "acl_runtime.on_demand", "acl_runtime.testing", "acl_runtime.testing.pytest_options",
            "acl_runtime.pytest_plugin",
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
