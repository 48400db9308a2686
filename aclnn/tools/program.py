"""A Python program, run as `python FILE` does: it is `__main__`, with its arguments and its folder."""

import builtins
import os
import sys
from collections.abc import Sequence
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType


class Program:
    """A file that was read; OSError if there is none."""

    def __init__(self, file: Path, arguments: Sequence[str] = ()) -> None:
        self._source = file.read_bytes()
        self._path = str(file.absolute())
        self._argv = [str(file), *arguments]

    def become_main(self) -> None:
        """Make `sys.argv`, `sys.path` and `__main__` its own. (For a program that takes over the process, remove the
        first place of `sys.path` before.)"""
        sys.argv = self._argv
        if not getattr(sys.flags, "safe_path", False):
            sys.path.insert(0, os.path.dirname(os.path.realpath(self._path)))
        module = sys.modules["__main__"] = ModuleType("__main__")
        module.__dict__.update(
            __file__=self._path, __builtins__=builtins, __loader__=SourceFileLoader("__main__", self._path),
            __cached__=None,
        )  # fmt: skip

    def run(self) -> None:
        """Whatever it raises, SystemExit too, is the caller's."""
        exec(compile(self._source, self._path, "exec"), sys.modules["__main__"].__dict__)


def leave_place() -> None:
    """Remove what `python -m` or a script has put first on `sys.path`, as the program's folder comes there instead."""
    if not getattr(sys.flags, "safe_path", False):
        del sys.path[0]
