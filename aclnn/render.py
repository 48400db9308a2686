"""Declarations as text: a page for each operator and each finding, stubs for editors and type checkers.

python -m aclnn.render            writes docs/ops/*.md, docs/findings/*.md, the table of docs/findings.md,
                                  docs/timeline*.svg, acl_runtime/__init__.pyi, aclnn/__init__.pyi
python -m aclnn.render --check    tells which of them are stale, and fails if any is
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import aclnn
from acl_runtime.dtypes import dtype_name
from acl_runtime.function import CFunction
from acl_runtime.machine.executor import Family
from acl_runtime.machine.soc import Series
from acl_runtime.statuses import (
    ACLNN_ERR_INNER_NULLPTR,
    ACLNN_ERR_PARAM_NULLPTR,
    ACLNN_ERR_RUNTIME_ERROR,
    name_of,
)
from aclnn import finding_pages, mistake_page, timeline_picture
from aclnn.constraints import Empty
from aclnn.help import formula, second_statuses
from aclnn.spec import Op, Param, Products, TensorParam
from aclnn.stubs import exported, operators_stub, runtime_stub

ROOT = Path(__file__).resolve().parent.parent

# pages


def page(op: type[Op], pair: tuple[CFunction, CFunction]) -> str:
    """The document of an operator."""
    refusal = op.elsewhere.value
    sections = (
        f"# {op.c_name()}\n\n<!-- made by python -m aclnn.render -->",
        f'## Interface\n\n`#include "{op.header}"`',
        f"```c\n{pair[0].prototype};\n{pair[1].prototype};\n```",
        f"## What it computes\n\n```text\n{formula(op)}\n```",
        "## Products",
        _table(("product", "supported"), ((each.value, "yes" if each in op.series else "no") for each in Series)),
        f"Other products: {refusal.status} ({name_of(refusal.status)}), {refusal.when}.",
        "## Parameters",
        _table(("parameter", "role", "shape", "what it is"), map(_parameter, op.params)),
        "Tensors may be strided views with an offset, inputs and outputs alike; bytes outside an output's view stay "
        "untouched.",
        "### Data types",
        _table(("tensor", *(series.name for series in op.series)), (_data_types(op, each) for each in op.tensors)),
        "## Checks of the first phase, in order",
        _table(
            ("#", "demand", "status otherwise", "provenance"),
            ((str(number), row) for number, row in enumerate(_rows(op), 1)),
        ),
        "## Second phase",
        _table(("status", "when"), ((f"{status} {name_of(status)}", why) for status, why in second_statuses(op))),
    )
    return "\n\n".join(sections) + "\n"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [" | ".join(head), *(" | ".join(row) for row in rows)]
    lines = [f"| {line} |" for line in lines]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])


def _parameter(param: Param[Any]) -> tuple[str, ...]:
    return param.printed, _role(param), getattr(param, "shape", "") or "-", param.doc


def _data_types(op: type[Op], param: TensorParam[Any]) -> tuple[str, ...]:
    lists = (param.dtypes.on(series) for series in op.series)
    return param.name, *(", ".join(dtype_name(each).removeprefix("DT_") for each in listed) for listed in lists)


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
    if op.family is Family.COMPOSITE:
        yield f"{pointers} | {null} | public"
    for sentence in required:
        yield f"{sentence} | {null} | document"
    if op.elsewhere is Products.NOTICED_AT_ONCE:
        yield f"the product supports the operator | {op.elsewhere.value.status} | public"
    if op.family is Family.GENERATED:
        yield f"executor is not null | {null} | public"
        yield f"strided inputs lie inside their storage | {ACLNN_ERR_INNER_NULLPTR} | public"
        yield f"workspaceSize is not null | {null} | public"
    for check in op.checks:
        yield f"{check.sentence} | {'-' if isinstance(check, Empty) else check.status} | {check.provenance}"
    yield f"the thread has a current context | {ACLNN_ERR_RUNTIME_ERROR} | ours"
    if op.elsewhere is Products.NOTICED_BY_PLAN:
        yield f"the product supports the operator | {op.elsewhere.value.status} | public"
    yield f"every step can be planned | {ACLNN_ERR_INNER_NULLPTR} | public"


# files


def files() -> dict[str, Callable[[], str]]:
    """Who makes each rendered file, by its path below the project."""
    pairs = [function for function in exported(aclnn).values() if hasattr(function, "op")]
    ops = {function.op: function.op.c_name() for function in pairs}
    made = {
        f"docs/ops/{name}.md": partial(page, op, (getattr(aclnn, f"{name}GetWorkspaceSize").c, getattr(aclnn, name).c))
        for op, name in ops.items()
    }
    stubs = {"acl_runtime/__init__.pyi": runtime_stub, "aclnn/__init__.pyi": operators_stub}
    return {**made, **finding_pages.files(), **mistake_page.files(), **timeline_picture.files(), **stubs}


def main(arguments: list[str]) -> int:
    """Write the stale files, or tell them with --check."""
    check = "--check" in arguments
    made = {path: make() for path, make in files().items()}
    stale = [
        path
        for path, text in made.items()
        if not (ROOT / path).is_file() or (ROOT / path).read_text(encoding="utf-8") != text
    ]
    for path in stale:
        if not check:
            (ROOT / path).write_text(made[path], encoding="utf-8")
        print(f"{'stale' if check else 'wrote'} {path}")
    return 1 if stale and check else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
