"""Statuses that the program ignored (ours): which uses count as looking, and which failures are reported."""

import copy
import enum
import json
import operator
import pickle
import struct
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from ctypes import byref, c_int32, c_void_p
from threading import get_ident
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Finding, Machine, UndefinedBehaviour
from acl_runtime.checks.statuses.unchecked import MOST
from acl_runtime.headers.statuses import SUCCESS, Status, name_of
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream
from tests.helpers.host_threads import at_once, in_thread
from tests.helpers.own_process import program as run_program


def fails() -> int:
    """A status that is not success: 100000."""
    return aclrtFree(None)


def ignored(program: Callable[[], object]) -> list[Finding]:
    """The findings of a program about statuses."""
    with Machine() as machine:
        program()
    return [finding for finding in machine.findings if finding.id == "ignored-ret"]


class Answer(enum.IntEnum):
    """An enum of a user's."""

    FINE = 0
    WRONG = 100000


def collect() -> int:
    ret = 0
    ret |= fails()
    return ret


def matched(status: int) -> str:
    match status:
        case 0:
            return "fine"
        case _:
            return "wrong"


def check_ret(condition: bool, text: str) -> None:
    if not condition:
        print(text)


def while_failing() -> None:
    ret = fails()
    while ret:
        ret = 0


def asserted() -> None:
    assert fails() == ACL_ERROR_INVALID_PARAM
    assert fails()
    with suppress(AssertionError):
        assert fails() == ACL_SUCCESS


SEEN: dict[str, Callable[[int], object]] = {
    "status == ACL_SUCCESS": lambda ret: ret == ACL_SUCCESS,
    "ACL_SUCCESS != status": lambda ret: ACL_SUCCESS != ret,  # noqa: SIM300
    "a constant that is a Status": lambda ret: SUCCESS == ret,  # noqa: SIM300
    "another status": lambda ret: Status(100000) == ret,
    "less than": lambda ret: ret < 0,
    "0 less than": lambda ret: 0 < ret,  # noqa: SIM300
    "at least": lambda ret: ret >= 1,
    "a member of an enum on the right": lambda ret: ret == Answer.FINE,
    "Enum(status)": Answer,
    "a numpy number": lambda ret: np.int32(0) == ret,
    "an array of numpy": lambda ret: np.zeros(2, np.int32) == ret,
    "numpy.array": lambda ret: np.array([0, ret]),
    "c_int32(0).value": lambda ret: c_int32(0).value == ret,
    "not": operator.not_,
    "bool": bool,
    "if": lambda ret: 1 if ret else 0,
    "and": lambda ret: ret and 1,
    "int": int,
    "float": float,
    "str": str,
    "repr": repr,
    "print": print,
    "f-string": lambda ret: f"{ret}",
    "f-string with a format": lambda ret: f"{ret:08d}",
    "format": "{:d}".format,
    "%s": lambda ret: "%s" % ret,
    "repr of a list": lambda ret: repr([ret]),
    "name_of": name_of,
    "in a tuple": lambda ret: ret in (0, 100002),
    "in a set": lambda ret: ret in {0},
    "in a range": lambda ret: ret in range(3),
    "0 in statuses": lambda ret: 0 in [ret],
    "any": lambda ret: any([ret]),
    "all of a generator": lambda ret: all(each == 0 for each in [ret]),
    "sum": lambda ret: sum([0, ret]),
    "max": lambda ret: max(0, ret),
    "sorted": lambda ret: sorted([ret, 0]),
    "filter": lambda ret: list(filter(None, [ret])),
    "Counter": lambda ret: Counter([ret]),
    "a key": lambda ret: {100000: "null"}.get(ret),
    "set": lambda ret: {ret},
    "lists": lambda ret: [ret] == [0],
    "tuples": lambda ret: (0, 0) == (0, ret),  # noqa: SIM300
    "match": matched,
    "|": lambda ret: 0 | ret,
    "+": lambda ret: ret + 0,
    "-": lambda ret: 0 - ret,
    "&": lambda ret: ret & 1,
    "divmod": lambda ret: divmod(ret, 1000),
    "//": lambda ret: ret // 1000,
    "pow": lambda ret: pow(ret, 2, 7),
    ">>": lambda ret: ret >> 16,
    "<<": lambda ret: ret << 1,
    "abs": abs,
    "~": operator.invert,
    "operator.eq": lambda ret: operator.eq(0, ret),
    "CHECK_RET": lambda ret: check_ret(ret == ACL_SUCCESS, "it failed"),
    "an exception's text": lambda ret: str(RuntimeError(ret)),
    "aclAppLog": lambda ret: aclAppLog(ACL_INFO, "f", "file", 1, "ret = %d", ret),
    "pickle": pickle.dumps,
    "copy": copy.copy,
    "deepcopy": lambda ret: copy.deepcopy([ret]),
}
UNSEEN: dict[str, Callable[[int], object]] = {
    "nothing at all": lambda ret: None,
    "stored": lambda ret: [ret],
    "stored in a dict": lambda ret: {"aclrtFree": ret},
    "is None": lambda ret: ret is None,
    "isinstance": lambda ret: isinstance(ret, int),
    # Python reads these digits without asking: docs/findings.md lists them
    "%d": lambda ret: "%d" % ret,
    "hex": hex,
    "a member of an enum on the left": lambda ret: Answer.FINE == ret,  # noqa: SIM300
    "an index": lambda ret: range(ret)[0],
    "operator.index": operator.index,
    "json": json.dumps,
    "struct": lambda ret: struct.pack("i", ret),
    "ctypes": c_int32,
}


