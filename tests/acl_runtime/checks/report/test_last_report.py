"""The report on stderr at the end of a program: each finding once, and the reason of a failed last call if it was not
read."""

import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.errors import UndefinedBehaviour
from tests.helpers.own_process import OTHERS, program

TWICE = """\
import ctypes, sys, threading, traceback
def wrong():
    tensor = aclCreateTensor([1], 1, ACL_FLOAT, None, 0, ACL_FORMAT_ND, [1], 1, None)
    aclDestroyTensor(tensor)
    aclDestroyTensor(tensor)
aclInit(None)
assert aclrtSetDevice(0) == 0
"""
FULL = "error[tensor-double-destroy]: tensor is no live tensor"
BRIEF = "error[tensor-double-destroy] at "
TOLD = {
    "a traceback": "wrong()",
    "of a thread": "thread = threading.Thread(target=wrong); thread.start(); thread.join()",
    "as a cause": "try:\n    wrong()\nexcept Exception as error:\n    raise RuntimeError('ours') from error",
    "of a hook": "sys.excepthook = lambda kind, error, trace: print(error, file=sys.stderr)\nwrong()",
    "printed": "try:\n    wrong()\nexcept Exception:\n    traceback.print_exc()",
}
SWALLOWED = {
    "caught": "try:\n    wrong()\nexcept Exception:\n    pass",
    "SystemExit": "try:\n    wrong()\nexcept Exception:\n    sys.exit(1)",
    "from None": "try:\n    wrong()\nexcept Exception:\n    raise RuntimeError('ours') from None",
}


@pytest.mark.parametrize("end", TOLD.values(), ids=TOLD)
def test_what_an_exception_told_is_named_once_more(end: str, tmp_path: Path) -> None:
    """The report, help and all, stands on stderr once; a file has it whole."""
    path = tmp_path / "report.json"
    run = program(TWICE + end, ACL_EMULATOR_REPORT=str(path))
    assert run.stderr.count(FULL) == 1, run.stderr
    assert run.stderr.count("= help: ") == 1
    assert run.stderr.count(BRIEF) == 1
    assert "aclDestroyTensor: its exception has the report\n" in run.stderr
    assert "left behind as the program ended there: device-not-reset 1x\n1 error, 1 warning, 0 advice" in run.stderr
    assert "tensor-double-destroy" in [each["id"] for each in json.loads(path.read_text(encoding="utf-8"))["findings"]]


@pytest.mark.parametrize("end", SWALLOWED.values(), ids=SWALLOWED)
def test_what_the_program_kept_to_itself_is_told_at_the_end(end: str) -> None:
    run = program(TWICE + end)
    assert run.stderr.count(FULL) == 1, run.stderr
    assert BRIEF not in run.stderr


LEAK = "aclInit(None)\naclrtSetDevice(0)\n"


def test_the_environment_allows_findings_of_a_program_without_a_machine_of_its_own() -> None:
    """The program has no variable for `machine.allow`, so the report names the environment variable."""
    assert "   = to allow it: ACL_EMULATOR_ALLOW=device-not-reset\n" in program(LEAK).stderr
    assert program(LEAK, ACL_EMULATOR_ALLOW="device-not-reset, mem-leaked").stderr == ""
    named = program(f"with Machine() as machine:\n    {LEAK.replace(chr(10), '; ')}\nprint(machine.findings.report())",
                    ACL_EMULATOR_ALLOW="device-not-reset")  # fmt: skip
    assert 'machine.allow("device-not-reset", reason="...")' in named.stdout, named.stderr
    refused = "ACL_EMULATOR_ALLOW: 'mem-leakt' is no finding that is recorded; did you mean mem-leaked"
    assert refused in program(LEAK, ACL_EMULATOR_ALLOW="mem-leakt").stderr


def test_an_exception_names_the_environment_variable_as_well() -> None:
    assert "   = to allow it: ACL_EMULATOR_ALLOW=tensor-double-destroy\n" in program(TWICE + "wrong()").stderr
    assert FULL not in program(TWICE + "wrong()", ACL_EMULATOR_ALLOW="tensor-double-destroy").stderr


