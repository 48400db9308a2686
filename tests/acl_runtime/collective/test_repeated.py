"""Operations that repeat an earlier call: they use what that call found in memory, with the same results and
findings."""

from __future__ import annotations

from ctypes import byref, c_void_p

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime.checks.copies.host_dtype import COPIED
from acl_runtime.checks.races.happens_before import HappensBefore
from tests.helpers.ranks import Rank, floats, ids, world

ROUNDS = 4
"""the first call finds the memory, the second one places it, the later ones repeat that"""


def reduce(ranks: list[Rank], places: list[int]) -> None:
    """An all-reduce of both ranks, and its end."""
    for rank, place in zip(ranks, places, strict=True):
        assert rank.all_reduce(place, 2) == HCCL_SUCCESS
    for rank in ranks:
        assert aclrtSynchronizeStream(rank.stream) == ACL_SUCCESS


def test_repeated_calls_do_not_search_or_compare_again(monkeypatch: pytest.MonkeyPatch) -> None:
    placed: list[object] = []
    place = HappensBefore._place  # pyright: ignore[reportPrivateUsage]

    def noted(self: HappensBefore, stream: object, task: object, *args: object, **named: object) -> None:
        placed.append(task)
        place(self, stream, task, *args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(HappensBefore, "_place", noted)
    with world(2) as (machine, ranks):
        places = [rank.put(floats(1, 2)) for rank in ranks]
        placed.clear()
        for _ in range(ROUNDS):
            reduce(ranks, places)
        assert len(placed) == 4, "two calls of each rank"
        assert ranks[0].get(places[0], 2, np.float32).tolist() == [2**ROUNDS, 2 ** (ROUNDS + 1)]
        assert not machine.findings


def test_memory_that_was_freed_is_searched_again() -> None:
    with world(2, on_undefined="report") as (_, ranks):
        places = [rank.put(floats(1, 2)) for rank in ranks]
        for _ in range(ROUNDS):
            reduce(ranks, places)
        aclrtSetDevice(0)
        assert aclrtFree(places[0]) == ACL_SUCCESS
        assert ranks[0].all_reduce(places[0], 2) == HCCL_E_PARA
        places[0] = ranks[0].put(floats(5, 6))
        reduce(ranks, places)
        assert ranks[1].get(places[1], 2, np.float32).tolist() == [5 + 2**ROUNDS, 6 + 2 ** (ROUNDS + 1)]


@pytest.mark.parametrize("ordered", [True, False])
def test_a_race_with_a_repeated_call_is_found(ordered: bool) -> None:
    """And with the calls before it, no race is."""
    with world(2, on_undefined="report") as (machine, ranks):
        places, side, source = [rank.put(floats(1, 2)) for rank in ranks], aclrtStream(), ranks[0].put(floats(3, 4))
        for _ in range(ROUNDS):
            reduce(ranks, places)
        aclrtSetDevice(0)
        assert aclrtCreateStream(byref(side)) == ACL_SUCCESS
        assert aclrtMemcpyAsync(places[0], 8, source, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, side) == ACL_SUCCESS
        if ordered:
            assert aclrtSynchronizeStream(side) == ACL_SUCCESS
        reduce(ranks, places)
        assert aclrtSynchronizeStream(side) == ACL_SUCCESS
        assert set(ids(machine, "error")) == (set() if ordered else {"xstream-race"})
        assert aclrtDestroyStream(side) == ACL_SUCCESS


def test_a_repeated_call_orders_what_is_before_it_with_what_is_behind_it_on_other_ranks() -> None:
    """A copy on rank 1 reads what a copy on rank 0 has written before the operation."""
    with world(2) as (machine, (first, second)):
        places, shared = [rank.put(floats(1, 2)) for rank in (first, second)], first.put(floats(0, 0))
        source, target = first.put(floats(3, 4)), second.put(floats(0, 0))
        for _ in range(ROUNDS):
            for rank, (to, from_) in ((first, (shared, source)), (second, (target, target))):
                if rank is first:
                    copy(rank, to, from_)
                assert rank.all_reduce(places[rank.number], 2) == HCCL_SUCCESS
            copy(second, target, shared)
            for rank in (second, first):
                assert aclrtSynchronizeStream(rank.stream) == ACL_SUCCESS
        assert second.get(target, 2, np.float32).tolist() == [3, 4]
        assert not machine.findings


def test_a_repeated_call_overwrites_what_was_copied_from_an_array() -> None:
    """Then the elements are those of the operation, and their type is its own."""
    with world(2, on_undefined="report") as (machine, ranks):
        places = [rank.put(floats(1, 2)) for rank in ranks]
        for _ in range(ROUNDS):
            reduce(ranks, places)
        aclrtSetDevice(0)
        assert aclrtMemcpy(places[0], 8, np.zeros(1, np.float64), 8, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS
        assert any(COPIED.of(piece) for piece in machine.memories.allocations())
        reduce(ranks, places)
        assert not any(COPIED.of(piece) for piece in machine.memories.allocations())


def copy(rank: Rank, to: int, from_: int) -> None:
    """Queue a copy of two elements."""
    aclrtSetDevice(rank.number)
    assert aclrtMemcpyAsync(c_void_p(to), 8, c_void_p(from_), 8, ACL_MEMCPY_DEVICE_TO_DEVICE, rank.stream) == 0
