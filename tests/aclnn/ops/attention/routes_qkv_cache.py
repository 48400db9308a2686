"""Routes for QkvRmsNormRopeCache: head by head, and torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, as_tensor, but, called, route


def slots(drawn: np.ndarray) -> np.ndarray:
    """Different rows of the caches, which have 8, and none for the first token and those behind the caches."""
    places = np.arange(len(drawn)) * 2
    return np.where((places > 0) & (places < 8), places, -1)


def normed(x: Any, gamma: Any, cos: Any, sin: Any, epsilon: float) -> Any:
    out = np.zeros_like(x)
    for token, head in np.ndindex(*x.shape[:2]):
        y = x[token, head] / np.sqrt(sum(x[token, head] ** 2) / 128 + epsilon) * gamma
        pairs = np.stack([-y[64:], y[:64]]).ravel()
        out[token, head] = y * cos[token] + pairs * sin[token]
    return out


def cached(
    qkv: Any, qGamma: Any, kGamma: Any, cos: Any, sin: Any, index: Any, kCache: Any, vCache: Any, kScaleOptional: Any,
    vScaleOptional: Any, kOffsetOptional: Any, vOffsetOptional: Any, headNums: Any, epsilon: float,
    qOutBeforeQuant: Any, dtypes: Any, of: Any = normed,
) -> Any:  # fmt: skip
    x = qkv.reshape(len(qkv), -1, 128)
    q, k, v = np.split(x, np.cumsum(headNums)[:2], 1)
    q, k = of(q, qGamma, cos, sin, epsilon), of(k, kGamma, cos, sin, epsilon)
    caches, scales = [kCache.copy(), vCache.copy()], (kScaleOptional, vScaleOptional)
    offsets = (kOffsetOptional, vOffsetOptional)
    for name, cache, rows, scale, offset in zip("kv", caches, (k, v), scales, offsets, strict=True):
        width, count = cache.shape[3], cache.shape[2]
        for token, slot in enumerate(index.tolist()):
            line = rows[token].ravel()
            if dtypes[f"{name}Cache"] == "int8":
                line = line / scale.ravel() + (0 if offset is None else offset.ravel())
                line = np.clip(np.rint(line), -128, 127)
            if slot >= 0:
                for at, value in enumerate(line):
                    cache[slot // count, at // width, slot % count, at % width] = value
    flat = [part.reshape(len(part), -1) for part in (q, k, v)]
    return (flat[0], *caches, *(flat if qOutBeforeQuant is not None else ()))


def normed_by_torch(x: Any, gamma: Any, cos: Any, sin: Any, epsilon: float) -> Any:
    import torch

    y = torch.nn.functional.rms_norm(as_tensor(x), (128,), as_tensor(gamma), epsilon).numpy()
    whole = torch.view_as_complex(as_tensor(y.reshape(*y.shape[:2], 2, 64)).swapaxes(2, 3).contiguous())
    by_i = torch.view_as_real(whole * 1j).swapaxes(2, 3).reshape(y.shape).numpy()
    return y * cos[:, None] + by_i * sin[:, None]


def by_torch(**given: Any) -> Any:
    return called(cached, {**given, "of": normed_by_torch})


H, I8 = ACL_FLOAT16, ACL_INT8
FLOATS = ("qkv", "qGamma", "kGamma", "cos", "sin", "kCache", "vCache", "qOut",
          "qOutBeforeQuant", "kOutBeforeQuant", "vOutBeforeQuant")  # fmt: skip
OUTS = dict.fromkeys(FLOATS[-3:])
FACTORS = ("kScaleOptional", "vScaleOptional", "kOffsetOptional", "vOffsetOptional")
TWO = {"qkv": Meta((3, 896), H), "qOut": Meta((3, 384), H), "headNums": [3, 2, 2], **OUTS,
       **dict.fromkeys(("kCache", "vCache"), Meta((2, 8, 4, 32), I8)),
       **dict.fromkeys(FACTORS, Meta((2, 128)))}  # fmt: skip
ROUTES: tuple[Route, ...] = (
    route("aclnnQkvRmsNormRopeCache", "head by head", cached, bound="composite", groups=[FLOATS],
          values={"index": slots, "kScaleOptional": lambda x: np.abs(x) / 64 + 0.01,
                  "vScaleOptional": lambda x: np.abs(x) / 64 + 0.01},
          also=[OUTS, TWO, {**TWO, "kOffsetOptional": None, "vOffsetOptional": None}],
          torch=("torch.rms_norm", by_torch),
          wrong={"no rotation": but(cached, sin=lambda given: 0 * given["sin"]),
                 "one gamma": but(cached, kGamma=lambda given: given["qGamma"]),
                 "another row": but(cached, index=lambda given: given["index"] + 1)}),
)  # fmt: skip
