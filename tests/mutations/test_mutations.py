"""Each mutation applies: the sources have the line that it changes, once, and still are sources with it (ours)."""

from __future__ import annotations

import ast
from collections import Counter

import pytest

from tests.mutations.listed import ALL, share
from tests.mutations.mutation import ROOT, Mutation

pytestmark = pytest.mark.checkout("a mutation changes a line of the sources")


@pytest.mark.parametrize("mutation", ALL, ids=lambda each: each.name)
def test_a_mutation_applies(mutation: Mutation) -> None:
    """ "edit tests/mutations/lists/...": its line was changed, or is there twice."""
    text = mutation.applied()
    assert mutation.before.strip("\n").count("\n") == mutation.after.strip("\n").count("\n") or not mutation.after
    if mutation.file.endswith(".py"):
        ast.parse(text)
    for test in mutation.tests:
        assert (ROOT / test).exists(), f"{mutation.listed}: there is no {test}"


def test_names_are_different() -> None:
    assert [name for name, times in Counter(each.name for each in ALL).items() if times > 1] == []


def test_a_share_follows_from_its_seed() -> None:
    """Different seeds draw different shares, and all of them together are the list."""
    assert share("a", 10) == share("a", 10) != share("b", 10)
    assert len(share("a", 10)) == -(-len(ALL) // 10)
    assert set(share("a", 1)) == set(ALL)
