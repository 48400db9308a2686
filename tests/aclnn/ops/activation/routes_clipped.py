"""Routes for ClippedSwiglu and ScaledMaskedSoftmax: loops over Python numbers, and torch."""

from __future__ import annotations

from math import exp
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, as_tensor, but, route


def halved(x: Any, dim: int) -> tuple[int, ...]:
    axis = dim % x.ndim
    return (*x.shape[:axis], x.shape[axis] // 2, *x.shape[axis + 1 :])


def clipped(
    x: Any, groupIndexOptional: Any, dim: int, alpha: float, limit: float, bias: float, interleaved: bool
) -> Any:  # fmt: skip
    """None where the groups leave rows out, as these keep their values."""
    rows = x.reshape(int(np.prod(x.shape[: dim % x.ndim])), -1).tolist()
    if groupIndexOptional is not None and groupIndexOptional.sum() < len(rows):
        return None
    out = []
    for row in rows:
        half = len(row) // 2
        pairs = zip(row[::2], row[1::2], strict=True) if interleaved else zip(row[:half], row[half:], strict=True)
        for a, b in pairs:
            gate, factor = min(a, limit), min(max(b, -limit), limit)
            out.append(gate / (1 + exp(-alpha * gate)) * (factor + bias))
    return np.array(out).reshape(halved(x, dim))


def clipped_by_torch(
    x: Any, groupIndexOptional: Any, dim: int, alpha: float, limit: float, bias: float, interleaved: bool
) -> Any:  # fmt: skip
    import torch

    rows = as_tensor(x).flatten(dim % x.ndim)
    if groupIndexOptional is not None and groupIndexOptional.sum() < rows[..., 0].numel():
        return None
    a, b = (rows[..., ::2], rows[..., 1::2]) if interleaved else rows.chunk(2, -1)
    a, b = a.clamp(max=limit), b.clamp(-limit, limit)
    return (a * torch.sigmoid(alpha * a) * (b + bias)).reshape(halved(x, dim)).numpy()


def masked(x: Any, mask: Any, scale: float) -> Any:
    out, hidden = np.zeros_like(x), np.broadcast_to(mask, x.shape)
    for place in np.ndindex(*x.shape[:-1]):
        row = [-10000.0 if gone else value * scale for value, gone in zip(x[place], hidden[place], strict=True)]
        powers = [exp(value - max(row)) for value in row]
        out[place] = [power / sum(powers) for power in powers]
    return out


def masked_by_torch(x: Any, mask: Any, scale: float) -> Any:
    return (as_tensor(x) * scale).masked_fill(as_tensor(mask), -10000.0).softmax(-1).numpy()


FIRST = {"x": Meta((4, 3, 2)), "dim": 1, "out": Meta((4, 1, 2))}
ROUTES: tuple[Route, ...] = (
    route("aclnnScaledMaskedSoftmax", "loop", masked, bound="composite", groups=[("x", "y")],
          torch=("torch.softmax", masked_by_torch), also=[{"mask": Meta((2, 1, 4, 3), ACL_BOOL)}],
          wrong={"without a mask": but(masked, mask=lambda given: given["mask"] & False),
                 "without a scale": but(masked, scale=1.0)}),
    route("aclnnClippedSwiglu", "aclnnClippedSwigluV2", "loop", clipped, bound="composite", groups=[("x", "out")],
          values={"groupIndexOptional": lambda x: x * 0 + 9},
          also=[{"interleaved": False}, {**FIRST, "x": Meta((4, 2, 2))},
                {**FIRST, "x": Meta((4, 2, 3)), "out": Meta((4, 1, 3)), "interleaved": False},
                {"groupIndexOptional": Meta((2,), ACL_INT64)}],
          torch=("torch.sigmoid", clipped_by_torch),
          wrong={"no limit": but(clipped, limit=1e9), "no bias": but(clipped, bias=0.0),
                 "halves": but(clipped, interleaved=lambda given: not given["interleaved"])}),
)  # fmt: skip
