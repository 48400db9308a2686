"""Programs with a missing wait, each beside the nearest one that has it: what the check of the order of accesses must
find, and what it must leave alone."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import POINTER, byref, c_int, c_int64, c_uint64, c_void_p
from dataclasses import dataclass
from typing import Final

import numpy as np

from acl_runtime import *
from aclnn import *
from tests.helpers.builders import malloc, on_device, plan
from tests.helpers.creating import create_stream, event_of, pinned
from tests.helpers.outcomes import ok

N: Final = 64
HOST: Final = bytes(range(N))
Program = Callable[[], None]


@dataclass
class Twins:
    """A wrong program with the ids of what is found in it, and the right one beside it."""

    name: str
    ids: tuple[str, ...]
    bad: Program
    good: Program


def memory(values: bytes = HOST) -> int:
    """Device memory that the host filled."""
    address = malloc(len(values))
    ok(aclrtMemcpy(address, len(values), values, len(values), ACL_MEMCPY_HOST_TO_DEVICE))
    return address


def event() -> aclrtEvent:
    return event_of(aclrtCreateEventWithFlag, ACL_EVENT_SYNC)


def copy(target: int, source: int, stream: aclrtStream | None, count: int = N) -> None:
    ok(aclrtMemcpyAsync(target, count, source, count, ACL_MEMCPY_DEFAULT, stream))


def fetch(source: int, count: int = N) -> None:
    ok(aclrtMemcpy(bytearray(count), count, source, count, ACL_MEMCPY_DEVICE_TO_HOST))


def edge(before: aclrtStream | None, after: aclrtStream | None) -> None:
    """Later tasks of one stream come after those that are in the other one now."""
    mark = event()
    ok(aclrtRecordEvent(mark, before))
    ok(aclrtStreamWaitEvent(after, mark))


def finish() -> None:
    ok(aclrtSynchronizeDevice())


def softmax(stream: aclrtStream | None) -> int:
    """Launch an operator; the address of its output."""
    grad, output, out = (on_device(np.ones(16, np.float32)) for _ in range(3))
    planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, output, 0, out)
    ok(aclnnSoftmaxBackward(None, 0, planned.executor, stream))
    return out.address


def between_streams(ordered: Callable[[aclrtStream, aclrtStream], None], first: str, second: str) -> None:
    """Two streams use one buffer, for reading or writing; `ordered` puts something between."""
    shared, other, more = memory(), memory(), memory()
    a, b = create_stream(), create_stream()
    copy(*((shared, other) if first == "write" else (other, shared)), a)
    ordered(a, b)
    copy(*((shared, more) if second == "write" else (more, shared)), b)
    finish()


def nothing(a: aclrtStream, b: aclrtStream) -> None:
    """No order at all."""


def synchronised(a: aclrtStream, b: aclrtStream) -> None:
    ok(aclrtSynchronizeStream(a))


def wrong_stream(a: aclrtStream, b: aclrtStream) -> None:
    ok(aclrtSynchronizeStream(b))


def wrong_way(a: aclrtStream, b: aclrtStream) -> None:
    edge(b, a)


def recorded_too_early(a: aclrtStream, b: aclrtStream) -> None:
    """An event of another stream that knows nothing of this one."""
    edge(None, b)


def polled(a: aclrtStream, b: aclrtStream) -> None:
    status = c_int(ACL_STREAM_STATUS_NOT_READY)
    while status.value != ACL_STREAM_STATUS_COMPLETE:
        ok(aclrtStreamQuery(a, byref(status)))


def event_polled(a: aclrtStream, b: aclrtStream) -> None:
    mark, status = event(), c_int(0)
    ok(aclrtRecordEvent(mark, a))
    while status.value != ACL_EVENT_RECORDED_STATUS_COMPLETE:
        ok(aclrtQueryEventStatus(mark, byref(status)))


def event_synchronised(a: aclrtStream, b: aclrtStream) -> None:
    mark = event()
    ok(aclrtRecordEvent(mark, a))
    ok(aclrtSynchronizeEvent(mark))


def through_a_third(a: aclrtStream, b: aclrtStream) -> None:
    c = create_stream()
    edge(a, c)
    edge(c, b)


def wait_before_record(a: aclrtStream, b: aclrtStream) -> None:
    """A SYNC event may be waited for before it is recorded."""
    mark = event()
    ok(aclrtStreamWaitEvent(b, mark))
    ok(aclrtRecordEvent(mark, a))


def by_value(a: aclrtStream, b: aclrtStream) -> None:
    cell = memory(bytes(8))
    ok(aclrtValueWrite(cell, 1, 0, a))
    ok(aclrtValueWait(cell, 1, ACL_STREAM_WAIT_VALUE_EQ, b))


def by_host_function(a: aclrtStream, b: aclrtStream) -> None:
    """A function of the host's comes after what is before it, in its own stream only."""
    ok(aclrtLaunchHostFunc(a, lambda _: None, None))
    edge(a, b)


