"""aclrtMemcpy: the order of its checks, both sides, objects that are too small (public)."""

from collections.abc import Callable, Iterator
from ctypes import addressof, byref, c_char, create_string_buffer
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.conftest import check_documented
from tests.helpers.builders import malloc
from tests.helpers.host_threads import in_thread
from tests.helpers.outcomes import assert_status, finding_of

pytestmark = pytest.mark.finds("memcpy-kind")

HOST = np.zeros(8, np.uint8)
WILD = 0x10
KINDS = {
    "HOST_TO_HOST": ACL_MEMCPY_HOST_TO_HOST,
    "HOST_TO_DEVICE": ACL_MEMCPY_HOST_TO_DEVICE,
    "DEVICE_TO_HOST": ACL_MEMCPY_DEVICE_TO_HOST,
    "DEVICE_TO_DEVICE": ACL_MEMCPY_DEVICE_TO_DEVICE,
    "DEFAULT": ACL_MEMCPY_DEFAULT,
    "HOST_TO_BUF_TO_DEVICE": ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE,
}
# (dst, destMax, src, count, kind): each row breaks one rule and every later one
ORDER: dict[str, tuple[tuple[Any, int, Any, int, int], int, tuple[str, ...]]] = {
    "1 count 0 -> success, nothing else is checked": ((None, 0, None, 0, 99), ACL_SUCCESS, ()),
    "2 dst null -> 100000": ((None, 0, HOST, 8, 99), ACL_ERROR_INVALID_PARAM, ("(EH0008)", "dst")),
    "2 src null -> 100000": ((HOST, 0, None, 8, 99), ACL_ERROR_INVALID_PARAM, ("(EH0008)", "src")),
    "3 kind 99 -> 100000": ((HOST, 0, HOST, 8, 99), ACL_ERROR_INVALID_PARAM, ("(EH0007)", "kind", "99")),
    "3 kind 6 -> 100000": ((HOST, 0, HOST, 8, 6), ACL_ERROR_INVALID_PARAM, ("(EH0007)", "kind", "6")),
    "3 kind 7 -> 100000": ((HOST, 0, HOST, 8, 7), ACL_ERROR_INVALID_PARAM, ("(EH0007)", "kind", "7")),
    "3 kind -1 -> 100000": ((HOST, 0, HOST, 8, -1), ACL_ERROR_INVALID_PARAM, ("(EH0007)", "kind", "-1")),
    "4 destMax 0 -> 107000": ((HOST, 0, HOST, 8, 1), ACL_ERROR_RT_PARAM_INVALID, ("(EE1003)", "destMax", "cnt", "8")),
    "4 destMax less than count -> 107000": (
        (HOST, 7, HOST, 8, 1), ACL_ERROR_RT_PARAM_INVALID, ("(EE1003)", "destMax", "cnt", "7"),
    ),
    "5 dst is src -> success before the context": ((HOST, 8, HOST, 8, 1), ACL_SUCCESS, ()),
    "6 no context -> 107002": ((HOST, 8, WILD, 8, 1), ACL_ERROR_RT_CONTEXT_NULL, ("(EE1018)",)),
}  # fmt: skip


@pytest.mark.fidelity("aclrtMemcpy of 0 bytes, a destroyed stream")
@pytest.mark.parametrize(("arguments", "status", "words"), ORDER.values(), ids=ORDER)
def test_of_several_mistakes_the_first_check_answers(
    machine: Machine, arguments: tuple[Any, int, Any, int, int], status: int, words: tuple[str, ...]
) -> None:
    """The checks of the table, in a thread without context (public)."""
    in_thread(lambda: assert_status(aclrtMemcpy(*arguments), status, *words))
    assert not machine.findings.worth_telling


