"""Mistakes of ranks in several processes: findings with the lines of both, and ends of processes."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from ctypes import byref, memmove, sizeof
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.collective.processes.standstill import Standstill
from acl_runtime.streams import scheduler
from acl_runtime.streams.waiters import Waiter, Waiters
from tests.helpers.outcomes import assert_status
from tests.helpers.patience import PATIENCE
from tests.helpers.processes import Processes, joined, machines, processes
from tests.helpers.ranks import SCHEDULES, Rank, floats, new_root, queued

FP32, SUM = HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM
EACH = pytest.mark.parametrize("schedule", SCHEDULES)


def wait(rank: Rank) -> int:
    return aclrtSynchronizeStream(rank.stream)


def in_order(made: Processes, *bodies: Callable[[Rank], Any]) -> list[Any]:
    """Run the bodies of the ranks one after the other."""
    results: list[Any] = []

    def of(number: int) -> Callable[[], None]:
        def run() -> None:
            aclrtSetDevice(number)
            results.append(bodies[number](made.ranks[number]))

        return run

    for number in range(len(bodies)):
        made.run(*[lambda: None] * number, of(number))
    return results


@EACH
def test_requests_that_differ_are_reported_in_both_processes_with_both_lines(schedule: str) -> None:
    with processes(2, schedule, on_undefined="report") as made:

        def body(rank: Rank) -> list[int]:
            place = rank.put(floats(1, 2, 3))
            if rank.number == 0:
                called = rank.all_reduce(place, 3)
            else:
                called = HcclBroadcast(place, 3, FP32, 0, rank.comm, rank.stream)
            return [called, wait(rank), rank.all_reduce(place, 3) and 1]

        results = made.each(body)
        for number, (_, waited, _) in enumerate(results):
            assert waited or results[number][0]
            (finding,) = [each for each in made.machines[number].findings if each.level == "error"]
            assert finding.id == "collective-mismatch"
            assert "rank 0 calls HcclAllReduce of 3 FP32 (sum), rank 1 calls HcclBroadcast of 3 FP32 (root 0)" in str(
                finding
            )
            past = [(past.what, os.path.basename(past.site).partition(":")[0]) for past in finding.history]
            assert ("rank 0 called HcclAllReduce of 3 FP32 (sum)", "ranks.py") in past
            assert ("rank 1 called HcclBroadcast of 3 FP32 (root 0)", os.path.basename(__file__)) in past


@EACH
def test_a_rank_that_has_destroyed_its_communicator_never_comes(schedule: str) -> None:
    with processes(2, schedule, on_undefined="report") as made:

        def second(rank: Rank) -> None:
            queued(HcclCommDestroy(rank.comm))

        def first(rank: Rank) -> None:
            queued(rank.all_reduce(rank.put(floats(1)), 1))
            text = "rank 1 of communicator 1, which never"
            assert_status(wait(rank), ACL_ERROR_RT_FFTS_PLUS_TIMEOUT, "(EI0002)", text)

        made.run(lambda: None, lambda: second(made.ranks[1]))
        in_order(made, first)
        (finding,) = [each for each in made.machines[0].findings if each.id == "collective-absent"]
        assert "rank 1 destroyed its communicator" in str(finding)


def test_a_process_that_ends_while_another_one_waits_is_named() -> None:
    with processes(2, on_undefined="report") as made:

        def first(rank: Rank) -> int:
            queued(rank.all_reduce(rank.put(floats(1)), 1))
            return wait(rank)

        def end() -> None:
            made.machines[1].close("the end")

        statuses: list[int] = []
        made.run(lambda: statuses.append(first(made.ranks[0])), end)
        assert statuses == [ACL_ERROR_RT_FFTS_PLUS_TIMEOUT]
        (finding,) = [each for each in made.machines[0].findings if each.id == "collective-absent"]
        assert f"process {os.getpid()} of rank 1 has ended" in str(finding)


def test_operations_that_both_have_called_take_place_although_one_leaves_then() -> None:
    with processes(2) as made:
        places: dict[int, int] = {}

        def call(rank: Rank) -> None:
            places[rank.number] = rank.put(floats(rank.number + 1))
            queued(rank.all_reduce(places[rank.number], 1))

        made.each(call)

        def second(rank: Rank) -> None:
            aclrtSetDevice(1)
            assert wait(rank) == ACL_SUCCESS
            queued(HcclCommDestroy(rank.comm))

        made.run(lambda: None, lambda: second(made.ranks[1]))
        assert in_order(made, lambda rank: rank.get(places[0], 1, "float32").tolist()) == [[3]]


def create(number: int, size: int, root: HcclRootInfo, **config: Any) -> tuple[int, HcclComm]:
    comm, configured = HcclComm(), HcclCommConfig()
    HcclCommConfigInit(byref(configured))
    for name, value in config.items():
        setattr(configured, name, value)
    aclrtSetDevice(number)
    return HcclCommInitRootInfoConfig(size, byref(root), number, byref(configured), byref(comm)), comm


DISAGREE: list[tuple[dict[str, Any], int, str, str]] = [
    ({"size": 3}, HCCL_E_PARA, "another number of ranks", "collective-mismatch"),
    ({"hcclBufferSize": 64}, HCCL_E_PARA, "another buffer size", "collective-mismatch"),
    ({"hcclCommName": b"other"}, HCCL_E_PARA, "another name", "collective-mismatch"),
]


@pytest.mark.parametrize(("values", "status", "text", "finding"), DISAGREE)
def test_ranks_that_disagree_are_refused_in_both_processes(
    values: dict[str, Any], status: int, text: str, finding: str
) -> None:
    with machines(2, on_undefined="report") as made:
        root: list[HcclRootInfo] = []

        def first() -> None:
            aclrtSetDevice(0)
            root.append(new_root())

        made.run(first)
        size = values.get("size", 2)
        config = {name: value for name, value in values.items() if name != "size"}
        results: dict[int, int] = {}

        def one() -> None:
            results[0] = create(0, 2, root[0])[0]
            assert_status(results[0], status, text)

        def two() -> None:
            results[1] = create(1, size, root[0], **config)[0]
            assert_status(results[1], status, text)

        made.run(one, two)
        assert made.found(0) == made.found(1) == [finding]


def test_a_rank_that_is_there_twice_is_refused_in_both_processes() -> None:
    with machines(2, on_undefined="report") as made:
        root: list[HcclRootInfo] = []

        def first() -> None:
            aclrtSetDevice(0)
            root.append(new_root())

        made.run(first)

        def join() -> None:
            assert_status(create(0, 2, root[0])[0], HCCL_E_PARA, "(EI0014)", "rank 0 joins twice")

        made.run(join, join)


@pytest.mark.fidelity("root information")
def test_root_information_of_another_host_is_refused_with_a_sentence() -> None:
    with Machine(device_count=2):
        aclrtSetDevice(0)
        root = new_root()
        fields = json.loads(bytes(root).split(b"\0", 1)[0])
        raw = json.dumps({**fields, "identity": "0" * 32, "host": "another"}).encode().ljust(sizeof(root), b"\0")
        memmove(byref(root), raw, sizeof(root))
        assert_status(create(0, 2, root)[0], HCCL_E_NOT_SUPPORT, "another host")


@pytest.mark.fidelity("root information")
def test_root_information_whose_process_has_ended_is_refused() -> None:
    with machines(2, on_undefined="report") as made:
        root: list[HcclRootInfo] = []

        def first() -> None:
            aclrtSetDevice(0)
            root.append(new_root())

        made.run(first)
        made.machines[0].close("the end")

        def second() -> None:
            assert_status(create(1, 2, root[0])[0], HCCL_E_TCP_CONNECT, "(EI0015)", "has ended")

        made.run(lambda: None, second)


def test_a_rank_of_another_process_that_is_slow_is_late_and_not_absent() -> None:
    """The patience of the machine is over long before the other rank comes."""
    with processes(2, patience=0.01) as made:

        def body(rank: Rank) -> Any:
            place = rank.put(floats(rank.number + 1))
            if rank.number == 1:
                stood_still(made.machines[0])
            queued(rank.all_reduce(place, 1))
            return rank.get(place, 1, "float32").tolist()

        assert made.each(body) == [[3], [3]]


def test_an_operation_sends_no_words_about_a_standstill(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a program of one thread, which nobody else can help: its wait is no standstill before some time is over."""
    said: list[Standstill] = []

    def alone(waiters: Waiters, waiter: Waiter) -> bool:
        return True

    def stands(standstill: Standstill, awaited: object, waits: object) -> None:
        said.append(standstill)

    monkeypatch.setattr(Waiters, "must_report", alone)
    monkeypatch.setattr(Standstill, "stands", stands)
    monkeypatch.setattr(scheduler, "POLL", 60.0)  # longer than the test
    with processes(2, patience=60.0) as made:

        def body(rank: Rank) -> Any:
            place = rank.put(floats(1))
            for _ in range(3):
                queued(rank.all_reduce(place, 1))
                assert wait(rank) == 0
            return rank.get(place, 1, "float32").tolist()

        assert made.each(body) == [[8], [8]]
    assert said == []


