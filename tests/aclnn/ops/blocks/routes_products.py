"""Routes for products of narrow floats with scales: the sum of each block, times both scales."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, but, of_terms, route

E5, E8 = ACL_FLOAT8_E5M2, ACL_FLOAT8_E8M0


def powers(drawn: np.ndarray) -> np.ndarray:
    return np.exp2(np.round(np.nan_to_num(drawn.astype(np.float64))) % 5 - 2)


def of_blocks(x: np.ndarray, scales: np.ndarray, axis: int) -> np.ndarray:
    """Each element times the scale of its block along an axis."""
    out = np.zeros(x.shape)
    for place in np.ndindex(*x.shape):
        at = list(place)
        block, at[axis] = at[axis] // 32, at[axis] // 64
        out[place] = x[place] * scales[(*at, block % 2)]
    return out


def added(
    x1: Any, x2: Any, x1ScaleOptional: Any, x2Scale: Any, yRef: Any, transposeX1: bool, transposeX2: bool
) -> Any:  # fmt: skip
    left = of_blocks(x1, x1ScaleOptional, 0 if transposeX1 else 1)
    right = of_blocks(x2, x2Scale, 1 if transposeX2 else 0)
    left, right = left.T if transposeX1 else left, right.T if transposeX2 else right
    return yRef + sum(np.outer(a, b) for a, b in zip(left.T, right, strict=True))


def bound_of_sum(arguments: Any, exact: np.ndarray, dtype: str) -> Any:
    names = ("x1", "x2", "x1ScaleOptional", "x2Scale", "yRef")
    terms = added(*(np.abs(arguments[name]) for name in names), arguments["transposeX1"], arguments["transposeX2"])
    return of_terms(terms, 72, dtype)


def permuted(x1: Any, x2: Any, x1Scale: Any, x2Scale: Any, permX2: Any) -> Any:
    """Batch by batch. Scales of FLOAT belong to rows and columns."""
    last = list(permX2) == [0, 2, 1]
    shared = x1Scale.ndim == 4
    left = of_blocks(x1, x1Scale, 2) if shared else x1
    right = of_blocks(x2, x2Scale, 2 if last else 1) if shared else x2
    out = np.zeros((x1.shape[0], x1.shape[1], x2.shape[1 if last else 2]))
    for batch in range(x1.shape[1]):
        weight = right[batch].T if last else right[batch]
        out[:, batch] = sum(np.outer(a, b) for a, b in zip(left[:, batch].T, weight, strict=True))
    return out if shared else out * x1Scale[:, None, None] * x2Scale


def bound_of_permuted(arguments: Any, exact: np.ndarray, dtype: str) -> Any:
    names = ("x1", "x2", "x1Scale", "x2Scale")
    return of_terms(permuted(*(np.abs(arguments[name]) for name in names), arguments["permX2"]), 72, dtype)


def swapped(given: Any) -> Any:
    return np.flip(given["x2Scale"], -1)


SWAPPED = {"transposeX1": True, "x1": Meta((72, 3), E5), "x1ScaleOptional": Meta((2, 3, 2), E8), "transposeX2": True,
           "x2": Meta((5, 72), E5), "x2Scale": Meta((5, 2, 2), E8)}  # fmt: skip
WRONG = {"scales of a pair swapped": but(permuted, x2Scale=swapped)}
ROUTES: tuple[Route, ...] = (
    route("aclnnQuantBatchMatmulInplaceAdd", "outer products", added, bound=bound_of_sum, groups=[("x1", "x2")],
          values={"x1ScaleOptional": powers, "x2Scale": powers}, also=[SWAPPED],
          wrong={"nothing added": but(added, yRef=lambda given: given["yRef"] * 0),
                 "scales of a pair swapped": but(added, x2Scale=swapped)}),
    route("aclnnTransposeQuantBatchMatMul", "outer products", permuted, bound=bound_of_permuted,
          groups=[("x1", "x2")], values={"x1Scale": powers, "x2Scale": powers},
          also=[{"permX2": [0, 2, 1], "x2": Meta((2, 5, 64), ACL_FLOAT8_E4M3FN), "x2Scale": Meta((2, 5, 1, 2), E8)}],
          wrong=WRONG),
    route("aclnnTransposeQuantBatchMatMulWeightNz", "outer products", permuted, bound=bound_of_permuted,
          groups=[("out",)], values={"x1Scale": powers, "x2Scale": powers}, wrong=WRONG),
)  # fmt: skip
