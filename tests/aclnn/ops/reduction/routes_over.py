"""Routes for reductions other than sums: torch, and Python's numbers, one result after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import nan, prod
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.reduction.routes import average, bound, by_size, further, mirrored, reduced, total, without_last
from tests.derived.values import Values
from tests.oracle.extremes import ALL
from tests.oracle.route import Route, as_tensor, of_terms, route

One = Callable[[list[Any]], Any]
NO_TINY = ("nan", "inf", "-inf", "0")
ORDINARY = ("nan", "inf", "-inf", "tiny", "0")


def over(one: One, dims: str, keep: str, noop: str = "") -> Callable[..., np.ndarray]:
    """`one` of the elements over the dimensions with these names. With `noop` no dimensions mean none."""

    def formula(**given: Any) -> np.ndarray:
        axes, x = given[dims] if dims else [], given["self"]
        axes = [axes] if isinstance(axes, int) else axes
        if noop and given[noop] and not axes:
            return x
        return reduced(x, axes, given[keep] if keep else False, one)

    return formula


def other_axis(one: One, dims: str, keep: str) -> Callable[..., np.ndarray]:
    def formula(**given: Any) -> np.ndarray:
        axes = [given[dims]] if isinstance(given[dims], int) else given[dims]
        return mirrored(given["self"], axes, given[keep], one)

    return formula


def by_dims(function: str, dims: str, keep: str) -> Callable[..., Any]:
    """A function of torch over dimensions, or over all."""

    def formula(**given: Any) -> Any:
        import torch

        axes = tuple(given[dims]) if dims and given[dims] else tuple(range(given["self"].ndim))
        return getattr(torch, function)(as_tensor(given["self"]), axes, given[keep] if keep else False).numpy()

    return formula


# products


def multiplied(row: list[Any]) -> Any:
    return all(row) if isinstance(row[0], bool) else prod(row)


def of_products(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    return 2 * of_terms(np.abs(exact), arguments["self"].size // max(exact.size, 1), dtype)


def torch_prod(self: np.ndarray) -> Any:
    import torch

    x = torch.prod(as_tensor(self))
    return (x != 0 if self.dtype == np.bool_ else x).numpy()


def torch_prod_dim(self: np.ndarray, dim: int, keepDim: bool) -> Any:
    import torch

    x = torch.prod(as_tensor(self), dim, keepdim=keepDim)
    return (x != 0 if self.dtype == np.bool_ else x).numpy()


ALONG = [
    {"self": Meta((3, 3)), "dim": -1},
    {"self": Meta((2, 3, 3)), "dim": 2, "keepDim": True, "out": Meta((2, 3, 1))},
]


# extremes


def largest(row: list[Any]) -> Any:
    return nan if any(each != each for each in row) else max(row)


def smallest(row: list[Any]) -> Any:
    return nan if any(each != each for each in row) else min(row)


def without_nan(row: list[Any]) -> Any:
    return max([each for each in row if each == each] or row)


def in_size(row: list[Any]) -> Any:
    return max(row, key=abs)


def torch_extreme(function: str, dims: str, keep: str) -> Callable[..., Any]:
    return by_dims(function, dims, keep)


def both(dims: str, keep: str, *, torch: bool) -> Callable[..., Any]:
    """The smallest and the largest elements; no dimensions mean none."""

    def formula(**given: Any) -> Any:
        x, axes = given["self"], given[dims] if dims else list(range(given["self"].ndim))
        axes, kept = [axes] if isinstance(axes, int) else axes, given[keep] if keep else False
        if not axes:
            return x, x
        if torch:
            from torch import amax, amin

            t = as_tensor(x)
            return amin(t, tuple(axes), kept).numpy(), amax(t, tuple(axes), kept).numpy()
        return reduced(x, axes, kept, smallest), reduced(x, axes, kept, largest)

    return formula


def swapped(formula: Callable[..., Any]) -> Callable[..., Any]:
    return lambda **given: formula(**given)[::-1]


def pairwise_nan(dims: str, keep: str) -> Callable[..., Any]:
    """NaN is not seen."""
    plain = both(dims, keep, torch=False)

    def formula(**given: Any) -> Any:
        return plain(**given | {"self": nan_to_0(given["self"])})

    return formula


def extreme(name: str, one: One, torch: str, dims: str, keep: str, also: Sequence[Mapping[str, Any]]) -> Route:
    other = smallest if one is largest else largest
    wrong = {"the other extreme": over(other, dims, keep), "by absolute value": over(in_size, dims, keep)}
    if dims:
        wrong["over another axis"] = other_axis(one, dims, keep)
    if one is largest:
        wrong["NaN is not seen"] = over(without_nan, dims, keep)
    noop = "noopWithEmptyDims" if name == "aclnnMaxV2" else ""
    return route(
        name,
        "loop",
        over(one, dims, keep, noop),
        torch=(f"torch.{torch}", noop_torch(torch, dims, keep, noop)),
        bound="exact",
        also=also,
        extremes={"self": ALL},
        wrong=wrong,
    )


def noop_torch(torch: str, dims: str, keep: str, noop: str) -> Callable[..., Any]:
    formula = by_dims(torch, dims, keep)
    return lambda **given: given["self"] if noop and given[noop] and not given[dims] else formula(**given)


BOTH = {"minOut": Meta((3,)), "maxOut": Meta((3,))}
NOOP = {"self": Meta((2, 3)), "dims": Values(()), "noopWithEmptyDims": True, "out": Meta((2, 3))}


def nan_free(row: list[Any]) -> Any:
    return total([0.0 if isinstance(each, float) and each != each else each for each in row])


def torch_nansum(self: np.ndarray, dim: list[int], keepDim: bool) -> Any:
    import torch

    x = as_tensor(self)
    found = torch.nansum(x, tuple(dim) or None, keepdim=keepDim)
    return (found != 0 if x.dtype == torch.bool else found).numpy()


def nan_to_0(x: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(x), 0, x) if x.dtype.kind == "f" else x


def near_nansum(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    clean = {**arguments, "self": nan_to_0(arguments["self"])}
    return bound("dim", "keepDim", divided=False)(clean, exact, dtype)


def wrapped_average(self: np.ndarray, dim: list[int], keepDim: bool, noopWithEmptyAxes: bool) -> np.ndarray:
    return self if noopWithEmptyAxes and not dim else reduced(self, dim, keepDim, average)


def torch_mean_v2(self: np.ndarray, dim: list[int], keepDim: bool, noopWithEmptyAxes: bool) -> Any:
    import torch

    if noopWithEmptyAxes and not dim:
        return self
    x = as_tensor(self)
    if x.is_floating_point() or x.is_complex():
        return torch.mean(x, tuple(dim) or None, keepdim=keepDim).numpy()
    found = torch.sum(x, tuple(dim) or None, keepdim=keepDim)
    return torch.div(found, x.numel() // max(found.numel(), 1), rounding_mode="trunc").numpy()


def near_mean(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    if exact.shape == arguments["self"].shape:
        return 0.0
    return bound("dim", "keepDim", divided=True)(arguments, exact, dtype)


def few(values: np.ndarray) -> np.ndarray:
    """Sums of integers of 8 bits that do not wrap."""
    return values % 3 - 1 if values.dtype.kind == "i" else values % 2 if values.dtype.kind == "u" else values


ROUTES: tuple[Route, ...] = (
    route(
        "aclnnReduceNansum",
        "fsum",
        over(nan_free, "dim", "keepDim"),
        bound=near_nansum,
        also=further("dim", "keepDim"),
        torch=("torch.nansum", torch_nansum),
        extremes={"self": ALL},
        wrong={
            "NaN stays": over(total, "dim", "keepDim"),
            "the last term lost": over(without_last, "dim", "keepDim"),
            "over another axis": other_axis(nan_free, "dim", "keepDim"),
        },
    ),
    route(
        "aclnnMeanV2",
        "fsum",
        wrapped_average,
        bound=near_mean,
        values={"self": few},
        also=[
            *further("dim", "keepDim"),
            {"dim": Values(()), "noopWithEmptyAxes": True, "self": Meta((2, 3)), "out": Meta((2, 3))},
        ],
        torch=("torch.mean", torch_mean_v2),
        extremes={"self": ALL},
        wrong={"divided by the size of self": by_size, "over another axis": other_axis(average, "dim", "keepDim")},
    ),
    route(
        "aclnnProd",
        "loop",
        over(multiplied, "", ""),
        bound=of_products,
        torch=("torch.prod", torch_prod),
        also=[{"self": Meta((2, 3)), "out": Meta(())}],
        extremes={"self": NO_TINY},
        wrong={
            "the sum": over(total, "", ""),
            "the last factor lost": over(lambda row: multiplied(row[:-1] or row), "", ""),
        },
    ),
    route(
        "aclnnProdDim",
        "loop",
        over(multiplied, "dim", "keepDim"),
        bound=of_products,
        also=ALONG,
        torch=("torch.prod", torch_prod_dim),
        extremes={"self": NO_TINY},
        wrong={"over another axis": other_axis(multiplied, "dim", "keepDim"), "the sum": over(total, "dim", "keepDim")},
    ),
    extreme("aclnnMax", largest, "amax", "", "", [{"self": Meta((2, 3))}]),
    extreme("aclnnMin", smallest, "amin", "", "", [{"self": Meta((2, 3))}]),
    extreme("aclnnAmax", largest, "amax", "dim", "keepDim", further("dim", "keepDim")),
    extreme("aclnnAmin", smallest, "amin", "dim", "keepDim", further("dim", "keepDim")),
    extreme("aclnnMaxV2", largest, "amax", "dims", "keepDims", [*further("dims", "keepDims"), NOOP]),
    *(
        route(
            name,
            "loop",
            both(dims, keep, torch=False),
            torch=("torch.amin, torch.amax", both(dims, keep, torch=True)),
            bound="exact",
            also=also,
            extremes={"self": ALL},
            wrong={"swapped": swapped(both(dims, keep, torch=False)), "NaN is not seen": pairwise_nan(dims, keep)},
        )
        for name, dims, keep, also in (
            (
                "aclnnAminmax",
                "dim",
                "keepDim",
                [
                    {"self": Meta((3, 3)), "dim": Values((-1,)), **BOTH},
                    {"self": Meta((2, 3)), "dim": Values(()), "minOut": Meta((2, 3)), "maxOut": Meta((2, 3))},
                ],
            ),
            ("aclnnAminmaxDim", "dim", "keepDim", [{"self": Meta((3, 3)), "dim": -1, **BOTH}]),
            ("aclnnAminmaxAll", "", "", [{"self": Meta((2, 3)), "minOut": Meta(()), "maxOut": Meta(())}]),
        )
    ),
)
