"""Finding the declaration of a C function by its name."""

import sys
from collections.abc import Callable, Iterator
from itertools import chain
from types import FunctionType, ModuleType
from typing import Any

from acl_runtime.abi.function import CFunction
from acl_runtime.on_demand import LazyFunction

FUNCTIONS = (FunctionType, LazyFunction)
"""classes of C functions in Python. `isinstance` would ask objects of other packages, and some of them warn"""


def function_of(name: str | Callable[..., object]) -> CFunction:
    """The declaration of a C function. `name`: its name in any imported module, or the function itself."""
    if not isinstance(name, str):
        declared = _declared(name)
        if declared is None:
            raise ValueError(f"{name!r} is no function of the API")
        return declared
    attributes = (getattr(package, name, None) for package in _packages())
    for value in chain(attributes, (names.get(name) for names in _modules())):
        declared = _declared(value)
        if declared is not None and declared.name == name:
            return declared
    from difflib import get_close_matches  # late: only a mistake needs it

    close = get_close_matches(name, sorted(set(_names())), n=3)
    meant = f"; did you mean {' or '.join(close)}?" if close else ""
    raise ValueError(f"{name!r} is no function of the API in any module that was imported{meant}")


def exists(name: str) -> bool:
    """True if an imported package of the emulator has a C function of this name."""
    return any(isinstance(getattr(getattr(package, name, None), "c", None), CFunction) for package in _packages())


def _declared(value: object) -> CFunction | None:
    declaration = getattr(value, "c", None) if type(value) in FUNCTIONS else None
    return declaration if isinstance(declaration, CFunction) else None


def _packages() -> Iterator[ModuleType]:
    """The imported packages of the emulator, which import their functions lazily."""
    return (sys.modules[package] for package in ("acl_runtime", "aclnn") if package in sys.modules)


def _modules() -> Iterator[dict[str, Any]]:
    """The names in each imported module. `sys.modules` has None for a module whose import is forbidden."""
    return (getattr(module, "__dict__", {}) for module in list(sys.modules.values()))


def _names() -> Iterator[str]:
    for package in _packages():
        yield from (name for name in package.__all__ if isinstance(getattr(package, name), FunctionType))
    for names in _modules():
        for value in list(names.values()):
            if type(value) is not LazyFunction and (declared := _declared(value)) is not None:
                yield declared.name
