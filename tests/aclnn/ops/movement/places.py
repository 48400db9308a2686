"""A second way for operators that move elements: where each element of the result comes from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Place = tuple[int, ...]


def moved(x: np.ndarray, shape: Sequence[int], source: Callable[[Place], Place]) -> np.ndarray:
    """Each element of a result of this shape is the one of x at `source`."""
    out = np.empty(shape, x.dtype)
    for at in np.ndindex(*shape):
        out[at] = x[source(at)]
    return out


def at_dim(place: Place, dim: int, number: Any) -> Place:
    """The place with another number along a dimension."""
    return (*place[:dim], number, *place[dim + 1 :])