ORDERS: Final = (synchronised, polled, event_polled, event_synchronised, edge, through_a_third, wait_before_record,
                 by_value, by_host_function)  # fmt: skip
NO_ORDERS: Final = (nothing, wrong_stream, wrong_way, recorded_too_early)
USES: Final = (("write", "read"), ("read", "write"), ("write", "write"))


def reader(wait: Callable[[aclrtStream], None], make: Callable[[aclrtStream], int]) -> Program:
    def program() -> None:
        stream = create_stream()
        address = make(stream)
        wait(stream)
        fetch(address)
        finish()

    return program


def copied(stream: aclrtStream) -> int:
    target = memory()
    copy(target, memory(), stream)
    return target


def set_async(stream: aclrtStream) -> int:
    target = memory()
    ok(aclrtMemsetAsync(target, N, 1, N, stream))
    return target


def no_wait(stream: aclrtStream) -> None:
    """Nothing."""


def sync(stream: aclrtStream | None) -> None:
    ok(aclrtSynchronizeStream(stream))


def sync_device(stream: aclrtStream | None) -> None:
    ok(aclrtSynchronizeDevice())


def event_wait(stream: aclrtStream) -> None:
    mark = event()
    ok(aclrtRecordEvent(mark, stream))
    ok(aclrtSynchronizeEvent(mark))


def nonzero(stream: aclrtStream) -> aclTensor:
    """Launch an operator that finds out the shape of its output; that tensor."""
    given, out = on_device(np.arange(8, dtype=np.float32)), on_device(np.zeros((8, 1), np.int64))
    planned = plan(aclnnNonzeroGetWorkspaceSize, given, out)
    ok(aclnnNonzero(None, 0, planned.executor, stream))
    return out.handle


def get_view_shape(tensor: aclTensor) -> None:
    ok(aclGetViewShape(tensor, byref(POINTER(c_int64)()), byref(c_uint64())))


def get_strides(tensor: aclTensor) -> None:
    ok(aclGetViewStrides(tensor, byref(POINTER(c_int64)()), byref(c_uint64())))


def plan_next(tensor: aclTensor) -> None:
    """The tensor is the input of another first phase, which plans for its shape."""
    planned = plan(aclnnNonzeroGetWorkspaceSize, tensor, on_device(np.zeros((16, 2), np.int64)))
    ok(planned.status)


def shape_reader(wait: Callable[[aclrtStream], None], read: Callable[[aclTensor], None]) -> Program:
    def program() -> None:
        stream = create_stream()
        tensor = nonzero(stream)
        wait(stream)
        read(tensor)
        read(tensor)
        finish()

    return program


def host_write(wait: Callable[[aclrtStream], None]) -> Program:
    """The host overwrites what a queued copy reads."""

    def program() -> None:
        stream, source = create_stream(), memory()
        copy(memory(), source, stream)
        wait(stream)
        ok(aclrtMemset(source, N, 0, N))
        finish()

    return program


def pinned_source(wait: Callable[[aclrtStream], None]) -> Program:
    """The host changes pinned memory itself, which only the bytes tell."""

    def program() -> None:
        stream = create_stream()
        address, values = pinned(np.arange(16, dtype=np.float32))
        copy(memory(), address, stream)
        wait(stream)
        values[3] = 99
        finish()

    return program


def pinned_freed(wait: Callable[[aclrtStream], None]) -> Program:
    def program() -> None:
        stream = create_stream()
        address, _ = pinned(np.arange(16, dtype=np.float32))
        copy(address, memory(), stream)
        wait(stream)
        ok(aclrtFreeHost(address))
        finish()

    return program


