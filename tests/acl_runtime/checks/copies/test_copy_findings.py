"""Findings of copies at the call: bad host addresses, memory that is too small. Never a crash of the interpreter, no
effect on the target (ours)."""

import ctypes
from collections.abc import Callable, Iterator
from ctypes import byref, c_size_t

import numpy as np
import pytest

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward
from tests.helpers.builders import malloc
from tests.helpers.creating import malloc_host
from tests.helpers.machines import board
from tests.helpers.memory.kinds_of_memory import PAGE, host_pages, place, protect
from tests.helpers.memory.ways_to_copy import COPIES, QUEUED, Copy, batch
from tests.helpers.outcomes import assert_status, errors, finding_of, ok
from tests.helpers.planned_operators import softmax

BAD = ACL_ERROR_RT_PARAM_INVALID
both_modes = pytest.mark.parametrize("mode", ["raise", "report"])
each_copy = pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES)
each_queued = pytest.mark.parametrize("copy", QUEUED.values(), ids=QUEUED)


@pytest.fixture
def pages() -> Iterator[int]:
    """Four pages of the host."""
    with host_pages() as address:
        yield address


def bad_host(name: str, pages: int) -> int:
    """The address of 4 pages of host memory that a copy cannot have."""
    if name == "freed pinned memory":
        address = malloc_host(4 * PAGE)
        ok(aclrtFreeHost(address))
        return address
    rights = {"the last page is gone": 0, "the last page is read-only": 1}
    if name in rights:
        protect(pages + 3 * PAGE, rights[name])
        return pages
    return int(name, 0)


BAD_HOSTS = ("0x10", "0x7ffffffff000", "0x8000000000000000", "freed pinned memory", "the last page is gone")


@both_modes
@each_copy
@pytest.mark.parametrize("name", [*BAD_HOSTS, "the last page is read-only"])
@pytest.mark.parametrize("side", ["dst", "src"])
def test_a_bad_host_address_is_host_overrun(pages: int, copy: Copy, mode: str, name: str, side: str) -> None:
    """An int that is no host memory, not all of it, or none any more: host-overrun, or 107000 in a machine that only
    reports, and no effect, not on the first page or row either."""
    with board(on_undefined=mode) as machine:
        bad, device = bad_host(name, pages), place(machine, "device", [7] * 4 * PAGE)
        dst, src = (bad, device.address) if side == "dst" else (device.address, bad)
        if (name, side) == ("the last page is read-only", "src"):
            ok(copy(dst, src, 4 * PAGE))
            assert device.get() == [9] * 4 * PAGE, "it may be read"
            return
        if mode == "raise":
            id, message = finding_of(lambda: copy(dst, src, 4 * PAGE))
            assert (id, side in message) == ("host-overrun", True)
        else:
            assert_status(copy(dst, src, 4 * PAGE), BAD, "(EL0003)", side)
            ok(aclrtSynchronizeStream(None))
        assert device.get() == [7] * 4 * PAGE
        assert ctypes.string_at(pages, 3 * PAGE) == b"\t" * 3 * PAGE
        assert errors(machine) == ["host-overrun"]


@both_modes
@each_copy
@pytest.mark.parametrize("side", ["dst", "src"])
@pytest.mark.parametrize("kind", ["pinned", "registered", "plain"])
def test_a_too_small_host_object_is_host_overrun(copy: Copy, mode: str, kind: str, side: str) -> None:
    """Past the end of what is known of the host: host-overrun with the sizes, nothing is copied."""
    with board(on_undefined=mode) as machine:
        small, device = place(machine, kind, [9] * 15), place(machine, "device", [7] * 16)
        pair = (small.pointer, device.address) if side == "dst" else (device.address, small.pointer)
        if mode == "raise":
            id, message = finding_of(lambda: copy(*pair, 16))
            assert (id, side in message, "16 bytes" in message) == ("host-overrun", True, True)
            assert "15 bytes" in message
        else:
            assert_status(copy(*pair, 16), BAD, side, "16 bytes", "15 bytes")
            ok(aclrtSynchronizeStream(None))
        assert (small.get(), device.get()) == ([9] * 15, [7] * 16)


@both_modes
@each_copy
@pytest.mark.parametrize("side", ["dst", "src"])
def test_a_copy_past_an_allocation_is_memcpy_size(copy: Copy, mode: str, side: str) -> None:
    """memcpy-size; in a machine that only reports "reads past the end give the fill, writes past the end are
    dropped"."""
    with board(on_undefined=mode) as machine:
        device, host = place(machine, "device", [7] * 12), place(machine, "pinned", [9] * 16)
        pair = (device.address, host.address) if side == "dst" else (host.address, device.address)
        if mode == "raise":
            id, message = finding_of(lambda: copy(*pair, 16))
            assert (id, side in message, "= 16 bytes" in message) == ("memcpy-size", True, True)
            assert "12 bytes" in message
            ok(aclrtSynchronizeStream(None))
            assert (device.get(), host.get()) == ([7] * 12, [9] * 16)
        else:
            ok(copy(*pair, 16))
            ok(aclrtSynchronizeStream(None))
            assert device.get() == [9 if side == "dst" else 7] * 12
            assert host.get() == ([9] * 16 if side == "dst" else [7] * 12 + [0xFF] * 4)
        assert errors(machine) == ["memcpy-size"]


