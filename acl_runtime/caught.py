"""Who caught an UndefinedBehaviour: the test, or the code that it tests? And what a failure shows of one."""

import inspect
from collections.abc import Callable, Iterable
from traceback import walk_tb
from types import CodeType
from typing import Any, Final

from acl_runtime.errors import Finding, UndefinedBehaviour
from acl_runtime.machine.site import OURS

PYTEST: Final = ("_pytest", "pluggy")


def answered(
    raised: Iterable[UndefinedBehaviour], ended: BaseException | None, test: Callable[..., Any] | None
) -> dict[int, Finding]:
    """Of what was raised, the findings, by `id()`, that need no failure of their own: the test function caught them, or
    the exception that ended it tells them."""
    told = _chain(ended)
    codes = _codes(inspect.unwrap(test).__code__) if test is not None else []
    return {id(each.finding): each.finding for each in raised if each in told or _caught_by_test(each, codes)}


def _chain(error: BaseException | None) -> list[BaseException]:
    """An exception and those that led to it."""
    found: list[BaseException] = []
    waiting = [error]
    while waiting:
        each = waiting.pop()
        if each is not None and each not in found:
            found.append(each)
            waiting += [each.__cause__, each.__context__, *getattr(each, "exceptions", ())]
    return found


def _codes(code: CodeType) -> list[CodeType]:
    """The code of a function, then that of the functions in it."""
    return [code, *(inner for each in code.co_consts if isinstance(each, CodeType) for inner in _codes(each))]


def _caught_by_test(behaviour: UndefinedBehaviour, codes: list[CodeType]) -> bool:
    """Did it come as far as the test function, a helper that says `pytest.raises`, or pytest? A traceback begins at
    the frame that caught the exception."""
    frames = [frame for frame, _ in walk_tb(behaviour.__traceback__)]
    if not frames:
        return False
    catcher = frames[0]
    return (
        catcher.f_code in codes
        or "raises" in catcher.f_code.co_names
        or str(catcher.f_globals.get("__name__")).partition(".")[0] in PYTEST
        or any(frame.f_code is codes[0] for frame in frames if codes)  # `with helper():`, whose __exit__ caught it
    )


def who_swallowed(behaviour: UndefinedBehaviour) -> str:
    """A line for the text of a finding whose exception the test did not see."""
    frame, line = next(walk_tb(behaviour.__traceback__), (None, 0))
    if frame is None:
        return ""
    code = frame.f_code
    return (
        f"\n   = note: the exception was caught in {code.co_name} at {code.co_filename}:{line}, which is not the test; "
        "if that is meant: aclnn.testing.expect_finding"
    )


def end_at_the_call(behaviour: UndefinedBehaviour) -> None:
    """Let the traceback end with the user's call, not where the emulator raises."""
    last, entry = None, behaviour.__traceback__
    while entry is not None:
        if not str(entry.tb_frame.f_globals.get("__name__")).startswith(OURS):
            last = entry
        entry = entry.tb_next
    if last is not None:
        last.tb_next = None