def freed(wait: Callable[[aclrtStream], None]) -> Program:
    def program() -> None:
        stream = create_stream()
        out = softmax(stream)
        wait(stream)
        ok(aclrtFree(out))
        finish()

    return program


def shared_workspace(order: Callable[[aclrtStream, aclrtStream], None]) -> Program:
    """Two operators with strided inputs, which are copied to the workspace, and one workspace for both."""

    def program() -> None:
        a, b = create_stream(), create_stream()
        workspace = 0
        for stream in (a, b):
            grad = on_device(np.ones((4, 4), np.float32), strides=(1, 4))
            output, out = on_device(np.ones((4, 4), np.float32)), on_device(np.ones((4, 4), np.float32))
            planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, output, 1, out)
            workspace = workspace or malloc(planned.workspace_size)
            if stream is b:
                order(a, b)
            ok(aclnnSoftmaxBackward(workspace, planned.workspace_size, planned.executor, stream))
        finish()

    return program


def freed_workspace(wait: Callable[[aclrtStream], None]) -> Program:
    def program() -> None:
        stream = create_stream()
        grad = on_device(np.ones((4, 4), np.float32), strides=(1, 4))
        output, out = on_device(np.ones((4, 4), np.float32)), on_device(np.ones((4, 4), np.float32))
        planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, output, 1, out)
        workspace = malloc(planned.workspace_size)
        ok(aclnnSoftmaxBackward(workspace, planned.workspace_size, planned.executor, stream))
        wait(stream)
        ok(aclrtFree(workspace))
        finish()

    return program


def double_buffer(rounds: int, *, waits_for_slot: bool, waits_for_load: bool, waits_for_use: bool) -> Program:
    """Two pinned and two device buffers: one is filled and loaded while the other is worked on."""

    def program() -> None:
        load, work = create_stream(), create_stream()
        slots = [(pinned(np.zeros(16, np.float32)), malloc(N), event(), event()) for _ in range(2)]
        result = malloc(N)
        for i in range(rounds):
            (address, values), device, loaded, used = slots[i % 2]
            if i >= 2 and waits_for_slot:
                ok(aclrtSynchronizeEvent(loaded))
            values[:] = i
            if i >= 2 and waits_for_use:
                ok(aclrtStreamWaitEvent(load, used))
            copy(device, address, load)
            ok(aclrtRecordEvent(loaded, load))
            if waits_for_load:
                ok(aclrtStreamWaitEvent(work, loaded))
            copy(result, device, work)
            ok(aclrtRecordEvent(used, work))
        finish()
        fetch(result)

    return program


def columns(step: int) -> Program:
    """Two streams write columns of one matrix: 0, 2, 4, 6 and 1, 3, 5, 7 share no byte, with `step` 0 all."""

    def program() -> None:
        matrix, source = memory(bytes(256)), memory(bytes(256))
        for number, stream in enumerate((create_stream(), create_stream())):
            at = matrix + 4 * number * step
            ok(aclrtMemcpy2dAsync(at, 8, source, 8, 4, 32, ACL_MEMCPY_DEVICE_TO_DEVICE, stream))
        finish()

    return program


def halves(second: int) -> Program:
    """Two streams write the two halves of one buffer."""

    def program() -> None:
        buffer, source = memory(), memory()
        copy(buffer, source, create_stream(), 32)
        copy(buffer + second, source, create_stream(), 32)
        finish()

    return program


def rows(target: int, source: int, height: int, stream: aclrtStream) -> None:
    """Copy four bytes of every eight: half of the columns of a matrix."""
    ok(aclrtMemcpy2dAsync(target, 8, source, 8, 4, height, ACL_MEMCPY_DEFAULT, stream))


def gap_of_rows(height: int, at: int) -> Program:
    """One stream writes rows, another one the four bytes from `at` on. The gap behind each row is not used."""

    def program() -> None:
        matrix, source = memory(), memory()
        rows(matrix, source, height, create_stream())
        copy(matrix + at, source, create_stream(), 4)
        finish()

    return program


