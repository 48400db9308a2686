"""`aclnn conformance compare`: the answers of a report beside those of the emulator, function by function."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from acl_runtime.objects.soc import SOCS
from acl_runtime.version import __version__
from aclnn.tools.conformance.answers import Verdict, verdict
from aclnn.tools.conformance.recorder import calls as files
from aclnn.tools.conformance.recorder.calls import Unreadable
from aclnn.tools.conformance.rows import Row, touched
from aclnn.tools.toolkit.user_cache import cached_toolkit

RECORDER: Final = (sys.executable, "-m", "aclnn.tools.conformance.recorder")
OPTIONS: Final = "ACL_EMULATOR_"
Report = Mapping[str, Any]


@dataclass
class Compared:
    """The comparison of the calls of one function."""

    name: str
    agreeing: int = 0
    worst: float = 0.0
    """largest error of the results as a share of the largest element"""
    absent: int = 0
    """calls whose function is missing in the libraries of the report"""
    differences: list[tuple[str, Verdict]] = field(default_factory=list[tuple[str, Verdict]])
    """each call that differs: its description, and the difference"""

    @property
    def calls(self) -> int:
        return self.agreeing + self.absent + len(self.differences)

    def rows(self) -> list[Row]:
        """The rows of the page about fidelity that the differences may concern."""
        kinds = {
            "results" if difference.what.startswith("argument") else difference.what
            for _, difference in self.differences
        }
        return touched(self.name, kinds) if self.differences else []


def load(path: Path) -> Report:
    """A report; `Unreadable` if the file has no answers."""
    report = files.load(str(path))
    if "answers" not in report:
        raise Unreadable(f"{path} has calls and no answers: it is a kit, not a report")
    return report


def here(report: Path, soc: str, libraries: str) -> Report:
    """The report of the emulator for the calls of a report. `soc`: the product. `libraries`: lib64 of a toolkit; empty:
    the toolkit in the user's cache."""
    if soc not in SOCS:
        raise ValueError(f"there is no product {soc!r} here; name one with --soc: {', '.join(SOCS)}")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(OPTIONS)}
    environment[f"{OPTIONS}SOC"] = soc
    with tempfile.TemporaryDirectory() as folder:
        to = Path(folder, "report.json")
        words = [
            "record",
            str(report.absolute()),
            "-o",
            str(to),
            "--libraries",
            libraries or str(cached_toolkit() / "lib64"),
        ]
        subprocess.run([*RECORDER, *words], env=environment, check=True, stdout=subprocess.DEVNULL)
        return load(to)


def compare(theirs: Report, ours: Report) -> list[Compared]:
    """Compare two reports of the same calls."""
    by_name: dict[str, Compared] = {}
    for call, one, other in zip(theirs["calls"], theirs["answers"], ours["answers"], strict=True):
        function = by_name.setdefault(call["function"], Compared(call["function"]))
        if "absent" in one:
            function.absent += 1
            continue
        difference = verdict(call, one, other)
        if difference.agrees:
            function.agreeing += 1
            function.worst = max(function.worst, difference.error)
        else:
            function.differences.append((call["id"].partition(": ")[2], difference))
    return list(by_name.values())


def facts(theirs: Report, functions: list[Compared]) -> dict[str, Any]:
    """The comparison for programs."""
    return {
        "product": theirs["product"], "runtime": theirs["runtime"], "kit": theirs["kit"], "emulator": __version__,
        "functions": {
            function.name: {
                "calls": function.calls, "agree": function.agreeing, "absent": function.absent,
                "worst": function.worst,
                "differences": [{"call": about, **difference._asdict()} for about, difference in function.differences],
                "rows": [row.name for row in function.rows()],
            }
            for function in functions
        },
    }  # fmt: skip


def text(theirs: Report, functions: list[Compared], *, whole: bool) -> Iterator[str]:
    """The comparison for people, line by line; with the functions that agree if `whole`."""
    different = [each for each in functions if each.differences]
    near = [each for each in functions if each.worst and not each.differences]
    absent = [each.name for each in functions if each.absent]
    equal = [each.name for each in functions if each.agreeing and not each.differences and not each.worst]
    calls, agreeing = sum(each.calls for each in functions), sum(each.agreeing for each in functions)
    yield f"{theirs['product']}, runtime {theirs['runtime']}; kit {theirs['kit']}, emulator {__version__}"
    differing = sum(len(each.differences) for each in different)
    yield f"{calls} calls of {len(functions)} functions: {agreeing} agree, {differing} differ"
    for function in different:
        yield from _function(function)
    for function in near:
        yield f"{function.name} agrees nearly: an error of {function.worst:.2g} of the largest element"
    yield f"{len(equal)} functions agree in all calls" + (f": {', '.join(equal)}" if whole and equal else "")
    if absent:
        yield f"{len(absent)} functions are absent there: {', '.join(absent)}"


def _function(function: Compared) -> Iterator[str]:
    """The differences of a function, and the rows that they may concern."""
    yield ""
    yield f"{function.name}: {function.agreeing} of {function.calls} calls agree"
    for about, difference in function.differences:
        yield f"  {about}"
        yield f"    {difference.what}: {difference.theirs} there, {difference.ours} here"
    rows = function.rows()
    for row in rows:
        yield f"  aclnn docs fidelity, {row.section}: {row.name}"
    if not rows:
        yield "  no row of aclnn docs fidelity: a documented or public rule may be wrong here. Please report it."
