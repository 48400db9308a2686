"""Programs that misuse the process: it ends as it would without Python in it, with a report where one is possible."""

import signal

import pytest

from tests.cpp.conftest import Build, Run, line_of

ENDS = {
    "interrupt": (-signal.SIGINT, ""),
    "sent-fault": (-signal.SIGSEGV, ""),
    "closed-streams": (11, ""),
    "main-thread-ends": (0, ""),
    "fork-in-a-thread": (0, "9\n"),
    "fork-during-the-first-calls": (0, "10 of 10\n"),
}


@pytest.mark.parametrize("what", ENDS)
def test_a_process_ends_as_it_would_without_python(what: str, build: Build, run: Run) -> None:
    ran = run(build("hostile"), what)
    assert (ran.returncode, ran.stdout) == ENDS[what], ran.stderr
    assert "Traceback" not in ran.stderr
    assert "Fatal" not in ran.stderr


def test_garbage_in_device_memory_is_a_finding_and_the_process_goes_on(build: Build, run: Run) -> None:
    """The sum of the garbage wraps to outputSize."""
    ran = run(build("hostile"), "garbage-repeats")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[0] == "507035"
    assert ran.stdout.splitlines()[3:] == ["0", "out[0] is: 5.000000", "out[1] is: 5.000000"]
    assert "error[index-range]: repeats add up to 18446744073709551618, outputSize is 2." in ran.stderr
    assert "Traceback" not in ran.stderr


TOUCHED = {
    "output-on-the-device": "lies 0 bytes inside the 64 bytes",
    "output-nowhere": "neither in device memory nor a handle",
    "text-nowhere": "neither in device memory nor a handle",
}


@pytest.mark.parametrize("what", TOUCHED)
def test_a_call_that_dies_of_a_pointer_is_named(what: str, build: Build, run: Run) -> None:
    ran = run(build("hostile"), what)
    assert ran.returncode == -signal.SIGSEGV
    assert "aclnn emulator: a call was given a pointer with which it touched 0x" in ran.stderr
    assert f"  --> {line_of('hostile.cpp', what)}\n" in ran.stderr
    assert TOUCHED[what] in ran.stderr
