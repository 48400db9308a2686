"""For tests of host code: asserting on a status with its message, and on a finding. `aclnn.testing` has these too."""

import re
from collections.abc import Generator
from contextlib import contextmanager

from acl_runtime.api.errors import aclGetRecentErrMsg
from acl_runtime.errors import Finding, UndefinedBehaviour
from acl_runtime.machine.machine import Machine
from acl_runtime.statuses import ACL_SUCCESS, Status


def assert_status(result: int, expected: int, match: str | None = None) -> None:
    """AssertionError unless a call's `result` is the status `expected` and, with `match`, the regular expression is
    found in the text of aclGetRecentErrMsg, which takes the text. The error names both statuses and the text."""
    __tracebackhide__ = True  # pytest shows the line of the test
    if result == expected and match is None:
        return
    text = (aclGetRecentErrMsg() or "").strip()
    told = text or "(aclGetRecentErrMsg has no text)"
    if result != expected:
        raise AssertionError(f"the status is {Status(result)!r}, not {Status(expected)!r}\n{told}")
    if match is not None and not re.search(match, text):
        raise AssertionError(f"the text of {Status(result)!r} does not match {match!r}\n{told}")


def assert_success(result: int) -> None:
    """AssertionError with the text of aclGetRecentErrMsg unless the call succeeded."""
    __tracebackhide__ = True
    assert_status(result, ACL_SUCCESS)


@contextmanager
def expect_finding(machine: Machine, id: str, match: str | None = None) -> Generator[list[Finding], None, None]:
    """The block must make findings of this id, raised or recorded, whose message holds the regular expression
    `match`. They are taken out of `machine.findings` and put into the list that the block gets, and the exception
    ends the block like one of `pytest.raises`. For findings of the machine's end the block encloses the machine's:
    `with expect_finding(machine, "mem-leaked"), machine:`."""
    __tracebackhide__ = True
    met: list[Finding] = []
    earlier = list(machine.findings)
    try:
        yield met
    except UndefinedBehaviour as behaviour:
        if behaviour.finding.id != id:
            raise
    made = [each for each in machine.findings if not _among(each, earlier)]
    met += [each for each in made if each.id == id and (match is None or re.search(match, each.message))]
    if not met:
        wanted = f"finding {id}" if match is None else f"finding {id} that matches {match!r}"
        others = "\n".join(map(str, made)) or "(nor any other)"
        raise AssertionError(f"the block made no {wanted}\n{others}")
    machine.findings[:] = [each for each in machine.findings if not _among(each, met)]
    if machine.findings.raised is not None:
        machine.findings.raised[:] = [each for each in machine.findings.raised if not _among(each.finding, met)]


def _among(finding: Finding, findings: list[Finding]) -> bool:
    """Is it one of them, not only like one?"""
    return any(finding is each for each in findings)
