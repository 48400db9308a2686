"""The page of real mistakes: for each program of samples/mistakes its story, its source and its report.

The programs are run for it.
"""

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
Six mistakes that people made in programs for real devices, as small programs. A device does not report such a mistake,
or it reports it hours later at the wrong line. Each program runs on its own
(`python samples/mistakes/workspace_freed_early.py`) and prints the report that is shown here. Their common part is
[common.py](../samples/mistakes/common.py)."""

REPORT: Final = re.compile(
    r"^(acl_runtime\.errors\.UndefinedBehaviour: )?(?P<text>(error|warning)\[(?P<id>[\w-]+)\]: .*?= to allow it: .*?)$",
    re.MULTILINE | re.DOTALL,
)


def files() -> Files:
    """The function that returns the text of the page, by its path in the project. Empty where only the packages are
    installed."""
    return {"docs/mistakes.md": page} if FOLDER.is_dir() else {}


def page() -> str:
    """The whole page."""
    parts = ["# Six real mistakes", MADE, INTRODUCTION, *(section(FOLDER / f"{name}.py") for name in ORDER)]
    return "\n\n".join(parts) + "\n"


def section(path: Path) -> str:
    """A mistake: what happened, the program without the common lines, and the report."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    title, _, story = (ast.get_docstring(tree) or "").partition("\n\n")
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    lines = source.splitlines()
    code = "\n\n\n".join("\n".join(lines[node.lineno - 1 : node.end_lineno]) for node in functions)
    id, report = found(path)
    return (
        f"## {title.rstrip('.')}\n\n{story}\n\n```python\n{code}\n```\n\n"
        f"The report ([{id}](findings/{id}.md)):\n\n```text\n{stable(report)}\n```"
    )


def found(path: Path) -> tuple[str, str]:
    """Run a program as a user does. Returns id and report of the finding that ends it or that is left at its end."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ACL_EMULATOR_")}
    environment["PYTHONPATH"] = str(ROOT)
    ran = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, env=environment, cwd=ROOT, check=False
    )
    report = REPORT.search(ran.stderr)
    if report is None:
        raise ValueError(f"{path} found nothing:\n{ran.stderr}")
    return report["id"], report["text"]
