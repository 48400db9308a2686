"""aclrtValueWrite and aclrtValueWait: 64-bit cells in device memory that streams write and wait for (public)."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc
from tests.helpers.creating import create_context, create_stream, malloc_host
from tests.helpers.host_threads import in_thread, wait
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.memory.kinds_of_memory import place
from tests.helpers.outcomes import assert_status, errors, finding_of, ok
from tests.helpers.stream_gate import Gate

GEQ, EQ, AND, NOR = (
    ACL_STREAM_WAIT_VALUE_GEQ,
    ACL_STREAM_WAIT_VALUE_EQ,
    ACL_STREAM_WAIT_VALUE_AND,
    ACL_STREAM_WAIT_VALUE_NOR,
)
NULL, BAD = ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_PARAM_INVALID
Call = Callable[[Any, int, int, Any], int]
BOTH: dict[str, Call] = {"aclrtValueWrite": aclrtValueWrite, "aclrtValueWait": aclrtValueWait}
each_call = pytest.mark.parametrize("call", BOTH.values(), ids=BOTH)
ONES = 2**64 - 1


def cell_with(value: int) -> int:
    """The address of a cell of device memory with this value."""
    address = malloc(8)
    ok(aclrtMemcpy(address, 8, np.array([value], np.uint64), 8, 4))
    return address


def value_of(machine: Machine, address: int) -> int:
    return int(machine.read(address, 1, "u8")[0])


@pytest.mark.parametrize("way", ["aclrtValueWrite", "the upper half of the cell"])
def test_a_wait_ends_with_the_first_write_that_is_enough(machine: Machine, way: str) -> None:
    """A task of 4 MB takes 5 us, so the first write is at 6 us and the next one at 12 us (ours)."""
    cell, size, (waits, writes) = cell_with(0), 4_000_000, (create_stream(), create_stream())
    memory, half = malloc(size), place(machine, "device", [1, 0, 0, 0])
    ok(aclrtValueWait(cell, 1, GEQ, waits))
    for _ in range(2):
        ok(aclrtMemsetAsync(memory, size, 0, size, writes))
        if way == "aclrtValueWrite":
            ok(aclrtValueWrite(cell, 1, 0, writes))
        else:
            ok(aclrtMemcpyAsync(cell + 4, 4, half.address, 4, ACL_MEMCPY_DEVICE_TO_DEVICE, writes))
    ok(aclrtSynchronizeStream(writes))
    first = machine.tasks[1].end
    ok(aclrtSynchronizeStream(waits))
    assert machine.tasks[-1].start == first > 5


@pytest.mark.parametrize("value", [0, 1, 2**63, ONES, -1, 2**64 + 5], ids=hex)
def test_a_write_changes_64_bits_and_no_neighbour(machine: Machine, value: int) -> None:
    """64 bits, little-endian; the neighbours stay."""
    cell = place(machine, "device", [9] * 24)
    ok(aclrtValueWrite(cell.address + 8, value, 0, None))
    assert cell.get() == [9] * 24
    ok(aclrtSynchronizeStream(None))
    assert cell.get() == [9] * 8 + list((value & ONES).to_bytes(8, "little")) + [9] * 8


# (flag, what the cell holds, value): does the stream go on?
CONDITIONS: dict[str, tuple[int, int, int, bool]] = {
    "GEQ equal": (GEQ, 5, 5, True),
    "GEQ greater": (GEQ, 6, 5, True),
    "GEQ less": (GEQ, 4, 5, False),
    "GEQ is signed: -1 is less than 0": (GEQ, ONES, 0, False),
    "GEQ is of the difference, which wraps": (GEQ, 2, ONES - 2, True),
    "GEQ difference of 2^63 - 1": (GEQ, 2**63 - 1, 0, True),
    "GEQ difference of 2^63 is negative": (GEQ, 2**63, 0, False),
    "EQ equal": (EQ, ONES, ONES, True),
    "EQ differs in the top bit": (EQ, 2**63 | 5, 5, False),
    "AND common bit": (AND, 0b110, 0b011, True),
    "AND common top bit": (AND, 2**63, 2**63, True),
    "AND none": (AND, 0b100, 0b011, False),
    "AND value 0": (AND, ONES, 0, False),
    "NOR a bit is in neither": (NOR, ONES - 1, 0, True),
    "NOR all bits are in one of them": (NOR, ONES - 1, 1, False),
    "NOR top bit in neither": (NOR, 2**62, 2**63 - 1, True),
    "NOR cell of ones": (NOR, ONES, 0, False),
}


@pytest.mark.parametrize(("flag", "cell", "value", "goes_on"), CONDITIONS.values(), ids=CONDITIONS)
def test_a_wait_ends_when_its_condition_holds(
    machine: Machine, flag: int, cell: int, value: int, goes_on: bool
) -> None:
    """ "0 signed difference >= 0, 1 equal, 2 and != 0, 3 ~(cell or value) != 0" (public)."""
    stream, address, behind = create_stream(), cell_with(cell), place(machine, "device", [9])
    ok(aclrtValueWait(address, value, flag, stream))
    ok(aclrtMemsetAsync(behind.address, 1, 1, 1, stream))
    if goes_on:
        ok(aclrtSynchronizeStream(stream))
        assert behind.get() == [1]
    else:
        id, message = finding_of(lambda: aclrtSynchronizeStream(stream))
        assert (id, f"holds {cell:#x}" in message, behind.get()) == ("deadlock", True, [9])
        assert f"{value:#x}" in message
    assert value_of(machine, address) == cell


def by_value_write(cell: int, stream: aclrtStream) -> None:
    ok(aclrtValueWrite(cell, 1, 0, stream))


def by_memset(cell: int, _: aclrtStream) -> None:
    ok(aclrtMemset(cell, 1, 1, 1))


def by_memset_async(cell: int, stream: aclrtStream) -> None:
    ok(aclrtMemsetAsync(cell, 1, 1, 1, stream))


def by_copy(cell: int, _: aclrtStream) -> None:
    ok(aclrtMemcpy(cell, 8, (1).to_bytes(8, "little"), 8, 4))


def by_copy_async(cell: int, stream: aclrtStream) -> None:
    ok(aclrtMemcpyAsync(cell, 8, cell_with(1), 8, ACL_MEMCPY_DEVICE_TO_DEVICE, stream))


def by_reduction(cell: int, stream: aclrtStream) -> None:
    ok(aclrtReduceAsync(cell, cell_with(1), 8, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, stream, None))


@pytest.mark.parametrize(
    "writer",
    [by_value_write, by_memset, by_memset_async, by_copy, by_copy_async, by_reduction],
    ids=lambda writer: writer.__name__,
)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_whatever_writes_the_cell_opens_it(schedule: str, writer: Callable[[int, aclrtStream], None]) -> None:
    """Later tasks of the stream wait, other streams do not. After the write the later tasks run."""
    with board(schedule) as machine:
        one, other, cell = create_stream(), create_stream(), cell_with(0)
        behind = place(machine, "device", [9])
        ok(aclrtValueWait(cell, 1, EQ, one))
        ok(aclrtMemsetAsync(behind.address, 1, 1, 1, one))
        ok(aclrtSynchronizeStream(other))
        assert behind.get() == [9]
        writer(cell, other)
        ok(aclrtSynchronizeStream(one))
        assert behind.get() == [1]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_two_streams_take_turns_through_two_cells(schedule: str) -> None:
    """Two streams take turns ten times, each waiting for the other's value."""
    with board(schedule) as machine:
        streams, cells = [create_stream(), create_stream()], [cell_with(0), cell_with(0)]
        total = place(machine, "device", [0, 0, 0, 0])
        one = place(machine, "device", [1, 0, 0, 0])
        for turn in range(1, 11):
            for mine, stream in enumerate(streams):
                ok(aclrtValueWait(cells[1 - mine], turn - 1 + mine, GEQ, stream))
                ok(aclrtReduceAsync(total.address, one.address, 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, stream,
                                    None))  # fmt: skip
                ok(aclrtValueWrite(cells[mine], turn, 0, stream))
        ok(aclrtSynchronizeStream(streams[1]))
        assert total.get() == [20, 0, 0, 0]
        assert [value_of(machine, cell) for cell in cells] == [10, 10]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_host_thread_opens_what_another_waits_for(schedule: str) -> None:
    """A synchronise of one thread ends when another thread writes the cell: no deadlock while that thread lives."""
    with board(schedule) as machine:
        stream, known = create_stream(), threading.Event()
        gate = Gate(stream)

        def opens() -> None:
            ok(aclrtSetDevice(0))
            known.set()
            gate.open()

        with ThreadPoolExecutor(1) as pool:
            opened = pool.submit(opens)
            wait(known)
            ok(aclrtSynchronizeStream(stream))
            opened.result()
        assert not errors(machine)


