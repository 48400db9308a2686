"""Routes for `aclnn.ops.foreach`: torch, and a loop over the tensors."""

from __future__ import annotations

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
        name, "loop", each_of(formula, *lists, scalar=scalar), bound=terms if scalar else "elementwise",
        torch=(f"torch._foreach_{torch}", by_torch(torch, *lists, scalar=scalar)),
        wrong={"another formula": each_of(other, *lists, scalar=scalar),
               **({"the scalar doubled": but(each_of(formula, *lists, scalar=scalar),
                                             **{scalar: lambda given: 2 * given[scalar]})} if scalar else {})},
        **more,
    )  # fmt: skip


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
)  # fmt: skip
