"""Tests that an in-place twin makes before everything else, and relations that only the operator itself has."""

from __future__ import annotations

from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from tests.helpers.builders import Planned
from tests.helpers.refusals import Mistake, Number, Of, pairs, planned_with, rules

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
GOOD: dict[str, Any] = {"selfRef": Of((2, 3)), "other": Of((3,)), "alpha": Number(2)}
FIRST = [
    Mistake("selfRef is null", NULL, "selfRef", selfRef=None),
    Mistake("other is null", NULL, "other", other=None),
    Mistake("the shapes broadcast", INVALID, "other", other=Of((4,))),
    Mistake("selfRef is not stretched", INVALID, "selfRef", other=Of((4, 2, 3))),
]
ALPHA = Mistake("alpha is null", NULL, "alpha", alpha=None)
TYPES = [
    Mistake("selfRef has a type of the list", INVALID, "selfRef", selfRef=Of((2, 3), ACL_UINT16)),
    Mistake("alpha can be cast", INVALID, "alpha", alpha=Number(1j, "complex64")),
]
WITH_FIRST = {
    "Add": (aclnnInplaceAddGetWorkspaceSize, aclnnAddGetWorkspaceSize),
    "Div": (aclnnInplaceDivGetWorkspaceSize, aclnnDivGetWorkspaceSize),
}


def given(name: str, mistake: Mistake) -> dict[str, Any]:
    """A call with this mistake; Div has no alpha."""
    values = GOOD | mistake.changes
    return {key: value for key, value in values.items() if key != "alpha" or name != "Div"}


@pytest.mark.parametrize("mistake", [*FIRST, ALPHA, *TYPES], ids=rules)
def test_refusals_of_inplace_add(machine: Machine, mistake: Mistake) -> None:
    assert planned_with(aclnnInplaceAddGetWorkspaceSize, GOOD).status == ACL_SUCCESS
    mistake.found(aclnnInplaceAddGetWorkspaceSize, GOOD)


@pytest.mark.parametrize(("one", "other"), pairs([*FIRST, ALPHA, *TYPES]))
def test_shapes_come_before_the_null_of_alpha(machine: Machine, one: Mistake, other: Mistake) -> None:
    one.found(aclnnInplaceAddGetWorkspaceSize, GOOD, other)


@pytest.mark.parametrize("name", WITH_FIRST)
@pytest.mark.parametrize("mistake", FIRST, ids=rules)
@pytest.mark.parametrize("missing", ["workspaceSize", "executor", "both"])
def test_first_tests_come_before_the_pointers_of_the_result(
    machine: Machine, name: str, mistake: Mistake, missing: str
) -> None:  # fmt: skip
    """The twin looks at its shapes before workspaceSize and executor; a right call then finds the null pointer."""
    first, _ = WITH_FIRST[name]
    found = _without(first, given(name, mistake), missing)
    assert found.status == mistake.status
    assert f"parameter: {mistake.parameter}," in found.text
    right = _without(first, given(name, Mistake("", 0, "")), missing)
    assert right.status == NULL
    assert "nullptr" in right.text


def _without(first: Any, values: dict[str, Any], missing: str) -> Planned:
    """A call in which workspaceSize, executor or both are null."""

    def called(*arguments: Any) -> int:
        *tensors, size, executor = arguments
        left = size if missing == "executor" else None, executor if missing == "workspaceSize" else None
        return first(*tensors, *left)

    return planned_with(called, values)


def test_the_operator_itself_finds_the_null_of_alpha_first(machine: Machine) -> None:
    values = {"self": Of((2, 3)), "other": Of((4,)), "alpha": None, "out": Of((2, 3))}
    planned = planned_with(aclnnAddGetWorkspaceSize, values)
    assert (planned.status, "parameter: alpha," in planned.text) == (NULL, True)


def test_inplace_sub_and_mul_have_no_first_tests(machine: Machine) -> None:
    """InplaceSub "ignores their outcome"; InplaceMul looks at its types before the shapes."""
    Mistake("", NULL, "alpha", other=Of((4,)), alpha=None).found(aclnnInplaceSubGetWorkspaceSize, GOOD)
    values = {"selfRef": Of((2, 3), ACL_UINT16), "other": Of((4,))}
    Mistake("", INVALID, "selfRef").found(aclnnInplaceMulGetWorkspaceSize, values)


def test_inplace_div_looks_at_its_shapes_before_the_types(machine: Machine) -> None:
    values = {"selfRef": Of((2, 3), ACL_UINT16), "other": Of((4,))}
    Mistake("", INVALID, "other").found(aclnnInplaceDivGetWorkspaceSize, values)


def test_only_mul_itself_limits_the_rank(machine: Machine) -> None:
    """ "InplaceMul: n(selfRef, other) t p s with no rank limit of its own"."""
    nine = Of((1,) * 9)
    assert planned_with(aclnnInplaceMulGetWorkspaceSize, {"selfRef": nine, "other": nine}).status == ACL_SUCCESS
    Mistake("", INVALID, "self").found(aclnnMulGetWorkspaceSize, {"self": nine, "other": nine, "out": nine})
