"""acl/acl_rt.h: snapshots of a process: lock it, back up its devices, restore them, unlock it.

The devices of the emulator keep their memory, so a backup and a restore change nothing but the state. Calls of other
threads while the process is locked are not blocked.
"""

import os
from typing import Any, Final

import acl_runtime.abi.c as c
import acl_runtime.abi.memory as m
from acl_runtime.abi.pointers import same_function
from acl_runtime.api.refusals import check_product, invalid
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import aclrtSnapShotStage
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_SNAPSHOT_BACKUP_FAILED,
    ACL_ERROR_SNAPSHOT_CALLBACK_FAILED,
    ACL_ERROR_SNAPSHOT_LOCK_FAILED,
    ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED,
    ACL_ERROR_SNAPSHOT_RESTORE_FAILED,
    ACL_ERROR_SNAPSHOT_UNLOCK_FAILED,
)
from acl_runtime.machine.current import current

HEADER: Final = "acl/acl_rt.h"
WHAT: Final = "A snapshot of the process"
RUNNING, LOCKED, BACKED_UP = "running", "locked", "backed up"
REFUSED: Final = (("ACL_ERROR_SNAPSHOT_CALLBACK_FAILED", "a callback of the program returned another value than 0."),)


class Snapshot:
    """The state of the process, and its callbacks by stage."""

    def __init__(self) -> None:
        self.state = RUNNING
        self.callbacks: dict[int, list[tuple[Any, Any]]] = {}


@acl_api(HEADER, also=REFUSED, pyacl=None)
def aclrtSnapShotProcessLock(pid: c.int_, reserve: c.source_void_p) -> c.aclError:
    """Lock this process for a backup.

    Returns:
        ACL_SUCCESS: locked.
        ACL_ERROR_INVALID_PARAM: `pid` is another process, or `reserve` is not null.
        ACL_ERROR_SNAPSHOT_LOCK_FAILED: the process is locked already.
    """
    snapshot = _own(pid, reserve.value, "reserve")
    _check(snapshot, (RUNNING,), ACL_ERROR_SNAPSHOT_LOCK_FAILED)
    _call(snapshot, aclrtSnapShotStage.ACL_RT_SNAPSHOT_LOCK_PRE)
    snapshot.state = LOCKED


@acl_api(HEADER, also=REFUSED, pyacl=None)
def aclrtSnapShotProcessUnlock(pid: c.int_, reserve: c.source_void_p) -> c.aclError:
    """Unlock this process.

    Returns:
        ACL_SUCCESS: it runs.
        ACL_ERROR_INVALID_PARAM: `pid` is another process, or `reserve` is not null.
        ACL_ERROR_SNAPSHOT_UNLOCK_FAILED: the process is not locked, or backed up and not restored.
    """
    snapshot = _own(pid, reserve.value, "reserve")
    _check(snapshot, (LOCKED,), ACL_ERROR_SNAPSHOT_UNLOCK_FAILED)
    snapshot.state = RUNNING
    _call(snapshot, aclrtSnapShotStage.ACL_RT_SNAPSHOT_UNLOCK_POST)


@acl_api(HEADER, also=REFUSED, pyacl=None)
def aclrtSnapShotProcessBackup(pid: c.int_, args: m.aclrtSnapShotBackupArgs_p) -> c.aclError:
    """Back up the devices of this process, which is locked.

    Returns:
        ACL_SUCCESS: backed up.
        ACL_ERROR_INVALID_PARAM: `pid` is another process, or `args` is not null.
        ACL_ERROR_SNAPSHOT_BACKUP_FAILED: the process is not locked, or backed up already.
    """
    snapshot = _own(pid, args.value, "args")
    _check(snapshot, (LOCKED,), ACL_ERROR_SNAPSHOT_BACKUP_FAILED)
    _call(snapshot, aclrtSnapShotStage.ACL_RT_SNAPSHOT_BACKUP_PRE)
    snapshot.state = BACKED_UP
    _call(snapshot, aclrtSnapShotStage.ACL_RT_SNAPSHOT_BACKUP_POST)


@acl_api(HEADER, also=REFUSED, pyacl=None)
def aclrtSnapShotProcessRestore(pid: c.int_, args: m.aclrtSnapShotRestoreArgs_p) -> c.aclError:
    """Restore the devices of this process, which is backed up. It stays locked.

    Returns:
        ACL_SUCCESS: restored.
        ACL_ERROR_INVALID_PARAM: `pid` is another process, or `args` is not null.
        ACL_ERROR_SNAPSHOT_RESTORE_FAILED: the process is not backed up.
    """
    snapshot = _own(pid, args.value, "args")
    _check(snapshot, (BACKED_UP,), ACL_ERROR_SNAPSHOT_RESTORE_FAILED)
    _call(snapshot, aclrtSnapShotStage.ACL_RT_SNAPSHOT_RESTORE_PRE)
    snapshot.state = LOCKED
    _call(snapshot, aclrtSnapShotStage.ACL_RT_SNAPSHOT_RESTORE_POST)


@acl_api(HEADER, pyacl=None)
def aclrtSnapShotCallbackRegister(
    stage: m.aclrtSnapShotStage, callback: m.aclrtSnapShotCallBack, args: c.user_data
) -> c.aclError:
    """Register a function that is called as `callback(deviceId, args)` for each device at a stage of a snapshot. A
    result other than 0 ends the call that reached the stage.

    Returns:
        ACL_SUCCESS: registered.
        ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED: the stage does not exist, the function is null, or registered for
            the stage already.
    """
    check_product(WHAT)
    callbacks = current().part(Snapshot).callbacks.setdefault(stage, [])
    known = any(same_function(callback.value, function) for function, _ in callbacks)
    if stage not in tuple(aclrtSnapShotStage) or callback.value is None or known:
        reason = (WHAT, "the stage does not exist, or the function is null or registered")
        raise AclError(ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED, Item("EE1018", reason))
    callbacks.append((callback.value, args.value))


@acl_api(HEADER, pyacl=None)
def aclrtSnapShotCallbackUnregister(stage: m.aclrtSnapShotStage, callback: m.aclrtSnapShotCallBack) -> c.aclError:
    """Undo aclrtSnapShotCallbackRegister.

    Returns:
        ACL_SUCCESS: the function is not registered for the stage.
    """
    check_product(WHAT)
    callbacks = current().part(Snapshot).callbacks
    callbacks[stage] = [each for each in callbacks.get(stage, []) if not same_function(callback.value, each[0])]


def _own(pid: int, reserved: int, name: str) -> Snapshot:
    if pid != os.getpid():
        raise invalid(pid, "pid", f"{os.getpid()}, this process")
    if reserved:
        raise invalid(f"{reserved:#x}", name, "null, it is reserved")
    check_product(WHAT)
    return current().part(Snapshot)


def _check(snapshot: Snapshot, states: tuple[str, ...], status: int) -> None:
    if snapshot.state not in states:
        raise AclError(status, Item("EE1018", (WHAT, f"the process is {snapshot.state}")))


def _call(snapshot: Snapshot, stage: aclrtSnapShotStage) -> None:
    machine = current()
    for function, args in list(snapshot.callbacks.get(stage, [])):
        for device in machine.devices:
            with machine.calling_out():
                answer = function(device.number, args)
            if answer:
                reason = (WHAT, f"a callback of {stage.name} returned {answer}")
                raise AclError(ACL_ERROR_SNAPSHOT_CALLBACK_FAILED, Item("EE1018", reason))
