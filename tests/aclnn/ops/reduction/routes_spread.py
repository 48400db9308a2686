"""Routes for variances and distances: torch, and Python's numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import fsum, inf, nan, sqrt
from typing import Any

import numpy as np

from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.reduction.routes import further, reduced
from tests.aclnn.ops.reduction.routes_measures import norm
from tests.derived.values import Number
from tests.oracle.route import Route, as_tensor, route, unit

# variances


def variance(row: list[float], correction: int, *, fixed: bool) -> tuple[float, float]:
    mean = fsum(row) / len(row) if all(abs(each) < inf for each in row) else sum(row) / len(row)
    if fixed and len(row) <= correction:
        return (nan if len(row) == 1 else inf), mean
    squares = sum((each - mean) ** 2 for each in row)
    below = max(0, len(row) - correction)
    return (squares / below if below else nan if squares == 0 else inf), mean


def spread(*, root: bool = False, fixed: bool = True, mean: bool = False, shift: int = 0) -> Callable[..., Any]:
    def formula(**given: Any) -> Any:
        correction = given["correction"] if "correction" in given else int(given["unbiased"])

        def one(row: list[float]) -> float:
            found = variance(row, correction + shift, fixed=fixed)[0]
            return sqrt(found) if root else found

        dims = given["dim"] or []
        out = reduced(given["self"], dims, given["keepdim"], one)
        middle = reduced(given["self"], dims, given["keepdim"], lambda row: variance(row, 0, fixed=False)[1])
        return (out, middle) if mean else out

    return formula


def torch_spread(function: str) -> Callable[..., Any]:
    def formula(**given: Any) -> Any:
        import torch

        correction = given["correction"] if "correction" in given else int(given["unbiased"])
        x, dims = as_tensor(given["self"]), tuple(given["dim"] or ()) or None
        found = getattr(torch, function)(x, dims, correction=correction, keepdim=given["keepdim"])
        return tuple(each.numpy() for each in found) if isinstance(found, tuple) else found.numpy()

    return formula


def near_spread(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    """The mean is rounded to the data type of self before the second pass."""
    most = np.abs(arguments["self"]).max(initial=0.0, where=np.isfinite(arguments["self"]))
    rest = {"float16": 2.0**-11, "bfloat16": 2.0**-8}.get(dtype, 2.0**-24) * most
    return 8 * unit(dtype) * (np.abs(exact) + most) * arguments["self"].size ** 0.5 + 2 * rest * rest


def spread_route(
    name: str, torch: str, *, outs: tuple[str, ...] = ("out",), root: bool = False, fixed: bool = True
) -> Route:
    also = [
        {key: value for key, value in each.items() if key != "out"} | dict.fromkeys(outs, each.get("out", Meta((3,))))
        for each in further("dim", "keepdim")
    ]
    formula = spread(root=root, fixed=fixed, mean=len(outs) > 1)
    way = torch_spread(torch)
    wrong = {
        "divided by another number": spread(root=root, fixed=fixed, mean=len(outs) > 1, shift=1),
        "over another axis": lambda **given: formula(**given | {"dim": [-1 - dim for dim in given["dim"] or []]}),
    }
    if root:
        wrong["no root"] = spread(fixed=fixed, mean=len(outs) > 1)
    start = {} if name == "aclnnVar" else {"correction": 1}
    return route(
        name,
        "loop",
        formula,
        bound=near_spread,
        torch=(f"torch.{torch}", way),
        also=also,
        start=start,
        extremes={"self": ("nan", "tiny", "0")},
        wrong=wrong,
    )


# distances


def distance(off: np.ndarray, p: float) -> float:
    """NaN if any difference is, also where differences are counted."""
    return float(nan) if np.isnan(off).any() else norm(off.tolist(), p)


def cdist(x1: np.ndarray, x2: np.ndarray, p: float) -> np.ndarray:
    lead = np.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
    one = np.broadcast_to(x1, (*lead, *x1.shape[-2:]))
    two = np.broadcast_to(x2, (*lead, *x2.shape[-2:]))
    found = np.empty((*lead, x1.shape[-2], x2.shape[-2]))
    for at in np.ndindex(found.shape):
        found[at] = distance(one[(*at[:-2], at[-2])] - two[(*at[:-2], at[-1])], p)
    return found


def torch_cdist(x1: np.ndarray, x2: np.ndarray, p: float) -> Any:
    import torch

    one, two = as_tensor(x1), as_tensor(x2)
    return torch.cdist(one, two, p, compute_mode="donot_use_mm_for_euclid_dist").numpy()


def near_distance(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    return 64 * unit(dtype) * (1 + np.abs(exact))


def pairs(x: np.ndarray, p: float) -> np.ndarray:
    rows = range(len(x))
    return np.array([distance(x[one] - x[two], p) for one in rows for two in rows if one < two], np.float64)


def column_order(x: np.ndarray, p: float) -> np.ndarray:
    rows = range(len(x))
    return np.array([distance(x[one] - x[two], p) for two in rows for one in rows if one < two], np.float64)


def torch_pairs(x: np.ndarray, p: float) -> Any:
    import torch

    return torch.pdist(as_tensor(x), p).numpy()


def pdist_route(name: str, order: str, orders: list[Any]) -> Route:
    """The same by the name of the order."""

    def of(formula: Callable[..., Any], change: Callable[[float], float] = lambda p: p) -> Callable[..., Any]:
        return lambda **given: formula(given["self"], change(given[order]))

    given = {"self": Meta((4, 3)), "out": Meta((6,))}
    return route(
        name,
        "loop",
        of(pairs),
        bound=near_distance,
        torch=("torch.pdist", of(torch_pairs)),
        start=given,
        also=[{**given, order: each} for each in orders],
        extremes={"self": ("nan", "inf", "0")},
        wrong={"by columns": of(column_order), "another norm": of(pairs, lambda p: p + 1)},
    )


SQUARE = {"x1": Meta((3, 2)), "x2": Meta((3, 2)), "out": Meta((3, 3))}
ORDERS = (0.0, 1.0, 3.0, inf, 1.5)
ROUTES: tuple[Route, ...] = (
    spread_route("aclnnVar", "var", fixed=False),
    spread_route("aclnnVarCorrection", "var"),
    spread_route("aclnnVarMean", "var_mean", outs=("varOut", "meanOut")),
    spread_route("aclnnStd", "std", root=True),
    spread_route("aclnnStdMeanCorrection", "std_mean", outs=("stdOut", "meanOut"), root=True),
    route(
        "aclnnCdist",
        "loop",
        cdist,
        bound=near_distance,
        torch=("torch.cdist", torch_cdist),
        start=SQUARE,
        also=[
            *({**SQUARE, "p": each} for each in ORDERS),
            {**SQUARE, "p": 2.0, "compute_mode": 2},
            {"x1": Meta((2, 1, 3, 2)), "x2": Meta((3, 4, 2)), "out": Meta((2, 3, 3, 4)), "p": 1.0},
        ],
        extremes={"x1": ("inf", "0")},
        wrong={
            "swapped": lambda x1, x2, p: (
                np.swapaxes(cdist(x1, x2, p), -1, -2) if x1.shape[-2] == x2.shape[-2] else cdist(x1, x2, p)
            ),
            "another norm": lambda x1, x2, p: cdist(x1, x2, p + 1),
        },
    ),
    pdist_route("aclnnPdist", "p", list(ORDERS)),
    pdist_route("aclnnPdistForward", "pScalar", [Number(each) for each in (0.0, 1.0, 3.0, 1.5)]),
)
