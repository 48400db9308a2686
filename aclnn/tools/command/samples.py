"""`aclnn samples`: run them, or copy them to where they can be changed."""

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parents[2]
MAIN: Final = "__main__.py"
PYACL: Final = "pyacl_"
"""what the names of those that say `import acl` begin with"""


def folder() -> Path:
    """Where they are: beside the package in the project, inside it where it is installed. FileNotFoundError if nowhere,
    as where only the package was copied."""
    for place in (HERE / "samples", HERE.parent / "samples"):
        if (place / MAIN).is_file() and any(place.glob("aclnn_*.py")):
            return place
    raise FileNotFoundError("the samples are not installed with this package")


def names() -> list[str]:
    """How they are called."""
    return [path.stem for path in sorted(folder().glob("*.py")) if path.name != MAIN]


def run(names: Sequence[str] = ()) -> int:
    """The exit status of `python samples`, which runs each in a process of its own."""
    return subprocess.run([sys.executable, str(folder()), *names], env=environment(), check=False).returncode


def environment() -> dict[str, str]:
    """That of this process, in which another Python finds the packages where this one did."""
    places = [each for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each]
    ours = str(HERE.parent)
    if ours not in (*places, sysconfig.get_path("purelib"), sysconfig.get_path("platlib")):
        places.append(ours)
    return {**os.environ, "PYTHONPATH": os.pathsep.join(places)} if places else dict(os.environ)


def copy(directory: Path) -> str:
    """Put the programs into a directory, which must not hold any of them; returns what to do next."""
    programs = sorted(folder().glob("*.py"))
    taken = [each.name for each in programs if (directory / each.name).exists()]
    if taken:
        raise FileExistsError(f"{directory} has {', '.join(taken)} already")
    directory.mkdir(parents=True, exist_ok=True)
    for each in programs:
        shutil.copy(each, directory / each.name)
    how = f"`aclnn run FILE` runs one (`aclnn run --pyacl FILE` {PYACL}*.py), `python {directory}` all"
    return f"{directory}: {len(programs) - 1} programs; {how}"