def covered(write: Callable[[int, int, aclrtStream], None], cover: Callable[[int, int, aclrtStream], None],
            rest: Callable[[int, int, aclrtStream], None], *, waits: bool) -> Program:  # fmt: skip
    """One stream writes. A second one writes a part of these bytes in order. A third one reads others of these bytes,
    so it has to wait for the first one."""

    def program() -> None:
        shared, source, target = memory(), memory(), memory()
        a, b, c = create_stream(), create_stream(), create_stream()
        write(shared, source, a)
        edge(a, b)
        cover(shared, source, b)
        if waits:
            edge(a, c)
        rest(target, shared, c)
        finish()

    return program


COVERED: Final = {
    "the rest of a write": (
        copy_all := lambda to, at, stream: copy(to, at, stream),
        lambda to, at, stream: copy(to, at, stream, 32),
        lambda to, at, stream: copy(to, at + 32, stream, 32),
    ),
    "the begin of a write": (
        copy_all,
        lambda to, at, stream: copy(to + 32, at, stream, 32),
        lambda to, at, stream: copy(to, at, stream, 32),
    ),
    "columns beside others": (
        lambda to, at, stream: rows(to, at, 8, stream),
        lambda to, at, stream: rows(to + 4, at, 7, stream),
        lambda to, at, stream: rows(to, at + 8, 7, stream),
    ),
}


def recorded_before_the_work(*, waits: bool) -> Program:
    """A record is a place in its stream: work behind it is not over, though it was launched before the wait."""

    def program() -> None:
        a, b, mark, target = create_stream(), create_stream(), event(), memory()
        ok(aclrtRecordEvent(mark, a))
        copy(target, memory(), a)
        ok(aclrtRecordEvent(mark, a)) if waits else None
        ok(aclrtStreamWaitEvent(b, mark))
        copy(memory(), target, b)
        finish()

    return program


def two_readers_and_a_writer(*, waits_for_both: bool) -> Program:
    def program() -> None:
        shared, readers, writer = memory(), (create_stream(), create_stream()), create_stream()
        for reads in readers:
            copy(memory(), shared, reads)
        for reads in readers if waits_for_both else readers[1:]:
            edge(reads, writer)
        copy(shared, memory(), writer)
        finish()

    return program


def learnt_by_a_function(*, asks: bool) -> Program:
    """Work behind a host function is ordered after all that the function has learnt."""

    def program() -> None:
        a, b, mark = create_stream(), create_stream(), event()
        target = set_async(a)
        ok(aclrtRecordEvent(mark, a))
        ok(aclrtLaunchHostFunc(b, lambda _: event_polled_until_complete(mark) if asks else None, None))
        copy(memory(), target, b)
        finish()

    return program


def event_polled_until_complete(mark: aclrtEvent) -> None:
    status = c_int(0)
    while status.value != ACL_EVENT_RECORDED_STATUS_COMPLETE:
        ok(aclrtQueryEventStatus(mark, byref(status)))


def freed_behind_a_wait(wait: Callable[[aclrtStream], None]) -> Program:
    """Work behind a wait for an event that is not recorded yet uses its memory, too."""

    def program() -> None:
        stream, mark, source = create_stream(), event(), memory()
        ok(aclrtStreamWaitEvent(stream, mark))
        copy(memory(), source, stream)
        if wait is not no_wait:
            ok(aclrtRecordEvent(mark, None))
            wait(stream)
        ok(aclrtFree(source))
        ok(aclrtRecordEvent(mark, None))
        finish()

    return program


def behind_a_late_record(*, second: bool) -> Program:
    """Tasks behind a wait are ordered as they were queued, once the event is recorded."""

    def program() -> None:
        a, b, opened, mark = create_stream(), create_stream(), event(), event()
        first, last = memory(), memory()
        ok(aclrtStreamWaitEvent(a, opened))
        copy(first, memory(), a)
        ok(aclrtRecordEvent(mark, a))
        copy(last, memory(), a)
        ok(aclrtStreamWaitEvent(b, mark))
        copy(memory(), last if second else first, b)
        ok(aclrtRecordEvent(opened, None))
        finish()

    return program


def registered_columns(first: int) -> Program:
    """Columns of registered memory, by its address on the device and by that of the host."""

    def program() -> None:
        values, mapped, source = np.zeros(N, np.uint8), c_void_p(), memory()
        ok(aclrtHostRegister(values, N, ACL_HOST_REGISTER_MAPPED, byref(mapped)))
        rows(mapped.value or 0, source, 8, create_stream())
        rows(values.ctypes.data + first, source, 7, create_stream())
        finish()
        ok(aclrtHostUnregister(values))

    return program


