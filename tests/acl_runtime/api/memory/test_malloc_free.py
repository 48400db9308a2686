"""Device memory: aclrtMalloc, aclrtFree, contents of fresh memory (public)."""

from collections.abc import Callable
from ctypes import byref, c_void_p
from pathlib import Path

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.memory import device_memory
from aclnn import aclnnMaximum, aclnnMaximumGetWorkspaceSize
from tests.conftest import check_documented
from tests.helpers.builders import malloc, run
from tests.helpers.creating import create_context
from tests.helpers.host_threads import in_thread
from tests.helpers.outcomes import assert_status
from tests.helpers.own_process import in_own_process

pytestmark = pytest.mark.finds("uninit-read")

SIZE_MAX = 2**64 - 1
GIB = 1 << 30
MIB = 1 << 20

REFUSED = {
    "devPtr null -> 100000": (None, 64, ("(EH0008)", "devPtr")),
    "devPtr null before size 0": (None, 0, ("(EH0008)", "devPtr")),
    "size 0 -> 100000": (c_void_p(), 0, ("(EH0007)", "size", "greater than 0")),
    "size + 64 overflows -> 100000": (c_void_p(), SIZE_MAX - 63, ("parameter size",)),
    "size -1 is SIZE_MAX -> 100000": (c_void_p(), -1, ("parameter size", str(SIZE_MAX))),
}


@pytest.mark.parametrize(("pointer", "size", "words"), REFUSED.values(), ids=REFUSED)
def test_malloc_refuses_before_it_needs_a_context(
    machine: Machine, pointer: c_void_p | None, size: int, words: tuple[str, ...]
) -> None:
    """Null is checked first, then the size, then the context (public)."""

    def call() -> None:
        status = aclrtMalloc(byref(pointer) if pointer is not None else None, size, ACL_MEM_MALLOC_HUGE_FIRST)
        assert_status(status, ACL_ERROR_INVALID_PARAM, *words)

    call()
    in_thread(call)


def test_malloc_needs_a_context(machine: Machine) -> None:
    """107002, and nothing is written (public)."""
    pointer = c_void_p(7)
    status = in_thread(lambda: aclrtMalloc(byref(pointer), 64, ACL_MEM_MALLOC_HUGE_FIRST))
    assert (status, pointer.value) == (ACL_ERROR_RT_CONTEXT_NULL, 7)


@pytest.mark.parametrize("size", [1, 31, 32, 33, 480, 512, 992, 4097, MIB + 1])
def test_addresses_are_multiples_of_512_with_gaps_between(machine: Machine, size: int) -> None:
    """Multiples of 512, with a gap behind each allocation in which nothing lies (public)."""
    host = np.zeros(1, np.uint8)
    for address in [malloc(size) for _ in range(3)]:
        assert address % 512 == 0
        assert aclrtMemcpy(host, 1, address + size - 1, 1, 2) == ACL_SUCCESS
        for past in (0, 100, 500):
            status = aclrtMemcpy(host, 1, address + size + past, 1, 2)
            assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "(EL0003)", "src", f"{past} bytes past the end")


REAL_SIZES = {
    "1 byte takes 64": (1, ACL_MEM_MALLOC_HUGE_FIRST, "Ascend910B1", 64),
    "32 bytes take 64": (32, ACL_MEM_MALLOC_NORMAL_ONLY, "Ascend910B1", 64),
    "33 bytes take 96": (33, ACL_MEM_MALLOC_HUGE_FIRST, "Ascend910B1", 96),
    "an unknown policy means the default": (33, 99, "Ascend910B1", 96),
    "HUGE_ONLY takes 2 MiB": (1, ACL_MEM_MALLOC_HUGE_ONLY, "Ascend910B1", 2 * MIB),
    "HUGE_ONLY of 2 MiB takes 4": (2 * MIB, ACL_MEM_MALLOC_HUGE_ONLY, "Ascend910B1", 4 * MIB),
    "1 GiB pages: no 32 bytes more": (33, ACL_MEM_MALLOC_HUGE1G_ONLY, "Ascend910_9391", 64),
}


@pytest.mark.parametrize(("size", "policy", "soc", "real"), REAL_SIZES.values(), ids=REAL_SIZES)
def test_an_allocation_reserves_its_size_rounded_up_plus_32(size: int, policy: int, soc: str, real: int) -> None:
    """`roundup(size, 32) + 32` bytes are reserved, by policy (public): three fit, a fourth does not."""
    with Machine(soc, hbm_bytes=4 * real - 1) as machine:
        aclrtSetDevice(0)
        pointer = c_void_p()
        statuses = [aclrtMalloc(byref(pointer), size, policy) for _ in range(4)]
        assert statuses == [ACL_SUCCESS] * 3 + [ACL_ERROR_RT_MEMORY_ALLOCATION]
    check_documented(machine)


