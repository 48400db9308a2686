"""Routes for tokens of experts: loops over tokens, and torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.moe.routes import modulo
from tests.aclnn.ops.moe.routes_v2 import gate, gate_by_torch
from tests.oracle.route import Route, as_tensor, but, called, route


def up_to(sortedExperts: Any, numExperts: int) -> Any:
    return np.array([sum(expert <= each for expert in sortedExperts.tolist()) for each in range(numExperts)])


def up_to_by_torch(sortedExperts: Any, numExperts: int) -> Any:
    import torch

    return torch.searchsorted(as_tensor(sortedExperts), torch.arange(numExperts), right=True).numpy()


def below(given: dict[str, Any]) -> Any:
    return given["sortedExperts"] + 1


def by_expert(tokens: Any, expertTokenNumPerRank: Any, perTokenScales: Any, permutePerTokenScalesOut: Any) -> Any:
    counts, blocks, start = expertTokenNumPerRank, {}, 0
    for rank, expert in np.ndindex(*counts.shape):
        blocks[expert, rank] = list(range(start, start + int(counts[rank, expert])))
        start += int(counts[rank, expert])
    order = [row for block in sorted(blocks) for row in blocks[block]]
    return results(order, tokens, perTokenScales, permutePerTokenScalesOut, counts.sum(0))


def results(order: Any, tokens: Any, scales: Any, out: Any, sums: Any) -> Any:
    scaled = [] if out is None else [None if scales is None else scales[order]]
    return tokens[order], *scaled, np.array(order), sums


def by_expert_by_torch(
    tokens: Any, expertTokenNumPerRank: Any, perTokenScales: Any, permutePerTokenScalesOut: Any
) -> Any:  # fmt: skip
    import torch

    counts = as_tensor(expertTokenNumPerRank)
    expert = torch.arange(counts.shape[1]).repeat(len(counts)).repeat_interleave(counts.flatten())
    order = torch.argsort(expert, stable=True).numpy()
    return results(order, tokens, perTokenScales, permutePerTokenScalesOut, counts.sum(0).numpy())


def split(x: np.ndarray) -> np.ndarray:
    """Counts with the sum 6, and 5 for the larger call."""
    flat = np.zeros(x.size, np.int64)
    flat[:6] = np.roll([2, 0, 1, 1, 2, 0], abs(int(x.ravel()[0])) % 6)
    return flat.reshape(x.shape)


def ranks_first(given: dict[str, Any]) -> Any:
    counts = given["expertTokenNumPerRank"]
    return counts.reshape(counts.shape[::-1]).T


def gate_v2(
    x: Any, inputIdsOptional: Any, tid2eidOptional: Any, renorm: int, normType: int, k: int, eps: float,
    routedScalingFactor: float, outFlag: bool, **others: Any
) -> Any:  # fmt: skip
    given = {"x": x, "normType": normType, "k": k, "eps": eps, "routedScalingFactor": routedScalingFactor,
             "outFlag": True, **others}  # fmt: skip
    values, places, s = called(gate, given)
    if inputIdsOptional is not None:
        places = np.array([tid2eidOptional[each] for each in inputIdsOptional]).astype(np.int64)
        values = np.array([[row[at] for at in those] for row, those in zip(s, places, strict=True)])
        sums = np.array([sum(row) + eps if normType or renorm else 1.0 for row in values])
        values = values / sums[:, None] * routedScalingFactor
    elif renorm and not normType:
        values = np.array([row / (sum(row) / routedScalingFactor + eps) for row in values])
    return values, places, s if outFlag else None


def gate_v2_by_torch(x: Any, inputIdsOptional: Any, renorm: int, normType: int, outFlag: bool, **others: Any) -> Any:
    """The groups by torch, the table by a lookup."""
    import torch

    if inputIdsOptional is None:
        if renorm and not normType:
            return gate_v2(x, inputIdsOptional, renorm=renorm, normType=normType, outFlag=outFlag, **others)
        return called(gate_by_torch, {"x": x, "normType": normType, "outFlag": outFlag, **others})
    given = as_tensor(x)
    s = torch.sigmoid(given) if normType else torch.softmax(given, -1)
    places = torch.nn.functional.embedding(as_tensor(inputIdsOptional), as_tensor(others["tid2eidOptional"]))
    values = s.gather(1, places.long())
    values = values / (values.sum(-1, keepdim=True) + others["eps"]) if normType or renorm else values
    return (values * others["routedScalingFactor"]).numpy(), places.numpy(), s.numpy() if outFlag else None


def gate_grad(xNorm: Any, gradY: Any, expertIdx: Any, routedScalingFactor: float, eps: float) -> Any:
    out = np.zeros_like(xNorm)
    for row, experts in enumerate(expertIdx):
        w = [xNorm[row, expert] for expert in experts]
        g = [routedScalingFactor * each for each in gradY[row]]
        divisor = sum(w) + eps
        inner = sum(a * b for a, b in zip(w, g, strict=True)) / divisor
        for each, expert in zip(g, experts, strict=True):
            out[row, expert] += (each - inner) / divisor
    return out * xNorm * (1 - xNorm)


def gate_grad_by_torch(xNorm: Any, gradY: Any, expertIdx: Any, routedScalingFactor: float, eps: float) -> Any:
    """Torch derives it from the way forth: xNorm is the sigmoid of what the gradient is for."""
    import torch

    x = as_tensor(xNorm).requires_grad_()
    w = x.gather(1, as_tensor(expertIdx))
    y = w / (w.sum(-1, keepdim=True) + eps) * routedScalingFactor
    (slope,) = torch.autograd.grad(y, x, as_tensor(gradY))
    return (slope * x * (1 - x)).detach().numpy()


def shares_of(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


BY_TABLE = {"inputIdsOptional": Meta((3,), ACL_INT64), "tid2eidOptional": Meta((4, 3), ACL_INT32), "groupCount": 4,
            "kGroup": 4, "groupSelectMode": 0}  # fmt: skip
ROUTES: tuple[Route, ...] = (
    route("aclnnMoeGatingTopKBackward", "loop", gate_grad, bound="composite", groups=[("gradY", "out")],
          values={"xNorm": shares_of, "expertIdx": modulo(8)}, torch=("torch.autograd", gate_grad_by_torch),
          wrong={"without eps": but(gate_grad, eps=0.0), "no factor": but(gate_grad, routedScalingFactor=1.0)}),
    route("aclnnMoeComputeExpertTokens", "loop", up_to, bound="exact",
          values={"sortedExperts": lambda x: np.sort(np.abs(x) % 6)}, torch=("torch.searchsorted", up_to_by_torch),
          wrong={"those below": but(up_to, sortedExperts=below)}),
    route("aclnnMoeReRouting", "loop", by_expert, bound="exact", values={"expertTokenNumPerRank": split},
          groups=[("expertTokenNumPerRank", "expertTokenNumOut")],
          also=[dict.fromkeys(("tokens", "permuteTokensOut"), Meta((6, 8), ACL_INT8)), {"perTokenScales": None},
                {"perTokenScales": None, "permutePerTokenScalesOut": None}],
          torch=("torch.argsort", by_expert_by_torch),
          wrong={"experts first": but(by_expert, expertTokenNumPerRank=ranks_first)}),
    route("aclnnMoeGatingTopKV2", "loop", gate_v2, bound="composite", groups=[("x", "biasOptional", "yOut")],
          values={"inputIdsOptional": modulo(4), "tid2eidOptional": modulo(8)},
          also=[{"normType": 0}, {"normType": 0, "renorm": 1}, BY_TABLE, {**BY_TABLE, "normType": 0},
                {**BY_TABLE, "normType": 0, "renorm": 1, "outFlag": False}],
          torch=("torch.topk", gate_v2_by_torch),
          wrong={"without a table": but(gate_v2, inputIdsOptional=None), "without eps": but(gate_v2, eps=0.0),
                 "never renormalised": but(gate_v2, renorm=0)}),
)  # fmt: skip
