"""The check whether the code under test swallowed an UndefinedBehaviour, so that the test did not see it.

Why. A finding is raised as an exception, so that it stops the program at the faulty call. Host code often has handlers
such as `except Exception`. A handler that swallows the finding would hide the mistake, and the test would pass.

Rule. The test saw the exception if test code caught it. Test code is a function in the file of the test, a function in
a module that imports pytest or unittest, and a function that names `UndefinedBehaviour`. In all other cases the fixture
fails the test: an `except Exception` of the code under test caught the exception, it ended a thread, or a Future has
it.

How. Python gives an exception a traceback that starts at the frame that caught it. So the first entry is the function
that caught the exception. If that frame is the generator of a context manager, the exception ended a `with` block, and
the next entry is checked as well.

Rejected. A patch of `pytest.raises`: tests also use `try`, and unittest.

Known limits. A Future with the exception counts as checked if the file of the test matches `LOOKS_AT_FUTURES` anywhere:
a false alarm is worse than a miss. Test code in a separate module that neither imports pytest nor names
`UndefinedBehaviour` is not recognised.
"""

import inspect
import linecache
import re
from collections.abc import Callable, Iterable
from traceback import walk_tb
from types import FrameType
from typing import Any, Final

from acl_runtime.errors import Finding, UndefinedBehaviour
from acl_runtime.source.site import shown
from acl_runtime.text import Text

RUNNERS: Final = ("_pytest", "pluggy", "unittest")
ENDS: Final = ("_pytest.fixtures", "_pytest.runner")
"""modules of pytest that catch an exception of a fixture's teardown"""
HOLDERS: Final = ("concurrent", "asyncio", "multiprocessing")
"""packages of Python that catch the exception of a job and store it in a Future"""
LOOKS_AT_FUTURES: Final = re.compile(r"\.exception\(|\breturn_exceptions\b|\bUndefinedBehaviour\b|Group\b")
GENERATOR: Final = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR


def seen_by_test(
    raised: Iterable[UndefinedBehaviour], ended: BaseException | None, test: Callable[..., Any] | None
) -> dict[int, Finding]:
    """The findings that must not fail the test, by `id()`: test code caught them, or they are in the chain of the
    exception that ended the test."""
    shown_already = _chain(ended)
    code = getattr(inspect.unwrap(test), "__code__", None) if test is not None else None
    file = code.co_filename if code is not None else ""
    return {id(each.finding): each.finding for each in raised if each in shown_already or _caught_by_test(each, file)}


def _chain(error: BaseException | None) -> list[BaseException]:
    """An exception, its causes and contexts, and the members of a group."""
    chain: list[BaseException] = []
    waiting = [error]
    while waiting:
        exception = waiting.pop()
        if exception is not None and exception not in chain:
            chain.append(exception)
            waiting += [exception.__cause__, exception.__context__, *getattr(exception, "exceptions", ())]
    return chain


def _caught_by_test(behaviour: UndefinedBehaviour, test_file: str) -> bool:
    """True if test code caught the exception. Its traceback starts at the frame that caught it, after the generators of
    context managers whose block the exception ended."""
    entries = [frame for frame, _ in walk_tb(behaviour.__traceback__)]
    for frame in entries:
        if frame.f_code.co_filename == test_file or _is_test_code(frame):
            return True
        if not frame.f_code.co_flags & GENERATOR:
            break
    if not entries:
        return True  # assertRaises of unittest removes the traceback and keeps the exception for the test
    return _in_future(entries[0]) and any(LOOKS_AT_FUTURES.search(line) for line in linecache.getlines(test_file))


def _is_test_code(frame: FrameType) -> bool:
    code, names = frame.f_code, frame.f_globals
    objects = [names.get(name) for name in code.co_names]
    return (
        _root(frame) in RUNNERS
        or "pytest" in names
        or "unittest" in names
        or not {"raises", UndefinedBehaviour.__name__}.isdisjoint((*code.co_names, *code.co_freevars))
        or any(
            object_ is UndefinedBehaviour or (isinstance(object_, tuple) and UndefinedBehaviour in object_)
            for object_ in objects
        )
    )


def _root(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__")).partition(".")[0]


def _in_future(frame: FrameType) -> bool:
    """True if this frame caught the exception and stored it in a Future: for a pool's job, or a coroutine that is a
    task."""
    return bool(frame.f_code.co_flags & inspect.CO_COROUTINE) or _root(frame) in HOLDERS


def ended_teardown(behaviour: UndefinedBehaviour) -> bool:
    """True if the exception ended the teardown of a fixture, where pytest caught it."""
    frame, _ = next(walk_tb(behaviour.__traceback__), (None, 0))
    return frame is not None and frame.f_globals.get("__name__") in ENDS


def ended_test(raised: Iterable[UndefinedBehaviour], ended: BaseException | None) -> set[int]:
    """The findings, by `id()`, whose exceptions failed the test, by ending it or the teardown of a fixture."""
    chain = _chain(ended)
    return {id(error.finding) for error in raised if error in chain or ended_teardown(error)}


def ended_thread(behaviour: UndefinedBehaviour) -> bool:
    """True if the exception ended a thread, which then could not clean up."""
    frame, _ = next(walk_tb(behaviour.__traceback__), (None, 0))
    return frame is not None and frame.f_globals.get("__name__") == "threading"


def swallowed_note(behaviour: UndefinedBehaviour) -> str:
    """A line for the report of a finding: the place where its exception was caught. Empty if it was not caught."""
    frame, line = next(walk_tb(behaviour.__traceback__), (None, 0))
    if frame is None:
        return ""
    code = frame.f_code
    if ended_thread(behaviour):
        name = getattr(frame.f_locals.get("self"), "name", "")
        thread = Text("the exception ended thread {thread}", thread=name)
        sentence = thread if name else Text("the exception ended thread")
    elif code.co_flags & inspect.CO_COROUTINE:
        sentence = Text(
            "the exception ended in coroutine {function} at {place}, and no test looks at it",
            function=code.co_name,
            place=f"{code.co_filename}:{line}",
        )
    elif _in_future(frame):
        sentence = Text("a Future holds the exception, and the test does not look at it")
    else:
        sentence = Text(
            "the exception was caught in {function} at {place}, which is not the test",
            function=code.co_name,
            place=shown(f"{code.co_filename}:{line}"),
        )
    return Text("= note: {note}; if that is meant: aclnn.testing.expect_finding", note=sentence)
