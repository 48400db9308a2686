"""Windows of addresses, and the machine without them (ours: addresses)."""

from ctypes import byref, c_uint64, c_void_p
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.memory.device_memory import looks_like_device_address
from acl_runtime.objects import address_range as windows
from acl_runtime.objects.handle_table import HANDLE_RANGES, HINT, ROOM
from acl_runtime.process import process
from aclnn import *
from tests.conftest import check_documented
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream
from tests.helpers.outcomes import assert_status, finding_of
from tests.helpers.planned_operators import SOFTMAX_RESULT

GIB = 1 << 30
TIB = 1 << 40


def ok(status: int) -> None:
    assert_status(status, ACL_SUCCESS)


def whole_flow() -> np.ndarray:
    """Every function of tier 1, in the order of the samples; the result of SoftmaxBackward."""
    context, stream, size, executor = aclrtContext(), aclrtStream(), c_uint64(), aclOpExecutor()
    ok(aclInit(None))
    ok(aclrtSetDevice(0))
    ok(aclrtCreateContext(byref(context), 0))
    ok(aclrtSetCurrentContext(context))
    ok(aclrtCreateStream(byref(stream)))
    addresses: list[c_void_p] = []
    tensors: list[aclTensor] = []
    for value in (3, 1, 0):
        address, values = c_void_p(), np.full((8, 2), value, np.float32)
        ok(aclrtMalloc(byref(address), 64, ACL_MEM_MALLOC_HUGE_FIRST))
        ok(aclrtMemcpy(address, 64, values, 64, ACL_MEMCPY_HOST_TO_DEVICE))
        strides = [1, 8] if value == 3 else None  # one that is not contiguous needs a workspace
        tensors.append(aclCreateTensor([8, 2], 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, [16], 1, address))
        addresses.append(address)
    ok(aclnnSoftmaxBackwardGetWorkspaceSize(tensors[0], tensors[1], 0, tensors[2], byref(size), byref(executor)))
    assert size.value > 0
    workspace, out = c_void_p(), np.zeros((8, 2), np.float32)
    ok(aclrtMalloc(byref(workspace), size.value, ACL_MEM_MALLOC_HUGE_FIRST))
    ok(aclnnSoftmaxBackward(workspace, size.value, executor, stream))
    ok(aclrtSynchronizeStream(stream))
    ok(aclrtMemcpy(out, 64, addresses[2], 64, ACL_MEMCPY_DEVICE_TO_HOST))
    for tensor in tensors:
        ok(aclDestroyTensor(tensor))
    for address in (*addresses, workspace):
        ok(aclrtFree(address))
    ok(aclrtDestroyStream(stream))
    ok(aclrtDestroyContext(context))
    ok(aclrtResetDevice(0))
    ok(aclFinalize())
    return out


@pytest.mark.fidelity("systems other than Linux")
@pytest.mark.parametrize("options", [{"window": False}, {"window": True}, {"window": False, "fill": None}], ids=str)
def test_a_whole_program_works_with_and_without_windows(options: dict[str, Any]) -> None:
    """All calls of tier 1 return 0, the result is right, and there is no finding, with windows and with plain numbers
    (public; ours)."""
    with Machine(**options) as machine:
        assert np.unique(whole_flow()).tolist() == [SOFTMAX_RESULT]
    assert list(machine.findings) == []
    check_documented(machine)


@pytest.mark.fidelity("device addresses and handles")
@pytest.mark.parametrize("window", [True, False])
def test_addresses_tell_the_side(window: bool) -> None:
    """A device address is never a host address: reading it as host memory is a finding. Freeing an address inside an
    allocation returns 107000 (ours)."""
    with Machine(window=window, device_count=2) as machine:
        aclrtSetDevice(0)
        address = malloc(64)
        aclrtSetDevice(1)
        other = malloc(64)
        for number, each in enumerate((address, other)):
            assert machine.memory_at(each) is machine.devices[number].memory
        assert machine.memory_at(np.zeros(1).__array_interface__["data"][0]) is None
        values = np.arange(64, dtype=np.uint8)
        ok(aclrtMemcpy(address, 64, values, 64, ACL_MEMCPY_HOST_TO_DEVICE))
        ok(aclrtMemcpy(other, 64, address, 64, ACL_MEMCPY_HOST_TO_DEVICE))
        assert np.array_equal(machine.read(other, 64, "u1"), values)
        assert_status(aclrtFree(address + 64), ACL_ERROR_RT_PARAM_INVALID, "device 0 + ")
        assert finding_of(lambda: aclCreateScalar(address, ACL_FLOAT))[0] == "host-overrun"


def reserved() -> list[range]:
    """The large address ranges of this process that can be neither read nor written."""
    ranges: list[range] = []
    for line in Path("/proc/self/maps").read_text().splitlines():
        bounds, rights = line.split()[:2]
        low, high = (int(bound, 16) for bound in bounds.split("-"))
        if rights.startswith("---") and high - low >= 16 * GIB:
            ranges.append(range(low, high))
    return ranges


