"""Operations of ranks in several processes."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import c_uint64
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from tests.helpers.processes import Processes, processes
from tests.helpers.ranks import SCHEDULES, Rank, floats, queued

FP32, SUM = HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM
EACH = pytest.mark.parametrize("schedule", SCHEDULES)
COUNT = 3


def filled(rank: Rank, size: int = COUNT) -> Any:
    """Different values on each rank."""
    return np.arange(size, dtype=np.float32) + 10 * rank.number


def all_reduce(rank: Rank) -> Any:
    place = rank.put(filled(rank))
    queued(rank.all_reduce(place, COUNT))
    return rank.get(place, COUNT, np.float32)


def reduce(rank: Rank) -> Any:
    place, target = rank.put(filled(rank)), rank.put(np.zeros(COUNT, np.float32))
    queued(HcclReduce(place, target, COUNT, FP32, SUM, 1, rank.comm, rank.stream))
    return rank.get(target, COUNT, np.float32)


def broadcast(rank: Rank) -> Any:
    place = rank.put(filled(rank))
    queued(HcclBroadcast(place, COUNT, FP32, 1, rank.comm, rank.stream))
    return rank.get(place, COUNT, np.float32)


def scatter(rank: Rank) -> Any:
    place, target = rank.put(filled(rank, 2 * COUNT)), rank.empty(4 * COUNT)
    queued(HcclScatter(place, target, COUNT, FP32, 0, rank.comm, rank.stream))
    return rank.get(target, COUNT, np.float32)


def all_gather(rank: Rank) -> Any:
    place, target = rank.put(filled(rank)), rank.empty(8 * COUNT)
    queued(HcclAllGather(place, target, COUNT, FP32, rank.comm, rank.stream))
    return rank.get(target, 2 * COUNT, np.float32)


def reduce_scatter(rank: Rank) -> Any:
    place, target = rank.put(filled(rank, 2 * COUNT)), rank.empty(4 * COUNT)
    queued(HcclReduceScatter(place, target, COUNT, FP32, SUM, rank.comm, rank.stream))
    return rank.get(target, COUNT, np.float32)


def all_to_all(rank: Rank) -> Any:
    place, target = rank.put(filled(rank, 2 * COUNT)), rank.empty(8 * COUNT)
    queued(HcclAlltoAll(place, COUNT, FP32, target, COUNT, FP32, rank.comm, rank.stream))
    return rank.get(target, 2 * COUNT, np.float32)


def all_to_all_v(rank: Rank) -> Any:
    """Rank 0 sends 1 element to itself and 2 to rank 1; rank 1 sends 3 to rank 0, and none to itself."""
    place, target = rank.put(filled(rank)), rank.put(np.zeros(4, np.float32))
    sends, receives = ([1, 2], [1, 3]) if rank.number == 0 else ([3, 0], [2, 0])
    counts, places, awaited, targets = (
        (c_uint64 * 2)(*values) for values in (sends, [0, sends[0]], receives, [0, receives[0]])
    )
    queued(HcclAlltoAllV(place, counts, places, FP32, target, awaited, targets, FP32, rank.comm, rank.stream))
    return rank.get(target, 4, np.float32)


def transfer(rank: Rank) -> Any:
    place = rank.put(filled(rank))
    call, peer = (HcclSend, 1) if rank.number == 0 else (HcclRecv, 0)
    queued(call(place, COUNT, FP32, peer, rank.comm, rank.stream))
    return rank.get(place, COUNT, np.float32)


def group(rank: Rank) -> Any:
    """Both ranks receive first: in a group this is no deadlock."""
    place, target = rank.put(filled(rank)), rank.empty(4 * COUNT)
    queued(HcclGroupStart())
    queued(HcclRecv(target, COUNT, FP32, 1 - rank.number, rank.comm, rank.stream))
    queued(HcclSend(place, COUNT, FP32, 1 - rank.number, rank.comm, rank.stream))
    queued(HcclGroupEnd())
    return rank.get(target, COUNT, np.float32)


def barrier(rank: Rank) -> Any:
    queued(HcclBarrier(rank.comm, rank.stream))
    return rank.get(rank.put(floats(0)), 1, np.float32)


RESULTS: dict[Callable[[Rank], Any], tuple[list[float], list[float]]] = {
    all_reduce: ([10, 12, 14], [10, 12, 14]),
    reduce: ([0, 0, 0], [10, 12, 14]),
    broadcast: ([10, 11, 12], [10, 11, 12]),
    scatter: ([0, 1, 2], [3, 4, 5]),
    all_gather: ([0, 1, 2, 10, 11, 12], [0, 1, 2, 10, 11, 12]),
    reduce_scatter: ([10, 12, 14], [16, 18, 20]),
    all_to_all: ([0, 1, 2, 10, 11, 12], [3, 4, 5, 13, 14, 15]),
    all_to_all_v: ([0, 10, 11, 12], [1, 2, 0, 0]),
    transfer: ([0, 1, 2], [0, 1, 2]),
    group: ([10, 11, 12], [0, 1, 2]),
    barrier: ([0], [0]),
}


@EACH
def test_operations_of_two_processes(schedule: str) -> None:
    with processes(2, schedule) as made:
        for operation, expected in RESULTS.items():
            results = made.each(operation)
            assert [result.tolist() for result in results] == list(expected), operation
        assert not made.found(0) + made.found(1)


def test_large_buffers_travel_in_shared_memory() -> None:
    size = 100_000
    with processes(2) as made:

        def body(rank: Rank) -> Any:
            place = rank.put(filled(rank, size))
            for _ in range(3):
                queued(HcclAllReduce(place, place, size, FP32, HCCL_REDUCE_MAX, rank.comm, rank.stream))
            return rank.get(place, size, np.float32)

        for result in made.each(body):
            np.testing.assert_array_equal(result, np.arange(size, dtype=np.float32) + 10)


def test_a_rank_gets_to_its_operation_although_its_host_thread_does_something_else() -> None:
    """Rank 1 has called, and then waits for rank 0 by other means."""
    with processes(2) as made:
        places: dict[int, int] = {}

        def call(rank: Rank) -> None:
            places[rank.number] = rank.put(floats(rank.number + 1))
            queued(rank.all_reduce(places[rank.number], 1))

        made.each(call)
        assert not made.machines[1].tasks
        assert first_only(made, lambda rank: rank.get(places[0], 1, np.float32).tolist()) == [3]


def first_only(made: Processes, body: Callable[[Rank], Any]) -> Any:
    """Run the body in the first process only."""
    results: list[Any] = []

    def run() -> None:
        aclrtSetDevice(0)
        results.append(body(made.ranks[0]))

    made.run(run)
    return results[0]


def test_under_late_nothing_runs_that_no_rank_needs() -> None:
    with processes(2) as made:

        def call(rank: Rank) -> None:
            place = rank.put(floats(1))
            for _ in range(3):
                queued(rank.all_reduce(place, 1))

        made.each(call)
        assert not [task for machine in made.machines for task in machine.tasks if task.name == "HcclAllReduce"]


def test_a_rank_may_change_its_bytes_behind_the_operation_before_the_other_has_read_them() -> None:
    with processes(2) as made:

        def body(rank: Rank) -> Any:
            place, total = rank.put(floats(rank.number + 1)), rank.empty(4)
            totals = [rank.put(floats(0)) for _ in range(5)]
            for target in totals:
                queued(HcclAllReduce(place, total, 1, FP32, SUM, rank.comm, rank.stream))
                kind = ACL_MEMCPY_DEVICE_TO_DEVICE
                assert aclrtMemcpyAsync(place, 4, total, 4, kind, rank.stream) == ACL_SUCCESS
                assert aclrtMemcpyAsync(target, 4, total, 4, kind, rank.stream) == ACL_SUCCESS
            return [rank.get(target, 1, np.float32).tolist() for target in totals]

        assert made.each(body) == [[[3], [6], [12], [24], [48]]] * 2


def test_four_processes() -> None:
    with processes(4) as made:
        assert [result.tolist() for result in made.each(all_reduce)] == [[60, 64, 68]] * 4
