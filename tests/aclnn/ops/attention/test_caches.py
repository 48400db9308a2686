"""Paged caches: figures by hand, and what the search does not reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.attention.good_calls import GOOD, HALF
from tests.aclnn.ops.case import A950, Meta, board
from tests.helpers.builders import plan
from tests.helpers.refusals import Mistake, answer, assert_refused, made

TILING = ACLNN_ERR_INNER_TILING_ERROR
F32, I32 = np.float32, np.int32


def test_tokens_come_into_blocks_and_back() -> None:
    key, cache = np.arange(1, 7, dtype=np.int8).reshape(3, 1, 2), np.zeros((2, 2, 1, 2), np.int8)
    slots = np.array([3, 0, 2], I32)
    with Machine():
        keys, values = run(aclnnScatterPaKvCache, key, cache, slots, -key, cache.copy(), None, None, None, None, None,
                           None, None)  # fmt: skip
        assert keys[..., 0, :].tolist() == [[[3, 4], [0, 0]], [[5, 6], [1, 2]]]
        assert np.array_equal(values, -keys)
        tables, lengths = np.array([[1, 0], [0, 0]], I32), np.array([3, 0], I32)
        out = np.full((4, 1, 2), 9, np.int8)
        back, _ = run(aclnnGatherPaKvCache, keys, values, tables, lengths, out, out.copy(), None, "Norm", False)
        assert back[:, 0].tolist() == [[5, 6], [1, 2], [3, 4], [9, 9]]


@pytest.mark.fidelity("places in paged caches")
@pytest.mark.parametrize("slot", [-1, 4])
def test_a_slot_that_does_not_exist_is_found(slot: int) -> None:
    key, cache = np.ones((1, 1, 2), np.int8), np.zeros((2, 2, 1, 2), np.int8)
    with Machine(), pytest.raises(UndefinedBehaviour, match="index-range"):
        run(aclnnScatterPaKvCache, key, cache, np.array([slot], I32), key, cache.copy(), *[None] * 7)


@pytest.mark.fidelity("places in paged caches")
@pytest.mark.parametrize(("block", "length"), [(2, 1), (-1, 1), (0, 3), (0, 9)])
def test_a_block_that_does_not_exist_is_found(block: int, length: int) -> None:
    cache, out = np.zeros((2, 2, 1, 2), np.int8), np.zeros((4, 1, 2), np.int8)
    tables, lengths = np.array([[block]], I32), np.array([length], I32)
    with Machine(), pytest.raises(UndefinedBehaviour, match="index-range"):
        run(aclnnGatherPaKvCache, cache, cache.copy(), tables, lengths, out, out.copy(), None, "Norm", False)


def test_blocks_of_32_bytes_are_not_for_950() -> None:
    changes: dict[str, Any] = {"cacheModeOptional": "PA_NZ"}
    first, good = aclnnScatterPaKvCacheGetWorkspaceSize, GOOD["aclnnScatterPaKvCache"]
    order = ("key", "keyCacheRef", "slotMapping", "value", "valueCacheRef", "compressLensOptional",
             "compressSeqOffsetOptional", "seqLensOptional", "cacheModeOptional", "scatterModeOptional",
             "stridesOptional", "offsetsOptional")  # fmt: skip
    call = {name: good.get(name) for name in order}
    assert answer(first, call, changes).status == ACL_SUCCESS
    assert_refused(first, call, Mistake("", TILING, "cacheModeOptional", **changes), A950)
    compressed = {"scatterModeOptional": "Alibi", "slotMapping": Meta((8,), ACL_INT32)}
    assert answer(first, call, compressed).status == ACL_SUCCESS, "the launch has no kernel"


def test_tokens_of_ScatterPaCache_may_be_compressed() -> None:
    call = {"key": Meta((2, 3, 2, 16), HALF), "keyCacheRef": Meta((3, 2, 1, 16), HALF),
            "slotMapping": Meta((2, 2), ACL_INT32), "compressLens": Meta((2, 2), ACL_INT32), "offset": None,
            "seqLens": Meta((2,), ACL_INT32), "cacheMode": None}  # fmt: skip
    assert answer(aclnnScatterPaCacheGetWorkspaceSize, call, soc=A950).status == ACL_SUCCESS


# KvRmsNormRopeCache

ROPE = GOOD["aclnnKvRmsNormRopeCache"]


@pytest.mark.fidelity("aclnnKvRmsNormRopeCache")
def test_quantised_rows_of_a_cache() -> None:
    """Values 3 and 4 have the mean square 12.5; the key (1, 2) turns by a quarter."""
    f16 = np.float16
    kv, gamma = np.array([[[[3, 4, 1, 2]]]], f16), np.array([1, 2], f16)
    cos, sin = np.array([[[[0, 0]]]], f16), np.array([[[[1, 1]]]], f16)
    index, caches = np.array([[1]]), [np.zeros((1, 1, 2, 2), np.int8) for _ in range(2)]
    scales = np.array([2.5], F32), np.array([100, 1], F32)
    with Machine():
        keys, values, key, value = run(
            aclnnKvRmsNormRopeCache, kv, gamma, cos, sin, index, *caches, *scales, None, np.array([0, -3.5], F32), 0.0,
            "Norm", True, np.empty((1, 1, 1, 2), f16), np.empty((1, 1, 1, 2), f16),
        )  # fmt: skip
    assert keys[0, 0].tolist() == [[0, 0], [-5, 2]], "-2 * 2.5, 1 * 2.5"
    assert values[0, 0].tolist() == [[0, 0], [85, -1]], "0.849 * 100, 2.263 - 3.5"
    assert key.ravel().tolist() == [-2, 1]
    assert np.allclose(value.ravel().astype(float), [0.8485, 2.2627], atol=2e-3)


@pytest.mark.fidelity("aclnnKvRmsNormRopeCache")
def test_modes_of_KvRmsNormRopeCache_without_a_kernel() -> None:
    first = aclnnKvRmsNormRopeCacheGetWorkspaceSize
    for mode in ("PA_NZ", "PA_BLK_BSND", "PA_BLK_NZ"):
        changes = {"cacheModeOptional": mode, "index": Meta((6,), ACL_INT64)}
        assert answer(first, ROPE, changes).status == ACL_SUCCESS
        with board(catalogued="plan"):
            found = plan(first, *map(made, {**ROPE, **changes}.values()))
            assert found.status == ACLNN_ERR_INNER_FIND_KERNEL_ERROR
    quantised = {"kCacheRef": Meta((2, 1, 5, 4), ACL_INT8), "kRopeScaleOptional": None}
    assert_refused(first, ROPE, Mistake("", TILING, "kCacheRef", **quantised))
