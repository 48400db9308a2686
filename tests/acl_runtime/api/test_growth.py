"""A call does not look at all live objects. The tests count steps; tests/benchmarks/scaling.py measures times."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref
from typing import Any

import numpy as np
import pytest

import acl_runtime as acl
from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.checks.host_access.watches import HostAccess
from aclnn import *
from tests.helpers.builders import malloc, on_device, run
from tests.helpers.creating import create_stream, malloc_host

MANY = 200


def counted(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> list[tuple[Any, ...]]:
    """The arguments of each call of a function from now on."""
    calls: list[tuple[Any, ...]] = []
    original: Callable[..., Any] = getattr(owner, name)

    def call(*arguments: Any, **options: Any) -> Any:
        calls.append(arguments)
        return original(*arguments, **options)

    monkeypatch.setattr(owner, name, call)
    return calls


def copies(source: int, target: int, streams: list[Any]) -> None:
    """One copy in each stream, each of bytes of its own."""
    for i, stream in enumerate(streams):
        assert aclrtMemcpyAsync(target + 8 * i, 8, source + 8 * i, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, stream) == 0


def written(size: int) -> int:
    """Device memory whose bytes were written."""
    address = malloc(size)
    assert aclrtMemset(address, size, 1, size) == 0
    return address


def test_a_stream_learns_what_is_new(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """With many used streams, a copy and a wait for it pass on a few entries of the vector clock, not all."""
    from acl_runtime.streams.vector_clock import Agent

    source, target = written(8 * MANY), malloc(8 * MANY)
    streams = [create_stream() for _ in range(MANY)]
    copies(source, target, streams)
    assert aclrtSynchronizeDevice() == 0
    learnt = counted(monkeypatch, Agent, "learn")
    for stream in [*streams[:2]] * 3:
        copies(source, target, [stream])
        assert aclrtSynchronizeStream(stream) == 0
    assert max(len(clock) for _, clock in learnt[4:]) < 10


def test_who_waits_for_many_streams_looks_at_each_a_few_times(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does not look at all of them after each task."""
    from acl_runtime.streams.stream import Stream

    source, target, looks = written(8 * MANY), malloc(8 * MANY), list[Stream]()
    copies(source, target, [create_stream() for _ in range(MANY)])

    def finished(stream: Stream) -> int:
        looks.append(stream)
        return stream.__dict__["finished"]

    def finish(stream: Stream, number: int) -> None:
        stream.__dict__["finished"] = number

    monkeypatch.setattr(Stream, "finished", property(finished, finish), raising=False)
    assert aclrtSynchronizeDevice() == 0
    assert MANY <= len(looks) < 10 * MANY


