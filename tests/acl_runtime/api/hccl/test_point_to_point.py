"""Sends, receives, batches of both, barriers."""

from __future__ import annotations

from ctypes import byref

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.ranks import SCHEDULES, Rank, floats, queued, world

FP32 = HCCL_DATA_TYPE_FP32
EACH = pytest.mark.parametrize("schedule", SCHEDULES)


def send(rank: Rank, address: int, to: int, count: int = 2) -> None:
    queued(HcclSend(address, count, FP32, to, rank.comm, rank.stream))


def receive(rank: Rank, address: int, source: int, count: int = 2) -> None:
    queued(HcclRecv(address, count, FP32, source, rank.comm, rank.stream))


def batch(rank: Rank, *items: tuple[int, int, int]) -> None:
    """Queue a batch of two elements each: direction, address, rank."""
    listed = (HcclSendRecvItem * len(items))(*(HcclSendRecvItem(way, at, 2, FP32, peer) for way, at, peer in items))
    queued(HcclBatchSendRecv(listed, len(items), rank.comm, rank.stream))


@EACH
def test_sends_meet_receives_in_order(schedule: str) -> None:
    with world(2, schedule) as (_, (first, second)):
        a, b = first.put(floats(1, 2, 3, 4)), second.empty(16)
        send(first, a, 1)
        send(first, a + 8, 1)
        receive(second, b + 8, 0)
        receive(second, b, 0)
        assert second.get(b, 4, np.float32).tolist() == [3, 4, 1, 2]
        assert first.get(a, 1, np.float32).tolist() == [1]


@EACH
def test_the_items_of_a_batch_do_not_wait_for_each_other(schedule: str) -> None:
    """Rank 0 waits for rank 2, which waits for rank 1, which waits for a send of rank 0 in the same batch."""
    with world(3, schedule) as (_, ranks):
        out = [rank.put(floats(0, rank.number)) for rank in ranks]
        into = [rank.empty(8) for rank in ranks]
        batch(ranks[0], (HCCL_RECV, into[0], 2), (HCCL_SEND, out[0], 1))
        receive(ranks[1], into[1], 0)
        send(ranks[1], out[1], 2)
        receive(ranks[2], into[2], 1)
        send(ranks[2], out[2], 0)
        for rank in ranks:
            assert rank.get(into[rank.number], 2, np.float32).tolist() == [0, (rank.number + 2) % 3]


@EACH
def test_a_rank_may_send_to_itself_in_a_batch(schedule: str) -> None:
    with world(1, schedule) as (_, (rank,)):
        a, b = rank.put(floats(5, 6)), rank.empty(8)
        batch(rank, (HCCL_SEND, a, 0), (HCCL_RECV, b, 0))
        assert rank.get(b, 2, np.float32).tolist() == [5, 6]


@EACH
def test_many_transfers_in_both_directions_in_one_batch(schedule: str) -> None:
    """Public client: 60 sends and 60 receives of each rank at once."""
    with world(2, schedule) as (_, ranks):
        out = [rank.put(np.arange(120, dtype=np.float32) + 1000 * rank.number) for rank in ranks]
        into = [rank.empty(480) for rank in ranks]
        for rank in ranks:
            at, peer = rank.number, 1 - rank.number
            items = [(HCCL_SEND, out[at] + 8 * k, peer) for k in range(60)]
            batch(rank, *items, *((HCCL_RECV, into[at] + 8 * k, peer) for k in range(60)))
        for rank in ranks:
            expected = np.arange(120) + 1000 * (1 - rank.number)
            assert rank.get(into[rank.number], 120, np.float32).tolist() == expected.tolist()


@EACH
def test_a_group_of_sends_and_receives_is_one_batch(schedule: str) -> None:
    """Both ranks send first: without a group each would wait for the other one."""
    with world(2, schedule) as (_, ranks):
        out = [rank.put(floats(rank.number, 7)) for rank in ranks]
        into = [rank.empty(8) for rank in ranks]
        for rank in ranks:
            queued(HcclGroupStart())
            for call, places in ((send, out), (receive, into)):
                queued(HcclGroupStart())
                call(rank, places[rank.number], 1 - rank.number)
                queued(HcclGroupEnd())
            queued(HcclGroupEnd())
        for rank in ranks:
            assert rank.get(into[rank.number], 2, np.float32).tolist() == [1 - rank.number, 7]


@pytest.mark.fidelity("arguments of an operation in a group")
@EACH
def test_a_group_begins_at_its_end_and_keeps_its_place_in_the_stream(schedule: str) -> None:
    """Public test of torch_npu: the event is recorded between the calls and HcclGroupEnd, and waits for both."""
    with world(2, schedule) as (machine, ranks):
        places = [rank.put(floats(1, 2, 3, 4)) for rank in ranks]
        events = [aclrtEvent() for _ in ranks]
        for rank, event in zip(ranks, events, strict=True):
            aclrtSetDevice(rank.number)
            assert aclrtCreateEvent(byref(event)) == ACL_SUCCESS
            queued(HcclGroupStart())
            halves = (places[rank.number], places[rank.number] + 8)
            for half in halves if rank.number else halves[::-1]:
                queued(rank.all_reduce(half, count=2 if half == halves[0] else 1))
            assert aclrtRecordEvent(event, rank.stream) == ACL_SUCCESS
            queued(HcclGroupEnd())
        for rank, event in zip(ranks, events, strict=True):
            aclrtSetDevice(rank.number)
            assert aclrtSynchronizeEvent(event) == ACL_SUCCESS
            assert machine.read(places[rank.number], 4, np.float32).tolist() == [2, 4, 6, 4]


def test_the_group_belongs_to_the_thread(machine: Machine) -> None:
    inside = HcclGroupEnd()
    assert inside == HCCL_E_NOT_SUPPORT
    aclGetRecentErrMsg()
    queued(HcclGroupStart())
    queued(HcclGroupEnd())
    assert HcclGroupEnd() == HCCL_E_NOT_SUPPORT
    aclGetRecentErrMsg()


@EACH
def test_a_barrier_lets_the_streams_wait_and_not_the_host(schedule: str) -> None:
    with world(2, schedule) as (machine, (first, second)):
        queued(HcclBarrier(first.comm, first.stream))
        before = machine.clock.now
        queued(HcclBarrier(second.comm, second.stream))
        assert machine.clock.now == before
        assert aclrtSynchronizeStream(first.stream) == ACL_SUCCESS
        assert aclrtSynchronizeStream(second.stream) == ACL_SUCCESS
