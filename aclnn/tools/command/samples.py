"""`aclnn samples`: run the samples, or copy them to a directory of the user."""

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
"""the names of samples with `import acl` begin with this"""


def folder() -> Path:
    """The folder of the samples: beside the package in the project, inside the package where it is installed.
    FileNotFoundError if neither exists, as when only the package was copied."""
    for place in (HERE / "samples", HERE.parent / "samples"):
        if (place / MAIN).is_file() and any(place.glob("aclnn_*.py")):
            return place
    raise FileNotFoundError("the samples are not installed with this package")


def names() -> list[str]:
    """The names of the samples."""
    return [path.stem for path in sorted(folder().glob("*.py")) if path.name != MAIN]


def run(names: Sequence[str] = ()) -> int:
    """Run `python samples`, which gives each sample a machine of its own, and return its exit status."""
    return subprocess.run([sys.executable, str(folder()), *names], env=environment(), check=False).returncode


def environment() -> dict[str, str]:
    """The environment of this process, with a PYTHONPATH by which a new Python finds the same packages."""
    places = [each for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each]
    ours = str(HERE.parent)
    if ours not in (*places, sysconfig.get_path("purelib"), sysconfig.get_path("platlib")):
        places.append(ours)
    return {**os.environ, "PYTHONPATH": os.pathsep.join(places)} if places else dict(os.environ)


def copy(directory: Path) -> str:
    """Copy the programs into a directory and return a text that says how to run them. FileExistsError if the directory
    contains one of them."""
    programs = sorted(folder().glob("*.py"))
    taken = [each.name for each in programs if (directory / each.name).exists()]
    if taken:
        raise FileExistsError(f"{directory} already contains {', '.join(taken)}")
    directory.mkdir(parents=True, exist_ok=True)
    for program in programs:
        shutil.copy(program, directory / program.name)
    sentence = f"`aclnn run FILE` runs one (`aclnn run --pyacl FILE` for {PYACL}*.py), `python {directory}` runs all"
    return f"{directory}: {len(programs) - 1} programs; {sentence}"
