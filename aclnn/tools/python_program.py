"""Runs a Python program as `python FILE` does: it is `__main__`, and has its own arguments and folder."""

import builtins
import os
import sys
from collections.abc import Sequence
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType


class PythonProgram:
    """A Python file, which is read at once; OSError if it cannot be read."""

    def __init__(self, file: Path, arguments: Sequence[str] = ()) -> None:
        self._source = file.read_bytes()
        self._path = str(file.absolute())
        self._argv = [str(file), *arguments]

    def become_main(self) -> None:
        """Set `sys.argv`, `sys.path` and `__main__` for the program. If the process ends with the program, call
        `leave_place` before."""
        sys.argv = self._argv
        if not getattr(sys.flags, "safe_path", False):
            sys.path.insert(0, os.path.dirname(os.path.realpath(self._path)))
        module = sys.modules["__main__"] = ModuleType("__main__")
        module.__dict__.update(
            __file__=self._path, __builtins__=builtins, __loader__=SourceFileLoader("__main__", self._path),
            __cached__=None,
        )  # fmt: skip

    def run(self) -> None:
        """Run the program. All its exceptions, also SystemExit, go to the caller."""
        exec(compile(self._source, self._path, "exec"), sys.modules["__main__"].__dict__)


def leave_place() -> None:
    """Remove the first entry of `sys.path`, which `python -m` or a script has added. The folder of the program replaces
    it."""
    if not getattr(sys.flags, "safe_path", False):
        del sys.path[0]
