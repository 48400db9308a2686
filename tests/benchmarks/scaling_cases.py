"""Calls beside many live objects, for `tests.benchmarks.scaling`: each case takes a number of objects, and returns the
seconds of processor time that one call costs beside them."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from ctypes import byref, c_size_t, c_uint64, c_void_p
from typing import Any

import numpy as np

from acl_runtime import (
    ACL_EVENT_SYNC,
    ACL_FLOAT,
    ACL_FORMAT_ND,
    ACL_HBM_MEM,
    ACL_MEM_MALLOC_NORMAL_ONLY,
    ACL_MEMCPY_DEVICE_TO_DEVICE,
    ACL_MEMCPY_DEVICE_TO_HOST,
    ACL_MEMCPY_HOST_TO_DEVICE,
    Machine,
    aclCreateTensor,
    aclDestroyTensor,
    aclInit,
    aclOpExecutor,
    aclrtCreateEvent,
    aclrtCreateEventWithFlag,
    aclrtCreateStream,
    aclrtDestroyEvent,
    aclrtDestroyStream,
    aclrtEvent,
    aclrtFree,
    aclrtFreeHost,
    aclrtGetMemInfo,
    aclrtMalloc,
    aclrtMallocHost,
    aclrtMemcpy,
    aclrtMemcpyAsync,
    aclrtMemset,
    aclrtRecordEvent,
    aclrtSetDevice,
    aclrtStream,
    aclrtStreamWaitEvent,
    aclrtSynchronizeDevice,
    aclrtSynchronizeStream,
    aclTensor,
)
from aclnn import aclnnSoftmaxBackward, aclnnSoftmaxBackwardGetWorkspaceSize
from tests.helpers.builders import on_device

PIECE = 512
CALLS, ROUNDS = 200, 5

Call = Callable[[], object]
Case = Callable[[int], float]
"""seconds of a call beside this many live objects"""


@contextmanager
def board(**options: object) -> Iterator[Machine]:
    """A fresh machine with more memory, streams and events than any case needs."""
    gc.collect()
    with Machine(**options) as machine:  # type: ignore[arg-type]
        machine.budget(memory=1 << 42, streams=1 << 20, events=1 << 20)
        aclInit(None)
        aclrtSetDevice(0)
        yield machine


def best(call: Call, calls: int = CALLS, rounds: int = ROUNDS) -> float:
    """Seconds a call takes, of the fastest round."""
    return min(each(call, calls) for _ in range(rounds))


def each(call: Call, calls: int) -> float:
    """Seconds a call takes, of one round."""
    begin = time.process_time()
    for _ in range(calls):
        call()
    return (time.process_time() - begin) / calls


def over(call: Callable[[Any], object], things: Sequence[Any]) -> float:
    """Seconds of a call that is made once for each of these arguments."""
    begin = time.process_time()
    for thing in things:
        call(thing)
    return (time.process_time() - begin) / len(things)


def again(n: int) -> range:
    """The number of repeats of a case that uses its objects up."""
    return range(max(2, min(10, 3_000 // n)))


# live allocations


def new(size: int = PIECE) -> c_void_p:
    pointer = c_void_p()
    assert aclrtMalloc(byref(pointer), size, ACL_MEM_MALLOC_NORMAL_ONLY) == 0
    return pointer


def pieces(n: int) -> list[c_void_p]:
    return [new() for _ in range(n)]


def malloc_and_free(n: int) -> float:
    """aclrtMalloc + aclrtFree of one more."""
    with board():
        pieces(n)
        return best(lambda: aclrtFree(new()))


def malloc_only(n: int) -> float:
    """aclrtMalloc, from none to all."""

    def once() -> float:
        with board():
            return over(lambda _: new(), range(n))

    return min(once() for _ in again(n))


def _free(n: int, order: Callable[[list[c_void_p]], object]) -> float:
    def once() -> float:
        with board():
            live = pieces(n)
            order(live)
            return over(aclrtFree, live)

    return min(once() for _ in again(n))


def free_in_order(n: int) -> float:
    """aclrtFree of all, the oldest first."""
    return _free(n, lambda _: None)


def free_in_reverse(n: int) -> float:
    """aclrtFree of all, the newest first."""
    return _free(n, list.reverse)


def free_at_random(n: int) -> float:
    """aclrtFree of all, in any order."""
    return _free(n, random.Random(0).shuffle)


def fragmented(n: int) -> float:
    """aclrtFree of every other one, then aclrtMalloc of larger ones."""

    def once() -> float:
        with board():
            live = pieces(n)
            begin = time.process_time()
            for pointer in live[::2]:
                aclrtFree(pointer)
            for _ in range(n // 2):
                new(2 * PIECE)
            return (time.process_time() - begin) / n

    return min(once() for _ in again(n))


def used_up(n: int) -> float:
    """aclrtMalloc + aclrtFree when all addresses were used and many small ranges are free."""
    with board() as machine:
        live = pieces(2 * n)
        for pointer in live[::2]:
            aclrtFree(pointer)
        memory = machine.devices[0].memory
        memory._next = memory._window.start + memory._window.size - (16 << 20)
        aclrtFree(new(15 << 20))
        return best(lambda: aclrtFree(new(1 << 20)), 100)


def _copies(n: int, copy: Callable[[c_void_p, np.ndarray], object]) -> float:
    host = np.zeros(PIECE, np.uint8)
    with board():
        live = pieces(n)
        for pointer in live:
            aclrtMemset(pointer, PIECE, 0, PIECE)
        chosen = random.Random(0).choices(live, k=CALLS)
        return min(over(lambda pointer: copy(pointer, host), chosen) for _ in range(ROUNDS))


def copy_to_device(n: int) -> float:
    """aclrtMemcpy, host to device."""
    return _copies(n, lambda at, host: aclrtMemcpy(at, PIECE, host, PIECE, ACL_MEMCPY_HOST_TO_DEVICE))


def copy_to_host(n: int) -> float:
    """aclrtMemcpy, device to host."""
    return _copies(n, lambda at, host: aclrtMemcpy(host, PIECE, at, PIECE, ACL_MEMCPY_DEVICE_TO_HOST))


def copy_on_device(n: int) -> float:
    """aclrtMemcpy, device to device."""
    with board():
        live = pieces(n)
        for pointer in live:
            aclrtMemset(pointer, PIECE, 0, PIECE)
        pairs = [random.Random(i).sample(live, 2) for i in range(CALLS)]

        def copy(pair: list[c_void_p]) -> None:
            aclrtMemcpy(pair[0], PIECE, pair[1], PIECE, ACL_MEMCPY_DEVICE_TO_DEVICE)

        return min(over(copy, pairs) for _ in range(ROUNDS))  # type: ignore[arg-type]


def memset(n: int) -> float:
    """aclrtMemset."""
    return _copies(n, lambda at, _: aclrtMemset(at, PIECE, 0, PIECE))


def copy_async(n: int) -> float:
    """aclrtMemcpyAsync + aclrtSynchronizeStream, device to device."""

    def copy(at: c_void_p, _: object) -> None:
        aclrtMemcpyAsync(at, PIECE // 2, at.value + PIECE // 2, PIECE // 2, ACL_MEMCPY_DEVICE_TO_DEVICE, None)
        aclrtSynchronizeStream(None)

    return _copies(n, copy)


def memory_info(n: int) -> float:
    """aclrtGetMemInfo."""
    free, total = c_size_t(), c_size_t()
    with board():
        pieces(n)
        return best(lambda: aclrtGetMemInfo(ACL_HBM_MEM, byref(free), byref(total)))


def machine_read(n: int) -> float:
    """machine.read."""
    with board() as machine:
        live = pieces(n)
        for pointer in live:
            aclrtMemset(pointer, PIECE, 0, PIECE)
        chosen = random.Random(0).choices(live, k=CALLS)
        return min(over(lambda at: machine.read(at, PIECE, np.uint8), chosen) for _ in range(ROUNDS))


def leaks(n: int) -> float:
    """the end of a machine, for each allocation left behind."""

    def once() -> float:
        with board() as machine:
            pieces(n)
            machine.allow("mem-leaked", reason="measured")
            begin = time.process_time()
        return (time.process_time() - begin) / n

    return min(once() for _ in again(n))


# pinned memory


def pinned(size: int = PIECE) -> c_void_p:
    pointer = c_void_p()
    assert aclrtMallocHost(byref(pointer), size) == 0
    return pointer


def malloc_host(n: int) -> float:
    """aclrtMallocHost + aclrtFreeHost of one more."""
    with board():
        for _ in range(n):
            pinned()
        return best(lambda: aclrtFreeHost(pinned()))


def free_host_at_random(n: int) -> float:
    """aclrtFreeHost of all, in any order."""

    def once() -> float:
        with board():
            live = [pinned() for _ in range(n)]
            random.Random(0).shuffle(live)
            return over(aclrtFreeHost, live)

    return min(once() for _ in again(n))


def copy_pinned(n: int) -> float:
    """aclrtMemcpyAsync from pinned memory + aclrtSynchronizeStream."""
    with board():
        live = [pinned() for _ in range(n)]
        target = new()
        chosen = random.Random(0).choices(live, k=CALLS)

        def copy(source: object) -> None:
            aclrtMemcpyAsync(target, PIECE, source, PIECE, ACL_MEMCPY_HOST_TO_DEVICE, None)
            aclrtSynchronizeStream(None)

        return min(over(copy, chosen) for _ in range(ROUNDS))


def slices_in_flight(n: int) -> float:
    """aclrtMemcpyAsync to slices of one pinned buffer, all queued, then one synchronise."""

    def once() -> float:
        with board():
            host, source = pinned(8 * n), new(8 * n)
            aclrtMemset(source, 8 * n, 1, 8 * n)
            begin = time.process_time()
            for at in range(0, 8 * n, 8):
                aclrtMemcpyAsync(host.value + at, 8, source.value + at, 8, ACL_MEMCPY_DEVICE_TO_HOST, None)
            aclrtSynchronizeStream(None)
            return (time.process_time() - begin) / n

    return min(once() for _ in again(n))


def slices_of_another(n: int) -> float:
    """aclrtMemcpyAsync + synchronise of a stream beside copies of pinned memory in another."""
    with board():
        host, device = pinned(8 * n + 8), new(8 * n + 8)
        busy = stream()
        for at in range(0, 8 * n, 8):
            aclrtMemcpyAsync(device.value + at, 8, host.value + at, 8, ACL_MEMCPY_HOST_TO_DEVICE, busy)

        def copy() -> None:
            aclrtMemcpyAsync(device.value + 8 * n, 8, host.value + 8 * n, 8, ACL_MEMCPY_HOST_TO_DEVICE, None)
            aclrtSynchronizeStream(None)

        result = best(copy, 100)
        aclrtSynchronizeStream(busy)
        return result


# tensors and launches


def tensor(address: c_void_p | None = None) -> aclTensor:
    return aclCreateTensor([4, 2], 2, ACL_FLOAT, [2, 1], 0, ACL_FORMAT_ND, [4, 2], 2, address)


def tensors(n: int) -> float:
    """aclCreateTensor + aclDestroyTensor of one more."""
    with board():
        live = [tensor() for _ in range(n)]
        result = best(lambda: aclDestroyTensor(tensor()))
        for each in live:
            aclDestroyTensor(each)
        return result


def destroy_tensors(n: int) -> float:
    """aclDestroyTensor of all, in any order."""

    def once() -> float:
        with board():
            live = [tensor() for _ in range(n)]
            random.Random(0).shuffle(live)
            return over(aclDestroyTensor, live)

    return min(once() for _ in again(n))


def pair(where: object = None) -> Call:
    """A two-phase call of three small tensors, and its synchronise."""
    arguments = [on_device(np.ones((4, 2), np.float32)).handle for _ in range(3)]
    size, executor = c_uint64(), aclOpExecutor()

    def call() -> None:
        aclnnSoftmaxBackwardGetWorkspaceSize(
            arguments[0], arguments[1], 1, arguments[2], byref(size), byref(executor)
        )  # fmt: skip
        aclnnSoftmaxBackward(None, size.value, executor, where)
        aclrtSynchronizeStream(where)

    return call


def launch_beside_allocations(n: int) -> float:
    """both phases + synchronise, beside allocations."""
    with board():
        pieces(n)
        return best(pair())


def launch_beside_tensors(n: int) -> float:
    """both phases + synchronise, beside tensors."""
    with board():
        for _ in range(n):
            tensor()
        return best(pair())


def launch_after_dead(n: int) -> float:
    """both phases + synchronise, after as many objects that were destroyed."""
    with board():
        for _ in range(n):
            aclDestroyTensor(tensor())
            aclrtFree(new())
        return best(pair())


# streams and events


def stream() -> aclrtStream:
    made = aclrtStream()
    assert aclrtCreateStream(byref(made)) == 0
    return made


def event() -> aclrtEvent:
    made = aclrtEvent()
    assert aclrtCreateEvent(byref(made)) == 0
    return made


def streams(n: int) -> float:
    """aclrtCreateStream + aclrtDestroyStream of one more."""
    with board():
        for _ in range(n):
            stream()
        return best(lambda: aclrtDestroyStream(stream()))


def destroy_streams(n: int) -> float:
    """aclrtDestroyStream of all, the newest first."""

    def once() -> float:
        with board():
            live = [stream() for _ in range(n)]
            live.reverse()
            return over(aclrtDestroyStream, live)

    return min(once() for _ in again(n))


def launch_beside_streams(n: int) -> float:
    """both phases + synchronise, beside idle streams."""
    with board():
        for _ in range(n):
            stream()
        return best(pair())


def launch_beside_used_streams(n: int) -> float:
    """both phases + synchronise of a stream, beside streams that were used."""
    with board():
        source, target = new(8 * n), new(8 * n)
        aclrtMemset(source, 8 * n, 1, 8 * n)
        for at in range(0, 8 * n, 8):
            made = stream()
            aclrtMemcpyAsync(target.value + at, 8, source.value + at, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, made)
            aclrtSynchronizeStream(made)
        return best(pair())


def launch_beside_busy_streams(n: int) -> float:
    """both phases + synchronise of a stream, beside streams with work queued."""
    with board():
        source, target = new(8 * n), new(8 * n)
        aclrtMemset(source, 8 * n, 1, 8 * n)
        for at in range(0, 8 * n, 8):
            made = stream()
            aclrtMemcpyAsync(target.value + at, 8, source.value + at, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, made)
        return best(pair())


def synchronize_device(n: int) -> float:
    """aclrtSynchronizeDevice, for each stream with a task."""

    def once() -> float:
        with board():
            source, target = new(8 * n), new(8 * n)
            aclrtMemset(source, 8 * n, 1, 8 * n)
            made = [stream() for _ in range(n)]

            def work() -> float:
                for at, where in zip(range(0, 8 * n, 8), made, strict=True):
                    aclrtMemcpyAsync(target.value + at, 8, source.value + at, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, where)
                begin = time.process_time()
                aclrtSynchronizeDevice()
                return (time.process_time() - begin) / n

            return min(work() for _ in range(2))

    return min(once() for _ in again(n))


def synchronize_idle_device(n: int) -> float:
    """aclrtSynchronizeDevice, for each idle stream."""
    with board():
        for _ in range(n):
            stream()
        return best(aclrtSynchronizeDevice, max(1, 1000 // n), 3) / n


def synchronize_device_beside_allocations(n: int) -> float:
    """aclrtSynchronizeDevice beside allocations."""
    with board():
        pieces(n)
        return best(aclrtSynchronizeDevice)


def events(n: int) -> float:
    """aclrtCreateEvent + aclrtRecordEvent + synchronise + aclrtDestroyEvent of one more."""

    def call() -> None:
        made = event()
        aclrtRecordEvent(made, None)
        aclrtSynchronizeStream(None)
        aclrtDestroyEvent(made)

    with board():
        for _ in range(n):
            event()
        return best(call)


def waits(n: int) -> float:
    """aclrtStreamWaitEvent of one event, all queued, then synchronised."""

    def once() -> float:
        with board():
            first, second, made = stream(), stream(), event()
            aclrtRecordEvent(made, first)
            begin = time.process_time()
            for _ in range(n):
                aclrtStreamWaitEvent(second, made)
            aclrtSynchronizeStream(second)
            return (time.process_time() - begin) / n

    return min(once() for _ in again(n))


def handovers(n: int) -> float:
    """work handed from stream to stream by events, all queued, then synchronised."""

    def once() -> float:
        with board():
            source, target = new(8), new(8)
            aclrtMemset(source, 8, 1, 8)
            ends = stream(), stream()
            made = [event() for _ in range(2)]
            begin = time.process_time()
            for i in range(n):
                aclrtMemcpyAsync(target, 8, source, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, ends[i % 2])
                aclrtRecordEvent(made[i % 2], ends[i % 2])
                aclrtStreamWaitEvent(ends[1 - i % 2], made[i % 2])
            aclrtSynchronizeDevice()
            return (time.process_time() - begin) / n

    return min(once() for _ in again(n))


# written ranges and queued tasks


def _written(n: int, order: Callable[[list[int]], object]) -> float:
    def once() -> float:
        with board():
            base = new(2 * 8 * n).value
            starts = list(range(0, 16 * n, 16))
            order(starts)
            return over(lambda at: aclrtMemset(base + at, 8, 0, 8), starts)

    return min(once() for _ in again(n))


def ranges_in_order(n: int) -> float:
    """aclrtMemset of separate ranges of one allocation, ascending."""
    return _written(n, lambda _: None)


def ranges_in_reverse(n: int) -> float:
    """aclrtMemset of separate ranges of one allocation, descending."""
    return _written(n, list.reverse)


def ranges_at_random(n: int) -> float:
    """aclrtMemset of separate ranges of one allocation, in any order."""
    return _written(n, random.Random(0).shuffle)


def ranges_in_flight(n: int) -> float:
    """aclrtMemcpyAsync to separate ranges of one allocation in any order, all queued, then synchronised."""

    def once() -> float:
        with board():
            source, target = new(16 * n), new(16 * n)
            aclrtMemset(source, 16 * n, 1, 16 * n)
            starts = list(range(0, 16 * n, 16))
            random.Random(0).shuffle(starts)
            begin = time.process_time()
            for at in starts:
                aclrtMemcpyAsync(target.value + at, 8, source.value + at, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, None)
            aclrtSynchronizeStream(None)
            return (time.process_time() - begin) / n

    return min(once() for _ in again(n))


def tasks(n: int) -> float:
    """launches (the first phase too), all queued, then synchronised."""

    def once() -> float:
        with board():
            arguments = [on_device(np.ones((4, 2), np.float32)) for _ in range(2)]
            out = on_device(np.ones((4, 2), np.float32))
            size, executor = c_uint64(), aclOpExecutor()
            begin = time.process_time()
            for _ in range(n):
                aclnnSoftmaxBackwardGetWorkspaceSize(
                    arguments[0].handle, arguments[1].handle, 1, out.handle, byref(size), byref(executor)
                )
                aclnnSoftmaxBackward(None, size.value, executor, None)
            aclrtSynchronizeStream(None)
            return (time.process_time() - begin) / n

    return min(once() for _ in again(n))


def free_beside_tasks(n: int) -> float:
    """aclrtMalloc + aclrtFree beside queued tasks."""
    with board():
        source, target = new(), new()
        aclrtMemset(source, PIECE, 1, PIECE)
        for _ in range(min(n, 20_000)):
            aclrtMemcpyAsync(target, 8, source, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, None)
        return best(lambda: aclrtFree(new()))


def free_beside_waiting_tasks(n: int) -> float:
    """aclrtMalloc + aclrtFree beside tasks that wait for an event that is not recorded yet."""
    with board():
        source, target = new(), new()
        aclrtMemset(source, PIECE, 1, PIECE)
        other, made = stream(), sync_event()
        aclrtStreamWaitEvent(None, made)
        for _ in range(min(n, 20_000)):
            aclrtMemcpyAsync(target, 8, source, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, None)
        result = best(lambda: aclrtFree(new()), max(1, 20_000 // n), 3)
        aclrtRecordEvent(made, other)
        return result


def sync_event() -> aclrtEvent:
    made = aclrtEvent()
    assert aclrtCreateEventWithFlag(byref(made), ACL_EVENT_SYNC) == 0
    return made


def late_record(n: int) -> float:
    """tasks that get their places when an event is recorded, then synchronised."""

    def once() -> float:
        with board():
            source, target = new(), new()
            aclrtMemset(source, PIECE, 1, PIECE)
            other, made = stream(), sync_event()
            aclrtStreamWaitEvent(None, made)
            begin = time.process_time()
            for _ in range(n):
                aclrtMemcpyAsync(target, 8, source, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, None)
            aclrtRecordEvent(made, other)
            aclrtSynchronizeDevice()
            return (time.process_time() - begin) / n

    return min(once() for _ in again(n))


BY_COUNT: tuple[Case, ...] = (
    malloc_only, malloc_and_free, free_in_order, free_in_reverse, free_at_random, fragmented, used_up,
    copy_to_device, copy_to_host, copy_on_device, memset, copy_async, memory_info, machine_read, leaks,
    malloc_host, free_host_at_random, copy_pinned, slices_in_flight, slices_of_another,
    tensors, destroy_tensors, launch_beside_allocations, launch_beside_tensors, launch_after_dead,
    streams, destroy_streams, launch_beside_streams, launch_beside_used_streams, launch_beside_busy_streams,
    synchronize_device, synchronize_idle_device, synchronize_device_beside_allocations, events, waits, handovers,
    ranges_in_order, ranges_in_reverse, ranges_at_random, ranges_in_flight,
    tasks, free_beside_tasks, free_beside_waiting_tasks, late_record,
)  # fmt: skip
MOST: dict[Case, int] = {
    streams: 10_000, destroy_streams: 10_000, launch_beside_streams: 10_000, launch_beside_used_streams: 1_000,
    launch_beside_busy_streams: 1_000, synchronize_device: 1_000, synchronize_idle_device: 10_000, tasks: 20_000,
    free_beside_tasks: 10_000, free_beside_waiting_tasks: 10_000, late_record: 10_000,
}  # fmt: skip
"""the largest number of objects that a device or a queue can have"""
