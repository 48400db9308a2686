"""Which functions there are: whatever the Python packages declare, and modules of the user's beside them."""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from acl_runtime.conversions import CType, Function
from acl_runtime.function import CFunction

PACKAGES: Final = ("acl_runtime", "aclnn", "aclnn.toolkit.control")


def functions(modules: Iterable[str] = ()) -> list[Any]:
    """Every function of the API, as Python calls it, by header and name. `modules`: where operators of the user's
    are."""
    found: dict[str, Any] = {}
    for name in (*PACKAGES, *modules):
        for each in _of(import_module(name)):
            found.setdefault(each.c.name, each)
    return sorted(found.values(), key=lambda each: (each.c.header, each.c.name))


def _of(module: ModuleType) -> Iterator[Any]:
    """Those that a module shows: by its `__all__` if it has one."""
    for name in getattr(module, "__all__", None) or vars(module):
        if isinstance(getattr(getattr(module, name), "c", None), CFunction):
            yield getattr(module, name)


def fingerprint(of: Iterable[Any]) -> str:
    """The same only where the prototypes are, in the same order: what a library and its Python end must agree on."""
    return sha256("\n".join(each.c.prototype for each in of).encode()).hexdigest()[:16]


def types(of: Iterable[Any]) -> Iterator[CType]:
    """The types of all results and parameters, and of those of callbacks."""
    for each in of:
        yield each.c.result
        for _, ctype in each.c.parameters:
            yield ctype
            if isinstance(ctype, Function):
                yield from (inner for _, inner in ctype.parameters)
