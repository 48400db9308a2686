"""Options of the command line and the ini file, for all machines of a run of pytest.

The plugin imports this module in every run, so it imports nothing slow.
"""

import random
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pytest

SCHEDULES: Final = ("late", "eager", "threads", "random")
SEEDS: Final = 2**32
"""a drawn seed is below this number"""


@dataclass(frozen=True)
class PytestOptions:
    """The chosen options."""

    schedule: str | None
    seed: int
    """seed of random schedules; drawn once for the run unless given"""
    seeded: bool
    """True if the seed is given as an option, not drawn"""
    soc: str | None
    """the chip of tests without a marker for the chip"""
    min_workspace: int | None
    seeds: int = 0
    """the number of runs of each test, each under another random schedule; 0: one run, with the schedule of the
    options"""
    artifacts: str | None = None
    """a folder for the timeline and the trace of each test that fails"""
    report: str | None = None
    """a file for the findings of all tests: .sarif, .json, or text"""
    summary: str | None = None
    """a file for the functions, statuses and operators of the tests: .json, or Markdown; - for the terminal"""

    @property
    def traces(self) -> bool:
        """True if an option needs every call of a test, with its line."""
        return self.artifacts is not None or self.summary is not None

    @property
    def collects(self) -> bool:
        """True if an option needs the results of all tests."""
        return self.report is not None or self.summary is not None or self.artifacts is not None

    def header(self) -> str | None:
        """The line for the header of pytest's report; None if no option was chosen."""
        parts = [f"{name}={value}" for name, value in (("soc", self.soc), ("min_workspace", self.min_workspace))
                if value is not None]  # fmt: skip
        if self.seeds:
            parts += [f"seeds={self.seed} to {self.seed + self.seeds - 1}"]
        elif self.schedule == "random":
            parts += [f"schedule=random, seed={self.seed}"]
        elif self.schedule is not None:
            seed = f" (seed={self.seed} is for tests whose marker says random)" * self.seeded
            parts += [f"schedule={self.schedule}{seed}"]
        return f"acl_runtime: {', '.join(parts)}" if parts else None


CHOICE: Final = pytest.StashKey[PytestOptions]()


def add_options(parser: pytest.Parser) -> None:
    """Add the options of the command line, and those about the machine also as options of the ini file."""
    group = parser.getgroup("acl_runtime", "AscendCL emulator")
    schedules = "when queued work runs on the fixture machine"
    seeds = "seed of --acl-schedule=random, which it implies; without it one is drawn for the run"
    socs = "chip of the fixture machine, such as Ascend310P3, where no marker of the test names one"
    workspaces = "least workspace that a first phase reports: finds tests that never allocate a workspace"
    group.addoption("--acl-schedule", choices=SCHEDULES, help=schedules)
    group.addoption("--acl-seed", type=int, metavar="N", help=seeds)
    group.addoption("--acl-soc", metavar="CHIP", help=socs)
    group.addoption("--acl-min-workspace", type=int, metavar="BYTES", help=workspaces)
    group.addoption("--acl-seeds", type=int, default=0, metavar="N", help="run each test N times, each time under "
                    "another random schedule; the first has the seed of --acl-seed")  # fmt: skip
    group.addoption("--acl-artifacts", metavar="DIR", help="write timeline and trace of each test that fails")
    group.addoption("--acl-report", metavar="FILE", help="write the findings of all tests: .sarif, .json, or text")
    group.addoption("--acl-summary", metavar="FILE", help="write the functions, statuses and operators that the tests "
                    "met: .json, or Markdown; - prints it")  # fmt: skip
    parser.addini("acl_schedule", f"{schedules} (as --acl-schedule)", default="")
    parser.addini("acl_seed", f"{seeds} (as --acl-seed)", default="")
    parser.addini("acl_soc", f"{socs} (as --acl-soc)", default="")
    parser.addini("acl_min_workspace", f"{workspaces} (as --acl-min-workspace)", default="")


def chosen(config: pytest.Config) -> PytestOptions:
    """Read the options; UsageError for an invalid value."""
    schedule = config.getoption("acl_schedule") or config.getini("acl_schedule") or None
    if schedule is not None and schedule not in SCHEDULES:
        raise pytest.UsageError(f"acl_schedule={schedule}: one of {', '.join(SCHEDULES)}")
    seed, min_workspace = _number(config, "acl_seed"), _number(config, "acl_min_workspace")
    soc = config.getoption("acl_soc") or config.getini("acl_soc") or None
    _check(soc, min_workspace)
    seeded = seed is not None
    if seed is None:  # a worker of pytest-xdist uses the seed of the process that started it
        seed = getattr(config, "workerinput", {}).get("acl_seed", random.SystemRandom().randrange(SEEDS))
    seeds = config.getoption("acl_seeds") or 0
    if seeds < 0:
        raise pytest.UsageError(f"--acl-seeds={seeds}: 0 or more")
    if seeds and schedule not in (None, "random"):
        raise pytest.UsageError(f"--acl-seeds={seeds} is for --acl-schedule=random, not for {schedule}")
    files = (config.getoption(name) for name in ("acl_artifacts", "acl_report", "acl_summary"))
    random_order = "random" if seeded or seeds else None
    return PytestOptions(schedule or random_order, seed, seeded, soc, min_workspace, seeds, *files)


def warn_of_unused_seed(config: pytest.Config, items: Sequence[pytest.Item]) -> None:
    """Warn if --acl-seed has no effect, because neither --acl-schedule nor the marker of a test is random. A seed in
    the ini file may be for other runs, so it gives no warning."""
    seed, schedule = config.getoption("acl_seed"), config.stash[CHOICE].schedule
    markers = (mark for item in items for mark in item.iter_markers("machine"))
    if seed is None or schedule == "random" or any(mark.kwargs.get("schedule") == "random" for mark in markers):
        return
    sentence = f"--acl-seed={seed} has no effect: it is for --acl-schedule=random, not for {schedule}"
    try:
        warnings.warn(pytest.PytestConfigWarning(sentence), stacklevel=2)
    except pytest.PytestConfigWarning as error:  # warnings are errors in this run
        raise pytest.UsageError(str(error)) from None


def repeats(choice: PytestOptions, markers: Iterable[pytest.Mark]) -> range:
    """The seeds of a test under --acl-seeds; empty if its markers fix the order of work."""
    arguments: dict[str, Any] = {name: value for marker in markers for name, value in marker.kwargs.items()}
    varies = arguments.get("schedule", "random") == "random" and "seed" not in arguments
    return range(choice.seed, choice.seed + choice.seeds) if varies else range(0)


def _number(config: pytest.Config, name: str) -> int | None:
    """The number of an option of the command line, or else of the ini file."""
    value, ini_value = config.getoption(name), config.getini(name)
    if value is not None or not ini_value:
        return value
    try:
        return int(ini_value)
    except ValueError:
        raise pytest.UsageError(f"{name}={ini_value}: a number") from None


def _check(soc: str | None, min_workspace: int | None) -> None:
    """Refuse a wrong value once, before any test runs."""
    if min_workspace is not None and min_workspace < 0:
        raise pytest.UsageError(f"acl_min_workspace={min_workspace}: 0 or more")
    if soc is not None:
        from acl_runtime.objects.soc import soc_named  # imported late, as it takes long to import

        try:
            soc_named(soc)
        except ValueError as error:
            raise pytest.UsageError(f"acl_{error}") from None
