"""Handles by which processes share physical memory (public)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from ctypes import byref, c_int32, c_uint64, c_void_p

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.host_threads import in_thread
from tests.helpers.machines import board
from tests.helpers.memory.virtual_memory import PAGE, physical, place_of, reserve
from tests.helpers.memory.words import word
from tests.helpers.outcomes import assert_status, ok, text

DEFAULT, FABRIC = ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC
PIDS = (c_int32 * 2)(1, 2)


def exported(handle: aclrtDrvMemHandle) -> int:
    number = c_uint64()
    ok(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 0, byref(number)))
    return number.value


@pytest.mark.fidelity("handles of other processes")
def test_own_handles_and_unknown_ones_are_107000(machine: Machine) -> None:
    handle, found = physical(), aclrtDrvMemHandle()
    number = exported(handle)
    ok(aclrtMemSetPidToShareableHandle(number, PIDS, 2))
    status = aclrtMemImportFromShareableHandle(number, 0, byref(found))
    assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "another process")
    status = aclrtMemImportFromShareableHandle(number + 1, 0, byref(found))
    assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "another process")
    assert not found
    ok(aclrtFreePhysical(handle))
    status = aclrtMemImportFromShareableHandle(number, 0, byref(found))
    assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "another process")  # it is still no handle of another process


def test_a_machine_stands_for_a_process() -> None:
    """Another machine of the process may import a handle, and needs permission for it (ours)."""
    with board():
        handle, found = physical(), aclrtDrvMemHandle()
        number = exported(handle)
        with board():
            status = aclrtMemImportFromShareableHandle(number, 0, byref(found))
            assert_status(status, ACL_ERROR_RT_NO_PERMISSION, "aclrtMemSetPidToShareableHandle")
        ok(aclrtMemSetPidToShareableHandle(number, (c_int32 * 1)(os.getpid()), 1))
        with board():
            ok(aclrtMemImportFromShareableHandle(number, 0, byref(found)))
            ok(aclrtFreePhysical(found))
        ok(aclrtFreePhysical(handle))


@pytest.mark.parametrize(("kind", "made"), [(DEFAULT, c_uint64), (FABRIC, aclrtMemFabricHandle)])
def test_the_second_version_writes_a_handle_of_the_type(machine: Machine, kind: int, made: type) -> None:
    handle, shared, found = physical(), made(), aclrtDrvMemHandle()
    ok(aclrtMemExportToShareableHandleV2(handle, 1, kind, byref(shared)))
    assert any(bytes(shared))
    ok(aclrtMemSetPidToShareableHandleV2(byref(shared), kind, PIDS, 2))
    status = aclrtMemImportFromShareableHandleV2(byref(shared), kind, 0, byref(found))
    assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "another process")
    status = aclrtMemImportFromShareableHandleV2(byref(made()), kind, 0, byref(found))
    assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "another process")
    ok(aclrtFreePhysical(handle))


def test_bytes_of_exported_memory_count_as_written(machine: Machine) -> None:
    """Another process may have written them, so that a read of them is no `uninit-read`."""
    handle, start, target = physical(), reserve(PAGE), np.zeros(4, np.uint8)
    ok(aclrtMapMem(start, PAGE, 0, handle, 0))
    ok(aclrtMemset(start, PAGE, 0, 2))
    exported(handle)
    ok(aclrtMemcpy(target, 4, start, 4, ACL_MEMCPY_DEVICE_TO_HOST))
    assert machine.findings == []
    ok(aclrtUnmapMem(start))
    ok(aclrtReleaseMemAddress(start))
    ok(aclrtFreePhysical(handle))


def test_memory_is_exported_once(machine: Machine) -> None:
    """ "Second export of the same handle in one process fails"."""
    handle, number = physical(), c_uint64()
    exported(handle)
    status = aclrtMemExportToShareableHandle(handle, 0, 0, byref(number))
    assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "not exported before")
    status = aclrtMemExportToShareableHandleV2(handle, 0, DEFAULT, byref(number))
    assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "not exported before")
    ok(aclrtFreePhysical(handle))


ONE, NUMBER, FOUND = c_void_p(8), c_uint64(), aclrtDrvMemHandle()
REFUSED: dict[str, tuple[Callable[[], int], int, str]] = {
    "export-handle": (lambda: aclrtMemExportToShareableHandle(None, 2, 9, None), 100000, "handle"),
    "export-type": (lambda: aclrtMemExportToShareableHandle(ONE, 2, 9, None), 100000, "handleType"),
    "export-out": (lambda: aclrtMemExportToShareableHandle(ONE, 0, 9, None), 100000, "shareableHandle"),
    "export-flags": (lambda: aclrtMemExportToShareableHandle(ONE, 0, 9, byref(NUMBER)), 107000, "flags"),
    "export-dead": (lambda: aclrtMemExportToShareableHandle(ONE, 0, 0, byref(NUMBER)), 107017, "handle"),
    "v2-handle": (lambda: aclrtMemExportToShareableHandleV2(None, 9, 9, None), 100000, "handle"),
    "v2-out": (lambda: aclrtMemExportToShareableHandleV2(ONE, 9, 9, None), 100000, "shareableHandle"),
    "v2-type": (lambda: aclrtMemExportToShareableHandleV2(ONE, 9, 3, byref(NUMBER)), 107000, "shareType"),
    "v2-flags": (lambda: aclrtMemExportToShareableHandleV2(ONE, 9, 1, byref(NUMBER)), 107000, "flags"),
    "v2-dead": (lambda: aclrtMemExportToShareableHandleV2(ONE, 0, 1, byref(NUMBER)), 107017, "handle"),
    "pid": (lambda: aclrtMemSetPidToShareableHandle(0, None, 0), 100000, "pid"),
    "pid-number": (lambda: aclrtMemSetPidToShareableHandle(0, PIDS, 0), 100000, "pidNum"),
    "pid-unknown": (lambda: aclrtMemSetPidToShareableHandle(0, PIDS, 2), 107000, "shareableHandle"),
    "pid-v2-out": (lambda: aclrtMemSetPidToShareableHandleV2(None, 9, None, 0), 100000, "shareableHandle"),
    "pid-v2": (lambda: aclrtMemSetPidToShareableHandleV2(byref(NUMBER), 9, None, 0), 100000, "pid"),
    "pid-v2-number": (lambda: aclrtMemSetPidToShareableHandleV2(byref(NUMBER), 9, PIDS, 0), 100000, "pidNum"),
    "pid-v2-type": (lambda: aclrtMemSetPidToShareableHandleV2(byref(NUMBER), 9, PIDS, 2), 107000, "shareType"),
    "pid-v2-unknown": (
        lambda: aclrtMemSetPidToShareableHandleV2(byref(NUMBER), 1, PIDS, 2), 107000, "shareableHandle",
    ),
    "import-out": (lambda: aclrtMemImportFromShareableHandle(0, 9, None), 100000, "handle"),
    "import-device": (lambda: aclrtMemImportFromShareableHandle(0, 9, byref(FOUND)), 107001, "deviceId"),
    "import-v2-null": (lambda: aclrtMemImportFromShareableHandleV2(None, 9, 9, None), 100000, "shareableHandle"),
    "import-v2-out": (lambda: aclrtMemImportFromShareableHandleV2(byref(NUMBER), 9, 9, None), 100000, "handle"),
    "import-v2-flags": (
        lambda: aclrtMemImportFromShareableHandleV2(byref(NUMBER), 9, 9, byref(FOUND)), 100000, "flags",
    ),
    "import-v2-type": (
        lambda: aclrtMemImportFromShareableHandleV2(byref(NUMBER), 9, 0, byref(FOUND)), 107000, "shareType",
    ),
    "bare-tgid": (lambda: aclrtDeviceGetBareTgid(None), 100000, "pid"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_of_several_mistakes_the_first_check_answers(machine: Machine, name: str) -> None:
    call, status, word = REFUSED[name]
    assert_status(call(), status, word)


CONTEXT: dict[str, Callable[[], int]] = {
    "export": lambda: aclrtMemExportToShareableHandleV2(ONE, 0, FABRIC, byref(aclrtMemFabricHandle())),
    "import": lambda: aclrtMemImportFromShareableHandle(0, 0, byref(FOUND)),
    "import-v2": lambda: aclrtMemImportFromShareableHandleV2(byref(NUMBER), 9, 0, byref(FOUND)),
}


@pytest.mark.parametrize("name", CONTEXT)
def test_without_a_context_107002(machine: Machine, name: str) -> None:
    assert in_thread(CONTEXT[name]) == ACL_ERROR_RT_CONTEXT_NULL


def test_the_number_of_the_process(machine: Machine) -> None:
    pid = c_int32()
    ok(aclrtDeviceGetBareTgid(byref(pid)))
    assert pid.value == os.getpid()
    assert not text()


CHILD = """
import sys
from ctypes import byref
from acl_runtime import *
from tests.helpers.memory.virtual_memory import place_of
from tests.helpers.memory.words import word

