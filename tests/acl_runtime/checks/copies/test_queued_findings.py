"""Findings of queued copies and other small work: memory freed under it, host addresses that are bad when it runs
(ours)."""

import ctypes
from collections.abc import Callable, Iterator
from ctypes import byref, c_void_p

import pytest

from acl_runtime import *
from tests.helpers.builders import malloc
from tests.helpers.creating import malloc_host
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.memory.kinds_of_memory import host_pages, place, protect
from tests.helpers.memory.ways_to_copy import QUEUED, Copy
from tests.helpers.outcomes import assert_status, errors, finding_of, ok

FAULT, D2D = ACL_ERROR_RT_AICORE_EXCEPTION, ACL_MEMCPY_DEVICE_TO_DEVICE
both_modes = pytest.mark.parametrize("mode", ["raise", "report"])
each_queued = pytest.mark.parametrize("copy", QUEUED.values(), ids=QUEUED)


@pytest.fixture
def pages() -> Iterator[int]:
    """Four pages of the host."""
    with host_pages() as address:
        yield address


@both_modes
@each_queued
@pytest.mark.parametrize("side", ["dst", "src"])
@pytest.mark.parametrize(("kind", "id"), [("device", "io-freed-early"), ("pinned", "pinned-reuse")])
def test_freed_under_a_queued_copy(copy: Copy, mode: str, kind: str, id: str, side: str) -> None:
    """Raised by the free, which then had no effect; else the free happens and the copy touches nothing that is gone. It
    is not reported again."""
    with board(on_undefined=mode) as machine:
        victim, other = place(machine, kind, [1] * 8), place(machine, "device", [2] * 8)
        pair = (victim.pointer, other.address) if side == "dst" else (other.address, victim.pointer)
        ok(copy(*pair, 8))
        free = aclrtFree if kind == "device" else aclrtFreeHost
        if mode == "raise":
            found, message = finding_of(lambda: free(victim.address))
            assert found == id
            for word in (f"the {side}", "stream", "launched at", "ways_to_copy.py:", "aclrtSynchronizeStream"):
                assert word in message
            ok(aclrtSynchronizeStream(None))
            assert (victim if side == "dst" else other).get() == [2 if side == "dst" else 1] * 8
            ok(free(victim.address))
        else:
            ok(free(victim.address))
            ok(aclrtSynchronizeStream(None))
            read_past = [0xFF] * 8 if (kind, side) == ("device", "src") else [2] * 8
            assert other.get() == read_past
            if kind == "pinned":
                assert victim.get() == [0] * 8, "set aside, and written by nobody"
        assert errors(machine) == [id]


@each_queued
@pytest.mark.parametrize("kind", ["device", "pinned"])
def test_a_free_after_the_wait_is_fine(copy: Copy, kind: str) -> None:
    """The good twin: synchronise, then free; another piece of memory may go at any time."""
    with board() as machine:
        used, other = place(machine, kind, [1] * 8), place(machine, "device", [2] * 8)
        ok(copy(other.address, used.address, 8))
        ok(aclrtFree(malloc(8)))
        ok(aclrtFreeHost(malloc_host(8)))
        ok(aclrtSynchronizeStream(None))
        ok((aclrtFree if kind == "device" else aclrtFreeHost)(used.address))
        assert other.get() == [1] * 8
        assert not errors(machine)


LAUNCHES: dict[str, Callable[[int, int], int]] = {
    "aclrtMemsetAsync": lambda cell, _: aclrtMemsetAsync(cell, 8, 0, 8, None),
    "aclrtValueWrite": lambda cell, _: aclrtValueWrite(cell, 0, 0, None),
    "aclrtValueWait": lambda cell, _: aclrtValueWait(cell, 2**64 - 1, 1, None),
    "aclrtReduceAsync": lambda cell, other: aclrtReduceAsync(
        cell, other, 8, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, None, None
    ),
}


@both_modes
@pytest.mark.parametrize("call", ["aclrtMemsetAsync", "aclrtValueWrite", "aclrtValueWait", "aclrtReduceAsync"])
def test_freed_under_other_queued_work(mode: str, call: str) -> None:
    """io-freed-early, as for copies."""
    with board(on_undefined=mode) as machine:
        victim, other = malloc(8), place(machine, "device", [2] * 8)
        assert LAUNCHES[call](victim, other.address) == ACL_SUCCESS
        if mode == "raise":
            assert finding_of(lambda: aclrtFree(victim))[0] == "io-freed-early"
            return
        ok(aclrtFree(victim))
        ok(aclrtSynchronizeStream(None))
        assert errors(machine) == ["io-freed-early"]


@pytest.mark.fidelity("a task that would crash the device, in a machine that reports")
@both_modes
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("side", ["dst", "src"])
def test_bad_host_address_found_by_the_task(schedule: str, mode: str, side: str) -> None:
    """Plain memory and kind 3 are queued. "A finding inside a task is raised by the host call that made it run"; one
    that would crash fails with 507015 at the next synchronise in a machine that only reports (ours)."""
    with board(schedule, on_undefined=mode) as machine:
        device = place(machine, "device", [7] * 8)
        dst, src = (0x10, device.address) if side == "dst" else (device.address, 0x10)

        def calls() -> int:
            status = aclrtMemcpyAsync(dst, 8, src, 8, D2D, None)
            return status or aclrtSynchronizeStream(None)

        if mode == "raise":
            id, message = finding_of(calls)
            assert (id, f"{side} = 0x10" in message) == ("host-overrun", True)
            assert "test_queued_findings.py" in message, "where it was launched"
        else:
            assert_status(calls(), FAULT, f"{side} = 0x10")
            ok(aclrtSynchronizeStream(None))
        assert device.get() == [7] * 8
        assert errors(machine) == ["host-overrun"]


REGISTERED: dict[str, Callable[[int, int], int]] = {
    "copy to it": lambda gone, other: aclrtMemcpyAsync(gone, 8, other, 8, D2D, None),
    "copy from it": lambda gone, other: aclrtMemcpyAsync(other, 8, gone, 8, D2D, None),
    "rows to it": lambda gone, other: aclrtMemcpy2dAsync(gone, 2, other, 2, 2, 4, D2D, None),
    "memory set": LAUNCHES["aclrtMemsetAsync"],
    "value write": LAUNCHES["aclrtValueWrite"],
    "value wait": LAUNCHES["aclrtValueWait"],
    "reduction into it": LAUNCHES["aclrtReduceAsync"],
    "reduction of it": lambda gone, other: LAUNCHES["aclrtReduceAsync"](other, gone),
}


@both_modes
@pytest.mark.parametrize("call", REGISTERED.values(), ids=REGISTERED)
def test_registered_memory_is_gone_when_the_task_runs(pages: int, mode: str, call: Callable[[int, int], int]) -> None:
    """Memory registered by its number, at its address of the device: host-overrun, and no crash."""
    with board(on_undefined=mode) as machine:
        mapped, other = c_void_p(), place(machine, "device", [7] * 8)
        ok(aclrtHostRegister(pages, 64, ACL_HOST_REGISTER_MAPPED, byref(mapped)))
        assert mapped.value is not None
        ok(call(mapped.value, other.address))
        protect(pages, 0)
        if mode == "raise":
            assert finding_of(lambda: aclrtSynchronizeStream(None))[0] == "host-overrun"
        else:
            assert_status(aclrtSynchronizeStream(None), FAULT)
        protect(pages, 3)
        assert (other.get(), ctypes.string_at(pages, 8)) == ([7] * 8, b"\t" * 8)
