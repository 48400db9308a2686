"""The end of a program, as the interpreter makes it, while there is still a machine."""

import gc
import sys
from types import ModuleType
from typing import Any, Final

from acl_runtime.machine.site import is_programs

MAIN: Final = "__main__"


def drop_program() -> None:
    """Forget the modules of the program, which the interpreter does next: an object that only they hold, such as a
    global one that frees what it allocated in its `__del__`, can do so before it is told what was left behind."""
    for name in _of_program():
        del sys.modules[name]
    sys.modules[MAIN] = ModuleType(MAIN)  # others may look for one
    gc.collect()


def _of_program() -> list[str]:
    return [name for name, module in list(sys.modules.items()) if name == MAIN or _written_for_it(name, module)]


def _written_for_it(name: str, module: Any) -> bool:
    file = getattr(module, "__dict__", {}).get("__file__")  # (some modules import what they are asked for)
    return isinstance(file, str) and is_programs(name, file)
