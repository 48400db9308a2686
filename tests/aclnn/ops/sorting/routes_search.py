"""Routes for searching in sorted sequences: torch, and bisect."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.derived.values import Number
from tests.oracle.route import Route, as_tensor, but, route, same_type


def searched(sequence: np.ndarray, x: np.ndarray, right: bool, sorter: np.ndarray | None = None) -> np.ndarray:
    find = bisect_right if right else bisect_left
    ordered = sequence if sorter is None else np.take_along_axis(sequence, sorter.astype(np.int64), -1)
    found = np.empty(x.shape, np.int64)
    for at in np.ndindex(x.shape):
        row = ordered if ordered.ndim == 1 else ordered[at[:-1]]
        found[at] = find(row.tolist(), x[at])
    return found


def search_sorted(sortedSequence: np.ndarray, self: np.ndarray, right: bool, sorter: np.ndarray | None) -> np.ndarray:
    return searched(sortedSequence, self, right, sorter)


def torch_search_sorted(sortedSequence: np.ndarray, self: np.ndarray, right: bool, sorter: np.ndarray | None) -> Any:
    import torch

    sequence, x = same_type(sortedSequence, self)
    given = None if sorter is None else as_tensor(sorter.astype(np.int64))
    return torch.searchsorted(sequence, x, right=right, sorter=given).numpy()


def as_element(number: float, sequence: np.ndarray) -> Any:
    """The number in the data type of the sequence."""
    kind = sequence.dtype.kind
    return int(number) & 255 if kind == "u" else int(number) if kind == "i" else number


def search_sorteds(sortedSequence: np.ndarray, self: float, right: bool) -> np.ndarray:
    return searched(sortedSequence, np.array([as_element(self, sortedSequence)]), right)


def torch_search_sorteds(sortedSequence: np.ndarray, self: float, right: bool) -> Any:
    import torch

    return torch.searchsorted(
        *same_type(sortedSequence, np.array([as_element(self, sortedSequence)])), right=right
    ).numpy()


def bucketize(self: np.ndarray, boundaries: np.ndarray, right: bool) -> np.ndarray:
    return searched(boundaries, self, right)


def torch_bucketize(self: np.ndarray, boundaries: np.ndarray, right: bool) -> Any:
    import torch

    x, sequence = same_type(self, boundaries)
    return torch.bucketize(x, sequence, right=right).numpy()


def ordered(values: np.ndarray) -> np.ndarray:
    return np.sort(values.astype(np.float32), -1)


def opposite(arguments: dict[str, Any]) -> bool:
    return not arguments["right"]


LONG = {"sortedSequence": Meta((5,)), "self": Meta((3, 4)), "out": Meta((3, 4), ACL_INT64)}
SORTER = {
    "sortedSequence": Meta((2, 2)),
    "self": Meta((2, 3)),
    "sorter": Meta((2, 2), ACL_INT64),
    "out": Meta((2, 3), ACL_INT64),
}
ROUTES: tuple[Route, ...] = (
    route(
        "aclnnSearchSorted",
        "bisect",
        search_sorted,
        torch=("torch.searchsorted", torch_search_sorted),
        bound="exact",
        groups=[["sortedSequence", "self"], ["self"]],
        values={"sortedSequence": ordered, "sorter": lambda x: np.argsort(x, -1)},
        also=[{"right": True}, LONG, {**LONG, "right": True}, SORTER, {**SORTER, "right": True}],
        positions=True,
        wrong={
            "the other side": but(search_sorted, right=opposite),
            "the first": lambda **given: np.zeros_like(given["self"], np.int64),
        },
    ),
    route(
        "aclnnSearchSorteds",
        "bisect",
        search_sorteds,
        torch=("torch.searchsorted", torch_search_sorteds),
        bound="exact",
        groups=[["sortedSequence"]],
        values={"sortedSequence": ordered},
        start={"sortedSequence": Meta((5,)), "sorter": None, "out": Meta((1,), ACL_INT64)},
        also=[{"right": True}, {"self": Number(2), "right": True}],
        positions=True,
        wrong={
            "the other side": but(search_sorteds, right=opposite),
            "one further": lambda sortedSequence, self, right: search_sorteds(sortedSequence, self, right) + 1,
        },
    ),
    route(
        "aclnnBucketize",
        "bisect",
        bucketize,
        torch=("torch.bucketize", torch_bucketize),
        bound="exact",
        positions=True,
        groups=[["self", "boundaries"], ["self"]],
        values={"boundaries": ordered},
        also=[{"right": True}, {"self": Meta((3, 4)), "boundaries": Meta((5,)), "out": Meta((3, 4), ACL_INT64)}],
        wrong={
            "the other side": but(bucketize, right=opposite),
            "one further": lambda self, boundaries, right: bucketize(self, boundaries, right) + 1,
        },
    ),
)
