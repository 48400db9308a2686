"""The cases of ggml's program test-backend-ops: which the backend accepts, a share of them, and a run of them.

The program compares each case with ggml's backend for the CPU, with random data. Each operation has a process of its
own. Where a case ends the process, the next process goes on behind that case.
"""

from __future__ import annotations

import csv
import queue
import random
import re
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, NamedTuple, get_args

PROGRAM: Final = "build/bin/test-backend-ops"
BACKEND: Final = "CANN0"
ALONE: Final = ("ROPE",)
"""operations whose cases have a process of their own each: behind a case with fewer rotated dimensions, a cache of the
backend is too small"""
LONGEST: Final = 100_000
"""bytes of one argument; Linux allows 128 KiB"""
RESULT: Final = re.compile(r"  ([A-Z0-9_]+)\(([^()]*)\): (?:\x1b\[[\d;]*m)?(OK|FAIL|not supported)")
FOUND: Final = re.compile(r"(error|warning|advice)\[([\w-]+)\]: ")
Outcome = Literal["right", "wrong", "stopped", "alone"]
OUTCOMES: Final[dict[str, Outcome]] = {"OK": "right", "FAIL": "wrong", "not supported": "alone"}


class Case(NamedTuple):
    """An operation with its parameters, as the program names them."""

    op: str
    parameters: str

    def __str__(self) -> str:
        return f"{self.op}({self.parameters})"


@dataclass
class Ran:
    """A case that ran."""

    case: Case
    outcome: Outcome
    """stopped: the process ended in this case; alone: ggml's backend for the CPU refuses it, so nothing is compared"""
    seconds: float
    said: list[str] = field(default_factory=list)
    """the lines of stdout and stderr during the case"""

    @property
    def findings(self) -> list[str]:
        """The ids of the errors and warnings."""
        found = map(FOUND.match, self.said)
        return [each[2] for each in found if each is not None and each[1] != "advice"]


@dataclass
class Report:
    """The cases of one operation, and what its processes said outside of cases."""

    op: str
    cases: list[Ran] = field(default_factory=list)
    other: list[str] = field(default_factory=list)
    processes: int = 0

    @property
    def outcomes(self) -> Counter[str]:
        return Counter(each.outcome for each in self.cases)

    def __str__(self) -> str:
        if not self.cases:
            return f"{self.op:20} no time was left"
        slowest = max(self.cases, key=lambda each: each.seconds)
        counts = ", ".join(f"{self.outcomes[each]} {each}" for each in get_args(Outcome) if self.outcomes[each])
        found = Counter(id for each in self.cases for id in each.findings)
        total = sum(each.seconds for each in self.cases)
        shown = f"{self.op:20} {counts}; {total:.1f} s, slowest {slowest.seconds:.1f} s"
        return shown + "".join(f"; {id} {count}x" for id, count in found.items())


class Program:
    """test-backend-ops in the folder of its build."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder = folder
        # ggml would run gdb for a backtrace whenever it aborts
        self.environment = {**environment, "GGML_NO_BACKTRACE": "1"}

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start the program in a mode, with the backend."""
        return subprocess.Popen(
            ["bash", "-c", '. tk/set_env.sh && exec "$0" "$@"', "stdbuf", "-oL", PROGRAM, *arguments, "-b", BACKEND],
            cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
            errors="replace",
        )  # fmt: skip

    def accepted(self) -> list[Case]:
        """The cases that the backend accepts, in the order in which the program runs them."""
        process = self.start("support", "--output", "csv")
        rows, _ = process.communicate()
        lines = rows[rows.index('"backend_name"') :].splitlines()
        return [Case(row["op_name"], row["op_params"]) for row in csv.DictReader(lines) if row["supported"] == "1"]

    def run(self, cases: Sequence[Case], *, until: float) -> Report:
        """Run cases of one operation until they are done or the time (of time.monotonic) is over."""
        report, rest = Report(cases[0].op), list(cases)
        while rest and time.monotonic() < until:
            count = 1 if report.op in ALONE else _fitting(rest)
            done = self._run(rest[:count], report, until)
            rest = rest[done:]
        return report

    def _run(self, cases: Sequence[Case], report: Report, until: float) -> int:
        """Run cases in one process. Returns how many of them it was."""
        process = self.start("test", "-o", ",".join(map(str, dict.fromkeys(cases))))
        report.processes += 1
        said: list[str] = []
        before, done, began = time.monotonic(), 0, False
        for line in _lines(process, until):
            now = time.monotonic()
            result = RESULT.search(line)
            if result is None:
                if began:
                    said.append(line)
                else:
                    report.other.append(line)
                    began, before = line.startswith("  Device memory"), now
                continue
            outcome = OUTCOMES[result[3]]
            report.cases.append(Ran(Case(result[1], result[2]), outcome, now - before, [*said, line[: result.start()]]))
            said, before, done = [], now, done + 1
        if done == len(cases):
            report.other += said
            return done
        over = time.monotonic() >= until
        report.cases.append(Ran(cases[done], "stopped", time.monotonic() - before, [*said, *["out of time"] * over]))
        return len(cases) if over else done + 1


def _fitting(cases: Sequence[Case]) -> int:
    """How many of the first cases are no longer than an argument may be."""
    size = 0
    for number, case in enumerate(cases):
        size += len(str(case)) + 1
        if size > LONGEST:
            return number
    return len(cases)


def _lines(process: subprocess.Popen[str], until: float) -> Iterator[str]:
    """The lines that a process writes, as they come. It is ended when the time is over."""
    lines: queue.Queue[str | None] = queue.Queue()

    def read() -> None:
        assert process.stdout is not None
        with process.stdout as said:
            for line in said:
                lines.put(line.rstrip("\n"))
        lines.put(None)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        while (line := lines.get(timeout=max(0.0, until - time.monotonic()))) is not None:
            yield line
    except queue.Empty:
        process.kill()
    process.wait()
    reader.join()


def share(cases: Collection[Case], seed: int, most: int) -> list[Case]:
    """At most so many cases of each operation, drawn with a seed, in their order. Equal cases are drawn together."""
    drawn: set[Case] = set()
    for op, group in by_operation(cases).items():
        each = list(dict.fromkeys(group))
        drawn.update(random.Random(f"{seed} {op}").sample(each, min(most, len(each))))
    return [case for case in cases if case in drawn]


def by_operation(cases: Collection[Case]) -> dict[str, list[Case]]:
    """The cases of each operation, in their order."""
    found: dict[str, list[Case]] = {}
    for case in cases:
        found.setdefault(case.op, []).append(case)
    return found
