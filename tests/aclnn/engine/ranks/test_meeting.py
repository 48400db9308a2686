"""Operators that meet other ranks: findings about ranks, captured graphs, memory in use."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from tests.helpers.builders import on_device
from tests.helpers.outcomes import finding_of, ok
from tests.helpers.rank_operators import RankCall
from tests.helpers.ranks import Rank, floats, ids, in_threads, queued, world

HALF = np.float16
EACH = pytest.mark.parametrize("schedule", ["late", "threads"])
FAILED = ACL_ERROR_RT_FFTS_PLUS_TIMEOUT


def summed(rank: Rank, m: int = 1, **more: Any) -> RankCall:
    """The call of a rank whose product is 256 * (rank + 1)."""
    x1 = np.full((m, 256), rank.number + 1, HALF)
    values = {"x1": x1, "x2": np.ones((256, 2), HALF), "output": np.zeros((m, 2), HALF), **more}
    return RankCall(rank, "aclnnMatmulAllReduce", values)


def gathered(rank: Rank) -> RankCall:
    x1, x2 = np.ones((1, 256), HALF), np.ones((256, 2), HALF)
    outputs = {"output": np.zeros((2, 2), HALF), "gatherOut": np.zeros(0, HALF)}
    return RankCall(rank, "aclnnAllGatherMatmul", {"x1": x1, "x2": x2, **outputs})


def synchronised(rank: Rank) -> int:
    aclrtSetDevice(rank.number)
    return aclrtSynchronizeStream(rank.stream)


DIFFERENT: dict[str, Callable[[Rank], RankCall]] = {
    "the operation": gathered,
    "the values of product": lambda rank: summed(rank, 2),
}


@pytest.mark.fidelity("operators that meet other ranks: mistakes of the ranks")
@EACH
@pytest.mark.parametrize("what", DIFFERENT)
def test_ranks_that_differ(what: str, schedule: str) -> None:
    with world(2, schedule, on_undefined="report") as (machine, ranks):
        ok(summed(ranks[0]).launch())
        ok(DIFFERENT[what](ranks[1]).launch())
        assert [synchronised(rank) for rank in ranks] == [FAILED, FAILED]
        (finding,) = [each for each in machine.findings if each.level == "error"]
        assert finding.id == "collective-mismatch"
        assert what in finding.what
        assert "rank 0 calls aclnnMatmulAllReduce with product [1, 2]" in finding.what


def test_ranks_that_differ_end_the_launch_that_comes_second() -> None:
    with world(2) as (machine, ranks):
        first, second = summed(ranks[0]), gathered(ranks[1])
        ok(first.launch())
        id, text = finding_of(second.launch)
        assert (id, "aclnnAllGatherMatmul" in text) == ("collective-mismatch", True)
        assert synchronised(ranks[0]) == FAILED
        assert ids(machine, "error") == ["collective-mismatch"]


@EACH
def test_a_rank_that_never_comes(schedule: str) -> None:
    with world(2, schedule, on_undefined="report") as (machine, ranks):
        ok(summed(ranks[0]).launch())
        assert synchronised(ranks[0]) == FAILED
        assert ids(machine, "error") == ["collective-absent"]


@EACH
def test_operators_and_collectives_share_the_order_of_their_communicator(schedule: str) -> None:
    with world(2, schedule) as (_, ranks):
        calls, places = [summed(rank) for rank in ranks], [rank.put(floats(rank.number + 1)) for rank in ranks]
        for call, place, rank in zip(calls, places, ranks, strict=True):
            queued(rank.all_reduce(place, 1))
            ok(call.launch())
            queued(rank.all_reduce(place, 1))
        assert [call.results()["output"].tolist() for call in calls] == [[[768, 768]]] * 2
        assert [rank.get(place, 1, np.float32)[0] for rank, place in zip(ranks, places, strict=True)] == [6, 6]


def test_each_rank_in_a_thread() -> None:
    with world(2, "threads") as (_, ranks):
        results: dict[int, Any] = {}

        def body(rank: Rank) -> None:
            for _ in range(3):
                call = summed(rank)
                ok(call.launch())
                results[rank.number] = call.results()["output"].tolist()

        assert in_threads(*(lambda rank=rank: body(rank) for rank in ranks)) == [None, None]
        assert results == {0: [[768, 768]], 1: [[768, 768]]}


@pytest.mark.fidelity("operators that meet other ranks: what is accepted")
@EACH
def test_a_captured_operator_meets_at_each_execution(schedule: str) -> None:
    """And it reads the data of each execution: the program doubles x1 in between."""
    with world(2, schedule) as (machine, ranks):
        calls = [summed(rank) for rank in ranks]
        models = [captured(call) for call in calls]
        for factor in (1, 2, 4):
            for call, model in zip(calls, models, strict=True):
                aclrtSetDevice(call.rank.number)
                written(call, "x1", np.full((1, 256), factor * (call.rank.number + 1), HALF))
                ok(aclmdlRIExecuteAsync(model, call.rank.stream))
            assert [call.results()["output"].tolist() for call in calls] == [[[768 * factor] * 2]] * 2
        for call, model in zip(calls, models, strict=True):
            aclrtSetDevice(call.rank.number)
            ok(aclmdlRIDestroy(model))
        assert not ids(machine, "error")


def captured(call: RankCall) -> aclmdlRI:
    aclrtSetDevice(call.rank.number)
    model = aclmdlRI()
    ok(aclmdlRICaptureBegin(call.rank.stream, 0))
    ok(call.launch())
    ok(aclmdlRICaptureEnd(call.rank.stream, byref(model)))
    return model


def written(call: RankCall, name: str, values: Any) -> None:
    ok(aclrtMemcpy(call.tensors[name].address, values.nbytes, values, values.nbytes, ACL_MEMCPY_HOST_TO_DEVICE))


def test_memory_in_use() -> None:
    """A rank overwrites an input before its stream has passed the operator."""
    with world(2) as (machine, ranks):
        calls = [summed(rank) for rank in ranks]
        for call in calls:
            ok(call.launch())
        aclrtSetDevice(0)
        id, text = finding_of(lambda: written(calls[0], "x1", np.ones((1, 256), HALF)))
        assert "aclnnMatmulAllReduce" in text, id
        assert [call.results()["output"].tolist() for call in calls] == [[[768, 768]]] * 2
        assert id in ids(machine)


def test_two_streams() -> None:
    with world(2) as (machine, ranks):
        calls = [(summed(rank), summed(rank)) for rank in ranks]
        other = aclrtStream()
        aclrtSetDevice(0)
        ok(aclrtCreateStream(byref(other)))
        ok(calls[0][0].launch())
        ranks[0].stream, own = other, ranks[0].stream
        ok(calls[0][1].launch())
        ranks[0].stream = own
        assert ids(machine, "warning") == ["comm-two-streams"]
        for call in calls[1]:
            ok(call.launch())
        assert synchronised(ranks[1]) == ACL_SUCCESS
        aclrtSetDevice(0)
        ok(aclrtSynchronizeStream(other))
        assert synchronised(ranks[0]) == ACL_SUCCESS


@pytest.mark.fidelity("operators that meet other ranks: mistakes of the ranks")
def test_a_communicator_that_is_destroyed_between_the_phases() -> None:
    with world(1) as (_, ranks):
        call = summed(ranks[0])
        queued(HcclCommDestroy(ranks[0].comm))
        id, text = finding_of(call.launch)
        assert (id, "aclnnMatmulAllReduce" in text) == ("dead-handle", True)
    with world(1) as (_, ranks):  # and in a machine with the caches of the calls before
        name = summed(ranks[0])
        ok(name.launch())
        name.results()
        queued(HcclCommDestroy(ranks[0].comm))
        gone = RankCall(ranks[0], "aclnnMatmulAllReduce", {
            "x1": np.ones((1, 256), HALF), "x2": np.ones((256, 2), HALF), "output": np.zeros((1, 2), HALF),
            "group": "hccl_gone",
        })  # fmt: skip
        assert gone.planned.status == ACLNN_ERR_INNER_TILING_ERROR


def test_a_name_is_looked_up_on_the_current_device() -> None:
    """Two communicators of a process have the same name: one thread drives both devices."""
    with world(2) as (_, ranks):
        assert summed(ranks[0]).planned.status == summed(ranks[1]).planned.status == ACL_SUCCESS
        aclrtSetDevice(1)
        tensor = on_device(np.ones((1, 256), HALF))
        call = summed(ranks[1], x1=tensor)
        ok(call.launch())
        ok(summed(ranks[0]).launch())
        assert call.results()["output"].tolist() == [[512, 512]]
