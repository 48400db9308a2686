"""The conditions that break the demands of operators, as their help lists them."""

from __future__ import annotations

import pytest

import aclnn
from aclnn.engine.help import conditions
from aclnn.engine.words.negation import UNTRUE, negated
from aclnn.tools.exports import operators

CONDITIONS = {
    "x has elements": "x has no elements",
    "x has no dimension twice": "x has a dimension twice",
    "x has at most 8 tensors": "x has more than 8 tensors",
    "x has at least as many elements as y": "x has fewer elements than y",
    "x has the shape of a half of self": "x does not have the shape of a half of self",
    "each number of pad is at least 0": "a number of pad is less than 0",
    "no size of x is 0, except that of a batch": "a size of x is 0, except that of a batch",
    "dim lies in [0, 2]": "dim is outside [0, 2]",
    "x is not empty": "x is empty",
    "bias comes with scale": "bias comes without scale",
    "x can be cast to FLOAT": "x cannot be cast to FLOAT",
    "the shapes of x and y broadcast": "the shapes of x and y do not broadcast",
    "groups divides the channels": "groups does not divide the channels",
    "x is null if y is null": "x is not null although y is null",
    "x has the format NCL if it has three dimensions, else ND":
        "x does not have the format NCL if it has three dimensions, else ND",
    "x is dense (if rotate is null)": "x is not dense (if rotate is null)",
}  # fmt: skip


@pytest.mark.parametrize("demand", CONDITIONS)
def test_the_condition_that_breaks_a_demand(demand: str) -> None:
    assert negated(demand) == CONDITIONS[demand]


@pytest.mark.parametrize("demand", ["x is FLOAT on A2 only", "x and y are of one sort, and only then", "x matches y"])
def test_a_demand_without_a_known_verb_is_called_untrue(demand: str) -> None:
    assert negated(demand) == f"it is not true that {demand}"


def test_every_check_of_every_operator_has_a_condition() -> None:
    found = [condition for op in operators().values() for condition in conditions(op)]
    assert len(found) > 10_000
    assert not {condition for condition in found if UNTRUE in condition}


def test_a_relation_has_a_phrase_of_its_own() -> None:
    found = conditions(aclnn.aclnnAddmm.op)  # type: ignore[attr-defined]
    assert "the last dimension of mat1 differs from the inner dimension of mat2" in found
    assert "the product does not support the data type of out" in found
    assert "mat1 does not have 2 dimensions" in found
