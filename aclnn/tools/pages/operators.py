"""A page for each operator, from its declaration."""

import ast
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import aclnn
from acl_runtime.abi.function import CFunction
from acl_runtime.headers.dtype_names import dtype_name
from acl_runtime.headers.statuses import (
    ACLNN_ERR_INNER_NULLPTR,
    ACLNN_ERR_PARAM_NULLPTR,
    ACLNN_ERR_RUNTIME_ERROR,
    name_of,
)
from acl_runtime.objects.executor_life import Family
from acl_runtime.objects.soc import Series
from aclnn.catalogue.evidence import LEVELS
from aclnn.engine.constraints import Empty
from aclnn.engine.declaration import Check, Op, When
from aclnn.engine.help import formula, second_statuses
from aclnn.engine.parameters import Param, TensorParam
from aclnn.engine.words.lacking import lacking
from aclnn.tools.exports import categories, operators
from aclnn.tools.pages import operator_findings
from aclnn.tools.pages.examples import call
from aclnn.tools.pages.markdown import MADE, Files, filled, plain, table

WIDTH: Final = 80
"""maximum number of columns of a prototype in one line"""


def files() -> Files:
    """Functions that return the text of each page, by its path in the project."""
    return {
        f"docs/ops/{name}.md": partial(page, op, (getattr(aclnn, f"{name}GetWorkspaceSize").c, getattr(aclnn, name).c))
        for name, op in operators().items()
        if not op.from_facts
    }


def from_facts() -> Files:
    """The pages of operators that are computed and made from facts, by their path below docs/. Only the site has
    them. `categories` has the other documented functions."""
    return {
        f"{place(op)}.md": partial(_orphan, op, (getattr(aclnn, f"{name}GetWorkspaceSize").c, getattr(aclnn, name).c))
        for name, op in operators().items()
        if op.from_facts and op.has_kernel
    }


def _orphan(op: type[Op], pair: tuple[CFunction, CFunction]) -> str:
    """A page that only the site has."""
    return f"---\norphan: true\n---\n\n{page(op, pair)}"


def above(op: type[Op]) -> str:
    """The line below the title on the site: links to the lists that the operator is in."""
    name, up = op.c_name(), "../" * place(op).count("/")
    category = next(each for each, listed in categories().items() if name in listed)
    lists = f"[All operators]({up}reference/operators.md)", f"[{category}]({up}reference/operators/{category}.md)"
    return " · ".join(lists)


def place(op: type[Op]) -> str:
    """The page of an operator, below docs/, without suffix."""
    return f"{'reference/operators' if op.from_facts else 'ops'}/{op.c_name()}"


def page(op: type[Op], pair: tuple[CFunction, CFunction]) -> str:
    """The page of an operator."""
    second = call(pair[1]).replace(f", {op.size_name},", ", workspaceSize.value,")
    sections = (
        f"# {op.c_name()}\n\n{MADE}",
        f'## Interface\n\n`#include "{op.header}"`',
        f"```c\n{in_lines(pair[0])}\n{in_lines(pair[1])}\n```",
        "## What it computes",
        computes(op),
        _level(op),
        *_lacking(op),
        "## In Python",
        f"```python\n{call(pair[0])}{second}```",
        "## Products",
        table(("product", "supported"), ((series.value, _support(op, series)) for series in Series)),
        *_refusals(op),
        "## Parameters",
        filled(("parameter", "role", "shape", "description"), list(map(_parameter, op.params))),
        "Inputs and outputs may be strided views with an offset; bytes outside the view of an output are not written.",
        "### Data types",
        _data_types(op),
        "## Checks of the first phase, in order",
        table(
            ("#", "check", "status on failure", "provenance"),
            ((str(number), row) for number, row in enumerate(_rows(op), 1)),
        ),
        "## Second phase",
        table(("status", "when"), ((f"{status} {name_of(status)}", why) for status, why in second_statuses(op))),
        *operator_findings.section(op.c_name(), "/".join([".."] * place(op).count("/"))),
    )
    return "\n\n".join(sections) + "\n"


def _support(op: type[Op], series: Series) -> str:
    """The support of the operator on a product, in words."""
    return op.undocumented.get(series, "yes" if series in op.series else "no")


def _refusals(op: type[Op]) -> Iterator[str]:
    """The answers of the products that refuse the operator: the status, and the place among the checks."""
    rows: dict[tuple[int, When], list[str]] = {}
    for series, refusal in op.refusals.items():
        rows.setdefault(refusal, []).append(series.value)
    for (status, phase), names in rows.items():
        products = "Other products" if len(rows) == 1 else "; ".join(names)
        yield f"{products}: {status} ({name_of(status)}), {phase.value}."