def stood_still(machine: Machine) -> None:
    """Return when a thread of the machine has waited for longer than its patience."""
    condition = machine.scheduler.changed
    for _ in range(3):
        with condition:
            condition.wait(0.02)


@pytest.mark.fidelity("processes that wait for each other")
@EACH
def test_ranks_that_wait_for_each_other_in_opposite_orders_are_a_deadlock(schedule: str) -> None:
    """Each process reports the waits of both."""
    with processes(2, schedule, on_undefined="report", patience=0.1) as made:
        second: dict[int, Rank] = {}
        made.each(lambda rank: second.update({rank.number: rank}))
        joined(made)

        def body(rank: Rank) -> None:
            first = rank if rank.number else second[rank.number]
            queued(first.all_reduce(first.put(floats(1)), 1))
            wait(first)

        made.each(body)
        for number in range(2):
            (finding,) = [each for each in made.machines[number].findings if each.id == "deadlock"]
            assert str(finding).partition("\n")[0].count("HcclAllReduce in stream") == 2


def test_both_ranks_that_send_first_are_a_deadlock() -> None:
    with processes(2, on_undefined="report", patience=0.1) as made:

        def body(rank: Rank) -> None:
            queued(HcclSend(rank.put(floats(1)), 1, FP32, 1 - rank.number, rank.comm, rank.stream))
            wait(rank)

        made.each(body)
        assert made.found(0) == made.found(1) == ["deadlock"]


