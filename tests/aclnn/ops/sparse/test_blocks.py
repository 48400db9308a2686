"""Attention whose keys are chosen block by block: figures, masks, rows without keys, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import aclnn
from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn.ops.sparse.compressed import of_blocks
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, Meta, board
from tests.aclnn.ops.sparse.good_calls_blocks import (
    CACHED,
    COMPRESSED,
    HALF,
    PACKED_TILES,
    PAGED_CACHED,
    SELECTED,
    TILES,
)  # fmt: skip
from tests.derived.good import subject
from tests.derived.launching import planned
from tests.derived.values import Values

F16, F32 = np.float16, np.float32
NULLPTR, INVALID, TILING = ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_INNER_TILING_ERROR
INNER = ACLNN_ERR_INNER_NULLPTR
NAMES = ("aclnnNsaSelectedAttention", "aclnnNsaCompressAttention", "aclnnNsaCompressWithCache",
         "aclnnBlockSparseAttention", "aclnnBlockSparseAttentionV2")  # fmt: skip
CHOICE, COMPRESSION, CACHE, TILED, TILED_V2 = NAMES


def called(name: str, **given: Any) -> list[Any]:
    with Machine():
        results = run(getattr(aclnn, name), *(given.get(each) for each in subject(name).good))
    return list(results) if isinstance(results, tuple) else [results]


def status(name: str, soc: str = A2, **changes: Any) -> int:
    this = subject(name)
    with board(soc):
        return planned(this, this.changed(changes)).status


def test_the_figures_of_scored_blocks() -> None:
    """m = n = 2, P = .1 .2 .3 .4: keys that do not exist count as 0."""
    scores = of_blocks(np.array([[0.1, 0.2, 0.3, 0.4]], F32), 2, 2, 2)
    assert np.allclose(scores, [[0.8, 1.1]])


def chosen(blocks: list[int], **changes: Any) -> list[float]:
    """The output of one row with one head, of 32 keys with equal scores, whose values are their numbers."""
    values = np.zeros((32, 1, 128), F16)
    values[:, 0, 0] = np.arange(32)
    given = {
        "query": np.zeros((1, 1, 192), F16), "key": np.zeros((32, 1, 192), F16), "value": values,
        "topkIndices": np.array([[blocks]], np.int32), "actualSeqQLenOptional": [1], "actualSeqKvLenOptional": [32],
        "scaleValue": 1.0, "headNum": 1, "inputLayout": "TND", "sparseMode": 0, "selectedBlockSize": 16,
        "selectedBlockCount": len(blocks), "softmaxMaxOut": np.empty((1, 1, 8), F32),
        "softmaxSumOut": np.empty((1, 1, 8), F32), "attentionOut": np.empty((1, 1, 128), F16), **changes,
    }  # fmt: skip
    top, total, out = called(CHOICE, **given)
    return [*np.unique(top), *np.unique(total), out[0, 0, 0]]


@pytest.mark.fidelity("blocks and tiles of sparse attention")
def test_a_row_sees_the_keys_of_its_blocks() -> None:
    """A block that is named twice counts twice. With a mask the first row sees the first key alone, or none."""
    mask = {"attenMaskOptional": np.zeros((32, 32), np.bool_), "sparseMode": 2}
    assert chosen([1]) == [0, 16, 23.5]
    assert chosen([1, 0]) == [0, 32, 15.5]
    assert chosen([0, 0]) == [0, 32, 7.5]
    assert chosen([0], **mask) == [0, 1, 0]
    assert chosen([1], **mask) == [0, 0, 0]


@pytest.mark.fidelity("blocks and tiles of sparse attention")
def test_a_block_that_does_not_exist_is_found() -> None:
    with pytest.raises(UndefinedBehaviour, match="topkIndices has the block 2"):
        chosen([2])


def test_a_slot_that_does_not_exist_is_found() -> None:
    """The sequence of one key has no block, so its slot is not read."""
    given = {**CACHED, "input": np.ones((9, 2, 4), F16), "weight": np.ones((2, 2), F16), "actSeqLenOptional": [4, 1, 3],
             "outputCache": np.zeros((6, 2, 4), F16)}  # fmt: skip
    (out,) = called(CACHE, **given | {"slotMapping": np.array([5, 9, 9], np.int32)})
    assert out[5, 0, 0] == 2, "3 keys are no 2 keys plus a multiple of 2"
    with pytest.raises(UndefinedBehaviour, match="slotMapping has the block 9"):
        called(CACHE, **given | {"slotMapping": np.array([9, 0, 0], np.int32)})


@pytest.mark.fidelity("blocks and tiles of sparse attention")
def test_rows_without_tiles_are_0() -> None:
    """The logarithm of the sum of such a row is infinite. Other rows have the mean of the values that they see."""
    shape = (1, 1, 2, 64)
    values = np.zeros((1, 1, 256, 64), F16)
    values[..., 128:, :] = 1
    given = {
        **TILES, "query": np.zeros(shape, F16), "key": np.zeros((1, 1, 256, 64), F16), "value": values,
        "blockSparseMaskOptional": np.array([[[[0, 0], [0, 1]]]], np.int8), "blockShapeOptional": [1, 128],
        "actualSeqLengthsOptional": None, "actualSeqLengthsKvOptional": None, "numKeyValueHeads": 1,
        "attentionOut": np.empty(shape, F16), "softmaxLseOptional": np.empty((1, 1, 2, 1), F32),
    }  # fmt: skip
    out, lse = called(TILED, **given)
    assert out[0, 0, :, 0].tolist() == [0, 1]
    assert np.allclose(lse.ravel(), [np.inf, np.log(128)])


ANSWERS: list[tuple[str, int, dict[str, Any]]] = [
    (CHOICE, NULLPTR, {"actualSeqQLenOptional": None}), (CHOICE, INVALID, {"inputLayout": "BSND"}),
    (CHOICE, INVALID, {"sparseMode": 1}), (CHOICE, INVALID, {"headNum": 2}),
    (CHOICE, INVALID, {"key": Meta((96, 2, 128), HALF)}), (CHOICE, INVALID, {"selectedBlockSize": 24}),
    (CHOICE, INVALID, {"actualSeqKvLenOptional": Values((60, 96))}),
    (CHOICE, INVALID, {"actualSeqKvLenOptional": Values((96,))}),
    (COMPRESSION, INVALID, {"selectBlockSize": 24}), (COMPRESSION, INVALID, {"sparseMode": 2}),
    (COMPRESSION, INVALID, {"attenMaskOptional": Meta((3, 4), ACL_BOOL)}),
    (COMPRESSION, 0, {**COMPRESSED, "sparseMode": 0, "topkMaskOptional": None}),
    (CACHE, TILING, {"actSeqLenType": 0}), (CACHE, TILING, {"actSeqLenOptional": Values((4, 1, 5))}),
    (CACHE, 0, PAGED_CACHED),
    (CACHE, TILING, {**PAGED_CACHED, "pageBlockSize": 128}),
    (CACHE, TILING, {**PAGED_CACHED, "actSeqLenOptional": Values((129, 1, 1))}),
    (CACHE, TILING, {"slotMapping": Meta((2,), ACL_INT32)}),
    (CACHE, TILING, {**PAGED_CACHED, "blockTableOptional": Meta((3,), ACL_INT32)}),
    (TILED, 0, PACKED_TILES), (TILED, NULLPTR, {"qInputLayout": None}), (TILED, INVALID, {"qInputLayout": "NTD"}),
    (TILED, INVALID, {"kvInputLayout": "BSND"}),
    (TILED, INVALID, {"blockShapeOptional": Values((2,))}),
    (TILED, INVALID, {"innerPrecise": 4}), (TILED, INVALID, {"blockSparseMaskOptional": Meta((4, 3, 2), ACL_INT8)}),
    (TILED, INNER, {"blockSparseMaskOptional": None}), (TILED, INNER, {"maskType": 1}),
    (TILED, INNER, {"preTokens": 5}),
    (TILED, INNER, {"attenMaskOptional": Meta((5, 200), ACL_INT8)}), (TILED, INNER, {"numKeyValueHeads": 4}),
    (TILED, INNER, {"blockShapeOptional": Values((2, 64))}), (TILED, INNER, {"actualSeqLengthsOptional": None}),
    (TILED, INNER, {**PACKED_TILES, "actualSeqLengthsOptional": Values((5, 4))}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "answer", "changes"), ANSWERS, ids=str)
def test_statuses(name: str, answer: int, changes: dict[str, Any]) -> None:
    assert status(name, **changes) == answer


def test_float16_softmax_is_for_old_products() -> None:
    assert status(TILED, A950, innerPrecise=4) == ACL_SUCCESS


def test_the_heads_of_a_group() -> None:
    """33 heads of queries for one head of keys are too many."""
    many = {"query": Meta((5, 33, 192), HALF), "key": Meta((96, 1, 192), HALF), "value": Meta((96, 1, 128), HALF),
            "topkIndices": Meta((5, 1, 2), ACL_INT32), "headNum": 33}  # fmt: skip
    assert status(CHOICE, **SELECTED, softmaxMaxOut=Meta((5, 33, 8))) == INVALID
    assert status(CHOICE, **many) == INVALID
