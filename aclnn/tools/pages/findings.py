"""A page for each finding, from its row of the catalogue and from runs of its wrong and its right program."""

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
from typing import Final, NamedTuple

from acl_runtime import Machine
from acl_runtime.checks.catalogue import CATALOGUE, FindingKind
from acl_runtime.checks.language import in_language
from acl_runtime.errors import Finding, UndefinedBehaviour
from aclnn.tools.pages.chinese import WRONG
from aclnn.tools.pages.markdown import MADE, ROOT, Files, table

TABLE: Final = "<!-- from here on made by python -m aclnn.render -->"
INDEX: Final = "docs/findings.md"
CHINESE: Final = "docs/zh/findings.md"
RACES: Final = (
    "io-freed-early", "pinned-reuse", "read-before-sync", "update-race", "ws-freed-early", "ws-shared", "xstream-race",
)  # fmt: skip
"""findings of the race detector"""
IN_CHILD: Final = ("fork-after-init",)
"""findings of a child process: the parent sees a finding only if the child raises it, not if the child records it"""
NAMES: Final = {
    re.compile(rf"{word} {number}"): word
    for words, number in ((("process", "进程"), r"\d+"), (("thread", "线程"), r"ThreadPoolExecutor-\d+_\d+"))
    for word in words
}
"""names that differ from run to run, each with the word that replaces it; a number is put after the word"""


def files() -> Files:
    """For each page the function that returns its text, by its path in the project. Empty where only the packages are
    installed, as the programs are missing there."""
    if not (ROOT / "samples").is_dir():
        return {}
    pages = {f"docs/findings/{check.id}.md": partial(page, check) for check in CATALOGUE}
    in_chinese = {f"docs/zh/findings/{check.id}.md": partial(page, check, IN_CHINESE) for check in CATALOGUE}
    return {**pages, **in_chinese, INDEX: index, CHINESE: chinese_index}


def program(id: str) -> ModuleType:
    """The module with the functions `wrong` and `right` of a finding."""
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    return import_module(f"samples.findings.{id.replace('-', '_')}")


def found_in(
    function: Callable[[], object], schedule: str = "late", on_undefined: str = "report", lang: str = "en"
) -> list[Finding]:
    """The findings of a program. If the program raises a finding, only this one. The output is dropped."""
    with warnings.catch_warnings(), redirect_stdout(StringIO()), _language_of_programs(lang):
        warnings.simplefilter("ignore", DeprecationWarning)  # from Python 3.12 on, a fork with threads warns
        with Machine(device_count=2, schedule=schedule, seed=1, on_undefined=on_undefined, lang=lang) as machine:
            try:
                function()
            except UndefinedBehaviour as behaviour:
                return [behaviour.finding]
    return list(machine.findings)


@contextmanager
def _language_of_programs(lang: str) -> Generator[None]:
    """Set the language of machines that a program makes itself."""
    name = "ACL_EMULATOR_LANG"
    before = os.environ.get(name)
    os.environ[name] = lang
    try:
        yield
    finally:
        del os.environ[name]
        if before is not None:
            os.environ[name] = before


class Words(NamedTuple):
    """The words of a page in one language."""

    lang: str
    other: str
    """the link to the page in the other language"""
    up: str
    """path from the folder of the page to the folder of the project"""
    level: str
    on_a_device: str
    answer: str
    instead: str
    in_c: str
    both: str
    source: str
    report: str
    others: str
    order: str


ENGLISH: Final = Words(
    "en", "English | [中文](../zh/findings/{id}.md)", "../..", " (Level: [{level}](../findings.md#levels))",
    "**On a device:** ", "**The answer:** ", "**Instead:** ", "**In C and C++:** ", "Wrong and right",
    " ([{file}]({path}))", "The report", "The other functions of the program",
    "[Order](../findings.md#order) lists what orders two uses, and the schedules under which a race is found.",
)  # fmt: skip
IN_CHINESE: Final = Words(
    "zh", "[English](../../findings/{id}.md) | 中文", "../../..", "（级别：[{level}](../findings.md#级别)）",
    "**在真实设备上**：", "**结果**：", "**怎么办**：", "**C 和 C++ 程序**：", "错误与正确", "（[{file}]({path})）",
    "报告", "程序的其他函数", "什么能确定先后、在哪些调度方式下能发现竞争，见[访问次序](../findings.md#访问次序)。",
)  # fmt: skip


def page(check: FindingKind, words: Words = ENGLISH) -> str:
    """The page of a finding."""
    texts = in_language(check, words.lang)
    is_status = check.level == "status"
    sections = [
        f"# {check.id}",
        words.other.format(id=check.id),
        MADE,
        texts.what + words.level.format(level=check.level),
        (words.answer if is_status else words.on_a_device) + texts.why,
        words.instead + texts.fix,
        *([words.in_c + texts.fix_in_c] if texts.fix_in_c else []),
        *([words.order] if check.id in RACES else []),
        *([] if is_status else _twins(check, program(check.id), words)),
    ]
    return "\n\n".join(sections) + "\n"


def _twins(check: FindingKind, module: ModuleType, words: Words) -> list[str]:
    on_undefined = "raise" if check.id in IN_CHILD else "report"
    with _at_root():
        findings = found_in(module.wrong, on_undefined=on_undefined, lang=words.lang)
        own = [finding for finding in findings if finding.id == check.id]
        if not own:
            raise ValueError(
                f"{module.__name__}.wrong has no finding {check.id}; it has {[each.id for each in findings]}"
            )
        report = own[0].text(callers=False)
    functions = [value for value in vars(module).values() if getattr(value, "__module__", None) == module.__name__]
    helpers = [function for function in functions if function not in (module.wrong, module.right)]
    file = f"{module.__name__.rpartition('.')[2]}.py"
    source = words.source.format(file=file, path=f"{words.up}/samples/findings/{file}")
    return [
        f"## {words.both}",
        f"{WRONG.get(check.id, module.__doc__) if words.lang == 'zh' else module.__doc__}{source}",
        f"```diff\n{_difference(module)}```",
        f"## {words.report}",
        f"```text\n{stable(report)}\n```",
        *([f"## {words.others}", f"```python\n{_source(*helpers)}```"] if helpers else []),
    ]


def _difference(module: ModuleType) -> str:
    """The bodies of the wrong and the right program as one text, in which different lines are marked."""
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
    """The page that lists all findings, in Chinese."""
    checks = [in_language(check, "zh") for check in CATALOGUE]
    rows = ((f"[{check.id}](findings/{check.id}.md)", check.level, check.what) for check in checks)
    return _written(CHINESE) + table(("页面", "级别", "Host 侧代码做了什么"), rows) + "\n"


def _written(name: str) -> str:
    """The handwritten part of a page, up to its table."""
    path = ROOT / name
    written = path.read_text(encoding="utf-8").partition(TABLE)[0] if path.is_file() else ""
    return f"{written}{TABLE}\n\n"
