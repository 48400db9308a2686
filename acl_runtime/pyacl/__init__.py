"""pyACL on the emulator: `import acl` works only after an explicit installation.

    with acl_runtime.pyacl.installed():    # until the block ends
        import acl

    acl_runtime.pyacl.install()            # for the rest of the process, as in a conftest.py

`acl_runtime.pyacl.init`, `.rt` and `.util` are the same functions without an installation. The pytest fixture `pyacl`
installs the module for a test, the command `aclnn run --pyacl FILE.py` for a program. Each way of installing refuses if
a real `acl` is installed or already imported.

Design. No function of `acl` is written by hand: `functions.function` makes each from the declaration of the C function.
pyACL takes input parameters as arguments and returns output parameters in a tuple, with the status last.
`parameter_roles` derives from the C type whether a parameter is an argument or a result, and its conversion. A few
functions of pyACL break this rule; the tables `RESHAPED`, `TAKEN` and `NULL` in `functions` list them.

Rejected. A package `acl` in the distribution: it would hide a real pyACL on a machine that has an NPU.

names             names of pyACL for the C functions; functions that pyACL lacks, and that the emulator lacks
parameter_roles   conversion of each C type from and to Python
functions         a function of pyACL, made from the declaration of a C function
util              acl.util
modules           the modules acl, acl.rt, acl.util
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from importlib.machinery import PathFinder
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from acl_runtime.process import process
from acl_runtime.pyacl.names import NAME

if TYPE_CHECKING:
    from acl_runtime.pyacl.modules import PyAcl

__all__ = ["install", "installed", "uninstall"]
OTHER: Final = "the two must not mix, as a pointer of one is invalid in the other"


def install() -> ModuleType:
    """Install the emulator's pyACL as `acl`, and return the module. RuntimeError if a real `acl` is installed or
    imported."""
    pyacl = _pyacl()
    imported = sys.modules.get(NAME)
    if imported is None:
        spec = PathFinder.find_spec(NAME)
        if spec is not None and spec.origin is not None:  # (a folder without __init__.py has none)
            raise RuntimeError(
                f"a real acl is installed, {spec.origin}: {OTHER}. Use an environment (PYTHONPATH) without it."
            )
    elif imported is not pyacl.modules[NAME]:
        origin = getattr(imported, "__file__", None) or repr(imported)
        raise RuntimeError(f"another acl is imported already, {origin}: {OTHER}. Start a process without it.")
    sys.modules.update(pyacl.modules)
    if pyacl.absent not in sys.meta_path:
        sys.meta_path.insert(0, pyacl.absent)  # pyright: ignore[reportArgumentType]
    return pyacl.modules[NAME]


def uninstall() -> None:
    """Undo `install`: `import acl` fails as before. Modules that have imported `acl` keep it."""
    pyacl = _pyacl()
    for name, module in pyacl.modules.items():
        if sys.modules.get(name) is module:
            del sys.modules[name]
    if pyacl.absent in sys.meta_path:
        sys.meta_path.remove(pyacl.absent)  # pyright: ignore[reportArgumentType]


@contextmanager
def installed() -> Generator[ModuleType]:
    """Install `acl` for the time of a `with` block; of nested blocks, until the outermost block ends."""
    imported = sys.modules.get(NAME)
    acl = install()
    try:
        yield acl
    finally:
        if imported is not acl:
            uninstall()


def _pyacl() -> PyAcl:
    """The modules of this process. To make them, all functions are created."""
    from acl_runtime.pyacl.modules import PyAcl

    return process.own(PyAcl)


def __getattr__(name: str) -> Any:
    return getattr(_pyacl().modules[NAME], name)


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in dir(_pyacl().modules[NAME]) if not name.startswith("__"))})
