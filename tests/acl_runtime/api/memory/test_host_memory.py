"""Pinned memory of the host: aclrtMallocHost, aclrtFreeHost (public)."""

import ctypes
from collections.abc import Callable
from ctypes import byref, c_uint8, c_void_p
from pathlib import Path

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.errors import DeviceFault
from acl_runtime.memory import chunk as chunks
from acl_runtime.memory import pinned as pinned_memory
from acl_runtime.memory.ranges import Range, Use
from acl_runtime.streams.stream import Task
from tests.conftest import check_documented
from tests.helpers.builders import malloc
from tests.helpers.host_threads import in_thread
from tests.helpers.machines import board
from tests.helpers.outcomes import assert_status, finding_of, text
from tests.helpers.own_process import in_own_process, program

MIB, GIB = 1 << 20, 1 << 30


def malloc_host(size: int) -> int:
    """The address of new pinned host memory."""
    pointer = c_void_p()
    assert aclrtMallocHost(byref(pointer), size) == ACL_SUCCESS, text()
    assert pointer.value
    return pointer.value


def view(address: int, size: int) -> np.ndarray:
    """The bytes as an array, as host code accesses them."""
    return np.ctypeslib.as_array((c_uint8 * size).from_address(address))


def resident_mib() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 >> 20


def mappings() -> int:
    return len(Path("/proc/self/maps").read_text().splitlines())


def queue(machine: Machine, low: int, high: int, work: Callable[[], None] = lambda: None) -> None:
    """Queue a task in the default stream that uses the bytes [low, high)."""
    context = machine.find_context()
    assert context is not None
    with machine.lock:
        machine.submit(context.default_stream, Task("copy", work, (Range(low, high, "source", Use.READ),), "here"))


# allocation

CALLS: dict[str, Callable[[c_void_p | None, int], int]] = {
    "aclrtMallocHost": lambda out, size: aclrtMallocHost(out if out is None else byref(out), size),
    "aclrtMallocHostWithCfg": lambda out, size: aclrtMallocHostWithCfg(out if out is None else byref(out), size, None),
}
each_malloc = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


@each_malloc
def test_malloc_refuses_null_then_size_0_then_no_context(
    machine: Machine, call: Callable[[c_void_p | None, int], int]
) -> None:
    """Null, size 0 -> 100000; needs a context -> 107002, which "does close" with an EE1001 line."""
    out = c_void_p(7)
    assert_status(call(None, 0), ACL_ERROR_INVALID_PARAM, "(EH0008)", "tr cannot be a NULL pointer")
    assert_status(call(out, 0), ACL_ERROR_INVALID_PARAM, "(EH0007)", "parameter size")

    def work() -> None:
        assert call(out, 0) == ACL_ERROR_INVALID_PARAM
        text()
        assert_status(call(out, 64), ACL_ERROR_RT_CONTEXT_NULL, "(EE1018)", "TraceBack", "rtMallocHost")

    in_thread(work)
    assert out.value == 7


