"""Each finding has a wrong program and the nearest right program; the pages in docs/findings show both. The wrong
program has this finding and no other, and the right program has none."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable
from types import ModuleType

import pytest

from acl_runtime import *
from acl_runtime import Finding, Machine, UndefinedBehaviour
from acl_runtime.checks.catalogue import CATALOGUE, CHECKS
from acl_runtime.source.site import shown
from aclnn.tools.pages.findings import IN_CHILD, found_in
from aclnn.tools.pages.findings import program as module_of
from tests.helpers.builders import malloc
from tests.helpers.outcomes import ok
from tests.helpers.places import ROOT

FOLDER = ROOT / "samples" / "findings"
SHARED = {"__main__", "common"}
FOUND = [check.id for check in CATALOGUE if check.level != "status"]
ERRORS = [id for id in FOUND if CHECKS[id].level == "error"]
pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # of a fork, from Python 3.12 on
EACH = pytest.mark.parametrize("id", FOUND)
FEW = 20
SEEDS = int(os.environ.get("ACLNN_SEEDS", "5"))
SCHEDULES = ("late", "eager", "threads", "random")


def file_of(id: str) -> str:
    return f"{FOLDER / id.replace('-', '_')}.py"


def program(id: str) -> ModuleType:
    """The module with the two programs of a finding."""
    if id in IN_CHILD and not hasattr(os, "fork"):
        pytest.skip("this system does not fork")
    return module_of(id)


def wrong(id: str, schedule: str = "late") -> list[Finding]:
    """The findings in the wrong program, by a machine that only reports."""
    return found_in(program(id).wrong, schedule, "raise" if id in IN_CHILD else "report")


def test_every_finding_has_its_programs_and_there_are_no_others() -> None:
    assert {path.stem for path in FOLDER.glob("*.py")} - SHARED == {id.replace("-", "_") for id in FOUND}


@EACH
def test_the_wrong_program_has_this_finding_and_no_other(id: str) -> None:
    """Advice counts as well: the program makes this one mistake, under every schedule."""
    found = {schedule: {finding.id for finding in wrong(id, schedule)} for schedule in SCHEDULES}
    assert found == {schedule: {id} for schedule in SCHEDULES}


@EACH
def test_the_right_program_has_none(id: str) -> None:
    found = {schedule: [str(finding) for finding in found_in(program(id).right, schedule)] for schedule in SCHEDULES}
    assert found == {schedule: [] for schedule in SCHEDULES}


@pytest.mark.parametrize("id", [id for id in FOUND if id not in IN_CHILD])  # a fork takes long, and has no streams
def test_the_right_program_is_silent_under_every_seed(id: str) -> None:
    """A program with several streams runs under all seeds. With one stream a schedule only decides how early the tasks
    run, so a few seeds are enough."""
    right = program(id).right
    for seed in range(SEEDS):
        with Machine(device_count=2, schedule="random", seed=seed, on_undefined="report") as machine:
            right()
        assert [str(finding) for finding in machine.findings] == [], f"seed {seed}"
        streams = {task.stream for task in machine.tasks}
        if len(streams) <= 1 and seed >= FEW * len(streams):
            return


@pytest.mark.parametrize("id", ERRORS)
def test_an_error_is_raised_by_the_wrong_program(id: str) -> None:
    """The text names the file of the program (ours: "what, where")."""
    with Machine(device_count=2), pytest.raises(UndefinedBehaviour) as raised:
        program(id).wrong()
    assert raised.value.finding.id == id
    assert shown(file_of(id)) in str(raised.value)


@EACH
def test_a_finding_has_level_place_history_and_hint(id: str) -> None:
    """ "An id, a level, the call that made it, the history of the object, a hint" (findings, the rules). A finding of
    the end of the machine has no call. A finding of the call alone, such as one about a status, has no history. The
    page of the finding, which CI renders anew, holds which of them it has."""
    for finding in wrong(id):
        if finding.id != id:
            continue
        assert finding.level == CHECKS[id].level
        assert finding.what
        assert finding.hint
        assert finding.site.startswith(file_of(id)) == bool(finding.call), finding.site
        assert finding.call or finding.history
        assert all(past.site.startswith(str(FOLDER)) for past in finding.history)


def test_a_copy_of_bytes_that_were_never_written_is_a_warning() -> None:
    """uninit-read is an error for an operator, but a warning for a copy (ours)."""

    def copy() -> None:
        ok(aclInit(None))
        ok(aclrtSetDevice(0))
        address = malloc(64)
        ok(aclrtMemcpy(bytearray(64), 64, address, 64, ACL_MEMCPY_DEVICE_TO_HOST))
        ok(aclrtFree(address))
        ok(aclrtResetDevice(0))
        ok(aclFinalize())

    assert [(finding.id, finding.level) for finding in found_in(copy)] == [("uninit-read", "warning")]


def test_programs_use_public_names_only() -> None:
    for path in sorted(FOLDER.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        used = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert {name for name in used if name and name.startswith(("acl", "samples"))} <= {
            "acl_runtime", "aclnn", "samples.findings.common",
        }, path.name  # fmt: skip


def test_a_sample_has_a_docstring_of_one_sentence_and_two_functions() -> None:
    for id in FOUND:
        module = module_of(id)
        functions: list[Callable[[], object]] = [module.wrong, module.right]
        assert [function.__doc__ for function in functions] == [None, None], id
        assert (module.__doc__ or "").count("\n") == 0, id
        assert (module.__doc__ or "").endswith("."), id
