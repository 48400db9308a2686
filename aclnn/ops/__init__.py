"""The operators: one folder for each family, one file for each operator or for operators that are alike.

Most operators are made from the facts of the catalogue: parameters, data types, formats. Their file adds the relations
of the contract, and the formula (`aclnn.engine.operator`). `generated_index` lists the operators of each module;
`python -m aclnn.render` makes it. The functions of an operator are made when they are first used.

Five operators have a class of their own, as their documents say more than the catalogue. The file of such an operator
reads like its document: the class has the parameters with their data types by product, the relations are in the order
in which the library checks them, and the plan has the steps of the document. The kernel is a plain function of numpy
arrays, and states the formula as the document does. The file defines the two C functions at its end.

Design. Each of these five has its own contract, with its own statuses and roundings. An operator states only facts that
the engine cannot derive: help, prototype, stub, header, page and most tests follow from the class or the facts.
`grep -rn aclnnAdd aclnn/` finds the facts, the declaration and the formula of an operator at once.

Rejected. A decorator that registers an operator when its module is imported: the imports of a program would then decide
the list of operators. A folder for each operator: readers would have to open four files.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any, Final, cast

from aclnn.ops.generated_index import OPERATORS

FIRST: Final = "GetWorkspaceSize"
"""suffix of the name of a first phase"""
EXACT: Final = {name: module for module, names in OPERATORS.items() if module.count(".") == 2 for name in names}
"""the module of each operator that has its own class; these modules are directly in `aclnn.ops`"""
FAMILIES: Final = tuple(sorted({module.split(".")[2] for module in OPERATORS if module.count(".") > 2}))
"""names of the folders"""


def names() -> Iterator[str]:
    """The names of all documented functions: both phases, or one if there is no second phase."""
    from aclnn.catalogue.index import names, single_phase  # late, so that `import aclnn` does not read the catalogue

    single = single_phase()
    for name in names():
        yield from (name,) if name in single else (name, f"{name}{FIRST}")


@cache
def homes() -> Mapping[str, str]:
    """The module of each function that is made from facts."""
    return {name: module for module, names in OPERATORS.items() for name in names if name not in EXACT}


def function(name: str) -> Any:
    """The Python function of a C function, by its name."""
    if not name.startswith("acl"):
        raise LookupError(name)
    second = name.removesuffix(FIRST)
    if second in EXACT:
        return getattr(import_module(EXACT[second]), name)
    home = homes().get(second)
    if home is None:
        from aclnn.ops.contracts import without_formula  # late, as in `names`

        return without_formula(second).function(name)
    return _declared(home, second).function(name)


def doc(name: str) -> str:
    """The docstring of a documented function: what it computes. The function is not made."""
    home = homes().get(name)
    if home is None:
        from aclnn.engine.catalogued import doc  # late, as in `names`

        return doc(name)
    return _declared(home, name).doc


def traits(name: str) -> list[Any]:
    """The traits of a documented function that has a formula. The function is not made."""
    return [relation.traits for relation in _declared(homes()[name], name).relations] if name in homes() else []


def _declared(module: str, name: str) -> Any:
    """The operator or the host function that declares a name."""
    for value in made_in(module):
        if name in getattr(value, "names", ()):
            return value
    raise LookupError(f"{module} has no operator {name}")


def made_in(module: str) -> Iterator[Any]:
    """The values of a module, with the members of a tuple in place of the tuple."""
    for value in vars(import_module(module)).values():
        yield from cast("tuple[Any, ...]", value) if isinstance(value, tuple) else (value,)