def test_a_process_that_stood_still_and_moved_again_is_in_a_deadlock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rank 1 comes to the first operation when process 0 has said that it stands still. Then rank 0 waits in a second
    one, and rank 1 in one of another communicator."""
    stood, says = threading.Event(), Standstill.stands

    def stands(self: Standstill, *given: Any) -> None:
        says(self, *given)
        stood.set()

    monkeypatch.setattr(Standstill, "stands", stands)
    with processes(2, on_undefined="report", patience=0.1) as made:
        second: dict[int, Rank] = {}
        made.each(lambda rank: second.update({rank.number: rank}))
        joined(made)

        def body(rank: Rank) -> None:
            if rank.number:
                assert stood.wait(PATIENCE)
            queued(rank.all_reduce(rank.put(floats(1)), 1))
            if rank.number:
                assert wait(rank) == ACL_SUCCESS
                rank = second[1]
            queued(rank.all_reduce(rank.put(floats(1)), 1))
            wait(rank)

        made.each(body)
        assert made.found(0) == made.found(1) == ["deadlock"]


def test_nothing_is_left_of_machines_that_were_closed() -> None:
    before = {thread.name for thread in threading.enumerate()}
    descriptors = len(os.listdir("/proc/self/fd"))
    with processes(2) as made:
        joined(made)
    assert {thread.name for thread in threading.enumerate()} == before
    assert len(os.listdir("/proc/self/fd")) == descriptors
