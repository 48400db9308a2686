"""Runs of calls whose records are made lazily stand in `machine.calls` at their places (ours)."""

from collections.abc import Sequence
from ctypes import byref, c_int32
from typing import cast

import pytest

from acl_runtime import Machine, aclrtGetDevice, aclrtSetDevice
from acl_runtime.trace.records import Call, Calls, Kept, Served

pytestmark = pytest.mark.usefixtures("machine")


@pytest.fixture
def calls(machine: Machine) -> Calls:
    """A record of at most six calls: a call, three served ones, a call, and two served ones that are still to come."""
    device = c_int32()
    for _ in range(5):
        assert aclrtSetDevice(0) == aclrtGetDevice(byref(device)) == 0
    records = [call.kept for call in machine.calls]
    calls = Calls(machine.names, 6)
    later = [Served(_some, (records, 5, 7))]

    def catch_up() -> None:
        while later:
            calls.append(cast("Call", later.pop()))

    for each in (records[0], Served(_some, (records, 1, 4)), records[4]):
        calls.append(cast("Call", each))
    calls.catch_up = catch_up
    return calls


def _some(records: Sequence[Kept], first: int, end: int) -> Sequence[Kept]:
    return records[first:end]


def test_the_latest_calls_are_listed_in_order(calls: Calls, machine: Machine) -> None:
    expected = [call.kept for call in machine.calls][1:7]
    assert [call.kept for call in calls] == expected
    assert [call.kept for call in reversed(calls)] == expected[::-1]
    assert (len(calls), bool(calls)) == (6, True)
    assert [calls[0].kept, calls[-1].kept] == [expected[0], expected[-1]]
    assert calls.names() == machine.calls.names()[1:7]


def test_the_records_can_be_made_at_once(calls: Calls) -> None:
    before = list(calls)
    calls.settle()
    assert calls.catch_up is None
    assert list(calls) == before


def test_the_latest_record_is_that_of_the_list(calls: Calls) -> None:
    """A finding after a served call is drawn at its own call, which is looked for behind this record."""
    before = list(calls)
    calls.append(cast("Call", Served(_made_anew, (before, 1, 3))))
    latest = calls.latest()
    assert latest is calls.latest() is calls[-1].kept
    assert [call.kept for call in calls] == [call.kept for call in [*before, *before[1:3]][-6:]]


def _made_anew(calls: Sequence[Call], first: int, end: int) -> Sequence[Kept]:
    return [cast("Kept", (*call.kept,)) for call in calls[first:end]]


def test_an_empty_record_is_false(machine: Machine) -> None:
    calls = Calls(machine.names, 6)
    calls.catch_up = lambda: None
    assert not calls
    assert (calls.latest(), len(calls)) == (None, 0)
