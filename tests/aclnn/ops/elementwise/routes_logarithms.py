"""Routes for `aclnn.ops.elementwise`: logarithms and special: torch, and loops over Python's numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tests.aclnn.ops.elementwise.loops import number
from tests.aclnn.ops.elementwise.routes_combinations import positive
from tests.oracle.extremes import ALL
from tests.oracle.route import Route, as_tensor, elements, route, same_type, unit

inf, nan = math.inf, math.nan


# logarithms


log = number(math.log, None, {0: -inf})


def weighted(self: Any, other: Any) -> Any:
    return 0.0 if self == 0 and other == other else self * log(other)


def torch_xlogy(self: Any, other: Any) -> np.ndarray:
    import torch

    return torch.xlogy(*(each.double() for each in same_type(self, other))).numpy()


def log_sum(base: float) -> Callable[[Any, Any], Any]:
    def computed(self: Any, other: Any) -> Any:
        if self != self or other != other:
            return nan
        most = float(max(self, other))
        if math.isinf(most):
            return most
        rest = sum(base ** (each - most) for each in (self, other) if each > -inf)
        return most + math.log(rest) / math.log(base)

    return computed


def torch_sum(name: str) -> tuple[str, Any]:
    def expected(self: Any, other: Any) -> np.ndarray:
        import torch

        return getattr(torch, name)(as_tensor(self).double(), as_tensor(other).double()).numpy()

    return f"torch.{name}", expected


def of_largest(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    with np.errstate(all="ignore"):
        size = np.maximum(np.abs(arguments["self"]), np.abs(arguments["other"]))
        return 8 * unit(dtype) * np.where(np.isfinite(size), size + 1, 1)


def of_factors(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    """Beside a logarithm of 0, which is rounded."""
    return 4 * unit(dtype) * np.where(np.isfinite(exact), np.abs(exact), 1)


def close(self: Any, other: Any, rtol: float, atol: float, equalNan: bool) -> bool:
    if self == other:
        return True
    if self != self or other != other:
        return equalNan and self != self and other != other
    return not math.isinf(self) and not math.isinf(other) and abs(self - other) <= atol + rtol * abs(other)


def torch_close(self: np.ndarray, other: np.ndarray, rtol: float, atol: float, equalNan: bool) -> np.ndarray:
    import torch

    one, two = (as_tensor(each).double() for each in (self, other))
    return torch.isclose(one, two, rtol=rtol, atol=atol, equal_nan=equalNan).numpy()


# special


def logistic(x: Any) -> Any:
    if isinstance(x, complex):
        return 1 / (1 + np.exp(-np.complex128(x))).item()
    return math.exp(x) / (1 + math.exp(x)) if x < 0 else 1 / (1 + math.exp(-x))


def inverse_error(x: Any) -> Any:
    """By bisection of erf, and of erfc near the ends."""
    if not -1 <= x <= 1:
        return nan
    if abs(x) == 1:
        return math.copysign(inf, x)
    if abs(x) < 1e-9:
        return x * math.sqrt(math.pi) / 2
    low, high, size = 0.0, 7.0, abs(x)
    for _ in range(80):
        middle = (low + high) / 2
        below = math.erf(middle) < size if size < 0.5 else math.erfc(middle) > 1 - size
        low, high = (middle, high) if below else (low, middle)
    return math.copysign((low + high) / 2, x)


def log_odds(input: Any, eps: float) -> Any:
    z = (eps if input < eps else 1 - eps if input > 1 - eps else input) if eps >= 0 else input
    return inf if z == 1 else -inf if z == 0 else log(z / (1 - z)) if z == z else nan


def torch_logit(input: np.ndarray, eps: float) -> np.ndarray:
    import torch

    return torch.logit(as_tensor(input), eps if eps >= 0 else None).numpy()


def near_one(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    """Of numbers beside 1 the quotient is rounded before its logarithm is taken; so is 1 - eps."""
    return unit(dtype) * (16 + 16 * np.abs(np.where(np.isfinite(exact), exact, 0)))


def of_self(name: str) -> tuple[str, Any]:
    def expected(self: np.ndarray) -> np.ndarray:
        import torch

        x = as_tensor(self)
        return getattr(torch, name)(x if x.is_complex() else x.double()).numpy()

    return f"torch.{name}", expected


def alone(stem: str, name: str, function: Callable[[Any], Any], **options: Any) -> Route:
    own = elements(lambda self: function(self))
    mistakes = {"the sign lost": elements(lambda self: function(abs(self))), "nothing": lambda self: self}
    return route(f"aclnn{stem}", f"aclnnInplace{stem}", "loop", own, torch=of_self(name), wrong=mistakes, **options)


def np_maximum(self: Any, other: Any) -> np.ndarray:
    return np.maximum(self, other)


def close_to_self(self: Any, other: Any, rtol: float, atol: float, equalNan: bool) -> bool:
    return close(other, self, rtol, atol, equalNan)


def unbounded(input: Any) -> Any:
    return log_odds(input, -1)


def unchanged(input: np.ndarray) -> np.ndarray:
    return input


EXTREME = {"self": ALL}
BOTH = {"self": ALL, "other": ALL}
WEIGHTS = {
    "the logarithm alone": elements(lambda self, other: log(other)),
    "swapped": elements(lambda self, other: weighted(other, self)),
}
ROUTES: tuple[Route, ...] = (
    route("aclnnXLogYTensor", "aclnnInplaceXLogYTensor", "aclnnXLogYScalarSelf", "loop", elements(weighted),
          bound=of_factors, torch=("torch.xlogy", torch_xlogy), values={"other": positive}, extremes={"other": ALL},
          wrong=WEIGHTS),
    route("aclnnXLogYScalarOther", "aclnnInplaceXLogYScalarOther", "loop", elements(weighted), bound=of_factors,
          torch=("torch.xlogy", torch_xlogy), wrong=WEIGHTS),
    route("aclnnLogAddExp", "loop", elements(log_sum(math.e)), torch=torch_sum("logaddexp"), bound=of_largest,
          extremes=BOTH, wrong={"base 2": elements(log_sum(2)), "the larger": np_maximum}),
    route("aclnnLogAddExp2", "loop", elements(log_sum(2)), torch=torch_sum("logaddexp2"), bound=of_largest,
          extremes=BOTH, wrong={"base e": elements(log_sum(math.e)), "the larger": np_maximum}),
    route("aclnnIsClose", "loop", elements(close), bound="exact", torch=("torch.isclose", torch_close),
          extremes=dict.fromkeys(BOTH, ("nan", "inf", "-inf", "tiny", "0")),
          start={"rtol": 0.5, "atol": 0.25}, also=[{"equalNan": True}, {"rtol": 0.0}],
          wrong={"atol ignored": elements(lambda self, other, rtol, equalNan: close(self, other, rtol, 0, equalNan)),
                 "of self": elements(close_to_self)}),
    alone("Erf", "erf", math.erf, extremes=EXTREME),
    alone("Erfc", "erfc", math.erfc, extremes=EXTREME),
    alone("Erfinv", "erfinv", inverse_error, extremes=EXTREME),
    alone("Sigmoid", "sigmoid", number(logistic, logistic), extremes=EXTREME),
    route("aclnnLogit", "loop", elements(log_odds), torch=("torch.logit", torch_logit), bound=near_one,
          start={"eps": 0.25}, also=[{"eps": -1.0}, {"eps": 0.0}],
          wrong={"eps ignored": elements(unbounded), "nothing": unchanged}),
)  # fmt: skip
