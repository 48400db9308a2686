"""The pytest plugin: the fixture `machine`, and which product, schedule and seed it has.

    @pytest.mark.soc("Ascend910B1", "Ascend310P3")       one test for each product
    @pytest.mark.machine(device_count=2)                 options of the Machine
    pytest --acl-schedule=random --acl-seed=5            options of the run; acl_schedule, acl_seed in the ini file

Nothing happens to a test that does not ask for the fixture. docs/testing.md tells how to use it.
"""

import inspect
import os
import random
import shlex
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from traceback import walk_tb
from types import CodeType
from typing import Any, Final

import pytest

from acl_runtime.errors import Finding, UndefinedBehaviour
from acl_runtime.machine.machine import Machine
from acl_runtime.machine.options import options
from acl_runtime.machine.scheduler import SCHEDULES
from acl_runtime.machine.site import OURS
from acl_runtime.machine.soc import soc_named

SEEDS: Final = 2**32
PYTEST: Final = ("_pytest", "pluggy")


@dataclass(frozen=True)
class Choice:
    """What the command line or the ini file says of all machines of a run."""

    schedule: str | None
    seed: int
    """of random schedules; drawn once for the run unless given"""
    seeded: bool
    """was it given?"""


@dataclass
class Use:
    """One test's use of the fixture."""

    description: str
    machine: Machine | None
    """None when it is closed"""
    ended: BaseException | None = None
    """what ended the test's own code early"""
    failed: bool = False


