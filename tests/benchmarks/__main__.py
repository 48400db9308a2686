"""All measurements in one command.

    python -m tests.benchmarks                      against torch if it is installed, and against the memory bandwidth
    python -m tests.benchmarks --smoke              takes seconds, without torch; fails if a path of ours fell behind
    python -m tests.benchmarks --only softmax float16 --quick
    python -m tests.benchmarks --page               docs/performance.md, its picture and its record

It takes about 20 minutes and 8 GB; with --page, which has fewer rounds, at most 12 minutes. All contenders of a case
take turns in rounds, and the fastest round counts.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.benchmarks import page, smoke, table, torch_side
from tests.benchmarks.cases import chosen
from tests.benchmarks.environment import environment
from tests.benchmarks.floor import Floor
from tests.benchmarks.measured import Measured
from tests.benchmarks.others import measurements, shown
from tests.benchmarks.picture import picture
from tests.benchmarks.progress import Progress
from tests.benchmarks.rounds import Effort
from tests.benchmarks.run import Run

QUICK = Effort(least=3, most=10, seconds=0.5)
"""also for the page: its memory and its accuracy take the rest of the time"""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD", help="cases whose name or size has all words")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, and times only")
    parser.add_argument("--smoke", action="store_true", help="only our own paths against each other")
    parser.add_argument("--seconds", type=float, default=4.0, help="how long the rounds of a case last at least")
    parser.add_argument("--page", action="store_true", help="write the page with all figures, its picture and record")
    parser.add_argument("--resume", action="store_true", help="measure only what the record does not have")
    parser.add_argument("--scale", type=int, default=1, help="divide the large sizes by this")
    parser.add_argument("--no-torch", action="store_true", help="do not compare with torch")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw the ratios, as SVG")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    if given.smoke:
        return smoke.main()
    if given.page:
        given.json = page.DOCS / "performance.json"
    load = [os.getloadavg()[0]]
    cases = chosen(given.only)
    others = {} if given.only else measurements()
    with_torch = torch_side.available() and not given.no_torch
    few = given.quick or given.page
    effort = QUICK if few else Effort(seconds=given.seconds)
    run = Run(Floor(), effort, given.scale, with_torch, thorough=not given.quick)
    progress = Progress(len(cases) + len(others))
    before = json.loads(given.json.read_text(encoding="utf-8")) if given.resume else {"cases": []}
    known = {(one.title, one.dtype): one for one in map(Measured.from_json, before["cases"])}
    results: list[Measured] = []
    figures: dict[str, dict[str, Any]] = {name: before[name] for name in others if name in before}
    failed: list[str] = []

    def keep() -> None:
        """Write the record so far: a run that is ended early leaves what it has measured."""
        load.append(os.getloadavg()[0])
        record = {
            "command": " ".join(["python -m tests.benchmarks", *sys.argv[1:]]),
            "environment": {**environment(), "load": f"{min(load):.1f} to {max(load):.1f} processes, ours included"},
            "cases": [one.to_json() for one in results],
            **figures,
        }
        if given.json:
            given.json.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")

    for name, measure in others.items():
        if name in figures:
            continue
        progress.start(name)
        with going_on(name, failed):
            figures[name] = measure(quick=few)
        keep()
    for case in cases:
        progress.start(case.name)
        with going_on(case.name, failed):
            results.append(known.get((case.title, case.dtype)) or run.measure(case, progress))
        keep()
    progress.end()
    print(summary(results, figures))
    if given.page:
        page.main([])
    if given.picture:
        given.picture.write_text(picture(results), encoding="utf-8")
    if failed:
        print(f"failed, and left out: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


@contextmanager
def going_on(name: str, failed: list[str]) -> Iterator[None]:
    """Print an exception of the block and go on with the next measurement. Earlier results are kept."""
    try:
        yield
    except Exception:
        traceback.print_exc()
        failed.append(name)


def summary(results: list[Measured], figures: dict[str, dict[str, Any]]) -> str:
    """The tables for a terminal."""
    parts = [table.plain(table.table(table.TIMES, results))]
    judged = [one.met for one in results if one.met is not None]
    if judged:
        parts.append(f"{sum(judged)} of {len(judged)} goals met")
    thorough = [one for one in results if one.error is not None]
    if thorough:
        parts.append(table.plain(table.table(table.MEMORY, thorough)))
        parts.append("ours / torch\n" + table.plain(table.table(table.ACCURACY, thorough)))
    parts += [f"{name}\n" + table.plain(shown(name, each)) for name, each in figures.items()]
    return "\n\n".join(parts)


if __name__ == "__main__":
    sys.exit(main())
