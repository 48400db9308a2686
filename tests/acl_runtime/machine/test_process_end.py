"""The end of a process, while other threads still call: its exit status and its report are those of the main thread."""

import subprocess
import sys

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc
from tests.helpers.own_process import OTHERS, program
from tests.helpers.patience import PATIENCE

CALLING = """\
import sys, threading
sys.setswitchinterval(1e-6)  # the threads interrupt each other nearly everywhere
address = c_void_p()
aclInit(None)
aclrtSetDevice(0)
aclrtMalloc(byref(address), 64, ACL_MEM_MALLOC_HUGE_FIRST)
calling = threading.Semaphore(0)
def call():
    aclrtSetDevice(0)
    while True:
        aclrtMemset(address, 64, 1, 64)
        calling.release()
for _ in range(3):
    threading.Thread(target=call, daemon=True).start()
for _ in range(300):
    calling.acquire()
"""
LEFT = "left behind as the program ended there: "
ENDINGS = {
    "sys.exit(0)": (0, "warning[mem-leaked]"),
    "sys.exit(3)": (3, LEFT),
    "aclrtResetDevice(0)\nsys.exit(3)": (3, LEFT),
    "raise SystemExit": (0, "warning[mem-leaked]"),
    "": (0, "warning[mem-leaked]"),
    "1 / 0": (1, LEFT),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_daemon_threads_change_neither_exit_status_nor_report(ending: str) -> None:
    ran = program(CALLING + ending, ACL_EMULATOR_PATIENCE=str(PATIENCE))
    status, report = ENDINGS[ending]
    assert ran.returncode == status, ran.stderr
    assert report in ran.stderr
    assert ran.stderr.endswith(" advice\n")
    assert ran.stderr.count("Traceback") == (ending == "1 / 0"), ran.stderr


BEFORE = "import atexit\nend = []\natexit.register(lambda: end[0]())\n"
"""a function of the program that runs after the report, as it is registered before the first import of the package"""
LATER = """
import ctypes, threading
from acl_runtime import *
from acl_runtime.machine.current import installation
aclrtSetDevice(0)
machine = installation.default
def hold():
    machine.lock.acquire()
def later():
    thread = threading.Thread(target=hold, daemon=True)  # as one that Python has stopped: it never gives the lock back
    thread.start()
    thread.join()
    before, address = len(machine.calls), ctypes.c_void_p(7)
    print(aclrtMalloc(ctypes.byref(address), 64, 0), address.value, aclrtGetSocName(), aclrtSetDevice(99))
    print(len(machine.calls) - before)
end.append(later)
"""


@pytest.mark.fidelity("calls after the end of Python")
def test_calls_after_the_report_return_0_do_nothing_and_wait_for_no_lock() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", BEFORE + LATER],
        env=OTHERS,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert (ran.returncode, ran.stdout) == (0, "0 7 None 0\n0\n"), ran.stderr
    assert ran.stderr.count("warning[device-not-reset]") == 1


def test_a_lock_that_nobody_gives_back_does_not_keep_the_process_alive() -> None:
    """Of a thread that died inside a call; the report says that it is incomplete."""
    ran = program(LATER.replace("end.append(later)", "hold_it = threading.Thread(target=hold)\nhold_it.start()"),
                  ACL_EMULATOR_PATIENCE="0.01")  # fmt: skip
    assert ran.returncode == 0
    assert ran.stderr.startswith("acl_runtime: another thread did not return from its call, so"), ran.stderr


WAITING = """\
import os, sys, threading
from acl_runtime.machine.current import installation
stream, event = aclrtStream(), aclrtEvent()
aclrtSetDevice(0)
aclrtCreateStream(byref(stream))
value = c_void_p()
aclrtMalloc(byref(value), 64, ACL_MEM_MALLOC_HUGE_FIRST)
aclrtMemset(value, 64, 0, 64)
aclrtValueWait(value, 1, 0, stream)
aclrtMemsetAsync(value, 64, 2, 64, stream)
def wait():
    aclrtSetDevice(0)
    print("returned", aclrtSynchronizeStream(stream))
threading.Thread(target=wait, daemon=True).start()
while not installation.default.scheduler.awaited:
    os.sched_yield()
sys.exit(0)
"""


@pytest.mark.parametrize("schedule", ["late", "threads"])
def test_a_daemon_thread_that_waits_is_no_deadlock(schedule: str) -> None:
    """Its wait ends with the process."""
    ran = program(WAITING, ACL_EMULATOR_SCHEDULE=schedule)
    assert ran.returncode == 0
    assert "warning[work-dropped]" in ran.stderr
    assert "deadlock" not in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_reader_has_the_calls_of_the_moment_at_which_it_began(machine: Machine) -> None:
    """Other threads may call meanwhile, as when the report is made."""
    malloc(64)
    for calls in (iter(machine.calls), reversed(machine.calls)):
        before = len(machine.calls)
        first = next(calls)
        aclrtGetSocName()
        assert [call.function for call in (first, *calls)].count("aclrtMalloc") == 1
        assert len(machine.calls) == before + 1
