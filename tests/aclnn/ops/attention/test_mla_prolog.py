"""MlaProlog: quantised modes, caches, NZ weights, the order of the checks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import aclnn
from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from acl_runtime.headers.dtypes import numpy_dtype
from aclnn.ops.attention._cache_slots import slots_of_blocks
from aclnn.ops.attention.mla_prolog import quantised
from aclnn.testing import run
from tests.aclnn.ops.attention.good_calls_prolog import BATCHED, HALF_WHOLE, WHOLE, WHOLE_CACHE
from tests.aclnn.ops.attention.routes_prolog import prolog
from tests.aclnn.ops.case import A2, A950, Meta, board
from tests.derived.good import subject
from tests.derived.launching import planned

NULLPTR, INVALID, TILING = ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_INNER_TILING_ERROR
FIRST, SECOND, THIRD = "aclnnMlaProlog", "aclnnMlaPrologV2WeightNz", "aclnnMlaPrologV3WeightNz"
B16, I8 = ACL_BF16, ACL_INT8


def drawn(name: str, meta: Any, generator: np.random.Generator) -> Any:
    if not isinstance(meta, Meta):
        return meta
    if meta.dtype == ACL_INT64:
        return np.resize(np.array([5, -1, 2]), meta.shape)
    if meta.dtype == I8:
        return generator.integers(-9, 10, meta.shape).astype(np.int8)
    scale = "Scale" in name
    values = generator.random(meta.shape) / 16 + 0.1 if scale else generator.standard_normal(meta.shape) / 4
    return values.astype(numpy_dtype(meta.dtype))


def results(name: str, changes: dict[str, Any]) -> list[tuple[np.ndarray, np.ndarray]]:
    """The outputs of a call, each beside the result of the other way."""
    generator = np.random.default_rng(0)
    given = {key: drawn(key, each, generator) for key, each in subject(name).changed(changes).items()}
    plain = {key: each.astype(float) if isinstance(each, np.ndarray) and each.dtype.kind not in "iu" else each
             for key, each in given.items()}  # fmt: skip
    with Machine():
        found = [each for each in run(getattr(aclnn, name), *given.values()) if each is not None]
    return list(zip((each.astype(float) for each in found), prolog(**plain), strict=True))


@pytest.mark.fidelity("steps of aclnnMlaProlog")
@pytest.mark.parametrize(
    ("name", "changes"),
    [(FIRST, HALF_WHOLE),
     (THIRD, {**HALF_WHOLE, "weightQuantMode": 1, "kvCacheQuantMode": 2, "queryNormOutOptional": None}),
     (SECOND, WHOLE), (THIRD, WHOLE_CACHE)], ids=("half", "half of V3", "whole", "whole with caches"),
)  # fmt: skip
def test_quantised_modes(name: str, changes: dict[str, Any]) -> None:
    """A sum between the steps may be rounded the other way: an integer may be the next one."""
    for one, other in results(name, changes):
        unit = 1 if np.abs(other).max() > 16 and (np.rint(one) == one).all() else 2.0**-6 * np.abs(other).max()
        assert np.abs(one - other).max() <= unit


@pytest.mark.fidelity("steps of aclnnMlaProlog")
def test_a_row_of_zeros_has_no_scale() -> None:
    rows, scales = quantised(np.array([[0, 0], [127, -254]], np.float32))
    assert rows.tolist() == [[0, 0], [64, -127]]
    assert scales.ravel().tolist() == [0, 2]


@pytest.mark.fidelity("steps of aclnnMlaProlog")
def test_a_place_that_does_not_exist_is_found() -> None:
    """A place of -1 is left out."""
    generator = np.random.default_rng(0)
    given = {key: drawn(key, each, generator) for key, each in subject(FIRST).good.items()}
    with Machine(), pytest.raises(UndefinedBehaviour, match="cacheIndex"):
        run(aclnn.aclnnMlaProlog, *(given | {"cacheIndex": np.array([0, -1, 8])}).values())


def test_blocks_that_are_longer_than_a_row() -> None:
    """A sequence of five tokens has two blocks of four rows. A block of -1 is left out."""
    starts = np.array([[3, -1], [0, 2]])
    found = slots_of_blocks(starts, rows=5, size=4, unit=4).reshape(2, 5)
    assert found.tolist() == [[12, 13, 14, 15, -1], [0, 1, 2, 3, 8]]


NONE = {"queryNormOutOptional": None}
IN_WHOLE_BLOCKS = {**BATCHED, **NONE, "cacheModeOptional": "PA_BLK_NZ", "cacheIndexOptional": Meta((2, 1), ACL_INT64)}
ANSWERS: list[tuple[str, int, dict[str, Any]]] = [
    (FIRST, NULLPTR, {"weightUqQr": None}), (FIRST, INVALID, {"tokenX": Meta((3, 1024), ACL_FLOAT16)}),
    (FIRST, TILING, {"cacheModeOptional": "TND"}), (FIRST, TILING, {"tokenX": Meta((3, 512), B16)}),
    (FIRST, TILING, {"weightUk": Meta((3, 128, 512), B16)}), (FIRST, TILING, {"cacheIndex": Meta((4,), ACL_INT64)}),
    (FIRST, TILING, {"krCacheRef": Meta((2, 4, 1, 32), B16)}),
    (FIRST, TILING, {**HALF_WHOLE, "quantScaleCkvOptional": None}), (FIRST, 0, {"cacheModeOptional": None}),
    (FIRST, 0, {**BATCHED, "cacheIndex": Meta((2, 2), ACL_INT64)}),
    (SECOND, TILING, {**WHOLE, "dequantScaleXOptional": None}),
    (THIRD, INVALID, {"weightQuantMode": 3}), (THIRD, INVALID, {"kvCacheQuantMode": 1}),
    (THIRD, INVALID, {"queryQuantMode": 2}), (THIRD, INVALID, {"dequantScaleQNormOutOptional": Meta((3, 1))}),
    (THIRD, INVALID, {**WHOLE_CACHE, "dequantScaleQNopeOutOptional": None}),
    (THIRD, INVALID, {**WHOLE_CACHE, "dequantScaleQNopeOutOptional": Meta((3, 2, 1), ACL_FLOAT16)}),
    (THIRD, INVALID, {**WHOLE_CACHE, "dequantScaleQNormOutOptional": Meta((3, 1), ACL_FLOAT16)}),
    (THIRD, TILING, {**WHOLE_CACHE, "dequantScaleQNopeOutOptional": Meta((3, 1, 1))}),
    (THIRD, TILING, {**WHOLE_CACHE, "dequantScaleQNormOutOptional": Meta((2, 1))}),
    (THIRD, TILING, {**WHOLE_CACHE, "quantScaleCkvOptional": Meta((512,))}),
    (THIRD, TILING, {"queryNormOutOptional": Meta((3, 64), B16)}), (THIRD, 0, NONE),
    (THIRD, 0, {**IN_WHOLE_BLOCKS, "actualSeqLenOptional": Meta((2,), ACL_INT32)}), (THIRD, 0, IN_WHOLE_BLOCKS),
    (THIRD, TILING, {**IN_WHOLE_BLOCKS, "cacheIndexOptional": Meta((2, 2), ACL_INT64)}),
    (THIRD, TILING, {**IN_WHOLE_BLOCKS, "krCacheRef": Meta((2, 2, 1, 64), B16)}),
    (THIRD, TILING, {"cacheModeOptional": "BSND", "kvCacheRef": Meta((1, 2, 1, 512), B16)}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "answer", "changes"), ANSWERS, ids=str)
def test_statuses(name: str, answer: int, changes: dict[str, Any]) -> None:
    this = subject(name)
    with board(A2):
        assert planned(this, this.changed(changes)).status == answer


@pytest.mark.parametrize("name", [FIRST, SECOND])
def test_950_has_the_third_version_alone(name: str) -> None:
    """The status comes before those of null pointers (public)."""
    this = subject(name)
    with board(A950):
        assert planned(this, this.changed({"tokenX": None})).status == ACLNN_ERR_RUNTIME_ERROR


def test_no_tokens_write_nothing() -> None:
    with board(A2):
        this = subject(FIRST)
        empty = {name: Meta((0, *each.shape[1:]), each.dtype) for name, each in this.good.items()
                 if name in ("tokenX", "ropeSin", "ropeCos", "cacheIndex", "queryOut", "queryRopeOut")}  # fmt: skip
        assert planned(this, this.changed(empty)).status == ACL_SUCCESS
