"""The ids of the findings, which users filter by, and their levels (findings, the table)."""

import pytest

from acl_runtime.machine.catalogue import CATALOGUE, CHECKS

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
OURS = {
    "dtype-converted": "advice",
    "unsupported-product": "advice",
    "event-reset-early": "error",
    "host-dtype": "advice",
}
"""decisions, 4: "converted once at the end, with advice"; 6: "plus advice `unsupported-product`"; the documentation
calls a reset of an event that may still be waited for undefined, and what is undefined is an error (3)"""
LEVELS = {id: level for level, ids in TABLE.items() for id in ids.split()} | OURS


@pytest.mark.fidelity("the finding `capture-sync`")
def test_every_row_of_the_table_has_its_level_and_there_are_no_others() -> None:
    assert {check.id: check.level for check in CATALOGUE} == LEVELS


def test_ids_are_there_once() -> None:
    assert len(CHECKS) == len(CATALOGUE)


def test_a_check_says_what_why_and_what_to_do() -> None:
    """Sentences: they stand in reports, and on the pages of the findings."""
    for text in (text for check in CATALOGUE for text in (check.what, check.why, check.fix)):
        assert text == text.strip()
        assert text[0] == text[0].upper() or text.startswith("acl")
        assert text.endswith((".", ".)"))
