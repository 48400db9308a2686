"""QkvRmsNormRopeCache: figures by hand, and what the search does not reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.attention.good_calls import GOOD, HALF
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values
from tests.helpers.refusals import Mistake, answer, assert_in_order

NULL, INVALID = ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID
FIRST, GOOD_CALL = aclnnQkvRmsNormRopeCacheGetWorkspaceSize, GOOD["aclnnQkvRmsNormRopeCache"]
H, F32 = np.float16, np.float32


def tokens(index: Any, cache: Any, *factors: Any, outs: tuple[Any, ...] = (None, None, None)) -> Any:
    """Rows of one head each: queries of 3 and 4, keys of 1, values that count. Heads are turned by 90 degrees."""
    count = len(index)
    one = np.concatenate([np.tile([3, 4], 64), np.ones(128), np.arange(128)])
    qkv, ones, angles = np.array([one] * count, H), np.ones(128, H), np.zeros((count, 128), H)
    outputs = (np.empty((count, 128), H), cache.copy(), cache.copy())
    index, scales = np.array(index), (*factors, None, None, None, None)[:4]
    with Machine():
        return run(aclnnQkvRmsNormRopeCache, qkv, 2 * ones, ones, angles, angles + 1, index, *outputs, *scales,
                   [1, count, 3, 128], [1, 1, 1], 0.0, "PA_NZ", *outs)  # fmt: skip


def test_queries_are_normalised_and_rotated() -> None:
    q, *_ = tokens([0], np.zeros((1, 8, 1, 16), H))
    root = 12.5**0.5
    expected = np.concatenate([-np.tile([6, 8], 32), np.tile([6, 8], 32)]) / root
    assert np.array_equal(q[0], expected.astype(H))


def test_rows_of_the_caches_lie_in_groups_of_32_bytes() -> None:
    outs = tuple(np.empty((2, 128), H) for _ in range(3))
    q, keys, values, *before = tokens([3, -1], np.zeros((2, 8, 2, 16), H), outs=outs)
    assert values[1, :, 1].ravel().tolist() == list(range(128)), "slot 3 is row 1 of block 1"
    assert keys[1, :, 1].ravel().tolist() == [-1] * 64 + [1] * 64
    assert not np.any([values[0], keys[0]])
    assert not values[1, :, 0].any()
    assert [each[1].tolist() for each in before] == [q[1].tolist(), [-1] * 64 + [1] * 64, list(range(128))]


@pytest.mark.fidelity("aclnnQkvRmsNormRopeCache")
def test_a_cache_of_int8_gets_quotients() -> None:
    scale, offset = np.full((1, 128), 0.25, F32), np.full((1, 128), -2, F32)
    _, keys, values, *_ = tokens([0], np.zeros((1, 4, 1, 32), np.int8), scale, scale * 8, None, offset)
    assert keys[0, :, 0].ravel().tolist() == [-4] * 64 + [4] * 64
    assert values[0, 0, 0, :8].tolist() == [-2, -2, -1, 0, 0, 0, 1, 2], "halves to even"
    _, keys, *_ = tokens([0], np.zeros((1, 4, 1, 32), np.int8), scale / 64, scale)
    assert set(keys.ravel().tolist()) == {-128, 127}


def test_tokens_without_a_slot_change_nothing() -> None:
    _, keys, values, *_ = tokens([-1, -1], np.full((2, 8, 2, 16), 5, H))
    assert set(keys.ravel()) == set(values.ravel()) == {5}


@pytest.mark.fidelity("aclnnQkvRmsNormRopeCache")
def test_a_slot_that_does_not_exist() -> None:
    with pytest.raises(UndefinedBehaviour, match="index-range"):
        tokens([4], np.zeros((2, 8, 2, 16), H))


MISTAKES = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("qkv", "qGamma", "index", "kCache")),
    Mistake("type", INVALID, "kGamma", kGamma=Meta((128,), ACL_BF16)),
    Mistake("type of a cache", INVALID, "vCache", vCache=Meta((2, 8, 4, 16), ACL_BF16)),
    Mistake("rank of a cache", INVALID, "kCache", kCache=Meta((2, 8, 64), HALF)),
    Mistake("heads", INVALID, "qkv", headNums=Values((3, 1, 2))),
    Mistake("angles", INVALID, "cos", cos=Meta((1, 128), HALF)),
    Mistake("slots", INVALID, "index", index=Meta((4,), ACL_INT64)),
    Mistake("blocks", INVALID, "vCache", vCache=Meta((2, 4, 4, 32), HALF)),
]


@pytest.mark.fidelity("aclnnQkvRmsNormRopeCache")
@pytest.mark.parametrize("mode", [None, ""])
def test_no_mode_is_that_of_blocks(mode: str | None) -> None:
    assert answer(FIRST, GOOD_CALL, {"cacheModeOptional": mode, "qkvSize": Values((9,))}).status == ACL_SUCCESS
    others = {"cacheModeOptional": mode, "kCache": Meta((2, 4, 1, 128), HALF)}
    assert answer(FIRST, GOOD_CALL, others).status == INVALID


def test_mistakes_are_refused_in_the_order_of_the_contract() -> None:
    assert_in_order(FIRST, GOOD_CALL, MISTAKES)
