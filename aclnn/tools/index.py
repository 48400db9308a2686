"""The two indexes of public names, by module. `python -m aclnn.render` makes them from the modules.

acl_runtime/generated_index.py     the C functions of `acl_runtime.api` and the types of the headers; which of them
                                   `aclnn` exports as well
aclnn/ops/generated_index.py       the operators of each module of `aclnn.ops`; the contracts without a formula

With an index, an import by name loads one module instead of all modules.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType
from typing import Any, Final

import acl_runtime.api as runtime
import acl_runtime.headers.handles as handles
import acl_runtime.headers.statuses as statuses
import aclnn.ops as ops
import aclnn.ops.contracts as contracts
from acl_runtime.abi.function import CFunction
from acl_runtime.on_demand import C_PREFIXES
from aclnn.catalogue.index import lines
from aclnn.op import HostFunction, Operator
from aclnn.tools.pages.markdown import ROOT, Files

RUNTIME: Final = "acl_runtime/generated_index.py"
OPERATORS: Final = "aclnn/ops/generated_index.py"
META: Final = "aclnn/acl_meta.h"
"""the header of both libraries: the operator library exports its functions too"""
HEAD: Final = '"""{} Made by `python -m aclnn.render`; do not edit."""\n\nfrom typing import Final\n'
Homes = Mapping[str, tuple[str, ...]]
"""names, by module"""


def files() -> Files:
    """For each index the function that returns its text, by its path in the project."""
    return {RUNTIME: runtime_index, OPERATORS: operator_index}


def write() -> bool:
    """Write the stale indexes. Returns True if there were any."""
    texts = {ROOT / path: text() for path, text in files().items()}
    stale = [path for path, text in texts.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        path.write_text(texts[path], encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")
    return bool(stale)


def runtime_index() -> str:
    """The text of acl_runtime/generated_index.py."""
    declared = {module.__name__: _functions(module) for module in _modules(runtime)}
    functions = {module: tuple(sorted(names)) for module, names in declared.items()}
    types = {handles.__name__: tuple(sorted(filter(_in_headers, vars(handles))))}
    meta = [each for names in declared.values() for each in names.values() if each.header == META]
    used = {word for each in meta for word in re.findall(r"\w+", each.prototype)}
    shared = [
        *(each.name for each in meta),
        *used.intersection(types[handles.__name__]),
        *(name for name in statuses.__all__ if name.startswith("ACLNN_")),
    ]
    return "\n".join([
        HEAD.format("The public names of the runtime, by module."),
        *_mapping("HOMES", only_once({**functions, **types})),
        "",
        *_tuple("IN_ACLNN: Final = (", sorted(shared), ")"),
        '"""the names that `aclnn` exports as well"""',
        "",
    ])  # fmt: skip


def operator_index() -> str:
    """The text of aclnn/ops/generated_index.py."""
    operators = {module.__name__: tuple(sorted(_operators(module), key=_in_place_last)) for module in _modules(ops)}
    for module, listed in operators.items():
        if unknown := [name for name in listed if name not in lines()]:
            raise ValueError(f"{module}: aclnn/catalogue/data has no facts of {', '.join(unknown)}")
    stated = {module.__name__: tuple(sorted(module.CONTRACTS)) for module in _modules(contracts)}
    return "\n".join([
        HEAD.format("The operators, by module; contracts of functions without a formula."),
        *_mapping("OPERATORS", only_once(operators)),
        "",
        *_mapping("CONTRACTS", only_once(stated)),
        "",
    ])  # fmt: skip


def _modules(package: ModuleType) -> Iterator[ModuleType]:
    """The modules below a package, in the order of their names."""
    names = (module.name for module in walk_packages(package.__path__, f"{package.__name__}."))
    yield from (import_module(name) for name in sorted(names))


def _in_headers(name: str) -> bool:
    return name.startswith(C_PREFIXES)


def _functions(module: ModuleType) -> dict[str, CFunction]:
    """The C functions that a module defines."""
    values = {name: getattr(value, "c", None) for name, value in _own(module)}
    return {name: value for name, value in values.items() if isinstance(value, CFunction)}


def _own(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """The values that a module defines itself."""
    for name, value in vars(module).items():
        if getattr(value, "__module__", None) == module.__name__:
            yield name, value


def _operators(module: ModuleType) -> Iterator[str]:
    """The functions of the operators that a module makes."""
    for value in ops.made_in(module.__name__):
        # an operator may be imported from another module; a function on the host never is
        if isinstance(value, HostFunction) or (isinstance(value, Operator) and value.module == module.__name__):
            yield from value.names


def _in_place_last(name: str) -> tuple[str, str]:
    """A key for sorting: aclnnInplaceAdd follows aclnnAdd."""
    return name.replace("Inplace", ""), name


def only_once(homes: Homes) -> Homes:
    """The same homes without the modules that have no names; ValueError for a name with two homes."""
    home: dict[str, str] = {}
    for module, names in homes.items():
        for name in names:
            if name in home:
                raise ValueError(f"{name} is defined in {home[name]}, and again in {module}: rename one of the two")
            home[name] = module
    return {module: names for module, names in homes.items() if names}


def _mapping(name: str, homes: Homes) -> Iterator[str]:
    """The lines of a dictionary, with one name a line: two changes rarely meet in a line."""
    yield f"{name}: Final[dict[str, tuple[str, ...]]] = {{"
    for module, names in homes.items():
        yield from (f"    {line}" for line in _tuple(f'"{module}": (', names, "),"))
    yield "}"


def _tuple(begin: str, names: Iterable[str], end: str) -> Iterator[str]:
    yield begin
    yield from (f'    "{name}",' for name in names)
    yield end
