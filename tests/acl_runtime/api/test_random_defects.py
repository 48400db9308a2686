"""Defects that random calls have found. Each test states the rule that was broken."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from ctypes import POINTER, byref, c_int64, c_uint32, c_uint64, c_void_p, cast
from typing import Any

import numpy as np
import pytest

import acl_runtime as acl
from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from tests.conftest import check_documented
from tests.helpers.builders import malloc, plan
from tests.helpers.creating import create_stream
from tests.helpers.host_threads import Host, current_context
from tests.helpers.outcomes import assert_status, finding_of, text
from tests.helpers.patience import PATIENCE
from tests.helpers.planned_operators import softmax

D2H = 2
GUARD = 1 << 20


@pytest.fixture
def reporting() -> Iterator[Machine]:
    """A machine that only reports, with device 0 set."""
    with Machine(on_undefined="report") as machine:
        assert acl.aclrtSetDevice(0) == ACL_SUCCESS
        yield machine
    check_documented(machine)


@pytest.fixture
def last_page() -> Iterator[int]:
    """The address of a page of the host that is followed by an inaccessible page."""
    page = 4096
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = c_void_p
    libc.mmap.argtypes = [c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    libc.mprotect.argtypes = [c_void_p, ctypes.c_size_t, ctypes.c_int]
    libc.munmap.argtypes = [c_void_p, ctypes.c_size_t]
    start = libc.mmap(None, page + GUARD, 0, 0x4022, -1, 0)  # private, anonymous, nothing reserved
    assert libc.mprotect(start, page, 3) == 0
    yield start
    assert libc.munmap(start, page + GUARD) == 0


# wild counts


def test_a_wild_count_is_probed_before_room_is_made_for_it(
    machine: Machine, last_page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ "Host addresses given as int: probed before they are touched". 2^31 values would be 16 GiB."""
    make = ctypes.create_string_buffer

    def small(size: Any, *rest: Any) -> Any:
        assert not isinstance(size, int) or size <= 1 << 20, f"room for {size} bytes"
        return make(size, *rest)

    monkeypatch.setattr(ctypes, "create_string_buffer", small)
    dims = cast(c_void_p(last_page), POINTER(c_int64))
    call: Callable[[], object] = lambda: acl.aclCreateTensor(dims, 1 << 31, 0, None, 0, 2, [1], 1, None)  # noqa: E731
    assert finding_of(call)[0] == "host-overrun"


BATCHES = (
    (acl.aclrtMemcpyBatch, True, False),
    (acl.aclrtMemcpyBatchV2, False, False),
    (acl.aclrtMemcpyBatchAsync, True, True),
    (acl.aclrtMemcpyBatchAsyncV2, False, True),
)


@pytest.mark.parametrize(("function", "fails", "streams"), BATCHES, ids=[each.__name__ for each, *_ in BATCHES])
def test_a_short_array_of_a_batch_is_107000(
    reporting: Machine, function: Callable[..., int], fails: bool, streams: bool
) -> None:
    """ "CRASH rows do nothing and return 361001 (aclnn) [...] 107000 otherwise"."""
    rest = [byref(c_uint64())] * fails + [None] * streams
    batch = ([malloc(32)], [8], [malloc(32)], [8], 3, byref(aclrtMemcpyBatchAttr()), [0], 1)
    assert function(*batch, *rest) == ACL_ERROR_RT_PARAM_INVALID
    assert [finding.id for finding in reporting.findings] == ["host-overrun"]


def test_a_short_list_of_addresses_is_107000(reporting: Machine) -> None:
    """ "CRASH rows do nothing and return 361001 (aclnn) [...] 107000 otherwise"."""
    assert acl.aclrtCheckMemType([malloc(32)], 2, 2, byref(c_uint32()), 0) == ACL_ERROR_RT_PARAM_INVALID


def test_too_little_room_for_the_memory_usage_is_107000(reporting: Machine) -> None:
    """ "CRASH rows do nothing and return [...] 107000 otherwise": the pointer is no memory of the host."""
    count = c_uint64(7)
    status = acl.aclrtGetMemUsageInfo(0, c_void_p(0x10), 1, byref(count))
    assert status == ACL_ERROR_RT_PARAM_INVALID
    assert count.value == 7
    assert acl.aclrtGetMemUsageInfo(0, byref(aclrtMemUsageInfo()), 1, byref(count)) == ACL_SUCCESS


