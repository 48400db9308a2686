"""Parts of attention that are combined: figures by hand, and what the search does not reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.errors import UndefinedBehaviour
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.attention.good_calls import GOOD
from tests.aclnn.ops.case import A2, A950, Meta
from tests.helpers.refusals import Mistake, answer, assert_refused

F32, I64 = np.float32, np.int64
UPDATE, RING = aclnnAttentionUpdateGetWorkspaceSize, aclnnRingAttentionUpdateGetWorkspaceSize
PARTS, RINGS = GOOD["aclnnAttentionUpdate"], GOOD["aclnnRingAttentionUpdate"]
INVALID, NULL, KERNEL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_INNER_NULLPTR


def test_a_weighted_sum_of_two_parts() -> None:
    lse = [np.array([0], F32), np.array([np.log(3)], F32)]
    parts = [np.full((1, 8), each, F32) for each in (1, 5)]
    with Machine():
        out, total = run(aclnnAttentionUpdate, lse, parts, 1, np.empty((1, 8), F32), np.empty(1, F32))
    assert out[0] == pytest.approx([4] * 8, rel=1e-6)
    assert total[0] == pytest.approx(1.386294, rel=1e-6)


@pytest.mark.parametrize("mistake", [
    Mistake("an lse too many", INVALID, "updateType", updateType=0),
    Mistake("an lse too few", INVALID, "updateType", lseOut=None),
    Mistake("before null pointers", INVALID, "updateType", updateType=0, lse=None),
    Mistake("two types", KERNEL, "localOut", localOut=(Meta((3, 8), ACL_FLOAT16), Meta((3, 8)))),
    Mistake("two shapes", INVALID, "lse", lse=(Meta((3,)), Meta((4,)))),
    Mistake("a short row", INVALID, "localOut", localOut=(Meta((3, 12)),) * 2),
    Mistake("other rows", INVALID, "lse", lse=(Meta((4,)),) * 2),
], ids=str)  # fmt: skip
def test_an_update_is_refused(mistake: Mistake) -> None:
    assert_refused(UPDATE, PARTS, mistake, A2)


def test_parts_of_950() -> None:
    many = {"lse": (Meta((3,)),) * 17, "localOut": (Meta((3, 8), ACL_FLOAT16),) * 17}
    assert answer(UPDATE, PARTS, many, A2).status == ACL_SUCCESS
    assert answer(UPDATE, PARTS, many, A950).status == INVALID


def of_two(layout: str, attention: Any, softmax: Any, ends: Any = None) -> list[Any]:
    """maxima 1 and 2, sums 2 and 4, attention 10 and 20"""
    values = [np.full(softmax, each, F32) for each in (1, 2, 2, 4)]
    before, after = (np.full(attention, each, F32) for each in (10, 20))
    outs = np.empty(attention, F32), np.empty(softmax, F32), np.empty(softmax, F32)
    with Machine():
        return run(aclnnRingAttentionUpdate, before, values[0], values[1], after, values[2], values[3], ends, layout,
                   *outs)  # fmt: skip


@pytest.mark.parametrize(("layout", "attention", "softmax", "ends"), [
    ("SBH", (3, 2, 8), (2, 4, 3, 8), None), ("TND", (3, 2, 64), (3, 2, 8), np.array([0, 1, 3])),
])  # fmt: skip
def test_a_ring_of_two(layout: str, attention: Any, softmax: Any, ends: Any) -> None:
    out, largest, total = of_two(layout, attention, softmax, ends)
    assert out == pytest.approx(np.full(attention, 18.446376), rel=1e-6)
    assert largest == pytest.approx(np.full(softmax, 2))
    assert total == pytest.approx(np.full(softmax, 4.735759), rel=1e-6)


def test_an_end_behind_the_tokens() -> None:
    with pytest.raises(UndefinedBehaviour, match="index-range"):
        of_two("TND", (3, 2, 64), (3, 2, 8), np.array([0, 4]))


@pytest.mark.fidelity("aclnnMoeReRouting, aclnnRingAttentionUpdate: tokens that the counts or the ends leave out")
def test_tokens_behind_the_last_end() -> None:
    out, *_ = of_two("TND", (3, 1, 64), (3, 1, 8), np.array([0, 2]))
    assert out[:, 0, 0] == pytest.approx([18.446376, 18.446376, 0], rel=1e-6)


ROWS = Meta((3, 2, 8))
PACKED = {"inputLayoutOptional": "TND", "actualSeqQlenOptional": Meta((2,), ACL_INT64), **dict.fromkeys(
    ("prevAttnOut", "curAttnOut", "attnOutOut"), Meta((3, 2, 64), ACL_FLOAT16)), **dict.fromkeys(
    ("prevSoftmaxMax", "prevSoftmaxSum", "curSoftmaxMax", "curSoftmaxSum", "softmaxMaxOut", "softmaxSumOut"),
    ROWS)}  # fmt: skip


@pytest.mark.parametrize("mistake", [
    Mistake("no float", INVALID, "prevSoftmaxMax", **dict.fromkeys(
        [name for name in RINGS if "oftmax" in name], Meta((2, 2, 3, 8), ACL_FLOAT16))),
    Mistake("one half", NULL, "curSoftmaxMax", curSoftmaxMax=Meta((2, 2, 3, 8), ACL_FLOAT16)),
    Mistake("four copies", INVALID, "prevSoftmaxMax", curSoftmaxSum=Meta((2, 2, 3, 4))),
    Mistake("a short head", INVALID, "prevAttnOut", **PACKED | dict.fromkeys(
        ("prevAttnOut", "curAttnOut", "attnOutOut"), Meta((3, 2, 8)))),
    Mistake("no ends", NULL, "inputLayoutOptional", **PACKED | {"actualSeqQlenOptional": None}),
    Mistake("heads", NULL, "prevSoftmaxMax", prevSoftmaxMax=Meta((2, 3, 3, 8))),
    Mistake("two rows of ends", NULL, "actualSeqQlenOptional", **PACKED | {
        "actualSeqQlenOptional": Meta((1, 2), ACL_INT64)}),
    Mistake("in blocks", INVALID, "prevAttnOut", curAttnOut=Meta((3, 2, 8), ACL_FLOAT16, ACL_FORMAT_FRACTAL_NZ)),
], ids=str)  # fmt: skip
def test_a_ring_is_refused(mistake: Mistake) -> None:
    assert_refused(RING, RINGS, mistake, A2)
