"""Where in the user's code something happened."""

import contextlib
import os
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from types import FrameType
from typing import Final

OURS: Final = ("acl_runtime.", "aclnn.")
"""what the names of our modules start with"""
PYTHON: Final = str(Path(contextlib.__file__).parent) + os.sep
PACKAGES: Final = tuple(PYTHON + name + os.sep for name in ("site-packages", "dist-packages"))
LISTED: Final = 5


def here() -> str:
    """`file:line` of the innermost frame outside our own packages, which are known by the names of their modules: a
    file of the user's may lie anywhere. Python's own library is passed over as well, as contextlib.ExitStack may call
    aclrtFree for the user, unless there is nothing else."""
    frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]  # 1 is who asks, one of our own functions
    theirs: FrameType | None = None
    while True:
        if not str(frame.f_globals.get("__name__")).startswith(OURS):
            file = frame.f_code.co_filename
            if not file.startswith(PYTHON) or file.startswith(PACKAGES):
                break
            theirs = theirs or frame
        if frame.f_back is None:
            frame = theirs or frame
            break
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def split(site: str) -> tuple[str, int | None]:
    """File and line of a site; no line for one that is none, such as `interpreter exit`."""
    file, colon, line = site.rpartition(":")
    return (file, int(line)) if colon and line.isdecimal() else (site, None)


def by_site(sites: Iterable[str]) -> str:
    """`3 at FILE:LINE, 2 at FILE:LINE`: how many come from each line, the most first."""
    counted = Counter(sites).most_common(LISTED)
    return ", ".join(f"{times} at {site}" for site, times in counted) or "none"
