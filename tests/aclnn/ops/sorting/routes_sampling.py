"""Routes for sampling: lists of Python numbers, and torch."""

from __future__ import annotations

from math import exp, inf
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, as_tensor, but, route


def sample(
    logits: Any, topK: Any, topP: Any, q: Any, eps: float, isNeedLogits: bool, logitsSelectIdx: Any, minPs: Any = None,
    ksMax: int = 1024, inputIsLogits: bool = True, isNeedSampleResult: bool = False, logitsIdx: Any = None,
) -> Any:  # fmt: skip
    """Row by row, token by token. The second version has more outputs, which `logitsIdx` stands for."""
    chosen, selected = np.zeros(len(logits), np.int64), np.full(logits.shape, -inf if inputIsLogits else 0.0)
    places, weights = np.zeros(logits.shape, np.int64), np.zeros(logits.shape)
    for at, row in enumerate(logits.tolist()):
        least = 0.0 if minPs is None else minPs.ravel()[at]
        pairs = left(row, int(topK[at]), float(topP[at]), least, min((ksMax + 7) // 8 * 8, 1024), inputIsLogits)
        scores = [w if q is None else w / (abs(q[at, j]) + eps) for j, (_, w) in enumerate(pairs)]
        chosen[at] = pairs[scores.index(max(scores))][0]
        for j, (token, w) in enumerate(pairs):
            selected[at, token], places[at, j], weights[at, j] = row[token], token, w
    first = None if isNeedSampleResult else chosen.reshape(logitsSelectIdx.shape)
    if logitsIdx is None:
        return first, selected if isNeedLogits else None
    others = (places, weights) if isNeedSampleResult else (None, None)
    return first, selected if isNeedLogits else None, *others


def left(row: list[float], k: int, p: float, least: float, most: int, soft: bool) -> list[tuple[int, float]]:
    order = sorted(range(len(row)), key=lambda token: -row[token])
    cut = 1 <= k <= min(most, len(row))
    if not cut and p >= 1 and least < 1:
        order = list(range(len(row)))
    order = order[:k] if cut else order
    powers = [exp(row[token] - max(row[each] for each in order)) for token in order]
    pairs = [(token, e / sum(powers) if soft else row[token]) for token, e in zip(order, powers, strict=True)]
    if p <= 0:
        pairs = [(pairs[0][0], 1.0 if soft else pairs[0][1])]
    elif p < 1:
        pairs = [pair for j, pair in enumerate(pairs) if not j or sum(w for _, w in pairs[:j]) < p]
    if least >= 1:
        return pairs[:1]
    best = max(pairs, key=lambda pair: pair[1])
    return [pair for pair in pairs if least <= 0 or pair[1] >= least * best[1]] or [best]


def sample_by_torch(**given: Any) -> Any:
    """The whole batch at once, where every row is cut by topK and topP; else the lists."""
    import torch

    names = [name for name in sample.__code__.co_varnames[: sample.__code__.co_argcount] if name in given]
    found = list(sample(**{name: given[name] for name in names}))
    x, k, p = (as_tensor(given[name]) for name in ("logits", "topK", "topP"))
    if given.get("minPs") is not None or not given.get("inputIsLogits", True) or given.get("isNeedSampleResult"):
        return tuple(found)
    if not bool(((k >= 1) & (k <= x.shape[1]) & (p > 0) & (p < 1)).all()):
        return tuple(found)
    values, order = torch.sort(x, dim=-1, descending=True, stable=True)
    rank = torch.arange(x.shape[1])
    w = torch.softmax(values.masked_fill(rank >= k[:, None], -torch.inf), -1)
    stay = (w.cumsum(-1) - w < p[:, None]) & (rank < k[:, None])
    score = w if given["q"] is None else w / (as_tensor(given["q"]).abs() + given["eps"])
    best = score.masked_fill(~stay, -1.0).argmax(-1, keepdim=True)
    found[0] = order.gather(1, best).reshape(given["logitsSelectIdx"].shape).numpy()
    return tuple(found)


def counts(x: np.ndarray) -> Any:
    """From 0, which does not cut, up to 5."""
    return np.arange(x.size) % 6


def shares(x: np.ndarray) -> Any:
    return np.array([0.75, 0.5, 0.9, 0.25, 1.0, 0.0, 0.6] * (x.size // 7 + 1))[: x.size]


def minima(x: np.ndarray) -> Any:
    return np.array([0.125, 0.0, 0.25, 1.0, -1.0] * (x.size // 5 + 1))[: x.size]


WRONG = {
    "without topP": but(sample, topP=lambda given: np.ones_like(given["topP"])),
    "without topK": but(sample, topK=lambda given: np.zeros_like(given["topK"])),
    "without eps": but(sample, eps=1e-9),
}
VALUES = {"topK": counts, "topP": shares, "minPs": minima, "q": lambda x: x / 16}
FLOATS = ("logits", "topP", "minPs")
ROUTES: tuple[Route, ...] = (
    route("aclnnTopKTopPSample", "loop", sample, bound="composite", values=VALUES, groups=[FLOATS],
          also=[{"q": None}, {"isNeedLogits": False}], torch=("torch.sort", sample_by_torch), wrong=WRONG),
    route("aclnnTopKTopPSampleV2", "loop", sample, bound="composite", values=VALUES, groups=[FLOATS],
          also=[{"minPs": None}, {"q": None}, {"ksMax": 0}, {"inputIsLogits": False, "q": None},
                {"isNeedSampleResult": True, "q": None}, {"logitsSelectIdx": Meta((3, 1), ACL_INT64)},
                {"isNeedSampleResult": True, "q": None, "isNeedLogits": False}],
          torch=("torch.sort", sample_by_torch),
          wrong={**WRONG, "without minPs": but(sample, minPs=None), "1024 for ksMax": but(sample, ksMax=1024)}),
)  # fmt: skip
