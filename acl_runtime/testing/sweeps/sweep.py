"""Does a program clean up after each call that may fail? `sweep_failures` runs it once for each, failing that one.

sweep_failures(program).check()
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
from acl_runtime.testing.sweeps.places import Endless, Names, Place, Recorder, choose
from acl_runtime.testing.sweeps.releases import released_again
from acl_runtime.testing.sweeps.result import Run, Sweep, steady

__all__ = ["Run", "Sweep", "sweep_failures"]

MOST: Final = 500
SAME_LINE: Final = 3
TIMES: Final = 10
ENDLESS: Final = 5_000
"""ours: after so many calls, and ten times those without a failure, a run is taken for endless"""
CRASHES: Final = (
    TypeError, AttributeError, NameError, LookupError, ZeroDivisionError, RecursionError, ArgumentError, SystemError,
    UndefinedBehaviour, Endless,
)  # fmt: skip
"""exceptions that no program raises to tell of a failure"""
NULL: Final = "NULL pointer access"
"""the text of ctypes' ValueError where C dereferences null"""


def sweep_failures(
    program: Callable[..., object],
    *,
    tasks: bool = True,
    most: int = MOST,
    same_line: int = SAME_LINE,
    expects: type[BaseException] | Iterable[type[BaseException]] = (),
    **options: Any,
) -> Sweep:
    """Run `program()`, or `program(machine)`, without a failure, then once for each call that may fail, failing it with
    the likeliest status, and with `tasks` once for each task, failing it on the device. Each run has a fresh Machine
    with `options`, one that only reports unless they say otherwise.

    A program may answer a failure by what it returns or raises; a programming error, such as a TypeError, is a crash
    unless `expects` (a class, or several) names it, and without a failure so is every exception. Of the calls of one
    line, reached by the same way, the first `same_line` are failed, as in a loop the next ones show the same; `most`
    bounds all failures.

    `check()` of what is returned raises AssertionError with the whole text if there are problems."""
    for name, number in (("most", most), ("same_line", same_line)):
        if whole(name, number) < 1:
            raise ValueError(f"{name}={number}: 1 or more")
    run = _Runner(program, {"on_undefined": "report", "trace": True, **options}, _classes(expects))
    recorder = Recorder()
    base = run.once(recorder, None)
    chosen, alike, more = choose([each for each in recorder.all if tasks or not each.device], most, same_line)
    enough = TIMES * len(recorder.names) + ENDLESS
    runs = tuple(run.once(Names(enough), each) for each in chosen)
    return Sweep(base, runs, tuple(each.site for each in alike), more)


def _classes(expects: Any) -> tuple[type[BaseException], ...]:
    """One class, or several, as a tuple; TypeError for anything else."""
    found: tuple[Any, ...] = tuple(cast("Iterable[Any]", expects)) if isinstance(expects, Iterable) else (expects,)
    if not all(isinstance(each, type) and issubclass(each, BaseException) for each in found):
        raise TypeError(f"expects={expects!r}: a class of exceptions, or several")
    return found


