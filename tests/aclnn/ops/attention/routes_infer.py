"""Routes for `aclnn.ops.attention.fused_infer`."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.attention.good_calls import ENDS
from tests.aclnn.ops.attention.reference import Core, band, bound, by_loop, by_torch, heads_of, layout_of, sunk
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values
from tests.oracle.route import Expected, Route, but, route

HALF = ACL_FLOAT16


def fused(core: Core) -> Expected:
    def expected(**given: Any) -> Any:
        given = {name.removesuffix("Optional"): value for name, value in given.items()}
        shift, mask, own, of_keys = (given.get(name) for name in ENDS)
        query, heads, scale, mode = given["query"], given["numHeads"], given["scaleValue"], given.get("sparseMode", 0)
        layout, _, out_layout = given["inputLayout"].partition("_")
        q = heads_of(query, layout, heads)
        ks, vs = ([heads_of(each, layout, given["numKeyValueHeads"] or heads) for each in listed(given[name])]
                  for name in ("key", "value"))  # fmt: skip
        sink = given.get("learnableSink")
        if given.get("queryRope") is not None:
            q = np.concatenate([q, heads_of(given["queryRope"], layout, heads)], -1)
            ks = [np.concatenate([ks[0], heads_of(given["keyRope"], layout, ks[0].shape[1])], -1)]
        batches, _, rows, _ = q.shape
        one_row = rows == 1 and "preTokens" in given and "blockSize" in given
        if "preTokens" not in given:  # of one new row: these are the lengths of its keys
            own, of_keys, one_row = None, own, True
        out = np.zeros((*q.shape[:3], vs[0].shape[3]), q.dtype)
        lse = np.zeros((*q.shape[:3], 1), q.dtype)
        for b in range(batches):
            k, v = (each[0][b] if len(each) == 1 else each[b][0] for each in (ks, vs))
            count = (own * batches if len(own) == 1 else own)[b] if own and not one_row else rows
            length = (of_keys * batches if len(of_keys) == 1 else of_keys)[b] if of_keys else k.shape[1]
            bias, hidden = np.zeros((heads, count, length), q.dtype), np.zeros((heads, count, length), bool)
            if shift is not None:
                bias = bias + shift[b % len(shift)][:, :count, :length]
            off = length - count
            low, high = off - given.get("preTokens", 0), off + given.get("nextTokens", 0)
            limits = {2: (-np.inf, 0), 3: (-np.inf, off), 4: (low, high)}
            if not one_row and mode in limits:
                hidden = hidden | band(count, length, *limits[mode])
            elif mask is not None:
                hidden = hidden | square(mask, b, one_row)[:count, :length].astype(bool)
            found, top, total = core(q[b, :, :count], k[:, :length], v[:, :length], scale, bias, hidden)
            if sink is not None:
                found, top, total = sunk(found, top, total, sink)
            if not given.get("innerPrecise", 1) & 2 and (one_row or mode not in limits):
                mean = np.repeat(v[:, :length].mean(1, keepdims=True), heads // len(v), 0)
                found = np.where((total == 0)[..., None], mean, found)
            with np.errstate(all="ignore"):
                out[b, :, :count] = found
                lse[b, :, :count, 0] = np.where(total == 0, np.inf, np.log(total) + top)
        return (layout_of(out, out_layout or layout), *([lse] if given.get("softmaxLseFlag") else []))

    return expected


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def square(mask: Any, b: int, one_row: bool) -> Any:
    """The mask of a batch, as rows and columns."""
    if mask.ndim == 2 and not one_row:
        return mask
    own = mask[b % len(mask)]
    return own.reshape(-1, own.shape[-1])


def of(
    shape: tuple[int, ...], keys: tuple[int, ...], *, layout: str, count: int = 1, end: str = "Optional"
) -> dict[str, Any]:
    """Queries, and keys of `count` tensors, without anything optional."""
    listed = (Meta(keys, HALF),) * count
    return {"query": Meta(shape, HALF), "key": listed, "value": listed, "attentionOut": Meta(shape, HALF),
            "inputLayout": layout, "softmaxLse": None, "softmaxLseFlag": False,
            **{f"{each}{end}": None for each in ENDS}}  # fmt: skip


COMPRESSED = {"attenMaskOptional": Meta((2048, 2048), ACL_BOOL), "pseShiftOptional": None}
ALSO: tuple[dict[str, Any], ...] = (
    {"sparseMode": 2, **COMPRESSED}, {"sparseMode": 3, **COMPRESSED},
    {"sparseMode": 4, "preTokens": 1, "nextTokens": 0, **COMPRESSED},
    of((2, 3, 32), (2, 5, 16), layout="BSH"), of((2, 4, 3, 8), (2, 2, 5, 8), layout="BNSD"),
    {**of((2, 4, 3, 8), (2, 2, 5, 8), layout="BNSD_BSND"), "attentionOut": Meta((2, 3, 4, 8), HALF)},
    {**of((3, 1, 4, 8), (3, 5, 2, 8), layout="BSND"), "attenMaskOptional": Meta((3, 7), ACL_BOOL),
     "actualSeqLengthsKvOptional": Values((4,)), "pseShiftOptional": Meta((1, 4, 1, 6), HALF)},
    {**of((2, 1, 4, 8), (1, 5, 2, 8), layout="BSND", count=2), "value": (Meta((1, 5, 2, 4), HALF),) * 2,
     "attentionOut": Meta((2, 1, 4, 4), HALF)},
    {**of((1, 3, 4, 8), (1, 5, 2, 8), layout="BSND"), "attenMaskOptional": Meta((3, 5), ACL_BOOL)},
)  # fmt: skip
MODES = [{"sparseMode": mode, "attenMask": Meta((2048, 2048), ACL_BOOL), "preTokens": 1, "nextTokens": 0}
         for mode in (2, 3, 4)]  # fmt: skip


def turned(given: dict[str, Any]) -> Any:
    mask = given["attenMask"] if "attenMask" in given else given["attenMaskOptional"]
    return None if mask is None else ~mask.astype(bool)


def half_of_the_sink(given: dict[str, Any]) -> Any:
    sink = given["learnableSinkOptional"]
    return None if sink is None else sink * 0.5


def upper_left(given: dict[str, Any]) -> Any:
    return 2 if given["sparseMode"] == 3 else given["sparseMode"]


def infer(
    name: str, *also: dict[str, Any], end: str = "", modes: bool = True, keys: str = "actualSeqLengthsKv"
) -> Route:  # fmt: skip
    way = fused(by_loop)
    wrong = {
        "masks turned round": but(way, **{f"attenMask{end}": turned}), "scale left out": but(way, scaleValue=1.0),
        **({"one length for all": but(way, **{f"{keys}{end}": None})} if keys else {}),
        **({"from the upper left corner": but(way, sparseMode=upper_left)} if modes else {}),
    }  # fmt: skip
    types = [
        "query",
        "key",
        "value",
        f"pseShift{end}",
        "attentionOut",
        "queryRopeOptional",
        "keyRopeOptional",
        "learnableSinkOptional",
    ]
    return route(name, "loop", way, bound=bound(way), also=also, groups=[types], wrong=wrong,
                 torch=("torch.scaled_dot_product_attention", fused(by_torch)))  # fmt: skip


def of_v3(shape: tuple[int, ...], keys: tuple[int, ...]) -> dict[str, Any]:
    """With rotary parts of four heads and two."""
    ropes = {"queryRopeOptional": Meta((*shape[:-1], 256), HALF), "keyRopeOptional": Meta((*keys[:-1], 128), HALF)}
    return {**of(shape, keys, layout="BSH"), **ropes}


NO_ROPE = {"queryRopeOptional": None, "keyRopeOptional": None}
SUNK = [
    {**of((2, 3, 4, 64), (2, 5, 2, 64), layout="BSND"), **NO_ROPE, "learnableSinkOptional": Meta((4,), HALF),
     "innerPrecise": 0, "softmaxLseFlag": True, "softmaxLse": Meta((2, 4, 3, 1))},
]  # fmt: skip
TURNED = [
    {**of((2, 4, 3, 8), (2, 2, 5, 8), layout="BNSD_NBSD"), **NO_ROPE, "attentionOut": Meta((4, 2, 3, 8), HALF)},
    {**of((2, 3, 4, 8), (2, 5, 2, 8), layout="BSND_NBSD"), **NO_ROPE, "attentionOut": Meta((4, 2, 3, 8), HALF)},
    {**of((2, 3, 32), (2, 5, 16), layout="BSH_BNSD"), **NO_ROPE, "attentionOut": Meta((2, 4, 3, 8), HALF)},
]  # fmt: skip
INCRE = "aclnnIncreFlashAttention"
ROUTES: tuple[Route, ...] = (
    infer("aclnnFusedInferAttentionScore", *MODES),
    infer("aclnnFusedInferAttentionScoreV2", *ALSO, end="Optional"),
    infer("aclnnFusedInferAttentionScoreV3", *ALSO[:2], of_v3((2, 3, 32), (2, 5, 16)), end="Optional"),
    infer("aclnnFusedInferAttentionScoreV4", *ALSO[:2], of_v3((2, 3, 32), (2, 5, 16)),
          {"learnableSinkOptional": Meta((4,), HALF)}, end="Optional"),
    infer("aclnnFusedInferAttentionScoreV5", *ALSO[:2], of_v3((2, 3, 32), (2, 5, 16)), *SUNK, *TURNED, end="Optional"),
    infer("aclnnPromptFlashAttention", modes=False, keys=""),
    infer("aclnnPromptFlashAttentionV2", *MODES), infer("aclnnPromptFlashAttentionV3", *MODES),
    *(infer(f"{INCRE}{number}", modes=False, keys="actualSeqLengths") for number in ("", "V2", "V3", "V4")),
)  # fmt: skip
