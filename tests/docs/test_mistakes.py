"""Six real mistakes as programs: each is found, run as a user runs it, and shown on its page."""

from __future__ import annotations

import subprocess

import pytest

from aclnn.tools.pages.findings import stable
from aclnn.tools.pages.mistakes import FOLDER, ORDER, run
from tests.helpers.forks import python
from tests.helpers.listing import assert_listed
from tests.helpers.places import ROOT

FOUND = {
    "workspace_freed_early": "ws-freed-early",
    "result_copied_early": "read-before-sync",
    "executor_launched_twice": "exec-reused",
    "executor_destroyed_after_launch": "exec-destroy-after-run",
    "tensor_list_leaked": "tensor-leaked",
    "view_larger_than_buffer": "storage-exceeds-alloc",
}


def test_the_page_shows_every_program() -> None:
    programs = {path.stem for path in FOLDER.glob("*.py")} - {"common"}
    assert_listed("aclnn/tools/pages/mistakes.py, ORDER", ORDER, programs)
    assert_listed("FOUND above", FOUND, programs)


@pytest.mark.parametrize("name", ORDER)
def test_the_mistake_is_found_and_its_report_shown(name: str) -> None:
    id, report = run(FOLDER / f"{name}.py")
    assert id == FOUND[name]
    shown = (ROOT / "docs" / "mistakes.md").read_text(encoding="utf-8")
    assert f"```text\n{stable(report)}\n```" in shown, "docs/mistakes.md is stale: run python -m aclnn.render"


@pytest.mark.parametrize(("name", "status"), [("result_copied_early", 1), ("tensor_list_leaked", 0)])
def test_run_alone_it_ends_with_its_report(name: str, status: int) -> None:
    """A raised finding ends the program; a leak is reported at its end. Both go to stderr. Leaks of a program that did
    not get to its end are only counted."""
    ran = subprocess.run([*python(), str(FOLDER / f"{name}.py")], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (status, "")
    assert f"[{FOUND[name]}]: " in ran.stderr
    assert ("left behind as the program ended there: " in ran.stderr) is bool(status)
