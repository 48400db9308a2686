"""One case from its data to its figures."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from tests.benchmarks import accuracy, peak, torch_side
from tests.benchmarks.cases import Case
from tests.benchmarks.floor import LEAST, Floor
from tests.benchmarks.measured import Measured
from tests.benchmarks.ours import board, has_option, prepare
from tests.benchmarks.problems import Problem
from tests.benchmarks.rounds import BLAS_PAUSE, PAUSE, Contender, Effort, fastest

THREADS = (1, 2)
SMALLER = 8
"""what divides the rows of a large case where neither the time nor the errors are measured: for the memory, and for
the bits with one thread and with two. Neither depends on the number of rows from some megabytes on"""
Progress = Callable[[str], None]


@dataclass
class Run:
    """The options of all cases of a run."""

    floor: Floor
    effort: Effort
    scale: int = 1
    with_torch: bool = True
    thorough: bool = True
    """look at the memory and the results of large cases too"""

    def measure(self, case: Case, progress: Progress) -> Measured:
        """The figures of a case."""
        progress("data")
        problem = case.problem(self.scale)
        theirs = torch_side.prepare(case.op, problem) if self.with_torch else None
        with board():
            prepared = prepare(problem)
            pause = PAUSE if problem.alone is None else BLAS_PAUSE
            contenders = {"ours": Contender(prepared.call, after=pause)}
            if theirs is not None:
                for count in THREADS:
                    contenders[f"torch{count}"] = Contender(theirs.call, partial(torch_side.set_threads, count))
            if problem.read + problem.written >= LEAST:
                for count in THREADS:
                    contenders[f"floor{count}"] = Contender(self.floor.stream(problem.read, problem.written, count))
            if problem.alone is not None:
                contenders["alone"] = Contender(problem.alone, after=pause)
            times = fastest(contenders, self.effort, progress)
            results = {at: prepared.result(at) for at in problem.outputs}
        floors = [seconds for name, seconds in times.items() if name.startswith("floor")]
        measured = Measured(
            case.op, case.title, case.dtype, case.size, case.goal, times["ours"], times.get("torch1"),
            times.get("torch2"), min(floors, default=None), alone=times.get("alone"),
        )  # fmt: skip
        del prepared, contenders
        gc.collect()
        if case.size == "large" and self.thorough:
            progress("results")
            truths = accuracy.truths(case.op, problem)
            measured.error = accuracy.errors(truths, results)
            measured.torch_error = accuracy.errors(truths, theirs.results()) if theirs is not None else None
            del theirs, problem, results
            measured.repeats_exactly = repeats_exactly(case.problem(self.scale * SMALLER))
            progress("memory")
            found = peak.measure(case, self.scale * SMALLER)
            measured.peak, measured.workspace = found["peak"], found["workspace"]
        return measured


def repeats_exactly(problem: Problem) -> bool | None:
    """True if one thread and two threads give the same bits. None if a machine has no such option."""
    if not has_option("threads"):
        return None
    results: list[dict[int, np.ndarray]] = []
    for count in THREADS:
        with board(threads=count):
            prepared = prepare(problem)
            prepared.call()
            results.append({at: prepared.result(at) for at in problem.outputs})
        del prepared
        gc.collect()
    one, two = results
    return all(same_bits(one[at], two[at]) for at in problem.outputs)


def same_bits(one: np.ndarray, other: np.ndarray) -> bool:
    """True if two arrays of one data type have the same bits, also in NaNs."""
    bits = f"u{one.itemsize}"
    return np.array_equal(one.view(bits), other.view(bits))
