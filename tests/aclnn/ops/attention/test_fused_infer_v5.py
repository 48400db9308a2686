"""FusedInferAttentionScoreV5, and the sink of V4 and V5."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import aclnn
from acl_runtime import *
from acl_runtime import Machine
from aclnn.testing import run
from tests.aclnn.ops.attention.good_calls import FUSED_V4, FUSED_V5, without
from tests.aclnn.ops.case import A2, A950, Meta, board
from tests.derived.good import subject
from tests.derived.launching import planned
from tests.derived.values import Values

HALF, TILING = ACL_FLOAT16, ACLNN_ERR_INNER_TILING_ERROR
SINK = np.array([0.25], np.float16)


def figures(name: str, size: int, **changes: Any) -> tuple[np.ndarray, np.ndarray]:
    """attentionOut and softmaxLse of two rows and two keys, whose vectors have zeros behind the second element."""
    q, k, v = (np.zeros((1, 1, 2, size), np.float16) for _ in range(3))
    q[0, 0, :, :2], k[0, 0, :, :2], v[0, 0, :, :2] = [[1, 0], [0, 2]], [[1, 1], [2, 0]], np.eye(2)
    given = {
        "query": q, "key": [k], "value": [v], "learnableSinkOptional": SINK, "numHeads": 1, "scaleValue": 0.5,
        "preTokens": 9, "nextTokens": 9, "inputLayout": "BNSD", "numKeyValueHeads": 1, "sparseMode": 0,
        "innerPrecise": 0, "blockSize": 0, "antiquantMode": 0, "softmaxLseFlag": True, "keyAntiquantMode": 0,
        "valueAntiquantMode": 0, "queryQuantMode": 0, "pseType": 0, "attentionOut": q,
        "softmaxLse": np.empty((1, 1, 2, 1), np.float32), **changes,
    }  # fmt: skip
    with Machine(A950 if name == FUSED_V5 else A2):
        out, lse = run(getattr(aclnn, name), *(given.get(each) for each in subject(name).good))
    return out[0, 0, :, :2], lse[0, 0, :, 0]


@pytest.mark.fidelity("a learnable sink of aclnnFusedInferAttentionScoreV4 and V5")
@pytest.mark.parametrize(("name", "size"), [(FUSED_V4, 16), (FUSED_V5, 64)])
def test_the_figures_of_a_sink(name: str, size: int) -> None:
    """The sums are 2.078897 and 1.840246, the largest score is 1."""
    out, lse = figures(name, size)
    assert np.allclose(out, [[0.291756, 0.481024], [0.543406, 0.199908]], atol=4e-4)
    assert np.allclose(lse, np.log([2.078897, 1.840246]) + 1, atol=1e-6)


@pytest.mark.fidelity("a learnable sink of aclnnFusedInferAttentionScoreV4 and V5")
def test_a_row_that_sees_only_the_sink() -> None:
    out, lse = figures(FUSED_V5, 64, attenMaskOptional=np.ones((2, 2), np.bool_))
    assert not out.any()
    assert (lse == 0.25).all()


def status(**changes: Any) -> int:
    this = subject(FUSED_V5)
    with board(A950):
        return planned(this, this.changed(changes)).status


PLAIN = {"queryRopeOptional": None, "keyRopeOptional": None, "pseShiftOptional": None, "innerPrecise": 0}
SUNK = {
    **PLAIN, "query": Meta((2, 3, 4, 64), HALF), "key": (Meta((2, 4, 2, 64), HALF),),
    "value": (Meta((2, 4, 2, 64), HALF),), "attentionOut": Meta((2, 3, 4, 64), HALF),
    "learnableSinkOptional": Meta((4,), HALF),
}  # fmt: skip
REFUSED: list[dict[str, Any]] = [
    {"learnableSinkOptional": Meta((3,), HALF)}, {"learnableSinkOptional": Meta((4,), ACL_BF16)}, {"innerPrecise": 2},
    {"pseShiftOptional": Meta((2, 4, 3, 4), HALF)}, {"kvPaddingSizeOptional": Meta((1,), ACL_INT64)},
    {"pseType": 2}, {"antiquantMode": 1},
    {"antiquantScaleOptional": Meta((2, 2, 1, 64), HALF)},
]  # fmt: skip


@pytest.mark.parametrize("changes", REFUSED, ids=str)
def test_what_a_sink_and_the_fifth_version_refuse(changes: dict[str, Any]) -> None:
    assert status(**SUNK) == ACL_SUCCESS
    assert status(**{**SUNK, **changes}) == TILING


def test_other_sizes_have_no_sink() -> None:
    assert status(**PLAIN, learnableSinkOptional=Meta((4,), HALF)) == TILING, "16 elements"


def test_the_fifth_version_has_no_limit_of_heads_for_a_key() -> None:
    query, key = Meta((2, 3, 128, 16), HALF), (Meta((2, 4, 1, 16), HALF),)
    call = {**PLAIN, "query": query, "key": key, "value": key, "attentionOut": query, "numHeads": 128,
            "numKeyValueHeads": 1, "softmaxLse": Meta((2, 128, 3, 1))}  # fmt: skip
    assert status(**call) == ACL_SUCCESS
    this = subject(FUSED_V4)
    with board(A2):
        assert planned(this, this.changed(call)).status == TILING


def test_the_call_of_torch_npu() -> None:
    """Start indices of one 0, pseType 0, no logarithm, lengths as null."""
    call = without(SUNK, "learnableSinkOptional") | {
        "softmaxLseFlag": False, "softmaxLse": Meta((0,)), "attenMaskOptional": None, "actualSeqLengthsOptional": None,
        "actualSeqLengthsKvOptional": None, "qStartIdxOptional": Values((0,)), "kvStartIdxOptional": Values((0,)),
    }  # fmt: skip
    assert status(**call) == ACL_SUCCESS
