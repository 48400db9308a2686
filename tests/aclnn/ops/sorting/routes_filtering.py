"""Routes for ApplyTopKTopP: lists of Python numbers, and torch."""

from __future__ import annotations

from math import exp, inf
from typing import Any

import numpy as np

from tests.aclnn.ops.sorting.routes_sampling import counts, shares
from tests.oracle.route import Route, as_tensor, but, route


def filtered(logits: Any, p: Any, k: Any) -> Any:
    out = np.array(logits)
    for at, row in enumerate(logits.tolist()):
        stay = set(range(len(row)))
        if k is not None and 0 < k[at] < len(row):
            threshold = sorted(row)[-int(k[at])]
            stay = {token for token in stay if row[token] >= threshold}
        if p is not None:
            weights = {token: exp(row[token] - max(row)) for token in stay}
            rising = sorted(weights, key=lambda token, row=row: row[token])
            for number in range(len(rising) - 1):
                if sum(weights[token] for token in rising[: number + 1]) <= (1 - p[at]) * sum(weights.values()):
                    stay.discard(rising[number])
        out[at, [token for token in range(len(row)) if token not in stay]] = -inf
    return out


def filtered_by_torch(logits: Any, p: Any, k: Any) -> Any:
    import torch

    values, places = torch.sort(as_tensor(logits), dim=-1, stable=True)
    size = values.shape[1]
    if k is not None:
        number = as_tensor(k).clone()
        number[(number <= 0) | (number > size)] = size
        values = values.masked_fill(values < values.gather(1, (size - number)[:, None]), -torch.inf)
    if p is not None:
        drop = values.softmax(-1).cumsum(-1) <= 1 - as_tensor(p)[:, None]
        drop[:, -1] = False
        values = values.masked_fill(drop, -torch.inf)
    return torch.empty_like(values).scatter(1, places, values).numpy()


ROUTES: tuple[Route, ...] = (
    route("aclnnApplyTopKTopP", "loop", filtered, bound="exact", values={"k": counts, "p": shares},
          groups=[("logits", "p", "out")], also=[{"k": None}, {"p": None}], torch=("torch.sort", filtered_by_torch),
          wrong={"without p": but(filtered, p=None), "without k": but(filtered, k=None),
                 "one more": but(filtered, k=lambda given: None if given["k"] is None else given["k"] + 1)}),
)  # fmt: skip
