"""Lazy names of a package: a module is imported when one of its names is first used (PEP 562).

So `import acl_runtime, aclnn` takes a few milliseconds. A program that imports functions by name loads only the modules
of these functions; `import *` loads all modules.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import Any, Final


class Made:
    """A function that is made when it is first used, as `import *` gives it."""

    def __init__(self, name: str, make: Callable[[str], Any]) -> None:
        self.__name__ = self.__qualname__ = name
        self._make = make

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._make(self.__name__)(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in ("__signature__", "__wrapped__", "__module__"):
            raise AttributeError(name)
        return getattr(self._make(self.__name__), name)

    @property
    def __doc__(self) -> str | None:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self._make(self.__name__).__doc__

    def __repr__(self) -> str:
        return f"<function {self.__name__}>"


PREFIXES: Final = ("acl", "Acl", "ACL", "Hccl", "HCCL", "mstx", "Msprof", "rt")
"""of the names of the C headers"""
MADE: Final = ""
"""stands for the module of a name that is made"""


def on_demand(
    package: str,
    homes: Mapping[str, Iterable[str]],
    starred: Iterable[str] = (),
    made: Callable[[], Iterable[str]] = tuple,
    make: Callable[[str], Any] | None = None,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make `__getattr__` and `__dir__` of a package. `homes`: by module, the names that the package takes from it.
    `starred`: modules from which it takes all names of `__all__`. `made` gives further names, and `make` the value of
    one. `import *` gives only names with one of `PREFIXES`. It gives a `Made` for each of
    `made`, so that it makes none of them."""
    listed = {name: module for module, names in homes.items() for name in names}

    @cache
    def found() -> dict[str, str]:
        """The module of each name."""
        stars = {name: module for module in starred for name in import_module(module).__all__}
        return stars | dict.fromkeys(made(), MADE) | listed

    def get(name: str) -> Any:
        if name == "__all__":
            value: Any = [name for name in found() if name.startswith(PREFIXES)]
            if make is not None:  # `import *` asks for every name next
                for each in set(made()) - set(vars(sys.modules[package])):
                    setattr(sys.modules[package], each, Made(each, make))
        else:
            if f"{package}.{name}" in (*homes, *starred):
                return import_module(f"{package}.{name}")
            # (a look-up of `__wrapped__` must not import the enums)
            home = listed.get(name)
            if home is None and make is None and not name.startswith("__"):
                home = found().get(name)
            try:
                value = getattr(import_module(home), name) if home else make(name) if make else None
            except LookupError:
                value = None
            if value is None:
                raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, value)  # next time Python finds it without `get`
        return value

    return get, lambda: sorted({*vars(sys.modules[package]), *found(), "__all__"})