@pytest.fixture
def address(machine: Machine) -> Iterator[int]:
    """64 bytes of device memory that hold 0 to 63."""
    made = malloc(64)
    assert aclrtMemcpy(made, 64, np.arange(64, dtype=np.uint8), 64, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS
    yield made
    aclrtFree(made)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_the_pointers_decide_the_direction_not_the_kind(machine: Machine, address: int, kind: int) -> None:
    """Each kind copies in the direction of the pointers, to, from, within the device and within the host (public)."""
    host, other, twin = np.zeros(8, np.uint8), np.zeros(8, np.uint8), malloc(8)
    assert aclrtMemcpy(host, 8, address + 8, 8, kind) == ACL_SUCCESS
    assert aclrtMemcpy(twin, 8, address + 16, 8, kind) == ACL_SUCCESS
    assert aclrtMemcpy(other, 8, host, 8, kind) == ACL_SUCCESS
    assert aclrtMemcpy(address, 8, host, 8, kind) == ACL_SUCCESS
    assert host.tolist() == other.tolist() == machine.read(address, 8, "u1").tolist() == list(range(8, 16))
    assert machine.read(twin, 8, "u1").tolist() == list(range(16, 24))


def test_a_copy_to_the_middle_changes_just_these_bytes(machine: Machine, address: int) -> None:
    """Address arithmetic works: a copy to the middle of an allocation changes only these bytes (ours)."""
    assert aclrtMemcpy(address + 5, 59, b"\xaa\xbb", 2, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS
    assert machine.read(address + 4, 4, "u1").tolist() == [4, 0xAA, 0xBB, 7]


@pytest.mark.parametrize("side", ["dst", "src"])
def test_a_dead_device_address_is_107000_with_its_history(machine: Machine, side: str) -> None:
    """Freed memory, or none: 107000, EL0003, with its history (public)."""
    freed, live = malloc(64), malloc(64)
    aclrtFree(freed)
    for bad, words in ((freed, "freed at"), (freed + 8, "freed at"), (live + 64, "past the end")):
        pair = {"dst": HOST, "src": HOST} | {side: bad}
        status = aclrtMemcpy(pair["dst"], 8, pair["src"], 8, ACL_MEMCPY_DEFAULT)
        assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "(EL0003)", side, words)


TOO_SMALL: dict[str, Callable[[], Any]] = {
    "numpy array": lambda: np.zeros(15, np.uint8),
    "numpy array counted in elements": lambda: np.zeros(3, np.float32),
    "bytearray": lambda: bytearray(15),
    "ctypes array": lambda: create_string_buffer(15),
    "byref": lambda: byref(create_string_buffer(15)),
    "byref with an offset": lambda: byref(create_string_buffer(16), 1),
    "memoryview": lambda: memoryview(bytearray(15)),
    "an empty ndarray": lambda: np.zeros(0, np.uint8),
    "an empty bytearray": lambda: bytearray(),
}


@pytest.mark.parametrize("side", ["dst", "src"])
@pytest.mark.parametrize("small", TOO_SMALL.values(), ids=TOO_SMALL)
def test_known_host_object_too_small(machine: Machine, address: int, side: str, small: Callable[[], Any]) -> None:
    """Where the size of the host object is known, a count beyond it is host-overrun (ours)."""
    pair = {"dst": address, "src": address} | {side: small()}
    before = machine.read(address, 64, "u1")
    id, message = finding_of(lambda: aclrtMemcpy(pair["dst"], 16, pair["src"], 16, ACL_MEMCPY_DEFAULT))
    assert id == "host-overrun"
    assert side in message
    assert "16 bytes" in message
    assert np.array_equal(machine.read(address, 64, "u1"), before), "the call had no effect"


@pytest.mark.fidelity("a bad address of the host")
@pytest.mark.parametrize("known", [True, False], ids=["the other side is known", "the other side is an int too"])
@pytest.mark.parametrize("side", ["dst", "src"])
@pytest.mark.parametrize("wild", [WILD, 0x7FFF_FFFF_F000, 2**63], ids=hex)
def test_a_bad_host_address_is_host_overrun_and_no_crash(machine: Machine, side: str, wild: int, known: bool) -> None:
    """A bad host address given as int is host-overrun, never a crash of the interpreter (ours)."""
    buffer = (c_char * 16)()
    other = buffer if known else addressof(buffer)
    pair = {"dst": other, "src": other} | {side: wild}
    id, message = finding_of(lambda: aclrtMemcpy(pair["dst"], 16, pair["src"], 16, ACL_MEMCPY_HOST_TO_HOST))
    assert id == "host-overrun"
    assert side in message
    assert hex(wild) in message


def test_good_host_address_as_int(machine: Machine, address: int) -> None:
    """An int that is a host address works in both directions (ours)."""
    buffer = create_string_buffer(b"\1" * 16, 16)
    assert aclrtMemcpy(address, 16, addressof(buffer), 16, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS
    assert aclrtMemcpy(addressof(buffer) + 8, 8, address + 32, 8, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS
    assert buffer.raw == b"\1" * 8 + bytes(range(32, 40))


def test_a_count_beyond_destmax_tells_three_sizes() -> None:
    """ "Three sizes" (ours): the count, destMax, and the real size."""
    with Machine():
        aclrtSetDevice(0)
        address = malloc(64)
        assert aclrtMemcpy(address + 16, 8, bytes(56), 56, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_ERROR_RT_PARAM_INVALID
        text = aclGetRecentErrMsg() or ""
        assert "56 bytes do not fit into destMax = 8; dst has 48 bytes left of the 64 bytes at device 0 + 0x0" in text
        assert aclrtMemcpy(bytearray(32), 8, address, 16, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_ERROR_RT_PARAM_INVALID
        assert "16 bytes do not fit into destMax = 8; dst is a host object of 32 bytes" in (aclGetRecentErrMsg() or "")


@pytest.mark.parametrize("side", ["dst", "src"])
def test_a_count_past_the_allocation_is_memcpy_size(machine: Machine, address: int, side: str) -> None:
    """memcpy-size names the three sizes and the allocation; the call had no effect (ours)."""
    host = np.full(64, 9, np.uint8)
    pair = {"dst": host, "src": host} | {side: address + 60}
    id, message = finding_of(lambda: aclrtMemcpy(pair["dst"], 64, pair["src"], 64, ACL_MEMCPY_DEFAULT))
    assert id == "memcpy-size"
    for word in (side, "count = 64", "4 bytes left", "64 bytes at device 0 + 0x0", "builders.py:"):
        assert word in message
    assert set(host.tolist()) == {9}
    assert machine.read(address + 60, 4, "u1").tolist() == [60, 61, 62, 63]


# (dst, src, status, id); host objects hold 1, 2, ..., device memory 101, 102, ...
REPORTED: dict[str, tuple[str, str, int, str]] = {
    "reads past the end of device memory give the fill": ("host16", "device8", ACL_SUCCESS, "memcpy-size"),
    "writes past the end of device memory are dropped": ("device8", "host16", ACL_SUCCESS, "memcpy-size"),
    "a host target too small: nothing, 107000": ("host8", "device16", ACL_ERROR_RT_PARAM_INVALID, "host-overrun"),
    "a host source too small: nothing, 107000": ("device16", "host8", ACL_ERROR_RT_PARAM_INVALID, "host-overrun"),
    "a wild target: nothing, 107000": ("wild", "device16", ACL_ERROR_RT_PARAM_INVALID, "host-overrun"),
    "a wild source: nothing, 107000": ("device16", "wild", ACL_ERROR_RT_PARAM_INVALID, "host-overrun"),
}


@pytest.mark.parametrize(("dst", "src", "status", "id"), REPORTED.values(), ids=REPORTED)
def test_report_mode_is_memory_safe(dst: str, src: str, status: int, id: str) -> None:
    """A mistake that a device does not notice returns 0 and does what is memory-safe. A mistake that would crash the
    program does nothing and returns 107000 (ours)."""
    with Machine(on_undefined="report") as machine:
        aclrtSetDevice(0)
        places: dict[str, Any] = {"host16": np.arange(1, 17, dtype=np.uint8), "host8": np.arange(1, 9, dtype=np.uint8)}
        places |= {"device16": malloc(16), "device8": malloc(8), "wild": WILD}
        for name in ("device16", "device8"):
            size = int(name[6:])
            aclrtMemcpy(places[name], size, np.arange(101, 101 + size, dtype=np.uint8), size, ACL_MEMCPY_DEFAULT)
        assert aclrtMemcpy(places[dst], 16, places[src], 16, ACL_MEMCPY_DEFAULT) == status
        assert [finding.id for finding in machine.findings.worth_telling] == [id]
        after = {name: list(places[name]) for name in ("host16", "host8")}
        after |= {name: machine.read(places[name], int(name[6:]), "u1").tolist() for name in ("device16", "device8")}
    expected = {"host16": list(range(1, 17)), "host8": list(range(1, 9))}
    expected |= {"device16": list(range(101, 117)), "device8": list(range(101, 109))}
    if status == ACL_SUCCESS:
        expected[dst] = (expected[src] + [0xFF] * 16)[: len(expected[dst])]
    assert after == expected
    check_documented(machine)
