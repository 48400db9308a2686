"""Mistakes in a formula: the finding names the formula, and nothing wrong is computed in silence."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn.op import Planning, elementwise, listed, planned, same_shape
from aclnn.testing import run

X = np.ones((2, 3), np.float32)


def rows(self: Any) -> Any:
    """Has the wrong shape, which numpy could broadcast to the right one."""
    return self.sum(0)


def forgets(self: Any) -> Any:
    """Has no `return`."""


def number(self: Any) -> Any:
    """Is a Python number."""
    return 1.0


def raises(self: Any) -> Any:
    """Reads behind the end."""
    return self[[7]]


def right(self: Any) -> Any:
    """The good twin."""
    return np.sinh(self)


def sinh_by(formula: Callable[..., Any]) -> Any:
    _, second = elementwise("aclnnSinh", listed("self"), same_shape("out", as_="self"))(formula).pairs["aclnnSinh"]
    return run(second, X, np.empty_like(X))


MISTAKES = {
    rows: r"ValueError: aclnnSinh: the formula rows returns the shape \[3\]; \[2, 3\] was planned",
    forgets: "TypeError: aclnnSinh: the formula forgets has to return arrays, not NoneType",
    number: "TypeError: aclnnSinh: the formula number has to return arrays, not float",
    raises: "IndexError: index 7 is out of bounds",
}
every_mistake = pytest.mark.parametrize(("formula", "text"), MISTAKES.items(), ids=[each.__name__ for each in MISTAKES])
every_schedule = pytest.mark.parametrize("schedule", ["late", "eager", "threads", "random"])


@pytest.mark.finds("kernel-raised")
@every_schedule
@every_mistake
def test_a_mistake_in_a_formula_is_found_by_the_call_that_runs_the_task(
    formula: Callable[..., Any], text: str, schedule: str
) -> None:
    with Machine(schedule=schedule, seed=1) as machine:
        with pytest.raises(UndefinedBehaviour, match=f"(?s)the formula of aclnnSinh failed:.*{text}") as raised:
            sinh_by(formula)
        assert raised.value.finding.id == "kernel-raised"
        assert "Please report this text with the call" in raised.value.finding.hint
        assert sinh_by(right) == pytest.approx(np.sinh(X)), "the task has left the queue"
    assert [each.id for each in machine.findings if each.level == "error"] == ["kernel-raised"]


@pytest.mark.fidelity("a formula of the emulator that raises")
@pytest.mark.finds("kernel-raised")
@every_schedule
@every_mistake
def test_in_a_machine_that_reports_the_task_fails_and_the_program_goes_on(
    formula: Callable[..., Any], text: str, schedule: str
) -> None:
    with Machine(schedule=schedule, seed=1, on_undefined="report") as machine:
        with pytest.raises(AssertionError, match=r"AICORE_EXCEPTION \(507015\).*\n.*the formula of aclnnSinh failed"):
            sinh_by(formula)
        assert sinh_by(right) == pytest.approx(np.sinh(X))
    assert [each.id for each in machine.findings if each.level == "error"] == ["kernel-raised"]
    assert re.search(text, machine.findings[0].what)


@pytest.mark.parametrize("ended", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_passes_through(ended: type[BaseException]) -> None:
    def interrupted(self: Any) -> Any:
        raise ended

    with Machine(on_undefined="report") as machine, pytest.raises(ended):
        sinh_by(interrupted)
    assert not any(each.id == "kernel-raised" for each in machine.findings)


def test_a_right_formula(machine: Machine) -> None:
    assert np.allclose(sinh_by(right), np.sinh(X))


def test_a_parameter_that_the_prototype_lacks_is_named_when_the_functions_are_made() -> None:
    def misspelt(slef: Any) -> Any:
        return np.sinh(slef)

    operator = elementwise("aclnnSinh", "aclnnInplaceSinh", listed("self"))(misspelt)
    with pytest.raises(TypeError, match="the formula names slef, but aclnnSinh has self, out"):
        assert operator.pairs


def test_a_plan_that_stores_nothing_is_an_error_of_the_first_phase(machine: Machine) -> None:
    """Unless a mask may turn its outputs off, or a list has no group with work."""

    @planned("aclnnSinh", listed("self"), same_shape("out", as_="self"))
    def nothing(p: Planning) -> None:
        p.step(np.sinh, [p.read("self")], X.shape, p.dtype("self"))

    with pytest.raises(TypeError, match="the plan of aclnnSinh writes no output; it has to store out"):
        run(nothing.pairs["aclnnSinh"][1], X, np.empty_like(X))


def test_a_plan_need_not_store_outputs_without_elements(machine: Machine) -> None:
    @planned("aclnnSinh", listed("self"), same_shape("out", as_="self"))
    def nothing(p: Planning) -> None:
        """There is nothing to write."""

    empty = X[:0]
    assert run(nothing.pairs["aclnnSinh"][1], empty, empty.copy()).size == 0
