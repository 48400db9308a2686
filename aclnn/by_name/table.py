"""The table of types: it collects the rows of all modules."""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Final

from acl_runtime.abi.declarations import exists
from aclnn.by_name.arguments import refused
from aclnn.by_name.row import OperatorRow

FAMILIES: Final = (
    "elementwise", "gradients", "movement", "indexing", "reduction", "normalisation", "products", "pooling", "images",
    "boxes", "training", "recurrent",
)  # fmt: skip
"""the modules with rows, in the order of the page"""


@cache
def rows() -> dict[str, OperatorRow]:
    return {row.type: row for family in FAMILIES for row in of_family(family)}


def of_family(family: str) -> Iterator[OperatorRow]:
    for rows in import_module(f"aclnn.by_name.{family}").ROWS:
        yield from rows


def row_of(type: str) -> OperatorRow:
    """The row of a type. Raises AclError with 500002 if the table has none."""
    row = rows().get(type)
    if row is None:
        name = f"aclnn{type}"
        in_aclnn = name.isascii() and name.isidentifier() and exists(name)
        instead = f"Call {name}" if in_aclnn else f"There is no {name} either"
        raise refused(type, f"this emulator has no operator of this type. {instead}")
    return row
