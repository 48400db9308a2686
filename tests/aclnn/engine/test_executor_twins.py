"""An executor that one form of an operator planned, launched by its form in place, or the reverse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from tests.helpers.builders import OnDevice, Planned, on_device, plan

VALUES = np.array([-2, 0, 3], np.float32)


def relu() -> tuple[Planned, OnDevice]:
    self, out = on_device(VALUES), on_device(np.zeros_like(VALUES))
    return plan(aclnnReluGetWorkspaceSize, self.handle, out.handle), out


def inplace_relu() -> tuple[Planned, OnDevice]:
    self = on_device(VALUES)
    return plan(aclnnInplaceReluGetWorkspaceSize, self.handle), self


@pytest.mark.parametrize(
    ("planned", "second"),
    [(relu, aclnnInplaceRelu), (inplace_relu, aclnnRelu)],
    ids=["planned by Relu", "planned by InplaceRelu"],
)
def test_the_twin_runs_the_plan_with_advice(
    machine: Machine, planned: Callable[[], tuple[Planned, OnDevice]], second: Any
) -> None:
    """ "an executor launched by its in-place twin | works; advice". The executor is used up as by its own operator."""
    call, out = planned()
    assert second(None, 0, call.executor, None) == ACL_SUCCESS
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    assert np.array_equal(out.read(), np.maximum(VALUES, 0))
    assert [(finding.id, finding.level) for finding in machine.findings] == [("exec-twin", "advice")]
    for word in ("aclnnRelu", "aclnnInplaceRelu"):
        assert word in machine.findings[0].message
    with pytest.raises(UndefinedBehaviour, match="exec-reused"):
        second(None, 0, call.executor, None)


def test_a_line_is_reported_once(machine: Machine) -> None:
    for _ in range(3):
        call, _ = relu()
        assert aclnnInplaceRelu(None, 0, call.executor, None) == ACL_SUCCESS
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    assert [finding.id for finding in machine.findings] == ["exec-twin"]


def test_its_own_operator_gives_no_advice(machine: Machine) -> None:
    """The good twin."""
    call, _ = relu()
    assert aclnnRelu(None, 0, call.executor, None) == ACL_SUCCESS
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    assert machine.findings == []


@pytest.mark.parametrize("second", [aclnnInplaceAdd, aclnnSoftmax], ids=["a form in place", "another operator"])
def test_the_twin_of_another_operator_is_another_operator(machine: Machine, second: Any) -> None:
    call, _ = relu()
    with pytest.raises(UndefinedBehaviour, match="exec-wrong-op"):
        second(None, 0, call.executor, None)
