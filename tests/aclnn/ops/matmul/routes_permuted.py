"""Routes for TransposeBatchMatMul and FusedMatmul: loops over rows and columns, and torch."""

from __future__ import annotations

from math import erf
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta, f16
from tests.derived.values import Values
from tests.oracle.route import Route, as_tensor, but, of_terms, route


def multiplied(x1: Any, x2: Any, scale: Any, permX1: Any, permX2: Any, batchSplitFactor: int) -> Any:
    first, second = np.transpose(x1, permX1), np.transpose(x2, permX2)
    (batch, rows, _), columns, count = first.shape, second.shape[2], batchSplitFactor
    out = np.zeros((count, rows, batch // count * columns))
    for b, m, n in np.ndindex(batch, rows, columns):
        group, place = divmod(b, batch // count)
        out[group, m, place * columns + n] = sum(first[b, m] * second[b, :, n])
    if scale is not None:
        out = np.clip(np.rint(out[0] * decoded(scale)), -128, 127)
        return out[:, None]
    return out if count > 1 else out.reshape(rows, batch, columns)


def decoded(scale: Any) -> Any:
    bits = scale.astype(np.uint64) & np.uint64(0xFFFFE000)
    return bits.astype(np.uint32).view(np.float32).astype(np.float64)


def multiplied_by_torch(x1: Any, x2: Any, scale: Any, permX1: Any, permX2: Any, batchSplitFactor: int) -> Any:
    import torch

    found = torch.bmm(as_tensor(x1).permute(*permX1), as_tensor(x2).permute(*permX2))
    batch, rows, columns = found.shape
    parts = found.reshape(batchSplitFactor, -1, rows, columns).permute(0, 2, 1, 3).reshape(batchSplitFactor, rows, -1)
    if scale is not None:
        return torch.round(parts[0] * as_tensor(decoded(scale))).clamp(-128, 127)[:, None].numpy()
    return (parts if batchSplitFactor > 1 else parts.reshape(rows, batch, columns)).numpy()


def bound(arguments: Any, exact: Any, dtype: str) -> Any:
    largest = float(np.abs(arguments["x1"]).max(initial=0) * np.abs(arguments["x2"]).max(initial=0))
    depth = arguments["x1"].shape[2]
    return of_terms(depth * largest, depth, dtype)


def fused(x1: Any, x2: Any, bias: Any, x3: Any, fusedOpType: str) -> Any:
    *outer, rows, columns = np.broadcast_shapes((*x1.shape[:-1], 1), (*x2.shape[:-2], 1, x2.shape[-1]))
    first, second = np.broadcast_to(x1, (*outer, *x1.shape[-2:])), np.broadcast_to(x2, (*outer, *x2.shape[-2:]))
    y = np.zeros((*outer, rows, columns))
    for place in np.ndindex(*y.shape):
        *batch, m, n = place
        y[place] = sum(first[(*batch, m)] * second[(*batch, slice(None), n)])
    y = y if bias is None else y + bias
    return OPERATIONS[fusedOpType](y, x3)


def gelu_by_tanh(y: Any) -> Any:
    return y / (1 + np.exp(np.minimum(-2 * np.sqrt(2 / np.pi) * (y + 0.044715 * y**3), 700)))


OPERATIONS: dict[str, Any] = {
    "": lambda y, _: y, "16cast32": lambda y, _: y, "relu": lambda y, _: y * (y > 0), "add": lambda y, x3: y + x3,
    "mul": lambda y, x3: y * x3, "gelu_tanh": lambda y, _: gelu_by_tanh(y),
    "gelu_erf": lambda y, _: y * (1 + np.vectorize(erf)(y / 2**0.5)) / 2,
}  # fmt: skip


def fused_by_torch(x1: Any, x2: Any, bias: Any, x3: Any, fusedOpType: str) -> Any:
    import torch

    y = as_tensor(x1) @ as_tensor(x2) + (0 if bias is None else as_tensor(bias))
    if fusedOpType.startswith("gelu"):
        how = "tanh" if fusedOpType == "gelu_tanh" else "none"
        return torch.nn.functional.gelu(y, approximate=how).numpy()
    if fusedOpType in ("add", "mul"):
        return getattr(torch, fusedOpType)(y, as_tensor(x3)).numpy()
    return (torch.relu(y) if fusedOpType == "relu" else y).numpy()


def fused_bound(arguments: Any, exact: Any, dtype: str) -> Any:
    """The terms of the sum, and of the operation after it."""
    largest = float(np.abs(arguments["x1"]).max(initial=0) * np.abs(arguments["x2"]).max(initial=0))
    third = float(np.abs(arguments["x3"]).max(initial=0)) if arguments["x3"] is not None else 0.0
    depth = arguments["x1"].shape[-1]
    return of_terms((depth * largest + 8) * max(1.0, third), depth + 4, dtype)


def quarters(x: Any) -> Any:
    return np.full(x.shape, 0x3E800000)


ORDERS = {"x1": f16(2, 4, 8), "permX1": Values((0, 1, 2))}
TRANSPOSED = {"x2": f16(2, 6, 8), "permX2": Values((0, 2, 1))}
SCALED = {"scale": Meta((12,), ACL_UINT64), "out": Meta((4, 1, 12), ACL_INT8)}
PARTS = {"batchSplitFactor": 2, "out": f16(2, 4, 6)}
WRONG = {
    "a factor of the weight": but(multiplied, x2=lambda given: given["x2"] * 1.5),
    "batches backwards": but(multiplied, x2=lambda given: given["x2"][::-1]),
}
ALONE: dict[str, Any] = {"bias": None, "x3": None}
ROUTES: tuple[Route, ...] = (
    route("aclnnFusedMatmul", "loop", fused, bound=fused_bound, torch=("torch.matmul", fused_by_torch),
          also=[{"fusedOpType": "mul"}, {"fusedOpType": "relu", "x3": None}, {"fusedOpType": "", **ALONE},
                {"fusedOpType": "gelu_tanh", **ALONE}, {"fusedOpType": "gelu_erf", **ALONE},
                {"fusedOpType": "16cast32", "x3": None, "x1": f16(2, 3, 8), "x2": f16(8, 4)},
                {"x2": Meta((2, 8, 4)), "bias": Meta((1, 4))}],
          wrong={"no bias": but(fused, bias=None),
                 "never an operation": but(fused, fusedOpType="", bias=lambda given: given["bias"]),
                 "one gelu": but(fused, fusedOpType=lambda given: given["fusedOpType"].replace("erf", "tanh"))}),
    route("aclnnTransposeBatchMatMul", "loop", multiplied, bound=bound, groups=[("x1", "x2", "out")],
          also=[ORDERS, TRANSPOSED, PARTS, {**ORDERS, **PARTS}], torch=("torch.bmm", multiplied_by_torch),
          values={"scale": quarters}, wrong=WRONG),
    route("aclnnTransposeBatchMatMulWeightNz", "aclnnTransposeBatchMatMulWeightNZ", "loop", multiplied, bound=bound,
          groups=[("x1", "x2", "out")], torch=("torch.bmm", multiplied_by_torch), wrong=WRONG,
          also=[{"x1": f16(2, 4, 32), "permX1": Values((0, 1, 2))}, {"batchSplitFactor": 2, "out": f16(2, 4, 16)}]),
)  # fmt: skip
