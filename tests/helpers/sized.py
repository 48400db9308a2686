"""Calls whose tensors have other shapes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.aclnn.ops.case import Meta
from tests.derived.judging import Subject
from tests.derived.values import Call, Values

Changes = dict[str, Any]
"""by parameter: the shape of a tensor, the shapes of a list, the values of an array, or another value"""


def sized(this: Subject, changes: Changes) -> Call:
    """The good call with these changes. A null value stays null; names that the function does not have are left out."""
    return {name: _changed(value, changes[name]) if name in changes else value for name, value in this.good.items()}


def _changed(value: Any, wanted: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, Meta):
        return replace(value, shape=wanted)
    if isinstance(value, Values):
        return Values(wanted)
    if isinstance(value, tuple):
        return tuple(replace(each, shape=shape) for each, shape in zip(value, wanted, strict=True))
    return wanted
