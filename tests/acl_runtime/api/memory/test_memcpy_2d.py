"""aclrtMemcpy2d and aclrtMemcpy2dAsync: rows that lie apart, against numpy, and the checks (public)."""

import random
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc
from tests.helpers.creating import create_context, create_stream
from tests.helpers.host_threads import in_thread
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.memory.kinds_of_memory import KINDS, place
from tests.helpers.outcomes import assert_status, errors, finding_of, ok
from tests.helpers.stream_gate import Gate

pytestmark = pytest.mark.finds("memcpy-kind")

H2D, D2H, D2D, DEFAULT = (
    ACL_MEMCPY_HOST_TO_DEVICE,
    ACL_MEMCPY_DEVICE_TO_HOST,
    ACL_MEMCPY_DEVICE_TO_DEVICE,
    ACL_MEMCPY_DEFAULT,
)
PAIRS = [(source, target) for source in KINDS for target in KINDS if "device" in (source, target)]


def rows(flat: np.ndarray, start: int, pitch: int, width: int, height: int) -> np.ndarray:
    """The rows as numpy sees them: rows[i, j] is byte start + i * pitch + j."""
    return np.ndarray((height, width), np.uint8, flat, start, (pitch, 1))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("source", "target"), PAIRS, ids=lambda pair: str(pair))
def test_random_copies_are_slices_of_numpy(machine: Machine, source: str, target: str, seed: int) -> None:
    """Pitches are in bytes. Only the rows change, not the bytes between, before and after them."""
    chosen = random.Random(f"{source} {target} {seed}")
    values = np.random.default_rng(seed)
    for asynchronous in (False, True):
        if source == target and not asynchronous:
            continue  # "sync D2D -> 207000"
        width, height = chosen.randrange(1, 40), chosen.randrange(1, 12)
        dpitch, spitch = (width + chosen.choice((0, 1, chosen.randrange(40))) for _ in range(2))
        before = [chosen.randrange(20) for _ in range(2)]
        sizes = [start + pitch * (height - 1) + width + chosen.randrange(20)
                 for start, pitch in zip(before, (dpitch, spitch), strict=True)]  # fmt: skip
        data = [values.integers(0, 256, size, np.uint8) for size in sizes]
        dst, src = place(machine, target, data[0]), place(machine, source, data[1])
        arguments = (dst.address + before[0], dpitch, src.address + before[1], spitch, width, height, DEFAULT)
        ok(aclrtMemcpy2dAsync(*arguments, None) if asynchronous else aclrtMemcpy2d(*arguments))
        ok(aclrtSynchronizeStream(None))
        expected = data[0].copy()
        rows(expected, before[0], dpitch, width, height)[...] = rows(data[1], before[1], spitch, width, height)
        assert dst.get() == expected.tolist()
        assert src.get() == data[1].tolist()


@pytest.mark.fidelity("two-dimensional copies of plain memory in a stream")
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("source", ["pinned", "device", "plain"])
def test_plain_memory_makes_the_asynchronous_copy_wait(schedule: str, source: str) -> None:
    """The asynchronous form queues the copy; with plain memory it waits for the stream and copies."""
    with board(schedule) as machine:
        stream, ran = create_stream(), list[int]()
        src, dst = place(machine, source, [1, 2, 3, 4]), place(machine, "device", [9] * 6)
        arguments = (dst.pointer, 4, src.pointer, 2, 2, 2, DEFAULT, stream)
        gate = None if source == "plain" else Gate(stream)
        ok(aclrtLaunchHostFunc(stream, ran.append, 1))
        ok(aclrtMemcpy2dAsync(*arguments))
        if gate is not None:
            assert (ran, dst.get()) == ([], [9] * 6)
            src.set([5, 6, 7, 8])
            gate.open()
            ok(aclrtSynchronizeStream(stream))
        assert ran == [1]
        assert dst.get() == ([1, 2, 9, 9, 3, 4] if gate is None else [5, 6, 9, 9, 7, 8])


