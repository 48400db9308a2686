"""The page of real mistakes: each program of samples/mistakes, told, shown, run, and with what is found in it."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

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
INTRODUCTION: Final = """\
Six mistakes that people made in programs for real devices, as small programs. A device says nothing, or blames the
wrong line, hours later. Each runs on its own (`python samples/mistakes/workspace_freed_early.py`) and tells the
report that is shown; what they share is in [common.py](../samples/mistakes/common.py)."""

REPORT: Final = re.compile(
    r"^(acl_runtime\.errors\.UndefinedBehaviour: )?(?P<text>(error|warning)\[(?P<id>[\w-]+)\]: .*?= to allow it: .*?)$",
    re.MULTILINE | re.DOTALL,
)


def files() -> Files:
    """Who makes the page, by its path below the project; nobody where only the packages are installed."""
    return {"docs/mistakes.md": page} if FOLDER.is_dir() else {}


def page() -> str:
    """The whole page."""
    parts = ["# Six real mistakes", MADE, INTRODUCTION, *(section(FOLDER / f"{name}.py") for name in ORDER)]
    return "\n\n".join(parts) + "\n"


def section(path: Path) -> str:
    """What happened, the program without the lines that all share, the report."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    title, _, story = (ast.get_docstring(tree) or "").partition("\n\n")
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    lines = source.splitlines()
    code = "\n\n\n".join("\n".join(lines[node.lineno - 1 : node.end_lineno]) for node in functions)
    id, report = found(path)
    return (
        f"## {title.rstrip('.')}\n\n{story}\n\n```python\n{code}\n```\n\n"
        f"What is found ([{id}](findings/{id}.md)):\n\n```text\n{stable(report)}\n```"
    )


def found(path: Path) -> tuple[str, str]:
    """Run the program as a user does: the id of what ends it, or of what was left at its end, and its report."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ACL_EMULATOR_")}
    environment["PYTHONPATH"] = str(ROOT)
    ran = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, env=environment, cwd=ROOT, check=False
    )
    report = REPORT.search(ran.stderr)
    if report is None:
        raise ValueError(f"{path} found nothing:\n{ran.stderr}")
    return report["id"], report["text"]
