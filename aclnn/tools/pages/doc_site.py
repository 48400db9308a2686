"""The parts of the documentation site that are not in docs/: the reference, the sources, the table of contents.

docs/conf.py calls `write` before Sphinx reads the pages, and `adjusted` for each page that it reads.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from acl_runtime.objects.soc import Series
from aclnn.tools.exports import categories as by_category
from aclnn.tools.exports import has_kernel, operators
from aclnn.tools.pages import categories, enumerations, examples, functions, python, sources, statuses
from aclnn.tools.pages.links import DOCS, rebased, targets, titled
from aclnn.tools.pages.markdown import ROOT, Files, table
from aclnn.tools.pages.operators import above, computes, from_facts, place
from aclnn.tools.pages.reference_links import with_links

OWN: Final = ("reference", "sources", "project")
"""the folders below docs/ that `write` writes"""
OPERATORS: Final = "reference/operators.md"
DESCRIPTION: Final = "AscendCL and the aclnn operators on numpy: test host code for Ascend NPUs without one."
"""description for search engines, for pages without a description of their own"""
CONTENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "Start": ("tutorial", "porting", "cpp", "pyacl", "clients/pytorch", "clients/ggml", "mistakes", "faq"),
    "Guides": (
        "how-to",
        "testing",
        "machine",
        "faults",
        "trace",
        "graphs",
        "hccl",
        "timeline",
        "my-operator-is-missing",
        "models",
        "my-kernel",
        "adding-an-op",
    ),
    "Reference": (
        "contract",
        "command",
        "reference/operators",
        "operators-by-name",
        "families/index",
        "forms-not-taken",
        "reference/functions/index",
        "reference/statuses/index",
        "findings",
        "reference/error_codes",
        "reference/enumerations",
        "reference/python",
    ),
    "Project": (
        "fidelity",
        "conformance",
        "performance",
        "glossary",
        "architecture",
        "call-flow",
        "project/contributing",
        "releasing",
        "project/changelog",
    ),
    "中文": (
        "zh/index",
        "zh/tutorial",
        "zh/porting",
        "zh/cpp",
        "zh/pyacl",
        "zh/clients/pytorch",
        "zh/clients/ggml",
        "zh/mistakes",
        "zh/faq",
        "zh/how-to",
        "zh/contract",
        "zh/testing",
        "zh/machine",
        "zh/faults",
        "zh/trace",
        "zh/graphs",
        "zh/hccl",
        "zh/timeline",
        "zh/my-operator-is-missing",
        "zh/models",
        "zh/my-kernel",
        "zh/adding-an-op",
        "zh/command",
        "zh/operators-by-name",
        "zh/findings",
        "zh/architecture",
        "zh/glossary",
        "zh/fidelity",
    ),
}
"""the table of contents in the margin: title and pages of each section"""
PLACE: Final = "<!-- reference -->"
LISTS: Final[Mapping[str, str]] = {
    "index": """\
On this site there are also a page for [each function](reference/functions/index.md) and for [each
status](reference/statuses/index.md), [the codes of error texts](reference/error_codes.md), [the
enumerations](reference/enumerations.md) and [what only Python has](reference/python.md).""",
    "zh/index": """\