def test_wait_that_nobody_satisfies_in_a_machine_that_reports() -> None:
    """The synchronise returns 507046 with the finding `deadlock`. After a write the stream goes on (ours)."""
    with board(on_undefined="report") as machine:
        cell = cell_with(0)
        ok(aclrtValueWait(cell, 1, EQ, None))
        assert_status(aclrtSynchronizeStream(None), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "(EE1002)")
        ok(aclrtMemset(cell, 1, 1, 1))
        ok(aclrtSynchronizeStream(None))
        assert errors(machine) == ["deadlock"]


DEAD, OTHERS = "a destroyed stream", "a stream of another context"
# (devAddr, stream) in a thread without context, with a bad flag or without; each row breaks one rule and later ones
ORDER: dict[str, tuple[int | None, bool, Any, int, tuple[str, ...]]] = {
    "null -> 100000": (None, True, DEAD, NULL, ("(EH0008)", "devAddr cannot be a NULL pointer")),
    "flag -> 100000": (0x1004, True, DEAD, NULL, ("(EH0007)", "parameter flag")),
    "dead stream -> 107017": (0x1004, False, DEAD, ACL_ERROR_RT_INVALID_HANDLE, ("(EE1017)", "destroyed at")),
    "no multiple of 8 -> 107000": (0x1004, False, OTHERS, BAD, ("(EE1003)", "parameter devAddr", "multiple of 8")),
    "no context -> 107002": (0x1008, False, OTHERS, ACL_ERROR_RT_CONTEXT_NULL, ("(EE1018)", "no valid context")),
    "no context for null -> 107002": (0x1008, False, None, ACL_ERROR_RT_CONTEXT_NULL, ("(EE1018)",)),
}


