"""Events that a library destroys on its own threads, while its caller waits for them and keeps Python's lock."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cpp.conftest import ROOT, Build, Ran, Run, line_of

PROGRAM = """\
import ctypes, os, sys

acl = ctypes.CDLL("libascendcl.so")
keeps_lock, releases_lock = ctypes.PyDLL(sys.argv[1]), ctypes.CDLL(sys.argv[1])
config = b"acl.json" if "default" in sys.argv else None
assert acl.aclInit(config) == acl.aclrtSetDevice(0) == 0

def made(create=acl.aclrtCreateEvent, *flag):
    event = ctypes.c_void_p()
    assert create(ctypes.byref(event), *flag) == 0
    return event

def ends():
    acl.aclrtResetDevice(0)
    acl.aclFinalize()

"""
ACCEPTED = f"""\
{PROGRAM}
events = [made(), made(acl.aclrtCreateEventExWithFlag, 0x40), made(acl.aclrtCreateEventWithFlag, 8), made()]
print([keeps_lock.destroy_elsewhere(event) for event in events[:3]])
print([releases_lock.destroy_elsewhere(event) for event in events])  # the first three are destroyed already
print(acl.aclrtDestroyEvent(events[0]), acl.aclrtDestroyEvent(made()))
ends()
"""
RIGHT = "[0, 0, 0]\n[107017, 107017, 107017, 0]\n107017 0\n"
Python = Callable[..., Ran]


@pytest.fixture
def python(run: Run, build: Build, tmp_path: Path) -> Python:
    """Run a Python program with the library."""
    library = build("late_destroyer", "-shared", "-fPIC")

    def one(text: str, *arguments: str, **environment: str) -> Ran:
        program = tmp_path / "program.py"
        start = f"import os\nos.chdir({str(tmp_path)!r})\n"
        program.write_text(start + text, encoding="utf-8")
        (tmp_path / "acl.json").write_text('{"defaultDevice": {"default_device": "0"}}', encoding="utf-8")
        given = {"PYTHONPATH": str(ROOT), "ACL_EMULATOR_FAST_CALLS": "1", **environment}
        return run(Path(sys.executable), str(program), str(library), *arguments, environment=given)

    return one


@pytest.mark.fidelity("a destruction of an event that Python makes later")
@pytest.mark.parametrize("schedule", ["late", "random", "threads"])
def test_a_caller_that_keeps_the_lock_waits_for_a_destruction(schedule: str, python: Python) -> None:
    """A second destruction has the status and the history of an event that is destroyed."""
    ran = python(ACCEPTED, "default", ACL_EMULATOR_SCHEDULE=schedule, ACL_EMULATOR_TRACE_FILE="trace.json")
    assert (ran.returncode, ran.stdout) == (0, RIGHT), ran.stderr
    assert "leaked" not in ran.stderr


def test_a_report_names_the_line_of_the_destruction(python: Python) -> None:
    used = PROGRAM + "event = made()\nkeeps_lock.destroy_elsewhere(event)\nacl.aclrtRecordEvent(event, None)\nends()\n"
    ran = python(used, "default")
    assert ran.returncode == 0
    assert f"destroyed at {line_of('late_destroyer.cpp', 'destroyed here')}" in ran.stderr


def test_an_accepted_destruction_is_made_before_the_report_at_the_end(python: Python) -> None:
    """The report has what is wrong with it."""
    last = python(PROGRAM + "event = made()\nends()\nkeeps_lock.destroy_elsewhere(event)\n", "default").stderr
    assert re.findall(r"^\w+\[[\w-]+\]", last, re.MULTILINE) == ["warning[order-teardown]"]
    assert f"--> {line_of('late_destroyer.cpp', 'destroyed here')}, in aclrtDestroyEvent" in last
    assert "warning[event-leaked]" in python(PROGRAM + "event = made()\nends()\n", "default").stderr


OTHERWISE = f"{PROGRAM}print(releases_lock.destroy_elsewhere(made()))\n"


@pytest.mark.fidelity("a destruction of an event that Python makes later")
@pytest.mark.parametrize(
    ("arguments", "environment", "status"),
    [
        pytest.param((), {}, 107002, id="the thread has no context"),
        pytest.param(("default",), {"ACL_EMULATOR_FAULTS": "aclrtDestroyEvent=207000"}, 207000, id="a planned failure"),
        pytest.param(("default",), {"ACL_EMULATOR_FAST_CALLS": "0"}, 0, id="Python serves all calls"),
    ],
)
def test_a_destruction_that_may_fail_is_left_to_python(
    arguments: tuple[str, ...], environment: dict[str, str], status: int, python: Python
) -> None:
    ran = python(OTHERWISE, *arguments, **environment)
    assert (ran.returncode, ran.stdout) == (0, f"{status}\n"), ran.stderr


CHILD = f"""\
{PROGRAM}
event = made()
keeps_lock.destroy_elsewhere(event)  # not made yet
if os.fork() == 0:
    acl.aclrtGetDevice(ctypes.byref(ctypes.c_int()))
    os._exit(0)
os.wait()
print(acl.aclrtDestroyEvent(event))
ends()
"""


def test_a_forked_child_leaves_destructions_to_its_parent(python: Python) -> None:
    """A call of the child is a mistake, but the child does not make the destruction."""
    ran = python(CHILD, "default")
    assert (ran.returncode, ran.stdout) == (0, "107017\n"), ran.stderr
    assert ran.stderr.count("error[fork-after-init]") == 1
    assert "in aclrtGetDevice" in ran.stderr
