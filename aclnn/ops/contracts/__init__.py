"""Contracts of functions without a formula: the checks that the facts of the catalogue cannot express.

The first phase of such a function checks what its facts state (`aclnn.engine.words.stated`), and then the relations
here. Each module has a dictionary `CONTRACTS`, from the name of a function to its relations. The generated index maps
each function to its module, so that a look-up imports only that module. Most statuses here are those of public tests
(`tests/derived/public_calls.txt`).
"""

from functools import cache
from importlib import import_module

from aclnn.op import HostFunction, Operator, Relation, catalogued
from aclnn.ops.generated_index import CONTRACTS


def contract(name: str) -> tuple[Relation, ...]:
    """The relations of a function, besides those of its facts."""
    home = next((module for module, listed in CONTRACTS.items() if name in listed), None)
    return import_module(home).CONTRACTS[name] if home else ()


@cache
def without_formula(name: str) -> Operator | HostFunction:
    """The operator, or the host function, of a documented name that has no formula."""
    return catalogued(name, contract(name))
