"""RopeWithSinCosCache: figures by hand, and what the search does not reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.rotary.good_calls import GOOD
from tests.derived.values import Values
from tests.helpers.refusals import Mistake, answer, assert_refused

F32 = np.float32
FIRST, CALL = aclnnRopeWithSinCosCacheV2GetWorkspaceSize, GOOD["aclnnRopeWithSinCosCacheV2"]
X, TABLE = np.zeros((1, 16), F32), np.zeros((2, 16), F32)
X[0, :16], TABLE[1, :8], TABLE[1, 8:] = np.arange(1, 17), np.arange(1, 9) / 10, np.arange(3, 11) / 10


def rotated(x: Any = X, table: Any = TABLE, at: Any = (1,), size: int = 16, *, neox: bool = True) -> Any:
    with Machine():
        query, key = run(aclnnRopeWithSinCosCache, np.array(at), x, x, table, None, size, neox, x.copy(), x.copy())
    assert np.array_equal(query, key)
    return query


def test_halves_and_pairs() -> None:
    """c = .1 .2 ..., s = .3 .4 ...: the first pair is 1 and 9, or 1 and 2."""
    assert np.allclose(rotated()[0, [0, 8, 1, 9]], [0.1 - 2.7, 0.9 + 0.3, 0.4 - 4, 2 + 0.8])
    assert np.allclose(rotated(neox=False)[0, :4], [0.1 - 0.6, 0.2 + 0.3, 0.6 - 1.6, 0.8 + 1.2])


def test_elements_behind_the_table_stay() -> None:
    wide = np.tile(X, (1, 2))
    found = rotated(wide, size=32)
    assert np.array_equal(found[0, 16:], X[0])
    assert np.array_equal(found[0, :16], rotated()[0])


@pytest.mark.fidelity("positions of aclnnRopeWithSinCosCache")
def test_elements_behind_the_last_head() -> None:
    wide = np.concatenate([X, X[:, :8]], 1)
    assert np.array_equal(rotated(wide)[0, 16:], X[0, :8])


@pytest.mark.parametrize("size", [32, 1 << 62])
def test_rows_narrower_than_a_head_stay(size: int) -> None:
    assert np.array_equal(rotated(size=size), X)


@pytest.mark.fidelity("positions of aclnnRopeWithSinCosCache")
def test_a_position_out_of_range() -> None:
    with pytest.raises(UndefinedBehaviour, match="index-range"):
        rotated(at=(2,))


def by_rows(mode: int) -> list[float]:
    """The number of the row of positions that each column is by: the table has the position itself as its cosines."""
    table = np.zeros((3, 64), F32)
    table[:, :32] = np.arange(3)[:, None]
    x = np.ones((1, 64), F32)
    with Machine():
        query, _ = run(aclnnRopeWithSinCosCacheV2, np.array([[0], [1], [2]]), x, x, table, [8, 12, 12], 64, True, mode,
                       x.copy(), x.copy())  # fmt: skip
    return query[0, :32].tolist()


def test_sections_in_their_order() -> None:
    assert by_rows(0) == [0] * 8 + [1] * 12 + [2] * 12


def test_columns_take_turns() -> None:
    assert by_rows(1) == [0, 1, 2] * 10 + [0, 1], "3 * 12 is more than 32"


KERNEL = ACLNN_ERR_INNER_NULLPTR
WIDE = {"cosSinCache": Meta((7, 128), ACL_FLOAT16), "queryIn": Meta((3, 128), ACL_FLOAT16), "headSize": 128,
        "queryOut": Meta((3, 128), ACL_FLOAT16), "keyIn": Meta((3, 128), ACL_FLOAT16),
        "keyOut": Meta((3, 128), ACL_FLOAT16)}  # fmt: skip


@pytest.mark.parametrize("mistake", [
    Mistake("the mode before nulls", ACLNN_ERR_PARAM_INVALID, "cacheMode", cacheMode=2, queryIn=None),
    Mistake("no size", ACLNN_ERR_PARAM_INVALID, "headSize", headSize=0),
    Mistake("a size of 32 bytes", KERNEL, "headSize", headSize=16),
    Mistake("a table wider than a head", KERNEL, "headSize", cosSinCache=Meta((7, 64), ACL_FLOAT16)),
    Mistake("other sections", ACLNN_ERR_PARAM_INVALID, "mropeSection", mropeSection=Values((4, 6, 6))),
    Mistake("four sections take turns", KERNEL, "mropeSection", **WIDE, cacheMode=1,
            mropeSection=Values((16, 16, 16, 16)), positions=Meta((4, 3), ACL_INT64)),
], ids=str)  # fmt: skip
def test_refusals(mistake: Mistake) -> None:
    assert_refused(FIRST, CALL, mistake)


def test_four_sections() -> None:
    changes = {**WIDE, "mropeSection": Values((16, 16, 16, 16)), "positions": Meta((4, 3), ACL_INT64)}
    assert answer(FIRST, CALL, changes).status == ACL_SUCCESS


@pytest.mark.fidelity("positions of aclnnRopeWithSinCosCache")
def test_positions_fit() -> None:
    assert_refused(FIRST, CALL, Mistake("", KERNEL, "positions", positions=Meta((4,), ACL_INT64)))
    mistake = Mistake("", KERNEL, "positions", **WIDE, mropeSection=Values((24, 20, 20)))
    assert_refused(FIRST, CALL, mistake)
