"""Msprof: what libraries report to the profiler is dropped."""

from ctypes import create_string_buffer

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.outcomes import finding_of


@pytest.mark.fidelity("profiling (aclprof, Msprof)")
def test_reports_are_dropped(machine: Machine) -> None:
    called: list[object] = []
    record = create_string_buffer(64)
    assert MsprofRegisterCallback(3, lambda *given: called.append(given)) == 0
    assert MsprofReportApi(0, record) == 0
    assert MsprofReportCompactInfo(1, record, 64) == MsprofReportAdditionalInfo(1, record, 64) == 0
    assert not called
    assert machine.calls.names()[-4:] == [
        "MsprofRegisterCallback", "MsprofReportApi", "MsprofReportCompactInfo", "MsprofReportAdditionalInfo",
    ]  # fmt: skip


def test_a_text_has_one_number(machine: Machine) -> None:
    """ "stable non-zero hash of the text, the same for equal texts"."""
    text = create_string_buffer(b"aclnnAdd and more")
    assert MsprofGetHashId(text, 8) == MsprofGetHashId(b"aclnnAdd", 8) == 16907274594909141048
    assert MsprofGetHashId(b"aclnnMul", 8) not in (0, MsprofGetHashId(b"aclnnAdd", 8))
    assert MsprofGetHashId(None, 0) == MsprofGetHashId(b"x", 0) != 0
    assert finding_of(lambda: MsprofGetHashId(text, 100))[0] == "host-overrun"


def test_the_counter_is_the_simulated_time(machine: Machine) -> None:
    first = MsprofSysCycleTime()
    machine.clock.advance(1.5)
    assert MsprofSysCycleTime() == first + 1500
