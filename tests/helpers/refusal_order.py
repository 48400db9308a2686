"""The refusals of an operator, in the order of its contract.

A test lists the good call and the mistakes. Each mistake alone gives its status and names its parameter. Of two
mistakes in one call, the one that is listed first wins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from acl_runtime import *
from acl_runtime import Machine
from tests.aclnn.ops.case import A2, Meta
from tests.helpers.builders import Planned, plan

Given = Mapping[str, Any]


class Mistake(NamedTuple):
    """A call that is refused."""

    name: str
    changes: Given
    """to the good call"""
    parameter: str
    """which the text names"""
    status: int = ACLNN_ERR_PARAM_INVALID

    def __str__(self) -> str:
        return self.name


def made(value: Any) -> Any:
    """The argument: tensors are made from `Meta`, lists of tensors from lists of these."""
    if isinstance(value, list):
        members = [made(each) for each in value]  # pyright: ignore[reportUnknownVariableType]
        return aclCreateTensorList(members, len(members))
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
    pairs = [(one, other) for one, other in combinations(mistakes, 2) if not one.changes.keys() & other.changes.keys()]
    assert pairs
    wrong: list[str] = []
    for one, other in pairs:
        found = answer(first, good, {**one.changes, **other.changes})
        if found.status != one.status or f"parameter: {one.parameter}" not in found.text:
            wrong.append(f"{one} before {other}: {found.status} {found.text}")
    assert not wrong, "\n".join(wrong)
