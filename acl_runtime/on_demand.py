"""Lazy names of a package: a module is imported when one of its names is first used (PEP 562).

So `import acl_runtime, aclnn` takes a few milliseconds, and a program that imports functions by name loads only the
modules of these functions.

**`import *`** asks for the value of every name at once. The two packages have 2,500 functions; their modules, with
numpy, would take much longer to import than numpy alone. So the star gives a `LazyFunction` for each function: an
object that knows its name, and finds the function when it is first called or looked at. Numbers, enums, structs and
handles are values that a program compares and copies. They come as they are; their modules are small and need no numpy.

The star also puts these objects into the package. So a name stands for one object in a process, whichever way it is
imported: the function, if somebody imported it by name before the first star, else the `LazyFunction`.

Rejected. A `LazyFunction` for imports by name too: such a program needs the function anyway, and each call would take a
fifth of a microsecond longer. Lazy numbers and enums: `ACL_FLOAT` in a struct or a dict must be the number itself.
"""

import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from importlib import import_module
from opcode import opmap
from types import FunctionType
from typing import Any, Final

C_PREFIXES: Final = ("acl", "Acl", "ACL", "Hccl", "HCCL", "mstx", "Msprof", "rt")
"""how the names begin that `import *` gives: those of the C headers"""


class LazyFunction:
    """A function that is found at its first use. Everything that is asked of it is asked of the function."""

    def __init__(self, package: str, name: str, find: Callable[[str], Any]) -> None:
        self.__module__ = package
        self.__name__ = self.__qualname__ = name
        self._find, self._function = find, None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True  # so that pytest shows the line of the caller
        return (self._function or self._found())(*args, **kwargs)

    def _found(self) -> Any:
        if self._function is None:
            self._function = self._find(self.__name__)
        return self._function

    def __getattr__(self, name: str) -> Any:
        return getattr(self._found(), name)

    @property
    def __doc__(self) -> str | None:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self._found().__doc__

    @property
    def __class__(self) -> type:  # pyright: ignore[reportIncompatibleMethodOverride]
        """So that `help`, `inspect` and mocks treat it as the function."""
        return FunctionType

    def __reduce__(self) -> str:
        """A copy is the object itself, and a pickle has its name, as for a function."""
        return self.__name__

    def __repr__(self) -> str:
        return f"<function {self.__name__}>"


def _refuse_import(package: str, name: str, names: Iterable[str]) -> None:
    """ImportError with a similar name, if `from package import name` asks and there is one. Python's own error proposes
    none for so large a module."""
    asking = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
    if asking.f_code.co_code[asking.f_lasti] == opmap["IMPORT_FROM"]:
        from difflib import get_close_matches  # late: only a mistake needs it

        if near := get_close_matches(name, names, 1, cutoff=0.8):
            text = f"cannot import name {name!r} from {package!r}; did you mean {near[0]}?"
            raise ImportError(text, name=name)


def on_demand(
    package: str,
    homes: Mapping[str, Iterable[str]],
    values: Collection[str],
    starred: Collection[str] = (),
    more_names: Callable[[], Iterable[str]] = tuple,
    make: Callable[[str], Any] | None = None,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make `__getattr__` and `__dir__` of a package. `homes`: by module, the names that the package takes from it.
    `values`: those of these modules whose names are no functions. `starred`: modules from which it takes all names of
    `__all__`, which are no functions either. `more_names` returns the names of further functions, and `make` makes
    one."""
    listed = {name: module for module, names in homes.items() for name in names}

    @cache
    def of_headers() -> dict[str, str]:
        """The module of each name that comes from a starred module."""
        return {name: module for module in starred for name in import_module(module).__all__}

    def names() -> list[str]:
        return [*of_headers(), *more_names(), *listed]

    def find(name: str) -> Any:
        """The value of a name. None if there is none."""
        home = listed.get(name)
        # (a look-up of `__wrapped__` must not import the enums)
        if home is None and make is None and not name.startswith("__"):
            home = of_headers().get(name)
        try:
            return getattr(import_module(home), name) if home else make(name) if make else None
        except LookupError:
            return None

    def star() -> list[str]:
        """The names of `import *`. Each gets its value, because `import *` asks for all of them next."""
        there = vars(sys.modules[package])
        for module in values:
            getattr(import_module(module), "__all__", None)  # another package makes its own functions lazy
        public = [name for name in dict.fromkeys(names()) if name.startswith(C_PREFIXES)]
        for name in public:
            if name not in there:
                home = listed.get(name) or of_headers().get(name)
                value = find(name) if home in (*values, *starred) else LazyFunction(package, name, find)
                setattr(sys.modules[package], name, value)
        return public

    def get(name: str) -> Any:
        if f"{package}.{name}" in (*homes, *starred):
            return import_module(f"{package}.{name}")
        value: Any = star() if name == "__all__" else find(name)
        if value is None:
            _refuse_import(package, name, names())
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, value)  # next time Python finds it without `get`
        return value

    return get, lambda: sorted({*vars(sys.modules[package]), *names(), "__all__"})
