"""What the two packages export: functions and operators by name."""

from collections.abc import Iterable
from types import ModuleType
from typing import Any

import aclnn
from acl_runtime.abi.function import CFunction
from aclnn.engine.declaration import Op


def exported(module: ModuleType) -> dict[str, Any]:
    """What `from module import *` gives, by name; also of a module of the user's, which may have no `__all__`."""
    return {name: getattr(module, name) for name in getattr(module, "__all__", None) or vars(module)}


def functions(module: ModuleType) -> dict[str, CFunction]:
    """The C functions that a package or a module exports."""
    found = {name: getattr(value, "c", None) for name, value in exported(module).items()}
    return {name: declared for name, declared in found.items() if isinstance(declared, CFunction)}


def operators(modules: Iterable[ModuleType] = ()) -> dict[str, type[Op]]:
    """The operators that there are, by their C names; `modules`: where some of the user's are."""
    found = [getattr(value, "op", None) for module in (aclnn, *modules) for value in exported(module).values()]
    return {op.c_name(): op for op in found if isinstance(op, type) and issubclass(op, Op)}
