"""The places of a resized dimension lie on it, whatever the scale is (ours)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from aclnn.ops.resize.taps import antialiased, cubic, linear, nearest, of_nearest, smooth, triangle

SCALES = [5e-324, 1e-310, 1e-45, 1e-30, 1e-9, 0.3, 1.0, 7.0, 1e30, 1e308]
TAPS: dict[str, Callable[..., Any]] = {
    "nearest": of_nearest, "exact": partial(of_nearest, middle=0.5), "linear": linear, "cubic": cubic,
    "triangle": partial(antialiased, align=False, half=1.0, filter=triangle),
    "smooth": partial(antialiased, align=False, half=2.0, filter=smooth),
}  # fmt: skip


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", TAPS)
def test_every_place_lies_on_the_dimension(name: str, scale: float) -> None:
    with np.errstate(all="ignore"):
        taps = TAPS[name](5, 4, scale)
    assert taps.places.min(initial=0) >= 0
    assert taps.places.max(initial=0) <= 4
    assert taps.counts.min() >= 0


@pytest.mark.parametrize(("scale", "wanted"), [(1e-45, [0, 4, 4, 4]), (1e308, [0, 0, 0, 0])])
def test_a_place_behind_the_end_is_the_last_one(scale: float, wanted: list[int]) -> None:
    with np.errstate(all="ignore"):
        assert nearest(5, 4, scale).tolist() == wanted
