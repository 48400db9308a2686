"""A page for each finding, from its row of the catalogue and from its wrong and its right program, which are run."""

import difflib
import inspect
import os
import re
import sys
import textwrap
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager, redirect_stdout
from functools import partial
from importlib import import_module
from io import StringIO
from types import ModuleType
from typing import Final

from acl_runtime import Machine
from acl_runtime.checks.catalogue import CATALOGUE, FindingKind
from acl_runtime.errors import Finding, UndefinedBehaviour
from aclnn.tools.pages.chinese import WHAT
from aclnn.tools.pages.markdown import MADE, ROOT, Files, table

TABLE: Final = "<!-- from here on made by python -m aclnn.render -->"
INDEX: Final = "docs/findings.md"
CHINESE: Final = "docs/zh/findings.md"
IN_CHILD: Final = ("fork-after-init",)
"""findings of a child process: the parent sees one only if it is raised there, not if it is only recorded"""
NAMES: Final = {re.compile(r"process \d+"): "process", re.compile(r"thread ThreadPoolExecutor-\d+_\d+"): "thread"}
"""names that differ from run to run, each with the word that replaces it; a number is put after the word"""


def files() -> Files:
    """For each page the function that returns its text, by its path in the project. Empty where only the packages are
    installed, as the programs are missing there."""
    if not (ROOT / "samples").is_dir():
        return {}
    pages = {f"docs/findings/{check.id}.md": partial(page, check) for check in CATALOGUE}
    return {**pages, INDEX: index, CHINESE: chinese_index}


def program(id: str) -> ModuleType:
    """The module with the functions `wrong` and `right` of a finding."""
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    return import_module(f"samples.findings.{id.replace('-', '_')}")


def found_in(function: Callable[[], object], schedule: str = "late", on_undefined: str = "report") -> list[Finding]:
    """The findings of a program; only the one that it raises, if it does. Its output is dropped."""
    with warnings.catch_warnings(), redirect_stdout(StringIO()):
        warnings.simplefilter("ignore", DeprecationWarning)  # from Python 3.12 on, a fork with threads warns
        with Machine(device_count=2, schedule=schedule, seed=1, on_undefined=on_undefined) as machine:
            try:
                function()
            except UndefinedBehaviour as behaviour:
                return [behaviour.finding]
    return list(machine.findings)


def page(check: FindingKind) -> str:
    """The page of a finding."""
    is_status = check.level == "status"
    sections = [
        _title(check),
        f"**{'The answer' if is_status else 'On a device'}:** {check.why}",
        f"**Instead:** {check.fix}",
        *([f"**In C and C++:** {check.fix_in_c}"] if check.fix_in_c else []),
        *([] if is_status else _twins(check, program(check.id))),
    ]
    return "\n\n".join(sections) + "\n"


def _title(check: FindingKind) -> str:
    return f"# {check.id}\n\n{MADE}\n\n{check.what} (Level: [{check.level}](../findings.md#levels))"


def _twins(check: FindingKind, module: ModuleType) -> list[str]:
    on_undefined = "raise" if check.id in IN_CHILD else "report"
    with _at_root():
        found = found_in(module.wrong, on_undefined=on_undefined)
        report = next(finding for finding in found if finding.id == check.id).text(callers=False)
    functions = [each for each in vars(module).values() if getattr(each, "__module__", None) == module.__name__]
    helpers = [each for each in functions if each not in (module.wrong, module.right)]
    file = f"{module.__name__.rpartition('.')[2]}.py"
    return [
        "## Wrong and right",
        f"{module.__doc__} ([{file}](../../samples/findings/{file}))",
        f"```diff\n{_difference(module)}```",
        "## The report",
        f"```text\n{stable(report)}\n```",
        *(["## The other functions of the program", f"```python\n{_source(*helpers)}```"] if helpers else []),
    ]


def _difference(module: ModuleType) -> str:
    """The bodies of the wrong and of the right program as one, with the lines in which they differ marked."""
    wrong, right = (
        textwrap.dedent(_source(function).partition("\n")[2]).splitlines(keepends=True)
        for function in (module.wrong, module.right)
    )
    marked = {"  ": " ", "- ": "-", "+ ": "+"}
    lines = (line for line in difflib.ndiff(wrong, right) if line[:2] in marked)
    return "".join(marked[line[:2]] + line[2:] for line in lines)


@contextmanager
def _at_root() -> Generator[None]:
    """Make the folder of the project the current one, so that reports show paths relative to it."""
    before = os.getcwd()
    os.chdir(ROOT)
    try:
        yield
    finally:
        os.chdir(before)


def _source(*functions: Callable[[], object]) -> str:
    return "\n\n".join(inspect.getsource(function) for function in functions)


def stable(text: str) -> str:
    """A text without the parts that differ from host to host or from run to run."""
    text = text.replace(f"{ROOT}{os.sep}", "")
    for pattern, kind in NAMES.items():
        for number, name in enumerate(dict.fromkeys(pattern.findall(text)), 1):
            text = re.sub(rf"{name}\b", f"{kind} {number}", text)
    return text


def index() -> str:
    """The page that lists all findings: its handwritten part, then a table."""
    rows = ((f"[{check.id}](findings/{check.id}.md)", check.level, check.what) for check in CATALOGUE)
    return _written(INDEX) + table(("id", "level", "what the host code did"), rows) + "\n"


def chinese_index() -> str:
    """The same page in Chinese. Its table leads to the English pages of the findings."""
    rows = ((f"[{check.id}](../findings/{check.id}.md)", check.level, WHAT[check.id]) for check in CATALOGUE)
    return _written(CHINESE) + table(("页面（英文）", "级别", "Host 侧代码做了什么"), rows) + "\n"


def _written(name: str) -> str:
    """The handwritten part of a page, up to its table."""
    path = ROOT / name
    written = path.read_text(encoding="utf-8").partition(TABLE)[0] if path.is_file() else ""
    return f"{written}{TABLE}\n\n"
