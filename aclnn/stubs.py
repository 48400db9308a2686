"""The stubs of the two packages, rendered from the declarations: what editors complete and type checkers check."""

import re

import acl_runtime
import aclnn
from acl_runtime.conversions import Variadic
from acl_runtime.function import CFunction
from acl_runtime.handles import Handle
from aclnn.exports import exported, functions

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
    text = [HEAD, *_imports(body)]
    text += ["from acl_runtime.enums import *"]
    text += ["from acl_runtime.errors import Finding as Finding, UndefinedBehaviour as UndefinedBehaviour"]
    text += [f"from acl_runtime.handles import {', '.join(f'{name} as {name}' for name in handles)}"]
    text += ["from acl_runtime.machine.machine import Machine as Machine", "from acl_runtime.statuses import *"]
    text += ["from acl_runtime.structs import *", VERSION, ""]
    return "\n".join(text + body)


def operators_stub() -> str:
    """aclnn/__init__.pyi."""
    own = {name: function for name, function in functions(aclnn).items() if name.startswith("aclnn")}
    again = [name for name in exported(aclnn) if name not in own]
    body = [signature(function) for function in own.values()]
    text = [HEAD, *_imports(body), "from acl_runtime import aclrtStream"]
    text += ["from acl_runtime import (", *(f"    {name} as {name}," for name in again), ")"]
    text += [
        "from aclnn.engine.declaration import Op as Op",
        "from aclnn.engine.two_phase import two_phase as two_phase",
        VERSION,
        "",
    ]
    return "\n".join(text + body)


def _imports(body: list[str]) -> list[str]:
    """The import lines for the names that the signatures use."""
    used = set(
        re.findall(r"\w+", " ".join(line for each in body for line in each.splitlines() if line.startswith("def")))
    )
    lines: list[str] = []
    for module, names in (
        ("collections.abc", ("Callable", "Sequence")),
        ("ctypes", ("c_char_p", "c_float", "c_int32", "c_int64", "c_uint32", "c_uint64", "c_void_p")),
        ("typing", ("Any", "SupportsIndex")),
        (
            "acl_runtime.arguments",
            (
                "BoolArray",
                "FloatArray",
                "Int32Pointer",
                "Int64Array",
                "Int64Pointer",
                "Output",
                "Referred",
                "SizeArray",
                "Source",
                "Target",
            ),
        ),
    ):
        needed = [name for name in names if name in used]
        if needed:
            lines.append(f"from {module} import {', '.join(needed)}")
    return lines
