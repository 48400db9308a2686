"""FlashAttentionScore and its gradient: order of the checks, dropout, packed batches, large calls."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.ops.attention._panels import attention
from aclnn.ops.attention._scores import Band, ScoreRules
from aclnn.testing import run
from tests.aclnn.ops.case import A2, Meta, board
from tests.derived.good import subject
from tests.derived.launching import planned
from tests.derived.values import Values

F32 = np.float32
HALF, NULLPTR, INVALID = ACL_FLOAT16, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID
RANDOM = np.random.default_rng(0)
LOWEST, LARGEST = np.finfo(F32).min, np.finfo(F32).max


def status(name: str, **changes: Any) -> int:
    this = subject(f"aclnn{name}")
    with board(A2):
        return planned(this, this.changed(changes)).status


def flash(q: Any, k: Any, v: Any, **changes: Any) -> Any:
    """softmaxMax, softmaxSum and attentionOut of a call with layout BNSD, or others."""
    rows = np.empty((*q.shape[:3], 8), F32)
    given = {
        "query": q, "key": k, "value": v, "scaleValue": 0.5, "keepProb": 1.0, "preTokens": 9, "nextTokens": 9,
        "headNum": q.shape[1], "inputLayout": "BNSD", "innerPrecise": 0, "sparseMode": 0, "softmaxMaxOut": rows,
        "softmaxSumOut": rows.copy(), "attentionOutOut": np.empty((*q.shape[:3], v.shape[3]), q.dtype), **changes,
    }  # fmt: skip
    top, total, _, out = run(aclnnFlashAttentionScore, *(given.get(each) for each in subject(NAMES[0]).good))
    return top, total, out


NAMES = ("aclnnFlashAttentionScore", "aclnnFlashAttentionScoreGrad")
MISTAKES: list[tuple[str, int, dict[str, Any]]] = [
    ("inputLayout is null", NULLPTR, {"inputLayout": None}),
    ("the format of realShift", INVALID, {"realShiftOptional": Meta((1, 4, 3, 5), HALF, ACL_FORMAT_FRACTAL_NZ)}),
    ("the type of query", INVALID, {"query": Meta((2, 4, 3, 8), ACL_INT8)}),
    ("headNum", INVALID, {"headNum": 0}),
    ("keepProb", NULLPTR, {"keepProb": 0.0}),
    ("sparseMode", NULLPTR, {"sparseMode": 7}),
    ("the shape of attentionOut", NULLPTR, {"attentionOutOut": Meta((2, 4, 3, 7), HALF)}),
]


def test_order() -> None:
    """Each mistake is found before those below it."""
    for at, (rule, answer, changes) in enumerate(MISTAKES):
        assert status("FlashAttentionScore", **changes) == answer, rule
        for other, _, more in MISTAKES[at + 1 :]:
            assert status("FlashAttentionScore", **more, **changes) == answer, (rule, other)
    packed = {"realShiftOptional": Meta((1,), HALF, ACL_FORMAT_FRACTAL_NZ)}
    assert status("FlashAttentionVarLenScore", **packed) == INVALID


def test_letter_case_of_the_layout() -> None:
    """The forward ignores it, the gradient does not."""
    assert status("FlashAttentionScore", inputLayout="bnsd") == ACL_SUCCESS
    assert status("FlashAttentionScoreGrad", inputLayout="bnsd") == INVALID


def test_empty_outputs_come_before_the_types() -> None:
    empty = {name: Meta((0, 4, 3, 8)) for name in ("softmaxMaxOut", "softmaxSumOut", "attentionOutOut")}
    assert status("FlashAttentionScore", **empty, query=Meta((0, 4, 3, 8), ACL_INT8)) == ACL_SUCCESS


def test_no_gradients() -> None:
    grads = {name: Meta((0,)) for name in ("dqOut", "dkOut", "dvOut")}
    for name in ("ScoreGrad", "UnpaddingScoreGrad"):
        assert status(f"FlashAttention{name}", **grads, headNum=0) == ACL_SUCCESS
        assert status(f"FlashAttention{name}", **grads, headNum=0, dpseOut=Meta((1,))) == INVALID


def test_dy_has_the_sizes_of_value() -> None:
    small = {name: Meta((2, 2, 5, 4), HALF) for name in ("value", "dvOut")}
    assert status("FlashAttentionScoreGrad", **small) == NULLPTR
    right = {name: Meta((2, 4, 3, 4), HALF) for name in ("dy", "attentionInOptional")}
    assert status("FlashAttentionScoreGrad", **small, **right) == ACL_SUCCESS
    packed = {name: Meta((7, 2, 4), HALF) for name in ("value", "dvOut")}
    assert status("FlashAttentionUnpaddingScoreGrad", **packed) == NULLPTR


def test_prefixes() -> None:
    mask = {"attenMaskOptional": Meta((3072, 2048), ACL_BOOL), "sparseMode": 6}
    for name in ("Score", "VarLenScore", "ScoreGrad", "UnpaddingScoreGrad"):
        assert status(f"FlashAttention{name}", **mask, prefixOptional=Values((2, 3))) == ACL_SUCCESS
        assert status(f"FlashAttention{name}", **mask, prefixOptional=Values((2,))) == NULLPTR
        assert status(f"FlashAttention{name}", **mask, prefixOptional=Values((2, 6))) == NULLPTR


def test_a_shift_comes_before_the_scale() -> None:
    """In the first version; the second one says so by pseType."""
    zero, shift = np.zeros((1, 1, 1, 8), F32), np.array([[[[0.0, 4.0]]]], F32)
    keys = np.zeros((1, 1, 2, 8), F32)
    with Machine():
        top, total, _ = flash(zero, keys, keys, realShiftOptional=shift)
        assert np.allclose(top, 2)
        assert np.allclose(total, 1 + np.exp(-2.0))


def test_dropout_reads_bits_from_the_lowest_on() -> None:
    """Element i is bit i & 7 of byte i >> 3; kept values are divided by keepProb."""
    q, k = np.zeros((1, 1, 2, 8), F32), np.zeros((1, 1, 8, 8), F32)
    bits = np.array([0b1, 0b10000000], np.uint8)
    with Machine():
        _, _, out = flash(q, k, np.eye(8, dtype=F32)[None, None], dropMaskOptional=bits, keepProb=0.5)
    assert out[0, 0].tolist() == [[0.25, *[0] * 7], [*[0] * 7, 0.25]]


def test_rows_that_see_nothing() -> None:
    """More rows than keys: the first ones see nothing in mode 3."""
    q, k = RANDOM.standard_normal((2, 1, 1, 4, 8)).astype(F32)
    mask = np.zeros((2048, 2048), np.bool_)
    with Machine():
        top, total, out = flash(q, k[:, :, :2], k[:, :, :2], attenMaskOptional=mask, sparseMode=3)
    assert not out[0, 0, :2].any()
    assert (top[0, 0, :2] == LOWEST).all()
    assert (total[0, 0, :2] == LARGEST).all()
    assert np.allclose(out[0, 0, 2], k[0, 0, 0])


def test_no_keys_give_zeros() -> None:
    q, none = np.ones((1, 1, 2, 8), F32), np.zeros((1, 1, 0, 8), F32)
    with Machine():
        found = flash(q, none, none)
    assert not any(each.any() for each in found)


def test_the_gradient_is_the_slope() -> None:
    """Differences of the forward call, with dropout and a mask."""
    q, k, v, dy = (RANDOM.standard_normal((1, heads, rows, 4)).astype(F32) for heads, rows in [(4, 3), (2, 5)] * 2)
    v, dy = RANDOM.standard_normal((1, 2, 5, 4)).astype(F32), RANDOM.standard_normal((1, 4, 3, 4)).astype(F32)
    more = {
        "dropMaskOptional": RANDOM.integers(0, 256, 8).astype(np.uint8), "keepProb": 0.5,
        "attenMaskOptional": np.triu(np.ones((3, 5), np.bool_), 2),
    }  # fmt: skip
    with Machine():
        top, total, out = flash(q, k, v, **more)
        given = {
            "query": q, "keyIn": k, "value": v, "dy": dy, **more, "softmaxMaxOptional": top,
            "softmaxSumOptional": total,
            "attentionInOptional": out, "scaleValue": 0.5, "preTokens": 9, "nextTokens": 9, "headNum": 4,
            "inputLayout": "BNSD", "innerPrecise": 0, "sparseMode": 0, "dqOut": q.copy(), "dkOut": k.copy(),
            "dvOut": v.copy(),
        }  # fmt: skip
        grads = run(aclnnFlashAttentionScoreGrad, *(given.get(each) for each in subject(NAMES[1]).good))[:3]
        for at, grad in enumerate(grads):
            step = RANDOM.standard_normal(grad.shape).astype(F32) * F32(0.01)
            up, down = ([x + sign * step if at == n else x for n, x in enumerate((q, k, v))] for sign in (1, -1))
            slope = sum(sign * float((flash(*x, **more)[2] * dy).sum(dtype=float)) for sign, x in ((1, up), (-1, down)))
            assert np.isclose(slope / 2, float((grad * step).sum(dtype=float)), rtol=0.02, atol=1e-4)


def test_rows_behind_the_last_batch_are_0() -> None:
    changes = {"actualSeqQLenOptional": [1, 3], "actualSeqKvLenOptional": [2, 4]}
    q, rows = RANDOM.standard_normal((5, 2, 8)).astype(F32), np.full((5, 2, 8), 7, F32)
    given = {
        "query": q, "key": q, "value": q, **changes, "scaleValue": 0.5, "keepProb": 1.0, "preTokens": 9,
        "nextTokens": 9, "headNum": 2, "inputLayout": "TND", "innerPrecise": 0, "sparseMode": 0, "softmaxMaxOut": rows,
        "softmaxSumOut": rows, "attentionOutOut": rows,
    }  # fmt: skip
    with Machine():
        found = run(aclnnFlashAttentionVarLenScore, *(given.get(each) for each in subject(VAR_LEN).good))
    assert not found[3][3:].any()
    assert found[3][:3].all()


VAR_LEN = "aclnnFlashAttentionVarLenScore"
LACKING: list[tuple[str, dict[str, Any]]] = [
    ("FlashAttentionScoreV2", {"pseType": 2, "realShiftOptional": Meta((4,))}),
    ("FlashAttentionVarLenScore", {"sparseMode": 7, "attenMaskOptional": Meta((2048, 2048), ACL_BOOL)}),
    ("FlashAttentionVarLenScore", {"realShiftOptional": Meta((1, 4, 3, 4), HALF)}),
]


@pytest.mark.fidelity("shifts and sparse modes of attention without a formula")
@pytest.mark.parametrize(("name", "changes"), LACKING, ids=str)
def test_without_a_formula(name: str, changes: dict[str, Any]) -> None:
    this = subject(f"aclnn{name}")
    with board(A2, catalogued="plan"):
        answer = planned(this, this.changed(changes))
        assert answer.status == 561003
        assert f"no kernel for aclnn{name} with " in answer.text
        assert "its interface is known, but not its formula" in answer.text


@pytest.mark.parametrize("band", [Band(), Band(None, 0), Band(-70, 3), Band(None, 0, 900)], ids=str)
def test_panels_do_not_change_the_result(band: Band) -> None:
    """A thousand rows and keys are several panels; the parts of a step begin at any row."""
    q, k, v = RANDOM.standard_normal((3, 1, 2, 1000, 16)).astype(F32)
    s = 0.25 * np.einsum("bnid,bnjd->bnij", q.astype(float), k.astype(float))
    off = np.arange(1000) - np.arange(1000)[:, None]
    hidden = (off > (band.high if band.high is not None else 1000)) | (off < (-1000 if band.low is None else band.low))
    s[..., hidden & (np.arange(1000) >= band.prefix)] = -np.inf
    p = np.exp(s - s.max(-1, keepdims=True))
    wanted = p / p.sum(-1, keepdims=True) @ v
    with board(A2):
        whole = attention(q, k, v, names=(), rules=ScoreRules(0.25, band, corrects=True), results=())[0]
        rest = attention(q[:, :, 333:], k, v, names=(), rules=ScoreRules(0.25, band, 333, corrects=True), results=())[0]
    assert np.allclose(whole, wanted, atol=1e-5)
    assert np.allclose(rest, wanted[:, :, 333:], atol=1e-5)


def test_large_scores_never_exist_together() -> None:
    """64 MiB would hold the scores of one of these 16 heads."""
    q = np.ones((1, 16, 4096, 8), np.float16)
    tracemalloc.start()
    with board(A2):
        attention(q, q, q, names=(), rules=ScoreRules(1.0, Band(None, -4000), corrects=True), results=())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16 << 20
