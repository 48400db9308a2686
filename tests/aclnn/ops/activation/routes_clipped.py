"""Routes for ClippedSwiglu and masked softmaxes: loops over Python numbers, and torch."""

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


def clipped_slopes(
    gradY: Any, x: Any, groupIndexOptional: Any, dim: int, alpha: float, limit: float, bias: float, interleaved: bool
) -> Any:  # fmt: skip
    """By the rule of products."""
    rows = x.reshape(int(np.prod(x.shape[: dim % x.ndim])), -1).astype(float)
    if groupIndexOptional is not None and groupIndexOptional.sum() < len(rows):
        return None
    grads, out, half = gradY.reshape(len(rows), -1), np.zeros(rows.shape), rows.shape[1] // 2
    for at, row in enumerate(rows):
        for unit, grad in enumerate(grads[at]):
            first, second = (2 * unit, 2 * unit + 1) if interleaved else (unit, unit + half)
            a, b = row[first], row[second]
            gate, factor = min(a, limit), min(max(b, -limit), limit)
            s = 1 / (1 + exp(-alpha * gate))
            out[at, first] = grad * (factor + bias) * s * (1 + alpha * gate * (1 - s)) if a <= limit else 0
            out[at, second] = grad * gate * s if -limit <= b <= limit else 0
    return out.reshape(x.shape)


def clipped_by_autograd(gradY: Any, x: Any, **others: Any) -> Any:
    import torch

    given = as_tensor(x).double().requires_grad_()
    rows = given.flatten(others["dim"] % x.ndim)
    if others["groupIndexOptional"] is not None and others["groupIndexOptional"].sum() < rows[..., 0].numel():
        return None
    a, b = (rows[..., ::2], rows[..., 1::2]) if others["interleaved"] else rows.chunk(2, -1)
    a, b = a.clamp(max=others["limit"]), b.clamp(-others["limit"], others["limit"])
    y = (a * torch.sigmoid(others["alpha"] * a) * (b + others["bias"])).reshape(gradY.shape)
    return torch.autograd.grad(y, given, as_tensor(gradY).double())[0].numpy()


def slopes_by_torch(
    gradY: Any, x: Any, groupIndexOptional: Any, dim: int, alpha: float, limit: float, bias: float, interleaved: bool
) -> Any:  # fmt: skip
    return clipped_by_autograd(gradY, x, groupIndexOptional=groupIndexOptional, dim=dim, alpha=alpha, limit=limit,
                               bias=bias, interleaved=interleaved)  # fmt: skip


def near(arguments: Any, exact: np.ndarray, dtype: str) -> Any:
    """The slope of the gate may cancel to about 0."""
    unit = {"bfloat16": 2.0**-8, "float16": 2.0**-11}.get(dtype, 2.0**-21)
    return 2 * unit * np.abs(exact) + 2.0**-20 * (1 + np.abs(exact))


def masked_slopes(gradOutput: Any, y: Any, mask: Any, scale: float) -> Any:
    out, hidden = np.zeros(y.shape), np.broadcast_to(mask, y.shape)
    for place in np.ndindex(*y.shape[:-1]):
        inner = sum(a * b for a, b in zip(gradOutput[place], y[place], strict=True))
        out[place] = [0 if gone else scale * p * (g - inner)
                      for g, p, gone in zip(gradOutput[place], y[place], hidden[place], strict=True)]  # fmt: skip
    return out


def masked_slopes_by_autograd(gradOutput: Any, y: Any, mask: Any, scale: float) -> Any:
    """y is the softmax of its own logarithm."""
    import torch

    logits = (as_tensor(y).double().log() / scale).requires_grad_()
    found = (logits * scale).softmax(-1)
    (slopes,) = torch.autograd.grad(found, logits, as_tensor(gradOutput).double())
    return slopes.masked_fill(as_tensor(mask), 0.0).numpy()


def shares(x: np.ndarray) -> np.ndarray:
    powers = np.exp(x.astype(np.float64))
    return powers / powers.sum(-1, keepdims=True)


def of_slopes(arguments: Any, exact: np.ndarray, dtype: str) -> Any:
    """y is rounded, so its rows have not the sum 1."""
    unit = {"bfloat16": 2.0**-7, "float16": 2.0**-10}.get(dtype, 2.0**-20)
    return unit * (1 + np.abs(exact).max())


def masked(x: Any, mask: Any, scale: float) -> Any:
    out, hidden = np.zeros_like(x), np.broadcast_to(mask, x.shape)
    for place in np.ndindex(*x.shape[:-1]):
        row = [-10000.0 if gone else value * scale for value, gone in zip(x[place], hidden[place], strict=True)]
        powers = [exp(value - max(row)) for value in row]
        out[place] = [power / sum(powers) for power in powers]
    return out


def masked_by_torch(x: Any, mask: Any, scale: float) -> Any:
    return (as_tensor(x) * scale).masked_fill(as_tensor(mask), -10000.0).softmax(-1).numpy()


