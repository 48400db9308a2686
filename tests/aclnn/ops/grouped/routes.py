"""Routes for `aclnn.ops.grouped`: row by row."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.blocks.routes_products import of_blocks
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.matmul.routes_forms import small
from tests.aclnn.ops.matmul.routes_quantised import cut
from tests.derived.launching import FILL
from tests.oracle.route import Route, but, of_terms, route

COUNTS = {2: (1, 2), 5: (0, 2, 1, 0, 4)}
"""rows of groups, by the number of groups: 3 or 7 rows in all"""


def counts(drawn: np.ndarray) -> np.ndarray:
    return np.array(COUNTS[len(drawn)])


def ends(drawn: np.ndarray) -> np.ndarray:
    return np.cumsum(counts(drawn))


def one(given: dict[str, Any], name: str, group: int) -> Any:
    """The tensor of a group; 0 if there is none."""
    found = given.get(name)
    if found is None:
        return 0
    return found[group] if len(found) > 1 else found[0][group]


def row_size(given: dict[str, Any]) -> int:
    return given["weight"][0].shape[-1]


def scaled_first(given: dict[str, Any], middle: int) -> dict[str, Any]:
    """Narrow factors with their scales in place of the elements: shared ones, or packed ones beside INT4."""
    types = given.get("dtypes", {})
    scale, rows, weights = (given.get(name) for name in ("scaleOptional", "perTokenScaleOptional", "weight"))
    if str(types.get("scaleOptional")) == "float8_e8m0fnu":
        wide = [of_blocks(each, scales, each.ndim - 2) for each, scales in zip(weights, scale, strict=True)]
        x, rows = [of_blocks(given["x"][0], rows[0], 1)], None
    elif str(types.get("weight")) == "int4" and scale is not None:
        x, wide = [given["x"][0].astype(float) - (middle if str(types["x"]) == "int8" else 0)], []
        for each, packed in zip(weights, scale, strict=True):
            parts = np.vectorize(lambda word: cut(int(word)))(packed).reshape(*each.shape[:-2], -1, each.shape[-1])
            wide.append(each * np.repeat(parts, each.shape[-2] // parts.shape[-2], -2))
    else:
        return given
    return {**given, "x": x, "weight": wide, "scaleOptional": None, "perTokenScaleOptional": rows}


def grouped(middle: int = 8, **given: Any) -> list[np.ndarray]:
    """Each row of x beside the weight of its group."""
    given = scaled_first(given, middle)
    stops = given["groupListOptional"]
    stops = np.cumsum(stops) if given.get("groupListType") == 1 else np.asarray(stops)
    rows: list[np.ndarray] = []
    for at, row in enumerate(given["x"][0]):
        group = int((stops <= at).sum())
        if group == len(stops):
            rows.append(np.full(row_size(given), FILL, float))
            continue
        weight, bias = one(given, "weight", group).astype(row.dtype), one(given, "biasOptional", group)
        if given.get("antiquantScaleOptional") is not None:
            offset, scale = (one(given, f"antiquant{name}Optional", group) for name in ("Offset", "Scale"))
            weight = (weight + offset) * scale
        found = sum(value * line for value, line in zip(row, weight, strict=True)) + bias
        if given.get("scaleOptional") is not None:
            found = found * one(given, "scaleOptional", group) * given["perTokenScaleOptional"][0][at]
            found = np.maximum(found, 0) if given["actType"] else found
        elif given.get("perTokenScaleOptional") is not None:
            found = found * given["perTokenScaleOptional"][0][at]
        rows.append(found)
    return [np.array(rows)]


def sizes(**given: Any) -> np.ndarray:
    """The sum of the magnitudes of all terms."""
    names = ("x", "weight", "biasOptional", "antiquantScaleOptional", "antiquantOffsetOptional", "scaleOptional",
             "perTokenScaleOptional")  # fmt: skip
    large = {name: [np.abs(each) for each in given[name]] for name in names if given.get(name) is not None}
    return grouped(**{**given, **large}, middle=-8)[0]


def bound(arguments: dict[str, Any], exact: np.ndarray, dtype: str) -> Any:
    """With a quantised weight two roundings to the data type of x stand before the product."""
    largest = sizes(**arguments)
    half = {"float16": 2.0**-10, "bfloat16": 2.0**-7}.get(dtype, 0)
    extra = half * largest if arguments.get("antiquantScaleOptional") is not None else 0
    return of_terms(largest, arguments["x"][0].shape[1] + 4, dtype) + extra


def next_group(given: dict[str, Any]) -> Any:
    return [each[::-1] for each in given["weight"]] if len(given["weight"]) == 1 else given["weight"][::-1]


FP4, E4, E8 = ACL_FLOAT4_E2M1, ACL_FLOAT8_E4M3FN, ACL_FLOAT8_E8M0
MIXED: dict[str, Any] = {
    "weight": (Meta((2, 4, 16), ACL_INT4),), "scaleOptional": (Meta((2, 2, 16), ACL_UINT64),), "actType": 0,
    "biasOptional": (Meta((2, 16)),),
}  # fmt: skip
SHARED: dict[str, Any] = {
    "x": (Meta((3, 64), E4),), "weight": (Meta((2, 64, 16), E4),), "biasOptional": (Meta((2, 16)),), "actType": 0,
    "scaleOptional": (Meta((2, 1, 16, 2), E8),), "perTokenScaleOptional": (Meta((3, 1, 2), E8),),
}  # fmt: skip
TWO_BITS_LESS = {**SHARED, "x": (Meta((3, 64), FP4),), "weight": (Meta((2, 64, 16), FP4),)}
NARROW_OF_V5: dict[str, Any] = {
    "antiquantScaleOptional": None, "antiquantOffsetOptional": None, "perTokenScaleOptional": (Meta((3,)),),
}  # fmt: skip
NZ = ACL_FORMAT_FRACTAL_NZ
STORED: dict[str, Any] = {
    **SHARED, "weight": (Meta((2, 64, 32), E4, NZ, storage=(2, 1, 4, 16, 32)),), "biasOptional": (Meta((2, 32)),),
    "scaleOptional": (Meta((2, 1, 32, 2), E8),),
}  # fmt: skip
FLOATS = ("x", "weight", "biasOptional", "y")
WRONG = {"the weight of another group": but(grouped, weight=next_group),
         "without bias": but(grouped, biasOptional=None)}  # fmt: skip
APART = {"x": (Meta((3, 4), ACL_FLOAT16), Meta((2, 4), ACL_FLOAT16)), "groupListOptional": None, "splitItem": 0,
         "y": (Meta((3, 16), ACL_FLOAT16), Meta((2, 16), ACL_FLOAT16))}  # fmt: skip
ROUTES: tuple[Route, ...] = (
    route("aclnnGroupedMatmul", "aclnnGroupedMatmulV2", "row by row", grouped, bound=bound, wrong=WRONG,
          groups=[FLOATS]),
    route("aclnnGroupedMatmulV3", "row by row", grouped, bound=bound, wrong=WRONG, groups=[FLOATS],
          values={"groupListOptional": ends}),
    route("aclnnGroupedMatmulWeightNz", "row by row", grouped, bound=bound, wrong=WRONG,
          groups=[(*FLOATS[:3], "out"), ("out",)],
          values={"groupListOptional": counts, "scaleOptional": small, "perTokenScaleOptional": small},
          also=[{"biasOptional": None}], newest=[STORED]),
    route("aclnnGroupedMatmulV4", "row by row", grouped, bound=bound, groups=[("out",)],
          start={"out": (Meta((3, 16), ACL_FLOAT16),)}, narrow=True, also=[MIXED],
          newest=[SHARED, TWO_BITS_LESS],
          values={"groupListOptional": counts, "scaleOptional": small, "perTokenScaleOptional": small},
          wrong={**WRONG, "without activation": but(grouped, actType=0), "nothing subtracted": but(grouped, middle=0),
                 "scales of a pair swapped": but(grouped, scaleOptional=lambda given: [
                     np.flip(each, -1) if each.ndim == 4 else each for each in given["scaleOptional"]]),
                 "scales of rows lost": but(grouped, perTokenScaleOptional=lambda given: [
                     np.ones_like(each) for each in given["perTokenScaleOptional"]])}),
    route("aclnnGroupedMatmulV5", "row by row", grouped, bound=bound, narrow=True,
          values={"groupListOptional": counts, "scaleOptional": small, "perTokenScaleOptional": small},
          groups=[("x", "biasOptional", "antiquantScaleOptional", "antiquantOffsetOptional", "out"), ("out",)],
          also=[{**MIXED, **NARROW_OF_V5, "x": (Meta((3, 4), ACL_INT8),)}],
          newest=[{**NARROW_OF_V5, **SHARED}, {**NARROW_OF_V5, **TWO_BITS_LESS}],
          wrong={**WRONG, "nothing subtracted": but(grouped, middle=0), "without offset": but(
              grouped, antiquantOffsetOptional=lambda given: given["antiquantOffsetOptional"] and [
                  0 * each for each in given["antiquantOffsetOptional"]])}),
)  # fmt: skip
