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
from tests.aclnn.ops.case import A950, Meta
from tests.helpers.refusals import Mistake, answer, assert_refused

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


HEADS: dict[str, Any] = {
    "key": Meta((2, 3, 2, 16), HALF), "keyCacheRef": Meta((3, 2, 1, 16), HALF), "slotMapping": Meta((2, 2), ACL_INT32),
    "compressLensOptional": Meta((2, 2), ACL_INT32), "compressSeqOffsetOptional": Meta((4,), ACL_INT32),
    "seqLensOptional": Meta((2,), ACL_INT32), "cacheMode": None,
}  # fmt: skip


@pytest.mark.parametrize("mistake", [
    Mistake("no lengths", TILING, "key", compressLensOptional=None),
    Mistake("no ends", TILING, "key", seqLensOptional=None),
    Mistake("a slot for each batch", TILING, "slotMapping", slotMapping=Meta((2,), ACL_INT32)),
    Mistake("three lengths", TILING, "compressLensOptional", compressLensOptional=Meta((3,), ACL_INT32)),
    Mistake("two offsets", TILING, "compressSeqOffsetOptional", compressSeqOffsetOptional=Meta((2,), ACL_INT32)),
    Mistake("an end for each head", TILING, "seqLensOptional", seqLensOptional=Meta((4,), ACL_INT32)),
    Mistake("a cache of two heads", TILING, "keyCacheRef", keyCacheRef=Meta((3, 2, 2, 16), HALF)),
], ids=str)  # fmt: skip
def test_tokens_of_heads_are_refused(mistake: Mistake) -> None:
    assert answer(aclnnScatterPaCacheGetWorkspaceSize, HEADS, soc=A950).status == ACL_SUCCESS
    assert_refused(aclnnScatterPaCacheGetWorkspaceSize, HEADS, mistake, A950)


def compressed(slots: list[int], lengths: list[int], offsets: list[int] | None, end: int) -> list[float]:
    """The rows of a cache of seven blocks. The tokens of the heads are 1 to 4, and 11 to 14."""
    key = np.array([[1, 11], [2, 12], [3, 13], [4, 14]], F32).reshape(1, 4, 2, 1)
    with Machine(A950):
        cache = run(aclnnScatterPaCache, key, np.zeros((7, 2, 1, 1), F32), np.array([slots], I32),
                    np.array([lengths], I32), None if offsets is None else np.array(offsets, I32), np.array([end], I32),
                    None)  # fmt: skip
    return cache.ravel().tolist()


@pytest.mark.fidelity("places in paged caches")
def test_the_last_tokens_of_each_head() -> None:
    assert compressed([1, 9], [2, 3], None, 3) == [0, 2, 3, *[0] * 6, 11, 12, 13, 0, 0]


@pytest.mark.fidelity("places in paged caches")
def test_the_mean_of_some_tokens_of_each_head() -> None:
    """The second head has no tokens for a mean."""
    assert compressed([0, 6], [2, 0], [1, 2], 4) == [1, 2.5, 4, 0, 0, 0, 11, 12, 13, 14, 0, 0, 0, 0]


@pytest.mark.fidelity("places in paged caches")
@pytest.mark.parametrize(("slots", "lengths", "offsets", "end"), [
    ([0, 12], [3, 3], None, 4), ([0, -1], [1, 1], None, 4), ([0, 4], [1, 5], None, 4), ([0, 4], [1, 1], None, 5),
    ([0, 4], [1, 1], [0, 5], 4),
])  # fmt: skip
def test_tokens_of_heads_that_do_not_fit(
    slots: list[int], lengths: list[int], offsets: list[int] | None, end: int
) -> None:
    with pytest.raises(UndefinedBehaviour, match="index-range"):
        compressed(slots, lengths, offsets, end)


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


def test_a_cache_of_int8_needs_its_scale() -> None:
    quantised = {"kCacheRef": Meta((2, 1, 5, 4), ACL_INT8), "kRopeScaleOptional": None}
    assert_refused(aclnnKvRmsNormRopeCacheGetWorkspaceSize, ROPE, Mistake("", TILING, "kCacheRef", **quantised))