class _Runner:
    """Runs the program again and again."""

    def __init__(
        self, program: Callable[..., object], options: dict[str, Any], expects: tuple[type[BaseException], ...]
    ) -> None:
        self._program = program
        self._takes_machine = _takes_machine(program)
        self._options = options
        self._expects = expects
        self._base: Run | None = None
        self._calls: list[str] = []
        self._known: set[tuple[object, ...]] = set()

    def once(self, recorder: Names, place: Place | None) -> Run:
        """One run, with a failure at this place."""
        failure, returned, raised = None, None, None
        with Machine(**self._options) as machine, _exceptions_of_threads() as strays:
            if place is not None:
                done = True if place.release else None
                failure = machine.faults.plan(place.function, nth=place.nth, device=place.device, done=done)
            machine.faults.plans.append(recorder)
            try:
                returned = self._program(machine) if self._takes_machine else self._program()
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raised = error
            if isinstance(returned, Status):
                int(returned)  # who called the program looks at what it answers
            raised = raised or next(iter(strays), None)
            raised_at = _line_of(raised) if raised else ""
            for error in (raised, *strays):
                _let_go(error)
        endless = isinstance(raised, Endless)  # what such a run did not come to do is no news
        found = [] if endless else machine.findings.worth_telling
        told = {(each.call, each.site) for each in found}
        again = [each for each in released_again(machine.calls) if (each.call, each.site) not in told]
        noticed = self._base is None or recorder.names != self._calls or _differs(self._base, returned, raised)
        run = Run(
            noticed=noticed,
            returned=returned,
            raised=raised.with_traceback(None) if raised else None,
            raised_at=raised_at,
            crashed=self._crashed(raised, raised_at),
            findings=tuple(found),
        )
        if place is None or failure is None:
            self._base, self._calls = run, recorder.names
            self._known = {_key(each) for each in [*found, *again]}  # without a failure it may be meant
            return run
        return replace(
            run,
            function=failure.name,
            nth=failure.nth,
            device=failure.device,
            release=place.release,
            status=failure.status,
            site=failure.first or place.site,
            met=failure.met,
            findings=tuple(
                each for each in [*found, *again] if _key(each) not in self._known and not _forgiven(each, place)
            ),
        )

    def _crashed(self, raised: BaseException | None, at: str) -> bool:
        """See `Run.crashed`."""
        if raised is None or isinstance(raised, self._expects):
            return False
        if self._base is None:
            return not (isinstance(raised, SystemExit) and raised.code in (None, 0))
        known = type(raised) is type(self._base.raised) and at == self._base.raised_at
        null = isinstance(raised, ValueError) and str(raised) == NULL
        return (isinstance(raised, CRASHES) or null) and not known


def _takes_machine(program: Callable[..., object]) -> bool:
    try:
        parameters = inspect.signature(program).parameters.values()
    except ValueError:  # of a builtin
        return False
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return any(each.kind in positional and each.default is inspect.Parameter.empty for each in parameters)


@contextmanager
def _exceptions_of_threads() -> Generator[list[BaseException], None, None]:
    """Collects what ends threads, which their starter does not see."""
    found: list[BaseException] = []
    before = threading.excepthook

    def keep(args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            found.append(args.exc_value)

    threading.excepthook = keep
    try:
        yield found
    finally:
        threading.excepthook = before


def _let_go(raised: BaseException | None) -> None:
    """What the frames of an exception hold goes, as when a caller has caught it: a `__del__` may release things."""
    while raised is not None:
        traceback.clear_frames(raised.__traceback__)
        raised = raised.__cause__ or raised.__context__


def _line_of(raised: BaseException) -> str:
    """The innermost line of the user's that it came through: file and line."""
    frames = [(frame, line) for frame, line in traceback.walk_tb(raised.__traceback__)]
    names = [(str(frame.f_globals.get("__name__")), frame.f_code.co_filename, line) for frame, line in frames]
    if isinstance(raised, Endless):
        return raised.site  # not the last line of the clean-up that it came through
    lines = [f"{file}:{line}" for name, file, line in names if not name.startswith(OURS)]
    return lines[-1] if lines else ""


def _differs(base: Run, returned: object, raised: BaseException | None) -> bool:
    """Did the program tell something else than without a failure? Only plain values are compared."""
    if type(raised) is not type(base.raised) or steady(str(raised)) != steady(str(base.raised)):
        return True
    plain = (bool, int, float, str, type(None))
    return isinstance(returned, plain) and isinstance(base.returned, plain) and returned != base.returned


def _forgiven(finding: Finding, place: Place) -> bool:
    """Is it that nobody looked at the status of the release that failed, as in the documents' programs, or of a wait
    that had nothing to wait for?"""
    here = finding.call == place.function.name and finding.site == place.site
    return (place.release or place.idle) and here and finding.id == "ignored-ret"


def _key(finding: Finding) -> tuple[object, ...]:
    """What makes two findings of two runs the same: mistake and lines, not numbers."""
    sites = tuple(past.site for past in finding.history)
    return finding.id, finding.call, finding.site, sites if sites or finding.site else finding.what
