"""Operations as tasks of streams: when they run, their simulated time, their order, their place in the trace."""

from __future__ import annotations

from ctypes import byref
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.collective.meeting import Meeting, Party
from tests.helpers.ranks import SCHEDULES, Rank, floats, in_threads, queued, world

FP32 = HCCL_DATA_TYPE_FP32
EACH = pytest.mark.parametrize("schedule", SCHEDULES)


def copy_of(rank: Rank, address: int, count: int) -> int:
    """Queue a copy behind the work of the stream; the address of the copy."""
    target = rank.empty(4 * count)
    kind = ACL_MEMCPY_DEVICE_TO_DEVICE
    assert aclrtMemcpyAsync(target, 4 * count, address, 4 * count, kind, rank.stream) == ACL_SUCCESS
    return target


def test_under_late_a_rank_that_waits_runs_its_peers_up_to_the_meeting() -> None:
    with world(2) as (machine, (first, second)):
        a, b = first.put(floats(1)), second.put(floats(2))
        before, behind = copy_of(second, b, 1), 0
        for rank, place in ((first, a), (second, b)):
            queued(rank.all_reduce(place, 1))
        behind = copy_of(second, b, 1)
        assert not machine.tasks
        assert aclrtSynchronizeStream(first.stream) == ACL_SUCCESS
        assert machine.read(a, 1, np.float32).tolist() == [3]
        assert machine.read(b, 1, np.float32).tolist() == [3]
        assert machine.read(before, 1, np.float32).tolist() == [2]
        ran = [(task.name, task.device) for task in machine.tasks]
        assert ran == [("copy", 1), ("HcclAllReduce", 0)]
        assert second.get(behind, 1, np.float32).tolist() == [3]


def test_a_call_does_not_wait_and_nothing_runs_that_nobody_needs() -> None:
    """ "Rank 0's call must return before rank 1's is made", in one thread for several devices."""
    with world(2) as (machine, ranks):
        for rank in ranks:
            queued(rank.all_reduce(rank.put(floats(1)), 1))
        assert not machine.tasks
        assert machine.clock.now == 0


@pytest.mark.fidelity("simulated time of an operation of several ranks")
def test_the_simulated_time_counts_from_the_last_rank_on() -> None:
    """10 us + bytes / 1e11 s after the last rank arrived (ours)."""
    with world(2) as (machine, ranks):
        places = [rank.empty(1_000_000) for rank in ranks]
        for place in places:
            assert aclrtMemset(place, 1_000_000, 0, 1_000_000) == ACL_SUCCESS
        queued(ranks[0].all_reduce(places[0], 250_000))
        machine.clock.advance(500)
        queued(ranks[1].all_reduce(places[1], 250_000))
        assert aclrtSynchronizeStream(ranks[1].stream) == ACL_SUCCESS
        assert aclrtSynchronizeStream(ranks[0].stream) == ACL_SUCCESS
        assert [(task.start, task.end) for task in machine.tasks] == [(500, 520)] * 2


@EACH
def test_streams_and_events_order_operations(schedule: str) -> None:
    """As torch_npu: an event leads from the stream of the program to that of the communicator, another one back."""
    with world(2, schedule) as (_, ranks):
        out: list[int] = []
        for rank in ranks:
            place, own, events = rank.empty(4), aclrtStream(), [aclrtEvent(), aclrtEvent()]
            assert aclrtCreateStream(byref(own)) == ACL_SUCCESS
            for event in events:
                assert aclrtCreateEventExWithFlag(byref(event), ACL_EVENT_SYNC) == ACL_SUCCESS
            host = rank.put(floats(rank.number + 1))
            kind = ACL_MEMCPY_DEVICE_TO_DEVICE
            assert aclrtMemcpyAsync(place, 4, host, 4, kind, own) == ACL_SUCCESS
            assert aclrtRecordEvent(events[0], own) == ACL_SUCCESS
            assert aclrtStreamWaitEvent(rank.stream, events[0]) == ACL_SUCCESS
            queued(rank.all_reduce(place, 1))
            assert aclrtRecordEvent(events[1], rank.stream) == ACL_SUCCESS
            assert aclrtStreamWaitEvent(own, events[1]) == ACL_SUCCESS
            target = rank.empty(4)
            assert aclrtMemcpyAsync(target, 4, place, 4, kind, own) == ACL_SUCCESS
            rank.stream = own
            out.append(target)
        assert [rank.get(target, 1, np.float32)[0] for rank, target in zip(ranks, out, strict=True)] == [3, 3]


@EACH
def test_a_barrier_orders_what_is_before_it_with_what_is_behind_it_on_other_ranks(schedule: str) -> None:
    """Rank 1 reads the memory of rank 0 behind a barrier: no race. Without the barrier it is one."""
    for ordered in (True, False):
        with world(2, schedule, on_undefined="report") as (machine, (first, second)):
            aclrtSetDevice(1)
            assert aclrtDeviceEnablePeerAccess(0, 0) == ACL_SUCCESS
            source, target = first.put(floats(7)), second.empty(4)
            shared, kind = first.empty(4), ACL_MEMCPY_DEVICE_TO_DEVICE
            aclrtSetDevice(0)
            assert aclrtMemcpyAsync(shared, 4, source, 4, kind, first.stream) == ACL_SUCCESS
            if ordered:
                queued(HcclBarrier(first.comm, first.stream))
            aclrtSetDevice(1)
            if ordered:
                queued(HcclBarrier(second.comm, second.stream))
            assert aclrtMemcpyAsync(target, 4, shared, 4, kind, second.stream) == ACL_SUCCESS
            found = {finding.id for finding in machine.findings if finding.level == "error"}
            assert found == (set() if ordered else {"xstream-race"})


