"""Communicators that are made without a meeting, with ranks in several processes."""

from __future__ import annotations

from ctypes import byref, c_uint32
from pathlib import Path

import numpy as np
import pytest

from acl_runtime import *
from tests.acl_runtime.api.hccl.test_communicators import config_of, table
from tests.helpers.processes import Processes, machines, processes
from tests.helpers.ranks import SCHEDULES, Rank, floats, queued


def part_of(rank: Rank, *ids: int) -> Rank:
    """The rank in a communicator of some ranks."""
    comm, numbers = HcclComm(), (c_uint32 * len(ids))(*ids)
    place = ids.index(rank.number)
    queued(
        HcclCreateSubCommConfig(
            byref(rank.comm), len(ids), numbers, 7, place, byref(config_of(hcclCommName=b"part")), byref(comm)
        )
    )
    return Rank(rank.number, comm)


def summed(rank: Rank) -> float:
    place = rank.put(floats(rank.number + 1))
    queued(rank.all_reduce(place, 1))
    return float(rank.get(place, 1, np.float32)[0])


def of_table(made: Processes, path: str) -> None:
    """A communicator of a rank table in each process, one after the other: no call waits."""

    def make(number: int) -> None:
        aclrtSetDevice(number)
        comm = HcclComm()
        queued(HcclCommInitClusterInfo(path, number, byref(comm)))
        made.ranks.append(Rank(number, comm))

    for number in range(len(made.machines)):
        bodies = [lambda: None] * number + [lambda number=number: make(number)]
        made.run(*bodies)


@pytest.mark.fidelity("rank tables and some ranks, in several processes")
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_rank_table_connects_processes(tmp_path: Path, schedule: str) -> None:
    with machines(3, schedule=schedule) as made:
        of_table(made, table(tmp_path / "table.json", {0: 0, 1: 1, 2: 2}))
        assert made.each(summed) == [6, 6, 6]
        assert made.each(summed) == [6, 6, 6]
        assert not any(made.found(number) for number in range(3))


@pytest.mark.fidelity("rank tables and some ranks, in several processes")
def test_some_ranks_of_a_communicator_of_processes() -> None:
    with processes(3) as made:
        parts = made.each(lambda rank: part_of(rank, 0, 2) if rank.number != 1 else None)
        made.ranks = [part or rank for part, rank in zip(parts, made.ranks, strict=True)]
        assert made.each(lambda rank: summed(rank) if rank.number != 1 else 0) == [4, 0, 4]
        assert not any(made.found(number) for number in range(3))


def test_an_operation_may_be_called_before_the_other_process_has_the_communicator(tmp_path: Path) -> None:
    path = table(tmp_path / "table.json", {0: 0, 1: 1})
    with machines(2) as made:
        places: list[int] = []

        def first() -> None:
            aclrtSetDevice(0)
            comm = HcclComm()
            queued(HcclCommInitClusterInfo(path, 0, byref(comm)))
            made.ranks.append(Rank(0, comm))
            places.append(made.ranks[0].put(floats(1)))
            queued(made.ranks[0].all_reduce(places[0], 1))

        def second() -> float:
            aclrtSetDevice(1)
            comm = HcclComm()
            queued(HcclCommInitClusterInfo(path, 1, byref(comm)))
            made.ranks.append(Rank(1, comm))
            return summed(made.ranks[1])

        made.run(first)
        made.run(lambda: (aclrtSetDevice(0), made.ranks[0].get(places[0], 1, np.float32)), second)
        assert not any(made.found(number) for number in range(2))


@pytest.mark.fidelity("rank tables and some ranks, in several processes")
def test_a_process_that_ends_before_all_have_joined_is_an_absence(tmp_path: Path) -> None:
    """The communicator of the other process exists, and its operations fail at once."""
    path = table(tmp_path / "table.json", {0: 0, 1: 1, 2: 2})
    with machines(3, on_undefined="report") as made:
        statuses: list[int] = []

        def wait() -> None:
            aclrtSetDevice(0)
            rank = made.ranks[0]
            queued(rank.all_reduce(rank.put(floats(1)), 1))
            statuses.append(aclrtSynchronizeStream(rank.stream))

        made.machines.pop()
        of_table(made, path)
        made.run(lambda: None, lambda: aclrtResetDevice(1))
        made.machines[1].close("the end of a process")
        made.run(wait)
        assert statuses == [ACL_ERROR_RT_FFTS_PLUS_TIMEOUT]
        assert made.found(0) == ["collective-absent"]
