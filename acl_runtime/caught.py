"""Who caught an UndefinedBehaviour: the test, or the code that it tests? And what a failure shows of one.

A false alarm is worse than a miss: what may be the test's is the test's. What remains is code in another file than the
test's that catches the exception without naming it, as `except Exception` does, and what ended a thread.
"""

import ast
import inspect
import linecache
import re
from collections.abc import Callable, Iterable
from functools import cached_property
from textwrap import dedent
from traceback import walk_tb
from types import CodeType, FrameType
from typing import Any, Final

from acl_runtime.errors import Finding, UndefinedBehaviour
from acl_runtime.machine.site import OURS
from acl_runtime.sites import shown

RUNNERS: Final = ("_pytest", "pluggy", "unittest")
ENDS: Final = ("_pytest.fixtures", "_pytest.runner")
"""who catches what leaves the teardown of a fixture"""
HOLDERS: Final = ("concurrent", "asyncio", "multiprocessing")
"""whose frames catch what a job raises, and keep it for who asks for the result"""
LOOKS: Final = re.compile(r"\.exception\(|\breturn_exceptions\b|\bUndefinedBehaviour\b|Group\b")
"""what the file of a test says that looks at kept exceptions"""
GENERATOR: Final = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR


def answered(
    raised: Iterable[UndefinedBehaviour], ended: BaseException | None, test: Callable[..., Any] | None
) -> dict[int, Finding]:
    """Of what was raised, the findings, by `id()`, that need no failure of their own: the test caught them, or the
    exception that ended it tells them."""
    told, tests = _chain(ended), _Tests(test)
    return {id(each.finding): each.finding for each in raised if each in told or tests.caught(each)}


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


class _Tests:
    """A test function, and what belongs to it."""

    def __init__(self, test: Callable[..., Any] | None) -> None:
        self._code: CodeType | None = getattr(inspect.unwrap(test), "__code__", None) if test is not None else None

    def caught(self, behaviour: UndefinedBehaviour) -> bool:
        """Did it come as far as the test, a helper of tests, or pytest? A traceback begins at the frame that caught
        the exception, or at the generators of the context managers whose block it ended."""
        entries = list(walk_tb(behaviour.__traceback__))
        if not entries:
            return True  # who takes the traceback away, as assertRaises of unittest does, means to keep the exception
        for frame, _ in entries:
            if self._owns(frame):
                return True
            if not frame.f_code.co_flags & GENERATOR:
                break
        if any(frame.f_code is self._code for frame, _ in entries):  # `with helper():`, whose __exit__ caught it
            return True
        return _held(*entries[0]) and self._looks

    def _owns(self, frame: FrameType) -> bool:
        code, known = frame.f_code, frame.f_globals
        return (
            (self._code is not None and code.co_filename == self._code.co_filename)
            or _root(frame) in RUNNERS
            or any(name in known for name in ("pytest", "unittest"))
            or "raises" in code.co_names
            or UndefinedBehaviour.__name__ in (*code.co_names, *code.co_varnames, *code.co_freevars)
            or any(_names_it(known.get(name)) for name in code.co_names)
        )

    @cached_property
    def _looks(self) -> bool:
        """Does something in the file of the test look at exceptions that a Future keeps?"""
        lines = linecache.getlines(self._code.co_filename) if self._code is not None else []
        return LOOKS.search("".join(lines)) is not None


def _names_it(value: object) -> bool:
    """Is it the exception's class under another name, or several classes with it among them?"""
    return value is UndefinedBehaviour or (isinstance(value, tuple) and UndefinedBehaviour in value)


def _root(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__")).partition(".")[0]


def _held(frame: FrameType, line: int) -> bool:
    """Does a Future hold what came as far as this frame: of a job of a pool, or of a coroutine that is a task?"""
    if frame.f_code.co_flags & inspect.CO_COROUTINE:
        return not _catches(frame.f_code, line)
    return _root(frame) in HOLDERS


def _catches(code: CodeType, line: int) -> bool:
    """Does the line stand in a `try` with an `except`?"""
    try:
        lines, first = inspect.getsourcelines(code)
        tree = ast.parse(dedent("".join(lines)))
    except (OSError, SyntaxError):
        return False
    at = line - first + 1
    tries = [node for node in ast.walk(tree) if isinstance(node, ast.Try) and node.handlers]
    return any(node.body[0].lineno <= at <= (node.body[-1].end_lineno or at) for node in tries)


def broke_off(behaviour: UndefinedBehaviour) -> bool:
    """Did it end the teardown of a fixture, and reach pytest?"""
    frame, _ = next(walk_tb(behaviour.__traceback__), (None, 0))
    return frame is not None and frame.f_globals.get("__name__") in ENDS


def who_swallowed(behaviour: UndefinedBehaviour) -> str:
    """A line for the text of a finding whose exception the test did not see."""
    frame, line = next(walk_tb(behaviour.__traceback__), (None, 0))
    if frame is None:
        return ""
    code = frame.f_code
    if frame.f_globals.get("__name__") == "threading":
        what = f"the exception ended thread {getattr(frame.f_locals.get('self'), 'name', '')}".rstrip()
    elif _held(frame, line):
        what = "the exception is held by a Future, and nobody is known to have looked at it"
    else:
        place = shown(f"{code.co_filename}:{line}")
        what = f"the exception was caught in {code.co_name} at {place}, which is not the test"
    return f"\n   = note: {what}; if that is meant: aclnn.testing.expect_finding"


def end_at_the_call(behaviour: UndefinedBehaviour) -> None:
    """Let the traceback end with the user's call, not where the emulator raises."""
    last, entry = None, behaviour.__traceback__
    while entry is not None:
        if not str(entry.tb_frame.f_globals.get("__name__")).startswith(OURS):
            last = entry
        entry = entry.tb_next
    if last is not None:
        last.tb_next = None
