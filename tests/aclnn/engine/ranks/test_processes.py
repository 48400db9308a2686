"""Operators that meet ranks of other processes."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.collective.test_experts import IDS, single
from tests.helpers.outcomes import ok
from tests.helpers.processes import processes
from tests.helpers.rank_operators import RankCall
from tests.helpers.ranks import Rank, queued

HALF = np.float16
K, ROWS = 256, 64


def gathered(rank: Rank) -> Any:
    """More than 16 KiB from each rank."""
    x1 = np.full((ROWS, K), rank.number + 1, HALF)
    values = {"x1": x1, "x2": np.full((K, 2), 1 / K, HALF), "output": np.zeros((2 * ROWS, 2), HALF)}
    call = RankCall(rank, "aclnnAllGatherMatmul", values | {"gatherOut": np.zeros(0, HALF)})
    for _ in range(2):
        ok(aclSetAclOpExecutorRepeatable(call.planned.executor))
        ok(call.launch())
    return call.results()["output"]


def sent(rank: Rank) -> Any:
    call = RankCall(rank, "aclnnMoeDistributeDispatch", single(IDS[0])[rank.number])
    ok(call.launch())
    return call.results()["expandX"][:, 0]


def test_results_of_two_processes() -> None:
    with processes(2) as made:
        whole = np.repeat([[1.0, 1.0], [2.0, 2.0]], ROWS, 0)
        for result in made.each(gathered):
            assert np.array_equal(result, whole)
        first, second = made.each(sent)
        assert (first[:3].tolist(), second[:5].tolist()) == ([10, 30, 20], [10, 30, 40, 20, 40])
        assert not made.found(0) + made.found(1)


def test_ranks_of_two_processes_that_differ() -> None:
    with processes(2, on_undefined="report") as made:

        def body(rank: Rank) -> int:
            name = ("aclnnMatmulAllReduce", "aclnnMatmulReduceScatter")[rank.number]
            output = np.zeros((2 - rank.number, 2), HALF)
            call = RankCall(rank, name, {"x1": np.ones((2, K), HALF), "x2": np.ones((K, 2), HALF), "output": output})
            ok(call.launch())
            return aclrtSynchronizeStream(rank.stream)

        assert made.each(body) == [ACL_ERROR_RT_FFTS_PLUS_TIMEOUT] * 2
        assert "collective-mismatch" in made.found(0) + made.found(1)


def test_a_rank_of_another_process_that_leaves() -> None:
    with processes(2, on_undefined="report") as made:

        def body(rank: Rank) -> int:
            if rank.number == 1:
                queued(HcclCommDestroy(rank.comm))
                return ACL_SUCCESS
            call = RankCall(rank, "aclnnMoeDistributeDispatch", single(IDS[0])[0])
            ok(call.launch())
            return aclrtSynchronizeStream(rank.stream)

        assert made.each(body) == [ACL_ERROR_RT_FFTS_PLUS_TIMEOUT, ACL_SUCCESS]
        assert made.found(0) == ["collective-absent"]
