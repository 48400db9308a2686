"""Operations of several ranks in captured graphs: stored, and met anew at each execution."""

from __future__ import annotations

from ctypes import byref

import numpy as np
import pytest

from acl_runtime import *
from tests.helpers.ranks import SCHEDULES, Rank, floats, queued, world


def captured(rank: Rank, place: int) -> aclmdlRI:
    """A graph of the rank with one all-reduce of two elements, in place."""
    aclrtSetDevice(rank.number)
    model = aclmdlRI()
    assert aclmdlRICaptureBegin(rank.stream, 0) == ACL_SUCCESS
    queued(rank.all_reduce(place, 2))
    assert aclmdlRICaptureEnd(rank.stream, byref(model)) == ACL_SUCCESS
    return model


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_an_operation_in_a_graph_meets_at_each_execution(schedule: str) -> None:
    with world(2, schedule) as (machine, ranks):
        places = [rank.put(floats(1, rank.number)) for rank in ranks]
        models = [captured(rank, place) for rank, place in zip(ranks, places, strict=True)]
        assert machine.read(places[0], 2, np.float32).tolist() == [1, 0]
        for _ in range(3):
            for rank, model in zip(ranks, models, strict=True):
                aclrtSetDevice(rank.number)
                assert aclmdlRIExecuteAsync(model, rank.stream) == ACL_SUCCESS
            queued(HcclBarrier(ranks[0].comm, ranks[0].stream))
            queued(HcclBarrier(ranks[1].comm, ranks[1].stream))
        for rank, place in zip(ranks, places, strict=True):
            assert rank.get(place, 2, np.float32).tolist() == [8, 4]
        for rank, model in zip(ranks, models, strict=True):
            aclrtSetDevice(rank.number)
            assert aclmdlRIDestroy(model) == ACL_SUCCESS
        assert not [finding for finding in machine.findings if finding.level == "error"]
