"""Routes for reductions to truth values, logarithms and norms: torch, and Python's numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import fsum, inf, isnan, log, nan
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.reduction.routes import further, mirrored, reduced, total
from tests.aclnn.ops.reduction.routes_over import ORDINARY, by_dims, largest, other_axis, over
from tests.derived.values import Number, Values
from tests.oracle.route import EPSILON, Route, as_tensor, nonzero, route, unit

# is it true?


def every(row: list[Any]) -> bool:
    return all(each != 0 for each in row)


def one_of(row: list[Any]) -> bool:
    return any(each != 0 for each in row)


def positive(row: list[Any]) -> bool:
    return any(each > 0 for each in row)


def numbers(row: list[Any]) -> bool:
    return all(each != 0 and each == each for each in row)


def torch_truth(function: str) -> Callable[..., Any]:
    def formula(self: np.ndarray, dim: list[int], keepdim: bool) -> Any:
        import torch

        return getattr(torch, function)(as_tensor(self), tuple(dim) or None, keepdim=keepdim).numpy()

    return formula


def rare(values: np.ndarray) -> np.ndarray:
    """Many zeros."""
    return np.where(np.arange(values.size).reshape(values.shape) % 3 == 0, values, 0)


TRUTH = [
    {"self": Meta((3, 3)), "dim": Values((-1,)), "out": Meta((3,), ACL_BOOL)},
    {"self": Meta((2, 3, 3)), "dim": Values((2, 0)), "keepdim": True, "out": Meta((1, 3, 1), ACL_BOOL)},
    {"self": Meta((2, 3)), "dim": Values(()), "out": Meta((), ACL_UINT8)},
]


# logarithms


def log_sum_exp(row: list[Any]) -> float:
    top = max(row) if not any(each != each for each in row) else nan
    if isnan(top) or abs(top) == inf:
        return top
    return log(fsum(np.exp(each - top) for each in row)) + top


def near_log(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    """The largest element is added to a logarithm, whose argument has a relative error."""
    return (
        8
        * unit(dtype)
        * (1 + np.abs(exact) + np.abs(arguments["self"]).max(initial=0, where=np.isfinite(arguments["self"])))
    )


def log_sum(row: list[Any]) -> float:
    whole = total(row)
    return nan if isnan(whole) or whole < 0 else -inf if whole == 0 else inf if whole == inf else log(whole)


def log_sum_route(data: np.ndarray, axes: list[int], keepDims: bool, noopWithEmptyAxes: bool) -> np.ndarray:
    return data if noopWithEmptyAxes and not axes else reduced(data, axes, keepDims, log_sum)


def torch_log_sum(data: np.ndarray, axes: list[int], keepDims: bool, noopWithEmptyAxes: bool) -> Any:
    import torch

    if noopWithEmptyAxes and not axes:
        return data
    return torch.log(torch.sum(as_tensor(data), tuple(axes) or None, keepdim=keepDims)).numpy()


def near_log_sum(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    return 8 * unit(dtype) * (1 + np.abs(exact)) * arguments["data"].size ** 0.5


# norms


def norm(row: list[Any], p: float) -> float:
    sizes = [abs(each) for each in row]
    if any(each != each for each in sizes) and p != 0:
        return nan
    if p == 0:
        return sum(each != 0 for each in sizes)
    if abs(p) in (inf, 2.0**31):
        return max(sizes) if p > 0 else min(sizes)
    if p < 0 and 0 in sizes:
        return 0.0
    terms = [float(np.float64(each) ** p) for each in sizes]
    return float(np.float64(sum(terms) if inf in terms else fsum(terms)) ** (1 / p))


def norms(
    order: str, dims: str, keep: str, change: Callable[[float], float] = lambda p: p
) -> Callable[..., np.ndarray]:
    def formula(**given: Any) -> np.ndarray:
        return reduced(given["self"], given[dims], given[keep], lambda row: float(norm(row, change(given[order]))))

    return formula


def torch_norm(order: str, dims: str, keep: str) -> Callable[..., Any]:
    def formula(**given: Any) -> Any:
        import torch

        x = as_tensor(given["self"].astype(np.float64))
        return torch.linalg.vector_norm(x, given[order], tuple(given[dims]) or None, given[keep]).numpy()

    return formula


def near_norm(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    return 16 * EPSILON.get("float32", 2.0**-23) * (1 + np.abs(exact)) * arguments["self"].size ** 0.5


def of_orders(order: str, dims: str, keep: str) -> list[Mapping[str, Any]]:
    powers = [{order: Number(each, ACL_FLOAT)} for each in (0.0, 1.0, 2.0, 3.0, inf, -inf, 1.5, 2.0**31)]
    return [*powers, {"self": Meta((3, 3)), dims: Values((-1,)), "out": Meta((3,)), order: powers[2][order]}]


def norm_route(name: str, order: str, dims: str, keep: str) -> Route:
    formula = norms(order, dims, keep)
    return route(
        name,
        "loop",
        formula,
        bound=near_norm,
        torch=("torch.linalg.vector_norm", infinite(torch_norm(order, dims, keep), order)),
        also=of_orders(order, dims, keep),
        extremes={"self": ORDINARY},
        wrong={
            "no root": norms(order, dims, keep, lambda p: 1.0 if p == 2 else p),
            "zeros are counted": lambda **given: formula(**given | {"self": nonzero(given["self"])}),
            "over another axis": lambda **given: mirrored(
                given["self"], given[dims], given[keep], lambda row: float(norm(row, given[order]))
            ),
        },
    )


def infinite(formula: Callable[..., Any], order: str) -> Callable[..., Any]:
    return lambda **given: formula(**given | {order: inf if given[order] == 2.0**31 else given[order]})


ROUTES: tuple[Route, ...] = (
    route(
        "aclnnAll",
        "loop",
        over(every, "dim", "keepdim"),
        torch=("torch.all", torch_truth("all")),
        also=TRUTH,
        values={"self": nonzero},
        extremes={"self": ("nan", "inf", "0", "tiny")},
        wrong={
            "any": over(one_of, "dim", "keepdim"),
            "NaN is false": over(numbers, "dim", "keepdim"),
            "over another axis": other_axis(every, "dim", "keepdim"),
        },
    ),
    route(
        "aclnnAny",
        "loop",
        over(one_of, "dim", "keepdim"),
        torch=("torch.any", torch_truth("any")),
        also=TRUTH,
        values={"self": rare},
        extremes={"self": ("nan", "-inf", "0", "tiny")},
        wrong={
            "all": over(every, "dim", "keepdim"),
            "only positive ones": over(positive, "dim", "keepdim"),
            "over another axis": other_axis(one_of, "dim", "keepdim"),
        },
    ),
    route(
        "aclnnLogSumExp",
        "loop",
        over(log_sum_exp, "dim", "keepDim"),
        bound=near_log,
        also=further("dim", "keepDim"),
        torch=("torch.logsumexp", by_dims("logsumexp", "dim", "keepDim")),
        extremes={"self": (*ORDINARY, "large")},
        wrong={
            "no logarithm": over(lambda row: sum(np.exp(row)), "dim", "keepDim"),
            "the largest element": over(largest, "dim", "keepDim"),
            "over another axis": other_axis(log_sum_exp, "dim", "keepDim"),
        },
    ),
    route(
        "aclnnReduceLogSum",
        "fsum",
        log_sum_route,
        bound=near_log_sum,
        values={"data": np.abs},
        also=[
            {"data": Meta((3, 3)), "axes": Values((-1,)), "reduce": Meta((3,))},
            {"data": Meta((2, 3)), "axes": Values(()), "noopWithEmptyAxes": True, "reduce": Meta((2, 3))},
            {"data": Meta((2, 3)), "axes": Values(()), "reduce": Meta(())},
        ],
        torch=("torch.log(torch.sum)", torch_log_sum),
        extremes={"data": ORDINARY},
        wrong={
            "of exponentials": lambda data, axes, keepDims: reduced(data, axes, keepDims, log_sum_exp),
            "over another axis": lambda data, axes, keepDims: mirrored(data, axes, keepDims, log_sum),
        },
    ),
    norm_route("aclnnNorm", "pScalar", "dim", "keepdim"),
    norm_route("aclnnLinalgVectorNorm", "ord", "dims", "keepDims"),
)
