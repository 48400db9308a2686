"""The functions and operators that the two packages export, by name."""

from collections.abc import Iterable
from types import ModuleType
from typing import Any

import aclnn
from acl_runtime.abi.function import CFunction
from aclnn.engine.declaration import Op


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
