"""Refusals of a first phase, as tables: each row breaks a good call in one way.

    MISTAKES = (
        Mistake("self is null", ACLNN_ERR_PARAM_NULLPTR, "self", self=None),
        Mistake("the type of self is listed", ACLNN_ERR_PARAM_INVALID, "self", self=Of((2, 3), ACL_STRING)),
    )

The rows stand in the order in which the operator checks. `pairs` gives two mistakes of one call; the first is found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.headers.dtypes import data_type_of
from tests.aclnn.ops.case import A2, Meta
from tests.derived.values import Values
from tests.helpers.builders import Planned, meta, plan

Given = Mapping[str, Any]
ARRAYS = {int: aclCreateIntArray, float: aclCreateFloatArray, bool: aclCreateBoolArray}
"""by the type of the first value"""


class Of(NamedTuple):
    """A tensor without memory."""

    shape: Sequence[int]
    dtype: int = ACL_FLOAT
    format: int = ACL_FORMAT_ND


class Number(NamedTuple):
    """An aclScalar."""

    value: Any
    dtype: Any = np.float32


class Mistake:
    """A call that differs from the good one in these arguments, and its answer."""

    def __init__(self, rule: str, status: int, parameter: str, /, **changes: Any) -> None:
        self.rule, self.status, self.parameter, self.changes = rule, status, parameter, changes

    def __str__(self) -> str:
        return self.rule

    def found(self, first: Callable[..., int], good: Mapping[str, Any], *others: Mistake) -> None:
        """Assert that the first phase finds this mistake, also when the call has the others as well."""
        changed = dict(good)
        for each in (self, *others):
            changed.update(each.changes)
        planned = planned_with(first, changed)
        assert planned.status == self.status, planned.text
        assert f"parameter: {self.parameter}," in planned.text


def planned_with(first: Callable[..., int], values: Mapping[str, Any]) -> Planned:
    """The first phase of a call with these arguments, in the order of the prototype."""
    return plan(first, *map(_handle, values.values()))


def _handle(value: Any) -> Any:
    if isinstance(value, Of):
        return meta(value.shape, value.dtype, format=value.format)
    if isinstance(value, Number):
        held = np.asarray(value.value, value.dtype)
        return aclCreateScalar(held, data_type_of(held.dtype))
    return aclCreateIntArray(value, len(value)) if isinstance(value, list) else value


def pairs(mistakes: Sequence[Mistake]) -> list[Any]:
    """Two mistakes that one call can have, the one that is found first in front."""
    import pytest

    return [
        pytest.param(one, other, id=f"{one.rule}, before {other.rule}")
        for one, other in combinations(mistakes, 2)
        if not one.changes.keys() & other.changes.keys()
    ]


def rules(mistake: Any) -> str:
    """The id of a test."""
    return mistake.rule if isinstance(mistake, Mistake) else ""


def status_of(name: str, *values: Any, soc: str = A2) -> int:
    """The status of the first phase with this name, on a machine of its own."""
    import aclnn

    with Machine(soc, on_undefined="report"):
        aclrtSetDevice(0)
        return planned_with(getattr(aclnn, f"{name}GetWorkspaceSize"), dict(enumerate(values))).status  # pyright: ignore


# on a machine of its own, with tensors from `Meta`


def made(value: Any) -> Any:
    """The argument: tensors are made from `Meta`, scalars from `Number`, arrays from `Values`, lists of tensors from
    lists or tuples of these."""
    if isinstance(value, Number):
        return _handle(value)
    if isinstance(value, list | tuple):
        members = [made(each) for each in value]  # pyright: ignore[reportUnknownVariableType]
        return aclCreateTensorList(members, len(members))
    if isinstance(value, Values):
        create = ARRAYS[type(value.values[0])] if value.values else aclCreateIntArray
        return create(list(value.values), len(value.values))
    return value.make() if isinstance(value, Meta) else value


def answer(first: Callable[..., int], good: Given, changes: Given | None = None, soc: str = A2) -> Planned:
    """The answer of a first phase, on a machine of its own."""
    with Machine(soc, on_undefined="report"):
        aclrtSetDevice(0)
        return plan(first, *map(made, {**good, **(changes or {})}.values()))


def assert_refused(first: Callable[..., int], good: Given, mistake: Mistake, soc: str = A2) -> None:
    found = answer(first, good, mistake.changes, soc)
    assert (found.status, f"parameter: {mistake.parameter}" in found.text) == (mistake.status, True), found.text


def assert_order(first: Callable[..., int], good: Given, mistakes: Sequence[Mistake]) -> None:
    """Each two mistakes of different parameters, together in one call."""
    both = [(one, other) for one, other in combinations(mistakes, 2) if not one.changes.keys() & other.changes.keys()]
    assert both
    wrong: list[str] = []
    for one, other in both:
        found = answer(first, good, {**one.changes, **other.changes})
        if found.status != one.status or f"parameter: {one.parameter}" not in found.text:
            wrong.append(f"{one} before {other}: {found.status} {found.text}")
    assert not wrong, "\n".join(wrong)


def assert_in_order(first: Callable[..., int], good: Given, mistakes: Sequence[Mistake], soc: str = A2) -> None:
    """Each mistake alone, and together with all that the operator finds later. One machine serves all calls."""
    with Machine(soc, on_undefined="report"):
        aclrtSetDevice(0)
        assert plan(first, *map(made, good.values())).status == ACL_SUCCESS, aclGetRecentErrMsg()
        for at, one in enumerate(mistakes):
            later = {name: value for each in mistakes[at + 1 :] for name, value in each.changes.items()}
            for changes in (one.changes, {**later, **one.changes}):
                found = plan(first, *map(made, {**good, **changes}.values()))
                assert (found.status, f"parameter: {one.parameter}," in found.text) == (one.status, True), (
                    f"{one}: {found.status} {found.text}"
                )
