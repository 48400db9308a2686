"""The operators: one folder for each family, one file for each operator or for operators that are alike.

Most operators are made from the facts of the catalogue. Their file has the relations of the contract, and the formula
(`aclnn.engine.operator`). `generated_index`, which `python -m aclnn.render` makes from the modules, says which module
has which operator. The functions of an operator are made when they are first used.

Five operators have a class of their own, as their documents say more than the catalogue. The file of such an operator
reads like its document: the class has the parameters with their data types by product, the relations stand in the order
in which the library checks them, and the plan has the steps of the document. The kernel is a plain function of numpy
arrays, and states the formula as the document does. Two names come out of it, the two C functions.

Design. These five have contracts of their own, sentence by sentence, with their own statuses and roundings. Nothing in
here is repeated that the engine can derive: help, prototype, stub, header, page and most tests follow from the class or
the facts. `grep -rn aclnnAdd aclnn/` finds the facts, the declaration and the formula of an operator at once.

Rejected. A decorator that registers an operator when its module is imported: which operators there are would depend
on what was imported. A folder for each operator: its parts would have to be read in four files.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any, Final, cast

from aclnn.ops.generated_index import OPERATORS

FIRST: Final = "GetWorkspaceSize"
"""the end of the name of a first phase"""
EXACT: Final = {name: module for module, names in OPERATORS.items() if module.count(".") == 2 for name in names}
"""the operators with a class of their own, whose modules stand beside the folders: by name, the module"""
FAMILIES: Final = tuple(sorted({module.split(".")[2] for module in OPERATORS if module.count(".") > 2}))
"""the folders"""


def names() -> Iterator[str]:
    """The names of all documented functions: both phases, or one if there is no second phase."""
    from aclnn.catalogue.index import names, single_phase  # late: `import aclnn` does not read the catalogue

    single = single_phase()
    for name in names():
        yield from (name,) if name in single else (name, f"{name}{FIRST}")


@cache
def homes() -> Mapping[str, str]:
    """The module of each function that is made from facts."""
    return {name: module for module, names in OPERATORS.items() for name in names if name not in EXACT}


def function(name: str) -> Any:
    """The function of a name."""
    if not name.startswith("acl"):
        raise LookupError(name)
    second = name.removesuffix(FIRST)
    if second in EXACT:
        return getattr(import_module(EXACT[second]), name)
    home = homes().get(second)
    if home is None:
        from aclnn.ops.contracts import without_formula  # late, as above

        return without_formula(second).function(name)
    return _made(home, second).function(name)


def doc(name: str) -> str:
    """The docstring of a documented function: what it computes. The function is not made."""
    home = homes().get(name)
    if home is None:
        from aclnn.engine.catalogued import doc  # late, as above

        return doc(name)
    return _made(home, name).doc


def traits(name: str) -> list[Any]:
    """The traits of a documented function that has a formula. The function is not made."""
    return [relation.traits for relation in _made(homes()[name], name).relations] if name in homes() else []


def _made(module: str, name: str) -> Any:
    """The operator or the host function of a name."""
    for value in made_in(module):
        if name in getattr(value, "names", ()):
            return value
    raise LookupError(f"{module} has no operator {name}")


def made_in(module: str) -> Iterator[Any]:
    """The values of a module. A tuple, such as that of operators made by one table, stands for its members."""
    for value in vars(import_module(module)).values():
        yield from cast("tuple[Any, ...]", value) if isinstance(value, tuple) else (value,)
