"""For tests of host code: asserting on a status with its message, and on a finding. `aclnn.testing` has these too."""

import re
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from ctypes import c_void_p
from typing import Final

from acl_runtime.api.system.errors import aclGetRecentErrMsg
from acl_runtime.checks.findings import Expectation, refuse_unknown
from acl_runtime.errors import Finding, UndefinedBehaviour
from acl_runtime.headers.statuses import ACL_SUCCESS, Status
from acl_runtime.machine.machine import Machine
from acl_runtime.source.frames import here

NO_TEXT: Final = "(aclGetRecentErrMsg has no text)"


def assert_status(result: int, expected: int, match: str | None = None) -> None:
    """AssertionError unless a call's `result` is the status `expected` and, with `match`, the regular expression is
    found in the text of aclGetRecentErrMsg, which takes the text. The error names both statuses and the text."""
    __tracebackhide__ = True  # pytest shows the line of the test
    if result == expected and match is None:
        return
    text = _text()
    told = text or NO_TEXT
    if result != expected:
        raise AssertionError(f"the status is {Status(result)!r}, not {Status(expected)!r}\n{told}")
    if match is not None and not re.search(match, text):
        raise AssertionError(f"the text of {Status(result)!r} does not match {match!r}\n{told}")


def assert_success(result: int | c_void_p | None) -> None:
    """AssertionError with the text of aclGetRecentErrMsg unless the call succeeded: its status is ACL_SUCCESS, or what
    it made is not null."""
    __tracebackhide__ = True
    if isinstance(result, int):
        assert_status(result, ACL_SUCCESS)
    elif not result:
        raise AssertionError(f"the call made nothing: its result is {result!r}\n{_text() or NO_TEXT}")


def _text() -> str:
    return (aclGetRecentErrMsg() or "").strip()


def expect_finding(machine: Machine, id: str, match: str | None = None) -> AbstractContextManager[list[Finding]]:
    """The block must make findings of this id, raised or recorded, whose message holds the regular expression
    `match`. They are taken out of `machine.findings` and put into the list that the block gets, and the exception
    ends the block like one of `pytest.raises`; any other exception goes on. For findings of the machine's end the
    block encloses the machine's: `with expect_finding(machine, "mem-leaked"), machine:`; with the fixture there is
    `expect_at_end`."""
    refuse_unknown(id)
    return _expecting(machine, Expectation(id, match))


@contextmanager
def _expecting(machine: Machine, wanted: Expectation) -> Generator[list[Finding], None, None]:
    __tracebackhide__ = True
    met: list[Finding] = []
    earlier = list(machine.findings)
    try:
        yield met
    except BaseException as error:
        if not isinstance(error, UndefinedBehaviour) or error.finding.id != wanted.id:
            machine.findings.take_out(filter(wanted.meets, _since(earlier, machine)))  # it was made, all the same
            raise
    made = _since(earlier, machine)
    met += filter(wanted.meets, made)
    if not met:
        others = "\n".join(map(str, made)) or "(nor any other)"
        if machine.findings.expected is not None:
            others += "\n(for what the machine finds when it is closed there is expect_at_end)"
        raise AssertionError(f"the block made no {wanted}\n{others}")
    machine.findings.take_out(met)


def _since(earlier: list[Finding], machine: Machine) -> list[Finding]:
    known = {id(each) for each in earlier}
    return [each for each in machine.findings if id(each) not in known]


def expect_at_end(machine: Machine, id: str, match: str | None = None) -> None:
    """For tests with the fixture `machine`: when the test is over and the machine closed, it must have made findings of
    this id, whose message holds the regular expression `match`. They are taken out, and fail nothing."""
    refuse_unknown(id)
    if machine.findings.expected is None:
        how = f'with expect_finding(machine, "{id}"), machine:'
        raise ValueError(f"expect_at_end is for the fixture machine; for a machine of your own: `{how}`")
    machine.findings.expected.append(Expectation(id, match, here()))
