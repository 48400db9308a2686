"""The pytest fixture `machine`. The plugin imports this module when a test uses the fixture.

A `FixtureUse` accompanies one test: it makes the machine, closes it after the test, and fails the test for findings and
for expectations that were not fulfilled. A test that failed already gets no second failure, as later findings may be
consequences of the first.
"""

import os
import shlex
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import pytest

from acl_runtime.checks.findings import Expectation
from acl_runtime.checks.language import line
from acl_runtime.checks.lifetime.teardown_order import RELEASES
from acl_runtime.checks.report.at_exit import counted, left_behind, lost, unread
from acl_runtime.errors import Finding
from acl_runtime.machine.current import installation
from acl_runtime.machine.machine import Machine
from acl_runtime.machine.tracebacks import end_at_the_call
from acl_runtime.memory.small_blocks import KEPT, overwrite
from acl_runtime.objects.options import VISIBLE, Options, options, variable_of
from acl_runtime.objects.soc import soc_named
from acl_runtime.testing.escaped import ended_teardown, ended_test, ended_thread, seen_by_test, swallowed_note
from acl_runtime.testing.pytest_options import CHOICE, PytestOptions
from acl_runtime.testing.results import RESULTS, folder_name, properties
from acl_runtime.text import Text

LEAST_WORKSPACE: Final = 512
"""the least workspace in bytes that first phases report in tests, so that each call with work shows mistakes with
its workspace"""
SEED: Final = "acl_seed"
"""the fixture that repeats a test under --acl-seeds"""


def products(marker: pytest.Mark, place: str) -> tuple[str, ...]:
    """The names in `@pytest.mark.soc`."""
    if not marker.args or marker.kwargs or not all(isinstance(name, str) for name in marker.args):
        pytest.fail(f'{place} takes names of products, as in soc("Ascend910B1", "Ascend310P3")', pytrace=False)
    try:
        return tuple(soc_named(name).name for name in marker.args)
    except ValueError as error:
        raise _failure(f"{place}: {error}") from None


