"""aclrtMemset, aclrtMemsetD32 and their asynchronous forms, against numpy, and their checks (public)."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc
from tests.helpers.creating import create_context, create_stream, malloc_host
from tests.helpers.host_threads import in_thread
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.memory.kinds_of_memory import place
from tests.helpers.outcomes import assert_status, errors, finding_of, ok
from tests.helpers.stream_gate import Gate

NULL, BAD, NO_CONTEXT = ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_PARAM_INVALID, ACL_ERROR_RT_CONTEXT_NULL
HOST = np.zeros(8, np.uint8)
Set = Callable[[Any, int, int, int, Any], int]
BYTES: dict[str, Set] = {
    "aclrtMemset": lambda ptr, room, value, count, _: aclrtMemset(ptr, room, value, count),
    "aclrtMemsetAsync": aclrtMemsetAsync,
}
WORDS: dict[str, Set] = {
    "aclrtMemsetD32": lambda ptr, room, value, count, _: aclrtMemsetD32(ptr, room, value, count),
    "aclrtMemsetD32Async": aclrtMemsetD32Async,
}
each_call = pytest.mark.parametrize("name", [*BYTES, *WORDS])
ASYNC = ("aclrtMemsetAsync", "aclrtMemsetD32Async")


@pytest.mark.parametrize("kind", ["device", "pinned", "registered"])
@pytest.mark.parametrize("name", BYTES)
@pytest.mark.parametrize("seed", range(8))
def test_memset_sets_the_low_8_bits_in_every_byte(machine: Machine, name: str, kind: str, seed: int) -> None:
    """Odd offsets and sizes; "only the low 8 bits of value are used"; the bytes around stay."""
    chosen = np.random.default_rng(seed)
    data = chosen.integers(0, 256, 61, np.uint8)
    start, count = int(chosen.integers(0, 30)), int(chosen.integers(1, 32))
    value = int(chosen.integers(-(1 << 31), 1 << 31))
    target = place(machine, kind, data)
    ok(BYTES[name](target.address + start, count + seed, value, count, None))
    ok(aclrtSynchronizeStream(None))
    data[start : start + count] = np.int32(value).astype(np.uint8)
    assert target.get() == data.tolist()


@pytest.mark.parametrize("kind", ["device", "pinned", "registered"])
@pytest.mark.parametrize("name", WORDS)
@pytest.mark.parametrize("seed", range(8))
def test_memset_d32_sets_little_endian_words(machine: Machine, name: str, kind: str, seed: int) -> None:
    """32-bit little-endian words at a multiple of 4; room that is no multiple of 4; the bytes around stay."""
    chosen = np.random.default_rng(seed)
    data = chosen.integers(0, 256, 67, np.uint8)
    start, count = 4 * int(chosen.integers(0, 8)), int(chosen.integers(1, 9))
    value = int(chosen.integers(0, 1 << 32))
    target = place(machine, kind, data)
    ok(WORDS[name](target.address + start, 4 * count + seed % 4, value, count, None))
    ok(aclrtSynchronizeStream(None))
    data[start : start + 4 * count] = np.full(count, value, "<u4").view(np.uint8)
    assert target.get() == data.tolist()


@pytest.mark.parametrize("value", [0, 1 << 31, (1 << 32) - 1, -1], ids=hex)
def test_minus_1_is_the_largest_32_bit_value(machine: Machine, value: int) -> None:
    """`uint32_t`: -1 is 0xFFFFFFFF, as in C."""
    address = malloc(8)
    ok(aclrtMemsetD32(address, 8, value, 2))
    assert machine.read(address, 2, "u4").tolist() == [value & 0xFFFF_FFFF] * 2


def test_a_large_memset_touches_nothing_behind_it(machine: Machine) -> None:
    """Larger than one piece of the pattern; nothing behind it is touched."""
    count = (1 << 25) + 4
    address = malloc(count + 4)
    ok(aclrtMemsetD32(address, count, 0x01020304, count // 4))
    words = machine.read(address, count // 4 + 1, "u4")
    assert words[:-1].min() == words[:-1].max() == 0x01020304
    assert words[-1] == 0xFFFF_FFFF


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("name", ASYNC)
def test_asynchronous_forms_run_in_stream_order(schedule: str, name: str) -> None:
    """The task runs after earlier tasks of the stream; the synchronous form waits for nothing (public)."""
    with board(schedule) as machine:
        stream, target = create_stream(), place(machine, "device", [9] * 8)
        gate = Gate(stream)
        ok((BYTES | WORDS)[name](target.address, 8, 1, {"aclrtMemsetAsync": 8}.get(name, 2), stream))
        assert target.get() == [9] * 8
        ok(aclrtMemset(target.address, 8, 7, 8))
        assert target.get() == [7] * 8, '"no implicit synchronisation for the first"'
        gate.open()
        ok(aclrtSynchronizeStream(stream))
        assert target.get() == ([1] * 8 if name == "aclrtMemsetAsync" else [1, 0, 0, 0] * 2)


DEAD, OTHERS = "a destroyed stream", "a stream of another context"
DEVICE, ODD, GONE, HOST_GONE = "device memory", "at a multiple of 2", "freed device memory", "freed pinned memory"
# (function, pointer, room, count, stream) in a thread without context; each row breaks one rule and later ones
ORDER: dict[str, tuple[str, Any, int, int, Any, int, tuple[str, ...]]] = {
    "count 0 -> success": ("aclrtMemset", None, 0, 0, None, ACL_SUCCESS, ()),
    "null -> 100000": ("aclrtMemset", None, 0, 8, None, NULL, ("(EH0008)", "devPtr cannot be")),
    "no context -> 107002": ("aclrtMemset", HOST, 7, 8, None, NO_CONTEXT, ("(EE1018)", "no valid context")),
    "async, count 0 -> success": ("aclrtMemsetAsync", None, 0, 0, DEAD, ACL_SUCCESS, ()),
    "async, null -> 100000": ("aclrtMemsetAsync", None, 0, 8, DEAD, NULL, ("(EH0008)", "devPtr cannot be")),
    "async, dead stream -> 107017": (
        "aclrtMemsetAsync", HOST, 7, 8, DEAD, ACL_ERROR_RT_INVALID_HANDLE, ("(EE1017)", "destroyed at"),
    ),
    "async, count over maxCount -> 107000": (
        "aclrtMemsetAsync", HOST, 7, 8, OTHERS, BAD, ("(EE1003)", "parameter count", "maxCount = 7"),
    ),
    "async, no context -> 107002": ("aclrtMemsetAsync", HOST, 8, 8, OTHERS, NO_CONTEXT, ("(EE1018)",)),
    "async, no context for null -> 107002": ("aclrtMemsetAsync", HOST, 8, 8, None, NO_CONTEXT, ("(EE1018)",)),
    "D32, N 0 -> success": ("aclrtMemsetD32", None, 0, 0, None, ACL_SUCCESS, ()),
    "D32, null -> 100000": ("aclrtMemsetD32", None, 0, 1, None, NULL, ("(EH0008)", "ptr cannot be")),
    "D32, not aligned -> 100000": ("aclrtMemsetD32", ODD, 0, 1, None, NULL, ("(EH0007)", "a multiple of 4")),
    "D32, memSize less than 4N -> 100000": (
        "aclrtMemsetD32", DEVICE, 7, 2, None, NULL, ("(EH0007)", "parameter memSize", "8 bytes"),
    ),
    "D32, plain memory -> 100000": ("aclrtMemsetD32", HOST, 8, 2, None, NULL, ("(EH0007)", "aclrtMallocHost")),
    "D32, freed memory -> 100000": ("aclrtMemsetD32", GONE, 8, 2, None, NULL, ("(EH0007)", "freed at")),
    "D32, freed pinned memory -> 100000": ("aclrtMemsetD32", HOST_GONE, 8, 2, None, NULL, ("(EH0007)", "freed at")),
    "D32, no context -> 107002": ("aclrtMemsetD32", DEVICE, 8, 2, None, NO_CONTEXT, ("(EE1018)",)),
    "D32 async, N 0 -> success": ("aclrtMemsetD32Async", None, 0, 0, DEAD, ACL_SUCCESS, ()),
    "D32 async, null -> 100000": ("aclrtMemsetD32Async", None, 0, 1, DEAD, NULL, ("(EH0008)", "ptr cannot be")),
    "D32 async, not aligned -> 100000": ("aclrtMemsetD32Async", ODD, 0, 1, DEAD, NULL, ("(EH0007)", "parameter ptr")),
    "D32 async, memSize -> 100000": ("aclrtMemsetD32Async", DEVICE, 7, 2, DEAD, NULL, ("(EH0007)", "memSize")),
    "D32 async, plain memory -> 100000": ("aclrtMemsetD32Async", HOST, 8, 2, DEAD, NULL, ("(EH0007)", "aclrtMalloc")),
    "D32 async, dead stream -> 107017": (
        "aclrtMemsetD32Async", DEVICE, 8, 2, DEAD, ACL_ERROR_RT_INVALID_HANDLE, ("(EE1017)", "destroyed at"),
    ),
    "D32 async, no context -> 107002": ("aclrtMemsetD32Async", DEVICE, 8, 2, OTHERS, NO_CONTEXT, ("(EE1018)",)),
}  # fmt: skip


@pytest.mark.parametrize(("name", "what", "room", "count", "which", "status", "words"), ORDER.values(), ids=ORDER)
def test_of_several_mistakes_the_first_check_answers(
    machine: Machine, name: str, what: Any, room: int, count: int, which: Any, status: int, words: tuple[str, ...]
) -> None:
    """ACL layer, then handle, ranges, context; 1000xx leaves no last error (public)."""
    places = {DEVICE: malloc(8), GONE: malloc(8), HOST_GONE: malloc_host(8)}
    places[ODD] = places[DEVICE] + 2
    ok(aclrtFree(places[GONE]))
    ok(aclrtFreeHost(places[HOST_GONE]))
    streams = {DEAD: create_stream(), OTHERS: create_stream(), None: None}
    ok(aclrtDestroyStream(streams[DEAD]))
    pointer = places[what] if isinstance(what, str) else what

    def work() -> None:
        assert_status((BYTES | WORDS)[name](pointer, room, 0, count, streams[which]), status, *words)
        assert aclrtPeekAtLastError(0) == (status if status // 1000 == 107 else 0)

    in_thread(work)
    assert not machine.findings.worth_telling


def test_count_over_maxcount_of_the_synchronous_form(machine: Machine) -> None:
    """ "Left to the driver, same code expected": 107000, EL0003, nothing set (public)."""
    target = place(machine, "device", [9] * 8)
    assert_status(aclrtMemset(target.address, 7, 1, 8), BAD, "(EL0003)", "count", "maxCount = 7")
    assert target.get() == [9] * 8


@pytest.mark.parametrize("name", ASYNC)
def test_streams_of_other_contexts_and_kinds_are_refused(machine: Machine, name: str) -> None:
    """A stream of another context: 107003. A handle of another kind: 107017. Null: the default stream (public)."""
    call, target, other = (BYTES | WORDS)[name], place(machine, "device", [9] * 4), create_stream()
    count = 4 if name == "aclrtMemsetAsync" else 1
    context = create_context()
    assert_status(call(target.address, 4, 1, count, other), ACL_ERROR_RT_STREAM_CONTEXT, "(EE1010)", "cur_ctx=context")
    assert_status(call(target.address, 4, 1, count, context), ACL_ERROR_RT_INVALID_HANDLE, "(EE1017)", "stream")
    ok(call(target.address, 4, 1, count, None))
    ok(aclrtSynchronizeStream(other))
    assert target.get() == [9] * 4
    ok(aclrtSynchronizeStream(None))
    assert target.get()[0] == 1
    assert aclrtPeekAtLastError(0) == ACL_ERROR_RT_INVALID_HANDLE


@pytest.mark.parametrize("name", BYTES)
def test_a_dead_device_address_is_107000(machine: Machine, name: str) -> None:
    """The driver refuses it: 107000 (public)."""
    dead = malloc(8)
    ok(aclrtFree(dead))
    assert_status(BYTES[name](dead, 8, 0, 8, None), BAD, "(EL0003)", "devPtr", "freed at")


@pytest.mark.fidelity("setting plain host memory")
@pytest.mark.parametrize("report", [False, True], ids=["raise", "report"])
@pytest.mark.parametrize("name", BYTES)
def test_plain_host_memory_is_undefined(name: str, report: bool) -> None:
    """ "Plain host memory undefined": a finding, nothing is set (public; ours)."""
    with board(on_undefined="report" if report else "raise") as machine:
        host = np.full(8, 9, np.uint8)
        for pointer in (host, host.ctypes.data, 0x10):
            if report:
                assert_status(BYTES[name](pointer, 8, 0, 8, None), BAD, "plain host memory", "aclrtMallocHost")
            else:
                id, message = finding_of(lambda pointer=pointer: BYTES[name](pointer, 8, 0, 8, None))
                assert (id, "devPtr" in message) == ("ws-host-ptr", True)
        assert host.tolist() == [9] * 8
        assert errors(machine) == ["ws-host-ptr"] * 3


@pytest.mark.parametrize("report", [False, True], ids=["raise", "report"])
@each_call
def test_a_memset_past_an_allocation_is_memcpy_size(name: str, report: bool) -> None:
    """The count fits maxCount but not the allocation: memcpy-size; "writes past the end are dropped". Pinned memory:
    host-overrun, 107000 (ours)."""
    with board(on_undefined="report" if report else "raise") as machine:
        device, pinned = place(machine, "device", [9] * 8), place(machine, "pinned", [9] * 8)
        count, asked = (8, "count") if name in BYTES else (2, "4 * N")
        for target, id in ((device, "memcpy-size"), (pinned, "host-overrun")):
            arguments = (target.address + 4, 64, 0, count, None)
            if report:
                status = (BYTES | WORDS)[name](*arguments)
                assert status == (ACL_SUCCESS if target is device else BAD)
                ok(aclrtSynchronizeStream(None))
                assert target.get() == [9] * 4 + ([0] if target is device else [9]) * 4
            else:
                found, message = finding_of(lambda arguments=arguments: (BYTES | WORDS)[name](*arguments))
                assert (found, f"{asked} = 8 bytes" in message) == (id, True)
                assert target.get() == [9] * 8
        assert errors(machine) == ["memcpy-size", "host-overrun"]


def test_null_is_the_default_stream_of_the_current_context(machine: Machine) -> None:
    """Runtime rules, 1.5."""
    target = place(machine, "device", [9] * 8)
    create_context()
    ok(aclrtMemsetAsync(target.address, 8, 1, 8, None))
    ok(aclrtSetDevice(0))
    ok(aclrtSynchronizeStream(None))
    assert target.get() == [9] * 8
