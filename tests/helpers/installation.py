"""Wheel and sdist of the project, and environments in which they are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Final, NamedTuple

from acl_runtime.version import __version__
from tests.helpers.patience import PATIENCE
from tests.helpers.places import ROOT

STEM: Final = f"aclnn_emulator-{__version__}"
DISTRIBUTION: Final = "aclnn-emulator"
BUILT: Final = "ACLNN_BUILT"
"""the environment variable that names a folder with finished builds"""


def environment(**variables: str) -> dict[str, str]:
    """The variables of this process without those that lead to the sources of the project."""
    ours = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if name not in ours} | variables


def run(*command: str | Path, cwd: Path, status: int = 0, **variables: str) -> str:
    """The output of a command, in an environment that does not lead to the sources of this project."""
    done = subprocess.run(
        [str(each) for each in command], cwd=cwd, env=environment(**variables), stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, encoding="utf-8", timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == status, f"{' '.join(map(str, command))}\n{done.stdout}"
    return done.stdout


class Built(NamedTuple):
    """The result of `python -m build`."""

    said: str
    sources: set[str]
    """the files of the project"""
    wheel: Path
    sdist: Path


def is_git() -> bool:
    return (ROOT / ".git").exists()


def sources() -> set[str]:
    """The files of a git checkout, by their paths in it."""
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT)
    return {name for name in listed.split("\0") if name and (ROOT / name).is_file()}


def copy(names: Iterable[str], place: Path) -> None:
    """Copy files of the project."""
    for name in names:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, place / name)


def build(place: Path) -> Built:
    """Build in a folder, from a copy of the sources without leftovers of earlier builds. The folder keeps what `built`
    reads."""
    names = sources()
    copy(names, place / "project")
    said = run(sys.executable, "-m", "build", "-o", place / "dist", cwd=place / "project")
    (place / "said.txt").write_text(said, encoding="utf-8")
    (place / "sources.txt").write_text("\n".join(sorted(names)), encoding="utf-8")
    return built(place)


def built(place: Path) -> Built:
    """The builds in a folder."""
    (wheel,) = (place / "dist").glob(f"{STEM}-py3-none-*.whl")
    sdist = place / "dist" / f"{STEM}.tar.gz"
    assert set((place / "dist").iterdir()) == {wheel, sdist}
    names = (place / "sources.txt").read_text(encoding="utf-8").splitlines()
    return Built((place / "said.txt").read_text(encoding="utf-8"), set(names), wheel, sdist)


class Installed(NamedTuple):
    """An environment, and a folder to work in."""

    bin: Path
    folder: Path

    def run(self, name: str, *arguments: str | Path, status: int = 0, **variables: str) -> str:
        return run(self.bin / name, *arguments, cwd=self.folder, status=status, **variables)


def others() -> set[str]:
    """All packages of this environment but ours."""
    return {distribution.metadata["Name"] for distribution in metadata.distributions()} - {DISTRIBUTION}


def install(what: str, place: Path, has: Iterable[str]) -> Installed:
    """Install a package in an environment with only the packages that it requires, without pip."""
    run(sys.executable, "-m", "venv", "--without-pip", place / "venv", cwd=place)
    (packages,) = (place / "venv" / "lib").glob("*/site-packages")
    for name in has:  # links, because a new installation takes longer than all the rest
        distribution = metadata.distribution(name)
        for part in {file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}:
            if not (packages / part).exists():
                (packages / part).symlink_to(str(distribution.locate_file(part)))
    pip = (sys.executable, "-m", "pip", "-q", "--python", place / "venv" / "bin" / "python")
    run(*pip, "install", "--no-compile", what, cwd=place)
    (place / "work").mkdir()
    return Installed(place / "venv" / "bin", place / "work")
