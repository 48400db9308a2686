"""Routes for `aclnn.ops.moe`: torch, and loops over tokens."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, as_tensor, but, route


def gate(x: Any, finishedOptional: Any, k: int, **others: Any) -> Any:
    """Token by token, expert by expert."""
    rows, experts = x.reshape(-1, x.shape[-1]), x.shape[-1]
    inside = others.get("renorm") == 1
    values, places, every = np.zeros((len(rows), k), x.dtype), np.zeros((len(rows), k), np.int64), np.zeros_like(rows)
    for at, row in enumerate(rows):
        e = np.exp(row - row.max())
        every[at] = e / e.sum()
        order = sorted(range(experts), key=lambda each, row=row: (-row[each], each))[:k]
        best = np.exp(row[order] - row.max())
        values[at] = best / best.sum() if inside else every[at][order]
        ended = finishedOptional is not None and finishedOptional.ravel()[at]
        places[at] = experts if ended else order
    shape = (*x.shape[:-1], k)
    found = values.reshape(shape), places.reshape(shape)
    if "renorm" in others:
        written = others["outputSoftmaxResultFlag"] and not inside
        given = others["softmaxResultOutOptional"] is not None
        return (*found, *([every.reshape(x.shape) if written else None] if given else []))
    return (*found, np.arange(k * len(rows)).reshape(k, -1).T.reshape(shape))


def gate_by_torch(x: Any, finishedOptional: Any, k: int, **others: Any) -> Any:
    import torch

    given = as_tensor(x)
    every = torch.softmax(given, -1)
    _, places = torch.sort(given, dim=-1, descending=True, stable=True)
    places = places[..., :k]
    values = torch.gather(every, -1, places)
    if others.get("renorm") == 1:
        values = torch.softmax(torch.gather(given, -1, places), -1)
    if finishedOptional is not None:
        places = places.masked_fill(as_tensor(finishedOptional)[..., None], x.shape[-1])
    found = values.numpy(), places.numpy()
    return (*found, *gate(x, finishedOptional, k, **others)[2:])


def permute(tokens: Any, indices: Any, numOutTokens: int) -> Any:
    flat = indices.ravel().tolist()
    order = sorted(range(len(flat)), key=lambda each: flat[each])
    each = indices.size // len(indices)
    count = numOutTokens if numOutTokens > 0 else len(flat) + numOutTokens
    return np.array([tokens[at // each] for at in order[:count]]), np.array(
        [order.index(at) for at in range(len(flat))]
    )


def permute_by_torch(tokens: Any, indices: Any, numOutTokens: int) -> Any:
    import torch

    _, order = torch.sort(as_tensor(indices).flatten(), stable=True)
    count = numOutTokens if numOutTokens > 0 else len(order) + numOutTokens
    kept = order[:count] // (indices.size // len(indices))
    return as_tensor(tokens)[kept].numpy(), torch.argsort(order).numpy()


def unpermute(permutedTokens: Any, sortedIndices: Any, probsOptional: Any) -> Any:
    probs = np.ones((len(sortedIndices), 1)) if probsOptional is None else probsOptional
    out = np.zeros((len(probs), permutedTokens.shape[1]), permutedTokens.dtype)
    for token, row in enumerate(probs):
        for at, weight in enumerate(row):
            out[token] += permutedTokens[sortedIndices[token * len(row) + at]] * weight
    return out


def unpermute_by_torch(permutedTokens: Any, sortedIndices: Any, probsOptional: Any) -> Any:
    rows = as_tensor(permutedTokens)[as_tensor(sortedIndices)]
    each = 1 if probsOptional is None else probsOptional.shape[1]
    weights = 1 if probsOptional is None else as_tensor(probsOptional)[..., None]
    return (rows.reshape(-1, each, rows.shape[1]) * weights).sum(1).numpy()


def permute_grad(permutedOutputGrad: Any, sortedIndices: Any, numTopk: int) -> Any:
    return unpermute(permutedOutputGrad, sortedIndices, np.ones((len(sortedIndices) // numTopk, numTopk)))


def permute_grad_by_torch(permutedOutputGrad: Any, sortedIndices: Any, numTopk: int) -> Any:
    ones = np.ones((len(sortedIndices) // numTopk, numTopk))
    return unpermute_by_torch(permutedOutputGrad, sortedIndices, ones)


def init(x: Any, rowIdx: Any, expertIdx: Any, activeNum: int) -> Any:
    pairs = sorted(zip(expertIdx.ravel().tolist(), range(expertIdx.size), rowIdx.ravel().tolist(), strict=True))
    count = min(len(x), activeNum) * expertIdx.shape[1]
    places = np.zeros(expertIdx.size, np.int64)
    for at, (_, _, row) in enumerate(pairs):
        places[row] = at
    rows = [x[row % len(x)] for _, _, row in pairs[:count]]
    return np.array(rows).reshape(count, x.shape[1]), places, np.array([each for each, _, _ in pairs])


def init_by_torch(x: Any, rowIdx: Any, expertIdx: Any, activeNum: int) -> Any:
    import torch

    experts, order = torch.sort(as_tensor(expertIdx).flatten(), stable=True)
    row = as_tensor(rowIdx).flatten()[order]
    count = min(len(x), activeNum) * expertIdx.shape[1]
    places = torch.zeros_like(row).scatter(0, row, torch.arange(len(row)))
    return as_tensor(x)[row[:count] % len(x)].numpy(), places.numpy(), experts.numpy()


def finalize(
    expandedX: Any, x1: Any, x2Optional: Any, bias: Any, scales: Any, expandedRowIdx: Any, expandedExpertIdx: Any
) -> Any:  # fmt: skip
    out = x1.copy() if x2Optional is None else x1 + x2Optional
    rows, k = scales.shape
    for i in range(rows):
        for j in range(k):
            out[i] += scales[i, j] * (expandedX[expandedRowIdx[i + j * rows]] + bias[expandedExpertIdx[i, j]])
    return out


def finalize_by_torch(
    expandedX: Any, x1: Any, x2Optional: Any, bias: Any, scales: Any, expandedRowIdx: Any, expandedExpertIdx: Any
) -> Any:  # fmt: skip
    x, ones, shifts, weights = (as_tensor(each) for each in (expandedX, x1, bias, scales))
    rows = x[as_tensor(expandedRowIdx.reshape(scales.shape[1], -1).T.copy())] + shifts[as_tensor(expandedExpertIdx)]
    out = (rows * weights[..., None]).sum(1) + ones
    return (out if x2Optional is None else out + as_tensor(x2Optional)).numpy()


def in_row_order(given: dict[str, Any]) -> Any:
    table = given["expandedRowIdx"].reshape(given["scales"].shape)
    return table.T.ravel()


def shuffled(x: np.ndarray) -> np.ndarray:
    """Each number once."""
    return np.argsort(np.argsort(x.ravel() * 31 + np.arange(x.size), kind="stable"), kind="stable").reshape(x.shape)


def modulo(count: int) -> Any:
    return lambda x: np.abs(x) % count


INT32 = ACL_INT32
WIDE = {"probsOptional": Meta((3, 2)), "out": Meta((3, 4))}
FLOATS = ("x", "yOut")
ROUTES: tuple[Route, ...] = (
    route("aclnnMoeGatingTopKSoftmax", "loop", gate, bound="composite", groups=[FLOATS],
          also=[{"finishedOptional": None}], torch=("torch.sort", gate_by_torch),
          wrong={"nothing is finished": but(gate, finishedOptional=None),
                 "the smallest": but(gate, x=lambda given: -given["x"])}),
    route("aclnnMoeGatingTopKSoftmaxV2", "loop", gate, bound="composite", groups=[FLOATS],
          also=[{"renorm": 1, "softmaxResultOutOptional": None}], torch=("torch.sort", gate_by_torch),
          wrong={"nothing is finished": but(gate, finishedOptional=None), "never inside": but(gate, renorm=0)}),
    route("aclnnMoeTokenPermute", "loop", permute, bound="exact",
          also=[{"numOutTokens": 4, "permuteTokensOut": Meta((4, 4))},
                {"numOutTokens": -1, "permuteTokensOut": Meta((5, 4))}],
          groups=[("tokens", "permuteTokensOut")], values={"indices": modulo(4)},
          torch=("torch.sort", permute_by_torch),
          wrong={"descending": but(permute, indices=lambda given: -given["indices"])}),
    route("aclnnMoeTokenPermuteGrad", "loop", permute_grad, bound="composite", values={"sortedIndices": shuffled},
          groups=[("permutedOutputGrad", "out")], torch=("torch.sum", permute_grad_by_torch),
          wrong={"in their order": but(permute_grad, sortedIndices=lambda given: np.sort(given["sortedIndices"]))}),
    route("aclnnMoeTokenUnpermute", "loop", unpermute, bound="composite", values={"sortedIndices": shuffled},
          also=[WIDE, {"probsOptional": None}], groups=[("permutedTokens", "out")],
          torch=("torch.sum", unpermute_by_torch),
          wrong={"without weights": but(unpermute, probsOptional=lambda given: None if given["probsOptional"] is None
                                        else np.ones_like(given["probsOptional"]))}),
    route("aclnnMoeInitRouting", "loop", init, bound="exact", values={"rowIdx": shuffled, "expertIdx": modulo(4)},
          also=[{"activeNum": 2, "expandedXOut": Meta((4, 4))}], groups=[("x", "expandedXOut")],
          torch=("torch.sort", init_by_torch),
          wrong={"rows by token": but(init, rowIdx=lambda given: np.sort(given["rowIdx"].ravel()).reshape(-1, 2))}),
    route("aclnnMoeFinalizeRouting", "loop", finalize, bound="composite",
          values={"expandedRowIdx": shuffled, "expandedExpertIdx": modulo(5)}, also=[{"x2Optional": None}],
          groups=[("expandedX", "x1", "x2Optional", "bias", "scales", "out")],
          torch=("torch.gather", finalize_by_torch),
          wrong={"row order": but(finalize, expandedRowIdx=in_row_order),
                 "the first bias": but(finalize, expandedExpertIdx=lambda given: given["expandedExpertIdx"] * 0)}),
)  # fmt: skip
