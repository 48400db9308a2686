"""The stubs (.pyi) of the two packages, rendered from the declarations, for editors and type checkers."""

import re
from enum import IntEnum
from types import ModuleType

import acl_runtime
import aclnn
from acl_runtime.abi.conversions import Variadic
from acl_runtime.abi.function import CFunction
from acl_runtime.headers import enums, statuses, structs
from acl_runtime.headers.handles import Handle
from aclnn.tools.exports import exported, functions

HEAD = "# Rendered from the declarations by `python -m aclnn.render`; do not edit.\n"
VERSION = "from acl_runtime.version import __version__ as __version__"


def signature(function: CFunction) -> str:
    """`def aclrtFree(devPtr: Source) -> int:` with its docstring."""
    listed = ", ".join(
        f"{'*' if isinstance(ctype, Variadic) else ''}{name}: {ctype.python}" for name, ctype in function.parameters
    )
    doc = function.help.replace("\\", "\\\\").replace('"""', "'''")
    body = "\n".join(f"    {line}" if line else "" for line in doc.splitlines()).lstrip()
    return f'def {function.name}({listed}) -> {function.result.python}:\n    """{body}\n    """\n'


def runtime_stub() -> str:
    """acl_runtime/__init__.pyi."""
    body = [signature(function) for function in functions(acl_runtime).values()]
    handles = [
        name for name, value in exported(acl_runtime).items() if isinstance(value, type) and issubclass(value, Handle)
    ]
    bare = _bare_names()
    text = [HEAD, *_imports([*body, *bare])]
    text += [_reexport(module) for module in (enums, statuses, structs)]
    text += ["from acl_runtime.errors import Finding as Finding, UndefinedBehaviour as UndefinedBehaviour"]
    text += [f"from acl_runtime.headers.handles import {', '.join(f'{name} as {name}' for name in handles)}"]
    text += ["from acl_runtime.machine.machine import Machine as Machine", VERSION, "", *bare, ""]
    return "\n".join(text + body)


def operators_stub() -> str:
    """aclnn/__init__.pyi."""
    own = {name: function for name, function in functions(aclnn).items() if name.startswith("aclnn")}
    reexported = [name for name in exported(aclnn) if name not in own]
    body = [signature(function) for function in own.values()]
    text = [HEAD, *_imports(body), "from acl_runtime import aclrtStream"]
    text += ["from acl_runtime import (", *(f"    {name} as {name}," for name in reexported), ")"]
    text += [
        "from aclnn.engine.declaration import Op as Op",
        "from aclnn.engine.two_phase import two_phase as two_phase",
        VERSION,
        "",
    ]
    return "\n".join(text + body)


def _reexport(module: ModuleType) -> str:
    """The import of the names that a module exports, except the bare names of enum values.

    Type checkers do not see those in the module, so `_bare_names` writes a line for each."""
    names = [name for name in module.__all__ if not isinstance(getattr(module, name), IntEnum)]
    listed = "\n".join(f"    {name} as {name}," for name in names)
    return f"from {module.__name__} import (\n{listed}\n)"


def _bare_names() -> list[str]:
    """A line for each enum value: `ACL_FLOAT: Final = aclDataType.ACL_FLOAT`."""
    values = [(name, getattr(enums, name)) for name in enums.__all__]
    return [
        f"{name}: Final = {type(value).__name__}.{value.name}" for name, value in values if isinstance(value, IntEnum)
    ]


def _imports(body: list[str]) -> list[str]:
    """The import lines for the names that the signatures use."""
    declared = [line for each in body for line in each.splitlines() if line.startswith(("def", "ACL"))]
    used = set(re.findall(r"\w+", " ".join(declared)))
    lines: list[str] = []
    for module, names in (
        ("collections.abc", ("Callable", "Sequence")),
        ("ctypes", ("c_char_p", "c_float", "c_int32", "c_int64", "c_uint32", "c_uint64", "c_void_p")),
        ("typing", ("Any", "Final", "SupportsIndex")),
        (
            "acl_runtime.abi.arguments",
            (
                "BoolArray",
                "FloatArray",
                "Int32Pointer",
                "Int64Array",
                "Int64Pointer",
                "Int8Array",
                "Int8Pointer",
                "Output",
                "Referred",
                "SizeArray",
                "Source",
                "Target",
                "UInt64Pointer",
                "UInt8Pointer",
            ),
        ),
    ):
        needed = [name for name in names if name in used]
        if needed:
            lines.append(f"from {module} import {', '.join(needed)}")
    return lines