@pytest.mark.parametrize("look", SEEN.values(), ids=SEEN)
def test_a_status_that_is_asked_for_its_value_is_not_found(look: Callable[[int], object]) -> None:
    """The good twin: whatever asks the status for its value."""
    assert ignored(lambda: look(fails())) == []


@pytest.mark.fidelity("statuses that C code reads without asking")
@pytest.mark.parametrize("pass_by", UNSEEN.values(), ids=UNSEEN)
def test_a_status_that_nobody_asks_is_a_warning_at_exit(pass_by: Callable[[int], object]) -> None:
    """The bad twin: a warning at exit, with function, status, and the line of the call."""
    (found,) = ignored(lambda: pass_by(fails()))
    assert (found.level, found.call) == ("warning", "aclrtFree")
    assert found.what == (
        "aclrtFree returned ACL_ERROR_INVALID_PARAM (100000), and nobody looked at it. "
        "aclrtFree failed because devPtr cannot be a NULL pointer."
    )
    assert "test_ignored_statuses.py:" in found.site


@pytest.mark.parametrize("program", [collect, while_failing, asserted])
def test_every_statement_that_uses_a_status_looks_at_it(program: Callable[[], object]) -> None:
    assert ignored(program) == []


def test_two_statuses_are_both_looked_at() -> None:
    """`first == second` is one look at each."""
    assert ignored(lambda: fails() == fails()) == []
    assert ignored(lambda: fails() | fails()) == []


def test_a_finding_for_each_line_and_function() -> None:
    """With a count, status name and number, and the reason, of the first if they differ; the level is that of the
    table, and nothing is raised."""

    def program() -> None:
        for device in (7, 8, 9):
            aclrtSetDevice(device)
            fails()
        for size in (0, 0, 8):
            aclrtMalloc(byref(c_void_p()), size, 0)
        kept = aclrtSetDevice(3)
        kept = aclrtSetDevice(0)
        assert kept == ACL_SUCCESS

    found = ignored(program)
    assert [finding.what.partition(" (this machine ")[0] for finding in found] == [
        "aclrtSetDevice returned 3 x ACL_ERROR_RT_INVALID_DEVICEID (107001), and nobody looked at them. The first: "
        "Setting the device of the current thread failed because value 7 for parameter deviceId is invalid. "
        "Expected value: [0, 1).",
        "aclrtFree returned 3 x ACL_ERROR_INVALID_PARAM (100000), and nobody looked at them. "
        "aclrtFree failed because devPtr cannot be a NULL pointer.",
        "aclrtMalloc returned 2 x ACL_ERROR_INVALID_PARAM (100000), 1 x ACL_ERROR_RT_CONTEXT_NULL (107002), "
        "and nobody looked at them. The first: aclrtMalloc failed: value 0 of parameter size is invalid; "
        "expected a value greater than 0. (an empty shape has 0 bytes, and many operators need a workspace of 0: "
        "allocate nothing then, pass null)",
        "aclrtSetDevice returned ACL_ERROR_RT_INVALID_DEVICEID (107001), and nobody looked at it. "
        "Setting the device of the current thread failed because value 3 for parameter deviceId is invalid. "
        "Expected value: [0, 1).",
    ]
    assert len({finding.site for finding in found}) == 4


def both() -> tuple[int, int]:
    return fails(), fails()


def refuse(status: int) -> None:
    if status:
        raise RuntimeError(int(status))


def one_after_the_other() -> None:
    first, second = both()
    with suppress(RuntimeError):
        refuse(first)
        refuse(second)


def short_circuit() -> bool:
    first, second = both()
    return bool(first or second)


