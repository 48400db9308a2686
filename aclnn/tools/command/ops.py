"""`aclnn ops`: the operators by product and data type."""

from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

from acl_runtime.headers.dtypes import dtype_name
from acl_runtime.objects.soc import Series, chips
from aclnn.catalogue.evidence import LEVELS
from aclnn.engine.declaration import Op
from aclnn.engine.help import formula
from aclnn.tools.command.text import table, wrapped
from aclnn.tools.exports import operators


def facts(modules: Iterable[ModuleType] = ()) -> list[dict[str, Any]]:
    """The facts of each operator, including those in `modules` of the user."""
    return [of(op) for op in operators(modules).values()]


def of(op: type[Op]) -> dict[str, Any]:
    """Name, level, formula and header; the products that support the operator; the data types of each tensor."""
    return {
        "name": op.c_name(),
        "level": op.level(),
        "levels": {series.name: op.level(series) for series in op.series},
        "formula": formula(op).partition("\n\n")[0].split("\n"),
        "header": op.header,
        "products": {series.name: series in op.series for series in Series},
        "data_types": {
            series.name: {
                tensor.name: [dtype_name(each).removeprefix("DT_") for each in tensor.dtypes.on(series)]
                for tensor in op.tensors
            }
            for series in op.series
        },
    }


def text(answer: list[dict[str, Any]]) -> str:
    """A table for each operator, then the products with the names of their chips. A row of a table is a data type, with
    its products and the tensors that may have it."""
    lines: list[str] = []
    for op in answer:
        others = "".join(f"; {level} on {name}" for name, level in op["levels"].items() if level != op["level"])
        level = f"  level: {op['level']} ({LEVELS[op['level']]}){others}"
        lines += [op["name"], *_indented(op["formula"]), level, "", *by_type(op), ""]
    for series in Series:
        lines += [f"{series.name:<14}{series.value}", *wrapped(", ".join(chips(series)), 14)]
    lines += ["", "aclnn explain OPERATOR shows parameters and checks."]
    return "\n".join(lines)


def _indented(formula: list[str]) -> list[str]:
    return [line for each in formula for line in wrapped(each, 2, 4)]


def by_type(op: dict[str, Any]) -> list[str]:
    """The table of one operator."""
    head = ("", *(series.name for series in Series), "tensors")
    rows = ((of, *("yes" if name in on else "-" for name in head[1:-1]), ", ".join(t)) for of, on, t in _rows(op))
    return table(head, rows, 2, gap=1)


def _rows(op: dict[str, Any]) -> Iterator[tuple[str, tuple[str, ...], list[str]]]:
    """Each data type, with products, and the tensors that have it on exactly these products."""
    found: dict[str, dict[tuple[str, ...], list[str]]] = {}
    for series, tensors in op["data_types"].items():
        for tensor, types in tensors.items():
            for each in types:
                on = tuple(name for name, those in op["data_types"].items() if each in those[tensor])
                listed = found.setdefault(each, {}).setdefault(on, [])
                if series == on[0]:
                    listed.append(tensor)
    for each, by_products in found.items():
        for on, tensors in by_products.items():
            yield each, on, tensors