# wild targets


def test_what_the_source_lacks_is_not_filled_in_at_a_wild_address(reporting: Machine, last_page: int) -> None:
    """ "Reads past the end give the fill", but a bad host address is a finding, and nothing is written."""
    source = malloc(64)
    assert acl.aclrtMemset(source, 64, 1, 64) == ACL_SUCCESS
    assert acl.aclrtMemcpy(last_page + 4032, 128, source, 128, D2H) == ACL_ERROR_RT_PARAM_INVALID
    assert [finding.id for finding in reporting.findings] == ["memcpy-size", "host-overrun"]
    assert ctypes.string_at(last_page + 4032, 64) == bytes(64)


def test_rows_that_the_source_lacks_are_not_filled_in_at_wild_addresses(reporting: Machine, last_page: int) -> None:
    """ "A bad one is the finding host-overrun, never a crash of the interpreter": also in a row behind the source's
    end. The rows before it stay as they were."""
    source = malloc(64)
    assert acl.aclrtMemset(source, 64, 1, 64) == ACL_SUCCESS
    status = acl.aclrtMemcpy2d(last_page, 64, source, 64, 8, 65, D2H)
    assert status == ACL_ERROR_RT_PARAM_INVALID
    assert [finding.id for finding in reporting.findings] == ["memcpy-size", "host-overrun"]
    assert ctypes.string_at(last_page, 4096) == bytes(4096)


def test_a_count_without_end_fills_nothing_in(reporting: Machine, last_page: int) -> None:
    """The target is probed before a fill of 2^40 bytes is made."""
    assert acl.aclrtMemcpy(last_page, 1 << 40, malloc(64), 1 << 40, D2H) == ACL_ERROR_RT_PARAM_INVALID


