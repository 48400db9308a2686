"""Sweeps, which show whether a program cleans up after each call that may fail.

    sweep_failures(program).check()

A first run without failures records the injection points: the calls and tasks that may fail. Then the program runs once
for each point, on a fresh machine, with a failure at this point. A run has a problem in two cases: it has findings that
the first run lacks, such as a leak; or it ends by a programming error.

The design assumes a deterministic program: a point is "the n-th call of this function". A run that does not reach its
point is listed as not met. Rejected: failing calls at random, which repeats some points and misses rare points.
"""

import inspect
import threading
import traceback
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from ctypes import ArgumentError
from dataclasses import replace
from typing import Any, Final, cast

from acl_runtime.errors import Finding, UndefinedBehaviour
from acl_runtime.headers.statuses import Status
from acl_runtime.machine.machine import Machine
from acl_runtime.objects.options import whole
from acl_runtime.source.frames import OURS
from acl_runtime.testing.sweeps.injection_points import CallNames, Endless, InjectionPoint, PointRecorder, choose
from acl_runtime.testing.sweeps.releases import released_again
from acl_runtime.testing.sweeps.result import ProgramRun, Sweep, steady

__all__ = ["ProgramRun", "Sweep", "sweep_failures"]

MOST: Final = 500
"""the default of `most`"""
SAME_LINE: Final = 3
"""the default of `same_line`"""
TIMES: Final = 10
ENDLESS: Final = 5_000
"""a run counts as endless after `ENDLESS` calls plus `TIMES` times the calls of the run without failures"""
CRASHES: Final = (
    TypeError, AttributeError, NameError, LookupError, ZeroDivisionError, RecursionError, ArgumentError, SystemError,
    UndefinedBehaviour, Endless,
)  # fmt: skip
"""exceptions that are programming errors, never reports of a failed call"""
NULL: Final = "NULL pointer access"
"""the text of the ValueError of ctypes for an access through a null pointer"""


def sweep_failures(
    program: Callable[..., object],
    *,
    tasks: bool = True,
    most: int = MOST,
    same_line: int = SAME_LINE,
    expects: type[BaseException] | Iterable[type[BaseException]] = (),
    **options: Any,
) -> Sweep:
    """Run `program()`, or `program(machine)`, once without a failure, then once for each call that may fail, with the
    likeliest status of that call. With `tasks`, also once for each task, which fails on the device.

    Each run has a fresh Machine with `options`, and `on_undefined="report"` by default. A program may report a failure
    by its result or by an exception. A programming error, such as a TypeError, is a crash unless its class is in
    `expects` (a class, or several). In the run without a failure every exception is a crash.

    Of several calls with the same lines on the call stack, as in a loop, only the first `same_line` fail. `most` limits
    the number of all failures.

    `check()` of the result raises AssertionError with the whole report if there are problems."""
    for name, number in (("most", most), ("same_line", same_line)):
        if whole(name, number) < 1:
            raise ValueError(f"{name}={number}: 1 or more")
    run = _Runner(program, {"on_undefined": "report", "trace": True, **options}, _classes(expects))
    recorder = PointRecorder()
    base = run.once(recorder, None)
    chosen, alike, more = choose([point for point in recorder.all if tasks or not point.device], most, same_line)
    enough = TIMES * len(recorder.names) + ENDLESS
    runs = tuple(run.once(CallNames(enough), point) for point in chosen)
    return Sweep(base, runs, tuple(point.site for point in alike), more)


def _classes(expects: Any) -> tuple[type[BaseException], ...]:
    """A tuple of one class or several; TypeError for any other value."""
    classes: tuple[Any, ...] = tuple(cast("Iterable[Any]", expects)) if isinstance(expects, Iterable) else (expects,)
    if not all(isinstance(class_, type) and issubclass(class_, BaseException) for class_ in classes):
        raise TypeError(f"expects={expects!r}: a class of exceptions, or several")
    return classes


