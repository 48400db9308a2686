"""Lazy names of a package: a module is imported when one of its names is first used (PEP 562).

So `import acl_runtime, aclnn` takes a few milliseconds, and a program that imports functions by name loads only the
modules of these functions.

**`import *`** needs the value of every name at once. The two packages have 2,500 functions, whose modules would take
much longer to import than numpy alone. So `import *` gives a `LazyFunction` for each function: an object that finds the
function at its first call or use. Numbers, enums, structs and handles are not lazy, as programs compare and copy them;
their modules are small and need no numpy.

`import *` also stores these objects in the package. So a name is one object in a process: the function, if it was
imported by name before the first `import *`, else the `LazyFunction`.

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

C_PREFIXES: Final = ("acl", "Acl", "ACL", "Hccl", "HCCL", "mstx", "Msprof", "rt", "dim3")
"""prefixes of the names that `import *` gives: the names of the C headers"""


class LazyFunction:
    """A function that is found at its first use. Each attribute is that of the function."""

    def __init__(self, package: str, name: str, find: Callable[[str], Any]) -> None:
        self.__module__ = package
        self.__name__ = self.__qualname__ = name
        self._find, self._function = find, None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True  # so that pytest shows the line of the caller
        return (self._function or self._resolved())(*args, **kwargs)

    def _resolved(self) -> Any:
        if self._function is None:
            self._function = self._find(self.__name__)
        return self._function

    def __getattr__(self, name: str) -> Any:
        return getattr(self._resolved(), name)

    @property
    def __doc__(self) -> str | None:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self._resolved().__doc__

    @property
    def __class__(self) -> type:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The class of functions, so that `help`, `inspect` and mocks treat the object as a function."""
        return FunctionType

    def __reduce__(self) -> str:
        """The name, as for a function: a copy is the object itself, and a pickle has the name."""
        return self.__name__

    def __repr__(self) -> str:
        return f"<function {self.__name__}>"


def _proposal(name: str, names: Iterable[str]) -> str:
    """The end of a sentence that says that there is no such name: a similar name, or nothing. Python's own errors
    propose no name for modules with more than 750 names."""
    from difflib import get_close_matches  # late: only a mistake needs it

    near = get_close_matches(name, names, 1, cutoff=0.8)
    return f"; did you mean {near[0]}?" if near else ""


class AbsentName:
    """The text of an AttributeError: a sentence, and a similar name. The name is looked up when the text is printed, as
    `hasattr` and `getattr` with a default raise the error and drop it."""

    def __init__(self, sentence: str, name: str, names: Callable[[], Iterable[str]]) -> None:
        self._sentence, self._name, self._names = sentence, name, names

    def __str__(self) -> str:
        return self._sentence + _proposal(self._name, self._names())

    def __repr__(self) -> str:
        return repr(str(self))

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (str(self),)


def _refuse_import(package: str, name: str, names: Iterable[str]) -> None:
    """Raise ImportError that proposes a similar name, if the caller is `from package import name` and there is one."""
    importer = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
    if importer.f_code.co_code[importer.f_lasti] == opmap["IMPORT_FROM"] and (near := _proposal(name, names)):
        raise ImportError(f"cannot import name {name!r} from {package!r}{near}", name=name)


def on_demand(
    package: str,
    homes: Mapping[str, Iterable[str]],
    values: Collection[str],
    starred: Collection[str] = (),
    more_names: Callable[[], Iterable[str]] = tuple,
    make: Callable[[str], Any] | None = None,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make `__getattr__` and `__dir__` of a package. `homes`: the names that the package imports, by module. `values`:
    modules in `homes` whose names are not functions. `starred`: modules from which the package imports all names of
    `__all__`; these are no functions. `more_names` returns the names of further functions, and `make` makes one."""
    listed = {name: module for module, names in homes.items() for name in names}

    @cache
    def of_headers() -> dict[str, str]:
        """The module of each name that comes from a starred module."""
        return {name: module for module in starred for name in import_module(module).__all__}

    def names() -> list[str]:
        return [*of_headers(), *more_names(), *listed]

    def find(name: str) -> Any:
        """The value of a name; None if the name does not exist."""
        home = listed.get(name)
        # (a look-up of `__wrapped__` must not import the enums)
        if home is None and make is None and not name.startswith("__"):
            home = of_headers().get(name)
        try:
            return getattr(import_module(home), name) if home else make(name) if make else None
        except LookupError:
            return None

    def star() -> list[str]:
        """The names of `import *`. Also sets their values, because `import *` reads all of them next."""
        there = vars(sys.modules[package])
        for module in values:
            getattr(import_module(module), "__all__", None)  # a package makes its functions lazy then
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
            raise AttributeError(AbsentName(f"module {package!r} has no attribute {name!r}", name, names))
        setattr(sys.modules[package], name, value)  # next time Python finds it without `get`
        return value

    return get, lambda: sorted({*vars(sys.modules[package]), *names(), "__all__"})
