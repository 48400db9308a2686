"""The functions of the toolkit: those that the Python packages declare, and those of modules of the user."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from acl_runtime.abi.conversions import CType, Function
from acl_runtime.abi.function import CFunction
from acl_runtime.objects.support import NOT_EXPORTED
from aclnn.catalogue.facts import facts
from aclnn.catalogue.index import lines, names
from aclnn.catalogue.prototypes import declared
from aclnn.ops import EXACT, FIRST

PACKAGES: Final = ("acl_runtime", "aclnn", "aclnn.tools.toolkit.control", "aclnn.tools.toolkit.native_kernels")


def declarations(modules: Iterable[str] = ()) -> list[CFunction]:
    """The declaration of every function of the API, sorted by header and name. `modules` have further operators of the
    user. The functions of the catalogue are declared from its facts, without creating them."""
    by_name: dict[str, CFunction] = {}
    for name in (*PACKAGES, *modules):
        for function in _of(import_module(name)):
            by_name.setdefault(function.name, function)
    for function in _catalogue():
        by_name.setdefault(function.name, function)
    return sorted(by_name.values(), key=lambda each: (each.header, each.name))


@cache
def _catalogue() -> tuple[CFunction, ...]:
    return tuple(each for name in names() for each in declared(facts(name)))


def exported(declared: Iterable[CFunction]) -> list[CFunction]:
    """The functions that the libraries export. The headers declare more, like those of CANN."""
    return [each for each in declared if each.name not in NOT_EXPORTED]


def _of(module: ModuleType) -> Iterator[CFunction]:
    """The declarations of the functions that a module exports: those in `__all__`, or all if it has none. Functions
    that are made from the facts of the catalogue are left out."""
    for name in getattr(module, "__all__", None) or vars(module):
        if (documented := name.removesuffix(FIRST)) not in lines() or documented in EXACT:
            value = getattr(module, name)
            if isinstance(declared := getattr(value, "c", None), CFunction):
                yield declared


def find(prototype: str, modules: Iterable[str] = ()) -> Any | None:
    """The function with exactly this prototype; None if there is none."""
    match = re.search(r"(\w+)\(", prototype)
    function = named(match[1] if match else "", modules)
    return function if function is not None and function.c.prototype == prototype else None


def named(name: str, modules: Iterable[str] = ()) -> Any | None:
    """The Python function of this name; None if there is none. Modules are imported only until the function is found,
    and no other function is created."""
    for package in (*modules, *(PACKAGES if not name.startswith("aclnn") else reversed(PACKAGES))):
        function = getattr(import_module(package), name, None)
        if isinstance(getattr(function, "c", None), CFunction):
            return function
    return None


def types(functions: Iterable[CFunction]) -> Iterator[CType]:
    """The types of all results and parameters, also of the parameters of callbacks."""
    for function in functions:
        yield function.result
        for _, ctype in function.parameters:
            yield ctype
            if isinstance(ctype, Function):
                yield from (inner for _, inner in ctype.parameters)