@pytest.mark.fidelity("a cell of aclrtValueWrite or aclrtValueWait that is no multiple of 8")
@each_call
@pytest.mark.parametrize(("address", "bad_flag", "which", "status", "words"), ORDER.values(), ids=ORDER)
def test_of_several_mistakes_the_first_check_answers(
    machine: Machine, call: Call, address: int, bad_flag: bool, which: Any, status: int, words: tuple[str, ...]
) -> None:
    """In a thread without context; 1000xx leaves no last error (public)."""
    streams = {DEAD: create_stream(), OTHERS: create_stream(), None: None}
    ok(aclrtDestroyStream(streams[DEAD]))
    flags = ([1, 2, ONES] if call is aclrtValueWrite else [4, 5, ONES]) if bad_flag else [0]

    def work() -> None:
        for flag in flags:
            assert_status(call(address, 0, flag, streams[which]), status, *words)
            assert aclrtPeekAtLastError(0) == (status if status // 1000 == 107 else 0)

    in_thread(work)
    assert not machine.findings.worth_telling


@each_call
def test_streams_of_other_contexts_and_kinds_are_refused(machine: Machine, call: Call) -> None:
    """A stream of another context: 107003. A handle of another kind: 107017. Null: the default stream of the current
    context."""
    cell, other = cell_with(0), create_stream()
    context = create_context()
    assert_status(call(cell, 0, 0, other), ACL_ERROR_RT_STREAM_CONTEXT, "(EE1010)", "cur_ctx=context")
    assert_status(call(cell, 0, 0, context), ACL_ERROR_RT_INVALID_HANDLE, "(EE1017)", "parameter stream")
    assert call(cell, 0, 0, None) == aclrtSynchronizeStream(other) == ACL_SUCCESS
    assert not machine.tasks
    ok(aclrtSynchronizeStream(None))
    assert [task.stream for task in machine.tasks] == ["the default stream of context 1"]


@each_call
def test_a_cell_outside_of_device_memory_is_refused(machine: Machine, call: Call) -> None:
    """107000 from the driver unless it is live device memory; a cell past the end is memcpy-size."""
    dead, short = malloc(8), malloc(12)
    ok(aclrtFree(dead))
    for bad, words in ((dead, "freed at"), (0x10, "no device address"), (malloc_host(8), "pinned host memory 1")):
        assert_status(call(bad, 0, 0, None), BAD, "(EL0003)", "devAddr", words)
    id, message = finding_of(lambda: call(short + 8, 0, 0, None))
    assert (id, "4 bytes left" in message) == ("memcpy-size", True)
    ok(aclrtSynchronizeStream(None))
    assert not machine.tasks


def test_a_stream_waits_for_a_cell_of_another_device(two: Machine) -> None:
    """A stream of one device waits for a cell of the other."""
    ok(aclrtSetDevice(0))
    cell = cell_with(0)
    ok(aclrtSetDevice(1))
    ok(aclrtValueWait(cell, 7, EQ, None))
    ok(aclrtSetDevice(0))
    ok(aclrtValueWrite(cell, 7, 0, None))
    ok(aclrtSetDevice(1))
    ok(aclrtSynchronizeStream(None))
    assert value_of(two, cell) == 7
