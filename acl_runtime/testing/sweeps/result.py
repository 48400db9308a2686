"""What `acl_runtime.testing.sweeps.sweep.sweep_failures` found out, and how it is told."""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from acl_runtime.errors import Finding
from acl_runtime.headers.statuses import Status
from acl_runtime.source.frames import by_site
from acl_runtime.source.site import split

LONGEST: Final = 1000
"""so much of what a program returned or raised is told"""
VARYING: Final = re.compile(r"\[PID: \d+\] [-\d:.]+ |(?<= at )0x[0-9a-fA-F]+")
"""what differs each time: the process and the time in an error text, the address in the repr of an object"""


def steady(text: str) -> str:
    """The text without what differs each time that a program does the same."""
    return VARYING.sub("", text)


@dataclass(frozen=True, eq=False)
class Run:
    """One run of the program."""

    function: str = ""
    """the C function that failed; none in the run without failures"""
    nth: int = 0
    """which of its calls, or with `device` of its tasks"""
    device: bool = False
    """did its task fail on the device, and not the call?"""
    release: bool = False
    """did the call give something back? It has released it all the same"""
    status: int = 0
    site: str = ""
    """file and line of that call"""
    met: bool = True
    """did it happen? Not if the program did something else than in its run without failures"""
    noticed: bool = True
    """did the program return something else, raise, or go on with other calls?"""
    returned: object = None
    raised: BaseException | None = None
    raised_at: str = ""
    crashed: bool = False
    """is what was raised a programming error, not an answer? Of the run without failures: is it anything but an exit
    with 0? (Not if `expects` names it, nor if the run without failures ended with the same.)"""
    findings: tuple[Finding, ...] = ()
    """errors and warnings; those of the run without failures are left out in the others"""

    @property
    def bad(self) -> bool:
        """Is there something to repair?"""
        return bool(self.findings) or self.crashed

    @property
    def outcome(self) -> str:
        """What became of the program."""
        if self.raised is None:
            return f"the program returned {_clipped(steady(repr(self.returned)))}"
        where = f" at {self.raised_at}" if self.raised_at else ""
        how = "crashed with" if self.crashed and self.function else "raised"
        return f"the program {how} {type(self.raised).__name__}{where}: {_clipped(steady(str(self.raised)))}".rstrip(
            " :\n"
        )

    @property
    def failure(self) -> str:
        """What failed."""
        if not self.function:
            return "the program without failures"
        if self.device:
            return f"task {self.nth} of {self.function} fails on the device"
        return f"call {self.nth} of {self.function} fails"

    def __repr__(self) -> str:
        file, line = split(self.site)
        where = f" at {Path(file).name}:{line}" if self.site else ""
        kinds = [*dict.fromkeys(found.id for found in self.findings)]
        if self.crashed:
            kinds.append(type(self.raised).__name__)
        return f"<{self.failure}{where}: {', '.join(kinds) or 'no problem'}>"

    def __str__(self) -> str:
        with_ = f" with {Status(self.status)!r}, called at {self.site}" if self.function else ""
        lines = [f"{self.failure}{with_}:"]
        if not self.met:
            lines.append("    it was not met: the program did something else than without failures")
        unnoticed = "" if self.noticed or self.release else ", and noticed nothing"
        lines.append(f"    {_indented(self.outcome)}{unnoticed}")
        for found in self.findings:
            past = "".join(f"; {each}" for each in found.history)
            where = f"; in {found.call} at {found.site}" if found.site and found.site != self.site else ""
            lines.append(f"    {found.level}[{found.id}]: {found.what.rstrip('.')}{where}{past}")
        return "\n".join(lines)


def _clipped(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def _indented(text: str) -> str:
    return "\n        ".join(line.strip() for line in text.splitlines() if line.strip())


@dataclass(frozen=True, eq=False)
class Sweep:
    """What `sweep_failures` found out. `str` tells it all."""

    base: Run
    """the run without failures"""
    runs: tuple[Run, ...]
    """one for each call, or task, that failed"""
    alike: tuple[str, ...] = ()
    """file and line of each call and task that was not failed as others of its line were (`same_line`)"""
    left_out: int = 0
    """how many more were not failed, as there are too many (`most`)"""

    @property
    def problems(self) -> tuple[Run, ...]:
        """The runs that have findings which the run without failures has not, or that crashed; before them the run
        without failures, if it has findings of its own or ended by an exception."""
        return tuple(run for run in (self.base, *self.runs) if run.bad)

    @property
    def unmet(self) -> tuple[Run, ...]:
        """The runs whose failure did not happen: the program is not the same each time."""
        return tuple(run for run in self.runs if not run.met)

    def check(self) -> "Sweep":
        """AssertionError with the whole text if there are problems, or if there was nothing that could fail."""
        __tracebackhide__ = True  # pytest shows the line of the test
        if self.problems or not self.runs:
            raise AssertionError(str(self))
        return self

    def __repr__(self) -> str:
        base = ", and the program without failures" if self.base.bad else ""
        return f"<Sweep: {self._counts}{base}; str() tells more>"

    @property
    def _counts(self) -> str:
        kinds = Counter(found.id for run in self.runs for found in run.findings)
        kinds["crash"] = sum(run.crashed for run in self.runs)
        counts = ", ".join(f"{times} x {kind}" for kind, times in kinds.most_common() if times)
        bad = sum(run.bad for run in self.runs)
        return f"{len(self.runs)} failures, {bad} with problems" + (f": {counts}" if counts else "")

    def __str__(self) -> str:
        told = [str(run) for run in (self.base, *self.runs) if run.bad or not run.met]
        told.append(self._counts)
        if self.base.bad:
            told.append("the program without failures has problems of its own: those first")
        unnoticed = sum(not run.noticed and not run.release for run in self.runs)
        if unnoticed:
            told.append(f"{unnoticed} were not noticed: the program went on as if nothing had happened")
        if self.unmet:
            told.append(f"{len(self.unmet)} were not met: the program does not do the same in each run")
        if not self.runs:
            told.append("the program made no call that may fail: does it enter a Machine of its own?")
        if self.alike:
            told.append(f"{len(self.alike)} more of these lines were left out (same_line=...): {by_site(self.alike)}")
        if self.left_out:
            told.append(f"{self.left_out} more were left out (most=...)")
        return "\n".join(told)
