"""Routes for cumulative operators, variances and distances: torch, and Python's numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import accumulate
from operator import add, mul
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.derived.values import Number
from tests.oracle.route import Route, as_tensor, of_numbers, of_terms, route

Lane = Callable[[list[Any]], list[Any]]


def numbers(row: list[Any]) -> np.ndarray:
    """Integers of 64 bits as they are, larger ones by their low bits."""
    whole = all(isinstance(each, int) and not isinstance(each, bool) for each in row)
    return of_numbers(row) if whole and any(abs(each) >= 2**63 for each in row) else np.array(row)


def lanes(x: np.ndarray, dim: int, one: Lane) -> np.ndarray:
    """`one` of the elements along a dimension, which gives as many."""
    if not x.ndim:
        return numbers(one([x.item()])).reshape(())
    rows = np.moveaxis(x, dim, -1)
    found = numbers([each for row in rows.reshape(-1, x.shape[dim]) for each in one(row.tolist())])
    return np.moveaxis(found.reshape(rows.shape), -1, dim)


# sums and products up to each element


def running(row: list[Any], exclusive: bool = False, reverse: bool = False) -> list[Any]:
    given = row[::-1] if reverse else row
    sums = list(accumulate(given, add))
    sums = [type(row[0])(0), *sums[:-1]] if exclusive else sums
    return sums[::-1] if reverse else sums


def cumsum(self: np.ndarray, dim: int) -> np.ndarray:
    return lanes(self, dim, running)


def cumsum_v2(self: np.ndarray, dim: int, exclusive: bool, reverse: bool) -> np.ndarray:
    return lanes(self, dim, lambda row: running(row, exclusive, reverse))


def torch_cumsum(self: np.ndarray, dim: int) -> Any:
    import torch

    return torch.cumsum(as_tensor(self), dim).numpy()


def torch_cumsum_v2(self: np.ndarray, dim: int, exclusive: bool, reverse: bool) -> Any:
    import torch

    x = as_tensor(self)
    x = torch.flip(x, (dim,)) if reverse else x
    sums = torch.cumsum(x, dim)
    if exclusive:
        sums = torch.roll(sums, 1, dim)
        sums.select(dim, 0).zero_()
    return (torch.flip(sums, (dim,)) if reverse else sums).numpy()


def of_sums(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    sizes = np.abs(arguments["self"]).astype(np.float64)
    return of_terms(np.cumsum(sizes, arguments["dim"]), sizes.shape[arguments["dim"]], dtype)


def all_of_sums(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    sizes = np.abs(arguments["self"]).astype(np.float64)
    sizes = np.where(np.isfinite(sizes), sizes, 0)
    return of_terms(np.sum(sizes, arguments["dim"], keepdims=True), sizes.shape[arguments["dim"]], dtype)


def cumprod(input_: np.ndarray, dim: int) -> np.ndarray:
    return lanes(input_, int(dim), lambda row: list(accumulate(row, mul)))


def torch_cumprod(input_: np.ndarray, dim: int) -> Any:
    import torch

    return torch.cumprod(as_tensor(input_), int(dim)).numpy()


def of_products(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    return 2 * of_terms(np.abs(exact), arguments["input"].shape[int(arguments["dim"])], dtype)


def in_int64(value: Any) -> Any:
    return {"dim": Number(value, ACL_INT64)}


# extremes up to each element


def best(row: list[Any], better: Callable[[Any, Any], bool]) -> tuple[list[Any], list[int]]:
    """Of equal values the last one, and NaN once there is one."""
    values, places, at = list[Any](), list[int](), 0
    for here, value in enumerate(row):
        if value != value or (row[at] == row[at] and better(value, row[at])):
            at = here
        values.append(row[at])
        places.append(at)
    return values, places


def extreme(better: Callable[[Any, Any], bool]) -> Callable[..., Any]:
    def formula(self: np.ndarray, dim: int) -> Any:
        return lanes(self, dim, lambda row: best(row, better)[0]), lanes(self, dim, lambda row: best(row, better)[1])

    return formula


def torch_extreme(function: str) -> Callable[..., Any]:
    def formula(self: np.ndarray, dim: int) -> Any:
        import torch

        found = getattr(torch, function)(as_tensor(self), dim)
        return found.values.numpy(), found.indices.numpy()

    return formula


def extreme_route(
    name: str, torch: str, better: Callable[[Any, Any], bool], first: Callable[[Any, Any], bool]
) -> Route:
    other = extreme(lambda one, two: better(two, one))
    return route(
        name,
        "loop",
        extreme(better),
        torch=(torch, torch_extreme(torch.partition(".")[2])),
        bound="exact",
        extremes={"self": ("nan", "inf", "-inf", "0", "huge")},
        values={"self": lambda x: x // 2 if x.dtype.kind in "iu" else x},
        also=[{"self": Meta((3, 3)), "dim": -1, "valuesOut": Meta((3, 3)), "indicesOut": Meta((3, 3), ACL_INT64)}],
        wrong={
            "of equal values the first": extreme(first),
            "the other extreme": other,
            "over another axis": lambda self, dim: extreme(better)(self, -1 - dim),
        },
    )


ROUTES: tuple[Route, ...] = (
    route(
        "aclnnCumsum",
        "loop",
        cumsum,
        bound=of_sums,
        torch=("torch.cumsum", torch_cumsum),
        also=[{"self": Meta((3, 3)), "dim": -1, "out": Meta((3, 3))}],
        extremes={"self": ("nan", "inf", "0", "huge")},
        wrong={
            "over another axis": lambda self, dim: cumsum(self, -1 - dim),
            "without the element": lambda self, dim: cumsum_v2(self, dim, True, False),
        },
    ),
    route(
        "aclnnCumsumV2",
        "loop",
        cumsum_v2,
        bound=all_of_sums,
        torch=("torch.cumsum", torch_cumsum_v2),
        also=[{"exclusive": True}, {"reverse": True}, {"exclusive": True, "reverse": True, "dim": -1}],
        extremes={"self": ("nan", "inf", "0", "huge")},
        wrong={
            "from the start": lambda self, dim, exclusive: cumsum_v2(self, dim, exclusive, False),
            "with the element": lambda self, dim, reverse: cumsum_v2(self, dim, False, reverse),
        },
    ),
    route(
        "aclnnCumprod",
        "aclnnInplaceCumprod",
        "loop",
        cumprod,
        bound=of_products,
        torch=("torch.cumprod", torch_cumprod),
        also=[in_int64(1), in_int64(-1)],
        extremes={"input": ("nan", "inf", "0")},
        wrong={
            "sums": lambda input_, dim: cumsum(input_, int(dim)),
            "over another axis": lambda input_, dim: cumprod(input_, -1 - int(dim)),
        },
    ),
    extreme_route("aclnnCummax", "torch.cummax", lambda one, two: one >= two, lambda one, two: one > two),
    extreme_route("aclnnCummin", "torch.cummin", lambda one, two: one <= two, lambda one, two: one < two),
)
