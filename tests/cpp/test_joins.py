"""A thread that joins another one keeps Python's lock, and the other one calls the runtime or ends."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cpp.conftest import ROOT, Build, Ran, Run

PROGRAM = """\
import ctypes, sys

keeps_lock, releases_lock = ctypes.PyDLL(sys.argv[1]), ctypes.CDLL(sys.argv[1])
acl = ctypes.CDLL("libascendcl.so")
assert acl.aclInit(None) == acl.aclrtSetDevice(0) == 0
held = ctypes.pythonapi.PyGILState_Check

def made():
    event = ctypes.c_void_p()
    assert acl.aclrtCreateEvent(ctypes.byref(event)) == acl.aclrtRecordEvent(event, None) == 0
    assert acl.aclrtSynchronizeEvent(event) == 0
    return event

def ends():
    acl.aclrtResetDevice(0)
    acl.aclFinalize()

"""
Python = Callable[..., Ran]


@pytest.fixture
def python(run: Run, build: Build, tmp_path: Path) -> Python:
    """Run a Python program with the library."""
    library = build("joined", "-shared", "-fPIC")

    def one(text: str) -> Ran:
        program = tmp_path / "program.py"
        program.write_text(PROGRAM + text, encoding="utf-8")
        return run(Path(sys.executable), str(program), str(library), environment={"PYTHONPATH": str(ROOT)})

    return one


@pytest.mark.fidelity("a thread that joins another one")
@pytest.mark.parametrize("caller", ["keeps_lock", "releases_lock"])
def test_the_calls_of_a_thread_are_served_while_the_caller_joins_it(caller: str, python: Python) -> None:
    """The first call of the thread comes then, and others. Afterwards the caller has the lock as before."""
    ran = python(f"print([{caller}.ask_elsewhere(made()) for _ in range(3)], held())\nends()\n")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "[0, 0, 0] 1\n", "")


@pytest.mark.fidelity("a thread that joins another one")
@pytest.mark.parametrize("caller", ["keeps_lock", "releases_lock"])
def test_a_thread_that_has_called_ends_while_the_caller_joins_it(caller: str, python: Python) -> None:
    """Its state in Python is deleted then, which needs the lock."""
    ran = python(f"print(releases_lock.begin(made()), {caller}.end(), held())\nends()\n")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "0 1 1\n", "")


def test_a_thread_that_ends_after_the_report_is_joined(python: Python) -> None:
    """The interpreter is ending, so the caller keeps the lock."""
    ran = python(
        "print(releases_lock.begin(made()))\nends()\nimport atexit\natexit._run_exitfuncs()\nprint(keeps_lock.end())\n"
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "0\n1\n", "")