ONE_LOOK_FOR_MANY: dict[str, Callable[[], object]] = {
    "any": lambda: any(both()),
    "all": lambda: all(status == 0 for status in both()),
    "==": lambda: both() == (0, 0),
    "or": short_circuit,
    "a check that ends the program": one_after_the_other,
    "aclrtGetLastError": lambda: (fails() is None, int(aclrtGetLastError(0))),
    "aclGetRecentErrMsg": lambda: (both(), aclGetRecentErrMsg()),
}


@pytest.mark.parametrize("program", ONE_LOOK_FOR_MANY.values(), ids=ONE_LOOK_FOR_MANY)
def test_one_failure_tells_of_those_that_the_program_still_holds(program: Callable[[], object]) -> None:
    """After `if first or second` nobody needs to look at `second` (ours: a false alarm is worse than a miss)."""
    assert ignored(program) == []


def test_the_text_tells_of_the_last_failure() -> None:
    """A program that reads the text of a failed call does not need its status any more."""

    def program() -> None:
        fails()
        assert "devPtr" in (aclGetRecentErrMsg() or "")

    assert ignored(program) == []


def lost_before_another() -> None:
    fails()
    assert aclrtSetDevice(7) == ACL_ERROR_RT_INVALID_DEVICEID
    aclGetRecentErrMsg()


def asked_too_early() -> None:
    aclGetRecentErrMsg()
    fails()


def of_another_thread() -> None:
    in_thread(lambda: [fails()].clear())
    aclGetRecentErrMsg()


@pytest.mark.parametrize("program", [lost_before_another, asked_too_early, of_another_thread])
def test_the_text_tells_of_no_other_failure(program: Callable[[], None]) -> None:
    """The bad twin: an earlier failure stays ignored, though the text names it too."""
    (found,) = ignored(program)
    assert found.call == "aclrtFree"


def test_the_text_of_a_finding_tells_of_no_status() -> None:
    """A machine that only reports answers a finding with a status and a text too."""
    with Machine(on_undefined="report") as machine:
        aclrtSetDevice(0)
        fails()
        aclrtMemcpy(bytearray(1), 2, bytes(2), 2, ACL_MEMCPY_HOST_TO_HOST)
        assert "bytes" in (aclGetRecentErrMsg() or "")
    assert [finding.call for finding in machine.findings if finding.id == "ignored-ret"] == ["aclrtFree"]


def test_a_status_that_was_lost_before_is_told() -> None:
    def program() -> None:
        fails()
        status = fails()
        status = fails()
        refuse(0 if status else 1)

    (found,) = ignored(program)[:1]
    assert "100000" in found.what


def test_a_status_that_leaves_its_block_may_be_looked_at_behind_it() -> None:
    with Machine() as machine:
        aclrtSetDevice(0)
        status = fails()
        aclrtResetDevice(0)
    assert [finding.id for finding in machine.findings.worth_telling] == ["ignored-ret"]
    assert status == ACL_ERROR_INVALID_PARAM
    assert machine.findings.worth_telling == []


@pytest.mark.parametrize(("end", "reported"), [("sys.exit(main())", False), ("main()", True)])
def test_a_program_that_ends_with_its_status(end: str, reported: bool) -> None:
    """`return ret` of main is what the process exits with."""
    ran = run_program(f"import sys\naclInit(None)\ndef main():\n    return aclrtFree(None)\n{end}")
    assert ("ignored-ret" in ran.stderr) is reported


def test_success_may_be_ignored() -> None:
    """It may be ignored, and costs nothing."""

    def program() -> None:
        assert aclrtSetDevice(0) is aclrtResetDevice(0) is SUCCESS
        aclrtSetDevice(0)
        aclrtResetDevice(0)

    assert ignored(program) == []


def test_null_handles_and_raised_calls_leave_no_status() -> None:
    """Null from a creator is no status, and a call that raises returns nothing."""

    def program() -> None:
        aclrtSetDevice(0)
        assert not aclCreateTensor(None, 1, 0, None, 0, 2, None, 1, None)
        with suppress(UndefinedBehaviour):
            aclrtMemcpy(bytearray(16), 16, malloc(8), 16, ACL_MEMCPY_DEVICE_TO_HOST)

    assert ignored(program) == []


def test_what_is_kept_of_a_call_is_another_object() -> None:
    """Looking into `machine.calls` looks at no status of the program's."""
    with Machine() as machine:
        ret = fails()
        assert machine.calls[-1].result == ACL_ERROR_INVALID_PARAM
        assert repr(machine.calls)
    assert "ignored-ret" in [finding.id for finding in machine.findings]
    assert ret == ACL_ERROR_INVALID_PARAM


