"""Refusals of dispatch and combine that need a name of a group, or two arguments."""

from __future__ import annotations

from typing import Any

import pytest

from acl_runtime import *
from tests.aclnn.ops.case import A3, A950, board
from tests.aclnn.ops.collective.good_calls import GOOD, TOKENS
from tests.helpers.builders import plan
from tests.helpers.refusals import made

DISPATCHES = [f"aclnnMoeDistributeDispatch{version}" for version in ("", "V2", "V3", "V4")]
COMBINES = [f"aclnnMoeDistributeCombine{version}" for version in ("", "V2", "V3", "V4")]
ROUTED = ("AlltoAllvGroupedMatMul", "GroupedMatMulAlltoAllv")
NO_KERNEL = ACLNN_ERR_INNER_NULLPTR
N, P, T = ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_INNER_TILING_ERROR


def status(name: str, **changes: Any) -> int:
    """The answer of the first phase to the good call with these changes."""
    import aclnn

    first = getattr(aclnn, f"{name}GetWorkspaceSize")
    call = {param.printed: None for param in first.op.params} | GOOD[name] | changes
    return plan(first, *map(made, call.values())).status


@pytest.mark.fidelity("aclnnMoeDistributeDispatch (V1 to V4)")
def test_names_of_groups() -> None:
    with board(on_undefined="report"):
        for name in (*DISPATCHES, *COMBINES):
            assert status(name) == ACL_SUCCESS
            assert status(name, groupEp=None) == status(name, groupEp="") == N
            assert status(name, groupEp=128 * "g") == (N if name in DISPATCHES else P)
            assert status(name, groupEp=127 * "g") == status(name, epWorldSize=2) == T
        for name in ("aclnnMoeDistributeDispatch", "aclnnMoeDistributeCombine"):
            assert status(name, groupTp="one_rank") == 100000
            assert status(f"{name}V2", groupTp="one_rank", tpWorldSize=1) == ACL_SUCCESS


def test_special_experts_need_their_tensors() -> None:
    with board(on_undefined="report"):
        for name in COMBINES[2:]:
            assert status(name, copyExpertNum=1) == T
            assert status(name, copyExpertNum=1, oriXOptional=TOKENS) == ACL_SUCCESS
            assert status(name, constExpertNum=1, oriXOptional=TOKENS) == T


def test_names_of_groups_of_routed_rows() -> None:
    with board(on_undefined="report"):
        for name in (f"aclnn{each}{version}" for each in ROUTED for version in ("", "V2")):
            assert status(name) == NO_KERNEL  # Atlas A2 has none
    with board(A3, on_undefined="report"):
        for name in (f"aclnn{each}{version}" for each in ROUTED for version in ("", "V2")):
            assert status(name) == ACL_SUCCESS
            assert status(name, group="") == N
            assert status(name, group=128 * "g") == P
            assert status(name, group=127 * "g") == status(name, epWorldSize=2) == T


def test_ways_to_quantise_on_950() -> None:
    with board(A950, on_undefined="report"):
        for name in DISPATCHES:
            assert status(name, quantMode=5) == T
