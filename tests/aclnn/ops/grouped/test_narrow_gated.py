"""GroupedMatmulSwigluQuant of INT4, and of floats whose blocks share scales: figures by another way, and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from tests.aclnn.ops.blocks.blocks import Narrow, along, block_quantised
from tests.aclnn.ops.case import A2, A950, Meta
from tests.aclnn.ops.grouped.test_narrow import listed, stored
from tests.aclnn.ops.matmul.test_quant_matmul_forms import (
    E4,
    E5,
    E8,
    FP4,
    I4,
    I8,
    INVALID,
    U64,
    floats,
    given,
    integers,
    pairs,
    powers,
    spread,
    words,
)
from tests.derived.first_phases import first_phase
from tests.helpers.machines import board
from tests.helpers.weights import blocks_by_hand, fetched, filled, launch, tensor

NAMES = ("aclnnGroupedMatmulSwigluQuantV2", "aclnnGroupedMatmulSwigluQuantWeightNzV2")
NZ = ACL_FORMAT_FRACTAL_NZ


def gated(x: np.ndarray, weight: np.ndarray, smooth: np.ndarray | None = None) -> np.ndarray:
    """The gated rows of two groups of two rows and one."""
    wide = np.concatenate((x[:2] @ weight[0], x[2:3] @ weight[1]))
    half = wide.shape[1] // 2
    rows = wide[:, :half] / (1 + np.exp(-wide[:, :half])) * wide[:, half:]
    return rows if smooth is None else rows * np.stack([smooth[0], smooth[0], smooth[1]]).reshape(3, -1)


def agree(found: list[np.ndarray], rows: np.ndarray) -> None:
    """The quantised rows and their scales; the fourth row stays 7."""
    scales = np.abs(rows).max(1) / 127
    np.testing.assert_allclose(found[1][:3], scales, rtol=1e-5)
    assert (np.abs(found[0][:3] * scales[:, None] - rows) <= scales[:, None] * 0.501).all()
    assert (found[0][3] == 7).all()
    assert found[1][3] == 7


def results(name: str, *arguments: Any, count: int) -> list[np.ndarray]:
    """The outputs of a call on the current device. The last arguments are the outputs."""
    output, scale = filled(np.full((4, count), 7, np.int8)), filled(np.full(4, 7, np.float32))
    last = [None] if name.endswith(("Quant", "NZ")) else []
    launch(name, *arguments, tensor(output, (4, count), I8), tensor(scale, (4,), ACL_FLOAT), *last)
    return [fetched(output, (4, count), np.int8), fetched(scale, (4,), np.float32)]


@pytest.mark.fidelity("aclnnGroupedMatmulSwigluQuant, a weight of INT4")
@pytest.mark.parametrize("name", [*NAMES, "aclnnGroupedMatmulSwigluQuant"])
@pytest.mark.parametrize("parts", [1, 2])
def test_int8_beside_int4(name: str, parts: int) -> None:
    x, w = integers(4, 64, top=128), integers(2, 64, 16, top=8)
    scale = 2.0 ** (np.arange(2 * parts * 16) % 3 - 12).reshape(2, parts, 16) * 1.0001
    scale = scale.astype(np.float32)
    scaled = w * np.repeat(scale.astype(float), 64 // parts, 1)
    rows = np.array([1, 0.5, 2, 1], np.float32)
    assist = (8 * scaled.sum(1)).astype(np.float32)
    with board(soc=A2):
        factors = given(words(scale if parts > 1 else scale[:, 0]), U64)
        if name in NAMES:
            found = results(name, given(x, I8), listed(pairs(w)), listed(factors), listed(given(assist)), None,
                            given(rows), None, given(np.array([2, 1]), ACL_INT64), int(parts > 1), 0, 0, 1, None,
                            count=8)  # fmt: skip
        else:
            found = results(name, given(x, I8), pairs(w), given(assist), None, factors, given(rows),
                            given(np.array([2, 3]), ACL_INT64), count=8)  # fmt: skip
    agree(found, gated(x * rows[:, None], scaled))


@pytest.mark.parametrize("kind", [I4, ACL_INT32])
@pytest.mark.parametrize("smooth", [None, (2,), (2, 64)])
def test_int4_in_fractal_nz(kind: int, smooth: tuple[int, ...] | None) -> None:
    x, w = integers(4, 64, top=8), integers(2, 64, 128, top=8)
    scale = 2.0 ** (np.arange(2 * 128) % 3 - 6).reshape(2, 128)
    rows = np.array([1, 0.5, 2, 1], np.float32)
    factors = None if smooth is None else (1 + np.arange(np.prod(smooth)) % 3).astype(np.float32).reshape(smooth)
    blocks = blocks_by_hand(w, 64)
    memory = (blocks[..., 0::2] & 15 | blocks[..., 1::2] << 4).astype(np.uint8)
    last = 1 if kind == I4 else 8
    with board(soc=A2) as machine:
        machine.allow("format-mismatch", reason="the test lays out the weight")
        weight = tensor(filled(memory), (2, 64, 128 // last), kind, format=NZ, storage=(*blocks.shape[:-1], 64 // last))
        found = results(NAMES[1], pairs(x, kind), listed(weight), listed(given(words(scale), U64)), None, None,
                        given(rows), given(factors), given(np.array([2, 3]), ACL_INT64), 0, 0, 0, 0, None,
                        count=64)  # fmt: skip
    agree(found, gated(x * rows[:, None], w * scale[:, None], factors))


def in_shared_blocks(rows: np.ndarray, dtype: int) -> tuple[np.ndarray, np.ndarray]:
    return along(rows, 1, 32, lambda block: block_quantised(block, dtype))


@pytest.mark.fidelity("aclnnGroupedMatmulSwigluQuantV2, shared scales")
@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize(("first", "second", "out"), [(E4, E5, E4), (FP4, FP4, FP4), (E4, E4, FP4)])
def test_shared_scales(first: int, second: int, out: int, apart: bool) -> None:
    x, w = floats(4, 72, dtype=first), floats(2, 72, 72, dtype=second)
    rows, scales = powers(4, 2, 2) / 4, powers(2, 2, 72, 2) / 8
    wide = np.stack([each * spread(scale, 0, 72) for each, scale in zip(w, scales, strict=True)])
    result, shared = Narrow.out((4, 36), out), Narrow.out((4, 1, 2), E8)
    with board(soc=A950):
        weights = [stored(each, second) for each in w] if apart else [stored(w, second)]
        of_weights = [stored(each, E8) for each in scales] if apart else [stored(scales, E8)]
        places = [filled(each.stored()) for each in (result, shared)]
        outputs = [tensor(place, each.values.shape, each.dtype)
                   for place, each in zip(places, (result, shared), strict=True)]  # fmt: skip
        launch(NAMES[0], stored(x, first), listed(*weights), listed(*of_weights), None, None, stored(rows, E8), None,
               given(np.array([2, 3]), ACL_INT64), 2, 0, 2, 0, None, *outputs)  # fmt: skip
        found = [each.loaded(fetched(place, each.stored().shape, each.stored().dtype))
                 for place, each in zip(places, (result, shared), strict=True)]  # fmt: skip
    exact = gated(x * spread(rows, 1, 72), wide).astype(np.float32)
    numbers, exponents = in_shared_blocks(exact, out)
    for nearly in (1 - 2**-12, 1 + 2**-12):  # no element is so near to a tie that the last bits of FLOAT decide
        np.testing.assert_array_equal(in_shared_blocks(exact * nearly, out)[0], numbers)
    np.testing.assert_array_equal(found[1][:3], exponents)
    np.testing.assert_array_equal(found[0][:3], numbers)
    assert (found[0][3] == 1).all()
    assert (found[1][3] == 1).all()


def lists(shape: tuple[int, ...], dtype: int) -> tuple[Meta, ...]:
    return (Meta(shape, dtype),)


OF_INT4: dict[str, Any] = {
    "x": Meta((3, 64), I8), "weight": lists((2, 64, 64), I4), "weightScale": lists((2, 64), U64),
    "weightAssistMatrix": lists((2, 64), ACL_FLOAT), "bias": None, "smoothScale": None, "xScale": Meta((3,)),
}  # fmt: skip
SHARED: dict[str, Any] = {
    "x": Meta((3, 64), E4), "weight": lists((2, 64, 64), E4), "weightScale": lists((2, 1, 64, 2), E8),
    "weightAssistMatrix": None, "bias": None, "smoothScale": None, "xScale": Meta((3, 1, 2), E8), "dequantMode": 2,
    "quantMode": 2, "output": Meta((3, 32), E4), "outputScale": Meta((3, 1, 2), E8),
}  # fmt: skip


@pytest.mark.parametrize(("good", "soc", "changes"), [
    (OF_INT4, A2, {"weightAssistMatrix": None}), (OF_INT4, A2, {"weightAssistMatrix": lists((2, 63), ACL_FLOAT)}),
    (OF_INT4, A2, {"weightScale": lists((2, 2, 64), U64)}), (OF_INT4, A2, {"dequantMode": 1}),
    (OF_INT4, A2, {"dequantMode": 2}), (OF_INT4, A2, {"quantMode": 1}), (OF_INT4, A2, {"dequantDtype": 1}),
    (OF_INT4, A2, {"smoothScale": Meta((2,))}), (OF_INT4, A2, {"xScale": Meta((4,))}),
    (OF_INT4, A2, {"outputScale": Meta((4,))}), (OF_INT4, A2, {"x": Meta((3, 62), I8)}),
    (OF_INT4, A2, {"weightScale": lists((2, 64), ACL_FLOAT)}),
    (OF_INT4, A2, {"x": Meta((3, 20000), I8), "weight": lists((2, 20000, 64), I4)}),
    (SHARED, A950, {"weightScale": lists((2, 2, 64, 2), E8)}), (SHARED, A950, {"xScale": Meta((3, 2, 2), E8)}),
    (SHARED, A950, {"outputScale": Meta((3, 2, 2), E8)}), (SHARED, A950, {"output": Meta((3, 32), I8)}),
    (SHARED, A950, {"quantMode": 0}), (SHARED, A950, {"dequantMode": 0}), (SHARED, A950, {"smoothScale": Meta((2,))}),
    (SHARED, A950, {"weightAssistMatrix": lists((2, 64), ACL_FLOAT)}), (SHARED, A950, {"output": Meta((3, 31), E4)}),
])  # fmt: skip
def test_refused(good: dict[str, Any], soc: str, changes: dict[str, Any]) -> None:
    name = "GroupedMatmulSwigluQuantV2"
    assert first_phase(name, soc, good).status == ACL_SUCCESS
    assert first_phase(name, soc, good | changes).status == INVALID
