"""The largest difference that a result may have from the exact one, which is computed in float64.

It is the sum of two: half a unit in the last place of the data type of the output; and, for FLOAT arithmetic, 8 *
2**-24 times the sum of the magnitudes of the terms. See "7. Precision" and "8. Precision, rounding, determinism" in the
contracts of the operators.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

FLOAT_ERROR = 8 * 2.0**-24


class Figures(NamedTuple):
    """The exact values of an output, in float64, and for each the sum of the magnitudes of its terms."""

    values: np.ndarray
    magnitude: np.ndarray


def half_ulp(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Half of the distance between two numbers of a data type at these values."""
    fraction, least = {"float32": (23, -126), "float16": (10, -14), "bfloat16": (7, -126)}[dtype.name]
    exponent = np.where(values == 0, least, np.maximum(np.frexp(values)[1] - 1, least))
    return np.ldexp(0.5, exponent - fraction)


def allowed(expected: Figures, dtype: np.dtype) -> np.ndarray:
    """The largest error that each result may have."""
    return half_ulp(expected.values, dtype) + FLOAT_ERROR * expected.magnitude
