"""The results of the tests of a run: findings, calls with their statuses, operators by product, files of failed tests.

A worker of pytest-xdist sends its results to the process that started it, which adds the results up and writes the
files.
"""

import json
import pickle
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import pytest

from acl_runtime.checks.report import formats
from acl_runtime.errors import Finding
from acl_runtime.headers.statuses import name_of
from acl_runtime.machine.machine import Machine
from acl_runtime.objects.options import language
from acl_runtime.testing.pytest_options import PytestOptions

RESULTS: "Final[pytest.StashKey[Results]]" = pytest.StashKey()
RAISED: Final = -1
"""in place of a status, for a call that raised instead of returning"""
LONGEST_NAME: Final = 140
"""bytes of the name of a folder; some file systems allow 143"""
PLAN: Final = "GetWorkspaceSize"


@dataclass
class Results:
    """The results of one process, or the sum over all processes."""

    tests: int = 0
    """tests that used a machine"""
    calls: Counter[tuple[str, str, int]] = field(default_factory=Counter[tuple[str, str, int]])
    """the number of calls, by product series, function and status"""
    findings: list[Finding] = field(default_factory=list[Finding])
    """errors and warnings that failed a test"""
    allowed: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """the number of findings that allowances have allowed, by id and reason"""
    files: list[str] = field(default_factory=list[str])
    """folders with the timeline and the trace of a failed test"""
    unwritten: list[str] = field(default_factory=list[str])
    """the reasons why files could not be written, as a full disk must not end the run"""

    def count(self, machine: Machine, findings: list[Finding]) -> None:
        """Add the machine of one test, when it is closed, and the findings that failed the test."""
        self.tests += 1
        self.findings += findings
        self.allowed.update(machine.findings.met)
        series = machine.soc.series.value
        for call in machine.calls:
            self.calls[series, call.function, RAISED if call.status is None else call.status] += 1

    def add(self, other: "Results") -> None:
        """Add the results of a worker."""
        self.tests += other.tests
        self.calls += other.calls
        self.findings += other.findings
        self.allowed += other.allowed
        self.files += other.files
        self.unwritten += other.unwritten

    # the attributes that `checks.report.formats.report` reads

    unlisted = 0
    in_c = False

    @property
    def lang(self) -> str:
        return language()

    @property
    def met(self) -> Mapping[tuple[str, str], int]:
        return self.allowed

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)


def packed(results: Results) -> bytes:
    """The results as bytes, which pytest-xdist can send."""
    return pickle.dumps(results)


def unpacked(sent: bytes) -> Results:
    """The results that `packed` made, in a worker of this run."""
    return pickle.loads(sent)


def folder_name(nodeid: str) -> str:
    """The name of the folder of a test. A long id is cut and gets a digest, so that the names of such tests differ."""
    name = re.sub(r"[^\w.=-]+", "-", nodeid).strip("-")
    whole = name.encode()
    if len(whole) <= LONGEST_NAME:
        return name
    digest = f"-{crc32(nodeid.encode(errors='surrogatepass')):08x}"
    return whole[: LONGEST_NAME - len(digest)].decode(errors="ignore") + digest


def write(results: Results, choice: PytestOptions) -> None:
    """Write the files that the options name."""
    if choice.report is not None:
        _write(results, "--acl-report", choice.report, formats.write)
    if choice.summary is not None and choice.summary != "-":
        _write(results, "--acl-summary", choice.summary, _write_summary)


def _write(results: Results, option: str, path: str, write: Callable[[Results, str], object]) -> None:
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        write(results, path)
    except OSError as error:
        results.unwritten.append(f"{option}: {error}")


def _write_summary(results: Results, path: str) -> None:
    of_file = as_json if path.endswith(".json") else as_markdown
    Path(path).write_text(of_file(results) + "\n", encoding="utf-8", errors="backslashreplace")


def as_json(results: Results) -> str:
    """The summary as JSON."""
    return json.dumps(
        {
            "tests": results.tests,
            "findings": dict(Counter(result.id for result in results)),
            "functions": {name: dict(sorted(met.items())) for name, met in functions(results)},
            "operators": dict(operators(results)),
        },
        indent=2,
    )


def as_markdown(results: Results) -> str:
    """The summary as a page: two tables, and the findings."""
    counts = Counter(result.id for result in results)
    parts = [
        "# What the tests met",
        f"{results.tests} tests used a machine. Findings: "
        + (", ".join(f"{id} {times}x" for id, times in counts.most_common()) or "none")
        + ".",
    ]
    if rows := [f"| {name} | {_statuses(met)} |" for name, met in functions(results)]:
        parts.append("\n".join(["## Functions", "", "| function | status and calls |", "|---|---|", *rows]))
    if rows := [
        f"| {name} | {', '.join(f'{product} {times}x' for product, times in products.items())} |"
        for name, products in operators(results)
    ]:
        parts.append(
            "\n".join(["## Operators", "", "| operator | product and number of launches |", "|---|---|", *rows])
        )
    return "\n\n".join(parts)


def functions(results: Results) -> Iterator[tuple[str, dict[int, int]]]:
    """Each function with its statuses, and the number of calls that returned each."""
    met: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for (_, name, status), times in results.calls.items():
        met[name][status] += times
    return ((name, dict(met[name])) for name in sorted(met))


def operators(results: Results) -> Iterator[tuple[str, dict[str, int]]]:
    """Each operator with its products, and the number of launches on each."""
    planned = {name.removesuffix(PLAN) for _, name, _ in results.calls if name.endswith(PLAN)}
    met: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for (series, name, status), times in results.calls.items():
        if name in planned and status == 0:
            met[name][series] += times
    return ((name, dict(sorted(met[name].items()))) for name in sorted(met))


def _statuses(met: Mapping[int, int]) -> str:
    return ", ".join(f"{_status(status)} {times}x" for status, times in sorted(met.items()))


def _status(status: int) -> str:
    return "raised" if status == RAISED else f"{status} {name_of(status)}".strip() if status else "0"


def properties(machine: Machine, findings: list[Finding]) -> list[tuple[str, Any]]:
    """Properties of a test for JUnit: the product, the schedule, and the ids of the findings that failed it."""
    options = machine.options
    schedule = f"random, seed={options.seed}" if options.schedule == "random" else options.schedule
    ids = ", ".join(dict.fromkeys(finding.id for finding in findings))
    return [("acl.soc", machine.soc.name), ("acl.schedule", schedule), *([("acl.findings", ids)] if ids else [])]
