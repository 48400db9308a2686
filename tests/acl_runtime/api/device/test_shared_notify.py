"""Notifies within a process and between processes (public)."""

from __future__ import annotations

import os
from collections.abc import Callable
from ctypes import byref, c_int32, c_uint32, create_string_buffer

import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from acl_runtime.streams.shared.notify import Notify
from tests.helpers.builders import malloc
from tests.helpers.host_threads import in_thread
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.memory.words import word
from tests.helpers.outcomes import assert_status, ok
from tests.helpers.processes import machines

KEY, PID, MADE, ID = create_string_buffer(65), (c_int32 * 1)(os.getpid()), aclrtNotify(), c_uint32()
TWO = (aclrtNotify * 2)()


def notify() -> aclrtNotify:
    one = aclrtNotify()
    ok(aclrtCreateNotify(byref(one), ACL_NOTIFY_DEFAULT))
    return one


def stream() -> aclrtStream:
    one = aclrtStream()
    ok(aclrtCreateStream(byref(one)))
    return one


def key_of(one: aclrtNotify, flags: int = 2) -> bytes:
    key = create_string_buffer(65)
    ok(aclrtNotifyGetExportKey(one, key, 65, flags))
    return key.value


def imported(key: bytes) -> aclrtNotify:
    one = aclrtNotify()
    ok(aclrtNotifyImportByKey(byref(one), key, 0))
    return one


