"""Products in panels: the same for every size of a panel, layout and batch, and without large temporaries."""

from __future__ import annotations

import tracemalloc
from itertools import product
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import Machine
from aclnn.engine.fast import panels, products

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


@pytest.mark.parametrize(("dtype", "size", "options"), [
    (np.float16, 4, {}), (np.int8, 8, {"exact": True, "epilogue": lambda values, _: values}),
])  # fmt: skip
def test_a_panel_is_all_the_memory_that_it_takes(
    dtype: Any, size: int, options: Any, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """Without the evaluator, whose memory does not depend on the sizes at all."""
    monkeypatch.setattr(panels, "MAX_PANEL_ELEMENTS", 1 << 12)
    monkeypatch.setattr(products, "evaluator", lambda: None)
    a, b = np.ones((512, 256), dtype), np.ones((256, 512), dtype)
    out = np.empty((512, 512), np.float16)
    with Machine():
        panels.multiply_in_panels(a, b, out, **options)
        tracemalloc.start()
        panels.multiply_in_panels(a, b, out, **options)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert (out == 256).all()
    assert peak < 8 * (1 << 12) * size, "less than a whole factor as float32, or float64"
