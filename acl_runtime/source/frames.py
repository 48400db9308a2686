"""Walking the Python stack to find the frames of the user's program."""

import contextlib
import os
import sys
from collections import Counter
from collections.abc import Iterable
from enum import Enum
from functools import cache
from math import inf
from types import CodeType, FrameType
from typing import Final, TypeAlias, cast

from acl_runtime.on_demand import LazyFunction
from acl_runtime.process import NativeProgram, process
from acl_runtime.source.site import CALLERS, Site, Trail, instructions, line_of

OURS: Final = ("acl_runtime.", "aclnn.")
"""the prefixes of the names of the emulator's modules"""
PYTHON: Final = os.path.dirname(contextlib.__file__) + os.sep
INSTALLED: Final = ("site-packages", "dist-packages")
PACKAGES: Final = tuple(PYTHON + name + os.sep for name in INSTALLED)
FROM_C: Final = "aclnn.tools.toolkit.entry"
"""a frame of this module means a call from C"""
RUNNERS: Final = (
    "_pytest.",
    "pluggy.",
    "IPython.",
    "ipykernel.",
    "aclnn.tools.command.",
    "aclnn.tools.python_program",
    "aclnn.pyacl",
)
"""modules that run the user's code; frames outside of theirs are not the user's"""
KEY_FRAMES: Final = 4
"""a trail is cached if the walk needs at most this number of frames"""
MOST_TRAILS: Final = 4000
"""the most entries of the cache of trails"""
BY_STAR: Final = LazyFunction.__call__.__code__
"""the code of a frame between a program and a function from `import *`"""
MOST: Final = 2 * CALLERS
"""a trail ends when it is longer than this"""
LISTED: Final = 5
Caller: TypeAlias = FrameType | Trail | None
"""the caller of an API function: a frame, or the trail of that frame"""


class Author(Enum):
    """The author of the code of a frame."""

    USER = "the user"
    OURS = "we"
    PYTHON = "Python's library"
    RUNNER = "the test runner, IPython, or `aclnn run`"
    C = "a program in C"


USER: Final = Author.USER  # ten times faster than a look-up in the class
RUNNER: Final = Author.RUNNER
C: Final = Author.C


@cache
def _author(module: str, file: str) -> Author:
    """The author of a frame. The emulator is recognised by the names of its modules, not by its folder, which may
    contain the user's files. The cache saves a twentieth of a tiny call under a test runner (`python -m
    tests.benchmarks.caches`)."""
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
    """The author of a frame, and True if the frame belongs to an installed package."""
    return _author(module, file), is_installed(file)


def is_users(module: str, file: str) -> bool:
    """True for code of the user, or of an installed package that is no test runner."""
    return _author(module, file) is USER


def is_programs(module: str, file: str) -> bool:
    """True for the user's own code, not for code of an installed package."""
    return is_users(module, file) and not is_installed(file)


def is_installed(file: str) -> bool:
    """True for code of an installed package."""
    return any(folder in file for folder in INSTALLED)


def is_ours(module: str, file: str) -> bool:
    """True for code of the emulator."""
    return _author(module, file) in (Author.OURS, C)


def is_c(caller: Caller) -> bool:
    """True if the call comes from a program in C."""
    return not isinstance(trail(caller)[0], CodeType)


