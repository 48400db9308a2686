"""Good calls that a search does not find, and checks that it does not reach: see `tests.aclnn.ops.good_calls`."""

from __future__ import annotations

from collections.abc import Iterator

from aclnn.catalogue.facts import facts
from aclnn.ops.foreach._family import COMPOSITE
from aclnn.ops.generated_index import OPERATORS

MODULES = ("by_numbers", "by_scalar", "lists", "unary")
TABLED = [name for module in MODULES for name in OPERATORS[f"aclnn.ops.foreach.{module}"]]
"""the functions that follow from a formula and a table"""


def composite(name: str) -> bool:
    return name.removeprefix("aclnnForeach") in COMPOSITE


def lists(name: str) -> list[str]:
    """The parameters that are lists of tensors."""
    return [param.name for param in facts(name).params if "aclTensorList" in param.type]


def unreached(name: str) -> Iterator[str]:
    """Several lists would have to change at once."""
    first, *others = lists(name)
    several = len(others) > ("out" in others)
    if composite(name) and several:
        yield f"if {first} has no tensors, the checks end here (workspace 0, nothing is written)"
        yield f"{first} has 0 to 256 tensors"
    if several:
        yield f"the tensors of {first} have 0 to 8 dimensions"
    if others and not composite(name):
        out = "out" if "out" in others else first
        yield f"if the tensors of {out} have no elements, the checks end here (workspace 0, nothing is written)"


UNREACHED = {
    (name, sentence): "test_lists_of_other_lengths_and_shapes"
    for name in (*TABLED, "aclnnForeachRoundOffNumber")
    for sentence in unreached(name)
}
UNTYPED = {
    ("aclnnForeachPowScalarAndTensor", "scalar", "ACL_INT64"): "it goes with INT32 tensors, which are two lists",
}
