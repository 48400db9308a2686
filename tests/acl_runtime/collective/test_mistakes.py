"""Findings about ranks: requests that differ, ranks that are absent, memory and communicators in use."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import c_uint64
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from tests.helpers.captures import lead
from tests.helpers.creating import create_stream
from tests.helpers.outcomes import assert_status, finding_of
from tests.helpers.ranks import SCHEDULES, Rank, floats, ids, in_threads, queued, world

FP32, SUM = HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM
EACH = pytest.mark.parametrize("schedule", SCHEDULES)
FAILED = ACL_ERROR_RT_FFTS_PLUS_TIMEOUT


def arrays(*numbers: int) -> Any:
    return (c_uint64 * len(numbers))(*numbers)


def all_reduce(rank: Rank, count: int = 4, dtype: int = FP32, op: int = SUM) -> int:
    place = rank.put(np.zeros(16, np.float32))
    return HcclAllReduce(place, place, count, dtype, op, rank.comm, rank.stream)


def broadcast(rank: Rank, root: int = 0) -> int:
    return HcclBroadcast(rank.put(np.zeros(16, np.float32)), 4, FP32, root, rank.comm, rank.stream)


def gather_v(rank: Rank, *counts: int) -> int:
    send, recv = rank.put(np.zeros(16, np.float32)), rank.put(np.zeros(16, np.float32))
    own = counts[rank.number]
    return HcclAllGatherV(send, own, recv, arrays(*counts), arrays(0, 4), FP32, rank.comm, rank.stream)


def exchange(
    rank: Rank, sends: tuple[int, int], receives: tuple[int, int], types: tuple[int, int] = (FP32, FP32)
) -> int:
    send, recv = rank.put(np.zeros(16, np.float32)), rank.put(np.zeros(16, np.float32))
    out, back = (arrays(*sends), arrays(0, 4)), (arrays(*receives), arrays(0, 4))
    return HcclAlltoAllV(send, *out, types[0], recv, *back, types[1], rank.comm, rank.stream)


def matrix(rank: Rank, *counts: int) -> int:
    send, recv = rank.put(np.zeros(16, np.float32)), rank.put(np.zeros(16, np.float32))
    return HcclAlltoAllVC(send, arrays(*counts), FP32, recv, FP32, rank.comm, rank.stream)


def send(rank: Rank, count: int) -> int:
    return HcclSend(rank.put(np.zeros(16, np.float32)), count, FP32, 1, rank.comm, rank.stream)


def receive(rank: Rank, count: int, dtype: int = FP32) -> int:
    return HcclRecv(rank.empty(64), count, dtype, 0, rank.comm, rank.stream)


DIFFERENT: dict[str, tuple[Callable[[Rank], int], Callable[[Rank], int]]] = {
    "the operation": (all_reduce, broadcast),
    "the count": (all_reduce, lambda rank: all_reduce(rank, 3)),
    "the data type": (all_reduce, lambda rank: all_reduce(rank, 4, HCCL_DATA_TYPE_INT32)),
    "the reduction": (all_reduce, lambda rank: all_reduce(rank, op=HCCL_REDUCE_MAX)),
    "the root": (broadcast, lambda rank: broadcast(rank, 1)),
    "the values of recvCounts": (lambda rank: gather_v(rank, 2, 3), lambda rank: gather_v(rank, 3, 2)),
    "the count from rank 0 to rank 1 (2 sent, 3 awaited)": (
        lambda rank: exchange(rank, (1, 2), (1, 1)), lambda rank: exchange(rank, (1, 1), (3, 1)),
    ),
    "the data type from rank 0 to rank 1 (INT32 sent, FP32 awaited)": (
        lambda rank: exchange(rank, (1, 1), (1, 1), (HCCL_DATA_TYPE_INT32, FP32)),
        lambda rank: exchange(rank, (1, 1), (1, 1)),
    ),
    "the values of sendCountMatrix": (lambda rank: matrix(rank, 1, 1, 1, 1), lambda rank: matrix(rank, 2, 1, 1, 1)),
    "the count ": (lambda rank: send(rank, 2), lambda rank: receive(rank, 3)),
    "the data type ": (lambda rank: send(rank, 2), lambda rank: receive(rank, 2, HCCL_DATA_TYPE_INT32)),
}  # fmt: skip


@pytest.mark.fidelity("ranks that ask for different things")
@EACH
@pytest.mark.parametrize("what", DIFFERENT)
def test_requests_that_differ_are_reported_with_both_lines(what: str, schedule: str) -> None:
    """The second call is refused; the stream of the first rank fails; nothing is reported again."""
    calls = DIFFERENT[what]
    with world(2, schedule, on_undefined="report") as (machine, ranks):
        queued(calls[0](ranks[0]))
        assert calls[1](ranks[1]) == HCCL_E_PARA
        assert aclrtSynchronizeStream(ranks[0].stream) == FAILED
        assert aclrtSynchronizeStream(ranks[1].stream) == ACL_SUCCESS
        queued(all_reduce(ranks[0]))  # the communicator is broken: later operations fail too
        assert aclrtSynchronizeStream(ranks[0].stream) == FAILED
        assert ids(machine, "error") == ["collective-mismatch"]
        finding = next(iter(machine.findings))
        assert f"{what.strip()} differs" in finding.what
        assert [str(past).partition(" called ")[0] for past in finding.history] == ["rank 0", "rank 1"]


@EACH
def test_the_mistake_is_raised_in_the_call_that_comes_second(schedule: str) -> None:
    with world(2, schedule) as (_, (first, second)):
        queued(all_reduce(second))
        assert finding_of(lambda: broadcast(first))[0] == "collective-mismatch"
        assert aclrtSynchronizeStream(second.stream) == FAILED
        assert "(EI0005)" in (aclGetRecentErrMsg() or "")


@EACH
def test_an_absent_rank_is_reported_with_those_that_came(schedule: str) -> None:
    with world(3, schedule, on_undefined="report") as (machine, ranks):
        queued(all_reduce(ranks[0]))
        queued(all_reduce(ranks[2]))
        assert_status(aclrtSynchronizeStream(ranks[2].stream), FAILED, "(EI0002)", "rank 1")
        assert aclrtSynchronizeStream(ranks[0].stream) == FAILED
        assert ids(machine, "error") == ["collective-absent"]
        finding = next(iter(machine.findings))
        assert "ranks that came: 0, 2" in finding.what


def two_worlds() -> tuple[list[Any], list[Rank]]:
    """Two communicators of the same two ranks, and the ranks in the first one."""
    aclrtSetDevice(0)
    worlds = [(HcclComm * 2)() for _ in range(2)]
    for comms in worlds:
        queued(HcclCommInitAll(2, [0, 1], comms))
    return worlds, [Rank(number, worlds[0][number]) for number in range(2)]


@EACH
@pytest.mark.parametrize("waits", [False, True])
def test_a_rank_is_absent_if_its_streams_have_nothing_left_that_runs(schedule: str, *, waits: bool) -> None:
    """Under `late` nobody had needed its work: a copy, an event, an operation. If it waits behind them in another
    communicator, the ranks wait for each other: a deadlock."""
    with Machine(device_count=2, schedule=schedule, on_undefined="report") as machine:
        worlds, (first, second) = two_worlds()
        place = first.put(np.zeros(4, np.float32))
        aclrtSetDevice(0)
        for rank in (first, second):
            queued(HcclBarrier(rank.comm, rank.stream))
        beside = create_stream()
        assert aclrtMemsetAsync(place, 16, 0, 16, beside) == ACL_SUCCESS
        lead(beside, first.stream)
        if waits:
            queued(HcclBarrier(worlds[1][0], first.stream))
        queued(HcclBarrier(second.comm, second.stream))
        status = aclrtSynchronizeStream(second.stream)
        assert (status, ids(machine, "error")) == (
            (ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, ["deadlock"]) if waits else (FAILED, ["collective-absent"])
        )


@EACH
@pytest.mark.parametrize("how", ["destroyed", "count 0", "thread has ended"])
def test_the_reason_why_a_rank_is_absent(schedule: str, how: str) -> None:
    with world(2, schedule, on_undefined="report") as (machine, (first, second)):
        queued(all_reduce(first))
        if how == "destroyed":
            queued(HcclCommDestroy(second.comm))
        elif how == "count 0":
            queued(all_reduce(second, 0))
        else:
            in_threads(lambda: HcclGetCommAsyncError(second.comm, None))
        assert aclrtSynchronizeStream(first.stream) == FAILED
        assert "collective-absent" in ids(machine, "error")
        words = {"destroyed": "rank 1 destroyed its communicator", "count 0": "with count 0, which takes no part"}
        assert words.get(how, "rank 1 of communicator 1 was created") in str(next(iter(machine.findings)))


def test_the_absent_rank_counts_after_the_time_of_the_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    """HCCL_EXEC_TIMEOUT, default 1836 s, in simulated time."""
    for text, seconds in (("", 1836), ("7", 7)):
        monkeypatch.setenv("HCCL_EXEC_TIMEOUT", text)
        with world(2, on_undefined="report") as (machine, (first, _)):
            queued(all_reduce(first))
            assert aclrtSynchronizeStream(first.stream) == FAILED
            assert machine.clock.now == pytest.approx(seconds * 1e6, rel=1e-3)


def test_a_timeout_of_the_program_comes_first() -> None:
    with world(2) as (machine, ranks):
        queued(all_reduce(ranks[0]))
        assert aclrtSynchronizeStreamWithTimeout(ranks[0].stream, 5) == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT
        queued(all_reduce(ranks[1]))
        assert aclrtSynchronizeStream(ranks[0].stream) == ACL_SUCCESS
        assert not ids(machine, "error")


@pytest.mark.fidelity("ranks that are late")
def test_a_rank_that_is_late_is_not_absent() -> None:
    """Its thread lives and waits for nothing, for longer than the patience of the machine."""
    with world(2, patience=0.05) as (machine, (first, second)):
        import threading

        near = threading.Event()

        def late() -> None:
            HcclGetCommAsyncError(second.comm, None)
            while not machine.scheduler.awaited:
                pass
            for _ in range(10):
                near.wait(0.02)  # nothing sets it: the rank computes
            queued(all_reduce(second))

        def early() -> None:
            queued(all_reduce(first))
            assert aclrtSynchronizeStream(first.stream) == ACL_SUCCESS

        assert in_threads(early, late) == [None, None]
        assert not ids(machine, "error")


def test_the_report_at_the_end_names_a_rank_that_never_came() -> None:
    """The program did not wait for the operation either."""
    with world(3, on_undefined="report") as (machine, (first, _, third)):
        for rank in (first, third):
            queued(rank.all_reduce(rank.put(floats(1)), 1))
    dropped = [finding for finding in machine.findings if finding.id == "work-dropped"]
    assert len(dropped) == 2
    for finding in dropped:
        (last,) = [past.what for past in finding.history if "waits for" in past.what]
        assert "waits for rank 1 of communicator 1, which has not called it" in last


@EACH
def test_two_communicators_in_opposite_orders_are_a_deadlock(schedule: str) -> None:
    """Operations in one stream of each rank, and operations that the host waits for: both lines are named."""
    with Machine(device_count=2, schedule=schedule, on_undefined="report") as machine:
        worlds, (first, second) = two_worlds()
        for rank, order in ((first, (0, 1)), (second, (1, 0))):
            for each in order:
                queued(HcclBarrier(worlds[each][rank.number], rank.stream))
        assert aclrtSynchronizeStream(first.stream) == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT
        assert ids(machine, "error") == ["deadlock"]
        text = next(iter(machine.findings)).what
        assert "rank 1 of communicator 1, whose stream is not there yet" in text
        assert "rank 0 of communicator 2, whose stream is not there yet" in text


@pytest.mark.parametrize("schedule", ["late", "threads"])
def test_threads_that_wait_in_opposite_orders_are_a_deadlock(schedule: str) -> None:
    with Machine(device_count=2, schedule=schedule, on_undefined="report", patience=0.1) as machine:
        aclrtSetDevice(0)
        worlds = [(HcclComm * 2)() for _ in range(2)]
        for comms in worlds:
            queued(HcclCommInitAll(2, [0, 1], comms))

        def body(number: int) -> None:
            rank = Rank(number, worlds[number][number])
            queued(HcclBarrier(rank.comm, rank.stream))
            aclrtSynchronizeStream(rank.stream)

        assert in_threads(lambda: body(0), lambda: body(1)) == [None, None]
        assert "deadlock" in ids(machine, "error")
        assert "collective-absent" not in ids(machine, "error")


@EACH
def test_both_ranks_that_send_first_are_a_deadlock(schedule: str) -> None:
    with world(2, schedule) as (_, ranks):
        for rank in ranks:
            place = rank.put(floats(1))
            queued(HcclSend(place, 1, FP32, 1 - rank.number, rank.comm, rank.stream))
            queued(HcclRecv(place, 1, FP32, 1 - rank.number, rank.comm, rank.stream))
        assert finding_of(lambda: aclrtSynchronizeStream(ranks[0].stream))[0] == "deadlock"


@EACH
@pytest.mark.parametrize("called", ["before", "behind"])
def test_a_buffer_that_is_freed_or_written_while_in_use(schedule: str, called: str) -> None:
    """The other rank has called before, or calls only afterwards."""
    for use, id in (("free", "io-freed-early"), ("write", "xstream-race"), ("read", "read-before-sync")):
        with world(2, schedule, on_undefined="report") as (machine, (first, second)):
            place = first.put(np.zeros(4, np.float32))
            queued(first.all_reduce(place))
            if called == "before":
                queued(second.all_reduce(second.put(np.zeros(4, np.float32))))
            if use == "free":
                aclrtFree(place)
            elif use == "write":
                aclrtMemcpy(place, 16, np.zeros(4, np.float32), 16, ACL_MEMCPY_HOST_TO_DEVICE)
            else:
                aclrtMemcpy(np.zeros(4, np.float32), 16, place, 16, ACL_MEMCPY_DEVICE_TO_HOST)
            if called == "behind":
                queued(second.all_reduce(second.put(np.zeros(4, np.float32))))
            assert ids(machine, "error") == [id], use


@pytest.mark.parametrize("parameter", ["stream", "buffer", "host buffer", "small buffer"])
def test_streams_and_buffers_that_are_not_those_of_the_device(parameter: str) -> None:
    with world(2, on_undefined="report") as (machine, (first, second)):
        own, other = first.put(np.zeros(4, np.float32)), second.put(np.zeros(4, np.float32))
        host = np.zeros(4, np.float32)
        stream = second.stream if parameter == "stream" else first.stream
        place: Any = {"buffer": other, "host buffer": host}.get(parameter, own)
        count = 2_000_000 if parameter == "small buffer" else 4
        result = HcclAllReduce(place, own, count, FP32, SUM, first.comm, stream)
        expected = {"host buffer": "ws-host-ptr", "small buffer": "memcpy-size"}.get(parameter, "comm-foreign")
        assert set(ids(machine, "error")) == {expected}
        assert result == (HCCL_SUCCESS if parameter == "small buffer" else HCCL_E_PARA)


def test_an_operation_that_a_test_lets_fail_fails_on_the_other_ranks_too() -> None:
    with world(2) as (machine, ranks):
        machine.fail("HcclAllReduce", device=True)
        for rank in ranks:
            queued(all_reduce(rank))
        assert aclrtSynchronizeStream(ranks[0].stream) == ACL_ERROR_RT_AICORE_EXCEPTION
        assert_status(
            aclrtSynchronizeStream(ranks[1].stream), FAILED, "the operation of rank 0 of communicator 1 failed"
        )


def test_work_that_is_dropped_fails_the_other_ranks() -> None:
    with world(2) as (_, ranks):
        for rank in ranks:
            queued(all_reduce(rank))
        aclrtSetDevice(0)
        assert aclrtStreamAbort(ranks[0].stream) == ACL_SUCCESS
        assert_status(aclrtSynchronizeStream(ranks[1].stream), FAILED, "the operation of rank 0 was dropped")


def test_a_refused_call_does_not_count() -> None:
    """The next operation of this rank meets the one that the other rank has called."""
    with world(2) as (machine, (first, second)):
        place = first.put(np.zeros(4, np.float32))
        with pytest.raises(UndefinedBehaviour):
            HcclAllReduce(place, place, 4, FP32, SUM, first.comm, second.stream)
        queued(first.all_reduce(place))
        queued(second.all_reduce(second.put(np.ones(4, np.float32))))
        assert first.get(place, 4, np.float32).tolist() == [1] * 4
        assert ids(machine, "error") == ["comm-foreign"]
