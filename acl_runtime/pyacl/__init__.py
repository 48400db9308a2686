"""pyACL on the emulator: `import acl`, by an explicit act only.

    with acl_runtime.pyacl.installed():    # until the block ends
        import acl

    acl_runtime.pyacl.install()            # for the rest of the process, as in a conftest.py

`acl_runtime.pyacl.init`, `.rt` and `.util` are the same without any act. The pytest fixture `pyacl` and the command
`aclnn run --pyacl FILE.py` do it for a test and for a program. Where a real `acl` is installed, or imported already,
all of them refuse.

names        what pyACL calls the functions, what it lacks, what is absent here
values       what it takes and gives for each type of C
functions    a function of pyACL, made of the declaration of the C function
util         acl.util
modules      the modules acl, acl.rt, acl.util
"""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from importlib.machinery import PathFinder
from types import ModuleType
from typing import Any, Final

from acl_runtime.process import process
from acl_runtime.pyacl.modules import NAME, PyAcl

__all__ = ["install", "installed", "uninstall"]
OTHER: Final = "the two must not mix, a pointer of one means nothing to the other"


def install() -> ModuleType:
    """Make `import acl` give the emulator's pyACL; the module. RuntimeError where there is a real one."""
    own = process.own(PyAcl)
    there = sys.modules.get(NAME)
    if there is None:
        spec = PathFinder.find_spec(NAME)
        if spec is not None and spec.origin is not None:  # (a folder without __init__.py has none)
            raise RuntimeError(
                f"a real acl is installed, {spec.origin}: {OTHER}. Use an environment (PYTHONPATH) without it."
            )
    elif there is not own.modules[NAME]:
        where = getattr(there, "__file__", None) or repr(there)
        raise RuntimeError(f"another acl is imported already, {where}: {OTHER}. Start a process without it.")
    sys.modules.update(own.modules)
    if own.absent not in sys.meta_path:
        sys.meta_path.insert(0, own.absent)  # pyright: ignore[reportArgumentType]
    return own.modules[NAME]


def uninstall() -> None:
    """Take it back: `import acl` fails as before. Who imported it keeps it."""
    own = process.own(PyAcl)
    for name, module in own.modules.items():
        if sys.modules.get(name) is module:
            del sys.modules[name]
    if own.absent in sys.meta_path:
        sys.meta_path.remove(own.absent)  # pyright: ignore[reportArgumentType]


@contextmanager
def installed() -> Generator[ModuleType]:
    """The same for the time of a `with` block; in a block inside another, until the outer one ends."""
    before = sys.modules.get(NAME)
    acl = install()
    try:
        yield acl
    finally:
        if before is not acl:
            uninstall()


def __getattr__(name: str) -> Any:
    return getattr(process.own(PyAcl).modules[NAME], name)


def __dir__() -> list[str]:
    return sorted({*__all__, *(each for each in dir(process.own(PyAcl).modules[NAME]) if not each.startswith("__"))})
