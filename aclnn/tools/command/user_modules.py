"""The modules that `--with` names: modules of the user with further operators."""

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType


def modules(names: Sequence[str], *folders: Path) -> tuple[ModuleType, ...]:
    """Import the modules. These folders and the current one are searched first, as Python first searches the folder of
    a program. ImportError if there is no such module."""
    if not names:
        return ()
    places = list(dict.fromkeys(str(each.resolve()) for each in (*folders, Path())))
    if not getattr(sys.flags, "safe_path", False):
        sys.path[:0] = [place for place in places if place not in sys.path]
    return tuple(_imported(name, places) for name in names)


def _imported(name: str, places: Sequence[str]) -> ModuleType:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise  # the missing module is one that the user's module imports
        hint = f"; use --with {name.removesuffix('.py')}" if name.endswith(".py") else ""
        raise ModuleNotFoundError(
            f"--with {name}: there is no such module in {', '.join(places)}, and none is installed{hint}"
        ) from None
