"""The cost of the checks: a two-phase call and its synchronise with everything on, as shipped, compared with everything
off. Everything is: findings, races, the lines of the program, the records of the last calls and tasks.

    python -m tests.benchmarks.checks_cost [--rounds N] [--json FILE]

At most twice as much is the goal. No option turns everything off, as no program wants that; so the calls of the other
side are made here: of functions that keep no record, and look neither for a line of the program nor for another thread
with their executor. They run on a `Machine(checks=False)` that keeps no tasks. All sides take turns, each time on a
fresh machine, and the fastest round of each counts. The ratio is the median over the rounds, because the speed of the
computer may change between them. A ratio above the goal is measured again. `--json` puts the figures into a file that
`python -m tests.benchmarks --json` wrote.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from acl_runtime import Machine, boundary
from acl_runtime.abi.function import CFunction
from acl_runtime.recording import Recorder
from acl_runtime.source import frames as site
from acl_runtime.trace.records import Calls
from tests.benchmarks.cases import CASES, Case
from tests.benchmarks.ours import board, prepare
from tests.benchmarks.rounds import confirmed

MOST = 2.0
ROUNDS, CALLS, WARM = 60, 20, 5


NOWHERE = (compile("", "nowhere", "exec"), 0)


@dataclass(frozen=True)
class Side:
    """The parts that are on: the checks of a machine, the lines of the program, the records."""

    checks: bool = True
    lines: bool = True
    records: bool = True


SIDES = {
    "on": Side(),
    "off": Side(checks=False, lines=False, records=False),
    "without checks": Side(checks=False),
    "without lines": Side(lines=False),
    "without records": Side(records=False),
}


@contextmanager
def lines(look: Callable[..., Any]) -> Iterator[None]:
    """Let another function look for the lines of the program."""
    found = site.trail
    with ExitStack() as stack:
        for module in list(sys.modules.values()):
            if getattr(module, "trail", None) is found:
                stack.enter_context(patch.object(module, "trail", look))
        yield


def no_line(*_: Any) -> Any:
    """Find no line."""
    return NOWHERE


def unrecorded(function: Any) -> Any:
    """The same function of the API, without a record of its calls."""
    declared = replace(function.c)
    declared.executor = None  # do not check for use by other threads
    with patch.object(boundary, "Recorder", Unrecorded):
        return boundary.expose(declared, function.__wrapped__, function.failed, with_machine=function.with_machine)


def keep_nothing(machine: Machine) -> None:
    """Let a machine keep neither its calls nor its tasks."""
    machine.calls, machine.tasks = Calls(machine.names, 0), deque(maxlen=0)


class Unrecorded(Recorder):
    """Prepares nothing for the record of a call."""

    def __init__(self, function: CFunction) -> None:
        super().__init__(function)
        self.keep, self.stream, self.addresses = None, None, False


def once(case: Case, side: Side) -> float:
    """Seconds of processor time for a call on a fresh machine. Other processes disturb it less than the clock."""
    with nullcontext() if side.lines else lines(no_line), board(checks=side.checks) as machine:
        if not side.records:
            keep_nothing(machine)
        call = prepare(case.problem(), *([] if side.records else [unrecorded])).call
        for _ in range(WARM):
            call()
        begin = time.thread_time()
        for _ in range(CALLS):
            call()
        return (time.thread_time() - begin) / CALLS


def costs(case: Case, rounds: int) -> dict[str, float]:
    """Microseconds of a call with everything on and off, their ratio, and the time of each part."""
    times: dict[str, list[float]] = {name: [] for name in SIDES}
    order = list(SIDES)
    for _ in range(rounds):
        for name in order:
            times[name].append(1e6 * once(case, SIDES[name]))
        order = order[1:] + order[:1]
    best = {name: min(each) for name, each in times.items()}
    parts = {
        part: statistics.median(on - without for on, without in zip(times["on"], times[f"without {part}"], strict=True))
        for part in ("checks", "lines", "records")
    }
    ratio = statistics.median(on / off for on, off in zip(times["on"], times["off"], strict=True))
    return {"on": best["on"], "off": best["off"], "ratio": ratio, **parts}


def measure(
    rounds: int = ROUNDS, *, quick: bool = False, show: Callable[[str], None] = lambda _: None
) -> dict[str, dict[str, float]]:
    """`costs` of each operator, on the few elements of the sample in its document."""
    found: dict[str, dict[str, float]] = {}
    for case in tiny():
        found[case.title] = costs(case, 3 if quick else rounds)
        show(f"{case.title}: " + ", ".join(f"{name} {value:.2f}" for name, value in found[case.title].items()))
    return found


def tiny() -> list[Case]:
    """The cases that are measured."""
    return [case for case in CASES if case.size == "tiny" and case.dtype == "float32"]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.checks_cost")
    parser.add_argument("--json", type=Path, metavar="FILE", help="the record of a run, whose figures these replace")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"{ROUNDS} unless given")
    given = parser.parse_args()
    found = measure(given.rounds, show=print)
    if given.json:
        record = json.loads(given.json.read_text(encoding="utf-8"))
        text = json.dumps(record | {"checks_cost": found}, indent=1)
        given.json.write_text(text + "\n", encoding="utf-8")
    worst = max(
        confirmed(found[case.title]["ratio"], MOST, lambda case=case: costs(case, given.rounds)["ratio"])
        for case in tiny()
    )
    if worst > MOST:
        print(f"looking for mistakes makes a call take {worst:.2f} times as long, more than {MOST}", file=sys.stderr)
    return worst > MOST


if __name__ == "__main__":
    sys.exit(main())