class Trails:
    """A cache of trails. The key has the instructions of the first frames: the ids of their code objects, with offsets.
    An entry refers to these objects, so that the ids stay unique."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, ...] | bytes, tuple[Trail, object]] = {}

    def keep(self, key: tuple[int, ...] | bytes, trail: Trail, codes: Iterable[CodeType]) -> None:
        """Add an entry to the cache, which is emptied first if it is full."""
        if len(self.known) >= MOST_TRAILS:
            self.known.clear()
        self.known[key] = trail, list(codes)


_trails: Final = process.own(Trails)


def trail(caller: Caller = None) -> Trail:
    """The trail of the running call: the instruction of the user's program and its callers, the innermost first.

    Frames of the emulator are skipped, and frames of the standard library, as `contextlib.ExitStack` may call aclrtFree
    for the user. Without a frame of the user, the innermost frame of the standard library is used. `caller`: the frame
    to begin at, or a trail, which is returned unchanged.

    A loop calls from the same lines. So trails are cached by the instructions of the first frames, or of all frames if
    C code calls. The cache saves a fifth of a tiny call (`python -m tests.benchmarks.caches`)."""
    if isinstance(caller, tuple):
        return caller
    one = caller or sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    if one.f_code is BY_STAR:
        one = one.f_back or one
    if (program := process.program) is not None:
        if one.f_back is None and one.f_globals.get("__name__") == FROM_C:
            return program.trail()  # a program in C without Python: as `_walk`, without the loop
        return _by_all_frames(one, program)
    # (no loop over the frames, as every launch runs this code)
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
    if walked <= KEY_FRAMES:
        _trails.keep(key, trail, [frame.f_code for frame in (one, two, three, four) if frame is not None])
    return trail


def _by_all_frames(innermost: FrameType, program: NativeProgram) -> Trail:
    """The trail of a frame in a process where C code calls.

    A plugin of Python, such as torch_npu, calls through ten and more frames of its package. So the first four frames do
    not determine the program's own frames. The key has all frames and the instruction in C; making it is faster than a
    walk."""
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
    """The trail that begins at this frame, and the number of frames of the walk. The number is infinite for a call from
    C, as the first frames do not determine the instruction in C."""
    frame: FrameType | None = innermost
    walked: float = 0
    other: FrameType | None = None
    trail: list[CodeType | NativeProgram | int] = []
    module = author = None  # of the last frame, as most neighbours have the same module
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
            break  # the addresses of the outer calls are unknown
        elif author is RUNNER and (trail or other):
            break  # otherwise addCleanup(aclrtFree, ...) of unittest would be at the line that starts pytest
        elif author is Author.PYTHON:
            other = other or frame
        frame = frame.f_back
    if not trail:
        last = other or innermost
        trail += last.f_code, last.f_lasti
    return tuple(trail), walked


def _from_c(frame: FrameType | None) -> list[CodeType | NativeProgram | int]:
    """The instruction in C that made a call. If it belongs to an installed package of Python, such as torch_npu: the
    lines of the Python program on the stack, else the lines of installed packages, else the instruction in C."""
    if process.program is None:
        return []
    in_c = process.program.trail()
    address = cast("int", in_c[1])
    frames: list[CodeType | NativeProgram | int] = []
    other: list[CodeType | NativeProgram | int] = []
    if frame is not None and process.program.installed(address):
        module = author = installed = None  # of the last frame, as in `_walk`
        while frame is not None and len(frames) <= MOST:
            code, names = frame.f_code, frame.f_globals
            if names is not module:
                module = names
                author, installed = _owner(names.get("__name__") or "", code.co_filename)
            if author is RUNNER and (frames or other):
                break
            if author is USER:
                (other if installed else frames).extend((code, frame.f_lasti))
            frame = frame.f_back
    return frames or other or list(in_c)


def site_of(trail: Trail | str) -> Site:
    """`file:line` of the innermost instruction, with its callers. A text is returned as a Site."""
    if not trail or isinstance(trail, str):
        return Site(trail or "")
    code, offset = next(instructions(trail))
    return Site(line_of(code, offset)).of(trail)


def here() -> Site:
    """`file:line` of the innermost frame of the user, with its callers; empty if no Python code runs, as when a C
    program forks."""
    try:
        frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]  # frame 1 is the function that called `here`
    except ValueError:
        return Site()
    return site_of(trail(frame))


def called() -> str:
    """The name of the API function that the user's code calls, for an error before the body begins."""
    frame, name = sys._getframe(1), ""  # pyright: ignore[reportPrivateUsage]
    while frame is not None and is_ours(frame.f_globals.get("__name__") or "", frame.f_code.co_filename):
        if frame.f_code.co_name.startswith("acl"):  # a function from `import *` has a second, outer frame
            name = frame.f_code.co_name
        frame = frame.f_back
    return name


def paths(first: Trail | str, second: Trail | str) -> tuple[Trail | str, Trail | str]:
    """Cut two trails at the innermost function that is in both with different lines, and return the inner parts. So two
    findings of one pair of lines compare equal for all callers of that function, as in a loop. Without such a function,
    return the whole trails."""
    if not isinstance(first, str) and not isinstance(second, str):
        functions = [_function(code, at) for code, at in instructions(second)]
        for start, (code, at) in zip(range(0, len(first), 2), instructions(first), strict=True):
            function = _function(code, at)
            if function in functions and at != second[2 * functions.index(function) + 1]:
                return first[: start + 2], second[: 2 * functions.index(function) + 2]
    return first, second


def _function(code: CodeType | NativeProgram, at: int) -> object:
    return code if isinstance(code, CodeType) else code.function(at)


def by_site(sites: Iterable[str]) -> str:
    """The number of sites at each line, the most first, such as `3 at FILE:LINE, 2 at FILE:LINE`."""
    counts = Counter(sites).most_common(LISTED)
    return ", ".join(f"{times} at {site}" for site, times in counts) or "none"
