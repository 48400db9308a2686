"""Sleep: the simulated time of its task."""

from __future__ import annotations

from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from tests.aclnn.ops.case import A950
from tests.aclnn.ops.control.good_calls import GOOD
from tests.derived.values import Values
from tests.helpers.builders import plan
from tests.helpers.refusals import Mistake, assert_in_order, made

NULL, TILING = ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_INNER_TILING_ERROR
FIRST: Any = aclnnSleepGetWorkspaceSize


@pytest.mark.parametrize(("cycles", "microseconds"), [(1650, 1), (1_650_000_000, 1e6)])
def test_a_task_takes_its_cycles(cycles: int, microseconds: float) -> None:
    with Machine(soc=A950) as machine:
        aclrtSetDevice(0)
        for _ in range(2):
            before = machine.clock.now
            planned = plan(FIRST, made(Values((cycles,))))
            assert (planned.status, planned.workspace_size) == (ACL_SUCCESS, 0)
            assert aclnnSleep(None, 0, planned.executor, None) == ACL_SUCCESS
            assert aclrtSynchronizeStream(None) == ACL_SUCCESS
            assert machine.clock.now - before == pytest.approx(1 + microseconds, rel=1e-6)


def test_a_wait_with_a_limit_ends_before_the_task() -> None:
    with Machine(soc=A950):
        aclrtSetDevice(0)
        planned = plan(FIRST, made(Values((165_000_000,))))
        assert aclnnSleep(None, 0, planned.executor, None) == ACL_SUCCESS
        assert aclrtSynchronizeStreamWithTimeout(None, 50) == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT
        assert aclrtSynchronizeStreamWithTimeout(None, 60) == ACL_SUCCESS


def test_a_task_beyond_the_time_out_of_operators_fails() -> None:
    with Machine(soc=A950):
        aclrtSetDevice(0)
        planned = plan(FIRST, made(Values((10**15,))))
        assert aclnnSleep(None, 0, planned.executor, None) == ACL_SUCCESS
        assert aclrtSynchronizeStream(None) == ACL_ERROR_RT_AICORE_TIMEOUT


MISTAKES = [
    Mistake("null", NULL, "cycles", cycles=None),
    Mistake("none", TILING, "cycles", cycles=Values(())),
    Mistake("two", TILING, "cycles", cycles=Values((1, 2))),
    Mistake("no time", TILING, "cycles", cycles=Values((0,))),
    Mistake("less than no time", TILING, "cycles", cycles=Values((-1,))),
]


def test_mistakes_are_refused() -> None:
    assert_in_order(FIRST, GOOD["aclnnSleep"], MISTAKES, A950)
