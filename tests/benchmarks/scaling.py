"""The cost of a call beside many live objects, of an element of a large tensor, and of objects in memory.

    python -m tests.benchmarks.scaling [--smoke] [--json FILE] [NAME ...]

Table 1: microseconds of processor time of a call beside 10 to 100,000 live objects (or written ranges, queued tasks,
dead objects), and the ratio of the last to that beside 100. A device has fewer streams than that, a queue fewer tasks.
Table 2: nanoseconds for each byte or element of large tensors. Table 3: bytes of host memory for each object, and the
bytes that each round of a long loop leaves behind.

`--smoke` takes some seconds. It fails if a call beside 10,000 objects costs three times as much as beside 100.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tests.benchmarks import scaling_cases as cases
from tests.benchmarks.rounds import confirmed
from tests.benchmarks.scaling_elements import BY_ELEMENTS, LARGEST, LAUNCHES
from tests.benchmarks.scaling_memory import MEMORY, in_a_process

SIZES = (10, 100, 1_000, 10_000, 100_000)
ELEMENTS = (1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)
FEW, MANY = 100, 10_000
MOST = 3.0
"""what the smoke form allows"""
PATIENCE = 120.0
"""seconds: a curve whose next point would seem to take longer ends"""
SMOKE = (
    cases.free_at_random, cases.copy_to_device, cases.launch_beside_allocations, cases.events, cases.ranges_at_random
)  # fmt: skip
SHOWN = (
    cases.malloc_and_free, cases.free_at_random, cases.copy_to_device, cases.launch_beside_allocations,
    cases.launch_beside_tensors, cases.events,
)  # fmt: skip
"""the curves of the page; all of them take half an hour"""
Curve = dict[str, float]


def curve(case: Callable[[int], float], sizes: Sequence[int], unit: float, most: int | None = None) -> Curve:
    """By number of objects or elements, of which there may be `most`."""
    found: Curve = {}
    for n in sizes:
        if n > (most or n):
            break
        begin = time.perf_counter()
        found[f"{n:,}"] = case(n) * unit
        if 10 * (time.perf_counter() - begin) > PATIENCE:
            break
    return found


def curves(names: Sequence[str], sizes: Sequence[int]) -> Iterator[tuple[str, Curve]]:
    """Name and curve of each case that is asked for."""
    for case in cases.BY_COUNT:
        if not names or case.__name__ in names:
            yield title(case), growing(curve(case, sizes, 1e6, cases.MOST.get(case)))


def growing(found: Curve) -> Curve:
    """The curve with its growth: the last cost over that beside 100 objects."""
    values = list(found.values())
    return {**found, "growth": values[-1] / values[min(1, len(values) - 1)]}


def title(case: Callable[[int], float]) -> str:
    """The description of a case."""
    return (case.__doc__ or case.__name__).rstrip(".")


def measure(*, quick: bool = False) -> dict[str, Curve]:
    """Microseconds by number of live objects, for the commonest kinds of call."""
    return dict(curves([each.__name__ for each in SHOWN], (FEW, MANY) if quick else SIZES))


def smoke() -> int:
    """1 if a call costs much more beside many objects, else 0. A suspicious case is measured again, as the computer may
    be busy."""
    worst = 0.0
    for case in SMOKE:
        many = min(MANY, cases.MOST.get(case, MANY))
        growth = confirmed(case(many) / case(FEW), MOST, lambda case=case, many=many: case(many) / case(FEW))
        print(
            f"{title(case)}: {'well' if growth <= MOST else f'{growth:.1f} times as much'} beside {many:,}", flush=True
        )
        worst = max(worst, growth)
    return int(worst > MOST)


def show(name: str, found: Curve) -> None:
    print(f"{name[:78]:78} " + " ".join(f"{value:9.3g}" for value in found.values()), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="functions of scaling_cases; all")
    parser.add_argument("--smoke", action="store_true", help="only whether anything grows")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures")
    given = parser.parse_args()
    if given.smoke:
        return smoke()
    record: dict[str, dict[str, Curve] | Curve] = {}
    print("microseconds a call beside", *(f"{n:,}" for n in SIZES), "and growth")
    beside = record["microseconds a call"] = {}
    for name, found in curves(given.names, SIZES):
        beside[name] = found
        show(name, found)
    if not given.names:
        print("nanoseconds for each byte or element of", *(f"{n:,}" for n in ELEMENTS))
        elements = record["nanoseconds an element"] = {}
        for case in BY_ELEMENTS:
            elements[title(case)] = curve(case, ELEMENTS, 1e9, LARGEST if case in LAUNCHES else None)
            show(title(case), elements[title(case)])
        print("bytes of memory")
        record["bytes"] = {title(case): in_a_process(case) for case in MEMORY}
        for name, nbytes in record["bytes"].items():
            print(f"{name:78} {nbytes:9.0f}")
    if given.json:
        given.json.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