aclrtSetDevice(0)
number, handle = int(sys.argv[1]), aclrtDrvMemHandle()
print(int(aclrtMemImportFromShareableHandle(number, 0, byref(handle))), flush=True)
sys.stdin.readline()
print(int(aclrtMemImportFromShareableHandle(number, 0, byref(handle))), flush=True)
place = place_of(handle)
print(word(place), flush=True)
print(word(place, 8), flush=True)
sys.stdin.readline()
print(word(place), flush=True)
aclrtUnmapMem(place)
aclrtFreePhysical(handle)
aclrtReleaseMemAddress(place)
aclrtResetDevice(0)
"""


@pytest.mark.fidelity("handles of other processes")
def test_two_processes_share_the_bytes(machine: Machine) -> None:
    """A process that was not allowed is refused. The importer keeps the bytes when the exporter has freed them."""
    handle = physical()
    number, place = exported(handle), place_of(handle)
    word(place, 7)
    command = [sys.executable, "-c", CHILD, str(number)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert int(child.stdout.readline()) == ACL_ERROR_RT_NO_PERMISSION
        ok(aclrtMemSetPidToShareableHandle(number, (c_int32 * 1)(child.pid), 1))
        child.stdin.write("\n")
        child.stdin.flush()
        assert [int(child.stdout.readline()) for _ in range(3)] == [ACL_SUCCESS, 7, 8]
        assert word(place) == 8
        ok(aclrtUnmapMem(place))
        ok(aclrtFreePhysical(handle))
        child.stdin.write("\n")
        child.stdin.flush()
        assert int(child.stdout.readline()) == 8
        assert child.wait() == 0
    ok(aclrtReleaseMemAddress(place))
