"""aclnn_emulator.h: functions by which a test in C or C++ controls the emulator and asks it.

These are no functions of the API: they are declared in the same way, and work beside it.
"""

import inspect
from collections.abc import Callable
from typing import Any, Final

import acl_runtime.abi.c as c
from acl_runtime.abi.function import CFunction
from acl_runtime.errors import Finding
from acl_runtime.machine.current import current, installation
from acl_runtime.process import process
from aclnn.tools.toolkit.process import Session, say

HEADER: Final = "aclnn_emulator.h"
session: Final = process.own(Session)
"""this process's: the library that asks for it is loaded once, too"""


def _control(body: Callable[..., Any]) -> Any:
    """A function of this header."""
    annotations = dict(body.__annotations__)
    result = c.of(annotations.pop("return"))
    parameters = tuple((name, c.of(annotation)) for name, annotation in annotations.items())

    def call(*raw: Any) -> Any:
        try:
            return body(*[ctype.receive(value) for (_, ctype), value in zip(parameters, raw, strict=True)])
        except (ValueError, TypeError, AttributeError) as error:
            say(f"aclnn emulator: {body.__name__}: {error}")
            return -1

    call.__name__ = body.__name__
    call.__doc__ = body.__doc__
    doc = inspect.cleandoc(body.__doc__ or "")
    call.c = CFunction(body.__name__, HEADER, result, parameters, doc)  # type: ignore[attr-defined]
    return call


@_control
def aclnnEmulatorReset() -> c.int32_t_result:
    """Close the machine and report what it left behind; the next call of the API makes a fresh one. Returns how many
    errors and warnings were found in it."""
    return session.reset()


@_control
def aclnnEmulatorSetOption(name: c.const_char_p, value: c.const_char_p) -> c.int32_t_result:
    """An option of `Machine`, such as `soc`, for the machines from the next reset on; a null value takes it back.
    Returns 0, or -1 for an unknown option or value; the reason goes to stderr."""
    session.set(name or "", value)
    return 0


@_control
def aclnnEmulatorFail(function: c.const_char_p, nth: c.uint32_t, status: c.int32_t) -> c.int32_t_result:
    """Let the `nth` call of a function from now on fail with `status`, 0 for the likeliest one. Returns 0, or -1 if
    there is no such function or status; the reason goes to stderr."""
    current().fail(function or "", status or None, nth=nth)
    return 0


@_control
def aclnnEmulatorAllow(id: c.const_char_p, reason: c.const_char_p) -> c.int32_t_result:
    """Findings of this id are neither reported nor counted until the next reset. Returns 0, or -1 for an unknown id
    or without a reason; the reason of that goes to stderr."""
    current().allow(id or "", reason=reason or "")
    return 0


def _found(id: str | None) -> list[Finding]:
    """Those of this id; errors and warnings without one."""
    machine = installation.default
    if machine is None:
        return []
    return machine.findings.worth_telling if id is None else [each for each in machine.findings if each.id == id]


@_control
def aclnnEmulatorFindings(id: c.const_char_p) -> c.int32_t_result:
    """How many findings of this id there are now; null: how many errors and warnings."""
    return len(_found(id))


@_control
def aclnnEmulatorTakeFindings(id: c.const_char_p) -> c.int32_t_result:
    """The same, and they are answered: they count no more, and are not reported at the end."""
    taken = _found(id)
    if installation.default is not None:
        installation.default.findings.take_out(taken)
    return len(taken)


@_control
def aclnnEmulatorFindingText(index: c.uint32_t) -> c.const_char_p_result:
    """The text of a finding, the oldest being 0; null if there are not so many. It lives until the thread asks for the
    next text."""
    machine = installation.default
    return (
        machine.findings.text(machine.findings[index])
        if machine is not None and index < len(machine.findings)
        else None
    )
