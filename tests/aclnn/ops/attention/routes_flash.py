"""Routes for `aclnn.ops.attention.flash` and `flash_grad`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.attention.good_calls import (
    FLASH,
    FLASH_VERSIONS,
    GRAD,
    HALF,
    UNPADDING,
    UNPADDING_V3,
    VAR_LEN_V3,
)  # fmt: skip
from tests.aclnn.ops.attention.good_calls import (
    VAR_LEN as VAR_LEN_CALL,
)
from tests.aclnn.ops.attention.reference import Core, band, bound, by_loop, by_torch, heads_of, layout_of, sunk
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


def joined(given: dict[str, Any], x: np.ndarray, names: tuple[str, ...], heads: int) -> np.ndarray:
    """Queries or keys with their rotary part behind each vector."""
    rope = next((given[name] for name in names if given.get(name) is not None), None)
    return x if rope is None else np.concatenate([x, layout(given, rope, heads)], -1)


def matrices(given: dict[str, Any], key: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    count, of_keys = given["headNum"], shared(given, given[key])
    q, k, v = (layout(given, given[name], own) for name, own in (("query", count), (key, of_keys), ("value", of_keys)))
    q = joined(given, q, ("queryRope", "queryRopeOptional"), count)
    return q, joined(given, k, ("keyRope", "keyInRope", "keyRopeOptional"), of_keys), v


def split(given: dict[str, Any], x: np.ndarray, size: int) -> list[np.ndarray]:
    """The gradient of queries or keys, and that of their rotary part if there is one."""
    return [back(given, part) for part in (x[..., :size], x[..., size:]) if part.shape[-1]]


def spans(given: dict[str, Any], name: str = "actualSeqQLenOptional") -> list[slice]:
    ends = given[name]
    return [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]


def tokens_first(given: dict[str, Any]) -> bool:
    return (given.get("softmaxOutLayout") or given.get("softmaxInLayout")) == "same_as_input"


def packed(given: dict[str, Any], rows: np.ndarray) -> np.ndarray:
    """Statistics (heads, T, 8) as packed calls have them."""
    if tokens_first(given):
        return rows.swapaxes(0, 1)
    flat = np.concatenate([rows[:, span].reshape(-1) for span in spans(given)])
    return flat.reshape(rows.shape[1], rows.shape[0], 8)


def unpacked(given: dict[str, Any], rows: np.ndarray) -> np.ndarray:
    """The other way round: as (1, heads, T, 8)."""
    count = rows.shape[0] * rows.shape[1] // given["headNum"]
    if tokens_first(given):
        return rows.reshape(count, -1, 8).swapaxes(0, 1)[None]
    flat, heads = rows.reshape(-1), given["headNum"]
    parts = [flat[span.start * heads * 8 : span.stop * heads * 8].reshape(heads, -1, 8) for span in spans(given)]
    return np.concatenate(parts, 1)[None]


def forward(core: Core) -> Expected:
    def expected(**given: Any) -> Any:
        q, k, v = matrices(given, "key")
        out = np.zeros((*q.shape[:3], v.shape[3]), q.dtype)
        top, total = np.zeros((2, *q.shape[:3]), q.dtype)
        for one in batches(given, q, k, given["realShiftOptional"]):
            parts = q[one.at][:, one.rows], k[one.at][:, one.columns], v[one.at][:, one.columns]
            found, own_top, own_total = core(*parts, given["scaleValue"], one.bias, one.hidden)
            if given.get("sinkOptional") is not None:
                found, own_top, own_total = sunk(found, own_top, own_total, given["sinkOptional"])
            if (one.kept != 1).any():
                found = dropped(*parts, given["scaleValue"], one, own_top, own_total)
            out[one.at][:, one.rows] = found
            blind = own_total == 0
            top[one.at][:, one.rows] = np.where(blind, LOWEST, own_top)
            total[one.at][:, one.rows] = np.where(blind, LARGEST, own_total)
        made = [np.repeat(each[..., None], 8, -1) for each in (top, total)]
        if given["inputLayout"] == "TND":
            made = [packed(given, each[0]) for each in made]
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


def gradient(given: dict[str, Any]) -> tuple[np.ndarray, ...]:
    """The inputs of the gradient as (batches, heads, rows, sizes), and the statistics."""
    count = given["headNum"]
    dy, y = (layout(given, given[name], count) for name in ("dy", "attentionInOptional"))
    tops, sums = (given[name] for name in ("softmaxMaxOptional", "softmaxSumOptional"))
    if given["inputLayout"] == "TND":
        tops, sums = (unpacked(given, each) for each in (tops, sums))
    return (*matrices(given, "keyIn"), dy, y, tops, sums)


def outputs(given: dict[str, Any], grads: list[np.ndarray], dsink: Any) -> Any:
    """The gradients in the order of the prototype."""
    size = given["query"].shape[-1] // (given["headNum"] if given["inputLayout"] in ("BSH", "SBH") else 1)
    dq, dk = (split(given, grad, size) for grad in grads[:2])
    dv, more = [back(given, grads[2])], [] if given.get("sinkInOptional") is None else [dsink]
    return (*dq[:1], *dk[:1], *dv, *dq[1:], *dk[1:], *more) if "seed" in given else (*dq, *dk, *dv, *more)


def backward(**given: Any) -> Any:
    """Head by head, from the statistics that the call gives."""
    count, of_keys = given["headNum"], shared(given, given["keyIn"])
    q, k, v, dy, y, tops, sums = gradient(given)
    dq, dk, dv = (np.zeros_like(each) for each in (q, k, v))
    scale, sink = np.asarray(given["scaleValue"], q.dtype), given.get("sinkInOptional")
    dsink = np.zeros(count, q.dtype)
    for one in batches(given, q, k, given["pseShiftOptional"]):
        for head in range(count):
            at, own = one.at, head * of_keys // count
            qs, ks, vs = q[at, head, one.rows], k[at, own, one.columns], v[at, own, one.columns]
            slope, value = dy[at, head, one.rows], y[at, head, one.rows]
            top, total = tops[at, head, one.rows, :1], sums[at, head, one.rows, :1]
            delta = (slope * value).sum(-1, keepdims=True)
            s = qs @ ks.T * scale + one.bias[head]
            p = np.exp(s - top) / total
            p = np.where(one.hidden[head], 0, p)
            dv[at, own, one.columns] += (p * one.kept[head]).T @ slope
            ds = p * ((slope @ vs.T) * one.kept[head] - delta) * scale
            dq[at, head, one.rows] = ds @ ks
            dk[at, own, one.columns] += ds.T @ qs
            if sink is not None:
                dsink[head] -= (np.exp(sink[head] - top) / total * delta).sum()
    return outputs(given, [dq, dk, dv], dsink)


def by_autograd(**given: Any) -> Any:
    """The gradient of a function of the scores whose derivative is that of attention with these statistics: with
    p = exp(s - top) / sum held fixed in the weights, d = sum(p * (dp - delta) * s) + sum(p * kept * dp)."""
    import torch

    count, of_keys = given["headNum"], shared(given, given["keyIn"])
    q, k, v, dy, y, tops, sums = gradient(given)
    leaves = [as_tensor(each).requires_grad_() for each in (q, k, v)]
    sink = as_tensor(given["sinkInOptional"]) if given.get("sinkInOptional") is not None else torch.zeros(count)
    leaves.append(sink.to(leaves[0].dtype).requires_grad_())
    value: Any = leaves[3].sum() * 0
    for one in batches(given, q, k, given["pseShiftOptional"]):
        at, rows, columns = one.at, one.rows, one.columns
        qs, slope, out = leaves[0][at, :, rows], as_tensor(dy[at, :, rows]), as_tensor(y[at, :, rows])
        ks, vs = (each[at, :, columns].repeat_interleave(count // of_keys, 0) for each in leaves[1:3])
        s = qs @ ks.mT * given["scaleValue"] + as_tensor(one.bias)
        top, total = (as_tensor(each[at, :, rows, :1]) for each in (tops, sums))
        p = torch.exp(s - top) / total * as_tensor(~one.hidden)
        kept = as_tensor(one.kept)
        dp = ((slope @ vs.mT) * kept - (slope * out).sum(-1, keepdim=True)).detach()
        value = value + (p.detach() * dp * s).sum() + ((p.detach() * kept @ vs) * slope).sum()
        delta = (slope * out).sum(-1, keepdim=True)
        value = value - (torch.exp(leaves[3][:, None, None] - top) / total * delta).sum()
    grads = [each.numpy() for each in torch.autograd.grad(value, leaves)]
    return outputs(given, grads[:3], grads[3])


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


def other_order(given: dict[str, Any]) -> Any:
    name = "softmaxOutLayout" if "softmaxOutLayout" in given else "softmaxInLayout"
    return "same_as_input" if given[name] == "" else ""


def smaller_sink(given: dict[str, Any]) -> Any:
    sink = given["sinkOptional"] if "sinkOptional" in given else given["sinkInOptional"]
    return None if sink is None else sink * 0.5


def wrong(way: Expected, name: str) -> dict[str, Expected]:
    """The mistakes that a call of this function can show."""
    call = FLASH_VERSIONS[name]
    sink = next((key for key in ("sinkOptional", "sinkInOptional") if key in call), "")
    order = next((key for key in ("softmaxOutLayout", "softmaxInLayout") if key in call), "")
    drops = {"bits in the other order": but(way, dropMaskOptional=other_bits),
             "kept values as they are": but(way, keepProb=1.0)}  # fmt: skip
    return {
        "masks turned round": but(way, attenMaskOptional=turned_round),
        **(drops if call["dropMaskOptional"] is not None else {}),
        "scale left out": but(way, scaleValue=1.0),
        **({"half of the sink": but(way, **{sink: smaller_sink})} if sink else {}),
        **({"statistics in the other order": but(way, **{order: other_order})} if order and "TND" in call.values()
           else {}),
    }  # fmt: skip


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
NO_SINK = {"sinkInOptional": None, "dsinkOut": None}
PACKED_V4, PACKED_GRAD_V4 = (
    {name: value for name, value in packed_call.items() if name in padded or name.startswith("actual")} | {
        order: "same_as_input"} for packed_call, padded, order in (
        (VAR_LEN_CALL, FLASH, "softmaxOutLayout"), (UNPADDING, GRAD, "softmaxInLayout"))
)  # fmt: skip
LONG, SHORT = Meta((1, 4, 2, 128), HALF), Meta((1, 4, 2, 64), HALF)
SCORES_V4 = {
    "attenMaskOptional": Meta((2, 2), ACL_BOOL),
    "dropMaskOptional": None,
    "keepProb": 1.0,
    "scaleValue": 0.03125,
}
ROWS_V4 = Meta((1, 4, 2, 8))
ROPED_V4 = [
    {**SCORES_V4, **dict.fromkeys(("query", "key", "value", "attentionOutOut"), LONG), "realShiftOptional": None,
     **dict.fromkeys(("queryRopeOptional", "keyRopeOptional"), SHORT),
     **dict.fromkeys(("softmaxMaxOut", "softmaxSumOut"), ROWS_V4)},
    {**SCORES_V4, "pseShiftOptional": None,
     **dict.fromkeys(("query", "keyIn", "value", "dy", "attentionInOptional", "dqOut", "dkOut", "dvOut"), LONG),
     **dict.fromkeys(("queryRopeOptional", "keyRopeOptional", "dqRopeOut", "dkRopeOut"), SHORT),
     **dict.fromkeys(("softmaxMaxOptional", "softmaxSumOptional"), ROWS_V4)},
]  # fmt: skip
ROPED_V5 = {name: VAR_LEN_V3[name] for name in VAR_LEN_V3 if VAR_LEN_V3[name] != VAR_LEN_CALL.get(name)}
ROPED_GRAD_V5 = {name: UNPADDING_V3[name] for name in UNPADDING_V3 if UNPADDING_V3[name] != UNPADDING.get(name)}
TYPED = ("query", "key", "value", "realShiftOptional", "attentionOutOut", "keyIn", "dy", "attentionInOptional",
         "pseShiftOptional", "dqOut", "dkOut", "dvOut", "queryRope", "keyRope", "keyInRope", "dqRopeOut", "dkRopeOut",
         "queryRopeOptional", "keyRopeOptional")  # fmt: skip
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
                 wrong=wrong(way, name))  # fmt: skip


ROUTES: tuple[Route, ...] = (
    of("aclnnFlashAttentionScore", {}, also(FLASH), grad=False),
    of("aclnnFlashAttentionScoreV2", {}, [*also(FLASH)[:2], {"pseType": 1}], grad=False),
    of("aclnnFlashAttentionScoreV3", {}, [*also(FLASH)[:3], *also(FLASH)[6:7], {"sinkOptional": None}], grad=False),
    of("aclnnFlashAttentionScoreV4", {}, [PACKED_V4, *ROPED_V4[:1], {"sinkOptional": None}], grad=False),
    of("aclnnFlashAttentionVarLenScore", {}, VAR_LEN, grad=False),
    of("aclnnFlashAttentionVarLenScoreV2", {}, VAR_LEN[:1], grad=False),
    of("aclnnFlashAttentionVarLenScoreV3", {}, [VAR_LEN[0], ROPED_V5], grad=False),
    of("aclnnFlashAttentionVarLenScoreV4", {}, [*VAR_LEN, {"softmaxOutLayout": "same_as_input"}], grad=False),
    of("aclnnFlashAttentionVarLenScoreV5", {}, [{"softmaxOutLayout": ""}, ROPED_V5], grad=False),
    of("aclnnFlashAttentionScoreGrad", {}, also(GRAD), grad=True),
    of("aclnnFlashAttentionScoreGradV2", {}, [*also(GRAD)[:2], {"pseType": 1}], grad=True),
    of("aclnnFlashAttentionScoreGradV3", {}, [*also(GRAD)[:3], NO_SINK], grad=True),
    of("aclnnFlashAttentionScoreGradV4", {}, [*also(GRAD)[1:2], *ROPED_V4[1:], PACKED_GRAD_V4, NO_SINK], grad=True),
    of("aclnnFlashAttentionUnpaddingScoreGrad", {}, VAR_LEN, grad=True),
    of("aclnnFlashAttentionUnpaddingScoreGradV2", {}, VAR_LEN[:1], grad=True),
    of("aclnnFlashAttentionUnpaddingScoreGradV3", {}, [VAR_LEN[0], ROPED_GRAD_V5], grad=True),
    of("aclnnFlashAttentionUnpaddingScoreGradV4", {}, [*VAR_LEN, {"softmaxInLayout": "same_as_input"}], grad=True),
    of("aclnnFlashAttentionUnpaddingScoreGradV5", {}, [{"softmaxInLayout": ""}, ROPED_GRAD_V5], grad=True),
)
