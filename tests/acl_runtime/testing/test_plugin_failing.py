"""Leaks, undefined behaviour, and findings that the code swallows fail a test that uses the fixture `machine`."""

from __future__ import annotations

import pytest

from tests.acl_runtime.testing.plugin_runs import Run, output


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


@pytest.mark.parametrize(("exception", "leaks"), [("", 0), ("ValueError", 1)])
def test_leaks_of_a_thread_that_a_finding_ended_are_one_line(run: Run, exception: str, leaks: int) -> None:
    """Such a thread could not clean up. The leaks of a thread with another exception are reported as ever."""
    result = run(
        f"""
    import threading
    from ctypes import byref, c_void_p
    from acl_runtime import *

    def rank(memory):
        aclrtSetDevice(0)
        aclrtMalloc(byref(memory), 64, ACL_MEM_MALLOC_HUGE_FIRST)
        if "{exception}":
            raise ValueError
        aclrtMemset(memory, 65, 0, 65)

    def test_ranks(machine):
        thread = threading.Thread(target=rank, args=(c_void_p(),))
        thread.start()
        thread.join()
""",
        "-Wignore::pytest.PytestUnhandledThreadExceptionWarning",
    )
    result.assert_outcomes(passed=1, errors=1)
    one_line = "\nleft behind as a thread ended there: mem-leaked 1x, device-not-reset 1x\n"
    assert output(result).count("\nwarning[mem-leaked]: ") == leaks
    assert output(result).count(one_line) == 1 - leaks
    assert output(result).count("error[memcpy-size]: ") == 1 - leaks


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


def test_a_failure_shows_advice_too(run: Run) -> None:
    """Advice may explain wrong numbers. It comes behind errors and warnings, and fails no test itself."""
    result = run(
        """
    import numpy as np

    def test_wrong_numbers(memory):
        aclInit(None)
        aclrtMemcpyAsync(memory, 64, np.zeros(16, np.float32), 64, ACL_MEMCPY_HOST_TO_DEVICE, None)
        assert 1 == 2

    def test_leak(machine):
        aclInit(None)
        aclrtSetDevice(0)
        memory = allocated()
        aclrtMemcpyAsync(memory, 64, np.zeros(16, np.float32), 64, ACL_MEMCPY_HOST_TO_DEVICE, None)
        aclrtResetDevice(0)
        aclFinalize()
"""
    )
    result.assert_outcomes(passed=1, failed=1, errors=1)
    text = output(result)
    assert text.count("advice[pageable-async]") == 2
    assert "the machine found: mem-leaked\n" in text
    assert text.rindex("warning[mem-leaked]") < text.rindex("advice[pageable-async]")


def test_a_refused_value_ends_at_the_line_of_the_test(run: Run) -> None:
    """Mistakes of the user's: no frame of the emulator is shown. An exception of its own code keeps its frames."""
    result = run(
        """
    import pytest
    from acl_runtime import Machine
    from acl_runtime.text import Text

    MISTAKES = [
        lambda machine: machine.fail("aclrtMaloc"),
        lambda machine: machine.fail("aclrtMalloc", 7777777),
        lambda machine: machine.allow("mem-leakt", reason="none"),
        lambda machine: machine.escalate("mem-leakt"),
        lambda machine: machine.read(3, 4, "f4"),
        lambda machine: Machine(soc="Ascend910B"),
        lambda machine: aclrtMalloc(c_void_p(), 64),
    ]

    @pytest.mark.parametrize("mistake", MISTAKES)
    def test_mistake(machine, mistake):
        mistake(machine)

    def test_defect(machine):
        Text.plural(1, None, None)
""",
        "--tb=short",
    )
    result.assert_outcomes(failed=8)
    mistakes, _, defect = output(result).partition("_ test_defect _")
    assert "acl_runtime/" not in mistakes.replace("acl_runtime.", "")
    assert "did you mean aclrtMalloc" in mistakes
    assert "acl_runtime/text.py" in defect


def test_escalated_findings_fail_a_test(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """ "A warning or advice counts as an error, for one machine or process" (ours)."""
    source = """
    import numpy as np

    def copies(memory):
        aclInit(None)
        assert not aclrtMemcpyAsync(memory, 64, np.zeros(16, np.float32), 64, ACL_MEMCPY_HOST_TO_DEVICE, None)
        aclFinalize()

    def test_advice(memory):
        copies(memory)

    def test_error(memory, machine):
        machine.escalate("pageable-async")
        copies(memory)
"""
    result = run(source)
    result.assert_outcomes(passed=2, errors=1)
    assert "error[pageable-async]" in output(result)
    monkeypatch.setenv("ACL_EMULATOR_ERRORS", "init, pageable-async")
    run(source).assert_outcomes(passed=2, errors=2)
    monkeypatch.setenv("ACL_EMULATOR_ERRORS", "pageable")
    assert "ACL_EMULATOR_ERRORS: 'pageable' is no finding" in output(run(source))


def test_no_test_passes_by_the_arrays_of_an_earlier_one(run: Run) -> None:
    """The second test copies nothing to the host, and the first one left the right answer in a block of numpy's."""
    result = run(
        """
    import numpy as np
    import pytest

    @pytest.mark.parametrize("copies", [True, False])
    def test_copy(memory, copies):
        aclInit(None)
        values = np.arange(16, dtype=np.float32)
        assert not aclrtMemcpy(memory, 64, values, 64, ACL_MEMCPY_HOST_TO_DEVICE)
        result = np.empty(16, np.float32)
        if copies:
            assert not aclrtMemcpy(result, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_HOST)
        expected = [float(each) for each in range(16)]
        assert result.tolist() == expected
        aclFinalize()
"""
    )
    result.assert_outcomes(passed=1, failed=1)