def test_the_text_tells_what_was_asked_for() -> None:
    """By the names of the call's own parameters; the pieces of a batch by their index."""
    kind = ACL_MEMCPY_HOST_TO_DEVICE
    with board() as machine:
        device, host = place(machine, "device", [7] * 60).address, place(machine, "pinned", [9] * 64).address
        dsts, srcs, sizes = [device, device + 56], [host, host], [8, 8]
        calls: dict[str, Callable[[], object]] = {
            "count = 64 bytes, but dst has 60": lambda: aclrtMemcpy(device, 64, host, 64, kind),
            "dpitch * (height - 1) + width = 40 * 1 + 24 = 64 bytes, but dst has 60": (
                lambda: aclrtMemcpy2d(device, 40, host, 32, 24, 2, kind)
            ),
            "spitch * (height - 1) + width = 48 * 1 + 24 = 72 bytes, but src is a host object of 64": (
                lambda: aclrtMemcpy2d(device, 24, host, 48, 24, 2, kind)
            ),
            "4 * N = 64 bytes, but ptr has 60": lambda: aclrtMemsetD32(device, 64, 0, 16),
            "count = 8 bytes, but dsts[1] has 4": (
                lambda: aclrtMemcpyBatch(dsts, sizes, srcs, sizes, 2, *batch(device, host), byref(c_size_t()))
            ),
        }
        for said, call in calls.items():
            assert said in finding_of(call)[1]


def test_a_buffered_source_is_read_at_the_call(pages: int) -> None:
    """Kind 5 reads its source at the call, so the call tells; a read-only array is a fine source."""
    with board() as machine:
        device = place(machine, "device", [7] * 8)
        kind = ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE
        assert finding_of(lambda: aclrtMemcpyAsync(device.address, 8, 0x10, 8, kind, None))[0] == "host-overrun"
        assert finding_of(lambda: aclrtMemcpyAsync(device.address, 8, b"1234567", 8, kind, None))[0] == "host-overrun"
        protect(pages, 1)
        ok(aclrtMemcpyAsync(device.address, 8, pages, 8, kind, None))
        protect(pages, 0)
        ok(aclrtSynchronizeStream(None))
        assert device.get() == [9] * 8


@each_copy
def test_a_read_only_object_is_a_source_but_no_target(copy: Copy) -> None:
    """As a target a TypeError, as the C compiler would say of const; as a source fine (ours)."""
    with board() as machine:
        device, fixed = place(machine, "device", [7] * 8), np.full(8, 5, np.uint8)
        fixed.flags.writeable = False
        for target in (fixed, b"12345678", memoryview(b"12345678")):
            with pytest.raises(TypeError, match="memory that can be written"):
                copy(target, device.address, 8)
        ok(copy(device.address, fixed, 8))
        assert (device.get(), fixed.tolist()) == ([5] * 8, [5] * 8)


def test_wild_address_does_not_wait_in_vain() -> None:
    """Wrong addresses are reported before a blocking copy waits for the stream."""
    with board() as machine:
        device = place(machine, "device", [7] * 8)
        ok(aclrtMemsetAsync(device.address, 8, 1, 8, None))
        arguments = (device.address, 8, np.zeros(7, np.uint8), 8, ACL_MEMCPY_HOST_TO_DEVICE, None)
        assert finding_of(lambda: aclrtMemcpyAsync(*arguments))[0] == "host-overrun"
        assert device.get() == [7] * 8
        assert not machine.tasks


ELEMENTS: dict[str, tuple[object, int, int, list[str]]] = {
    "15 of 60 bytes": (np.zeros((3, 5), np.float32), 15, 60, ["warning"]),
    "8 elements": (np.zeros(8, np.float16), 8, 16, ["warning"]),
    "7 elements": (np.zeros(7, np.float16), 7, 14, ["advice"]),
    "a ctypes array": ((ctypes.c_int64 * 9)(), 9, 72, ["warning"]),
    "more on the device": (np.zeros(16, np.float32), 16, 640, ["warning"]),
    "all bytes": (np.zeros(16, np.float32), 64, 64, []),
    "another part": (np.zeros(16, np.float32), 20, 64, []),
    "a slice": (np.zeros(16, np.float32)[:4], 16, 64, []),
    "a row": (np.zeros((4, 4), np.float32)[0], 16, 64, []),
    "all that the device has": (np.zeros(16, np.float32), 16, 63, []),
    "elements of a byte": (np.zeros(16, np.uint8), 16, 64, []),
    "bytes": (bytearray(64), 16, 64, []),
    "a memoryview of bytes": (memoryview(bytearray(64)), 64, 64, []),
}
"""the target, the bytes of the copy, the bytes of device memory, the levels of the findings"""


