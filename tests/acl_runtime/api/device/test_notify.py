"""Notifies: a record ends one wait, also one that was queued before; values, numbers and limits."""

from __future__ import annotations

from ctypes import byref, c_uint32

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.streams.shared.notify import Notify, NotifyRecord
from tests.acl_runtime.api.product_families import new_notify
from tests.helpers.builders import malloc
from tests.helpers.captures import captured, execute
from tests.helpers.creating import create_stream
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import assert_status, errors, finding_of, ok


def test_who_sees_the_bit_sees_its_record_too(machine: Machine) -> None:
    """A worker does the work of a task without the lock of the machine; at the end of the task it has the lock."""
    aclrtSetDevice(0)
    live = machine.handles.find(new_notify().value or 0, Notify)
    assert live is not None
    record = NotifyRecord(live, "here")
    record.entered()
    record.run()
    assert not live.take()
    assert record.done is not None
    record.done(5.0)
    assert (live.last, live.set_at) == (record, 5.0)
    assert live.take()


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("waits_first", [False, True])
def test_a_record_ends_a_wait(schedule: str, waits_first: bool) -> None:
    """ "a wait submitted before the record is fine, one record satisfies exactly one wait"."""
    with board(schedule) as machine:
        made, first, second, memory = new_notify(), create_stream(), create_stream(), malloc(64)
        if waits_first:
            ok(aclrtWaitAndResetNotify(made, second, 0))
            ok(aclrtMemsetAsync(memory, 64, 7, 64, second))
        ok(aclrtMemsetAsync(memory, 64, 5, 64, first))
        ok(aclrtRecordNotify(made, first))
        if not waits_first:
            ok(aclrtWaitAndResetNotify(made, second, 0))
            ok(aclrtMemsetAsync(memory, 64, 7, 64, second))
        ok(aclrtSynchronizeStream(second))
        assert machine.read(memory, 1, np.uint8)[0] == 7
        assert errors(machine) == []


def test_a_second_wait_needs_a_second_record(machine: Machine) -> None:
    made, stream = new_notify(), create_stream()
    ok(aclrtRecordNotify(made, stream))
    ok(aclrtWaitAndResetNotify(made, stream, 0))
    ok(aclrtSynchronizeStream(stream))
    ok(aclrtWaitAndResetNotify(made, stream, 0))
    assert finding_of(lambda: aclrtSynchronizeStream(stream))[0] == "deadlock"


@pytest.mark.fidelity("notifies (aclrtCreateNotify)")
def test_a_wait_may_expire(machine: Machine) -> None:
    made, stream = new_notify(), create_stream()
    ok(aclrtWaitAndResetNotify(made, stream, 1))
    assert_status(aclrtSynchronizeStream(stream), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT)


@pytest.mark.parametrize(("soc", "expires"), [("Ascend310P3", True), ("Ascend910B1", False)])
def test_the_default_timeout(soc: str, expires: bool) -> None:
    """ "0xFFFFFFFF = also forever ..., only on 310P the time set by aclrtSetOpWaitTimeout"."""
    with board(soc=soc) as machine:
        made, stream = new_notify(), create_stream()
        machine.devices[0].op_wait_timeout = 1e6
        ok(aclrtWaitAndResetNotify(made, stream, 0xFFFFFFFF))
        if expires:
            assert_status(aclrtSynchronizeStream(stream), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT)
        else:
            assert finding_of(lambda: aclrtSynchronizeStream(stream))[0] == "deadlock"


def test_a_capture_repeats_records_and_waits(machine: Machine) -> None:
    made, stream = new_notify(), create_stream()
    model = captured(
        stream,
        lambda: ok(aclrtRecordNotify(made, stream)),
        lambda: ok(aclrtWaitAndResetNotify(made, stream, 0)),
    )
    execute(model, stream, times=2)
    assert errors(machine) == []


def test_a_batch_is_reset_at_once(machine: Machine) -> None:
    several, stream = [new_notify(), new_notify()], create_stream()
    for made in several:
        ok(aclrtRecordNotify(made, stream))
    ok(aclrtSynchronizeStream(stream))
    ok(aclrtNotifyBatchReset((aclrtNotify * 2)(*several), 2))
    ok(aclrtWaitAndResetNotify(several[1], stream, 0))
    assert finding_of(lambda: aclrtSynchronizeStream(stream))[0] == "deadlock"


def test_numbers_are_used_again() -> None:
    with board(soc="Ascend310P3"):
        several, number = [new_notify() for _ in range(1024)], c_uint32()
        assert_status(aclrtCreateNotify(byref(aclrtNotify()), 0), ACL_ERROR_RT_NO_NOTIFY_RESOURCE)
        ok(aclrtGetNotifyId(several[5], byref(number)))
        assert number.value == 5
        ok(aclrtDestroyNotify(several[5]))
        ok(aclrtGetNotifyId(new_notify(), byref(number)))
        assert number.value == 5


def test_refusals(machine: Machine) -> None:
    made, number = new_notify(), c_uint32()
    for status, expected in (
        (aclrtCreateNotify(None, 0), ACL_ERROR_INVALID_PARAM),
        (aclrtCreateNotify(byref(aclrtNotify()), 2), ACL_ERROR_RT_PARAM_INVALID),
        (aclrtDestroyNotify(None), ACL_ERROR_INVALID_PARAM),
        (aclrtDestroyNotify(0x40), ACL_ERROR_RT_INVALID_HANDLE),
        (aclrtRecordNotify(None, None), ACL_ERROR_INVALID_PARAM),
        (aclrtRecordNotify(made, 0x40), ACL_ERROR_RT_INVALID_HANDLE),
        (aclrtWaitAndResetNotify(None, None, 0), ACL_ERROR_INVALID_PARAM),
        (aclrtGetNotifyId(made, None), ACL_ERROR_INVALID_PARAM),
        (aclrtGetNotifyId(None, byref(number)), ACL_ERROR_INVALID_PARAM),
        (aclrtNotifyBatchReset(None, 1), ACL_ERROR_INVALID_PARAM),
        (aclrtNotifyBatchReset(byref(made), 0), ACL_ERROR_RT_PARAM_INVALID),
    ):
        assert_status(status, expected)
    ok(aclrtDestroyNotify(made))
    assert_status(aclrtRecordNotify(made, None), ACL_ERROR_RT_INVALID_HANDLE)
