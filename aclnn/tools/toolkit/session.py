"""The machine of a C program: its options, its reports on stderr, and the work at the end of the process."""

import ctypes
import os
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, Final

from acl_runtime.api.kernel.compiled_in import register_again
from acl_runtime.checks import allowances
from acl_runtime.checks.findings import Findings
from acl_runtime.checks.language import line
from acl_runtime.checks.report.at_exit import as_one_line, left_behind, unread, without_kernel
from acl_runtime.checks.report.ending import ended_early
from acl_runtime.errors import Finding
from acl_runtime.machine.current import installation
from acl_runtime.machine.installation import BUSY, write_report
from acl_runtime.machine.machine import Machine
from acl_runtime.objects.binaries import CompiledIn
from acl_runtime.objects.options import check_name, fails_on_findings, read, unknown_variables
from acl_runtime.own_rank import path_of_rank, say
from acl_runtime.process import process
from acl_runtime.text import Text
from aclnn.tools.toolkit.late_destructions import LateDestructions
from aclnn.tools.toolkit.native_lines import CProgram
from aclnn.tools.toolkit.native_objects import NativeObjects

FAULTS: Final = "ACL_EMULATOR_FAULTS"
"""calls that fail, by function, number and status, such as `aclrtMalloc:3=207001;aclrtMemcpy`"""
ALLOWANCES: Final = "ACL_EMULATOR_ALLOWANCES"
"""a TOML file of findings that are allowed for the program, or the name of a file in the folder `allowances`"""
REPORT_ALLOWED: Final = "ACL_EMULATOR_REPORT_ALLOWED"
"""1: a clean run with allowances of this package lists what was allowed, too"""
TRACE: Final = "ACL_EMULATOR_TRACE_FILE"
"""file for the Chrome trace of the program"""
TIMELINE: Final = "ACL_EMULATOR_TIMELINE_FILE"
"""file for the picture of the trace"""
FAST_CALLS: Final = "ACL_EMULATOR_FAST_CALLS"
"""`0` lets Python serve all calls"""
CALLERS: Final = "ACL_EMULATOR_CALLERS"
"""the calls of C whose callers reports show"""
LEVELS: Final = {"0": 0, "1": 1, "all": 2}
"""its values, and those of `aclnn_callers` in walk.c"""
OF_DESCRIPTORS: Final = "tensor-leaked"
"""the finding about lines that create descriptors, which have no callers by default"""
FAILED: Final = 86
PLUGIN: Final = "torch_npu"
"""where this module is loaded, the first phase of an operator without a kernel fails: PyTorch then raises an exception
at the line that needs the operator. The launch comes later, and its failure names no operator"""
UNKNOWN: Final = -1
"""the exit status if exit() of C was not called, as when Python ends the program"""
OURS: Final = Path(__file__).with_name("allowances")
"""our allowances, by client and version"""
REPORTED_AT_ONCE: Final = "stale-errmsg"
"""an advice that is reported at once, because a program often crashes when it prints the null text"""


def _for_the_plugin() -> str:
    """The name of our allowances for the loaded version of torch_npu; empty if there are none."""
    if PLUGIN not in sys.modules:
        return ""
    from importlib.metadata import (
        PackageNotFoundError,
        version,
    )  # late: it is slow to import, and other programs do not need it

    try:
        name = f"{PLUGIN}-{'.'.join(version(PLUGIN).split('.')[:2])}"
    except PackageNotFoundError:
        return ""
    return name if sys.version_info >= (3, 11) and (OURS / f"{name}.toml").is_file() else ""


def for_pytorch(id: str, advice: str) -> str:
    """The hint of a finding with the names that PyTorch has for its calls."""
    if id == "read-before-sync":
        return Text("{advice} In PyTorch: stream.synchronize() before the values are read.", advice=advice)
    if id != "xstream-race":
        return advice
    return Text(
        "{advice} In PyTorch: stream.wait_stream(other), and tensor.record_stream(stream) if the tensor is freed while "
        "the stream may still use it.",
        advice=advice,
    )


class Misconfigured(Exception):
    """The environment has options that no machine can have. The message is on stderr already."""


def has_fast_calls() -> bool:
    """True unless the environment leaves all calls to Python. ValueError for an unknown value."""
    value = os.environ.get(FAST_CALLS, "1")
    if value not in ("0", "1"):
        raise ValueError(f"{FAST_CALLS}={value!r}: 0 or 1")
    return value == "1"


