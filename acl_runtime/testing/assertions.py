"""Assertions for tests of host code: on a status with its message, and on a finding. Users import them from
`aclnn.testing`."""

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
    """AssertionError unless the `result` of a call is the status `expected`.

    With `match`, the text of aclGetRecentErrMsg must also contain this regular expression; reading it empties the text.
    The AssertionError shows both statuses and the text."""
    __tracebackhide__ = True  # pytest shows the line of the test
    if result == expected and match is None:
        return
    text = _text()
    message = text or NO_TEXT
    if result != expected:
        raise AssertionError(f"the status is {Status(result)!r}, not {Status(expected)!r}\n{message}")
    if match is not None and not re.search(match, text):
        raise AssertionError(f"the text of {Status(result)!r} does not match {match!r}\n{message}")


def assert_success(result: int | c_void_p | None) -> None:
    """AssertionError with the text of aclGetRecentErrMsg unless the call succeeded: the status is ACL_SUCCESS, or the
    handle that it returned is not null."""
    __tracebackhide__ = True
    if isinstance(result, int):
        assert_status(result, ACL_SUCCESS)
    elif not result:
        raise AssertionError(f"the call failed: its result is {result!r}\n{_text() or NO_TEXT}")


def _text() -> str:
    return (aclGetRecentErrMsg() or "").strip()


def expect_finding(machine: Machine, id: str, match: str | None = None) -> AbstractContextManager[list[Finding]]:
    """Expect the block to make findings of this id, raised or recorded, whose message contains the regular expression
    `match`. AssertionError if it makes none.

    The findings move from `machine.findings` to the list that `as` binds. If a finding is raised, the exception ends
    the block, as with `pytest.raises`; other exceptions are not caught. For findings at the end of a machine, put the
    block of the machine inside: `with expect_finding(machine, "mem-leaked"), machine:`. In a test with the fixture use
    `expect_at_end`."""
    refuse_unknown(id)
    return _expecting(machine, Expectation(id, match))


@contextmanager
def _expecting(machine: Machine, expectation: Expectation) -> Generator[list[Finding], None, None]:
    __tracebackhide__ = True
    matching: list[Finding] = []
    earlier = list(machine.findings)
    try:
        yield matching
    except BaseException as error:
        if not isinstance(error, UndefinedBehaviour) or error.finding.id != expectation.id:
            machine.findings.take_out(filter(expectation.meets, _since(earlier, machine)))  # made before the exception
            raise
    findings = _since(earlier, machine)
    matching += filter(expectation.meets, findings)
    if not matching:
        others = "\n".join(map(str, findings)) or "(nor any other)"
        if machine.findings.expected is not None:
            others += "\n(for findings at the end of the machine there is expect_at_end)"
        raise AssertionError(f"the block made no {expectation}\n{others}")
    machine.findings.take_out(matching)


def _since(earlier: list[Finding], machine: Machine) -> list[Finding]:
    """The findings of the machine that are not in `earlier`."""
    earlier_ids = {id(finding) for finding in earlier}
    return [finding for finding in machine.findings if id(finding) not in earlier_ids]


def expect_at_end(machine: Machine, id: str, match: str | None = None) -> None:
    """Expect findings at the end of the fixture `machine`, after the test, with this id and a message that contains the
    regular expression `match`. These findings do not fail the test; their absence fails it."""
    refuse_unknown(id)
    if machine.findings.expected is None:
        example = f'with expect_finding(machine, "{id}"), machine:'
        raise ValueError(f"expect_at_end is for the fixture machine; for a machine of your own: `{example}`")
    machine.findings.expected.append(Expectation(id, match, here()))
