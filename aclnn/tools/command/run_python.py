"""Runs a Python program as `python FILE` does, with options for its default machine, and reports the findings."""

import faulthandler
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from acl_runtime.checks.findings import named_by_environment
from acl_runtime.checks.language import line
from acl_runtime.checks.report.at_exit import last_report
from acl_runtime.errors import UndefinedBehaviour
from acl_runtime.machine.current import installation
from acl_runtime.machine.installation import BUSY, allowing, write_report
from acl_runtime.machine.machine import Machine
from acl_runtime.machine.tracebacks import end_at_the_call
from acl_runtime.objects.options import options
from acl_runtime.own_rank import path_of_rank, say
from aclnn.tools.command.hints import hint
from aclnn.tools.command.texts_zh import other_words
from aclnn.tools.python_program import PythonProgram, leave_place
from aclnn.tools.toolkit.session import FAILED

RUNNERS: Final = (__name__, PythonProgram.__module__)


class Ending:
    """The work at the end of the interpreter. It runs after everything that the program registered with atexit."""

    def __init__(self, trace: Path | None, timeline: Path | None, *, strict: bool) -> None:
        self.succeeds = False
        """True if the program ended by itself with status 0"""
        self._trace = trace and trace.absolute()  # the program may change its directory
        self._timeline = timeline and timeline.absolute()
        self._strict = strict
        self._process = os.getpid()

    def finish(self) -> None:
        """Print the report and write the files. A forked child with a machine of its own only prints the report."""
        machine = installation.default
        if machine is None:
            return
        ended = installation.end("the end of the program")
        write_report(machine)
        findings = machine.findings
        with suppress(OSError, ValueError):  # the program closed the stream, or nothing reads it any more
            sys.stdout.flush()
        if not ended:
            say(f"aclnn: {line(BUSY, findings.lang)}")
        say(last_report(machine, failed=not self.succeeds))
        if ended and os.getpid() == self._process:
            self._write(machine)
        if self._strict and self.succeeds and findings.worth_telling:
            os._exit(FAILED)  # at this point nothing else can change the exit status

    def _write(self, machine: Machine) -> None:
        for name, path, write in (
            ("trace", self._trace, machine.write_trace),
            ("timeline", self._timeline, machine.write_timeline),
        ):
            if path is not None:
                try:
                    write(path_of_rank(path))
                except OSError as error:
                    say(f"aclnn: the {name} cannot be written: {error}")


def run_python(
    file: Path,
    arguments: Sequence[str],
    option_values: dict[str, Any],
    *,
    trace: Path | None,
    timeline: Path | None,
    strict: bool,
    pyacl: bool = False,
) -> int:
    """Run a program in this process and return its exit status.

    The program gets the default machine, so that it may enter other machines in any thread.

    option_values: the options of the default machine. ValueError for an unknown option or a wrong value.
    trace, timeline: files to write at the end.
    strict: turn exit status 0 into 86 if there are findings.
    pyacl: let `import acl` import the pyACL of the emulator. ValueError if a real pyACL is installed.
    """
    program = PythonProgram(file, arguments)
    options(option_values)  # a value that no machine can have is refused before the program runs
    ending = Ending(trace, timeline, strict=strict)
    named_by_environment()
    installation.make, installation.finish = lambda: allowing(Machine(**option_values)), ending.finish
    with suppress(OSError, ValueError, RuntimeError):  # stderr is closed, or is not a file
        faulthandler.enable()  # without it, a program that dereferences a device address dies without a message
    leave_place()
    program.become_main()
    if pyacl:
        _install_pyacl()
    try:
        program.run()
    except SystemExit as leaving:
        ending.succeeds = not leaving.code
        raise
    except Exception as error:
        error.__traceback__ = _of_the_program(error.__traceback__)
        if isinstance(error, UndefinedBehaviour):
            end_at_the_call(error)
        sys.last_value = error  # as Python does
        sys.excepthook(type(error), error, error.__traceback__)
        if proposal := hint(error, file, other_words()):
            print(f"aclnn: {proposal}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        show = sys.excepthook  # Python calls it, and then ends by the signal

        def excepthook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
            own_trace = _of_the_program(trace)
            show(kind, error.with_traceback(own_trace), own_trace)

        sys.excepthook = excepthook
        raise
    ending.succeeds = True
    return 0


def _install_pyacl() -> None:
    """Let `import acl` import the emulator's pyACL. A module `acl` in the folder of the program, which is on sys.path
    already, is refused like a real pyACL."""
    from aclnn import pyacl  # imported late, as most programs do not use pyACL

    try:
        pyacl.install()
    except RuntimeError as error:
        raise ValueError(str(error)) from error


def _of_the_program(trace: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames of this command, which come first. None if the program itself has no frame, as
    after a syntax error."""
    runner_passed = False
    inner = trace
    while inner is not None:
        is_runner = inner.tb_frame.f_globals.get("__name__") in RUNNERS
        if runner_passed and not is_runner:
            return inner
        runner_passed = runner_passed or is_runner
        inner = inner.tb_next
    return None if runner_passed else trace
