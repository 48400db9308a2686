"""Routes for `aclnn.ops.comparison.comparisons` and `equal`: torch, and loops over Python's numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.oracle.extremes import ALL
from tests.oracle.route import Route, elements, route, same_type


def loop(compare: Callable[[Any, Any], bool]) -> Any:
    return elements(lambda self, other: compare(self, other))


def by_torch(name: str) -> tuple[str, Any]:
    def expected(self: Any, other: Any) -> np.ndarray:
        import torch

        other = float(other) if isinstance(other, int) and other >= 2**63 else other  # torch has no such integers
        return getattr(torch, name)(*same_type(self, other)).numpy()

    return f"torch.{name}", expected


def wrong_for_nan(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """A careless comparison: the opposite where a number is NaN."""
    return lambda x, y: not compare(x, y) if x != x or y != y else compare(x, y)


def compared(stem: str, name: str, *others: str) -> Route:
    """The Python function has the name of the one of torch."""
    own = getattr(operator, name)
    wrong = {f"{other} in its place": loop(getattr(operator, other)) for other in others}
    wrong["the opposite for NaN"] = loop(wrong_for_nan(own))
    return route(
        *(f"aclnn{inplace}{stem}{kind}" for inplace in ("", "Inplace") for kind in ("Tensor", "Scalar")),
        "loop", loop(own), torch=by_torch(name), bound="exact", wrong=wrong, values={"self": few, "other": few},
        extremes={"self": ALL, "other": ALL},
    )  # fmt: skip


def few(values: np.ndarray) -> np.ndarray:
    """Halves of few different values: some are equal."""
    return (
        np.rint(values.real) % 3 if values.dtype.kind in "cf" else values % 3 if values.dtype.kind in "iu" else values
    )


def rare(values: np.ndarray) -> np.ndarray:
    """Nearly all are 0, so that whole tensors are equal now and then."""
    return (values > (0 if values.dtype.kind == "b" else 3 if values.dtype.kind == "f" else 8)).astype(values.dtype)


def equal(self: np.ndarray, other: np.ndarray) -> np.ndarray:
    same = self.shape == other.shape and all(x == y for x, y in zip(self.flat, other.flat, strict=True))
    return np.array([same])


def torch_equal(self: np.ndarray, other: np.ndarray) -> np.ndarray:
    import torch

    return np.array([torch.equal(*same_type(self, other))])


def first_only(self: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.array([bool(self.size and self.flat[0] == other.flat[0])])


def copied(this: np.ndarray) -> np.ndarray:
    return np.ones(this.shape, this.dtype)


ROUTES: tuple[Route, ...] = (
    compared("Eq", "eq", "ne"),
    compared("Ne", "ne", "eq"),
    compared("Gt", "gt", "ge", "lt"),
    compared("Ge", "ge", "gt", "le"),
    compared("Lt", "lt", "le", "gt"),
    compared("Le", "le", "lt", "ge"),
    route("aclnnEqual", "loop", equal, torch=("torch.equal", torch_equal), bound="exact",
          values={"self": rare, "other": rare},
          wrong={"always": lambda self, other: np.array([True]), "never": lambda self, other: np.array([False])}),
)  # fmt: skip