WIDE: dict[str, Any] = {
    "kv": Meta((2, 1, 3, 48), HALF), "gamma": Meta((32,), HALF), "index": Meta((4,), ACL_INT64),
    **dict.fromkeys(("cos", "sin", "kRopeOut"), Meta((2, 1, 3, 16), HALF)), "cKvOut": Meta((2, 1, 3, 32), HALF),
    **dict.fromkeys(("kRopeScaleOptional", "cKvScaleOptional", "cKvOffsetOptional")),
    "kCacheRef": Meta((3, 2, 1, 16), HALF), "ckvCacheRef": Meta((3, 2, 1, 32), HALF), "cacheModeOptional": "PA_BLK_NZ",
}  # fmt: skip


def test_paged_caches_of_KvRmsNormRopeCache() -> None:
    first, call = aclnnKvRmsNormRopeCacheGetWorkspaceSize, {**ROPE, **WIDE}
    assert answer(first, call).status == ACL_SUCCESS
    other = Meta((3, 4, 1, 32), HALF)
    for name, changes in (
        ("index", {"index": Meta((6,), ACL_INT64)}), ("index", {"cacheModeOptional": "PA_NZ"}),
        ("ckvCacheRef", {"ckvCacheRef": other}), ("kCacheRef", {"kCacheRef": Meta((3, 2, 1, 8), HALF)}),
        ("kCacheRef", {"kCacheRef": Meta((3, 2, 1, 16), ACL_INT8), "kRopeScaleOptional": Meta((1,))}),
    ):  # fmt: skip
        assert_refused(first, call, Mistake("", TILING, name, **changes))
    whole = {"cacheModeOptional": "PA_NZ", "index": Meta((6,), ACL_INT64), "ckvCacheRef": other}
    assert answer(first, call, whole).status == ACL_SUCCESS, "slots of two caches may be of other blocks"


@pytest.mark.fidelity("aclnnKvRmsNormRopeCache")
@pytest.mark.parametrize("dtype", [np.float16, np.int8])
@pytest.mark.parametrize(("mode", "index", "rows"), [
    ("PA_NZ", [5, -1, 2], [5, 2]), ("PA_BLK_BSND", [4, 2], [4, 5, 2]), ("PA_BLK_NZ", [-1, 0], [0]),
])  # fmt: skip
def test_rows_of_blocks(mode: str, index: list[int], rows: list[int], dtype: Any) -> None:
    """Blocks of two rows of 64 elements. Values of ones are normalised to gamma."""
    f16 = np.float16
    kv, angles, gamma = np.ones((1, 1, 3, 96), f16), np.zeros((1, 1, 1, 32), f16), np.arange(1, 65).astype(f16)
    caches, scale = [np.zeros((3, 2, 1, width), dtype) for width in (32, 64)], np.ones(1, F32)
    with Machine():
        _, values, *_ = run(aclnnKvRmsNormRopeCache, kv, gamma, angles, angles, np.array(index), *caches, scale, scale,
                            None, None, 0.0, mode, False, np.empty((1, 1, 3, 32), f16),
                            np.empty((1, 1, 3, 64), f16))  # fmt: skip
    wanted = np.zeros((6, 64), dtype)
    wanted[rows] = gamma
    if mode.endswith("NZ"):
        group = 32 // values.itemsize
        wanted = wanted.reshape(3, 2, 64 // group, group).swapaxes(1, 2)
    assert np.array_equal(values.reshape(wanted.shape), wanted)


@pytest.mark.fidelity("aclnnKvRmsNormRopeCache")
def test_a_block_of_rows_that_does_not_exist_is_found() -> None:
    f16 = np.float16
    kv, angles, gamma = np.ones((1, 1, 3, 96), f16), np.zeros((1, 1, 1, 32), f16), np.ones(64, f16)
    caches = [np.zeros((3, 2, 1, width), f16) for width in (32, 64)]
    with Machine(), pytest.raises(UndefinedBehaviour, match="index-range"):
        run(aclnnKvRmsNormRopeCache, kv, gamma, angles, angles, np.array([0, 6]), *caches, *[None] * 4, 0.0,
            "PA_BLK_BSND", False, np.empty((1, 1, 3, 32), f16), np.empty((1, 1, 3, 64), f16))  # fmt: skip
