"""When copies happen: at once, in stream order, or after the stream (public)."""

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.acl_runtime.api.rt.test_streams import failing_task
from tests.helpers.builders import malloc
from tests.helpers.creating import create_context, create_stream
from tests.helpers.host_threads import in_thread
from tests.helpers.machines import board
from tests.helpers.memory.kinds_of_memory import KINDS, Place, place
from tests.helpers.memory.ways_to_copy import batch
from tests.helpers.outcomes import assert_status, errors, ok
from tests.helpers.stream_gate import Gate

pytestmark = pytest.mark.finds("memcpy-kind", "uninit-read")

H2H, H2D, D2H, D2D, DEFAULT, BUFFERED = range(6)
OLD, NEW, BEFORE = [1] * 8, [2] * 8, [9] * 8
HOST = np.zeros(8, np.uint8)


def test_null_is_the_default_stream_of_the_current_context(machine: Machine) -> None:
    """Runtime rules, 1.5."""
    device, pinned = malloc(8), place(machine, "pinned", OLD)
    context = create_context()
    ok(aclrtMemcpyAsync(device, 8, pinned.address, 8, H2D, None))
    ok(aclrtSetDevice(0))
    ok(aclrtSynchronizeStream(None))
    assert machine.read(device, 8, "u1").tolist() == [0xFF] * 8
    in_thread(lambda: _synchronise_in(context))
    assert machine.read(device, 8, "u1").tolist() == OLD


def _synchronise_in(context: Any) -> None:
    ok(aclrtSetCurrentContext(context))
    ok(aclrtSynchronizeStream(None))


@pytest.mark.parametrize("source", ["plain", "device"])
def test_blocking_copy_in_a_stream_of_another_context(machine: Machine, source: str) -> None:
    """ "A blocking (plain memory) copy does not look at the stream's context" (public)."""
    stream, device, ran = create_stream(), place(machine, "device", OLD), place(machine, "device", BEFORE)
    plain = place(machine, "plain", NEW)
    ok(aclrtMemsetAsync(ran.address, 8, 5, 8, stream))
    create_context()
    dst, src = (device, plain) if source == "plain" else (plain, device)
    ok(aclrtMemcpyAsync(dst.pointer, 8, src.pointer, 8, DEFAULT, stream))
    assert (dst.get(), ran.get()) == (src.get(), [5] * 8)


@pytest.mark.fidelity("a copy of plain memory")
def test_blocking_copy_tells_what_failed_in_the_stream() -> None:
    """It waits for the stream, so a failure of it surfaces there, once, and nothing is copied (public)."""
    with board(on_undefined="report") as machine:
        stream, device = create_stream(), place(machine, "device", BEFORE)
        failing_task(stream)
        arguments = (device.address, 8, np.full(8, 1, np.uint8), 8, H2D, stream)
        assert_status(aclrtMemcpyAsync(*arguments), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "target[1] is 3")
        assert device.get() == BEFORE
        ok(aclrtMemcpyAsync(*arguments))
        assert device.get() == OLD


LAUNCHES: dict[str, Callable[[int, Any], int]] = {
    "aclrtMemcpyAsync": lambda at, to: aclrtMemcpyAsync(at, 8, at + 8, 8, D2D, to),
    "aclrtMemcpyAsync, blocking": lambda at, to: aclrtMemcpyAsync(at, 8, HOST, 8, H2D, to),
    "aclrtMemcpyAsync, buffered": lambda at, to: aclrtMemcpyAsync(at, 8, HOST, 8, BUFFERED, to),
    "aclrtMemcpyAsyncWithCondition": lambda at, to: aclrtMemcpyAsyncWithCondition(at, 8, at + 8, 8, D2D, to),
    "aclrtMemcpy2dAsync": lambda at, to: aclrtMemcpy2dAsync(at, 4, at + 8, 4, 4, 2, D2D, to),
    "aclrtMemcpy2dAsync, blocking": lambda at, to: aclrtMemcpy2dAsync(at, 4, HOST, 4, 4, 2, H2D, to),
    "aclrtMemcpyBatchAsyncV2": lambda at, to: aclrtMemcpyBatchAsyncV2(
        [at], [8], [at + 8], [8], 1, *batch(at, at + 8), to
    ),
    "aclrtMemsetAsync": lambda at, to: aclrtMemsetAsync(at, 8, 1, 8, to),
    "aclrtMemsetD32Async": lambda at, to: aclrtMemsetD32Async(at, 8, 1, 2, to),
    "aclrtReduceAsync": lambda at, to: aclrtReduceAsync(
        at, at + 8, 8, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT8, to, None
    ),
    "aclrtValueWrite": lambda at, to: aclrtValueWrite(at, 1, 0, to),
    "aclrtValueWait": lambda at, to: aclrtValueWait(at, 0, 0, to),
}
each_launch = pytest.mark.parametrize("launch", LAUNCHES.values(), ids=LAUNCHES)


