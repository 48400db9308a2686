"""Whether the evaluator asks for memory before it needs it. That pays for some sweeps, and costs up to a seventh of the
time of others: it follows from the layout, from the processor, and from what else the computer does. So the first runs
of a sweep over much memory try both. The results are the same."""

from math import inf
from time import perf_counter
from typing import Final

from aclnn.engine.fast.native.library import Library, Sweep

MUCH: Final = 1 << 24
"""bytes that the last cache probably still has, so that nobody needs to ask for them"""
STEPS: Final = 5
"""instructions on a block that leave time to ask for the next one: the first guess"""
TRIALS: Final = 3
"""runs with and without asking, of which the fastest decides"""


class LookAhead:
    """Runs a sweep, and decides in its first runs whether it asks."""

    def __init__(self, size: int, steps: int) -> None:
        """The bytes of all tensors, and the instructions on a block."""
        guess = steps >= STEPS
        self._trials = [guess, not guess] * TRIALS if size >= MUCH else []
        self._seconds = {True: inf, False: inf}

    def run(self, library: Library, sweep: Sweep) -> None:
        if not self._trials:
            library.run(sweep)
            return
        sweep.ask = asks = self._trials.pop(0)
        start = perf_counter()
        library.run(sweep)
        self._seconds[asks] = min(self._seconds[asks], perf_counter() - start)
        if not self._trials:
            sweep.ask = self._seconds[True] < self._seconds[False]
