"""Routes for `aclnn.ops.foreach`: torch, and a loop over the tensors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.oracle.route import Route, as_tensor, but, route


def each_of(formula: Callable[..., Any], *lists: str, scalar: str = "") -> Callable[..., Any]:
    """A formula of one tensor of each list, and the scalar."""

    def expected(**given: Any) -> list[Any]:
        more = [given[scalar]] if scalar else []
        rows = zip(*(map(signed, given[name]) for name in lists), strict=True)
        return [np.asarray(formula(*row, *more)) for row in rows]

    return expected


def signed(x: np.ndarray) -> np.ndarray:
    return x.astype(np.int64) if x.dtype == np.uint64 else x


def by_torch(name: str, *lists: str, scalar: str = "") -> Callable[..., Any]:
    def expected(**given: Any) -> list[Any]:
        import torch

        tensors = [[as_tensor(member) for member in given[each]] for each in lists]
        function = getattr(torch, f"_foreach_{name}")
        named = scalar == "alpha"
        found = (
            function(*tensors, alpha=given[scalar])
            if named
            else function(*tensors, *([given[scalar]] if scalar else []))
        )
        return [each.numpy() for each in found]

    return expected


def terms(arguments: Any, exact: np.ndarray, dtype: str) -> Any:
    """A few roundings of values as large as the inputs and the scalar make them."""
    lists = [each for value in arguments.values() if isinstance(value, list) for each in value]
    largest = max(float(np.abs(each).max(initial=1, where=np.isfinite(each))) for each in lists)
    return 2.0**-21 * (np.abs(exact) + 10 * largest)


def foreach_route(name: str, formula: Any, other: Any, torch: str, *lists: str, scalar: str = "", **more: Any) -> Route:
    return route(
        name, "loop", each_of(formula, *lists, scalar=scalar),
        torch=(f"torch._foreach_{torch}", by_torch(torch, *lists, scalar=scalar)),
        wrong={"another formula": each_of(other, *lists, scalar=scalar),
               **({"the scalar doubled": but(each_of(formula, *lists, scalar=scalar),
                                             **{scalar: lambda given: 2 * given[scalar]})} if scalar else {})},
        **{"bound": terms if scalar else "elementwise", **more},
    )  # fmt: skip


def one_list(name: str, exact: Any, other: Any, torch: str = "", **more: Any) -> Route:
    """A function of one list."""
    return foreach_route(f"aclnnForeach{name}", exact, other, torch or name.lower(), "x", **more)


def of_scalars(name: str, exact: Any, other: Any, torch: str, **more: Any) -> Route:
    """A function of a list, and a list of numbers."""
    return route(
        f"aclnnForeach{name}", "loop",
        lambda x, scalars: [exact(*pair) for pair in zip(map(signed, x), scalars, strict=True)],
        bound=terms, torch=(f"torch._foreach_{torch}", by_torch(torch, "x", scalar="scalars")),
        wrong={"another formula": lambda x, scalars: [other(*pair) for pair in zip(x, scalars, strict=True)]}, **more,
    )  # fmt: skip


def two_lists(name: str, exact: Any, other: Any, torch: str, **more: Any) -> Route:
    return foreach_route(f"aclnnForeach{name}", exact, other, torch, "x1", "x2", **more)


def norms(x: Any, scalar: Any) -> list[Any]:
    power = 1 if scalar == 1 else 2
    return [np.asarray(np.linalg.norm(each.reshape(-1), power)) for each in x]


def inside(x: np.ndarray) -> np.ndarray:
    return np.clip(x, -0.9, 0.9)


def positive(x: np.ndarray) -> np.ndarray:
    return np.abs(x) + 0.5


def small(x: np.ndarray) -> np.ndarray:
    """The exponential fits into 8 bits."""
    return np.clip(x, 0, 4)


POSITIVE, INSIDE, SMALL = {"x": positive}, {"x": inside}, {"x": small}
erf_, erfc_ = np.vectorize(math.erf, otypes=[float]), np.vectorize(math.erfc, otypes=[float])
ROUTES: tuple[Route, ...] = (
    foreach_route("aclnnForeachAddListV2", lambda a, b, s: a + s * b, lambda a, b, s: b - s * a,
                  "add", "x1", "x2", scalar="alpha"),
    foreach_route("aclnnForeachAddScalarV2", lambda x, s: x + s, lambda x, s: x - s, "add", "x", scalar="scalar"),
    foreach_route("aclnnForeachMulScalarV2", lambda x, s: x * s, lambda x, s: x + s, "mul", "x", scalar="scalar"),
    foreach_route("aclnnForeachAddcmulScalarV2", lambda a, b, c, s: a + s * b * c, lambda a, b, c, s: a + s * b,
                  "addcmul", "x1", "x2", "x3", scalar="scalar"),
    foreach_route("aclnnForeachLerpScalar", lambda a, b, w: a + w * (b - a), lambda a, b, w: b + w * (a - b) / 2,
                  "lerp", "x1", "x2", scalar="weight"),
    foreach_route("aclnnForeachSqrt", np.sqrt, np.cbrt, "sqrt", "x", values={"x": np.abs},
                  extremes={"x": ("nan", "inf", "0")}),
    foreach_route("aclnnForeachSubListV2", lambda a, b, s: a - s * b, lambda a, b, s: a + s * b,
                  "sub", "x1", "x2", scalar="alpha"),
    foreach_route("aclnnForeachSubScalarV2", lambda x, s: x - s, lambda x, s: x + s, "sub", "x", scalar="scalar"),
    foreach_route("aclnnForeachDivScalarV2", lambda x, s: x / s, lambda x, s: x * s, "div", "x", scalar="scalar"),
    foreach_route("aclnnForeachMaximumScalarV2", np.maximum, np.minimum, "clamp_min", "x", scalar="scalar"),
    foreach_route("aclnnForeachMinimumScalarV2", np.minimum, np.maximum, "clamp_max", "x", scalar="scalar"),
    foreach_route("aclnnForeachAddcdivScalarV2", lambda a, b, c, s: a + s * b / c, lambda a, b, c, s: a + s * b,
                  "addcdiv", "x1", "x2", "x3", scalar="scalar", values={"x3": positive}),
    two_lists("MulList", lambda a, b: a * b, lambda a, b: a + b, "mul"),
    two_lists("DivList", lambda a, b: a / b, lambda a, b: b / a, "div", values={"x1": positive, "x2": positive}),
    two_lists("MaximumList", np.maximum, np.minimum, "maximum", extremes={"x1": ("nan", "inf", "0")}),
    two_lists("MinimumList", np.minimum, np.maximum, "minimum", extremes={"x1": ("nan", "inf", "0")}),
    two_lists("PowList", lambda a, b: a ** b, lambda a, b: b ** a, "pow", bound=terms,
              values={"x1": lambda x: np.abs(x) + 1, "x2": lambda x: np.minimum(np.abs(x), 3)}),
    foreach_route("aclnnForeachLerpList", lambda a, b, w: a + w * (b - a), lambda a, b, w: b + w * (a - b) / 2,
                  "lerp", "x1", "x2", "weight", bound=terms),
    route("aclnnForeachCopy", "loop", lambda x: list(x), bound="exact",
          wrong={"negative": lambda x: [-each for each in x]}),
    one_list("Abs", np.abs, np.square, extremes={"x": ("nan", "inf", "0")}),
    one_list("Acos", np.arccos, np.arcsin, values=INSIDE), one_list("Asin", np.arcsin, np.arccos, values=INSIDE),
    one_list("Atan", np.arctan, np.tanh, extremes={"x": ("nan", "inf", "0")}),
    one_list("Cos", np.cos, np.sin), one_list("Cosh", np.cosh, np.sinh), one_list("Sin", np.sin, np.cos),
    one_list("Sinh", np.sinh, np.cosh), one_list("Tan", np.tan, np.sin, values=INSIDE),
    one_list("Tanh", np.tanh, np.arctan, extremes={"x": ("nan", "inf", "0")}),
    one_list("Erf", erf_, erfc_, extremes={"x": ("nan", "inf", "0")}), one_list("Erfc", erfc_, erf_),
    one_list("Exp", np.exp, np.expm1, values=SMALL), one_list("Expm1", np.expm1, np.exp, values=SMALL),
    one_list("Log", np.log, np.log2, values=POSITIVE), one_list("Log10", np.log10, np.log, values=POSITIVE),
    one_list("Log1p", np.log1p, np.log, values=POSITIVE), one_list("Log2", np.log2, np.log, values=POSITIVE),
    one_list("Neg", np.negative, np.abs, extremes={"x": ("nan", "inf")}),
    one_list("Reciprocal", lambda x: 1 / x, lambda x: -1 / x, values=POSITIVE),
    one_list("Sigmoid", lambda x: 1 / (1 + np.exp(-x)), np.tanh, extremes={"x": ("nan", "inf", "0")}),
    one_list("Sign", np.sign, np.abs),
    of_scalars("AddScalarList", lambda x, s: x + s, lambda x, s: x - s, "add"),
    of_scalars("SubScalarList", lambda x, s: x - s, lambda x, s: x + s, "sub"),
    of_scalars("MulScalarList", lambda x, s: x * s, lambda x, s: x + s, "mul"),
    of_scalars("DivScalarList", lambda x, s: x / s, lambda x, s: x * s, "div"),
    of_scalars("MaximumScalarList", np.maximum, np.minimum, "clamp_min"),
    of_scalars("MinimumScalarList", np.minimum, np.maximum, "clamp_max"),
    of_scalars("PowScalarList", lambda x, s: x ** s, lambda x, s: x * s, "pow", values=POSITIVE),
    route("aclnnForeachPowScalarAndTensor", "loop", lambda scalar, x: [scalar ** each for each in map(signed, x)],
          bound=terms, values={"x": lambda x: np.minimum(np.abs(x), 3)},
          wrong={"swapped": lambda scalar, x: [each ** scalar for each in x]}),
    route("aclnnForeachNorm", "loop", norms, bound=terms, also=[{"scalar": 1}],
          wrong={"no root": lambda x, scalar: [each ** 2 for each in norms(x, scalar)]}),
    route("aclnnForeachNonFiniteCheckAndUnscale", "loop",
          lambda scaledGrads, foundInf, invScale: [*(each * invScale.reshape(-1)[0] for each in scaledGrads), foundInf],
          wrong={"the flag set": lambda scaledGrads, foundInf, invScale: [
              *(each * invScale.reshape(-1)[0] for each in scaledGrads), np.ones_like(foundInf)]}),
)  # fmt: skip
