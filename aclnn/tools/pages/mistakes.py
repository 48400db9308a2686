"""The page of real mistakes, in English and in Chinese: for each program of samples/mistakes its story, its source and
its report.

To make the page, the programs are run.
"""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Final, NamedTuple

from aclnn.tools.pages.chinese import MISTAKES
from aclnn.tools.pages.findings import stable
from aclnn.tools.pages.markdown import MADE, ROOT, Files

FOLDER: Final = ROOT / "samples" / "mistakes"
ORDER: Final = (
    "workspace_freed_early",
    "result_copied_early",
    "executor_launched_twice",
    "executor_destroyed_after_launch",
    "tensor_list_leaked",
    "view_larger_than_buffer",
)
REPORT: Final = re.compile(
    r"^(acl_runtime\.errors\.UndefinedBehaviour: )?"
    r"(?P<text>(error|warning)\[(?P<id>[\w-]+)\]: .*?= (to allow it: |如要允许：).*?)$",
    re.MULTILINE | re.DOTALL,
)


class StoryLanguage(NamedTuple):
    """The parts of a page that depend on its language. Programs are the same in both."""

    lang: str
    head: str
    """title, and the line that leads to the other page"""
    introduction: str
    report: str
    """the line before a report"""
    stories: Mapping[str, tuple[str, str]]
    """title and story of each program; for a missing program, its docstring"""


PAGES: Final[Mapping[str, StoryLanguage]] = {
    "docs/mistakes.md": StoryLanguage(
        "en",
        "# Six real mistakes\n\nEnglish | [中文](zh/mistakes.md)",
        """\
Six mistakes that people made in programs for real devices, as small programs. A device does not report such a mistake,
or it reports it hours later at the wrong line. Each program runs on its own
(`python samples/mistakes/workspace_freed_early.py`) and prints the report that is shown here. Their common part is
[common.py](../samples/mistakes/common.py).""",
        "The report ([{id}](findings/{id}.md)):",
        {},
    ),
    "docs/zh/mistakes.md": StoryLanguage(
        "zh",
        "# 实例：6 个真实的错误\n\n[English](../mistakes.md) | 中文",
        "有人在真实设备的程序里犯过这 6 个错误，这里把它们各写成一个小程序。真实设备对这样的错误毫无提示，或者过了几"
        "小时才在不相干的地方报错。每个程序都可以单独运行（`python samples/mistakes/workspace_freed_early.py`），打印的"
        "报告就是这里展示的内容。它们共用的部分在 [common.py](../../samples/mistakes/common.py) 里。",
        "报告如下，这类问题的说明见 [{id}](findings/{id}.md)：",
        MISTAKES,
    ),
}


def files() -> Files:
    """Functions that return the text of each page, by its path in the project. Empty where only the packages are
    installed."""
    return {path: partial(page, language) for path, language in PAGES.items()} if FOLDER.is_dir() else {}


def page(language: StoryLanguage) -> str:
    """The whole page."""
    parts = [
        language.head,
        MADE,
        language.introduction,
        *(section(FOLDER / f"{name}.py", language) for name in ORDER),
    ]
    return "\n\n".join(parts) + "\n"


def section(path: Path, language: StoryLanguage) -> str:
    """A mistake: what happened, the program without the common lines, and the report."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    title, _, story = (ast.get_docstring(tree) or "").partition("\n\n")
    title, story = language.stories.get(path.stem, (title.rstrip("."), story))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    lines = source.splitlines()
    code = "\n\n\n".join("\n".join(lines[node.lineno - 1 : node.end_lineno]) for node in functions)
    id, report = run(path, language.lang)
    return (
        f"## {title}\n\n{story}\n\n```python\n{code}\n```\n\n"
        f"{language.report.format(id=id)}\n\n```text\n{stable(report)}\n```"
    )


@cache
def run(path: Path, lang: str = "en") -> tuple[str, str]:
    """Run a program as a user does. Returns id and report of the finding that ends it or that is left at its end."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ACL_EMULATOR_")}
    environment |= {"PYTHONPATH": str(ROOT), "ACL_EMULATOR_LANG": lang, "PYTHONIOENCODING": "utf-8"}
    ran = subprocess.run(
        [sys.executable, str(path)], capture_output=True, encoding="utf-8", env=environment, cwd=ROOT, check=False
    )
    report = REPORT.search(ran.stderr)
    if report is None:
        raise ValueError(f"{path} found nothing:\n{ran.stderr}")
    return report["id"], report["text"]
