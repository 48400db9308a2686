"""GroupedMatmulV4, V5 and WeightNz of INT4, and of floats of 8 bits or less: figures by another way, and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from aclnn import aclnnGroupedMatmulV4GetWorkspaceSize
from tests.aclnn.ops.blocks.blocks import Narrow
from tests.aclnn.ops.case import A2, A950, Meta
from tests.aclnn.ops.matmul.test_quant_matmul_forms import (
    B16,
    E4,
    E5,
    E8,
    FP4,
    I4,
    I8,
    INVALID,
    U64,
    H,
    floats,
    given,
    integers,
    pairs,
    powers,
    spread,
    words,
)  # fmt: skip
from tests.helpers.machines import board
from tests.helpers.refusals import answer
from tests.helpers.weights import blocks_by_hand, fetched, filled, launch, tensor

GROUPS = np.array([2, 3], np.int64)
"""ends of two groups; the fourth row belongs to none"""


def listed(*handles: Any) -> Any:
    return None if handles == (None,) else aclCreateTensorList(list(handles), len(handles))


def product(
    name: str, x: Any, weights: list[Any], scales: list[Any], rows: Any, biases: list[Any], out: tuple[int, int]
) -> np.ndarray:
    """The result of a call on the current device; memory that is not written stays 7."""
    address = filled(np.full(out, 7, np.float32).astype(np.float16))
    nz = [0] if name.endswith("Nz") else []
    tuning = [] if name.endswith("V4") else [None]
    launch(name, listed(x), listed(*weights), listed(*biases), listed(*scales), None, None, None, listed(rows),
           given(GROUPS, ACL_INT64), None, None, None, 3, 0, 0, 0, *tuning, *nz, listed(tensor(address, out, H)), None,
           None)  # fmt: skip
    return fetched(address, out, np.float16).astype(np.float64)


def by_groups(x: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The rows of two groups times their matrices; then 7."""
    rest = np.full((1, weight.shape[-1]), 7.0)
    return np.concatenate((x[:2] @ weight[0], x[2:3] @ weight[1], rest)).astype(np.float16).astype(np.float64)


