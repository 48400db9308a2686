"""Routes for AddLora: a loop over rows, and torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle.route import Route, as_tensor, but, route


def with_lora(
    y: Any, x: Any, weightB: Any, indices: Any, weightAOptional: Any, layerIdx: int, scale: float, yOffset: int,
    ySliceSize: int,
) -> Any:  # fmt: skip
    out = np.array(y)
    for row, weight in enumerate(indices):
        inner = list(x[row])
        if weightAOptional is not None:
            inner = [sum(x[row] * line) for line in weightAOptional[weight, layerIdx]]
        for column in range(ySliceSize):
            out[row, yOffset + column] += sum(inner * weightB[weight, layerIdx, column]) * scale
    return out


def with_lora_by_torch(
    y: Any, x: Any, weightB: Any, indices: Any, weightAOptional: Any, layerIdx: int, scale: float, yOffset: int,
    ySliceSize: int,
) -> Any:  # fmt: skip
    import torch

    rows, inner = as_tensor(indices), as_tensor(x)
    if weightAOptional is not None:
        inner = torch.einsum("bh,brh->br", inner, as_tensor(weightAOptional)[rows, layerIdx])
    out = as_tensor(y).clone()
    out[:, yOffset : yOffset + ySliceSize] += torch.einsum(
        "br,bhr->bh", inner, as_tensor(weightB)[rows, layerIdx]) * scale  # fmt: skip
    return out.numpy()


ROUTES: tuple[Route, ...] = (
    route("aclnnAddLora", "loop", with_lora, bound="composite", torch=("torch.einsum", with_lora_by_torch),
          wrong={"the first layer": but(with_lora, layerIdx=0), "no scale": but(with_lora, scale=1.0),
                 "the first columns": but(with_lora, yOffset=0)}),
)  # fmt: skip