@each_launch
def test_a_copy_in_an_aborted_stream_is_107023(machine: Machine, launch: Callable[[int, Any], int]) -> None:
    """107023, whether the work would be queued or waits for the stream (public)."""
    stream, device = create_stream(), place(machine, "device", [9] * 16)
    ok(aclrtStreamAbort(stream))
    assert_status(launch(device.address, stream), ACL_ERROR_RT_STREAM_ABORT, "(EE1018)", "aborted at")
    assert aclrtPeekAtLastError(0) == ACL_ERROR_RT_STREAM_ABORT
    assert device.get() == [9] * 16


@each_launch
def test_in_stop_mode_a_copy_returns_the_earlier_failure(launch: Callable[[int, Any], int]) -> None:
    """ "After a failed task later calls return the failure" (public), in every stream of the context."""
    with board(on_undefined="report") as machine:
        stream, other, device = create_stream(), create_stream(), place(machine, "device", [9] * 16)
        ok(aclrtSetStreamFailureMode(stream, 1))
        failing_task(stream)
        assert_status(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "target[1] is 3")
        assert_status(launch(device.address, other), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "target[1] is 3")
        assert device.get() == [9] * 16


@pytest.mark.parametrize("source", KINDS)
@pytest.mark.parametrize("target", KINDS)
def test_synchronous_copy_between_all_kinds_of_memory(machine: Machine, source: str, target: str) -> None:
    """ "Host memory may be plain or pinned"; the kind is ignored; a closed stream is not waited for (public)."""
    Gate(None)
    src, dst = place(machine, source, OLD), place(machine, target, BEFORE)
    for kind in (H2H, H2D, D2H, D2D, DEFAULT, BUFFERED):
        dst.set(BEFORE)
        ok(aclrtMemcpy(dst.pointer, 8, src.pointer, 8, kind))
        assert dst.get() == OLD
    assert not machine.tasks


def test_last_error_of_the_synchronous_copy(machine: Machine) -> None:
    """Refusals of the ACL layer are not recorded, those of the runtime layer are (public)."""
    ok(aclrtMemcpy(None, 0, None, 0, 99))
    for arguments in ((None, 8, HOST, 8, H2D), (HOST, 8, None, 8, H2D), (HOST, 8, HOST, 8, 6)):
        assert_status(aclrtMemcpy(*arguments), ACL_ERROR_INVALID_PARAM)
    assert aclrtGetLastError(0) == 0
    assert_status(aclrtMemcpy(HOST, 7, HOST, 8, H2D), ACL_ERROR_RT_PARAM_INVALID, "(EE1003)", "cnt", "rtMemcpy ")
    assert aclrtGetLastError(0) == ACL_ERROR_RT_PARAM_INVALID
    other = np.zeros(8, np.uint8)
    assert (
        in_thread(lambda: (aclrtMemcpy(HOST, 8, other, 8, H2D), aclrtGetLastError(0)))
        == (ACL_ERROR_RT_CONTEXT_NULL,) * 2
    )


def test_blocking_copy_behind_a_wait_that_nobody_satisfies() -> None:
    """The finding deadlock; a machine that only reports answers 507046 and copies nothing (ours)."""
    with board(on_undefined="report") as machine:
        Gate(None)
        device = place(machine, "device", BEFORE)
        status = aclrtMemcpyAsync(device.address, 8, HOST, 8, H2D, None)
        assert_status(status, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "(EE1002)")
        assert (errors(machine), device.get()) == (["deadlock"], BEFORE)