CHOICE: Final = pytest.StashKey[Choice]()
USE: Final = pytest.StashKey[Use]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--acl-schedule`, `--acl-seed`, and the same in the ini file."""
    group = parser.getgroup("acl_runtime", "AscendCL emulator")
    schedules = "when queued work runs on the fixture machine: late (default), eager, threads, random"
    seeds = "seed of --acl-schedule=random, which it implies; without it one is drawn for the run"
    group.addoption("--acl-schedule", choices=SCHEDULES, help=schedules)
    group.addoption("--acl-seed", type=int, metavar="N", help=seeds)
    parser.addini("acl_schedule", f"{schedules} (as --acl-schedule)", default="")
    parser.addini("acl_seed", f"{seeds} (as --acl-seed)", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Read the options, and make the markers known."""
    config.addinivalue_line("markers", "soc(*products): run the test on a machine of each of these products")
    config.addinivalue_line("markers", "machine(**options): options of the Machine that the fixture machine gives")
    schedule, seed = config.getoption("acl_schedule"), config.getoption("acl_seed")
    schedule = schedule or config.getini("acl_schedule") or None
    if schedule is not None and schedule not in SCHEDULES:
        raise pytest.UsageError(f"acl_schedule={schedule}: one of {', '.join(SCHEDULES)}")
    try:
        seed = int(config.getini("acl_seed")) if seed is None and config.getini("acl_seed") else seed
    except ValueError:
        raise pytest.UsageError(f"acl_seed={config.getini('acl_seed')}: a number") from None
    seeded = seed is not None
    if seed is None:  # a worker of pytest-xdist has that of the process which started it
        seed = getattr(config, "workerinput", {}).get("acl_seed", random.SystemRandom().randrange(SEEDS))
    config.stash[CHOICE] = Choice(schedule or ("random" if seeded else None), seed, seeded)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """pytest-xdist starts a worker: all of a run have one seed."""
    node.workerinput["acl_seed"] = node.config.stash[CHOICE].seed


def pytest_report_header(config: pytest.Config) -> str | None:
    """The schedule, if one was chosen for the run."""
    choice = config.stash[CHOICE]
    if choice.schedule is None:
        return None
    return f"acl_runtime: schedule={choice.schedule}" + (f", seed={choice.seed}" * (choice.schedule == "random"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each product of `@pytest.mark.soc`."""
    marker = metafunc.definition.get_closest_marker("soc")
    if marker is None:
        return
    where = f"{metafunc.definition.nodeid}: @pytest.mark.soc"
    if "machine" not in metafunc.fixturenames:
        if marker in getattr(metafunc.function, "pytestmark", []):  # one of a class or module may be for other tests
            pytest.fail(f"{where} is for tests that use the fixture machine", pytrace=False)
        return
    if not marker.args or marker.kwargs:
        pytest.fail(f'{where} takes names of products, as in soc("Ascend910B1", "Ascend310P3")', pytrace=False)
    try:
        for name in marker.args:
            soc_named(name)
    except ValueError as error:
        pytest.fail(f"{where}: {error}", pytrace=False)
    metafunc.parametrize("machine", marker.args, indirect=True)


@pytest.fixture
def machine(request: pytest.FixtureRequest) -> Iterator[Machine]:
    """A fresh machine of the AscendCL emulator, on which all calls of the test work. Errors and warnings that it has
    found when it is closed, leaks among them, fail the test. Markers: soc, machine. Options: --acl-schedule,
    --acl-seed."""
    made = _machine(request)
    made.findings.raised = []
    use = request.node.stash[USE] = Use(_description(request, made), made)
    with made:
        yield made
        answered = _answered(use, request.node)
        notes = {id(each.finding): _note(each) for each in made.findings.raised}
        made.findings.raised = None  # the exceptions keep frames alive, and what lies in them
    ended, use.ended, use.machine = use.ended, None, None
    if use.failed:
        return  # the failure tells what was found; what is left behind now may be its consequence
    left = [each for each in made.findings.worth_telling if id(each) not in answered]
    if ended is not None:  # skipped, or expected to fail: it could not clean up
        left = [each for each in left if each.level == "error"]
    if left:
        pytest.fail(_text(left, notes, made.findings.unlisted), pytrace=False)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failure tells how to repeat it, and which errors the machine had found besides."""
    use = item.stash.get(USE, None)
    if use is not None and call.excinfo is not None and isinstance(call.excinfo.value, UndefinedBehaviour):
        _end_at_the_call(call.excinfo.value)
    report = yield
    if use is None:
        return report
    if call.excinfo is not None and call.when != "teardown":
        use.ended, use.failed = call.excinfo.value, report.failed
    if report.failed:
        report.sections.append(("machine", use.description))
        if use.machine is not None:
            answered = _answered(use, item)
            errors = [each for each in use.machine.findings if each.level == "error" and id(each) not in answered]
            if errors:
                report.sections.append(("machine.findings", _text(errors, {}, 0)))
    return report


def _machine(request: pytest.FixtureRequest) -> Machine:
    """The machine that parameter, markers, command line and environment ask for, in this order."""
    choice = request.config.stash[CHOICE]
    given: dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers("machine"))):
        if marker.args:
            pytest.fail(f"@pytest.mark.machine takes options by name; got {marker.args}", pytrace=False)
        given.update(marker.kwargs)
    if hasattr(request, "param"):
        given["soc"] = request.param
    if choice.schedule is not None:
        given.setdefault("schedule", choice.schedule)
    try:
        chosen = options(given)
        if chosen.schedule == "random" and (choice.seeded or chosen.seed is None):
            given.setdefault("seed", choice.seed)
        return Machine(**given)
    except (TypeError, ValueError) as error:
        pytest.fail(f"the options of the fixture machine: {error}", pytrace=False)


def _description(request: pytest.FixtureRequest, made: Machine) -> str:
    """What a failure depends on, and how to repeat it."""
    schedule, seed = made.options.schedule, made.options.seed
    flags = f"--acl-schedule={schedule}"
    chosen = f"soc={made.soc.name}, schedule={schedule}"
    if schedule == "random":
        flags += f" --acl-seed={seed}"
        chosen += f", seed={seed}"
    file = os.path.relpath(request.node.path, request.config.invocation_params.dir)
    _, _, names = request.node.nodeid.partition("::")
    lines = [chosen, f"repeat it with: pytest {shlex.quote(f'{file}::{names}')} {flags}"]
    if schedule == "threads":
        lines.append("(the operating system orders the threads: a repeat may differ)")
    return "\n".join(lines)


def _end_at_the_call(behaviour: UndefinedBehaviour) -> None:
    """The traceback shall end with the user's call, not where the emulator raises."""
    last, entry = None, behaviour.__traceback__
    while entry is not None:
        if not str(entry.tb_frame.f_globals.get("__name__")).startswith(OURS):
            last = entry
        entry = entry.tb_next
    if last is not None:
        last.tb_next = None


def _text(findings: list[Finding], notes: dict[int, str], unlisted: int) -> str:
    """Findings as a failure tells them; the first line is what pytest's short summary shows."""
    ids = ", ".join(dict.fromkeys(each.id for each in findings))
    told = [f"{each}{notes.get(id(each), '')}" for each in findings]
    more = [f"and {unlisted} more"] if unlisted else []
    return "\n\n".join([f"the machine found: {ids}", *told, *more])


# who caught an UndefinedBehaviour: the test, or the code that it tests


def _answered(use: Use, item: pytest.Item) -> dict[int, Finding]:
    """The findings that need no failure of their own, by `id`: raised, and caught by the test or told as its
    failure."""
    raised = (use.machine.findings.raised if use.machine else None) or []
    told = _chain(use.ended)
    test: Any = getattr(item, "function", None)
    codes = _codes(inspect.unwrap(test).__code__) if test is not None else []
    return {id(each.finding): each.finding for each in raised if each in told or _caught_by_test(each, codes)}


def _chain(error: BaseException | None) -> list[BaseException]:
    """An exception and those that led to it."""
    found: list[BaseException] = []
    waiting = [error]
    while waiting:
        each = waiting.pop()
        if each is not None and each not in found:
            found.append(each)
            waiting += [each.__cause__, each.__context__, *getattr(each, "exceptions", ())]
    return found


def _codes(code: CodeType) -> list[CodeType]:
    """The code of a function, then that of the functions in it."""
    return [code, *(inner for each in code.co_consts if isinstance(each, CodeType) for inner in _codes(each))]


def _caught_by_test(behaviour: UndefinedBehaviour, codes: list[CodeType]) -> bool:
    """Did it come as far as the test function, a helper that says `pytest.raises`, or pytest? A traceback begins at
    the frame that caught the exception."""
    frames = [frame for frame, _ in walk_tb(behaviour.__traceback__)]
    if not frames:
        return False
    catcher = frames[0]
    return (
        catcher.f_code in codes
        or "raises" in catcher.f_code.co_names
        or str(catcher.f_globals.get("__name__")).partition(".")[0] in PYTEST
        or any(frame.f_code is codes[0] for frame in frames if codes)  # `with helper():`, whose __exit__ caught it
    )


def _note(behaviour: UndefinedBehaviour) -> str:
    """Who swallowed it."""
    frame, line = next(walk_tb(behaviour.__traceback__), (None, 0))
    if frame is None:
        return ""
    code = frame.f_code
    return (
        f"\n   = note: the exception was caught in {code.co_name} at {code.co_filename}:{line}, which is not the test; "
        "if that is meant: aclnn.testing.expect_finding"
    )
