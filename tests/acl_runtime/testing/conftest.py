"""Tests of the plugin run pytest on a small project: `host.py` is the code under test, `test_it.py` its tests."""

from __future__ import annotations

import pytest

from tests.acl_runtime.testing.plugin_runs import HOST, PLUGIN, START, Run


@pytest.fixture
def default_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove options from the environment, as the command that repeats a test would show them; and the variable CI,
    with which pytest prints each report twice."""
    for name in ("ACL_EMULATOR_PATIENCE", "ACL_EMULATOR_WINDOW", "CI", "BUILD_NUMBER"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def run(pytester: pytest.Pytester, default_options: None) -> Run:
    """Runs pytest on `host.py` and the tests given."""

    def run(tests: str, *options: str, process: bool = False) -> pytest.RunResult:
        pytester.makepyfile(host=HOST, test_it=f"{START}\n{tests}")
        runner = pytester.runpytest_subprocess if process else pytester.runpytest_inprocess
        return runner(*PLUGIN, *options)

    return run