@pytest.mark.fidelity("device addresses and handles")
def test_ranges_are_reserved_late_and_returned_on_exit() -> None:
    """1 TiB a device, inaccessible, reserved at the first allocation, returned on exit; a range for handles (ours)."""
    before = reserved()
    with Machine(window=True):
        assert reserved() == before, "no call, no range"
        aclrtSetDevice(0)
        stream = create_stream()
        address = malloc(64)
        during = reserved()
        around = [each for each in during if address in each]
        assert [len(each) for each in around] == [TIB]
        assert [each for each in during if stream.value in each] != around
    assert reserved() == before


@pytest.mark.fidelity("device addresses and handles")
def test_a_machine_leaves_the_ranges_of_a_living_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside a machine that lives, every later one has addresses that messages know as a device's, and handles that
    they know as handles (ours)."""
    moved: list[int] = []
    monkeypatch.setattr(process, "range_moved", lambda start, size: moved.append(start))
    with Machine(window=True):
        aclrtSetDevice(0)
        living, stream = malloc(64), create_stream().value
        for _ in range(HANDLE_RANGES + 1):
            with Machine(window=True, on_undefined="report"):
                aclrtSetDevice(0)
                assert (address := malloc(64)) != living
                assert looks_like_device_address(address)
                assert (other := create_stream().value) != stream
                assert HINT <= other < HINT + HANDLE_RANGES * ROOM
    assert moved == []


@pytest.mark.fidelity("device addresses and handles")
def test_the_system_chooses_if_no_range_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread sanitizer may refuse every address: then a range is where the system puts it, once, and no other is
    left (ours)."""
    real, moved, mapped = windows.libc(), list[int](), set[int]()

    def mmap(hint: int, *rest: int) -> int:
        mapped.add(start := real.mmap(None, *rest))
        return start

    def munmap(start: int, size: int) -> int:
        mapped.remove(start)
        return real.munmap(start, size)

    monkeypatch.setattr(windows, "libc", lambda: SimpleNamespace(mmap=mmap, munmap=munmap))
    monkeypatch.setattr(process, "range_moved", lambda start, size: moved.append(start))
    with Machine(window=True):
        aclrtSetDevice(0)
        address, stream = malloc(64), create_stream().value
        assert mapped == set(moved)
        assert len(moved) == 2
        assert any(start <= address < start + TIB for start in moved)
        assert any(start <= stream < start + ROOM for start in moved)
    assert not mapped


@pytest.mark.parametrize("window", [True, False])
def test_devices_of_one_machine_have_different_addresses(window: bool) -> None:
    """Also if their ranges are so large that few of them are left for other machines (ours)."""
    with Machine(device_count=8, hbm_bytes=2 * TIB, window=window) as machine:
        places = list[int]()
        for device in range(8):
            aclrtSetDevice(device)
            places.append(malloc(64))
        assert [machine.memory_at(place).device for place in places] == list(range(8))


def test_no_range_without_windows() -> None:
    """window=False reserves nothing (ours)."""
    before = reserved()
    with Machine(window=False):
        aclrtSetDevice(0)
        assert malloc(64)
        assert reserved() == before


def test_window_is_halved_on_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """1 TiB a device, halved until the system grants it (ours)."""
    real, requested = windows.libc(), list[int]()

    def mmap(hint: int, size: int, *rest: int) -> int | None:
        requested.append(size)
        return real.mmap(hint, size, *rest) if size <= 32 * GIB else windows.FAILED

    monkeypatch.setattr(windows, "libc", lambda: SimpleNamespace(mmap=mmap, munmap=real.munmap))
    with Machine(hbm_bytes=GIB, window=True) as machine:
        aclrtSetDevice(0)
        requested.clear()
        address = malloc(1 << 20)
        ok(aclrtMemcpy(address, 4, b"abcd", 4, ACL_MEMCPY_HOST_TO_DEVICE))
        assert machine.read(address, 4, "u1").tobytes() == b"abcd"
    assert requested == [TIB, TIB // 2, TIB // 4, TIB // 8, TIB // 16, TIB // 32]


@pytest.mark.fidelity("device addresses and handles")
@pytest.mark.parametrize("window", [True, False])
def test_a_used_up_window_reuses_the_longest_freed_addresses(window: bool) -> None:
    """Addresses are not reused before the window is used up; then the longest-freed come back, with fresh contents
    (ours)."""
    with Machine(window=window, hbm_bytes=4 * GIB) as machine:
        aclrtSetDevice(0)
        given: list[int] = []
        for _ in range(1023):
            given.append(malloc(GIB))
            ok(aclrtMemcpy(given[-1], 4, b"abcd", 4, ACL_MEMCPY_HOST_TO_DEVICE))
            ok(aclrtFree(given[-1]))
        assert len(set(given)) == 1023
        again = [malloc(GIB), malloc(GIB)]
        assert again == given[:2]
        assert machine.read(again[0], 4, "u1").tolist() == [0xFF] * 4
        assert finding_of(lambda: aclrtMemcpy(again[0] + GIB - 1, 2, b"ab", 2, 1))[0] == "memcpy-size"
