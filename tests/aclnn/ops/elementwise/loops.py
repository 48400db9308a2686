"""Functions of one Python number for routes: what a C library gives, where Python raises."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import copysign, inf, nan
from typing import Any


def number(
    real: Callable[[Any], Any], complex_: Callable[[Any], Any] | None = None, poles: Mapping[float, float] | None = None
) -> Callable[[Any], Any]:
    """Outside of the domain NaN, but for the values at `poles`; beyond the largest number infinite."""

    def computed(x: Any) -> Any:
        if isinstance(x, complex):
            assert complex_ is not None
            return complex_(x)
        try:
            return real(x)
        except (ValueError, ZeroDivisionError):
            return (poles or {}).get(x, nan)
        except OverflowError:
            return copysign(inf, x) if real(-1.0) < 0 else inf

    return computed
