"""Copies of the project, in which mutations are made: never in the project itself."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from aclnn.engine.fast.native.library import BUILDS, load
from tests.mutations.first_failure import VARIABLE
from tests.mutations.mutation import ROOT, Mutation

C: Final = Path("aclnn/engine/fast/native/c")
STAMP: Final = 1_000_000_000
"""a time of change in the past, different for each mutation: by time and size Python knows whether its bytecode is of
this source"""


def _flags(target: str) -> list[str]:
    """The flags that setup.py assigns to this target."""
    text = ast.parse((ROOT / "setup.py").read_text(encoding="utf-8"))
    assigned = (each for each in ast.walk(text) if isinstance(each, ast.Assign))
    return ast.literal_eval(next(each.value for each in assigned if ast.unparse(each.targets[0]) == target))


def has_avx2() -> bool:
    """Does this processor run the build with AVX2? It has loops for the ends of vectors, which the plain one lacks."""
    return any(map(load, BUILDS[1:]))


class Evaluator:
    """Compiles the evaluator with one file changed. The other files are compiled once."""

    def __init__(self, folder: Path) -> None:
        self._objects = folder
        self._compile = ["gcc", *_flags("FLAGS"), *(_flags("BUILDS['avx2']") if has_avx2() else ()), "-fPIC"]

    @cached_property
    def _unchanged(self) -> dict[str, Path]:
        self._objects.mkdir()
        sources = sorted((ROOT / C).glob("*.c"))
        made = {source.name: self._objects / f"{source.stem}.o" for source in sources}
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            list(threads.map(self._object, sources, made.values()))
        return made

    def _object(self, source: Path, to: Path) -> None:
        subprocess.run([*self._compile, "-c", source, "-o", to], check=True, capture_output=True)

    def link(self, changed: Path, to: Path) -> None:
        """A build with this source in place of the one of its name."""
        own = to.with_suffix(".o")
        self._object(changed, own)
        others = [path for name, path in self._unchanged.items() if name != changed.name]
        subprocess.run([*self._compile, "-shared", own, *others, "-lm", "-o", to], check=True, capture_output=True)


class Tree:
    """A copy of the files of the project, as they are now, and of the compiled evaluator."""

    def __init__(self, folder: Path, evaluator: Evaluator) -> None:
        self.folder = folder
        self._evaluator = evaluator
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, check=True, capture_output=True, encoding="utf-8",
        )  # fmt: skip
        built = [str(path.relative_to(ROOT)) for path in (ROOT / C).glob("*.so")]
        for name in {*listed.stdout.split("\0"), *built} - {""}:
            if (ROOT / name).is_file():
                to = folder / name
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, to)

    @contextmanager
    def changed(self, mutation: Mutation, number: int) -> Iterator[None]:
        """The tree with the mutation inside of the block, and as it was behind it."""
        path, text = self.folder / mutation.file, mutation.applied(self.folder)
        changed = [path, *((self.folder / C).glob("*.so") if path.suffix == ".c" else ())]
        with TemporaryDirectory() as aside:
            for each in changed:
                shutil.copy2(each, aside)
            path.write_text(text, encoding="utf-8")
            os.utime(path, (STAMP + number, STAMP + number))
            try:
                if path.suffix == ".c":
                    self._rebuild(path, changed[1:])
                yield
            finally:
                for each in changed:
                    _replace(each, Path(aside, each.name))

    def _rebuild(self, source: Path, built: list[Path]) -> None:
        """Put the mutated build in the place of all builds: any of them may be chosen."""
        made = self.folder / "mutated.so"
        self._evaluator.link(source, made)
        for each in built:
            _replace(each, made)


def _replace(path: Path, by: Path) -> None:
    """As a new file: another process may still have the old one in its memory."""
    path.unlink()
    shutil.copy2(by, path)


def reason_to_skip(mutation: Mutation) -> str:
    """Why this machine cannot make the mutation; "" if it can."""
    if not mutation.file.endswith(".c"):
        return ""
    if shutil.which("gcc") is None:
        return "there is no gcc"
    return "" if any((ROOT / C).glob("*.so")) else "the evaluator is not compiled"


def environment(folder: Path, first_failure: Path) -> dict[str, str]:
    """Of a process that uses the tree, and nothing of the project itself."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": str(folder), VARIABLE: str(first_failure)}
