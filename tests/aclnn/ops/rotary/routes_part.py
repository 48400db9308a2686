"""Routes for InplacePartialRotaryMul: a loop over pairs, and torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, as_tensor, but, route


def rotated(x: Any, cos: Any, sin: Any, partialSlice: Any) -> Any:
    start, end = partialSlice or (0, x.shape[-1])
    out = x.copy()
    cosines, sines = (np.broadcast_to(each, (*x.shape[:-1], end - start)) for each in (cos, sin))
    for place in np.ndindex(*x.shape[:-1]):
        for at in range(0, end - start, 2):
            a, b = x[place][start + at], x[place][start + at + 1]
            c, s = cosines[place], sines[place]
            out[place][start + at : start + at + 2] = a * c[at] - b * s[at], b * c[at + 1] + a * s[at + 1]
    return out


def rotated_by_torch(x: Any, cos: Any, sin: Any, partialSlice: Any) -> Any:
    import torch

    start, end = partialSlice or (0, x.shape[-1])
    out = as_tensor(x)
    part = out[..., start:end].clone()
    turned = torch.stack([-part[..., 1::2], part[..., ::2]], -1).flatten(-2)
    out[..., start:end] = part * as_tensor(cos) + turned * as_tensor(sin)
    return out.numpy()


def all_of(function: Any) -> Any:
    return lambda xRef, cos, sin, partialSlice: function(xRef, cos, sin, partialSlice)


FULL = {"partialSlice": None, **dict.fromkeys(("cos", "sin"), Meta((1, 3, 1, 16)))}
ROUTES: tuple[Route, ...] = (
    route("aclnnInplacePartialRotaryMul", "loop", all_of(rotated), bound="composite",
          groups=[("xRef", "cos", "sin")], torch=("torch.stack", all_of(rotated_by_torch)), also=[FULL],
          wrong={"without sin": but(all_of(rotated), sin=lambda given: given["sin"] * 0),
                 "all alike": but(all_of(rotated), cos=lambda given: given["cos"][..., ::-1])}),
)  # fmt: skip
