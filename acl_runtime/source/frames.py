"""Where in the user's code something happened."""

import contextlib
import os
import sys
from collections import Counter
from collections.abc import Iterable
from enum import Enum
from functools import cache
from types import CodeType, FrameType
from typing import Final, TypeAlias

from acl_runtime.process import Program, process
from acl_runtime.source.site import Site, Trail, instructions, line_of

OURS: Final = ("acl_runtime.", "aclnn.")
"""what the names of our modules start with"""
PYTHON: Final = os.path.dirname(contextlib.__file__) + os.sep
INSTALLED: Final = ("site-packages", "dist-packages")
PACKAGES: Final = tuple(PYTHON + name + os.sep for name in INSTALLED)
FROM_C: Final = "aclnn.tools.toolkit.entry"
"""the module whose frames are calls that come from C"""
RUNNERS: Final = (
    "_pytest.",
    "pluggy.",
    "IPython.",
    "ipykernel.",
    "aclnn.tools.command.",
    "aclnn.tools.program",
    "aclnn.pyacl",
)
"""modules that run the user's code: their callers are not the user"""
CALLERS: Final = 3
LISTED: Final = 5
Caller: TypeAlias = FrameType | Trail | None
"""who called: the frame, or the trail that was made of it"""


class Whose(Enum):
    """Who wrote a frame's code."""

    USER = "the user"
    OURS = "we"
    PYTHON = "Python's library"
    RUNNER = "the test runner, IPython, or `aclnn run`"
    C = "a program in C"


USER: Final = Whose.USER  # a member costs ten times as much to look up in its class
RUNNER: Final = Whose.RUNNER
C: Final = Whose.C


@cache
def _whose(module: str, file: str) -> Whose:
    """Our own packages are known by the names of their modules: a file of the user's may lie anywhere."""
    if module == FROM_C:
        return Whose.C
    if module.startswith(RUNNERS):
        return Whose.RUNNER
    if module.startswith(OURS):
        return Whose.OURS
    if file.startswith((PYTHON, "<frozen")) and not file.startswith(PACKAGES):
        return Whose.PYTHON
    return Whose.USER


def is_users(module: str, file: str) -> bool:
    """Did the user write it, or somebody else who is neither Python nor we?"""
    return _whose(module, file) is USER


def is_programs(module: str, file: str) -> bool:
    """Is it the user's own, and not of an installed package?"""
    return is_users(module, file) and not is_installed(file)


def is_installed(file: str) -> bool:
    """Does it belong to an installed package?"""
    return any(each in file for each in INSTALLED)


def is_ours(module: str, file: str) -> bool:
    """Is it code of ours?"""
    return _whose(module, file) in (Whose.OURS, C)


def is_c(caller: Caller) -> bool:
    """Is the call that began here one of a program in C?"""
    return not isinstance(trail(caller, 0)[0], CodeType)


def trail(caller: Caller = None, most: int = 2 * CALLERS) -> Trail:
    """The instruction of the user's that leads here, and those that called it, the innermost first: what `site_of`
    makes `file:line` of, when somebody asks. Python's own library is passed over as our packages are, as
    contextlib.ExitStack may call aclrtFree for the user, unless there is nothing else. `caller`: the frame to begin at,
    or the trail that was made of it already. `most`: it ends with the first instruction that makes it longer."""
    if isinstance(caller, tuple):
        return caller
    frame = asked = caller or sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    theirs: FrameType | None = None
    found: list[CodeType | Program | int] = []
    module = whose = None  # of the frame before: asked anew only for another one (a third of the time)
    while frame is not None:
        names = frame.f_globals
        if names is not module:
            module = names
            whose = _whose(names.get("__name__") or "", frame.f_code.co_filename)
        if whose is USER:
            found += frame.f_code, frame.f_lasti
            if len(found) > most:
                break
        elif whose is C:
            if process.program is not None:
                found += process.program, process.program.at()
            break  # of what is further out, nobody knows the address any more
        elif whose is RUNNER and (found or theirs):
            break  # without it: addCleanup(aclrtFree, ...) of unittest would be at the line that starts pytest
        elif whose is Whose.PYTHON:
            theirs = theirs or frame
        frame = frame.f_back
    if not found:
        last = theirs or asked
        found += last.f_code, last.f_lasti
    return tuple(found)


def site_of(trail: Trail | str) -> Site:
    """`file:line` of the innermost instruction, which knows its callers; a text is one already, or none."""
    if not trail or isinstance(trail, str):
        return Site(trail or "")
    code, at = next(instructions(trail))
    return Site(line_of(code, at)).called_by(trail[2:])


def here() -> Site:
    """`file:line` of the innermost frame of the user's, and of those that called it; empty where no Python runs, as
    when a program in C forks."""
    try:
        frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]  # 1 asks, one of our functions
    except ValueError:
        return Site()
    return site_of(trail(frame))


def called() -> str:
    """The function of the API that the user's code is in, for what happens before it has begun."""
    frame, name = sys._getframe(1), ""  # pyright: ignore[reportPrivateUsage]
    while frame is not None and is_ours(frame.f_globals.get("__name__") or "", frame.f_code.co_filename):
        frame, name = frame.f_back, frame.f_code.co_name
    return name if name.startswith("acl") else ""


def paths(one: Trail | str, other: Trail | str) -> tuple[Trail | str, Trail | str]:
    """The ways to two lines from the innermost function in which they part: the same wherever that was called from, as
    in a loop. Without such a function, the whole ways."""
    if not isinstance(one, str) and not isinstance(other, str):
        codes = other[::2]
        for start, code in zip(range(0, len(one), 2), one[::2], strict=True):
            if code in codes and one[start + 1] != other[2 * codes.index(code) + 1]:
                return one[: start + 2], other[: 2 * codes.index(code) + 2]
    return one, other


def by_site(sites: Iterable[str]) -> str:
    """`3 at FILE:LINE, 2 at FILE:LINE`: how many come from each line, the most first."""
    counted = Counter(sites).most_common(LISTED)
    return ", ".join(f"{times} at {site}" for site, times in counted) or "none"
