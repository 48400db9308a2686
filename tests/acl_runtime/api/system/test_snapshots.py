"""Snapshots of a process: states, callbacks, refusals. The devices keep their memory."""

from __future__ import annotations

import os
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.outcomes import assert_status, ok

ME = os.getpid()


@pytest.mark.fidelity("snapshots of a process")
def test_the_states_follow_each_other(machine: Machine) -> None:
    """ "running -> locked -> backed up -> (restored) -> running"."""
    seen: list[tuple[int, int]] = []
    for stage in range(6):
        ok(aclrtSnapShotCallbackRegister(stage, lambda device, args: seen.append((device, args)) or 0, stage))
    assert_status(aclrtSnapShotProcessBackup(ME, None), ACL_ERROR_SNAPSHOT_BACKUP_FAILED)
    assert_status(aclrtSnapShotProcessUnlock(ME, None), ACL_ERROR_SNAPSHOT_UNLOCK_FAILED)
    ok(aclrtSnapShotProcessLock(ME, None))
    assert_status(aclrtSnapShotProcessLock(ME, None), ACL_ERROR_SNAPSHOT_LOCK_FAILED)
    assert_status(aclrtSnapShotProcessRestore(ME, None), ACL_ERROR_SNAPSHOT_RESTORE_FAILED)
    ok(aclrtSnapShotProcessBackup(ME, None))
    ok(aclrtSnapShotProcessRestore(ME, None))
    ok(aclrtSnapShotProcessUnlock(ME, None))
    assert seen == [(0, stage) for stage in range(6)]


def test_a_callback_may_refuse(machine: Machine) -> None:
    def refuses(device: int, args: Any) -> int:
        return 3

    ok(aclrtSnapShotCallbackRegister(ACL_RT_SNAPSHOT_LOCK_PRE, refuses, None))
    assert_status(aclrtSnapShotProcessLock(ME, None), ACL_ERROR_SNAPSHOT_CALLBACK_FAILED)
    ok(aclrtSnapShotCallbackUnregister(ACL_RT_SNAPSHOT_LOCK_PRE, refuses))
    ok(aclrtSnapShotProcessLock(ME, None))


def test_refusals(machine: Machine) -> None:
    def callback(*_: Any) -> int:
        return 0

    ok(aclrtSnapShotCallbackRegister(0, callback, None))
    for status in (
        aclrtSnapShotCallbackRegister(0, callback, None),
        aclrtSnapShotCallbackRegister(6, callback, None),
        aclrtSnapShotCallbackRegister(0, None, None),
    ):
        assert_status(status, ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED)
    for call in (
        aclrtSnapShotProcessLock,
        aclrtSnapShotProcessUnlock,
        aclrtSnapShotProcessBackup,
        aclrtSnapShotProcessRestore,
    ):
        assert_status(call(ME + 1, None), ACL_ERROR_INVALID_PARAM)
        assert_status(call(ME, 8), ACL_ERROR_INVALID_PARAM)
