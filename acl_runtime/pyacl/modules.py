"""The modules acl, acl.rt, acl.op, acl.mdl and acl.util; errors for the modules that are absent, such as acl.media."""

from collections.abc import Callable, Mapping
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final

from acl_runtime.pyacl.functions import function
from acl_runtime.pyacl.gears import get_input_dynamic_dims
from acl_runtime.pyacl.names import NAME, python_name, why_absent, wrapped
from acl_runtime.pyacl.util import (
    StartedThreads,
    app_log,
    bytes_to_ptr,
    numpy_contiguous_to_ptr,
    numpy_to_ptr,
    ptr_to_bytes,
    ptr_to_numpy,
)

PARTS: Final = ("rt", "op", "mdl", "util")
UTIL: Final = (bytes_to_ptr, numpy_contiguous_to_ptr, numpy_to_ptr, ptr_to_bytes, ptr_to_numpy)
BY_HAND: Final[dict[str, Callable[[Any], Any]]] = {
    "app_log": app_log,
    "get_input_dynamic_dims": get_input_dynamic_dims,
}
"""functions that are written by hand, not made from a C declaration, by name"""


class PyAcl:
    """The modules of pyACL. A process has one PyAcl, so that `import acl` always returns the same module."""

    def __init__(self) -> None:
        self.modules: Final[Mapping[str, ModuleType]] = _modules()
        """the modules by import name"""
        self.absent: Final = AbsentModuleFinder()


def _modules() -> dict[str, ModuleType]:
    modules = {name: _module(name) for name in (NAME, *(f"{NAME}.{part}" for part in PARTS))}
    acl, tools = modules[NAME], modules[f"{NAME}.util"]
    vars(acl).update({part: modules[f"{NAME}.{part}"] for part in PARTS})
    for wrapper in wrapped():
        module, _, name = python_name(wrapper.c).rpartition(".")
        setattr(modules[f"{NAME}.{module}" if module else NAME], name, BY_HAND.get(name, function)(wrapper))
    threads = StartedThreads()
    for wrapper in (*UTIL, threads.start_thread, threads.stop_thread):
        setattr(tools, wrapper.__name__, wrapper)
    return modules


def _module(name: str) -> ModuleType:
    """An empty module; the AttributeError for an absent name gives the reason."""
    module = ModuleType(name, f"{name} of aclnn-emulator: pyACL without an NPU. See `aclnn docs pyacl`.")
    module.__spec__ = ModuleSpec(name, None, origin="aclnn-emulator")
    module.__path__ = []  # so that Python calls `AbsentModuleFinder` for submodules

    def absent(attribute: str) -> Any:
        text = f"module {name!r} has no attribute {attribute!r}"
        if not attribute.startswith("__"):
            text = f"{text}: {why_absent(_inner(f'{name}.{attribute}'))}"
        raise AttributeError(text, name=attribute, obj=module)

    module.__getattr__ = absent  # type: ignore[method-assign]
    return module


def _inner(name: str) -> str:
    """The name without its prefix `acl.`."""
    return name.partition(".")[2]


class AbsentModuleFinder:
    """A finder in `sys.meta_path`: `import acl.prof` and `from acl import media` fail with the reason."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """ModuleNotFoundError for submodules of `acl`, as existing submodules are in `sys.modules` already."""
        if name.startswith(f"{NAME}."):
            text = f"No module named {name!r}: {why_absent(_inner(name))}"
            raise ModuleNotFoundError(text)  # no `name=`: with it, `from acl import media` drops the text