def test_rows_past_the_end_of_the_target_cost_nothing(reporting: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """ "Writes past the end are dropped": five million rows into a target of one row are one copy."""
    import acl_runtime.memory.row_copies as copying

    rows: list[int] = []
    copy = copying.copy

    def counted(*arguments: Any) -> None:
        rows.append(1)
        copy(*arguments)

    monkeypatch.setattr(copying, "copy", counted)
    target, source = malloc(64), malloc(64)
    assert acl.aclrtMemcpy2dAsync(target, 64, source, 64, 8, 5_242_880, 3, None) == ACL_SUCCESS
    assert acl.aclrtSynchronizeStream(None) == ACL_SUCCESS
    assert len(rows) == 1


# operators


def test_a_launch_on_an_aborted_stream_is_361001(machine: Machine) -> None:
    """ "Phase 2 with [...] a dead stream: 361001, executor consumed; text and last error carry" the runtime's code."""
    *_, planned = softmax()
    stream = create_stream()
    assert acl.aclrtStreamAbort(stream) == ACL_SUCCESS
    assert_status(
        aclnnSoftmaxBackward(None, 0, planned.executor, stream), ACLNN_ERR_RUNTIME_ERROR, "was aborted", "107023"
    )
    assert acl.aclrtPeekAtLastError(0) == ACL_ERROR_RT_STREAM_ABORT
    assert finding_of(lambda: aclnnSoftmaxBackward(None, 0, planned.executor, None))[0] == "exec-reused"


def test_a_launch_after_a_failure_in_stop_mode_is_361001(machine: Machine) -> None:
    """ "After a failed task, [...] later calls return the failure": an aclnn function as 361001."""
    stream, event = create_stream(), acl.aclrtEvent()
    assert acl.aclrtSetStreamFailureMode(stream, 1) == ACL_SUCCESS
    assert acl.aclrtCreateEventWithFlag(byref(event), ACL_EVENT_SYNC) == ACL_SUCCESS
    assert acl.aclrtStreamWaitEventWithTimeout(stream, event, 1) == ACL_SUCCESS
    assert acl.aclrtSynchronizeStream(stream) == ACL_ERROR_RT_EVENT_SYNC_TIMEOUT
    *_, planned = _planned_without_copies()
    text()
    assert_status(
        aclnnSoftmaxBackward(None, 0, planned.executor, stream), ACLNN_ERR_RUNTIME_ERROR, "its timeout", "507047"
    )


def _planned_without_copies(shape: tuple[int, ...] = (8,)):
    """Tensors in memory of the device of at most 64 bytes, and a planned SoftmaxBackward."""
    tensors = [acl.aclCreateTensor(list(shape), len(shape), 0, None, 0, 2, list(shape), len(shape), malloc(64))
               for _ in range(3)]  # fmt: skip
    return *tensors, plan(aclnnSoftmaxBackwardGetWorkspaceSize, tensors[0], tensors[1], 0, tensors[2])


@pytest.mark.parametrize("shape", [(1 << 40,), (1 << 38, 8)], ids=str)
def test_a_tensor_that_the_host_cannot_hold_is_207001(reporting: Machine, shape: tuple[int, ...]) -> None:
    """ "A MemoryError of the host is 207001 with a text that says it was the host": the synchronise answers."""
    assert acl.aclrtSetOpExecuteTimeOut(0) == ACL_SUCCESS
    *_, planned = _planned_without_copies(shape)
    assert aclnnSoftmaxBackward(None, 0, planned.executor, None) == ACL_SUCCESS
    assert_status(acl.aclrtSynchronizeStream(None), ACL_ERROR_RT_MEMORY_ALLOCATION, "host")
    assert acl.aclrtSynchronizeStream(None) == ACL_SUCCESS


def test_a_tensor_larger_than_its_device_is_not_made_up() -> None:
    """Reads past live memory give the fill value, but not for more bytes than the device has: the host would have to
    hold them."""
    with Machine(on_undefined="report", hbm_bytes=1 << 20) as machine:
        assert acl.aclrtSetDevice(0) == ACL_SUCCESS
        *_, planned = _planned_without_copies((1 << 20,))
        assert aclnnSoftmaxBackward(None, 0, planned.executor, None) == ACL_SUCCESS
        assert_status(acl.aclrtSynchronizeStream(None), ACL_ERROR_RT_MEMORY_ALLOCATION, "more than the device")
    check_documented(machine)


def test_the_stride_of_a_dimension_of_size_1_may_be_anything(machine: Machine) -> None:
    """ "Size-1 dims ignored": their stride in bytes need not fit into an int64. The other stride makes the emulator
    fetch the elements one by one."""
    size, strides = (2, 1), [2, (1 << 63) - 1]
    addresses = [malloc(64) for _ in range(3)]
    for address in addresses:
        assert acl.aclrtMemset(address, 64, 0, 64) == ACL_SUCCESS
    tensors = [acl.aclCreateTensor(list(size), 2, 0, strides, 0, 2, [16], 1, address) for address in addresses]
    planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, tensors[0], tensors[1], 0, tensors[2])
    assert planned.workspace_size
    workspace = malloc(planned.workspace_size)
    assert aclnnSoftmaxBackward(workspace, planned.workspace_size, planned.executor, None) == ACL_SUCCESS
    assert acl.aclrtSynchronizeStream(None) == ACL_SUCCESS


def test_an_output_without_dimensions_past_live_memory_is_dropped(reporting: Machine) -> None:
    """ "Writes past the end are dropped", also those of a tensor of rank 0."""
    address = malloc(64)
    tensors = [acl.aclCreateTensor([], 0, 0, None, 0, 2, [1], 1, at) for at in (malloc(64), malloc(64), address)]
    reporting.allow("uninit-read", reason="the values do not matter")
    planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, tensors[0], tensors[1], 0, tensors[2])
    assert aclnnSoftmaxBackward(None, 0, planned.executor, None) == ACL_SUCCESS
    assert acl.aclrtFree(address) == ACL_SUCCESS
    assert acl.aclrtSynchronizeStream(None) == ACL_SUCCESS
    assert [finding.id for finding in reporting.findings] == ["io-freed-early"]


@pytest.mark.parametrize("shape", [(0, 1 << 40, 1 << 40), (1 << 62,)], ids=["empty", "narrow"])
def test_a_tensor_with_uncountable_sizes_is_207001(machine: Machine, shape: tuple[int, ...]) -> None:
    """numpy counts the bytes of an empty array without the sizes that are 0, and a float16 becomes wider in arithmetic:
    sizes beyond an int64 exceed the host's limit."""
    from acl_runtime.headers.dtypes import numpy_dtype
    from aclnn.engine.device_view import DeviceView

    dtype = numpy_dtype(acl.ACL_FLOAT16)
    assert dtype is not None
    access = DeviceView(malloc(64), shape, dtype, (0,) * len(shape), write=False)
    with pytest.raises(MemoryError, match="more than a host can count"):
        access.open(machine.devices[0])


