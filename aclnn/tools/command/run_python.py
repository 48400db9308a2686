"""Runs a Python program as `python FILE` does, on a default machine of one's choice, and tells what was found."""

import faulthandler
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from acl_runtime.checks.report.at_exit import last_report
from acl_runtime.errors import UndefinedBehaviour
from acl_runtime.machine.current import installation
from acl_runtime.machine.installation import write_report
from acl_runtime.machine.machine import Machine
from acl_runtime.objects.options import options
from acl_runtime.objects.soc import soc_named
from acl_runtime.streams.scheduler import SCHEDULES
from acl_runtime.testing.escaped import end_at_the_call
from aclnn.tools.command.hints import hint
from aclnn.tools.program import Program, leave_place
from aclnn.tools.toolkit.process import FAILED

RUNNERS: Final = (__name__, Program.__module__)


class Ending:
    """What is done when the interpreter ends, behind all that the program registered for then."""

    def __init__(self, trace: Path | None, timeline: Path | None, *, strict: bool) -> None:
        self.succeeds = False
        """did the program end by itself, with status 0?"""
        self._trace = trace and trace.absolute()  # the program may go elsewhere
        self._timeline = timeline and timeline.absolute()
        self._strict = strict
        self._process = os.getpid()

    def finish(self) -> None:
        """Tell what was found, write the files. (Of a forked child only what it did on a machine of its own.)"""
        machine = installation.default
        if machine is None:
            return
        machine.close("the end of the program")
        write_report(machine)
        findings = machine.findings
        with suppress(OSError, ValueError):  # of a stream that the program closed, or nobody reads any more
            sys.stdout.flush()
        with suppress(OSError, ValueError):
            print(last_report(machine, failed=not self.succeeds), file=sys.stderr, flush=True)
        if os.getpid() == self._process:
            self._write(machine)
        if self._strict and self.succeeds and findings.worth_telling:
            os._exit(FAILED)  # an interpreter that ends has no other way left

    def _write(self, machine: Machine) -> None:
        for name, path, write in (
            ("trace", self._trace, machine.write_trace),
            ("timeline", self._timeline, machine.write_timeline),
        ):
            if path is not None:
                try:
                    write(path)
                except OSError as error:
                    print(f"aclnn: no {name}: {error}", file=sys.stderr)


def run_python(
    file: Path,
    arguments: Sequence[str],
    given: dict[str, Any],
    *,
    trace: Path | None,
    timeline: Path | None,
    strict: bool,
    pyacl: bool = False,
) -> int:
    """The exit status of the program, whose the process is from here on. Its machine is the default one, so that it may
    enter others of its own in any thread. `given`: options of that machine; ValueError if there is no such. `trace`,
    `timeline`: written at the end. `strict`: findings make the status 86 if it is 0. `pyacl`: it may import acl;
    ValueError if there is a real one."""
    program = Program(file, arguments)
    wanted = options(given)
    soc_named(wanted.soc)
    if wanted.schedule not in SCHEDULES:
        raise ValueError(f"schedule={wanted.schedule!r}: one of {', '.join(SCHEDULES)}")
    ending = Ending(trace, timeline, strict=strict)
    installation.make, installation.finish = lambda: Machine(**given), ending.finish
    with suppress(OSError, ValueError, RuntimeError):  # of a stderr that is closed, or no file
        faulthandler.enable()  # an address of a device that the program itself follows ends it without a word
    leave_place()
    program.become_main()
    if pyacl:
        _install_pyacl()
    try:
        program.run()
    except SystemExit as wanted:
        ending.succeeds = not wanted.code
        raise
    except Exception as error:
        error.__traceback__ = _theirs(error.__traceback__)
        if isinstance(error, UndefinedBehaviour):
            end_at_the_call(error)
        sys.last_value = error  # as Python does
        sys.excepthook(type(error), error, error.__traceback__)
        if told := hint(error, file):
            print(f"aclnn: {told}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        tell = sys.excepthook  # Python calls it, and ends by the signal
        sys.excepthook = lambda kind, error, trace: tell(kind, error.with_traceback(_theirs(trace)), _theirs(trace))
        raise
    ending.succeeds = True
    return 0


def _install_pyacl() -> None:
    """Now that the program's folder is searched: what lies there as `acl` is another one, too."""
    from aclnn import pyacl  # late: most programs do not say `import acl`

    try:
        pyacl.install()
    except RuntimeError as error:
        raise ValueError(str(error)) from error


def _theirs(trace: TracebackType | None) -> TracebackType | None:
    """From the program's own frames on, which come behind ours; none with a syntax error."""
    ours = False
    inner = trace
    while inner is not None:
        mine = inner.tb_frame.f_globals.get("__name__") in RUNNERS
        if ours and not mine:
            return inner
        ours = ours or mine
        inner = inner.tb_next
    return None if ours else trace
