"""LightningIndexer and SparseFlashAttention: figures, order of the checks, layouts, lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import aclnn
from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn.ops.sparse.indexer import away_from_zero
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, Meta, board
from tests.aclnn.ops.sparse.good_calls import ALL, FLASH, HALF, INDEXER, PACKED_INDEXER, PAGED_FLASH, PAGED_INDEXER
from tests.derived.good import subject
from tests.derived.launching import planned

F16, F32 = np.float16, np.float32
NULLPTR, INVALID, TILING = ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_INNER_TILING_ERROR
INDEXER_NAME, FLASH_NAME, V2 = "aclnnLightningIndexer", "aclnnSparseFlashAttention", "aclnnSparseFlashAttentionV2"


def called(name: str, soc: str = A2, **given: Any) -> list[Any]:
    with Machine(soc):
        return list(run(getattr(aclnn, name), *(given.get(each) for each in subject(name).good)))


def status(name: str, soc: str = A2, **changes: Any) -> int:
    this = subject(name)
    with board(soc):
        return planned(this, this.changed(changes)).status


def vectors(*rows: list[float], size: int = 128) -> np.ndarray:
    made = np.zeros((len(rows), size), F16)
    made[:, : len(rows[0])] = rows
    return made


NUMBERS = {"sparseMode": 0, "preTokens": ALL, "nextTokens": ALL, "layoutQueryOptional": "BSND"}


def indexed(**changes: Any) -> list[Any]:
    """One row with two heads, whose scores of three keys are 3, 3, 4."""
    given = {
        "query": vectors([1, 0], [0, 1])[None, None], "key": vectors([1, 1], [3, -1], [0, 2])[None, :, None],
        "weights": np.array([[[1, 2]]], F16), "layoutKeyOptional": "BSND", "sparseCount": 4, **NUMBERS,
        "returnValues": True, "sparseIndicesOut": np.empty((1, 1, 1, 4), np.int32),
        "sparseValuesOut": np.empty((1, 1, 1, 4), F16), **changes,
    }  # fmt: skip
    return called(INDEXER_NAME, **given)


def test_the_figures_of_the_indexer() -> None:
    """The first of equal scores comes first; -1 and -inf stand behind the last key."""
    indices, values = indexed()
    assert indices.ravel().tolist() == [2, 0, 1, -1]
    assert values.ravel().tolist() == [4, 3, 3, -np.inf]


def test_the_window_of_the_indexer() -> None:
    """Two rows of three keys: the first row sees two keys, the second one sees all."""
    two = {
        "query": np.repeat(vectors([1, 0], [0, 1])[None, None], 2, 1), "weights": np.array([[[1, 2]] * 2], F16),
        "sparseIndicesOut": np.empty((1, 2, 1, 4), np.int32), "sparseValuesOut": np.empty((1, 2, 1, 4), F16),
    }  # fmt: skip
    assert indexed(**two, sparseMode=3)[0][0, :, 0].tolist() == [[0, 1, -1, -1], [2, 0, 1, -1]]


@pytest.mark.fidelity("sequences of sparse attention")
def test_batches_without_rows_or_keys() -> None:
    for name in ("actualSeqLengthsQueryOptional", "actualSeqLengthsKeyOptional"):
        assert (indexed(**{name: np.zeros(1, np.int32)})[0] == -1).all()


def test_scores_are_rounded_half_away_from_zero() -> None:
    """1 + 2^-11 lies in the middle of two FLOAT16."""
    x = np.array([1 + 2.0**-11, -1 - 2.0**-11, 1 + 2.0**-12, np.inf, -np.inf], F32)
    found = away_from_zero(x, np.dtype(F16))
    assert found.tolist() == [1 + 2.0**-10, -1 - 2.0**-10, 1, np.inf, -np.inf]


def attended(name: str = FLASH_NAME, soc: str = A2, **changes: Any) -> list[Any]:
    """One row with one head, whose scores of three keys are 0, 1 and 2."""
    rope = np.zeros((1, 1, 1, 64), F16)
    given = {
        "query": vectors([1], size=512)[None, None], "key": vectors([0], [1], [2], size=512)[None, :, None],
        "queryRopeOptional": rope, "keyRopeOptional": np.zeros((1, 3, 1, 64), F16), "scaleValue": 1.0,
        "sparseIndices": np.array([[[[0, 2, -1, 1]]]], np.int32), "sparseBlockSizeOptional": 1, **NUMBERS,
        "layoutKvOptional": "BSND", "attentionMode": 2, "returnSoftmaxLse": True,
        "attentionOut": np.empty((1, 1, 1, 512), F16), "softmaxMax": np.empty((1, 1, 1, 1), F32),
        "softmaxSum": np.empty((1, 1, 1, 1), F32), **changes,
    }  # fmt: skip
    out, top, total = called(name, soc, **given)
    return [out[..., 0].item(), top.item(), total.item()]


def test_a_list_ends_at_its_first_minus_1() -> None:
    """The scores are 0 and 2; a null value means the keys."""
    out, top, total = attended()
    assert (top, round(total, 6)) == (2, round(1 + np.exp(-2), 6))
    assert np.isclose(out, 2 / total, atol=2e-3)


def test_the_window_hides_keys() -> None:
    """The only row sees all three keys; with a first row of another batch none is seen."""
    assert attended(sparseMode=3) == attended()
    rows = {"actualSeqLengthsKvOptional": np.array([2], np.int32), "sparseMode": 3}
    assert attended(**rows)[1:] == [0, 1], "key 2 does not exist"


def test_a_row_without_keys() -> None:
    empty = {"sparseIndices": np.full((1, 1, 1, 4), -1, np.int32)}
    assert attended(**empty) == [0, 0, 0]
    assert attended(V2, A950, **empty, sinksOptional=np.array([0.5], F32)) == [0, 0.5, 1]


def test_a_sink_takes_a_share() -> None:
    out, top, total = attended(V2, A950, sinksOptional=np.array([3.0], F32))
    assert top == 3
    assert np.isclose(total, np.exp(-3) + np.exp(-1) + 1, atol=1e-6)
    assert np.isclose(out, 2 * np.exp(-1) / total, atol=2e-3)


@pytest.mark.fidelity("sequences of sparse attention")
def test_a_block_that_does_not_exist_is_found() -> None:
    key = np.zeros((2, 16, 1, 128), F16)
    with pytest.raises(UndefinedBehaviour, match="blockTable has the block 2"):
        indexed(
            key=key, layoutKeyOptional="PA_BSND", blockTableOptional=np.array([[1, 2]], np.int32),
            actualSeqLengthsKeyOptional=np.array([17], np.int32), returnValues=False, sparseValuesOut=None,
        )  # fmt: skip


ORDER: list[tuple[int, dict[str, Any]]] = [
    (NULLPTR, {"sparseIndicesOut": None}), (INVALID, {"query": Meta((2, 3, 8, 128))}),
    (TILING, {"layoutKeyOptional": "TND"}), (TILING, {"sparseCount": 2049}), (TILING, {"sparseMode": 1}),
    (TILING, {"preTokens": 5}), (TILING, {"nextTokens": 0}), (TILING, {"weights": Meta((2, 3, 8), ACL_BF16)}),
    (TILING, {"query": Meta((2, 3, 65, 128), HALF)}), (TILING, {"key": Meta((2, 5, 2, 128), HALF)}),
    (TILING, {"blockTableOptional": Meta((2, 2), ACL_INT32)}), (NULLPTR, {"sparseValuesOut": None}),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "changes"), ORDER, ids=str)
def test_what_the_indexer_refuses(answer: int, changes: dict[str, Any]) -> None:
    assert status(INDEXER_NAME, **changes) == answer


LAYOUTS: list[tuple[str, int, dict[str, Any]]] = [
    (INDEXER_NAME, 0, {"returnValues": False, "sparseValuesOut": Meta((0,), HALF)}),
    (FLASH_NAME, 0, {"returnSoftmaxLse": False, "softmaxMax": Meta((0,)), "softmaxSum": Meta((0,))}),
    (INDEXER_NAME, 0, PACKED_INDEXER), (INDEXER_NAME, 0, PAGED_INDEXER), (FLASH_NAME, 0, PAGED_FLASH),
    (INDEXER_NAME, TILING, {**PACKED_INDEXER, "actualSeqLengthsKeyOptional": None}),
    (INDEXER_NAME, TILING, {**PAGED_INDEXER, "blockTableOptional": None}),
    (INDEXER_NAME, TILING, {**PAGED_INDEXER, "key": Meta((3, 8, 1, 128), HALF)}),
    (INDEXER_NAME, TILING, {**PAGED_INDEXER, "returnValues": True, "sparseValuesOut": Meta((5, 1, 4), HALF)}),
    (INDEXER_NAME, TILING, {**PAGED_INDEXER, "blockTableOptional": Meta((3, 2), ACL_INT32)}),
    (FLASH_NAME, TILING, {**PAGED_FLASH, "sparseBlockSizeOptional": 32}),
    (FLASH_NAME, 0, {**PAGED_FLASH, "sparseBlockSizeOptional": 8}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "answer", "changes"), LAYOUTS, ids=str)
def test_layouts(name: str, answer: int, changes: dict[str, Any]) -> None:
    assert status(name, **changes) == answer


REFUSED: list[dict[str, Any]] = [
    {"attentionMode": 0}, {"queryRopeOptional": None}, {"keyRopeOptional": Meta((2, 5, 1, 32), HALF)},
    {"sparseBlockSizeOptional": 3}, {"sparseIndices": Meta((2, 3, 2, 4), ACL_INT32)},
    {"value": Meta((2, 5, 1, 256), HALF)}, {"query": Meta((2, 3, 3, 512), HALF)},
]  # fmt: skip


@pytest.mark.parametrize("changes", REFUSED, ids=str)
def test_what_sparse_attention_refuses(changes: dict[str, Any]) -> None:
    assert status(FLASH_NAME, **changes) == TILING
    assert status(FLASH_NAME, **{**FLASH, "softmaxMax": None}) == NULLPTR


def test_sinks_are_for_950() -> None:
    """The status comes before those of null pointers (public)."""
    assert status(V2, sinksOptional=Meta((2,)), query=None) == ACLNN_ERR_RUNTIME_ERROR
    assert status(V2, A950, sinksOptional=Meta((2,))) == ACL_SUCCESS
    assert status(V2, A950, sinksOptional=Meta((3,))) == TILING
    assert status(INDEXER_NAME, A950, **{**INDEXER, "query": Meta((2, 3, 3, 128), HALF)}) == TILING
