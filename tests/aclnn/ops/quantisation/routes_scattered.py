"""Routes for InplaceQuantScatter: a loop over elements, and torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, as_tensor, but, elements, route

F32 = np.float32


def scattered(selfRef: Any, indices: Any, updates: Any, quantScales: Any, quantZeroPoints: Any) -> Any:
    zeros = np.zeros(1) if quantZeroPoints is None else quantZeroPoints
    numbers = elements(lambda x, s, z: min(max(round(float(F32(F32(x) / F32(s)) + F32(z))), -128), 127))(
        x=updates, s=quantScales, z=zeros).astype(np.int64)  # fmt: skip
    out = np.array(selfRef)
    for batch, start in enumerate(indices):
        for row in range(updates.shape[1]):
            out[batch, start + row] = numbers[batch, row]
    return out


def scattered_by_torch(selfRef: Any, indices: Any, updates: Any, quantScales: Any, quantZeroPoints: Any) -> Any:
    import torch

    values = as_tensor(updates).float() / as_tensor(quantScales).float()
    values = values if quantZeroPoints is None else values + as_tensor(quantZeroPoints).float()
    numbers = values.round().clamp(-128, 127).long()
    rows = as_tensor(indices)[:, None] + torch.arange(updates.shape[1])
    return as_tensor(selfRef).scatter(1, rows[:, :, None].expand(numbers.shape), numbers).numpy()


WRONG = {"at the start": but(scattered, indices=lambda given: given["indices"] * 0),
         "without zero points": but(scattered, quantZeroPoints=None)}  # fmt: skip
ROUTES: tuple[Route, ...] = (
    route("aclnnInplaceQuantScatter", "loop", scattered, bound="exact", groups=[("updates",)],
          values={"quantScales": lambda x: np.abs(x) / 16 + 1 / 64}, also=[{"quantZeroPoints": None}],
          torch=("torch.scatter", scattered_by_torch),
          wrong=WRONG),
    route("aclnnInplaceQuantScatterV2", "loop", scattered, bound="exact", groups=[("updates",)],
          values={"quantScales": lambda x: np.abs(x) / 16 + 1 / 64},
          also=[{"quantZeroPoints": None}, {"updates": Meta((2, 3, 8), ACL_BF16),
                                            "quantScales": Meta((1, 1, 8), ACL_BF16)}],
          torch=("torch.scatter", scattered_by_torch), wrong=WRONG),
)  # fmt: skip
