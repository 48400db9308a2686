"""Routes for RotateQuant: part by part, and torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, as_tensor, but, called, route


def turned(x: Any, rotation: Any) -> Any:
    z, size = np.zeros(x.shape), len(rotation)
    for row in np.ndindex(*x.shape[:-1]):
        for start in range(0, x.shape[-1], size):
            for column in range(size):
                z[row][start + column] = sum(x[row][start : start + size] * rotation[:, column])
    return z


def quantised(x: Any, rotation: Any, alpha: Any, of: Any = turned) -> Any:
    z = of(x, rotation).reshape(-1, x.shape[-1])
    y, scales = np.zeros(z.shape, np.int64), np.zeros(len(z))
    for number, row in enumerate(z):
        for start in range(0, len(row), 32):
            block = row[start : start + 32]
            limit = np.abs(block).max() * (1 if alpha is None else float(alpha[0]))
            row[start : start + 32] = np.minimum(np.maximum(block, -limit), limit)
        scales[number] = max(abs(row)) / 127
        y[number] = np.rint(row / scales[number]) if scales[number] else 0
    return y.reshape(x.shape), scales.reshape(x.shape[:-1])


def turned_by_torch(x: Any, rotation: Any) -> Any:
    import torch

    return (
        torch.einsum("pk,kn->pn", as_tensor(x).reshape(-1, len(rotation)), as_tensor(rotation)).reshape(x.shape).numpy()
    )


def by_torch(**given: Any) -> Any:
    return called(quantised, {**given, "of": turned_by_torch})


def small(x: np.ndarray) -> np.ndarray:
    """Whole numbers: all products and sums are exact, so that both ways round the same quotients."""
    return np.rint(x) % 5 - 2


DEEPER = {"x": Meta((2, 3, 8), ACL_FLOAT16), "yOut": Meta((2, 3, 8), ACL_INT8), "scaleOut": Meta((2, 3))}
ROUTES: tuple[Route, ...] = (
    route("aclnnRotateQuant", "loop", quantised, bound="elementwise", groups=[("x", "rotation")],
          values={"x": small, "rotation": small, "alpha": lambda x: np.full(x.shape, 0.5)},
          also=[{"alpha": None}, DEEPER],
          torch=("torch.einsum", by_torch),
          wrong={"no rotation": but(quantised, rotation=lambda given: np.eye(4)),
                 "no clamp": but(quantised, alpha=None)}),
)  # fmt: skip
