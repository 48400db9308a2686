"""Routes for RmsNormQuant and RmsNormDynamicQuant: loops over rows, and torch. In float32, as integers depend on it."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, as_tensor, but, route

F32 = np.float32


def norm(x: Any, gamma: Any, epsilon: float) -> Any:
    """Row by row."""
    wide, factor = x.astype(F32), gamma.astype(F32).ravel()
    out = np.empty_like(wide)
    for place in np.ndindex(*x.shape[:-1]):
        row = wide[place]
        square = F32(sum(float(each) ** 2 for each in row) / len(row))
        out[place] = row * (F32(1) / np.sqrt(square + F32(epsilon))) * factor
    return out


def norm_by_torch(x: Any, gamma: Any, epsilon: float) -> Any:
    import torch

    wide = as_tensor(x).double()
    root = torch.sqrt(wide.square().mean(-1, keepdim=True).float() + F32(epsilon))
    return (wide.float() * (1 / root) * as_tensor(gamma).float().flatten()).numpy()


def fixed(way: Any) -> Any:
    def expected(x: Any, gamma: Any, beta: Any, scale: Any, offset: Any, epsilon: float) -> Any:
        found = (way(x, gamma, epsilon) + beta.astype(F32).ravel()) * (F32(1) / scale.astype(F32)) + offset.astype(F32)
        half = found.astype(np.float16).astype(np.float64)
        return np.array([min(max(round(each), -128), 127) for each in half.ravel()]).reshape(x.shape)

    return expected


def dynamic(way: Any) -> Any:
    def expected(x: Any, gamma: Any, smoothScalesOptional: Any, betaOptional: Any, epsilon: float) -> Any:
        found = way(x, gamma, epsilon)
        found = found if betaOptional is None else found + betaOptional.astype(F32)
        found = found if smoothScalesOptional is None else found * smoothScalesOptional.astype(F32)
        scale = np.abs(found).max(-1) / F32(127)
        return np.rint(found / scale[..., None]).astype(np.int64), scale

    return expected


def third(way: Any) -> Any:
    def expected(
        x: Any, gamma: Any, scale: Any, offset: Any, beta: Any, epsilon: float, divMode: bool, outputRstd: bool
    ) -> Any:  # fmt: skip
        found = way(x, gamma, epsilon) + (0 if beta is None else beta.astype(F32).ravel())
        found = found / scale.astype(F32) if divMode else found * scale.astype(F32)
        found = np.rint(found + (0 if offset is None else offset.astype(F32)))
        rstd = 1 / np.sqrt((x**2).mean(-1, keepdims=True) + epsilon)
        return np.clip(found, -128, 127).astype(np.int64), rstd if outputRstd else None

    return expected


PLAIN = {"smoothScalesOptional": None, "betaOptional": None}
ROUTES: tuple[Route, ...] = (
    route("aclnnRmsNormQuant", "loop", fixed(norm), bound="exact", groups=[("x", "gamma", "beta", "scale")],
          values={"scale": lambda x: np.abs(x) / 16 + 1 / 64}, torch=("torch.mean", fixed(norm_by_torch)),
          also=[{"scale": Meta((8,), ACL_FLOAT16), "offset": Meta((8,), ACL_INT8)},
                {"gamma": Meta((1, 8), ACL_FLOAT16), "beta": Meta((1, 8), ACL_FLOAT16)}],
          wrong={"no beta": but(fixed(norm), beta=lambda given: given["beta"] * 0),
                 "no offset": but(fixed(norm), offset=lambda given: given["offset"] * 0)}),
    route("aclnnRmsNormQuantV3", "loop", third(norm), bound="composite", groups=[("x", "gamma", "beta")],
          values={"scale": lambda x: np.abs(x) / 16 + 1 / 64}, torch=("torch.mean", third(norm_by_torch)),
          also=[{"divMode": False}, {"offset": Meta((1,), ACL_INT8), "beta": None},
                {"outputRstd": False, "rstd": Meta((0,))}],
          wrong={"no beta": but(third(norm), beta=None), "always divided": but(third(norm), divMode=True)}),
    route("aclnnRmsNormDynamicQuant", "loop", dynamic(norm), bound="composite",
          groups=[("x", "gamma", "smoothScalesOptional", "betaOptional")], also=[PLAIN],
          torch=("torch.mean", dynamic(norm_by_torch)),
          wrong={"no beta": but(dynamic(norm), betaOptional=None),
                 "no scales": but(dynamic(norm), smoothScalesOptional=None)}),
)  # fmt: skip
