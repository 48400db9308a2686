"""The table: which module has the row of which type."""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Final

from acl_runtime.abi.declarations import exists
from aclnn.by_name.given import refused
from aclnn.by_name.row import Row

FAMILIES: Final = (
    "elementwise", "gradients", "movement", "indexing", "reduction", "normalisation", "products", "pooling", "images",
    "boxes", "training", "recurrent",
)  # fmt: skip
"""the modules with rows, in the order of the page"""


@cache
def rows() -> dict[str, Row]:
    """All rows, by type."""
    return {row.type: row for family in FAMILIES for row in of_family(family)}


def of_family(family: str) -> Iterator[Row]:
    """The rows of a module."""
    for each in import_module(f"aclnn.by_name.{family}").ROWS:
        yield from each


def row_of(type: str) -> Row:
    """The row of a type; 500002 if the table has none."""
    found = rows().get(type)
    if found is None:
        name = f"aclnn{type}"
        known = name.isascii() and name.isidentifier() and exists(name)
        instead = f"Call {name}" if known else f"There is no {name} either"
        raise refused(type, f"this emulator has no operator of this type. {instead}")
    return found
