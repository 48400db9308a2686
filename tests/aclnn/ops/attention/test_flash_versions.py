"""Later versions of attention with a gradient: sinks, rotary parts, the order of statistics, random dropout."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import aclnn
from acl_runtime import *
from acl_runtime import Machine
from aclnn.testing import run
from tests.aclnn.ops.attention.good_calls import UNPADDING_V3, VAR_LEN_V3
from tests.aclnn.ops.attention.test_largest_workspace import largest
from tests.aclnn.ops.case import A2, A950, Meta, board
from tests.derived.good import subject
from tests.derived.launching import planned
from tests.derived.values import Values

F32 = np.float32
HALF, NULLPTR, INVALID = ACL_FLOAT16, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID
COMMON: dict[str, Any] = {
    "scaleValue": 0.5, "keepProb": 1.0, "preTokens": 9, "nextTokens": 9, "headNum": 1, "inputLayout": "BNSD",
    "innerPrecise": 0, "sparseMode": 0, "pseType": 1, "seed": 5, "offset": 3, "outDtype": 0, "softmaxOutLayout": "",
    "softmaxInLayout": "",
}  # fmt: skip
Q, K, V = (np.array(rows, np.float16)[None, None] for rows in ([[1, 0], [0, 2]], [[1, 1], [2, 0]], [[1, 0], [0, 1]]))
SINK = np.array([0.25], F32)


def called(name: str, **given: Any) -> list[np.ndarray]:
    """The outputs of a call; what is not given is that of COMMON, or null."""
    names = subject(name).good
    with Machine():
        return list(run(getattr(aclnn, name), *({**COMMON, **given}.get(each) for each in names)))


def forward(name: str = "aclnnFlashAttentionScoreV3", **given: Any) -> list[np.ndarray]:
    """softmaxMax, softmaxSum, attentionOut"""
    q = given.setdefault("query", Q)
    rows = np.empty((*q.shape[:3], 8) if q.ndim == 4 else (*q.shape[:2], 8), F32)
    given = {"key": K, "value": V, "softmaxMaxOut": rows, "softmaxSumOut": rows, "attentionOutOut": q, **given}
    return [each for each in called(name, **given) if each is not None]


def status(name: str, soc: str = A2, **changes: Any) -> int:
    this = subject(f"aclnnFlashAttention{name}")
    with board(soc):
        return planned(this, this.changed(changes)).status


def test_the_figures_of_a_sink() -> None:
    """The sink counts in the maximum and in the sum of each row, and has no value."""
    top, total, out = forward(sinkOptional=SINK)
    assert top[0, 0, :, 0].tolist() == [1, 1]
    assert np.allclose(total[0, 0, :, 0], [2.078897, 1.840246], atol=1e-6)
    assert np.allclose(out[0, 0], [[0.291756, 0.481024], [0.543406, 0.199908]], atol=4e-4)


@pytest.mark.parametrize("name", ["ScoreGradV3", "ScoreGradV4"])
def test_the_figures_of_the_gradient_of_a_sink(name: str) -> None:
    top, total, out = forward(sinkOptional=SINK)
    given = {
        "query": Q, "keyIn": K, "value": V, "dy": np.eye(2, dtype=np.float16)[None, None], "softmaxMaxOptional": top,
        "softmaxSumOptional": total, "attentionInOptional": out, "sinkInOptional": SINK, "dqOut": Q, "dkOut": K,
        "dvOut": V, "dsinkOut": SINK,
    }  # fmt: skip
    dq, dk, dv, *_, dsink = called(f"aclnnFlashAttention{name}", **given)
    assert np.allclose(dq[0, 0], [[-0.037024, 0.103317], [0.105629, -0.054316]], atol=4e-4)
    assert np.allclose(dk[0, 0], [[0.103317, -0.108631], [-0.070171, 0.159945]], atol=4e-4)
    assert np.allclose(dv[0, 0], [[0.291756, 0.543406], [0.481024, 0.199908]], atol=4e-4)
    assert np.allclose(dsink, -0.117606, atol=4e-4)


def test_a_row_that_sees_only_the_sink() -> None:
    """max = sink, sum = 1 and a result of 0, without the correction of blind rows (public)."""
    for precise in (0, 2):
        top, total, out = forward(sinkOptional=SINK, attenMaskOptional=np.ones((2, 2), np.bool_), innerPrecise=precise)
        assert (top == 0.25).all()
        assert (total == 1).all()
        assert not out.any()


def test_a_sink_without_elements_is_none() -> None:
    for one, other in zip(forward(sinkOptional=np.empty(0, F32)), forward(), strict=True):
        assert np.array_equal(one, other)


ORDERS = [
    ("VarLenScore", None, A2, False), ("VarLenScoreV2", None, A2, False), ("VarLenScoreV4", "", A2, False),
    ("VarLenScoreV4", None, A2, False), ("VarLenScoreV4", "same_as_input", A2, True),
    ("VarLenScoreV5", "same_as_input", A2, True), ("VarLenScoreV5", "", A2, False),
    ("VarLenScoreV4", "same_as_input", A950, False), ("ScoreV4", "TN8", A950, True), ("ScoreV4", "BNS8", A950, False),
]  # fmt: skip


@pytest.mark.fidelity("the order of softmax statistics of packed attention")
@pytest.mark.parametrize(("name", "order", "soc", "tokens"), ORDERS)
def test_the_order_of_statistics(name: str, order: str | None, soc: str, tokens: bool) -> None:
    """With N = 2 and lengths of 1 and 2 the maxima 10 t + n lie as 0 1 10 11 20 21, or as 0 1, 10 20, 11 21."""
    q = np.zeros((3, 2, 8), F32)
    q[..., 0] = [[0, 1], [10, 11], [20, 21]]
    key = np.zeros((2, 2, 8), F32)
    key[..., 0] = 1
    rows = np.empty((3, 2, 8), F32)
    given = {
        "query": q, "key": key, "value": key, "actualSeqQLenOptional": [1, 3], "actualSeqKvLenOptional": [1, 2],
        "inputLayout": "TND", "headNum": 2, "scaleValue": 1.0, "softmaxOutLayout": order, "softmaxMaxOut": rows,
        "softmaxSumOut": rows, "attentionOutOut": q,
    }  # fmt: skip
    full = f"aclnnFlashAttention{name}"
    with Machine(soc):
        top = run(getattr(aclnn, full), *({**COMMON, **given}.get(each) for each in subject(full).good))[0]
    assert top.ravel()[::8].tolist() == ([0, 1, 10, 11, 20, 21] if tokens else [0, 1, 10, 20, 11, 21])


@pytest.mark.fidelity("random dropout of aclnnFlashAttentionScoreV4")
def test_dropout_without_a_mask_is_that_of_the_generator() -> None:
    """The bits are those that aclnnDropoutGenMaskV2 makes from the seed and the offset."""
    given = {"keepProb": 0.5, "query": np.zeros((1, 1, 16, 2), F32), "key": np.zeros((1, 1, 16, 2), F32),
             "value": np.ones((1, 1, 16, 2), F32)}  # fmt: skip
    with Machine():
        mask = run(aclnn.aclnnDropoutGenMaskV2, [256], 0.5, 5, 3, ACL_FLOAT, np.empty(32, np.uint8))
    random = forward("aclnnFlashAttentionScoreV4", **given)[2]
    assert np.array_equal(random, forward("aclnnFlashAttentionScoreV4", **given, dropMaskOptional=mask)[2])
    assert len(np.unique(random)) > 1


MISTAKES: list[tuple[int, dict[str, Any]]] = [
    (NULLPTR, {"inputLayout": None}),
    (INVALID, {"query": Meta((2, 4, 3, 8), ACL_INT8)}),
    (INVALID, {"sinkOptional": Meta((4,), HALF)}),
    (INVALID, {"attentionOutOut": Meta((2, 4, 3, 8)), "realShiftOptional": None}),
    (INVALID, {"headNum": 0}),
    (NULLPTR, {"sinkOptional": Meta((3,))}),
    (NULLPTR, {"sinkOptional": Meta((4, 1))}),
]


def test_order_of_later_versions() -> None:
    """The first of two mistakes is found (public)."""
    for at, (answer, changes) in enumerate(MISTAKES):
        assert status("ScoreV3", **changes) == answer, changes
        for _, more in MISTAKES[at + 1 :]:
            assert status("ScoreV3", **{**more, **changes}) == answer, (changes, more)
    out = {"attentionOutOut": Meta((2, 4, 3, 8)), "realShiftOptional": None}
    assert status("ScoreV3", A950, **out) == NULLPTR
    assert status("ScoreV4", A950, **out) == NULLPTR


def test_a_float_query_has_no_sink() -> None:
    wide = {name: Meta((2, heads, rows, 8)) for name, heads, rows in
            (("query", 4, 3), ("key", 2, 5), ("value", 2, 5), ("attentionOutOut", 4, 3))}  # fmt: skip
    assert status("ScoreV3", **wide, realShiftOptional=None) == NULLPTR
    assert status("ScoreV3", **wide, realShiftOptional=None, sinkOptional=None) == ACL_SUCCESS


SLOPES: list[tuple[int, dict[str, Any]]] = [
    (INVALID, {"realShiftOptional": None}),
    (INVALID, {"realShiftOptional": Meta((4,), HALF)}),
    (561003, {"realShiftOptional": Meta((4,)), "sinkOptional": Meta((4,), HALF)}),
]


@pytest.mark.parametrize(("answer", "changes"), SLOPES)
def test_slopes_are_float(answer: int, changes: dict[str, Any]) -> None:
    """The library does not look at the data type of the sink then (public)."""
    this = subject("aclnnFlashAttentionScoreV3")
    with board(A2, catalogued="plan"):
        assert planned(this, this.changed({"pseType": 2, **changes})).status == answer


ROPE: list[dict[str, Any]] = [
    {"queryRope": None}, {"keyRope": None}, {"queryRope": Meta((5, 4, 32), ACL_BF16)},
    {"keyRope": Meta((7, 2, 8), ACL_BF16)}, {"queryRope": Meta((5, 2, 16), ACL_BF16)}, {"keepProb": 0.5},
    {"attenMaskOptional": None}, {"sparseMode": 6, "attenMaskOptional": Meta((3072, 2048), ACL_BOOL)},
    {"dropMaskOptional": Meta((32,), ACL_UINT8)}, {"realShiftOptional": Meta((1, 4, 3, 4), ACL_BF16)},
]  # fmt: skip


@pytest.mark.parametrize("changes", ROPE, ids=str)
def test_what_rotary_parts_ask_for(changes: dict[str, Any]) -> None:
    assert status("VarLenScoreV5", **VAR_LEN_V3, sinkOptional=None) == ACL_SUCCESS
    assert status("VarLenScoreV5", **{**VAR_LEN_V3, "sinkOptional": None, **changes}) == NULLPTR


def test_gradients_of_rotary_parts_are_needed() -> None:
    for changes in ({"dqRopeOut": None}, {"dkRopeOut": Meta((7, 2, 8), ACL_BF16)}):
        assert status("UnpaddingScoreGradV3", **{**UNPADDING_V3, **changes}) == NULLPTR


@pytest.mark.parametrize("name", ["ScoreV4", "ScoreGradV4"])
def test_lengths_of_mixed_layouts(name: str) -> None:
    """Calls that are not packed ignore them."""
    assert status(name, A950, actualSeqQLenOptional=Values(())) == ACL_SUCCESS
    query, key, rows = Meta((5, 4, 8), HALF), Meta((7, 2, 8), HALF), Meta((5, 4, 8))
    given = {
        "query": query, "key": key, "keyIn": key, "value": key, "dy": query, "attentionOutOut": query,
        "attentionInOptional": query, "dqOut": query, "dkOut": key, "dvOut": key, "inputLayout": "TND",
        "softmaxMaxOut": rows, "softmaxSumOut": rows, "softmaxMaxOptional": rows, "softmaxSumOptional": rows,
        "dropMaskOptional": None, "keepProb": 1.0, "attenMaskOptional": Meta((3, 4), ACL_BOOL),
        "realShiftOptional": None, "pseShiftOptional": None, "prefixOptional": None,
        "actualSeqQLenOptional": Values((2, 5)), "actualSeqKvLenOptional": Values((3, 7)),
    }  # fmt: skip
    given = {key: value for key, value in given.items() if key in subject(f"aclnnFlashAttention{name}").good}
    assert status(name, A950, **given) == ACL_SUCCESS
    assert status(name, A950, **{**given, "actualSeqQLenOptional": None}) == NULLPTR
    assert status(name, A950, **{**given, "actualSeqQLenOptional": Values((2, 6))}) == NULLPTR


TEXTS = [
    ("UnpaddingScoreGradV4", A2, "inputLayout", "tnd"), ("UnpaddingScoreGradV4", A2, "softmaxInLayout", "TN8"),
    ("UnpaddingScoreGradV5", A2, "inputLayout", "BSND"), ("VarLenScoreV4", A2, "inputLayout", "tnd"),
    ("ScoreGradV4", A950, "softmaxInLayout", "same_as_input"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "soc", "parameter", "text"), TEXTS)
def test_texts(name: str, soc: str, parameter: str, text: str) -> None:
    assert status(name, soc, **{parameter: text}) == INVALID
    if "Unpadding" in name and text != "TN8":
        assert status(name, soc, **{parameter: text}, query=None) == INVALID, "before the null pointers"


@pytest.mark.parametrize("name", ["aclnnFlashAttentionVarLenScoreV5", "aclnnFlashAttentionUnpaddingScoreGradV5"])
def test_the_largest_workspace_is_that_of_the_call(name: str) -> None:
    """The tensors of packed batches have room for the largest lengths."""
    this = subject(name)
    with board(A2):
        for changes in ({}, {"headNum": 0}):
            first, size = planned(this, this.changed(changes)), largest(name, this.changed(changes))
            assert (size.status, size.workspace_size) == (first.status, first.workspace_size)