def test_of_two_only_the_one_that_was_told_is_short() -> None:
    run = program(TWICE + SWALLOWED["caught"] + "\nwrong()")
    assert run.stderr.count(FULL) == 2, run.stderr
    assert run.stderr.count(BRIEF) == 1


def test_an_exception_that_another_process_gets_still_has_its_text() -> None:
    with Machine():
        tensor = aclCreateTensor([1], 1, 0, None, 0, 2, [1], 1, None)
        aclDestroyTensor(tensor)
        with pytest.raises(UndefinedBehaviour) as raised:
            aclDestroyTensor(tensor)
    same = pickle.loads(pickle.dumps(raised.value))
    assert str(same) == str(raised.value)
    assert same.finding == raised.value.finding


def test_any_exception_that_ends_the_program_makes_what_is_left_behind_no_news() -> None:
    run = program(TWICE + "aclrtMalloc(None, 1.5, 0)")
    assert "TypeError: aclrtMalloc: parameter size (size_t) expects an integer" in run.stderr
    assert run.stderr.endswith("left behind as the program ended there: device-not-reset 1x\n"
                               "0 errors, 1 warning, 0 advice\n")  # fmt: skip


def test_a_status_that_nobody_looked_at_is_told_whatever_ended_the_program() -> None:
    """It may be the reason."""
    run = program("aclrtSetDevice(7)\n1 / 0")
    assert "ZeroDivisionError" in run.stderr
    assert "warning[ignored-ret]: aclrtSetDevice returned" in run.stderr


# a program that ended early: what it left behind is one line

LEAVES = """\
import os, sys
aclInit(None)
assert aclrtSetDevice(0) == 0
"""
EARLY = {
    "sys.exit(1)": "sys.exit(1)",
    "exit(1)": "exit(1)",
    "a text": "sys.exit('the result is wrong')",
    "then a finally": "try:\n    sys.exit(2)\nfinally:\n    assert aclrtFree(None) != 0",
    "a failed status": "assert aclrtSetDevice(7) != 0",
    "a failed status, and its text": "assert aclrtSetDevice(7) != 0; print(aclGetRecentErrMsg())",
    "a failed status as the exit status": "sys.exit(aclrtSetDevice(7))",
}  # fmt: skip
IN_TIME = {
    "by itself": "",
    "sys.exit(0)": "sys.exit(0)",
    "ACL_SUCCESS": "sys.exit(aclrtSynchronizeDevice())",
    "the exit of another thread": "import threading\nthread = threading.Thread(target=sys.exit, args=(1,))\n"
    "thread.start(); thread.join()",
    "a caught exit": "try:\n    sys.exit(1)\nexcept SystemExit:\n    assert aclrtSynchronizeDevice() == 0",
    "a failure that was dealt with": "assert aclrtSetDevice(7) != 0 and aclrtSynchronizeDevice() == 0",
}
ONE_LINE = "left behind as the program ended there: device-not-reset 1x\n0 errors, 1 warning, 0 advice\n"


@pytest.mark.parametrize("end", EARLY.values(), ids=EARLY)
def test_what_a_program_leaves_behind_that_ends_early_is_one_line(end: str) -> None:
    run = program(LEAVES + end)
    assert run.stderr.endswith(ONE_LINE), run.stderr
    assert "[device-not-reset]" not in run.stderr


@pytest.mark.parametrize("end", IN_TIME.values(), ids=IN_TIME)
def test_what_a_program_leaves_behind_that_got_to_its_end_is_reported(end: str) -> None:
    run = program(LEAVES + end)
    assert "warning[device-not-reset]: " in run.stderr
    assert "left behind as" not in run.stderr