@pytest.mark.fidelity("a copy to the host whose bytes are as many as the elements of the array")
@pytest.mark.parametrize("case", ELEMENTS)
def test_a_count_of_elements(case: str) -> None:
    """Elements for bytes on the way to the host; a part that is meant is a slice of the array."""
    target, count, size, levels = ELEMENTS[case]
    for call in (aclrtMemcpy, aclrtMemcpyAsync):
        with board() as machine:
            address, stream = malloc(size), [None] * (call is aclrtMemcpyAsync)
            ok(aclrtMemset(address, size, 7, size))
            for _ in range(2):
                ok(call(target, 640, address, count, ACL_MEMCPY_DEVICE_TO_HOST, *stream))
            found = [finding for finding in machine.findings if finding.id == "memcpy-elements"]
        assert [finding.level for finding in found] == levels, "once for each line"
        assert all(f"{count} bytes" in finding.what for finding in found)


@pytest.mark.fidelity("a copy to the host whose bytes are as many as the elements of the array")
@pytest.mark.parametrize("queued", [False, True])
@pytest.mark.parametrize("gap", [0, 64])
def test_pieces_of_as_many_bytes_as_the_array_has_elements(gap: int, *, queued: bool) -> None:
    """A copy that goes on behind the last one shows that the program counts bytes."""
    with board() as machine:
        values, device = np.zeros(1024, np.float32), malloc(8192)
        ok(aclrtMemset(device, 8192, 7, 8192))
        for place in (0, 1024 + gap):
            target, source, kind = values[place // 4 :], device + place, ACL_MEMCPY_DEVICE_TO_HOST
            if queued:
                ok(aclrtMemcpyAsync(target, 1024, source, 1024, kind, None))
            else:
                ok(aclrtMemcpy(target, 1024, source, 1024, kind))
        ok(aclrtSynchronizeStream(None))
        assert [finding.id for finding in machine.findings.worth_telling] == ["memcpy-elements"] * bool(gap)


OF_TENSORS = {"elements": (15, 60, 1), "all bytes": (60, 60, 0), "a part": (15, 15, 0), "another part": (20, 60, 0)}
"""the bytes of the copy, those that the target has, the number of findings"""


@pytest.mark.fidelity("a copy to the host whose bytes are as many as the elements of the array")
@pytest.mark.parametrize("case", OF_TENSORS)
def test_a_count_of_elements_of_a_tensor(case: str) -> None:
    """C and pyACL pass an address, whose array is unknown: `destMax` has the bytes of the tensor on the device."""
    count, room, number = OF_TENSORS[case]
    memory = ctypes.addressof(kept := (ctypes.c_char * 60)())
    for call in (aclrtMemcpy, aclrtMemcpyAsync):
        with board() as machine:
            *_, out, planned = softmax(15)
            ok(aclnnSoftmaxBackward(None, 0, planned.executor, None))
            ok(aclrtSynchronizeStream(None))
            stream = [None] * (call is aclrtMemcpyAsync)
            ok(call(memory, room, out.address, count, ACL_MEMCPY_DEVICE_TO_HOST, *stream))
            found = [finding.what for finding in machine.findings if finding.id == "memcpy-elements"]
        assert len(found) == number
        words = "count = 15 bytes, which is the number of elements of the tensor at src; these are 60 bytes."
        assert all(words in what for what in found)
    del kept


def test_a_count_of_elements_in_pinned_memory() -> None:
    with board() as machine:
        address, device = malloc_host(64), malloc(64)
        ok(aclrtMemset(device, 64, 7, 64))
        array = np.frombuffer((ctypes.c_char * 64).from_address(address), np.float32)
        ok(aclrtMemcpyAsync(array, 64, device, array.size, ACL_MEMCPY_DEVICE_TO_HOST, None))
        ok(aclrtSynchronizeStream(None))
        assert [finding.id for finding in machine.findings.worth_telling] == ["memcpy-elements"]


def test_the_text_of_a_bad_source_has_the_bytes_of_the_call() -> None:
    """Also where the target has fewer, so that fewer bytes are read."""
    with board(on_undefined="report") as machine:
        assert aclrtMemcpy(malloc(64), 128, 0x10, 128, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_ERROR_RT_PARAM_INVALID
        (overrun,) = (finding for finding in machine.findings if finding.id == "host-overrun")
        assert "src = 0x10 is no host memory of 128 bytes" in overrun.what
