"""aclnn_emulator.h: functions by which a test in C or C++ controls and queries the emulator.

They do not belong to the API of Ascend, but they are declared in the same way.
"""

import inspect
from collections.abc import Callable
from typing import Any, Final

import acl_runtime.abi.c as c
from acl_runtime.abi.function import CFunction
from acl_runtime.errors import Finding
from acl_runtime.machine.current import current, installation
from acl_runtime.machine.installation import Ended
from acl_runtime.own_rank import say
from acl_runtime.process import process
from aclnn.tools.toolkit.session import Session

HEADER: Final = "aclnn_emulator.h"
session: Final = process.own(Session)
"""the session of this process, as a process loads the library only once"""


def control(header: str) -> Callable[[Callable[..., Any]], Any]:
    """Decorator: make a body a function of a header of the emulator, with the types of its annotations."""
    return lambda body: _control(header, body)


def _control(header: str, body: Callable[..., Any]) -> Any:
    annotations = dict(body.__annotations__)
    result = c.of(annotations.pop("return"))
    parameters = tuple((name, c.of(annotation)) for name, annotation in annotations.items())

    def call(*raw: Any) -> Any:
        try:
            return body(*[ctype.receive(value) for (_, ctype), value in zip(parameters, raw, strict=True)])
        except Ended:
            return 0  # as every call after the end
        except (ValueError, TypeError, AttributeError) as error:
            say(f"aclnn emulator: {body.__name__}: {error}")
            return -1 if result.python == "int" else None

    call.__name__ = body.__name__
    call.__doc__ = body.__doc__
    doc = inspect.cleandoc(body.__doc__ or "")
    call.c = CFunction(body.__name__, header, result, parameters, doc)  # type: ignore[attr-defined]
    return call


@control(HEADER)
def aclnnEmulatorReset() -> c.int32_t_result:
    """Close the machine and report its findings, leaks included. The next call of the API makes a fresh machine.
    Returns the number of errors and warnings."""
    return session.reset()


@control(HEADER)
def aclnnEmulatorSetOption(name: c.const_char_p, value: c.const_char_p) -> c.int32_t_result:
    """Set an option of `Machine`, such as `soc`, for the machines from the next reset on; a null value unsets it.
    Returns 0, or -1 for an unknown option or value; the reason goes to stderr."""
    session.set(name or "", value)
    return 0


@control(HEADER)
def aclnnEmulatorFail(function: c.const_char_p, nth: c.uint32_t, status: c.int32_t) -> c.int32_t_result:
    """Let the `nth` call of a function from now on fail with `status`; `status` 0 means its most likely status. Returns
    0, or -1 if there is no such function or status; the reason goes to stderr."""
    current().fail(function or "", status or None, nth=nth)
    return 0


@control(HEADER)
def aclnnEmulatorAllow(id: c.const_char_p, reason: c.const_char_p) -> c.int32_t_result:
    """Suppress findings of this id until the next reset: they are neither reported nor counted. Returns 0, or -1 for an
    unknown id or an empty reason; the error goes to stderr."""
    current().allow(id or "", reason=reason or "")
    return 0


def _counted(id: str | None) -> list[Finding]:
    """The findings of this id; without an id the errors and warnings."""
    machine = installation.default
    if machine is None:
        return []
    return (
        machine.findings.worth_telling if id is None else [finding for finding in machine.findings if finding.id == id]
    )


@control(HEADER)
def aclnnEmulatorFindings(id: c.const_char_p) -> c.int32_t_result:
    """The number of findings of this id so far; with a null id, of errors and warnings."""
    return len(_counted(id))


@control(HEADER)
def aclnnEmulatorTakeFindings(id: c.const_char_p) -> c.int32_t_result:
    """The number that aclnnEmulatorFindings returns. These findings are then neither counted again nor reported."""
    taken = _counted(id)
    if installation.default is not None:
        installation.default.findings.take_out(taken)
    return len(taken)


@control(HEADER)
def aclnnEmulatorFindingText(index: c.uint32_t) -> c.const_char_p_result:
    """The text of a finding; 0 is the oldest. Null if the index is too large. The text is valid until the thread
    calls this function again."""
    machine = installation.default
    return str(machine.findings[index]) if machine is not None and index < len(machine.findings) else None
