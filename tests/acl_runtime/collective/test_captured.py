"""Operations of several ranks in captured graphs: stored, and met anew at each execution."""

from __future__ import annotations

from ctypes import byref, c_uint32

import numpy as np
import pytest

from acl_runtime import *
from tests.acl_runtime.api.hccl.test_communicators import config_of
from tests.helpers.captures import lead
from tests.helpers.creating import create_stream
from tests.helpers.outcomes import finding_of
from tests.helpers.ranks import SCHEDULES, Rank, floats, ids, new_root, queued, world


def captured(rank: Rank, place: int, *counts: int, group: bool = False) -> aclmdlRI:
    """A graph of the rank with all-reduces of so many elements, in place."""
    aclrtSetDevice(rank.number)
    model = aclmdlRI()
    assert aclmdlRICaptureBegin(rank.stream, 0) == ACL_SUCCESS
    if group:
        queued(HcclGroupStart())
    for count in counts or (2,):
        queued(rank.all_reduce(place, count))
    if group:
        queued(HcclGroupEnd())
    assert aclmdlRICaptureEnd(rank.stream, byref(model)) == ACL_SUCCESS
    return model


def executed(ranks: list[Rank], models: list[aclmdlRI]) -> list[int]:
    """Execute the graph of each rank, and synchronise its stream."""
    for rank, model in zip(ranks, models, strict=True):
        aclrtSetDevice(rank.number)
        assert aclmdlRIExecuteAsync(model, rank.stream) == ACL_SUCCESS
    results = list[int]()
    for rank in ranks:
        aclrtSetDevice(rank.number)
        results.append(aclrtSynchronizeStream(rank.stream))
    return results


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


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_group_in_a_capture_enters_no_meeting_before_the_execution(schedule: str) -> None:
    """A group on one rank only, captured and thrown away; then the ranks meet as if it had never been."""
    with world(2, schedule) as (machine, ranks):
        places = [rank.put(floats(1, 1)) for rank in ranks]
        captured(ranks[0], places[0], 1, group=True)
        for rank, place in zip(ranks, places, strict=True):
            queued(rank.all_reduce(place, 2))
        assert ranks[1].get(places[1], 2, np.float32).tolist() == [2, 2]
        models = [
            captured(rank, place, 1, 2, group=rank.number == 0) for rank, place in zip(ranks, places, strict=True)
        ]
        assert executed(ranks, models) == [0, 0]
        assert ranks[0].get(places[0], 2, np.float32).tolist() == [8, 4]
        assert not ids(machine, "error")


@pytest.mark.fidelity("a mistake of ranks in an execution of a graph")
def test_a_mistake_in_an_execution_fails_the_streams_and_not_the_call() -> None:
    """aclmdlRIExecuteAsync has no result of HCCL. The operation before the mistake takes place on both ranks."""
    with world(2, on_undefined="report") as (machine, ranks):
        places = [rank.put(floats(1, 1)) for rank in ranks]
        models = [captured(rank, place, 2, 2 - rank.number) for rank, place in zip(ranks, places, strict=True)]
        assert executed(ranks, models) == [ACL_ERROR_RT_FFTS_PLUS_TIMEOUT] * 2
        assert [machine.read(place, 2, np.float32).tolist() for place in places] == [[2, 2]] * 2
        assert ids(machine, "error") == ["collective-mismatch"]


def test_a_finding_that_an_execution_raises_takes_its_operations_back() -> None:
    with world(2) as (machine, ranks):
        places = [rank.put(floats(1, 1)) for rank in ranks]
        models = [captured(rank, place, 2, 2 - rank.number) for rank, place in zip(ranks, places, strict=True)]
        aclrtSetDevice(0)
        assert aclmdlRIExecuteAsync(models[0], ranks[0].stream) == ACL_SUCCESS
        aclrtSetDevice(1)
        assert finding_of(lambda: aclmdlRIExecuteAsync(models[1], ranks[1].stream))[0] == "collective-mismatch"
        queued(ranks[1].all_reduce(places[1], 2))
        assert aclrtSynchronizeStream(ranks[1].stream) == ACL_ERROR_RT_FFTS_PLUS_TIMEOUT
        assert ids(machine, "error") == ["collective-mismatch"]


