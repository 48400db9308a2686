"""Functions that are newer than CANN 9.1: the help says so, or the fidelity page lists them as absent."""

from __future__ import annotations

from pathlib import Path

import pytest

import acl_runtime
from acl_runtime.headers.editions import EDITIONS, edition_note

PAGE = Path(__file__).parents[3] / "docs" / "fidelity.md"


@pytest.mark.parametrize("name", EDITIONS)
def test_the_help_names_the_edition_of_a_newer_function(name: str) -> None:
    function = getattr(acl_runtime, name, None)
    if function is None:
        _, _, absent = PAGE.read_text(encoding="utf-8").partition("## Absent")
        assert f"`{name}`" in absent
    else:
        assert f"Since CANN {EDITIONS[name]}: CANN 9.1 does not have this function." in function.c.help


def test_other_functions_have_no_edition() -> None:
    assert edition_note("aclrtMalloc") == ""
    helps = {name: getattr(getattr(acl_runtime, name), "c", None) for name in acl_runtime.__all__}
    assert {name for name, c in helps.items() if c is not None and "Since CANN" in c.help} <= EDITIONS.keys()
