"""Times of several functions measured in turn, so that whatever disturbs the machine disturbs them all."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

SAMPLE = 0.01
"""seconds that one sample lasts at least: functions that take less are called several times, as in a loop. The first of
these calls wakes threads, and finds none of its memory in the caches"""
WARM_UP = 0.02
"""seconds of calls before the first sample. The first calls of a function are slower: they plan, and fill the caches"""
TRIES = 3
"""measurements of a ratio above its limit, before it counts as above"""
PAUSE = 0.012
"""seconds between samples, in which the threads of the function before stop spinning. Those of torch spin for 2 to 10
milliseconds, and would take a core from the next function"""
BLAS_PAUSE = 0.15
"""the same after a function that uses numpy's BLAS: its thread spins for up to a tenth of a second"""


@dataclass(frozen=True)
class Effort:
    """The number of rounds: at least `least`, then until `seconds` are over or there were `most`."""

    least: int = 5
    most: int = 40
    seconds: float = 4.0


@dataclass(frozen=True)
class Contender:
    """The call that is timed, a call that is made before, and a pause."""

    call: Callable[[], object]
    before: Callable[[], object] = lambda: None
    after: float = PAUSE
    """seconds until its threads stop spinning"""


def fastest(contenders: Mapping[str, Contender], effort: Effort, progress: Callable[[str], None]) -> dict[str, float]:
    """Seconds of a call of each, in its fastest round."""
    return {name: min(times) for name, times in samples(contenders, effort, progress).items()}


def samples(
    contenders: Mapping[str, Contender], effort: Effort, progress: Callable[[str], None]
) -> dict[str, list[float]]:  # fmt: skip
    """Seconds of a call of each, in each round."""
    repeats: dict[str, int] = {}
    for name, each in contenders.items():
        each.before()
        each.call()
        repeats[name] = max(1, int(SAMPLE / warmed_up(each.call)))
    times: dict[str, list[float]] = {name: [] for name in contenders}
    order, begin = list(contenders), time.perf_counter()
    for number in range(effort.most):
        if number >= effort.least and time.perf_counter() - begin > effort.seconds:
            break
        progress(f"round {number + 1}")
        for name in order:
            contenders[name].before()
            times[name].append(seconds(contenders[name].call, repeats[name]))
            time.sleep(contenders[name].after)
        order = order[1:] + order[:1]
    return times


def warmed_up(call: Callable[[], object]) -> float:
    """Seconds of the fastest of some calls."""
    best, begin = float("inf"), time.perf_counter()
    while best == float("inf") or time.perf_counter() - begin < WARM_UP:
        best = min(best, seconds(call, 1))
    return best


def seconds(call: Callable[[], object], repeats: int) -> float:
    """Seconds of one call."""
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats


def confirmed(ratio: float, limit: float, again: Callable[[], float]) -> float:
    """The least of up to `TRIES` measurements of a ratio, which go on while it is above its limit, because the computer
    may have been busy."""
    for _ in range(TRIES - 1):
        if ratio <= limit:
            break
        ratio = min(ratio, again())
    return ratio
