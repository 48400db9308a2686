"""Routes for positions, elements at a place in order, and searching: torch, and Python's lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.sorting.routes import sort, torch_sort
from tests.oracle.extremes import ALL
from tests.oracle.route import Route, as_tensor, but, route

Picked = tuple[Any, int]
Pick = Callable[[list[Any]], Picked]
"""from a row to an element and its position"""


def picked(x: np.ndarray, dim: int, keepdim: bool, pick: Pick) -> tuple[np.ndarray, np.ndarray]:
    """The elements that are picked along a dimension, and their positions."""
    if not x.ndim:
        return x, np.zeros((), np.int64)
    rows = np.moveaxis(x, dim, -1)
    found = [pick(row.tolist()) for row in rows.reshape(-1, x.shape[dim])]
    both = [np.array([each[at] for each in found]).reshape(rows.shape[:-1]) for at in (0, 1)]
    both[0] = both[0].astype(x.dtype)
    return tuple(np.expand_dims(each, dim) for each in both) if keepdim else tuple(both)  # pyright: ignore


def greatest(row: list[Any]) -> Picked:
    """The first NaN, or the first of the largest."""
    place = next((at for at, each in enumerate(row) if each != each), None)
    place = row.index(max(row)) if place is None else place
    return row[place], place


def least(row: list[Any]) -> Picked:
    place = next((at for at, each in enumerate(row) if each != each), None)
    place = row.index(min(row)) if place is None else place
    return row[place], place


def last(pick: Pick) -> Pick:
    """Of equal elements the last."""

    def found(row: list[Any]) -> Picked:
        value, place = pick(row[::-1])
        return value, len(row) - 1 - place

    return found


def ranked(row: list[Any]) -> list[int]:
    """The places in order: NaN is the largest, equal values stay as they are."""
    return sorted(range(len(row)), key=lambda at: (row[at] != row[at], 0 if row[at] != row[at] else row[at]))


def middle(row: list[Any], shift: int = 0) -> Picked:
    place = next((at for at, each in enumerate(row) if each != each), None)
    place = ranked(row)[(len(row) - 1) // 2 + shift] if place is None else place
    return row[place], place


def middle_of_numbers(row: list[Any]) -> Picked:
    count = sum(each == each for each in row)
    place = ranked(row)[max(count - 1, 0) // 2]
    return row[place], place


def upper(row: list[Any]) -> Picked:
    """The upper of two elements in the middle."""
    return middle(row, shift=(len(row) + 1) % 2)


def places(pick: Pick, of: str = "self") -> Callable[..., np.ndarray]:
    return lambda **given: picked(given[of], given["dim"], given["keepdim"], pick)[1]


def elements(pick: Pick, keep: str = "keepdim") -> Callable[..., Any]:
    return lambda **given: picked(given["self"], given["dim"], given[keep], pick)


def of_all(pick: Pick) -> Callable[..., Any]:
    return lambda self: np.array(pick(self.ravel().tolist())[0]).reshape(()).astype(self.dtype)


def torch_places(function: str) -> Callable[..., Any]:
    def formula(self: np.ndarray, dim: int, keepdim: bool) -> Any:
        import torch

        return getattr(torch, function)(as_tensor(self), dim, keepdim=keepdim).numpy()

    return formula


def torch_both(function: str, keep: str, *, positions: bool = True) -> Callable[..., Any]:
    """A function of torch with values and indices. Where it chooses other ones of equal elements, only the values."""

    def formula(**given: Any) -> Any:
        import torch

        words = [given["k"]] if "k" in given and function == "kthvalue" else []
        found = getattr(torch, function)(as_tensor(given["self"]), *words, given["dim"], keepdim=given[keep])
        return found.values.numpy(), found.indices.numpy() if positions else None

    return formula


def torch_of_all(function: str) -> Callable[..., Any]:
    def formula(self: np.ndarray) -> Any:
        import torch

        return getattr(torch, function)(as_tensor(self)).numpy()

    return formula


def few(values: np.ndarray) -> np.ndarray:
    """Many equal integers."""
    return values // 3 if values.dtype.kind in "iu" else values


def argsort(self: np.ndarray, dim: int, descending: bool) -> np.ndarray:
    return sort(self, dim, descending)[1]


def torch_argsort(self: np.ndarray, dim: int, descending: bool) -> Any:
    return torch_sort(self, dim, descending)[1]


def topk(self: np.ndarray, k: int, dim: int, largest: bool) -> Any:
    if not self.ndim:
        return self.reshape(1)[:k].reshape(()), np.zeros((), np.int64)
    values, found = sort(self, dim, largest)
    return tuple(np.take(each, range(k), dim) for each in (values, found))


def torch_topk(self: np.ndarray, k: int, dim: int, largest: bool) -> Any:
    import torch

    return torch.topk(as_tensor(self), k, dim, largest=largest).values.numpy(), None


def kth(k: int) -> Pick:
    def pick(row: list[Any]) -> Picked:
        place = ranked(row)[k - 1]
        return row[place], place

    return pick


def kthvalue(**given: Any) -> Any:
    return picked(given["self"], given["dim"], given["keepdim"], kth(given["k"]))


SQUARE = {"self": Meta((3, 3)), "dim": -1}
PAIR = {"valuesOut": Meta((3,)), "indicesOut": Meta((3,), ACL_INT64)}
ONE_TYPE = ["self", "valuesOut"]


def position_routes(name: str, function: str, pick: Pick, other: Pick) -> Route:
    also: Sequence[dict[str, Any]] = [
        {**SQUARE, "out": Meta((3,), ACL_INT64)},
        {"keepdim": True, "out": Meta((1, 3), ACL_INT32), "self": Meta((2, 3))},
    ]
    return route(
        name,
        "loop",
        places(pick),
        torch=(f"torch.{function}", torch_places(function)),
        bound="exact",
        also=also,
        groups=[["self"]],
        values={"self": few},
        extremes={"self": ALL},
        positions=True,
        wrong={
            "of equal elements the last": places(last(pick)),
            "the other extreme": places(other),
            "over another axis": but(places(pick), dim=lambda given: -1 - given["dim"]),
        },
    )


def element_routes(name: str, function: str, pick: Pick, other: Pick) -> Route:
    also = [{**SQUARE, "out": Meta((3,)), "indices": Meta((3,), ACL_INT64)}]
    return route(
        name,
        "loop",
        elements(pick),
        torch=(f"torch.{function}", torch_both(function, "keepdim")),
        bound="exact",
        also=also,
        groups=[["self", "out"]],
        values={"self": few},
        extremes={"self": ALL},
        wrong={
            "of equal elements the last": elements(last(pick)),
            "the other extreme": elements(other),
            "over another axis": but(elements(pick), dim=lambda given: -1 - given["dim"]),
        },
    )


def median_route(name: str, function: str, pick: Pick, other: Pick) -> Route:
    return route(
        name,
        "loop",
        elements(pick, "keepDim"),
        torch=(f"torch.{function}", torch_both(function, "keepDim", positions=False)),
        bound="exact",
        also=[
            {**SQUARE, **PAIR},
            {"self": Meta((2, 4)), "dim": 1, "valuesOut": Meta((2,)), "indicesOut": Meta((2,), ACL_INT64)},
        ],
        groups=[ONE_TYPE],
        values={"self": few},
        extremes={"self": ALL},
        wrong={
            "the other rule for NaN": elements(other, "keepDim"),
            "the upper median": elements(upper, "keepDim"),
            "over another axis": but(elements(pick, "keepDim"), dim=lambda given: -1 - given["dim"]),
        },
    )


ROUTES: tuple[Route, ...] = (
    route(
        "aclnnArgsort",
        "loop",
        argsort,
        torch=("torch.sort", torch_argsort),
        bound="exact",
        groups=[["self"]],
        also=[{"descending": True}, {"dim": -1}],
        values={"self": few},
        extremes={"self": ALL},
        positions=True,
        wrong={
            "descending ignored": lambda self, dim: argsort(self, dim, False),
            "over another axis": lambda self, dim, descending: argsort(self, -1 - dim, descending),
        },
    ),
    route(
        "aclnnTopk",
        "loop",
        topk,
        torch=("torch.topk", torch_topk),
        bound="exact",
        groups=[ONE_TYPE],
        start={
            "self": Meta((4, 3)),
            "k": 2,
            "dim": 0,
            "valuesOut": Meta((2, 3)),
            "indicesOut": Meta((2, 3), ACL_INT64),
        },
        also=[
            {"largest": True},
            {"self": Meta((2, 4)), "dim": -1, "k": 3, "valuesOut": Meta((2, 3)), "largest": True, "sorted": True},
        ],
        values={"self": few},
        extremes={"self": ALL},
        wrong={
            "always the smallest": lambda self, k, dim: topk(self, k, dim, False),
            "the worst first": lambda self, k, dim, largest: tuple(
                np.flip(each, dim) for each in topk(self, k, dim, largest)
            ),
        },
    ),
    position_routes("aclnnArgMax", "argmax", greatest, least),
    position_routes("aclnnArgMin", "argmin", least, greatest),
    element_routes("aclnnMaxDim", "max", greatest, least),
    element_routes("aclnnMinDim", "min", least, greatest),
    route(
        "aclnnKthvalue",
        "loop",
        kthvalue,
        torch=("torch.kthvalue", torch_both("kthvalue", "keepdim", positions=False)),
        bound="exact",
        start={"self": Meta((4, 3)), "dim": 0, "k": 2, **PAIR},
        also=[{"k": 4}, {**SQUARE, **PAIR, "k": 1}],
        groups=[ONE_TYPE],
        values={"self": few},
        extremes={"self": ALL},
        wrong={
            "from 0 on": but(kthvalue, k=lambda given: min(given["k"] + 1, 3)),
            "the first": but(kthvalue, k=lambda given: 1),
        },
    ),
    route(
        "aclnnMedian",
        "loop",
        of_all(middle),
        torch=("torch.median", torch_of_all("median")),
        bound="exact",
        also=[{"self": Meta((2, 3)), "valuesOut": Meta(())}],
        groups=[ONE_TYPE],
        extremes={"self": ALL},
        wrong={"NaN is left out": of_all(middle_of_numbers), "the upper median": of_all(upper)},
    ),
    route(
        "aclnnNanMedian",
        "loop",
        of_all(middle_of_numbers),
        torch=("torch.nanmedian", torch_of_all("nanmedian")),
        bound="exact",
        also=[{"self": Meta((2, 3)), "out": Meta(())}],
        groups=[["self", "out"]],
        extremes={"self": ALL},
        wrong={"NaN wins": of_all(middle), "the upper median": of_all(upper)},
    ),
    median_route("aclnnMedianDim", "median", middle, middle_of_numbers),
    median_route("aclnnNanMedianDim", "nanmedian", middle_of_numbers, middle),
)
