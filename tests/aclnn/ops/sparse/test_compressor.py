"""Compressor: figures, the cache of tokens, order of the checks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import aclnn
from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn.testing import run
from tests.aclnn.ops.case import A3, Meta, board
from tests.aclnn.ops.sparse.good_calls_latent import COMPRESSOR, HALF, RING
from tests.derived.good import subject
from tests.derived.launching import planned

F16, F32, I32 = np.float16, np.float32, np.int32
NULLPTR, INVALID, TILING = ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_INNER_TILING_ERROR
NAME = "aclnnCompressor"
FIGURE = 5.452723
"""of the keys 3 and 6 with the scores 1 and 2.5, whose shares are 0.182426 and 0.817574"""


def called(*tokens: float, start: int = 0, cache: Any = None, used: int | None = None, **changes: Any) -> list[Any]:
    """The cache and the keys of one batch. kv = token; its score is 1 or 2.5, by its position."""
    count = -(-len(tokens) // 2)
    given = {
        "x": np.array(tokens, F16).reshape(1, -1, 1), "wkv": np.ones((1, 1), F16), "wgate": np.zeros((1, 1), F16),
        "stateCacheRef": np.zeros((3, 4, 2), F32) if cache is None else cache, "ape": np.array([[1], [2.5]], F32),
        "stateBlockTable": np.array([[1, 2]], I32), "seqused": None if used is None else np.array([used], I32),
        "startPos": np.array([start], I32), "cmpRatio": 2, "coff": 1, "cacheMode": 1, "stateCacheStrideDim0": 0,
        "cmpKv": np.empty((1, count, 1), F16), **changes,
    }  # fmt: skip
    with Machine(A3):
        cache, keys = run(getattr(aclnn, NAME), *(given.get(name) for name in subject(NAME).good))
    return [cache, keys[0, :, 0].tolist()]


def status(soc: str = A3, **changes: Any) -> int:
    this = subject(NAME)
    with board(soc):
        return planned(this, this.changed(changes)).status


def test_the_figure_of_a_block() -> None:
    """An open block has no key: the second row is 0."""
    cache, keys = called(3, 6, 9)
    assert np.allclose(keys, [FIGURE, 0], atol=4e-3)
    assert cache[1].tolist() == [[3, 1], [6, 2.5], [9, 1], [0, 0]]


def test_a_block_goes_on_in_the_next_call() -> None:
    cache = np.zeros((3, 4, 2), F32)
    cache[1, 0] = 3, 1
    written, keys = called(6, start=1, cache=cache)
    assert np.allclose(keys, [FIGURE], atol=4e-3)
    assert written[1, 1].tolist() == [6, 2.5]


def test_tokens_behind_the_used_ones_do_not_exist() -> None:
    cache, keys = called(3, 6, used=1)
    assert keys == [0]
    assert cache[1].tolist() == [[3, 1], [0, 0], [0, 0], [0, 0]]


@pytest.mark.fidelity("tokens and blocks of aclnnCompressor")
def test_block_0_is_not_written() -> None:
    cache, keys = called(3, 6, stateBlockTable=np.zeros((1, 2), I32))
    assert np.allclose(keys, [FIGURE], atol=4e-3)
    assert not cache.any()


@pytest.mark.fidelity("tokens and blocks of aclnnCompressor")
def test_tokens_before_a_call_without_a_table_have_no_weight() -> None:
    assert called(6, start=1, stateBlockTable=None)[1] == [6]


@pytest.mark.fidelity("tokens and blocks of aclnnCompressor")
def test_a_block_that_does_not_exist_is_found() -> None:
    with pytest.raises(UndefinedBehaviour, match="stateBlockTable has the block 3"):
        called(3, 6, stateBlockTable=np.array([[3, 1]], I32))
    with pytest.raises(UndefinedBehaviour, match="no block for the position 8, legal values are 0 to 7"):
        called(3, 6, start=7)


def overlapping(*tokens: float, **changes: Any) -> list[Any]:
    """With two columns: the first for the next block, the second for the own block. All scores are 0."""
    return called(
        *tokens, coff=2, wkv=np.array([[1], [10]], F16), wgate=np.zeros((2, 1), F16), ape=np.zeros((2, 2), F32),
        **{"stateCacheRef": np.zeros((3, 4, 4), F32), **changes},
    )  # fmt: skip


def test_blocks_overlap_with_coff_2() -> None:
    """The first block has no block before; the second has the means of 1, 2 and of 30, 40."""
    assert overlapping(1, 2, 3, 4)[1] == [15, (1 + 2 + 30 + 40) / 4]


def test_a_ring_keeps_the_tokens_of_later_blocks() -> None:
    """Of five tokens the positions 2 to 4 are needed later; position 4 is in row 0 of the ring."""
    ring = {"cacheMode": 2, "stateBlockTable": np.array([1], I32)}
    cache, _ = overlapping(1, 2, 3, 4, 5, **ring)
    assert cache[1, :, 0].tolist() == [5, 0, 3, 4]
    # the next call reads positions 2 to 4
    _, keys = overlapping(6, start=5, stateCacheRef=cache, **ring)
    assert keys == [(3 + 4 + 50 + 60) / 4]


ORDER: list[tuple[int, dict[str, Any]]] = [
    (NULLPTR, {"wkv": None}), (INVALID, {"ape": Meta((2, 4), HALF)}), (TILING, {"wgate": Meta((4, 3), ACL_BF16)}),
    (TILING, {"stateCacheRef": Meta((5, 4))}), (TILING, {"cmpRatio": 0}), (TILING, {"coff": 3}),
    (TILING, {"wkv": Meta((4, 2), HALF)}), (TILING, {"wgate": Meta((3, 3), HALF)}), (TILING, {"ape": Meta((3, 4))}),
    (TILING, {"stateCacheRef": Meta((5, 4, 4))}), (TILING, {"stateBlockTable": Meta((3, 3), ACL_INT32)}),
    (TILING, {"seqused": Meta((3,), ACL_INT32)}), (TILING, {"startPos": Meta((1,), ACL_INT32)}),
    (TILING, {"cmpKv": Meta((2, 2, 4), HALF)}),
]  # fmt: skip


@pytest.mark.parametrize("place", range(len(ORDER)))
def test_order_of_the_checks(place: int) -> None:
    """Each call has this mistake and all later ones that can be combined with it."""
    expected, mistake = ORDER[place]
    assert status(**mistake) == expected
    later = {name: value for _, other in reversed(ORDER[place + 1 :]) for name, value in other.items()}
    assert status(**{**later, **mistake}) == expected


def test_packed_tokens_need_their_ends() -> None:
    packed = {"x": Meta((7, 3), HALF), "cmpKv": Meta((5, 4), HALF)}
    assert status(**packed) == TILING
    assert status(**packed, cuSeqlens=Meta((0,), ACL_INT32)) == TILING
    assert status(**packed, cuSeqlens=Meta((3,), ACL_INT32)) == ACL_SUCCESS


def test_a_ring_has_one_block_for_each_batch() -> None:
    assert status(**RING) == ACL_SUCCESS
    assert status(**{**RING, "stateBlockTable": COMPRESSOR["stateBlockTable"]}) == TILING
