"""Routes for tiles, and for FlatQuant: loops over tiles and matrices; torch rounds, and multiplies."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, as_tensor, but, route

F32 = np.float32
TOP = {2: 127.0, 35: 57344.0, 36: 448.0}
"""the greatest number of a data type"""


def tile(block: Any, least: float, top: float, whole: bool) -> tuple[Any, float]:
    """A tile and its scale: INT8 in rows by a product, other numbers by a quotient."""
    values = block.astype(F32)
    largest = F32(np.abs(values).max())
    if whole:
        factor, scale = F32(1) / largest * F32(127), largest * F32(1 / 127)
        if least:
            factor, scale = max(factor, F32(least)), min(scale, F32(1 / least))
        return np.clip(np.rint(values * factor), -128, 127), float(scale)
    scale = largest / F32(top)
    scale = min(scale, F32(1 / least)) if least else scale
    return np.clip(values / scale, -top, top), float(scale)


def tile_by_torch(block: Any, least: float, top: float, whole: bool) -> tuple[Any, float]:
    import torch

    values = as_tensor(block).float()
    largest = values.abs().amax()
    factor = largest.reciprocal() * 127
    scale = largest * F32(1 / 127) if whole else largest / top
    if least:
        factor, scale = factor.clamp(min=least), scale.clamp(max=1 / least)
    scaled = (values * factor).round().clamp(-128, 127) if whole else (values / scale).clamp(-top, top)
    if not whole:
        scaled = scaled.to(torch.float8_e4m3fn if top == 448 else torch.float8_e5m2).float()
    return scaled.numpy(), scale.item()


def in_tiles(way: Any) -> Any:
    def expected(x: Any, minScale: float, dstType: int, rowBlockSize: int, colBlockSize: int) -> Any:
        rows, columns = x.shape[-2:]
        out = np.zeros(x.shape)
        scales = np.zeros((*x.shape[:-2], -(-rows // rowBlockSize), -(-columns // colBlockSize)))
        for place in np.ndindex(scales.shape):
            row, column = place[-2] * rowBlockSize, place[-1] * colBlockSize
            part = (*place[:-2], slice(row, row + rowBlockSize), slice(column, column + colBlockSize))
            out[part], scales[place] = way(x[part], minScale, TOP[dstType], dstType == 2)
        return out, scales

    return expected


def in_groups(way: Any) -> Any:
    def expected(x: Any, groupList: Any, minScale: float, dstType: int, rowBlockSize: int, colBlockSize: int,
                 scaleOut: Any) -> Any:  # fmt: skip
        out, scales, start = np.full(x.shape, 3.0), np.full(scaleOut.shape, 3.0), 0
        for group, end in enumerate(groupList.tolist()):
            if start < end:
                y, scale = in_tiles(way)(x[start:end], minScale, dstType, rowBlockSize, colBlockSize)
                out[start:end] = y
                scales[start // rowBlockSize + group :][: len(scale)] = scale
            start = end
        return out, scales

    return expected


def packed(numbers: Any, out: Any) -> Any:
    """Eight INT4 in each INT32, if the last dimension is an eighth."""
    if out.shape[-1] == numbers.shape[-1]:
        return numbers
    words = (numbers.astype(np.int64).reshape(*out.shape, 8) & 15) << np.arange(0, 32, 4)
    return words.sum(-1).astype(np.int64).astype(np.uint32).view(np.int32).astype(np.int64)


def flattened(x: Any, kroneckerP1: Any, kroneckerP2: Any, clipRatio: float, out: Any, dtypes: Any) -> Any:
    """The products are exact, and rounded to the data type of x."""
    numbers, scales = [], []
    for matrix in x:
        products = [[sum(kroneckerP1[i, k] * matrix[k, m] * kroneckerP2[m, j]
                         for k in range(matrix.shape[0]) for m in range(matrix.shape[1]))
                     for j in range(matrix.shape[1])] for i in range(matrix.shape[0])]  # fmt: skip
        z = np.array(products).astype(np.dtype(dtypes["x"]) if dtypes["x"] != "bfloat16" else F32).astype(F32)
        largest = np.abs(z).max()
        numbers.append(np.clip(np.rint(z * (F32(7 / clipRatio) / largest)), -8, 7))
        scales.append(largest * F32(clipRatio) / F32(7))
    return packed(np.array(numbers), out), np.array(scales)


def flattened_by_torch(x: Any, kroneckerP1: Any, kroneckerP2: Any, clipRatio: float, out: Any, dtypes: Any) -> Any:
    import torch

    z = torch.einsum("ik,bkm,mj->bij", *map(as_tensor, (kroneckerP1, x, kroneckerP2))).to(getattr(torch, dtypes["x"]))
    largest = z.float().abs().amax((1, 2), keepdim=True)
    numbers = (z.float() * (F32(7 / clipRatio) / largest)).round().clamp(-8, 7)
    return packed(numbers.numpy(), out), (largest * F32(clipRatio) / 7).flatten().numpy()


def in_parts(way: Any) -> Any:
    """The matrices of all groups; others keep what they hold."""

    def expected(x: Any, kroneckerP1: Any, kroneckerP2: Any, groupListOptional: Any, clipRatio: float,
                 groupListType: int, out: Any, dtypes: Any) -> Any:  # fmt: skip
        numbers, scales = way(x, kroneckerP1, kroneckerP2, clipRatio, out, dtypes)
        if groupListOptional is not None:
            last = groupListOptional[-1] if groupListType == 0 else groupListOptional.sum()
            numbers[int(last) :], scales[int(last) :] = 3, 3
        return numbers, scales

    return expected


WHOLE = {name: lambda x: np.clip(np.rint(x), -2, 2) for name in ("x", "kroneckerP1", "kroneckerP2")}
ROUTES: tuple[Route, ...] = (
    route("aclnnDynamicBlockQuant", "aclnnDynamicBlockQuantV2", "loop", in_tiles(tile), groups=[("x",)],
          also=[{"minScale": 60.0}, {"x": Meta((2, 3, 130), ACL_FLOAT16), "yOut": Meta((2, 3, 130), ACL_INT8),
                                     "scaleOut": Meta((2, 3, 2))}],
          torch=("torch.round", in_tiles(tile_by_torch)),
          wrong={"no least scale": but(in_tiles(tile), minScale=0.0)}),
    route("aclnnGroupedDynamicBlockQuant", "aclnnGroupedDynamicBlockQuantV2", "loop", in_groups(tile), groups=[("x",)],
          values={"groupList": lambda x: np.array([1, 3])},
          also=[{"minScale": 300.0}, {"yOut": Meta((3, 130), ACL_FLOAT8_E5M2), "dstType": 35},
                {"rowBlockSize": 1, "scaleOut": Meta((5, 2))}],
          torch=("torch.Tensor.to", in_groups(tile_by_torch)),
          wrong={"no least scale": but(in_groups(tile), minScale=0.0),
                 "one group": but(in_groups(tile), groupList=lambda given: given["groupList"][1:])}),
    route("aclnnFlatQuant", "aclnnFlatQuantV2", "loop", flattened, values=WHOLE,
          groups=[("x", "kroneckerP1", "kroneckerP2")], also=[{"clipRatio": 0.5}],
          torch=("torch.einsum", flattened_by_torch),
          wrong={"no ratio": but(flattened, clipRatio=1.0),
                 "one factor": but(flattened, kroneckerP2=lambda given: np.eye(8))}),
    route("aclnnFlatQuantV3", "loop", in_parts(flattened),
          values={**WHOLE, "groupListOptional": lambda x: np.array([1, 1])},
          groups=[("x", "kroneckerP1", "kroneckerP2")],
          also=[{"groupListType": 0}, {"groupListOptional": None}],
          torch=("torch.einsum", in_parts(flattened_by_torch)),
          wrong={"no ratio": but(in_parts(flattened), clipRatio=1.0),
                 "all matrices": but(in_parts(flattened), groupListOptional=None)}),
)  # fmt: skip