def test_a_status_given_to_exit_stays_a_status_that_nobody_looked_at() -> None:
    """To remember the status of `sys.exit` is no look at it: the other one was lost."""
    run = program(LEAVES + "aclrtSetDevice(8)\nsys.exit(aclrtSetDevice(7))")
    assert run.stderr.count("[ignored-ret]: ") == 1, run.stderr
    assert "aclrtSetDevice(8)" not in run.stderr  # the line of `-c` cannot be had


def test_exit_is_pythons_own_again_in_the_end() -> None:
    """It is replaced by the first call of the API; what is registered before the import runs last."""
    code = (
        "import atexit, builtins, sys\n"
        "def own(): return [sys.exit, builtins.exit, builtins.quit] == before\n"
        "before = [sys.exit, exit, quit]\n"
        "atexit.register(lambda own=own, print=print: print(own()))\n"
        "import acl_runtime\nprint(own())\nacl_runtime.aclrtGetSocName()\nprint(own())"
    )
    run = subprocess.run([sys.executable, "-c", code], env=OTHERS, capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == ("True\nFalse\nTrue\n", "")


# why the last call failed

FAILS = "aclInit(None)\nret = aclrtSetDevice(7)\nprint('failed:', int(ret))\n"
WHY = """\
aclrtSetDevice failed with ACL_ERROR_RT_INVALID_DEVICEID (107001), and nobody read why (aclGetRecentErrMsg):
  --> <string>:5
   |  Setting the device of the current thread failed because value 7 for parameter deviceId is invalid. \
Expected value: [0, 1). (this machine """
ENDS = {
    "at once": "",
    "after releases": "assert aclFinalize() == 0",
    "after releases that fail": "assert aclrtFree(None) != 0 and aclFinalize() == 0",
    "with a status": "import sys; sys.exit(ret)",
    "with an exception": "assert ret == 0",
    "asking for the status": "assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == ret",
}
GOES_ON = {
    "it goes on": "assert aclrtSetDevice(0) == 0 and aclrtResetDevice(0) == 0",
    "it reads": "assert aclGetRecentErrMsg()",
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_the_reason_of_the_last_failure_is_told(end: str) -> None:
    """A program prints the number and returns, as the documents' samples do."""
    run = program(FAILS + end)
    assert run.stdout == "failed: 107001\n"
    assert WHY in run.stderr


def test_the_reason_of_an_operator_that_is_no_release() -> None:
    """aclnnUnique begins with the letters of a release, such as aclrtUnmapMem."""
    run = program(
        "from aclnn import *\nimport ctypes\naclInit(None)\naclrtSetDevice(0)\n"
        "size, executor = ctypes.c_uint64(), aclOpExecutor()\n"
        "outs = ctypes.byref(size), ctypes.byref(executor)\n"
        "ret = aclnnUniqueGetWorkspaceSize(None, False, False, None, None, *outs)\n"
        "import sys; sys.exit(ret != 0)"
    )
    assert "aclnnUniqueGetWorkspaceSize failed with ACLNN_ERR_PARAM_NULLPTR (161001), and nobody read why" in run.stderr


@pytest.mark.parametrize("end", GOES_ON.values(), ids=GOES_ON)
def test_a_failure_that_the_program_dealt_with_is_not(end: str) -> None:
    assert program(FAILS + end).stderr == ""


def test_a_failure_that_a_finding_tells_of_is_not_told_again() -> None:
    """A machine that only reports answers with a status and a text as well."""
    run = program(TWICE + "wrong()", ACL_EMULATOR_ON_UNDEFINED="report")
    assert run.stderr.count("tensor is no live tensor") == 1, run.stderr
    ignored = program("aclrtSetDevice(7)")
    assert ignored.stderr.count("value 7 for parameter deviceId is invalid") == 1, ignored.stderr


def test_a_number_that_is_no_handle_has_a_remedy_of_its_own() -> None:
    """As of ctypes without a restype."""
    with Machine() as machine, pytest.raises(UndefinedBehaviour, match="restype is c_void_p"):
        aclDestroyTensor(aclTensor(0xC0))
    assert machine.findings[0].id == "tensor-double-destroy"


def test_each_thread_has_its_own_reason() -> None:
    run = program(
        "import threading\ndef fail():\n    ret = aclrtSetDevice(7)\n    assert ret != 0\n"
        "thread = threading.Thread(target=fail); thread.start(); thread.join()\n"
        "assert aclrtSetDevice(0) == 0 and aclrtResetDevice(0) == 0"
    )
    assert run.stderr.startswith("aclrtSetDevice failed with ACL_ERROR_RT_INVALID_DEVICEID (107001), and nobody read")
    assert run.stderr.count("failed with") == 1


# why a synchronise failed, where the finding that it follows from is in no report

OUT_OF_RANGE = """\
from acl_runtime.machine.current import current
from samples.findings.index_range import wrong
"""
ALLOWED = OUT_OF_RANGE + "current().allow('index-range', reason='meant')\nwrong()"
BEHIND_ANOTHER = (
    OUT_OF_RANGE
    + """\
aclInit(None), aclrtSetDevice(0)
memory, other = c_void_p(), aclrtStream()
aclrtMalloc(byref(memory), 64, ACL_MEM_MALLOC_HUGE_FIRST), aclrtCreateStream(byref(other))
current().fail("aclrtMemsetAsync", device=True)
aclrtMemsetAsync(memory, 64, 0, 64, other)
wrong()
aclrtFree(memory), aclrtDestroyStreamForce(other), aclrtResetDevice(0), aclFinalize()
"""
)
UNLISTED = {
    "allowed": (ALLOWED, {}),
    "allowed in a machine that reports": (ALLOWED, {"ACL_EMULATOR_ON_UNDEFINED": "report"}),
    "allowed under threads": (ALLOWED, {"ACL_EMULATOR_SCHEDULE": "threads"}),
    "behind a failure that no call has returned": (BEHIND_ANOTHER, {"ACL_EMULATOR_SCHEDULE": "eager"}),
}


@pytest.mark.parametrize(("code", "environment"), UNLISTED.values(), ids=UNLISTED)
def test_the_reason_is_told_where_no_finding_is(code: str, environment: dict[str, str]) -> None:
    """A finding that is allowed is in no report, nor is one that may only follow from an earlier failure: the reason
    of the synchronise that failed is."""
    run = program(code, **environment)
    assert "[index-range]" not in run.stderr
    why = "aclrtSynchronizeStream failed with ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035), and nobody read why"
    assert run.stderr.count(why) == 1, run.stderr
    assert run.stderr.count("indices[3] is 4, legal values are 0 to 3") == 1


def test_the_reason_is_told_once_where_a_finding_is() -> None:
    """The good twin: the report has it."""
    run = program(OUT_OF_RANGE + "wrong()", ACL_EMULATOR_ON_UNDEFINED="report")
    assert run.stderr.startswith("error[index-range]"), run.stderr
    assert run.stderr.count("indices[3] is 4, legal values are 0 to 3") == 1


def test_an_allowed_deadlock_leaves_a_reason() -> None:
    """The wait comes back with a status all the same."""
    run = program(
        "from acl_runtime.machine.current import current\n"
        "current().allow('deadlock', reason='meant')\n"
        "aclInit(None), aclrtSetDevice(0)\n"
        "cell, stream = c_void_p(), aclrtStream()\n"
        "aclrtMalloc(byref(cell), 64, ACL_MEM_MALLOC_HUGE_FIRST), aclrtMemset(cell, 64, 0, 64)\n"
        "aclrtCreateStream(byref(stream)), aclrtValueWait(cell, 1, 0, stream)\n"
        "aclrtSynchronizeStream(stream)\n"
        "aclrtDestroyStreamForce(stream), aclrtFree(cell), aclrtResetDevice(0), aclFinalize()"
    )
    assert "[deadlock]" not in run.stderr
    assert "aclrtSynchronizeStream failed with ACL_ERROR_RT_STREAM_SYNC_TIMEOUT (507046), and nobody read" in run.stderr
