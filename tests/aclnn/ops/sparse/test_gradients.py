"""The gradients of sparse attention and the indexer of 8 bits: figures, lists, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import aclnn
from acl_runtime import *
from acl_runtime import Machine
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, Meta, board
from tests.aclnn.ops.sparse.good_calls import (
    ALL,
    HALF,
    PACKED_FLASH_GRAD,
    PACKED_INDEXER_GRAD,
    PAGED_INT8_INDEXER,
)  # fmt: skip
from tests.derived.good import subject
from tests.derived.launching import planned

F16, F32, I8 = np.float16, np.float32, np.int8
NULLPTR, INVALID, TILING = ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_INNER_TILING_ERROR
QUANT, INDEXER, FLASH = "aclnnQuantLightningIndexer", "aclnnLightningIndexerGrad", "aclnnSparseFlashAttentionGrad"
WINDOW = {"sparseMode": 0, "preTokens": ALL, "nextTokens": ALL}


def called(name: str, soc: str = A2, **given: Any) -> list[Any]:
    with Machine(soc):
        results = run(getattr(aclnn, name), *(given.get(each, 0) for each in subject(name).good))
    return list(results) if isinstance(results, tuple) else [results]


def vectors(*rows: list[float], dtype: Any = F16, size: int = 128) -> np.ndarray:
    made = np.zeros((len(rows), size), dtype)
    made[:, : len(rows[0])] = rows
    return made


NONE = dict.fromkeys(("actualSeqLengthsQueryOptional", "actualSeqLengthsKeyOptional", "blockTableOptional",
                      "actualSeqQLenOptional", "actualSeqKvLenOptional", "actualSeqLengthsKvOptional"))  # fmt: skip


@pytest.mark.parametrize(("dtype", "scales", "soc"), [(I8, F16, A2), (ACL_FLOAT8_E4M3FN, F16, A950)], ids=str)
def test_scales_of_8_bits_enter_the_scores(dtype: Any, scales: Any, soc: str) -> None:
    """The scores of three keys are 3, 3, 4 without scales. The scale of the first key lifts it to 9."""
    kind = dtype if dtype is I8 else aclnn_type(dtype)
    given = {
        **NONE, **WINDOW, "query": vectors([1, 0], [0, 1], dtype=kind)[None, None],
        "key": vectors([1, 1], [3, -1], [0, 2], dtype=kind)[None, :, None], "weights": np.array([[[1, 2]]], F16),
        "queryDequantScale": np.ones((1, 1, 2), scales), "keyDequantScale": np.array([[[3], [1], [1]]], scales),
        "layoutQueryOptional": "BSND", "layoutKeyOptional": "BSND", "sparseCount": 4,
        "out": np.empty((1, 1, 1, 4), np.int32),
    }  # fmt: skip
    assert called(QUANT, soc, **given)[0].ravel().tolist() == [0, 2, 1, -1]
    (weighted,) = called(QUANT, soc, **{**given, "queryDequantScale": np.array([[[1, 0]]], scales)})
    assert weighted.ravel().tolist() == [0, 1, 2, -1], "head 1 has no weight"


def aclnn_type(dtype: int) -> Any:
    from acl_runtime.headers.dtypes import numpy_dtype

    return numpy_dtype(dtype)


def test_the_gradient_of_the_indexer_by_hand() -> None:
    """One row with two heads: products 1 and -1 with key 0, and key 1 is not in the list."""
    given = {
        **NONE, **WINDOW, "query": vectors([1, 0], [0, 1])[None, None], "key": vectors([1, -1], [5, 5])[None, :, None],
        "dy": np.array([[[[2, 7]]]], F16), "sparseIndices": np.array([[[0, -1]]], np.int32),
        "weights": np.array([[[3, 4]]], F16), "headNum": 2, "inputLayout": "BSND", "deterministic": True,
        "dqOut": np.empty((1, 1, 2, 128), F16), "dkOut": np.empty((1, 2, 1, 128), F16),
        "dweightsOut": np.empty((1, 1, 2), F16),
    }  # fmt: skip
    dq, dk, dw = called(INDEXER, **given)
    assert dw.ravel().tolist() == [2, 0]
    assert dq[0, 0, :, :2].tolist() == [[6, -6], [0, 0]]
    assert dk[0, :, 0, :2].tolist() == [[6, 0], [0, 0]]


def attended_back(**changes: Any) -> list[np.ndarray]:
    """One row with one head that sees keys 0 and 2, with the scores 0 and ln 3 and the probabilities 1/4 and 3/4."""
    lists = np.full((1, 1, 1, 1024), -1, np.int32)
    lists[0, 0, 0, :2] = [0, 2]
    given = {
        **NONE, **WINDOW, "query": vectors([1], size=512)[None, None],
        "key": vectors([0], [9], [1], size=512)[None, :, None],
        "value": vectors([4], [9], [8], size=512)[None, :, None],
        "sparseIndices": lists, "dOut": vectors([1], size=512)[None, None], "out": vectors([7], size=512)[None, None],
        "softmaxMax": np.zeros((1, 1, 1, 1), F32), "softmaxSum": np.full((1, 1, 1, 1), 4, F32),
        "queryRopeOptional": None, "keyRopeOptional": None, "scaleValue": float(np.log(3)), "sparseBlockSize": 1,
        "layoutOptional": "BSND", "dQueryOut": np.empty((1, 1, 1, 512), F16), "dKeyOut": np.empty((1, 3, 1, 512), F16),
        "dValueOut": np.empty((1, 3, 1, 512), F16), "dQueryRopeOutOptional": None, "dKeyRopeOutOptional": None,
        **changes,
    }  # fmt: skip
    return [x[..., 0].ravel() for x in called(FLASH, **given) if x is not None]


def test_the_gradient_of_attention_by_hand() -> None:
    """dScores = P * (dOut value - dOut out) = 1/4 * (4 - 7), 3/4 * (8 - 7)."""
    dq, dk, dv = attended_back()
    scale = np.log(3)
    assert np.allclose(dq, 0.75 * scale, atol=1e-3)
    assert np.allclose(dk, [-0.75 * scale, 0, 0.75 * scale], atol=1e-3)
    assert np.allclose(dv, [0.25, 0, 0.75], atol=1e-3)


def test_a_null_value_means_key() -> None:
    """Then dKey has both gradients: of the scores, 1/4 * (0 - 7) and 3/4 * (1 - 7), and of the values."""
    dq, dk = attended_back(value=None, dValueOut=None)
    assert np.allclose(dq, -4.5 * np.log(3), atol=5e-3)
    assert np.allclose(dk, [-1.75 * np.log(3) + 0.25, 0, -4.5 * np.log(3) + 0.75], atol=5e-3)


ANSWERS: list[tuple[str, int, dict[str, Any]]] = [
    (QUANT, NULLPTR, {"keyDequantScale": None}), (QUANT, INVALID, {"weights": Meta((2, 3, 8), ACL_BF16)}),
    (QUANT, INVALID, {"queryDequantScale": Meta((2, 3, 8))}), (QUANT, TILING, {"queryQuantMode": 1}),
    (QUANT, TILING, {"sparseCount": 2049}), (QUANT, TILING, {"keyDequantScale": Meta((2, 5, 2), HALF)}),
    (QUANT, 0, PAGED_INT8_INDEXER), (QUANT, TILING, {**PAGED_INT8_INDEXER, "blockTableOptional": None}),
    (QUANT, TILING, {**PAGED_INT8_INDEXER, "key": Meta((3, 8, 1, 128), ACL_INT8)}),
    (INDEXER, 0, PACKED_INDEXER_GRAD), (INDEXER, TILING, {**PACKED_INDEXER_GRAD, "actualSeqKvLenOptional": None}),
    (INDEXER, TILING, {"inputLayout": "BNSD"}), (INDEXER, TILING, {"dy": Meta((2, 3, 2, 4), HALF)}),
    (INDEXER, TILING, {"sparseMode": 1}), (INDEXER, NULLPTR, {"dweightsOut": None}),
    (FLASH, 0, PACKED_FLASH_GRAD), (FLASH, TILING, {**PACKED_FLASH_GRAD, "actualSeqLengthsQueryOptional": None}),
    (FLASH, NULLPTR, {"dValueOut": None}), (FLASH, TILING, {"sparseIndices": Meta((2, 3, 1, 512), ACL_INT32)}),
    (FLASH, TILING, {"keyRopeOptional": None}), (FLASH, TILING, {"layoutOptional": "PA_BSND"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "answer", "changes"), ANSWERS, ids=str)
def test_statuses(name: str, answer: int, changes: dict[str, Any]) -> None:
    this = subject(name)
    with board(A2):
        assert planned(this, this.changed(changes)).status == answer
