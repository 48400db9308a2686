"""Routes for gating with groups and for the second versions of routing: loops over tokens, and torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.moe.routes import modulo, shuffled
from tests.oracle.route import Route, as_tensor, but, route


def gate(
    x: Any, biasOptional: Any, k: int, kGroup: int, groupCount: int, groupSelectMode: int, normType: int, outFlag: bool,
    routedScalingFactor: float, eps: float,
) -> Any:  # fmt: skip
    values, places, every = np.zeros((len(x), k)), np.zeros((len(x), k), np.int64), np.zeros(x.shape)
    size = x.shape[1] // groupCount
    for at, row in enumerate(x):
        e = np.exp(row - row.max())
        s = 1 / (1 + np.exp(-row)) if normType else e / e.sum()
        t = s if biasOptional is None else s + biasOptional
        groups = [sorted(t[first : first + size])[::-1] for first in range(0, len(t), size)]
        scores = [sum(group[: 1 + groupSelectMode]) for group in groups]
        stay = sorted(range(groupCount), key=lambda group, scores=scores: (-scores[group], group))[:kGroup]
        among = [expert for expert in range(len(t)) if expert // size in stay]
        order = sorted(among, key=lambda expert, t=t: (-t[expert], expert))[:k]
        found = s[order] / (s[order].sum() + eps) if normType else s[order]
        values[at], places[at], every[at] = found * routedScalingFactor, order, s
    return values, places, every if outFlag else None


def gate_by_torch(
    x: Any, biasOptional: Any, k: int, kGroup: int, groupCount: int, groupSelectMode: int, normType: int, outFlag: bool,
    routedScalingFactor: float, eps: float,
) -> Any:  # fmt: skip
    import torch

    given = as_tensor(x)
    s = torch.sigmoid(given) if normType else torch.softmax(given, -1)
    t = s if biasOptional is None else s + as_tensor(biasOptional)
    groups = t.reshape(len(x), groupCount, -1)
    score = groups.topk(1 + groupSelectMode, -1).values.sum(-1)
    mask = torch.zeros_like(score).scatter(1, score.topk(kGroup, -1).indices, 1.0)
    open_ = t.masked_fill(mask.repeat_interleave(groups.shape[2], 1) == 0, -torch.inf)
    places = open_.topk(k, -1).indices
    values = s.gather(1, places)
    values = values / (values.sum(-1, keepdim=True) + eps) if normType else values
    return (values * routedScalingFactor).numpy(), places.numpy(), s.numpy() if outFlag else None


def init(
    x: Any, expertIdx: Any, activeNumOptional: int, expertCapacityOptional: int, expertNumOptional: int,
    dropPadModeOptional: int, expertTokensCountOrCumsumFlagOptional: int, expertTokensBeforeCapacityFlagOptional: bool,
) -> Any:  # fmt: skip
    flat, k = expertIdx.ravel().tolist(), expertIdx.size // len(x)
    order = sorted(range(len(flat)), key=lambda at: flat[at])
    places = np.zeros(len(flat), np.int64)
    counts = [flat.count(expert) for expert in range(expertNumOptional)]
    if dropPadModeOptional:
        rows = np.zeros((expertNumOptional, expertCapacityOptional, x.shape[1]))
        taken = [0] * expertNumOptional
        for at in order:
            expert = flat[at]
            fits = taken[expert] < expertCapacityOptional
            places[at] = expert * expertCapacityOptional + taken[expert] if fits else -1
            if fits:
                rows[expert, taken[expert]] = x[at // k]
            taken[expert] += 1
    else:
        count = activeNumOptional if 0 < activeNumOptional < len(flat) else len(flat)
        rows = np.array([x[at // k] for at in order[:count]])
        places[order] = np.arange(len(flat))
    totals = np.cumsum(counts) if expertTokensCountOrCumsumFlagOptional == 1 else np.array(counts)
    flags = (expertTokensCountOrCumsumFlagOptional, expertTokensBeforeCapacityFlagOptional and dropPadModeOptional)
    return rows, places, totals if flags[0] else None, np.array(counts) if flags[1] else None


def descending(given: dict[str, Any]) -> Any:
    return given["expertNumOptional"] - 1 - given["expertIdx"]


def finalize(
    expandedX: Any, expandedRowIdx: Any, x1Optional: Any, x2Optional: Any, biasOptional: Any, scalesOptional: Any,
    expertIdxOptional: Any, dropPadMode: int,
) -> Any:  # fmt: skip
    rows, places = expandedX.reshape(-1, expandedX.shape[-1]), expandedRowIdx.tolist()
    k = 1 if scalesOptional is None else scalesOptional.shape[1]
    count = len(places) // k
    out = np.zeros((count, rows.shape[1]))
    for i in range(count):
        for each in (x1Optional, x2Optional):
            out[i] += 0 if each is None else each[i]
        for j in range(k):
            place = places[i + j * count] if dropPadMode < 2 else places[i * k + j]
            if place == -1 and dropPadMode in (1, 3):
                continue
            bias = 0 if biasOptional is None else biasOptional[expertIdxOptional[i, j]]
            out[i] += (1 if scalesOptional is None else scalesOptional[i, j]) * (rows[place] + bias)
    return out


def finalize_by_torch(
    expandedX: Any, expandedRowIdx: Any, x1Optional: Any, x2Optional: Any, biasOptional: Any, scalesOptional: Any,
    expertIdxOptional: Any, dropPadMode: int,
) -> Any:  # fmt: skip
    rows, places = as_tensor(expandedX).reshape(-1, expandedX.shape[-1]), as_tensor(expandedRowIdx)
    k = 1 if scalesOptional is None else scalesOptional.shape[1]
    table = places.reshape(k, -1).T if dropPadMode < 2 else places.reshape(-1, k)
    terms = rows[table.clamp(min=0)]
    terms = terms if biasOptional is None else terms + as_tensor(biasOptional)[as_tensor(expertIdxOptional)]
    weights = (table >= 0) * (1 if scalesOptional is None else as_tensor(scalesOptional))
    out = (terms * weights[..., None]).sum(1)
    for each in (x1Optional, x2Optional):
        out = out if each is None else out + as_tensor(each)
    return out.numpy()


def unpermute_grad(
    permuteTokensOptional: Any, unpermutedTokensGrad: Any, sortedIndices: Any, probsOptional: Any
) -> Any:  # fmt: skip
    probs = np.ones((len(unpermutedTokensGrad), 1)) if probsOptional is None else probsOptional
    rows, weights = np.zeros((len(sortedIndices), unpermutedTokensGrad.shape[1])), np.zeros(probs.shape)
    for i, j in np.ndindex(probs.shape):
        at = sortedIndices[i * probs.shape[1] + j]
        rows[at] = unpermutedTokensGrad[i] * probs[i, j]
        if permuteTokensOptional is not None:
            weights[i, j] = unpermutedTokensGrad[i] @ permuteTokensOptional[at]
    return rows, None if probsOptional is None else weights


def unpermute_grad_by_torch(
    permuteTokensOptional: Any, unpermutedTokensGrad: Any, sortedIndices: Any, probsOptional: Any
) -> Any:  # fmt: skip
    """Torch derives them from the way forth."""
    import torch

    if probsOptional is None:
        return unpermute_grad(permuteTokensOptional, unpermutedTokensGrad, sortedIndices, probsOptional)
    tokens, probs = (as_tensor(each).requires_grad_() for each in (permuteTokensOptional, probsOptional))
    found = (tokens[as_tensor(sortedIndices)].reshape(*probs.shape, -1) * probs[..., None]).sum(1)
    return tuple(each.numpy() for each in torch.autograd.grad(found, (tokens, probs), as_tensor(unpermutedTokensGrad)))


NONE = {"permuteTokensOptional": None, "probsOptional": None, "unpermutedTokensGrad": Meta((6, 4))}
PLAIN = {"dropPadModeOptional": 0, "expandedXOut": Meta((6, 4))}
ALONE = dict.fromkeys(("x1Optional", "x2Optional", "biasOptional", "scalesOptional", "expertIdxOptional"))


def init_grad(gradExpandedX: Any, expandedRowIdx: Any, topK: int, dropPadMode: int) -> Any:
    rows = gradExpandedX.reshape(-1, gradExpandedX.shape[-1])
    out = np.zeros((len(expandedRowIdx) // topK, rows.shape[1]))
    for at, place in enumerate(expandedRowIdx):
        if 0 <= place < len(rows):
            out[at // topK] += rows[place]
    return out


def init_grad_by_torch(gradExpandedX: Any, expandedRowIdx: Any, topK: int, dropPadMode: int) -> Any:
    import torch

    rows = as_tensor(gradExpandedX).flatten(0, -2).double()
    places = as_tensor(expandedRowIdx).long()
    some = torch.nonzero((places >= 0) & (places < len(rows)))[:, 0]
    out = torch.zeros(len(places) // topK, rows.shape[1], dtype=torch.float64)
    return out.index_add(0, some // topK, rows[places[some]]).numpy()


ROUTES: tuple[Route, ...] = (
    route("aclnnMoeInitRoutingV2Grad", "loop", init_grad, bound="composite", groups=[("gradExpandedX", "out")],
          values={"expandedRowIdx": shuffled}, torch=("torch.index_add", init_grad_by_torch),
          also=[{"gradExpandedX": Meta((4, 4)), "activeNum": 4},
                {"gradExpandedX": Meta((3, 2, 4)), "dropPadMode": 1}],
          wrong={"another token": but(init_grad, expandedRowIdx=lambda given: given["expandedRowIdx"][::-1]),
                 "one expert for each token": but(init_grad, expandedRowIdx=lambda given: np.where(
                     np.arange(6) % 2, -1, given["expandedRowIdx"]) if len(given["expandedRowIdx"]) == 6 else
                     given["expandedRowIdx"])}),
    route("aclnnMoeGatingTopK", "loop", gate, bound="composite", groups=[("x", "biasOptional", "yOut")],
          also=[{"normType": 0}, {"groupSelectMode": 0, "biasOptional": None}, {"outFlag": False, "kGroup": 4}],
          torch=("torch.topk", gate_by_torch),
          wrong={"values with bias": lambda **given: with_bias(given), "one group": but(gate, groupCount=1, kGroup=1),
                 "without eps": but(gate, eps=0.0)}),
    route("aclnnMoeInitRoutingV2", "loop", init, bound="exact", values={"expertIdx": modulo(5)},
          groups=[("x", "expandedXOut")],
          also=[PLAIN, {**PLAIN, "activeNumOptional": 3, "expandedXOut": Meta((3, 4))},
                {"expertTokensCountOrCumsumFlagOptional": 2}],
          wrong={"tokens reversed": but(init, x=lambda given: given["x"][::-1]),
                 "descending": but(init, expertIdx=descending),
                 "not summed up": but(init, expertTokensCountOrCumsumFlagOptional=2)}),
    route("aclnnMoeFinalizeRoutingV2", "aclnnMoeFinalizeRoutingV3", "aclnnMoeFinalizeRoutingV4", "loop", finalize,
          bound="composite",
          values={"expandedRowIdx": shuffled, "expertIdxOptional": modulo(5)},
          groups=[("expandedX", "x1Optional", "x2Optional", "biasOptional", "scalesOptional", "out")],
          also=[{"dropPadMode": 2}, {"dropPadMode": 1}, {"dropPadMode": 3, "expandedX": Meta((3, 2, 4))},
                {"x2Optional": None}, {**ALONE, "out": Meta((6, 4))}],
          torch=("torch.sum", finalize_by_torch),
          wrong={"the other order": but(finalize, dropPadMode=lambda given: given["dropPadMode"] ^ 2),
                 "without bias": but(finalize, biasOptional=None)}),
    route("aclnnMoeTokenUnpermuteGrad", "loop", unpermute_grad, bound="composite", values={"sortedIndices": shuffled},
          groups=[("permuteTokensOptional", "unpermutedTokensGrad", "probsOptional", "permutedTokensGradOut",
                   "probsGradOut")],
          also=[NONE], torch=("torch.autograd", unpermute_grad_by_torch),
          wrong={"in their order": but(unpermute_grad, sortedIndices=lambda given: np.sort(given["sortedIndices"]))}),
)  # fmt: skip


def with_bias(given: dict[str, Any]) -> Any:
    """yOut of s + bias."""
    names = gate.__code__.co_varnames[: gate.__code__.co_argcount]
    values, places, every = gate(**{name: given[name] for name in names})
    shift = 0 if given["biasOptional"] is None else given["biasOptional"][places]
    return values + shift, places, every