@pytest.mark.fidelity("pages of 1 GiB")
@pytest.mark.parametrize("soc", ["Ascend910A", "Ascend310P3", "Ascend310B1"])
def test_pages_of_1_gib_on_a2_and_a3(soc: str) -> None:
    """MEM_1G_HUGE_PAGE: A2, A3 and 950, else 207000 (public)."""
    for chip in (soc, "Ascend910B1", "Ascend910_9391", "Ascend950PR_9599"):
        with Machine(chip):
            aclrtSetDevice(0)
            status = aclrtMalloc(byref(c_void_p()), 32, ACL_MEM_MALLOC_HUGE1G_ONLY)
            if chip == soc:
                assert_status(status, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "(EE1006)", soc)
            else:
                assert status == ACL_SUCCESS


@pytest.mark.fidelity("bytes of an allocation on Ascend 950")
def test_allocations_on_950_have_no_32_bytes_more() -> None:
    """ "roundup(size, 32) + 32; on 950 products roundup(size, 32)" (public)."""
    with Machine("Ascend950PR_9599") as machine:
        aclrtSetDevice(0)
        for size, used in ((1, 32), (32, 64), (33, 128)):
            assert aclrtMalloc(byref(c_void_p()), size, ACL_MEM_MALLOC_NORMAL_ONLY) == ACL_SUCCESS
            assert machine.devices[0].memory.used == used
    check_documented(machine)