def test_synchronous_calls_do_not_wait(machine: Machine) -> None:
    """ "Synchronous aclrtMemcpy/aclrtMemset act at once": a result copied before the synchronise is old, and a source
    changed before it is what the queued copy takes (public)."""
    machine.allow("read-before-sync", reason="what is copied then is the point of the test")
    machine.allow("xstream-race", reason="and so is what the queued copy takes")
    source, between, target = (place(machine, "device", values) for values in (OLD, BEFORE, BEFORE))
    back = np.zeros(8, np.uint8)
    ok(aclrtMemcpyAsync(between.address, 8, source.address, 8, D2D, None))
    ok(aclrtMemcpyAsync(target.address, 8, between.address, 8, D2D, None))
    ok(aclrtMemcpy(back, 8, target.address, 8, ACL_MEMCPY_DEVICE_TO_HOST))
    assert back.tolist() == BEFORE, "read before the synchronise: old data"
    ok(aclrtMemset(source.address, 8, 2, 8))
    assert not machine.tasks
    ok(aclrtSynchronizeStream(None))
    ok(aclrtMemcpy(back, 8, target.address, 8, ACL_MEMCPY_DEFAULT))
    assert back.tolist() == NEW


def test_one_stream_is_a_fifo_two_are_not(machine: Machine) -> None:
    """The copies of a stream run in order; another stream's do not wait for them (public)."""
    machine.allow("xstream-race", reason="the race of the two is the point of the test")
    streams, target = [create_stream(), create_stream()], place(machine, "device", BEFORE)
    sources = [place(machine, "pinned", values) for values in (OLD, NEW)]
    for stream, source in zip(streams, sources, strict=True):
        ok(aclrtMemcpyAsync(target.address, 8, source.address, 8, ACL_MEMCPY_HOST_TO_DEVICE, stream))
    ok(aclrtSynchronizeStream(streams[1]))
    assert target.get() == NEW
    ok(aclrtSynchronizeStream(streams[0]))
    assert target.get() == OLD


@pytest.mark.parametrize("kind", [ACL_MEMCPY_DEVICE_TO_DEVICE, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE])
def test_plain_source_that_python_would_free(machine: Machine, kind: int) -> None:
    """A queued copy keeps the host object, or its own copy of it, until it has run (ours)."""
    target = place(machine, "device", [0] * 4096)
    ok(aclrtMemcpyAsync(target.address, 4096, np.full(4096, 7, np.uint8), 4096, kind, None))
    gc.collect()
    noise = [np.full(4096, 8, np.uint8) for _ in range(64)]
    ok(aclrtSynchronizeStream(None))
    assert target.get() == [7] * 4096
    assert len(noise) == 64


def test_a_queued_copy_of_a_piece_leaves_the_bytes_around(machine: Machine) -> None:
    """Pointer plus offset on both sides, of device and pinned memory; the bytes around stay."""
    source, target = place(machine, "pinned", range(8)), place(machine, "device", BEFORE)
    ok(aclrtMemcpyAsync(target.address + 3, 5, source.address + 5, 2, ACL_MEMCPY_DEFAULT, None))
    ok(aclrtSynchronizeStream(None))
    assert target.get() == [9, 9, 9, 5, 6, 9, 9, 9]


@pytest.mark.fidelity("copies between devices without peer access, which some products refuse")
def test_devices_copy_to_each_other(two: Machine) -> None:
    """Memory belongs to the process: any stream copies between two devices, in both directions (ours)."""
    places: list[Place] = []
    for device in (0, 1):
        ok(aclrtSetDevice(device))
        places.append(place(two, "device", [device + 1] * 8))
    for source, target in (places, places[::-1]):
        source.set(range(8))
        for current in (0, 1):
            ok(aclrtSetDevice(current))
            target.set(BEFORE)
            ok(aclrtMemcpyAsync(target.address, 8, source.address, 8, D2D, None))
            assert target.get() == BEFORE
            ok(aclrtSynchronizeStream(None))
            assert target.get() == list(range(8))
            target.set(BEFORE)
            ok(aclrtMemcpy(target.address, 8, source.address, 8, D2D))
            assert target.get() == list(range(8))
