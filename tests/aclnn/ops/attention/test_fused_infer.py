"""FusedInferAttentionScore: blocks, shared prefix, quantised tensors, and what the derived tests do not reach."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from aclnn.engine.fast import attention
from aclnn.ops.attention._panels import TABLE
from aclnn.ops.attention._panels import attention as attended_by_panels
from aclnn.ops.attention._scores import ScoreRules
from aclnn.testing import run
from tests.aclnn.ops.attention.reference import by_loop
from tests.aclnn.ops.case import A2, Meta, board
from tests.derived.good import subject
from tests.derived.launching import planned
from tests.derived.values import Values

F16, F32 = np.float16, np.float32
HALF, TILING = ACL_FLOAT16, ACLNN_ERR_INNER_TILING_ERROR
NAME = "aclnnFusedInferAttentionScoreV2"
RANDOM = np.random.default_rng(0)


def status(**changes: Any) -> int:
    this = subject(NAME)
    with board(A2):
        return planned(this, this.changed(changes)).status


def infer(q: Any, key: Any, value: Any, out: Any, **changes: Any) -> Any:
    """A call with layout BNSD, or others."""
    given = {
        "query": q, "key": key, "value": value, "numHeads": q.shape[1], "scaleValue": 0.5, "preTokens": 9,
        "nextTokens": 9, "inputLayout": "BNSD", "numKeyValueHeads": 0, "sparseMode": 0, "innerPrecise": 0,
        "blockSize": 0, "antiquantMode": 0, "softmaxLseFlag": False, "keyAntiquantMode": 0, "valueAntiquantMode": 0,
        "attentionOut": out, **changes,
    }  # fmt: skip
    found = run(aclnnFusedInferAttentionScoreV2, *(given.get(each) for each in subject(NAME).good))
    return found if given["softmaxLseFlag"] else found[0]


def plain(q: Any, k: Any, v: Any, **rules: Any) -> Any:
    """Of one batch, (heads, rows, sizes)."""
    none = np.zeros((len(q), q.shape[1], k.shape[1]))
    q, k, v = (each.astype(float) for each in (q, k, v))
    return by_loop(q, k, v, rules.get("scale", 0.5), none, rules.get("hidden", none.astype(bool)))[0]


def halves(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(F16)


def bytes_of(*shape: int) -> np.ndarray:
    return RANDOM.integers(-9, 10, shape).astype(np.int8)


BLOCKS = [("BNSD", (4, 2, 128, 8)), ("BNSD", (4, 128, 16)), ("BSND", (4, 128, 16))]


@pytest.mark.parametrize("least", [1, 1 << 40], ids=["with the evaluator", "with numpy"])
@pytest.mark.parametrize(("layout", "shape"), BLOCKS, ids=str)
def test_keys_in_blocks(layout: str, shape: tuple[int, ...], least: int, monkeypatch: Any) -> None:
    """Row t of a batch lies in block table[t // 128], row t % 128."""
    monkeypatch.setattr(attention, "MIN_MULTIPLICATIONS", least)
    key, value = halves(*shape), halves(*shape)
    table, q = np.array([[3, 0], [1, 2]], np.int32), halves(2, 2, 2, 8)
    out = np.empty_like(q)
    with Machine():
        found = infer(q, [key], [value], out, blockTableOptional=table, blockSize=128, inputLayout=layout,
                      actualSeqLengthsKvOptional=[130, 2])  # fmt: skip
    caches: list[Any] = [x if x.ndim == 4 else x.reshape(4, 128, 2, 8).swapaxes(1, 2) for x in (key, value)]
    turned: Any = q if layout == "BNSD" else q.swapaxes(1, 2)
    for b, length in enumerate((130, 2)):
        k, v = (np.concatenate(list(x[table[b]]), 1)[:, :length] for x in caches)
        wanted = plain(turned[b], k, v)
        assert np.allclose(found[b] if layout == "BNSD" else found[b].swapaxes(0, 1), wanted, atol=2e-3)


def test_a_batch_without_keys_needs_no_block() -> None:
    key, q = halves(2, 128, 16), halves(1, 2, 1, 8)
    with Machine():
        found = infer(q, [key], [key], np.full_like(q, 7), blockTableOptional=np.array([[5]], np.int32), blockSize=128,
                      actualSeqLengthsKvOptional=[0])  # fmt: skip
    assert not found.any()


def test_a_block_that_does_not_exist_is_found() -> None:
    key, q = halves(2, 128, 16), halves(1, 2, 1, 8)
    table = np.array([[5]], np.int32)
    with Machine(), pytest.raises(UndefinedBehaviour, match="index-range"):
        infer(q, [key], [key], np.empty_like(q), blockTableOptional=table, blockSize=128,
              actualSeqLengthsKvOptional=[9])  # fmt: skip


@pytest.mark.parametrize("least", [1, 1 << 40], ids=["with the evaluator", "with numpy"])
def test_a_machine_that_only_reports_drops_a_block_that_does_not_exist(least: int, monkeypatch: Any) -> None:
    """The step before has found it, and fails. The keys and values of the block are zeros: half of the weight."""
    monkeypatch.setattr(attention, "MIN_MULTIPLICATIONS", least)
    key, value = np.zeros((2, 2, 128, 8), F16), np.ones((2, 2, 128, 8), F16)
    rules = ScoreRules(0.5, columns=256)
    for bad in (5, -1):
        with Machine():
            (found,) = attended_by_panels(
                halves(1, 2, 1, 8), key, value, np.array([bad, 1], np.int32), names=(TABLE,), rules=rules, results=()
            )
        assert (found == 0.5).all()


PAGES = {
    "query": Meta((2, 1, 4, 16), HALF), "key": (Meta((4, 64, 32), HALF),), "value": (Meta((4, 64, 32), HALF),),
    "attentionOut": Meta((2, 1, 4, 16), HALF), "pseShiftOptional": None, "attenMaskOptional": None, "blockSize": 64,
    "blockTableOptional": Meta((2, 3), ACL_INT32), "actualSeqLengthsKvOptional": Values((64, 3)),
    "softmaxLseFlag": False,
}  # fmt: skip


def test_a_block_table_needs_lengths() -> None:
    assert status(**PAGES) == ACL_SUCCESS
    for changes in (
        {"actualSeqLengthsKvOptional": None}, {"blockTableOptional": Meta((3, 3), ACL_INT32)}, {"blockSize": 513},
        {"key": (Meta((4, 32, 32), HALF),)}, {"actualSeqLengthsKvOptional": Values((193, 3))},
        {"key": (Meta((4, 64, 32), HALF),) * 2},
    ):  # fmt: skip
        assert status(**PAGES | changes) == TILING, changes


def test_lengths_leave_the_other_rows_0() -> None:
    q, k = halves(2, 2, 3, 8), halves(2, 2, 4, 8)
    with Machine():
        found = infer(q, [k], [k], np.full_like(q, 7), actualSeqLengthsOptional=[2, 3],
                      actualSeqLengthsKvOptional=[4, 0])  # fmt: skip
    assert np.allclose(found[0, :, :2], plain(q[0, :, :2], k[0], k[0]), atol=2e-3)
    assert not found[0, :, 2].any()
    assert not found[1].any()


def test_a_shift_is_spread_over_the_heads() -> None:
    """A stride of 0 between the heads."""
    q, k, shift = halves(1, 2, 3, 8), halves(1, 2, 4, 8), halves(1, 1, 3, 4)
    shift[0, 0, 0, 1:] = -np.inf
    with Machine():
        found = infer(q, [k], [k], np.empty_like(q), innerPrecise=2,
                      pseShiftOptional=np.broadcast_to(shift, (1, 2, 3, 4)))  # fmt: skip
    assert np.allclose(found[0, :, 0], k[0, :, 0], atol=1e-3)


def test_a_prefix_is_shared() -> None:
    q, k, v = halves(2, 2, 1, 8), halves(2, 2, 3, 8), halves(2, 2, 3, 8)
    prefix, values = halves(1, 2, 4, 8), halves(1, 2, 4, 8)
    with Machine():
        found = infer(q, [k], [v], np.empty_like(q), keySharedPrefixOptional=prefix, valueSharedPrefixOptional=values,
                      actualSharedPrefixLenOptional=[2])  # fmt: skip
    for b in range(2):
        whole = [np.concatenate([x[0, :, :2], y[b]], 1) for x, y in ((prefix, k), (values, v))]
        assert np.allclose(found[b], plain(q[b], *whole), atol=2e-3)


SCALES = [
    (0, (2, 2, 1, 8), (1, 2, 1, 8)), (0, (2,), (1, 1, 1, 1)), (1, (2, 3, 4), (3, 1, 4, 1)),
]  # fmt: skip


PREFIX = Meta((1, 4, 2, 16), HALF)
MISFITS: list[dict[str, Any]] = [
    {"keySharedPrefixOptional": PREFIX},
    {"valueSharedPrefixOptional": PREFIX},
    {"keySharedPrefixOptional": Meta((1, 4), HALF), "valueSharedPrefixOptional": PREFIX},
    {"keySharedPrefixOptional": PREFIX, "valueSharedPrefixOptional": Meta((1, 4, 2, 8), HALF)},
    {"queryRopeOptional": None},
    {"keyRopeOptional": None},
]


@pytest.mark.fidelity("a shared prefix, or a rotary part, that is alone or does not fit")
@pytest.mark.parametrize("changes", MISFITS, ids=lambda changes: " ".join(changes))
def test_parts_come_together_and_fit(changes: dict[str, Any]) -> None:
    for version in ("V2", "V3", "V4"):
        this = subject(f"aclnnFusedInferAttentionScore{version}")
        with board(A2):
            if all(name in this.good for name in changes):
                assert planned(this, this.changed(changes)).status == TILING


@pytest.mark.parametrize(("mode", "shape", "spread"), SCALES, ids=str)
def test_quantised_keys(mode: int, shape: tuple[int, ...], spread: tuple[int, ...]) -> None:
    """k = (k8 + offset) * scale"""
    q, k, v = halves(3, 2, 1, 8), bytes_of(3, 2, 4, 8), bytes_of(3, 2, 4, 8)
    scale = (RANDOM.uniform(0.05, 0.1, shape)).astype(F32 if mode == 1 else F16)
    offset = RANDOM.integers(-2, 3, shape).astype(scale.dtype)
    with Machine():
        found = infer(q, [k], [v], np.empty_like(q), antiquantScaleOptional=scale, antiquantOffsetOptional=offset,
                      antiquantMode=mode)  # fmt: skip
    kf, vf = ((x + offset[at].reshape(spread)) * scale[at].reshape(spread) for at, x in enumerate((k, v)))
    for b in range(3):
        assert np.allclose(found[b], plain(q[b], kf[b], vf[b]), atol=2e-3)


def test_quantised_keys_with_scales_of_their_own() -> None:
    q, k = halves(2, 2, 1, 8), bytes_of(2, 2, 4, 8)
    heads, rows = RANDOM.uniform(0.05, 0.1, (2,)).astype(F32), RANDOM.uniform(0.05, 0.1, (2, 2, 4)).astype(F32)
    with Machine():
        found = infer(q, [k], [k], np.empty_like(q), keyAntiquantScaleOptional=heads, valueAntiquantScaleOptional=rows,
                      keyAntiquantMode=2, valueAntiquantMode=3, actualSeqLengthsKvOptional=[4, 2])  # fmt: skip
    for b, length in enumerate((4, 2)):
        own = [(k[b] * heads[:, None, None])[:, :length], (k[b] * rows[b][..., None])[:, :length]]
        assert np.allclose(found[b], plain(q[b], *own), atol=2e-3)


def test_int32_holds_eight_of_int4() -> None:
    """The low four bits are the first one. The first phase describes the tensor as INT4."""
    q, whole = halves(1, 1, 1, 8), RANDOM.integers(-8, 8, (1, 1, 4, 8))
    packed = ((whole & 15) << (4 * np.arange(8))).sum(-1).astype(np.uint32).view(np.int32)[..., None]
    with Machine():
        found = infer(q, [packed], [packed], np.empty_like(q), antiquantScaleOptional=np.array([0.25, 0.5], F16))
    assert np.allclose(found[0], plain(q[0], whole[0] * 0.25, whole[0] * 0.5), atol=4e-3)


def test_scales_of_integer_keys_fit() -> None:
    listed = (Meta((2, 4, 2, 16), ACL_INT8),)
    good = {"key": listed, "value": listed, "antiquantScaleOptional": Meta((2, 32), HALF)}
    assert status(**good) == ACL_SUCCESS
    assert status(**good | {"antiquantScaleOptional": Meta((2, 31), HALF)}) == TILING
    assert status(**good | {"antiquantScaleOptional": None}) == TILING
    assert status(**good, antiquantOffsetOptional=Meta((32,), HALF)) == TILING


@pytest.mark.fidelity("quantised attention")
@pytest.mark.parametrize("bits", [False, True], ids=["FLOAT", "UINT64"])
def test_quantised_queries(bits: bool) -> None:
    """s = deqScale1 * (q8 @ k8), p8 = round(p * quantScale1), out = round(deqScale2 * (p8 @ v8) * quantScale2)."""
    q, k, v = bytes_of(1, 2, 3, 8), bytes_of(1, 2, 4, 8), bytes_of(1, 2, 4, 8)
    made = [np.array([each], F32) for each in (0.125, 127, 0.5)]
    given = [each.view(np.uint32).astype(np.uint64) if bits and at != 1 else each for at, each in enumerate(made)]
    names = ("deqScale1Optional", "quantScale1Optional", "deqScale2Optional")
    scales = dict(zip(names, given, strict=True))
    s = 0.125 * 0.5 * np.einsum("bnid,bnjd->bnij", q.astype(float), k.astype(float))
    p = np.exp(s - s.max(-1, keepdims=True))
    wanted = 0.5 * np.rint(127 * p / p.sum(-1, keepdims=True)) @ v.astype(float)
    with Machine():
        found = infer(q, [k], [v], np.empty(q.shape, F16), **scales)
        assert np.allclose(found, wanted, atol=0.51 * 9)
        small = infer(q, [k], [v], np.empty(q.shape, np.int8), **scales, quantScale2Optional=np.array([0.125], F32))
    assert np.abs(small - np.clip(np.rint(wanted * 0.125), -128, 127)).max() <= 1


def test_an_output_of_int8_has_scales_of_each_size() -> None:
    q, k = halves(1, 2, 2, 8).astype(ml_dtypes.bfloat16), halves(1, 2, 4, 8).astype(ml_dtypes.bfloat16)
    scale, offset = RANDOM.uniform(5, 9, (1, 2, 1, 8)).astype(F32), RANDOM.uniform(-3, 3, (1, 2, 1, 8)).astype(F32)
    with Machine():
        found = infer(q, [k], [k], np.empty(q.shape, np.int8), quantScale2Optional=scale, quantOffset2Optional=offset)
    wanted = plain(q[0], k[0], k[0]) * scale[0] + offset[0]
    assert np.abs(found[0] - wanted).max() <= 0.51


def test_lengths_of_one_new_row_are_those_of_its_keys() -> None:
    q, k = halves(2, 2, 1, 8), halves(2, 2, 4, 8)
    good = subject("aclnnIncreFlashAttentionV4").good
    given = {"query": q, "key": [k], "value": [k], "actualSeqLengths": [4, 2], "numHeads": 2, "scaleValue": 0.5,
             "inputLayout": "BNSD", "numKeyValueHeads": 0, "blockSize": 0, "innerPrecise": 1,
             "attentionOut": np.empty_like(q)}  # fmt: skip
    with Machine():
        found = run(aclnnIncreFlashAttentionV4, *(given.get(each) for each in good))
    for b, length in enumerate((4, 2)):
        assert np.allclose(found[b], plain(q[b], k[b, :, :length], k[b, :, :length]), atol=2e-3)


def test_a_prompt_of_one_row_is_a_prompt() -> None:
    """Its mask has a row for each row of queries, also if there is one."""
    q, k = halves(1, 2, 1, 8), halves(1, 2, 4, 8)
    good = subject("aclnnPromptFlashAttentionV3").good
    mask = np.array([[False, True, True, True]])
    given = {"query": q, "key": k, "value": k, "attenMask": mask, "numHeads": 2, "scaleValue": 0.5, "preTokens": 9,
             "nextTokens": 9, "inputLayout": "BNSD", "numKeyValueHeads": 0, "sparseMode": 1, "innerPrecise": 0,
             "attentionOut": np.empty_like(q)}  # fmt: skip
    with Machine():
        found = run(aclnnPromptFlashAttentionV3, *(given.get(each) for each in good))
    assert np.allclose(found[0, :, 0], k[0, :, 0], atol=1e-3)


V3, V4 = "aclnnFusedInferAttentionScoreV3", "aclnnFusedInferAttentionScoreV4"
PACKED = [("TND", 1, 1), ("NTD_TND", 0, 1), ("TND_NTD", 1, 0)]


@pytest.mark.parametrize("blocks", [False, True], ids=["rows", "blocks"])
@pytest.mark.parametrize(("layout", "into", "back"), PACKED, ids=lambda value: str(value))
def test_packed_batches(layout: str, into: int, back: int, blocks: bool) -> None:
    """The lengths are the ends of the batches; those of keys in blocks are lengths."""
    q, k, cache = halves(2, 5, 8), halves(2, 7, 8), halves(3, 2, 128, 8)
    given = {
        "query": q.swapaxes(0, 1).copy() if into else q, "actualSeqLengthsOptional": [2, 4], "numHeads": 2,
        "actualSeqLengthsKvOptional": [130, 3] if blocks else [3, 7], "scaleValue": 0.5, "inputLayout": layout,
        "numKeyValueHeads": 0, "sparseMode": 3, "attenMaskOptional": np.zeros((2048, 2048), np.bool_), "preTokens": 9,
        "nextTokens": 9, "innerPrecise": 0, "antiquantMode": 0, "keyAntiquantMode": 0, "valueAntiquantMode": 0,
        "softmaxLseFlag": True, "softmaxLse": np.full((5, 2, 1), 7, F32), "blockSize": 128 if blocks else 0,
        "attentionOut": np.full((5, 2, 8) if back else (2, 5, 8), 7, F16),
    }  # fmt: skip
    if blocks:
        given |= {"key": [cache], "value": [cache], "blockTableOptional": np.array([[2, 0], [1, 1]], np.int32)}
    else:
        own = k.swapaxes(0, 1).copy() if into else k
        given |= {"key": [own], "value": [own]}
    with Machine():
        out, lse = run(aclnnFusedInferAttentionScoreV3, *(given.get(each) for each in subject(V3).good))
    out = out.swapaxes(0, 1) if back else out
    for b, (start, end) in enumerate([(0, 2), (2, 4)]):
        own = [k[:, :3], k[:, 3:7]][b]
        if blocks:
            own = [np.concatenate([cache[2], cache[0][:, :2]], 1), cache[1][:, :3]][b]
        hidden = np.triu(np.ones((2, own.shape[1]), bool), own.shape[1] - 1)[None].repeat(2, 0)
        assert np.allclose(out[:, start:end], plain(q[:, start:end], own, own, hidden=hidden), atol=2e-3)
    assert not out[:, 4].any()
    assert not lse[4].any()
    assert lse[:4].all()


def test_lengths_of_packed_batches() -> None:
    this = subject(V3)
    good = {
        "query": Meta((5, 4, 16), HALF), "key": (Meta((7, 2, 16), HALF),), "value": (Meta((7, 2, 16), HALF),),
        "queryRopeOptional": None, "keyRopeOptional": None, "inputLayout": "TND", "pseShiftOptional": None,
        "attenMaskOptional": None, "attentionOut": Meta((5, 4, 16), HALF), "softmaxLse": Meta((5, 4, 1)),
        "actualSeqLengthsOptional": Values((2, 5)), "actualSeqLengthsKvOptional": Values((3, 7)),
    }  # fmt: skip
    with board(A2):
        assert planned(this, this.changed(good)).status == ACL_SUCCESS
        for changes in (
            {"actualSeqLengthsOptional": None}, {"actualSeqLengthsKvOptional": None},
            {"actualSeqLengthsOptional": Values((5, 2))}, {"actualSeqLengthsKvOptional": Values((7,))},
            {"actualSeqLengthsKvOptional": Values((3, 8))}, {"softmaxLse": Meta((1, 4, 5, 1))},
        ):  # fmt: skip
            assert planned(this, this.changed(good | changes)).status == TILING, changes


def test_padding_on_the_left_has_no_formula() -> None:
    this = subject(NAME)
    with board(A2, catalogued="plan"):
        assert planned(this, this.changed({"kvPaddingSizeOptional": Meta((1,), ACL_INT64)})).status == 561003


@pytest.mark.fidelity("rows of attention that see nothing")
def test_a_row_that_sees_nothing_is_0_if_corrected() -> None:
    q, k, mask = halves(1, 2, 3, 8), halves(1, 2, 4, 8), np.zeros((3, 4), np.bool_)
    mask[1] = True
    with Machine():
        found, lse = infer(q, [k], [k], np.empty_like(q), attenMaskOptional=mask, innerPrecise=2, softmaxLseFlag=True,
                           softmaxLse=np.empty((1, 2, 3, 1), F32))  # fmt: skip
        mean = infer(q, [k], [k], np.empty_like(q), attenMaskOptional=mask)
    assert not found[0, :, 1].any()
    assert np.isposinf(lse[0, :, 1]).all()
    assert np.allclose(mean[0, :, 1], k[0].astype(float).mean(1), atol=2e-3)


@pytest.mark.fidelity("scales of queries of aclnnFusedInferAttentionScoreV4 and V5")
def test_scales_of_queries_have_no_kernel() -> None:
    this = subject(V4)
    changes = {"dequantScaleQueryOptional": Meta((2, 3, 4)), "queryRopeOptional": None, "keyRopeOptional": None}
    with board(catalogued="plan"):
        assert planned(this, this.changed(changes)).status == ACLNN_ERR_INNER_FIND_KERNEL_ERROR


@pytest.mark.parametrize(("layout", "flat"), [("BNSD", False), ("BNSD", True), ("BSND", True), ("TND", True)])
def test_rotary_parts_of_keys_in_blocks(layout: str, flat: bool) -> None:
    """As with the parts behind each other: score = query @ key^T + queryRope @ keyRope^T."""
    q, k, v = halves(2, 2, 1, 8), halves(3, 2, 128, 8), halves(3, 2, 128, 8)
    of_q, of_k = (halves(*shape, 64) / F16(8) for shape in ((2, 2, 1), (3, 2, 128)))
    table, lengths = np.array([[2, 0], [1, 1]], np.int32), [130, 3]
    turned = [each.swapaxes(1, 2).copy() if layout != "BNSD" else each for each in (q, of_q)]
    turned = [each[:, 0] for each in turned] if layout == "TND" else turned
    caches = [each.swapaxes(1, 2).reshape(3, 128, -1).copy() if flat else each for each in (k, v, of_k)]
    given = {
        "query": turned[0], "queryRopeOptional": turned[1], "key": caches[:1], "value": caches[1:2],
        "keyRopeOptional": caches[2], "blockTableOptional": table, "blockSize": 128, "numHeads": 2, "scaleValue": 0.5,
        "actualSeqLengthsOptional": [1, 2] if layout == "TND" else None, "actualSeqLengthsKvOptional": lengths,
        "inputLayout": layout, "numKeyValueHeads": 0, "sparseMode": 0, "preTokens": 9, "nextTokens": 9,
        "innerPrecise": 0, "antiquantMode": 0, "keyAntiquantMode": 0, "valueAntiquantMode": 0, "softmaxLseFlag": False,
        "attentionOut": np.empty_like(turned[0]),
    }  # fmt: skip
    with Machine():
        out = run(aclnnFusedInferAttentionScoreV3, *(given.get(each) for each in subject(V3).good))[0]
    out = out.reshape(2, 2, 1, 8)
    for b, length in enumerate(lengths):
        whole = np.concatenate([k, of_k], 3), v
        keys, values = (np.concatenate(list(each[table[b]]), 1)[:, :length] for each in whole)
        assert np.allclose(out[b], plain(np.concatenate([q[b], of_q[b]], 2), keys, values), atol=4e-3)