def test_an_execution_after_the_communicator_was_destroyed_is_found() -> None:
    with world(2, on_undefined="report") as (machine, ranks):
        places = [rank.put(floats(1, 1)) for rank in ranks]
        models = [captured(rank, place) for rank, place in zip(ranks, places, strict=True)]
        for rank in ranks:
            queued(HcclCommDestroy(rank.comm))
        assert executed(ranks, models) == [ACL_ERROR_RT_FFTS_PLUS_TIMEOUT] * 2
        assert machine.read(places[0], 2, np.float32).tolist() == [1, 1]
        assert set(ids(machine, "error")) == {"dead-handle"}


@pytest.mark.fidelity("communicators in a capture")
@pytest.mark.parametrize("mode", ["global", "relaxed"])
def test_a_communicator_that_is_made_or_first_used_in_a_capture_is_reported(mode: str) -> None:
    """ "Report a first collective inside a capture"; the mode RELAXED allows what acts at once."""
    with world(2) as (machine, ranks):
        aclrtSetDevice(0)
        kind = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL if mode == "global" else ACL_MODEL_RI_CAPTURE_MODE_RELAXED
        model, comm = aclmdlRI(), HcclComm()
        assert aclmdlRICaptureBegin(ranks[0].stream, kind) == ACL_SUCCESS
        root = new_root()
        queued(HcclCommInitRootInfo(1, byref(root), 0, byref(comm)))
        assert ids(machine, "warning").count("comm-in-capture") == (mode == "global")
        config, first, part = config_of(hcclCommName=b"part"), (c_uint32 * 1)(0), HcclComm()
        queued(HcclCreateSubCommConfig(byref(ranks[0].comm), 1, first, 1, 0, byref(config), byref(part)))
        assert ids(machine, "warning").count("comm-in-capture") == 2 * (mode == "global")
        for _ in range(2):
            queued(HcclBarrier(ranks[0].comm, ranks[0].stream))
        assert ids(machine, "warning").count("comm-in-capture") == 1 + 2 * (mode == "global")
        assert aclmdlRICaptureEnd(ranks[0].stream, byref(model)) == ACL_SUCCESS


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_an_execution_that_raises_has_met_nobody(schedule: str) -> None:
    """A task beside the operation races. The operation of the next execution meets that of the other rank."""
    with world(2, schedule, on_undefined="raise") as (machine, ranks):
        places = [rank.put(floats(1, rank.number)) for rank in ranks]
        first, second = ranks
        racy, model = first.put(floats(1, 1)), aclmdlRI()
        aclrtSetDevice(first.number)
        beside, other = create_stream(), create_stream()
        assert aclmdlRICaptureBegin(first.stream, 0) == ACL_SUCCESS
        lead(first.stream, beside)
        queued(first.all_reduce(places[0], 2))
        assert aclrtMemsetAsync(racy, 8, 0, 8, beside) == ACL_SUCCESS
        lead(beside, first.stream)
        assert aclmdlRICaptureEnd(first.stream, byref(model)) == ACL_SUCCESS
        assert aclrtMemsetAsync(racy, 8, 0, 8, other) == ACL_SUCCESS
        assert finding_of(lambda: aclmdlRIExecuteAsync(model, first.stream))[0] == "xstream-race"
        assert aclrtSynchronizeStream(other) == ACL_SUCCESS
        assert aclmdlRIExecuteAsync(model, first.stream) == ACL_SUCCESS
        aclrtSetDevice(second.number)
        queued(second.all_reduce(places[1], 2))
        for rank, place in zip(ranks, places, strict=True):
            assert rank.get(place, 2, np.float32).tolist() == [2, 1]
        assert [finding.id for finding in machine.findings if finding.level == "error"] == ["xstream-race"]
