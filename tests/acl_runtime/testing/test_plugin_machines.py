"""Markers of the fixture `machine`, and machines other than that of the test."""

from __future__ import annotations

import pytest

from tests.acl_runtime.testing.plugin_runs import FIRST, PLUGIN, Run, output

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
