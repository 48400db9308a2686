"""The ids of the findings, which users filter by, and their levels (findings, the table)."""

import re

import numpy as np
import pytest

import acl_runtime as acl
from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from acl_runtime.checks.catalogue import CATALOGUE, CHECKS
from aclnn import *
from tests.helpers.builders import on_device, plan

# the rows of the table in their order; a row with a status and a finding has the level of the finding
TABLE = {
    "error": (
        "ws-freed-early io-freed-early read-before-sync pinned-reuse xstream-race ws-shared exec-reused "
        "exec-destroy-after-run exec-wrong-op exec-failed-phase1 exec-cross-thread ws-small ws-host-ptr ws-foreign "
        "tensor-destroyed-early tensor-double-destroy data-freed-under-tensor view-exceeds-storage "
        "storage-exceeds-alloc alias-overlap index-range uninit-read memcpy-size dead-handle callback-acl "
        "fork-after-init deadlock out-self-overlap host-overrun machine-closed"
    ),
    "warning": (
        "exec-leaked repeat-late repeat-not-destroyed tensor-leaked misaligned memcpy-kind event-misuse order-teardown "
        "finalize-pending ignored-ret mem-leaked host-mem-leaked stream-leaked event-leaked context-leaked "
        "device-not-reset work-dropped"
    ),
    "advice": "neg-stride-offset pageable-async destroy-pending-stream init stale-errmsg churn",
    "status": (
        "ws-null rebind-oob null-required dtype-soc op-soc shape-dim value-limit memcpy-async-h2h malloc-zero bad-free "
        "no-context wrong-context async-err-lost capture-sync limits"
    ),
}
"""the rows that are not here are ours: a difference from a device, or a limit of the emulator, that a document has not
named"""


@pytest.mark.parametrize(("level", "ids"), TABLE.items())
def test_every_row_of_the_table_has_its_level(level: str, ids: str) -> None:
    assert {CHECKS[id].level for id in ids.split()} == {level}


def test_each_id_is_in_the_catalogue_once() -> None:
    assert len(CHECKS) == len(CATALOGUE)


def test_a_check_says_what_why_and_what_to_do() -> None:
    """Sentences: they stand in reports, and on the pages of the findings."""
    for text in (text for check in CATALOGUE for text in (check.what, check.why, check.fix)):
        assert text == text.strip()
        assert text[0] == text[0].upper() or text.startswith("acl")
        assert text.endswith((".", ".)"))


# words


def test_texts_avoid_the_dialect() -> None:
    """No such idioms, and no document that readers do not have. `tests/project/test_plain_english.py` has the words
    that are banned everywhere."""
    dialect = re.compile(r"\b(and its kin|and their kin|has not\b[.,])|rules, \d")
    helps = [getattr(acl, name).__doc__ or "" for name in acl.__all__ if hasattr(getattr(acl, name), "c")]
    assert len(helps) > 150
    texts = [each for check in CATALOGUE for each in (check.what, check.why, check.fix, check.fix_in_c)]
    assert [text for text in texts + helps if dialect.search(text)] == []


def test_programs_in_c_get_advice_for_c() -> None:
    """Fixes and handles: neither numpy nor ctypes, nor Python's own names; how to allow it is for C as well."""
    python = re.compile(r"numpy|ctypes|restype|multiprocessing|`with |machine\.allow")
    for check in CATALOGUE:
        assert not python.search(check.fixes.wording(in_c=True)), check.id
        assert check.fixes.wording(in_c=False) == check.fix
    with Machine(on_undefined="report") as machine:
        machine.findings.in_c = machine.findings.by_environment = True
        aclDestroyTensor(aclTensor(0xC0))
        assert aclInit(None) == aclrtSetDevice(0) == ACL_SUCCESS
        assert aclrtMemcpy(1, 4, 2, 4, ACL_MEMCPY_HOST_TO_HOST) != ACL_SUCCESS
    assert [each.id for each in machine.findings][:2] == ["tensor-double-destroy", "host-overrun"]
    assert not python.search(machine.findings.report())
    assert "= to allow it: ACL_EMULATOR_ALLOW=tensor-double-destroy" in machine.findings.report()
    sarif = machine.findings.report("sarif")
    assert not re.search(r"numpy|multiprocessing", sarif)


def test_the_name_of_a_tensor_is_marked(machine: Machine) -> None:
    """Or aclnnSoftmaxBackward would have an "input output"."""
    grad, output, out = (on_device(np.ones(8, np.float32)) for _ in range(3))
    executor = plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, output, 0, out).executor
    assert aclnnSoftmaxBackward(None, 0, executor, None) == ACL_SUCCESS
    with pytest.raises(UndefinedBehaviour) as raised:
        aclrtFree(output.address)
    what = "are freed while they are the input `output` of aclnnSoftmaxBackward"
    assert what in raised.value.finding.what
    aclrtSynchronizeStream(None)