def shifted(x: Any, attenMaskOptional: Any, relativePosBias: Any, scaleValue: float) -> Any:
    heads, rows, columns = x.shape[-3:]
    whole = x.reshape(-1, heads, rows, columns)
    bias = relativePosBias.reshape(heads, rows, columns)
    masks = np.zeros((1, rows, columns)) if attenMaskOptional is None else attenMaskOptional.reshape(-1, rows, columns)
    out = np.zeros_like(whole)
    for window, head, row in np.ndindex(*whole.shape[:3]):
        mask = masks[window % len(masks)].astype(x.dtype)
        scores = whole[window, head, row] * x.dtype.type(scaleValue) + mask[row] + bias[head, row]
        powers = np.exp(scores - max(scores))
        out[window, head, row] = powers / sum(powers)
    return out.reshape(x.shape)


def shifted_by_torch(x: Any, attenMaskOptional: Any, relativePosBias: Any, scaleValue: float) -> Any:
    size = x.shape[-3:]
    mask = 0 if attenMaskOptional is None else as_tensor(attenMaskOptional).reshape(1, -1, 1, *size[1:])
    count = x.shape[1] if x.ndim == 5 else 1 if attenMaskOptional is None else mask.shape[1]
    scores = as_tensor(x).reshape(-1, count, *size) * scaleValue + mask + as_tensor(relativePosBias).reshape(size)
    return scores.softmax(-1).reshape(x.shape).numpy()


WINDOWS = {"x": Meta((2, 3, 2, 4, 5)), "attenMaskOptional": Meta((1, 3, 1, 4, 5)), "out": Meta((2, 3, 2, 4, 5)),
           "relativePosBias": Meta((1, 1, 2, 4, 5))}  # fmt: skip
FIRST = {"x": Meta((4, 3, 2)), "dim": 1, "out": Meta((4, 1, 2))}
ROUTES: tuple[Route, ...] = (
    route("aclnnMaskedSoftmaxWithRelPosBias", "loop", shifted, bound="composite", also=[
              {"attenMaskOptional": None}, {"attenMaskOptional": Meta((3, 1, 4, 5))}, WINDOWS],
          torch=("torch.softmax", shifted_by_torch),
          wrong={"without a bias": but(shifted, relativePosBias=lambda given: given["relativePosBias"] * 0),
                 "without a mask": but(shifted, attenMaskOptional=None)}),
    route("aclnnScaledMaskedSoftmax", "loop", masked, bound="composite", groups=[("x", "y")],
          torch=("torch.softmax", masked_by_torch), also=[{"mask": Meta((2, 1, 4, 3), ACL_BOOL)}],
          wrong={"without a mask": but(masked, mask=lambda given: given["mask"] & False),
                 "without a scale": but(masked, scale=1.0)}),
    route("aclnnScaledMaskedSoftmaxBackward", "loop", masked_slopes, bound=of_slopes,
          groups=[("gradOutput", "y", "out")], values={"y": shares}, also=[{"mask": Meta((2, 1, 4, 3), ACL_BOOL)}],
          torch=("torch.autograd", masked_slopes_by_autograd),
          wrong={"without a mask": but(masked_slopes, mask=lambda given: given["mask"] & False),
                 "without a scale": but(masked_slopes, scale=1.0)}),
    route("aclnnClippedSwigluGrad", "loop", clipped_slopes, bound=near, groups=[("gradY", "x", "gradXOut")],
          values={"groupIndexOptional": lambda x: x * 0 + 9},
          also=[{"interleaved": False}, {"dim": 1, "x": Meta((4, 2, 2)), "gradXOut": Meta((4, 2, 2)),
                                     "gradY": Meta((4, 1, 2))}, {"groupIndexOptional": Meta((2,), ACL_INT64)}],
          torch=("torch.autograd", slopes_by_torch),
          wrong={"no limit": but(clipped_slopes, limit=1e9), "no bias": but(clipped_slopes, bias=0.0),
                 "halves": but(clipped_slopes, interleaved=lambda given: not given["interleaved"])}),
    route("aclnnClippedSwiglu", "aclnnClippedSwigluV2", "loop", clipped, bound="composite", groups=[("x", "out")],
          values={"groupIndexOptional": lambda x: x * 0 + 9},
          also=[{"interleaved": False}, {**FIRST, "x": Meta((4, 2, 2))},
                {**FIRST, "x": Meta((4, 2, 3)), "out": Meta((4, 1, 3)), "interleaved": False},
                {"groupIndexOptional": Meta((2,), ACL_INT64)}],
          torch=("torch.sigmoid", clipped_by_torch),
          wrong={"no limit": but(clipped, limit=1e9), "no bias": but(clipped, bias=0.0),
                 "halves": but(clipped, interleaved=lambda given: not given["interleaved"])}),
)  # fmt: skip
