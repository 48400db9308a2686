"""Rows that go to the ranks of their experts, and come back: grouped products, and the combination with its norm."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime.headers.dtypes import numpy_dtype
from tests.aclnn.ops.collective.test_experts import IDS, SCALES, Mixture, X, filled
from tests.helpers.outcomes import finding_of, ok
from tests.helpers.rank_operators import RankCall, on_ranks
from tests.helpers.ranks import world

HALF, F32 = np.float16, np.float32
A3 = "Ascend910_9391"
SENT = [(1, 2, 0, 1), (1, 0, 2, 1)]
RECEIVED = [(1, 2, 1, 0), (0, 1, 2, 1)]
ROWS = [np.array([[1], [10], [11], [110]], HALF), np.array([[1000], [1100], [1101], [1110]], HALF)]
"""the number of a row: source, destination, expert, number"""
PERMUTED = [[1, 1000, 10, 11], [1100, 1101, 110, 1110]]


def call(rank: int, version: str, **more: Any) -> dict[str, Any]:
    mode = {"commMode": "ai_cpu"} if version else {}
    return {"epWorldSize": 2, "sendCounts": SENT[rank], "recvCounts": RECEIVED[rank], **mode, **more}


@pytest.mark.parametrize("version", ["", "V2"])
def test_rows_to_the_experts_and_back(version: str) -> None:
    """The worked example; expert e of rank r multiplies by 1 + e + r / 2."""
    weights = [np.array([[[1 + rank / 2]], [[2 + rank / 2]]], HALF) for rank in range(2)]
    shared = {"mmXOptional": np.ones((3, 2), HALF), "mmWeightOptional": np.full((2, 2), 2, HALF)}
    with world(2, soc=A3) as (_, ranks):
        there = on_ranks(ranks, f"aclnnAlltoAllvGroupedMatMul{version}", [
            call(rank, version, gmmX=ROWS[rank], gmmWeight=weights[rank], gmmY=np.zeros((4, 1), HALF),
                 permuteOutFlag=True, permuteOutOptional=np.zeros((4, 1), HALF), mmYOptional=np.zeros((3, 2), HALF),
                 **shared) for rank in range(2)
        ])  # fmt: skip
        back = on_ranks(ranks, f"aclnnGroupedMatMulAlltoAllv{version}", [
            call(rank, version, gmmX=there[rank]["permuteOutOptional"], gmmWeight=weights[rank],
                 y=np.zeros((4, 1), HALF)) | {"sendCounts": RECEIVED[rank], "recvCounts": SENT[rank]}
            for rank in range(2)
        ])  # fmt: skip
    assert [own["permuteOutOptional"].ravel().tolist() for own in there] == PERMUTED
    factors = [[1, 1, 2, 2], [1.5, 1.5, 2.5, 2.5]]
    for rank, own in enumerate(there):
        assert own["gmmY"].ravel().tolist() == [
            float(HALF(v * f)) for v, f in zip(PERMUTED[rank], factors[rank], strict=True)
        ]
        assert own["mmYOptional"].tolist() == [[4, 4]] * 3
    by_row = [[1, 2, 2, 2.5], [1, 1.5, 1.5, 2.5]]
    for rank, own in enumerate(back):
        rows = ROWS[rank].ravel()
        assert own["y"].ravel().tolist() == [float(HALF(v * f)) for v, f in zip(rows, by_row[rank], strict=True)]


def test_counts_that_differ() -> None:
    weight, y = np.ones((2, 1, 1), HALF), np.zeros((4, 1), HALF)
    with world(2, soc=A3) as (_, ranks):
        name = "aclnnAlltoAllvGroupedMatMul"
        first = RankCall(ranks[0], name, call(0, "", gmmX=ROWS[0], gmmWeight=weight, gmmY=y))
        wrong = {"recvCounts": (1, 1, 1, 1)}
        second = RankCall(ranks[1], name, call(1, "", gmmX=ROWS[1], gmmWeight=weight, gmmY=y) | wrong)
        ok(first.launch())
        id, text = finding_of(second.launch)
        assert (id, "from rank 0 to rank 1 (1 sent, 2 awaited)" in text) == ("collective-mismatch", True)


@pytest.mark.parametrize("version", ["", "V2"])
def test_the_norm_of_combined_rows(version: str) -> None:
    bf16 = numpy_dtype(ACL_BF16)
    x = [each.astype(bf16) for each in X]
    mixture = Mixture("V2", x, IDS, SCALES, 4)
    residual, gamma = np.full((2, 1, 32), 1, bf16), np.full(32, 2, bf16)
    with world(2, soc=A3) as (_, ranks):
        sent = mixture.dispatched(ranks, kind=bf16)
        calls = [
            {"expandX": rows, "expertIds": IDS[rank], "assistInfoForCombine": sent[rank]["assistInfoForCombine"],
             "epSendCounts": sent[rank]["epRecvCounts"], "expertScales": SCALES[rank], "residualX": residual,
             "gamma": gamma, "epWorldSize": 2, "epRankId": rank, "moeExpertNum": 4, "normEps": 0.5, "groupTp": "",
             "commAlg": "", "yOut": filled(2, 1, 32, dtype=bf16), "rstdOut": filled(2, 1, 1, dtype=F32),
             "xOut": filled(2, 1, 32, dtype=bf16)}
            for rank, rows in enumerate(mixture.experts(sent, lambda expert, rows: rows * bf16.type(expert + 1)))
        ]  # fmt: skip
        found = on_ranks(ranks, f"aclnnMoeDistributeCombineAddRmsNorm{version}", calls)
    for own, values in zip(found, ([13.5, 161], [76, 671]), strict=True):
        wide = np.array(values, F32)
        assert own["xOut"][:, 0, 0].astype(F32).tolist() == wide.astype(bf16).astype(F32).tolist()
        assert np.allclose(own["rstdOut"].ravel(), 1 / np.sqrt(wide * wide + 0.5))
        assert np.allclose(own["yOut"][:, 0, 5].astype(F32), 2, atol=0.02)