def timed_out_wait(wait: Callable[[aclrtStream], None]) -> Program:
    """A wait whose timeout is over holds nobody up any more: what is behind it runs and is waited for."""

    def program() -> None:
        stream, source = create_stream(), memory()
        ok(aclrtStreamWaitEventWithTimeout(stream, event(), 1))
        copy(memory(), source, stream)
        assert aclrtSynchronizeStream(stream) == ACL_ERROR_RT_EVENT_SYNC_TIMEOUT
        copy(memory(), source, stream)
        wait(stream)
        ok(aclrtFree(source))
        finish()

    return program


def reductions(second: Callable[[int, aclrtStream], None]) -> Program:
    """Streams may add to one place at the same time, but nobody may read it meanwhile."""

    def program() -> None:
        total = memory()
        add(total, create_stream())
        second(total, create_stream())
        finish()

    return program


def add(target: int, stream: aclrtStream) -> None:
    ok(aclrtReduceAsync(target, memory(), N, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, stream, None))


def take(source: int, stream: aclrtStream) -> None:
    copy(memory(), source, stream)


def refilled_by_a_function(*, behind: bool) -> Program:
    """A function of the host's that its stream calls behind the copy may refill the buffer."""

    def program() -> None:
        a, b = create_stream(), create_stream()
        address, values = pinned(np.arange(16, dtype=np.float32))
        copy(memory(), address, a)
        ok(aclrtLaunchHostFunc(a if behind else b, lambda _: values.fill(9), None))
        finish()

    return program


def recorded_again(*, waits_again: bool) -> Program:
    """A wait is for the record before it, not for later ones of the same event."""

    def program() -> None:
        a, b, mark = create_stream(), create_stream(), event()
        first, second = memory(), memory()
        copy(first, memory(), a)
        ok(aclrtRecordEvent(mark, a))
        ok(aclrtStreamWaitEvent(b, mark))
        copy(memory(), first, b)
        copy(second, memory(), a)
        ok(aclrtRecordEvent(mark, a))
        if waits_again:
            ok(aclrtStreamWaitEvent(b, mark))
        copy(memory(), second, b)
        finish()

    return program


def two_addresses(order: Callable[[aclrtStream, aclrtStream], None]) -> Program:
    """Registered host memory is one piece of memory under two addresses."""

    def program() -> None:
        values, mapped = np.zeros(N, np.uint8), c_void_p()
        ok(aclrtHostRegister(values, N, ACL_HOST_REGISTER_MAPPED, byref(mapped)))
        a, b = create_stream(), create_stream()
        copy(mapped.value or 0, memory(), a)
        order(a, b)
        ok(aclrtMemcpyAsync(memory(), N, values, N, ACL_MEMCPY_DEFAULT, b))
        finish()
        ok(aclrtHostUnregister(values))

    return program


def freed_after(end: Callable[[aclrtStream], object]) -> Program:
    def program() -> None:
        stream, source = create_stream(), memory()
        copy(memory(), source, stream)
        end(stream)
        ok(aclrtFree(source))
        finish()

    return program


def two_devices(order: Callable[[aclrtStream, aclrtStream], None]) -> Program:
    """A copy between devices, by the stream of one, of what the stream of the other writes."""

    def program() -> None:
        source, a = memory(), create_stream()
        copy(source, memory(), a)
        ok(aclrtSetDevice(1))
        target, b = malloc(N), create_stream()
        order(a, b)
        copy(target, source, b)
        ok(aclrtSynchronizeStream(b))
        ok(aclrtSynchronizeStream(a))

    return program


def pinned_target(wait: Callable[[aclrtStream], None]) -> Program:
    """The host writes where a queued copy will."""

    def program() -> None:
        stream = create_stream()
        address, values = pinned(np.zeros(16, np.float32))
        copy(address, memory(), stream)
        wait(stream)
        values[3] = 99
        finish()

    return program


def rows_of_an_image(first: int) -> Program:
    """Half of each row is copied; the host may prepare the other half meanwhile."""

    def program() -> None:
        stream, target = create_stream(), malloc(256)
        address, values = pinned(np.zeros(64, np.float32))
        image = values.reshape(8, 8)
        ok(aclrtMemcpy2dAsync(target, 32, address, 32, 16, 8, ACL_MEMCPY_HOST_TO_DEVICE, stream))
        image[:, first : first + 4] = 7
        finish()

    return program


