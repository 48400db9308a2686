"""Routes for samples at any places: torch, and a loop over samples and elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from math import floor
from typing import Any

import numpy as np

from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.resize.routes import hat, spline
from tests.derived.values import Values
from tests.oracle.route import Route, as_tensor, but, of_terms, route

MODES, PADDINGS = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")


def mirrored(at: float, low: float, high: float) -> float:
    """Walk back from the ends until the place is inside."""
    while high > low and not low <= at <= high:
        at = 2 * low - at if at < low else 2 * high - at
    return at if high > low else low


def inside(at: float, size: int, padding: int, align: bool) -> float:
    if padding == 2:
        at = mirrored(at, 0, size - 1) if align else mirrored(at, -0.5, size - 0.5)
    return min(max(at, 0), size - 1) if padding else at


def weights(coordinate: float, size: int, mode: int, padding: int, align: bool) -> Iterator[tuple[int, float]]:
    at = (coordinate + 1) / 2 * (size - 1) if align else ((coordinate + 1) * size - 1) / 2
    if mode == 2:
        four = range(floor(at) - 1, floor(at) + 3)
        around = [(inside(place, size, padding, align), spline(at - place)) for place in four]
    else:
        at = inside(at, size, padding, align)
        near = [round(at)] if mode == 1 else [floor(at), floor(at) + 1]
        around = [(place, 1.0 if mode == 1 else hat(at - place)) for place in near]
    yield from ((int(place), weight) for place, weight in around if 0 <= place < size)


def sampled(**a: Any) -> np.ndarray:
    x, grid = a["input"], a["grid"]
    words = a["interpolationMode"], a["paddingMode"], a["alignCorners"]
    out = np.zeros((*x.shape[:2], *grid.shape[1:-1]), np.result_type(x))
    for at in np.ndindex(*grid.shape[:-1]):
        rows = zip(grid[at][::-1], x.shape[2:], strict=True)
        for terms in product(*(list(weights(float(each), size, *words)) for each, size in rows)):
            factor = np.prod([weight for _, weight in terms])
            out[(at[0], slice(None), *at[1:])] += x[(at[0], slice(None), *(place for place, _ in terms))] * factor
    return out


def torch_sampled(**a: Any) -> np.ndarray:
    import torch

    return torch.nn.functional.grid_sample(
        as_tensor(a["input"]), as_tensor(a["grid"]), MODES[a["interpolationMode"]], PADDINGS[a["paddingMode"]],
        bool(a["alignCorners"]),
    ).numpy()  # fmt: skip


def bound(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    """A place has an error of an ulp of its coordinate, which moves it between neighbours."""
    x = arguments["input"]
    reach = float(np.abs(arguments["grid"]).max(initial=1.0)) * max(x.shape[2:])
    return of_terms(np.abs(x).max(initial=0.0) * 4 * reach, 16, dtype)


def places(a: Mapping[str, Any], coordinate: float, size: int) -> list[tuple[int, float]]:
    return list(weights(coordinate, size, a["interpolationMode"], a["paddingMode"], a["alignCorners"]))


def sampled_back(**a: Any) -> list[Any]:
    """The gradient of the places is a difference of samples beside them."""
    x, grid, slope = a["input"], a["grid"], a["gradOutput"]
    image, spots, step = np.zeros(x.shape), np.zeros(grid.shape), 2.0**-20
    for at in np.ndindex(*grid.shape[:-1]):
        dy = slope[(at[0], slice(None), *at[1:])]

        def sample(spot: np.ndarray, at: tuple[int, ...] = at) -> Iterator[tuple[tuple[int, ...], float]]:
            rows = zip(spot[::-1], x.shape[2:], strict=True)
            for terms in product(*(places(a, float(each), size) for each, size in rows)):
                yield (at[0], *(place for place, _ in terms)), float(np.prod([weight for _, weight in terms]))

        for (n, *place), factor in sample(grid[at]):
            image[(n, slice(None), *place)] += dy * factor
        for number in range(grid.shape[-1]):
            for side in (1, -1):
                spot = grid[at].astype(np.float64)
                spot[number] += side * step
                for (n, *place), factor in sample(spot):
                    spots[(*at, number)] += side * factor / (2 * step) * (x[(n, slice(None), *place)] @ dy)
    mask = a["outputMask"]
    return [image if mask[0] else None, spots if mask[1] else None]


def torch_sampled_back(**a: Any) -> list[Any]:
    import torch

    x, grid = (as_tensor(a[name].astype(np.float64)).requires_grad_() for name in ("input", "grid"))
    words = MODES[a["interpolationMode"]], PADDINGS[a["paddingMode"]], bool(a["alignCorners"])
    out = torch.nn.functional.grid_sample(x, grid, *words)
    found = torch.autograd.grad(out, (x, grid), as_tensor(a["gradOutput"].astype(np.float64)), allow_unused=True)
    whole = [np.zeros(a["grid"].shape) if each is None else each.numpy() for each in found]
    return [each if flag else None for each, flag in zip(whole, a["outputMask"], strict=True)]


def bound_back(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    x, slope = arguments["input"], arguments["gradOutput"]
    reach = float(np.abs(arguments["grid"]).max(initial=1.0)) * max(x.shape[2:]) ** 2
    return of_terms((np.abs(x).max(initial=1.0) + 1) * np.abs(slope).sum() * reach, 16, dtype) + 1e-6


def affine(theta: np.ndarray, size: Any, alignCorners: bool) -> np.ndarray:
    extent = size[2:]
    out = np.zeros((len(theta), *extent, len(extent)), theta.dtype)
    for at in np.ndindex(*extent):
        spots = [(2 * i + 1) / n - 1 if not alignCorners else 2 * i / (n - 1) - 1 if n > 1 else 0
                 for i, n in zip(at, extent, strict=True)]  # fmt: skip
        out[(slice(None), *at)] = theta @ np.array([*reversed(spots), 1.0])
    return out


def torch_affine(theta: np.ndarray, size: Any, alignCorners: bool) -> np.ndarray:
    import torch

    return torch.nn.functional.affine_grid(as_tensor(theta), list(size), bool(alignCorners)).numpy()


def bound_affine(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    return of_terms(np.abs(arguments["theta"]).sum(), 4, dtype)


def spread(drawn: np.ndarray) -> np.ndarray:
    """Odd multiples of 1/32, inside and outside of the image: no place is an element, or the middle of two."""
    return (2 * np.clip(np.floor(drawn * 8), -28, 28) + 1) / 32


VARIANTS = [{"interpolationMode": mode, "paddingMode": padding, "alignCorners": align}
            for mode, padding, align in ((0, 1, True), (0, 2, False), (1, 0, True), (1, 2, True))]  # fmt: skip
CUBIC = [{"interpolationMode": 2, "paddingMode": padding, "alignCorners": align}
         for padding, align in ((0, False), (1, True), (2, False))]  # fmt: skip
WRONG = {
    "the other corners": but(sampled, alignCorners=lambda a: not a["alignCorners"]),
    "x and y swapped": but(sampled, grid=lambda a: a["grid"][..., ::-1]),
    "padding ignored": but(sampled, paddingMode=0),
}
WRONG_BACK = {
    "the other corners": but(sampled_back, alignCorners=lambda a: not a["alignCorners"]),
    "padding ignored": but(sampled_back, paddingMode=0),
}
ROUTES: tuple[Route, ...] = (
    route("aclnnGridSampler2D", "loop", sampled, bound=bound, torch=("torch.grid_sample", torch_sampled),
          values={"grid": spread}, also=[*VARIANTS, *CUBIC], wrong=WRONG),
    route("aclnnGridSampler3D", "loop", sampled, bound=bound, torch=("torch.grid_sample", torch_sampled),
          values={"grid": spread}, also=VARIANTS, wrong=WRONG),
    route("aclnnGridSampler2DBackward", "differences", sampled_back, bound=bound_back, values={"grid": spread},
          torch=("torch.autograd", torch_sampled_back), also=[*VARIANTS, *CUBIC], wrong=WRONG_BACK),
    route("aclnnGridSampler3DBackward", "differences", sampled_back, bound=bound_back, values={"grid": spread},
          torch=("torch.autograd", torch_sampled_back), also=VARIANTS, wrong=WRONG_BACK),
    route("aclnnAffineGrid", "loop", affine, bound=bound_affine, torch=("torch.affine_grid", torch_affine),
          also=[{"alignCorners": True}, {"theta": Meta((2, 3, 4)), "size": Values((2, 1, 3, 1, 2)),
                                         "out": Meta((2, 3, 1, 2, 3))}],
          wrong={"the other corners": but(affine, alignCorners=lambda a: not a["alignCorners"])}),
)  # fmt: skip
