"""The report on stderr at the end of a program, about its default machine."""

from collections import Counter

from acl_runtime.checks.findings import Findings
from acl_runtime.checks.language import line
from acl_runtime.checks.lifetime.teardown_order import RELEASES
from acl_runtime.checks.ports import EndedMachine
from acl_runtime.checks.report.ending import ended_early
from acl_runtime.checks.report.formats import summary
from acl_runtime.errors import Finding
from acl_runtime.headers.statuses import Status
from acl_runtime.source.site import pointer, shown
from acl_runtime.text import Text


def last_report(machine: EndedMachine, *, failed: bool = False) -> str:
    """The report: the findings, the error texts that were never read, and the number of findings. A finding that a
    traceback has shown is only named. If the program ended early, the objects that it left behind are only counted.
    `failed`: True if the program exited with a status other than 0, which is an early end too."""
    findings = machine.findings
    left = left_behind(findings) if failed or ended_early(machine) else []
    counted = {id(finding) for finding in left}
    reported = [
        line(_named(finding), findings.lang) if id(finding) in findings.shown else str(finding)
        for finding in findings
        if id(finding) not in counted
    ]
    rest = [line(as_one_line(left), findings.lang)] if left else []
    return "\n\n".join([*reported, *unread(machine), "\n".join([*rest, *without_kernel(machine), *summary(findings)])])


def without_kernel(machine: EndedMachine) -> list[str]:
    """One line for the calls of operators that this emulator cannot compute, and one for launches of device kernels
    without a function that replaces them."""
    missed = machine.kernels.missed.most_common()
    operators = ", ".join(f"{name} {times}x" for name, times in missed if name.startswith("aclnn"))
    others = ", ".join(f"{name} {times}x" for name, times in missed if not name.startswith("aclnn"))
    called = Text("calls without a kernel (561003): {listed}", listed=operators)
    launched = Text("launches of device kernels without a function (507015): {listed}", listed=others)
    lines = [*([called] if operators else []), *([launched] if others else [])]
    return [line(text, machine.findings.lang) for text in lines]


def left_behind(findings: Findings) -> list[Finding]:
    """The findings that were made when the machine was closed, not by a call."""
    return [finding for finding in findings[len(findings) - findings.made_at_end :] if not finding.call]


def as_one_line(left: list[Finding]) -> Text:
    """One line for all objects that a program left behind because it ended before its clean-up."""
    return Text("left behind as the program ended there: {listed}", listed=counted(left))


def counted(findings: list[Finding]) -> str:
    """The ids of findings, with their numbers."""
    return ", ".join(f"{id} {times}x" for id, times in Counter(finding.id for finding in findings).items())


def _named(finding: Finding) -> Text:
    call = f", in {finding.call}" if finding.call else ""
    return Text(
        "{finding} at {place}: its exception has the report",
        finding=f"{finding.level}[{finding.id}]",
        place=f"{shown(finding.site)}{call}",
    )


def unread(machine: EndedMachine) -> list[str]:
    """The reasons of failures whose text was not read and after which the thread only released objects: such a program
    may have printed only the number and ended."""
    over: set[int] = set()
    reasons: list[str] = []
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
        if (
            call.status
            and of_call
            and not of_call[-1].reported
            and not of_call[-1].passing
            and not _ignored(machine, call.function, of_call[-1].site)
        ):
            first = next(item for item in of_call if item.site == of_call[-1].site)
            what = Text(
                "{call} failed with {status}, and nobody read why (aclGetRecentErrMsg):",
                call=call.function,
                status=repr(Status(call.status)),
            )
            reasons.append(
                "\n".join([line(what, machine.findings.lang), *pointer(first.site), f"   |  {first.reason()}"])
            )
    return reasons[::-1]


def lost(machine: EndedMachine) -> list[str]:
    """The failures of an open machine whose statuses the program dropped unread. Failures of releases are omitted, as a
    program that ends early may ignore them."""
    failures = [failure for failure in machine.unchecked.lost() if not RELEASES.match(failure[0])]
    return [
        "\n".join([line(what, machine.findings.lang), *pointer(site, function)]) for function, site, what in failures
    ]


def _ignored(machine: EndedMachine, function: str, site: str) -> bool:
    """True if the report has, or will have, the finding that the status of this call was ignored."""
    reported = [(finding.call, finding.site) for finding in machine.findings if finding.id == "ignored-ret"]
    lost = [failure[:2] for failure in machine.unchecked.lost()]
    return (function, site) in (*reported, *lost) or (function, site) in machine.unasked.listed
