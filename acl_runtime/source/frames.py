"""Walks the Python stack, and finds the frames of the user's program."""

import contextlib
import os
import sys
from collections import Counter
from collections.abc import Iterable
from enum import Enum
from functools import cache
from math import inf
from types import CodeType, FrameType
from typing import Final, TypeAlias

from acl_runtime.on_demand import LazyFunction
from acl_runtime.process import NativeProgram, process
from acl_runtime.source.site import Site, Trail, instructions, line_of

OURS: Final = ("acl_runtime.", "aclnn.")
"""the prefixes of the names of the emulator's modules"""
PYTHON: Final = os.path.dirname(contextlib.__file__) + os.sep
INSTALLED: Final = ("site-packages", "dist-packages")
PACKAGES: Final = tuple(PYTHON + name + os.sep for name in INSTALLED)
FROM_C: Final = "aclnn.tools.toolkit.entry"
"""a frame of this module is a call from C"""
RUNNERS: Final = (
    "_pytest.",
    "pluggy.",
    "IPython.",
    "ipykernel.",
    "aclnn.tools.command.",
    "aclnn.tools.python_program",
    "aclnn.pyacl",
)
"""modules that run the user's code; the frames above theirs are not the user's"""
CALLERS: Final = 3
LOOKED_AT: Final = 4
"""frames: a trail that needs no more of them is cached"""
MOST_TRAILS: Final = 4000
"""the most entries of that cache (ours)"""
BY_STAR: Final = LazyFunction.__call__.__code__
"""a frame of it lies between a program and a function that `import *` gave"""
MOST: Final = 2 * CALLERS
"""a trail ends as soon as it is longer than this"""
LISTED: Final = 5
Caller: TypeAlias = FrameType | Trail | None
"""the caller: a frame, or the trail that was made of it"""


class Author(Enum):
    """The author of the code of a frame."""

    USER = "the user"
    OURS = "we"
    PYTHON = "Python's library"
    RUNNER = "the test runner, IPython, or `aclnn run`"
    C = "a program in C"


USER: Final = Author.USER  # a member costs ten times as much to look up in its class
RUNNER: Final = Author.RUNNER
C: Final = Author.C


@cache
def _author(module: str, file: str) -> Author:
    """The emulator is recognised by the names of its modules, not by its folder: the user's files may lie in it. The
    cache saves a twentieth of a tiny call under a test runner (`python -m tests.benchmarks.caches`)."""
    if module == FROM_C:
        return Author.C
    if module.startswith(RUNNERS):
        return Author.RUNNER
    if module.startswith(OURS):
        return Author.OURS
    if file.startswith((PYTHON, "<frozen")) and not file.startswith(PACKAGES):
        return Author.PYTHON
    return Author.USER


@cache
def _owner(module: str, file: str) -> tuple[Author, bool]:
    """The author of a frame, and whether it belongs to an installed package."""
    return _author(module, file), is_installed(file)


def is_users(module: str, file: str) -> bool:
    """True for code of the user, or of an installed package that is no test runner."""
    return _author(module, file) is USER


def is_programs(module: str, file: str) -> bool:
    """True for the user's own code, not that of an installed package."""
    return is_users(module, file) and not is_installed(file)


def is_installed(file: str) -> bool:
    """True for code of an installed package."""
    return any(each in file for each in INSTALLED)


def is_ours(module: str, file: str) -> bool:
    """True for code of the emulator."""
    return _author(module, file) in (Author.OURS, C)


def is_c(caller: Caller) -> bool:
    """True if this call comes from a program in C."""
    return not isinstance(trail(caller)[0], CodeType)


