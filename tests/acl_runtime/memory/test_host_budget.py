"""The memory of the host that device memory may take (ours, "host memory")."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_uint64, c_void_p
from pathlib import Path

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.memory.host_budget import RESERVE, HostBudget, NoHostMemory, available
from aclnn import *
from tests.helpers.memory.virtual_memory import PAGE, physical, prop, reserve
from tests.helpers.outcomes import assert_status, ok

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
        status = aclrtMemset(pieces[2], 8 * MB, 0, 65)
        assert_status(status, ACL_ERROR_RT_MEMORY_ALLOCATION, "host", "16777216 bytes", "host_bytes")
        ok(aclrtMemset(pieces[0], 8 * MB, 1, 8 * MB))
        assert_status(malloc(8 * MB)[0], ACL_ERROR_RT_MEMORY_ALLOCATION, "host", "16777216 bytes", "host_bytes")
        handle = aclrtDrvMemHandle()
        status = aclrtMallocPhysical(byref(handle), PAGE, byref(prop()), 0)
        assert_status(status, ACL_ERROR_RT_MEMORY_ALLOCATION, "host_bytes")
        ok(aclrtFree(pieces[0]))
        status, pieces[0] = malloc(8 * MB)
        ok(status)
        ok(aclrtMemset(pieces[2], 8 * MB, 0, 65))
        for piece in pieces:
            ok(aclrtFree(piece))
        ok(aclrtResetDevice(0))


def test_all_devices_share_the_limit() -> None:
    with Machine(host_bytes=4 * MB, device_count=2):
        start()
        ok(aclrtSetDevice(1))
        pointer = malloc(8 * MB)[1]
        ok(aclrtMemset(pointer, 8 * MB, 0, 4 * MB))
        ok(aclrtSetDevice(0))
        assert_status(malloc(8 * MB)[0], ACL_ERROR_RT_MEMORY_ALLOCATION, "host")
        ok(aclrtFree(pointer))
        for device in (0, 1):
            ok(aclrtResetDevice(device))


def twice(address: int, beyond: int) -> None:
    """Set memory within the limit, then beyond it."""
    ok(aclrtMemset(address, 2 * MB, 0, 2 * MB))
    status = aclrtMemset(beyond, 2 * MB, 0, 2 * MB)
    assert_status(status, ACL_ERROR_RT_MEMORY_ALLOCATION, "host", "2097152 bytes of device memory are touched")
    ok(aclrtMemset(address, 2 * MB, 1, 2 * MB))


@pytest.mark.fidelity("a device that has more memory than the host of the emulator")
@pytest.mark.parametrize("fill", [0xFF, 0, None])
def test_bytes_count_when_they_are_touched_first(fill: int | None) -> None:
    """One large allocation, of which little is touched; without a fill too."""
    with Machine(host_bytes=3 * MB, fill=fill) as machine:
        start()
        address = malloc(64 * MB)[1].value or 0
        twice(address, address + 2 * MB)
        ok(aclrtMemset(address + 2 * MB, MB, 0, MB))
        assert machine.devices[0].memory.resident == 3 * MB
        values = np.zeros(65, np.uint8)  # a read touches fresh bytes too: they get the fill
        status = aclrtMemcpy(values, 65, address + 4 * MB, 65, ACL_MEMCPY_DEVICE_TO_HOST)
        assert_status(status, ACL_ERROR_RT_MEMORY_ALLOCATION, "65 more")
        ok(aclrtFree(address))
        assert machine.devices[0].memory.resident == 0
        ok(aclrtResetDevice(0))


def test_mapped_memory_counts_by_its_physical_memory() -> None:
    """Two mappings of one handle are the same bytes. They count until the physical memory is gone."""
    with Machine(host_bytes=3 * MB) as machine:
        start()
        handle, other, address = physical(), physical(), reserve(3 * PAGE)
        for at, each in enumerate((handle, handle, other)):
            ok(aclrtMapMem(address + at * PAGE, PAGE, 0, each, 0))
        ok(aclrtMemset(address, PAGE, 0, PAGE))
        twice(address + PAGE, address + 2 * PAGE)
        ok(aclrtFreePhysical(handle))
        ok(aclrtUnmapMem(address))
        assert machine.devices[0].memory.resident == PAGE
        ok(aclrtUnmapMem(address + PAGE))
        assert machine.devices[0].memory.resident == 0
        ok(aclrtMemset(address + 2 * PAGE, PAGE, 0, PAGE))
        ok(aclrtUnmapMem(address + 2 * PAGE))
        ok(aclrtFreePhysical(other))
        ok(aclrtReleaseMemAddress(address))
        ok(aclrtResetDevice(0))
    assert not machine.findings


TASKS: dict[str, Callable[[int, int], int]] = {
    "set": lambda source, target: aclrtMemsetAsync(target, 2 * MB, 0, 2 * MB, None),
    "copy": lambda source, target: aclrtMemcpyAsync(target, 2 * MB, source, 2 * MB, ACL_MEMCPY_DEVICE_TO_DEVICE, None),
    "rows": lambda source, target: aclrtMemcpy2dAsync(
        target, 2048, source, 2048, 2048, 1024, ACL_MEMCPY_DEVICE_TO_DEVICE, None
    ),
    "operator": lambda source, target: softmax(source, target, MB // 4),
}


@pytest.mark.parametrize("schedule", ["late", "eager", "threads", "random"])
@pytest.mark.parametrize("name", TASKS)
def test_a_task_that_touches_too_much_fails_with_207001(name: str, schedule: str) -> None:
    with Machine(host_bytes=int(2.5 * MB), schedule=schedule, seed=1):
        start()
        source, target = malloc(2 * MB)[1].value or 0, malloc(2 * MB)[1].value or 0
        ok(aclrtMemset(source, 2 * MB, 0, 2 * MB))
        ok(TASKS[name](source, target))
        assert_status(aclrtSynchronizeStream(None), ACL_ERROR_RT_MEMORY_ALLOCATION, "host", "host_bytes is 2621440")
        ok(aclrtFree(source))
        ok(aclrtFree(target))
        ok(aclrtResetDevice(0))


def softmax(source: int, target: int, count: int) -> int:
    """Launch a SoftmaxBackward that writes `count` fresh floats."""
    size, executor = c_uint64(), aclOpExecutor()
    one, two, out = (
        aclCreateTensor([count], 1, ACL_FLOAT, None, 0, ACL_FORMAT_ND, [count], 1, each)
        for each in (source, source, target)
    )
    ok(aclnnSoftmaxBackwardGetWorkspaceSize(one, two, 0, out, byref(size), byref(executor)))
    status = aclnnSoftmaxBackward(None, size.value, executor, None)
    for each in (one, two, out):
        aclDestroyTensor(each)
    return status


def test_little_memory_of_the_host_ends_a_write_not_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without `host_bytes`, the figures of the host decide: 1 GiB stays free after the write."""
    with Machine():
        start()
        pointer = malloc(256 * MB)[1]
        monkeypatch.setattr("acl_runtime.memory.host_budget.available", lambda: RESERVE + 128 * MB)
        status = aclrtMemset(pointer, 256 * MB, 0, 256 * MB)
        assert_status(status, ACL_ERROR_RT_MEMORY_ALLOCATION, "host", "268435456 more", "stay free")
        ok(aclrtMemset(pointer, 256 * MB, 0, 64 * MB))
        ok(aclrtFree(pointer))
        ok(aclrtResetDevice(0))