def test_exhausted_memory_is_207001_until_some_is_freed() -> None:
    """207001 with EL0004, a null pointer, the sizes and who holds the memory; after a free it fits again (public)."""
    with Machine(hbm_bytes=256) as machine:
        aclrtSetDevice(0)
        first, pointer = malloc(100), c_void_p(7)
        status = aclrtMalloc(byref(pointer), 100, ACL_MEM_MALLOC_HUGE_FIRST)
        assert_status(status, ACL_ERROR_RT_MEMORY_ALLOCATION, "(EL0004)", "160 bytes", "96 of 256", "builders.py:")
        assert pointer.value is None
        assert aclrtFree(first) == ACL_SUCCESS
        assert aclrtMalloc(byref(pointer), 100, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS
    check_documented(machine)


def test_more_than_any_device_has(machine: Machine) -> None:
    """A size that does not overflow passes the argument checks; the driver reports exhausted memory (public)."""
    assert aclrtMalloc(byref(c_void_p()), SIZE_MAX - 64, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_ERROR_RT_MEMORY_ALLOCATION


def resident_mib() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 >> 20


@in_own_process
def test_all_of_a_64_gib_device() -> None:
    """1 GiB pieces until 207001, in 100 MB of resident memory; 63 fit, as each takes 32 bytes more (ours)."""
    before = resident_mib()
    with Machine("Ascend910B1") as machine:
        aclrtSetDevice(0)
        pieces = [malloc(GIB) for _ in range(63)]
        rest = malloc(GIB - 64 * 32)
        assert aclrtMalloc(byref(c_void_p()), 32, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_ERROR_RT_MEMORY_ALLOCATION
        assert resident_mib() - before < 100
        tail = np.zeros(8, np.uint8)
        for piece in pieces:
            assert aclrtMemcpy(tail, 8, piece + GIB - 8, 8, 2) == ACL_SUCCESS
            assert tail.tolist() == [0xFF] * 8
        assert resident_mib() - before < 300, "a read touches one page, perhaps a huge one"
        assert aclrtFree(rest) == ACL_SUCCESS
        assert machine.read(pieces[0], 4, "u1").tolist() == [0xFF] * 4


@in_own_process
def test_freed_memory_goes_back_while_launches_are_cached() -> None:
    """A loop that allocates anew for each launch needs the memory of one round, not of all."""
    size = 16 * MIB
    with Machine("Ascend910B1"):
        aclrtSetDevice(0)
        before = resident_mib()
        for _ in range(8):
            addresses = [malloc(size) for _ in range(3)]
            handles = [
                aclCreateTensor([size], 1, ACL_INT8, [1], 0, ACL_FORMAT_ND, [size], 1, address) for address in addresses
            ]
            for address in addresses:
                assert aclrtMemset(address, size, 1, size) == ACL_SUCCESS
            run(aclnnMaximumGetWorkspaceSize, aclnnMaximum, *handles)
            for handle, address in zip(handles, addresses, strict=True):
                assert aclDestroyTensor(handle) == ACL_SUCCESS
                assert aclrtFree(address) == ACL_SUCCESS
        assert resident_mib() - before < 3 * 48, "48 MiB a round"


@pytest.mark.fidelity("the host under the emulator has no memory left")
def test_a_memory_error_of_the_host_is_207001(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A MemoryError of the host is 207001 with a text that says it was the host (ours)."""

    def nothing_left(*_: object, **__: object) -> np.ndarray:
        raise MemoryError("no memory")

    monkeypatch.setattr(device_memory, "_bytes", nothing_left)
    status = aclrtMalloc(byref(c_void_p()), 64, ACL_MEM_MALLOC_HUGE_FIRST)
    assert_status(status, ACL_ERROR_RT_MEMORY_ALLOCATION, "(EL0004)", "host")


@pytest.mark.fidelity("contents of fresh device memory")
@pytest.mark.parametrize("size", [64, 3 * MIB], ids=["small", "mapped"])
@pytest.mark.parametrize(("fill", "seen"), [(0xFF, 0xFF), (0, 0), (0x5A, 0x5A), (None, 0)], ids=str)
def test_fresh_memory_holds_the_fill(size: int, fill: int | None, seen: int) -> None:
    """Fresh memory holds the fill, null gives zeros; a partial write leaves the rest (ours)."""
    with Machine(fill=fill):
        aclrtSetDevice(0)
        address, host = malloc(size), np.empty(size, np.uint8)
        for low, value in ((10, 1), (40, 2), (20, 3)):
            assert aclrtMemcpy(address + low, 4, np.full(4, value, np.uint8), 4, 1) == ACL_SUCCESS
        assert aclrtMemcpy(host, size, address, size, 2) == ACL_SUCCESS
        expected = np.full(size, seen, np.uint8)
        expected[10:14], expected[40:44], expected[20:24] = 1, 2, 3
        assert np.array_equal(host, expected)


def test_memory_is_fresh_after_a_free(machine: Machine) -> None:
    """Neither the address nor the bytes of freed memory come back (ours)."""
    address = malloc(64)
    assert aclrtMemcpy(address, 64, bytes(64), 64, 1) == aclrtFree(address) == ACL_SUCCESS
    again = malloc(64)
    assert again != address
    assert machine.read(again, 64, "u1").tolist() == [0xFF] * 64


BAD: dict[str, tuple[Callable[[], object], str]] = {
    "freed twice": (lambda: (address := malloc(64), aclrtFree(address))[0], "freed at"),
    "interior": (lambda: malloc(64) + 32, "32 bytes inside"),
    "past the end": (lambda: malloc(64) + 64, "past the end"),
    "plain host memory": (lambda: np.zeros(64, np.uint8), "no device address"),
    "a wild number": (lambda: 0x10, "0x10"),
}


@pytest.mark.fidelity("freed, interior or foreign addresses given to aclrtFree")
@pytest.mark.parametrize(("pointer", "words"), BAD.values(), ids=BAD)
def test_freeing_what_is_no_start_of_memory_is_107000(
    machine: Machine, pointer: Callable[[], object], words: str
) -> None:
    """An address that is no start of live device memory: 107000, EL0003, with its history (public)."""
    assert_status(aclrtFree(pointer()), ACL_ERROR_RT_PARAM_INVALID, "(EL0003)", "devPtr", words)
    assert [finding.id for finding in machine.findings if finding.level == "error"] == []


@pytest.mark.parametrize(("offset", "inside"), [(0, True), (63, True), (64, False)])
def test_an_address_behind_freed_memory_does_not_lie_in_it(machine: Machine, offset: int, inside: bool) -> None:
    """The text of the refusal says where an address lies (ours)."""
    address = malloc(64)
    assert aclrtFree(address) == ACL_SUCCESS
    assert aclrtFree(address + offset) == ACL_ERROR_RT_PARAM_INVALID
    assert ("the 64 bytes at" in (aclGetRecentErrMsg() or "")) == inside


def test_freeing_null_is_100000(machine: Machine) -> None:
    """Unlike C's free(NULL): 100000 (public)."""
    for null in (None, 0, c_void_p()):
        assert_status(aclrtFree(null), ACL_ERROR_INVALID_PARAM, "(EH0008)", "devPtr")


def test_free_needs_no_context(machine: Machine) -> None:
    """It works from any thread, and after the context of the allocation is gone (public)."""
    context = create_context()
    addresses = malloc(64), malloc(64)
    assert aclrtDestroyContext(context) == ACL_SUCCESS
    assert aclrtFree(addresses[0]) == in_thread(lambda: aclrtFree(addresses[1])) == ACL_SUCCESS
