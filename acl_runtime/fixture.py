"""What the pytest fixture `machine` does; the plugin imports it when a test asks for the fixture."""

import os
import shlex
from collections.abc import Iterator
from typing import Any

import pytest

from _acl_pytest_plugin import Choice
from acl_runtime.caught import answered, end_at_the_call, who_swallowed
from acl_runtime.errors import Finding, UndefinedBehaviour
from acl_runtime.machine.machine import Machine
from acl_runtime.machine.options import options
from acl_runtime.machine.soc import soc_named


def products(marker: pytest.Mark, where: str) -> tuple[str, ...]:
    """The names in `@pytest.mark.soc`."""
    if not marker.args or marker.kwargs:
        pytest.fail(f'{where} takes names of products, as in soc("Ascend910B1", "Ascend310P3")', pytrace=False)
    try:
        return tuple(soc_named(name).name for name in marker.args)
    except ValueError as error:
        pytest.fail(f"{where}: {error}", pytrace=False)


class Use:
    """One test's use of the fixture."""

    def __init__(self, request: pytest.FixtureRequest, choice: Choice) -> None:
        self._item = request.node
        made = _machine(request, choice)
        self._machine: Machine | None = made
        """None when it is closed"""
        self._description = _description(request, made)
        self._ended: BaseException | None = None
        """what ended the test's own code early"""
        self._failed = False
        self._left: list[Finding] = []
        self._notes: dict[int, str] = {}
        self._unlisted = 0

    def machine_while_open(self) -> Iterator[Machine]:
        """The machine is entered, given to the test, closed."""
        made = self._machine
        assert made is not None
        made.findings.raised = []
        with made:
            yield made
            dealt_with = self._answered(made)
            self._notes = {id(each.finding): who_swallowed(each) for each in made.findings.raised}
            made.findings.raised = None  # the exceptions keep frames alive, and what lies in them
        self._left = [each for each in made.findings.worth_telling if id(each) not in dealt_with]
        self._unlisted = made.findings.unlisted
        if self._ended is not None:  # skipped, or expected to fail: it could not clean up
            self._left = [each for each in self._left if each.level == "error"]
        self._ended = self._machine = None

    def judge(self) -> None:
        """Fail the test for what was found, unless it failed already: what was left behind may follow from that."""
        if self._left and not self._failed:
            pytest.fail(_text(self._left, self._notes, self._unlisted), pytrace=False)

    def before_report(self, call: pytest.CallInfo[None]) -> None:
        """The test, or a part of it, is over."""
        if call.excinfo is not None and isinstance(call.excinfo.value, UndefinedBehaviour):
            end_at_the_call(call.excinfo.value)

    def after_report(self, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
        """A failure tells how to repeat it, and which errors were found besides."""
        if call.excinfo is not None and call.when != "teardown":
            self._ended, self._failed = call.excinfo.value, report.failed
        if report.failed:
            report.sections.append(("machine", self._description))
            if self._machine is not None:
                dealt_with, found = self._answered(self._machine), self._machine.findings
                errors = [each for each in found if each.level == "error" and id(each) not in dealt_with]
                if errors:
                    report.sections.append(("machine.findings", _text(errors, {}, 0)))

    def _answered(self, made: Machine) -> dict[int, Finding]:
        """The findings that need no failure of their own, by `id()`."""
        return answered(made.findings.raised or (), self._ended, getattr(self._item, "function", None))


def _machine(request: pytest.FixtureRequest, choice: Choice) -> Machine:
    """The machine that parameter, markers, command line and environment ask for, in this order."""
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


def _text(findings: list[Finding], notes: dict[int, str], unlisted: int) -> str:
    """Findings as a failure tells them; the first line is what pytest's short summary shows."""
    ids = ", ".join(dict.fromkeys(each.id for each in findings))
    told = [f"{each}{notes.get(id(each), '')}" for each in findings]
    more = [f"and {unlisted} more"] if unlisted else []
    return "\n\n".join([f"the machine found: {ids}", *told, *more])
