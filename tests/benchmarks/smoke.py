"""The short form for continuous integration: no torch, no goals, only our own paths against each other.

The limits are generous: they find a path that does not use its fast implementation any more.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from tests.benchmarks.cases import CASES, Case
from tests.benchmarks.ours import board, has_option, prepare
from tests.benchmarks.rounds import confirmed, seconds

FAST_OVER_PLAIN = 2.0
"""the fast path beside the plain formula, about a million elements"""
HALF_OVER_SINGLE = 15.0
"""float16 beside float32"""
LARGE_OVER_SMALL = 2.5
"""an element of 4 million beside one of 256 thousand"""
SECONDS = 0.05
"""of calls in one try"""
TRIES = 3
SHAPES = {
    "softmax": (512, 2048), "prelu": (16, 64, 32, 32), "batch norm": (16, 64, 32, 32), "cross entropy": (256, 4096),
    "embedding": (16384, 64, 1000),
}  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """Two times whose ratio has a limit."""

    name: str
    one: Callable[[], float]
    other: Callable[[], float]
    limit: float

    def ratio(self) -> float:
        """The ratio of the fastest tries; the two take turns."""
        pairs = [(self.one(), self.other()) for _ in range(TRIES)]
        return min(one for one, _ in pairs) / min(other for _, other in pairs)


def best(case: Case, **options: Any) -> float:
    """Seconds of the fastest call on a machine of its own."""
    problem = case.problem()
    with board(**options):
        call = prepare(problem).call
        call()
        begin, found = time.perf_counter(), float("inf")
        while time.perf_counter() - begin < SECONDS:
            found = min(found, seconds(call, 1))
    return found


def comparisons() -> Iterator[Comparison]:
    """All comparisons."""
    sized = {
        (op, dtype): replace(case, shape=shape, size="medium")
        for op, shape in SHAPES.items()
        for dtype in ("float32", "float16")
        for case in [next(each for each in CASES if (each.op, each.dtype, each.kind) == (op, dtype, each.kind))]
    }
    for (op, dtype), case in sized.items():
        if has_option("fast"):
            yield Comparison(
                f"{op} {dtype}: fast over plain",
                lambda case=case: best(case),
                lambda case=case: best(case, fast=False),
                FAST_OVER_PLAIN,
            )
        if dtype == "float16":
            single = sized[op, "float32"]
            yield Comparison(
                f"{op}: float16 over float32", lambda case=case: best(case), lambda case=single: best(case),
                HALF_OVER_SINGLE,
            )  # fmt: skip
    small, large = (replace(sized["softmax", "float32"], shape=shape) for shape in ((256, 1024), (4096, 1024)))
    yield Comparison(
        "softmax float32: an element of many over one of few",
        lambda: best(large) / prod(large.shape),
        lambda: best(small) / prod(small.shape),
        LARGE_OVER_SMALL,
    )


def main() -> int:
    """Print each ratio; 1 if one is beyond its limit."""
    broken = 0
    for each in comparisons():
        ratio = confirmed(each.ratio(), each.limit, each.ratio)
        broken += ratio > each.limit
        print(f"{each.name}: {ratio:.2f}, limit {each.limit:g}{' BROKEN' if ratio > each.limit else ''}", flush=True)
    return 1 if broken else 0
