"""Did the test see an UndefinedBehaviour, or did the code that it tests swallow it? And what a failure shows of one.

The rule. A finding that was raised is the test's own matter when test code caught it: a function in the file of the
test, in a module that imports pytest or unittest, or one that names `UndefinedBehaviour`. Everything else that ends
the exception fails the test: an `except Exception` of the code under test, a thread that ended with it, a Future that
nobody asked.

A false alarm is worse than a miss. So a Future that holds the exception counts as asked when the file of the test
looks at such exceptions anywhere.
"""

import inspect
import linecache
import re
from collections.abc import Callable, Iterable
from traceback import walk_tb
from types import FrameType
from typing import Any, Final

from acl_runtime.errors import Finding, UndefinedBehaviour
from acl_runtime.source.frames import OURS
from acl_runtime.source.site import shown

RUNNERS: Final = ("_pytest", "pluggy", "unittest")
ENDS: Final = ("_pytest.fixtures", "_pytest.runner")
"""modules of pytest that catch what leaves the teardown of a fixture"""
HOLDERS: Final = ("concurrent", "asyncio", "multiprocessing")
"""packages of Python that catch what a job raises, and keep it in a Future"""
LOOKS_AT_FUTURES: Final = re.compile(r"\.exception\(|\breturn_exceptions\b|\bUndefinedBehaviour\b|Group\b")
GENERATOR: Final = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR


def answered(
    raised: Iterable[UndefinedBehaviour], ended: BaseException | None, test: Callable[..., Any] | None
) -> dict[int, Finding]:
    """The findings that need no failure of their own, by `id()`: the test caught them, or the exception that ended the
    test shows them."""
    shown = _chain(ended)
    code = getattr(inspect.unwrap(test), "__code__", None) if test is not None else None
    file = code.co_filename if code is not None else ""
    return {id(each.finding): each.finding for each in raised if each in shown or _seen(each, file)}


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


def _seen(behaviour: UndefinedBehaviour, test_file: str) -> bool:
    """Did test code catch it? A traceback begins at the frame that caught the exception, or at the generators of the
    context managers whose block it ended."""
    entries = [frame for frame, _ in walk_tb(behaviour.__traceback__)]
    for frame in entries:
        if frame.f_code.co_filename == test_file or _is_test_code(frame):
            return True
        if not frame.f_code.co_flags & GENERATOR:
            break
    if not entries:
        return True  # assertRaises of unittest takes the traceback away, and keeps the exception for the test
    return _held(entries[0]) and any(LOOKS_AT_FUTURES.search(line) for line in linecache.getlines(test_file))


def _is_test_code(frame: FrameType) -> bool:
    code, known = frame.f_code, frame.f_globals
    named = [known.get(name) for name in code.co_names]
    return (
        _root(frame) in RUNNERS
        or "pytest" in known
        or "unittest" in known
        or not {"raises", UndefinedBehaviour.__name__}.isdisjoint((*code.co_names, *code.co_freevars))
        or any(each is UndefinedBehaviour or (isinstance(each, tuple) and UndefinedBehaviour in each) for each in named)
    )


def _root(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__")).partition(".")[0]


def _held(frame: FrameType) -> bool:
    """Does a Future hold what came as far as this frame: of a job of a pool, or of a coroutine that is a task?"""
    return bool(frame.f_code.co_flags & inspect.CO_COROUTINE) or _root(frame) in HOLDERS


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
    elif code.co_flags & inspect.CO_COROUTINE:
        what = f"the exception ended in coroutine {code.co_name} at {code.co_filename}:{line}, and no test looks at it"
    elif _held(frame):
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
