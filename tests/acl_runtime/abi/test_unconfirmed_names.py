"""Names that no public fact spells: each row is about a name of the headers, and shows in help and docstring."""

from __future__ import annotations

import inspect

import pytest

import acl_runtime
from acl_runtime.headers import enums, structs
from acl_runtime.headers.unconfirmed import ALL, ITSELF, NAMES, note


@pytest.mark.parametrize("name", NAMES)
def test_the_help_has_the_note(name: str) -> None:
    thing = getattr(acl_runtime, name)
    members = {field[0] for field in getattr(thing, "_fields_", ())}
    assert set(NAMES[name]) - {ALL, ITSELF, "its values"} <= members
    if not isinstance(thing, int):
        assert note(name) in (inspect.getdoc(thing) or "")


def test_confirmed_names_have_no_note() -> None:
    assert note("aclrtMalloc") == ""
    kinds = {name: getattr(module, name) for module in (enums, structs) for name in module.__all__}
    kinds["aclrtMalloc"] = acl_runtime.aclrtMalloc
    types = {name: kind for name, kind in kinds.items() if callable(kind)}
    assert {name for name, kind in types.items() if "Unconfirmed" in str(kind.__doc__)} <= NAMES.keys()