HOST = np.zeros(64, np.uint8)
NULL, BAD = ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_PARAM_INVALID
# (dst, dpitch, src, spitch, width, height, kind): each row breaks one rule and later ones
ORDER: dict[str, tuple[tuple[Any, int, Any, int, int, int, int], int, tuple[str, ...]]] = {
    "width 0 -> success": ((None, 0, None, 0, 0, 5, 99), ACL_SUCCESS, ()),
    "height 0 -> success": ((None, 0, None, 0, 5, 0, 99), ACL_SUCCESS, ()),
    "dst null -> 100000": ((None, 0, None, 0, 9, 1, 99), NULL, ("(EH0008)", "dst cannot be a NULL pointer")),
    "src null -> 100000": ((HOST, 0, None, 0, 9, 1, 99), NULL, ("(EH0008)", "src cannot be a NULL pointer")),
    "width over dpitch -> 100000": ((HOST, 8, HOST, 8, 9, 1, 99), NULL, ("(EH0007)", "parameter width", "dpitch = 8")),
    "width over spitch -> 100000": ((HOST, 9, HOST, 8, 9, 1, 99), NULL, ("(EH0007)", "parameter width", "spitch = 8")),
    "kind 0 -> 100000": ((HOST, 1 << 40, HOST, 1 << 40, 1 << 40, 1, 0), NULL, ("(EH0007)", "parameter kind")),
    "kind 5 -> 100000": ((HOST, 1 << 40, HOST, 1 << 40, 1 << 40, 1, 5), NULL, ("(EH0007)", "parameter kind")),
    "kind 6 -> 100000": ((HOST, 1 << 40, HOST, 1 << 40, 1 << 40, 1, 6), NULL, ("(EH0007)", "parameter kind")),
    "width over 5,000,000 -> 107000": ((HOST, 1 << 40, HOST, 1 << 40, 5_000_001, 1, 1), BAD, ("(EE1003)", "width")),
    "height over 5,242,880 -> 107000": ((HOST, 9, HOST, 9, 9, 5_242_881, 1), BAD, ("(EE1003)", "height")),
    "no context -> 107002": ((HOST, 9, HOST, 9, 9, 1, 1), ACL_ERROR_RT_CONTEXT_NULL, ("(EE1018)", "no valid context")),
}  # fmt: skip


