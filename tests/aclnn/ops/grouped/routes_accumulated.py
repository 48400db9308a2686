"""Routes for grouped products that are added up: row by row."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from tests.aclnn.ops.blocks.routes_products import powers
from tests.aclnn.ops.grouped.routes import counts, ends
from tests.oracle.route import Route, but, of_terms, route


def starts(groupList: Any, kind: int) -> list[int]:
    """The ends of the groups, behind 0."""
    return [0, *(np.cumsum(groupList) if kind else groupList).tolist()]


def summed(x: Any, weight: Any, groupList: Any, yRef: Any, groupListType: int = 0) -> Any:
    out, stops = np.array(yRef, float), starts(groupList, groupListType)
    for group, (start, end) in enumerate(pairwise(stops)):
        for row in range(start, end):
            out[group] += np.outer(x[row], weight[row])
    return out


def scaled(
    x1: Any, x2: Any, scale1Optional: Any, scale2: Any, groupList: Any, yRef: Any, groupListType: int
) -> Any:  # fmt: skip
    stops, factors = starts(groupList, groupListType), [np.array(each, float) for each in (x1, x2)]
    for group, (start, end) in enumerate(pairwise(stops)):
        for row in range(start, end):
            pair, which = divmod((row - start) // 32, 2)
            for factor, scales in zip(factors, (scale1Optional, scale2), strict=True):
                factor[row] *= scales[start // 64 + group + pair, :, which]
    return summed(*factors, groupList, yRef, groupListType)


def bound(arguments: Any, exact: np.ndarray, dtype: str) -> Any:
    names = ("x1", "x2", "scale1Optional", "scale2") if "x1" in arguments else ("x", "weight")
    large = {name: np.abs(arguments[name]) for name in (*names, "yRef")}
    how = scaled if "x1" in arguments else summed
    return of_terms(
        how(**large, groupList=arguments["groupList"], groupListType=arguments.get("groupListType", 0)), 9, dtype
    )


def finalized(
    x1: Any, x2: Any, scale: Any, pertokenScaleOptional: Any, groupList: Any, sharedInput: Any, logit: Any,
    rowIndex: Any, sharedInputWeight: float, sharedInputOffset: int, groupListType: int, out: Any,
) -> Any:  # fmt: skip
    stops, sums = starts(groupList, groupListType), np.zeros(out.shape)
    if sharedInput is not None:
        sums[sharedInputOffset : sharedInputOffset + len(sharedInput)] += sharedInput * sharedInputWeight
    for group, (start, end) in enumerate(pairwise(stops)):
        for row in range(start, end):
            found = sum(int(a) * line.astype(float) for a, line in zip(x1[row], x2[group], strict=True))
            found = np.asarray(found) * np.reshape(scale, (len(x2), -1))[group]
            found = found if pertokenScaleOptional is None else found * pertokenScaleOptional[row]
            sums[rowIndex[row]] += found if logit is None else found * logit[row]
    return sums


def bound_of_tokens(arguments: Any, exact: np.ndarray, dtype: str) -> Any:
    plain = ("groupList", "rowIndex", "sharedInputOffset", "groupListType", "out")
    names = ("x1", "x2", "scale", "pertokenScaleOptional", "sharedInput", "logit", "sharedInputWeight")
    large = {name: None if arguments[name] is None else np.abs(arguments[name]) for name in names}
    return of_terms(finalized(**large, **{name: arguments[name] for name in plain}), 9, dtype)


def modulo_4(x: np.ndarray) -> np.ndarray:
    return np.abs(x) % 4


ROUTES: tuple[Route, ...] = (
    route("aclnnGroupedMatmulAdd", "row by row", summed, bound=bound, groups=[("x", "weight")],
          values={"groupList": ends},
          wrong={"nothing added": but(summed, yRef=lambda given: given["yRef"] * 0),
                 "one group": but(summed, groupList=lambda given: given["groupList"] * 0 + 3)}),
    route("aclnnGroupedMatmulAddV2", "row by row", summed, bound=bound, groups=[("x", "weight")],
          values={"groupList": counts},
          wrong={"nothing added": but(summed, yRef=lambda given: given["yRef"] * 0),
                 "ends": but(summed, groupListType=0)}),
    route("aclnnQuantGroupedMatmulInplaceAdd", "row by row", scaled, bound=bound, groups=[("x1", "x2")],
          values={"groupList": counts, "scale1Optional": powers, "scale2": powers},
          wrong={"nothing added": but(scaled, yRef=lambda given: given["yRef"] * 0),
                 "scales of another group": but(scaled, scale2=lambda given: given["scale2"][::-1])}),
    route("aclnnGroupedMatmulFinalizeRoutingWeightNzV2", "row by row", finalized, bound=bound_of_tokens,
          groups=[("scale",)], values={"groupList": counts, "rowIndex": modulo_4},
          also=[{"sharedInput": None, "logit": None}, {"pertokenScaleOptional": None}],
          wrong={"without logit": but(finalized, logit=None), "without shared rows": but(finalized, sharedInput=None),
                 "another group": but(finalized, x2=lambda given: given["x2"][::-1])}),
)  # fmt: skip
