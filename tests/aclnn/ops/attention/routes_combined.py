"""Routes for parts of attention that are combined: loops over heads, and torch."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from math import exp, log
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, as_tensor, but, route

COPIES = 8


def update(lse: Any, localOut: Any, updateType: int) -> Any:
    out, sums = np.zeros(localOut[0].shape), np.zeros(lse[0].shape)
    for row in range(len(sums)):
        sums[row] = log(sum(exp(each[row]) for each in lse))
        for each, part in zip(lse, localOut, strict=True):
            out[row] += part[row] * exp(each[row] - sums[row])
    return (out, sums) if updateType else out


def update_by_torch(lse: Any, localOut: Any, updateType: int) -> Any:
    import torch

    logs, parts = torch.stack([as_tensor(each) for each in lse]), torch.stack([as_tensor(each) for each in localOut])
    out = (torch.softmax(logs, 0)[..., None] * parts).sum(0).numpy()
    return (out, torch.logsumexp(logs, 0).numpy()) if updateType else out


def positions(shape: Any, sizes: Any, layout: str, ends: Any, softmax: str) -> Any:
    """For each token and head of attention: its index, and that of its number in a softmax tensor."""
    if layout != "TND":
        s, b, _ = shape
        heads, size = sizes[1], shape[2] // sizes[1]
        for t, each, n in np.ndindex(s, b, heads):
            yield (t, each, slice(n * size, (n + 1) * size)), (each, n, t)
    elif softmax == "TND":
        yield from (((t, n), (t, n)) for t, n in np.ndindex(shape[:2]))
    else:
        for first, last in pairwise(ends):
            for n, t in np.ndindex(shape[1], int(last - first)):
                flat = int(first) * shape[1] + n * int(last - first) + t
                yield (int(first) + t, n), divmod(flat, shape[1])


def ring(
    prevAttnOut: Any, prevSoftmaxMax: Any, prevSoftmaxSum: Any, curAttnOut: Any, curSoftmaxMax: Any,
    curSoftmaxSum: Any, actualSeqQlenOptional: Any, inputLayoutOptional: str, inputSoftmaxLayoutOptional: Any = None,
) -> Any:  # fmt: skip
    largest = np.where(prevSoftmaxMax > curSoftmaxMax, prevSoftmaxMax, curSoftmaxMax)
    first = prevSoftmaxSum * np.exp(prevSoftmaxMax - largest)
    second = curSoftmaxSum * np.exp(curSoftmaxMax - largest)
    out, shape = np.zeros_like(prevAttnOut), prevAttnOut.shape
    where = positions(shape, largest.shape, inputLayoutOptional, actualSeqQlenOptional, inputSoftmaxLayoutOptional)
    for place, number in where:
        a, b = first[number][0], second[number][0]
        out[place] = (prevAttnOut[place] * a + curAttnOut[place] * b) / (a + b)
    return out, largest, first + second


def ring_by_torch(
    prevAttnOut: Any, prevSoftmaxMax: Any, prevSoftmaxSum: Any, curAttnOut: Any, curSoftmaxMax: Any,
    curSoftmaxSum: Any, actualSeqQlenOptional: Any, inputLayoutOptional: str, inputSoftmaxLayoutOptional: Any = None,
) -> Any:  # fmt: skip
    """By logarithms of sums."""
    import torch

    names = (prevSoftmaxMax, prevSoftmaxSum, curSoftmaxMax, curSoftmaxSum)
    previous_max, previous_sum, current_max, current_sum = (as_tensor(each) for each in names)
    logs = torch.stack([previous_max + previous_sum.log(), current_max + current_sum.log()])
    largest, shares = torch.maximum(previous_max, current_max), torch.softmax(logs, 0)[..., 0]
    parts = torch.stack([as_tensor(prevAttnOut), as_tensor(curAttnOut)])
    if inputLayoutOptional != "TND":
        wide = shares.permute(0, 3, 1, 2)[..., None]
    elif inputSoftmaxLayoutOptional == "TND":
        wide = shares[..., None]
    else:
        heads, ends = shares.shape[2], actualSeqQlenOptional
        blocks = [shares[:, int(low) : int(high)].reshape(2, heads, -1).transpose(1, 2) for low, high in pairwise(ends)]
        wide = torch.cat(blocks, 1)[..., None]
    out = (parts.reshape(*wide.shape[:-1], -1) * wide).sum(0).reshape(prevAttnOut.shape)
    return out.numpy(), largest.numpy(), torch.exp(torch.logsumexp(logs, 0) - largest).numpy()


def copies(x: np.ndarray) -> np.ndarray:
    return np.repeat(x[..., :1], COPIES, -1)


def sums(x: np.ndarray) -> np.ndarray:
    return np.abs(copies(x)) + 1


def ends(x: np.ndarray) -> np.ndarray:
    return np.array([0, 2, 2, 5])[: x.size]


def of_largest(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    """Some roundings in FLOAT of numbers as large as the arguments."""
    return 2.0**-21 * max(float(np.abs(each).max()) for each in (*arguments["lse"], *arguments["localOut"]))


ROWS, TOKENS = Meta((5, 4, 8)), Meta((5, 4, 64), ACL_FLOAT16)
SOFTMAX = ("prevSoftmaxMax", "prevSoftmaxSum", "curSoftmaxMax", "curSoftmaxSum", "softmaxMaxOut", "softmaxSumOut")
ATTENTION = ("prevAttnOut", "curAttnOut", "attnOutOut")
PACKED = {**dict.fromkeys(SOFTMAX, ROWS), **dict.fromkeys(ATTENTION, TOKENS), "inputLayoutOptional": "TND",
          "actualSeqQlenOptional": Meta((4,), ACL_INT64)}  # fmt: skip
VALUES = {"prevSoftmaxMax": copies, "curSoftmaxMax": copies, "prevSoftmaxSum": sums, "curSoftmaxSum": sums,
          "actualSeqQlenOptional": ends}  # fmt: skip
WRONG = {
    "the first maximum": but(ring, curSoftmaxMax=lambda given: given["prevSoftmaxMax"]),
    "without sums": but(ring, curSoftmaxSum=lambda given: given["prevSoftmaxSum"]),
}
ROUTES: tuple[Route, ...] = (
    route("aclnnAttentionUpdate", "loop", update, bound=of_largest, groups=[("localOut", "out")],
          also=[{"updateType": 0, "lseOut": None}, {"lse": (Meta((3,)),) * 3, "localOut": (Meta((3, 8)),) * 3,
                                                    "out": Meta((3, 8))}],
          torch=("torch.softmax", update_by_torch),
          wrong={"equal weights": but(update, lse=lambda given: [0 * each for each in given["lse"]])}),
    route("aclnnRingAttentionUpdate", "loop", ring, bound="composite", groups=[ATTENTION], values=VALUES,
          also=[PACKED], torch=("torch.softmax", ring_by_torch), wrong=WRONG),
    route("aclnnRingAttentionUpdateV2", "loop", ring, bound="composite", groups=[ATTENTION], values=VALUES,
          also=[PACKED, {**PACKED, "inputSoftmaxLayoutOptional": "TND"}], torch=("torch.softmax", ring_by_torch),
          wrong={**WRONG, "blocks": but(ring, inputSoftmaxLayoutOptional=None)}),
)  # fmt: skip
