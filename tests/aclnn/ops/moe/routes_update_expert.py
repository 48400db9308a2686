"""Routes for MoeUpdateExpert: a loop over the experts of a token, and torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.moe.routes import modulo
from tests.oracle.route import Route, as_tensor, but, route


def updated(
    expertIds: Any, eplbTable: Any, expertScalesOptional: Any, pruningThresholdOptional: Any, activeMaskOptional: Any,
    localRankId: int, worldSize: int, balanceMode: int,
) -> Any:  # fmt: skip
    ids, mask = np.zeros(expertIds.shape, np.int64), np.zeros(expertIds.shape, bool)
    for token, k in np.ndindex(*ids.shape):
        count, *places = eplbTable[expertIds[token, k]].tolist()
        share = -(-worldSize // count)
        ids[token, k] = places[token % count if balanceMode else localRankId // share]
        if expertScalesOptional is not None:
            scales = expertScalesOptional[token]
            active = activeMaskOptional is None or activeMaskOptional[token]
            mask[token, k] = active and not scales[k] < scales.sum() * np.ravel(pruningThresholdOptional)[k]
    return ids, None if expertScalesOptional is None else mask


def updated_by_torch(
    expertIds: Any, eplbTable: Any, expertScalesOptional: Any, pruningThresholdOptional: Any, activeMaskOptional: Any,
    localRankId: int, worldSize: int, balanceMode: int,
) -> Any:  # fmt: skip
    import torch

    rows = torch.nn.functional.embedding(as_tensor(expertIds), as_tensor(eplbTable))
    counts = rows[..., 0]
    tokens = torch.arange(len(expertIds))[:, None]
    numbers = tokens.remainder(counts) if balanceMode else localRankId // torch.ceil(worldSize / counts)
    ids = rows.gather(-1, numbers.long()[..., None] + 1)[..., 0].numpy()
    if expertScalesOptional is None:
        return ids, None
    scales = as_tensor(expertScalesOptional)
    mask = scales.ge(scales.sum(-1, keepdim=True) * as_tensor(pruningThresholdOptional))
    if activeMaskOptional is not None:
        mask = mask.logical_and(as_tensor(activeMaskOptional)[:, None])
    return ids, mask.numpy()


def no_threshold(given: Any) -> np.ndarray:
    return np.zeros(given["expertIds"].shape[1])


def table(x: np.ndarray) -> np.ndarray:
    """Counts from 1 to the number of places."""
    return np.concatenate([np.abs(x[:, :1]) % (x.shape[1] - 1) + 1, x[:, 1:]], 1)


PRUNING = ("expertScalesOptional", "pruningThresholdOptional", "activeMaskOptional")
ROUTES: tuple[Route, ...] = (
    route("aclnnMoeUpdateExpert", "loop", updated, bound="exact", groups=[("expertIds", "balancedExpertIds")],
          values={"expertIds": modulo(5), "eplbTable": table, "expertScalesOptional": np.abs,
                  "pruningThresholdOptional": lambda x: np.abs(x) % 1},
          also=[{"balanceMode": 1}, {"localRankId": 1, "worldSize": 7}, dict.fromkeys(PRUNING),
                {"activeMaskOptional": None, "pruningThresholdOptional": Meta((1, 2))}],
          torch=("torch.gather", updated_by_torch),
          wrong={"always the first place": but(updated, balanceMode=0, localRankId=0),
                 "all tokens are active": but(updated, activeMaskOptional=None),
                 "no threshold": but(updated, pruningThresholdOptional=no_threshold)}),
)  # fmt: skip
