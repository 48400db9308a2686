"""Routes for the forms of MX quantisation: loops over blocks, and torch, which rounds the floats of 8 bits."""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.blocks.blocks import along, block_quantised
from tests.aclnn.ops.blocks.routes_mx import by_torch
from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, as_tensor, but, route

E4, E5, E8 = ACL_FLOAT8_E4M3FN, ACL_FLOAT8_E5M2, ACL_FLOAT8_E8M0
F32 = np.float32
TO = "torch.Tensor.to"


def loop(dtype: int, algorithm: int = 0, most: float = 0) -> Any:
    return partial(block_quantised, dtype=dtype, algorithm=algorithm, most=most)


def torch_loop(dtype: int, algorithm: int = 0, most: float = 0) -> Any:
    return partial(by_torch, dtype=dtype, algorithm=algorithm, most=most, floor=0)


def both_axes(way: Any) -> Any:
    def expected(x: Any, dstType: int, scaleAlg: int) -> Any:
        return *along(x, -1, 32, way(dstType, scaleAlg)), *along(x, -2, 32, way(dstType, scaleAlg))

    return expected


def tiles(way: Any) -> Any:
    """Each tile is one block, whose scale is repeated for its rows and for its columns."""

    def expected(x: Any, dstType: int, scaleAlg: int) -> Any:
        rows, columns = x.shape
        numbers = np.zeros(x.shape)
        first, second = (np.full(shape, 2.0**-127) for shape in (
            (rows, -(-columns // 64), 2), (-(-rows // 64), columns, 2)))  # fmt: skip
        for row in range(0, rows, 32):
            for column in range(0, columns, 32):
                tile = slice(row, row + 32), slice(column, column + 32)
                block = x[tile]
                flat, scale = way(dstType, scaleAlg)(block.ravel().tolist())
                numbers[tile] = np.reshape(flat, block.shape)
                first[tile[0], column // 64, column // 32 % 2] = scale
                second[row // 64, tile[1], row // 32 % 2] = scale
        return numbers, first, second

    return expected


def scaled_back(x: Any, mxscale: Any, axis: int) -> Any:
    out = np.array(x)
    for place in np.ndindex(x.shape):
        pair = list(place)
        pair[axis] = place[axis] // 64
        out[place] = x[place] * mxscale[(*pair, place[axis] // 32 % 2)]
    return out


def scaled_back_by_torch(x: Any, mxscale: Any, axis: int) -> Any:
    axis %= x.ndim
    factors = as_tensor(mxscale).movedim(-1, axis + 1).flatten(axis, axis + 1)
    factors = factors.repeat_interleave(32, axis).narrow(axis, 0, x.shape[axis])
    return (as_tensor(x) * factors).numpy()


def normalised(rows: Any, gamma: Any, beta: Any, epsilon: float) -> tuple[Any, Any]:
    """In FLOAT, as the exponents of blocks depend on it."""
    rstd = np.array([1 / sqrt(sum(float(each) ** 2 for each in row) / len(row) + epsilon) for row in rows], F32)
    values = rows.astype(F32) * rstd[:, None] * gamma.astype(F32)
    return values if beta is None else values + beta.astype(F32), rstd[:, None]


def norm(x: Any, gamma: Any, beta: Any, epsilon: float, scaleAlg: int, dstType: int, outputRstd: bool) -> Any:
    values, rstd = normalised(x, gamma, beta, epsilon)
    return *along(values, -1, 32, loop(dstType, scaleAlg)), rstd if outputRstd else None


def norm_of_sum(
    x1: Any, x2: Any, gamma: Any, beta: Any, epsilon: float, scaleAlg: int, dstType: int, outputRstd: bool
) -> Any:  # fmt: skip
    x = x1.astype(F32) + x2.astype(F32)
    y, scale, rstd = norm(x, gamma, beta, epsilon, scaleAlg, dstType, outputRstd)
    return y, x, scale, rstd


def in_groups(way: Any) -> Any:
    def expected(x: Any, groupIndex: Any, dstType: int, mxscale: Any, y: Any, scaleAlg: int = 0) -> Any:
        numbers, scales, start = np.full(x.shape, 3.0), np.full((*mxscale.shape,), 4.0), 0
        for group, end in enumerate(groupIndex.tolist()):
            if end > start:
                numbers[start:end], pairs = along(x[start:end], 0, 32, way(dstType, scaleAlg))
                scales[start // 64 + group :][: len(pairs)] = pairs
            start = max(start, end)
        return numbers, scales

    return expected


def gated(x: Any, activateLeft: bool, swigluMode: int, clampLimit: float, gluAlpha: float, gluBias: float,
          dstType: int, scaleAlg: int) -> Any:  # fmt: skip
    values = x.astype(F32)
    half = x.shape[-1] // 2
    gate, line = (values[:, ::2], values[:, 1::2]) if swigluMode else (values[:, :half], values[:, half:])
    if not activateLeft and not swigluMode:
        gate, line = line, gate
    if swigluMode:
        gate, line = np.minimum(gate, F32(clampLimit)), np.clip(line, F32(-clampLimit), F32(clampLimit)) + F32(gluBias)
    slope = F32(gluAlpha if swigluMode else 1)
    return along(gate / (1 + np.exp(-slope * gate)) * line, -1, 32, loop(dstType, scaleAlg))


LARGER: dict[str, Any] = {"scaleAlg": 1}
OTHER = "the other floats"
SWAPPED = {OTHER: lambda given: 71 - given["dstType"]}


def of_5(*names: str) -> dict[str, Any]:
    return {name: Meta((3, 40), E5) for name in names} | {"dstType": int(E5)}


def wrong(formula: Any) -> dict[str, Any]:
    return {OTHER: but(formula, dstType=SWAPPED[OTHER])}


ROUTES: tuple[Route, ...] = (
    route("aclnnDynamicMxQuantWithDualAxis", "aclnnDynamicMxQuantWithDualAxisV2", "loop", both_axes(loop),
          bound="exact", groups=[("x",)], also=[LARGER, of_5("y1Out", "y2Out")], torch=(TO, both_axes(torch_loop)),
          wrong={"OCP's rule": but(both_axes(loop), scaleAlg=0), **wrong(both_axes(loop))}),
    route("aclnnDynamicBlockMxQuant", "loop", tiles(loop), bound="exact", groups=[("x",)],
          also=[of_5("yOut"), {"x": Meta((40, 70), ACL_FLOAT16), "yOut": Meta((40, 70), E4),
                               "scale1Out": Meta((40, 2, 2), E8), "scale2Out": Meta((1, 70, 2), E8)}],
          torch=(TO, tiles(torch_loop)), wrong=wrong(tiles(loop))),
    route("aclnnAntiMxQuant", "loop", scaled_back, bound="exact", groups=[("y",)],
          values={"mxscale": lambda x: np.exp2(np.arange(x.size).reshape(x.shape) % 7 - 3)},
          also=[{"axis": 0, "mxscale": Meta((1, 40, 2), E8)}, {"x": Meta((3, 40), E5)}],
          torch=("torch.repeat_interleave", scaled_back_by_torch),
          wrong={"one scale": but(scaled_back, mxscale=lambda given: given["mxscale"] * 0 + 1)}),
    route("aclnnRmsNormDynamicMxQuant", "loop", norm, bound="composite", groups=[("x", "gamma", "beta")],
          also=[LARGER, of_5("yOut"), {"beta": None}, {"outputRstd": False}],
          wrong={"no beta": but(norm, beta=None), **wrong(norm)}),
    route("aclnnAddRmsNormDynamicMxQuant", "loop", norm_of_sum, bound="composite",
          groups=[("x1", "x2", "xOut", "gamma", "beta")],
          also=[LARGER, of_5("yOut"), {"beta": None}, {"outputRstd": False}],
          wrong={"no beta": but(norm_of_sum, beta=None), **wrong(norm_of_sum)}),
    route("aclnnGroupedDynamicMxQuant", "aclnnGroupedDynamicMxQuantV2", "loop", in_groups(loop), bound="exact",
          groups=[("x",)], values={"groupIndex": lambda x: np.array([33, 70])},
          also=[{"y": Meta((70, 5), E5), "dstType": int(E5)}], torch=(TO, in_groups(torch_loop)),
          wrong=wrong(in_groups(loop))),
    route("aclnnSwigluMxQuant", "loop", gated, bound="exact", groups=[("x",)],
          also=[LARGER, of_5("yOut"), {"activateLeft": False}, {"swigluMode": 1}],
          wrong={"the left half": but(gated, activateLeft=True), "the simple form": but(gated, swigluMode=0)}),
)  # fmt: skip
