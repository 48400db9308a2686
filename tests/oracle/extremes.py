"""Values at the ends of a data type, and those that are no numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

HUGE = {"float16": 2e4, "bfloat16": 1e37, "float32": 1e37, "float64": 1e300}
"""a few of them can be added up in float32, or in float64; two of them cannot be multiplied"""
TINY = {"float16": 2.0**-23, "bfloat16": 2.0**-130, "float32": 2.0**-147, "float64": 1e-310}
"""below the smallest normal number"""
ALL = ("nan", "inf", "-inf", "huge", "-huge", "tiny", "-tiny", "0")
FINITE = ("huge", "-huge", "tiny", "-tiny", "0")
LARGE = 1000.0
"""its exponential is infinite in float64"""


def extreme(name: str, dtype: str) -> float:
    """The value with this name in a data type of floats."""
    if name.endswith(("huge", "tiny")):
        size = (HUGE if name.endswith("huge") else TINY)[dtype]
        return -size if name.startswith("-") else size
    return LARGE if name == "large" else float(name)


def mixed(values: np.ndarray, names: Sequence[str], random: np.random.Generator) -> np.ndarray:
    """The values, about a third of them extreme ones, which take turns."""
    if values.dtype.name not in HUGE:
        return values
    found = np.array([extreme(each, values.dtype.name) for each in names])
    places = random.permutation(values.size)[: -(-values.size // 3)]
    mixture = values.astype(np.float64).reshape(-1)
    mixture[places] = found[(np.arange(places.size) + random.integers(len(found))) % len(found)]
    return mixture.reshape(values.shape).astype(values.dtype)
