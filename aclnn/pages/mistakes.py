"""The page of real mistakes: each program of samples/mistakes, told, shown, run, and with what is found in it."""

import ast
import runpy
import sys
from pathlib import Path
from typing import Final

from acl_runtime.errors import Finding
from aclnn.pages.findings import found_in, stable
from aclnn.pages.markdown import MADE, ROOT, Files

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
wrong line, hours later. Each runs on its own (`python samples/mistakes/workspace_freed_early.py`) and ends with the
report that is shown; what they share is in [common.py](../samples/mistakes/common.py)."""


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
    finding = first_finding(path)
    link = f"[{finding.id}](findings/{finding.id}.md)"
    return (
        f"## {title.rstrip('.')}\n\n{story}\n\n```python\n{code}\n```\n\n"
        f"What is found ({link}):\n\n```text\n{stable(finding.text(callers=False))}\n```"
    )


def first_finding(path: Path) -> Finding:
    """Run the program as `python PATH` does; what ends it, or what was left at its end."""

    def run() -> None:
        sys.path.insert(0, str(path.parent))
        try:
            runpy.run_path(str(path), run_name="__main__")
        finally:
            sys.path.remove(str(path.parent))
            del sys.modules["common"]

    return next(finding for finding in found_in(run, on_undefined="raise") if finding.level != "advice")
