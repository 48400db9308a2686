"""The number of files and functions that a call goes through, and that a reader has to open to follow it.

    python -m tests.benchmarks.crossings           the numbers, and which goals were missed
    python -m tests.benchmarks.crossings --files   also the files, with the functions in each

It counts the distinct files and functions of `acl_runtime` and `aclnn` that run in a call of the softmax sample on a
machine with the default options. `cold` is the first call of a process, `warm` is a later call like it. The goals are
for cold calls, because a warm call uses caches. `run` is the work of the task in the stream. `synchronise` is the call
that makes the task run.

A second number is "the story". It leaves out the parts that are the same for every call: the boundary of the API
functions; the checks that listen (races and uninitialised bytes), with everything that they call; the caches of the two
phases.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import byref, c_uint64
from pathlib import Path
from types import CodeType, FrameType

import numpy as np

import acl_runtime
import aclnn
from acl_runtime import (
    Machine,
    aclOpExecutor,
    aclrtCreateStream,
    aclrtSetDevice,
    aclrtStream,
    aclrtSynchronizeStream,
)
from acl_runtime.streams.stream import Stream
from aclnn import aclnnSoftmaxBackward, aclnnSoftmaxBackwardGetWorkspaceSize
from tests.helpers.builders import on_device

HOMES = tuple(str(Path(package.__file__ or "").parent.parent) for package in (acl_runtime, aclnn))
PACKAGES = tuple(str(Path(package.__file__ or "").parent) for package in (acl_runtime, aclnn))
GOALS = {"first phase, cold": 18, "launch, cold": 12, "synchronise, cold": 8}
"""the largest number of files of each part"""
BOUNDARY = {
    "acl_runtime/on_demand.py",
    "acl_runtime/boundary.py",
    "acl_runtime/abi/conversions.py",
    "acl_runtime/machine/current.py",
    "acl_runtime/machine/installation.py",
    "acl_runtime/source/frames.py",
    "acl_runtime/abi/pointers.py",
    "acl_runtime/recording.py",
    "acl_runtime/source/site.py",
}
"""files that every function of the API goes through"""
LISTENING = ("acl_runtime/checks/", "acl_runtime/streams/vector_clock.py", "acl_runtime/memory/located_ranges.py")
"""the checks that listen: races and uninitialised bytes"""
MEMO = {"aclnn/engine/memo.py"}
SIZES = {"small": (4, 2), "large": (1024, 1024)}
"""shapes of the sample's tensors; a large one is computed in tiles"""


class Crossed:
    """The code that ran."""

    def __init__(self) -> None:
        self.codes: set[CodeType] = set()
        self.own: set[CodeType] = set()
        """the code that ran outside of the checks that listen"""

    def add(self, other: Crossed) -> None:
        """Add the code of an inner part that was watched separately."""
        self.codes |= other.codes
        self.own |= other.own

    def files(self, *, own: bool = False) -> dict[str, list[str]]:
        """The functions by file, without those that Python makes for comprehensions."""
        found: dict[str, list[str]] = {}
        for code in self.own if own else self.codes:
            file = str(Path(code.co_filename).relative_to(HOMES[0]))
            names = found.setdefault(file, [])
            if code.co_name not in ("<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>"):
                names.append(code.co_name)
        return {file: sorted(names) for file, names in sorted(found.items())}

    def counts(self) -> tuple[int, int]:
        """The numbers of files and of functions."""
        files = self.files()
        return len(files), sum(map(len, files.values()))

    def story(self) -> set[str]:
        """The files without the boundary, the checks that listen, and the cache."""
        return set(self.files(own=True)) - BOUNDARY - MEMO


@contextmanager
def watched() -> Iterator[Crossed]:
    """Record the code of the project that runs in the block."""
    crossed, inside = Crossed(), list[FrameType]()  # `inside`: frames of the checks that are running

    def seen(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "return" and inside[-1:] == [frame]:
            inside.pop()
        if event == "call" and code.co_filename.startswith(PACKAGES):
            crossed.codes.add(code)
            if str(Path(code.co_filename).relative_to(HOMES[0])).startswith(LISTENING):
                inside.append(frame)
            if not inside:
                crossed.own.add(code)

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        yield crossed
    finally:
        sys.setprofile(before)


def crossings(shape: tuple[int, ...] = SIZES["small"]) -> dict[str, Crossed]:
    """The code that a cold and a warm call of the sample go through, for each part."""
    found: dict[str, Crossed] = {}
    with Machine() as machine:
        assert aclrtSetDevice(0) == 0
        # a refused call loads the modules of the operator, which is no part of the story of a call
        assert aclnnSoftmaxBackwardGetWorkspaceSize(None, None, 1, None, None, None) != 0
        stream, size, executor = aclrtStream(), c_uint64(), aclOpExecutor()
        assert aclrtCreateStream(byref(stream)) == 0
        grad, output, out = (on_device(np.ones(shape, np.float32)).handle for _ in range(3))
        queue = machine.handles.find(stream.value or 0, Stream).queue  # type: ignore[union-attr]

        def run_alone() -> Callable[[], None]:
            """The work of the task, without the scheduler."""
            work = queue[-1].run

            def run() -> None:
                with watched() as found[f"run, {when}"]:
                    work()

            return run

        for when in ("cold", "warm"):
            with watched() as found[f"first phase, {when}"]:
                status = aclnnSoftmaxBackwardGetWorkspaceSize(grad, output, 1, out, byref(size), byref(executor))
            assert status == 0
            with watched() as found[f"launch, {when}"]:
                status = aclnnSoftmaxBackward(None, size.value, executor, stream)
            assert status == 0
            queue[-1].run = run_alone()
            with watched() as found[f"synchronise, {when}"]:
                status = aclrtSynchronizeStream(stream)
            assert status == 0
            found[f"synchronise, {when}"].add(found[f"run, {when}"])
    return found


def missed(found: dict[str, Crossed]) -> list[str]:
    """The goals that are not met."""
    counts = {part: (found[part].counts()[0], len(found[part].story())) for part in GOALS}
    return [
        f"{part}: {files} files, of which {story} are the story; the goal is {GOALS[part]}"
        for part, (files, story) in counts.items()
        if files > GOALS[part]
    ]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.crossings")
    parser.add_argument("--files", action="store_true", help="list the files with their functions")
    parser.add_argument("--large", action="store_true", help="on a tensor that is computed in tiles; no goals")
    given = parser.parse_args()
    found = crossings(SIZES["large" if given.large else "small"])
    for part, crossed in found.items():
        files, functions = crossed.counts()
        print(f"{part}: {files} files, {functions} functions; the story: {len(crossed.story())} files")
        for file, names in crossed.files().items() if given.files else ():
            print(f"    {file}: {', '.join(names)}")
    unmet = [] if given.large else missed(found)
    for line in unmet:
        print(f"missed: {line}")
    return 1 if unmet else 0


if __name__ == "__main__":
    sys.exit(main())