@pytest.mark.fidelity("pinned host memory")
@each_malloc
@pytest.mark.parametrize("size", [1, 33, 4096, 4097, 3 * MIB, 100 * MIB])
def test_host_code_reads_and_writes_pinned_memory(
    machine: Machine, call: Callable[[c_void_p | None, int], int], size: int
) -> None:
    """ "readable/writable by host code directly", 64-byte aligned, "size rounded up to 32"; ours: it starts at a page,
    and holds zeros."""
    out = c_void_p()
    assert call(out, size) == ACL_SUCCESS
    assert out.value
    assert out.value % 4096 == 0
    bytes_ = view(out.value, -(-size // 32) * 32)
    assert not bytes_.any()
    bytes_[:] = 7
    ctypes.memset(out.value, 8, 1)
    assert (bytes_[0], bytes_[-1], len(bytes_) % 32) == (8, 8 if len(bytes_) == 1 else 7, 0)
    assert machine.memory_at(out.value) is None


def test_pieces_do_not_overlap(machine: Machine) -> None:
    """Allocations share no bytes, and each is found by any address inside it."""
    pieces = [(malloc_host(size), size) for size in (1, 100, 4096, 5000, 70 * MIB, 32)]
    for value, (address, size) in enumerate(pieces):
        view(address, size)[:] = value
    for value, (address, size) in enumerate(pieces):
        assert np.unique(view(address, size)).tolist() == [value]
        for inside in (address, address + size - 1):
            found = machine.pinned.holding(inside)
            assert found is not None
            assert (found.address, found.size) == (address, size)
        beyond = machine.pinned.holding(address + size)
        assert beyond is None or beyond.address == address + size
    assert str(machine.pinned.holding(pieces[3][0])) == "pinned host memory 4 (5000 bytes)"


def test_copies_to_and_from_it(machine: Machine) -> None:
    """aclrtMemcpy recognises it as host memory by its address alone."""
    source, target, device = malloc_host(64), malloc_host(64), malloc(64)
    view(source, 64)[:] = np.arange(64)
    assert aclrtMemcpy(device, 64, source, 64, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS
    assert aclrtMemcpy(target, 64, device, 64, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS
    assert view(target, 64).tolist() == list(range(64))


@pytest.mark.parametrize("size", [1 << 45, (1 << 64) - 1], ids=hex)
def test_a_host_without_memory_answers_207001(machine: Machine, size: int) -> None:
    """207001 with a text that says it was the host (ours); the pointer is null."""
    out = c_void_p(7)
    assert_status(
        aclrtMallocHost(byref(out), size),
        ACL_ERROR_RT_MEMORY_ALLOCATION,
        "(EE1013)",
        f"{size} bytes",
        "the host does not have",
    )
    assert out.value is None
    assert aclrtPeekAtLastError(0) == ACL_ERROR_RT_MEMORY_ALLOCATION


@pytest.mark.fidelity("pinned host memory")
def test_all_memory_of_the_host(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The host has a limit for live pinned memory: its own memory. A free makes memory available again (ours)."""
    monkeypatch.setattr(pinned_memory, "_host_bytes", lambda: 10 * MIB)
    first = malloc_host(4 * MIB)
    malloc_host(4 * MIB)
    assert aclrtMallocHost(byref(c_void_p()), 4 * MIB) == ACL_ERROR_RT_MEMORY_ALLOCATION
    assert aclrtFreeHost(first) == ACL_SUCCESS
    malloc_host(4 * MIB)


def test_system_that_maps_no_more(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failed mapping returns 207001 and leaks nothing."""

    def full(_: object, size: int, *, two_addresses: bool) -> None:
        raise MemoryError("Cannot allocate memory")

    monkeypatch.setattr(chunks.Chunk, "__init__", full)
    assert_status(aclrtMallocHost(byref(c_void_p()), 64), ACL_ERROR_RT_MEMORY_ALLOCATION, "Cannot allocate memory")
    assert list(machine.pinned) == []


# free

BAD: dict[str, tuple[Callable[[], object], str, str]] = {
    "device pointer -> 107000 (EE1011)": (lambda: malloc(64), "EE1011", "aclrtFree frees it"),
    "double free -> 107000": (lambda: (address := malloc_host(64), aclrtFreeHost(address))[0], "EL0003", "freed at"),
    "interior -> 107000": (lambda: malloc_host(64) + 32, "EL0003", "32 bytes inside pinned host memory 1 (64 bytes)"),
    "plain malloc memory -> 107000": (lambda: np.zeros(64), "EL0003", "no pinned host memory"),
    "a wild number -> 107000": (lambda: 0x10, "EL0003", "0x10"),
}
FREES = {"aclrtFreeHost": aclrtFreeHost, "aclrtFreeHostWithDevSync": aclrtFreeHostWithDevSync}
each_free = pytest.mark.parametrize("free", FREES.values(), ids=FREES)


@each_free
@pytest.mark.parametrize(("pointer", "code", "words"), BAD.values(), ids=BAD)
def test_freeing_what_is_no_pinned_memory_is_107000(
    machine: Machine, free: Callable[[object], int], pointer: Callable[[], object], code: str, words: str
) -> None:
    """ "device pointer -> 107000 (EE1011)"; plain memory, double free: the driver's 107000 (public)."""
    assert_status(free(pointer()), ACL_ERROR_RT_PARAM_INVALID, f"({code})", "hostPtr", words)
    assert aclrtPeekAtLastError(0) == ACL_ERROR_RT_PARAM_INVALID


@each_free
def test_freeing_null_is_100000_without_a_context(machine: Machine, free: Callable[[object], int]) -> None:
    """100000, before any context is needed."""
    for null in (None, 0, c_void_p()):
        assert_status(free(null), ACL_ERROR_INVALID_PARAM, "(EH0008)", "hostPtr")
    assert in_thread(lambda: free(None)) == ACL_ERROR_INVALID_PARAM


def test_free_needs_no_context_unless_it_waits(machine: Machine) -> None:
    """aclrtFreeHost works in any thread (ours). aclrtFreeHostWithDevSync synchronises, which needs a context."""
    address = malloc_host(64)
    assert in_thread(lambda: aclrtFreeHostWithDevSync(address)) == ACL_ERROR_RT_CONTEXT_NULL
    assert in_thread(lambda: aclrtFreeHost(address)) == ACL_SUCCESS


def test_pinned_memory_is_no_device_memory(machine: Machine) -> None:
    """aclrtFree of it -> 107000 (public)."""
    address = malloc_host(64)
    assert_status(aclrtFree(address), ACL_ERROR_RT_PARAM_INVALID, "(EL0003)", "pinned host memory 1 (64 bytes)")
    assert aclrtFreeHost(address) == ACL_SUCCESS


def test_a_free_under_queued_work_is_pinned_reuse(machine: Machine) -> None:
    """Finding pinned-reuse: free pinned host buffer before the copy is done; the free had no effect."""
    address = malloc_host(64)
    queue(machine, address + 32, address + 40)
    id, message = finding_of(lambda: aclrtFreeHost(address))
    assert id == "pinned-reuse"
    for word in ("pinned host memory 1 (64 bytes)", "allocated at", "source of copy", "aclrtSynchronizeStream"):
        assert word in message
    assert machine.pinned.at(address) is not None
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    assert aclrtFreeHost(address) == ACL_SUCCESS


def test_a_free_beside_queued_work_or_after_a_wait_is_fine(machine: Machine) -> None:
    """The good twin: work on other memory, or a wait first."""
    address, other = malloc_host(64), malloc_host(64)
    queue(machine, other, other + 64)
    assert aclrtFreeHost(address) == ACL_SUCCESS
    assert aclrtFreeHostWithDevSync(other) == ACL_SUCCESS


def test_free_under_queued_work_in_a_machine_that_reports() -> None:
    """Recorded, and the free happens (ours)."""
    with Machine(on_undefined="report") as machine:
        aclrtSetDevice(0)
        address = malloc_host(64)
        queue(machine, address, address + 64)
        assert aclrtFreeHost(address) == ACL_SUCCESS
        assert [finding.id for finding in machine.findings] == ["pinned-reuse"]
        assert machine.pinned.freed_at(address) is not None
    check_documented(machine)


def test_free_with_synchronisation_of_a_stream_that_failed(machine: Machine) -> None:
    """The call that waits returns the failure and does not free the memory (ours)."""

    def fail() -> None:
        raise DeviceFault(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION)

    address = malloc_host(64)
    queue(machine, address, address + 64, fail)
    assert aclrtFreeHostWithDevSync(address) == ACL_ERROR_RT_VECTOR_CORE_EXCEPTION
    assert aclrtFreeHostWithDevSync(address) == ACL_SUCCESS


# quarantine


@pytest.mark.fidelity("pinned host memory")
def test_freed_memory_is_set_aside(machine: Machine) -> None:
    """ "quarantined when freed until the machine closes": its addresses are not used again, and reading them crashes
    nothing; it is known as freed."""
    address = malloc_host(5000)
    seen = view(address, 5000)
    seen[:] = 7
    assert aclrtFreeHost(address) == ACL_SUCCESS
    others = [malloc_host(5000) for _ in range(100)]
    assert address not in others
    for other in others:
        view(other, 5000)[:] = 9
    assert np.unique(seen).tolist() == [0]
    dead = machine.pinned.freed_at(address + 4999)
    assert dead is not None
    assert "allocated at" in dead.history()
    assert "freed at" in dead.history()
    assert machine.pinned.freed_at(address + 5000) is None
    assert machine.pinned.freed_at(others[0]) is None
    assert machine.pinned.freed_at(0x10) is None


@in_own_process
def test_many_small_pairs_keep_memory_bounded() -> None:
    """12,000 pairs, each written to: resident memory stays bounded, where a page each would be 46 MiB, and so do the
    mappings of the process, of which the kernel allows 65,530."""
    with board():
        resident, mapped = resident_mib(), mappings()
        addresses: dict[int, None] = {}
        for _ in range(12_000):
            address = malloc_host(100)
            addresses[address] = None
            ctypes.memset(address, 7, 100)
            assert aclrtFreeHost(address) == ACL_SUCCESS
        assert len(addresses) == 12_000
        assert resident_mib() - resident < 30
        assert mappings() - mapped < 50
        assert_status(aclrtFreeHost(next(iter(addresses))), ACL_ERROR_RT_PARAM_INVALID, "freed long ago")


@in_own_process
def test_many_live_allocations_need_no_mapping_each() -> None:
    """20,000 live allocations need no mapping each."""
    with board() as machine:
        mapped, memory = mappings(), machine.pinned
        pieces = [memory.allocate(32) for _ in range(20_000)]
        assert mappings() - mapped < 50
        for piece in pieces[::2]:
            memory.free(piece)
        assert mappings() - mapped < 50
        assert memory.holding(pieces[-1].address + 31) is pieces[-1]
        for piece in pieces[1::2]:
            memory.free(piece)
        assert memory.used == 0


@in_own_process
def test_large_pairs_do_not_pile_up_memory() -> None:
    """100 pairs of 1 GiB, each written to: memory stays bounded. Each takes two mappings, until addresses are used
    up."""
    with board():
        resident, mapped = resident_mib(), mappings()
        for _ in range(100):
            address = malloc_host(GIB)
            ctypes.memset(address, 7, 3 * MIB)
            assert aclrtFreeHost(address) == ACL_SUCCESS
        assert resident_mib() - resident < 40
        assert mappings() - mapped < 250


def test_a_system_without_memory_that_can_be_mapped_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a second mapping, streams use the same addresses as the host, and there are no watchpoints."""

    def none(_: str, __: int) -> int:
        raise OSError("Function not implemented")

    monkeypatch.setattr(chunks.os, "memfd_create", none, raising=False)
    with Machine() as machine:
        assert aclrtSetDevice(0) == ACL_SUCCESS
        address = malloc_host(64)
        assert (pinned := machine.pinned.at(address)) is not None
        assert pinned.shift == 0
        assert aclrtMemcpyAsync(address, 64, device_of(b"7" * 64), 64, ACL_MEMCPY_DEVICE_TO_HOST, None) == ACL_SUCCESS
        assert view(address, 64).tolist() == [0] * 64
        assert aclrtSynchronizeStream(None) == ACL_SUCCESS
        assert view(address, 64).tobytes() == b"7" * 64
        assert machine.findings.worth_telling == []


def device_of(values: bytes) -> int:
    """Device memory that holds these bytes."""
    address = malloc(len(values))
    assert aclrtMemcpy(address, len(values), values, len(values), ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS
    return address


def test_the_longest_freed_addresses_come_back_zeroed(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """When addresses are used up, the longest-freed ones are reused, zeroed. Live memory is not affected."""
    monkeypatch.setattr(pinned_memory, "CHUNK_LIMIT", 4 * chunks.CHUNK)
    piece = chunks.CHUNK // 2
    kept = malloc_host(piece)
    view(kept, 1)[:] = 5
    addresses: list[int] = []
    for _ in range(7):
        addresses.append(malloc_host(piece))
        view(addresses[-1], 1)[:] = 7
        assert aclrtFreeHost(addresses[-1]) == ACL_SUCCESS
    assert len(set(addresses)) == 7
    again = [malloc_host(piece), malloc_host(piece)]
    assert again == addresses[1:3], "the first shares its chunk with what is live"
    assert view(again[0], 1).tolist() == [0]
    assert view(kept, 1).tolist() == [5]
    assert machine.pinned.freed_at(again[0]) is None
    large = malloc_host(3 * piece)
    assert large not in addresses, "more than any chunk has: a new one, beyond the room if need be"


# the end


def test_leaked_memory_is_a_warning_with_size_and_site(machine: Machine) -> None:
    """Warning host-mem-leaked: size and site (findings); freed memory is not reported."""
    with Machine() as inner:
        aclrtSetDevice(0)
        for _ in range(2):
            malloc_host(96)
        assert aclrtFreeHost(malloc_host(64)) == ACL_SUCCESS
    leaks = [finding for finding in inner.findings if finding.id == "host-mem-leaked"]
    assert [(finding.level, "2 x 96 bytes" in finding.message) for finding in leaks] == [("warning", True)]
    assert "test_host_memory.py:" in leaks[0].message


def test_views_of_leaked_memory_outlive_the_machine() -> None:
    """Arrays over memory that was never freed stay usable after the machine's end; no crash of the interpreter."""
    run = program(
        "import gc, numpy as np\n"
        "with Machine() as machine:\n"
        "    aclrtSetDevice(0)\n"
        "    views = []\n"
        "    for size in (64, 100 << 20):\n"
        "        p = c_void_p()\n"
        "        assert aclrtMallocHost(byref(p), size) == 0\n"
        "        views.append(np.ctypeslib.as_array((c_uint8 * size).from_address(p.value)))\n"
        "        views[-1][:3] = 7\n"
        "del machine; gc.collect()\n"
        "with Machine(): pass\n"
        "print(*(int(view[:4].sum()) for view in views))\n"
    )
    assert (run.returncode, run.stdout) == (0, "21 21\n"), run.stderr


@in_own_process
def test_memory_goes_back_when_all_was_freed() -> None:
    """A machine that ends gives its addresses back."""
    mapped = mappings()
    for _ in range(20):
        with Machine():
            aclrtSetDevice(0)
            for size in (64, 100 * MIB):
                address = malloc_host(size)
                ctypes.memset(address, 7, 64)
                assert aclrtFreeHost(address) == ACL_SUCCESS
    assert mappings() - mapped < 10


@pytest.mark.parametrize("window", [True, False])
def test_it_is_real_memory_with_and_without_windows(window: bool) -> None:
    """Pinned memory is readable and writable in both cases."""
    with Machine(window=window) as machine:
        aclrtSetDevice(0)
        address = malloc_host(64)
        view(address, 64)[:] = 3
        assert aclrtFreeHost(address) == ACL_SUCCESS
    assert [finding.id for finding in machine.findings if finding.level != "advice"] == ["device-not-reset"]
    check_documented(machine)


def test_ctypes_buffers_serve_elsewhere_than_on_linux(monkeypatch: pytest.MonkeyPatch) -> None:
    """There pinned memory is a ctypes buffer, and leaked memory stays usable."""
    monkeypatch.setattr(chunks.sys, "platform", "darwin")
    with Machine() as machine:
        aclrtSetDevice(0)
        first, second = malloc_host(64), malloc_host(5000)
        view(first, 64)[:], view(second, 5000)[:] = 1, 2
        kept = view(second, 5000)
        assert first % 64 == second % 64 == 0
        assert aclrtFreeHost(first) == ACL_SUCCESS
        assert view(first, 64).tolist() == [1] * 64
    assert np.unique(kept).tolist() == [2]
    check_documented(machine)
