"""The effect of a mistake of one rank on other operations, ranks and threads; consequences are not reported again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from ctypes import byref, c_uint32
from threading import Thread

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from tests.acl_runtime.collective.test_mistakes import EACH, FAILED, FP32, SUM, all_reduce, broadcast, gather_v
from tests.helpers.captures import new_event
from tests.helpers.creating import create_stream
from tests.helpers.outcomes import finding_of
from tests.helpers.ranks import Rank, floats, ids, in_threads, new_root, queued, world


@EACH
def test_a_finding_of_another_stream_does_not_take_back_an_operation_that_was_queued(schedule: str) -> None:
    """Under `eager` the call of rank 1 runs the stream of rank 0 up to a mistake there."""
    with world(2, schedule) as (machine, (first, second)):
        places = [rank.put(floats(1)) for rank in (first, second)]
        queued(first.all_reduce(places[0], 1))
        comms = (HcclComm * 2)()
        queued(HcclCommInitAll(2, [0, 1], comms))
        queued(HcclCommDestroy(comms[1]))
        queued(HcclBarrier(comms[0], first.stream))
        for rank, place in ((second, places[1]), (first, places[0]), (second, places[1])):
            with suppress(UndefinedBehaviour):
                queued(rank.all_reduce(place, 1))
        assert set(ids(machine, "error")) <= {"collective-absent"}
        if schedule == "eager":
            assert [machine.read(place, 1, np.float32).tolist() for place in places] == [[4], [4]]


@pytest.mark.parametrize("schedule", ["late", "eager"])
@pytest.mark.parametrize("raises", [False, True])
def test_a_mistake_in_a_group_keeps_nothing_else_back(schedule: str, *, raises: bool) -> None:
    """The operation of another communicator, in the same group, takes place; the differing one fails on both ranks."""
    with Machine(device_count=2, schedule=schedule, on_undefined="raise" if raises else "report") as machine:
        aclrtSetDevice(0)
        worlds = [(HcclComm * 2)() for _ in range(2)]
        for comms in worlds:
            queued(HcclCommInitAll(2, [0, 1], comms))
        ranks = [Rank(number, worlds[0][number]) for number in range(2)]
        places = [[rank.put(floats(1, 1, 1, 1)) for _ in worlds] for rank in ranks]
        for rank, (one, two) in zip(ranks, places, strict=True):
            queued(HcclGroupStart())
            queued(rank.all_reduce(one, 4 - rank.number))
            queued(HcclAllReduce(two, two, 2, FP32, SUM, worlds[1][rank.number], rank.stream))
            if rank.number and raises:
                assert finding_of(HcclGroupEnd)[0] == "collective-mismatch"
            else:
                assert HcclGroupEnd() == (HCCL_E_PARA if rank.number else HCCL_SUCCESS)
        assert [aclrtSynchronizeStream(rank.stream) for rank in ranks] == [FAILED] * 2
        assert [machine.read(two, 4, np.float32).tolist() for _, two in places] == [[2, 2, 1, 1]] * 2
        assert ids(machine, "error") == ["collective-mismatch"]


@pytest.mark.fidelity("operations before a mistake of ranks")
@EACH
def test_operations_before_a_mistake_take_place(schedule: str) -> None:
    """The same values under every schedule, also where nothing had run before the mistake."""
    with world(2, schedule, on_undefined="report") as (machine, ranks):
        places = [rank.put(floats(1)) for rank in ranks]
        for rank, place in zip(ranks, places, strict=True):
            queued(rank.all_reduce(place, 1))
        queued(all_reduce(ranks[0]))
        assert broadcast(ranks[1]) == HCCL_E_PARA
        assert aclrtSynchronizeStream(ranks[0].stream) == FAILED
        assert ranks[1].get(places[1], 1, np.float32).tolist() == [2]
        assert machine.read(places[0], 1, np.float32).tolist() == [2]


@EACH
@pytest.mark.parametrize("how", ["foreign stream", "injected", "two threads"])
def test_the_absence_of_a_rank_whose_call_failed_is_a_consequence(schedule: str, how: str) -> None:
    with world(2, schedule, on_undefined="report") as (machine, (first, second)):
        place = first.put(np.zeros(4, np.float32))
        if how == "injected":
            machine.fail("HcclAllReduce", "HCCL_E_RUNTIME")
            assert first.all_reduce(place) == HCCL_E_RUNTIME
        elif how == "foreign stream":
            assert HcclAllReduce(place, place, 4, FP32, SUM, first.comm, second.stream) == HCCL_E_PARA
        else:
            machine.executor_calls.running.append((first.comm.value or 0, Thread(), "HcclBarrier", ()))
            assert first.all_reduce(place) == HCCL_E_PARA
            machine.executor_calls.running.clear()
        queued(all_reduce(second))
        assert aclrtSynchronizeStream(second.stream) == FAILED
        expected = {"injected": [], "foreign stream": ["comm-foreign"], "two threads": ["comm-cross-thread"]}
        assert ids(machine, "error") == expected[how]


@EACH
@pytest.mark.parametrize("of", ["operations", "transfers"])
def test_what_follows_a_refused_call_is_a_consequence(schedule: str, of: str) -> None:
    """The next operation of the rank meets an earlier one of the other rank; its last transfer has no other side."""
    with world(2, schedule, on_undefined="report") as (machine, (first, second)):
        place, other = (rank.put(np.zeros(4, np.float32)) for rank in (first, second))
        if of == "operations":
            assert HcclAllReduce(place, place, 4, FP32, SUM, first.comm, second.stream) == HCCL_E_PARA
            queued(second.all_reduce(other))
            assert broadcast(first) == HCCL_E_PARA
        else:
            for number in range(5):
                stream = second.stream if number == 4 else first.stream
                refused = HcclSend(place, 4, FP32, 1, first.comm, stream)
                assert refused == (HCCL_E_PARA if number == 4 else HCCL_SUCCESS)
                queued(HcclRecv(other, 4, FP32, 0, second.comm, second.stream))
        assert aclrtSynchronizeStream(second.stream) == FAILED
        assert ids(machine, "error") == ["comm-foreign"]


def test_the_last_call_of_an_absent_rank_is_in_the_history() -> None:
    """A call that was refused without a finding, and calls without elements."""
    calls: list[tuple[Callable[[Rank], int], str]] = [
        (lambda rank: all_reduce(rank, dtype=HCCL_DATA_TYPE_UINT8), "rank 1 called HcclAllReduce, which failed"),
        (lambda rank: HcclRecv(None, 0, FP32, 0, rank.comm, rank.stream), "HcclRecv with count 0"),
        (lambda rank: gather_v(rank, 0, 0), "HcclAllGatherV with count 0"),
    ]
    for call, words in calls:
        with world(2, on_undefined="report") as (machine, (first, second)):
            queued(all_reduce(first))
            call(second)
            assert aclrtSynchronizeStream(first.stream) == FAILED
            assert words in str(next(iter(machine.findings))), words


@pytest.mark.parametrize("made", ["by all", "by the thread"])
def test_a_thread_that_made_a_communicator_for_another_thread_does_not_count(made: str) -> None:
    """The thread of the absent rank has ended; the main thread, which joins it, cannot call in its place."""
    with Machine(device_count=2, on_undefined="report", patience=0.02) as machine:
        aclrtSetDevice(0)
        comms, root = (HcclComm * 2)(), new_root()
        if made == "by all":
            queued(HcclCommInitAll(2, [0, 1], comms))

        def body(number: int) -> None:
            aclrtSetDevice(number)
            if made == "by the thread":
                queued(HcclCommInitRootInfo(2, byref(root), number, byref(comms[number])))
            rank = Rank(number, comms[number])
            if number == 0:
                queued(all_reduce(rank))
                assert aclrtSynchronizeStream(rank.stream) == FAILED
            else:
                queued(HcclGetRankId(rank.comm, byref(c_uint32())))

        assert in_threads(lambda: body(0), lambda: body(1)) == [None, None]
        assert ids(machine, "error") == ["collective-absent"]


@EACH
@pytest.mark.parametrize("ordered", [False, True])
def test_streams_are_judged_when_the_order_of_their_operations_is_known(schedule: str, *, ordered: bool) -> None:
    """The second operation of the rank has no order before the other rank calls, as its stream waits for that rank.
    Before that, the third one is queued in another stream."""
    with world(2, schedule) as (machine, (first, second)):
        aclrtSetDevice(0)
        own, event = create_stream(), new_event()
        for number, stream in enumerate((first.stream, first.stream, own)):
            if number == 2:
                assert aclrtStreamWaitEvent(own, event) == ACL_SUCCESS
            queued(HcclBarrier(first.comm, stream))
            if number == ordered:
                assert aclrtRecordEvent(event, first.stream) == ACL_SUCCESS
        for _ in range(3):
            queued(HcclBarrier(second.comm, second.stream))
        for stream in (own, first.stream):
            assert aclrtSynchronizeStream(stream) == ACL_SUCCESS
        assert ids(machine, "warning").count("comm-two-streams") == (not ordered)


@pytest.mark.fidelity("one communicator in two streams")
@EACH
@pytest.mark.parametrize("ordered", [False, True])
def test_operations_of_one_communicator_in_two_streams_need_an_order(schedule: str, *, ordered: bool) -> None:
    with world(2, schedule) as (machine, (first, second)):
        aclrtSetDevice(0)
        own, event = aclrtStream(), aclrtEvent()
        assert aclrtCreateStream(byref(own)) == aclrtCreateEvent(byref(event)) == ACL_SUCCESS
        queued(HcclBarrier(second.comm, second.stream))
        queued(HcclBarrier(first.comm, first.stream))
        if ordered:
            assert aclrtRecordEvent(event, first.stream) == aclrtStreamWaitEvent(own, event) == ACL_SUCCESS
        queued(HcclBarrier(first.comm, own))
        queued(HcclBarrier(second.comm, second.stream))
        assert aclrtSynchronizeStream(second.stream) == ACL_SUCCESS
        assert ("comm-two-streams" in ids(machine, "warning")) == (not ordered)
