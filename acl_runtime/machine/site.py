"""Where in the user's code something happened."""

import contextlib
import os
import sys
from collections import Counter
from collections.abc import Iterable
from enum import Enum
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Final

from acl_runtime.sites import Site

OURS: Final = ("acl_runtime.", "aclnn.")
"""what the names of our modules start with"""
PYTHON: Final = str(Path(contextlib.__file__).parent) + os.sep
PACKAGES: Final = tuple(PYTHON + name + os.sep for name in ("site-packages", "dist-packages"))
RUNNERS: Final = ("_pytest.", "pluggy.")
"""who calls these is not the user"""
CALLERS: Final = 3
LISTED: Final = 5


class Whose(Enum):
    """Who wrote a frame's code."""

    USER = "the user"
    OURS = "we"
    PYTHON = "Python's library"
    RUNNER = "the test runner"


@cache
def _whose(module: str, file: str) -> Whose:
    """Our own packages are known by the names of their modules: a file of the user's may lie anywhere."""
    if module.startswith(OURS):
        return Whose.OURS
    if module.startswith(RUNNERS):
        return Whose.RUNNER
    if file.startswith((PYTHON, "<frozen")) and not file.startswith(PACKAGES):
        return Whose.PYTHON
    return Whose.USER


def here() -> Site:
    """`file:line` of the innermost frame of the user's, and of those that called it. Python's own library is passed
    over as our packages are, as contextlib.ExitStack may call aclrtFree for the user, unless there is nothing else."""
    frame = asked = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]  # 1 asks, one of our functions
    site: Site | None = None
    theirs: FrameType | None = None
    outer: list[tuple[CodeType, int]] = []
    while frame is not None and len(outer) < CALLERS:
        code = frame.f_code
        whose = _whose(frame.f_globals.get("__name__") or "", code.co_filename)
        if whose is Whose.USER:
            if site is None:
                site = Site(f"{code.co_filename}:{frame.f_lineno}")
            else:
                outer.append((code, frame.f_lasti))
        elif whose is Whose.RUNNER and site is not None:
            break
        elif whose is Whose.PYTHON:
            theirs = theirs or frame
        frame = frame.f_back
    if site is None:
        last = theirs or asked
        site = Site(f"{last.f_code.co_filename}:{last.f_lineno}")
    return site.called_by(tuple(outer))


def split(site: str) -> tuple[str, int | None]:
    """File and line of a site; no line for one that is none, such as `interpreter exit`."""
    file, colon, line = site.rpartition(":")
    return (file, int(line)) if colon and line.isdecimal() else (site, None)


def by_site(sites: Iterable[str]) -> str:
    """`3 at FILE:LINE, 2 at FILE:LINE`: how many come from each line, the most first."""
    counted = Counter(sites).most_common(LISTED)
    return ", ".join(f"{times} at {site}" for site, times in counted) or "none"