# memory of the device


def test_what_is_known_of_freed_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The history of freed memory does not grow for ever: freed neighbours are merged."""
    import acl_runtime.memory.freed as freed

    monkeypatch.setattr(freed, "MOST_UNMERGED", 10)
    with Machine() as machine:
        assert acl.aclrtSetDevice(0) == ACL_SUCCESS
        for _ in range(40):
            addresses = [malloc(32) for _ in range(8)]
            for address in addresses[::2] + addresses[1::2]:
                assert acl.aclrtFree(address) == ACL_SUCCESS
        assert len(list(machine.devices[0].memory._free)) <= 32
    check_documented(machine)


# handles


@pytest.mark.parametrize("kind", ["Tensor", "Scalar"])
def test_a_list_does_not_destroy_what_is_no_member_of_its_kind(machine: Machine, kind: str) -> None:
    """ "A plain c_void_p is accepted" as a member, but an object of another kind is not destroyed with the list."""
    stream = create_stream()
    made = getattr(acl, f"aclCreate{kind}List")([c_void_p(stream.value)], 1)
    id, words = finding_of(lambda: getattr(acl, f"aclDestroy{kind}List")(made))
    assert id == "tensor-double-destroy"
    assert "it is stream 1" in words
    assert acl.aclrtDestroyStream(stream) == ACL_SUCCESS


@pytest.mark.parametrize("destroy", [acl.aclrtDestroyStream, acl.aclrtDestroyStreamForce], ids=["wait", "force"])
def test_the_handle_of_a_default_stream_cannot_be_destroyed(machine: Machine, destroy: Callable[..., int]) -> None:
    """A default stream "must not be destroyed by hand"."""
    stream = aclrtStream()
    assert acl.aclrtCtxGetCurrentDefaultStream(byref(stream)) == ACL_SUCCESS
    assert destroy(stream) == ACL_ERROR_RT_PARAM_INVALID


def test_the_last_error_tells_of_registrations_and_captures(machine: Machine) -> None:
    """Every status of the runtime layer may be the last error, also the newest ones."""
    array = np.zeros(8, np.uint8)
    assert acl.aclrtHostUnregister(array) == ACL_ERROR_HOST_MEMORY_NOT_REGISTERED
    assert acl.aclrtPeekAtLastError(0) == ACL_ERROR_HOST_MEMORY_NOT_REGISTERED
    assert acl.aclrtGetLastError(0) == ACL_ERROR_HOST_MEMORY_NOT_REGISTERED
    event = acl.aclrtEvent()
    assert acl.aclrtCreateEventExWithFlag(byref(event), ACL_EVENT_SYNC) == ACL_SUCCESS
    assert acl.aclrtRecordEventWithFlag(event, None, 1) == ACL_ERROR_RT_STREAM_NOT_CAPTURED
    assert acl.aclrtGetLastError(0) == ACL_ERROR_RT_STREAM_NOT_CAPTURED


# what happens while a call waits


def test_a_stream_destroyed_while_aclrtDestroyStream_waits_is_107017(machine: Machine) -> None:
    """ "Destroyed handle -> 107017": a host callback of the stream destroys it first."""
    machine.allow("callback-acl", reason="what it leads to is looked at here")
    stream = create_stream()
    answers: list[int] = []
    destroys: Callable[[object], None] = lambda _: answers.append(acl.aclrtDestroyStreamForce(stream))  # noqa: E731
    assert acl.aclrtLaunchHostFunc(stream, destroys, None) == ACL_SUCCESS
    assert acl.aclrtDestroyStream(stream) == ACL_ERROR_RT_INVALID_HANDLE
    assert answers == [ACL_SUCCESS]


@pytest.mark.parametrize("reset", [acl.aclrtResetDevice, acl.aclrtResetDeviceForce], ids=["once", "force"])
def test_a_device_reset_while_another_reset_waits_is_507007(machine: Machine, reset: Callable[[int], int]) -> None:
    """ "Once too often -> 507007": two threads wait for the device's work to reset it, and only the first succeeds."""
    stream, others = create_stream(), list[Host[int]]()
    waiters = machine.scheduler._waiters

    def another_resets(_: object) -> None:
        others.append(Host(lambda: acl.aclrtResetDeviceForce(0)))
        with waiters.changed:
            assert waiters.changed.wait_for(lambda: waiters.any, PATIENCE)

    assert acl.aclrtLaunchHostFunc(stream, another_resets, None) == ACL_SUCCESS
    assert {reset(0), others[0].end()} == {ACL_SUCCESS, ACL_ERROR_RT_CONTEXT_RELEASE_ERROR}
    assert acl.aclrtSetDevice(0) == ACL_SUCCESS


