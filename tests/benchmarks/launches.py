"""The cost of a launch from C with its descriptors: aclnnAdd on 8 floats, three tensors and a scalar.

    python -m tests.benchmarks.launches                   with the calls that the library serves without Python, and
                                                          without them
    python -m tests.benchmarks.launches OTHER_TREE        this tree and another one

The two sides take turns. The time is that of the processor, so other programs on the computer change it little; the
least one of each part counts.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from aclnn.tools.toolkit.library import C_COMPILERS, compiler

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path(__file__).with_suffix(".c")
SWITCH = "ACL_EMULATOR_FAST_CALLS"
TURNS, LAUNCHES = 4, 1000
QUICK = 2, 200
Side = tuple[str, Path, Mapping[str, str]]
"""the name, the program, and its environment"""


def program(tree: Path, folder: Path) -> Path:
    """launches.c, compiled against a toolkit of a tree. Programs of two trees have equal flags."""
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    command = [sys.executable, "-m", "aclnn.tools.toolkit", str(folder / "toolkit")]
    subprocess.run(command, cwd=tree, env=environment, stdout=subprocess.DEVNULL, check=True)
    made = folder / "launches"
    flags = ["-O2", "-std=gnu11", f"-I{folder}/toolkit/include", str(SOURCE), f"-L{folder}/toolkit/lib64"]
    libraries = ["-lascendcl", "-lopapi", "-lnnopbase"]
    subprocess.run([*compiler("CC", C_COMPILERS), *flags, *libraries, "-o", str(made)], check=True)
    return made


def parts(made: Path, environment: Mapping[str, str], launches: int) -> dict[str, float]:
    """Microseconds of each part, from one run."""
    given = {**os.environ, **environment, "LD_LIBRARY_PATH": str(made.parent / "toolkit/lib64")}
    command = [str(made), str(launches)]
    printed = subprocess.run(command, env=given, stdout=subprocess.PIPE, text=True, check=True).stdout
    return {part: float(figure) for part, figure in (line.split("\t") for line in printed.splitlines())}


def in_turns(sides: list[Side], turns: int, launches: int) -> dict[str, dict[str, float]]:
    """The least microseconds of each part, by side."""
    best: dict[str, dict[str, float]] = {name: {} for name, *_ in sides}
    for turn in range(turns):
        for name, made, environment in sides if turn % 2 else reversed(sides):
            for part, figure in parts(made, environment, launches).items():
                best[name][part] = min(figure, best[name].get(part, figure))
    return {part: {name: best[name][part] for name, *_ in sides} for part in best[sides[0][0]]}


def measure(*, quick: bool = False) -> dict[str, dict[str, float]]:
    """Microseconds of each part, with served calls and without them."""
    with tempfile.TemporaryDirectory() as folder:
        made = program(ROOT, Path(folder))
        sides: list[Side] = [("served in C", made, {SWITCH: "1"}), ("all in Python", made, {SWITCH: "0"})]
        return in_turns(sides, *(QUICK if quick else (TURNS, LAUNCHES)))


def against(other: Path) -> dict[str, dict[str, float]]:
    """Microseconds of each part, in another tree and in this one."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        before, after = program(other.resolve(), Path(one)), program(ROOT, Path(two))
        return in_turns([("other tree", before, {}), ("this tree", after, {})], TURNS, LAUNCHES)


def main() -> int:
    figures = against(Path(sys.argv[1])) if sys.argv[1:] else measure()
    for part, by_side in figures.items():
        print(f"{part:36}", *(f"{name}: {figure:7.2f} us  " for name, figure in by_side.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