class FixtureUse:
    """The fixture in one test."""

    def __init__(self, request: pytest.FixtureRequest, choice: PytestOptions, seed: int | None) -> None:
        """`seed`: the seed of a test that --acl-seeds repeats."""
        self._item = request.node
        self._choice = choice
        machine = _machine(request, choice, seed)
        self._closed: Machine | None = None
        """the machine after it was closed; None before"""
        self._machine: Machine | None = machine
        """the machine; None after it was closed"""
        self._description = _description(request, machine, seed)
        self._ended: BaseException | None = None
        """the exception that ended the test"""
        self._failed = False
        self._left: list[Finding] = []
        self._behind: list[Finding] = []
        """the leaks of a test in which a finding ended a thread, which are mostly consequences"""
        self._advice: list[Finding] = []
        """the advice, which is shown when the test fails"""
        self._missing: list[Expectation] = []
        """expectations of `expect_at_end` that no finding met"""
        self._notes: dict[int, str] = {}
        self._unlisted = 0
        self._lang = "en"
        self._unmet: list[str] = []
        """failures of `machine.fail` that no call met"""
        self._cut_short = False
        """True if the test was skipped, expected to fail, or ended by a finding in a teardown"""

    def machine_while_open(self) -> Iterator[Machine]:
        """Enter the machine, yield it to the test, and close it."""
        machine = self._machine
        assert machine is not None
        overwrite_small_blocks()
        raised = machine.findings.raised = []
        machine.findings.expected = []
        installation.enter(machine)
        try:
            yield machine
            seen_ids = self._seen_by_test(machine)
            self._notes = {id(error.finding): swallowed_note(error) for error in raised}
            cut_short = self._ended is not None or any(map(ended_teardown, raised))
            ending_threads = {id(error.finding) for error in raised if ended_thread(error)}
            ending = ended_test(raised, self._ended if self._failed else None)
        finally:
            machine.findings.raised = None  # exceptions keep their frames alive, and so the objects of the frames
            raised.clear()
            installation.leave(machine, f"the end of {self._item.nodeid}")
        self._unmet = _unmet(machine)
        self._missing = machine.findings.settle()
        self._left = [finding for finding in machine.findings.worth_telling if id(finding) not in seen_ids]
        self._advice = [finding for finding in machine.findings if finding.level == "advice"]
        self._unlisted = machine.findings.unlisted
        self._lang = machine.options.lang
        if cut_short:  # the test could not clean up, so only errors are reported
            self._left, self._missing = [finding for finding in self._left if finding.level == "error"], []
            self._cut_short = True
        elif any(id(finding) in ending_threads for finding in self._left):
            leaks = {id(finding) for finding in left_behind(machine.findings)}
            self._behind = [finding for finding in self._left if id(finding) in leaks]
            self._left = [finding for finding in self._left if id(finding) not in leaks]
        self._ended, self._machine, self._closed = None, None, machine
        remaining = {*ending, *map(id, self._left)}
        findings = [finding for finding in machine.findings.worth_telling if id(finding) in remaining]
        self._item.user_properties += properties(machine, findings)
        if self._choice.collects:
            self._item.config.stash[RESULTS].count(machine, findings)

    def judge(self) -> None:
        """Fail the test for findings and unfulfilled expectations, unless the test failed already."""
        reasons = [
            line(
                Text(
                    "{place} expects a finding {listed}, but the machine made none",
                    place=expectation.site,
                    listed=expectation.listed,
                ),
                self._lang,
            )
            for expectation in self._missing
        ]
        reasons += [] if self._cut_short else self._unmet
        if self._left:
            reasons.append(_text(self._left, self._notes, self._unlisted, self._lang))
        if self._behind:
            behind = Text("left behind as a thread ended there: {listed}", listed=counted(self._behind))
            reasons.append(line(behind, self._lang))
        if reasons and self._advice:
            reasons.append("\n\n".join(map(str, self._advice)))
        if reasons and not self._failed:
            self._unmet = []  # the failure below names them
            pytest.fail("\n\n".join(reasons), pytrace=False)

    def before_report(self, call: pytest.CallInfo[None]) -> None:
        """Called when setup, call or teardown of the test is over: shorten the traceback of a user's mistake."""
        if call.excinfo is not None:
            end_at_the_call(call.excinfo.value)
        if call.when == "teardown" and (self._failed or call.excinfo is not None):
            self._write_artifacts()

    def _write_artifacts(self) -> None:
        """Write the timeline and the trace of a failed test to a folder for this test."""
        machine, self._closed = self._closed, None
        if machine is None or self._choice.artifacts is None:
            return
        folder = Path(self._choice.artifacts, folder_name(self._item.nodeid))
        results = self._item.config.stash[RESULTS]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            machine.write_timeline(folder / "timeline.html")
            machine.write_trace(folder / "trace.json")
        except OSError as error:
            results.unwritten.append(f"--acl-artifacts: {self._item.nodeid}: {error}")
            return
        self._item.user_properties.append(("acl.artifacts", str(folder)))
        results.files.append(str(folder))

    def after_report(self, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
        """Add sections to the report of a failure: the command that repeats the test, other findings, statuses that the
        program did not check, and the reason of the last failed call."""
        if call.excinfo is not None and call.when != "teardown":
            self._ended, self._failed = call.excinfo.value, report.failed
        if report.failed:
            unmet = _unmet(self._machine) if self._machine is not None else self._unmet
            report.sections.append(("machine", "\n".join([self._description, *unmet])))
            if self._machine is not None:
                if reasons := [*lost(self._machine), *unread(self._machine)]:
                    report.sections.append(("machine.calls", "\n\n".join(reasons)))
                if findings := self._other_findings(self._machine):
                    report.sections.append(("machine.findings", _text(findings, {}, 0, self._machine.options.lang)))

    def _other_findings(self, machine: Machine) -> list[Finding]:
        """The findings that may explain the failure, advice last. Warnings about releases are omitted, as the failed
        test could not clean up."""
        seen_ids = self._seen_by_test(machine)
        findings = [finding for finding in machine.findings if id(finding) not in seen_ids]
        findings.sort(key=lambda finding: finding.level == "advice")
        return [finding for finding in findings if finding.level != "warning" or not RELEASES.match(finding.call)]

    def _seen_by_test(self, machine: Machine) -> dict[int, Finding]:
        """The findings that must not fail the test, by `id()`."""
        return seen_by_test(machine.findings.raised or (), self._ended, getattr(self._item, "function", None))


def overwrite_small_blocks() -> None:
    """Overwrite the small blocks of freed arrays, such as those of earlier tests, which numpy caches."""
    overwrite(range(4, KEPT, 4))  # arrays of elements of 4 bytes and more


def _failure(text: str) -> BaseException:
    """The exception of `pytest.fail`, for `raise ... from None`."""
    return pytest.fail.Exception(text, pytrace=False)


def _unmet(machine: Machine) -> list[str]:
    """Texts for failures of `machine.fail` that did not happen, so that the test has not tested them."""
    return [
        line(
            Text("no task met what machine.fail asked for: {listed}", listed=repr(failure))
            if failure.device
            else Text("no call met what machine.fail asked for: {listed}", listed=repr(failure)),
            machine.options.lang,
        )
        for failure in machine.faults.unmet
    ]


def _machine(request: pytest.FixtureRequest, choice: PytestOptions, repeated: int | None) -> Machine:
    """Make the machine, with options from the parameter, markers, command line and environment, in this order."""
    arguments: dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers("machine"))):
        if marker.args:
            pytest.fail(f"@pytest.mark.machine takes options by name; got {marker.args}", pytrace=False)
        arguments.update(marker.kwargs)
    names = [option.name for option in fields(Options)]
    if unknown := [name for name in arguments if name not in names]:
        known = f"there are {', '.join(names)}"
        pytest.fail(f"@pytest.mark.machine has no option {', '.join(unknown)}; {known}", pytrace=False)
    if hasattr(request, "param"):
        arguments["soc"] = request.param
    elif (marker := request.node.get_closest_marker("soc")) is not None:
        arguments["soc"] = _one_product(marker, f"{request.node.nodeid}: @pytest.mark.soc")
    if choice.schedule is not None:
        arguments.setdefault("schedule", choice.schedule)
    if choice.soc is not None:
        arguments.setdefault("soc", choice.soc)
    if choice.min_workspace is not None:
        arguments.setdefault("min_workspace", choice.min_workspace)
    elif variable_of("min_workspace") not in os.environ:
        arguments.setdefault("min_workspace", LEAST_WORKSPACE)
    if choice.traces:
        arguments.setdefault("trace", True)
    try:
        chosen = options(arguments)
        if chosen.schedule == "random" and (choice.seeded or repeated is not None or chosen.seed is None):
            arguments.setdefault("seed", choice.seed if repeated is None else repeated)
        return Machine(**arguments)
    except (TypeError, ValueError) as error:
        raise _failure(f"the options of the fixture machine: {error}") from None