class Trails:
    """A cache of trails. The key has the instructions of the first frames: the ids of their code objects, with offsets.
    An entry keeps these objects, so that the ids stay unique."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, ...] | bytes, tuple[Trail, object]] = {}

    def keep(self, key: tuple[int, ...] | bytes, trail: Trail, codes: Iterable[CodeType]) -> None:
        """Put an entry into the cache, which is emptied first if it is full."""
        if len(self.known) >= MOST_TRAILS:
            self.known.clear()
        self.known[key] = trail, list(codes)


_trails: Final = process.own(Trails)


def trail(caller: Caller = None) -> Trail:
    """The instruction of the user's program that led here and its callers, the innermost first, for `site_of`.

    Frames of the emulator are skipped. So are frames of the standard library, as `contextlib.ExitStack` may call
    aclrtFree for the user; but if there is no frame of the user, the innermost of these is taken. `caller`: the frame
    to begin at, or a trail, which is returned as it is.

    A loop calls from the same lines again and again. So trails are cached by the instructions of the first frames, or
    of all frames where C code calls. That saves a fifth of a tiny call (`python -m tests.benchmarks.caches`)."""
    if isinstance(caller, tuple):
        return caller
    one = caller or sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    if one.f_code is BY_STAR:
        one = one.f_back or one
    if process.program is not None:
        return _by_all_frames(one, process.program)
    # (every launch comes here, so there is no loop over the frames)
    three = four = None
    if (two := one.f_back) is None:
        key = id(one.f_code), one.f_lasti
    elif (three := two.f_back) is None:
        key = id(one.f_code), one.f_lasti, id(two.f_code), two.f_lasti
    elif (four := three.f_back) is None:
        key = id(one.f_code), one.f_lasti, id(two.f_code), two.f_lasti, id(three.f_code), three.f_lasti
    else:
        key = (
            id(one.f_code), one.f_lasti, id(two.f_code), two.f_lasti,
            id(three.f_code), three.f_lasti, id(four.f_code), four.f_lasti,
        )  # fmt: skip
    cached = _trails.known.get(key)
    if cached is not None:
        return cached[0]
    trail, walked = _walk(one)
    if walked <= LOOKED_AT:
        _trails.keep(key, trail, [frame.f_code for frame in (one, two, three, four) if frame is not None])
    return trail


def _by_all_frames(innermost: FrameType, program: NativeProgram) -> Trail:
    """The trail of a frame in a process where C code calls.

    A plugin of Python, such as torch_npu, calls through ten and more frames of its package. So the program's own frames
    are far away, and the first four frames do not decide. The key has all of them, with the instruction in C,
    which is cheaper than a walk."""
    if innermost.f_back is None and innermost.f_globals.get("__name__") == FROM_C:
        return tuple(_from_c(None))  # a program in C alone; as in `_walk`, without its loop
    key = program.stack(innermost)
    cached = _trails.known.get(key)
    if cached is not None:
        return cached[0]
    trail = _walk(innermost)[0]
    if key:
        codes: list[CodeType] = []
        frame: FrameType | None = innermost
        while frame is not None:
            codes.append(frame.f_code)
            frame = frame.f_back
        _trails.keep(key, trail, codes)
    return trail


def _walk(innermost: FrameType) -> tuple[Trail, float]:
    """The trail that begins at this frame, and the number of frames that were looked at. That number is infinite for a
    call from C, where the first frames do not decide which instruction it is."""
    frame: FrameType | None = innermost
    walked: float = 0
    theirs: FrameType | None = None
    trail: list[CodeType | NativeProgram | int] = []
    module = author = None  # of the last frame; most frames have the same module
    while frame is not None:
        walked += 1
        names = frame.f_globals
        if names is not module:
            module = names
            author = _author(names.get("__name__") or "", frame.f_code.co_filename)
        if author is USER:
            trail += frame.f_code, frame.f_lasti
            if len(trail) > MOST:
                break
        elif author is C:
            trail += _from_c(frame.f_back)
            walked = inf
            break  # the addresses of the outer calls are not known any more
        elif author is RUNNER and (trail or theirs):
            break  # otherwise addCleanup(aclrtFree, ...) of unittest would be at the line that starts pytest
        elif author is Author.PYTHON:
            theirs = theirs or frame
        frame = frame.f_back
    if not trail:
        last = theirs or innermost
        trail += last.f_code, last.f_lasti
    return tuple(trail), walked


def _from_c(frame: FrameType | None) -> list[CodeType | NativeProgram | int]:
    """The instruction in C that made a call. If it belongs to an installed package of Python, such as torch_npu: the
    lines of the Python program that led there. Lines of installed packages count only where there are no others, and
    threads without Python frames have the instruction in C."""
    if process.program is None:
        return []
    address = process.program.at()
    frames: list[CodeType | NativeProgram | int] = []
    theirs: list[CodeType | NativeProgram | int] = []
    if frame is not None and process.program.installed(address):
        module = author = installed = None  # of the last frame, as in `_walk`
        while frame is not None and len(frames) <= MOST:
            code, names = frame.f_code, frame.f_globals
            if names is not module:
                module = names
                author, installed = _owner(names.get("__name__") or "", code.co_filename)
            if author is RUNNER and (frames or theirs):
                break
            if author is USER:
                (theirs if installed else frames).extend((code, frame.f_lasti))
            frame = frame.f_back
    return frames or theirs or [process.program, address]


def site_of(trail: Trail | str) -> Site:
    """`file:line` of the innermost instruction, with its callers. A text is a site already, or empty."""
    if not trail or isinstance(trail, str):
        return Site(trail or "")
    code, offset = next(instructions(trail))
    return Site(line_of(code, offset)).called_by(trail[2:])


def here() -> Site:
    """`file:line` of the innermost frame of the user, with its callers; empty where no Python code runs, as when a C
    program forks."""
    try:
        frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]  # frame 1 is the function that called `here`
    except ValueError:
        return Site()
    return site_of(trail(frame))


def called() -> str:
    """The API function that the user's code is calling, for an error before the body begins."""
    frame, name = sys._getframe(1), ""  # pyright: ignore[reportPrivateUsage]
    while frame is not None and is_ours(frame.f_globals.get("__name__") or "", frame.f_code.co_filename):
        if frame.f_code.co_name.startswith("acl"):  # a function of `import *` has a frame of its own outside this one
            name = frame.f_code.co_name
        frame = frame.f_back
    return name


def paths(first: Trail | str, second: Trail | str) -> tuple[Trail | str, Trail | str]:
    """Cut two trails at the innermost function that both went through at different lines, and return the inner parts.
    So two findings of one pair of lines compare equal wherever that function was called from, as in a loop. Without
    such a function, the whole trails."""
    if not isinstance(first, str) and not isinstance(second, str):
        codes = second[::2]
        for start, code in zip(range(0, len(first), 2), first[::2], strict=True):
            if code in codes and first[start + 1] != second[2 * codes.index(code) + 1]:
                return first[: start + 2], second[: 2 * codes.index(code) + 2]
    return first, second


def by_site(sites: Iterable[str]) -> str:
    """`3 at FILE:LINE, 2 at FILE:LINE`: the number of sites at each line, the most first."""
    counts = Counter(sites).most_common(LISTED)
    return ", ".join(f"{times} at {site}" for site, times in counts) or "none"