def all_waits_over(*, asks: bool) -> Program:
    """aclrtQueryEventWaitStatus that says complete: the waits are over, so the record has run."""

    def program() -> None:
        a, b, mark, status = create_stream(), create_stream(), event(), c_int(ACL_EVENT_WAIT_STATUS_NOT_READY)
        target = set_async(a)
        ok(aclrtRecordEvent(mark, a))
        ok(aclrtStreamWaitEvent(b, mark))
        while asks and status.value != ACL_EVENT_WAIT_STATUS_COMPLETE:
            ok(aclrtQueryEventWaitStatus(mark, byref(status)))
        fetch(target)
        finish()

    return program


def value_written(*, before_the_work: bool) -> Program:
    """A value orders the work before its write, not the later work of its stream."""

    def program() -> None:
        a, b, cell, target = create_stream(), create_stream(), memory(bytes(8)), memory()
        source = memory()
        if before_the_work:
            ok(aclrtValueWrite(cell, 7, 0, a))
        copy(target, source, a)
        if not before_the_work:
            ok(aclrtValueWrite(cell, 7, 0, a))
        ok(aclrtValueWait(cell, 7, ACL_STREAM_WAIT_VALUE_EQ, b))
        copy(memory(), target, b)
        finish()

    return program


def opened_by_the_host(*, before: bool) -> Program:
    """Tasks behind a wait that the host ends later come after all that the host did before it ended the wait."""

    def program() -> None:
        a, mark, target, source = create_stream(), event(), memory(), memory()
        ok(aclrtStreamWaitEvent(a, mark))
        copy(target, source, a)
        if before:
            ok(aclrtMemset(source, N, 1, N))
        ok(aclrtRecordEvent(mark, None))
        if not before:
            ok(aclrtMemset(source, N, 1, N))
        finish()

    return program


def reset_behind_the_wait(*, ordered: bool) -> Program:
    """A classic event in a loop: the wait and the reset are queued before the record, and each round starts anew."""

    def program() -> None:
        a, b = create_stream(), create_stream()
        mark, target, source = event(), memory(), memory()
        for _ in range(4):
            if ordered:
                edge(b, a)
            ok(aclrtStreamWaitEvent(b, mark))
            ok(aclrtResetEvent(mark, b))
            copy(source, target, b)
            ok(aclrtMemsetAsync(target, N, 1, N, a))
            ok(aclrtRecordEvent(mark, a))
            ok(aclrtSynchronizeStream(b)) if ordered else None
        finish()

    return program


def maximum(target: int, stream: aclrtStream) -> None:
    ok(aclrtReduceAsync(target, memory(), N, ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX, ACL_FLOAT, stream, None))


