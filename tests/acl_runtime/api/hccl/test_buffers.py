"""The buffers of an operation of all ranks: overlaps and alignment."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from acl_runtime import *
from tests.helpers.ranks import Rank, ids, queued, world

FP32, SUM = HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM

OVERLAPS: dict[str, tuple[Callable[[Rank, int], int], bool]] = {
    "shifted": (lambda rank, place: HcclAllReduce(place, place + 4, 4, FP32, SUM, rank.comm, rank.stream), True),
    "in place": (lambda rank, place: HcclAllReduce(place, place, 4, FP32, SUM, rank.comm, rank.stream), False),
    "own block": (lambda rank, p: HcclAllGather(p + 8 * rank.number, p, 2, FP32, rank.comm, rank.stream), False),
    "own part": (
        lambda rank, p: HcclReduceScatter(p, p + 8 * rank.number, 2, FP32, SUM, rank.comm, rank.stream), False,
    ),
    "other block": (
        lambda rank, p: HcclAllGather(p + 8 - 8 * rank.number, p, 2, FP32, rank.comm, rank.stream), True,
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", OVERLAPS)
def test_buffers_that_overlap_and_are_not_in_place_are_found(what: str) -> None:
    call, wrong = OVERLAPS[what]
    with world(2, on_undefined="report") as (machine, ranks):
        for rank in ranks:
            queued(call(rank, rank.put(np.zeros(16, np.float32))))
        assert set(ids(machine, "error")) == ({"alias-overlap"} if wrong else set())


def test_a_reduction_of_elements_that_are_not_aligned_is_a_warning() -> None:
    """ "Alignment (reductions): the type's size"; movement has none."""
    with world(2) as (machine, ranks):
        places = [rank.put(np.zeros(16, np.float32)) + 1 for rank in ranks]
        for rank, place in zip(ranks, places, strict=True):
            queued(HcclBroadcast(place, 2, FP32, 0, rank.comm, rank.stream))
        assert "misaligned" not in ids(machine)
        for rank, place in zip(ranks, places, strict=True):
            queued(rank.all_reduce(place, 2))
        assert ids(machine, "warning").count("misaligned") == 2
