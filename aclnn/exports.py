"""What the two packages export: functions and operators by name."""

from types import ModuleType
from typing import Any

import aclnn
from acl_runtime.function import CFunction
from aclnn.engine.declaration import Op


def exported(module: ModuleType) -> dict[str, Any]:
    """What `from module import *` gives, by name."""
    return {name: getattr(module, name) for name in module.__all__}


def functions(module: ModuleType) -> dict[str, CFunction]:
    """The C functions that a package exports."""
    return {name: value.c for name, value in exported(module).items() if hasattr(value, "c")}


def operators() -> dict[str, type[Op]]:
    """The operators that there are, by their C names."""
    found = [function.op for function in exported(aclnn).values() if hasattr(function, "op")]
    return {op.c_name(): op for op in found}
