"""The memory of the host that device memory may take (decisions, 6, "host memory")."""

from __future__ import annotations

from ctypes import byref, c_void_p
from pathlib import Path

import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.memory.host_budget import RESERVE, HostBudget, available
from tests.helpers.outcomes import assert_status, ok
from tests.helpers.virtual_memory import PAGE, prop

MB = 1 << 20


def malloc(size: int) -> tuple[int, c_void_p]:
    pointer = c_void_p()
    return aclrtMalloc(byref(pointer), size, ACL_MEM_MALLOC_HUGE_FIRST), pointer


def start() -> None:
    ok(aclInit(None))
    ok(aclrtSetDevice(0))


@pytest.mark.fidelity("a device that has more memory than the host of the emulator")
def test_touched_memory_beyond_the_limit_is_refused() -> None:
    """Memory that nobody touches costs nothing; freed memory counts no more."""
    with Machine(host_bytes=16 * MB):
        start()
        pieces = [malloc(8 * MB)[1] for _ in range(4)]
        for piece in pieces[:2]:
            ok(aclrtMemset(piece, 8 * MB, 0, 8 * MB))
        status, pointer = malloc(8 * MB)
        ok(status)
        ok(aclrtMemset(pieces[2], 8 * MB, 0, 64))
        assert_status(malloc(8 * MB)[0], ACL_ERROR_RT_MEMORY_ALLOCATION, "host", "16777280 bytes", "host_bytes")
        handle = aclrtDrvMemHandle()
        status = aclrtMallocPhysical(byref(handle), PAGE, byref(prop()), 0)
        assert_status(status, ACL_ERROR_RT_MEMORY_ALLOCATION, "host_bytes")
        ok(aclrtFree(pieces[0]))
        status, pieces[0] = malloc(8 * MB)
        ok(status)
        for piece in (*pieces, pointer):
            ok(aclrtFree(piece))
        ok(aclrtResetDevice(0))


def test_all_devices_share_the_limit() -> None:
    with Machine(host_bytes=4 * MB, device_count=2):
        start()
        ok(aclrtSetDevice(1))
        pointer = malloc(8 * MB)[1]
        ok(aclrtMemset(pointer, 8 * MB, 0, 8 * MB))
        ok(aclrtSetDevice(0))
        assert_status(malloc(8 * MB)[0], ACL_ERROR_RT_MEMORY_ALLOCATION, "host")
        ok(aclrtFree(pointer))
        for device in (0, 1):
            ok(aclrtResetDevice(device))


def files(folder: Path, **texts: str) -> list[str]:
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [str(folder / name) for name in ("limit", "used", "details")]


@pytest.mark.fidelity("a device that has more memory than the host of the emulator")
@pytest.mark.parametrize(
    ("limit", "expected"), [("max", 8 << 30), (str(3 << 30), (3 << 30) - 990), ("900", 0), (str(1 << 60), 8 << 30)]
)
def test_the_least_of_host_and_control_group_is_available(tmp_path: Path, limit: str, expected: int) -> None:
    """The caches of a control group can be given back."""
    (tmp_path / "meminfo").write_text(f"MemTotal: 99 kB\nMemAvailable: {8 << 20} kB\n", encoding="utf-8")
    one, two, three = files(tmp_path, limit=limit, used="1000\n", details="anon 5\ninactive_file 10\n")
    assert available(str(tmp_path / "meminfo"), [(one, two, three)]) == expected


def test_without_any_file_nothing_is_known(tmp_path: Path) -> None:
    assert available(str(tmp_path / "none"), [("none", "none", "none")]) is None


def test_a_host_with_little_memory_left_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    """1 GiB stays free."""
    budget = HostBudget(None, [])
    for left, refused in ((RESERVE, False), (RESERVE - 1, True), (None, False)):
        monkeypatch.setattr("acl_runtime.memory.host_budget.available", lambda left=left: left)
        if refused:
            with pytest.raises(MemoryError, match="bytes available"):
                budget.ask(1 << 40)
        else:
            budget.ask(1 << 40)