本站还有下列英文页面：[每个函数](../reference/functions/index.md)和\
[每个返回码](../reference/statuses/index.md)各一页，以及[错误信息的编号](../reference/error_codes.md)、\
[枚举](../reference/enumerations.md)和 [Python 独有的接口](../reference/python.md)。""",
}
"""the text that replaces `PLACE` in a start page: it links to pages that exist only on the site"""
LINKED: Final = ("contract", "families/", "findings", "ops/")
"""pages whose path begins like this are reference pages: names and numbers in them become links"""
OF_OPERATORS: Final = ("ops/", "reference/operators/")
"""folders with a page for each operator"""
ORPHANS: Final = ("findings/", "zh/findings/", "clients/torch_npu_", "clients/engines")
"""pages that the table of contents leaves out: another page lists them"""


def write() -> None:
    """Write the pages. An unchanged file is not touched, so that Sphinx does not build its page again."""
    pages = {DOCS / path: make() for path, make in files().items()}
    existing = {path for folder in OWN for path in (DOCS / folder).rglob("*.md")}
    for path in existing - set(pages):
        path.unlink()
    for path, text in pages.items():
        if path not in existing or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def files() -> Files:
    """Functions that return the text of each page, by its path below docs/."""
    reference = {**functions.files(), **statuses.files(), **enumerations.files(), **python.files()}
    return {
        **reference,
        **from_facts(),
        **categories.files(),
        OPERATORS: operators_list,
        **sources.files(outside() | examples.samples()),
    }


def outside() -> set[Path]:
    """The files and folders outside of docs/ that pages link to, directly or through another page."""
    paths = {ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"}
    waiting = [path for path in DOCS.rglob("*.md") if path.relative_to(DOCS).parts[0] not in OWN]
    while waiting:
        page = waiting.pop()
        for target in targets(page):
            if target.exists() and not target.is_relative_to(DOCS) and target not in paths:
                paths.add(target)
                if target.suffix == ".md":
                    waiting.append(target)
    return paths


def adjusted(name: str, text: str) -> str:
    """The text of a page (such as `findings/ws-small`) for the site: its links lead to pages of the site, and pages
    outside of the table of contents are marked as such."""
    path = DOCS / f"{name}.md"
    if name == "index":
        text += "".join(_contents())
    if name == "families/index":
        text += _toctree(sorted(each.stem for each in path.parent.glob("*.md") if each != path))
    if operator := operators().get(path.stem) if name.startswith(OF_OPERATORS) else None:
        title, _, rest = text.partition(f"# {path.stem}\n")
        text = f"{title}# {path.stem}\n\n{above(operator)}\n{rest}"
    text = titled(rebased(text.replace(PLACE, LISTS.get(name, PLACE)), path, path))
    if name.startswith(LINKED):
        text = with_links(text, ".." if "/" in name else ".", but=path.stem)
    return f"---\norphan: true\n---\n\n{text}" if name.startswith(ORPHANS) else text


def _contents() -> Iterator[str]:
    """The table of contents in the syntax of Sphinx."""
    return (_toctree(names, title) for title, names in CONTENTS.items())


def _toctree(names: Iterable[str], title: str = "") -> str:
    caption = f":caption: {title}\n" if title else ""
    return "\n```{toctree}\n:hidden:\n" + caption + "\n" + "\n".join(names) + "\n```\n"


def operators_list() -> str:
    """The page of all operators: the categories, and the operators with a class of their own."""
    functions = by_category()
    exact = {name: op for name, op in operators().items() if not op.from_facts}
    contents = "\n".join(
        [*(f"operators/{function}" for function in functions), *(f"../{place(op)}" for op in exact.values())]
    )
    rows = [
        (f"[{category}](operators/{category}.md)", str(len(names)), str(sum(map(has_kernel, names))))
        for category, names in functions.items()
    ]
    parts = [
        "# Operators",
        "Every documented function, by category. In a shell `aclnn ops` shows the same table, and `aclnn explain NAME` "
        "a function: interface, products, data types, and the checks in their order. An operator that is not here is "
        "[one file](../adding-an-op.md).",
        f"```{{toctree}}\n:hidden:\n\n{contents}\n```",
        table(("category", "functions", "computed here"), rows),
        "## Operators whose documents are tested sentence by sentence",
        table(
            ("operator", *(series.name for series in Series)),
            (
                (f"[{name}](../{place(op)}.md)", *("yes" if each in op.series else "no" for each in Series))
                for name, op in exact.items()
            ),
        ),
    ]
    for name, op in exact.items():
        parts += [f"### {name}", computes(op)]
    return "\n\n".join(parts) + "\n"