def computes(op: type[Op]) -> str:
    """The docstring of the operator: the first paragraph, as code if it is code, then the rest."""
    first, _, rest = formula(op).partition("\n\n")
    block = f"```python\n{first}\n```" if _is_code(first) else f"> {plain(' '.join(first.split()))}"
    return "\n\n".join([block, *([plain(rest)] if rest else [])])


def _is_code(text: str) -> bool:
    """True if the text is code alone. Formulas that are code have the syntax of Python."""
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def in_lines(function: CFunction) -> str:
    """A prototype as code. If it is long, each parameter has a line."""
    prototype = f"{function.prototype};"
    if len(prototype) <= WIDTH:
        return prototype
    declared = ",\n".join(f"    {ctype.declare(name)}" for name, ctype in function.parameters)
    return f"{function.result.declare(function.name)}(\n{declared});"


def _level(op: type[Op]) -> str:
    general, newest = op.level(), op.level(Series.A950)
    link = f"{'../' * place(op).count('/')}fidelity.md#levels"
    line = f"Level: [{general}]({link}): {LEVELS[general]}."
    if newest == general or Series.A950 not in op.series:
        return line
    return f"{line} On {Series.A950.value} it is {newest}: its document does not describe them."


def _lacking(op: type[Op]) -> Iterator[str]:
    """The calls without a kernel, if other calls of the operator have a kernel."""
    if calls := lacking(op):
        yield "There is no kernel for these calls; their launch returns 561003:"
        yield "\n".join(f"- {each}" for each in calls)


def _statuses(check: Check) -> str:
    others = (f"{status} on {series.name}" for series, status in check.status_by_series.items())
    return ", ".join((str(check.status), *others))


def _parameter(param: Param[Any]) -> tuple[str, ...]:
    return param.printed, _role(param), getattr(param, "shape", ""), param.doc


def _data_types(op: type[Op]) -> str:
    """A row for each tensor. Products with the same data types share a column."""
    columns: dict[tuple[str, ...], list[str]] = {}
    for series in op.series:
        lists = (tensor.dtypes.on(series) for tensor in op.tensors)
        column = tuple(", ".join(dtype_name(each).removeprefix("DT_") for each in listed) for listed in lists)
        columns.setdefault(column, []).append(series.name)
    head = ("tensor", *(", ".join(each) for each in columns.values()))
    return table(head, zip((tensor.name for tensor in op.tensors), *columns, strict=True))


def _role(param: Param[Any]) -> str:
    if not isinstance(param, TensorParam):
        return f"`{param.ctype.spelling}`"
    return f"{param.role} if {param.when}" if param.when else param.role


def _rows(op: type[Op]) -> Iterator[str]:
    pointers = "workspaceSize and executor are not null"
    null = f"{ACLNN_ERR_PARAM_NULLPTR}"
    required = [
        f"{param} is not null" + (f" if {param.when} is true" if param.when else "")
        for param in op.tensors
        if not param.optional
    ]
    required += [f"{param} is not null" for param in op.objects if not isinstance(param, TensorParam)]
    yield from _product(op, When.FIRST, When.EARLY)
    if op.family is Family.COMPOSITE:
        yield f"{pointers} | {null} | public"
    for sentence in required:
        yield f"{sentence} | {null} | document"
    yield from _product(op, When.AT_ONCE)
    if op.family is Family.GENERATED:
        yield f"executor is not null | {null} | public"
        yield f"strided inputs lie inside their storage | {ACLNN_ERR_INNER_NULLPTR} | public"
        yield f"workspaceSize is not null | {null} | public"
    yield from _product(op, When.NULLS)
    for check in op.checks:
        yield f"{check.sentence} | {'-' if isinstance(check, Empty) else _statuses(check)} | {check.provenance}"
    yield from _product(op, When.LAST)
    yield f"the thread has a current context | {ACLNN_ERR_RUNTIME_ERROR} | ours"
    yield from _product(op, When.PLAN)
    yield f"every step can be planned | {ACLNN_ERR_INNER_NULLPTR} | public"


def _product(op: type[Op], *phases: When) -> Iterator[str]:
    """The rows of the checks of the product at these places, one for each status."""
    for status in dict.fromkeys(refusal.status for refusal in op.refusals.values() if refusal.when in phases):
        yield f"the product supports the operator | {status} | public"