@EACH
def test_the_ranks_know_what_was_before_the_operation_only_once_all_have_called(schedule: str) -> None:
    """The first rank's tasks behind its barrier are judged when the second rank has called."""
    with world(2, schedule) as (machine, (first, second)):
        aclrtSetDevice(0)
        assert aclrtDeviceEnablePeerAccess(1, 0) == ACL_SUCCESS
        source, shared, target = second.put(floats(7)), second.empty(4), first.empty(4)
        kind = ACL_MEMCPY_DEVICE_TO_DEVICE
        queued(HcclBarrier(first.comm, first.stream))
        aclrtSetDevice(0)
        assert aclrtMemcpyAsync(target, 4, shared, 4, kind, first.stream) == ACL_SUCCESS
        aclrtSetDevice(1)
        assert aclrtMemcpyAsync(shared, 4, source, 4, kind, second.stream) == ACL_SUCCESS
        queued(HcclBarrier(second.comm, second.stream))
        assert first.get(target, 1, np.float32).tolist() == [7]
        assert not [finding for finding in machine.findings if finding.level == "error"]


@EACH
def test_calls_of_one_group_do_not_hold_back_the_order_of_each_other(schedule: str) -> None:
    """Rank 2 receives from rank 0, which has not called, and from rank 1. So the copy of rank 1 may run at once."""
    with world(3, schedule, on_undefined="report") as (machine, (_, second, third)):
        places = [rank.put(floats(1, 1)) for rank in (second, third)]
        queued(HcclGroupStart())
        queued(HcclRecv(places[1], 1, FP32, 0, third.comm, third.stream))
        queued(HcclRecv(places[1] + 4, 1, FP32, 1, third.comm, third.stream))
        queued(HcclGroupEnd())
        queued(HcclSend(places[0], 1, FP32, 2, second.comm, second.stream))
        target = copy_of(second, places[0], 1)
        assert aclrtMemcpy(floats(0), 4, target, 4, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS
        assert [finding.id for finding in machine.findings if finding.level == "error"] == ["read-before-sync"]


@EACH
def test_one_operation_of_one_rank_is_one_task(schedule: str) -> None:
    with world(2, schedule) as (machine, ranks):
        for rank in ranks:
            queued(HcclBarrier(rank.comm, rank.stream))
        for rank in ranks:
            assert aclrtSynchronizeStream(rank.stream) == ACL_SUCCESS
        assert sorted((task.name, task.device) for task in machine.tasks) == [("HcclBarrier", 0), ("HcclBarrier", 1)]
        events = machine.chrome_trace()["traceEvents"]
        assert isinstance(events, list)
        assert sum(event.get("name") == "HcclBarrier" and event["ph"] == "X" for event in events) == 4  # calls too


def test_two_communicators_on_streams_of_their_own_may_cross() -> None:
    """Crossed order is no deadlock where no stream makes it a cycle."""
    with Machine(device_count=2) as machine:
        aclrtSetDevice(0)
        worlds = [(HcclComm * 2)() for _ in range(2)]
        for comms in worlds:
            queued(HcclCommInitAll(2, [0, 1], comms))
        ranks = [[Rank(number, comms[number]) for comms in worlds] for number in range(2)]
        for number, order in ((0, (0, 1)), (1, (1, 0))):
            for each in order:
                queued(HcclBarrier(ranks[number][each].comm, ranks[number][each].stream))
        for pair in ranks:
            for rank in pair:
                assert aclrtSynchronizeStream(rank.stream) == ACL_SUCCESS
        assert not machine.findings


@EACH
def test_many_operations_in_threads_with_side_streams(schedule: str) -> None:
    """A seeded mixture of operations on two communicators: the totals are right under every schedule."""
    size, rounds = 3, 12
    with Machine(device_count=size, schedule=schedule, seed=3) as machine:
        aclrtSetDevice(0)
        worlds = [(HcclComm * size)() for _ in range(2)]
        for comms in worlds:
            queued(HcclCommInitAll(size, list(range(size)), comms))
        totals: dict[int, list[float]] = {}

        def body(number: int) -> None:
            pair = [Rank(number, comms[number]) for comms in worlds]
            places = [pair[0].put(floats(1)), pair[1].put(floats(2))]
            chance = np.random.default_rng(5)  # the same on all ranks: they make the same calls
            for _ in range(rounds):
                each = int(chance.integers(2))
                queued(HcclBarrier(pair[each].comm, pair[each].stream))
                queued(pair[each].all_reduce(places[each], 1))
                if chance.integers(2):
                    assert aclrtSynchronizeStream(pair[1 - each].stream) == ACL_SUCCESS
            totals[number] = [float(pair[each].get(places[each], 1, np.float32)[0]) for each in range(2)]

        assert in_threads(*(lambda number=number: body(number) for number in range(size))) == [None] * size
        assert len({tuple(total) for total in totals.values()}) == 1
        assert totals[0][0] * totals[0][1] == 2.0 * size**rounds
        assert not [finding for finding in machine.findings if finding.level == "error"]


def test_the_time_of_a_meeting_is_that_of_all_ranks_that_have_arrived() -> None:
    """Also if it was asked for before the last one came, as when a communicator breaks."""
    ranks: Any = SimpleNamespace(size=2, broken=None, left={})
    keeper: Any = None
    early: Any = SimpleNamespace(at=5.0, dropped=False)
    late: Any = SimpleNamespace(at=None, dropped=False)
    request: Any = None
    meeting = Meeting(ranks, (1,), keeper)
    meeting.parties = {0: Party(request, early), 1: Party(request, late)}
    assert (meeting.ready(), meeting.time()) == (False, 5.0)
    late.at = 9.0
    assert (meeting.ready(), meeting.time(), meeting.time()) == (True, 9.0, 9.0)
