"""The cost of a start: our names beside numpy's import, a ported program beside `import torch`, the plugin beside
pytest.

    python -m tests.benchmarks.start [--rounds N]

Each measurement is a fresh process, the kinds take turns, and the fastest of each counts, in seconds of processor time:
others that run beside it disturb that less than the clock on the wall. The packages are looked at as an installation
has them: a copy with its byte code, so that it does not matter whether this Python may write any
(PYTHONDONTWRITEBYTECODE). Exit status 1: a limit does not hold.
"""

from __future__ import annotations

import argparse
import compileall
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from tests.benchmarks.rounds import confirmed

ROOT = Path(__file__).resolve().parent.parent.parent
SAMPLE = ROOT / "samples" / "aclnn_softmax_backward.py"
NUMPY = "import numpy, ml_dtypes"
COMMANDS: Mapping[str, Sequence[str]] = {
    "python": ("-c", "pass"),
    "numpy": ("-c", NUMPY),
    "aclnn": ("-c", "import acl_runtime, aclnn"),
    "star": ("-c", "from acl_runtime import *\nfrom aclnn import *"),
    "sample": (str(SAMPLE),),
    "pytest": ("-c", "import pytest"),
    "plugin": ("-c", "import pytest, acl_runtime.pytest_plugin"),
    "torch": ("-c", "import torch"),
}
IMPORT_GOAL, STAR_GOAL, SAMPLE_GOAL, PLUGIN_GOAL = 0.5, 1.5, 0.25, 0.05
"""limits of ratios: the time that `import aclnn` adds to Python, over that of numpy (half of 100 ms);
the same with all names; the sample over an import of torch; the time that the plugin adds, over that of pytest"""
QUICK = ("python", "numpy", "aclnn", "star")
"""the commands that continuous integration measures"""


def measure(rounds: int = 15, *, quick: bool = False) -> dict[str, float]:
    """Seconds of each command in its fastest round, and the ratios that have limits. `quick`: only the imports."""
    names = QUICK if quick else [name for name in COMMANDS if name != "torch" or find_spec("torch") is not None]
    fastest = dict.fromkeys(names, float("inf"))
    with tempfile.TemporaryDirectory() as folder:
        environment = _installed(Path(folder))
        for counts in [False] + [True] * rounds:  # the first reads the files into memory
            for name in names:
                taken = _seconds(COMMANDS[name], folder, environment)
                if counts:
                    fastest[name] = min(fastest[name], taken)
    return fastest | ratios(fastest)


def ratios(seconds: Mapping[str, float]) -> dict[str, float]:
    """The ratios that have limits."""
    found = {
        f"{name} / numpy": (seconds[name] - seconds["python"]) / (seconds["numpy"] - seconds["python"])
        for name in ("aclnn", "star")
    }
    if "plugin" in seconds:
        found["plugin / pytest"] = (seconds["plugin"] - seconds["pytest"]) / (seconds["pytest"] - seconds["python"])
    if "torch" in seconds:
        found["sample / torch"] = seconds["sample"] / seconds["torch"]
    return found


def limits() -> dict[str, float]:
    """The limit of each ratio."""
    return {
        "aclnn / numpy": IMPORT_GOAL,
        "star / numpy": STAR_GOAL,
        "plugin / pytest": PLUGIN_GOAL,
        "sample / torch": SAMPLE_GOAL,
    }


def _installed(folder: Path) -> dict[str, str]:
    """The environment of processes that find a copy of the packages, compiled, before any other."""
    for package in ("acl_runtime", "aclnn"):
        spec = find_spec(package)
        assert spec is not None
        assert spec.submodule_search_locations is not None
        shutil.copytree(spec.submodule_search_locations[0], folder / package)
    compileall.compile_dir(folder, quiet=1)
    return os.environ | {"PYTHONPATH": str(folder)}


def _seconds(command: Sequence[str], folder: str, environment: Mapping[str, str]) -> float:
    """Seconds of a command. It runs in the folder, because `python -c` finds the packages of the current folder
    first."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *command], cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    """Print the table. Returns 1 if a limit is exceeded."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--quick", action="store_true", help="only the imports")
    given = parser.parse_args()

    def again() -> dict[str, float]:
        return measure(given.rounds, quick=given.quick)

    found = again()
    for name in filter(found.__contains__, COMMANDS):
        print(f"{name:16} {found[name] * 1e3:8.1f} ms")
    missed = 0
    for name, limit in limits().items():
        if name in found:
            ratio = confirmed(found[name], limit, lambda name=name: again()[name])
            missed += ratio > limit
            print(f"{name:16} {ratio:8.2f}    limit {limit:.2f}: {'MISSED' if ratio > limit else 'holds'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