SCHEDULES = ("late", "eager", "random", "threads")


def _synchronized(stream: aclrtStream) -> int:
    """The status of a synchronise in a thread of its own, so that a hang fails the test."""
    context = current_context()

    def synchronize() -> int:
        assert acl.aclrtSetCurrentContext(context) == ACL_SUCCESS
        return acl.aclrtSynchronizeStream(stream)

    return Host(synchronize).end()


def _wait_for_three(stream: aclrtStream, cell: int | None) -> None:
    """Let the stream wait for a 3 in the cell. Under `threads`, the worker thread has then read the cell once and
    sleeps: from the end of the record until its sleep it holds the lock of the machine."""
    event = acl.aclrtEvent()
    assert acl.aclrtCreateEvent(byref(event)) == ACL_SUCCESS
    assert acl.aclrtRecordEvent(event, stream) == ACL_SUCCESS
    assert acl.aclrtValueWait(cell, 3, 1, stream) == ACL_SUCCESS
    assert acl.aclrtSynchronizeEvent(event) == ACL_SUCCESS


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_value_that_the_host_writes_itself_ends_a_wait(schedule: str) -> None:
    """ "64-bit cell on device" in registered memory of the host, which "both sides use": the host's own write counts,
    although no call announces it."""
    with Machine(schedule=schedule, seed=1) as machine:
        assert acl.aclrtSetDevice(0) == ACL_SUCCESS
        stream, cells, mapped = create_stream(), np.zeros(8, np.int64), c_void_p()
        assert acl.aclrtHostRegister(cells, cells.nbytes, 0, byref(mapped)) == ACL_SUCCESS
        _wait_for_three(stream, mapped.value)
        cells[0] = 3
        assert _synchronized(stream) == ACL_SUCCESS
    check_documented(machine)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_value_that_is_freed_ends_a_wait(schedule: str) -> None:
    """ "The free happens" in a machine that only reports; the finding was reported then, and no call hangs."""
    with Machine(schedule=schedule, seed=1, on_undefined="report") as machine:
        assert acl.aclrtSetDevice(0) == ACL_SUCCESS
        stream, cell = create_stream(), malloc(64)
        assert acl.aclrtMemset(cell, 64, 0, 64) == ACL_SUCCESS
        _wait_for_three(stream, cell)
        assert acl.aclrtFree(cell) == ACL_SUCCESS
        assert _synchronized(stream) == ACL_SUCCESS
        assert [finding.id for finding in machine.findings] == ["io-freed-early"]
    check_documented(machine)


@pytest.mark.parametrize("schedule", ["late", "eager", "random"])
def test_timeouts_that_end_one_after_the_other_take_no_real_time(
    schedule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A timeout ends "never by real time except under threads": the thread that ends a timeout picks the next task at
    once."""
    with Machine(schedule=schedule, seed=1) as machine:
        acl.aclrtSetDevice(0)
        stream, event = create_stream(), acl.aclrtEvent()
        assert acl.aclrtCreateEventWithFlag(byref(event), ACL_EVENT_SYNC) == ACL_SUCCESS
        for _ in range(3):
            assert acl.aclrtStreamWaitEventWithTimeout(stream, event, 1) == ACL_SUCCESS

        def slept(*_: object) -> None:
            raise AssertionError("the wait sleeps")

        waiters = machine.scheduler._waiters
        monkeypatch.setattr(waiters, "sleep", slept)
        assert acl.aclrtSynchronizeStream(stream) == ACL_ERROR_RT_EVENT_SYNC_TIMEOUT
    check_documented(machine)
