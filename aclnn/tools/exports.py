"""The functions and operators that the two packages export, by name and by category."""

from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from types import ModuleType
from typing import Any

import aclnn
from acl_runtime.abi.function import CFunction
from aclnn.catalogue.facts import facts, names
from aclnn.engine.declaration import Op
from aclnn.ops import EXACT, homes


def exported(module: ModuleType) -> dict[str, Any]:
    """The names that `from module import *` imports, with their values. The module may lack `__all__`."""
    return {name: getattr(module, name) for name in getattr(module, "__all__", None) or vars(module)}


def functions(module: ModuleType) -> dict[str, CFunction]:
    """The C functions that a package or a module exports."""
    found = {name: getattr(value, "c", None) for name, value in exported(module).items()}
    return {name: declared for name, declared in found.items() if isinstance(declared, CFunction)}


def operators(modules: Iterable[ModuleType] = ()) -> dict[str, type[Op]]:
    """All operators by their C names, including those of `modules` of the user."""
    found = [getattr(value, "op", None) for module in (aclnn, *modules) for value in exported(module).values()]
    return {op.c_name(): op for op in found if isinstance(op, type) and issubclass(op, Op)}


@cache
def categories() -> dict[str, tuple[str, ...]]:
    """The documented functions of each category of the documents, without GetWorkspaceSize."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name in names():
        found[facts(name).category].append(name)
    return {category: tuple(found[category]) for category in sorted(found)}


def has_kernel(name: str) -> bool:
    """Does the emulator compute this documented function?"""
    return name in EXACT or name in homes()