def test_a_status_stays_an_int() -> None:
    """Values, hash, repr, copies: as ever."""
    with Machine():
        ret: Any = fails()
        assert isinstance(ret, int)
        assert isinstance(ret, Status)
        assert (ret, hash(ret), repr(ret)) == (100000, hash(100000), "ACL_ERROR_INVALID_PARAM (100000)")
        assert (f"{ret}", f"{ret:x}", -ret, ret % 7) == ("100000", "186a0", -100000, 100000 % 7)
        for same in (copy.copy(ret), copy.deepcopy(ret), pickle.loads(pickle.dumps(ret))):
            assert type(same) is Status
            assert (same, repr(same)) == (ret, repr(ret))


@pytest.mark.fidelity("failures whose status may be dropped")
def test_a_loop_of_process_report_may_ignore_its_status() -> None:
    """ "The subscribed thread calls it in a loop", whatever it answers; a bad timeout is a mistake all the same."""

    def loop(timeout: int) -> None:
        aclrtSetDevice(0)
        aclrtProcessReport(timeout)
        assert aclrtSubscribeReport(get_ident(), create_stream()) == ACL_SUCCESS
        aclrtProcessReport(timeout)

    with Machine() as machine:
        loop(1)
        answers = [call.result for call in machine.calls if call.function == "aclrtProcessReport"]
        assert answers == [ACL_ERROR_RT_THREAD_SUBSCRIBE, ACL_ERROR_RT_REPORT_TIMEOUT]
    assert "ignored-ret" not in [finding.id for finding in machine.findings]
    assert len(ignored(lambda: loop(0))) == 2


@pytest.mark.fidelity("failures whose status may be dropped")
def test_a_second_init_may_be_ignored() -> None:
    """100002: "documentation says to treat it as harmless"; a second aclFinalize is not."""

    def twice() -> None:
        aclInit(None)
        aclInit(None)
        aclFinalize()

    assert ignored(twice) == []
    assert len(ignored(lambda: (aclFinalize(), aclFinalize()))) == 1


@pytest.mark.fidelity("failures whose status may be dropped")
def test_a_status_that_was_asked_for_may_be_ignored() -> None:
    """aclrtGetLastError resets what it returns: that is no failure of its own, but a wrong level is."""

    def program(level: int) -> None:
        assert aclrtSetDevice(7) == ACL_ERROR_RT_INVALID_DEVICEID
        aclrtPeekAtLastError(level)
        aclrtGetLastError(level)

    assert ignored(lambda: program(0)) == []
    assert len(ignored(lambda: program(1))) == 2


def test_what_a_callback_of_init_returns_is_looked_at() -> None:
    """aclInit fails with it."""

    def program() -> None:
        assert aclInitCallbackRegister(ACL_REG_TYPE_OTHER, lambda *_: aclrtSetDevice(7), None) == ACL_SUCCESS
        assert aclInit(None) == ACL_ERROR_RT_INVALID_DEVICEID

    assert ignored(program) == []


@pytest.mark.fidelity("failures whose status may be dropped")
def test_what_a_finding_tells_is_not_told_again() -> None:
    """In report mode a call that would crash answers a status: "a finding that only follows from an earlier one is not
    reported again" (ours)."""
    with Machine(on_undefined="report") as machine:
        aclrtSetDevice(0)
        aclrtMemcpy(bytearray(1), 2, bytes(2), 2, ACL_MEMCPY_HOST_TO_HOST)
        assert machine.calls[-1].result != ACL_SUCCESS
    ids = [finding.id for finding in machine.findings]
    assert "host-overrun" in ids
    assert "ignored-ret" not in ids


def test_another_thread_may_look_at_a_status() -> None:
    """A status may be looked at in another thread than that of the call, and from many at once."""
    assert ignored(lambda: in_thread(fails) == ACL_SUCCESS) == []

    def look() -> int:
        return sum(fails() == ACL_SUCCESS for _ in range(200))

    assert ignored(lambda: at_once(look, look, look)) == []
    (found,) = ignored(lambda: at_once(*[lambda: [fails() for _ in range(200)]] * 3))
    assert "600 x ACL_ERROR_INVALID_PARAM" in found.what


def test_ignored_statuses_can_be_allowed_for_a_block() -> None:
    """For the calls of a block, or from then on."""
    with Machine() as machine:
        with machine.allow("ignored-ret", reason="clean-up goes on whatever it answers") as allowance:
            fails()
            assert fails()
        assert not [finding for finding in machine.findings if finding.id == "ignored-ret"]
    assert "ignored-ret" not in [finding.id for finding in machine.findings]
    assert allowance.times == 1


def test_a_program_that_never_looks_does_not_fill_the_memory() -> None:
    """The oldest 10,000 are reported."""
    (found,) = ignored(lambda: [fails() for _ in range(MOST + 5)])
    assert f"{MOST} x" in found.what
