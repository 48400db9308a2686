"""Modules of the user's that `--with` names: with operators of their own."""

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType


def modules(names: Sequence[str], *folders: Path) -> tuple[ModuleType, ...]:
    """Import them. They are looked for in these folders and in the current one first, as Python looks beside a program
    for its modules. ImportError for one that is not there."""
    if not names:
        return ()
    places = list(dict.fromkeys(str(each.resolve()) for each in (*folders, Path())))
    if not getattr(sys.flags, "safe_path", False):
        sys.path[:0] = [each for each in places if each not in sys.path]
    return tuple(_imported(name, places) for name in names)


def _imported(name: str, places: Sequence[str]) -> ModuleType:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise  # of what the module itself imports
        hint = f"; say --with {name.removesuffix('.py')}" if name.endswith(".py") else ""
        raise ModuleNotFoundError(
            f"--with {name}: no such module in {', '.join(places)}, nor installed{hint}"
        ) from None
