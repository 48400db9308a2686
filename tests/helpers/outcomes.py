"""The outcome of a call: its status, its error text, its finding."""

from __future__ import annotations

from collections.abc import Callable

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour


def text() -> str:
    """The pending error text, "" if there is none. Reading clears it."""
    return aclGetRecentErrMsg() or ""


def ok(status: int) -> None:
    assert status == ACL_SUCCESS, text()


def assert_status(status: int, expected: int, *words: str) -> None:
    """Assert that the status is the expected one, and that the error text contains each of the words."""
    assert status == expected
    found = text()
    for word in words:
        assert word in found, found


def finding_of(call: Callable[[], object]) -> tuple[str, str]:
    """Make a call that must raise undefined behaviour, and return id and text of the finding."""
    try:
        result = call()
    except UndefinedBehaviour as error:
        return error.finding.id, str(error)
    raise AssertionError(f"nothing was raised, the call returned {result!r}")


def errors(machine: Machine) -> list[str]:
    """The findings of level error."""
    return [finding.id for finding in machine.findings if finding.level == "error"]
