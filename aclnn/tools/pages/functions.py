"""A page for each function of the runtime and the base layer, and the list of them."""

import re
from collections import defaultdict
from functools import cache, partial
from importlib import import_module
from operator import attrgetter
from typing import Final

import acl_runtime
import acl_runtime.objects.support as support
import acl_runtime.pyacl
import aclnn
from acl_runtime.abi.conversions import CType, Enum, MetaHandleType, Output, RuntimeHandleType, Structs
from acl_runtime.abi.function import CFunction
from acl_runtime.checks.catalogue import CATALOGUE
from acl_runtime.objects.soc import Series
from acl_runtime.on_demand import C_PREFIXES
from acl_runtime.pyacl.names import python_name, wrapped
from aclnn.catalogue.index import names
from aclnn.ops import EXACT, FIRST
from aclnn.tools.command import explained_names
from aclnn.tools.command.help_index import described
from aclnn.tools.exports import all_functions
from aclnn.tools.pages.examples import call, example
from aclnn.tools.pages.markdown import ROOT, Files, table
from aclnn.tools.pages.reference_links import FUNCTIONS, linked, reasons_text
from aclnn.tools.pages.statuses import values

NAME: Final = re.compile(rf"\b(?:{'|'.join(C_PREFIXES)})\w+")
REPORTED: Final = re.compile(r"^  --> .*, in (\w+)$", re.MULTILINE)
"""the call that showed the mistake, in a report"""
ARGUMENTS: Final = {
    "SupportsIndex": "an int",
    "float": "a float",
    "str": "`str` or `bytes`",
    "Callable[..., Any]": "a function",
    "Any": "anything",
    "Source": "memory that is read: an array, `bytes`, an address",
    "Target": "memory that is written: an array, an address",
}
"""arguments that Python passes for a parameter, by its type in the stubs"""
ITEM: Final = re.compile(r"^    (\w+):[ ]*((?:.*)(?:\n {8}.*)*)", re.MULTILINE)


def files() -> Files:
    """Maps the path of each page to a function that returns its text."""
    pages: Files = {
        f"{FUNCTIONS}/{name}.md": partial(page, function, chapter)
        for chapter, functions in chapters().items()
        for name, function in functions.items()
    }
    pages |= {
        f"{FUNCTIONS}/{name}.md": partial(page, all_functions()[name], op)
        for op in sorted(EXACT)
        for name in (op, f"{op}GetWorkspaceSize")
    }
    return {**pages, f"{FUNCTIONS}/index.md": index}


@cache
def chapters() -> dict[str, dict[str, CFunction]]:
    """The functions by chapter, without those of the operators. The chapter of a function is in the first
    line of its module's docstring."""
    by_title: defaultdict[str, dict[str, CFunction]] = defaultdict(dict)
    documented = frozenset(names())
    for name, function in all_functions().items():
        if name.removesuffix(FIRST) not in documented:
            home = getattr(acl_runtime if hasattr(acl_runtime, name) else aclnn, name).__wrapped__.__module__
            first_line = (import_module(home).__doc__ or "").partition("\n")[0]
            title = first_line.partition(": ")[2].partition(". ")[0].rstrip(".")
            by_title[title[:1].upper() + title[1:]][name] = function
    return dict(sorted(by_title.items()))


def anchor(chapter: str) -> str:
    """The anchor of a chapter in the list of all functions."""
    return "functions-" + "-".join(re.findall(r"[a-z0-9]+", chapter.lower()))


def page(function: CFunction, chapter: str) -> str:
    """The help text of a function, with links."""
    about, arguments = _parts(function)
    belongs = f"[{chapter}](../../ops/{chapter}.md)" if chapter in EXACT else chapter
    parts = [
        f"---\norphan: true\n---\n\n# {function.name}",
        f"[All functions](index.md) · {belongs} · `#include <{function.header}>`",
        f"```{{c:function}} {function.prototype}\n```",
        linked(about, but=function.name),
    ]
    if function.parameters:
        parts += ["## Parameters", _parameters(function, dict(ITEM.findall(arguments)))]
    if function.reasons:
        parts += ["## What it returns", table(("status", "when"), _returned(function))]
    parts += ["## Example", *_example(function)]
    if watching := watched().get(function.name):
        rows = ((f"[{id}](../../findings/{id}.md)", level, what) for id, level, what in watching)
        parts += ["## Findings that watch it", table(("finding", "level", "what the host code did"), rows)]
    if function.products:
        parts += ["## Products", _products(function)]
    python = pyacl().get(function.name)
    if python:
        parts += ["## In pyACL", f"`{python}` ([how pyACL differs](../../pyacl.md))"]
    return "\n\n".join(parts) + "\n"


def _parts(function: CFunction) -> tuple[str, str]:
    """The description of a function, and its parameters."""
    rest, _, _ = function.doc.partition("\nReturns:\n")
    about, _, arguments = rest.partition("\nArgs:\n")
    return about.strip(), arguments