def test_values_that_streams_wait_for_are_never_refused() -> None:
    """A few bytes may go beyond the limit; they count all the same."""
    with Machine(host_bytes=4096) as machine:
        start()
        pointer = malloc(8 * MB)[1]
        ok(aclrtMemset(pointer, 8 * MB, 0, 4096))
        ok(aclrtMemset((pointer.value or 0) + 8192, 8, 0, 8))
        assert machine.devices[0].memory.resident == 4104
        ok(aclrtFree(pointer))
        ok(aclrtResetDevice(0))


V2 = {"limit": "memory.max", "used": "memory.current"}
V1 = {"limit": "memory/memory.limit_in_bytes", "used": "memory/memory.usage_in_bytes"}
HOST = 8 << 30


def group(root: Path, names: dict[str, str], path: str, limit: str) -> None:
    """A control group that has used 1000 bytes; 10 of them are caches, which can be given back."""
    for kind, text in (("limit", limit), ("used", "1000\n")):
        first, _, last = names[kind].rpartition("/")
        folder = root / "groups" / first / path
        folder.mkdir(parents=True, exist_ok=True)
        (folder / last).write_text(text, encoding="utf-8")
        (folder / "memory.stat").write_text("anon 5\ninactive_file 10\n", encoding="utf-8")


def left(root: Path, listed: str) -> int | None:
    """The bytes that are available to a process in these groups."""
    (root / "self").mkdir(exist_ok=True)
    (root / "self/cgroup").write_text(listed, encoding="utf-8")
    (root / "meminfo").write_text(f"MemTotal: 99 kB\nMemAvailable: {HOST >> 10} kB\n", encoding="utf-8")
    return available(str(root), str(root / "groups"))


@pytest.mark.fidelity("a device that has more memory than the host of the emulator")
@pytest.mark.parametrize(
    ("limit", "expected"), [("max", HOST), (str(3 << 30), (3 << 30) - 990), ("900", 0), (str(1 << 60), HOST)]
)
@pytest.mark.parametrize(
    ("names", "listed"), [(V2, "0::/"), (V1, "5:cpu:/x\n4:blkio,memory:/\n0::/")], ids=["v2", "v1"]
)
def test_the_least_of_host_and_control_group_is_available(
    tmp_path: Path, names: dict[str, str], listed: str, limit: str, expected: int
) -> None:
    """The caches of a control group can be given back."""
    group(tmp_path, names, "", limit)
    assert left(tmp_path, listed) == expected


@pytest.mark.parametrize(("inner", "outer"), [("5000", "max"), ("max", "5000"), ("5000", "9000")])
@pytest.mark.parametrize(("names", "listed"), [(V2, "0::/a/b"), (V1, "4:memory:/a/b")], ids=["v2", "v1"])
def test_the_groups_around_that_of_the_process_limit_it_too(
    tmp_path: Path, names: dict[str, str], listed: str, inner: str, outer: str
) -> None:
    group(tmp_path, names, "a/b", inner)
    group(tmp_path, names, "a", outer)
    assert left(tmp_path, listed) == 4010


def test_in_a_container_the_outermost_group_counts(tmp_path: Path) -> None:
    """The listed path is that of the host, and does not exist inside."""
    group(tmp_path, V2, "", "5000")
    assert left(tmp_path, "0::/containers/a") == 4010


def test_without_any_file_nothing_is_known(tmp_path: Path) -> None:
    assert available(str(tmp_path / "none"), str(tmp_path / "none")) is None


def test_a_host_with_little_memory_left_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    """1 GiB stays free."""
    budget = HostBudget(None, [])
    for left, refused in ((RESERVE, False), (RESERVE - 1, True), (None, False)):
        monkeypatch.setattr("acl_runtime.memory.host_budget.available", lambda left=left: left)
        if refused:
            with pytest.raises(NoHostMemory, match="bytes available"):
                budget.allocating(1 << 40)
        else:
            budget.allocating(1 << 40)
