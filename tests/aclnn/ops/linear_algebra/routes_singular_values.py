"""Routes for Svd: rotations of columns, and torch. The signs of the vectors are those of LAPACK."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.linear_algebra.routes_decompositions import stack
from tests.oracle.route import Route, as_tensor, but, route, unit


def rotated(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One matrix with at least as many rows as columns, by rotations until its columns are orthogonal (Jacobi)."""
    a, v = x.copy(), np.eye(x.shape[1], dtype=x.dtype)
    for _ in range(40):
        for i in range(x.shape[1]):
            for j in range(i + 1, x.shape[1]):
                inner = np.vdot(a[:, i], a[:, j])
                if abs(inner) == 0:
                    continue
                phase, zeta = inner / abs(inner), (np.vdot(a[:, j], a[:, j]) - np.vdot(a[:, i], a[:, i])).real
                zeta = zeta / (2 * abs(inner))
                t = (1 if zeta >= 0 else -1) / (abs(zeta) + np.sqrt(1 + zeta * zeta))
                c = 1 / np.sqrt(1 + t * t)
                turn = np.array([[c, c * t * phase], [-c * t * np.conj(phase), c]])
                a[:, [i, j]], v[:, [i, j]] = a[:, [i, j]] @ turn, v[:, [i, j]] @ turn
    sizes = np.sqrt((np.abs(a) ** 2).sum(0))
    order = np.argsort(-sizes, kind="stable")
    return a[:, order] / sizes[order], sizes[order], v[:, order]


def one(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    tall = x.shape[0] >= x.shape[1]
    u, sigma, v = rotated(x if tall else x.conj().T)
    u, v = (u, v) if tall else (v, u)
    signs = np.einsum("ij,ij->j", u.conj(), np.linalg.svd(x, full_matrices=False)[0])
    signs = signs / np.abs(signs)
    return u * signs, sigma, v * signs


def svd(input: np.ndarray, fullMatrices: bool, computeUV: bool) -> Any:
    """Without the columns that fullMatrices adds, as any orthonormal ones would do."""
    u, sigma, v = stack(one, input)
    whole = fullMatrices and input.shape[-1] != input.shape[-2]
    tall = input.shape[-2] > input.shape[-1]
    pair = (None if whole and tall else u, None if whole and not tall else v)
    return (sigma, *pair) if computeUV else (sigma, None, None)


def svd_by_torch(input: np.ndarray, fullMatrices: bool, computeUV: bool) -> Any:
    """The values by torch, whose LAPACK may have other signs."""
    import torch

    _, u, v = svd(input, fullMatrices, computeUV)
    return torch.linalg.svdvals(as_tensor(input)).numpy(), u, v


def bound(arguments: Any, exact: Any, dtype: str) -> Any:
    """Vectors are as exact as the distance of two singular values is large."""
    return 2**8 * unit(dtype) * max(float(np.abs(arguments["input"]).max()), 1.0)


TALL = {"input": Meta((2, 4, 3)), "u": Meta((2, 4, 3)), "v": Meta((2, 3, 3))}
ROUTES: tuple[Route, ...] = (
    route("aclnnSvd", "rotations", svd, bound=bound, torch=("torch.linalg.svdvals", svd_by_torch),
          also=[TALL, {"fullMatrices": True, "v": Meta((2, 4, 4))}, {"computeUV": False},
                {**TALL, "fullMatrices": True, "u": Meta((2, 4, 4))}],
          wrong={"of the other matrix": but(svd, input=lambda given: given["input"][::-1]),
                 "half": but(svd, input=lambda given: given["input"] / 2)}),
)  # fmt: skip