@pytest.mark.fidelity("aclnnGroupedMatmulV4 and later, factors of INT4")
@pytest.mark.parametrize("shape", [(16,), (1, 16), (4, 16)])
def test_int8_beside_int4(shape: tuple[int, ...]) -> None:
    """With a bias of 8 * the sums of the scaled weight, the product is that of x and the scaled weight."""
    x, w = integers(4, 64, top=128), integers(2, 64, 16, top=8)
    scale = 2.0 ** (np.arange(2 * np.prod(shape)) % 5 - 9).reshape(2, *shape)
    scaled = w * np.repeat(scale.reshape(2, -1, 16), 64 // (scale.size // 32), 1)
    rows = np.array([[1], [0.5], [2], [1]], np.float32)
    with board(soc=A2):
        bias = (8 * scaled.sum(1)).astype(np.float32)
        found = product("aclnnGroupedMatmulV4", given(x, I8), [pairs(w)], [given(words(scale), U64)], given(rows),
                        [given(bias)], (4, 16))  # fmt: skip
    np.testing.assert_array_equal(found, by_groups(x * rows, scaled))


@pytest.mark.parametrize("apart", [False, True])
def test_int4(apart: bool) -> None:
    x, w = integers(4, 64, top=8), integers(2, 64, 16, top=8)
    scale = 2.0 ** (np.arange(2 * 2 * 16) % 5 - 6).reshape(2, 2, 16)
    scaled = w * np.repeat(scale, 32, 1)
    with board(soc=A2):
        weights = [pairs(each) for each in w] if apart else [pairs(w)]
        scales = [given(words(each), U64) for each in scale] if apart else [given(words(scale), U64)]
        found = product("aclnnGroupedMatmulV5", pairs(x), weights, scales, None, [None], (4, 16))
    np.testing.assert_array_equal(found, by_groups(x, scaled))


@pytest.mark.parametrize("kind", [I4, ACL_INT32])
def test_a_weight_of_int4_in_fractal_nz(kind: int) -> None:
    x, w = integers(4, 64, top=128), integers(2, 64, 128, top=8)
    scale = 2.0 ** (np.arange(2 * 128) % 5 - 9).reshape(2, 128)
    scaled, blocks = w * scale[:, None], blocks_by_hand(w, 64)
    memory = (blocks[..., 0::2] & 15 | blocks[..., 1::2] << 4).astype(np.uint8)
    last = 1 if kind == I4 else 8
    with board(soc=A2) as machine:
        machine.allow("format-mismatch", reason="the test lays out the weight")
        weight = tensor(filled(memory), (2, 64, 128 // last), kind, format=ACL_FORMAT_FRACTAL_NZ,
                        storage=(*blocks.shape[:-1], 64 // last))  # fmt: skip
        bias = (8 * scaled.sum(1)).astype(np.float32)
        found = product("aclnnGroupedMatmulWeightNz", given(x, I8), [weight], [given(words(scale), U64)],
                        given(np.ones(4, np.float32)), [given(bias)], (4, 128))  # fmt: skip
    np.testing.assert_array_equal(found, by_groups(x, scaled))


def stored(values: np.ndarray, dtype: int) -> Any:
    return tensor(filled(Narrow(values, dtype).stored()), values.shape, dtype)


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize(("first", "second"), [(E4, E4), (E5, E4), (FP4, FP4)])
def test_shared_scales(first: int, second: int, apart: bool) -> None:
    x, w = floats(4, 72, dtype=first), floats(2, 72, 6, dtype=second)
    rows, scales = powers(4, 2, 2), powers(2, 2, 6, 2)
    bias = np.arange(12, dtype=np.float32).reshape(2, 6)
    wide = np.stack([each * spread(scale, 0, 72) for each, scale in zip(w, scales, strict=True)])
    with board(soc=A950):
        weights = [stored(each, second) for each in w] if apart else [stored(w, second)]
        of_weights = [stored(each, E8) for each in scales] if apart else [stored(scales, E8)]
        biases = [given(each) for each in bias] if apart else [given(bias)]
        found = product("aclnnGroupedMatmulV4", stored(x, first), weights, of_weights, stored(rows, E8), biases, (4, 6))
    exact = by_groups(np.concatenate((x * spread(rows, 1, 72), np.ones((4, 1))), 1),
                      np.concatenate((wide, bias[:, None]), 1))  # fmt: skip
    np.testing.assert_array_equal(found, exact)


def test_scales_of_rows_and_columns() -> None:
    x, w = floats(4, 40, dtype=E4), floats(2, 40, 6, dtype=E5)
    rows, columns = powers(4).astype(np.float32), powers(2, 6).astype(np.float32)
    exact = by_groups(x * rows[:, None], w * columns[:, None])
    plain = by_groups(x, w * columns[:, None])
    with board(soc=A950):
        factors = stored(x, E4), [stored(w, E5)]
        found = product("aclnnGroupedMatmulV5", *factors, [given(columns)], given(rows), [None], (4, 6))
        np.testing.assert_array_equal(found, exact)
        found = product("aclnnGroupedMatmulV5", *factors, [given(words(columns), U64)], None, [None], (4, 6))
        np.testing.assert_array_equal(found, plain)


NAMES = ("x", "weight", "biasOptional", "scaleOptional", "offsetOptional", "antiquantScaleOptional",
         "antiquantOffsetOptional", "perTokenScaleOptional", "groupListOptional", "activationInputOptional",
         "activationQuantScaleOptional", "activationQuantOffsetOptional", "splitItem", "groupType", "groupListType",
         "actType", "out", "activationFeatureOutOptional", "dynQuantScaleOutOptional")  # fmt: skip
PLAIN: dict[str, Any] = {"groupListOptional": Meta((2,), ACL_INT64), "splitItem": 3, "groupType": 0,
                         "groupListType": 0, "actType": 0, "out": [Meta((4, 16), H)]}  # fmt: skip
MIXED = {**PLAIN, "x": [Meta((4, 64), I8)], "weight": [Meta((2, 64, 16), I4)], "biasOptional": [Meta((2, 16))],
         "scaleOptional": [Meta((2, 16), U64)], "perTokenScaleOptional": [Meta((4,))]}  # fmt: skip
SHARED = {**PLAIN, "x": [Meta((4, 72), E4)], "weight": [Meta((2, 72, 16), E5)], "biasOptional": None,
          "scaleOptional": [Meta((2, 2, 16, 2), E8)], "perTokenScaleOptional": [Meta((4, 2, 2), E8)]}  # fmt: skip
ROWS = {**SHARED, "scaleOptional": [Meta((2, 16))], "perTokenScaleOptional": [Meta((4,))]}


@pytest.mark.parametrize(("good", "soc", "changes"), [
    (MIXED, A2, {"biasOptional": None}), (MIXED, A2, {"biasOptional": [Meta((2, 16), H)]}),
    (MIXED, A2, {"biasOptional": [Meta((2, 15))]}), (MIXED, A2, {"scaleOptional": None}),
    (MIXED, A2, {"scaleOptional": [Meta((2, 16))]}), (MIXED, A2, {"scaleOptional": [Meta((2, 3, 16), U64)]}),
    (MIXED, A2, {"scaleOptional": [Meta((2, 15), U64)]}), (MIXED, A2, {"perTokenScaleOptional": [Meta((3,))]}),
    (MIXED, A2, {"out": [Meta((4, 16), I8)]}), (MIXED, A2, {"x": [Meta((4, 64), I4)]}),
    (MIXED, A2, {"x": [Meta((4, 62), I8)]}), (MIXED, A2, {"out": [Meta((3, 16), H)]}),
    (SHARED, A950, {"scaleOptional": [Meta((2, 1, 16, 2), E8)]}),
    (SHARED, A950, {"perTokenScaleOptional": [Meta((4, 1, 2), E8)]}),
    (SHARED, A950, {"biasOptional": [Meta((2, 16), B16)]}), (SHARED, A950, {"biasOptional": [Meta((2, 15))]}),
    (SHARED, A950, {"out": [Meta((4, 16), I8)]}), (ROWS, A950, {"perTokenScaleOptional": [Meta((3,))]}),
])  # fmt: skip
def test_refused(good: dict[str, Any], soc: str, changes: dict[str, Any]) -> None:
    first = aclnnGroupedMatmulV4GetWorkspaceSize
    good = {name: good.get(name) for name in NAMES}
    assert answer(first, good, {}, soc).status == ACL_SUCCESS
    assert answer(first, good, changes, soc).status == INVALID
