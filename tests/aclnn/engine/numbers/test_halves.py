"""Floats of 16 bits, widened and narrowed by integers."""

from __future__ import annotations

import numpy as np

from aclnn.engine.numbers.halves import narrow_to_half, widen_half


def test_every_float16_is_widened_exactly() -> None:
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    for part in (halves, halves[np.isfinite(halves)], halves[:0x7C00], halves[0x8000:0xFC00]):
        out = np.empty(part.size, np.float32)
        widen_half(part, out)
        np.testing.assert_array_equal(out.view(np.uint32), part.astype(np.float32).view(np.uint32))


def test_a_half_goes_to_a_strided_place() -> None:
    values = np.linspace(-70000, 70000, 24, dtype=np.float32).reshape(4, 6)
    target = np.zeros((4, 12), np.float16)
    with np.errstate(over="ignore"):
        narrow_to_half(values, target[:, ::2], lambda _, shape, dtype: np.empty(shape, dtype))
        np.testing.assert_array_equal(target[:, ::2], values.astype(np.float16))
    assert not target[:, 1::2].any()
