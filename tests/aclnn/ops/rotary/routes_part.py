"""Routes for InplacePartialRotaryMul: a loop over pairs, and torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, as_tensor, but, of_terms, route


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


def turned_back(dyRef: Any, cos: Any, sin: Any, partialSlice: Any) -> Any:
    """The other way round: each element gets back what it gave to both elements of its pair."""
    start, end = partialSlice or (0, dyRef.shape[-1])
    out = dyRef.copy()
    cosines, sines = (np.broadcast_to(each, (*dyRef.shape[:-1], end - start)) for each in (cos, sin))
    for place in np.ndindex(*dyRef.shape[:-1]):
        for at in range(0, end - start, 2):
            a, b = dyRef[place][start + at], dyRef[place][start + at + 1]
            c, s = cosines[place], sines[place]
            out[place][start + at : start + at + 2] = a * c[at] + b * s[at + 1], b * c[at + 1] - a * s[at]
    return out


def of_pairs(arguments: Any, exact: np.ndarray, dtype: str) -> Any:
    """The magnitudes of both terms, which may cancel."""
    terms = turned_back(*(np.abs(arguments[name]) for name in ("dyRef", "cos", "sin")), arguments["partialSlice"])
    crossed = turned_back(*(np.abs(arguments[name]) * sign for name, sign in (("dyRef", 1), ("cos", 1), ("sin", -1))),
                          arguments["partialSlice"])  # fmt: skip
    return of_terms(np.maximum(np.abs(terms), np.abs(crossed)), 4, dtype)


def by_autograd(dyRef: Any, cos: Any, sin: Any, partialSlice: Any) -> Any:
    import torch

    start, end = partialSlice or (0, dyRef.shape[-1])
    x = torch.zeros(dyRef.shape, dtype=torch.float64, requires_grad=True)
    part = x[..., start:end]
    turned = torch.stack([-part[..., 1::2], part[..., ::2]], -1).flatten(-2)
    part = part * as_tensor(cos) + turned * as_tensor(sin)
    whole = torch.cat([x[..., :start], part, x[..., end:]], -1)
    return torch.autograd.grad(whole, x, as_tensor(dyRef).double())[0].numpy()


def all_of(function: Any) -> Any:
    return lambda xRef, cos, sin, partialSlice: function(xRef, cos, sin, partialSlice)


FULL = {"partialSlice": None, **dict.fromkeys(("cos", "sin"), Meta((1, 3, 1, 16)))}
ROUTES: tuple[Route, ...] = (
    route("aclnnInplacePartialRotaryMulGrad", "loop", turned_back, bound=of_pairs,
          groups=[("dyRef", "cos", "sin")], torch=("torch.autograd", by_autograd), also=[FULL],
          wrong={"forward": but(turned_back, sin=lambda given: -given["sin"]),
                 "all alike": but(turned_back, cos=lambda given: given["cos"][..., ::-1])}),
    route("aclnnInplacePartialRotaryMul", "loop", all_of(rotated), bound="composite",
          groups=[("xRef", "cos", "sin")], torch=("torch.stack", all_of(rotated_by_torch)), also=[FULL],
          wrong={"without sin": but(all_of(rotated), sin=lambda given: given["sin"] * 0),
                 "all alike": but(all_of(rotated), cos=lambda given: given["cos"][..., ::-1])}),
)  # fmt: skip
