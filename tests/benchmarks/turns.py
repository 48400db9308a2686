"""Two trees of this project in turns: the time of the processor for each case of the benchmark.

    python -m tests.benchmarks.turns OTHER_TREE [--rounds N] [WORD ...]     the cases whose name has all words

The other tree is a clone at another commit, with its evaluator compiled (`python setup.py build_ext --inplace`). Each
tree has a process of its own. For each case they take turns, with one thread, and the fastest turn of each counts. So
other programs on the computer change the ratio little. The rows of large cases are divided by `SMALLER`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import geometric_mean

from tests.benchmarks.cases import CASES
from tests.benchmarks.ours import board, prepare

SMALLER = 8
TURN, WARM = 0.05, 0.15
"""seconds of one turn, and of the calls before the first one"""


def serve() -> None:
    """Answer each line of the input, "prepare CASE" or "call TIMES", with the seconds of one call."""
    cases = {case.name: case for case in CASES}
    print(json.dumps(list(cases)), flush=True)
    stack, call = ExitStack(), None
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "prepare":
            stack.close()
            stack.enter_context(board(threads=1))
            call = prepare(cases[rest].problem(SMALLER)).call
            call()
            times = max(2, int(WARM / max(seconds(call, 1), 1e-5)))
        else:
            times = int(rest)
        assert call is not None
        print(seconds(call, times), flush=True)


def seconds(call: Callable[[], object], times: int) -> float:
    """Seconds of one call, of the processor."""
    begin = time.process_time()
    for _ in range(times):
        call()
    return (time.process_time() - begin) / times


class Tree:
    """A process that calls the packages of one tree, and reads its cases from there. This file comes from this tree."""

    def __init__(
        self, folder: Path, command: Sequence[str | Path] = (sys.executable, __file__, "--serve"), **given: str
    ) -> None:
        """`command`: prints the names of its cases as JSON, then a number for each line of its input. `given`:
        variables of its environment."""
        self.process = subprocess.Popen(
            command, cwd=folder, env={**os.environ, "PYTHONPATH": str(folder), **given}, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.cases: list[str] = json.loads(self._answer())

    def ask(self, request: str) -> float:
        assert self.process.stdin is not None
        self.process.stdin.write(request + "\n")
        self.process.stdin.flush()
        return float(self._answer())

    def _answer(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()


def compared(case: str, trees: list[Tree], rounds: int) -> list[float]:
    """The seconds of a call in each tree, in its fastest turn."""
    first = [tree.ask(f"prepare {case}") for tree in trees]
    times, best = max(1, int(TURN / max(*first, 1e-6))), dict.fromkeys(trees, float("inf"))
    for number in range(rounds):
        for tree in trees if number % 2 else reversed(trees):
            best[tree] = min(best[tree], tree.ask(f"call {times}"))
    return list(best.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    trees = [Tree(options.other.resolve()), Tree(Path(__file__).resolve().parents[2])]
    ratios: list[float] = []
    for case in trees[0].cases:
        if case in trees[1].cases and all(word in case for word in options.words):
            before, after = compared(case, trees, options.rounds)
            ratios.append(after / before)
            print(f"{case:45}{before * 1e6:12.1f}{after * 1e6:12.1f} us{ratios[-1]:8.3f}", flush=True)
    print(f"geometric mean of {len(ratios)} ratios: {geometric_mean(ratios):.3f}")


if __name__ == "__main__":
    serve() if sys.argv[1:] == ["--serve"] else main()