def _parameters(function: CFunction, meanings: dict[str, str]) -> str:
    """A row for each parameter: its type in C, its value in Python, and its description in the help. If the help has no
    list of parameters, the row has the statuses whose reasons name the parameter."""
    rows: list[tuple[str, ...]] = []
    for name, ctype in function.parameters:
        spelled = linked(f"`{ctype.declare('').strip()}`", but=function.name)
        about = linked(" ".join(meanings.get(name, "").split())) if meanings else _statuses_about(name, function)
        rows.append((f"`{name}`", spelled, argument_text(ctype), about or "-"))
    head = ("parameter", "in C", "in Python", "description" if meanings else "refused with")
    columns = 4 if any(row[3] != "-" for row in rows) else 3
    return table(head[:columns], (row[:columns] for row in rows))


def _statuses_about(name: str, function: CFunction) -> str:
    values = dict.fromkeys(value for value, reason in function.reasons if value and f"`{name}`" in reason)
    return ", ".join(_status(value, "").replace(" ]", "]") for value in values)


def argument_text(ctype: CType) -> str:
    """The value that Python passes for a parameter, in words."""
    first = ctype.python.partition(" | ")[0]
    if isinstance(ctype, Output):
        return f"`byref` of `{ctype.expected.rpartition(' = ')[2].removesuffix('()')}`"
    if isinstance(ctype, Structs):
        return f"`byref` of `{ctype.kind.__name__}`"
    if isinstance(ctype, Enum):
        return "a member, or an int"
    if isinstance(ctype, (RuntimeHandleType, MetaHandleType)):
        return f"`{first}`"
    if first.startswith("Sequence[") or first.endswith("Array"):
        return "a list, a tuple or an array"
    return ARGUMENTS.get(first, f"`{first}`")


def _example(function: CFunction) -> list[str]:
    """A part of a sample or test, or else the call alone."""
    sample = example(function)
    if sample is None:
        return ["The call in Python:", f"```python\n{call(function)}```"]
    place = f"[{sample.path}](../../../{sample.path})" if sample.path.startswith("samples/") else f"`{sample.path}`"
    return [f"From {place}:", f"```python\n{sample.source}```"]


@cache
def watched() -> dict[str, list[tuple[str, str, str]]]:
    """The findings that watch each function: their text names the function, or the function made their report."""
    by_function: defaultdict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for check in CATALOGUE:
        path = ROOT / "docs/findings" / f"{check.id}.md"
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        in_texts = NAME.findall(f"{check.what} {check.why} {check.fix}")
        for name in dict.fromkeys([*in_texts, *REPORTED.findall(text)]):
            by_function[name].append((check.id, check.level, check.what))
    return by_function


def _returned(function: CFunction) -> list[tuple[str, str]]:
    """A row for each status, in the order of the help text."""
    reasons: defaultdict[tuple[int, str], list[str]] = defaultdict(list)
    for status in explained_names.function(described(function.name))["statuses"]:
        reasons[status["value"], status["name"]] += status["reasons"]
    return [(_status(value, name), reasons_text(of)) for (value, name), of in reasons.items()]


def _status(value: int, name: str) -> str:
    """A status with a link to its page. Results of other libraries, such as a bare -1, have no page."""
    if value not in values():
        return f"{value} {name}" if name.isidentifier() else str(value)
    return f"[{value} {name}](../statuses/{value}.md)"


def _products(function: CFunction) -> str:
    """The products for which a function is documented, and its answer on other products."""
    answers = {series: support.answer(function.name, series) for series in Series}
    if set(answers.values()) == {support.SUPPORTED}:
        return "It is documented for all products."
    rows = [(series.value, linked(answer.text, but=function.name)) for series, answer in answers.items()]
    works = any(
        answer.outcome in (support.ProductSupport.WORKS, support.ProductSupport.PARTLY) for answer in answers.values()
    )
    link = "[unsupported-product](../../findings/unsupported-product.md)"
    advice = f"Where it works without being documented, that is the advice {link}."
    return "\n\n".join([table(("product", "answer"), rows), *([advice] if works else [])])


@cache
def pyacl() -> dict[str, str]:
    """Maps the name of a C function to its pyACL call, such as `acl.rt.malloc(size, policy) -> (dev_ptr, ret)`."""
    first_lines: dict[str, str] = {}
    for c_function in wrapped():
        python_function = attrgetter(python_name(c_function.c))(acl_runtime.pyacl)
        first_lines[c_function.c.name] = (python_function.__doc__ or "").partition("\n")[0]
    return first_lines


def index() -> str:
    """The list of all functions, by chapter."""
    parts = [
        "# Functions",
        "Every function of the runtime (`acl/acl_rt.h`, `acl/acl_base_rt.h`) and of the base layer "
        "(`aclnn/acl_meta.h`), by chapter. The functions of the operators are on the pages of [the operators]"
        "(../operators.md). In Python `help(aclrtMalloc)` shows the same, in a shell `aclnn explain aclrtMalloc`.",
    ]
    for chapter, functions in chapters().items():
        rows = [(f"[{name}]({name}.md)", linked(_first(function), but=name)) for name, function in functions.items()]
        parts += [f"({anchor(chapter)})=\n## {chapter}", table(("function", "what it does"), rows)]
    return "\n\n".join(parts) + "\n"


def _first(function: CFunction) -> str:
    """The first sentence of the help of a function."""
    paragraph = " ".join(_parts(function)[0].partition("\n\n")[0].split())
    return re.split(r"(?<=[.;:])\s", paragraph, maxsplit=1)[0].rstrip(";:")