@pytest.mark.parametrize("asynchronous", [False, True], ids=["2d", "2dAsync"])
@pytest.mark.parametrize(("arguments", "status", "words"), ORDER.values(), ids=ORDER)
def test_of_several_mistakes_the_first_check_answers(
    machine: Machine, asynchronous: bool, arguments: tuple[Any, ...], status: int, words: tuple[str, ...]
) -> None:
    """In a thread without context; 1000xx leaves no last error (public)."""
    stream = create_stream()

    def work() -> None:
        found = aclrtMemcpy2dAsync(*arguments, stream) if asynchronous else aclrtMemcpy2d(*arguments)
        assert_status(found, status, *words)
        assert aclrtPeekAtLastError(0) == (status if status // 1000 == 107 else 0)

    in_thread(work)
    assert not machine.findings.worth_telling


def test_limits_are_inclusive(machine: Machine) -> None:
    """ "width <= 5,000,000 bytes, height <= 5,242,880 rows" (public): the next check answers then."""
    for width, height in ((5_000_000, 1), (1, 5_242_880)):
        status = aclrtMemcpy2d(HOST, width, HOST, width, width, height, H2D)
        assert_status(status, BAD, "(EE1017)", "kind")


def test_stream_of_the_asynchronous_form(machine: Machine) -> None:
    """Dead 107017 before ranges and context, other context 107003 for queued copies only, null = default stream
    (public)."""
    dead, other, device = create_stream(), create_stream(), malloc(8)
    pinned = place(machine, "pinned", range(8))
    ok(aclrtDestroyStream(dead))
    status = in_thread(lambda: aclrtMemcpy2dAsync(HOST, 1 << 40, HOST, 1 << 40, 1 << 40, 1, H2D, dead))
    assert_status(status, ACL_ERROR_RT_INVALID_HANDLE)
    context = create_context()
    for bad in (dead, context):
        assert_status(
            aclrtMemcpy2dAsync(device, 8, pinned.address, 8, 8, 1, H2D, bad), ACL_ERROR_RT_INVALID_HANDLE, "stream"
        )
    status = aclrtMemcpy2dAsync(device, 8, pinned.address, 8, 8, 1, H2D, other)
    assert_status(status, ACL_ERROR_RT_STREAM_CONTEXT, "(EE1010)", "stream_id=2")
    ok(aclrtMemcpy2dAsync(device, 8, HOST, 8, 8, 1, H2D, other))
    assert machine.read(device, 8, "u1").tolist() == [0] * 8
    ok(aclrtMemcpy2dAsync(device, 8, pinned.address, 8, 8, 1, H2D, None))
    ok(aclrtSetDevice(0))
    ok(aclrtSynchronizeStream(None))
    assert machine.read(device, 8, "u1").tolist() == [0] * 8


# "pinned host memory -> silently corrected; plain host memory -> 107000; addresses that are both host, or (synchronous
# form) both device -> 107000 (EE1017)": for kinds 1 to 4, y copies, x is 107000, u is 207000 ("sync D2D")
AGAINST = {
    ("pinned", "device"): ("y y u y", "y y y y"),
    ("registered", "device"): ("y y u y", "y y y y"),
    ("device", "pinned"): ("y y u y", "y y y y"),
    ("plain", "device"): ("y x u y", "y x x y"),
    ("device", "plain"): ("x y u y", "x y x y"),
    ("device", "device"): ("x x u x", "y y y y"),
    ("pinned", "pinned"): ("x x u x", "x x x x"),
    ("plain", "pinned"): ("x x u x", "x x x x"),
    ("pinned", "plain"): ("x x u x", "x x x x"),
    ("plain", "plain"): ("x x u x", "x x x x"),
}


@pytest.mark.parametrize("asynchronous", [False, True], ids=["2d", "2dAsync"])
@pytest.mark.parametrize(("source", "target"), AGAINST, ids=lambda pair: str(pair))
def test_a_kind_that_the_addresses_contradict_is_found(
    machine: Machine, asynchronous: bool, source: str, target: str
) -> None:
    """The addresses decide the direction, for each kind (public)."""
    for kind, letter in enumerate(AGAINST[source, target][asynchronous].split(), 1):
        src, dst = place(machine, source, [1, 2, 3, 4]), place(machine, target, [9] * 4)
        arguments = (dst.pointer, 2, src.pointer, 2, 1, 2, kind)
        status = aclrtMemcpy2dAsync(*arguments, None) if asynchronous else aclrtMemcpy2d(*arguments)
        if letter == "x":
            assert_status(status, BAD, "(EE1017)", "parameter kind", "src is", "dst is")
        elif letter == "u":
            assert_status(status, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "(EE1016)", "aclrtMemcpy2dAsync")
        else:
            ok(status)
        assert aclrtGetLastError(0) == {"x": BAD, "u": ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "y": 0}[letter]
        ok(aclrtSynchronizeStream(None))
        assert dst.get() == ([1, 9, 3, 9] if letter == "y" else [9] * 4)


@pytest.mark.parametrize("side", ["dst", "src"])
@pytest.mark.parametrize("asynchronous", [False, True], ids=["2d", "2dAsync"])
def test_a_dead_device_address_is_107000(machine: Machine, asynchronous: bool, side: str) -> None:
    """The driver refuses it: 107000 with its history (public)."""
    dead = malloc(8)
    ok(aclrtFree(dead))
    pair = {"dst": HOST, "src": HOST} | {side: dead}
    arguments = (pair["dst"], 4, pair["src"], 4, 4, 2, DEFAULT)
    status = aclrtMemcpy2dAsync(*arguments, None) if asynchronous else aclrtMemcpy2d(*arguments)
    assert_status(status, BAD, "(EL0003)", side, "freed at")


@pytest.mark.parametrize("report", [False, True], ids=["raise", "report"])
def test_rows_past_an_allocation_are_memcpy_size(report: bool) -> None:
    """memcpy-size counts from the first byte to the last; "writes past the end are dropped", what is read past the end
    is the fill, row by row (ours)."""
    with board(on_undefined="report" if report else "raise") as machine:
        device, host = place(machine, "device", range(10)), place(machine, "plain", range(20, 36))
        out = (device.address, 4, host.pointer, 4, 3, 4, DEFAULT)
        back = (host.pointer, 4, device.address, 4, 3, 4, DEFAULT)
        if report:
            ok(aclrtMemcpy2d(*out))
            assert device.get() == [20, 21, 22, 3, 24, 25, 26, 7, 28, 29]
            ok(aclrtMemcpy2d(*back))
            assert host.get()[8:] == [28, 29, 0xFF, 31, 0xFF, 0xFF, 0xFF, 35]
            assert errors(machine) == ["memcpy-size"]  # a copy in the other direction has the same limit
        else:
            for call in (out, back):
                id, message = finding_of(lambda call=call: aclrtMemcpy2d(*call))
                assert (id, "pitch * (height - 1) + width = 4 * 3 + 3 = 15 bytes" in message) == ("memcpy-size", True)
                assert "10 bytes left" in message
            assert (device.get(), host.get()) == (list(range(10)), list(range(20, 36)))


def test_the_gaps_between_rows_keep_the_fill(machine: Machine) -> None:
    """Fresh memory reads as the fill where no row was copied to (ours). A large allocation starts as zeros in this
    process, which would show here."""
    device = malloc(4 << 20)
    ok(aclrtMemcpy2d(device, 4, np.zeros(16, np.uint8), 2, 2, 8, H2D))
    assert machine.read(device, 8, "u1").tolist() == [0, 0, 0xFF, 0xFF] * 2


def test_the_last_row_needs_no_whole_pitch(machine: Machine) -> None:
    """The good twin: the last row needs no whole pitch."""
    device, host = place(machine, "device", range(11)), np.zeros(11, np.uint8)
    ok(aclrtMemcpy2d(host, 4, device.address, 4, 3, 3, D2H))
    assert host.tolist() == [0, 1, 2, 0, 4, 5, 6, 0, 8, 9, 10]
    assert finding_of(lambda: aclrtMemcpy2d(host[1:], 4, device.address, 4, 3, 3, D2H))[0] == "host-overrun"
