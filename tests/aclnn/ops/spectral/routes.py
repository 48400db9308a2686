"""Routes for Fourier transforms: torch, and the sum over exp(-2 pi i k t / n)."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, as_tensor, but, of_terms, route, sums

SELF = (2, 12)
REAL = {"returnComplex": False, "out": Meta((2, 3, 5, 2))}
BOTH = {
    "onesided": False, "self": Meta(SELF, ACL_COMPLEX64), "windowOptional": Meta((3,), ACL_COMPLEX64),
    "out": Meta((2, 4, 5), ACL_COMPLEX64),
}  # fmt: skip
LONG = {"self": Meta((12,)), "nFft": 5, "winLength": 5, "windowOptional": None, "out": Meta((3, 4), ACL_COMPLEX64)}


def waves(n: int, bins: int) -> np.ndarray:
    """By bin and time."""
    return np.array([[np.exp(-2j * np.pi * (k * t % n) / n) for t in range(n)] for k in range(bins)])


def parts(values: np.ndarray) -> np.ndarray:
    return np.stack([values.real, values.imag], -1)


def half_transform(self: Any, n: int, dim: int, norm: int) -> Any:
    lines = np.moveaxis(self, dim, -1)
    n = lines.shape[-1] if n == -1 else n
    padded = np.zeros((*lines.shape[:-1], n))
    padded[..., : lines.shape[-1]] = lines[..., :n]
    found = padded @ waves(n, n // 2 + 1).T / {1: 1, 2: n, 3: sqrt(n)}[norm]
    return parts(np.moveaxis(found, -1, dim))


def half_by_torch(self: Any, n: int, dim: int, norm: int) -> Any:
    import torch

    words = {1: "backward", 2: "forward", 3: "ortho"}
    return parts(torch.fft.rfft(as_tensor(self), None if n == -1 else n, dim, words[norm]).numpy())


def windows(
    self: Any, windowOptional: Any, nFft: int, hopLength: int, winLength: int, normalized: bool, onesided: bool,
    returnComplex: bool, *, before: int | None = None,
) -> Any:  # fmt: skip
    """`before`: the zeros before the window."""
    before = (nFft - winLength) // 2 if before is None else before
    window = [1.0] * winLength if windowOptional is None else list(windowOptional)
    found, bins = [], waves(nFft, nFft // 2 + 1 if onesided else nFft)
    for start in range(0, self.shape[-1] - nFft + 1, hopLength):
        terms = self[..., start + before : start + before + winLength] * np.array(window)
        found.append(terms @ bins[:, before : before + winLength].T)
    result = np.stack(found, -1) / (sqrt(nFft) if normalized else 1)
    return result if returnComplex else parts(result)


def by_torch(
    self: Any, windowOptional: Any, nFft: int, hopLength: int, winLength: int, normalized: bool, onesided: bool,
    returnComplex: bool,
) -> Any:  # fmt: skip
    import torch

    found = torch.stft(
        as_tensor(self), nFft, hopLength, winLength, as_tensor(windowOptional), center=False, normalized=normalized,
        onesided=onesided, return_complex=True,
    ).numpy()  # fmt: skip
    return found if returnComplex else parts(found)


def bound(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    n, window = arguments["nFft"], arguments["windowOptional"]
    largest = np.abs(arguments["self"]).max() * (1 if window is None else max(np.abs(window).max(), 1))
    return of_terms(n * largest, n, dtype)


ROUTES: list[Route] = [
    route(
        "aclRfft1D", "sum", half_transform, bound=sums("self"), torch=("torch.fft.rfft", half_by_torch),
        also=[{"n": 7, "norm": 2, "out": Meta((2, 4, 2))}, {"n": 4, "norm": 3, "out": Meta((2, 3, 2))},
              {"dim": 0, "n": 3, "out": Meta((2, 6, 2))}],
        wrong={"no division": but(half_transform, norm=lambda a: 1)},
    ),
    route(
        "aclStft", "sum", windows, bound=bound, torch=("torch.stft", by_torch),
        also=[REAL, BOTH, LONG, {"normalized": False}],
        wrong={"no division": but(windows, normalized=lambda a: False),
               "the window first": but(windows, before=lambda a: a["nFft"] - a["winLength"])},
    ),
]  # fmt: skip
