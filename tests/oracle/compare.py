"""How far a result is from the exact one, as a share of the bound. 1 is the bound.

    elementwise  4 ulp of float32
    sums         2^-24 * 4 * sqrt(n) * the sum of the terms' magnitudes: `route.sums`
    composite    4 times the error of the route itself in float32
    exact        the exact result, rounded once

Float64 and complex have the same bounds in their own ulp. A result of 16 bits may be rounded once more. Integers and
bools are exact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.oracle.route import Route, called, unit

NARROW = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float8_e5m2": 2.0**-2, "float8_e4m3fn": 2.0**-3}
SMALLEST = {"float64": 2.0**-1074, "float16": 2.0**-24, "bfloat16": 2.0**-133, "float8_e5m2": 2.0**-16,
            "float8_e4m3fn": 2.0**-9}  # fmt: skip
"""the smallest positive number; that of float32 is 2^-149"""


def share(found: np.ndarray, exact: np.ndarray, route: Route, arguments: Mapping[str, Any]) -> float:
    """The largest error as a share of the bound; infinity where there may be none."""
    exact = np.asarray(exact)
    if found.shape != exact.shape:
        return float("inf")
    if found.size == 0:
        return 0.0
    if found.dtype.kind in "biu":
        return 0.0 if np.array_equal(found, whole(exact.real, found.dtype)) else float("inf")
    exact = exact if found.dtype.kind == "c" else exact.real
    right = exact.astype(np.complex128 if found.dtype.kind == "c" else np.float64)
    got = found.astype(right.dtype)
    with np.errstate(all="ignore"):
        error = np.abs(got - right)
        allowed = tolerance(found.dtype.name, right, route, arguments)
        same = (got == right) | (np.isnan(got) & np.isnan(right)) | overflown(found, right)
        shares = np.where(same, 0.0, np.where(np.isfinite(error), error / allowed, np.inf))
    return float(np.nan_to_num(shares, nan=np.inf, posinf=np.inf).max())


def whole(exact: np.ndarray, dtype: np.dtype[Any]) -> np.ndarray:
    """The exact result as integers: floats towards zero, integers by their low bits."""
    if dtype.kind == "b":
        return exact != 0
    if exact.dtype.kind == "f":
        exact = np.trunc(exact).astype(np.int64)
    return exact.astype(np.int64, copy=False).astype(dtype)


def rounded(exact: np.ndarray, dtype: np.dtype[Any]) -> np.ndarray:
    """The exact result as a device would store it."""
    if dtype.kind in "biu":
        return whole(exact.real, dtype)
    with np.errstate(all="ignore"):
        return (exact if dtype.kind == "c" else exact.real).astype(dtype)


def tolerance(name: str, right: np.ndarray, route: Route, arguments: Mapping[str, Any]) -> np.ndarray:
    """The largest allowed error of each element."""
    epsilon = unit(name)
    size = np.abs(right)
    one = np.maximum(2.0 ** np.floor(np.log2(np.maximum(size, 1e-300))) * epsilon, SMALLEST.get(name, 2.0**-149))
    if route.bound == "exact":
        allowed = one / 2 if name not in NARROW else np.zeros(size.shape)
    elif route.bound == "elementwise":
        allowed = 4 * one
    elif route.bound == "composite":
        errors = np.abs(in_single(route, arguments, right) - right)
        allowed = 4 * np.maximum(errors.max(initial=0.0, where=np.isfinite(errors)), one)
    else:
        assert callable(route.bound)
        allowed = np.maximum(route.bound(arguments, right, name), one)
    if name in NARROW:
        half = 2.0 ** np.floor(np.log2(np.maximum(size + allowed, 1e-300))) * NARROW[name] / 2
        allowed = allowed + np.maximum(half, SMALLEST[name] / 2)
    return np.maximum(allowed, 1e-320)


def in_single(route: Route, arguments: Mapping[str, Any], right: np.ndarray) -> np.ndarray:
    """The route in float32. Of several results with this shape, the one that is nearest."""
    single = {name: narrow(value) for name, value in arguments.items()}
    found = called(route.expected, single)
    several = found if isinstance(found, tuple | list) else (found,)
    alike = [np.asarray(each).astype(np.float64) for each in several if np.shape(each) == right.shape]
    return min(alike, key=lambda each: float(np.nansum(np.abs(each - right)))) if len(alike) > 1 else alike[0]


def narrow(value: Any) -> Any:
    if isinstance(value, list):
        return [narrow(each) for each in value]
    return value.astype(np.float32) if isinstance(value, np.ndarray) and value.dtype == np.float64 else value


def overflown(found: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Infinite, where the exact result is beyond the largest number of the data type."""
    if found.dtype.kind == "c":
        return np.zeros(found.shape, bool)
    most = {"float16": 65504.0, "bfloat16": 3.38e38, "float32": 3.4e38}.get(found.dtype.name, np.inf)
    return (
        np.isinf(found.astype(np.float64)) & (np.abs(right) >= most) & (np.sign(right) == np.sign(found.astype(float)))
    )
