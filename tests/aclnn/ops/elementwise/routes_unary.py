"""Routes for the functions of one tensor: torch, and loops over Python's numbers."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Decimal
from math import inf, nan
from typing import Any

import numpy as np

from tests.aclnn.ops.elementwise.loops import number
from tests.oracle.extremes import ALL
from tests.oracle.route import Route, as_tensor, elements, of_numbers, route

Number = Callable[[Any], Any]


def names(stem: str, *, twin: bool = True) -> tuple[str, ...]:
    return (f"aclnn{stem}", f"aclnnInplace{stem}") if twin else (f"aclnn{stem}",)


def of(tensor: str, function: Number) -> Any:
    """A loop over the elements of a tensor with this name."""

    def expected(**arguments: Any) -> np.ndarray:
        x = arguments[tensor]
        return of_numbers([function(each) for each in x.ravel().tolist()]).reshape(x.shape)

    return expected


def torch_of(tensor: str, name: str) -> tuple[str, Any]:
    """The function of torch, in 64 bits."""

    def expected(**given: Any) -> Any:
        import torch

        x = as_tensor(given[tensor])
        return getattr(torch, name)(x if x.is_complex() else x.double()).numpy()

    return f"torch.{name}", expected


def one(
    stem: str, torch: str, function: Number, *wrong: tuple[str, Number], tensor: str = "self", twin: bool = True,
    **options: Any,
) -> Route:  # fmt: skip
    given = {"torch": torch_of(tensor, torch), "extremes": {tensor: ALL}, **options}
    mistakes = {name: of(tensor, each) for name, each in wrong}
    return route(*names(stem, twin=twin), "loop", of(tensor, function), wrong=mistakes, **given)


def finite(function: Number) -> Number:
    """A careless function: no NaN, no infinity."""

    def computed(x: Any) -> Any:
        found = function(x)
        return found if isinstance(found, complex) or math.isfinite(found) else type(found)(0)

    return computed


def same(x: Any) -> Any:
    return x


def conjugate(function: Number) -> Number:
    return lambda x: function(x).conjugate() if isinstance(x, complex) else function(x)


exp = number(math.exp, cmath.exp)
log = number(math.log, cmath.log, {0: -inf})
sqrt = number(math.sqrt, cmath.sqrt)
inverse = number(lambda x: math.copysign(inf, x) if x == 0 else 1 / x, lambda x: 1 / x)
sine, cosine = number(math.sin, cmath.sin), number(math.cos, cmath.cos)
tangent = number(math.tan, cmath.tan)


def reciprocal_root(x: Any) -> Any:
    return inverse(sqrt(x))


def sign(x: Any) -> Any:
    if isinstance(x, complex):
        return x / abs(x) if x else x
    return type(x)((x > 0) - (x < 0))


def whole(function: Number) -> Number:
    return lambda x: float(function(x)) if isinstance(x, float) and math.isfinite(x) else x


def decimals(self: Any, decimals: int) -> Any:
    """Of decimal numbers."""
    if isinstance(self, float) and not math.isfinite(self):
        return self
    if isinstance(self, int) and decimals >= 0:
        return self
    unit = Decimal(1).scaleb(-decimals)
    found = (Decimal(self) / unit).to_integral_value(ROUND_HALF_EVEN) * unit
    return int(found) if isinstance(self, int) else float(found)


def fraction(x: Any) -> Any:
    if isinstance(x, int):
        return 0
    return math.copysign(math.fmod(x, 1), x) if math.isfinite(x) else nan


def rounded_up(self: Any, decimals: int) -> Any:
    return self + 10.0**-decimals


def torch_round(self: np.ndarray, decimals: int) -> Any:
    import torch

    if self.dtype.kind == "i":  # torch has no decimals of integers
        return decimals_of_integers(self=self, decimals=decimals)
    return torch.round(as_tensor(self), decimals=decimals).numpy()


def torch_atan2(self: np.ndarray, other: np.ndarray) -> Any:
    import torch

    return torch.atan2(as_tensor(self).double(), as_tensor(other).double()).numpy()


decimals_of_integers = elements(decimals)


def angle(x: Any) -> float:
    return x if x != x else math.atan2(x.imag, x.real) if isinstance(x, complex) else math.pi if x < 0 else 0.0


ROUTES: tuple[Route, ...] = (
    route("aclnnAngleV2", "loop", of("x", angle), bound="elementwise", torch=torch_of("x", "angle"),
          groups=[("x", "out"), ("x",)], wrong={"of the negative": of("x", lambda x: angle(-x))},
          extremes={"x": ("nan", "inf", "0")}),
    one("Exp", "exp", exp, ("base 2", number(lambda x: 2.0**x, lambda x: 2**x)), ("no infinity", finite(exp))),
    one("Exp2", "exp2", number(lambda x: 2.0**x), ("base e", number(math.exp))),
    one("Expm1", "expm1", number(math.expm1), ("nothing subtracted", number(math.exp))),
    one("Log", "log", log, ("base 2", number(math.log2, lambda x: cmath.log(x, 2), {0: -inf})),
        ("NaN and infinity left out", finite(log))),
    one("Log2", "log2", number(math.log2, lambda x: cmath.log(x) / math.log(2), {0: -inf}), ("base e", log)),
    one("Log10", "log10", number(math.log10, cmath.log10, {0: -inf}), ("base e", log)),
    one("Log1p", "log1p", number(math.log1p, None, {-1: -inf}), ("nothing added", log)),
    one("Sqrt", "sqrt", sqrt, ("the absolute value taken", lambda x: sqrt(abs(x))), ("not taken", same)),
    one("Rsqrt", "rsqrt", reciprocal_root, ("the root", sqrt), ("the inverse", inverse)),
    one("Reciprocal", "reciprocal", inverse, ("0 left alone", lambda x: inverse(x) if x else x),
        ("negated", lambda x: -inverse(x))),
    one("Sin", "sin", sine, ("the cosine", cosine), ("conjugate", conjugate(sine)),
        ("degrees", lambda x: sine(x * (math.pi / 180)))),
    one("Cos", "cos", cosine, ("the sine", sine), tensor="input"),
    one("Tan", "tan", tangent, ("the inverse", lambda x: inverse(tangent(x)))),
    one("Asin", "asin", number(math.asin), ("the angle of the cosine", number(math.acos)),
        ("NaN left out", finite(number(math.asin)))),
    one("Acos", "acos", number(math.acos), ("the angle of the sine", number(math.asin)), tensor="input"),
    one("Atan", "atan", number(math.atan), ("the hyperbolic one", number(math.atanh)), tensor="input"),
    one("Sinh", "sinh", number(math.sinh, cmath.sinh), ("the sine", sine)),
    one("Cosh", "cosh", number(math.cosh, cmath.cosh), ("the cosine", cosine)),
    one("Tanh", "tanh", number(math.tanh), ("the tangent", tangent)),
    one("Asinh", "asinh", number(math.asinh, cmath.asinh), ("of the cosine", number(math.acosh, cmath.acosh)),
        tensor="input"),
    one("Acosh", "acosh", number(math.acosh, cmath.acosh), ("of the sine", number(math.asinh, cmath.asinh))),
    one("Atanh", "atanh", number(math.atanh, cmath.atanh, {1: inf, -1: -inf}),
        ("the tangent", number(math.tanh, cmath.tanh)), tensor="input"),
    one("Neg", "neg", lambda x: -x, ("not negated", same), bound="exact"),
    one("Abs", "abs", abs, ("not taken", same), ("negated", lambda x: -abs(x)), twin=False),
    one("Sign", "sgn", sign, ("NaN stays", lambda x: x if x != x else sign(x)),
        ("0 is positive", lambda x: sign(x) or 1), twin=False),
    one("Square", "square", lambda x: x * x, ("twice", lambda x: x + x), twin=False),
    one("Floor", "floor", whole(math.floor), ("toward 0", whole(math.trunc)), bound="exact"),
    one("Ceil", "ceil", whole(math.ceil), ("down", whole(math.floor)), bound="exact"),
    one("Round", "round", whole(round), ("down", whole(math.floor)), bound="exact"),
    one("Trunc", "trunc", whole(math.trunc), ("down", whole(math.floor)), bound="exact"),
    one("Frac", "frac", fraction, ("less the floor", lambda x: x - math.floor(x) if math.isfinite(x) else nan),
        tensor="input", bound="exact"),
    route("aclnnRoundDecimals", "aclnnInplaceRoundDecimals", "decimal numbers", elements(decimals),
          torch=("torch.round", torch_round), also=[{"decimals": 2}, {"decimals": -1}, {"decimals": 0}],
          wrong={"decimals ignored": elements(lambda self: decimals(self, 0)), "rounded up": elements(rounded_up)}),
    route("aclnnAtan2", "aclnnInplaceAtan2", "loop", elements(lambda self, other: math.atan2(self, other)),
          torch=("torch.atan2", torch_atan2), extremes={"self": ALL, "other": ALL},
          wrong={"swapped": elements(lambda self, other: math.atan2(other, self)),
                 "of the quotient": elements(lambda self, other: math.atan(self / other) if other else 0.0)}),
)  # fmt: skip
