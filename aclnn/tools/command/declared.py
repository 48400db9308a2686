"""The facts of functions and operators from their declarations.

`aclnn explain --with` and `aclnn ops --with` need them for the modules of the user, `python -m aclnn.render` for all
functions: it makes the files that `help_index` reads."""

from collections.abc import Callable, Mapping
from functools import cache, partial
from types import ModuleType
from typing import Any

from acl_runtime.headers.dtype_names import plain_name
from acl_runtime.objects.soc import Series
from acl_runtime.pyacl.names import python_name, wrapped
from aclnn.catalogue.facts import facts as catalogue
from aclnn.catalogue.products import Support
from aclnn.engine.declaration import Op
from aclnn.engine.help import conditions, formula
from aclnn.engine.parameters import ANY, Elements
from aclnn.engine.words.lacking import lacking
from aclnn.ops import EXACT, FIRST
from aclnn.tools import exports
from aclnn.tools.command.help_index import Described

Modules = tuple[ModuleType, ...]
"""modules of the user with further operators"""


def described(name: str, modules: Modules = ()) -> Described:
    """The description of a function."""
    function = exports.all_functions(modules)[name]
    about = Described(name, function.header, function.help, bool(function.products), pyacl().get(name, ""))
    op = exports.operators(modules).get(name.removesuffix(FIRST))
    if op is None:
        return about
    if name.endswith(FIRST):
        return about._replace(checks=frozenset(conditions(op)))
    return about._replace(lacking=lacking(op), facts=of(op) if name in EXACT else None)


@cache
def pyacl() -> Mapping[str, str]:
    """The name in pyACL of each function that pyACL wraps, by its name in C."""
    return {function.c.name: python_name(function.c) for function in wrapped()}


def functions(modules: Modules) -> dict[str, Callable[[], Described]]:
    """A function for each function in modules of the user that returns its description."""
    return {name: partial(described, name, modules) for module in modules for name in exports.functions(module)}


def operators(modules: Modules) -> dict[str, Callable[[], dict[str, Any]]]:
    """A function for each operator in modules of the user that returns its facts."""
    return {name: partial(of, op) for name, op in exports.own_operators(modules).items()}


def of(op: type[Op]) -> dict[str, Any]:
    """Name, category, level, formula and header; the calls that are not computed; the products that compute the
    operator, and the support of each product; the data types of each tensor and tensor list, empty where the document
    lists none."""
    name, its_level = op.c_name(), op.level()
    return {
        "name": name,
        "category": exports.OWN if its_level == "own" else catalogue(name).category,
        "level": its_level,
        "levels": {series.name: op.level(series) for series in op.series},
        "kernel": op.has_kernel,
        "lacking": lacking(op),
        "formula": formula(op).partition("\n\n")[0].split("\n"),
        "header": op.header,
        "products": {series.name: series in op.series for series in Series},
        "support": {series.name: _support(op, series) for series in Series},
        "data_types": {
            series.name: {
                param.printed: [] if param.dtypes is ANY else [plain_name(dtype) for dtype in param.dtypes.on(series)]
                for param in op.params
                if isinstance(param, Elements)
            }
            for series in op.series
        },
    }


def _support(op: type[Op], series: Series) -> str:
    """The support that the catalogue has; for an operator of the user, documented or refused."""
    if op.level() != "own":
        return catalogue(op.c_name()).support(series).value
    return (Support.DOCUMENTED if series in op.series else Support.REFUSED).value
