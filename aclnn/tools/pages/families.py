"""A page for each family of operators: its functions, its rules, our decisions, its worst errors.

All of it is generated: from the docstrings of the family's modules, the rows of docs/fidelity.md whose tests are in the
family's folder, and the evidence of the oracle.
"""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache, partial
from importlib import import_module
from typing import Any, Final

from acl_runtime.objects.soc import Series
from aclnn.catalogue.evidence import evidence
from aclnn.catalogue.facts import facts
from aclnn.catalogue.index import names, single_phase
from aclnn.catalogue.products import Support, short_name
from aclnn.catalogue.reasons import reason
from aclnn.engine.words.lacking import lacking
from aclnn.ops import EXACT, FAMILIES, homes
from aclnn.ops.generated_index import OPERATORS
from aclnn.tools.exports import categories, has_kernel, level, operators
from aclnn.tools.pages.markdown import MADE, ROOT, Files, table

ROW: Final = re.compile(r"^\| (.+?) \| (.+) \| ([^|]+) \|$", re.MULTILINE)
"""a row of docs/fidelity.md: what, how, the tests"""


def files() -> Files:
    """Functions that return the text of each page, by its path in the project."""
    if not (ROOT / "docs").is_dir():  # only the packages are installed
        return {}
    pages = {f"docs/families/{family}.md": partial(page, family) for family in FAMILIES}
    return {"docs/families/index.md": index, **pages}


def page(family: str) -> str:
    """The page of a family."""
    package = import_module(f"aclnn.ops.{family}")
    names = sorted(name for name, home in homes().items() if home.split(".")[2] == family)
    parts = [
        f"# {family.capitalize()}",
        MADE,
        f"[All families](index.md) · `aclnn/ops/{family}/` · {len(names)} functions",
        str(package.__doc__).strip(),
        "## Modules",
        table(("module", "content", "functions"), _modules(family)),
    ]
    if rows := list(decided(family)):
        parts += [
            "## Special cases",
            "The documents are silent here, or disagree. [The fidelity page](../fidelity.md) names the tests.",
            table(("case", "behaviour here"), rows),
        ]
    if rows := list(_lacking(names)):
        parts += [
            "## Calls without a kernel",
            "Their first phase succeeds, and their launch returns 561003. All other calls compute.",
            table(("function", "with"), rows),
        ]
    if rows := list(_errors(names)):
        parts += [
            "## Worst errors",
            "The oracle compared each function with the computations in the second column. An error is a fraction "
            "of the bound of its data type: 1 is the bound, 0 is an exact result.",
            table(("function", "compared with", "worst error", "data type"), rows),
        ]
    return "\n\n".join(parts) + "\n"


def index() -> str:
    """The page of all families, with the functions that have no formula."""
    by_family = defaultdict[str, list[str]](list)
    for name, home in homes().items():
        by_family[home.split(".")[2]].append(name)
    families = [
        (f"[{family}]({family}.md)", str(len(by_family[family])), _first(f"aclnn.ops.{family}")) for family in FAMILIES
    ]
    counts = [_counts(category, listed) for category, listed in categories().items()]
    total = _counts("all", tuple(names()))
    parts = [
        "# Families of operators",
        MADE,
        f"Operators with common rules share a folder of `aclnn/ops/`. {len(EXACT)} operators are classes in separate "
        "modules.",
        table(("family", "functions", "content"), families),
        "## Levels by category",
        "The categories are those of the documents. [The levels](../fidelity.md#levels) define what was verified.",
        table(("category", "functions", "exact", "computed", "catalogued"), [*counts, total]),
        "## Products",
        'The number of functions by product. "No" in a document means "not promised": a function computes unless its '
        "library, a device or the registrations of its kernels show that it does not. The advice "
        "[unsupported-product](../findings/unsupported-product.md) has the details; `aclnn ops` lists the functions.",
        table(("functions", *map(short_name, Series), "here"), _by_support()),
        "## Functions without a formula",
        "Their first phase checks the arguments against the facts, and their launch returns 561003. "
        "You can supply [a kernel](../my-operator-is-missing.md).",
        *_without(),
    ]
    return "\n\n".join(parts) + "\n"


def _modules(family: str) -> Iterator[tuple[str, ...]]:
    for module, functions in OPERATORS.items():
        package, _, name = module.rpartition(".")
        if package == f"aclnn.ops.{family}":
            yield f"`{name}`", _first(module), ", ".join(functions)


def _first(module: str) -> str:
    """The first paragraph of a module's docstring, in one line."""
    path = ROOT / module.replace(".", "/")
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    text = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or ""
    return " ".join(text.partition("\n\n")[0].split()).replace("|", "\\|")


def decided(family: str) -> Iterator[tuple[str, str]]:
    """The rows of docs/fidelity.md whose tests are in the folder of the family."""
    for subject, method, tests in _rows():
        if f"tests/aclnn/ops/{family}/" in tests:
            yield subject, method


@cache
def _rows() -> list[tuple[str, str, str]]:
    return ROW.findall((ROOT / "docs/fidelity.md").read_text(encoding="utf-8"))


def _lacking(names: list[str]) -> Iterator[tuple[str, str]]:
    """A row for each call that a function does not compute."""
    for name in names:
        if name not in single_phase():
            yield from ((name, calls) for calls in lacking(operators()[name]))


def _errors(names: list[str]) -> Iterator[tuple[str, ...]]:
    """A row for each function of the evidence, the worst error first."""
    rows: list[dict[str, Any]] = [dict(evidence()[name]) for name in names if name in evidence()]
    worst = {row["function"]: max(row["error"].items(), key=lambda item: float(item[1])) for row in rows}
    for row in sorted(rows, key=lambda row: (-worst[row["function"]][1], row["function"])):
        dtype, error = worst[row["function"]]
        yield row["function"], row["route"], f"{error:.3f}" if error else "0", dtype if error else "-"


def _counts(title: str, names: tuple[str, ...]) -> tuple[str, ...]:
    levels = [level(name) for name in names]
    return title, str(len(names)), *(str(levels.count(each)) for each in ("exact", "computed", "catalogued"))


def _by_support() -> Iterator[tuple[str, ...]]:
    """A row for each value of `Support`: the number of functions on each product, and whether they compute."""
    count = Counter((facts(name).support(series), series) for name in names() for series in Series)
    for support in Support:
        numbers = (str(count[support, series] or "-") for series in Series)
        yield support.value, *numbers, "computes" if support.computes else "is refused"


def _without() -> Iterator[str]:
    """The functions without a formula, by reason."""
    by_reason = defaultdict[str, list[str]](list)
    for name in names():
        if not has_kernel(name):
            by_reason[reason(name)].append(name)
    for why, names_of_reason in sorted(by_reason.items(), key=lambda item: len(item[1])):
        yield f"**{why}** These are {len(names_of_reason)}: {', '.join(names_of_reason)}."
