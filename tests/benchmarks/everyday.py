"""Everyday calls against torch, on a quiet machine and on a loaded one.

    python -m tests.benchmarks.everyday                     all of them: two minutes
    python -m tests.benchmarks.everyday convolution g1      those whose name has all words
    python -m tests.benchmarks.everyday --loaded --runs 3   also beside two busy loops; medians of 3 runs

Our call and that of torch, with one thread and with two, take turns in rounds. The median of each counts. The ratio
divides our time by the better time of torch. The second ratio divides the median of 20 calls beside the busy loops by
the median of 20 calls before them. torch is needed.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from tests.benchmarks import table, torch_side
from tests.benchmarks.ours import board, prepare
from tests.benchmarks.problems import Problem
from tests.benchmarks.progress import Progress
from tests.benchmarks.rounds import BLAS_PAUSE, Contender, Effort, samples, seconds
from tests.benchmarks.tiny_call import Sample

THREADS = (1, 2)
LOOPS = 2
"""busy loops beside a call"""
CALLS = 20
"""of which a median beside busy loops is made"""
EFFORT = Effort(least=7, most=21, seconds=1.5)
QUICK = Effort(least=3, most=7, seconds=0.5)
WARM = 2000
"""tiny calls; the second half is measured"""
LOOP = "print(flush=True)\nwhile True: pass"


@contextmanager
def busy(loops: int = LOOPS) -> Iterator[None]:
    """The block runs beside so many busy loops, each in a process of its own."""
    with ExitStack() as stack:
        for _ in range(loops):
            loop = subprocess.Popen([sys.executable, "-c", LOOP], stdout=subprocess.PIPE)
            stack.callback(loop.wait)
            stack.callback(loop.kill)
            assert loop.stdout is not None
            loop.stdout.readline()  # it runs
        yield


def read_by(problem: Problem) -> Iterator[Any]:
    """The tensors of torch over the arrays that our call reads."""
    for at, each in enumerate(problem.arguments):
        if at not in problem.outputs and type(each) in (list, torch_side.np.ndarray):
            yield from map(torch_side.to_torch, each if isinstance(each, list) else [each])


def measured(case: Any, effort: Effort, progress: Progress, *, loaded: bool) -> dict[str, float]:
    """Median seconds of our call and of torch's, and of our calls one by one, before busy loops and beside them."""
    problem = case.problem()
    theirs = partial(case.theirs, *read_by(problem))
    with board():
        ours = prepare(problem).call
        contenders = {"ours": Contender(ours)}
        for count in THREADS:
            contenders[f"torch{count}"] = Contender(theirs, partial(torch_side.set_threads, count))
        if problem.alone is not None:
            contenders["alone"] = Contender(problem.alone, after=BLAS_PAUSE)
        found = {name: median(times) for name, times in samples(contenders, effort, progress).items()}
        if loaded:
            progress("loaded")
            found["quiet"] = median(seconds(ours, 1) for _ in range(CALLS))
            with busy():
                found["loaded"] = median(seconds(ours, 1) for _ in range(CALLS))
    return found


def measure(
    words: Sequence[str] = (), *, quick: bool = False, loaded: bool = True, runs: int = 3
) -> dict[str, dict[str, float]]:  # fmt: skip
    """The figures of each call whose name has all words, by its name: medians of so many runs. None without torch."""
    if not torch_side.available():
        return {}
    from tests.benchmarks.everyday_cases import EVERYDAY

    cases = [case for case in EVERYDAY if all(word in case.name for word in words)]
    progress = Progress(runs * len(cases))
    times: dict[str, list[dict[str, float]]] = {case.name: [] for case in cases}
    for case in cases * runs:
        progress.start(case.name)
        times[case.name].append(measured(case, QUICK if quick else EFFORT, progress, loaded=loaded))
    progress.end()
    call = tiny()
    return {case.name: {"goal": case.goal, **medians(times[case.name]), "call": call} for case in cases}


def tiny() -> float:
    """Seconds of a call on eight numbers."""
    with board() as machine:
        call = Sample(machine)
        return median([seconds(call, 1) for _ in range(WARM)][WARM // 2 :])


def medians(runs: Sequence[dict[str, float]]) -> dict[str, float]:
    """The median of each figure, and the ratios that follow."""
    found = {name: median(one[name] for one in runs) for name in runs[0]}
    found["ratio"] = found["ours"] / min(found["torch1"], found["torch2"])
    if "loaded" in found:
        found["factor"] = found["loaded"] / found["quiet"]
    return found


def shown(numbers: dict[str, dict[str, float]]) -> table.Table:
    """A row for each call; the limits of those whose goal is not met."""
    head = ["call", "ours", "torch, 1 thread", "torch, 2 threads", "ratio", "goal", "met", "loaded / quiet",
            "numpy alone", "a call alone", "out of reach here"]  # fmt: skip
    return head, [
        [name, *(table.duration(one[side]) for side in ("ours", "torch1", "torch2")), table.figure(one["ratio"]),
         table.figure(one["goal"], "g"), table.verdict(one["ratio"] <= one["goal"]), table.figure(one.get("factor")),
         *limits(one)]
        for name, one in numbers.items()
    ]  # fmt: skip


def limits(one: dict[str, float]) -> list[str]:
    """The times of numpy and of a call alone, divided by that of torch, and what follows from them."""
    if one["ratio"] <= one["goal"]:
        return [table.NONE] * 3
    torch, call = min(one["torch1"], one["torch2"]), one["call"]
    found = [None if each is None else each / torch for each in (one.get("alone"), call)]
    return [*map(table.figure, found), table.out_of_reach(one["goal"], found, call / torch)]


def summary(numbers: dict[str, dict[str, float]]) -> str:
    """The number of goals that are met, and the geometric mean of the ratios."""
    ratios = [one["ratio"] for one in numbers.values()]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    text = f"{sum(one['ratio'] <= one['goal'] for one in numbers.values())} of {len(ratios)} goals were met. "
    text += f"The geometric mean of the ratios is {mean:.2f}, the largest {max(ratios):.1f}."
    factors = [one["factor"] for one in numbers.values() if "factor" in one]
    return f"{text} A loaded machine takes up to {max(factors):.1f} times as long." if factors else text


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.everyday", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("words", nargs="*", help="parts of names")
    parser.add_argument("--loaded", action="store_true", help="also beside two busy loops")
    parser.add_argument("--runs", type=int, default=1, help="take the median of so many")
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures")
    given = parser.parse_args()
    numbers = measure(given.words, quick=given.quick, loaded=given.loaded, runs=given.runs)
    print(table.plain(shown(numbers)), summary(numbers), sep="\n\n")
    if given.json:
        given.json.write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
