"""What `acl_runtime.sweep.sweep_failures` found out, and how it is told."""

from collections import Counter
from dataclasses import dataclass

from acl_runtime.errors import Finding
from acl_runtime.statuses import Status


@dataclass(frozen=True)
class Run:
    """One run of the program."""

    function: str = ""
    """the C function that failed; none in the run without a failure"""
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
    """did it happen? Not if the program did something else than in its run without a failure"""
    noticed: bool = True
    """did the program return something else, raise, or go on with other calls?"""
    returned: object = None
    raised: BaseException | None = None
    raised_at: str = ""
    crashed: bool = False
    """is what was raised a programming error, not an answer?"""
    findings: tuple[Finding, ...] = ()
    """errors and warnings; those of the run without a failure are left out in the others"""

    @property
    def bad(self) -> bool:
        """Is there something to repair?"""
        return bool(self.findings) or self.crashed

    @property
    def outcome(self) -> str:
        """What became of the program."""
        if self.raised is None:
            return f"the program returned {self.returned!r}"
        where = f" at {self.raised_at}" if self.raised_at else ""
        how = "crashed with" if self.crashed else "raised"
        return f"the program {how} {type(self.raised).__name__}: {self.raised}{where}"

    def __str__(self) -> str:
        if not self.function:
            lines = ["without a failure:"]
        else:
            what = f"task {self.nth} of {self.function} fails on the device" if self.device else ""
            what = what or f"call {self.nth} of {self.function} fails"
            lines = [f"{what} with {Status(self.status)!r}, called at {self.site}:"]
        if not self.met:
            lines.append("    it was not met: the program did something else than without a failure")
        unnoticed = "" if self.noticed or self.release else ", and noticed nothing"
        lines.append(f"    {self.outcome}{unnoticed}")
        for found in self.findings:
            past = "".join(f"; {each}" for each in found.history)
            lines.append(f"    {found.level}[{found.id}]: {found.what.rstrip('.')}{past}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Sweep:
    """What `sweep_failures` found out."""

    base: Run
    """the run without a failure"""
    runs: tuple[Run, ...]
    """one for each call, or task, that failed"""
    left_out: int = 0
    """calls and tasks that were not failed, as there are too many"""

    @property
    def problems(self) -> tuple[Run, ...]:
        """The runs that have findings which the run without a failure has not, or that crashed."""
        crashed = (self.base,) if self.base.crashed else ()
        return crashed + tuple(run for run in self.runs if run.bad)

    @property
    def unmet(self) -> tuple[Run, ...]:
        """The runs whose failure did not happen: the program is not the same each time."""
        return tuple(run for run in self.runs if not run.met)

    def __str__(self) -> str:
        kinds = Counter(found.id for run in self.runs for found in run.findings)
        kinds["crash"] = sum(run.crashed for run in self.runs)
        counts = ", ".join(f"{times} x {kind}" for kind, times in kinds.most_common() if times)
        told = [str(run) for run in dict.fromkeys((*self.problems, *self.unmet))]
        if self.base.findings and not self.base.crashed:
            told.insert(0, str(self.base))
        bad = sum(run.bad for run in self.runs)
        told.append(f"{len(self.runs)} failures, {bad} with problems" + (f": {counts}" if counts else ""))
        unnoticed = sum(not run.noticed and not run.release for run in self.runs)
        if unnoticed:
            told.append(f"{unnoticed} were not noticed: the program went on as if nothing had happened")
        if self.unmet:
            told.append(f"{len(self.unmet)} were not met: the program does not do the same in each run")
        if not self.runs:
            told.append("the program made no call that may fail: does it enter a Machine of its own?")
        if self.left_out:
            told.append(f"{self.left_out} more were left out (most=...)")
        return "\n".join(told)
