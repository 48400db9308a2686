"""Operators of a million elements beside their own formulas in plain numpy: `python -m tests.benchmarks.elements`.

It measures every computed operator, with the data types of its good call and the values of its route in the oracle. The
other side is the same call on a machine with `fast=False`, where numpy runs the formula as it is written. An operator
is slow if it takes more than 1.2 times as long as that, and 100 us more. In some families the work is proportional to
the number of elements. There it is also slow from `MOST` nanoseconds an element on, because then the formula itself is
slow. A slow operator is measured again. `LIMITS` has the reasons of those that stay slow. The status is 1 if an
operator is slow without a reason, or if a call failed. Words choose functions:
`python -m tests.benchmarks.elements Erf Clamp`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from ctypes import byref, c_uint64
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from acl_runtime import (
    ACL_SUCCESS,
    Machine,
    aclCreateTensorList,
    aclGetRecentErrMsg,
    aclOpExecutor,
    aclrtSetDevice,
    aclrtSynchronizeStream,
)
from tests.aclnn.ops.case import Meta
from tests.benchmarks import large_calls
from tests.derived.good import subject
from tests.derived.judging import Subject, accepted, homes
from tests.derived.launching import handle, launchable, place
from tests.derived.values import Call, Values, tensors
from tests.helpers.builders import malloc
from tests.oracle.route import Route
from tests.oracle.routes import compared, route_of

LINEAR = (
    "elementwise", "comparison", "activation", "loss", "norm", "reduction", "movement", "foreach", "optimiser",
    "pooling",
)  # fmt: skip
"""families whose work is proportional to the number of elements"""
ELEMENTS = 1_000_000
RATIO, MORE = 1.2, 100e-6
"""so many times the time of numpy, and seconds more, are not slow"""
MOST = 15e-9
"""seconds an element, beyond which a formula counts as slow"""
AGAIN = 3
"""times that a slow operator is measured again"""
LEAST = ELEMENTS // 4
"""elements of a call that is large enough"""
SECONDS, ROUNDS, PATIENCE = 0.2, 20, 5.0
"""of one comparison: both sides take turns. No round begins after so many seconds"""
SERIES = "a series in float64 by numpy, 70 ns an element, on both sides"
ERF = "erf by numpy, 65 ns for each element of a half, on both sides"
LIMITS: dict[str, str] = {
    "aclnnLgamma": SERIES,
    "aclnnDigamma": SERIES,
    "aclnnGeGluBackward": ERF,
    "aclnnGeGluV3Backward": ERF,
    "aclnnGcd": "np.gcd alone takes 23 ns an element",
    "aclnnLogSpace": "np.power of float64 alone takes 8 ns an element, and its exponents as long again",
    "aclnnAsinh": "0.78 ns an element by one thread of the evaluator, 0.45 by two, 0.55 by numpy's AVX-512 function",
    "aclnnBatchNormGatherStatsWithCounts": "160 us for planning in tiles of numpy, at any size",
    "aclnnMaxPool3dWithArgmax": "a pass over all windows for each of their places, on both sides",
    "aclnnMultilabelMarginLoss": "a search among the sorted classes of each row: 25 ns an element",
}
"""why an operator is slow, by its name: what was measured, and what the limit is"""


@dataclass
class Timed:
    """The seconds of a call of an operator, and what computed it."""

    name: str
    elements: int
    ours: float
    plain: float
    engines: dict[str, int]
    linear: bool
    """is its work proportional to the number of elements?"""

    @property
    def slow(self) -> str:
        """Why it is slow; nothing if it is not."""
        if self.ours > self.plain * RATIO + MORE:
            return "slower than numpy"
        return "slow formula" if self.linear and self.ours > self.elements * MOST else ""

    def row(self) -> str:
        """A line of the table."""
        how = ", ".join(f"{engine} {count}" for engine, count in self.engines.items()) or "as it is written"
        times = f"{self.ours * 1e6:9.0f} {self.plain * 1e6:9.0f} {self.ours / self.plain:6.2f}"
        limit = f"; {LIMITS[self.name]}" if self.slow and self.name in LIMITS else ""
        return f"{self.name:44} {self.elements:8} {times}  {self.slow or '-':18} {how}{limit}"

    def best(self, other: Timed) -> Timed:
        """The shorter times of two measurements."""
        return replace(self, ours=min(self.ours, other.ours), plain=min(self.plain, other.plain))


def grown(this: Subject) -> Call | None:
    """The good call with its largest tensor as large as `ELEMENTS`; None if the checks do not take that."""
    for found in (*large_calls.of(this), *_by_sizes(this), *_by_dimension(this)):
        with suppress(Exception):
            if accepted(this, found) and launchable(found):
                return found
    return None


def _largest(this: Subject) -> Meta:
    metas = [each for found in tensors(this.good).values() for each in found]
    return max(metas, key=lambda each: (prod(each.shape), len(each.shape)))


def _by_sizes(this: Subject) -> Iterator[Call]:
    """All dimensions of some sizes become longer, in all tensors and arrays of integers."""
    most = _largest(this)
    free = [size for size in most.shape if size > 1] or list(most.shape)
    for few in (0, 2, 1):  # so many dimensions keep their sizes
        sizes = sorted(set(free))[-max(1, len(set(free)) - few) :]
        count = sum(size in sizes for size in free)
        rest = prod(size for size in free if size not in sizes)
        length = round((ELEMENTS / rest) ** (1 / max(1, count)))
        longer = dict.fromkeys(sizes, length)
        yield _changed(this.good, lambda size, at, longer=longer: longer.get(size, size))


def _by_dimension(this: Subject) -> Iterator[Call]:
    """One dimension becomes longer in all tensors, or in those that have the same size there; with the integers of the
    same size, or without."""
    most = _largest(this)
    factor = -(-ELEMENTS // prod(most.shape))
    for dim, old in enumerate(most.shape):
        for own in (lambda size, old=old: size == old, lambda size: True):
            found = _changed(this.good, lambda size, at, own=own, dim=dim: size * factor
                             if at == dim and own(size) else size, arrays=False)  # fmt: skip
            yield found
            yield {name: value * factor if type(value) is int and value == old else value
                   for name, value in found.items()}  # fmt: skip


def _changed(good: Call, size: Callable[[int, int], int], *, arrays: bool = True) -> Call:
    """The call with other sizes; `size` gets a size, and the number of its dimension."""

    def value(given: Any) -> Any:
        if isinstance(given, Meta):
            return replace(given, shape=tuple(size(each, at) for at, each in enumerate(given.shape)))
        if isinstance(given, Values) and arrays:
            return Values(tuple(size(each, at) for at, each in enumerate(given.values)))
        return tuple(map(value, given)) if isinstance(given, tuple) else given

    return {name: value(given) for name, given in good.items()}


def prepared(this: Subject, call: Call, arrays: dict[str, list[np.ndarray]]) -> Callable[[], None]:
    """Both phases and the synchronise, on the current machine."""
    arguments: list[Any] = []
    for param in this.op.params:
        value = call[param.printed]
        if param.printed in tensors(call):
            metas = tensors(call)[param.printed]
            rows = zip(arrays[param.printed], metas, strict=True)
            placed = [place(array, meta, loose=False).handle for array, meta in rows]
            arguments.append(aclCreateTensorList(placed, len(placed)) if isinstance(value, tuple) else placed[0])
        else:
            arguments.append(handle(param, value))
    size, executor = c_uint64(), aclOpExecutor()
    assert this.first(*arguments, byref(size), byref(executor)) == ACL_SUCCESS, aclGetRecentErrMsg()
    workspace = malloc(size.value) if size.value else None

    def run() -> None:
        assert this.first(*arguments, byref(size), byref(executor)) == ACL_SUCCESS, aclGetRecentErrMsg()
        assert this.second(workspace, size.value, executor, None) == ACL_SUCCESS, aclGetRecentErrMsg()
        assert aclrtSynchronizeStream(None) == ACL_SUCCESS, aclGetRecentErrMsg()

    return run


def measured(name: str, route: Route) -> Timed | None:
    """Both sides; None if the call cannot be made as large."""
    this = subject(name)
    this = replace(this, good=this.changed({**route.start}))
    call = grown(this)
    if call is None:
        return None
    arrays = large_calls.drawn(this, route, call)
    if size_of(arrays) < LEAST:
        return None
    best = {True: float("inf"), False: float("inf")}
    counts: dict[str, int] = {}
    begin, rounds = time.perf_counter(), 0
    while (rounds < 3 and time.perf_counter() - begin < PATIENCE) or (
        time.perf_counter() - begin < SECONDS and rounds < ROUNDS
    ):
        for fast in (True, False):
            with Machine(soc=this.soc.name, fast=fast) as machine:
                assert aclrtSetDevice(0) == ACL_SUCCESS
                run = prepared(this, call, arrays)
                run()
                first = dict(machine.compute_threads.counts)
                run()
                machine.compute_threads.counts.clear()
                for _ in range(3):
                    start = time.perf_counter()
                    run()
                    best[fast] = min(best[fast], time.perf_counter() - start)
                if fast:  # (only the first run says why a formula runs as it is written)
                    counts = {engine: many // 3 for engine, many in machine.compute_threads.counts.items()} or first
        rounds += 1
    return Timed(name, size_of(arrays), best[True], best[False], counts, family(name) in LINEAR)


def size_of(arrays: dict[str, list[np.ndarray]]) -> int:
    """The elements of the largest tensor; those of a list together."""
    return max(sum(each.size for each in found) for found in arrays.values())


def family(name: str) -> str:
    """The folder of its module in `aclnn.ops`."""
    return homes()[name].split(".")[2]


def chosen(words: list[str]) -> Iterator[tuple[str, Route]]:
    """The functions, each with its route; those in place compute the same as the others."""
    for name in compared():
        if any(word.lower() in name.lower() for word in words) if words else "Inplace" not in name:
            yield name, route_of(name)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.elements", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("words", nargs="*", help="parts of names")
    parser.add_argument("--output", type=Path, help="write the table here too")
    given = parser.parse_args()
    found: list[Timed] = []
    left: list[str] = []
    failed: list[str] = []
    for name, route in chosen(given.words):
        try:
            timed = measured(name, route)
            for _ in range(AGAIN):  # another program may have run meanwhile
                if timed is not None and timed.slow:
                    timed = timed.best(measured(name, route) or timed)
        except Exception as error:
            failed.append(f"{name}: {type(error).__name__} {str(error)[:200]}")
            continue
        if timed is None:
            left.append(f"{name}: the checks do not take so many elements")
            continue
        found.append(timed)
        print(timed.row(), flush=True)
    slow = sorted((each for each in found if each.slow), key=lambda each: -each.ours)
    known = sum(each.name in LIMITS for each in slow)
    title = f"\n{len(found)} measured, {len(slow)} slow, {known} of these with a reason:"
    lines = [title, *(each.row() for each in slow), "\nleft out:", *left, "\nfailed:", *failed]
    print("\n".join(lines))
    if given.output:
        given.output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 1 if len(slow) > known or failed else 0


if __name__ == "__main__":
    sys.exit(main())
