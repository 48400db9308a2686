"""An operator that this project does not have goes through the same tests: `ACLNN_OPERATORS` names its module."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature

import pytest

from tests.derived import (
    judging,
    test_contract,
    test_hostile,
    test_launches,
    test_memory,
    test_order,
    test_repeats,
    test_results,
    test_types,
    test_workspaces,
)

FILES = (
    test_contract, test_order, test_types, test_results, test_launches, test_workspaces, test_memory, test_repeats,
    test_hostile,
)  # fmt: skip
TESTS = [
    pytest.param(test, id=name)
    for file in FILES
    for name, test in vars(file).items()
    if any(mark.name == "functions" for mark in getattr(test, "pytestmark", ()))
    and list(signature(test).parameters) == ["name"]
]
NOT_FOR_THESE = {
    "test_prototypes_are_those_of_the_facts", "test_a_null_member_of_a_list_is_161001",
    "test_a_twin_in_place_gives_the_result_of_the_other",
}  # fmt: skip
"""tests of functions of the catalogue, with lists, and in place"""


@pytest.mark.usefixtures("own_operators")
@pytest.mark.parametrize("name", ["aclnnAxpb", "aclnnDoubled"])
@pytest.mark.parametrize("test", [each for each in TESTS if each.id not in NOT_FOR_THESE])
def test_a_generated_test_takes_an_own_operator(test: Callable[[str], None], name: str) -> None:
    assert name in judging.names()
    test(name)
