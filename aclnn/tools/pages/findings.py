"""A page for each finding, from its row of the catalogue and from its wrong and its right program, which are run."""

import inspect
import os
import re
import sys
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
from acl_runtime.checks.language import in_language
from acl_runtime.errors import Finding, UndefinedBehaviour
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
        with Machine(device_count=2, schedule=schedule, seed=1, on_undefined=on_undefined, lang="en") as machine:
            try:
                function()
            except UndefinedBehaviour as behaviour:
                return [behaviour.finding]
    return list(machine.findings)


def page(check: FindingKind) -> str:
    """The page of a finding."""
    if check.level == "status":
        sections = [_title(check), f"## The answer\n\n{check.why}", _instead(check)]
    else:
        sections = [
            _title(check),
            f"## On a device\n\n{check.why}",
            _instead(check),
            *_twins(check, program(check.id)),
            f'To allow it: `machine.allow("{check.id}", reason="...")`, for the rest of the machine or in a `with` '
            "block.",
        ]
    return "\n\n".join(sections) + "\n"


def _instead(check: FindingKind) -> str:
    in_c = f"\n\nIn C and C++: {check.fix_in_c}" if check.fix_in_c else ""
    return f"## Instead\n\n{check.fix}{in_c}"


def _title(check: FindingKind) -> str:
    return f"# {check.id}\n\n{MADE}\n\n{check.what}\n\nLevel: {check.level} ([what that means](../findings.md#levels))."


def _twins(check: FindingKind, module: ModuleType) -> list[str]:
    on_undefined = "raise" if check.id in IN_CHILD else "report"
    with _at_root():
        found = found_in(module.wrong, on_undefined=on_undefined)
        report = next(finding for finding in found if finding.id == check.id).text(callers=False)
    functions = [each for each in vars(module).values() if getattr(each, "__module__", None) == module.__name__]
    shown = [each for each in functions if each is not module.right]
    path = f"samples/findings/{module.__name__.rpartition('.')[2]}.py"
    return [
        f"## Wrong\n\n{module.__doc__}",
        _python(shown),
        f"([{path}](../../{path}), from line {shown[0].__code__.co_firstlineno} on)",
        f"The report:\n\n```text\n{stable(report)}\n```",
        f"## Right\n\n{_python([module.right])}",
    ]


@contextmanager
def _at_root() -> Generator[None]:
    """Make the folder of the project the current one, so that reports show paths relative to it."""
    before = os.getcwd()
    os.chdir(ROOT)
    try:
        yield
    finally:
        os.chdir(before)


def _python(functions: list[Callable[[], object]]) -> str:
    source = "\n\n".join(inspect.getsource(function) for function in functions)
    return f"```python\n{source}```"


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
    rows = (
        (f"[{check.id}](../findings/{check.id}.md)", check.level, in_language(check, "zh").what) for check in CATALOGUE
    )
    return _written(CHINESE) + table(("页面（英文）", "级别", "Host 侧代码做了什么"), rows) + "\n"


def _written(name: str) -> str:
    """The handwritten part of a page, up to its table."""
    path = ROOT / name
    written = path.read_text(encoding="utf-8").partition(TABLE)[0] if path.is_file() else ""
    return f"{written}{TABLE}\n\n"
