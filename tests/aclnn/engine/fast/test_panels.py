"""Products in panels: the same for every size of a panel, layout and batch, and without large temporaries."""

from __future__ import annotations

import tracemalloc
from itertools import product
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from aclnn.engine.fast import panels

SHAPES = (
    ((5, 7), (7, 6)), ((4, 5, 7), (4, 7, 6)), ((4, 5, 7), (7, 6)), ((1, 5, 7), (3, 7, 6)), ((2, 1, 5, 7), (6, 7, 6)),
    ((3, 5, 0), (3, 0, 6)), ((2, 3, 4, 5), (2, 1, 5, 2)),
)  # fmt: skip


def laid_out(values: np.ndarray, layout: str) -> np.ndarray:
    if layout == "transposed":
        return np.ascontiguousarray(values.swapaxes(-1, -2)).swapaxes(-1, -2)
    return np.repeat(values, 2, -1)[..., ::2] if layout == "strided" else values


@pytest.mark.parametrize("panel", [panels.MAX_PANEL_ELEMENTS, 64, 7, 1])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16])
def test_the_product_does_not_depend_on_the_panels(monkeypatch: pytest.MonkeyPatch, panel: int, dtype: Any) -> None:
    monkeypatch.setattr(panels, "MAX_PANEL_ELEMENTS", panel)
    rng = np.random.default_rng(panel)
    for (one, other), layout in product(SHAPES, ("dense", "transposed", "strided")):
        a, b = (laid_out(rng.integers(-3, 4, shape).astype(np.float32).astype(dtype), layout) for shape in (one, other))
        wanted = a.astype(float) @ b.astype(float)
        out = np.full(wanted.shape, 9, dtype)
        panels.multiply_in_panels(a, b, out)
        assert out.astype(float).tolist() == wanted.tolist()
        row = rng.integers(-3, 4, wanted.shape[-1]).astype(np.float32)
        panels.multiply_in_panels(a, b, out, epilogue=lambda values, index, row=row: values + row[index[-1]])
        assert out.astype(float).tolist() == (wanted + row).tolist()


def test_a_panel_is_all_the_memory_that_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(panels, "MAX_PANEL_ELEMENTS", 1 << 12)
    a, b = np.ones((512, 256), np.float16), np.ones((256, 512), np.float16)
    out = np.empty((512, 512), np.float16)
    panels.multiply_in_panels(a, b, out)
    tracemalloc.start()
    panels.multiply_in_panels(a, b, out)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (out == 256).all()
    assert peak < 8 * (1 << 12) * 4, "less than a whole factor as float32"
