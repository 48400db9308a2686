"""Routes for `aclnn.ops.attention.flash` and `flash_grad`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.attention.good_calls import FLASH, GRAD, HALF
from tests.aclnn.ops.attention.reference import Core, band, bound, by_loop, by_torch, heads_of, layout_of
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values
from tests.oracle.route import Expected, Route, as_tensor, but, route

LOWEST, LARGEST = float(np.finfo(np.float32).min), float(np.finfo(np.float32).max)


@dataclass
class One:
    """One batch: where it lies, and how its scores are made."""

    at: int
    rows: slice
    columns: slice
    bias: np.ndarray
    hidden: np.ndarray
    kept: np.ndarray


def batches(given: dict[str, Any], q: np.ndarray, k: np.ndarray, shift: Any) -> Iterator[One]:
    """Of q and k as (batches, heads, rows, sizes). Packed ones have one batch."""
    own, others = given.get("actualSeqQLenOptional"), given.get("actualSeqKvLenOptional")
    count, start = q.shape[1], 0
    spans = [(at, slice(0, q.shape[2]), slice(0, k.shape[2])) for at in range(len(q))]
    if own is not None:
        cuts = [[slice(one, two) for one, two in zip([0, *ends], ends, strict=False)] for ends in (own, others)]
        spans = [(0, *each) for each in zip(*cuts, strict=True)]
    mask, mode = given["attenMaskOptional"], given["sparseMode"] if given["attenMaskOptional"] is not None else 0
    for number, (at, rows, columns) in enumerate(spans):
        m, n = rows.stop - rows.start, columns.stop - columns.start
        bias, hidden = np.zeros((count, m, n), q.dtype), np.zeros((count, m, n), bool)
        if shift is not None:
            scale = given["scaleValue"] if given.get("pseType", 1) == 1 else 1.0
            bias = bias + shift[at % len(shift)] * np.asarray(scale, q.dtype)
        if mode in (0, 1) and mask is not None:
            square = mask.reshape(-1, 1, *mask.shape[-2:]) if mask.ndim < 4 or mask.shape[1] == 1 else mask
            hidden = hidden | square[at % len(square)][:, :m, :n].astype(bool)
        off = n - m
        limits = {2: (-np.inf, 0), 3: (-np.inf, off), 4: (off - given["preTokens"], off + given["nextTokens"]),
                  5: (-np.inf, off), 6: (-np.inf, off)}  # fmt: skip
        if mode in limits:
            hidden = hidden | band(m, n, *limits[mode])
        if mode in (5, 6):
            hidden[:, :, : given["prefixOptional"][number]] = False
        kept = np.ones((count, m, n), q.dtype)
        if given["dropMaskOptional"] is not None and given["keepProb"] < 1:
            numbers = start + np.arange(kept.size).reshape(kept.shape)
            drop = given["dropMaskOptional"].astype(np.uint64)
            kept = ((drop[numbers // 8] >> (numbers % 8).astype(np.uint64)) & np.uint64(1)).astype(q.dtype)
            kept = kept / np.asarray(given["keepProb"], q.dtype)
        start += count * m * n
        yield One(at, rows, columns, bias, hidden, kept)


def layout(given: dict[str, Any], x: np.ndarray, heads: int) -> np.ndarray:
    form = given["inputLayout"].upper()
    return x.swapaxes(0, 1)[None] if form == "TND" else heads_of(x, form, heads)


def back(given: dict[str, Any], x: np.ndarray) -> np.ndarray:
    form = given["inputLayout"].upper()
    return x[0].swapaxes(0, 1) if form == "TND" else layout_of(x, form)


def shared(given: dict[str, Any], key: np.ndarray) -> int:
    """The heads of the keys."""
    form = given["inputLayout"].upper()
    if form in ("BSH", "SBH"):
        return key.shape[-1] * given["headNum"] // given["query"].shape[-1]
    return key.shape[{"BNSD": 1, "BSND": 2, "TND": 1}[form]]


def forward(core: Core) -> Expected:
    def expected(**given: Any) -> Any:
        count = given["headNum"]
        q, k, v = (layout(given, given[name], count if name == "query" else shared(given, given["key"]))
                   for name in ("query", "key", "value"))  # fmt: skip
        out = np.zeros((*q.shape[:3], v.shape[3]), q.dtype)
        top, total = np.zeros((2, *q.shape[:3]), q.dtype)
        for one in batches(given, q, k, given["realShiftOptional"]):
            parts = q[one.at][:, one.rows], k[one.at][:, one.columns], v[one.at][:, one.columns]
            found, own_top, own_total = core(*parts, given["scaleValue"], one.bias, one.hidden)
            if (one.kept != 1).any():
                found = dropped(*parts, given["scaleValue"], one, own_top, own_total)
            out[one.at][:, one.rows] = found
            blind = own_total == 0
            top[one.at][:, one.rows] = np.where(blind, LOWEST, own_top)
            total[one.at][:, one.rows] = np.where(blind, LARGEST, own_total)
        made = [np.repeat(each[..., None], 8, -1) for each in (top, total)]
        if given["inputLayout"] == "TND":
            made = [each[0].swapaxes(0, 1) for each in made]
        return (*made, back(given, out))

    return expected


def dropped(q: Any, k: Any, v: Any, scale: float, one: One, top: Any, total: Any) -> np.ndarray:
    """The output of a batch from its statistics, with dropout."""
    out = np.zeros((*q.shape[:2], v.shape[2]), q.dtype)
    for head in range(len(q)):
        shared = head * len(k) // len(q)
        s = q[head] @ k[shared].T * np.asarray(scale, q.dtype) + one.bias[head]
        p = np.where(one.hidden[head] | (total[head][:, None] == 0), 0, np.exp(s - top[head][:, None]))
        out[head] = (p * one.kept[head] / np.maximum(total[head][:, None], 1e-30).astype(q.dtype)) @ v[shared]
    return out


def backward(**given: Any) -> Any:
    """Head by head, from the statistics that the call gives."""
    count, of_keys = given["headNum"], shared(given, given["keyIn"])
    heads = {"query": count, "dy": count, "attentionInOptional": count, "keyIn": of_keys, "value": of_keys}
    q, dy, y, k, v = (layout(given, given[name], own) for name, own in heads.items())
    tops, sums = (given[name] for name in ("softmaxMaxOptional", "softmaxSumOptional"))
    if given["inputLayout"] == "TND":
        tops, sums = (each.swapaxes(0, 1)[None] for each in (tops, sums))
    dq, dk, dv = (np.zeros_like(each) for each in (q, k, v))
    scale = np.asarray(given["scaleValue"], q.dtype)
    for one in batches(given, q, k, given["pseShiftOptional"]):
        for head in range(count):
            at, own = one.at, head * of_keys // count
            qs, ks, vs = q[at, head, one.rows], k[at, own, one.columns], v[at, own, one.columns]
            slope, value = dy[at, head, one.rows], y[at, head, one.rows]
            s = qs @ ks.T * scale + one.bias[head]
            p = np.exp(s - tops[at, head, one.rows, :1]) / sums[at, head, one.rows, :1]
            p = np.where(one.hidden[head], 0, p)
            dv[at, own, one.columns] += (p * one.kept[head]).T @ slope
            ds = p * ((slope @ vs.T) * one.kept[head] - (slope * value).sum(-1, keepdims=True)) * scale
            dq[at, head, one.rows] = ds @ ks
            dk[at, own, one.columns] += ds.T @ qs
    return tuple(back(given, each) for each in (dq, dk, dv))


def by_autograd(**given: Any) -> Any:
    """The gradient of a function of the scores whose derivative is that of attention with these statistics: with
    p = exp(s - top) / sum held fixed in the weights, d = sum(p * (dp - delta) * s) + sum(p * kept * dp)."""
    import torch

    count, of_keys = given["headNum"], shared(given, given["keyIn"])
    heads = {"query": count, "dy": count, "attentionInOptional": count, "keyIn": of_keys, "value": of_keys}
    q, dy, y, k, v = (layout(given, given[name], own) for name, own in heads.items())
    tops, sums = (given[name] for name in ("softmaxMaxOptional", "softmaxSumOptional"))
    if given["inputLayout"] == "TND":
        tops, sums = (each.swapaxes(0, 1)[None] for each in (tops, sums))
    leaves = [as_tensor(each).requires_grad_() for each in (q, k, v)]
    value: Any = 0
    for one in batches(given, q, k, given["pseShiftOptional"]):
        at, rows, columns = one.at, one.rows, one.columns
        qs, slope, out = leaves[0][at, :, rows], as_tensor(dy[at, :, rows]), as_tensor(y[at, :, rows])
        ks, vs = (each[at, :, columns].repeat_interleave(count // of_keys, 0) for each in leaves[1:])
        s = qs @ ks.mT * given["scaleValue"] + as_tensor(one.bias)
        top, total = (as_tensor(each[at, :, rows, :1]) for each in (tops, sums))
        p = torch.exp(s - top) / total * as_tensor(~one.hidden)
        kept = as_tensor(one.kept)
        dp = ((slope @ vs.mT) * kept - (slope * out).sum(-1, keepdim=True)).detach()
        value = value + (p.detach() * dp * s).sum() + ((p.detach() * kept @ vs) * slope).sum()
    return tuple(back(given, each.numpy()) for each in torch.autograd.grad(value, leaves))


def turned_round(given: dict[str, Any]) -> Any:
    mask = given["attenMaskOptional"]
    return None if mask is None else ~mask.astype(bool)


def other_bits(given: dict[str, Any]) -> Any:
    """The highest bit of a byte first."""
    drop = given["dropMaskOptional"]
    if drop is None:
        return None
    bits = np.unpackbits(drop.astype(np.uint8)).reshape(-1, 8)[:, ::-1]
    return np.packbits(bits).astype(np.uint64)


def wrong(way: Expected) -> dict[str, Expected]:
    return {
        "masks turned round": but(way, attenMaskOptional=turned_round),
        "bits in the other order": but(way, dropMaskOptional=other_bits),
        "kept values as they are": but(way, keepProb=1.0),
        "scale left out": but(way, scaleValue=1.0),
    }


PLAIN = {"realShiftOptional": None, "pseShiftOptional": None, "dropMaskOptional": None, "attenMaskOptional": None}


def laid_out(good: dict[str, Any], layout: str, query: tuple[int, ...], key: tuple[int, ...]) -> dict[str, Any]:
    """The good call in another layout, without anything optional."""
    names = {name: Meta(query, HALF) for name in ("query", "dy", "attentionOutOut", "attentionInOptional", "dqOut")}
    names |= {name: Meta(key, HALF) for name in ("key", "keyIn", "value", "dkOut", "dvOut")}
    return {"inputLayout": layout, **{name: value for name, value in {**names, **PLAIN}.items() if name in good}}


def also(good: dict[str, Any]) -> list[dict[str, Any]]:
    small = {name: None for name in PLAIN if name in good}
    mask = {"attenMaskOptional": Meta((2048, 2048), ACL_BOOL)}
    return [
        small, {**mask, "sparseMode": 2}, {**mask, "sparseMode": 3, "dropMaskOptional": None},
        {**mask, "sparseMode": 4, "preTokens": 1, "nextTokens": 1},
        {"attenMaskOptional": Meta((3072, 2048), ACL_BOOL), "sparseMode": 6},
        laid_out(good, "BSND", (2, 3, 4, 8), (2, 5, 2, 8)), laid_out(good, "BSH", (2, 3, 32), (2, 5, 16)),
        laid_out(good, "SBH", (3, 2, 32), (5, 2, 16)),
    ]  # fmt: skip


VAR_LEN = [
    {"attenMaskOptional": Meta((2048, 2048), ACL_BOOL), "sparseMode": 3}, {"attenMaskOptional": None},
    {"actualSeqQLenOptional": Values((2, 2, 5)), "actualSeqKvLenOptional": Values((3, 5, 7)),
     "attenMaskOptional": Meta((3, 3), ACL_BOOL)},
]  # fmt: skip
TYPED = ("query", "key", "value", "realShiftOptional", "attentionOutOut", "keyIn", "dy", "attentionInOptional",
         "pseShiftOptional", "dqOut", "dkOut", "dvOut")  # fmt: skip
BITS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "dropMaskOptional": lambda x: (np.arange(x.size) * 37 + 11).astype(np.uint8) % 251,
    "softmaxSumOptional": lambda x: np.broadcast_to(np.abs(x[..., :1]) + 1, x.shape),
    "softmaxMaxOptional": lambda x: np.broadcast_to(np.abs(x[..., :1]) + 2, x.shape),
}
TORCH = "torch.scaled_dot_product_attention"


def of(name: str, more: dict[str, Any], cases: list[dict[str, Any]], *, grad: bool) -> Route:
    way = backward if grad else forward(by_loop)
    torch = ("torch.autograd", by_autograd) if grad else (TORCH, forward(by_torch))
    return route(name, "loop", way, bound=bound(way), also=cases, start=more, groups=[TYPED], values=BITS, torch=torch,
                 wrong=wrong(way))  # fmt: skip


ROUTES: tuple[Route, ...] = (
    of("aclnnFlashAttentionScore", {}, also(FLASH), grad=False),
    of("aclnnFlashAttentionScoreV2", {}, [*also(FLASH)[:2], {"pseType": 1}], grad=False),
    of("aclnnFlashAttentionVarLenScore", {}, VAR_LEN, grad=False),
    of("aclnnFlashAttentionVarLenScoreV2", {}, VAR_LEN[:1], grad=False),
    of("aclnnFlashAttentionScoreGrad", {}, also(GRAD), grad=True),
    of("aclnnFlashAttentionScoreGradV2", {}, [*also(GRAD)[:2], {"pseType": 1}], grad=True),
    of("aclnnFlashAttentionUnpaddingScoreGrad", {}, VAR_LEN, grad=True),
    of("aclnnFlashAttentionUnpaddingScoreGradV2", {}, VAR_LEN[:1], grad=True),
)
