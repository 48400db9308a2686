"""The result of `sweep_failures`: its runs, its problems, and its text."""

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from acl_runtime.errors import Finding
from acl_runtime.headers.statuses import Status
from acl_runtime.source.frames import by_site
from acl_runtime.source.site import split
from acl_runtime.text import counted

LISTED: Final = 5
"""the most failures with causes already shown that the text lists"""
LONGEST: Final = 1000
"""the most characters of a returned or raised value that the text shows"""
VARYING: Final = re.compile(r"\[PID: \d+\] [-\d:.]+ |(?<= at )0x[0-9a-fA-F]+")
"""parts that differ between runs: process and time in an error text, the address in the repr of an object"""


def steady(text: str) -> str:
    """The text without the parts that differ between runs of the same program."""
    return VARYING.sub("", text)


@dataclass(frozen=True, eq=False)
class ProgramRun:
    """One run of the program."""

    function: str = ""
    """the C function that failed; empty in the run without failures"""
    nth: int = 0
    """the number of the call, or with `device` of the task, among the calls or tasks of the function"""
    device: bool = False
    """True if a task failed on the device, not a call"""
    release: bool = False
    """True if the call releases an object. The object is released in spite of the failure"""
    status: int = 0
    site: str = ""
    """file and line of the failing call"""
    met: bool = True
    """True if the failure happened; False if the program made other calls than in the run without failures"""
    noticed: bool = True
    """True if the program returned another value, raised, or made other calls than in the run without failures"""
    returned: object = None
    raised: BaseException | None = None
    raised_at: str = ""
    crashed: bool = False
    """True if the raised exception is a programming error; in the run without failures, any exception except an exit
    with 0. An exception is no crash if `expects` has it, or if the run without failures raised it too"""
    findings: tuple[Finding, ...] = ()
    """errors and warnings that the run without failures lacks"""

    @property
    def bad(self) -> bool:
        """True if the run has findings or crashed."""
        return bool(self.findings) or self.crashed

    @property
    def outcome(self) -> str:
        """The end of the program, in words."""
        if self.raised is None:
            return f"the program returned {_clipped(steady(repr(self.returned)))}"
        place = f" at {self.raised_at}" if self.raised_at else ""
        verb = "crashed with" if self.crashed and self.function else "raised"
        return f"the program {verb} {type(self.raised).__name__}{place}: {_clipped(steady(str(self.raised)))}".rstrip(
            " :\n"
        )

    @property
    def failure(self) -> str:
        """The failure of this run."""
        if not self.function:
            return "the program without failures"
        if self.device:
            return f"task {self.nth} of {self.function} fails on the device"
        return f"call {self.nth} of {self.function} fails"

    def __repr__(self) -> str:
        file, line = split(self.site)
        place = f" at {Path(file).name}:{line}" if self.site else ""
        kinds = [*dict.fromkeys(finding.id for finding in self.findings)]
        if self.crashed:
            kinds.append(type(self.raised).__name__)
        return f"<{self.failure}{place}: {', '.join(kinds) or 'no problem'}>"

    def causes(self) -> list[object]:
        """The causes of the problems of the run: the lines of each problem. Problems with the same lines have one
        cause."""
        causes: list[object] = [_cause(finding) for finding in self.findings]
        return [*causes, (type(self.raised), self.raised_at)] if self.crashed else causes

    def __str__(self) -> str:
        return self.text(set())

    def text(self, shown: Collection[object]) -> str:
        """The text of the run. Findings whose cause is in `shown` are only counted."""
        with_ = f" with {Status(self.status)!r}, called at {self.site}" if self.function else ""
        lines = [f"{self.failure}{with_}:"]
        if not self.met:
            lines.append("    it was not met: the program did something else than without failures")
        unnoticed = "" if self.noticed or self.release else ", and noticed nothing"
        lines.append(f"    {_indented(self.outcome)}{unnoticed}")
        new = [finding for finding in self.findings if _cause(finding) not in shown]
        for finding in new:
            past = "".join(f"; {past_line}" for past_line in finding.history)
            place = f"; in {finding.call} at {finding.site}" if finding.site and finding.site != self.site else ""
            lines.append(f"    {finding.level}[{finding.id}]: {finding.what.rstrip('.')}{place}{past}")
        if len(new) < len(self.findings):
            lines.append(f"    {counted(len(self.findings) - len(new), 'finding')} as above")
        return "\n".join(lines)