REFUSED: dict[str, tuple[Callable[[], int], int, str]] = {
    "create": (lambda: aclrtCreateNotify(None, 9), 100000, "notify"),
    "create-flag": (lambda: aclrtCreateNotify(byref(MADE), 2), 107000, "flag"),
    "destroy": (lambda: aclrtDestroyNotify(None), 100000, "notify"),
    "destroy-dead": (lambda: aclrtDestroyNotify(8), 107017, "notify"),
    "record": (lambda: aclrtRecordNotify(None, 8), 100000, "notify"),
    "record-dead": (lambda: aclrtRecordNotify(8, 8), 107017, "notify"),
    "wait": (lambda: aclrtWaitAndResetNotify(None, 8, 0), 100000, "notify"),
    "wait-dead": (lambda: aclrtWaitAndResetNotify(8, 8, 0), 107017, "notify"),
    "id": (lambda: aclrtGetNotifyId(None, None), 100000, "notify"),
    "id-out": (lambda: aclrtGetNotifyId(8, None), 100000, "notifyId"),
    "batch": (lambda: aclrtNotifyBatchReset(None, 0), 100000, "notifies"),
    "batch-num": (lambda: aclrtNotifyBatchReset(TWO, 0), 107000, "num"),
    "batch-null": (lambda: aclrtNotifyBatchReset(TWO, 2), 100000, "notifies"),
    "export": (lambda: aclrtNotifyGetExportKey(None, None, 0, 9), 100000, "notify"),
    "export-key": (lambda: aclrtNotifyGetExportKey(8, None, 0, 9), 100000, "key"),
    "export-dead": (lambda: aclrtNotifyGetExportKey(8, KEY, 0, 9), 107017, "notify"),
    "import": (lambda: aclrtNotifyImportByKey(None, None, 9), 100000, "notify"),
    "import-key": (lambda: aclrtNotifyImportByKey(byref(MADE), None, 9), 100000, "key"),
    "import-flags": (lambda: aclrtNotifyImportByKey(byref(MADE), b"", 4), 107000, "flags"),
    "import-unknown": (lambda: aclrtNotifyImportByKey(byref(MADE), b"aclnn-memory-1", 1 << 32), 107000, "key"),
    "pid": (lambda: aclrtNotifySetImportPid(None, None, 0), 100000, "notify"),
    "pid-list": (lambda: aclrtNotifySetImportPid(8, None, 0), 100000, "pid"),
    "pid-dead": (lambda: aclrtNotifySetImportPid(8, PID, 0), 107017, "notify"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_of_several_mistakes_the_first_check_answers(machine: Machine, name: str) -> None:
    call, status, word = REFUSED[name]
    assert_status(call(), status, word)


def test_checks_of_a_live_notify(machine: Machine) -> None:
    one, other = notify(), notify()
    assert_status(aclrtNotifyGetExportKey(one, KEY, 0, 2), ACL_ERROR_RT_PARAM_INVALID, "len")
    assert_status(aclrtNotifyGetExportKey(one, KEY, 65, 1), ACL_ERROR_RT_PARAM_INVALID, "flags")
    assert_status(aclrtNotifySetImportPid(one, PID, 0), ACL_ERROR_RT_PARAM_INVALID, "num")
    assert_status(aclrtNotifySetImportPid(one, PID, 1), ACL_ERROR_RT_PARAM_INVALID, "exported")
    assert_status(aclrtNotifyGetExportKey(imported(key_of(one)), KEY, 65, 2), ACL_ERROR_RT_PARAM_INVALID, "exported")
    assert in_thread(lambda: aclrtRecordNotify(one, None)) == ACL_ERROR_RT_CONTEXT_NULL
    ok(aclrtGetNotifyId(other, byref(ID)))
    assert ID.value == 1
    ok(aclrtDestroyNotify(one))
    assert_status(aclrtDestroyNotify(one), ACL_ERROR_RT_INVALID_HANDLE, "notify")


@pytest.mark.parametrize("soc", ["Ascend310B1", "Ascend310P3"])
def test_products(soc: str) -> None:
    with board(soc=soc):
        assert_status(aclrtNotifyBatchReset(TWO, 2), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "")
        status = aclrtNotifyImportByKey(byref(MADE), b"", 0)
        assert status == (ACL_ERROR_RT_FEATURE_NOT_SUPPORT if soc == "Ascend310B1" else ACL_ERROR_RT_PARAM_INVALID)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_one_record_ends_one_wait(schedule: str) -> None:
    """ "A wait submitted before the record is fine, one record satisfies exactly one wait"."""
    with board(schedule) as machine:
        one, first, second, place = notify(), stream(), stream(), malloc(8)
        for turn in range(3):
            ok(aclrtWaitAndResetNotify(one, second, 0))
            ok(aclrtMemcpyAsync(place + 4, 4, place, 4, ACL_MEMCPY_DEVICE_TO_DEVICE, second))
            ok(aclrtMemsetAsync(place, 4, turn, 4, first))
            ok(aclrtRecordNotify(one, first))
            ok(aclrtSynchronizeStream(second))
            assert word(place + 4) == turn * 0x01010101
            ok(aclrtSynchronizeStream(first))
        ok(aclrtRecordNotify(one, first))
        ok(aclrtSynchronizeStream(first))
        ok(aclrtNotifyBatchReset((aclrtNotify * 1)(one), 1))
        ok(aclrtWaitAndResetNotify(one, second, 1))
        assert aclrtSynchronizeStream(second) == ACL_ERROR_RT_EVENT_SYNC_TIMEOUT
        assert not [finding for finding in machine.findings if finding.level == "error"]


def test_a_race_without_the_wait_is_found(machine: Machine) -> None:
    one, first, second, place = notify(), stream(), stream(), malloc(8)
    ok(aclrtMemsetAsync(place, 4, 1, 4, first))
    ok(aclrtRecordNotify(one, first))
    with pytest.raises(UndefinedBehaviour, match="xstream-race"):
        aclrtMemsetAsync(place, 4, 2, 4, second)


def test_a_wait_without_a_record_is_a_deadlock(machine: Machine) -> None:
    ok(aclrtWaitAndResetNotify(notify(), None, 0))
    with pytest.raises(UndefinedBehaviour, match=r"deadlock.*a record of notify"):
        aclrtSynchronizeStream(None)


@pytest.mark.fidelity("notifies and events of other processes")
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_process_waits_for_the_record_of_another(schedule: str) -> None:
    """The process that records never synchronises: the other one waits, so its stream runs up to the record."""
    with machines(2, schedule=schedule, seed=1) as processes:
        keys: list[bytes] = []

        def recording() -> None:
            ok(aclrtSetDevice(0))
            one = notify()
            keys.append(key_of(one))
            ok(aclrtRecordNotify(one, None))

        def waiting() -> None:
            ok(aclrtSetDevice(0))
            one = imported(keys[0])
            ok(aclrtWaitAndResetNotify(one, None, 0))
            ok(aclrtSynchronizeStream(None))
            ok(aclrtDestroyNotify(one))

        processes.run(recording)
        processes.run(lambda: None, waiting)
        assert not [processes.found(number) for number in range(2) if processes.found(number)]


def test_others_may_ask_for_a_notify_that_the_program_has_destroyed(machine: Machine) -> None:
    """The demand of another process may come late."""
    one = notify()
    key_of(one)
    ok(aclrtRecordNotify(one, None))
    demanded = machine.handles.get(one.value)
    assert isinstance(demanded, Notify)
    assert demanded.pending()
    ok(aclrtSynchronizeStream(None))
    ok(aclrtDestroyNotify(one))
    assert not demanded.pending()
    with machine.lock:
        machine.helpers.progress.demand(demanded)
        machine.helpers.progress.serve()


def test_an_imported_notify_is_for_streams_of_its_device() -> None:
    with machines(2) as processes:
        keys: list[bytes] = []

        def exporting() -> None:
            ok(aclrtSetDevice(0))
            keys.append(key_of(notify(), 0))

        def waiting() -> None:
            ok(aclrtSetDevice(1))
            one = aclrtNotify()
            status = aclrtNotifyImportByKey(byref(one), keys[0], 0)
            assert_status(status, ACL_ERROR_RT_NO_PERMISSION, "aclrtNotifySetImportPid")
            processes.machines[0].exports.allow(int(keys[0].rpartition(b"-")[2], 16), (os.getpid(),))
            one = imported(keys[0])
            assert_status(aclrtWaitAndResetNotify(one, None, 0), ACL_ERROR_RT_PARAM_INVALID, "device 0")
            ok(aclrtRecordNotify(one, None))

        processes.run(exporting)
        processes.run(lambda: None, waiting)
