"""The report on stderr at the end of a program, about its default machine."""

from collections import Counter

from acl_runtime.checks.findings import Findings
from acl_runtime.checks.lifetime.teardown_order import RELEASES
from acl_runtime.checks.ports import Ended
from acl_runtime.checks.report.ending import ended_early
from acl_runtime.checks.report.formats import summary
from acl_runtime.errors import Finding
from acl_runtime.headers.statuses import Status
from acl_runtime.source.site import pointer, shown


def last_report(machine: Ended, *, failed: bool = False) -> str:
    """The findings, the error texts that nobody read, how many there are. A finding that a traceback showed is only
    named. What a program left behind that ended early is only counted. `failed`: did it exit with another status than
    0? That is an early end too."""
    findings = machine.findings
    left = left_behind(findings) if failed or ended_early(machine) else []
    counted = {id(found) for found in left}
    reported = [
        _named(found) if id(found) in findings.told else str(found) for found in findings if id(found) not in counted
    ]
    rest = [as_one_line(left)] if left else []
    return "\n\n".join([*reported, *unread(machine), "\n".join([*rest, *summary(findings)])])


def left_behind(findings: Findings) -> list[Finding]:
    """What was found when the machine ended, by no call of the program's."""
    return [found for found in findings[len(findings) - findings.made_at_end :] if not found.call]


def as_one_line(left: list[Finding]) -> str:
    """What a program left behind that did not get to its clean-up."""
    listed = ", ".join(f"{id} {times}x" for id, times in Counter(found.id for found in left).items())
    return f"left behind as the program ended there: {listed}"


def _named(finding: Finding) -> str:
    call = f", in {finding.call}" if finding.call else ""
    return f"{finding.level}[{finding.id}] at {shown(finding.site)}{call}: its exception has the report"


def unread(machine: Ended) -> list[str]:
    """Of each thread that made nothing but releases, failing ones too, after a failure whose text it did not read, why
    that was: a program may print the mere number and return."""
    over: set[int] = set()
    told: list[str] = []
    for call in reversed(machine.calls) if machine.failed else ():
        thread = call.caller
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
            what = f"{call.function} failed with {Status(call.status)!r}, and nobody read why (aclGetRecentErrMsg):"
            told.append("\n".join([what, *pointer(first.site), f"   |  {first.reason()}"]))
    return told[::-1]


def lost(machine: Ended) -> list[str]:
    """Of a machine that is open, the failures whose statuses the program has lost without a look, but for releases: it
    may have made those on its way out."""
    found = [each for each in machine.unchecked.lost() if not RELEASES.match(each[0])]
    return ["\n".join([what, *pointer(site, function)]) for function, site, what in found]


def _ignored(machine: Ended, function: str, site: str) -> bool:
    """Is it told, or will it be, that nobody looked at the status, and why it was?"""
    told = [(found.call, found.site) for found in machine.findings if found.id == "ignored-ret"]
    lost = [each[:2] for each in machine.unchecked.lost()]
    return (function, site) in (*told, *lost) or (function, site) in machine.unasked.listed