def callers() -> int:
    """The calls whose callers are looked for. ValueError for an unknown value."""
    value = os.environ.get(CALLERS, "1")
    if value not in LEVELS:
        raise ValueError(f"{CALLERS}={value!r}: {', '.join(LEVELS)}")
    return LEVELS[value]


class Session:
    """The machine of a C program, and the findings in it and in its earlier machines."""

    def __init__(self) -> None:
        self.settings: dict[str, str] = {}
        """options for the next machine, as text"""
        self._lang = "en"
        """the language of the last machine"""
        self._count = 0
        """number of errors and warnings of closed machines"""
        self._reported: list[Finding] = []
        self._over = False
        self._client: allowances.Allowances | None = None
        """the allowances of the environment; counted over all machines"""
        self.kept: list[object] = []
        """callbacks, kept alive because C has only their addresses"""
        self.launch_numbers = count(1)
        self.launches: dict[int, Any] = {}
        """the launches that C++ functions work on, by number"""
        self.compiled_in = CompiledIn()
        """the kernels and variables that static constructors of the program registered, in the machine before the last
        reset"""
        self.exit_status = ctypes.c_int(UNKNOWN)
        """the exit status of the program; the library writes it"""
        self.native: NativeObjects | None = None
        """descriptors that the library makes without Python; None: it makes none"""
        self.late: LateDestructions | None = None
        """destructions that the library accepts without Python; None: it accepts none"""
        self.last: Callable[[], object] | None = None
        """called after everything is reported"""
        self._child = self._refused = self._variables_checked = self._has_descriptors = False
        os.register_at_fork(after_in_child=self._forked)

    def _forked(self) -> None:
        """Runs in a forked child, which has no machine. Findings and cleanup of its parent are left to the parent."""
        self._child, self._count, self.last = True, 0, None
        self._reported.clear()

    def machine(self) -> Machine:
        """Make the machine of the first call, or of the first call after a reset.

        Undefined behaviour is only reported, unless the environment says otherwise. Every call is kept if a trace is to
        be written.
        """
        try:
            machine = self._configured()
        except (ValueError, TypeError, AttributeError) as error:
            if not self._refused:
                self._refused = True
                say(f"aclnn emulator: {error}; every call fails with 500000")
            raise Misconfigured from error
        machine.findings.on_record = self._recorded
        machine.findings.in_c = True
        self._lang = machine.findings.lang
        if self.native is not None:
            self.native.begin(machine)
        if self.late is not None:
            self.late.begin(machine)
        register_again(machine, self.compiled_in)
        return machine

    def _configured(self) -> Machine:
        if not self._variables_checked:
            self._variables_checked = True
            for sentence in unknown_variables():
                say(f"aclnn emulator: {sentence}")
        has_fast_calls()
        callers()
        machine = self._new(self.settings)
        machine.findings.allow_by_environment()
        machine.findings.client = self._allowances()
        if PLUGIN in sys.modules:
            machine.findings.reword = for_pytorch
        for fault in filter(None, map(str.strip, os.environ.get(FAULTS, "").split(";"))):
            try:
                plan_fault(machine, fault)
            except (ValueError, TypeError, AttributeError) as error:
                raise ValueError(f"{FAULTS}={fault}: {error}") from error
        return machine

    def _allowances(self) -> allowances.Allowances | None:
        """The allowances that the environment names, or ours for the plugin that is loaded; read once."""
        path = os.environ.get(ALLOWANCES, _for_the_plugin())
        if path and self._client is None:
            ours = OURS / f"{path}.toml"
            from_package = "/" not in path and ours.is_file()
            try:
                self._client = allowances.read(ours if from_package else Path(path))
            except ValueError as error:
                raise ValueError(f"{ALLOWANCES}: {error}") from error
            self._client.from_package = from_package
        return self._client

    def set(self, name: str, text: str | None) -> None:
        """Set an option of the next machines. A machine is made to try the option, so that a mistake is reported here
        and not by all calls of the next machine. ValueError or TypeError if there is no such option or value."""
        settings = {**self.settings, name: text or ""}
        if text is None:
            check_name(name)
            del settings[name]
        self._new(settings).close("aclnnEmulatorSetOption")
        self.settings = settings

    def _new(self, settings: dict[str, str]) -> Machine:
        defaults: dict[str, Any] = {} if "ACL_EMULATOR_ON_UNDEFINED" in os.environ else {"on_undefined": "report"}
        if PLUGIN in sys.modules and "ACL_EMULATOR_CATALOGUED" not in os.environ:
            defaults["catalogued"] = "plan"
        defaults |= {name: read(name, text) for name, text in settings.items()}
        if os.environ.get(TRACE) or os.environ.get(TIMELINE):
            defaults["trace"] = True
        return Machine(**defaults)

    def _recorded(self, finding: Finding) -> None:
        """Report errors at once, as the program may crash before its end. A warning waits, as it may be withdrawn."""
        if finding.level == "error" or finding.id == REPORTED_AT_ONCE:
            self._report(finding)
            self._count += self._child and finding.level == "error"  # in a child nothing closes the machine

    def _report(self, finding: Finding) -> None:
        if any(each is finding for each in self._reported):
            return
        self._reported.append(finding)
        self._has_descriptors |= finding.id == OF_DESCRIPTORS
        if self._client is not None and finding.level == "advice":
            self._client.advice += 1  # the user of somebody else's program cannot follow advice
        else:
            say(f"{finding}\n")

    def reset(self) -> int:
        """Close the machine and report its findings. The next call makes another machine. Returns the number of errors
        and warnings."""
        old = installation.renew("aclnnEmulatorReset")
        self.compiled_in = self.compiled_in if old is None else old.part(CompiledIn)
        return 0 if old is None else self._close(old.findings)

    def _close(self, findings: Findings, *, early: bool = False) -> int:
        leftovers = left_behind(findings) if early else []
        for finding in findings:
            if not any(leftover is finding for leftover in leftovers):
                self._report(finding)
        if leftovers:
            say(line(as_one_line(leftovers), findings.lang) + "\n")
        self._reported.clear()
        count = len(findings.worth_telling)
        self._count += count
        return count

    def _lists_allowed(self, client: allowances.Allowances) -> bool:
        """True if the report lists the allowed findings. A clean run with allowances of this package prints nothing."""
        return bool(self._count) or not client.from_package or os.environ.get(REPORT_ALLOWED) == "1"

    def finish(self) -> int:
        """Report the remaining findings at the end of the program, and write report and trace. Returns the exit status
        to end with; 0 keeps that of the program."""
        if self._over:
            return 0
        self._over = True
        try:
            self._end()
        except Exception as error:  # after an exception C would get an undefined status
            say(f"aclnn emulator: the report ends here: {error!r}")
        if self._client is not None and self._lists_allowed(self._client):
            say(f"aclnn emulator: {self._client.summary()}")
        if self._count:
            if process.own(CProgram).lacks_lines:
                lines = Text("to see lines here, compile the program with -g and install binutils (addr2line)")
                say(f"aclnn emulator: {line(lines, self._lang)}")
            if self._has_descriptors and callers() == LEVELS["1"] and PLUGIN not in sys.modules:
                more = Text("to see the callers of lines that create descriptors, set {variable}=all", variable=CALLERS)
                say(f"aclnn emulator: {line(more, self._lang)}")
            count = Text.plural(self._count, "{count} error or warning", "{count} errors or warnings")
            say(f"aclnn emulator: {line(count, self._lang)}")
        if self.last is not None:
            self.last()
        return FAILED if self._count and fails_on_findings() else 0

    def _end(self) -> None:
        machine = installation.default
        if machine is not None:
            good = self.exit_status.value == 0
            ended = installation.end("the end of the program", _list_unasked if good else None)
            if not ended:
                say(f"aclnn emulator: {line(BUSY, self._lang)}")
            failed = self.exit_status.value not in (0, UNKNOWN)
            self._close(machine.findings, early=failed or ended_early(machine))
            for text in (*unread(machine), *without_kernel(machine)):
                say(text + "\n")
            write_report(machine)
            for variable, write in ((TRACE, machine.write_trace), (TIMELINE, machine.write_timeline)) if ended else ():
                if path := os.environ.get(variable):
                    try:
                        write(path_of_rank(path))
                    except OSError as error:
                        say(f"aclnn emulator: {variable}: {error}")


def _list_unasked(machine: Machine) -> None:
    machine.unasked.report(machine.findings)


def plan_fault(machine: Machine, text: str) -> None:
    """Plan the failure of a call: `NAME[:NTH][=STATUS]`, where STATUS is a number or a name."""
    call, _, status = text.partition("=")
    name, _, nth = call.partition(":")
    status = status.strip()
    machine.fail(name.strip(), int(status) if status.isdecimal() else status or None, nth=int(nth or 1))
