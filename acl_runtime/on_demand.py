"""Names of a package that are imported when somebody first asks for them (PEP 562).

So `import acl_runtime, aclnn` takes a few milliseconds, a program that imports its functions by name loads the chapters
that they stand in, and `import *` loads all.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import Any


def on_demand(
    package: str, homes: Mapping[str, Iterable[str]], starred: Iterable[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package. `homes`: the names that it has from each module; `starred`: modules
    from which it has all of `__all__`. `import *` gives those that start as the names of the headers do."""
    listed = {name: module for module, names in homes.items() for name in names}

    @cache
    def found() -> dict[str, str]:
        """The module of each name."""
        return {name: module for module in starred for name in import_module(module).__all__} | listed

    def get(name: str) -> Any:
        if name == "__all__":
            value: Any = [name for name in found() if name.startswith(("acl", "Acl", "ACL"))]
        else:
            if f"{package}.{name}" in (*homes, *starred):
                return import_module(f"{package}.{name}")
            # (nobody who asks for `__wrapped__` wants the enums)
            home = listed.get(name) or (None if name.startswith("__") else found().get(name))
            if home is None:
                raise AttributeError(f"module {package!r} has no attribute {name!r}")
            value = getattr(import_module(home), name)
        setattr(sys.modules[package], name, value)  # the next time Python finds it itself
        return value

    return get, lambda: sorted({*vars(sys.modules[package]), *found(), "__all__"})
