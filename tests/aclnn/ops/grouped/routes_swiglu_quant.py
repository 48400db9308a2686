"""A route for GroupedMatmulSwigluQuant: row by row."""

from __future__ import annotations

from math import exp
from struct import pack, unpack
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.blocks.blocks import along, block_quantised
from tests.aclnn.ops.blocks.routes_products import of_blocks, powers
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.grouped.routes import counts, ends
from tests.derived.launching import FILL
from tests.oracle.route import Route, but, route


def float_of(word: int) -> float:
    """The FLOAT in the low 32 bits."""
    return unpack("<f", pack("<I", word % 2**32))[0]


def swiglu_quant(
    x: np.ndarray, weight: np.ndarray, weightScale: np.ndarray, xScale: np.ndarray, groupList: np.ndarray,
    bias: np.ndarray | None = None, smoothScale: np.ndarray | None = None, middle: int = 8,
) -> list[np.ndarray]:  # fmt: skip
    """With a bias, the sums of the weight that is scaled; the scales are words."""
    columns = weightScale
    if bias is not None or smoothScale is not None:
        scale = np.vectorize(float_of)(weightScale).reshape(len(weight), -1, weight.shape[2])
        weight = weight * np.repeat(scale, weight.shape[1] // scale.shape[1], 1)
        columns = np.ones(weight.shape[::2])
    half = weight.shape[2] // 2
    rows, scales = np.full((len(x), half), float(FILL)), np.full(len(x), float(FILL))
    for at, row in enumerate(x.astype(float)):
        group = int((groupList <= at).sum())
        if group == len(groupList):
            continue
        line_of_x = row if bias is None else row - middle
        wide = sum(value * line for value, line in zip(line_of_x, weight[group], strict=True))
        wide = np.asarray(wide) + (0 if bias is None else bias[group])
        wide = wide * xScale[at] * columns[group]
        found = [one / (1 + exp(-one)) * other for one, other in zip(wide[:half], wide[half:], strict=True)]
        found = found if smoothScale is None else [each * smoothScale[group] for each in found]
        scales[at] = max(map(abs, found)) / 127
        rows[at] = [round(each / scales[at]) if scales[at] else 0 for each in found]
    return [rows, scales]


def in_shared_blocks(
    x: np.ndarray, weight: list[np.ndarray], weightScale: list[np.ndarray], xScale: np.ndarray, groupList: np.ndarray,
    dtype: int,
) -> list[np.ndarray]:  # fmt: skip
    """Narrow floats with their scales in place of the elements; the gated rows in blocks of 32."""
    wide = of_blocks(x, xScale, 1)
    stops, rows = np.cumsum(groupList), []
    for at, row in enumerate(wide):
        group = int((stops <= at).sum())
        own = of_blocks(weight[0][group], weightScale[0][group], 0)
        products = np.asarray(sum(value * line for value, line in zip(row, own, strict=True)))
        pairs = zip(*np.split(products, 2), strict=True)
        rows.append([one / (1 + exp(-one)) * other for one, other in pairs])
    return list(along(np.array(rows), 1, 32, lambda block: block_quantised(block, dtype)))


def of_lists(
    x: np.ndarray, weight: list[np.ndarray], weightScale: list[np.ndarray], xScale: np.ndarray, groupList: np.ndarray,
    weightAssistMatrix: list[np.ndarray] | None = None, smoothScale: np.ndarray | None = None, middle: int = 8,
    **others: Any,
) -> list[np.ndarray]:  # fmt: skip
    """The groups by their numbers of rows."""
    if xScale.ndim == 3:
        return in_shared_blocks(x, weight, weightScale, xScale, groupList, NAMED[str(others["dtypes"]["output"])])
    whole = [tensors[0] if weight[0].ndim == 3 else np.stack(tensors) for tensors in (weight, weightScale)]
    assist = None if weightAssistMatrix is None else weightAssistMatrix[0]
    return swiglu_quant(x, *whole, xScale, np.cumsum(groupList), assist, smoothScale, middle)


def small(x: np.ndarray) -> np.ndarray:
    if x.dtype.name == "float8_e8m0fnu":
        return powers(x) / 8
    if x.dtype.kind == "u":
        return (x.astype(np.float32) / 640 + np.float32(0.001)).view(np.uint32).astype(np.uint64)
    return x / 64


NZ = ACL_FORMAT_FRACTAL_NZ
APART = {"weight": (Meta((32, 64), ACL_INT8, NZ, storage=(2, 2, 16, 32)),) * 2, "weightScale": (Meta((64,)),) * 2}
OF_INT4 = {"weight": Meta((2, 32, 64), ACL_INT4), "weightScale": Meta((2, 64), ACL_UINT64), "bias": Meta((2, 64))}
MIXED = {"weight": (OF_INT4["weight"],), "weightScale": (Meta((2, 4, 64), ACL_UINT64),), "dequantMode": 1,
         "weightAssistMatrix": (Meta((2, 64)),)}  # fmt: skip
E4, E8, FP4 = ACL_FLOAT8_E4M3FN, ACL_FLOAT8_E8M0, ACL_FLOAT4_E2M1
NAMED = {"float8_e4m3fn": E4, "float8_e5m2": ACL_FLOAT8_E5M2, "float4_e2m1fn": FP4}
SHARED = {"x": Meta((3, 72), E4), "weight": (Meta((2, 72, 72), E4),), "weightScale": (Meta((2, 2, 72, 2), E8),),
          "xScale": Meta((3, 2, 2), E8), "output": Meta((3, 36), E4), "outputScale": Meta((3, 1, 2), E8),
          "dequantMode": 2, "quantMode": 2}  # fmt: skip
ROUTES: tuple[Route, ...] = (
    route("aclnnGroupedMatmulSwigluQuantV2", "aclnnGroupedMatmulSwigluQuantWeightNzV2", "row by row", of_lists,
          bound="composite", groups=[["weightScale"]],
          values={"groupList": counts, "weightScale": small, "xScale": small}, narrow=True,
          also=[APART, MIXED], newest=[SHARED, {**SHARED, "output": Meta((3, 36), FP4)}],
          wrong={"scales of a pair swapped": but(of_lists, xScale=lambda given: np.flip(given["xScale"], -1)
                                                 if given["xScale"].ndim == 3 else given["xScale"]),
                 "nothing subtracted": but(of_lists, middle=0),
                 "scales of rows lost": but(of_lists, xScale=lambda given: np.ones_like(given["xScale"])),
                 "another group": but(of_lists, weight=lambda given: [each[::-1] for each in given["weight"]][::-1])}),
    route("aclnnGroupedMatmulSwigluQuant", "aclnnGroupedMatmulSwigluQuantWeightNZ", "row by row", swiglu_quant,
          bound="composite",
          groups=[["weightScale"]], values={"groupList": ends, "weightScale": small, "xScale": small},
          also=[{"weightScale": Meta((2, 64), ACL_FLOAT16)}, OF_INT4], narrow=True,
          wrong={"nothing subtracted": but(swiglu_quant, middle=0),
                 "scales of rows lost": but(swiglu_quant, xScale=lambda given: np.ones_like(given["xScale"])),
                 "another group": but(swiglu_quant, weight=lambda given: given["weight"][::-1])}),
)  # fmt: skip
