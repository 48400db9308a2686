"""Routes for `aclnn.ops.resize`: torch, and the matrix of weights of each dimension, element by element."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import floor
from typing import Any

import numpy as np

from tests.aclnn.ops.resize.good_calls import RESIZED
from tests.oracle.route import Route, as_tensor, of_terms, route

Weight = Callable[[float], float]
LETTERS = "xyz"


def nearest(size: int, wanted: int, align: bool, shift: float = 0.0) -> np.ndarray:
    found = np.zeros((wanted, size))
    for i in range(wanted):
        found[i, min(floor((i + shift) * size / wanted), size - 1)] = 1
    return found


def exact(size: int, wanted: int, align: bool) -> np.ndarray:
    return nearest(size, wanted, align, 0.5)


def hat(x: float) -> float:
    return max(1 - abs(x), 0)


def spline(x: float, a: float = -0.75) -> float:
    x = abs(x)
    if x <= 1:
        return (a + 2) * x**3 - (a + 3) * x**2 + 1
    return a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a if x < 2 else 0


def softer(x: float) -> float:
    return spline(x, -0.5)


def source(i: int, size: int, wanted: int, align: bool) -> float:
    if align:
        return i * (size - 1) / (wanted - 1) if wanted > 1 else 0
    return (i + 0.5) * size / wanted - 0.5


def linear(size: int, wanted: int, align: bool) -> np.ndarray:
    """The weight of a place is what the hat around the source has there; beyond the ends the end counts."""
    found = np.zeros((wanted, size))
    for i in range(wanted):
        at = min(max(source(i, size, wanted, align), 0), size - 1)
        found[i] = [hat(at - place) for place in range(size)]
    return found


def cubic(size: int, wanted: int, align: bool) -> np.ndarray:
    found = np.zeros((wanted, size))
    for i in range(wanted):
        at = source(i, size, wanted, align)
        for place in range(floor(at) - 1, floor(at) + 3):
            found[i, min(max(place, 0), size - 1)] += spline(at - place)
    return found


def filtered(filter: Weight, half: float) -> Callable[[int, int, bool], np.ndarray]:
    def matrix(size: int, wanted: int, align: bool) -> np.ndarray:
        found = np.zeros((wanted, size))
        step = (size - 1) / max(wanted - 1, 1) * (wanted > 1) if align else size / wanted
        wide = max(step, 1)
        for i in range(wanted):
            centre = (i + 0.5) * step
            first, end = max(int(centre - half * wide + 0.5), 0), min(int(centre + half * wide + 0.5), size)
            for place in range(first, end):
                found[i, place] = filter((place - centre + 0.5) / wide)
        return found / found.sum(1, keepdims=True)

    return matrix


def sharper(size: int, wanted: int, align: bool) -> np.ndarray:
    """Other ends, and without a filter."""
    return linear(size, wanted, not align)


Matrix = Callable[[int, int, bool], np.ndarray]


def sums(x: np.ndarray, matrices: list[np.ndarray]) -> np.ndarray:
    dims = len(matrices)
    inner, outer = LETTERS[:dims], LETTERS[:dims].upper()
    pairs = ",".join(f"{to}{place}" for place, to in zip(inner, outer, strict=True))
    return np.einsum(f"nc{inner},{pairs}->nc{outer}", x, *matrices)


def forward(matrix: Matrix, x: str) -> Callable[..., np.ndarray]:
    def expected(**a: Any) -> np.ndarray:
        given = a[x]
        rows = zip(given.shape[2:], a["outputSize"], strict=True)
        return sums(given, [matrix(*row, a.get("alignCorners", False)) for row in rows])

    return expected


def backward(matrix: Matrix, gradient: str) -> Callable[..., np.ndarray]:
    def expected(**a: Any) -> np.ndarray:
        rows = zip(a["inputSize"][2:], a["outputSize"], strict=True)
        return sums(a[gradient], [matrix(*row, a.get("alignCorners", False)).T for row in rows])

    return expected


def interpolate(x: Any, size: Any, mode: str, align: Any, filter: bool) -> Any:
    import torch

    words = {"align_corners": bool(align)} if "linear" in mode or mode == "bicubic" else {}
    return torch.nn.functional.interpolate(x, size=list(size), mode=mode, antialias=filter, **words)


def by_torch(mode: str, x: str, filter: bool) -> Callable[..., np.ndarray]:
    def expected(**a: Any) -> np.ndarray:
        given = as_tensor(a[x].astype(np.float64))
        return interpolate(given, a["outputSize"], mode, a.get("alignCorners"), filter).numpy()

    return expected


def by_autograd(mode: str, gradient: str, filter: bool) -> Callable[..., np.ndarray]:
    def expected(**a: Any) -> np.ndarray:
        import torch

        x = torch.zeros(list(a["inputSize"]), dtype=torch.float64, requires_grad=True)
        out = interpolate(x, a["outputSize"], mode, a.get("alignCorners"), filter)
        return torch.autograd.grad(out, x, as_tensor(a[gradient].astype(np.float64)))[0].numpy()

    return expected


def bounded(expected: Callable[..., np.ndarray], x: str) -> Any:
    """Sums of magnitudes; weights may be negative, and have errors of their own."""

    def bound(arguments: Mapping[str, Any], result: np.ndarray, dtype: str) -> Any:
        largest = float(np.abs(arguments[x]).max(initial=0.0, where=np.isfinite(arguments[x])))
        ones = {**arguments, x: np.full_like(arguments[x], largest)}
        return of_terms(2 * np.abs(expected(**ones)) + np.abs(result), 16, dtype)

    return bound


def mode_of(name: str) -> tuple[Matrix, Matrix, str, bool]:
    """The matrix, a wrong one, and torch's name for it."""
    dims = next(each for each in (1, 2, 3) if f"{each}d" in name)
    if "Exact" in name:
        return exact, nearest, "nearest-exact", False
    if "Nearest" in name:
        return nearest, exact, "nearest", False
    if "Bicubic2dAA" in name:
        return filtered(softer, 2), filtered(spline, 2), "bicubic", True
    if "AA" in name:
        return filtered(hat, 1), sharper, "bilinear", True
    if "Bicubic" in name:
        return cubic, linear, "bicubic", False
    return linear, sharper, ("linear", "bilinear", "trilinear")[dims - 1], False


def one(name: str) -> Route:
    matrix, other, mode, filter = mode_of(name)
    x = next(iter(RESIZED[name]))
    back = "inputSize" in RESIZED[name]
    expected, wrong = ((backward if back else forward)(each, x) for each in (matrix, other))
    torch = by_autograd(mode, x, filter) if back else by_torch(mode, x, filter)
    copies = "Nearest" in name and not back
    return route(
        name, "matrices", expected, bound="exact" if copies else bounded(expected, x),
        torch=("torch.autograd" if back else "torch.interpolate", torch),
        also=[{"alignCorners": True}] if "alignCorners" in RESIZED[name] else [],
        wrong={"other neighbours" if "Nearest" in name else "other weights": wrong},
    )  # fmt: skip


ROUTES: tuple[Route, ...] = tuple(map(one, RESIZED))
