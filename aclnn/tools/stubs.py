"""The stubs (.pyi) of the two packages, rendered from the declarations, for editors and type checkers.

aclnn/__init__.pyi takes the operators from the files of `aclnn/stubs`, one for each category of the documents. These
files are for type checkers only: no module of the program has these names.
"""

import re
from collections.abc import Callable
from enum import IntEnum
from functools import partial
from types import ModuleType

import acl_runtime
import aclnn
from acl_runtime.abi.conversions import Variadic
from acl_runtime.abi.function import CFunction, in_python
from acl_runtime.headers import enums, hccl, statuses, structs
from acl_runtime.headers import handles as handle_types
from acl_runtime.headers.handles import Handle
from aclnn.catalogue.facts import facts
from aclnn.tools.exports import categories, exported, functions, has_kernel

HEAD = "# Rendered from the declarations by `python -m aclnn.render`; do not edit.\n"
STUBS = "aclnn/stubs"
VERSION = "from acl_runtime.version import __version__ as __version__"


def signature(function: CFunction) -> str:
    """The stub of a function with its docstring: `def aclrtFree(devPtr: Source) -> int:`."""
    doc = function.help.replace("\\", "\\\\").replace('"""', "'''")
    body = "\n".join(f"    {line}" if line else "" for line in doc.splitlines()).lstrip()
    return f'{_line(function)}\n    """{body}\n    """\n'


def runtime_stub() -> str:
    """The text of acl_runtime/__init__.pyi."""
    body = [signature(function) for function in functions(acl_runtime).values()]
    handles = [name for name, value in exported(acl_runtime).items() if _is_handle(value)]
    bare = _bare_names()
    text = [HEAD, *_imports([*body, *bare])]
    text += [_reexport(module) for module in (enums, statuses, structs, hccl)]
    text += [f"from acl_runtime.headers.handles import {', '.join(f'{name} as {name}' for name in handles)}"]
    ours: dict[str, tuple[str, ...]] = vars(acl_runtime)["OURS"]
    text += [f"from {home} import {', '.join(f'{name} as {name}' for name in ours[home])}" for home in ours]
    text += ["", *bare, ""]
    return "\n".join(text + body)


def operator_stubs() -> dict[str, Callable[[], str]]:
    """The stub of the functions of each category of the documents, by its path, and aclnn/__init__.pyi."""
    stubs: dict[str, Callable[[], str]] = {
        f"{STUBS}/{category}.pyi": partial(category_stub, category) for category in categories()
    }
    return {**stubs, "aclnn/__init__.pyi": operators_stub}


def operators_stub() -> str:
    """The text of aclnn/__init__.pyi."""
    documented = {name for listed in categories().values() for name in listed}
    by_name = functions(aclnn)
    others = [name for name in exported(aclnn) if _function(name) not in documented]
    own_functions = [by_name[name] for name in others if name.startswith("aclnn")]
    reexported = [name for name in others if not name.startswith("aclnn")]
    body = [signature(function) for function in own_functions]
    text = [HEAD, *_imports(body)]
    text += [f"from {STUBS.replace('/', '.')}.{category} import *" for category in categories()]
    text += ["from acl_runtime import (", *(f"    {name} as {name}," for name in reexported), ")"]
    text += [
        "from aclnn.engine.declaration import Op as Op",
        "from aclnn.engine.kernels import kernel as kernel",
        "from aclnn.engine.two_phase import two_phase as two_phase",
        VERSION,
        "",
    ]
    return "\n".join(text + body)


def category_stub(category: str) -> str:
    """The functions of a category. Each has at most three lines, as `help` shows the whole text."""
    by_name = functions(aclnn)
    body: list[str] = []
    for name in categories()[category]:
        pair = [by_name[each] for each in (f"{name}GetWorkspaceSize", name) if each in by_name]
        body += [f'{_line(pair[0])}\n    """{brief(name)}"""', *(f"{_line(each)} ..." for each in pair[1:])]
    return "\n".join([HEAD, *_imports(body, handles=True), "", *body, ""])


def brief(name: str) -> str:
    """The docstring of a function in its stub: the level and the header."""
    described = facts(name)
    level = f"{getattr(aclnn, name).level}{'' if has_kernel(name) else ', no kernel'}"
    return f"{level[:1].upper()}{level[1:]}; {described.header}; help({name}) says more."


def _line(function: CFunction) -> str:
    """The first line of a stub: `def aclrtFree(devPtr: Source) -> int:`."""
    parameters = ", ".join(
        f"{'*' if isinstance(ctype, Variadic) else ''}{in_python(name)}: {ctype.python}"
        for name, ctype in function.parameters
    )
    return f"def {function.name}({parameters}) -> {function.result.python}:"


def _function(name: str) -> str:
    return name.removesuffix("GetWorkspaceSize")


def _reexport(module: ModuleType) -> str:
    """The import of the names that a module exports, except the bare names of enum values.

    Type checkers do not see bare names in the module, so `_bare_names` writes a line for each."""
    names = [name for name in module.__all__ if not isinstance(getattr(module, name), IntEnum)]
    lines = "\n".join(f"    {name} as {name}," for name in names)
    return f"from {module.__name__} import (\n{lines}\n)"


def _bare_names() -> list[str]:
    """A line for each enum value: `ACL_FLOAT: Final = aclDataType.ACL_FLOAT`."""
    values = [(name, getattr(module, name)) for module in (enums, hccl) for name in module.__all__]
    return [
        f"{name}: Final = {type(value).__name__}.{value.name}" for name, value in values if isinstance(value, IntEnum)
    ]


def _imports(body: list[str], *, handles: bool = False) -> list[str]:
    """The import lines for the names that the signatures use. `handles`: also import handle types and aclDataType."""
    declared = [line for each in body for line in each.splitlines() if line.startswith(("def", "ACL"))]
    words = set(re.findall(r"\w+", " ".join(declared)))
    lines: list[str] = []
    for module, names in (
        ("collections.abc", ("Callable", "Sequence")),
        ("ctypes", ("c_bool", "c_char_p", "c_float", "c_int32", "c_int64", "c_uint32", "c_uint64", "c_void_p")),
        ("typing", ("Any", "Final", "SupportsIndex")),
        (
            "acl_runtime.abi.arguments",
            (
                "BoolArray",
                "FloatArray",
                "Int32Array",
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
                "UInt32Array",
                "UInt64Pointer",
                "UInt8Array",
                "UInt8Pointer",
            ),
        ),
    ):
        imports = [name for name in names if name in words]
        if imports:
            lines.append(f"from {module} import {', '.join(imports)}")
    kinds = sorted(name for name, value in vars(handle_types).items() if _is_handle(value) and name in words)
    if handles and kinds:
        lines.append(f"from acl_runtime.headers.handles import {', '.join(kinds)}")
    if handles and "aclDataType" in words:
        lines.append("from acl_runtime.headers.enums import aclDataType")
    return lines


def _is_handle(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Handle)