def test_a_free_looks_at_tasks_that_use_the_memory(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not look at all tasks that wait for an unrecorded event."""
    from acl_runtime.memory.located_ranges import LocatedRange

    source, target, other = written(8), malloc(8), create_stream()
    event = acl.aclrtEvent()
    assert acl.aclrtCreateEventWithFlag(byref(event), acl.ACL_EVENT_SYNC) == 0
    assert aclrtStreamWaitEvent(None, event) == 0
    for _ in range(MANY):
        assert aclrtMemcpyAsync(target, 8, source, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, None) == 0
    unused = malloc(8)
    meetings = counted(monkeypatch, LocatedRange, "meets")
    assert aclrtFree(unused) == 0
    assert meetings == []
    assert aclrtRecordEvent(event, other) == 0
    assert aclrtSynchronizeDevice() == 0


def test_a_wait_asks_for_the_oldest_copy_of_other_streams(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Later copies of a stream, and so their pinned memory, are in use as long as the oldest is."""
    import acl_runtime.checks.host_access.watches as watches

    host, device, busy = malloc_host(8 * MANY), malloc(8 * MANY), create_stream()
    for at in range(0, 8 * MANY - 8, 8):
        assert aclrtMemcpyAsync(device + at, 8, host + at, 8, ACL_MEMCPY_HOST_TO_DEVICE, busy) == 0
    last = 8 * MANY - 8
    assert aclrtMemcpyAsync(device + last, 8, host + last, 8, ACL_MEMCPY_HOST_TO_DEVICE, None) == 0
    sums = counted(monkeypatch, watches, "_checksum")
    looks: list[Any] = []
    knows = machine.happens_before.host.knows
    monkeypatch.setattr(
        type(machine.happens_before.host), "knows", lambda *each: looks.append(each) or knows(*each[1:])
    )
    assert aclrtSynchronizeStream(None) == 0
    assert len(sums) == 1
    assert len(looks) < 20
    monkeypatch.undo()
    assert aclrtSynchronizeStream(busy) == 0


def test_the_runs_of_a_strided_output_are_listed_once(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop that writes the same view again uses the cached list."""
    import acl_runtime.checks.uninitialised.unwritten as unwritten

    ones = np.ones((50, 2), np.float32)
    gradient, output = on_device(ones), on_device(ones)
    out = on_device(ones, strides=(4, 1))
    fresh = malloc(50 * 4 * 4)
    assert acl.aclSetRawTensorAddr(out.handle, fresh) == 0
    listed = counted(monkeypatch, unwritten, "runs")
    for _ in range(3):
        run(aclnnSoftmaxBackwardGetWorkspaceSize, aclnnSoftmaxBackward, gradient, output, 1, out)
    assert len(listed) == 1


@pytest.mark.parametrize("pitch", [8, 11, 32])
def test_rows_are_copied_in_one_go(machine: Machine, monkeypatch: pytest.MonkeyPatch, pitch: int) -> None:
    """The bytes between the rows do not change."""
    import acl_runtime.memory.row_copies as rows

    singly = counted(monkeypatch, rows, "copy")
    image = np.arange(8 * MANY, dtype=np.uint8).reshape(MANY, 8)
    back = np.full((MANY, 20), 5, np.uint8)
    device = malloc(pitch * MANY)
    assert aclrtMemcpy2d(device, pitch, image, 8, 8, MANY, ACL_MEMCPY_HOST_TO_DEVICE) == 0
    assert aclrtMemcpy2d(back, 20, device, pitch, 8, MANY, ACL_MEMCPY_DEVICE_TO_HOST) == 0
    np.testing.assert_array_equal(back[:, :8], image)
    assert (back[:, 8:] == 5).all()
    held = machine.read(device, (MANY, pitch), np.uint8)
    np.testing.assert_array_equal(held[:, :8], image)
    assert (held[:, 8:] == 0xFF).all()
    assert singly == []


def test_rows_far_apart_are_copied_one_by_one(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory between them is not touched."""
    import acl_runtime.memory.row_copies as rows

    singly = counted(monkeypatch, rows, "copy")
    device = malloc(1 << 20)
    assert aclrtMemcpy2d(device, 1 << 18, np.ones((4, 8), np.uint8), 8, 8, 4, ACL_MEMCPY_HOST_TO_DEVICE) == 0
    assert len(singly) == 4
    assert len(list(machine.devices[0].memory.holding(device).filled)) == 4  # type: ignore[union-attr]


def test_nothing_adds_up_in_a_loop(machine: Machine) -> None:
    """Allocate, launch, record an event, wait, free: the tables of the machine do not grow."""
    ones = np.ones((4, 2), np.float32)
    tensors = [on_device(ones) for _ in range(3)]
    source, host, event = written(64), malloc_host(64), acl.aclrtEvent()
    assert acl.aclrtCreateEvent(byref(event)) == 0

    def once() -> None:
        stream, target = create_stream(), malloc(64)
        assert aclrtMemcpyAsync(target, 64, source, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, stream) == 0
        assert aclrtRecordEvent(event, stream) == 0
        assert aclrtStreamWaitEvent(None, event) == 0
        assert aclrtMemcpyAsync(host, 64, target, 64, ACL_MEMCPY_DEVICE_TO_HOST, None) == 0
        run(aclnnSoftmaxBackwardGetWorkspaceSize, aclnnSoftmaxBackward, tensors[0], tensors[1], 1, tensors[2])
        assert aclrtFree(target) == 0
        assert acl.aclrtDestroyStream(stream) == 0

    def sizes() -> dict[str, int]:
        memory, order, scheduler = machine.devices[0].memory, machine.happens_before, machine.scheduler
        (host,) = (each for each in machine.announce.listeners if isinstance(each, HostAccess))
        return {
            "live memory": len(list(memory._live)),
            "freed": len(list(memory._free)),
            "handles": len(machine.handles._live),
            "kept": len(machine.kept),
            "known": len(order.host.clock),
            "merged": len(order.host._merged),
            "watched": len(host.by_agent) + len(host._by_piece),
            "unplaced": len(order._stuck) + len(order._later) + len(order._host_code_over),
            "reported lines": len(machine.consequences._lines),
            "busy": len(scheduler.busy) + scheduler._queued,
            "streams": sum(1 for _ in machine.streams()),
        }

    for _ in range(150):
        once()
    before = sizes()
    for _ in range(150):
        once()
    after = sizes()
    assert {name: size for name, size in after.items() if size > before[name]} == {}