TWINS: Final = [
    *(
        Twins(f"{first} then {second}, {bad.__name__} / {good.__name__}", ("xstream-race",),
              lambda bad=bad, first=first, second=second: between_streams(bad, first, second),
              lambda good=good, first=first, second=second: between_streams(good, first, second))
        for first, second in USES
        for bad, good in zip(NO_ORDERS * 3, ORDERS, strict=False)
    ),
    Twins("two readers", ("xstream-race",), lambda: between_streams(nothing, "read", "write"),
          lambda: between_streams(nothing, "read", "read")),
    *(
        Twins(f"result of {make.__name__} read, {wait.__name__}", ("read-before-sync",),
              reader(no_wait, make), reader(wait, make))
        for make in (copied, set_async, softmax) for wait in (sync, sync_device)
    ),
    *(
        Twins(f"late shape, {read.__name__}, {wait.__name__}", ("read-before-sync",),
              shape_reader(no_wait, read), shape_reader(wait, read))
        for read in (get_view_shape, get_strides, plan_next) for wait in (sync, sync_device, event_wait)
    ),
    Twins("host overwrites a source", ("xstream-race",), host_write(no_wait), host_write(sync)),
    Twins("host changes a pinned source", ("pinned-reuse",), pinned_source(no_wait), pinned_source(sync)),
    Twins("pinned target freed", ("pinned-reuse",), pinned_freed(no_wait), pinned_freed(sync)),
    Twins("output freed", ("io-freed-early",), freed(no_wait), freed(sync)),
    Twins("workspace freed", ("ws-freed-early",), freed_workspace(no_wait), freed_workspace(sync)),
    Twins("workspace shared", ("ws-shared",), shared_workspace(nothing), shared_workspace(edge)),
    Twins("pipeline without a wait for the load", ("xstream-race",),
          double_buffer(4, waits_for_slot=True, waits_for_load=False, waits_for_use=True),
          double_buffer(4, waits_for_slot=True, waits_for_load=True, waits_for_use=True)),
    Twins("pipeline without a wait for the use", ("xstream-race",),
          double_buffer(4, waits_for_slot=True, waits_for_load=True, waits_for_use=False),
          double_buffer(7, waits_for_slot=True, waits_for_load=True, waits_for_use=True)),
    Twins("pipeline that refills a buffer too early", ("pinned-reuse",),
          double_buffer(4, waits_for_slot=False, waits_for_load=True, waits_for_use=True),
          double_buffer(2, waits_for_slot=True, waits_for_load=True, waits_for_use=True)),
    Twins("behind a wait that timed out", ("io-freed-early",), timed_out_wait(no_wait), timed_out_wait(sync)),
    Twins("host writes a pinned target", ("pinned-reuse",), pinned_target(no_wait), pinned_target(sync)),
    Twins("half of each row", ("pinned-reuse",), rows_of_an_image(2), rows_of_an_image(4)),
    Twins("all waits are over", ("read-before-sync",), all_waits_over(asks=False), all_waits_over(asks=True)),
    Twins("a value before the work", ("xstream-race",), value_written(before_the_work=True),
          value_written(before_the_work=False)),
    Twins("a sum and a maximum", ("xstream-race",), reductions(maximum), reductions(add)),
    Twins("opened by the host", ("xstream-race",), opened_by_the_host(before=False), opened_by_the_host(before=True)),
    Twins("a reset behind the wait", ("xstream-race",), reset_behind_the_wait(ordered=False),
          reset_behind_the_wait(ordered=True)),
    Twins("a sum that is read", ("xstream-race",), reductions(take), reductions(add)),
    Twins("refilled by a function of the host's", ("pinned-reuse",),
          refilled_by_a_function(behind=False), refilled_by_a_function(behind=True)),
    Twins("event recorded again", ("xstream-race",), recorded_again(waits_again=False),
          recorded_again(waits_again=True)),
    Twins("one memory, two addresses", ("xstream-race",), two_addresses(nothing), two_addresses(edge)),
    Twins("freed after the stream was destroyed", ("io-freed-early",), freed_after(no_wait),
          freed_after(lambda stream: ok(aclrtDestroyStream(stream)))),
    Twins("two devices", ("xstream-race",), two_devices(nothing), two_devices(synchronised)),
    Twins("columns of one matrix", ("xstream-race",), columns(0), columns(1)),
    Twins("halves of one buffer", ("xstream-race",), halves(31), halves(32)),
    Twins("work behind a record", ("xstream-race",), recorded_before_the_work(waits=False),
          recorded_before_the_work(waits=True)),
    Twins("two readers and a writer", ("xstream-race",), two_readers_and_a_writer(waits_for_both=False),
          two_readers_and_a_writer(waits_for_both=True)),
    Twins("learnt by a function", ("xstream-race",), learnt_by_a_function(asks=False), learnt_by_a_function(asks=True)),
    Twins("freed behind a wait", ("io-freed-early",), freed_behind_a_wait(no_wait), freed_behind_a_wait(sync)),
    Twins("behind a late record", ("xstream-race",), behind_a_late_record(second=True),
          behind_a_late_record(second=False)),
    Twins("columns of registered memory", ("xstream-race",), registered_columns(0), registered_columns(4)),
    Twins("the gap between two rows", ("xstream-race",), gap_of_rows(2, 8), gap_of_rows(2, 4)),
    Twins("the gap behind one row", ("xstream-race",), gap_of_rows(1, 0), gap_of_rows(1, 4)),
    *(
        Twins(name, ("xstream-race",), covered(*steps, waits=False), covered(*steps, waits=True))
        for name, steps in COVERED.items()
    ),
]  # fmt: skip
