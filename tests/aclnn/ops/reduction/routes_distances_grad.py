"""The route for CdistBackward: loops over pairs of rows, and torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle.route import Route, as_tensor, but, route


def slopes(grad: Any, x1: Any, x2: Any, cdist: Any, p: float) -> Any:
    out = np.zeros(x1.shape, x1.dtype)
    for *batch, i, j in np.ndindex(*grad.shape):
        for k in range(x1.shape[-1]):
            d, size = x1[(*batch, i, k)] - x2[(*batch, j, k)], cdist[(*batch, i, j)]
            sign = np.sign(d) * grad[(*batch, i, j)]
            if p == 1:
                out[(*batch, i, k)] += sign
            elif np.isinf(p):
                out[(*batch, i, k)] += sign * (abs(d) == size)
            elif p and size and (d or p > 1):
                out[(*batch, i, k)] += sign * (abs(d) / size) ** (p - 1)
    return out


def slopes_by_torch(grad: Any, x1: Any, x2: Any, cdist: Any, p: float) -> Any:
    import torch

    given = [as_tensor(each).contiguous() for each in (grad, x1, x2)]
    return torch.ops.aten._cdist_backward(*given, p, as_tensor(cdist).contiguous()).numpy()  # pyright: ignore


def bound(arguments: Any, exact: np.ndarray, dtype: str) -> Any:
    count = arguments["x2"].shape[-2]
    size, power = np.abs(arguments["cdist"]), max(arguments["p"] - 1, 0)
    far = np.abs(arguments["x1"]).max() + np.abs(arguments["x2"]).max()
    steep = min(far / max(size[size > 0].min(), 1e-3), 1e3) ** (1 if np.isinf(power) else power)
    return 2.0**-19 * count * np.abs(arguments["grad"]).max() * max(steep, 1e3 if arguments["p"] < 1 else 1)


ROUTES: tuple[Route, ...] = (
    route("aclnnCdistBackward", "loop", slopes, bound=bound, values={"cdist": lambda x: np.abs(x) + 0.25},
          also=[{"p": each} for each in (0.0, 1.0, 1.5, 3.0, float("inf"))],
          torch=("torch._cdist_backward", slopes_by_torch),
          wrong={"the other direction": but(slopes, grad=lambda given: -given["grad"]),
                 "of the square": but(slopes, cdist=lambda given: given["cdist"] ** 2)}),
)  # fmt: skip
