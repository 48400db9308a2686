"""A page for each category of the documents, with all of its functions. Only the site has these pages.

A function that the emulator computes has a separate page, and a row on the page of its category. Any other function has
a section there: its interface, its products, and the data types of its parameters. So one page shows a hundred
functions that differ in these facts only, and the site is built in a minute.
"""

from collections.abc import Iterator
from functools import cache, partial
from typing import Final

import aclnn
from acl_runtime.headers.dtype_names import dtype_name
from acl_runtime.objects.soc import Series
from aclnn.catalogue.evidence import LEVELS
from aclnn.catalogue.facts import Parameter, facts
from aclnn.catalogue.index import lines
from aclnn.catalogue.products import short_name
from aclnn.engine.help import formula
from aclnn.ops import FIRST
from aclnn.tools.exports import categories, has_kernel, operators
from aclnn.tools.pages.markdown import Files, plain, table

FOLDER: Final = "reference/operators"
NO_KERNEL: Final = """\
This emulator has no kernel for the functions below. Their first phase checks null pointers, the product, data types,
ranks and formats. Their launch returns 561003 (ACLNN_ERR_INNER_FIND_KERNEL_ERROR), unless a program gives a kernel of
its own with `@aclnn.kernel` or `machine.kernels`."""


def files() -> Files:
    """Functions that return the text of each page, by its path below docs/."""
    return {f"{FOLDER}/{category}.md": partial(page, category) for category in categories()}


def anchor(name: str) -> str:
    """The anchor of a function without a separate page. MyST finds an anchor on any page and ignores case. So names
    that differ only in case get a number, except for the first name."""
    alike = _alike()[name.casefold()]
    return f"function-{name.casefold()}" + (f"-{alike.index(name) + 1}" if name != alike[0] else "")


@cache
def _alike() -> dict[str, list[str]]:
    """The documented functions, by their names in lower case."""
    names: dict[str, list[str]] = {}
    for name in lines():
        names.setdefault(name.casefold(), []).append(name)
    return names


def has_own_page(name: str) -> bool:
    """True if a documented function has a page of its own."""
    return has_kernel(name) and facts(name).phases != 1


def place(name: str) -> str:
    """The page of a documented function below docs/, or its place on the page of its category."""
    if not has_own_page(name):
        return f"{FOLDER}/{lines()[name][0]}.md#{anchor(name)}"
    return f"{'ops' if getattr(aclnn, name).level == 'exact' else FOLDER}/{name}.md"


def page(category: str) -> str:
    """The page of a category."""
    names = categories()[category]
    own_pages = [name for name in names if has_own_page(name)]
    others = [name for name in names if name not in own_pages]
    parts = [f"# {category}", f"[All operators](../operators.md) · {len(names)} functions"]
    if own_pages:
        rows = ((f"[{name}](../../{place(name)})", _computes(name), getattr(aclnn, name).level) for name in own_pages)
        parts += [table(("operator", "what it computes", "level"), rows)]
    if any(not has_kernel(name) for name in others):
        parts += [NO_KERNEL]
    return "\n\n".join([*parts, *(_section(name) for name in sorted(others, key=has_kernel))]) + "\n"


def _computes(name: str) -> str:
    """The first paragraph of the formula."""
    return plain(" ".join(formula(operators()[name]).partition("\n\n")[0].split()))


def _section(name: str) -> str:
    described, level = facts(name), getattr(aclnn, name).level
    phases = (name,) if described.phases == 1 else (f"{name}{FIRST}", name)
    prototypes = [getattr(aclnn, phase).c.prototype for phase in phases]
    on = [series for series in Series if described.support(series).listed]
    kernel = f"{level}: {LEVELS[level]}" if has_kernel(name) else f"{level}, no kernel"
    products = plain("; ".join(each.value for each in on) or "none here")
    about = f"`#include <{described.header}>` · level: {kernel} · products: {products}"
    rows = [
        (f"`{param.name}`", _role(param), "<br>".join(_types(param, on)))
        for param in described.params
        if param.is_tensor
    ]
    parts = [
        f"({anchor(name)})=\n## {name}",
        about,
        "```c\n" + "\n".join(f"{prototype};" for prototype in prototypes) + "\n```",
    ]
    return "\n\n".join([*parts, *([table(("tensor", "role", "data types"), rows)] if rows else [])])


def _role(param: Parameter) -> str:
    role = {"in": "input", "out": "output", "inout": "in place"}.get(param.io or "", "-")
    return f"{role}, may be null" if param.may_be_null else role


def _types(param: Parameter, on: list[Series]) -> Iterator[str]:
    """The data types of a tensor. Products with the same data types share a line; several lines name their products."""
    series_by_types: dict[str, list[str]] = {}
    for series in on:
        type_names = ", ".join(dtype_name(each).removeprefix("DT_") for each in param.dtypes_on(series) or ())
        series_by_types.setdefault(plain(type_names), []).append(short_name(series))
    for types, products in series_by_types.items():
        yield types or "-" if len(series_by_types) == 1 else f"{', '.join(products)}: {types or '-'}"
