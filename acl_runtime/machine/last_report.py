"""What the end of a program tells on stderr of its default machine."""

import sys
from collections import Counter
from typing import TYPE_CHECKING

from acl_runtime.errors import Finding
from acl_runtime.machine.report_formats import summary
from acl_runtime.machine.teardown import RELEASES
from acl_runtime.statuses import Status

if TYPE_CHECKING:
    from acl_runtime.machine.machine import Machine


def last_report(machine: "Machine") -> str:
    """The findings, the error texts that nobody read, how many there are. What a traceback has told is only named; what
    is left behind by a program that an exception ended is only counted: it did not get to its clean-up."""
    findings = machine.findings
    ended = findings.interrupted or getattr(sys, "last_value", None) is not None  # as Python has it for `pdb.pm()`
    at_end = len(findings) - findings.made_at_end
    left = [found for found in findings[at_end:] if not found.call] if ended else []
    counted = {id(found) for found in left}
    told = [
        _told(found) if id(found) in findings.told else str(found) for found in findings if id(found) not in counted
    ]
    listed = ", ".join(f"{id} {times}x" for id, times in Counter(found.id for found in left).items())
    rest = [f"left behind as the program ended there: {listed}"] if left else []
    return "\n\n".join([*told, *unread(machine), "\n".join([*rest, *summary(findings)])])


def _told(finding: Finding) -> str:
    call = f", in {finding.call}" if finding.call else ""
    return f"{finding.level}[{finding.id}] at {finding.site}{call}: told by its exception"


def unread(machine: "Machine") -> list[str]:
    """Of each thread that made nothing but releases, failing ones too, after a failure whose text it did not read, why
    that was: a program may print the mere number and return."""
    over: set[int] = set()
    told: list[str] = []
    for call in reversed(machine.calls) if machine.failed else ():
        thread = call.kept[3]
        if (
            id(thread) in over
            or RELEASES.match(call.function)
            or (call.status and call.status in call.declared.harmless)
        ):
            continue
        over.add(id(thread))
        of_call = [item for item in machine.errors_of(thread).items if item.function == call.function]
        if call.status and of_call and not of_call[-1].told and not _ignored(machine, call.function, of_call[-1].site):
            first = next(item for item in of_call if item.site == of_call[-1].site)
            told.append(
                f"{call.function} failed with {Status(call.status)!r}, and nobody read why (aclGetRecentErrMsg):\n"
                f"  --> {first.site}\n   |  {first.reason()}"
            )
    return told[::-1]


def lost(machine: "Machine") -> list[str]:
    """Of a machine that is open, the failures whose statuses the program has lost without a look, but for releases: it
    may have made those on its way out."""
    found = [each for each in machine.unchecked.lost() if not RELEASES.match(each[0])]
    return [f"{what}\n  --> {site}, in {function}" for function, site, what in found]


def _ignored(machine: "Machine", function: str, site: str) -> bool:
    """Is it told, or will it be, that nobody looked at the status, and why it was?"""
    told = [(found.call, found.site) for found in machine.findings if found.id == "ignored-ret"]
    lost = [each[:2] for each in machine.unchecked.lost()]
    return (function, site) in (*told, *lost) or (function, site) in machine.unasked.listed