class _Runner:
    """The runs of one program."""

    def __init__(
        self, program: Callable[..., object], options: dict[str, Any], expects: tuple[type[BaseException], ...]
    ) -> None:
        self._program = program
        self._takes_machine = _takes_machine(program)
        self._options = options
        self._expects = expects
        self._base: ProgramRun | None = None
        self._calls: list[str] = []
        self._known: set[tuple[object, ...]] = set()

    def once(self, recorder: CallNames, point: InjectionPoint | None) -> ProgramRun:
        """Run the program once, with a failure at this point."""
        failure, returned, raised = None, None, None
        with Machine(**self._options) as machine, _exceptions_of_threads() as strays:
            if point is not None:
                does_work = True if point.release else None
                failure = machine.faults.inject(point.function, nth=point.nth, device=point.device, done=does_work)
            machine.faults.injectors.append(recorder)
            try:
                returned = self._program(machine) if self._takes_machine else self._program()
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raised = error
            if isinstance(returned, Status):
                int(returned)  # a caller of the program would check its result
            raised = raised or next(iter(strays), None)
            raised_at = _line_of(raised) if raised else ""
            for error in (raised, *strays):
                _clear_frames(error)
        endless = isinstance(raised, Endless)  # such a run could not clean up, so its findings are no mistakes
        findings = [] if endless else machine.findings.worth_telling
        reported = {(finding.call, finding.site) for finding in findings}
        again = [release for release in released_again(machine.calls) if (release.call, release.site) not in reported]
        noticed = self._base is None or recorder.names != self._calls or _differs(self._base, returned, raised)
        run = ProgramRun(
            noticed=noticed,
            returned=returned,
            raised=raised.with_traceback(None) if raised else None,
            raised_at=raised_at,
            crashed=self._crashed(raised, raised_at),
            findings=tuple(findings),
        )
        if point is None or failure is None:
            self._base, self._calls = run, recorder.names
            self._known = {_key(finding) for finding in [*findings, *again]}  # without failures they may be intended
            return run
        return replace(
            run,
            function=failure.name,
            nth=failure.nth,
            device=failure.device,
            release=point.release,
            status=failure.status,
            site=failure.first or point.site,
            met=failure.met,
            findings=tuple(
                finding
                for finding in [*findings, *again]
                if _key(finding) not in self._known and not _is_ignored_release(finding, point)
            ),
        )

    def _crashed(self, raised: BaseException | None, site: str) -> bool:
        """The value of `Run.crashed`."""
        if raised is None or isinstance(raised, self._expects):
            return False
        if self._base is None:
            return not (isinstance(raised, SystemExit) and raised.code in (None, 0))
        as_without_failure = type(raised) is type(self._base.raised) and site == self._base.raised_at
        null = isinstance(raised, ValueError) and str(raised) == NULL
        return (isinstance(raised, CRASHES) or null) and not as_without_failure


def _takes_machine(program: Callable[..., object]) -> bool:
    try:
        parameters = inspect.signature(program).parameters.values()
    except ValueError:  # of a builtin
        return False
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return any(
        parameter.kind in positional and parameter.default is inspect.Parameter.empty for parameter in parameters
    )


@contextmanager
def _exceptions_of_threads() -> Generator[list[BaseException], None, None]:
    """Collect the exceptions that end threads, which the thread that started them does not see."""
    exceptions: list[BaseException] = []
    hook = threading.excepthook

    def keep(args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            exceptions.append(args.exc_value)

    threading.excepthook = keep
    try:
        yield exceptions
    finally:
        threading.excepthook = hook


def _clear_frames(raised: BaseException | None) -> None:
    """Clear the frames of an exception, as after a caller has caught it, because the `__del__` of their objects may
    release handles."""
    while raised is not None:
        traceback.clear_frames(raised.__traceback__)
        raised = raised.__cause__ or raised.__context__


def _line_of(raised: BaseException) -> str:
    """File and line of the innermost frame of the user in the traceback of an exception."""
    frames = [(frame, line) for frame, line in traceback.walk_tb(raised.__traceback__)]
    names = [(str(frame.f_globals.get("__name__")), frame.f_code.co_filename, line) for frame, line in frames]
    if isinstance(raised, Endless):
        return raised.site  # not the line of a clean-up in the traceback
    lines = [f"{file}:{line}" for name, file, line in names if not name.startswith(OURS)]
    return lines[-1] if lines else ""


def _differs(base: ProgramRun, returned: object, raised: BaseException | None) -> bool:
    """True if the program returned another value or raised another exception than without a failure. Only plain values
    are compared."""
    if type(raised) is not type(base.raised) or steady(str(raised)) != steady(str(base.raised)):
        return True
    plain = (bool, int, float, str, type(None))
    return isinstance(returned, plain) and isinstance(base.returned, plain) and returned != base.returned


def _is_ignored_release(finding: Finding, point: InjectionPoint) -> bool:
    """True for `ignored-ret` after the injected failure of a release, or of a wait without work. The programs in the
    documents do not check these statuses."""
    here = finding.call == point.function.name and finding.site == point.site
    return (point.release or point.idle) and here and finding.id == "ignored-ret"


def _key(finding: Finding) -> tuple[object, ...]:
    """A key that is equal for the same finding in two runs: the id and the lines, without numbers."""
    sites = tuple(past.site for past in finding.history)
    return finding.id, finding.call, finding.site, sites if sites or finding.site else finding.what