def _one_product(marker: pytest.Mark, place: str) -> str:
    """The product of a test that pytest cannot repeat for several products: a method of unittest.TestCase, or a test
    that gets the fixture by `request.getfixturevalue`."""
    first, *others = products(marker, place)
    if others:
        why = "pytest does not repeat methods of unittest.TestCase, nor tests that call getfixturevalue"
        pytest.fail(
            f"{place} names {1 + len(others)} products, but this test runs once ({why}): name one", pytrace=False
        )
    return first


def _description(request: pytest.FixtureRequest, machine: Machine, repeated: int | None) -> str:
    """The options of the machine, and the command that repeats the test."""
    schedule, seed = machine.options.schedule, machine.options.seed
    choice = request.config.stash[CHOICE]
    flags = f"--acl-schedule={schedule}"
    chosen = f"soc={machine.soc.name}, schedule={schedule}"
    if schedule == "random":
        again = f" --acl-seed={choice.seed} --acl-seeds={choice.seeds}"  # so that the name of the test is the same
        flags += f" --acl-seed={seed}" if repeated is None else again
        chosen += f", seed={seed}"
    flags += f" --acl-soc={choice.soc}" if choice.soc is not None else ""
    flags += f" --acl-min-workspace={choice.min_workspace}" if choice.min_workspace is not None else ""
    file = os.path.relpath(request.node.path, request.config.invocation_params.dir)
    _, _, names = request.node.nodeid.partition("::")
    command = [*_environment(), "pytest", shlex.quote(f"{file}::{names}"), flags]
    lines = [chosen, Text("repeat it with: {listed}", listed=" ".join(command))]
    if schedule == "threads":
        lines.append(Text("(the operating system orders the threads: a repeat may differ)"))
    return "\n".join(line(text, machine.options.lang) for text in lines)


def _environment() -> list[str]:
    """The variables of options in the environment, in the syntax of a shell, without the options that the command has
    as flags."""
    names = [variable_of(option.name) for option in fields(Options)]
    variables = [name for name in names if not name.endswith(("_SCHEDULE", "_SEED"))] + [VISIBLE]
    return [f"{name}={shlex.quote(os.environ[name])}" for name in variables if name in os.environ]


def _noted(notes: dict[int, str], finding: Finding, lang: str) -> str:
    """The place where the exception of a finding was caught, as a line; empty if it was not caught."""
    note = notes.get(id(finding), "")
    return f"\n   {line(note, lang)}" if note else ""


def _text(findings: list[Finding], notes: dict[int, str], unlisted: int, lang: str) -> str:
    """The text of a failure because of findings; pytest's short summary shows its first line."""
    ids = ", ".join(dict.fromkeys(finding.id for finding in findings))
    reports = [f"{finding}{_noted(notes, finding, lang)}" for finding in findings]
    more = [Text("and {count} more", count=unlisted)] if unlisted else []
    first, *rest = (line(text, lang) for text in (Text("the machine found: {ids}", ids=ids), *more))
    return "\n\n".join([first, *reports, *rest])
