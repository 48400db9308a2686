"""The functions of the toolkit: those that the Python packages declare, and those of modules of the user."""

import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from acl_runtime.abi.conversions import CType, Function
from acl_runtime.abi.function import CFunction
from acl_runtime.objects.support import NOT_EXPORTED

PACKAGES: Final = ("acl_runtime", "aclnn", "aclnn.tools.toolkit.control")


def functions(modules: Iterable[str] = ()) -> list[Any]:
    """Every function of the API, as Python calls it, sorted by header and name. `modules` have further operators of the
    user."""
    found: dict[str, Any] = {}
    for name in (*PACKAGES, *modules):
        for each in _of(import_module(name)):
            found.setdefault(each.c.name, each)
    return sorted(found.values(), key=lambda each: (each.c.header, each.c.name))


def exported(declared: Iterable[Any]) -> list[Any]:
    """The functions that the libraries export. The headers declare more, like those of CANN."""
    return [each for each in declared if each.c.name not in NOT_EXPORTED]


def _of(module: ModuleType) -> Iterator[Any]:
    """The functions that a module exports: those in `__all__`, or all if it has none."""
    for name in getattr(module, "__all__", None) or vars(module):
        if isinstance(getattr(getattr(module, name), "c", None), CFunction):
            yield getattr(module, name)


def find(prototype: str, modules: Iterable[str] = ()) -> Any | None:
    """The function with exactly this prototype; None if there is none. Only the modules that are searched until it is
    found are imported."""
    found = re.search(r"(\w+)\(", prototype)
    name = found[1] if found else ""
    for package in (*modules, *(PACKAGES if not name.startswith("aclnn") else reversed(PACKAGES))):
        function = getattr(import_module(package), name, None)
        if function is not None:
            return function if function.c.prototype == prototype else None
    return None


def types(of: Iterable[Any]) -> Iterator[CType]:
    """The types of all results and parameters, also of the parameters of callbacks."""
    for each in of:
        yield each.c.result
        for _, ctype in each.c.parameters:
            yield ctype
            if isinstance(ctype, Function):
                yield from (inner for _, inner in ctype.parameters)