def _cause(finding: Finding) -> tuple[object, ...]:
    """The id and the lines of a finding."""
    return finding.id, finding.site if finding.call else "", tuple(past.site for past in finding.history)


def _clipped(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def _indented(text: str) -> str:
    return "\n        ".join(line.strip() for line in text.splitlines() if line.strip())


@dataclass(frozen=True, eq=False)
class Sweep:
    """The result of `sweep_failures`. `str` gives the whole report."""

    base: ProgramRun
    """the run without failures"""
    runs: tuple[ProgramRun, ...]
    """the runs, one for each call or task that failed"""
    alike: tuple[str, ...] = ()
    """file and line of each call and task that was omitted because enough others of its line failed (`same_line`)"""
    left_out: int = 0
    """the number of points that were omitted because of `most`"""

    @property
    def problems(self) -> tuple[ProgramRun, ...]:
        """The runs that crashed or have findings which the run without failures lacks. The run without failures comes
        first, if it has findings or raised."""
        return tuple(run for run in (self.base, *self.runs) if run.bad)

    @property
    def unmet(self) -> tuple[ProgramRun, ...]:
        """The runs whose failure did not happen, because the program makes other calls in each run."""
        return tuple(run for run in self.runs if not run.met)

    def check(self) -> "Sweep":
        """AssertionError with the whole report if there are problems, or if no call could fail."""
        __tracebackhide__ = True  # pytest shows the line of the test
        if self.problems or not self.runs:
            raise AssertionError(str(self))
        return self

    def __repr__(self) -> str:
        base = ", and the program without failures" if self.base.bad else ""
        return f"<Sweep: {self._counts}{base}; str() shows more>"

    @property
    def _counts(self) -> str:
        kinds = Counter(finding.id for run in self.runs for finding in run.findings)
        kinds["crash"] = sum(run.crashed for run in self.runs)
        counts = ", ".join(f"{times} x {kind}" for kind, times in kinds.most_common() if times)
        bad = sum(run.bad for run in self.runs)
        return f"{len(self.runs)} failures, {bad} with problems" + (f": {counts}" if counts else "")

    def __str__(self) -> str:
        lines: list[str] = []
        shown, alike = set[object](), list[ProgramRun]()
        for run in (self.base, *self.runs):
            causes = run.causes()
            if run.bad and run.met and shown.issuperset(causes):
                alike.append(run)
            elif run.bad or not run.met:
                lines.append(run.text(shown))
            shown.update(causes)
        if alike:
            listed = ", ".join(f"{run.failure} at {run.site}" for run in alike[:LISTED])
            rest = f", and {len(alike) - LISTED} more" if len(alike) > LISTED else ""
            lines.append(f"{counted(len(alike), 'more failure')} with the same causes: {listed}{rest}")
        lines.append(self._counts)
        if self.base.bad:
            lines.append("the program without failures has problems of its own: those first")
        unnoticed = sum(not run.noticed and not run.release for run in self.runs)
        if unnoticed:
            lines.append(f"{unnoticed} were not noticed: the program went on as if nothing had happened")
        if self.unmet:
            lines.append(f"{len(self.unmet)} were not met: the program does not do the same in each run")
        if not self.runs:
            lines.append("the program made no call that may fail: does it enter a Machine of its own?")
        if self.alike:
            lines.append(f"{len(self.alike)} more of these lines were left out (same_line=...): {by_site(self.alike)}")
        if self.left_out:
            lines.append(f"{self.left_out} more were left out (most=...)")
        return "\n".join(lines)
