"""Routes for `aclnn.ops.resize`: torch, and a loop over rows and columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle.route import Route, as_tensor, route


def nearest(self: np.ndarray, outputSize: Any) -> np.ndarray:
    return shifted(self, outputSize, 0)


def shifted(self: np.ndarray, outputSize: Any, shift: float) -> np.ndarray:
    *_, height, width = self.shape
    out = np.empty((*self.shape[:2], *outputSize), self.dtype)
    for i, j in np.ndindex(*outputSize):
        row, column = int((i + shift) * height / outputSize[0]), int((j + shift) * width / outputSize[1])
        out[..., i, j] = self[..., row, column]
    return out


def between(self: np.ndarray, outputSize: Any) -> np.ndarray:
    return shifted(self, outputSize, 0.5)


def swapped(self: np.ndarray, outputSize: Any) -> np.ndarray:
    return nearest(self.swapaxes(2, 3).reshape(self.shape), outputSize)


def torch_nearest(self: np.ndarray, outputSize: Any) -> np.ndarray:
    import torch

    given = as_tensor(self.astype(np.float64))  # torch has no images of INT64
    return torch.nn.functional.interpolate(given, size=list(outputSize), mode="nearest").numpy()


ROUTES: tuple[Route, ...] = (
    route("aclnnUpsampleNearest2d", "loop", nearest, bound="exact", extremes={"self": ("nan", "inf", "huge", "tiny")},
          torch=("torch.nn.functional.interpolate", torch_nearest),
          wrong={"half a place further": between, "rows and columns swapped": swapped}),
)  # fmt: skip
