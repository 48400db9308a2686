"""What a program in C has to do with machines: how its own is made, what is told of it, and what is done at its end."""

import ctypes
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from acl_runtime.checks.findings import ALLOW, Findings, by_environment
from acl_runtime.checks.report.at_exit import as_one_line, left_behind, unread
from acl_runtime.checks.report.ending import ended_early
from acl_runtime.errors import Finding
from acl_runtime.machine.current import installation
from acl_runtime.machine.installation import write_report
from acl_runtime.machine.machine import Machine
from acl_runtime.objects.options import known, read

FAULTS: Final = "ACL_EMULATOR_FAULTS"
"""`aclrtMalloc:3=207001;aclrtMemcpy`: which call of which function fails, and with what"""
TRACE: Final = "ACL_EMULATOR_TRACE_FILE"
"""where the Chrome trace of the program goes"""
TIMELINE: Final = "ACL_EMULATOR_TIMELINE_FILE"
"""where the picture of it goes"""
FINDINGS: Final = "ACL_EMULATOR_FINDINGS"
"""`error`: a program with errors or warnings exits with FAILED"""
FAILED: Final = 86
UNKNOWN: Final = -1
"""the exit status of a program that Python ends, not C"""
AT_ONCE: Final = "stale-errmsg"
"""an advice that cannot wait: a program often dies of the null text"""


class Misconfigured(Exception):
    """The environment asks for a machine that there is not; it was told."""


class Session:
    """The machine of a program in C, and what was found in it and in those before."""

    def __init__(self) -> None:
        self.settings: dict[str, str] = {}
        """options for the next machine, as text"""
        self._found = 0
        """errors and warnings of machines that are gone"""
        self._told: list[Finding] = []
        self._over = False
        self.kept: list[object] = []
        """callbacks, which C knows by their addresses"""
        self.exit_status = ctypes.c_int(UNKNOWN)
        """what the program ends with, which the library writes there"""
        self.last: Callable[[], object] | None = None
        """what is done when all is told"""
        self._child = self._refused = False
        os.register_at_fork(after_in_child=self._forked)

    def _forked(self) -> None:
        """This is a forked child, which has no machine: what its parent found and has to do is its parent's."""
        self._child, self._found, self.last = True, 0, None
        self._told.clear()

    def machine(self) -> Machine:
        """The machine of the first call, or of the first after a reset: it only reports, unless the environment says
        otherwise, and keeps every call if a trace is wanted."""
        try:
            made = self._made()
        except (ValueError, TypeError, AttributeError) as error:
            if not self._refused:
                self._refused = True
                say(f"aclnn emulator: {error}; every call fails with 500000")
            raise Misconfigured from error
        made.findings.heard = self._heard
        made.findings.in_c = True
        return made

    def _made(self) -> Machine:
        made = self._new(self.settings)
        for id in filter(None, map(str.strip, os.environ.get(ALLOW, "").split(","))):
            made.allow(id, reason=f"{ALLOW} in the environment")
        for fault in filter(None, map(str.strip, os.environ.get(FAULTS, "").split(";"))):
            try:
                plan_fault(made, fault)
            except (ValueError, TypeError, AttributeError) as error:
                raise ValueError(f"{FAULTS}={fault}: {error}") from error
        return made

    def set(self, name: str, text: str | None) -> None:
        """An option of the machines to come. ValueError or TypeError if it is none, or has no such value: one is tried,
        so that this is told here and not by all calls of the next."""
        settings = {**self.settings, name: text or ""}
        if text is None:
            known(name)
            del settings[name]
        self._new(settings).close("aclnnEmulatorSetOption")
        self.settings = settings

    def _new(self, settings: dict[str, str]) -> Machine:
        given: dict[str, Any] = {} if "ACL_EMULATOR_ON_UNDEFINED" in os.environ else {"on_undefined": "report"}
        given |= {name: read(name, text) for name, text in settings.items()}
        if os.environ.get(TRACE) or os.environ.get(TIMELINE):
            given["trace"] = True
        return Machine(**given)

    def _heard(self, finding: Finding) -> None:
        """Errors are told at once: the program may not get to its end. A warning may be withdrawn."""
        if finding.level == "error" or finding.id == AT_ONCE:
            self._tell(finding)
            self._found += self._child and finding.level == "error"  # nobody closes the machine

    def _tell(self, finding: Finding) -> None:
        if not any(each is finding for each in self._told):
            self._told.append(finding)
            say(finding.text(allow=by_environment(finding.id)) + "\n")

    def reset(self) -> int:
        """Close the machine: what it left behind is told. The next call makes another. Returns how many errors and
        warnings there were."""
        old = installation.renew("aclnnEmulatorReset")
        return 0 if old is None else self._close(old.findings)

    def _close(self, findings: Findings, *, early: bool = False) -> int:
        left = left_behind(findings) if early else []
        for finding in findings:
            if not any(each is finding for each in left):
                self._tell(finding)
        if left:
            say(as_one_line(left) + "\n")
        self._told.clear()
        many = len(findings.worth_telling)
        self._found += many
        return many

    def finish(self) -> int:
        """The program ends: tell what is left to tell, write report and trace. Returns its exit status, 0 for its
        own."""
        if self._over:
            return 0
        self._over = True
        try:
            self._end()
        except Exception as error:  # C would take anything for the status
            say(f"aclnn emulator: the report ends here: {error!r}")
        if self._found:
            say(f"aclnn emulator: {self._found} error{'s' if self._found > 1 else ''} or warning"
                f"{'s' if self._found > 1 else ''}")  # fmt: skip
        if self.last is not None:
            self.last()
        return FAILED if self._found and os.environ.get(FINDINGS) == "error" else 0

    def _end(self) -> None:
        machine = installation.default
        if machine is not None:
            if self.exit_status.value == 0:
                machine.tell_unasked()
            machine.close("the end of the program")
            failed = self.exit_status.value not in (0, UNKNOWN)
            self._close(machine.findings, early=failed or ended_early(machine))
            for text in unread(machine):
                say(text + "\n")
            write_report(machine)
            for variable, write in ((TRACE, machine.write_trace), (TIMELINE, machine.write_timeline)):
                if path := os.environ.get(variable):
                    try:
                        write(path)
                    except OSError as error:
                        say(f"aclnn emulator: {variable}: {error}")


def plan_fault(machine: Machine, text: str) -> None:
    """`NAME[:NTH][=STATUS]`, where STATUS is a number or a name."""
    call, _, status = text.partition("=")
    name, _, nth = call.partition(":")
    wanted = status.strip()
    machine.fail(name.strip(), int(wanted) if wanted.isdecimal() else wanted or None, nth=int(nth or 1))


def say(text: str) -> None:
    """One write to stderr, so that the texts of threads do not mix; the program's own stdout first."""
    if sys.stderr is None:  # the program had closed it before the first call
        return
    try:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):  # what Python does not take, the system may
        with suppress(OSError):
            os.write(2, f"{text}\n".encode(errors="backslashreplace"))
