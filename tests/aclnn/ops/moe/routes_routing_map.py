"""Routes for tokens with a routing map: loops over experts and tokens, and torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, as_tensor, but, route, sums

TOKENS = 3


def given(*outputs: Any) -> Any:
    """The results of outputs that are not null."""
    return tuple(each for each in outputs if each is not None)


def choices(chosen: Any) -> list[tuple[int, int]]:
    """The expert and the token of each row."""
    tokens, experts = chosen.shape
    return [(expert, token) for expert in range(experts) for token in range(tokens) if chosen[token, expert]]


def padded_rows(chosen: Any, capacity: int) -> list[tuple[int, int]]:
    rows = []
    for expert in range(chosen.shape[1]):
        taken = [token for token in range(len(chosen)) if chosen[token, expert]]
        others = [token for token in range(len(chosen)) if not chosen[token, expert]]
        rows += [(expert, token) for token in (taken + others)[:capacity]]
    return rows


def permuted(tokens: Any, routingMap: Any, probsOptional: Any, numOutTokens: int, dropAndPad: bool) -> Any:
    if dropAndPad:
        rows = padded_rows(routingMap, numOutTokens // routingMap.shape[1])
        places = [token for _, token in rows]
    else:
        rows = choices(routingMap)
        places = sorted(range(len(rows)), key=lambda row: rows[row][1])
    weights = None if probsOptional is None else np.array([probsOptional[token, expert] for expert, token in rows])
    return given(np.array([tokens[token] for _, token in rows]), weights, np.array(places))


def permuted_by_torch(tokens: Any, routingMap: Any, probsOptional: Any, numOutTokens: int, dropAndPad: bool) -> Any:
    import torch

    chosen, x = as_tensor(routingMap).bool().T, as_tensor(tokens)
    probs = None if probsOptional is None else as_tensor(probsOptional).T
    if dropAndPad:
        first = torch.argsort(chosen.to(torch.int8), dim=1, descending=True, stable=True)
        first = first[:, : numOutTokens // len(chosen)].contiguous()
        weights = None if probs is None else probs.gather(1, first).flatten().numpy()
        return given(x.index_select(0, first.flatten()).numpy(), weights, first.flatten().numpy())
    ids = torch.arange(len(x)).expand(len(chosen), -1).masked_select(chosen)
    weights = None if probs is None else probs.masked_select(chosen).numpy()
    return given(x.index_select(0, ids).numpy(), weights, torch.argsort(ids, stable=True).numpy())


def parts(
    sortedIndices: Any, probs: Any, chosen: Any, padded: bool, tokens: int
) -> tuple[list[int], list[int], list[float]]:
    """The token, the row and the factor of each summand."""
    count = len(sortedIndices)
    if padded:
        rows = sorted(range(count), key=lambda row: sortedIndices[row])
        ids = [int(sortedIndices[row]) for row in rows]
        capacity = 1 if probs is None else count // probs.shape[1]
        if probs is None:
            return ids, rows, [1.0] * count
        return ids, rows, [probs[token, row // capacity] for token, row in zip(ids, rows, strict=True)]
    ids = [place // (count // tokens) for place in range(count)]
    factors = [1.0] * count
    if probs is not None:
        factors = [probs[token, expert] for token, expert in np.ndindex(*probs.shape) if chosen[token, expert]]
    return ids, [int(row) for row in sortedIndices], factors


def restored(
    permutedTokens: Any, sortedIndices: Any, routingMapOptional: Any, probsOptional: Any, paddedMode: bool,
    unpermutedTokens: Any,
) -> Any:  # fmt: skip
    tokens = unpermutedTokens.shape[0]
    ids, rows, factors = parts(sortedIndices, probsOptional, routingMapOptional, paddedMode, tokens)
    out = np.zeros((tokens, permutedTokens.shape[1]))
    for token, row, factor in zip(ids, rows, factors, strict=True):
        out[token] += permutedTokens[row] * factor
    return given(out, np.array(rows), np.array(ids), None if probsOptional is None else np.array(factors))


def restored_by_torch(
    permutedTokens: Any, sortedIndices: Any, routingMapOptional: Any, probsOptional: Any, paddedMode: bool,
    unpermutedTokens: Any,
) -> Any:  # fmt: skip
    import torch

    places, x, tokens = as_tensor(sortedIndices), as_tensor(permutedTokens), unpermutedTokens.shape[0]
    if paddedMode:
        ids, rows = torch.sort(places, stable=True)
    else:
        ids, rows = torch.arange(tokens).repeat_interleave(len(places) // tokens), places
    factors = torch.ones(len(places), dtype=x.dtype)
    if probsOptional is not None:
        probs = as_tensor(probsOptional)
        by_row = rows // (len(places) // probs.shape[1])
        factors = probs[ids, by_row] if paddedMode else probs.masked_select(as_tensor(routingMapOptional).bool())
    out = torch.zeros(tokens, x.shape[1], dtype=x.dtype).index_add(0, ids, x[rows] * factors[:, None])
    return given(out.numpy(), rows.numpy(), ids.numpy(), None if probsOptional is None else factors.numpy())


def permute_grad(
    permutedTokenOutputGrad: Any, permutedProbsOutputGradOptional: Any, sortedIndices: Any, routingMapOptional: Any,
    numExperts: int, tokensNum: int, dropAndPad: bool,
) -> Any:  # fmt: skip
    count = len(sortedIndices)
    tokens = np.zeros((tokensNum, permutedTokenOutputGrad.shape[1]))
    for place, to in enumerate(sortedIndices):
        token, row = (to, place) if dropAndPad else (place // (count // tokensNum), to)
        tokens[token] += permutedTokenOutputGrad[row]
    if permutedProbsOutputGradOptional is None:
        return given(tokens)
    capacity, slopes = count // numExperts, np.zeros((tokensNum, numExperts))
    rows = [(row // capacity, token) for row, token in enumerate(sortedIndices)]
    rows = rows if dropAndPad else choices(routingMapOptional)
    for (expert, token), slope in zip(rows, permutedProbsOutputGradOptional, strict=True):
        slopes[token, expert] = slope
    return tokens, slopes


def permute_grad_by_torch(
    permutedTokenOutputGrad: Any, permutedProbsOutputGradOptional: Any, sortedIndices: Any, routingMapOptional: Any,
    numExperts: int, tokensNum: int, dropAndPad: bool,
) -> Any:  # fmt: skip
    """Torch derives it from the way forth."""
    import torch

    slopes, places = as_tensor(permutedTokenOutputGrad), as_tensor(sortedIndices)
    tokens = torch.zeros(tokensNum, slopes.shape[1], dtype=slopes.dtype, requires_grad=True)
    owners = torch.arange(tokensNum).repeat_interleave(len(places) // tokensNum)
    rows = tokens[places] if dropAndPad else torch.zeros_like(slopes).index_copy(0, places, tokens[owners])
    (grad,) = torch.autograd.grad(rows, tokens, slopes)
    if permutedProbsOutputGradOptional is None:
        return given(grad.numpy())
    of_weights = as_tensor(permutedProbsOutputGradOptional)
    probs = torch.zeros(tokensNum, numExperts, dtype=of_weights.dtype, requires_grad=True)
    if dropAndPad:
        weights = probs.T.gather(1, places.reshape(numExperts, -1)).flatten()
    else:
        weights = probs.T.masked_select(as_tensor(routingMapOptional).bool().T)
    return grad.numpy(), torch.autograd.grad(weights, probs, of_weights)[0].numpy()


def restore_grad(
    unpermutedTokensGrad: Any, outIndex: Any, permuteTokenId: Any, routingMapOptional: Any, permutedTokensOptional: Any,
    probsOptional: Any, dropAndPad: bool,
) -> Any:  # fmt: skip
    out = np.zeros((len(outIndex), unpermutedTokensGrad.shape[1]))
    slopes = None if probsOptional is None else np.zeros(probsOptional.shape)
    listed = [] if routingMapOptional is None else choices(routingMapOptional)
    for row, token in zip(outIndex, permuteTokenId, strict=True):
        out[row] = unpermutedTokensGrad[token]
        if slopes is not None:
            expert, owner = (row // (len(outIndex) // slopes.shape[1]), token) if dropAndPad else listed[row]
            slopes[owner, expert] += sum(unpermutedTokensGrad[token] * permutedTokensOptional[row])
            out[row] = unpermutedTokensGrad[token] * probsOptional[owner, expert]
    return given(out, slopes)


def restore_grad_by_torch(
    unpermutedTokensGrad: Any, outIndex: Any, permuteTokenId: Any, routingMapOptional: Any, permutedTokensOptional: Any,
    probsOptional: Any, dropAndPad: bool,
) -> Any:  # fmt: skip
    import torch

    grad, rows, ids = as_tensor(unpermutedTokensGrad), as_tensor(outIndex), as_tensor(permuteTokenId)
    x = torch.zeros(len(rows), grad.shape[1], dtype=grad.dtype) if permutedTokensOptional is None else as_tensor(
        permutedTokensOptional)  # fmt: skip
    x.requires_grad_()
    factors = torch.ones(len(rows), dtype=grad.dtype)
    if probsOptional is not None:
        probs = as_tensor(probsOptional).requires_grad_()
        chosen = as_tensor(routingMapOptional).bool().T
        capacity = len(rows) // probs.shape[1]
        factors = probs[ids, rows // capacity] if dropAndPad else probs.T.masked_select(chosen)[rows]
    out = torch.zeros_like(grad).index_add(0, ids, x[rows] * factors[:, None])
    if probsOptional is None:
        return given(torch.autograd.grad(out, x, grad)[0].numpy())
    return tuple(each.numpy() for each in torch.autograd.grad(out, (x, probs), grad))


def two_of_each(x: np.ndarray) -> np.ndarray:
    """Two experts for each token."""
    shift, columns = abs(int(x.ravel()[0])), x.shape[1]
    out = np.zeros(x.shape, np.int64)
    for row in range(len(x)):
        out[row, [(row * 5 + shift) % columns, (row * 5 + shift + 2) % columns]] = 1
    return out.astype(x.dtype)


def pairs(x: np.ndarray) -> np.ndarray:
    """Two different tokens for each of six experts."""
    firsts = np.abs(x[::2]) % TOKENS
    return np.stack([firsts, (firsts + 1) % TOKENS], 1).reshape(-1)


def places_of(x: np.ndarray) -> np.ndarray:
    """A permutation; in the padded cases, which have 12 rows, tokens."""
    return pairs(x) if len(x) == 12 else np.argsort(x, kind="stable")


def rows_of(x: np.ndarray) -> np.ndarray:
    """A permutation, which in the padded cases keeps the rows of an expert together."""
    return np.arange(12)[::-1] if len(x) == 12 else np.argsort(x, kind="stable")


def tokens_of(x: np.ndarray) -> np.ndarray:
    return pairs(x) if len(x) == 12 else np.abs(x) % TOKENS


FLAT, WIDE = Meta((12,), ACL_INT32), Meta((12, 4))
PADDED: dict[str, Any] = {"numOutTokens": 12, "dropAndPad": True, "permuteTokensOut": WIDE, "sortedIndicesOut": FLAT,
                          "permuteProbsOutOptional": Meta((12,))}  # fmt: skip
PADDED_GRAD: dict[str, Any] = {
    "dropAndPad": True, "permutedTokenOutputGrad": WIDE, "permutedProbsOutputGradOptional": Meta((12,)),
    "sortedIndices": FLAT,
}  # fmt: skip
PADDED_BACK: dict[str, Any] = {"paddedMode": True, "permutedTokens": WIDE, "permuteProbs": Meta((12,)),
                               **dict.fromkeys(("sortedIndices", "outIndex", "permuteTokenId"), FLAT)}  # fmt: skip
PADDED_BACK_GRAD: dict[str, Any] = {
    "dropAndPad": True, "outIndex": FLAT, "permuteTokenId": FLAT, "permutedTokensOptional": WIDE,
    "permutedTokensGradOut": WIDE,
}  # fmt: skip
PLAIN: dict[str, Any] = {"probsOptional": None, "routingMapOptional": None}
NO_PROBS: dict[str, Any] = {**PLAIN, "permuteProbs": None}
NO_SLOPES: dict[str, Any] = {**PLAIN, "permutedTokensOptional": None, "probsGradOutOptional": None}
NO_FACTORS: dict[str, Any] = {"permutedProbsOutputGradOptional": None, "probsGradOutOptional": None}
ROUTES: tuple[Route, ...] = (
    route("aclnnMoeTokenPermuteWithRoutingMap", "loop", permuted, bound="exact", values={"routingMap": two_of_each},
          groups=[("tokens", "permuteTokensOut", "probsOptional", "permuteProbsOutOptional"), ("routingMap",)],
          also=[PADDED, {"probsOptional": None, "permuteProbsOutOptional": None}],
          torch=("torch.masked_select", permuted_by_torch),
          wrong={"other tokens": but(permuted, tokens=lambda given: given["tokens"][::-1]),
                 "other experts": but(permuted, probsOptional=lambda given: None if given["probsOptional"] is None else
                                      given["probsOptional"][:, ::-1])}),
    route("aclnnMoeTokenUnpermuteWithRoutingMap", "loop", restored, bound="composite",
          values={"routingMapOptional": two_of_each, "sortedIndices": places_of},
          groups=[("permutedTokens", "unpermutedTokens", "probsOptional", "permuteProbs")],
          also=[NO_PROBS, PADDED_BACK, {**PADDED_BACK, **NO_PROBS}], torch=("torch.index_add", restored_by_torch),
          wrong={"rows in their order": but(restored, sortedIndices=lambda given: np.sort(given["sortedIndices"]))}),
    route("aclnnMoeTokenPermuteWithRoutingMapGrad", "loop", permute_grad, bound=sums("permutedTokenOutputGrad"),
          values={"routingMapOptional": two_of_each, "sortedIndices": places_of},
          groups=[("permutedTokenOutputGrad", "tokensGradOut", "permutedProbsOutputGradOptional",
                   "probsGradOutOptional")],
          also=[NO_FACTORS, PADDED_GRAD], torch=("torch.autograd", permute_grad_by_torch),
          wrong={"in their order": but(permute_grad, sortedIndices=lambda given: np.sort(given["sortedIndices"]))}),
    route("aclnnMoeTokenUnpermuteWithRoutingMapGrad", "loop", restore_grad, bound="composite",
          values={"routingMapOptional": two_of_each, "outIndex": rows_of, "permuteTokenId": tokens_of},
          groups=[("unpermutedTokensGrad", "permutedTokensOptional", "permutedTokensGradOut", "probsOptional",
                   "probsGradOutOptional")],
          also=[NO_SLOPES, PADDED_BACK_GRAD], torch=("torch.autograd", restore_grad_by_torch),
          wrong={"rows in their order": but(restore_grad, outIndex=lambda given: np.sort(given["outIndex"]))}),
)  # fmt: skip
