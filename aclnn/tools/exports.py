"""The functions and operators that the two packages export, by name and by category.

There are 2,400 functions. Creating one takes a millisecond, so a mapping creates a function at its first use.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

import acl_runtime
import aclnn
from acl_runtime.on_demand import LazyFunction
from aclnn.catalogue import evidence
from aclnn.catalogue.evidence import Level
from aclnn.catalogue.index import lines, names, single_phase
from aclnn.ops import EXACT, homes

if TYPE_CHECKING:  # the names are listed without them
    from acl_runtime.abi.function import CFunction
    from aclnn.engine.declaration import Op

T = TypeVar("T")
OWN: Final = "own"
"""the category of operators that the user declares"""


class MadeOnUse(Mapping[str, T], Generic[T]):
    """A mapping that creates a value when it is first read."""

    def __init__(self, makers: Mapping[str, Callable[[], T]]) -> None:
        self._makers = makers
        self._values: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._values:
            self._values[name] = self._makers[name]()
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)

    def __or__(self, other: MadeOnUse[T]) -> MadeOnUse[T]:
        return MadeOnUse({**self._makers, **other._makers})


def exported(module: ModuleType) -> dict[str, Any]:
    """The names that `from module import *` imports, with their values. The module may lack `__all__`."""
    return {name: getattr(module, name) for name in getattr(module, "__all__", None) or vars(module)}


def functions(module: ModuleType) -> MadeOnUse[CFunction]:
    """The C functions that a package or a module exports."""
    return MadeOnUse({name: lambda of=value: of.c for name, value in exported(module).items() if _is_function(value)})


def _is_function(value: object) -> bool:
    from acl_runtime.abi.function import CFunction

    return type(value) is LazyFunction or isinstance(getattr(value, "c", None), CFunction)


@cache
def all_functions(modules: tuple[ModuleType, ...] = ()) -> Mapping[str, CFunction]:
    """The C functions of both packages and of modules of the user."""
    by_name = functions(acl_runtime) | functions(aclnn)
    for module in modules:
        by_name |= functions(module)
    return by_name


def operators(modules: Iterable[ModuleType] = ()) -> MadeOnUse[type[Op]]:
    """All operators by their C names, including those of `modules` of the user."""
    return _documented() | own_operators(modules) if modules else _documented()


@cache
def _documented() -> MadeOnUse[type[Op]]:
    documented = [name for name in names() if name not in single_phase()]
    return MadeOnUse({name: lambda name=name: getattr(aclnn, name).op for name in documented})


def own_operators(modules: Iterable[ModuleType]) -> MadeOnUse[type[Op]]:
    """The operators in modules of the user, by their C names."""
    from aclnn.engine.declaration import Op

    values = [value for module in modules for value in exported(module).values() if type(value) is not LazyFunction]
    classes = [op for value in values if isinstance(op := getattr(value, "op", None), type) and issubclass(op, Op)]
    return MadeOnUse({op.c_name(): lambda op=op: op for op in classes})


@cache
def categories() -> dict[str, tuple[str, ...]]:
    """The documented functions of each category of the documents, without GetWorkspaceSize."""
    by_category: defaultdict[str, list[str]] = defaultdict(list)
    for name in names():
        by_category[lines()[name][0]].append(name)
    return {category: tuple(by_category[category]) for category in sorted(by_category)}


def has_kernel(name: str) -> bool:
    """True if the emulator computes this documented function."""
    return name in EXACT or name in homes()


def level(name: str) -> Level:
    """The level of a documented function."""
    return "exact" if name in EXACT else evidence.level(name)
